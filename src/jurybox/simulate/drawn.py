"""Responses of a planned study, drawn as arrays: no plan, no store, no rows one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from jurybox.simulate.latent import latent_of
from jurybox.simulate.scenario import Scenario
from jurybox.simulate.screens import Laid
from jurybox.stats.power.crossed import Crossed

__all__ = ["Drawer", "Drawn", "Looks"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """Every rater's look at a screen: the item, who looks, and the systems that are shown."""

    shown: Numbers
    """Looks × the most outputs on a screen; −1 where there are fewer."""
    item: Numbers
    rater: Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """One response per place: what it is about, whose it is, and what it says."""

    about: Numbers
    """The system; in compare and rank the number of the comparison; in detect the last is real."""
    item: Numbers
    rater: Numbers
    value: Array
    """The score, or error points; 1, ½ or 0 for the first of two; 1 if taken for real."""
    looks: Looks
    place: Numbers | None = None
    """In compare and rank: of every output shown, 1 for the best, the same for tied ones."""


class Drawer:
    """Draws studies of one scenario and size, each from a generator of its own."""

    def __init__(self, scenario: Scenario, size: Crossed) -> None:
        scenario.check(size)
        self.scenario = scenario
        self.size = size
        self.latent = latent_of(scenario)
        self.levels = np.asarray(self.latent.levels)
        width = len(self.levels)
        self.number = np.full((width + 1, width + 1), -1, dtype=np.int64)
        for number, pair in enumerate(scenario.contrasts):
            self.number[pair] = number
        if scenario.protocol != "detect":
            self.laid = _needed(scenario, scenario.shown.lay(scenario.systems, size.items))
            _, kind = np.unique(self.laid.shown, axis=0, return_inverse=True)
            numbers = range(int(kind.max(initial=-1)) + 1)
            self.alike = [np.flatnonzero(kind.reshape(-1) == number) for number in numbers]

    def draw(self, rng: np.random.Generator) -> Drawn:
        """One study.

        What items, raters and moments add is drawn from a stream each: a study with more items has
        those of a smaller one too, so that two sizes differ by less than chance.
        """
        *effects, moments = rng.spawn(5)
        looks = self._detections(rng) if self.scenario.protocol == "detect" else self._looks(rng)
        seen = self._seen(effects, looks)
        if self.scenario.is_preference:
            seen += self.latent.scatter.noise * moments.standard_normal(seen.shape)
            return self._ordered(looks, self._places(np.where(looks.shown >= 0, seen, -np.inf)))
        there = looks.shown >= 0
        across = np.broadcast_to(looks.item[:, None], there.shape)
        by = np.broadcast_to(looks.rater[:, None], there.shape)
        value = self._answers(moments, seen[there])
        return Drawn(looks.shown[there], across[there], by[there], value, looks)

    def _answers(self, rng: np.random.Generator, seen: Array) -> Array:
        """What is said of single outputs."""
        if self.scenario.protocol == "mark":
            error = self.latent.error
            errors: Array = rng.poisson(np.exp(seen) / error).astype(np.float64)
            return error * errors
        seen = seen + self.latent.scatter.noise * rng.standard_normal(len(seen))
        return seen if self.scenario.protocol == "rate" else (seen > 0).astype(np.float64)

    def _seen(self, streams: Sequence[np.random.Generator], looks: Looks) -> Array:
        """Of every output on every look, its level and what item and rater add; no noise yet."""
        n_items, n_raters = int(looks.item.max()) + 1, self.size.raters
        width, scatter = len(self.levels), self.latent.scatter
        item, rater = looks.item[:, None], looks.rater[:, None]
        found = self.levels[looks.shown]
        parts = (
            (scatter.item, item, n_items),
            (scatter.rater, rater, n_raters),
            (scatter.item_system, item * width + looks.shown, n_items * width),
            (scatter.rater_system, rater * width + looks.shown, n_raters * width),
        )
        for rng, (sd, at, size) in zip(streams, parts, strict=True):
            if sd > 0:
                found = found + sd * rng.standard_normal(size)[at]
        return found

    # Who looks at what: every screen has its raters, and those of one kind are shared evenly.

    def _looks(self, rng: np.random.Generator) -> Looks:
        laid, k = self.laid, self.size.overlap
        raters = np.empty((len(laid.item), k), dtype=np.int64)
        for here in self.alike:
            raters[here] = self._seats(rng, len(here))
        return Looks(np.repeat(laid.shown, k, axis=0), np.repeat(laid.item, k), raters.ravel())

    def _detections(self, rng: np.random.Generator) -> Looks:
        scenario, n = self.scenario, self.size.items
        systems = [*range(scenario.n_compared), scenario.systems]
        k, n_raters = self.size.overlap, self.size.raters
        # Nobody sees two outputs of one item: other raters, or else other items for each system.
        same_items = n_raters >= k * scenario.n_compared
        seats = self._seats(rng, n, scenario.n_compared if same_items else 1)
        items, raters = [], []
        for place in range(scenario.n_compared):
            items.append(np.arange(n) + (0 if same_items else place * n))
            own = seats[:, place * k : (place + 1) * k]
            raters.append(own if same_items else self._seats(rng, n))
        real = scenario.n_real(n)
        items.append(np.arange(real) + n * (1 if same_items else scenario.n_compared))
        raters.append(self._seats(rng, real))
        return _single(items, raters, systems, k)

    def _seats(self, rng: np.random.Generator, n: int, times: int = 1) -> Numbers:
        """Who looks at each of n screens: k raters, as often as asked for, nobody twice.

        Raters come in turn, so that their shares are equal up to one, and from one round to the
        next with others: who always met the same raters would look like these.
        """
        k, raters = self.size.overlap, self.size.raters
        rounds, width = n // raters, k * times
        every = np.tile(np.arange(raters), (rounds, 1))
        moved = rng.permuted(every, axis=1)[:, :width] if width > 1 else every[:, :1]
        seats = np.arange(raters)[:, None] + moved[:, None, :]
        rest = np.arange(n - rounds * raters)[:, None] * k + np.arange(width)
        turn = np.concatenate([seats.reshape(-1, width), rest]) % raters
        seated: Numbers = rng.permutation(raters)[turn[rng.permutation(n)]]
        return seated

    # From sums to orders, and from orders to who is above whom.

    def _places(self, seen: Array) -> Numbers:
        """The places of the outputs of every look: the best has 1, near ones share a place."""
        order = np.argsort(-seen, axis=1, kind="stable")
        if self.scenario.best:
            places = np.full(seen.shape, 2, dtype=np.int64)
            np.put_along_axis(places, order[:, :1], 1, axis=1)
            return places
        ordered = np.take_along_axis(seen, order, axis=1)
        # Beyond the last output shown there is only −∞, and no place that anybody looks at.
        with np.errstate(invalid="ignore"):
            steps = np.cumsum(ordered[:, :-1] - ordered[:, 1:] >= self.latent.cut, axis=1)
        places = np.ones(seen.shape, dtype=np.int64)
        np.put_along_axis(places, order[:, 1:], 1 + steps, axis=1)
        return places

    def _ordered(self, looks: Looks, place: Numbers) -> Drawn:
        """Of every two outputs on a look that are compared, which one is above."""
        about, kept, value = [], [], []
        for one, two in combinations(range(looks.shown.shape[1]), 2):
            number = self.number[looks.shown[:, one], looks.shown[:, two]]
            here = np.flatnonzero(number >= 0)
            gap = np.sign(place[here, two] - place[here, one])
            about.append(number[here])
            kept.append(here)
            value.append(0.5 + gap / 2)
        at = np.concatenate(kept)
        return Drawn(
            np.concatenate(about),
            looks.item[at],
            looks.rater[at],
            np.concatenate(value),
            looks,
            place,
        )


def _needed(scenario: Scenario, laid: Laid) -> Laid:
    """The screens with a part in what is compared; the others are looked at all the same."""
    if scenario.strengths:
        return laid
    if scenario.is_preference:
        pairs = [(laid.shown == one, laid.shown == two) for one, two in scenario.contrasts]
        part = np.any([(a.any(axis=1) & b.any(axis=1)) for a, b in pairs], axis=0)
        return Laid(laid.item[part], laid.shown[part])
    systems = sorted({system for pair in scenario.contrasts for system in pair})
    shown = np.where(np.isin(laid.shown, systems), laid.shown, -1)
    part = (shown >= 0).any(axis=1)
    return Laid(laid.item[part], shown[part])


def _single(
    items: Sequence[Numbers], raters: Sequence[Numbers], systems: Sequence[int], k: int
) -> Looks:
    """Looks at one output each."""
    sizes = [each.size for each in raters]
    return Looks(
        np.repeat(np.asarray(systems, dtype=np.int64), sizes)[:, None],
        np.concatenate([np.repeat(each, k) for each in items]),
        np.concatenate([each.ravel() for each in raters]),
    )
