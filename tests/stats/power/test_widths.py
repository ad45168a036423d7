"""Widths of agreement and of a fooling rate: closed forms, and jurybox's own intervals."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from statsmodels.stats.proportion import proportion_confint

import jurybox as jb
from jurybox.errors import InputError
from jurybox.results import Result
from jurybox.stats.power.agreement_width import (
    bonett_half_width,
    bonett_items,
    kappa_half_width,
    kappa_items,
    kappa_sd,
)
from jurybox.stats.power.detection import wilson_half_width

STUDIES = 24
"""A half-width varies by a tenth from study to study: the mean of 24 by two hundredths."""


@given(st.floats(0.0, 0.95), st.floats(0.05, 0.95))
def test_bloch_and_kraemer_for_two_raters_and_two_categories(kappa: float, p: float) -> None:
    # n · variance = (1 − κ)[(1 − κ)(1 − 2κ) + κ(2 − κ) / (2p(1 − p))].
    expected = (1 - kappa) * (
        (1 - kappa) * (1 - 2 * kappa) + kappa * (2 - kappa) / (2 * p * (1 - p))
    )
    assert kappa_sd(kappa, (p, 1 - p), 2) == pytest.approx(math.sqrt(expected), rel=1e-7)


def test_no_agreement_by_hand() -> None:
    # Two raters, fair coins: a is 1 or 0 and b is always ½, so ψ = 2a, with sd 2 · ½ = 1.
    assert kappa_sd(0, (0.5, 0.5), 2) == pytest.approx(1)


@given(st.integers(2, 6), st.floats(0.0, 0.9), st.permutations([0.5, 0.3, 0.2]))
def test_more_raters_are_never_wider(raters: int, kappa: float, shares: list[float]) -> None:
    assert kappa_sd(kappa, shares, raters + 1) <= kappa_sd(kappa, shares, raters) + 1e-9
    assert kappa_sd(kappa, shares, raters) == pytest.approx(kappa_sd(kappa, sorted(shares), raters))


def test_bonetts_example() -> None:
    # ptenklooster.nl after Bonett (2002): ICC 0.8, two raters, width 0.2: 51, and 55 corrected.
    z = 1.959964
    plain = 8 * z**2 * 0.2**2 * 1.8**2 / (2 * 0.2**2) + 1
    assert math.ceil(plain) == 51
    assert bonett_items(0.1, 0.8, 2, confidence=0.95) == 55
    # Three raters get no correction.
    assert bonett_items(0.1, 0.6, 3, confidence=0.95) == 101


@pytest.mark.parametrize("raters", [2, 3, 7])
@pytest.mark.parametrize("value", [0.0, 0.4, 0.8])
def test_numbers_and_widths_are_inverse(raters: int, value: float) -> None:
    for half in (0.05, 0.1, 0.2):
        n = bonett_items(half, value, raters, confidence=0.9)
        assert bonett_half_width(n, value, raters, confidence=0.9) <= half + 1e-9
        shares = (0.6, 0.3, 0.1)
        n = kappa_items(half, value, shares, raters, confidence=0.9)
        assert kappa_half_width(n, value, shares, raters, confidence=0.9) <= half + 1e-9
        assert kappa_half_width(n - 1, value, shares, raters, confidence=0.9) > half - 1e-9


def _nominal(
    generator: np.random.Generator, n: int, raters: int, kappa: float, shares: tuple[float, ...]
) -> NDArray[np.int64]:
    """Items × raters: each item has answer shares of its own, Dirichlet around ``shares``."""
    weight = (1 - kappa) / kappa
    own = generator.dirichlet(np.array(shares) * weight, n)
    ends = own.cumsum(axis=1)[:, None, :-1]
    above: NDArray[np.int64] = (generator.random((n, raters, 1)) > ends).sum(axis=2)
    return above


def _scores(
    generator: np.random.Generator, n: int, raters: int, value: float
) -> NDArray[np.float64]:
    item = generator.normal(0, math.sqrt(value), (n, 1))
    return item + generator.normal(0, math.sqrt(1 - value), (n, raters))


def _table(answers: NDArray[np.int64] | NDArray[np.float64]) -> dict[str, list[object]]:
    n, raters = answers.shape
    return {
        "item": np.repeat(np.arange(n), raters).tolist(),
        "rater": np.tile(np.arange(raters), n).tolist(),
        "score": answers.ravel().tolist(),
    }


def _half(result: Result) -> float:
    shown = result.these_raters or result.interval
    assert shown is not None
    return (shown.high - shown.low) / 2


@pytest.mark.parametrize(
    ("statistic", "kappa", "shares", "raters"),
    [
        ("alpha", 0.6, (0.5, 0.3, 0.2), 3),
        ("fleiss", 0.3, (0.7, 0.3), 4),
        ("cohen", 0.5, (0.4, 0.3, 0.2, 0.1), 2),
    ],
)
def test_intervals_of_kappa_are_as_wide_as_planned(
    statistic: str, kappa: float, shares: tuple[float, ...], raters: int
) -> None:
    generator = np.random.default_rng(5)
    n = kappa_items(0.1, kappa, shares, raters, confidence=0.95)
    halves = []
    for _ in range(STUDIES):
        table = _table(_nominal(generator, n, raters, kappa, shares))
        if statistic == "alpha":
            made = jb.krippendorff_alpha(table, level="nominal", n_resamples=400)
        elif statistic == "fleiss":
            made = jb.fleiss_kappa(table, n_resamples=400)
        else:
            made = jb.cohen_kappa(table, n_resamples=400)
        halves.append(_half(made))
    assert float(np.mean(halves)) == pytest.approx(0.1, rel=0.1)


@pytest.mark.parametrize("level", ["interval", "ordinal"])
def test_intervals_of_alpha_of_scores_are_as_wide_as_planned(
    level: Literal["interval", "ordinal"],
) -> None:
    generator = np.random.default_rng(6)
    n = bonett_items(0.1, 0.6, 3, confidence=0.95)
    halves, values = [], []
    for _ in range(STUDIES):
        scores = _scores(generator, n, 3, 0.6)
        if level == "ordinal":
            # Five values, as a scale has them.
            scores = np.digitize(scores, [-1.2, -0.4, 0.4, 1.2]).astype(np.float64)
        made = jb.krippendorff_alpha(_table(scores), level=level, n_resamples=400)
        assert made.estimate is not None
        values.append(made.estimate)
        halves.append(_half(made))
    expected = bonett_half_width(n, float(np.mean(values)), 3, confidence=0.95)
    assert float(np.mean(halves)) == pytest.approx(expected, rel=0.1)


def test_too_many_patterns_are_refused() -> None:
    with pytest.raises(InputError, match="too many patterns of answers"):
        kappa_sd(0.5, (0.1,) * 10, 40)


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 1.0])
def test_wilson_of_statsmodels(rate: float) -> None:
    low, high = proportion_confint(rate * 200, 200, alpha=0.1, method="wilson")
    half = wilson_half_width(200, rate, confidence=0.9)
    assert half == pytest.approx((high - low) / 2, abs=1e-12)
    assert wilson_half_width(400, rate, confidence=0.9, effect=2) == pytest.approx(half)


def test_the_design_effect_covers_raters_who_repeat() -> None:
    # Raters of 20 answers whose own rates are Beta with intraclass correlation 0.05 around 0.3.
    generator = np.random.default_rng(7)
    n, each, rho, rate = 640, 20, 0.05, 0.3
    weight = (1 - rho) / rho
    own = generator.beta(rate * weight, (1 - rate) * weight, (20_000, n // each))
    found = generator.binomial(each, own).sum(axis=1) / n
    half = wilson_half_width(n, rate, confidence=0.95, effect=1 + 19 * rho)
    assert 1.96 * float(found.std()) == pytest.approx(half, rel=0.03)
