"""Patterns of answers made of the cells of a file, without a number for every item and rater.

Where only resampled items are asked for, it does not matter which item is which and who its raters
are, only that two cells are the same. So the cells of a large file are grouped as they stand, which
is much cheaper than to look each of them up. This holds for ratings with one output per item, where
every row counts and has its score and clean names, and where no rater has an item twice. All else
is left to the reading of single rows, which can also say what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.answers import AnswerRows
from jurybox.tally.dictionaries import WHOLE, Names
from jurybox.tally.encode import Encoded
from jurybox.tally.keep import LARGEST
from jurybox.tally.leveled import distinct_starts
from jurybox.tally.numbered_patterns import number_patterns
from jurybox.tally.patterns import AnswerPatterns
from jurybox.tally.responses import Responses
from jurybox.tally.source import quote

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from jurybox.tally.shapes import Shape

__all__ = ["read_patterns"]

Numbers = NDArray[np.int64]
COLUMNS = {"item", "rater", "system", "criterion", "score"}
BITS = 52
"""Of a double, for the counts of a pattern side by side; doubles are added up faster than integers.
"""
FEWEST_BITS = 3
"""For one count: fewer would seldom be enough."""
CODE = "CAST(hash({}) >> 33 AS INTEGER)"
"""By which raters are told apart, in SQL; that two share a number is unlikely, but may be."""
TOLD = 3
"""Raters of an item that the least, the largest and the XOR of their numbers tell apart."""
SAME = "low = high OR xor(mixed, xor(low, high)) IN (low, high)"
"""Whether two of two or three raters may be the same, in SQL."""


def read_patterns(
    connection: DuckDBPyConnection,
    shape: Shape,
    columns: Mapping[str, tuple[str, str]],
    n_rows: int,
) -> Responses | None:
    """Responses that have their patterns, without the raters' own answers, and no rows.

    ``columns`` gives the name and the type of each column of ``raw`` that matters. ``None`` where
    single rows must be looked at.
    """
    if not {"item", "score"} <= columns.keys() <= COLUMNS:
        return None
    cells = {column: quote(name) for column, (name, _) in columns.items()}
    criterion = shape.criterion
    for column in {"criterion", "system"} & columns.keys():
        name = _only_name(connection, cells[column], columns[column][1])
        if name is None:
            return None
        criterion = name if column == "criterion" else criterion
    n_raters = None
    if "rater" in columns:
        n_raters = _count_names(connection, cells["rater"], columns["rater"][1])
        if n_raters is None:
            return None
    values = _values(connection, cells["score"], columns["score"][1])
    is_clean = _is_clean(cells["item"], columns["item"][1])
    if not values or is_clean is None:
        return None
    made = _patterns(connection, cells, values, is_clean, n_rows)
    if made is None:
        return None
    patterns, items = made
    kinds, none = np.arange(len(patterns)), np.zeros((0, 4), dtype=np.int64)
    return Responses(
        connection=connection,
        shape=shape,
        columns=frozenset(columns),
        took=(),
        once=True,
        is_lean=True,
        encoded=Encoded(names={"criterion": Names(1, False, (criterion,))}),
        patterns=AnswerPatterns(
            values=values,
            patterns=patterns,
            signature=np.column_stack([kinds, kinds]),
            items=items,
            raters=none,
            cells=none,
            n_raters=n_raters,
        ),
    )


def _is_clean(cell: str, kind: str) -> str | None:
    """Whether a cell is its own name, in SQL; ``None`` where cells of the type are not grouped."""
    if kind in WHOLE:
        return f"{cell} IS NOT NULL"
    if kind != "VARCHAR":
        return None
    # Of single bytes only the space is trimmed, and to look for one is cheaper than to trim.
    may_be_trimmed = f"strlen({cell}) > length({cell}) OR contains({cell}, ' ')"
    is_same = f"CASE WHEN {may_be_trimmed} THEN trim({cell}) = {cell} ELSE {cell} <> '' END"
    return f"coalesce({is_same}, false)"


def _only_name(connection: DuckDBPyConnection, cell: str, kind: str) -> str | None:
    """The name that every cell of a column is, if there is one."""
    is_clean = _is_clean("low", kind)
    if is_clean is None:
        return None
    ((name, is_only),) = connection.execute(
        f"SELECT CAST(low AS VARCHAR), n = known AND low = high AND {is_clean} FROM (SELECT "
        f"count(*) AS n, count({cell}) AS known, min({cell}) AS low, max({cell}) AS high FROM raw)"
    ).fetchall()
    return str(name) if is_only else None


def _count_names(connection: DuckDBPyConnection, cell: str, kind: str) -> int | None:
    """How many names a column has; ``None`` where a cell is not its own name."""
    is_clean = _is_clean("name", kind)
    if is_clean is None:
        return None
    ((n, are_clean),) = connection.execute(
        f"SELECT count(*), bool_and({is_clean}) FROM (SELECT DISTINCT {cell} AS name FROM raw)"
    ).fetchall()
    return int(n) if are_clean else None


def _values(connection: DuckDBPyConnection, cell: str, kind: str) -> tuple[float, ...]:
    """The distinct scores in order; none where some are no numbers, too many or too close."""
    if kind != "DOUBLE" and kind not in WHOLE:
        return ()
    most = BITS // FEWEST_BITS
    rows = connection.execute(f"SELECT DISTINCT {cell} FROM raw LIMIT {most + 1}").fetchall()
    found = [math.nan if row[0] is None else float(row[0]) for row in rows]
    if len(found) > most or not all(abs(each) <= LARGEST for each in found):
        return ()
    values = tuple(sorted(found))
    return values if len(distinct_starts(np.array(values))) == len(values) else ()


def _patterns(
    connection: DuckDBPyConnection,
    cells: Mapping[str, str],
    values: tuple[float, ...],
    is_clean: str,
    n_rows: int,
) -> tuple[Numbers, Numbers] | None:
    """The patterns, and how many items have each; ``is_clean``: of the cell of an item, in SQL."""
    bits = BITS // len(values)
    place = AnswerRows("", values, 1).place(f"CAST({cells['score']} AS DOUBLE)")
    one = f"CAST(CAST(1 AS BIGINT) << {bits} * {place} AS DOUBLE)"
    parts = [cells["item"], f"sum({one}) AS pattern"]
    same = "0"
    if "rater" in cells:
        code = CODE.format(cells["rater"])
        parts += [f"min({code}) AS low", f"max({code}) AS high", f"bit_xor({code}) AS mixed"]
        same = f"count(*) FILTER ({SAME})"
    found = connection.execute(
        f"SELECT pattern, count(*), {same}, bool_and({is_clean}) FROM "
        f"(SELECT {', '.join(parts)} FROM raw GROUP BY {cells['item']}) GROUP BY pattern"
    ).fetchall()
    largest = max(int(row[0]) for row in found)
    if largest >> bits * len(values) or not all(row[3] for row in found):
        return None
    keys, times, alike = (np.array([row[k] for row in found], dtype=np.int64) for k in range(3))
    patterns, number = number_patterns(keys, bits, len(values))
    sizes = patterns.sum(axis=1)[number]
    # A count that outgrows its bits goes into the next, and they no longer add up.
    if int(times @ sizes) != n_rows:
        return None
    is_unsure = (sizes > 1) & (alike > 0) | (sizes > TOLD)
    if "rater" in cells and is_unsure.any() and not _differ(connection, cells, n_rows):
        return None
    return patterns, times[np.argsort(number)]


def _differ(connection: DuckDBPyConnection, cells: Mapping[str, str], n_rows: int) -> bool:
    """Whether it is certain that no rater has an item twice."""
    key = f"hash({cells['item']}, {cells['rater']})"
    ((n,),) = connection.execute(
        f"SELECT count(*) FROM (SELECT DISTINCT {key} FROM raw)"
    ).fetchall()
    return int(n) == n_rows
