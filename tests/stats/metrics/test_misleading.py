"""Metrics against people where a plain computation would mislead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import jurybox as jb
from jurybox.errors import InputError
from jurybox.stats.metrics.across_systems import (
    pairwise_accuracy,
    soft_pairwise_accuracy,
)
from jurybox.stats.metrics.replicates import Replicates


def outputs(
    cells: list[tuple[int, str]], scores: list[Any], values: list[Any]
) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    base: dict[str, list[Any]] = {"item": [i for i, _ in cells], "system": [s for _, s in cells]}
    return {**base, "score": scores}, {**base, "m": values}


def test_two_outputs_are_no_correlation() -> None:
    found = jb.correlate_metrics(*outputs([(1, "new"), (2, "new")], [1, 2], [1, 2]))
    for title in ("Pearson's r", "Spearman's ρ", "Kendall's τ-b"):
        row = found[f"m, output, {title}"]
        assert row.estimate is None
        assert row.undefined == "fewer than three outputs have both a metric's value and a score"


def test_an_accuracy_is_never_below_zero() -> None:
    cells = [(i, s) for i in range(4) for s in ("new", "old")]
    # Alike in one item of four, though never tied.
    found = jb.correlate_metrics(*outputs(cells, [1, 2] * 4, [1, 2, 2, 1, 2, 1, 2, 1]))
    row = found["m, item, pairwise accuracy with calibrated ties"]
    assert row.estimate == 0.25
    assert row.interval is not None
    assert row.interval.low == 0


def test_an_accuracy_of_one_item_says_why_it_has_no_number() -> None:
    cells = [(1, "new"), (1, "old"), (2, "new")]
    found = jb.correlate_metrics(*outputs(cells, [1, 2, 3], [1, 2, 3]))
    row = found["m, item, pairwise accuracy with calibrated ties"]
    assert (row.estimate, row.undefined) == (
        None,
        "too few items have two systems to choose the tie threshold on others",
    )


def test_a_resample_without_a_system_is_no_disagreement() -> None:
    # Where the only item of "mid" is not drawn it has no mean.
    assert np.isnan(pairwise_accuracy(np.array([[1.0, np.nan]]), np.array([[1.0, 2.0]]))).all()
    cells = [(i, s) for i in range(4) for s in ("new", "old")] + [(0, "mid")]
    found = jb.correlate_metrics(*outputs(cells, [3, 1] * 4 + [2], [3, 1] * 4 + [2]))
    row = found["m, system, pairwise accuracy"]
    assert (row.estimate, row.interval) == (1.0, None)
    assert row.undefined == "more than 5% of the resamples have no value"


def test_systems_that_share_no_item_are_not_taken_for_agreeing() -> None:
    nan = np.nan
    # Only the first two share items, and on these the two sides disagree throughout.
    x = np.array([[1.0, 2, nan], [1, 2, nan], [nan, nan, 1]])
    y = np.array([[2.0, 1, nan], [2, 1, nan], [nan, nan, 1]])
    # z = ±2/√2, so p is 0.0786 or 0.9214.
    gap = stats.norm.cdf(2**0.5) - stats.norm.sf(2**0.5)
    assert soft_pairwise_accuracy(x, y)[0][0] == pytest.approx(1 - gap)
    assert np.isnan(soft_pairwise_accuracy(x[:, 1:], y[:, 1:])[0][0])


def test_metrics_of_systems_that_share_no_item_are_not_compared_across_them() -> None:
    ratings, metrics = outputs([(1, "new"), (2, "old"), (3, "new")], [1, 2, 3], [1, 2, 3])
    found = jb.correlate_metrics(ratings, {**metrics, "n": [3, 1, 2]}, n_resamples=50)
    row = found["m, system, soft pairwise accuracy"]
    assert (row.estimate, row.undefined) == (None, "no two systems share an item")
    (pair,) = (c for c in found.comparisons if c.level == "system")
    assert (pair.estimate, pair.undefined) == (None, "no two systems share an item")


def test_a_metric_of_other_systems_is_refused() -> None:
    ratings, _ = outputs([(1, "new"), (1, "old")], [1, 2], [1, 2])
    with pytest.raises(InputError, match=r"such as 'x', people's answers such as 'new'"):
        jb.correlate_metrics(ratings, {"system": ["x", "y"], "fid": [1, 2]})


def test_resamples_that_are_nearly_all_alike_make_no_interval_of_no_width() -> None:
    # 10 of 2,000 resamples differ: both ends of a 95% interval would be 1.
    drawn = Replicates(["pairwise_accuracy"], 3, seed=0)
    drawn.add({"pairwise_accuracy": np.append(np.ones(1990), np.full(10, 2 / 3))}, {})
    found = drawn.intervals("pairwise_accuracy", 1.0, 0.95)
    assert found == {"undefined": "more than 95% of the resamples of the items give the same value"}
    drawn.add({"pairwise_accuracy": np.full(100, 2 / 3)}, {})
    assert drawn.intervals("pairwise_accuracy", 1.0, 0.95)["interval"].low == pytest.approx(2 / 3)
