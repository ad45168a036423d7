"""What is assumed before there are data: how systems, items and raters behave in a planned study.

One response is the sum of its system's level, of what the item and the rater add, to all systems
alike and to each system its own, and of noise. In rate the sum is the score. In compare and rank
the outputs on a screen are put in the order of their sums, near ones in one place. In detect an
output is taken for real if its sum is above 0. In mark the sum is the logarithm of how many error
points are expected, and errors are counted. ``latent`` has the arithmetic.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from jurybox.errors import InputError, OptionError
from jurybox.simulate.screens import Screens
from jurybox.stats.power.crossed import Crossed
from jurybox.stats.power.pilot import Scatter

if TYPE_CHECKING:
    from jurybox.study.model import Protocol

__all__ = ["Compared", "Scenario", "default_scatter", "default_screens"]

Compared = Literal["one", "all", "baseline"]

RATE = Scatter(item=0.12, item_system=0.10, rater=0.12, rater_system=0.05, noise=0.17)
"""As shares of the scale's range: on 1 to 5 half a point between items, and between raters."""
COMPARE = Scatter(item_system=0.14, rater_system=0.06, noise=0.28)
"""Of one system's side of a vote that counts 1, ½ or 0: twice its variance is a vote's."""
DETECT = Scatter(item_system=0.20, rater=0.15, rater_system=0.07, noise=0.38)
"""Of an answer that counts 1 or 0."""
MARK = Scatter(item=0.5, item_system=0.4, rater=0.5, rater_system=0.2, noise=1.0)
"""As shares of the mean error points of an output."""
TIES = 0.2
"""The share of ties between equal systems."""
ACCEPTED = 0.7
"""How often real outputs are taken for real."""
POINTS = 5.0
"""Error points of an output: as of one major error of MQM, or of five minor ones."""


def default_scatter(protocol: Protocol, span: float = 1.0) -> Scatter:
    """The scatter assumed without a pilot.

    Of scores for a scale that is ``span`` long, of error points for a mean of ``span``.
    """
    if protocol in ("compare", "rank"):
        return COMPARE
    if protocol == "detect":
        return DETECT
    parts = ("item", "item_system", "rater", "rater_system", "noise")
    of = MARK if protocol == "mark" else RATE
    return Scatter(**{name: getattr(of, name) * span for name in parts})


def default_screens(protocol: Protocol) -> Screens:
    """Single outputs; in compare every pair, in rank all outputs of an item."""
    if protocol == "compare":
        return Screens(kind="pairs")
    if protocol == "rank":
        return Screens(kind="blocks", outputs=None)
    return Screens(kind="apart")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A study to be simulated, without its size."""

    protocol: Protocol
    effect: float
    """How much the first system is above every other one: in points, or as a share of 1. In
    detect, how much more often every generated system passes for real than real outputs do. In rank
    as in compare how often above 50% it would win with no third output on the screen."""
    scatter: Scatter
    systems: int = 2
    """In detect: the generated ones."""
    compared: Compared = "one"
    """Which comparisons are made: the first two systems alone, all of them as one family, or the
    first with each other one as a family. In detect each system is compared with the real outputs,
    and ``one`` is the first. Two systems that never meet on a screen have no win rate."""
    strengths: bool = False
    """In compare and rank: whether strengths are compared, which borrow from all pairs."""
    screens: Screens | None = None
    """Which outputs share a screen; ``None``: as ``default_screens`` has it."""
    ties: float = TIES
    """In compare and rank: the share of ties between equal systems."""
    best: bool = False
    """In rank: whether only the best output of a screen is named."""
    accepted: float = ACCEPTED
    """In detect: how often real outputs are taken for real."""
    real_share: float = 0.5
    """In detect: the share of real ones among the outputs shown."""
    points: float = POINTS
    """In mark: the mean error points of an output."""
    confidence: float = 0.95

    def __post_init__(self) -> None:
        fewest = 1 if self.protocol == "detect" else 2
        if self.systems < fewest:
            raise OptionError(f"there must be at least {fewest} systems; got {self.systems}")
        if not math.isfinite(self.effect):
            raise OptionError(f"the difference to detect must be a number; got {self.effect}")
        if self.strengths and (not self.is_preference or self.compared == "one"):
            raise OptionError("strengths are compared in a family of votes on several pairs")
        if not 0 <= self.ties < 1:
            raise InputError(f"the share of ties lies between 0 and 1; got {self.ties}")
        if not 0 < self.real_share < 1:
            raise InputError(f"the real share lies between 0 and 1; got {self.real_share}")
        if not (math.isfinite(self.points) and self.points > 0):
            raise InputError(f"outputs must have error points on average; got {self.points:g}")
        self._check_room()

    def _check_room(self) -> None:
        low, high = self.room
        if low < self.effect < high:
            return
        if self.protocol == "mark":
            raise OptionError(
                f"the difference to detect is {-self.effect:g} error points fewer, and outputs are "
                f"assumed to have {self.points:g}; look for a smaller one, or take the mean from a "
                "pilot"
            )
        what = "a win rate" if self.is_preference else "a share taken for real"
        raise OptionError(
            f"the difference to detect is {self.effect:g}, which makes {what} of "
            f"{self.effect - low:g}: it must lie between 0 and 1"
        )

    @property
    def is_preference(self) -> bool:
        """Whether outputs on one screen are put in order."""
        return self.protocol in ("compare", "rank")

    @property
    def room(self) -> tuple[float, float]:
        """Between what the difference to detect must lie."""
        if self.protocol == "rate":
            return -math.inf, math.inf
        if self.protocol == "mark":
            return -self.points, math.inf
        middle = 0.5 if self.is_preference else self.accepted
        return -middle, 1 - middle

    @property
    def shown(self) -> Screens:
        """Which outputs share a screen."""
        return self.screens or default_screens(self.protocol)

    @property
    def contrasts(self) -> tuple[tuple[int, int], ...]:
        """The two systems of every comparison made; the first is the one that must be found."""
        if self.protocol == "detect":
            n = 1 if self.compared == "one" else self.systems
            return tuple((s, self.systems) for s in range(n))
        if self.is_preference and not self.strengths:
            pairs = self.shown.meeting(self.systems)
        else:
            pairs = tuple(combinations(range(self.systems), 2))
        if self.compared == "baseline":
            return tuple(pair for pair in pairs if pair[0] == 0)
        return pairs[:1] if self.compared == "one" else pairs

    @property
    def n_compared(self) -> int:
        """How many comparisons are judged together."""
        return len(self.contrasts)

    def trials(self, items: int) -> int:
        """How many trials so many items make; in detect the items of one system, and real ones."""
        if self.protocol == "detect":
            return items * self.systems + self.n_real(items)
        return self.shown.count(self.systems, items)

    def met(self, items: int) -> float:
        """On how many of the items two systems are set against each other, on average."""
        if not self.is_preference:
            return items
        size = self.shown.on_screen(self.systems)
        pairs = len(self.shown.meeting(self.systems))
        return self.trials(items) * math.comb(size, 2) / pairs

    def n_real(self, items: int) -> int:
        """In detect: how many real outputs are shown beside so many of each generated system."""
        return max(1, round(items * self.systems * self.real_share / (1 - self.real_share)))

    def check(self, size: Crossed) -> None:
        """Refuse a size that no comparison can be made with."""
        if size.items < 2 or size.raters < 2:
            raise InputError(
                f"a study to simulate has two items and two raters or more; got {size.items} and "
                f"{size.raters}"
            )
