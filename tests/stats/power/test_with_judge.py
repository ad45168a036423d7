"""How many items people must rate beside a judge: by hand, by property, and by simulation."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

import jurybox as jb
from jurybox.errors import InputError
from jurybox.stats.judges.prediction_powered import parts_of, quality_of
from jurybox.stats.power.with_judge import BesideJudge
from tests.stats.judges.studies import part_rated
from tests.stats.judges.test_prediction_powered import combined

PLAN = BesideJudge(sd=1.0, correlation=0.7, raters=20, judged=1000, rater_sd=0.3)
GIVEN: dict[str, Any] = {
    "sd": 1.0,
    "correlation": 0.7,
    "rater_sd": 0.3,
    "raters": 20,
    "judged": 1000,
}


def test_by_hand() -> None:
    # 1/124 · (1 − 0.49 · 876/1000) + 0.09/20 = 0.004603 + 0.0045; t of 19 is 2.0930:
    # 2.0930 · √0.009103 = 0.1997.
    assert PLAN.half_width(124, 0.95) == pytest.approx(0.1997, abs=1e-4)
    made = jb.sample_size("with_judge", **GIVEN, half_width=0.2)
    assert made.n == 124
    assert PLAN.half_width(123, 0.95) > 0.2 >= PLAN.half_width(124, 0.95)
    # Without the judge 1/n + 0.0045 ≤ (0.2 / 2.0930)² = 0.009131: n ≥ 215.9.
    assert "Without the judge it takes 216 items." in made.notes
    # The other way round.
    back = jb.sample_size("with_judge", **GIVEN, n=124)
    assert back.half_width == pytest.approx(0.1997, abs=1e-4)
    assert max(n for n, _ in made.around) <= 1000


@given(
    n=st.integers(30, 499),
    correlation=st.floats(-0.95, 0.9),
    raters=st.integers(5, 60),
    rater_sd=st.floats(0, 2),
)
def test_more_items_and_a_better_judge_never_widen(
    n: int, correlation: float, raters: int, rater_sd: float
) -> None:
    plan = BesideJudge(sd=1, correlation=correlation, raters=raters, judged=500, rater_sd=rater_sd)
    width = plan.half_width(n, 0.95)
    assert plan.half_width(n + 1, 0.95) <= width
    assert replace(plan, correlation=min(0.99, correlation + 0.05)).half_width(n, 0.95) <= width
    # What raters differ by stays, whatever the judge is worth.
    assert width >= t.ppf(0.975, min(n, raters) - 1) * rater_sd / sqrt(raters) - 1e-12
    assert plan.fewest(width * (1 + 1e-12), 0.95) <= n  # type: ignore[operator]


def test_measured_quality_predicts_the_width_of_a_larger_study() -> None:
    widths, planned = [], []
    for seed in range(40):
        small = part_rated(np.random.default_rng([seed, 1]), rated=60)
        part = parts_of(small, small.given(0), np.ones(400, dtype=np.bool_))
        assert not isinstance(part, str)
        found = quality_of([part])
        assert not isinstance(found, str)
        assert (found.n_items, found.n_raters, found.n_judged_items) == (60, 10, 400)
        plan = BesideJudge(
            sd=found.sd,
            correlation=found.correlation,
            raters=found.n_raters,
            judged=found.n_judged_items,
            rater_sd=found.rater_sd,
        )
        planned.append(plan.half_width(120, 0.95))
        interval = combined(part_rated(np.random.default_rng([seed, 2]), rated=120)).interval
        widths.append((interval.high - interval.low) / 2)
    assert np.mean(planned) == pytest.approx(np.mean(widths), rel=0.12)


def test_quality_is_not_known_of_few() -> None:
    few = part_rated(np.random.default_rng(1), rated=20)
    part = parts_of(few, few.given(0), np.ones(400, dtype=np.bool_))
    assert not isinstance(part, str)
    assert "it takes 30 items" in str(quality_of([part]))
    flat = part_rated(np.random.default_rng(1), rated=40)
    flat = replace(flat, reply=np.ones_like(flat.reply))
    part = parts_of(flat, flat.given(0), np.ones(400, dtype=np.bool_))
    assert not isinstance(part, str)
    assert "one answer to everything" in str(quality_of([part]))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"half_width": 0.1}, "cannot reach a half-width of 0.1: with people on all 1,000 items"),
        ({"half_width": 0.1}, "take more raters"),
        ({"half_width": 0.06, "rater_sd": 0.01}, "have the judge rate more items"),
        ({"half_width": 0.0}, "half_width must be above 0"),
        ({"raters": 4, "half_width": 0.3}, "raters must be at least 5"),
        ({"judged": 30, "half_width": 0.3}, "judged must be more than 30"),
        ({"correlation": 1.0, "half_width": 0.3}, "correlation must lie between -1 and 1"),
        ({"sd": 0.0, "half_width": 0.3}, "sd must be above 0"),
        ({"rater_sd": -1.0, "half_width": 0.3}, "rater_sd must be 0 or more"),
        ({"n": 20}, "at least 30 items"),
        ({"n": 1001}, "at most 1,000 items"),
        ({}, "needs half_width or n"),
        ({"margin": 0.1}, "does not take margin"),
    ],
)
def test_sentences(more: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        jb.sample_size("with_judge", **{**GIVEN, **more})


def test_what_is_missing_is_named() -> None:
    with pytest.raises(InputError, match="with_judge needs correlation"):
        jb.sample_size("with_judge", sd=1, raters=10, judged=100, half_width=0.2)
