"""A metric beside a rater, both against the other raters: by hand, planted, degenerate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from jurybox.stats.metrics.stand_in import stand_in

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Scores:
    total: Array
    count: Array
    rows: np.ndarray[Any, Any]
    scores: Array
    n_raters: int | None


def of(table: Array, *, named: bool = True) -> Scores:
    """Scores as items × systems × raters, NaN where there is none."""
    item, system, rater = np.nonzero(~np.isnan(table))
    return Scores(
        total=np.nansum(table, axis=2),
        count=(~np.isnan(table)).sum(axis=2).astype(float),
        rows=np.column_stack([item, system, rater if named else np.full(len(rater), -1)]),
        scores=table[item, system, rater],
        n_raters=table.shape[2] if named else None,
    )


def test_three_raters_and_two_items_by_hand() -> None:
    # Items × systems × raters.
    table = np.array([[[5.0, 4, 3], [1, 2, 3]], [[2, 4, 4], [3, 3, 5]]])
    metric = np.array([[0.9, 0.1], [0.8, 0.2]])
    found = stand_in(of(table), metric, "m")
    # Item 1: without the first rater 3.5 and 2.5: rater (5, 1) right, metric right; without the
    # second 4 and 2: right, right; without the third 4.5 and 1.5: a tie (½), right.
    # Item 2: without the first 4 and 4 tell nothing; without the second 3 and 4: rater (4, 3)
    # wrong, metric wrong; without the third 3 and 3 tell nothing.
    assert found.n_pairs == 4
    assert found.ceiling == (1 + 1 + 0.5 + 0) / 4
    assert found.accuracy == 3 / 4
    assert found.estimate == pytest.approx(0.125)
    # Residuals of the differences 0, 0, ½, 0 are −⅛, −⅛, ⅜, −⅛. By item: sums ⅛ and −⅛, so
    # 2/(2−1) · 2/64 / 16 = 1/256; by rater: −⅛, −¼, ⅜, so 3/2 · (1 + 4 + 9)/64 / 16 = 21/1024; by
    # cell: 4/3 · 12/64 / 16 = 1/64. Together 9/1024, which is more than a quarter of 21/1024.
    assert found.interval is not None
    half = 12.706204736 * (9 / 1024) ** 0.5
    assert found.interval.high == pytest.approx(min(1, 0.125 + half))
    assert found.interval.low == pytest.approx(max(-1, 0.125 - half))
    assert (found.n_items, found.n_raters) == (2, 3)


def planted(noise: float, seed: int, items: int = 40, systems: int = 3, raters: int = 12) -> Any:
    """Raters who hear quality through noise of 1, and a metric that does through its own."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(items, systems))
    table = quality[:, :, None] + rng.normal(size=(items, systems, raters))
    metric = quality + noise * rng.normal(size=(items, systems))
    return stand_in(of(table), metric, "m")


def test_a_metric_like_a_rater_is_as_good_and_better_or_worse_ones_are_told() -> None:
    alike = [planted(1.0, seed) for seed in range(40)]
    inside = np.mean([each.interval.low <= 0 <= each.interval.high for each in alike])
    # 95% of 40 is 38; five outside would have a chance of 5%.
    assert inside >= 36 / 40
    assert np.mean([each.estimate for each in alike]) == pytest.approx(0, abs=0.02)
    assert planted(0.3, 1).interval.low > 0
    assert planted(9.0, 1).interval.high < 0


def test_who_answers_twice_counts_once_and_a_pair_needs_both_outputs() -> None:
    table = np.array([[[5.0, 4, 3], [1, 2, 3]], [[2, 4, np.nan], [3, np.nan, np.nan]]])
    metric = np.array([[0.9, 0.1], [0.8, 0.2]])
    # In item 2 the second output has one rater and nobody else.
    assert stand_in(of(table), metric, "m").n_pairs == 3
    assert stand_in(of(table), np.array([[0.9, np.nan], [0.8, 0.2]]), "m").n_pairs == 0


@pytest.mark.parametrize(
    ("table", "named", "said"),
    [
        (np.ones((3, 2, 2)), False, "the ratings name no raters"),
        (np.ones((3, 2, 1)), True, "there is only one rater"),
        (np.ones((3, 2, 2)), True, "no rater judged two outputs of one item that the other"),
    ],
)
def test_without_a_rater_to_compare_with_it_is_undefined(
    table: Array, named: bool, said: str
) -> None:
    found = stand_in(of(table, named=named), np.ones((3, 2)), "m")
    assert found.estimate is None
    assert found.undefined is not None
    assert found.undefined.startswith(said)


def test_equals_that_never_vary_have_no_interval() -> None:
    table = np.repeat(np.array([[5.0, 1.0]] * 4)[:, :, None], 3, axis=2)
    found = stand_in(of(table), np.array([[0.9, 0.1]] * 4), "m")
    assert (found.accuracy, found.ceiling, found.estimate) == (1.0, 1.0, 0.0)
    assert found.interval is None
    assert found.undefined == "neither raters nor items vary"
