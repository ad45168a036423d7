"""Tests on item means: by hand, by SciPy, by enumeration; ties, zeros and too few items."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jurybox.results import Result
from jurybox.stats.rank_tests import RankTest, even_out, mann_whitney, sign_flip, signed_rank

small = st.lists(st.integers(1, 5), min_size=2, max_size=9)


def arrays(*values: list[float]) -> list[np.ndarray]:
    return [np.array(each, dtype=float) for each in values]


def test_signed_ranks_by_hand() -> None:
    # d = 1, 2, 0, 2, −1: |d| ranks 0→1, 1,1→2.5, 2,2→4.5. W₊ = 2.5 + 4.5 + 4.5 = 11.5 of 14.
    # Of the 2⁴ signs those with W ≥ 11.5: all (14), all but one 2.5 (11.5, twice): 3/16, twice.
    found = signed_rank(*arrays([4, 5, 3, 4, 1], [3, 3, 3, 2, 2]))
    assert (found.estimate, found.p, found.n_zero) == (11.5, 6 / 16, 1)
    assert found.method == "exact"


@given(small, st.randoms(use_true_random=False))
def test_exact_signed_ranks_are_all_signs(values: list[int], draw: random.Random) -> None:
    one = np.array(values, dtype=np.float64)
    two = np.array([draw.randint(1, 5) for _ in values], dtype=np.float64)
    d = one - two
    found = signed_rank(one, two)
    if (d == 0).all():
        assert found.p is None
        assert found.undefined == "no item's means differ"
        return
    ranks = stats.rankdata(np.abs(d))[d != 0]
    signs = np.array(list(itertools.product((0, 1), repeat=len(ranks))))
    sums = signs @ ranks
    assert found.estimate is not None
    far = abs(found.estimate - ranks.sum() / 2)
    share = (np.abs(sums - ranks.sum() / 2) >= far - 1e-9).mean()
    assert found.p == pytest.approx(share)


@pytest.mark.parametrize("n", [80, 150])
def test_many_items_are_scipys_normal_approximation(n: int) -> None:
    draw = np.random.default_rng(n)
    one, two = draw.integers(1, 6, (2, n)).astype(float)
    found = signed_rank(one, two)
    known = stats.wilcoxon(one, two, zero_method="pratt", method="approx", correction=False)
    assert found.method == "normal approximation"
    assert found.p == pytest.approx(known.pvalue, abs=1e-12)


def test_without_ties_it_is_scipys_exact_test() -> None:
    one, two = np.random.default_rng(1).normal(size=(2, 12))
    assert signed_rank(one, two).p == pytest.approx(stats.wilcoxon(one, two).pvalue)


def test_means_that_differ_by_rounding_are_tied() -> None:
    # The mean of 0.1, 0.2, 0.3 is 0.2 with noise in the last digit; so are the differences.
    one, two = arrays([(0.1 + 0.2 + 0.3) / 3, 0.7, 0.9, 0.4], [0.2, 0.6, 0.8, 0.3])
    found = signed_rank(one, two)
    assert found.n_zero == 1
    # Three equal differences share rank 3: W = 9.
    assert found.estimate == 9.0
    assert len(set(even_out(one - two, 1.0))) == 2


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=30), st.floats(0.5, 3))
def test_evening_out_keeps_order_and_value(values: list[float], size: float) -> None:
    made = even_out(np.array(values), size)
    assert np.abs(made - values).max() <= len(values) * 1e-12 * size
    order = np.argsort(values, kind="stable")
    assert (np.diff(made[order]) >= 0).all()


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("whole", [True, False])
def test_sign_flips_are_scipys_permutation_test(seed: int, whole: bool) -> None:
    draw = np.random.default_rng(seed)
    one, two = draw.integers(1, 6, (2, 11)).astype(float) if whole else draw.normal(size=(2, 11))
    known = stats.permutation_test(
        (one, two), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=np.inf
    )
    found = sign_flip(one, two, seed=0)
    assert found.p == pytest.approx(known.pvalue)
    assert found.estimate == pytest.approx((one - two).mean())
    assert found.method == "exact"


def test_sign_flips_of_thirds_are_counted_not_drawn() -> None:
    draw = np.random.default_rng(1)
    one, two = draw.integers(1, 6, (2, 60, 3)).mean(axis=2)
    assert sign_flip(one, two, seed=0).method == "exact"


def test_drawn_sign_flips_repeat_and_are_close() -> None:
    draw = np.random.default_rng(4)
    one, two = draw.normal(size=(2, 40))
    two -= 0.3
    found = sign_flip(one, two, seed=3)
    assert found == sign_flip(one, two, seed=3)
    assert found.method == "9,999 draws with seed 3"
    t = stats.ttest_rel(one, two)
    assert found.p == pytest.approx(t.pvalue, abs=0.02)


def test_sign_flips_of_many_items_are_normal() -> None:
    one, two = np.random.default_rng(4).normal(size=(2, 400))
    found = sign_flip(one, two, seed=0)
    assert found.method == "normal approximation"
    assert found.p == pytest.approx(stats.ttest_rel(one, two).pvalue, abs=0.01)


@pytest.mark.parametrize("n", [1, 3, 5])
def test_below_six_items_it_says_that_no_p_can_be_small(n: int) -> None:
    one, two = np.arange(1.0, n + 1) + 10, np.zeros(n)
    found = signed_rank(one, two)
    assert found.p == 2 / 2**n
    assert "a signed-rank p cannot reach 0.05 below 6 items" in found.notes[0]
    assert signed_rank(np.arange(6.0) + 1, np.zeros(6)).notes == ()


def test_no_items_and_no_differences_have_no_p() -> None:
    empty, same = np.array([]), np.array([2.0, 3.0])
    for test in (signed_rank, lambda a, b: sign_flip(a, b, seed=0)):
        assert test(empty, empty).undefined == "there is no item"
        assert test(same, same).undefined == "no item's means differ"
        assert test(same, same).p is None


def test_mann_whitney_by_hand_and_by_scipy() -> None:
    # Three above three: U = 9; of the 20 ways only one goes as far at each end: p = 2/20.
    found = mann_whitney(*arrays([4, 5, 6], [1, 2, 3]))
    assert found.estimate == 9.0
    assert found.p == pytest.approx(0.1)
    one, two = np.random.default_rng(1).normal(size=16)[:7], np.random.default_rng(2).normal(size=9)
    known = stats.mannwhitneyu(one, two, method="exact")
    assert mann_whitney(one, two).p == pytest.approx(known.pvalue)
    assert mann_whitney(one, two).estimate == known.statistic


def test_mann_whitney_with_ties_exact_and_normal() -> None:
    draw = np.random.default_rng(3)
    one, two = draw.integers(1, 6, 5).astype(float), draw.integers(1, 6, 6).astype(float)
    exact = stats.mannwhitneyu(one, two, method=stats.PermutationMethod(n_resamples=10_000))
    assert mann_whitney(one, two).p == pytest.approx(exact.pvalue)
    one, two = draw.integers(1, 6, 50).astype(float), draw.integers(1, 6, 39).astype(float)
    known = stats.mannwhitneyu(one, two, method="asymptotic")
    assert mann_whitney(one, two).p == pytest.approx(known.pvalue, abs=1e-12)


@pytest.mark.parametrize(
    ("one", "two", "why"),
    [
        ([], [1.0], "a system has no item"),
        ([2.0], [2.0, 2.0], "every item mean is the same value"),
    ],
)
def test_mann_whitney_of_nothing(one: list[float], two: list[float], why: str) -> None:
    found = mann_whitney(*arrays(one, two))
    assert (found.p, found.undefined) == (None, why)


@given(small, st.integers(-3, 3))
def test_swapping_the_systems_keeps_p(values: list[int], shift: int) -> None:
    one = np.array(values, dtype=float)
    two = one[::-1] + shift
    assert signed_rank(one, two).p == pytest.approx(signed_rank(two, one).p)
    assert sign_flip(one, two, seed=0).p == sign_flip(two, one, seed=0).p
    assert mann_whitney(one, two).p == pytest.approx(mann_whitney(two, one).p)


def test_json_round_trip_and_one_line() -> None:
    found = signed_rank(*arrays([4, 5, 3, 4, 1], [3, 3, 3, 2, 2]))
    assert RankTest.from_dict(found.to_dict()) == found
    assert Result.from_dict(found.to_dict()) == found
    assert found.short() == "11.500, p = 0.375 (exact)"


@pytest.mark.parametrize("scale", [0.01, 0.1, 7.0, 100.0, 1e4])
def test_a_sign_flip_p_does_not_depend_on_the_scale(scale: float) -> None:
    # Thirds, as three raters give them; 20 items, so that not all signs are tried one by one.
    draw = np.random.default_rng(4)
    one, two = draw.integers(3, 16, 20) / 3, draw.integers(3, 16, 20) / 3
    plain, scaled = sign_flip(one, two, seed=0), sign_flip(scale * one, scale * two, seed=0)
    assert (scaled.method, plain.method) == ("exact", "exact")
    assert scaled.p == pytest.approx(plain.p, abs=1e-12)


def test_few_items_are_counted_as_those_that_differ() -> None:
    one, two = np.array([1.0, 2, 3, 4, 5, 6]), np.array([1.0, 2, 3, 4, 4, 5])
    (note,) = signed_rank(one, two).notes
    assert note == "2 of 6 items with a difference: a signed-rank p cannot reach 0.05 below 6 items"
    (note,) = signed_rank(one[4:], two[4:]).notes
    assert note == "2 items: a signed-rank p cannot reach 0.05 below 6 items"
