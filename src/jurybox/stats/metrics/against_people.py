"""Automatic metrics against people: at the level of outputs, within items, and across systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval
from jurybox.stats.clusters import OneWay, Spread, claims, satterthwaite, t_interval
from jurybox.stats.distributions import check_confidence
from jurybox.stats.metrics import across_systems, within_items
from jurybox.stats.metrics.across_systems import DrawnSystems
from jurybox.stats.metrics.correlation import kendall, level_ties, pearson, spearman
from jurybox.stats.metrics.judged import GROUPS, Judged, People
from jurybox.stats.metrics.replicates import Replicates
from jurybox.stats.metrics.results import Correlation, Level, Statistic

__all__ = [
    "correlations",
    "one_correlation",
    "per_item",
    "set_level",
]

Array = NDArray[np.float64]
FEW_SYSTEMS = 5
"""Systems below which there are only pairs of them to count."""
FEWEST_OUTPUTS = 3
"""Any two outputs lie on a line."""
PER_ITEM: dict[str, Callable[[Array, Array], Array]] = {
    "pearson": within_items.pearson_rows,
    "spearman": within_items.spearman_rows,
    "kendall": within_items.kendall_rows,
}
CONSTANT = {
    "output": "the metric or the mean score is the same for every output",
    "item": "within every item the metric or the mean score is the same for all systems",
}
NO_THRESHOLD = "too few items have two systems to choose the tie threshold on others"
POOLED: dict[str, Callable[[Array, Array], float | None]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}


def correlations(
    judged: Judged,
    metrics: Mapping[str, Array],
    *,
    criterion: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int,
) -> list[Correlation]:
    r"""Every metric against people, at the level of outputs, items and systems.

    Parameters
    ----------
    judged
        People's scores.
    metrics
        Per metric items × systems; NaN where it has no value.

    Notes
    -----
    *Output*: one correlation over all outputs, of the metric with the mean score. *Item*: the plain
    mean of the correlations within items across systems; items where a side is constant are
    dropped and counted. *System*: of the means of the systems.

    Intervals of the first two leave out clusters one by one (jackknife; correlations of more than
    200 items in as many random groups, and their method says so), correlations on Fisher's scale
    :math:`\operatorname{atanh} r`, and add up both ways:
    :math:`V_\text{item} + V_\text{rater} - V_{\text{item}\cap\text{rater}}`, the last from cells
    left out in 100 random groups. Across systems items are resampled and the systems stay; from
    ten systems on both are resampled for ``other_systems``, too.
    """
    check_confidence(confidence)
    people = People(judged, seed)
    found: list[Correlation] = []
    for metric, values in metrics.items():
        common: dict[str, Any] = {"metric": metric, "criterion": criterion}
        for level in ("output", "item"):
            found += _jackknifed(people, values, level, common, confidence)
        found += _system_level(people, values, common, confidence, n_resamples)
    return found


def one_correlation(
    judged: Judged,
    values: Array,
    statistic: Literal["pearson", "spearman", "kendall"],
    *,
    metric: str = "",
    criterion: str | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> Correlation:
    """One metric's correlation with people over all outputs."""
    people = People(judged, seed)
    common: dict[str, Any] = {"metric": metric, "criterion": criterion}
    return _one(people, values, people.means, "output", statistic, common, confidence)


def set_level(
    judged: Judged,
    metric: str,
    values: Sequence[float | None],
    *,
    criterion: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int,
) -> list[Correlation]:
    """A metric with one value per system (FID, say) against people, across systems only."""
    row = np.array([np.nan if value is None else value for value in values])
    matrix = np.where(judged.count > 0, row, np.nan)
    common: dict[str, Any] = {"metric": metric, "criterion": criterion}
    people = People(judged, seed)
    found = _system_level(people, matrix, common, confidence, n_resamples)
    # Its p-values within items would be made of one number per system.
    return [each for each in found if each.statistic != "soft_pairwise_accuracy"]


def per_item(statistic: Statistic, x: Array, y: Array, seed: int) -> tuple[Array, float | None]:
    """The statistic within every item, and the tie threshold where it has one."""
    if statistic == "acc_eq":
        fold = np.random.default_rng(seed).permutation(np.arange(len(x)) % within_items.FOLDS)
        made = within_items.calibrated_accuracy(x, y, fold)
        return made.rows, made.threshold
    return PER_ITEM[statistic](x, y), None


def _jackknifed(
    people: People, x: Array, level: Level, common: dict[str, Any], confidence: float
) -> list[Correlation]:
    y = people.means
    statistics: Sequence[Statistic] = (
        ("pearson", "spearman", "kendall")
        if level == "output"
        else ("acc_eq", "pearson", "spearman", "kendall")
    )
    if level == "item" and ((~np.isnan(x) & ~np.isnan(y)).sum(axis=1) > 1).sum() == 0:
        why = "no item has two systems with both a metric's value and a score"
        return [
            Correlation(estimate=None, undefined=why, level=level, statistic=statistic, **common)
            for statistic in statistics
        ]
    return [_one(people, x, y, level, s, common, confidence) for s in statistics]


def _one(
    people: People,
    x: Array,
    y: Array,
    level: Level,
    statistic: Statistic,
    common: dict[str, Any],
    confidence: float,
) -> Correlation:
    there = ~np.isnan(x) & ~np.isnan(y)
    counts: dict[str, Any] = {
        "n_items": int(there.any(axis=1).sum()),
        "n_systems": int(there.any(axis=0).sum()),
        "n_raters": people.judged.n_raters,
        "n_responses": int(people.judged.count[there].sum()),
        "level": level,
        "statistic": statistic,
        **common,
    }

    def value(x: Array, y: Array) -> float | None:
        if level == "output":
            both = ~np.isnan(x) & ~np.isnan(y)
            return POOLED[statistic](x[both], y[both])
        rows = per_item(statistic, x, y, people.seed)[0]
        return None if np.isnan(rows).all() else float(np.nanmean(rows))

    if level == "output" and there.sum() < FEWEST_OUTPUTS:
        why = "fewer than three outputs have both a metric's value and a score"
        return Correlation(estimate=None, undefined=why, **counts)
    estimate = value(x, y)
    if estimate is None:
        why = NO_THRESHOLD if statistic == "acc_eq" else CONSTANT[level]
        return Correlation(estimate=None, undefined=why, **counts)
    threshold = None
    if level == "item":
        rows, threshold = per_item(statistic, x, y, people.seed)
        counts["n_dropped"] = int((np.isnan(rows) & (there.sum(axis=1) > 1)).sum())
    fisher = statistic != "acc_eq" and level == "output"
    variances = _variances(people, x, y, level, statistic, value, fisher=fisher)
    claim = claims(variances)
    main = _satterthwaite(claim.main, variances)
    center = math.atanh(estimate) if fisher and abs(estimate) < 1 else estimate
    exact = fisher and abs(estimate) == 1
    ends = [
        None
        if exact
        else _turned_back(
            t_interval(center, spread, confidence),
            statistic,
            fisher=fisher,
            grouped=level == "output" and len(x) > GROUPS,
        )
        for spread in (main, claim.these_raters)
    ]
    return Correlation(
        estimate=estimate,
        interval=ends[0],
        these_raters=ends[1],
        undefined="the correlation is exact" if exact else claim.undefined,
        notes=(*claim.notes, *_note_on_noise(x, value(_leveled(x), y), estimate)),
        tie_threshold=threshold,
        **counts,
    )


def _satterthwaite(spread: Spread | None, parts: Mapping[str, OneWay]) -> Spread | None:
    r"""The two-way spread with the degrees of freedom of its parts, items and what raters add.

    .. math:: V_\text{item}, \qquad \max(0, V_\text{rater} - V_{\text{item}\cap\text{rater}})

    Raters move a correlation little, so that the items' degrees of freedom mostly count. (With
    min(I, R) − 1 the intervals of 10 raters cover 98%, with these 96%.)
    """
    if spread is None or "cell" not in parts or parts["rater"].clusters < 2:
        return spread
    item, rater = parts["item"], parts["rater"]
    if item.clusters < 2 or item.variance <= 0:
        return spread
    more = max(0.0, rater.variance - parts["cell"].variance)
    df = satterthwaite(item, replace(rater, variance=more))
    return replace(spread, df=df, method=f"clustered by rater and item, t({df})")


def _leveled(x: Array) -> Array:
    leveled = x.copy()
    there = ~np.isnan(x)
    leveled[there] = level_ties(x[there])
    return leveled


def _note_on_noise(x: Array, leveled: float | None, estimate: float) -> list[str]:
    """A metric's values are taken as given; where noise alone tells some apart, that is said."""
    if leveled is None or abs(leveled - estimate) < 1e-9:
        return []
    there = ~np.isnan(x)
    n = len(np.unique(x[there])) - len(np.unique(level_ties(x[there])))
    return [
        f"{n:,} values of the metric differ from another by rounding noise only; were they tied, "
        f"it would be {leveled:.6f} and not {estimate:.6f}"
    ]


def _turned_back(
    interval: Interval | None, statistic: Statistic, *, fisher: bool, grouped: bool
) -> Interval | None:
    """The interval on the scale of the statistic, of which an accuracy starts at 0."""
    if interval is None:
        return None
    low, high = interval.low, interval.high
    if fisher:
        low, high = math.tanh(low), math.tanh(high)
    method = interval.method.replace("clustered", "jackknife", 1)
    if grouped:
        method = method.replace(", t(", f" in {GROUPS} random groups, t(", 1)
    return Interval(
        low=max(0.0 if statistic == "acc_eq" else -1.0, low),
        high=min(1.0, high),
        confidence=interval.confidence,
        method=f"{method}, Fisher's z" if fisher else method,
        generalizes_to=interval.generalizes_to,
    )


def _variances(
    people: People,
    x: Array,
    y: Array,
    level: Level,
    statistic: Statistic,
    value: Callable[[Array, Array], float | None],
    *,
    fisher: bool,
) -> dict[str, OneWay]:
    """Delete-one variances by item and, where raters are named, by rater and by cell."""

    def spread(values: list[float | None], clusters: int) -> OneWay:
        known = np.array([v for v in values if v is not None])
        if fisher:
            known = np.arctanh(np.clip(known, -1 + 1e-12, 1 - 1e-12))
        n = len(known)
        total = float(((known - known.mean()) ** 2).sum()) * (n - 1) / n if n > 1 else 0.0
        scale = float(np.abs(known).max(initial=0.0))
        return OneWay(variance=total if total > 1e-24 * scale else 0.0, clusters=clusters)

    if level == "item":
        rows = per_item(statistic, x, y, people.seed)[0]
        rows = rows[~np.isnan(rows)]
        n = len(rows)
        by_item = [(rows.sum() - row) / (n - 1) for row in rows] if n > 1 else []
        found = {"item": spread(by_item, n)}
    else:
        masks = people.without_items()
        used = int((~np.isnan(x) & ~np.isnan(y)).any(axis=1).sum())
        left_out = [value(x[mask], y[mask]) for mask in masks]
        found = {"item": spread(left_out, min(used, len(masks)))}
    if people.judged.n_raters is not None:
        n_raters = people.judged.n_raters
        found["rater"] = spread([value(x, each) for each in people.without_raters()], n_raters)
        cell = spread([value(x, each) for each in people.without_cells()], n_raters)
        # Raters move a correlation little, and what they add to items is never negative.
        least = min(cell.variance, found["rater"].variance)
        found["cell"] = OneWay(variance=least, clusters=n_raters)
    return found


def _system_level(
    people: People, x: Array, common: dict[str, Any], confidence: float, n_resamples: int
) -> list[Correlation]:
    y = people.means
    both = ~np.isnan(x) & ~np.isnan(y)
    use = both.any(axis=0)
    x, y = np.where(both, x, np.nan)[:, use], np.where(both, y, np.nan)[:, use]
    n_systems = int(use.sum())
    statistics: list[Statistic] = ["pairwise_accuracy", "soft_pairwise_accuracy"]
    if n_systems >= FEW_SYSTEMS:
        statistics += ["pearson", "spearman", "kendall"]
    counts: dict[str, Any] = {
        "n_items": int(both.any(axis=1).sum()),
        "n_systems": n_systems,
        "n_raters": people.judged.n_raters,
        "n_responses": int(people.judged.count[both].sum()),
        "level": "system",
        **common,
    }
    if n_systems < 2:
        why = "fewer than two systems have both a metric's value and a score"
        return [
            Correlation(estimate=None, undefined=why, statistic=s, **counts) for s in statistics
        ]
    drawn = Replicates(statistics, n_systems, people.seed)
    rng = np.random.default_rng(people.seed)
    for weight in across_systems.resampled(len(x), n_resamples, rng):
        systems = drawn.systems(len(weight))
        drawn.add(*_across(x, y, statistics, weight, systems))
    found, _ = _across(x, y, statistics, None, None)
    rows = []
    for s in statistics:
        estimate = None if np.isnan(found[s][0]) else float(found[s][0])
        said = drawn.intervals(s, estimate, confidence)
        rows.append(Correlation(estimate=estimate, statistic=s, **said, **counts))
    return rows


def _across(
    x: Array,
    y: Array,
    statistics: Sequence[Statistic],
    weight: Array | None,
    systems: DrawnSystems | None,
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Each statistic per replicate of the items, and the same of the drawn systems."""
    means = across_systems.system_means(x, weight), across_systems.system_means(y, weight)
    times = None if systems is None else systems.times_each()
    found: dict[str, Array] = {}
    others: dict[str, Array] = {}
    for s in statistics:
        if s == "pairwise_accuracy":
            found[s] = across_systems.pairwise_accuracy(*means)
            if times is not None:
                others[s] = across_systems.pairwise_accuracy(*means, times)
        elif s == "soft_pairwise_accuracy":
            found[s], also = across_systems.soft_pairwise_accuracy(x, y, weight, times)
            if also is not None:
                others[s] = also
        else:
            found[s] = PER_ITEM[s](*means)
            if systems is not None:
                others[s] = PER_ITEM[s](*(systems.of(side) for side in means))
    return found, others
