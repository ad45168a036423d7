r"""Effect sizes of a comparison, each with an interval over items.

All are computed from what these raters gave the items that both systems have, and their intervals
are a delete-one jackknife over items with t quantiles: they speak for "these raters, new items".
(The difference in points, with its interval for raters like these, is the headline; effect sizes
put it on scales that other studies use.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval, Result
from jurybox.stats.clusters import THESE_RATERS
from jurybox.stats.distributions import check_confidence, t_quantile
from jurybox.stats.rank_tests import even_out, mid_ranks

__all__ = ["Effect", "cliff_delta", "hedges", "independent_delta", "paired_d", "rank_biserial"]

Array = NDArray[np.float64]

NAMES = {
    "rank_biserial": "matched-pairs rank-biserial correlation",
    "cliff_delta": "Cliff's delta within items",
    "cliff_delta_between": "Cliff's delta between item means",
    "d_av": "paired d (average SD)",
    "d_z": "paired d (SD of differences)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect(Result):
    """An effect size of one comparison."""

    label: ClassVar[str] = "effect size"
    neutral: ClassVar[float | None] = 0.0

    effect: str
    """``rank_biserial``, ``cliff_delta``, ``cliff_delta_between``, ``d_av`` or ``d_z``."""

    @property
    def name(self) -> str:
        """The effect size in words."""
        return NAMES[self.effect]


def hedges(df: int) -> float:
    r"""The factor that takes the small-study bias out of a standardized difference.

    .. math:: J = \frac{\Gamma(\nu/2)}{\sqrt{\nu/2}\;\Gamma((\nu - 1)/2)}

    References
    ----------
    Hedges (1981), doi:10.3102/10769986006002107, eq. 6e.

    >>> round(hedges(10), 4)
    0.9227
    """
    return math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2)


def _undefined(effect: str, why: str, n: int) -> Effect:
    return Effect(estimate=None, undefined=why, n_items=n, effect=effect)


def _made(
    effect: str,
    estimate: float,
    se: float,
    n: int,
    confidence: float,
    *,
    bounded: bool,
    why: str = "the items do not vary",
) -> Effect:
    """Estimate ± t · se; of what lies in [−1, 1], on Fisher's scale."""
    check_confidence(confidence)
    interval = None
    if se > 1e-12 and n > 1:
        half = t_quantile(confidence, n - 1) * se
        if bounded:
            at, half = math.atanh(estimate), half / (1 - estimate**2)
            low, high = math.tanh(at - half), math.tanh(at + half)
        else:
            low, high = estimate - half, estimate + half
        interval = Interval(
            low=low,
            high=high,
            confidence=confidence,
            method=f"jackknife over items{', Fisher z' if bounded else ''}, t({n - 1})",
            generalizes_to=THESE_RATERS,
        )
    return Effect(
        estimate=estimate,
        interval=interval,
        n_items=n,
        undefined=None if interval is not None else why,
        effect=effect,
    )


def _jackknife(without: Array) -> float:
    """√((n − 1)/n Σ (θ₍ᵢ₎ − θ̄)²) from the estimates without each item."""
    n = len(without)
    return math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))


def _gap(one: Array, two: Array) -> Array:
    size = float(max(np.abs(one).max(initial=0.0), np.abs(two).max(initial=0.0)))
    gap = np.asarray(one - two, dtype=np.float64)
    return np.asarray(np.sign(gap) * even_out(np.abs(gap), size))


def rank_biserial(one: Array, two: Array, *, confidence: float = 0.95) -> Effect:
    r"""The matched-pairs rank-biserial correlation of item means.

    .. math::
        r = \frac{W_+ - W_-}{W_+ + W_-}
          = \frac{\sum_{i \le j} \operatorname{sign}(d_i + d_j)}{\#\{i \le j: d_i, d_j
            \text{ not both } 0\}}

    with W the signed-rank sums (zeros ranked, then left out). The second form, a mean over pairs
    of items, gives every delete-one value at once.

    *Degenerate input.* No item differs: undefined. All items point one way: r is ±1, and without an
    interval, as nothing says how far from ±1 it might be.

    *Checked against* the definition on every reduced set, and SciPy's rank sums.

    References
    ----------
    Kerby (2014), doi:10.2466/11.IT.3.1.

    Examples
    --------
    >>> found = rank_biserial(np.array([4, 5, 3, 4, 1.0]), np.array([3, 3, 3, 2, 2.0]))
    >>> round(found.estimate, 3)
    0.643
    """
    d = _gap(one, two)
    n, zeros = len(d), int((d == 0).sum())
    if n - zeros == 0:
        why = "there is no item" if n == 0 else "no item's means differ"
        return _undefined("rank_biserial", why, n)
    ranks, signs = mid_ranks(np.abs(d)), np.sign(d)
    top = float((ranks * signs).sum())
    bottom = n * (n + 1) / 2 - zeros * (zeros + 1) / 2
    r = top / bottom
    if n < 2 or abs(r) > 1 - 1e-12:
        return _made("rank_biserial", r, 0.0, n, confidence, bounded=True, why=_one_way(n))
    # Σⱼ sign(dᵢ + dⱼ), i included: how many dⱼ lie above −dᵢ, minus how many below.
    ordered = np.sort(d)
    above = n - np.searchsorted(ordered, -d, side="right")
    below = np.searchsorted(ordered, -d, side="left")
    pairs = np.where(d == 0, n - zeros, n)
    left = bottom - pairs
    if (left <= 0).any():
        return _made("rank_biserial", r, 0.0, n, confidence, bounded=True, why="one item differs")
    without = (top - (above - below)) / left
    return _made("rank_biserial", r, _jackknife(without), n, confidence, bounded=True)


def _one_way(n: int) -> str:
    return "there is only one item" if n < 2 else "every item that differs points the same way"


def cliff_delta(dominance: Array, *, confidence: float = 0.95) -> Effect:
    r"""Cliff's delta within items, from each item's dominance.

    .. math:: \delta = \frac1I \sum_i \delta_i, \qquad
        \delta_i = \frac{\#\{y_{sia} > y_{tib}\} - \#\{y_{sia} < y_{tib}\}}{n_{si} n_{ti}}

    over all two responses a, b to the item's two outputs, by whichever raters: how much more often
    a response to the one lies above a response to the other than below, on the same item. (Cliff's
    own delta pools over items, so that hard and easy items dilute it.)

    *Degenerate input.* No shared item: undefined; ±1 or no variation between items: no interval.

    References
    ----------
    Cliff (1993), doi:10.1037/0033-2909.114.3.494.

    Examples
    --------
    >>> round(cliff_delta(np.array([1.0, 0.5, 0.0, 0.5])).estimate, 2)
    0.5
    """
    n = len(dominance)
    if n == 0:
        return _undefined("cliff_delta", "there is no item", 0)
    delta = float(np.mean(dominance))
    if n < 2 or abs(delta) > 1 - 1e-12:
        return _made("cliff_delta", delta, 0.0, n, confidence, bounded=True, why=_one_way(n))
    se = float(np.std(dominance, ddof=1)) / math.sqrt(n)
    return _made("cliff_delta", delta, se, n, confidence, bounded=True)


def independent_delta(one: Array, two: Array, *, confidence: float = 0.95) -> Effect:
    r"""Cliff's delta of two systems that share no item, between their item means.

    .. math:: \delta = \frac{\#\{y_i > z_j\} - \#\{y_i < z_j\}}{nm} = \frac{2U}{nm} - 1

    with the variance from the items' placements (DeLong, DeLong and Clarke-Pearson 1988,
    doi:10.2307/2531595), t with min(n, m) − 1 degrees of freedom.

    >>> round(independent_delta(np.array([4.0, 5, 2]), np.array([1.0, 2, 3])).estimate, 3)
    0.667
    """
    n, m = len(one), len(two)
    if n == 0 or m == 0:
        return _undefined("cliff_delta_between", "a system has no item", n + m)
    both = np.concatenate([one, two]).astype(np.float64)
    both = even_out(both, float(np.abs(both).max(initial=0.0)))
    x, y = both[:n], both[n:]
    place_x = _placement(x, y)
    place_y = -_placement(y, x)
    delta = float(place_x.mean())
    smaller = min(n, m)
    if smaller < 2 or abs(delta) > 1 - 1e-12:
        why = _one_way(smaller) if smaller < 2 else "the item means do not overlap"
        return _made("cliff_delta_between", delta, 0.0, smaller, confidence, bounded=True, why=why)
    se = math.sqrt(float(place_x.var(ddof=1)) / n + float(place_y.var(ddof=1)) / m)
    made = _made("cliff_delta_between", delta, se, smaller, confidence, bounded=True)
    interval = made.interval
    if interval is not None:
        interval = Interval(
            low=interval.low,
            high=interval.high,
            confidence=confidence,
            method=f"placements of items, Fisher z, t({smaller - 1})",
            generalizes_to=THESE_RATERS,
        )
    return Effect(
        estimate=made.estimate,
        interval=interval,
        undefined=made.undefined,
        n_items=n + m,
        effect="cliff_delta_between",
    )


def _placement(x: Array, y: Array) -> Array:
    """For each x the share of y below it minus the share above."""
    ordered = np.sort(y)
    below = np.searchsorted(ordered, x, side="left")
    above = len(y) - np.searchsorted(ordered, x, side="right")
    return np.asarray((below - above) / len(y), dtype=np.float64)


def paired_d(one: Array, two: Array, *, confidence: float = 0.95) -> tuple[Effect, Effect]:
    r"""The standardized difference of item means: by the average SD, and by that of differences.

    .. math::
        d_\text{av} = J \frac{\bar d}{\sqrt{(s_1^2 + s_2^2)/2}}, \qquad
        d_z = J \frac{\bar d}{s_d}

    with :math:`J` Hedges' factor for n − 1 degrees of freedom. Item means vary less the more raters
    they average, so that both grow with the number of raters: compare only like with like.

    *Degenerate input.* Fewer than three items, or items that do not vary: undefined.

    *Checked against* the definition on every reduced set.

    References
    ----------
    Lakens (2013), doi:10.3389/fpsyg.2013.00863, eqs. 7 and 10.

    Examples
    --------
    >>> by_average, by_difference = paired_d(
    ...     np.array([4.0, 5, 3, 4]), np.array([3.0, 3, 3, 1])
    ... )
    >>> round(by_average.estimate, 2), round(by_difference.estimate, 2)
    (1.19, 0.84)
    """
    d = _gap(one, two)
    first, second, between = _variances(one), _variances(two), _variances(d)
    average = _Variances(
        whole=(first.whole + second.whole) / 2, without=(first.without + second.without) / 2
    )
    return (
        _standardized("d_av", d, average, confidence),
        _standardized("d_z", d, between, confidence),
    )


@dataclass(frozen=True, slots=True)
class _Variances:
    whole: float
    without: Array
    """Without each of the items."""


def _variances(x: Array) -> _Variances:
    """The variance, and the variance without each: SS₋ᵢ = SS − n/(n − 1) (xᵢ − x̄)²."""
    n = len(x)
    if n < 3:
        return _Variances(0.0, np.zeros(n))
    square = (x - x.mean()) ** 2
    total = float(square.sum())
    floor = 1e-24 * float((x**2).sum())
    if total <= floor:
        return _Variances(0.0, np.zeros(n))
    left = np.maximum(total - n / (n - 1) * square, 0.0) / (n - 2)
    return _Variances(total / (n - 1), np.where(left * (n - 2) <= floor, 0.0, left))


def _standardized(effect: str, d: Array, by: _Variances, confidence: float) -> Effect:
    n = len(d)
    if n < 3:
        return _undefined(effect, "there are fewer than three items", n)
    if by.whole <= 0:
        return _undefined(effect, "the item means do not vary", n)
    factor = hedges(n - 1)
    estimate = factor * float(d.mean()) / math.sqrt(by.whole)
    if (by.without <= 0).any():
        why = "all items but one have the same mean"
        return _made(effect, estimate, 0.0, n, confidence, bounded=False, why=why)
    without = factor * ((d.sum() - d) / (n - 1)) / np.sqrt(by.without)
    return _made(effect, estimate, _jackknife(without), n, confidence, bounded=False)
