r"""Trends along a sitting: how far answers move from a rater's first trial to the last.

The place of a trial is rescaled within its rater, from 0 (first) to 1 (last), so a slope is the
change over a whole sitting, however long it was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval
from jurybox.stats.clusters import (
    Claims,
    Cluster,
    Generalize,
    OneWay,
    Sums,
    claims,
    ratio_variances,
    t_interval,
)
from jurybox.stats.distributions import check_confidence, t_two_sided
from jurybox.stats.multiple import Comparison

__all__ = [
    "Placed",
    "ShareTrend",
    "Trend",
    "as_ratio",
    "as_share",
    "hold_fixed",
    "score_variance",
    "sitting_trend",
    "slope",
]

ROUNDS = 500
"""Alternating projections converge geometrically; designs that need more are all but confounded."""
CLOSE = 1e-10
"""What the last projection may still move, relative to the values."""
CONFOUNDED = (
    "hardly any output was judged at different places of a sitting, so a trend cannot be told from "
    "the outputs themselves"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend(Comparison):
    """The change from the first to the last trial of a sitting."""

    label: ClassVar[str] = "change over the sitting"
    neutral: ClassVar[float | None] = 0.0

    what: str
    """What changes: `score`, `seconds`, `agreement`, …"""
    criterion: str | None = None
    rater: str | None = None
    """The rater whose own trend it is; ``None`` for all together."""
    df: int | None = None

    @property
    def name(self) -> str:
        """What changes, and on which criterion."""
        return self.what if self.criterion is None else f"{self.what}, {self.criterion}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareTrend(Trend):
    """The same of a share, or of a time relative to itself."""

    as_percent: ClassVar[bool] = True


class Placed(Protocol):
    """Answers with their place in the sitting; clusters are numbered from 0."""

    @property
    def unit(self) -> NDArray[np.int64]:
        """What was judged."""

    @property
    def item(self) -> NDArray[np.int64]:
        """Its item."""

    @property
    def rater(self) -> NDArray[np.int64]:
        """Who judged."""

    @property
    def x(self) -> NDArray[np.float64]:
        """The place, from 0 to 1."""


def slope(
    sums: Sums,
    k: int,
    *,
    what: str,
    confidence: float = 0.95,
    cluster: Cluster = "item",
    generalize: Generalize = "items",
) -> Trend:
    r"""The k-th ratio :math:`\sum dx\,de / \sum dx^2` as a slope, with its clustered t."""
    found = ratio_variances(sums, k)
    claim = claims(found, cluster=cluster, generalize=generalize)
    n = {kind: one.clusters for kind, one in found.items()}
    return _trend(float(sums.value[k]), claim, n, int(sums.n[k]), what=what, confidence=confidence)


def _trend(
    estimate: float,
    claim: Claims,
    clusters: dict[str, int],
    n: int,
    *,
    what: str,
    confidence: float,
) -> Trend:
    main = claim.main
    return Trend(
        estimate=estimate,
        interval=t_interval(estimate, main, confidence),
        these_raters=t_interval(estimate, claim.these_raters, confidence),
        p=None if main is None else t_two_sided(estimate / main.se, main.df),
        df=None if main is None else main.df,
        n_items=clusters.get("item"),
        n_raters=clusters.get("rater"),
        n_responses=n,
        undefined=claim.undefined,
        notes=claim.notes,
        what=what,
    )


def sitting_trend(
    placed: Placed,
    y: NDArray[np.float64],
    *,
    what: str,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> Trend:
    r"""The slope of an answer on its place, with every output and every rater held fixed.

    .. math:: y_{ru} = \alpha_u + \beta_r + \gamma x_{ru} + \varepsilon_{ru}

    Outputs and raters are projected out of y and x in turn until nothing moves
    (Frisch–Waugh–Lovell), then :math:`\hat\gamma = \sum \tilde x \tilde y / \sum \tilde x^2` with a
    sandwich clustered by rater and item.

    Notes
    -----
    *Degenerate input.* No output judged by two raters, or all raters in the same order: undefined,
    because the place and the output then cannot be told apart. All answers alike: no interval.

    *Coverage.* Where raters drift alike, 95% intervals covered 94 to 97% of 400 simulated studies;
    where their slopes differ as much as answers scatter, 92% with 5 raters, 94% with 10 and more,
    and 91% with 20 who saw a third of the items each.

    References
    ----------
    Cameron, Gelbach and Miller (2011), doi:10.1198/jbes.2010.07136.
    """
    check_confidence(confidence)
    n = len(y)
    shared = n > 0 and bool((np.bincount(placed.unit)[placed.unit] > 1).any())
    if not shared:
        why = "no output was judged by two raters at known places of the sitting"
        return Trend(estimate=None, undefined=why, n_responses=n, what=what)
    levels = (placed.unit, placed.rater)
    x = hold_fixed(placed.x, *levels)
    weight = float(x @ x)
    if weight <= 1e-6 * max(float(((placed.x - placed.x.mean()) ** 2).sum()), 1e-12):
        return Trend(estimate=None, undefined=CONFOUNDED, n_responses=n, what=what)
    left = hold_fixed(y, *levels)
    gamma = float(x @ left) / weight
    score = x * (left - gamma * x) / weight
    codes = placed.item * (int(placed.rater.max()) + 1) + placed.rater
    cells = np.unique(codes, return_inverse=True)[1]
    kinds = {"item": placed.item, "rater": placed.rater, "cell": cells}
    kinds |= {"row": np.arange(n)} if cluster is None else {}
    # What rounding leaves of answers that do not vary at all.
    floor = 1e-20 * max(float(y @ y), 1.0) / weight
    found = {kind: score_variance(score, number, floor) for kind, number in kinds.items()}
    claim = claims(found, cluster=cluster, generalize=generalize)
    clusters = {kind: one.clusters for kind, one in found.items()}
    return _trend(gamma, claim, clusters, n, what=what, confidence=confidence)


def score_variance(score: NDArray[np.float64], number: NDArray[np.int64], floor: float) -> OneWay:
    r"""The variance :math:`\frac{G}{G-1} \sum_g (\sum_{i \in g} s_i)^2` of a sum of scores s."""
    clusters = int(np.count_nonzero(np.bincount(number)))
    total = float((np.bincount(number, weights=score) ** 2).sum())
    if clusters < 2 or total <= floor:
        return OneWay(variance=0.0, clusters=clusters)
    return OneWay(variance=total * clusters / (clusters - 1), clusters=clusters)


def hold_fixed(values: NDArray[np.float64], *levels: NDArray[np.int64]) -> NDArray[np.float64]:
    """What is left of values when every number of each kind has a level of its own."""
    left: NDArray[np.float64] = values - values.mean()
    size = math.sqrt(float(left @ left))
    sides = [(n, np.maximum(np.bincount(n), 1)) for n in levels]
    for _ in range(ROUNDS):
        moved = 0.0
        for number, counts in sides:
            means = np.bincount(number, weights=left) / counts
            left -= means[number]
            moved = float(counts @ means**2)
        if moved <= (CLOSE * size) ** 2:
            break
    return left


def _grown(slope: float) -> float:
    return math.expm1(slope) if slope < 700 else math.inf


def as_ratio(trend: Trend) -> ShareTrend:
    r"""A slope of logarithms as a relative change, :math:`e^\gamma - 1`."""

    def turned(interval: Interval | None) -> Interval | None:
        if interval is None:
            return None
        return replace(interval, low=_grown(interval.low), high=_grown(interval.high))

    return replace(
        as_share(trend),
        estimate=None if trend.estimate is None else _grown(trend.estimate),
        interval=turned(trend.interval),
        these_raters=turned(trend.these_raters),
    )


def as_share(trend: Trend) -> ShareTrend:
    """A trend of zeros and ones, which is printed in percent."""
    return trend.as_kind(ShareTrend)
