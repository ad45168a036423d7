"""The cheapest study that finds a difference, and the smallest difference that a budget finds.

A closed form finds the best size of every overlap; simulation moves each to where it reaches the
power, since the closed form is wrong by another factor for each. Sizes and differences to try lie
5% apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial

from jurybox.errors import DesignError, InputError
from jurybox.simulate.power import Power, power
from jurybox.simulate.scenario import Scenario
from jurybox.stats.distributions import t_quantile, t_two_sided
from jurybox.stats.power.crossed import Crossed, difference_se

__all__ = ["Found", "Limits", "Search", "Sized", "Work", "cheapest", "formula_power", "smallest"]

RATERS = (3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500)
OVERLAPS = (1, 2, 3, 5)
MOST_ITEMS = 20_000
STEP = 1.05
MOST_STEPS = 24
"""A size or difference is moved by at most a factor of 3.2 from what the closed form says."""
CURVE = (0.5, 0.75, 1.0, 1.5, 2.0)
Tell = Callable[[str], Callable[[int, int], None]]


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
                raise InputError(f"{name} must be above 0; got {getattr(self, name)}")
        if self.pay is not None and not self.pay > 0:
            raise InputError(f"the pay per hour must be above 0; got {self.pay}")
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
class Search:
    """How a size is looked for."""

    target: float = 0.8
    """The power to reach."""
    limits: Limits = Limits()
    studies: int = 1000
    """Simulated ones, of every size."""
    seed: int = 0
    pool: Executor | None = None
    tell: Tell | None = None

    def __post_init__(self) -> None:
        if not 0.5 <= self.target < 1:
            raise InputError(f"the power lies between 0.5 and 1, usually 0.8; got {self.target:g}")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The recommended size, the best of every overlap, and the power of smaller and larger ones."""

    best: Sized
    rows: tuple[Sized, ...]
    curve: tuple[Sized, ...]


def formula_power(scenario: Scenario, size: Crossed) -> float:
    """The closed form: how far the t of the difference lies beyond its critical value.

    A family is counted by Bonferroni, and the degrees of freedom are those of the smaller kind.
    """
    alpha = (1 - scenario.confidence) / scenario.n_compared
    df = max(1, size.df)
    beyond = abs(scenario.effect) / _se(scenario, size) - t_quantile(1 - alpha, df)
    tail = t_two_sided(beyond, df) / 2
    return 1 - tail if beyond > 0 else tail


def _se(scenario: Scenario, size: Crossed) -> float:
    scatter = scenario.scatter
    if scenario.protocol == "detect":
        # Real and generated outputs are of different items, so what items do is not shared.
        own = math.hypot(scatter.item, scatter.item_system)
        scatter = replace(scatter, item=0.0, item_system=own)
    # Two systems meet on a part of the items only, where pairs are few or blocks are small.
    items = max(1, round(scenario.met(size.items)))
    return difference_se(items, size.raters, size.overlap, scatter)


def cheapest(scenario: Scenario, work: Work, how: Search | None = None) -> Found:
    """The cheapest size that finds the scenario's difference with the target power."""
    how = how or Search()
    target, limits = how.target, how.limits
    if scenario.effect == 0:
        raise InputError("a difference of 0 cannot be detected; name the one that would matter")
    by_overlap = _by_formula(scenario, work, how, limits)
    if not by_overlap:
        raise DesignError(_why_none(scenario, work, target, limits))
    look = _Looking(scenario, work, how)

    def moved(row: Sized, steps: int) -> tuple[Scenario, Crossed]:
        # The closed form is asked for a smaller difference, so that it weighs raters against items
        # anew: more items alone may cost much and find little.
        own = replace(limits, overlap=row.size.overlap)
        for step in range(steps, -MOST_STEPS - 1, -1):
            nearer = _with(scenario, scenario.effect / STEP ** (step / 2))
            if found := _by_formula(nearer, work, how, own):
                return scenario, found[0].size
        return scenario, row.size

    rows = look.each_to(target, by_overlap, moved)
    good = [row for row in rows if row.power and row.power.estimate >= target]
    best = min(good or rows[:1], key=lambda row: row.hours)
    sizes = [_times(best.size, times) for times in CURVE if times != 1]
    curve = sorted([best, *(look.at(size, "Power curve") for size in sizes)], key=_items)
    return Found(best=best, rows=tuple(rows), curve=tuple(curve))


def smallest(scenario: Scenario, work: Work, how: Search | None = None, *, hours: float) -> Found:
    """The smallest difference that so many hours of rating find with the target power.

    The scenario's own effect only gives the direction.
    """
    how = how or Search()
    target, limits = how.target, how.limits
    sizes = [
        size
        for each in limits.designs()
        if (size := _affordable(scenario, work, hours, limits, *each)) is not None
    ]
    if not sizes:
        raise DesignError(
            f"{_in_hours(hours)} do not pay for a study: two raters with a start of "
            f"{work.minutes:g} minutes, or two items, are already more, or a session of "
            f"{work.session:g} minutes is too short; take more hours, or more raters."
        )
    made = [
        _sized(_with(scenario, _formula_effect(scenario, size, target)), work, size)
        for size in sizes
    ]
    by_overlap = _best_of_each(made, key=lambda row: abs(row.effect))
    look = _Looking(scenario, work, how)

    def moved(row: Sized, steps: int) -> tuple[Scenario, Crossed]:
        return _with(scenario, row.effect * STEP**steps), row.size

    rows = look.each_to(target, by_overlap, moved)
    good = [row for row in rows if row.power and row.power.estimate >= target]
    best = min(good or rows[:1], key=lambda row: abs(row.effect))
    effects = {_inside(scenario, best.effect * times) for times in CURVE} - {best.effect}
    curve = [look.at(best.size, "Power curve", _with(scenario, each)) for each in sorted(effects)]
    return Found(
        best=best,
        rows=tuple(rows),
        curve=tuple(sorted([best, *curve], key=lambda row: abs(row.effect))),
    )


@dataclass(frozen=True, slots=True)
class _Looking:
    """Simulates sizes, one after the other."""

    scenario: Scenario
    work: Work
    how: Search
    known: dict[tuple[Scenario, Crossed], Power] = field(default_factory=dict)

    def at(self, size: Crossed, what: str, scenario: Scenario | None = None) -> Sized:
        """A size with its simulated power."""
        scenario = scenario or self.scenario
        found = self._power(scenario, size, what)
        return replace(_sized(scenario, self.work, size), power=found)

    def each_to(
        self,
        target: float,
        rows: Sequence[Sized],
        moved: Callable[[Sized, int], tuple[Scenario, Crossed]],
    ) -> list[Sized]:
        """Every row as many steps from the closed form as it needs to reach the target."""
        found, steps = [], 0
        for row in rows:
            # Where one overlap had to go, the next one is near.
            steps = self.steps_to(target, partial(moved, row), start=steps)
            scenario, size = moved(row, steps)
            found.append(self.at(size, "Confirming", scenario))
        return found

    def steps_to(
        self, target: float, at: Callable[[int], tuple[Scenario, Crossed]], *, start: int = 0
    ) -> int:
        """The fewest steps of 5% that reach the target, from where the closed form says.

        The same draws serve every step, so that power grows with it but for few studies.
        """
        known: dict[int, bool] = {}

        def enough(step: int) -> bool:
            if step not in known:
                found = self._power(*at(step), "Searching")
                known[step] = found.estimate >= target
            return known[step]

        low, high, stride = start, start, 2
        while not enough(high) and high < MOST_STEPS:
            low, high, stride = high, min(high + stride, MOST_STEPS), 2 * stride
        while high == start and enough(low) and low > -MOST_STEPS:
            low, stride = max(low - stride, -MOST_STEPS), 2 * stride
        high = min([step for step, good in known.items() if good], default=high)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return high

    def _power(self, scenario: Scenario, size: Crossed, what: str) -> Power:
        if (scenario, size) not in self.known:
            name = f"{what}: {size.items} × {size.raters}"
            self.known[scenario, size] = power(
                scenario,
                size,
                studies=self.how.studies,
                seed=self.how.seed,
                pool=self.how.pool,
                progress=None if self.how.tell is None else self.how.tell(name),
            )
        return self.known[scenario, size]


def _items(row: Sized) -> int:
    return row.size.items


def _times(size: Crossed, factor: float) -> Crossed:
    return replace(size, items=max(2, math.ceil(size.items * factor)))


def _sized(scenario: Scenario, work: Work, size: Crossed) -> Sized:
    hours = work.hours(scenario, size)
    return Sized(
        size=size,
        effect=scenario.effect,
        trials=scenario.trials(size.items),
        hours=hours,
        cost=None if work.pay is None else hours * work.pay,
        formula=formula_power(scenario, size),
    )


def _by_formula(scenario: Scenario, work: Work, how: Search, limits: Limits) -> list[Sized]:
    """The cheapest size of every overlap with the target power by the closed form."""
    asked = (
        _smallest_items(scenario, work, how.target, limits, *each) for each in limits.designs()
    )
    made = [_sized(scenario, work, size) for size in asked if size is not None]
    return _best_of_each(made, key=lambda row: row.hours)


def _best_of_each(made: Sequence[Sized], key: Callable[[Sized], float]) -> list[Sized]:
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


def _affordable(
    scenario: Scenario, work: Work, hours: float, limits: Limits, raters: int, overlap: int
) -> Crossed | None:
    """The most items that so many hours pay for, and a session holds."""
    low, high = 1, (MOST_ITEMS if limits.items is None else limits.items) + 1
    while high - low > 1:
        middle = (low + high) // 2
        size = Crossed(items=middle, raters=raters, overlap=overlap)
        fits = limits.raters is not None or work.fits(scenario, size)
        good = work.hours(scenario, size) <= hours and fits
        low, high = (middle, high) if good else (low, middle)
    return Crossed(items=low, raters=raters, overlap=overlap) if low >= 2 else None


def _formula_effect(scenario: Scenario, size: Crossed, target: float) -> float:
    alpha = (1 - scenario.confidence) / scenario.n_compared
    df = max(1, size.df)
    reach = t_quantile(1 - alpha, df) + t_quantile(2 * target - 1, df)
    return math.copysign(reach * _se(scenario, size), scenario.effect)


def _inside(scenario: Scenario, effect: float) -> float:
    """The effect, or the largest one that there is room for."""
    low, high = scenario.room
    edge = 0.005 * (scenario.points if scenario.protocol == "mark" else 1.0)
    return min(max(effect, low + edge), high - edge)


def _with(scenario: Scenario, effect: float) -> Scenario:
    return replace(scenario, effect=_inside(scenario, effect))


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
    said = f"No size finds a difference of {scenario.effect:g} with a power of {target:g}"
    most = MOST_ITEMS if limits.items is None else limits.items
    said += f" on up to {most:,} items"
    if limits.raters is not None:
        return f"{said} with {limits.raters} raters; take more raters or a larger difference."
    return (
        f"{said}, up to {RATERS[-1]} raters and sessions of {work.session:g} minutes; look for a "
        "larger difference, add items, or allow longer sessions."
    )
