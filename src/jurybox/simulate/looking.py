r"""Sizes and differences moved to where simulated studies reach the power, by few studies.

A step is a factor of the expected t of a difference. So the power p simulated at any step says
which one is wanted:

.. math:: s + \log\frac{c + z(\text{target})}{c + z(p)} / \log 1.025

with the normal score z and the critical value c. What several steps say is weighed by how sure each
is, so that one step that was lucky does not decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Literal

from jurybox.errors import InputError
from jurybox.simulate.power import Count, Power, counted
from jurybox.simulate.scenario import Scenario
from jurybox.simulate.sizes import Limits, Sized, Work, critical, sized
from jurybox.stats.distributions import normal_score
from jurybox.stats.power.crossed import Crossed

__all__ = ["STEP", "Looking", "Search", "Way"]

STEP = 1.025
"""Sizes then lie about 5% apart."""
MOST_STEPS = 48
"""The expected t is moved by at most a factor of 3.3 from what the closed form says."""
ROUGH = 200
"""Studies of a size that is only looked at."""
ANSWERS = 8_000_000
"""The most answers that are simulated of one size, so that large ones take no minutes either; of a
size that is only looked at, as much less as its studies are fewer."""
FEWEST = 0.4
"""The share of its studies that every size has all the same."""
EXPECTED = 3.0
"""How many steps the closed form is off, or one overlap from the next, before any study."""
MOST_LOOKS = 4
Tell = Callable[[str], Callable[[int, int], None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """How a size is looked for."""

    target: float = 0.8
    """The power to reach."""
    limits: Limits = field(default_factory=Limits)
    studies: int = 1000
    """Simulated ones, of the best size: fewer if they have very many answers."""
    seed: int = 0
    pool: Executor | None = None
    tell: Tell | None = None

    def __post_init__(self) -> None:
        if not 0.5 <= self.target < 1:
            raise InputError(f"the power lies between 0.5 and 1, usually 0.8; got {self.target:g}")


@dataclass(slots=True)
class Way:
    """A size or difference that can be moved by steps, and where it has got to."""

    make: Callable[[int], tuple[Scenario, Crossed]]
    step: int = 0
    state: Literal["rough", "sure", "short"] = "rough"
    """Where a few studies say, where all of them do, or as far as it goes and not there."""
    guess: float = 0.0
    """The step to expect before any study."""
    said: dict[int, tuple[float, float]] = field(default_factory=dict)
    """By every step looked at: the step that is wanted, and how much that weighs."""
    made: dict[int, tuple[Scenario, Crossed]] = field(default_factory=dict)

    def at(self, step: int) -> tuple[Scenario, Crossed]:
        """What is to be simulated so many steps from the closed form."""
        if step not in self.made:
            self.made[step] = self.make(step)
        return self.made[step]

    @property
    def wanted(self) -> float:
        """The step that reaches the target, by all that was looked at."""
        parts = [(self.guess, 1 / EXPECTED**2), *self.said.values()]
        return sum(step * weight for step, weight in parts) / sum(weight for _, weight in parts)


@dataclass(frozen=True, slots=True)
class Looking:
    """Simulates sizes, one after the other, and forgets no study."""

    scenario: Scenario
    work: Work
    how: Search
    known: dict[tuple[Scenario, Crossed], Count] = field(default_factory=dict)

    def best_of(
        self, ways: Sequence[Way], key: Callable[[Sized], float]
    ) -> tuple[Sized | None, tuple[Sized, ...]]:
        """Every way as far as it must go, and the best of those that arrive; ``None`` if none does.

        The best is looked at with all studies; if that makes another one the best, this one too.
        """
        guess = 0.0
        for way in ways:
            # Where one had to go, the next one is near.
            way.guess = guess
            self._go_roughly(way)
            guess = way.wanted
        while True:
            rows = [self._now(way) for way in ways]
            ahead = [k for k, way in enumerate(ways) if way.state != "short"]
            if not ahead:
                return None, tuple(rows)
            best = min(ahead, key=lambda k: key(rows[k]))
            if ways[best].state == "sure":
                return rows[best], tuple(rows)
            self._go_surely(ways[best])

    def roughly(self, scenario: Scenario, size: Crossed) -> Sized:
        """A size with the power that a few studies say."""
        found = self._power(scenario, size, sure=False)
        return replace(sized(scenario, self.work, size), power=found)

    def _now(self, way: Way) -> Sized:
        scenario, size = way.at(way.step)
        return replace(
            sized(scenario, self.work, size), power=self.known[scenario, size].power(scenario, size)
        )

    def _go_roughly(self, way: Way) -> None:
        """Go to about the fewest steps that reach the target."""
        for _ in range(MOST_LOOKS):
            way.step = _inside(math.ceil(way.wanted))
            if any(abs(way.step - seen) <= 1 for seen in way.said):
                break
            self._look(way, way.step, sure=False)
        way.step = min(way.said, key=lambda seen: abs(seen - way.wanted))

    def _go_surely(self, way: Way) -> None:
        """Go to the fewest steps that reach the target by all studies."""
        low, high, step = -MOST_STEPS - 1, MOST_STEPS + 1, way.step
        while high - low > 1:
            if self._look(way, step, sure=True).estimate >= self.how.target:
                high = step
                # Less than two steps are what studies cannot tell apart.
                if way.wanted > step - 2:
                    break
                step = max(low + 1, min(step - 1, math.ceil(way.wanted)))
            else:
                low = step
                step = min(high - 1, max(step + 1, _inside(math.ceil(way.wanted))))
        way.state = "sure" if high <= MOST_STEPS else "short"
        way.step = min(high, MOST_STEPS)

    def _look(self, way: Way, step: int, *, sure: bool) -> Power:
        """Simulate a step, and note which one it says is wanted."""
        scenario, size = way.at(step)
        found = self._power(scenario, size, sure=sure)
        beyond = critical(scenario, size)
        least = 0.5 / found.n_studies
        p = min(max(found.estimate, least), 1 - least)
        z = normal_score(p)
        t = max(beyond + z, beyond / 3)
        missing = math.log((beyond + normal_score(self.how.target)) / t) / math.log(STEP)
        # How far the step would be off by chance: that of p, by how steeply p grows with steps.
        steep = t * math.log(STEP) * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        way.said[step] = (step + missing, found.n_studies * steep**2 / (p * (1 - p)))
        return found

    def studies(self, scenario: Scenario, size: Crossed, *, sure: bool) -> int:
        """How many studies of a size are simulated."""
        most = self.how.studies if sure else min(self.how.studies, ROUGH)
        allowed = ANSWERS * most / self.how.studies
        each = max(1, scenario.trials(size.items) * size.overlap)
        return max(1, round(min(most, max(FEWEST * most, allowed / each))))

    def _power(self, scenario: Scenario, size: Crossed, *, sure: bool) -> Power:
        name = f"{size.items:,} items × {size.raters} raters"
        self.known[scenario, size] = made = counted(
            scenario,
            size,
            studies=self.studies(scenario, size, sure=sure),
            seed=self.how.seed,
            pool=self.how.pool,
            progress=None if self.how.tell is None else self.how.tell(name),
            known=self.known.get((scenario, size)),
        )
        return made.power(scenario, size)


def _inside(step: int) -> int:
    return max(-MOST_STEPS, min(step, MOST_STEPS))
