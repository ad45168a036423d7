"""Whether a metric follows the other raters as well as one rater does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval, Result, format_number
from jurybox.stats.clusters import OneWay, claims, t_interval
from jurybox.stats.distributions import check_confidence
from jurybox.stats.metrics.correlation import level_ties
from jurybox.stats.metrics.judged import Judged

__all__ = ["StandIn", "stand_in"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn(Result):
    """By how much a metric orders outputs of one item more often as the others do than a rater."""

    label: ClassVar[str] = "metric − rater"
    neutral: ClassVar[float | None] = 0.0

    metric: str
    criterion: str | None = None
    accuracy: float | None = None
    """How often the metric is right about two outputs that the other raters tell apart."""
    ceiling: float | None = None
    """How often the rater is who was left out."""
    n_pairs: int = 0

    @property
    def name(self) -> str:
        """The metric."""
        return self.metric

    def format(self, value: float | None) -> str:
        """In percentage points."""
        return "–" if value is None else f"{format_number(100 * value, 1)} points"


def stand_in(
    judged: Judged,
    values: Array,
    metric: str,
    *,
    criterion: str | None = None,
    confidence: float = 0.95,
) -> StandIn:
    r"""Set a metric beside each rater, both against the mean of the other raters.

    Parameters
    ----------
    judged
        People's scores; of a rater's repeated scores of an output their mean counts.
    values
        The metric by items × systems; NaN where it has no value.

    Notes
    -----
    Of every rater, every two outputs of one item that they scored, that have the metric's value
    and whose mean scores by the *other* raters differ count once. Rater and metric are each right
    (1), wrong (0) or tied (½) about them. The estimate is

    .. math:: \hat\delta = \frac{\sum_p (\text{metric}_p - \text{rater}_p)}{\#p}

    so that both are measured by the same people on the same pairs, and neither by a majority in
    which it has a part. Its interval is clustered by rater and by item.
    """
    check_confidence(confidence)
    common: dict[str, Any] = {"metric": metric, "criterion": criterion}
    if judged.n_raters is None:
        return StandIn(estimate=None, undefined="the ratings name no raters", **common)
    if judged.n_raters < 2:
        return StandIn(estimate=None, undefined="there is only one rater", **common)
    rater, item, own, right = _pairs(judged, values)
    if not len(own):
        why = "no rater judged two outputs of one item that the other raters tell apart"
        return StandIn(estimate=None, undefined=why, **common)
    gap = right - own
    estimate = float(gap.mean())
    cells = item * (int(rater.max()) + 1) + rater
    found = {
        kind: _variance(gap - estimate, of)
        for kind, of in (("item", item), ("rater", rater), ("cell", cells))
    }
    claim = claims(found)
    return StandIn(
        estimate=estimate,
        interval=_clip(t_interval(estimate, claim.main, confidence)),
        these_raters=_clip(t_interval(estimate, claim.these_raters, confidence)),
        undefined=claim.undefined,
        notes=claim.notes,
        accuracy=float(right.mean()),
        ceiling=float(own.mean()),
        n_pairs=len(own),
        n_items=found["item"].clusters,
        n_raters=found["rater"].clusters,
        **common,
    )


def _pairs(
    judged: Judged, values: Array
) -> tuple[NDArray[np.intp], NDArray[np.intp], Array, Array]:
    """Every pair's rater and item, and how right the rater and the metric are about it."""
    parts = list(_pairs_by_system(judged, values))
    if not parts:
        nothing: NDArray[np.intp] = np.empty(0, dtype=np.intp)
        return nothing, nothing, np.empty(0), np.empty(0)
    rater, item, own, right = (np.concatenate(each) for each in zip(*parts, strict=True))
    return rater, item, own, right


def _pairs_by_system(judged: Judged, values: Array) -> Iterator[tuple[Any, Any, Array, Array]]:
    n_systems = judged.total.shape[1]
    item, system = judged.rows[:, 0].astype(np.int64), judged.rows[:, 1]
    raters, rater = np.unique(judged.rows[:, 2], return_inverse=True)
    unit = item * len(raters) + rater.ravel()
    units, place = np.unique(unit, return_inverse=True)
    shape = (len(units), n_systems)
    flat = place.ravel() * n_systems + system
    n = np.bincount(flat, minlength=len(units) * n_systems).reshape(shape)
    total = np.bincount(flat, judged.scores, len(units) * n_systems).reshape(shape)
    of_item = units // len(raters)
    others = judged.count[of_item] - n
    score = _leveled(np.where(n > 0, total / np.maximum(n, 1), np.nan))
    rest = np.where(others > 0, (judged.total[of_item] - total) / np.maximum(others, 1), np.nan)
    rest = _leveled(np.where(n > 0, rest, np.nan))
    value = values[of_item]
    for a in range(n_systems):
        for b in range(a + 1, n_systems):
            order = np.sign(rest[:, a] - rest[:, b])
            metric = np.sign(value[:, a] - value[:, b])
            own = np.sign(score[:, a] - score[:, b])
            use = ~np.isnan(order) & ~np.isnan(metric) & (order != 0)
            yield (
                (units % len(raters))[use],
                of_item[use],
                (1 + own[use] * order[use]) / 2,
                (1 + metric[use] * order[use]) / 2,
            )


def _leveled(values: Array) -> Array:
    there = ~np.isnan(values)
    values[there] = level_ties(values[there])
    return values


def _variance(residual: Array, cluster: NDArray[np.intp]) -> OneWay:
    place = np.unique(cluster, return_inverse=True)[1].ravel()
    sums = np.bincount(place, residual)
    clusters = len(sums)
    total = float((sums**2).sum()) / len(residual) ** 2
    if clusters < 2 or total < 1e-24:
        return OneWay(variance=0.0, clusters=clusters)
    return OneWay(variance=total * clusters / (clusters - 1), clusters=clusters)


def _clip(interval: Interval | None) -> Interval | None:
    """Two shares differ by at most one."""
    if interval is None:
        return None
    return Interval(
        low=max(-1.0, interval.low),
        high=min(1.0, interval.high),
        confidence=interval.confidence,
        method=interval.method,
        generalizes_to=interval.generalizes_to,
    )
