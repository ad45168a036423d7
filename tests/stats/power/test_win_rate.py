"""Exact power against 50%: by hand, one number after the other, and where there is nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jurybox.errors import InputError
from jurybox.stats.power.win_rate import (
    critical_wins,
    fewest_votes,
    last_doubt,
    sign_powers,
    votes,
)
from jurybox.stats.tails import binomial_p


def slow_power(n: int, rate: float, level: float) -> float:
    """The probability of every count whose p, as the analysis computes it, is below the level."""
    rejected = [wins for wins in range(n + 1) if binomial_p(wins, n) < level]
    return float(sum(stats.binom.pmf(wins, n, rate) for wins in rejected))


def test_by_hand() -> None:
    # Ten votes: P(X ≥ 9) = 11/1024, twice that 0.0215 < 0.05; P(X ≥ 8) = 56/1024, twice 0.109.
    assert critical_wins(np.array([10.0]), 0.05).tolist() == [9]
    # Power at 0.9: 10 · 0.9⁹ · 0.1 + 0.9¹⁰ = 0.7361 above, 10 · 0.9 · 0.1⁹ below.
    assert sign_powers(np.array([10.0]), 0.9, 0.05)[0] == pytest.approx(0.7360989, abs=1e-7)


@pytest.mark.parametrize("n", [1, 5, 6, 13, 40, 101])
@pytest.mark.parametrize("level", [0.2, 0.05, 0.0625, 0.01])
def test_the_test_is_that_of_the_analysis(n: int, level: float) -> None:
    power = sign_powers(np.array([float(n)]), 0.63, level)[0]
    assert power == pytest.approx(slow_power(n, 0.63, level), abs=1e-10)


def test_the_published_numbers() -> None:
    assert votes(0.55, power=0.8, level=0.05) == 820
    assert votes(0.60, power=0.8, level=0.05) == 210
    assert votes(0.45, power=0.8, level=0.05) == 820


@pytest.mark.parametrize(
    ("rate", "power", "level", "one_sided"),
    [
        (0.55, 0.8, 0.05, False),
        (0.6, 0.9, 0.01, False),
        (0.7, 0.8, 0.05, True),
        (0.9, 0.95, 0.05, False),
        (0.65, 0.3, 0.1, False),
        (1.0, 0.8, 0.05, False),
    ],
)
def test_power_stays_from_there_and_not_before(
    rate: float, power: float, level: float, one_sided: bool
) -> None:
    found = votes(rate, power=power, level=level, one_sided=one_sided)
    # Far beyond the bound, so that the bound itself is tried.
    n = np.arange(1, 4 * last_doubt(rate, power, level, one_sided=one_sided), dtype=float)
    enough = sign_powers(n, rate, level, one_sided=one_sided) >= power
    assert enough[found - 1 :].all()
    assert not enough[found - 2]


def test_the_power_goes_up_and_down() -> None:
    # The first n that reaches 80% is not the answer: 783 does, and larger ones fall back.
    n = np.arange(1, 820, dtype=float)
    reached = sign_powers(n, 0.55, 0.05) >= 0.8
    assert reached.any()
    assert not reached[-1]


@given(st.floats(0.502, 0.99), st.floats(0.1, 0.99), st.booleans())
def test_the_bound_is_never_too_low(rate: float, power: float, one_sided: bool) -> None:
    end = last_doubt(rate, power, 0.05, one_sided=one_sided)
    n = np.arange(end, end + 500, dtype=float)
    assert (sign_powers(n, rate, 0.05, one_sided=one_sided) >= power).all()


@given(st.integers(1, 3000), st.floats(0.5, 1.0))
def test_sides_are_alike_and_power_grows_with_the_rate(n: int, rate: float) -> None:
    counts = np.array([float(n)])
    power = sign_powers(counts, rate, 0.05)[0]
    assert power == pytest.approx(sign_powers(counts, 1 - rate, 0.05)[0], abs=1e-12)
    assert power <= sign_powers(counts, min(1.0, rate + 0.01), 0.05)[0] + 1e-12
    assert 0 <= power <= 1 + 1e-12


def test_under_the_null_power_is_at_most_the_level() -> None:
    n = np.arange(1, 500, dtype=float)
    assert (sign_powers(n, 0.5, 0.05) < 0.05).all()


def test_the_fewest_votes_that_can_reject() -> None:
    # Six wins of six: 2/64 = 0.031; five of five: 2/32 = 0.0625.
    assert fewest_votes(0.05) == 6
    assert fewest_votes(0.05, one_sided=True) == 5
    assert sign_powers(np.array([5.0]), 1.0, 0.05).tolist() == [0.0]
    # One sixteenth is not below one sixteenth.
    assert fewest_votes(0.0625, one_sided=True) == 5


def test_rates_at_one_half_are_refused() -> None:
    with pytest.raises(InputError, match="that differs from"):
        votes(0.5, power=0.8, level=0.05)
    with pytest.raises(InputError, match="between 0 and 1"):
        votes(1.2, power=0.8, level=0.05)


def test_a_rate_near_one_half_takes_no_time() -> None:
    # The normal approximation gives (1.96 + 0.8416)² / (2 · 0.001)² = 1.962 million.
    assert votes(0.501, power=0.8, level=0.05) == pytest.approx(1_962_218, rel=0.002)
