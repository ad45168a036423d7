"""Numbers that often stand for "no answer" and lie apart from all other scores."""

from __future__ import annotations

from jurybox.tally.responses import Responses

__all__ = ["CODES", "missing_codes"]

CODES = (-999, -99, -9, -1, 99, 999)


def missing_codes(part: Responses) -> tuple[tuple[int, int], ...]:
    """The codes among one criterion's scores that lie outside the range of the others, with counts.

    A negative code lies outside where no other score is negative (−1, 0, 1 may be a scale), a
    positive one where it is farther above the others than they reach.
    """
    listed = ", ".join(map(str, CODES))
    ((low, high),) = part.query(
        f"SELECT min(score), max(score) FROM {{r}} WHERE score NOT IN ({listed})"
    )
    if low is None or low == high:
        return ()
    counts = part.query(
        f"SELECT CAST(score AS INTEGER) AS code, count(*) FROM {{r}} WHERE score IN ({listed}) "
        "GROUP BY code ORDER BY code"
    )
    return tuple(
        (code, int(n))
        for code, n in counts
        if (code < 0 <= low and (code < -1 or high > 1)) or (code > 0 and code - high > high - low)
    )
