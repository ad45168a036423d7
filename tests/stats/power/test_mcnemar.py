"""Exact McNemar power: all tables of small n, simulation, and the recorded normal formula."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from jurybox.errors import InputError
from jurybox.stats.power.mcnemar import check_changes, mcnemar_items, mcnemar_powers
from jurybox.stats.power.win_rate import sign_powers
from jurybox.stats.tails import binomial_p


def slow_power(n: int, gains: float, losses: float) -> float:
    total = 0.0
    for won in range(n + 1):
        for lost in range(n - won + 1):
            if won + lost and binomial_p(won, won + lost) < 0.05:
                alike = n - won - lost
                ways = math.comb(n, won) * math.comb(n - won, lost)
                total += ways * gains**won * losses**lost * (1 - gains - losses) ** alike
    return total


@pytest.mark.parametrize(("gains", "losses"), [(0.32, 0.08), (0.5, 0.1), (0.05, 0.2), (0.3, 0.0)])
@pytest.mark.parametrize("n", [1, 8, 25, 40])
def test_all_tables_of_a_small_study(n: int, gains: float, losses: float) -> None:
    power = mcnemar_powers(np.array([float(n)]), gains, losses, 0.05)[0]
    assert power == pytest.approx(slow_power(n, gains, losses), abs=1e-9)


def test_simulated() -> None:
    generator = np.random.default_rng(1)
    tables = generator.multinomial(249, [0.2, 0.1, 0.7], size=20_000)
    won, both = tables[:, 0], tables[:, 0] + tables[:, 1]
    p = 2 * np.minimum(stats.binom.cdf(won, both, 0.5), stats.binom.sf(won - 1, both, 0.5))
    expected = mcnemar_powers(np.array([249.0]), 0.2, 0.1, 0.05)[0]
    # Four standard errors of 20,000 draws: 0.011.
    assert float((p < 0.05).mean()) == pytest.approx(expected, abs=0.0113)


@pytest.mark.parametrize(
    ("gains", "losses", "power"), [(0.2, 0.1, 0.8), (0.05, 0.45, 0.8), (0.3, 0.0, 0.9)]
)
def test_power_stays_from_there_and_not_before(gains: float, losses: float, power: float) -> None:
    found = mcnemar_items(gains, losses, power=power, level=0.05)
    n = np.arange(1, 4 * found + 100, dtype=float)
    enough = mcnemar_powers(n, gains, losses, 0.05) >= power
    assert enough[found - 1 :].all()
    assert not enough[found - 2]


def test_where_all_items_differ_it_is_the_sign_test() -> None:
    n = np.array([50.0, 210.0])
    assert mcnemar_powers(n, 0.6, 0.4, 0.05) == pytest.approx(sign_powers(n, 0.6, 0.05))
    assert mcnemar_items(0.6, 0.4, power=0.8, level=0.05) == 210


def test_connors_recorded_example() -> None:
    # powerandsamplesize.com after Connor (1987): 0.45 against 0.05, 80% power: 23 pairs by the
    # normal approximation Φ((|δ|√n − 1.96√π) / √(π − δ²)) with δ = −0.4 and π = 0.5, which
    # promises more than the exact test holds.
    powers = [
        stats.norm.cdf((0.4 * n**0.5 - stats.norm.ppf(0.975) * 0.5**0.5) / (0.5 - 0.4**2) ** 0.5)
        for n in (22, 23)
    ]
    assert powers[0] < 0.8 <= powers[1]
    assert mcnemar_items(0.05, 0.45, power=0.8, level=0.05) == 25


@pytest.mark.parametrize(
    ("gains", "losses", "said"),
    [
        (0.2, 0.2, "gains and losses must differ"),
        (0.7, 0.5, "cannot add up to more than 1"),
        (-0.1, 0.2, "gains must be a share"),
        (0.1, 1.2, "losses must be a share"),
    ],
)
def test_impossible_shares(gains: float, losses: float, said: str) -> None:
    with pytest.raises(InputError, match=said):
        check_changes(gains, losses)


def test_shares_too_near_to_each_other() -> None:
    with pytest.raises(InputError, match="too near to each other"):
        mcnemar_items(0.1001, 0.1, power=0.8, level=0.05)
