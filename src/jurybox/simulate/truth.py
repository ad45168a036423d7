"""The truth behind simulated responses, and what it makes true of the results.

Every output has a latent quality on the unit interval: 0 is the bottom of every scale, 1 the top. A
careful rater sees it through normal effects of the item, of the item and system together, of the
rater, of the rater's taste for the system, and of the moment. All effects are independent, so the
latent of a random response is normal too and the expected scores, win rates and fooling rates have
closed forms: they are the values that an interval for raters and items like these must cover. They
hold without a bias for length, without drift and tiring, and over all groups alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from zlib import crc32

import numpy as np

from jurybox.errors import InputError
from jurybox.study.model import SystemId
from jurybox.study.scales import Scale

__all__ = [
    "Kind",
    "Truth",
    "draw_effect",
    "expected_real_rate",
    "expected_score",
    "expected_win_rate",
    "own_stream",
]

Kind = Literal["careful", "speeder", "straight_liner", "coin_flipper", "drop_out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What is planted: the systems' qualities, and how far items, raters and moments scatter."""

    quality: Mapping[str, Mapping[str, float]]
    """Per criterion, the latent quality of each system; 0 is the bottom of the scale, 1 the top."""
    item_sd: float = 0.08
    """How far items differ in difficulty, for all systems alike."""
    item_system_sd: float = 0.08
    """How far a system does better on one item than on another."""
    rater_sd: float = 0.08
    """How far raters differ in leniency."""
    taste_sd: float = 0.05
    """How far raters differ in what they like: rater × system."""
    noise_sd: float = 0.12
    """How far the same rater would scatter on the same output."""
    position_bias: float = 0.0
    """What being shown first adds, where several outputs are shown."""
    length_bias: float = 0.0
    """What an output gains that is twice as long as outputs usually are."""
    drift: float = 0.0
    """What a sitting adds from its first trial to its last: raters grow milder, or stricter."""
    tiring: float = 0.0
    """How many times the noise has grown at the end of a sitting, beyond the once it was."""
    groups: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Per rater group, what its raters see more in a system than others do."""
    recognized: frozenset[str] = frozenset()
    """Hidden references: what cannot be told from the reference, careful raters give the top."""
    skips: Mapping[str, float] = field(default_factory=dict)
    """Per system, how often a careful rater skips a trial that shows it."""
    tie_width: float = 0.06
    """Two outputs nearer than this are a tie."""
    bad_below: float = 0.15
    """Two outputs both below this are both bad."""
    found: float = 0.8
    """How often a careful rater marks an error that is there; as many others are marked that are
    not as are missed."""
    boldness: float = 1.0
    """How many times as sure a careful rater says to be: above 1 too sure, below 1 too little."""
    known_right: float = 0.95
    """How often a careful rater gets a known answer right."""
    seconds: float | None = None
    """A careful rater's median time for a trial; by default what the plan expects."""

    def __post_init__(self) -> None:
        for name in (
            "item_sd", "item_system_sd", "rater_sd", "taste_sd", "noise_sd", "tie_width", "tiring",
            "boldness",
        ):  # fmt: skip
            if getattr(self, name) < 0:
                raise InputError(f"truth: {name} must not be negative, got {getattr(self, name)}")
        if not 0 <= self.found <= 1:
            raise InputError(f"truth: found must lie between 0 and 1, got {self.found}")

    def of(self, criterion: str, system: SystemId) -> float:
        """The latent quality of a system; an unknown one is a mistake of the caller."""
        try:
            return self.quality[criterion][system]
        except KeyError:
            raise InputError(
                f"truth: quality has no value for criterion {criterion!r} and system {system!r}"
            ) from None

    @property
    def spread(self) -> float:
        """The standard deviation of a random response's latent around its system's quality."""
        return math.sqrt(
            self.item_sd**2
            + self.item_system_sd**2
            + self.rater_sd**2
            + self.taste_sd**2
            + self.noise_sd**2
        )

    @property
    def spread_of_difference(self) -> float:
        """The same for two outputs of one item seen by one rater: what they share cancels."""
        return math.sqrt(2 * (self.item_system_sd**2 + self.taste_sd**2 + self.noise_sd**2))


def draw_effect(seed: int, *names: str) -> float:
    """A standard normal number that belongs to these names: the same however often it is asked.

    An item is as hard in a plan of ten trials as in one of a thousand, in whatever order.
    """
    return float(own_stream(seed, *names).standard_normal())


def own_stream(seed: int, *names: str) -> np.random.Generator:
    """Random numbers that belong to these names."""
    return np.random.default_rng((seed, crc32("\x1f".join(names).encode())))


def scale_value(scale: Scale, latent: float) -> float:
    """The value that a latent falls on: the unit interval is cut into equal parts, one per value.

    A slider takes the nearest step instead.

    >>> from jurybox.study.scales import expand
    >>> four = Scale.model_validate(expand({0: "a", 0.5: "b", 1: "c", 2: "d"}))
    >>> [scale_value(four, x) for x in (-0.3, 0.3, 0.74, 0.99, 1.4)]
    [0.0, 0.5, 1.0, 2.0, 2.0]
    """
    if scale.step is not None:
        steps = round((scale.high - scale.low) / scale.step)
        return scale.low + scale.step * min(max(round(latent * steps), 0), steps)
    values = sorted(v.value for v in scale.values)
    return values[min(max(int(latent * len(values) // 1), 0), len(values) - 1)]


def _parts(scale: Scale) -> tuple[list[float], list[float]]:
    """The scale's values in order, and the latents at which one gives way to the next."""
    if scale.step is not None:
        steps = round((scale.high - scale.low) / scale.step)
        values = [scale.low + scale.step * k for k in range(steps + 1)]
        return values, [(k + 0.5) / steps for k in range(steps)]
    values = sorted(v.value for v in scale.values)
    return values, [(k + 1) / len(values) for k in range(len(values) - 1)]


def normal_below(x: float, mean: float, sd: float) -> float:
    """P(X < x) for a normal X; a step where the standard deviation is 0."""
    if sd == 0:
        return float(x > mean)
    return 0.5 * math.erfc((mean - x) / (sd * math.sqrt(2)))


def expected_score(
    truth: Truth, scale: Scale, criterion: str, system: SystemId, *, shown: int = 1
) -> float:
    r"""The mean score of a system over all careful raters and all items, exactly.

    .. math:: E = \sum_k v_k \,[\Phi((c_{k+1}-q)/\sigma) - \Phi((c_k-q)/\sigma)]

    with the values :math:`v_k`, the cuts :math:`c_k` between them, the quality :math:`q` and the
    spread :math:`\sigma`. With several outputs ``shown`` on a screen, one place in so many is the
    first and gets the position bias.
    """
    if system in truth.recognized:
        return scale.high
    values, cuts = _parts(scale)
    quality = truth.of(criterion, system)
    first = 1 / shown if shown > 1 else 0.0

    def mean(latent: float) -> float:
        below = [0.0, *(normal_below(cut, latent, truth.spread) for cut in cuts), 1.0]
        return sum(v * (below[k + 1] - below[k]) for k, v in enumerate(values))

    return first * mean(quality + truth.position_bias) + (1 - first) * mean(quality)


def expected_win_rate(
    truth: Truth, criterion: str, system: SystemId, other: SystemId, *, ties: bool = True
) -> float:
    """How often a system wins against another, ties counting half, both orders equally often.

    Exact as long as nobody answers "both bad", which also counts half but takes wins away.
    """
    width = truth.tie_width if ties else 0.0
    difference = truth.of(criterion, system) - truth.of(criterion, other)
    rates = []
    for bias in (truth.position_bias, -truth.position_bias):
        loses = normal_below(-width, difference + bias, truth.spread_of_difference)
        wins = 1 - normal_below(width, difference + bias, truth.spread_of_difference)
        rates.append(wins + 0.5 * (1 - wins - loses))
    return sum(rates) / 2


def expected_real_rate(truth: Truth, criterion: str, system: SystemId) -> float:
    """How often a system's outputs are taken for real: those whose latent exceeds one half."""
    return 1 - normal_below(0.5, truth.of(criterion, system), truth.spread)
