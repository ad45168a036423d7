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

from jurybox.errors import OptionError
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
HALFWAY = 0.4
"""The share of all studies after which a size that is clearly short of the power is left alone."""
ANSWERS = 6_000_000
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
            raise OptionError(f"the power lies between 0.5 and 1, usually 0.8; got {self.target:g}")


@dataclass(slots=True)
class Way:
    """A size or difference that can be moved by steps, and where it has got to."""

    make: Callable[[int], tuple[Scenario, Crossed] | None]
    """What is to be simulated so many steps from the closed form; ``None`` beyond the last."""
    step: int = 0
    state: Literal["rough", "sure", "short"] = "rough"
    """Where a few studies say, where all of them do, or as far as it goes and not there."""
    guess: float = 0.0
    """The step to expect before any study."""
    said: dict[int, tuple[float, float]] = field(default_factory=dict)
    """By every step looked at: the step that is wanted, and how much that weighs."""
    made: dict[int, tuple[Scenario, Crossed]] = field(default_factory=dict)
    last: int = MOST_STEPS
    """The furthest that it can go, as far as is known."""

    def at(self, step: int) -> tuple[Scenario, Crossed]:
        """What is to be simulated at a step that ``inside`` gave."""
        return self.made[step]

    def inside(self, step: int) -> int:
        """The step, or the nearest to it that there is."""
        step = max(-MOST_STEPS, min(step, self.last))
        while step not in self.made:
            found = self.make(step)
            if found is not None:
                self.made[step] = found
                break
            step -= 1
            self.last = step
        return step

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
        """The best of the ways that arrive, and all of these; ``None`` and all ways if none does.

        The best is looked at with all studies; if that makes another one the best, this one too.
        """
        guess = 0.0
        for way in ways:
            # Where one had to go, the next one is near.
            way.guess = guess
            self._go_roughly(way)
            guess = way.wanted
        while True:
            ahead = [(self._now(way), way) for way in ways if way.state != "short"]
            if not ahead:
                return None, tuple(self._now(way) for way in ways)
            row, best = min(ahead, key=lambda each: key(each[0]))
            if best.state == "sure":
                return row, tuple(row for row, _ in ahead)
            self._go_surely(best)

    def roughly(self, scenario: Scenario, size: Crossed) -> Sized:
        """A size with the power that a few studies say."""
        found = self._power(scenario, size, self.studies(scenario, size, sure=False))
        return replace(sized(scenario, self.work, size), power=found)

    def _now(self, way: Way) -> Sized:
        scenario, size = way.at(way.step)
        return replace(
            sized(scenario, self.work, size), power=self.known[scenario, size].power(scenario, size)
        )

    def _go_roughly(self, way: Way) -> None:
        """Go to about the fewest steps that reach the target, by few studies of this very step."""
        for _ in range(MOST_LOOKS):
            step = way.inside(math.ceil(way.wanted))
            if any(abs(step - seen) <= 1 for seen in way.said):
                break
            self._look(way, step, self._studies(way, step, sure=False))
        while not (reaching := [step for step in way.said if self._reaches(way, step)]):
            nearest = min(way.said, key=lambda step: abs(step - way.wanted))
            studies = self.known[way.at(nearest)].studies
            most = self._studies(way, nearest, sure=True)
            if studies < most and self._reaches(way, nearest, within=1):
                # Sizes share their draws: where these were unlucky, a larger one has them too.
                self._look(way, nearest, min(2 * studies, most))
                continue
            furthest = max(way.said)
            step = way.inside(max(furthest + 1, math.ceil(way.wanted)))
            if step <= furthest:
                way.state, way.step = "short", furthest
                return
            self._look(way, step, self._studies(way, step, sure=False))
        way.step = min(reaching, key=lambda step: abs(step - way.wanted))

    def _go_surely(self, way: Way) -> None:
        """Go to the fewest steps that reach the target by all studies."""
        low, high, step = -MOST_STEPS - 1, MOST_STEPS + 1, way.step
        while high - low > 1 and low < way.last:
            studies = self._studies(way, step, sure=True)
            self._look(way, step, math.ceil(HALFWAY * studies))
            if self._reaches(way, step, within=2):
                self._look(way, step, studies)
            if self._reaches(way, step):
                high = step
                # Less than two steps are what studies cannot tell apart.
                if way.wanted > step - 2:
                    break
                step = way.inside(max(low + 1, min(step - 1, math.ceil(way.wanted))))
            else:
                low = step
                step = way.inside(min(high - 1, max(step + 1, math.ceil(way.wanted))))
        way.state = "sure" if high <= MOST_STEPS else "short"
        way.step = min(high, way.last)

    def _reaches(self, way: Way, step: int, *, within: float = 0) -> bool:
        """Whether the simulated power is the target's, or so many errors below it."""
        found = self.known[way.at(step)].power(*way.at(step))
        return found.estimate + within * found.error >= self.how.target

    def _look(self, way: Way, step: int, studies: int) -> None:
        """Simulate a step, and note which one it says is wanted."""
        scenario, size = way.at(step)
        found = self._power(scenario, size, studies)
        beyond = critical(scenario, size)
        least = 0.5 / found.n_studies
        p = min(max(found.estimate, least), 1 - least)
        z = normal_score(p)
        t = max(beyond + z, beyond / 3)
        missing = math.log((beyond + normal_score(self.how.target)) / t) / math.log(STEP)
        # How far the step would be off by chance: that of p, by how steeply p grows with steps.
        steep = t * math.log(STEP) * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        way.said[step] = (step + missing, found.n_studies * steep**2 / (p * (1 - p)))

    def _studies(self, way: Way, step: int, *, sure: bool) -> int:
        return self.studies(*way.at(step), sure=sure)

    def studies(self, scenario: Scenario, size: Crossed, *, sure: bool) -> int:
        """How many studies of a size are simulated."""
        most = self.how.studies if sure else min(self.how.studies, ROUGH)
        allowed = ANSWERS * most / self.how.studies
        each = max(1, scenario.trials(size.items) * size.overlap)
        return max(1, round(min(most, max(FEWEST * most, allowed / each))))

    def _power(self, scenario: Scenario, size: Crossed, studies: int) -> Power:
        name = f"{size.items:,} items × {size.raters} raters"
        self.known[scenario, size] = made = counted(
            scenario,
            size,
            studies=studies,
            seed=self.how.seed,
            pool=self.how.pool,
            progress=None if self.how.tell is None else self.how.tell(name),
            known=self.known.get((scenario, size)),
        )
        return made.power(scenario, size)
