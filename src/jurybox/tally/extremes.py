"""The items on which each system does best and worst, of any figure that is a ratio of sums."""

from __future__ import annotations

from dataclasses import dataclass

from jurybox.tally.responses import Responses

__all__ = ["Extreme", "extremes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extreme:
    """One system's figure on one item."""

    system: str
    item: str
    value: float
    n: int
    """How many responses it rests on."""
    is_high: bool


def extremes(responses: Responses, rows: str, *, most: int) -> list[Extreme]:
    """Each system's highest items, then its lowest, of rows ``(k, item, rater, rid, u, w)``.

    Of equal figures the one with more responses counts as higher, then the item's name decides. No
    item is at both ends, so a system with fewer than 2 × ``most`` items has fewer at each, none at
    the upper end is as low as the lowest, nor the other way round, and a system whose items are all
    alike has none.
    """
    found = responses.query(
        "WITH v AS (SELECT CAST(k AS VARCHAR) AS k, CAST(item AS VARCHAR) AS item, "
        f"sum(u) / sum(w) AS value, count(*) AS n FROM ({rows}) GROUP BY k, item), "
        "p AS (SELECT *, row_number() OVER (PARTITION BY k ORDER BY value DESC, n DESC, item) "
        "AS high, count(*) OVER (PARTITION BY k) AS items, "
        "max(value) OVER (PARTITION BY k) AS highest, "
        "min(value) OVER (PARTITION BY k) AS lowest FROM v) "
        "SELECT k, item, value, n, high <= items // 2 FROM p "
        "WHERE CASE WHEN high <= items // 2 THEN value > lowest ELSE value < highest END "
        f"AND least(high, items + 1 - high) <= least({most}, items // 2) "
        "ORDER BY k, high <= items // 2 DESC, least(high, items + 1 - high)"
    )
    return [
        Extreme(system=k, item=item, value=float(value), n=n, is_high=is_high)
        for k, item, value, n, is_high in found
    ]
