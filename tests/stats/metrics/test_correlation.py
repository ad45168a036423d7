"""Pearson, Spearman, Kendall: against SciPy, with ties found before ranking."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jurybox.stats.metrics.correlation import kendall, level_ties, midranks, pearson, spearman

numbers = st.lists(
    st.tuples(st.integers(-5, 5), st.integers(-5, 5)).map(lambda p: (p[0] / 3, p[1] / 7)),
    min_size=2,
    max_size=200,
)


def test_kendall_by_hand() -> None:
    # Pairs: (1,2) x up y up: C; (1,3) up, tie: T; (2,3) up, down: D. τ = 0 / √(3 · 2).
    assert kendall(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 1.0])) == 0.0
    # C = 5, D = 0, one pair tied in x alone: 5 / √(5 · 6).
    x, y = np.array([1.0, 1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0])
    assert kendall(x, y) == pytest.approx(5 / np.sqrt(30))


@given(numbers)
def test_as_scipy_has_them(pairs: list[tuple[float, float]]) -> None:
    x, y = (np.array(side) for side in zip(*pairs, strict=True))
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert pearson(x, y) is None
        assert spearman(x, y) is None
        assert kendall(x, y) is None
        return
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


def test_kendall_of_a_long_list() -> None:
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=5000), 2)
    y = np.round(x + rng.normal(size=5000), 1)
    assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


def test_rounding_noise_breaks_no_tie() -> None:
    means = np.array([(0.1 + 0.2) / 3, 0.3 / 3, 0.2])
    assert means[0] != means[1]
    assert midranks(level_ties(means)).tolist() == [1.5, 1.5, 3.0]
    # Two equal averages and one other say nothing about a list that orders the two.
    assert kendall(level_ties(means), np.array([1.0, 2.0, 3.0])) == pytest.approx(2 / np.sqrt(6))


def test_small_numbers_far_below_the_largest_stay_apart() -> None:
    values = np.array([6.9e-09, 6.8e-09, 1.0])
    assert len(set(level_ties(values))) == 3


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50))
def test_leveling_keeps_the_order(values: list[float]) -> None:
    array = np.array(values)
    leveled = level_ties(array)
    assert np.allclose(leveled, array, rtol=1e-9, atol=1e-8)
    order = np.argsort(array, kind="stable")
    assert (np.diff(leveled[order]) >= 0).all()


def test_huge_and_tiny_numbers_lose_nothing() -> None:
    x = np.array([1.0, 2.0, 4.0])
    assert pearson(x * 1e200, x * 1e-200) == pytest.approx(1.0)
