"""Effect sizes: by hand, by definition on every reduced set, by SciPy; degenerate ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jurybox.stats.distributions import t_quantile
from jurybox.stats.effects import (
    Effect,
    cliff_delta,
    hedges,
    independent_delta,
    paired_d,
    rank_biserial,
)


def plain_biserial(d: np.ndarray) -> float:
    ranks = stats.rankdata(np.abs(d))
    up, down = ranks[d > 0].sum(), ranks[d < 0].sum()
    return float((up - down) / (up + down))


def jackknife(estimates: list[float]) -> float:
    n, mean = len(estimates), sum(estimates) / len(estimates)
    return math.sqrt((n - 1) / n * sum((e - mean) ** 2 for e in estimates))


def test_rank_biserial_by_hand() -> None:
    # d = 1, 2, 0, 2, −1: ranks 2.5, 4.5, (1), 4.5, 2.5; W₊ = 11.5, W₋ = 2.5; r = 9/14.
    one, two = np.array([4, 5, 3, 4, 1.0]), np.array([3, 3, 3, 2, 2.0])
    assert rank_biserial(one, two).estimate == pytest.approx(9 / 14)


@pytest.mark.parametrize("seed", range(5))
def test_rank_biserial_leaves_out_each_item_in_turn(seed: int) -> None:
    one, two = np.random.default_rng(seed).integers(1, 6, (2, 14)).astype(float)
    d = one - two
    found = rank_biserial(one, two)
    se = jackknife([plain_biserial(np.delete(d, i)) for i in range(len(d))])
    r = plain_biserial(d)
    half = t_quantile(0.95, 13) * se / (1 - r * r)
    assert found.estimate == pytest.approx(r)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(math.tanh(math.atanh(r) - half))
    assert found.interval.generalizes_to == "items like these, judged by these raters"


@pytest.mark.parametrize("seed", range(3))
def test_paired_d_leaves_out_each_item_in_turn(seed: int) -> None:
    draw = np.random.default_rng(seed)
    one, two = draw.normal(size=(2, 12)) + np.array([[0.6], [0.0]])

    def plain(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
        factor = hedges(11)
        average = math.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
        gap = a - b
        return factor * gap.mean() / average, factor * gap.mean() / gap.std(ddof=1)

    reduced = [plain(np.delete(one, i), np.delete(two, i)) for i in range(12)]
    for k, found in enumerate(paired_d(one, two)):
        assert found.estimate == pytest.approx(plain(one, two)[k])
        assert found.estimate is not None
        assert found.interval is not None
        half = t_quantile(0.95, 11) * jackknife([each[k] for each in reduced])
        assert found.interval.high == pytest.approx(found.estimate + half)


def test_hedges_factor() -> None:
    # ν = 2: Γ(1)/(1 · Γ(½)) = 1/√π; large ν: about 1 − 3/(4ν − 1).
    assert hedges(2) == pytest.approx(1 / math.sqrt(math.pi))
    assert hedges(100) == pytest.approx(1 - 3 / 399, abs=1e-5)


def test_cliffs_delta_within_items_is_a_mean() -> None:
    dominance = np.array([1.0, 0.5, 0.0, 0.5])
    found = cliff_delta(dominance)
    # δ = 0.5, se = sd/√4 = 0.4082/2; on Fisher's scale divided by 1 − δ² = 0.75.
    half = t_quantile(0.95, 3) * (math.sqrt(1 / 6) / 2) / 0.75
    assert found.interval is not None
    assert found.interval.high == pytest.approx(math.tanh(math.atanh(0.5) + half))


def test_delta_between_is_two_u_minus_one() -> None:
    draw = np.random.default_rng(1)
    one, two = draw.integers(1, 6, 9).astype(float), draw.integers(1, 6, 7).astype(float)
    u = stats.mannwhitneyu(one, two).statistic
    found = independent_delta(one, two)
    assert found.estimate == pytest.approx(2 * u / 63 - 1)
    assert found.interval is not None
    assert "t(6)" in found.interval.method


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=12))
def test_bounds_and_sides(pairs: list[tuple[int, int]]) -> None:
    one, two = np.array(pairs, dtype=float).T
    for make in (rank_biserial, independent_delta):
        there, back = make(one, two), make(two, one)
        if there.estimate is None:
            assert there.undefined
            continue
        assert -1 <= there.estimate <= 1
        assert back.estimate == pytest.approx(-there.estimate)
        assert (there.interval is None) == (there.undefined is not None)
        if there.interval is not None and back.interval is not None:
            assert -1 <= there.interval.low < there.interval.high <= 1
            assert back.interval.low == pytest.approx(-there.interval.high)


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_stretching_the_scale_changes_nothing(scale: float) -> None:
    one, two = np.random.default_rng(1).normal(3, 1, size=(2, 10))
    for before, after in zip(
        (rank_biserial(one, two), *paired_d(one, two)),
        (rank_biserial(scale * one, scale * two), *paired_d(scale * one, scale * two)),
        strict=True,
    ):
        assert after.estimate == pytest.approx(before.estimate)
        assert after.interval is not None
        assert before.interval is not None
        assert after.interval.low == pytest.approx(before.interval.low)


NOTHING = np.array([])
SAME = np.array([2.0, 2.0, 2.0])


@pytest.mark.parametrize(
    ("found", "estimate", "why"),
    [
        (rank_biserial(NOTHING, NOTHING), None, "there is no item"),
        (rank_biserial(SAME, SAME), None, "no item's means differ"),
        (rank_biserial(SAME + 1, SAME), 1.0, "every item that differs points the same way"),
        (rank_biserial(SAME[:1] + 1, SAME[:1]), 1.0, "there is only one item"),
        (cliff_delta(NOTHING), None, "there is no item"),
        (cliff_delta(np.array([0.5])), 0.5, "there is only one item"),
        (cliff_delta(np.array([0.5, 0.5])), 0.5, "the items do not vary"),
        (cliff_delta(np.array([-1.0, -1.0])), -1.0, "every item that differs points the same way"),
        (independent_delta(SAME + 1, SAME), 1.0, "the item means do not overlap"),
        (independent_delta(NOTHING, SAME), None, "a system has no item"),
        (independent_delta(SAME, SAME), 0.0, "the items do not vary"),
        (paired_d(SAME[:2], SAME[:2])[0], None, "there are fewer than three items"),
        (paired_d(SAME + 1, SAME)[0], None, "the item means do not vary"),
        (paired_d(SAME + 1, SAME)[1], None, "the item means do not vary"),
    ],
)
def test_degenerate_ones_say_why(found: Effect, estimate: float | None, why: str) -> None:
    assert (found.estimate, found.interval, found.undefined) == (estimate, None, why)


def test_one_item_that_differs_gives_no_interval() -> None:
    one = np.array([3.0, 3, 3, 4])
    found = paired_d(one, np.full(4, 2.0))[1]
    assert found.interval is None
    assert found.undefined == "all items but one have the same mean"
    assert rank_biserial(np.array([2.0, 2, 2, 4]), np.array([2.0, 2, 2, 2])).interval is None


def test_json_round_trip() -> None:
    one, two = np.random.default_rng(1).normal(3, 1, size=(2, 10))
    for found in (rank_biserial(one, two), *paired_d(one, two)):
        assert Effect.from_dict(found.to_dict()) == found
        assert found.name in str(found)
