"""A trend along the sitting, with outputs and raters held fixed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import t

from jurybox.results import Interval, Result
from jurybox.stats.trends import Trend, as_ratio, sitting_trend


@dataclass(frozen=True)
class Answers:
    unit: NDArray[np.int64]
    item: NDArray[np.int64]
    rater: NDArray[np.int64]
    x: NDArray[np.float64]


def sittings(seed: int, units: int = 12, raters: int = 6, share: float = 0.8) -> Answers:
    """Every rater sees most units, in an order of their own; two units make an item."""
    draw = np.random.default_rng(seed)
    rows = []
    for r in range(raters):
        seen = draw.permutation(units)[: max(2, round(share * units))]
        rows += [(u, u // 2, r, k / (len(seen) - 1)) for k, u in enumerate(seen)]
    unit, item, rater, x = (np.array(column) for column in zip(*rows, strict=True))
    return Answers(unit, item, rater, x.astype(np.float64))


def planted(data: Answers, slope: float, noise: float, seed: int = 0) -> NDArray[np.float64]:
    draw = np.random.default_rng(seed + 100)
    unit, rater = draw.normal(0, 1, data.unit.max() + 1), draw.normal(0, 1, data.rater.max() + 1)
    error = noise * draw.normal(0, 1, len(data.x))
    return np.asarray(unit[data.unit] + rater[data.rater] + slope * data.x + error)


def test_two_raters_who_meet_two_outputs_in_opposite_orders() -> None:
    # Rater 0: output 0 at place 0 scores 1, output 1 at place 1 scores 4.
    # Rater 1: output 1 at place 0 scores 2, output 0 at place 1 scores 3.
    # With levels of outputs and raters out, x is −½ ½ −½ ½ and y −1 1 −1 1: the slope is 2.
    data = Answers(
        np.array([0, 1, 1, 0]), np.array([0, 1, 1, 0]), np.array([0, 0, 1, 1]),
        np.array([0.0, 1, 0, 1]),
    )  # fmt: skip
    found = sitting_trend(data, np.array([1.0, 4, 2, 3]), what="score")
    assert found.estimate == pytest.approx(2.0)
    assert found.interval is None  # four answers for four parameters leave nothing over
    assert found.undefined is not None


@pytest.mark.parametrize("seed", range(4))
def test_the_slope_and_its_clustered_errors_are_those_of_dummies(seed: int) -> None:
    data = sittings(seed)
    y = planted(data, 0.7, 0.5, seed)
    dummies = [
        (number[:, None] == np.arange(number.max() + 1)).astype(float)
        for number in (data.unit, data.rater)
    ]
    design = np.column_stack([data.x, dummies[0], dummies[1][:, 1:]])
    fit = sm.OLS(y, design).fit()
    for cluster, number in (("item", data.item), ("rater", data.rater)):
        found = sitting_trend(data, y, what="score", cluster=cluster)  # type: ignore[arg-type]
        assert found.estimate == pytest.approx(fit.params[0], rel=1e-8)
        robust = fit.get_robustcov_results("cluster", groups=number, use_correction=False)
        g = len(np.unique(number))
        se = np.sqrt(robust.cov_params()[0, 0] * g / (g - 1))
        assert isinstance(found.interval, Interval)
        assert found.interval.high - found.interval.low == pytest.approx(
            2 * t.ppf(0.975, g - 1) * se, rel=1e-6
        )


def test_a_planted_trend_is_covered_by_the_default() -> None:
    hits = 0
    for seed in range(100):
        data = sittings(seed, units=30, raters=10)
        found = sitting_trend(data, planted(data, 0.5, 0.6, seed), what="score")
        assert found.interval is not None
        hits += found.interval.low <= 0.5 <= found.interval.high
    assert hits >= 90


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.floats(-5, 5), st.floats(0.1, 10))
def test_levels_do_not_matter_and_units_scale(seed: int, shift: float, scale: float) -> None:
    data = sittings(seed)
    y = planted(data, 0.3, 0.4, seed)
    one = sitting_trend(data, y, what="score")
    two = sitting_trend(data, scale * y + shift, what="score")
    assert one.estimate is not None
    assert two.estimate == pytest.approx(scale * one.estimate, rel=1e-6, abs=1e-8)
    assert one.p is not None
    assert two.p == pytest.approx(one.p, rel=1e-5)
    order = np.random.default_rng(seed).permutation(len(y))
    mixed = Answers(data.unit[order], data.item[order], data.rater[order], data.x[order])
    assert sitting_trend(mixed, y[order], what="score").estimate == pytest.approx(one.estimate)


def test_degenerate_input_is_said() -> None:
    empty = Answers(*(np.array([], dtype=np.int64) for _ in range(3)), np.array([]))  # type: ignore[call-arg,arg-type]
    assert sitting_trend(empty, np.array([]), what="score").undefined is not None
    alone = Answers(np.arange(4), np.arange(4), np.array([0, 0, 1, 1]), np.array([0.0, 1, 0, 1]))
    found = sitting_trend(alone, np.arange(4.0), what="score")
    assert (found.estimate, found.interval) == (None, None)
    assert "no output was judged by two raters" in (found.undefined or "")
    # Both raters in the same order: the second output is also the second trial.
    same = Answers(np.array([0, 1] * 2), np.array([0, 1] * 2), np.array([0, 0, 1, 1]), alone.x)
    found = sitting_trend(same, np.array([1.0, 2, 1, 3]), what="score")
    assert found.estimate is None
    assert "hardly any output was judged at different places" in (found.undefined or "")
    # Answers that never vary move by nothing, and nobody knows how surely.
    data = sittings(1)
    flat = sitting_trend(data, np.full(len(data.x), 3.0), what="score")
    assert flat.estimate == pytest.approx(0)
    assert flat.interval is None
    assert flat.undefined is not None


def test_a_slope_of_logarithms_is_a_ratio_and_survives_json() -> None:
    data = sittings(2)
    found = as_ratio(sitting_trend(data, planted(data, -0.5, 0.2), what="seconds"))
    assert found.estimate is not None
    assert found.interval is not None
    assert -1 < found.interval.low < found.estimate < found.interval.high < 0
    assert Result.from_dict(found.to_dict()) == found
    huge = Trend(
        estimate=1e4,
        interval=Interval(low=-1e4, high=1e4, confidence=0.95, method="t"),
        what="seconds",
    )
    assert as_ratio(huge).interval == Interval(
        low=-1.0, high=float("inf"), confidence=0.95, method="t"
    )
