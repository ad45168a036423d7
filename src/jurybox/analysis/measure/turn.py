"""The same comparison seen from the other side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jurybox.results import Interval
    from jurybox.stats.differences import Difference
    from jurybox.stats.equivalence import Equivalence
    from jurybox.stats.rank_tests import RankTest
    from jurybox.stats.shares import Share

__all__ = ["mirror", "turn", "turn_share"]


def turn(row: Difference) -> Difference:
    """The same comparison seen from the other system."""
    return replace(
        row,
        estimate=_minus(row.estimate),
        interval=mirror(row.interval),
        these_raters=mirror(row.these_raters),
        simultaneous=mirror(row.simultaneous),
        t=_minus(row.t),
        system=row.other,
        other=row.system,
        tests=tuple(_turn_test(test) for test in row.tests),
        effects=tuple(
            replace(effect, estimate=_minus(effect.estimate), interval=mirror(effect.interval))
            for effect in row.effects
        ),
        equivalence=None if row.equivalence is None else _turn_equivalence(row.equivalence),
    )


def _minus(value: float | None) -> float | None:
    return None if value is None else -value


def _turn_test(test: RankTest) -> RankTest:
    if test.estimate is None:
        return test
    return replace(test, estimate=(test.most or 0.0) - test.estimate)


def _turn_equivalence(found: Equivalence) -> Equivalence:
    return replace(
        found,
        estimate=_minus(found.estimate),
        interval=mirror(found.interval),
        wider=mirror(found.wider),
        p_not_lower=found.p_not_higher,
        p_not_higher=found.p_not_lower,
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
