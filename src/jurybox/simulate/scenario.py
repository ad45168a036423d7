"""What is assumed before there are data: how systems, items and raters behave in a planned study.

One response is the sum of its system's level, of what the item and the rater add, to all systems
alike and to each system its own, and of noise. In rate the sum is the score. In compare a vote goes
to the output with the higher sum, or is a tie where the two are near. In detect an output is taken
for real if its sum is above 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from jurybox.errors import InputError
from jurybox.stats.distributions import normal_score
from jurybox.stats.power.crossed import Crossed
from jurybox.stats.power.pilot import Scatter

__all__ = ["Scenario", "default_scatter"]

Compared = Literal["one", "all", "baseline"]
Protocol = Literal["rate", "compare", "detect"]

RATE = Scatter(item=0.12, item_system=0.10, rater=0.12, rater_system=0.05, noise=0.17)
"""As shares of the scale's range: on 1 to 5 half a point between items, and between raters."""
COMPARE = Scatter(item_system=0.14, rater_system=0.06, noise=0.28)
"""Of one system's side of a vote that counts 1, ½ or 0: twice its variance is a vote's."""
DETECT = Scatter(item_system=0.20, rater=0.15, rater_system=0.07, noise=0.38)
"""Of an answer that counts 1 or 0."""
TIES = 0.2
"""The share of ties between equal systems."""
ACCEPTED = 0.7
"""How often real outputs are taken for real."""


def default_scatter(protocol: Protocol, span: float = 1.0) -> Scatter:
    """The scatter assumed without a pilot; of scores, for a scale that is ``span`` long."""
    if protocol == "compare":
        return COMPARE
    if protocol == "detect":
        return DETECT
    parts = ("item", "item_system", "rater", "rater_system", "noise")
    return Scatter(**{name: getattr(RATE, name) * span for name in parts})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A study to be simulated, without its size."""

    protocol: Protocol
    effect: float
    """How much the first system is above every other one: in points, or as a share of 1. In
    detect, how much more often every generated system passes for real than real outputs do."""
    scatter: Scatter
    systems: int = 2
    """In detect: the generated ones."""
    compared: Compared = "one"
    """Which comparisons are made: the first two systems alone, all of them as one family, or the
    first with each other one as a family. In detect each system is compared with the real outputs,
    and ``one`` is the first."""
    strengths: bool = False
    """In compare: whether Bradley–Terry strengths are compared, which borrow from all pairs."""
    together: bool = False
    """In rate: whether all outputs of an item stand on one screen, judged by the same raters."""
    ties: float = TIES
    """In compare: the share of ties between equal systems."""
    accepted: float = ACCEPTED
    """In detect: how often real outputs are taken for real."""
    real_share: float = 0.5
    """In detect: the share of real ones among the outputs shown."""
    confidence: float = 0.95

    def __post_init__(self) -> None:
        fewest = 1 if self.protocol == "detect" else 2
        if self.systems < fewest:
            raise InputError(f"there must be at least {fewest} systems; got {self.systems}")
        if not math.isfinite(self.effect):
            raise InputError(f"the difference to detect must be a number; got {self.effect}")
        if self.strengths and (self.protocol != "compare" or self.compared == "one"):
            raise InputError("strengths are compared in a family of votes on several pairs")
        if not 0 <= self.ties < 1:
            raise InputError(f"the share of ties lies between 0 and 1; got {self.ties}")
        if not 0 < self.real_share < 1:
            raise InputError(f"the real share lies between 0 and 1; got {self.real_share}")
        middle = {"rate": 0.0, "compare": 0.5, "detect": self.accepted}[self.protocol]
        if self.protocol != "rate" and not 0 < middle + self.effect < 1:
            what = "a win rate" if self.protocol == "compare" else "a share taken for real"
            raise InputError(
                f"the difference to detect is {self.effect:g}, which makes {what} of "
                f"{middle + self.effect:g}: it must lie between 0 and 1"
            )

    @property
    def contrasts(self) -> tuple[tuple[int, int], ...]:
        """The two systems of every comparison made; the first is the one that must be found."""
        if self.protocol == "detect":
            return tuple((s, self.systems) for s in range(self.n_compared))
        return tuple(combinations(range(self.systems), 2))[: self.n_compared]

    @property
    def n_compared(self) -> int:
        """How many comparisons are judged together."""
        if self.compared == "one":
            return 1
        if self.protocol == "detect":
            return self.systems
        if self.compared == "baseline":
            return self.systems - 1
        return self.systems * (self.systems - 1) // 2

    def trials(self, items: int) -> int:
        """How many trials so many items make; in detect the items of one system, and real ones."""
        if self.protocol == "rate":
            return items * (1 if self.together else self.systems)
        if self.protocol == "detect":
            return items * self.systems + self.n_real(items)
        every = self.systems * (self.systems - 1) // 2
        return items * (self.systems - 1 if self.compared == "baseline" else every)

    def n_real(self, items: int) -> int:
        """In detect: how many real outputs are shown beside so many of each generated system."""
        return max(1, round(items * self.systems * self.real_share / (1 - self.real_share)))

    # The latents of votes and detections have variance 1, so that shares are normal tails.

    @property
    def tie_cut(self) -> float:
        """Two latents nearer than this are a tie."""
        return normal_score((1 + self.ties) / 2)

    @property
    def levels(self) -> tuple[float, ...]:
        """The level of every system; in detect that of the real outputs comes last."""
        if self.protocol == "rate":
            return (self.effect, *[0.0] * (self.systems - 1))
        if self.protocol == "compare":
            return (_shift(0.5 + self.effect, self.tie_cut), *[0.0] * (self.systems - 1))
        fooled = normal_score(self.accepted + self.effect)
        return (*[fooled] * self.systems, normal_score(self.accepted))

    @property
    def latent(self) -> Scatter:
        """The scatter of the sums: of scores as it stands, else so that answers scatter like it.

        An answer's variance between items is that of its expectation given the item, which a share
        ρ of the latent variance makes: ρ is found for each part alone, and noise is the rest.
        """
        if self.protocol == "rate":
            return self.scatter
        cuts: tuple[float, ...]
        if self.protocol == "compare":
            cuts, sides = (-self.tie_cut, self.tie_cut), 2
        else:
            cuts, sides = (-normal_score(self.accepted),), 1
        names = ("item", "rater", "item_system", "rater_system")
        wanted = {name: sides * getattr(self.scatter, name) ** 2 for name in names}
        if self.protocol == "compare":
            wanted["item"] = wanted["rater"] = 0.0  # alike for both outputs of a vote
        found = {name: _latent_share(value, cuts) for name, value in wanted.items()}
        rest = 1 - sum(found.values())
        if rest < 0:
            raise InputError(
                "items and raters scatter more than answers of two kinds can; use a smaller scatter"
            )
        parts = {name: math.sqrt(value / sides) for name, value in found.items()}
        return Scatter(**parts, noise=math.sqrt(rest / sides))

    def check(self, size: Crossed) -> None:
        """Refuse a size that no comparison can be made with."""
        if size.items < 2 or size.raters < 2:
            raise InputError(
                f"a study to simulate has two items and two raters or more; got {size.items} and "
                f"{size.raters}"
            )


def _shift(win_rate: float, cut: float) -> float:
    """How far apart two latents lie so that one wins so often, ties counting half."""
    low, high = -12.0, 12.0
    for _ in range(80):
        middle = (low + high) / 2
        below = (_tail(cut - middle) + _tail(-cut - middle)) / 2
        low, high = (middle, high) if below < win_rate else (low, middle)
    return (low + high) / 2


def _tail(x: float) -> float:
    return 0.5 * math.erfc(x / math.sqrt(2))


NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


def _latent_share(variance: float, cuts: tuple[float, ...]) -> float:
    """The share of a unit latent that makes answers vary so much between clusters.

    An answer counts 1 above the last cut and 0 below the first; each cut passed adds alike.
    """
    if variance == 0:
        return 0.0

    def between(share: float) -> float:
        root = math.sqrt(max(1 - share, 1e-12))
        given = [
            sum(_tail((cut - math.sqrt(share) * node) / root) for cut in cuts) / len(cuts)
            for node in NODES.tolist()
        ]
        weights = WEIGHTS / WEIGHTS.sum()
        mean = float(np.dot(weights, given))
        return float(np.dot(weights, (np.asarray(given) - mean) ** 2))

    low, high = 0.0, 0.98
    if between(high) < variance:
        raise InputError(
            f"a standard deviation of {math.sqrt(variance):.2g} between items or raters is more "
            "than answers of two kinds can have"
        )
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if between(middle) < variance else (low, middle)
    return (low + high) / 2
