"""What a judge's verdicts depend on besides the outputs: one row per judge and bias."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError
from jurybox.results import Interval, ResultTable
from jurybox.stats.clusters import Spread
from jurybox.stats.distributions import normal_two_sided, t_quantile, t_two_sided
from jurybox.stats.logits import logit_ends
from jurybox.stats.multiple import Comparison
from jurybox.stats.shares import wilson

__all__ = [
    "BIASES",
    "THIS_JUDGE",
    "Bias",
    "JudgeBias",
    "JudgeBiases",
    "Kind",
    "LogOddsBias",
    "OverItems",
    "Replies",
    "ShareBias",
    "over_items",
]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
Bias = Literal[
    "position",
    "first_shown",
    "repeats",
    "wording",
    "verbosity",
    "self_preference",
    "leniency",
    "compression",
]
BIASES: dict[Bias, str] = {
    "position": "position",
    "first_shown": "first-shown advantage",
    "repeats": "repeats that differ",
    "wording": "wording",
    "verbosity": "verbosity",
    "self_preference": "self-preference",
    "leniency": "leniency",
    "compression": "compression",
}
Kind = Literal["share", "excess", "advantage", "number"]
"""A share; one share less another; a share less one half; or a number."""
MOST: dict[Kind, float] = {"excess": 1.0, "advantage": 0.5}
"""How large each can be."""
THIS_JUDGE = "items like these, judged by this judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeBias(Comparison):
    """One bias of one judge; 0 is none, against which ``p`` tests.

    Repeats that differ are chance and no bias, and have no p.
    """

    label: ClassVar[str] = "bias of a judge"
    neutral: ClassVar[float | None] = 0.0
    unit: ClassVar[str] = "points"
    """What it is counted in: points of the scale."""

    judge: str
    bias: Bias
    criterion: str | None = None
    against: str | None = None
    """Whom the judge is held against: ``people``, ``other judges``, or another judge's name."""
    observed: float | None = None
    """What differs between orders, or wordings, before ``chance`` is taken off."""
    chance: float | None = None
    """What differs between repeats of one call."""

    @property
    def name(self) -> str:
        """The judge and the bias."""
        against = self.against
        tail = "" if against in (None, "people") else f" against {against}"
        return f"{self.judge}, {BIASES[self.bias]}{tail}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareBias(JudgeBias):
    """The same as a share."""

    as_percent: ClassVar[bool] = True
    unit: ClassVar[str] = "share"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOddsBias(JudgeBias):
    """The same as log-odds to win."""

    unit: ClassVar[str] = "log-odds"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JudgeBiases(ResultTable):
    """Every bias of every judge."""

    label: ClassVar[str] = "biases of judges"

    rows: tuple[JudgeBias, ...]
    confidence: float = 0.95

    def of(self, judge: str, bias: Bias) -> JudgeBias:
        """The first row of a judge and a bias."""
        for row in self.rows:
            if (row.judge, row.bias) == (judge, bias):
                return row
        raise InputError(f"biases of judges: there is no {bias!r} of {judge!r}")


class Replies(Protocol):
    """People's answers and judges' replies to units; see ``tally.judge_replies.JudgeReplies``."""

    @property
    def shape(self) -> str:
        """``votes``, ``ratings`` or ``detections``."""

    @property
    def is_number(self) -> bool:
        """Whether answers are numbers of a scale."""

    @property
    def judges(self) -> tuple[str, ...]:
        """By name."""

    @property
    def systems(self) -> tuple[str, ...]:
        """By name."""

    @property
    def items(self) -> tuple[str, ...]:
        """By number."""

    @property
    def unit_item(self) -> Numbers:
        """The item of each unit."""

    @property
    def unit_systems(self) -> Numbers:
        """Units × 1 or 2 systems."""

    @property
    def unit(self) -> Numbers:
        """The unit of each of people's answers."""

    @property
    def rater(self) -> Numbers:
        """Who gave it."""

    @property
    def value(self) -> Array:
        """What it was."""

    @property
    def judge(self) -> Numbers:
        """The judge of each reply."""

    @property
    def reply_unit(self) -> Numbers:
        """Its unit."""

    @property
    def order(self) -> Numbers:
        """The order shown; of votes 1 if the first system by name was shown first, 0 if not."""

    @property
    def code(self) -> Numbers:
        """The answer, as a number that only tells whether two are the same."""

    @property
    def reply(self) -> Array:
        """The answer as a value."""

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Whether a person answered each unit."""

    def given(self, judge: int) -> Array:
        """The judge's answer to each unit, NaN without."""

    def once(self, judge: int) -> Array:
        """One reply of the judge to each unit, NaN without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverItems:
    """A mean over units, clustered by item."""

    mean: float
    interval: Interval | None
    undefined: str | None
    """Why there is no interval."""
    p: float | None
    """Of the test against 0 that the interval inverts."""
    n_items: int


def over_items(value: Array, item: Numbers, *, confidence: float, kind: Kind) -> OverItems:
    r"""The mean of units with :math:`\sqrt{\tfrac{G}{G-1}\sum_g \psi_g^2}`, clustered by item.

    Where no item departs from 0, or from 1, Wilson's interval of as many units as there are items;
    of an ``advantage``, which is at most half of what differs, half of it around 0, and Wilson's
    less one half at its ends.
    """
    mean = float(value.mean())
    group = np.unique(item, return_inverse=True)[1].ravel()
    n = int(group.max()) + 1
    if n < 2:
        why = "there is only one item"
        return OverItems(mean=mean, interval=None, undefined=why, p=None, n_items=n)
    moved = np.bincount(group, value - mean) / len(value)
    variance = float((moved**2).sum()) * n / (n - 1)
    if variance <= 1e-24 * max(1.0, mean**2):
        return _without_scatter(round(mean, 12), n, confidence, kind)
    df = n - 1
    spread = Spread(
        variance=variance, df=df, method=f"clustered by item, t({df})", generalizes_to=THIS_JUDGE
    )
    critical = t_quantile(confidence, df)
    low, high = mean - critical * spread.se, mean + critical * spread.se
    method = spread.method
    if kind == "share" and 0 < mean < 1:
        low, high = logit_ends(mean, spread, critical)
        method = f"logit, {method}"
    elif kind in MOST:
        low, high = max(low, -MOST[kind]), min(high, MOST[kind])
    made = Interval(
        low=low, high=high, confidence=confidence, method=method, generalizes_to=THIS_JUDGE
    )
    # A share of 0 lies at the end of what is possible: no t tests for it.
    p = None if kind == "share" else t_two_sided(mean / spread.se, df)
    return OverItems(mean=mean, interval=made, undefined=None, p=p, n_items=n)


def _without_scatter(mean: float, n: int, confidence: float, kind: Kind) -> OverItems:
    """All items alike: Wilson's interval, and its z against one half.

    Whatever has the mean 0 and lies between -1 and 1 (an advantage: half of that) is at its end in
    at most one half of the items, so that one half is what a bias of 1 is tested against.
    """
    size = MOST.get(kind, 1.0)
    made: Interval | None = None
    if kind in ("share", "excess") and mean in (0.0, 1.0):
        made = wilson(mean, n, confidence, THIS_JUDGE)
    elif kind == "advantage" and mean == 0.0:
        whole = wilson(0.0, n, confidence, THIS_JUDGE)
        made = replace(whole, low=-whole.high / 2, high=whole.high / 2)
    elif kind == "advantage" and abs(mean) == size:
        whole = wilson(mean + size, n, confidence, THIS_JUDGE)
        made = replace(whole, low=whole.low - size, high=whole.high - size)
    if made is None:
        why = f"the {n:,} items do not vary"
        return OverItems(mean=mean, interval=None, undefined=why, p=None, n_items=n)
    p = None if kind == "share" else normal_two_sided(math.sqrt(n) if mean else 0.0)
    return OverItems(mean=mean, interval=made, undefined=None, p=p, n_items=n)
