r"""The mean over systems of a coefficient of agreement, with the interval of that mean.

Within a system raters cannot agree merely because systems differ, which pooled agreement includes.
The systems' outputs are of the same items and raters, so that their coefficients vary together:
leaving out a cluster takes it from all of them at once,

.. math:: \bar\theta_{(g)} = \bar\theta + \frac1S \sum_s \left(\theta_{s(g)} - \theta_s\right),

and items are drawn for all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.stats.agreement.patterns import (
    RATERS,
    Agreement,
    Patterns,
    PatternStatistic,
    Sums,
    carried,
    unit_counts,
)
from jurybox.stats.clusters import Generalize
from jurybox.stats.two_way import Deleted, Made, bootstrap_interval, fisher, two_way_interval

__all__ = ["mean_agreement"]

Array = NDArray[np.float64]


def mean_agreement(
    systems: Sequence[Patterns],
    statistic_of: Callable[[Patterns], PatternStatistic],
    *,
    generalize: Generalize = "raters+items",
    confidence: float,
    n_resamples: int,
    seed: int,
) -> Agreement | None:
    """The mean of a coefficient over the systems that have one; ``None`` if none has.

    ``systems``: the patterns of each, in which items, raters and cells have the same numbers.
    """
    found = [each for each in (_Within.of(own, statistic_of) for own in systems) if each]
    if not found:
        return None
    estimate = sum(each.estimate for each in found) / len(found)
    kinds, raters = (
        np.unique(np.concatenate([ids[k] for ids in (carried(each.patterns) for each in found)]))
        for k in range(2)
    )
    first = found[0].patterns
    items = np.asarray(first.items)
    n_items = int(items[kinds].sum())
    n_raters = len(raters) if len(raters) else first.n_raters
    n_units = sum(each.n_units for each in found)
    n_responses = sum(each.n_responses for each in found)
    scale = fisher(n_responses / n_units)
    resampled = (n_raters or 0) < RATERS or generalize == "items"
    if n_items < 2:
        made = Made(None, "there is only one item")
    elif resampled:
        theta = np.mean([each.sums.resampled(n_resamples, _rng(seed)) for each in found], axis=0)
        made = bootstrap_interval(
            estimate, theta, n_items=n_items, scale=scale, confidence=confidence
        )
    else:
        made = two_way_interval(
            estimate,
            item=_without_items(found, estimate, items),
            rater=_without(found, estimate, "raters"),
            cell=_without(found, estimate, "cells"),
            scale=scale,
            confidence=confidence,
            carrying=(n_items, n_raters or 0),
        )
    return Agreement(
        estimate=estimate,
        interval=made.interval,
        undefined=made.why,
        notes=made.notes,
        statistic=f"{found[0].sums.statistic.name}, mean within systems",
        level=found[0].sums.statistic.level,
        n_units=n_units,
        n_items=n_items,
        n_raters=n_raters,
        n_responses=n_responses,
        n_resamples=n_resamples if resampled else None,
        seed=seed,
    )


def _rng(seed: int) -> np.random.Generator:
    """The same draws of items for every system."""
    return np.random.default_rng(seed)


class _Within:
    """One system's coefficient, and what it is made of."""

    def __init__(self, patterns: Patterns, sums: Sums, estimate: float) -> None:
        self.patterns, self.sums, self.estimate = patterns, sums, estimate
        sizes = sums.counts.sum(axis=1)
        times = unit_counts(patterns) * (sizes > 1)
        self.n_units, self.n_responses = int(times.sum()), int((times * sizes).sum())

    @classmethod
    def of(
        cls, patterns: Patterns, statistic_of: Callable[[Patterns], PatternStatistic]
    ) -> _Within | None:
        """``None`` where the coefficient is not defined, or is of a single unit."""
        sums = Sums(patterns, statistic_of(patterns))
        made = cls(patterns, sums, float(sums.statistic.value(sums.total)))
        return None if made.n_units < 2 or np.isnan(made.estimate) else made

    def changes(self, rows: NDArray[Any]) -> tuple[Array, Array]:
        """How the coefficient changes without each cluster of rows, and how many are alike."""
        deleted = self.sums.deleted(self.sums.without_rows(rows))
        return deleted.theta - self.estimate, deleted.times


def _without_items(found: Sequence[_Within], estimate: float, items: NDArray[Any]) -> Deleted:
    changes = [each.sums.deleted(each.sums.without_items()).theta - each.estimate for each in found]
    return Deleted(estimate + np.mean(changes, axis=0), items.astype(np.float64))


def _without(found: Sequence[_Within], estimate: float, kind: str) -> Deleted:
    """The mean without each rater, or without each rater's answers to one item.

    A single answer of a cell is of one system; a cell of several may be of several systems.
    """
    rows = [np.asarray(getattr(each.patterns, kind)) for each in found]
    several = [own[own[:, 0] >= 0] for own in rows]
    total = np.zeros(max((int(own[:, 0].max(initial=-1)) for own in several), default=-1) + 1)
    there = np.zeros(len(total), dtype=np.bool_)
    thetas, times = [], []
    for each, own, shared in zip(found, rows, several, strict=True):
        alone = own[own[:, 0] < 0]
        if len(alone):
            change, count = each.changes(alone)
            thetas.append(change / len(found))
            times.append(count)
        if len(shared):
            clusters = np.unique(shared[:, 0])
            total[clusters] += each.changes(shared)[0] / len(found)
            there[clusters] = True
    thetas.append(total[there])
    times.append(np.ones(int(there.sum())))
    return Deleted(estimate + np.concatenate(thetas), np.concatenate(times))
