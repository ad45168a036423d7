"""The cheapest study that finds a difference, and the smallest difference that a budget finds.

A closed form finds the best size of every overlap; simulation moves each to where it reaches the
power, since the closed form is wrong by another factor for each. A few studies say about where;
the best size of all is looked at with as many as were asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from jurybox.errors import DesignError, OptionError
from jurybox.simulate.looking import STEP, Looking, Search, Way
from jurybox.simulate.scenario import Scenario
from jurybox.simulate.sizes import (
    MOST_ITEMS,
    RATERS,
    Limits,
    Sized,
    Work,
    best_of_each,
    by_formula,
    formula_effect,
    largest,
    sized,
    with_effect,
)
from jurybox.stats.power.crossed import Crossed

__all__ = ["Found", "cheapest", "smallest"]

CURVE = (0.5, 0.75, 1.0, 1.5, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The recommended size, the best of every overlap, and the power of smaller and larger ones."""

    best: Sized
    rows: tuple[Sized, ...]
    curve: tuple[Sized, ...]


def cheapest(scenario: Scenario, work: Work, how: Search | None = None) -> Found:
    """The cheapest size that finds the scenario's difference with the target power."""
    how = how or Search()
    target, limits = how.target, how.limits
    if scenario.effect == 0:
        raise OptionError("a difference of 0 cannot be detected; name the one that would matter")
    by_overlap = by_formula(scenario, work, target, limits)
    if not by_overlap:
        raise DesignError(_why_none(scenario, work, target, limits))

    def way(row: Sized) -> Way:
        own = replace(limits, overlap=row.size.overlap)

        def at(step: int) -> tuple[Scenario, Crossed] | None:
            # The closed form is asked for a smaller difference, so that it weighs raters against
            # items anew: more items alone may cost much and find little.
            asked = with_effect(scenario, scenario.effect / STEP**step)
            found = by_formula(asked, work, target, own)
            if not found and step > 0:
                return None
            return scenario, found[0].size if found else row.size

        return Way(at)

    look = Looking(scenario, work, how)
    best, rows = look.best_of([way(row) for row in by_overlap], key=_hours)
    if best is None:
        raise DesignError(_why_none(scenario, work, target, limits))
    sizes = [_times(best.size, times) for times in CURVE if times != 1]
    curve = sorted([best, *(look.roughly(scenario, size) for size in sizes)], key=_items)
    return Found(best=best, rows=rows, curve=tuple(curve))


def smallest(scenario: Scenario, work: Work, how: Search | None = None, *, hours: float) -> Found:
    """The smallest difference that so many hours of rating find with the target power.

    The scenario's own effect only gives the direction.
    """
    how = how or Search()
    sizes = largest(scenario, work, how.limits, hours=hours)
    if not sizes:
        raise DesignError(
            f"{_in_hours(hours)} do not pay for a study: two raters with a start of "
            f"{work.minutes:g} minutes, or two items, are already more, or a session of "
            f"{work.session:g} minutes is too short; take more hours, or more raters."
        )
    by_overlap = _seeing(scenario, work, how.target, sizes)

    def way(row: Sized) -> Way:
        def at(step: int) -> tuple[Scenario, Crossed] | None:
            seen = with_effect(scenario, row.effect * STEP**step)
            # Where differences end, the last one is tried, and none beyond.
            ended = step > 0 and seen == with_effect(scenario, row.effect * STEP ** (step - 1))
            return None if ended else (seen, row.size)

        return Way(at)

    look = Looking(scenario, work, how)
    best, rows = look.best_of([way(row) for row in by_overlap], key=_effect)
    if best is None:
        # Not even the largest difference there is would be found: it is shown with its power.
        best = max(rows, key=_power)
        rows = (best,)
    effects = {with_effect(scenario, best.effect * times).effect for times in CURVE}
    others = sorted(effects - {best.effect})
    curve = [look.roughly(with_effect(scenario, each), best.size) for each in others]
    return Found(best=best, rows=rows, curve=tuple(sorted([best, *curve], key=_effect)))


def _hours(row: Sized) -> float:
    return row.hours


def _effect(row: Sized) -> float:
    return abs(row.effect)


def _power(row: Sized) -> float:
    return 0.0 if row.power is None else row.power.estimate


def _items(row: Sized) -> int:
    return row.size.items


def _times(size: Crossed, factor: float) -> Crossed:
    return replace(size, items=max(2, math.ceil(size.items * factor)))


def _seeing(scenario: Scenario, work: Work, target: float, sizes: list[Crossed]) -> list[Sized]:
    """Of every overlap the size that sees the smallest difference by the closed form."""
    made = [
        sized(with_effect(scenario, formula_effect(scenario, size, target)), work, size)
        for size in sizes
    ]
    return best_of_each(made, key=_effect)


def _in_hours(hours: float) -> str:
    """Hours with enough digits not to be none."""
    return f"{hours:.1f} hours" if hours >= 0.1 else f"{hours:.2g} hours"


def _why_none(scenario: Scenario, work: Work, target: float, limits: Limits) -> str:
    if limits.raters is None and work.seconds / 60 > work.session - work.minutes:
        return (
            f"A trial of {work.seconds:,.0f} seconds does not fit into a session of "
            f"{work.session:g} minutes, of which {work.minutes:g} pass before the first; allow "
            "longer sessions (session.minutes), or give the seconds that a trial takes."
        )
    said = f"No size finds a difference of {abs(scenario.effect):g} with a power of {target:g}"
    most = MOST_ITEMS if limits.items is None else limits.items
    said += f" on up to {most:,} items"
    if limits.raters is not None:
        within, ways = f" with {limits.raters} raters", "take more raters or a larger difference"
    else:
        within = f", up to {RATERS[-1]} raters and sessions of {work.session:g} minutes"
        more = "" if limits.items is None else " add items,"
        ways = f"look for a larger difference,{more} or allow longer sessions"
    sizes = largest(scenario, work, limits, hours=math.inf)
    if not sizes:
        return f"{said}{within}; {ways}."
    seen = abs(_seeing(scenario, work, target, sizes)[0].effect)
    return f"{said}{within}: the smallest that the largest sees is about {seen:.2g}; {ways}."
