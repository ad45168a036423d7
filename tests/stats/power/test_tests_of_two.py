"""Two means and two shares: statsmodels, recorded G*Power, pwr and PowerTOST, simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import NormalIndPower, TTestIndPower, TTestPower

from jurybox.stats.power.means import Spread, mean_margin_power, mean_power
from jurybox.stats.power.noncentral import both_tests_power, t_power
from jurybox.stats.power.proportions import cohen_h, h_power, share_margin_power, share_se

DFS = (1, 2, 5, 20, 126, 2000)


@pytest.mark.parametrize("df", DFS)
@pytest.mark.parametrize("level", [0.2, 0.05, 0.001])
@pytest.mark.parametrize("one_sided", [False, True])
def test_noncentral_t_of_scipy(df: int, level: float, one_sided: bool) -> None:
    for size in (0.0, 0.5, 2.0, 4.0, 8.0):
        critical = stats.t.isf(level if one_sided else level / 2, df)
        # SciPy's upper tail is NaN at places; the lower tail of the mirrored one is not.
        expected = stats.nct.cdf(-critical, df, -size)
        if not one_sided and size < 8:
            expected += stats.nct.cdf(-critical, df, size)
        assert t_power(size, df, level, one_sided=one_sided) == pytest.approx(expected, abs=1e-8)


# Not where power is 1 to many digits: statsmodels gives NaN there.
@pytest.mark.parametrize(
    ("d", "n"), [(0.1, 3), (1.2, 3), (0.3, 20), (0.8, 20), (0.1, 64), (0.5, 64), (0.2, 300)]
)
@pytest.mark.parametrize("sides", ["two-sided", "larger"])
def test_statsmodels(d: float, n: int, sides: str) -> None:
    one = sides == "larger"
    paired = mean_power(d, Spread(se=1 / math.sqrt(n), df=n - 1), 0.05, one_sided=one)
    assert paired == pytest.approx(TTestPower().power(d, n, 0.05, alternative=sides), abs=1e-7)
    for ratio in (1, 2):
        apart = mean_power(d, Spread.unpaired(1, n, ratio * n), 0.05, one_sided=one)
        expected = TTestIndPower().power(d, n, 0.05, ratio=ratio, alternative=sides)
        assert apart == pytest.approx(expected, abs=1e-7)
        shares = h_power(d, n, ratio * n, 0.05, one_sided=one)
        expected = NormalIndPower().power(d, n, 0.05, ratio=ratio, alternative=sides)
        assert shares == pytest.approx(expected, abs=1e-12)


def test_recorded_g_power() -> None:
    # G*Power reference manual, t test for means: d = 0.5, two-tailed, 172 in all: 0.9032.
    assert mean_power(0.5, Spread.unpaired(1, 86, 86), 0.05) == pytest.approx(0.9032, abs=5e-5)
    assert mean_power(0.5, Spread.unpaired(1, 85, 85), 0.05) < 0.9
    # G*Power 3.1 manual, matched pairs, after Cohen (1969, p. 48): d = 0.4, correlation 0.55, 50
    # pairs, two-tailed: dz = 0.421637, power 0.832114.
    spread = Spread.paired(1, 0.55, 50)
    assert 0.4 / (spread.se * math.sqrt(50)) == pytest.approx(0.421637, abs=5e-7)
    assert mean_power(0.4, spread, 0.05) == pytest.approx(0.832114, abs=5e-7)
    # The same, difference from a constant: d = 0.625, one-tailed, power 0.95: 30, with 0.955144.
    powers = [
        mean_power(0.625, Spread(se=1 / math.sqrt(n), df=n - 1), 0.05, one_sided=True)
        for n in (29, 30)
    ]
    assert powers[0] < 0.95
    assert powers[1] == pytest.approx(0.955144, abs=5e-7)
    # Wuensch, G*Power: t Tests: one group, d = 1/3, n = 25, two-tailed: 0.360.
    assert mean_power(1 / 3, Spread(se=0.2, df=24), 0.05) == pytest.approx(0.360, abs=5e-4)


POWER_PRIMER = [
    # Level, then per group for small, medium and large effects: 0.2, 0.5 and 0.8.
    ("means", 0.01, (586, 95, 38)),
    ("means", 0.05, (393, 64, 26)),
    ("means", 0.10, (310, 50, 20)),
    ("shares", 0.01, (584, 93, 36)),
    ("shares", 0.05, (392, 63, 25)),
    ("shares", 0.10, (309, 49, 19)),
]
"""Cohen (1992), A power primer, doi:10.1037/0033-2909.112.1.155, table 2, power 0.8, two-sided."""


@pytest.mark.parametrize(("what", "level", "numbers"), POWER_PRIMER)
def test_cohen_s_table(what: str, level: float, numbers: tuple[int, ...]) -> None:
    def power(effect: float, n: float) -> float:
        if what == "shares":
            return h_power(effect, n, n, level)
        return mean_power(effect, Spread(se=math.sqrt(2 / n), df=2 * n - 2), level)

    for effect, n in zip((0.2, 0.5, 0.8), numbers, strict=True):
        # The table rounds to the nearest number, up or down.
        assert power(effect, n - 0.5) < 0.8 <= power(effect, n + 0.5) + 1e-5


@pytest.mark.parametrize(
    ("d", "one_sided", "power", "n"),
    [
        (0.5, False, 0.8, 64), (0.8, False, 0.8, 26), (0.5, False, 0.9, 86),
        (0.5, True, 0.8, 51), (0.8, True, 0.8, 21), (0.5, True, 0.9, 70),
    ],
)  # fmt: skip
def test_answers_per_group(d: float, one_sided: bool, power: float, n: int) -> None:
    # As MRC Cognition and Brain Sciences Unit, statswiki, FAQ/dunp prints them, which has 85 for
    # 86: G*Power's reference manual asks for 172 in all.
    reached = [
        mean_power(d, Spread.unpaired(1, m, m), 0.05, one_sided=one_sided) for m in (n - 1, n)
    ]
    assert reached[0] < power <= reached[1]


def test_recorded_pwr() -> None:
    # pwr.t.test(type = "paired", power = .75): n = 112.9798 for d = .25 and 29.7355 for d = .5.
    for d, n in ((0.25, 112.9798), (0.5, 29.7355)):
        spread = Spread(se=1 / math.sqrt(n), df=n - 1)
        assert mean_power(d, spread, 0.05) == pytest.approx(0.75, abs=2e-6)
    # pwr.2p2n.test(h = .25, n1 = 100, n2 = 120, "greater"): 0.5798535.
    assert h_power(0.25, 100, 120, 0.05, one_sided=True) == pytest.approx(0.5798535, abs=5e-8)
    # pwr.2p.test(h = .25, power = .8, "greater"): n = 197.8418.
    assert h_power(0.25, 197.8418, 197.8418, 0.05, one_sided=True) == pytest.approx(0.8, abs=1e-6)


def test_paired_by_hand() -> None:
    # sd 2, correlation 0.5: the difference has sd 2 · √(2 · 0.5) = 2; of 16 items se 0.5.
    assert Spread.paired(2, 0.5, 16) == Spread(se=0.5, df=15)


def test_recorded_power_tost() -> None:
    # PowerTOST manual: power.TOST(CV = 0.3, n = 40) is 0.8158453 (2×2 crossover, ratio 0.95).
    se = math.sqrt(math.log(1.09)) * math.sqrt(2 / 40)
    low, high = -math.log(1.25) - math.log(0.95), math.log(1.25) - math.log(0.95)
    power = mean_margin_power(low, high, Spread(se=se, df=38), 0.05)
    assert power == pytest.approx(0.8158453, abs=5e-8)


@pytest.mark.parametrize(("n", "difference"), [(10, 0.0), (35, 0.1), (70, 0.0)])
def test_two_tests_simulated(n: int, difference: float) -> None:
    generator = np.random.default_rng(2)
    studies, margin = 40_000, 0.5
    mean = generator.normal(difference, math.sqrt(2 / n), studies)
    sd = np.sqrt(generator.chisquare(2 * n - 2, studies) / (2 * n - 2))
    critical = stats.t.isf(0.05, 2 * n - 2) * sd * math.sqrt(2 / n)
    shown = (mean - critical > -margin) & (mean + critical < margin)
    spread = Spread.unpaired(1, n, n)
    power = mean_margin_power(-margin - difference, margin - difference, spread, 0.05)
    assert float(shown.mean()) == pytest.approx(power, abs=4 * math.sqrt(0.25 / studies))
    one = mean_margin_power(None, margin + difference, spread, 0.05)
    assert float((mean - critical > -margin).mean()) == pytest.approx(one, abs=0.01)


def test_recorded_non_inferiority_of_shares() -> None:
    # powerandsamplesize.com after Chow, Shao and Wang (2008), page 90: 0.85 and 0.65, margin 0.10,
    # one-sided 5%, 80% power: 25 a group.
    def power(n: int) -> float:
        return share_margin_power(None, 0.30, share_se(0.85, 0.65, n, n), 0.05)

    assert power(24) < 0.8 <= power(25)


def test_share_margins_simulated() -> None:
    generator = np.random.default_rng(3)
    n, studies = 275, 40_000
    shares = generator.binomial(n, 0.8, (2, studies)) / n
    se = np.sqrt((shares * (1 - shares)).sum(axis=0) / n)
    gap = shares[0] - shares[1]
    shown = np.abs(gap) + 1.6448536 * se < 0.1
    power = share_margin_power(-0.1, 0.1, share_se(0.8, 0.8, n, n), 0.05)
    # The approximation is one of the normal distribution: within a percentage point here.
    assert float(shown.mean()) == pytest.approx(power, abs=0.02)


def test_cohens_h_by_hand() -> None:
    # 2·asin(√0.5) = π/2 and 2·asin(√0.25) = π/3.
    assert cohen_h(0.5, 0.25) == pytest.approx(math.pi / 6)


@given(st.floats(0.05, 3.0), st.floats(0, 2), st.integers(1, 400))
def test_margins_never_promise_more_than_their_parts(margin: float, away: float, df: int) -> None:
    low, high = -3 * margin - away, 3 * margin - away
    both = both_tests_power(low, high, df, 0.05)
    one = t_power(high, df, 0.05, one_sided=True) if high > 0 else 0.05
    assert 0 <= both <= one + 1e-9
    wider = both_tests_power(low - 1, high + 1, df, 0.05)
    assert wider >= both - 1e-9


def test_known_standard_deviations_are_the_limit() -> None:
    assert t_power(2.8, math.inf, 0.05) == pytest.approx(t_power(2.8, 1e6, 0.05), abs=1e-5)
