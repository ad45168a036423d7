"""Crossed designs: by hand, against simulated studies, and sizes that cannot be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jurybox.errors import InputError
from jurybox.stats.power.crossed import (
    Components,
    Crossed,
    design_effect,
    difference_se,
    independent_answers,
)
from jurybox.stats.power.means import Spread, mean_power

PARTS = Components(item_system=0.5, rater_system=0.2, noise=0.8)


def test_by_hand() -> None:
    # 0.25/50 + 0.04/10 + 0.64/150 = 0.005 + 0.004 + 0.0042667 = 0.0132667; twice that 0.0265333.
    assert difference_se(50, 10, 3, PARTS) == pytest.approx(math.sqrt(0.0265333), rel=1e-5)
    # One score has variance 0.93: 2 · 0.93 / 0.0265333.
    assert independent_answers(50, 10, 3, PARTS) == pytest.approx(70.1005, rel=1e-5)


@pytest.mark.parametrize(("items", "raters", "overlap"), [(20, 4, 4), (30, 6, 2), (12, 12, 3)])
def test_simulated_differences_spread_so(items: int, raters: int, overlap: int) -> None:
    generator = np.random.default_rng(4)
    studies = 20_000
    # Item j is judged by raters j, j + 1, …: everyone has the same share of the work.
    seen = (np.arange(items)[:, None] + np.arange(overlap)) % raters
    of_item = generator.normal(0, PARTS.item_system, (studies, 2, items, 1))
    of_rater = generator.normal(0, PARTS.rater_system, (studies, 2, raters))[:, :, seen]
    noise = generator.normal(0, PARTS.noise, (studies, 2, items, overlap))
    # What items, raters and their pairing add to both systems alike.
    alike = generator.normal(0, 1, (studies, 1, items, overlap))
    means = (of_item + of_rater + noise + alike).mean(axis=(2, 3))
    spread = float((means[:, 0] - means[:, 1]).std())
    # The standard error of a standard deviation is 1/√(2n): 0.5%, four of which are 2%.
    assert spread == pytest.approx(difference_se(items, raters, overlap, PARTS), rel=0.02)


@pytest.mark.parametrize(("items", "raters"), [(20, 5), (30, 8), (60, 20), (12, 30)])
def test_the_two_way_test_has_the_power_of_the_closed_form(items: int, raters: int) -> None:
    # Differences of one rater on one item, with the clustered variance and t of the analysis.
    generator = np.random.default_rng(8)
    studies, se = 3_000, difference_se(items, raters, raters, PARTS)
    draws = 3 * se + np.sqrt(2) * (
        generator.normal(0, PARTS.item_system, (studies, items, 1))
        + generator.normal(0, PARTS.rater_system, (studies, 1, raters))
        + generator.normal(0, PARTS.noise, (studies, items, raters))
    )
    mean, n = draws.mean(axis=(1, 2)), items * raters
    left = (draws - mean[:, None, None]) / n
    of_item = (left.sum(axis=2) ** 2).sum(axis=1) * items / (items - 1)
    of_rater = (left.sum(axis=1) ** 2).sum(axis=1) * raters / (raters - 1)
    both = of_item + of_rater - (left**2).sum(axis=(1, 2)) * n / (n - 1)
    variance = np.where(both > 0, both, np.maximum(of_item, of_rater))
    df = Crossed(items=items, raters=raters, overlap=raters).df
    found = float((2 * stats.t.sf(np.abs(mean) / np.sqrt(variance), df) < 0.05).mean())
    # The clustered variance has more degrees of freedom than it is given: a little more power.
    assert found == pytest.approx(mean_power(3 * se, Spread(se=se, df=df), 0.05), abs=0.05)


@given(st.integers(1, 200), st.integers(1, 50), st.integers(1, 50))
def test_more_is_never_less(items: int, raters: int, overlap: int) -> None:
    overlap = min(overlap, raters)
    now = difference_se(items, raters, overlap, PARTS)
    assert difference_se(2 * items, raters, overlap, PARTS) < now
    # Raters beyond one for every answer have nothing to do.
    more = difference_se(items, 2 * raters, overlap, PARTS)
    assert more < now if items * overlap > raters else more == now
    answers = independent_answers(items, raters, overlap, PARTS)
    assert 0 < answers <= items * overlap * (1 + 1e-12)
    # Items alone never get below what the raters leave.
    assert now > math.sqrt(2 / raters) * PARTS.rater_system


def test_answers_without_tastes_are_independent() -> None:
    assert independent_answers(
        40, 8, 3, Components(item_system=0, rater_system=0, noise=2)
    ) == pytest.approx(120)


def test_degrees_of_freedom_are_those_of_the_analysis() -> None:
    assert Crossed(items=50, raters=10, overlap=3).df == 9
    assert Crossed(items=5, raters=10, overlap=3).df == 4


def test_raters_without_work_do_not_count() -> None:
    # Four items once each are judged by four of fifty raters.
    assert Crossed(items=4, raters=50, overlap=1).working == 4
    assert difference_se(4, 50, 1, PARTS) == difference_se(4, 4, 1, PARTS)


def test_design_effect_by_hand() -> None:
    assert design_effect(20, 0.05) == pytest.approx(1.95)
    assert design_effect(1, 0.9) == 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Crossed(items=0, raters=3, overlap=1), "items must be at least 1; got 0"),
        (lambda: Crossed(items=9, raters=0, overlap=1), "raters must be at least 1; got 0"),
        (lambda: Crossed(items=9, raters=3, overlap=0), "overlap must be at least 1; got 0"),
        (lambda: difference_se(9, 3, 4, PARTS), "4 of 3 raters cannot judge one output"),
        (lambda: Components(item_system=-1, rater_system=0, noise=1), "item_system is a standard"),
        (lambda: Components(item_system=0, rater_system=math.inf, noise=1), "rater_system is a"),
        (lambda: Components(item_system=0, rater_system=0, noise=0), "at least one standard"),
        (lambda: design_effect(0, 0.1), "per_rater must be 1 answer or more; got 0"),
        (lambda: design_effect(5, 1.0), "below 1; got 1.0"),
        (lambda: design_effect(5, -0.1), "0 or more"),
    ],
)
def test_impossible_sizes_are_one_sentence(call: object, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        call()  # type: ignore[operator]
    assert "\n" not in str(caught.value)
