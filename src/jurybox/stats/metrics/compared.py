"""One automatic metric against another: which of the two follows people better."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval
from jurybox.stats.clusters import THESE_RATERS, Spread, t_interval
from jurybox.stats.distributions import t_two_sided
from jurybox.stats.metrics import across_systems
from jurybox.stats.metrics.against_people import per_item
from jurybox.stats.metrics.correlation import midranks, pearson
from jurybox.stats.metrics.results import Level, MetricComparison, Statistic
from jurybox.stats.multiple import in_family

__all__ = ["compare_metrics", "williams"]

Array = NDArray[np.float64]
BLOCK = 2_000_000
FINE = 100
"""Exchanges for each pair of metrics: that p, times the number of pairs, can be 1 in so many."""
ENOUGH = 10
"""Exchanges beyond what is seen that make more of them needless."""
TESTED: tuple[tuple[Level, Statistic], ...] = (
    ("output", "pearson"),
    ("output", "spearman"),
    ("item", "acc_eq"),
    ("system", "soft_pairwise_accuracy"),
)


def compare_metrics(
    people: Array,
    metrics: Mapping[str, Array],
    *,
    criterion: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int,
) -> list[MetricComparison]:
    r"""Every two metrics compared by a paired permutation of items; p adjusted by Holm.

    Parameters
    ----------
    people
        Items × systems: the mean score of each output.
    metrics
        Per metric items × systems.

    Notes
    -----
    Under the hypothesis that two metrics follow people equally well, their standardized values may
    be exchanged for any item, for all its outputs at once; p is the share of such exchanges with a
    difference at least as large. Spearman's is exchanged in ranks. Within items, where the
    statistic is a mean over items, exchanging flips the sign of the item's difference. Outputs with
    a value of both metrics count.

    No p is smaller than one in the number of exchanges, and Holm multiplies it by the number of
    pairs. So where fewer than 10 of ``n_resamples`` exchanges reach the difference that is seen,
    more are drawn, up to 100 for each pair of metrics.

    References
    ----------
    Deutsch, Dror and Roth (2021), doi:10.1162/tacl_a_00417; Noreen (1989), Computer-intensive
    methods for testing hypotheses; Besag and Clifford (1991), doi:10.1093/biomet/78.2.301.
    """
    found: list[MetricComparison] = []
    pairs = list(combinations(metrics, 2))
    exchanges = n_resamples, FINE * len(pairs)
    for level, statistic in TESTED:
        rows = []
        for one, two in pairs:
            made = MetricComparison(
                estimate=None,
                undefined="one of the metrics or the mean score does not vary",
                metric=one,
                other=two,
                level=level,
                statistic=statistic,
                criterion=criterion,
                test="paired permutation of items",
            )
            pair = _Pair(people, metrics[one], metrics[two], seed, exchanges)
            rows.append(_TESTS[level](pair, made, confidence, n_resamples))
        adjusted = in_family([row.p for row in rows])
        size = sum(row.p is not None for row in rows)
        found += [
            row
            if p is None
            else replace(row, p_adjusted=p, adjusted_by=f"Holm over {size:,} comparisons")
            for row, p in zip(rows, adjusted, strict=True)
        ]
    return found


class _Pair:
    """Two metrics and people on the outputs that have all three.

    ``exchanges``: how many there are at first, and how many at the most.
    """

    def __init__(
        self, people: Array, one: Array, two: Array, seed: int, exchanges: tuple[int, int]
    ) -> None:
        there = ~(np.isnan(people) | np.isnan(one) | np.isnan(two))
        used = there.any(axis=1)
        self.there = there[used]
        self.y, self.one, self.two = (
            np.where(there, side, np.nan)[used] for side in (people, one, two)
        )
        self.seed = seed
        self.first, self.most = exchanges

    def __len__(self) -> int:
        return len(self.y)

    def p(self, observed: float, items: int, exchanged: Callable[[Array], Array]) -> float:
        """The share of exchanges that reach the difference seen.

        ``exchanged``: the differences for replicates × items, 1 where the metrics change places.
        """
        rng = np.random.default_rng(self.seed)
        step = min(self.first, max(1, BLOCK // max(1, items)))
        drawn = beyond = 0
        while drawn < self.first or (beyond < ENOUGH and drawn < self.most):
            flips = rng.integers(0, 2, (step, items)).astype(np.float64)
            beyond += int((np.abs(exchanged(flips)) >= abs(observed) - 1e-12).sum())
            drawn += step
        return (1 + beyond) / (1 + drawn)

    def standardized(self, side: Array, *, ranks: bool) -> Array | None:
        """Zero mean, unit variance over all outputs; 0 where there is none."""
        values = side[self.there]
        values = midranks(values) if ranks else values
        if len(values) < 3 or (values == values[0]).all():
            return None
        filled = np.zeros(side.shape)
        filled[self.there] = (values - values.mean()) / values.std()
        return filled


def _outputs(
    pair: _Pair, made: MetricComparison, confidence: float, n_resamples: int
) -> MetricComparison:
    ranks = made.statistic == "spearman"
    sides = [pair.standardized(side, ranks=ranks) for side in (pair.one, pair.two, pair.y)]
    if any(side is None for side in sides):
        return made
    one, two, y = (np.asarray(side) for side in sides)
    # Sums per item, so that exchanging or leaving out items only adds up other sums.
    base = np.column_stack([pair.there.sum(axis=1), y.sum(axis=1), (y * y).sum(axis=1)])
    own = [
        np.column_stack([x.sum(axis=1), (x * x).sum(axis=1), (x * y).sum(axis=1)])
        for x in (one, two)
    ]
    whole = base.sum(axis=0)
    observed = float(_correlation(whole, own[0].sum(axis=0)) - _correlation(whole, own[1].sum(0)))

    def exchanged(flips: Array) -> Array:
        moved, back = flips @ own[0], flips @ own[1]
        kept, there = own[0].sum(axis=0) - moved, own[1].sum(axis=0) - back
        return _correlation(whole, kept + back) - _correlation(whole, there + moved)

    left = whole - base
    left_out = _correlation(left, own[0].sum(axis=0) - own[0]) - _correlation(
        left, own[1].sum(axis=0) - own[1]
    )
    p = pair.p(observed, len(pair), exchanged)
    result = replace(made, estimate=observed, p=p, n_items=len(pair))
    if pair.there.sum(axis=1).max(initial=0) == 1 and len(pair) > 3 and not ranks:
        result = _by_williams(result, one[pair.there], two[pair.there], y[pair.there])
    return _with_interval(result, left_out[np.isfinite(left_out)], confidence)


def _correlation(base: Array, own: Array) -> Array:
    """Pearson's r from (n, Σy, Σy²) and (Σx, Σx², Σxy)."""
    n, y, yy = np.moveaxis(base, -1, 0)
    x, xx, xy = np.moveaxis(own, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (xy - x * y / n) / np.sqrt((xx - x * x / n) * (yy - y * y / n))
    return np.asarray(found, dtype=np.float64)


def _by_williams(row: MetricComparison, one: Array, two: Array, y: Array) -> MetricComparison:
    """One output per item: the units are independent, and Williams' test holds."""
    first, second, between = pearson(one, y), pearson(two, y), pearson(one, two)
    if first is None or second is None or between is None or abs(between) >= 1 - 1e-12:
        return row
    t, p = williams(first, second, between, len(y))
    return replace(row, p=p, test=f"Williams' t = {t:.3f}")


def _with_interval(row: MetricComparison, values: Array, confidence: float) -> MetricComparison:
    n = len(values)
    variance = float(((values - values.mean()) ** 2).sum()) * (n - 1) / n if n > 1 else 0.0
    if variance <= 1e-24:
        return replace(row, undefined="the items do not vary")
    spread = Spread(
        variance=variance,
        df=n - 1,
        method=f"jackknife by item, t({n - 1})",
        generalizes_to=THESE_RATERS,
    )
    interval = t_interval(row.estimate or 0.0, spread, confidence)
    return replace(row, interval=interval, undefined=None)


def _items(
    pair: _Pair, made: MetricComparison, confidence: float, n_resamples: int
) -> MetricComparison:
    rows = [per_item(made.statistic, x, pair.y, pair.seed)[0] for x in (pair.one, pair.two)]
    gap = rows[0] - rows[1]
    gap = gap[~np.isnan(gap)]
    n = len(gap)
    if n < 2:
        return replace(made, undefined="fewer than two items have two systems to order")
    observed = float(gap.mean())
    left_out = (gap.sum() - gap) / (n - 1)
    p = pair.p(observed, n, lambda flips: (2 * flips - 1) @ gap / n)
    result = replace(made, estimate=observed, p=p, n_items=n)
    return _with_interval(result, left_out, confidence)


def _systems(
    pair: _Pair, made: MetricComparison, confidence: float, n_resamples: int
) -> MetricComparison:
    sides = [pair.standardized(side, ranks=False) for side in (pair.one, pair.two)]
    n_systems = int(pair.there.any(axis=0).sum())
    if n_systems < 2 or any(side is None for side in sides):
        return replace(made, undefined="there are fewer than two systems, or a side does not vary")
    use = pair.there.any(axis=0)
    y = pair.y[:, use]
    one, two = (np.where(pair.there, np.asarray(side), np.nan)[:, use] for side in sides)
    observed = float(_soft_gap(one, two, y, None)[0])
    if math.isnan(observed):
        return replace(made, undefined=across_systems.NONE_SHARED)
    # Both metrics' values below each other: an exchange says which of an item's two count.
    both, people = np.vstack([one, two]), np.vstack([y, y])

    def exchanged(flips: Array) -> Array:
        first, second = np.hstack([1 - flips, flips]), np.hstack([flips, 1 - flips])
        return _soft(both, people, first) - _soft(both, people, second)

    rng = np.random.default_rng(pair.seed)
    again = np.concatenate(
        [_soft_gap(one, two, y, w) for w in across_systems.resampled(len(y), n_resamples, rng)]
    )
    low, high = np.quantile(again[~np.isnan(again)], [(1 - confidence) / 2, (1 + confidence) / 2])
    p = pair.p(observed, len(pair), exchanged)
    result = replace(made, estimate=observed, p=p, n_items=len(pair))
    if high - low < 1e-12:
        return replace(result, undefined="every resample of the items gives the same value")
    interval = Interval(
        low=min(observed, float(low)),
        high=max(observed, float(high)),
        confidence=confidence,
        method=f"bootstrap of items with the systems fixed, {n_resamples:,} resamples",
        generalizes_to=THESE_RATERS + ", for these systems",
    )
    return replace(result, interval=interval, undefined=None)


def _soft_gap(one: Array, two: Array, y: Array, weight: Array | None) -> Array:
    return _soft(one, y, weight) - _soft(two, y, weight)


def _soft(x: Array, y: Array, weight: Array | None) -> Array:
    return across_systems.soft_pairwise_accuracy(x, y, weight)[0]


_TESTS = {"output": _outputs, "item": _items, "system": _systems}


def williams(r_one: float, r_two: float, between: float, n: int) -> tuple[float, float]:
    r"""Williams' t of two correlations with the same third variable, and its two-sided p.

    .. math:: t = (r_1 - r_2) \sqrt{\frac{(n - 1)(1 + r_{12})}
        {2 K \frac{n - 1}{n - 3} + \frac{(r_1 + r_2)^2}{4}(1 - r_{12})^3}}, \qquad
        K = 1 - r_{12}^2 - r_1^2 - r_2^2 + 2 r_{12} r_1 r_2

    with n − 3 degrees of freedom; only for independent units.

    References
    ----------
    Williams (1959), Regression analysis; Graham and Baldwin (2014), doi:10.3115/v1/D14-1020.
    """
    k = 1 - between**2 - r_one**2 - r_two**2 + 2 * between * r_one * r_two
    below = 2 * k * (n - 1) / (n - 3) + (r_one + r_two) ** 2 / 4 * (1 - between) ** 3
    t = (r_one - r_two) * math.sqrt((n - 1) * (1 + between) / below)
    return t, t_two_sided(t, n - 3)
