"""Responses of a planned study, drawn as arrays: no plan, no store, no rows one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jurybox.simulate.scenario import Scenario
from jurybox.stats.power.crossed import Crossed

__all__ = ["Drawer", "Drawn"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """One response per place: what it is about, whose it is, and what it says."""

    about: Numbers
    """The system; in compare the number of the pair of systems; in detect the last one is real."""
    item: Numbers
    rater: Numbers
    value: Array
    """The score; 1, ½ or 0 of a vote for the first of the pair; 1 if taken for real."""


class Drawer:
    """Draws studies of one scenario and size, each from a generator of its own."""

    def __init__(self, scenario: Scenario, size: Crossed) -> None:
        scenario.check(size)
        self.scenario = scenario
        self.size = size
        self.levels = np.asarray(scenario.levels)
        self.latent = scenario.latent
        self.cut = scenario.tie_cut if scenario.protocol == "compare" else 0.0
        self.pairs = np.asarray(scenario.contrasts if scenario.protocol == "compare" else ())

    def draw(self, rng: np.random.Generator) -> Drawn:
        """One study."""
        if self.scenario.protocol == "compare":
            return self._votes(rng)
        about, item, rater = self._shown(rng)
        seen = self.levels[about] + self._effects(rng, about, item, rater)
        seen += self.latent.noise * rng.standard_normal(len(about))
        value = seen if self.scenario.protocol == "rate" else (seen > 0).astype(np.float64)
        return Drawn(about, item, rater, value)

    def _effects(
        self, rng: np.random.Generator, about: Numbers, item: Numbers, rater: Numbers
    ) -> Array:
        """What item and rater add to each response, to all systems alike and to its own."""
        n_items, n_raters = int(item.max()) + 1, self.size.raters
        width = len(self.levels)
        found = np.zeros(len(about))
        for sd, at, size in (
            (self.latent.item, item, n_items),
            (self.latent.rater, rater, n_raters),
            (self.latent.item_system, item * width + about, n_items * width),
            (self.latent.rater_system, rater * width + about, n_raters * width),
        ):
            if sd > 0:
                found += sd * rng.standard_normal(size)[at]
        return found

    def _shown(self, rng: np.random.Generator) -> tuple[Numbers, Numbers, Numbers]:
        """Who judges what: every system equally often by every rater, as a plan would have it."""
        scenario, size = self.scenario, self.size
        if scenario.protocol == "detect":
            return self._detections(rng)
        # Only the systems that are compared; the others are judged without a part in it.
        systems = sorted({system for pair in scenario.contrasts for system in pair})
        same = self._raters(rng, size.items) if scenario.together else None
        raters = [self._raters(rng, size.items) if same is None else same for _ in systems]
        return self._long([np.arange(size.items)] * len(systems), raters, systems)

    def _detections(self, rng: np.random.Generator) -> tuple[Numbers, Numbers, Numbers]:
        scenario, n = self.scenario, self.size.items
        systems = [*range(scenario.n_compared), scenario.systems]
        k, n_raters = self.size.overlap, self.size.raters
        # Nobody sees two outputs of one item: other raters, or else other items for each system.
        same_items = n_raters >= k * scenario.n_compared
        seats, turn = self._seats(rng, n), rng.permutation(n_raters)
        items, raters = [], []
        for place in range(scenario.n_compared):
            items.append(np.arange(n) + (0 if same_items else place * n))
            moved = turn[(seats + place * k) % n_raters]
            raters.append(moved if same_items else self._raters(rng, n))
        real = scenario.n_real(n)
        items.append(np.arange(real) + n * (1 if same_items else scenario.n_compared))
        raters.append(self._raters(rng, real))
        return self._long(items, raters, systems)

    def _seats(self, rng: np.random.Generator, n: int) -> Numbers:
        """Who judges each of n outputs (n × k): k neighbors in a circle of all raters, in turn.

        The outputs are in random order, so that the raters of one system are not always paired with
        the same raters of another.
        """
        k = self.size.overlap
        return (np.arange(n * k).reshape(n, k) % self.size.raters)[rng.permutation(n)]

    def _raters(self, rng: np.random.Generator, n: int) -> Numbers:
        """The same, in a circle of their own."""
        seats = self._seats(rng, n)
        return rng.permutation(self.size.raters)[seats]

    def _long(
        self, items: Sequence[Numbers], raters: Sequence[Numbers], about: Sequence[int]
    ) -> tuple[Numbers, Numbers, Numbers]:
        k = self.size.overlap
        return (
            np.repeat(np.asarray(about, dtype=np.int64), [each.size for each in raters]),
            np.concatenate([np.repeat(each, k) for each in items]),
            np.concatenate([each.ravel() for each in raters]),
        )

    def _votes(self, rng: np.random.Generator) -> Drawn:
        size, latent = self.size, self.latent
        raters = [self._raters(rng, size.items) for _ in self.pairs]
        items = [np.arange(size.items)] * len(self.pairs)
        about, item, rater = self._long(items, raters, range(len(self.pairs)))
        width = len(self.levels)
        own = self.levels + latent.item_system * rng.standard_normal((size.items, width))
        taste = latent.rater_system * rng.standard_normal((size.raters, width))
        one, two = self.pairs[about].T
        gap = own[item, one] - own[item, two] + taste[rater, one] - taste[rater, two]
        gap += np.sqrt(2) * latent.noise * rng.standard_normal(len(about))
        value = np.where(np.abs(gap) < self.cut, 0.5, (gap > 0).astype(np.float64))
        return Drawn(about, item, rater, value)
