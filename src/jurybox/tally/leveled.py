"""Scores that only rounding tells apart become one, before anything is counted.

A table of sums or means holds 0.1 + 0.2 beside 0.3. Left as they are, the two would be two levels
of a scale, break a tie, and give a difference of nothing a standard error of nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["distinct_starts", "level", "level_scores"]

Array = NDArray[np.float64]


def level_scores(connection: DuckDBPyConnection, number: str, of: str) -> bool:
    """Make the table ``leveled``: of a criterion ``of`` the scores x that are meant as y, a word.

    ``number`` and ``of`` are SQL over ``raw``. Gives whether there is any such score: most tables
    have none, and then no row needs to look one up.
    """
    found = connection.execute(
        f"SELECT DISTINCT {of} AS of, {number} AS x FROM raw WHERE isfinite({number}) ORDER BY ALL"
    ).fetchnumpy()
    criteria, x = np.asarray(found["of"], dtype=str), np.asarray(found["x"], dtype=np.float64)
    starts = np.flatnonzero(np.append(True, criteria[1:] != criteria[:-1])[: len(x)])
    meant = [level(part) for part in np.split(x, starts[1:])]
    y = np.concatenate([np.zeros(0), *meant])
    moved = y != x
    if moved.any():
        rows: list[list[Any]] = [each[moved].tolist() for each in (criteria, x, y)]
        words = [repr(value).removesuffix(".0") for value in rows[-1]]
        connection.execute(
            "CREATE TEMP TABLE leveled AS SELECT unnest(?) AS of, unnest(?) AS x, "
            "unnest(?) AS y, unnest(?) AS word",
            [*rows, words],
        )
    return bool(moved.any())


def level(values: Array) -> Array:
    """Numbers in order, with those that differ by rounding noise made equal.

    Of 0.3 and 0.30000000000000004 the first is meant: the number between them, both included, that
    is written shortest.

    >>> level(np.array([0.0, 5e-17, 0.3, 0.1 + 0.2])).tolist()
    [0.0, 0.0, 0.3, 0.3]
    """
    starts = distinct_starts(values)
    if len(starts) == len(values):
        return values
    made, ends = values.copy(), np.append(starts[1:], len(values))
    several = ends - starts > 1
    for a, b in zip(starts[several].tolist(), ends[several].tolist(), strict=True):
        group = values[a:b].tolist()
        rounded = float(f"{group[0]:.13g}")
        meant = [*group, *([rounded] if group[0] <= rounded <= group[-1] else [])]
        made[a:b] = min(meant, key=lambda x: (len(repr(x)), abs(x)))
    return made


def distinct_starts(values: Array) -> NDArray[np.intp]:
    """Where, among numbers in order, one differs from the last by more than rounding noise.

    Noise is a trillionth of a number, or a few units in the last place of the largest one.
    """
    size = np.abs(values)
    noise = 1e-12 * np.maximum(size[1:], size[:-1]) + 4e-16 * size.max(initial=0.0)
    apart = np.flatnonzero(np.diff(values) > noise)
    return np.append(0, 1 + apart) if len(values) else apart
