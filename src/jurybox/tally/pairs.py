"""Pairs of systems among rows ``(k, item, rater, rid, u, w)`` whose k is a pair's number.

Several parts, such as the criteria of a study, stand in one set of rows with the number of the part
above that of the pair.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from jurybox.tally.ratios import between
from jurybox.tally.responses import Responses

__all__ = ["only_pairs", "pairs_in", "stacked"]

PART = 56
"""The bits below the number of a part: two systems, of which there are fewer than 2²⁴."""


def stacked(parts: Sequence[Responses], rows: str) -> str:
    """The rows of all parts in one, each pair numbered apart in every part."""
    return " UNION ALL ".join(
        f"SELECT CAST({number} AS BIGINT) << {PART} | k AS k, item, rater, rid, u, w "
        f"FROM ({rows.replace('{r}', part.source)})"
        for number, part in enumerate(parts)
    )


def pairs_in(responses: Responses, rows: str) -> dict[int, tuple[int, tuple[str, str]]]:
    """The numbers of the pairs in the rows, ascending, each with its part and its two systems."""
    found = responses.query(f"SELECT DISTINCT k FROM ({rows}) ORDER BY k")
    numbers = [int(row[0]) for row in found]
    names = between(responses, [number & ((1 << PART) - 1) for number in numbers])
    return {k: (k >> PART, pair) for k, pair in zip(numbers, names, strict=True)}


def only_pairs(rows: str, pairs: Collection[int]) -> str:
    """The rows of these pairs."""
    return f"SELECT * FROM ({rows}) WHERE k IN ({', '.join(str(pair) for pair in pairs)})"
