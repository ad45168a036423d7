"""Simulated studies of people and a judge: both together, and what the judge departs by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bench.simulated import ITEM, NOISE, RATER, TASTE, Array, Size, Study, judged
from jurybox.results import Interval
from jurybox.stats.clusters import Generalize
from jurybox.stats.judges.prediction_powered import combine, parts_of
from jurybox.stats.judges.shifts import compression, leniency, self_preference, verbosity
from jurybox.tally.judge_replies import JudgeReplies

Numbers = NDArray[np.int64]
JUDGED = 5
"""Items of a judge for each that people rate."""
JUDGE_NOISE, KINDNESS = 0.4, 0.7


def asked_once(
    shape: str,
    *,
    systems: tuple[str, ...],
    unit_item: Numbers,
    system: Numbers,
    answers: tuple[Numbers, Numbers, Array],
    reply: Array,
) -> JudgeReplies:
    """One judge that answered every unit once, beside people's ``answers``: unit, rater, value."""
    n = len(unit_item)
    unit, rater, value = answers
    zeros = np.zeros(n, dtype=np.int64)
    return JudgeReplies(
        shape=shape,
        is_number=shape == "ratings",
        judges=("j",),
        systems=systems,
        items=tuple(str(k) for k in range(int(unit_item.max()) + 1)),
        unit_item=unit_item,
        unit_systems=system[:, None],
        unit=unit,
        rater=rater,
        value=value,
        judge=zeros,
        reply_unit=np.arange(n),
        order=zeros,
        repeat=zeros,
        code=zeros,
        reply=reply,
    )


@dataclass(frozen=True, slots=True)
class Together:
    """A mean, or a win rate, of people on a part of the items and a judge on all of them."""

    is_share: bool

    def __call__(self, rng: np.random.Generator, size: Size) -> Study:
        there = judged(rng, size)
        n = JUDGED * size.items
        quality = rng.normal(0, ITEM, n)
        score = quality[: size.items, None] + rng.normal(0, RATER, (1, size.raters))
        score = score + rng.normal(0, NOISE, there.shape)
        judge = KINDNESS + quality + rng.normal(0, JUDGE_NOISE, n)
        if self.is_share:
            score, judge = (score > 0).astype(np.float64), (judge > KINDNESS).astype(np.float64)
        unit, rater = np.nonzero(there)
        found = asked_once(
            "votes" if self.is_share else "ratings",
            systems=("x",),
            unit_item=np.arange(n),
            system=np.zeros(n, dtype=np.int64),
            answers=(unit, rater, score[there > 0]),
            reply=judge,
        )
        part = parts_of(found, found.reply, np.ones(n, dtype=np.bool_))
        told: Any = {"judge": "j", "target": "mean", "system": "x", "is_share": self.is_share}
        given, plain = (
            None if isinstance(part, str) else combine([part], cluster=cluster, **told).interval
            for cluster in ("both", "item")
        )
        return Study(given=given, plain=plain, truth=0.5 if self.is_share else 0.0)


LONGER, LENGTHY = 0.6, 0.2
"""Spread of the binary logarithms of lengths, and of what raters make of them."""
PLANTED: dict[str, float] = {"verbosity": 0.3, "self-preference": 0.3, "leniency": KINDNESS}


@dataclass(frozen=True, slots=True)
class Departs:
    """A bias of a judge that scores the outputs of two systems, one of them of its family.

    ``plain`` speaks for these raters only.
    """

    bias: Literal["verbosity", "self-preference", "leniency", "compression"]

    def __call__(self, rng: np.random.Generator, size: Size) -> Study:
        n = 2 * size.items
        item, system = np.repeat(np.arange(size.items), 2), np.tile([0, 1], size.items)
        longer = rng.normal(0, LONGER, n)
        quality = rng.normal(0, ITEM, size.items)[item] + rng.normal(0, TASTE, n)
        there = np.repeat(judged(rng, size), 2, axis=0)
        unit, rater = np.nonzero(there)
        mild, like = rng.normal(0, RATER, size.raters), rng.normal(0, LENGTHY, size.raters)
        score = quality[unit] + mild[rater] + like[rater] * longer[unit]
        score = score + rng.normal(0, NOISE, len(unit))
        judge = quality + rng.normal(0, NOISE, n) + self._planted(longer, system == 0)
        found = asked_once(
            "ratings",
            systems=("x", "y"),
            unit_item=item,
            system=system,
            answers=(unit, rater, score),
            reply=judge,
        )
        lengths = longer.reshape(size.items, 2)
        given, plain = (self._interval(found, lengths, to) for to in BOTH_AND_ITEMS)
        return Study(given=given, plain=plain, truth=self._truth())

    def _planted(self, longer: Array, own: Array) -> Array:
        if self.bias == "compression":
            return np.zeros(len(longer))
        by = {"verbosity": longer, "self-preference": own, "leniency": np.ones(len(longer))}
        return np.asarray(PLANTED[self.bias] * by[self.bias], dtype=np.float64)

    def _interval(self, found: JudgeReplies, lengths: Array, to: Generalize) -> Interval | None:
        if self.bias == "verbosity":
            return verbosity(found, 0, lengths, to).interval
        if self.bias == "self-preference":
            return self_preference(found, 0, [True, False], [], lengths, to)[0].interval
        return (leniency if self.bias == "leniency" else compression)(found, 0, to).interval

    def _truth(self) -> float:
        """Of compression: a person's scores also spread by what each makes of length."""
        if self.bias != "compression":
            return PLANTED[self.bias]
        same = ITEM**2 + TASTE**2 + NOISE**2
        return float(1 - (same / (same + (LENGTHY * LONGER) ** 2)) ** 0.5)


BOTH_AND_ITEMS: tuple[Generalize, Generalize] = ("raters+items", "items")
