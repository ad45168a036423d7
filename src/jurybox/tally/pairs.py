"""Pairs of systems among rows ``(k, item, rater, rid, u, w)`` whose k is a pair's number."""

from __future__ import annotations

from collections.abc import Collection

from jurybox.tally.ratios import between
from jurybox.tally.responses import Responses

__all__ = ["only_pairs", "pairs_in"]


def pairs_in(responses: Responses, rows: str) -> dict[int, tuple[str, str]]:
    """The numbers of the pairs in the rows, ascending, each with the names of its systems."""
    found = responses.query(f"SELECT DISTINCT k FROM ({rows}) ORDER BY k")
    numbers = [row[0] for row in found]
    return dict(zip(numbers, between(responses, numbers), strict=True))


def only_pairs(rows: str, pairs: Collection[int]) -> str:
    """The rows of these pairs."""
    return f"SELECT * FROM ({rows}) WHERE k IN ({', '.join(str(pair) for pair in pairs)})"
