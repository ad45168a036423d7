"""Responses by rater group: who is in which, and the rows of figures and differences by group.

A figure is rows ``(k, item, rater, rid, u, w)`` as ``ratios`` reduces them. The group is the
rater's, so it is joined to them by the rater, whatever the figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.answers import answer_rows
from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = [
    "Counts",
    "Grouped",
    "answers_of_groups",
    "difference_rows",
    "group_rows",
    "grouped",
    "keys_of",
    "of_group",
    "split",
]

APART = "\x1f"
"""Stands between the parts of a ratio's name; no name of a table contains it."""
MEMBERS = "(SELECT DISTINCT rater, rater_group FROM {r} WHERE rater_group IS NOT NULL)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped:
    """The groups with how many raters each has."""

    raters: dict[str, int]
    n_without: int
    """Raters without a group."""
    n_several: int
    """Raters in more than one group: then it is no group of raters."""

    @property
    def names(self) -> tuple[str, ...]:
        """The groups by name."""
        return tuple(sorted(self.raters))


def grouped(responses: Responses) -> Grouped | None:
    """The rater groups; ``None`` where responses name no rater or no group."""
    if "rater_group" not in responses.columns or not responses.has_rater:
        return None
    each = "SELECT rater, count(DISTINCT rater_group) AS n FROM {r} GROUP BY rater"
    without, several = responses.query(
        f"SELECT count(*) FILTER (n = 0), count(*) FILTER (n > 1) FROM ({each})"
    )[0]
    found = responses.query(
        f"SELECT rater_group, count(*) FROM {MEMBERS} GROUP BY rater_group ORDER BY 1"
    )
    if not found:
        return None
    raters = {str(group): int(n) for group, n in found}
    return Grouped(raters=raters, n_without=int(without), n_several=int(several))


def of_group(responses: Responses, group: str) -> Responses:
    """The responses of one group's raters."""
    return responses.where(f"rater_group = {text(group)}")


def group_rows(rows: str) -> str:
    """The rows of a figure, apart for each group: k is the figure's name and the group."""
    return (
        f"SELECT CAST(q.k AS VARCHAR) || {text(APART)} || g.rater_group AS k, q.item, q.rater, "
        f"q.rid, q.u, q.w FROM ({rows}) q JOIN {MEMBERS} g ON q.rater = g.rater"
    )


def keys_of(responses: Responses, rows: str) -> list[str]:
    """What the figure is about in any group: the keys of its ratios."""
    found = responses.query(f"SELECT DISTINCT k FROM ({group_rows(rows)}) ORDER BY k")
    return list(dict.fromkeys(key for key, _ in split([str(row[0]) for row in found])))


def difference_rows(rows: str, one: str, two: str) -> str:
    """The rows of a figure's mean over the items that both groups have, for either group."""
    return (
        f"WITH q AS (SELECT CAST(q.k AS VARCHAR) AS key, q.item, q.rater, q.rid, q.u / q.w AS y, "
        f"g.rater_group AS g FROM ({rows}) q JOIN {MEMBERS} g ON q.rater = g.rater "
        f"WHERE g.rater_group IN ({text(one)}, {text(two)})), "
        "n AS (SELECT key, item, g, count(*) AS n FROM q GROUP BY key, item, g), "
        "shared AS (SELECT key, item FROM n GROUP BY key, item HAVING count(*) = 2) "
        f"SELECT q.key || {text(APART)} || q.g AS k, q.item, q.rater, q.rid, q.y / n.n AS u, "
        "1.0 / n.n AS w FROM q JOIN shared s ON q.key = s.key AND q.item = s.item "
        "JOIN n ON q.key = n.key AND q.item = n.item AND q.g = n.g"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Units × values: how often each of two groups gave each value, of units that both answered."""

    values: tuple[Any, ...]
    one: NDArray[np.float64]
    two: NDArray[np.float64]
    item: NDArray[np.int64]
    n_raters: int


def answers_of_groups(responses: Responses, one: str, two: str) -> Counts:
    """The answers of two groups to the units that both answered."""
    part = responses.where(f"rater_group IN ({text(one)}, {text(two)})")
    answers = answer_rows(part, grouped=True)
    if not answers.values:
        empty = np.zeros((0, 0))
        return Counts((), empty, empty, np.zeros(0, dtype=np.int64), 0)
    number = responses.number("rater")
    members = (
        f"(SELECT DISTINCT CAST({number} AS BIGINT) AS r, rater_group = {text(one)} AS first "
        f"FROM {part.source})"
    )
    found = part.connection.execute(
        f"SELECT u, r, {answers.place()} AS v, first FROM {answers.rows} JOIN {members} USING (r)"
    ).fetchnumpy()
    unit, at = np.unique(np.asarray(found["u"], dtype=np.int64), return_inverse=True)
    value = np.asarray(found["v"], dtype=np.int64)
    first = np.asarray(found["first"], dtype=np.bool_)
    size = len(answers.values)
    counts = [
        np.bincount(at[side] * size + value[side], minlength=len(unit) * size).reshape(-1, size)
        for side in (first, ~first)
    ]
    both = (counts[0].sum(axis=1) > 0) & (counts[1].sum(axis=1) > 0)
    told = both[at]
    return Counts(
        values=answers.values,
        one=counts[0][both].astype(np.float64),
        two=counts[1][both].astype(np.float64),
        item=unit[both] // answers.per_item,
        n_raters=len(np.unique(np.asarray(found["r"])[told])),
    )


def split(names: Sequence[str]) -> list[tuple[str, str]]:
    """The figure's name and the group of every ratio."""
    parts = [name.split(APART) for name in names]
    return [(key, group) for key, group in parts]
