"""Metrics compared with each other: how fine p is, and what an exchange of items is."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from jurybox.stats.metrics.compared import compare_metrics

Array = NDArray[np.float64]


def test_of_many_metrics_one_that_is_better_can_be_told_apart() -> None:
    draw = np.random.default_rng(3)
    people = draw.normal(size=(60, 4))
    metrics = {"good": people + draw.normal(0, 0.3, people.shape)}
    metrics |= {f"noise {k}": draw.normal(size=people.shape) for k in range(15)}
    found = compare_metrics(people, metrics, n_resamples=50, seed=0)
    # 120 pairs: the smallest p of 2,000 exchanges, 1/2,001, would be 0.06 by Holm.
    for statistic in ("pearson", "spearman", "acc_eq", "soft_pairwise_accuracy"):
        rows = [r for r in found if r.statistic == statistic and r.metric == "good"]
        assert len(rows) == 15
        told = [r for r in rows if r.p_adjusted is not None and r.p_adjusted < 0.05]
        if statistic != "soft_pairwise_accuracy":  # of four systems hardly anything is
            assert len(told) == 15
        assert min(r.p or 1 for r in rows) >= 1 / 12_001


def test_soft_accuracy_is_exchanged_item_by_item() -> None:
    draw = np.random.default_rng(8)
    people = draw.normal(size=(12, 5)) + np.arange(5) / 2
    one, two = people + draw.normal(0, 0.5, people.shape), draw.normal(size=people.shape)
    found = compare_metrics(people, {"one": one, "two": two}, n_resamples=400, seed=5)
    (row,) = (r for r in found if r.statistic == "soft_pairwise_accuracy")
    assert row.p is not None

    def upper(gap: Array) -> float:
        return float(stats.norm.sf(gap.sum() / np.sqrt((gap**2).sum())))

    def soft(x: Array) -> float:
        off = [
            abs(upper(x[:, i] - x[:, j]) - upper(people[:, i] - people[:, j]))
            for i, j in combinations(range(5), 2)
        ]
        return 1 - float(np.mean(off))

    one, two = ((x - x.mean()) / x.std() for x in (one, two))
    seen = soft(one) - soft(two)
    assert row.estimate == pytest.approx(seen)
    # The same question asked exchange by exchange, with other exchanges.
    beyond = 0
    for _ in range(400):
        swap = draw.integers(0, 2, 12)[:, None] > 0
        gap = soft(np.where(swap, two, one)) - soft(np.where(swap, one, two))
        beyond += abs(gap) >= abs(seen)
    assert row.p == pytest.approx((1 + beyond) / 401, abs=0.05)
