"""What a size takes and what the closed form says it finds: where simulation begins to look."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from jurybox.errors import InputError, OptionError
from jurybox.simulate.power import Power
from jurybox.simulate.scenario import Scenario
from jurybox.stats.distributions import t_quantile, t_two_sided
from jurybox.stats.power.crossed import Crossed, difference_se

__all__ = [
    "MOST_ITEMS",
    "RATERS",
    "Limits",
    "Sized",
    "Work",
    "best_of_each",
    "by_formula",
    "critical",
    "formula_effect",
    "formula_power",
    "largest",
    "sized",
    "with_effect",
]

RATERS = (3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500)
OVERLAPS = (1, 2, 3, 5)
MOST_ITEMS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a trial and a rater take, and what an hour costs."""

    seconds: float
    """Per trial."""
    minutes: float = 5.0
    """Per rater, before the first trial: consent, guide and practice."""
    session: float = 40.0
    """The longest that a rater works, in minutes, the start included."""
    pay: float | None = None
    """Per hour."""

    def __post_init__(self) -> None:
        for name in ("seconds", "session"):
            if not getattr(self, name) > 0:
                raise OptionError(f"{name} must be above 0; got {getattr(self, name)}")
        if self.pay is not None and not self.pay > 0:
            raise OptionError(f"the pay per hour must be above 0; got {self.pay}")
        if not 0 <= self.minutes < self.session:
            raise InputError(
                f"a session of {self.session:g} minutes leaves nothing after {self.minutes:g} "
                "minutes of consent, guide and practice"
            )

    def hours(self, scenario: Scenario, size: Crossed) -> float:
        """All raters together."""
        slots = scenario.trials(size.items) * size.overlap
        return (slots * self.seconds + size.raters * self.minutes * 60) / 3600

    def fits(self, scenario: Scenario, size: Crossed) -> bool:
        """Whether nobody works longer than a session."""
        slots = math.ceil(scenario.trials(size.items) * size.overlap / size.raters)
        return slots * self.seconds / 60 + self.minutes <= self.session


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is fixed already; ``None`` where it is free."""

    overlap: int | None = None
    raters: int | None = None
    items: int | None = None
    """The most items that there are."""

    def designs(self) -> Iterator[tuple[int, int]]:
        """Raters and raters per output, of every design to look at."""
        for overlap in OVERLAPS if self.overlap is None else (self.overlap,):
            for raters in RATERS if self.raters is None else (self.raters,):
                if overlap <= raters and raters >= 2:
                    yield raters, overlap


@dataclass(frozen=True, slots=True, kw_only=True)
class Sized:
    """One size of the study: what it takes, and what it finds."""

    size: Crossed
    effect: float
    trials: int
    hours: float
    cost: float | None
    formula: float
    """The power by the closed form."""
    power: Power | None = None
    """By simulation."""


def formula_power(scenario: Scenario, size: Crossed) -> float:
    """The closed form: how far the t of the difference lies beyond its critical value.

    A family is counted by Bonferroni, and the degrees of freedom are those of the smaller kind.
    """
    df = max(1, size.df)
    beyond = abs(scenario.effect) / _se(scenario, size) - critical(scenario, size)
    tail = t_two_sided(beyond, df) / 2
    return 1 - tail if beyond > 0 else tail


def formula_effect(scenario: Scenario, size: Crossed, target: float) -> float:
    """The difference that a size finds with the target power by the closed form."""
    reach = critical(scenario, size) + _quantile(2 * target - 1, max(1, size.df))
    return math.copysign(reach * _se(scenario, size), scenario.effect)


def critical(scenario: Scenario, size: Crossed) -> float:
    """The t beyond which a difference is found."""
    alpha = (1 - scenario.confidence) / scenario.n_compared
    return _quantile(1 - alpha, max(1, size.df))


@lru_cache(maxsize=16_384)
def _quantile(confidence: float, df: int) -> float:
    """Kept, as hundreds of sizes are looked at again for every step of a search."""
    return t_quantile(confidence, df)


def _se(scenario: Scenario, size: Crossed) -> float:
    scatter = scenario.scatter
    if scenario.protocol == "detect":
        # Real and generated outputs are of different items, so what items do is not shared.
        own = math.hypot(scatter.item, scatter.item_system)
        scatter = replace(scatter, item=0.0, item_system=own)
    # Two systems meet on a part of the items only, where pairs are few or blocks are small.
    items = max(1, round(scenario.met(size.items)))
    return difference_se(items, size.raters, size.overlap, scatter)


def sized(scenario: Scenario, work: Work, size: Crossed) -> Sized:
    """A size with what it takes, and what the closed form says of it."""
    hours = work.hours(scenario, size)
    return Sized(
        size=size,
        effect=scenario.effect,
        trials=scenario.trials(size.items),
        hours=hours,
        cost=None if work.pay is None else hours * work.pay,
        formula=formula_power(scenario, size),
    )


def by_formula(scenario: Scenario, work: Work, target: float, limits: Limits) -> list[Sized]:
    """The cheapest size of every overlap with the target power by the closed form."""
    asked = (_smallest_items(scenario, work, target, limits, *each) for each in limits.designs())
    made = [sized(scenario, work, size) for size in asked if size is not None]
    return best_of_each(made, key=lambda row: row.hours)


def best_of_each(made: Sequence[Sized], key: Callable[[Sized], float]) -> list[Sized]:
    """The best size of every overlap, the best of all first; fewer raters where they are alike."""
    found: dict[int, Sized] = {}
    for row in sorted(made, key=lambda row: (round(key(row), 6), row.size.raters)):
        found.setdefault(row.size.overlap, row)
    return list(found.values())


def _smallest_items(
    scenario: Scenario, work: Work, target: float, limits: Limits, raters: int, overlap: int
) -> Crossed | None:
    """The fewest items with the target power by the closed form; ``None`` if none suffice."""

    def enough(items: int) -> bool:
        size = Crossed(items=items, raters=raters, overlap=overlap)
        return formula_power(scenario, size) >= target

    low, high = 1, MOST_ITEMS if limits.items is None else limits.items
    if high < 2 or not enough(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    size = Crossed(items=max(2, high), raters=raters, overlap=overlap)
    return size if limits.raters is not None or work.fits(scenario, size) else None


def largest(scenario: Scenario, work: Work, limits: Limits, *, hours: float) -> list[Crossed]:
    """Of every design the most items that so many hours pay for, and a session holds."""
    found = (_most_items(scenario, work, limits, hours, *each) for each in limits.designs())
    return [size for size in found if size is not None]


def _most_items(
    scenario: Scenario, work: Work, limits: Limits, hours: float, raters: int, overlap: int
) -> Crossed | None:
    low, high = 1, (MOST_ITEMS if limits.items is None else limits.items) + 1
    while high - low > 1:
        middle = (low + high) // 2
        size = Crossed(items=middle, raters=raters, overlap=overlap)
        fits = limits.raters is not None or work.fits(scenario, size)
        good = work.hours(scenario, size) <= hours and fits
        low, high = (middle, high) if good else (low, middle)
    return Crossed(items=low, raters=raters, overlap=overlap) if low >= 2 else None


def with_effect(scenario: Scenario, effect: float) -> Scenario:
    """The scenario with this effect, or the largest one that there is room for."""
    low, high = scenario.room
    edge = 0.005 * (scenario.points if scenario.protocol == "mark" else 1.0)
    return replace(scenario, effect=min(max(effect, low + edge), high - edge))
