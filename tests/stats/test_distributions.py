"""Quantiles and tail areas, held to SciPy."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import special, stats

from jurybox.errors import InputError
from jurybox.stats.distributions import (
    check_confidence,
    from_logit,
    normal_quantile,
    normal_score,
    normal_two_sided,
    t_quantile,
    t_two_sided,
    to_logit,
)

degrees = st.integers(1, 300) | st.sampled_from([999, 10**4, 10**6, 10**9])


def test_values_of_the_printed_tables() -> None:
    # Student's t, two-sided 95%: 12.706, 2.571, 2.045, 1.984, 1.960.
    printed = {1: 12.706, 5: 2.571, 29: 2.045, 99: 1.984, 10**7: 1.960}
    for df, value in printed.items():
        assert t_quantile(0.95, df) == pytest.approx(value, abs=5e-4)
    assert normal_quantile(0.95) == pytest.approx(1.959964, abs=1e-6)


def _two_sided(t: float, df: int) -> float:
    """The area as known otherwise; SciPy loses digits for one degree of freedom near 0.

    There T is Cauchy's, whose area is 2/π · atan(1/t): at t = 1e-9 it is 1 − 6.4e-10, not 1.
    """
    return 2 / math.pi * math.atan2(1, t) if df == 1 else float(2 * stats.t.sf(t, df))


@given(st.floats(0, 50), degrees)
@example(1e-9, 1)
def test_the_tail_area_of_t(t: float, df: int) -> None:
    area = t_two_sided(t, df)
    assert t_two_sided(-t, df) == area
    assert area == pytest.approx(_two_sided(t, df), rel=1e-7, abs=1e-30)
    if t < 5:
        assert area == pytest.approx(_two_sided(t, df), rel=1e-10)


@given(st.floats(0.01, 0.9999), degrees)
def test_the_quantile_of_t(confidence: float, df: int) -> None:
    found = t_quantile(confidence, df)
    assert found == pytest.approx(stats.t.isf((1 - confidence) / 2, df), rel=1e-9)
    assert t_two_sided(found, df) == pytest.approx(1 - confidence, rel=1e-9)


@given(st.floats(-30, 30), st.floats(1e-12, 1 - 1e-12))
def test_the_normal_distribution_and_the_logit(x: float, p: float) -> None:
    assert normal_two_sided(x) == pytest.approx(2 * special.ndtr(-abs(x)), rel=1e-11)
    assert normal_score(p) == pytest.approx(special.ndtri(p), rel=1e-9, abs=1e-12)
    assert to_logit(p) == pytest.approx(special.logit(p), rel=1e-12, abs=1e-15)
    assert from_logit(x) == pytest.approx(special.expit(x), rel=1e-14)


def test_the_ends() -> None:
    assert t_two_sided(0.0, 3) == t_two_sided(0.0, 500) == 1.0
    assert t_two_sided(math.inf, 3) == t_two_sided(math.inf, 500) == 0.0
    assert t_two_sided(1e200, 3) == 0.0
    assert from_logit(-1000.0) == 0.0
    assert from_logit(1000.0) == 1.0
    assert 0 <= t_quantile(1e-17, 4) < 1e-10
    assert t_quantile(1 - 1e-15, 40) > t_quantile(1 - 1e-14, 40)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, -0.5])
def test_a_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(InputError, match="confidence must lie between 0 and 1"):
        check_confidence(confidence)
