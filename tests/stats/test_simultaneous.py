"""Many comparisons at once: critical values, adjusted p and rank sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import chdtr
from scipy.stats import studentized_range, t

from jurybox.errors import InputError
from jurybox.stats import simultaneous
from jurybox.stats.distributions import t_quantile
from jurybox.stats.simultaneous import joint_correlation, max_t, rank_sets


def _contrasts(k: int) -> np.ndarray:
    """The correlation of all differences of k independent means with equal variance."""
    rows = []
    for i in range(k):
        for j in range(i + 1, k):
            row = np.zeros(k)
            row[i], row[j] = 1.0, -1.0
            rows.append(row / np.sqrt(2))
    return np.asarray(np.array(rows) @ np.array(rows).T)


@pytest.mark.parametrize(("k", "df"), [(3, 2), (9, 2), (3, 10), (4, 20), (6, 60)])
def test_all_pairs_of_equal_means_are_tukeys_range(k: int, df: int) -> None:
    # max over pairs of |T| is the studentized range over √2.
    correlation = _contrasts(k)
    m = len(correlation)
    found = max_t([2.0] * m, correlation, df=df)
    exact = studentized_range.ppf(0.95, k, df) / np.sqrt(2)
    assert found.critical == pytest.approx(exact, rel=0.005)
    exact_p = studentized_range.sf(2.0 * np.sqrt(2), k, df)
    assert found.p_adjusted[0] == pytest.approx(exact_p, abs=4 * np.sqrt(0.25 / 40_000))


def test_few_raters_leave_no_noise_of_the_draws_in_what_is_printed() -> None:
    # Three systems, three raters: drawn as a whole, the critical value had a spread of 1%.
    found = [max_t([4.0] * 3, _contrasts(3), df=2, seed=seed) for seed in range(8)]
    values = np.array([each.critical for each in found])
    assert values.std() / values.mean() < 0.002
    assert np.std([each.p_adjusted[0] for each in found]) < 0.0005


@pytest.mark.parametrize("df", [1, 2, 3, 7, 30, 500, 100_000])
def test_the_chance_of_a_small_scale_is_scipys(df: int) -> None:
    sizes, chances = simultaneous._scale_below(df)
    at = np.linspace(sizes[0], sizes[-1], 777)
    exact = chdtr(df, df * np.exp(2 * at))
    seen = exact > 1e-12
    assert seen.sum() > 100
    found = np.exp(np.interp(at[seen], sizes, chances))
    assert found == pytest.approx(exact[seen], rel=1e-4)


def test_independent_comparisons_are_sidaks() -> None:
    # With very many degrees of freedom: P(max ≤ c) = P(|Z| ≤ c)^m.
    found = max_t([2.0, 2.5], np.eye(2), df=100_000)
    assert found.p_adjusted[0] == pytest.approx(1 - (1 - 0.0455) ** 2, abs=0.006)
    assert found.critical == pytest.approx(2.236, abs=0.03)


def test_one_comparison_is_student() -> None:
    found = max_t([2.0], np.eye(1), df=7)
    assert found.critical == pytest.approx(t.ppf(0.975, 7))
    assert found.p_adjusted[0] == pytest.approx(2 * t.sf(2.0, 7))


def test_twice_the_same_comparison_pays_nothing() -> None:
    found = max_t([2.0, -2.0], np.array([[1.0, -1.0], [-1.0, 1.0]]), df=12)
    assert found.critical == pytest.approx(t_quantile(0.95, 12), rel=0.02)
    # Draws might lie below, a family never does.
    for seed in range(8):
        again = max_t([2.0, -2.0], np.array([[1.0, -1.0], [-1.0, 1.0]]), df=12, seed=seed)
        assert again.critical >= t_quantile(0.95, 12)
        assert again.p_adjusted[0] >= 2 * t.sf(2.0, 12) - 1e-12


def test_far_out_it_is_bonferroni() -> None:
    found = max_t([12.0, 0.0], np.eye(2), df=50)
    assert found.p_adjusted[0] == pytest.approx(2 * 2 * t.sf(12.0, 50), rel=1e-6)


@given(
    st.lists(st.floats(-6, 6), min_size=2, max_size=6),
    st.integers(2, 40),
    st.sampled_from([0.9, 0.95, 0.99]),
)
def test_interval_and_p_never_disagree(ts: list[float], df: int, confidence: float) -> None:
    found = max_t(ts, np.eye(len(ts)), df=df, confidence=confidence)
    for value, p in zip(ts, found.p_adjusted, strict=True):
        assert (abs(value) > found.critical) == (p < 1 - confidence)


def test_noise_that_makes_a_correlation_indefinite_is_projected_away() -> None:
    bad = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    assert np.linalg.eigvalsh(bad).min() < 0
    found = max_t([1.0, 1.0, 1.0], bad, df=20)
    assert t_quantile(0.95, 20) < found.critical < 3


def test_same_seed_same_digits() -> None:
    one, two = (max_t([2.0, 1.0], np.eye(2), df=9, seed=3) for _ in range(2))
    assert one == two


def test_a_correlation_of_another_size_is_refused() -> None:
    with pytest.raises(InputError, match="2 comparisons need a 2 × 2 correlation"):
        max_t([1.0, 2.0], np.eye(3), df=5)


def test_two_way_that_is_not_positive_falls_back_to_the_larger_one_way() -> None:
    parts = {"item": np.eye(2), "rater": 2 * np.eye(2), "cell": 4 * np.eye(2)}
    parts["rater"][0, 1] = parts["rater"][1, 0] = 1.0
    found = joint_correlation(parts)
    assert found is not None
    assert found[0, 1] == pytest.approx(0.5)


def test_what_does_not_vary_has_no_correlation() -> None:
    parts = {"item": np.zeros((2, 2)), "rater": np.zeros((2, 2)), "cell": np.zeros((2, 2))}
    assert joint_correlation(parts) is None


def test_rank_sets_of_a_full_order() -> None:
    better = np.triu(np.ones((4, 4), dtype=bool), 1)
    assert rank_sets(better) == [(1, 1), (2, 2), (3, 3), (4, 4)]
