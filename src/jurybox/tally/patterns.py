"""Responses reduced to distinct patterns of answers per unit, which agreement is computed from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.answers import AnswerRows, answer_rows
from jurybox.tally.responses import Responses

__all__ = ["AnswerPatterns", "alone", "answer_patterns", "signatures", "system_patterns"]

BITS = 63
"""Of a signed integer, for the counts of a pattern side by side."""
SIGNATURE = 2**62
"""Below this the patterns of an item's units are written as one number."""


@dataclass(frozen=True, slots=True, eq=False)
class AnswerPatterns:
    """Distinct patterns of answers per unit, with what items and raters have of them."""

    values: tuple[Any, ...]
    patterns: NDArray[np.int64]
    signature: NDArray[np.int64]
    items: NDArray[np.int64]
    raters: NDArray[np.int64]
    cells: NDArray[np.int64]
    n_raters: int | None
    n_grouped: int = 0
    """How many distinct numbers were taken in groups of neighbors; 0 if each stands for itself."""


def answer_patterns(responses: Responses, *, raters: bool = True) -> AnswerPatterns:
    """Distinct patterns with multiplicities; see ``jurybox.stats.agreement.patterns.Patterns``.

    ``raters``: whether the raters' own answers are wanted, which takes more passes.
    """
    if responses.patterns is not None:
        return responses.patterns
    if responses.numbered is not None:
        from jurybox.tally.numbered_patterns import numbered_patterns

        made = numbered_patterns(responses.numbered, raters=raters)
        if made is not None:
            return made
    return _patterns(responses, answer_rows(responses, grouped=True), raters=raters)


def system_patterns(responses: Responses, *, raters: bool = True) -> tuple[AnswerPatterns, ...]:
    """The patterns of each system's outputs; items, raters and cells have one number in all."""
    answers = answer_rows(responses, grouped=True)
    # A system may have a real and a generated output of one item, which are two units.
    each = 2 if responses.shape.name == "detections" else 1
    apart = replace(answers, parts=answers.per_item // each)
    whole = _patterns(responses, apart, raters=raters)
    width = len(answers.values)
    part = whole.patterns.argmax(axis=1) // width if len(whole.patterns) else whole.items
    return tuple(_part(whole, answers.values, part == k, k * width) for k in np.unique(part))


def _part(
    whole: AnswerPatterns, values: tuple[Any, ...], own: NDArray[np.bool_], first: int
) -> AnswerPatterns:
    """Those patterns alone whose answers have places from ``first`` on."""
    number = np.cumsum(own) - 1

    def kept(rows: NDArray[np.int64]) -> NDArray[np.int64]:
        rows = rows[own[rows[:, 1]]]
        rows[:, 1] = number[rows[:, 1]]
        rows[:, 2:3] -= first
        return rows

    return replace(
        whole,
        values=values,
        patterns=whole.patterns[own, first : first + len(values)],
        signature=kept(whole.signature),
        raters=kept(whole.raters),
        cells=kept(whole.cells),
    )


def _patterns(responses: Responses, answers: AnswerRows, *, raters: bool) -> AnswerPatterns:
    if not answers.values:
        none = np.zeros((0, 4), dtype=np.int64)
        return AnswerPatterns(
            values=(),
            patterns=none[:, :0],
            signature=none[:, :2],
            items=none[:, 0],
            raters=none,
            cells=none,
            n_raters=0 if responses.has_rater else None,
        )
    units = _units(responses, answers)
    signature, items, most = signatures(
        units.unit, units.pattern, len(units.patterns), answers.per_item
    )
    own, cells = np.zeros((0, 4), dtype=np.int64), np.zeros((0, 4), dtype=np.int64)
    n_raters: int | None = None
    if responses.has_rater and raters:
        own = _own_answers(responses, answers, units)
        # With one unit an item, a rater's answers to an item are a single one.
        cells = alone(own) if most == 1 else _cells(responses, answers, units)
        n_raters = len(np.unique(own[:, 0], return_counts=True)[0])
    elif responses.has_rater:
        sql = f"SELECT count(DISTINCT r) FROM {answers.rows}"
        ((n_raters,),) = responses.connection.execute(sql).fetchall()
    return AnswerPatterns(
        values=answers.values,
        patterns=units.patterns,
        signature=signature,
        items=items,
        raters=own,
        cells=cells,
        n_raters=n_raters,
        n_grouped=answers.n_grouped,
    )


@dataclass(frozen=True, slots=True)
class _Units:
    """The units with the number of their pattern."""

    unit: NDArray[np.int64]
    pattern: NDArray[np.int64]
    patterns: NDArray[np.int64]
    """Patterns × values: how often the value was given."""
    keys: dict[Any, int]
    """The number of each pattern as the database's table ``units`` (u, pattern) writes it."""


def _units(responses: Responses, answers: AnswerRows) -> _Units:
    """The pattern of every unit.

    Counts that fit side by side into one integer are added up as such; otherwise the sorted list of
    a unit's values is the pattern. Patterns are numbered in the order of those lists either way.
    """
    query = responses.connection.execute
    n_values = answers.n_places
    bits = _bits(responses, answers, n_values)
    where = answers.place()
    pattern = f"list_sort(list({where}))"
    if bits * n_values < BITS:
        pattern = f"CAST(sum(CAST(1 AS BIGINT) << ({bits} * {where})) AS BIGINT)"
    query(
        f"CREATE OR REPLACE TEMP TABLE units AS SELECT u, {pattern} AS pattern "
        f"FROM {answers.rows} GROUP BY u"
    )
    found = [row[0] for row in query("SELECT DISTINCT pattern FROM units").fetchall()]
    counts = {}
    for each in found:
        if isinstance(each, int):
            count = tuple(each >> bits * v & (1 << bits) - 1 for v in range(n_values))
        else:
            count = tuple(np.bincount(each, minlength=n_values).tolist())
        counts[count] = tuple(each) if isinstance(each, list) else each
    # Of two sorted lists the one with more of the first value comes first, unless it ends there.
    order = sorted(counts, key=lambda count: [v for v, n in enumerate(count) for _ in range(n)])
    keys: dict[Any, int] = {counts[count]: number for number, count in enumerate(order)}
    patterns = np.array(order, dtype=np.int64).reshape(len(order), n_values)
    if bits * n_values >= BITS:
        keys = _replace_lists(responses, keys)
    columns = query("SELECT u, pattern FROM units").fetchnumpy()
    known = np.array(sorted(keys), dtype=np.int64)
    number = np.array([keys[int(key)] for key in known], dtype=np.int64)
    place = np.searchsorted(known, np.asarray(columns["pattern"], dtype=np.int64))
    return _Units(np.asarray(columns["u"], dtype=np.int64), number[place], patterns, keys)


def _bits(responses: Responses, answers: AnswerRows, n_values: int) -> int:
    """How many bits hold the most answers that a unit has."""
    query = responses.connection.execute
    # A unit has at most as many answers as there are raters; often that is close enough.
    ((most,),) = query(f"SELECT count(DISTINCT r) FROM {answers.rows}").fetchall()
    bits = int(most).bit_length()
    if bits * n_values >= BITS:
        ((most,),) = query(
            f"SELECT max(n) FROM (SELECT count(*) AS n FROM {answers.rows} GROUP BY u)"
        ).fetchall()
        bits = int(most).bit_length()
    return bits


def _replace_lists(responses: Responses, keys: dict[Any, int]) -> dict[Any, int]:
    """Write in ``units`` the number of a pattern instead of its list."""
    query = responses.connection.execute
    query(
        "CREATE OR REPLACE TEMP TABLE pattern_numbers AS SELECT unnest(?) AS pattern, "
        "unnest(?) AS p",
        [[list(key) for key in keys], list(keys.values())],
    )
    query(
        "CREATE OR REPLACE TEMP TABLE units AS SELECT u, CAST(p AS BIGINT) AS pattern "
        "FROM units JOIN pattern_numbers USING (pattern)"
    )
    return {number: number for number in keys.values()}


def signatures(
    unit: NDArray[np.int64], pattern: NDArray[np.int64], n_patterns: int, per_item: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Which patterns the units of an item have, how many items have those, and the most units.

    An item's patterns, in order, are the digits of a number; where that grows too large, every item
    stands for itself, which is as right and only slower.
    """
    if per_item == 1:
        kinds = np.arange(n_patterns)
        return np.column_stack([kinds, kinds]), np.bincount(pattern, minlength=n_patterns), 1
    base = n_patterns + 1
    ordered = np.sort(unit // per_item * base + pattern)
    item, pattern = ordered // base, ordered % base
    starts = np.flatnonzero(np.diff(item, prepend=-1))
    sizes = np.diff(starts, append=len(item))
    most = int(sizes.max())
    first, times = np.arange(len(starts)), np.ones(len(starts), dtype=np.int64)
    if base**most < SIGNATURE:
        place = np.arange(len(item)) - np.repeat(starts, sizes)
        digits = (pattern + 1) * np.asarray(base, dtype=np.int64) ** place
        _, first, times = np.unique(
            np.add.reduceat(digits, starts), return_index=True, return_counts=True
        )
    rows = np.repeat(starts[first], sizes[first])
    within = np.arange(len(rows)) - np.repeat(np.cumsum(sizes[first]) - sizes[first], sizes[first])
    number = np.repeat(np.arange(len(first)), sizes[first])
    return np.column_stack([number, pattern[rows + within]]), times, most


def _own_answers(responses: Responses, answers: AnswerRows, units: _Units) -> NDArray[np.int64]:
    """Rows of (rater, pattern, value, count)."""
    place = answers.place()
    found = responses.connection.execute(
        f"SELECT r, pattern, {place} AS v, count(*) AS n FROM {answers.rows} a "
        "JOIN units USING (u) GROUP BY ALL"
    ).fetchnumpy()
    number = [units.keys[int(key)] for key in found["pattern"]]
    rows = np.column_stack([found["r"], number, found["v"], found["n"]]).astype(np.int64)
    rows[:, 0] = np.unique(rows[:, 0], return_inverse=True)[1]
    return np.asarray(rows[np.lexsort(rows[:, 2::-1].T)])


def alone(own: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cells of a single answer each: the raters' answers, whoever gave them."""
    kinds, kind = np.unique(own[:, 1:3], axis=0, return_inverse=True)
    times = np.bincount(kind.ravel(), own[:, 3]).astype(np.int64)
    return np.column_stack([np.full(len(kinds), -1), kinds, times])


def _cells(responses: Responses, answers: AnswerRows, units: _Units) -> NDArray[np.int64]:
    """Rows of (cell, pattern, value, count), the cells of a single answer under −1."""
    query = responses.connection.execute
    # A cell c is an item with a rater; one integer is grouped by faster than two.
    query(
        f"CREATE OR REPLACE TEMP TABLE own AS SELECT u // {answers.per_item} << 32 | r AS c, "
        f"pattern, {answers.place()} AS v FROM {answers.rows} a JOIN units USING (u)"
    )
    ((all_alone,),) = query(
        "SELECT (SELECT count(*) FROM own) = (SELECT count(*) FROM (SELECT DISTINCT c FROM own))"
    ).fetchall()
    several = "true" if not all_alone else "false"
    if not all_alone:
        query(
            "CREATE OR REPLACE TEMP TABLE cells AS SELECT c FROM own GROUP BY c HAVING count(*) > 1"
        )
        several = "c IN (SELECT c FROM cells)"
    parts = []
    for cell, which in (("-1", f"NOT ({several})"), ("c", several)):
        found = query(
            f"SELECT {cell} AS c, pattern, v, count(*) AS n FROM own WHERE {which} GROUP BY ALL"
        ).fetchnumpy()
        number = [units.keys[int(key)] for key in found["pattern"]]
        columns = [found["c"], np.array(number, dtype=np.int64), found["v"], found["n"]]
        rows = np.column_stack(columns).astype(np.int64)
        rows = rows[np.lexsort(rows[:, 2::-1].T)]
        if cell == "c" and len(rows):
            rows[:, 0] = np.unique(rows[:, 0], return_inverse=True)[1]
        parts.append(rows)
    return np.concatenate(parts)
