"""The same comparison seen from the other side."""

from __future__ import annotations

from dataclasses import replace

from jurybox.results import Interval
from jurybox.stats.means import Difference
from jurybox.stats.shares import Share

__all__ = ["mirror", "turn", "turn_share"]


def turn(row: Difference) -> Difference:
    """The same comparison seen from the other system."""
    return replace(
        row,
        estimate=None if row.estimate is None else -row.estimate,
        interval=mirror(row.interval),
        these_raters=mirror(row.these_raters),
        t=None if row.t is None else -row.t,
        system=row.other,
        other=row.system,
    )


def turn_share(row: Share) -> Share:
    """The same pair seen from the other system: 1 − the share."""
    return replace(
        row,
        estimate=None if row.estimate is None else 1 - row.estimate,
        interval=mirror(row.interval, 0.5),
        these_raters=mirror(row.these_raters, 0.5),
        simultaneous=mirror(row.simultaneous, 0.5),
        system=row.other,
        other=row.system,
    )


def mirror(interval: Interval | None, about: float = 0.0) -> Interval | None:
    """The interval reflected about a value."""
    if interval is None:
        return None
    return replace(interval, low=2 * about - interval.high, high=2 * about - interval.low)
