"""Calibration: in the large, slope, Brier score, calibration error, reliability."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from jurybox.analysis.api import calibration
from jurybox.errors import InputError
from jurybox.results import Result
from jurybox.stats.detection.calibration import bin_of, brier_parts, calibration_error

STATED = {1: 0.5, 2: 0.625, 3: 0.75, 4: 0.875, 5: 1.0}
Rows = list[tuple[str, str, str, str, Any]]


def table(rows: Rows) -> dict[str, list[Any]]:
    names = ("item", "rater", "truth", "answer", "confidence")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def simulated(seed: int, raters: int = 12, items: int = 30, honest: bool = False) -> Rows:
    """Raters who are right less often than they say, unless ``honest``."""
    draw = random.Random(seed)
    rows: Rows = []
    for r in range(raters):
        skill = draw.gauss(0, 0.08)
        for i in range(items):
            truth = ("real", "generated")[i % 2]
            level = draw.randint(1, 5)
            chance = STATED[level] if honest else 0.45 + 0.6 * (STATED[level] - 0.5) + skill
            right = draw.random() < chance
            answer = truth if right else ("real", "generated")[(i + 1) % 2]
            rows.append((f"i{i}", f"r{r}", truth, answer, level))
    return rows


def xy(rows: Rows) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    return (
        np.array([STATED[row[4]] for row in rows]),
        np.array([float(row[2] == row[3]) for row in rows]),
    )


def test_by_hand() -> None:
    # Stated .5, .5, 1, 1; right 1, 0, 1, 0. In the large ½ − ¾; Brier (¼ + ¼ + 0 + 1)/4.
    rows: Rows = [
        ("1", "x", "real", "real", "guess"),
        ("2", "x", "real", "generated", "guess"),
        ("3", "y", "generated", "generated", "sure"),
        ("4", "y", "generated", "real", "sure"),
    ]
    found = calibration(table(rows), probability={"guess": 0.5, "sure": 1})
    assert (found.estimate, found.stated, found.right) == (-0.25, 0.75, 0.5)
    assert found.brier is not None
    assert found.brier.estimate == 0.375
    # Reliability (2·0² + 2·½²)/4, resolution 0, uncertainty ¼.
    assert found.brier.reliability == 0.125
    assert found.brier.resolution == 0
    assert found.brier.uncertainty == 0.25
    # Half of the answers are off by ½.
    assert found.error is not None
    assert found.error.estimate == 0.25
    assert found.slope is not None
    assert found.slope.estimate == pytest.approx(0, abs=1e-12)
    assert [(b.name, b.stated, b.estimate, b.n_responses) for b in found.bins] == [
        ("50%", 0.5, 0.5, 2),
        ("100%", 1, 0.5, 2),
    ]


def test_slope_and_mean_against_statsmodels() -> None:
    rows = simulated(1)
    x, y = xy(rows)
    found = calibration(table(rows), probability=STATED)
    assert found.slope is not None
    assert found.slope.interval is not None
    fit = sm.OLS(y, sm.add_constant(x)).fit()
    assert found.slope.estimate == pytest.approx(fit.params[1], abs=1e-10)
    variances = []
    for keys in ([row[0] for row in rows], [row[1] for row in rows], list(range(len(rows)))):
        _, groups = np.unique(keys, return_inverse=True)
        robust = fit.get_robustcov_results(
            "cluster", groups=groups, use_correction=False, df_correction=False
        )
        g = groups.max() + 1
        variances.append(robust.bse[1] ** 2 * g / (g - 1))
    half = t.ppf(0.975, 11) * (variances[0] + variances[1] - variances[2]) ** 0.5
    assert found.slope.interval.high == pytest.approx(fit.params[1] + half, abs=1e-8)
    assert found.estimate == pytest.approx((y - x).mean(), abs=1e-12)
    assert found.brier is not None
    assert found.brier.estimate == pytest.approx(((y - x) ** 2).mean(), abs=1e-12)


def test_overconfidence_is_found_and_honesty_is_not_blamed() -> None:
    sure = calibration(table(simulated(2)), probability=STATED)
    assert sure.interval is not None
    assert sure.interval.high < 0
    assert sure.error is not None
    assert (sure.error.p or 1) < 0.01
    honest = calibration(table(simulated(3, honest=True)), probability=STATED)
    assert honest.interval is not None
    assert honest.interval.low < 0 < honest.interval.high
    assert honest.slope is not None
    assert honest.slope.interval is not None
    assert honest.slope.interval.low < 1 < honest.slope.interval.high
    assert honest.error is not None
    assert honest.error.p is not None
    assert honest.error.p > 0.05
    assert honest.error.interval is None
    # The error of perfectly calibrated raters is not zero.
    assert honest.error.under_null is not None
    assert honest.error.under_null > 0.01


def test_the_null_of_the_error_is_its_mean_over_calibrated_raters() -> None:
    # About .07 at n = 100 over ten bins.
    stated = np.linspace(0.505, 0.995, 100)
    rng = np.random.default_rng(5)
    means = []
    for _ in range(400):
        right = rng.random(100) < stated
        bins = np.minimum(9, (stated * 10).astype(int))
        means.append(sum(abs((right - stated)[bins == b].sum()) for b in range(10)) / 100)
    found = calibration_error(list(stated), [1] * 100, [1] * 100, bins=10, seed=0)
    assert found.under_null == pytest.approx(np.mean(means), abs=0.005)
    assert 0.05 < (found.under_null or 0) < 0.09


def test_the_p_of_the_error_is_uniform_under_its_null() -> None:
    rng = np.random.default_rng(1)
    ps = []
    for seed in range(300):
        right = rng.binomial([40] * 4, [0.5, 0.65, 0.8, 0.95])
        made = calibration_error(
            [0.5, 0.65, 0.8, 0.95], [40] * 4, list(right), n_resamples=400, seed=seed
        )
        ps.append(made.p or 0.0)
    assert np.mean(np.array(ps) < 0.05) == pytest.approx(0.05, abs=0.035)
    assert np.mean(ps) == pytest.approx(0.5, abs=0.06)


def test_same_seed_same_result_and_strict_json() -> None:
    made = table(simulated(1))
    one, two = (calibration(made, probability=STATED, seed=7) for _ in range(2))
    assert one == two
    assert Result.from_dict(one.to_dict()) == one
    assert "calibration in the large" in str(one)


def test_raters_add_up() -> None:
    rows = simulated(4)
    found = calibration(table(rows), probability=STATED)
    assert len(found.raters) == 12
    first = found.raters[0]
    own = [row for row in rows if row[1] == first.rater]
    x, y = xy(own)
    assert first.estimate == pytest.approx((y - x).mean())
    assert first.brier == pytest.approx(((y - x) ** 2).mean())
    # One rater's items are independent: sd/√n, t(29).
    assert first.interval is not None
    half = t.ppf(0.975, 29) * (y - x).std(ddof=1) / len(own) ** 0.5
    assert first.interval.high == pytest.approx((y - x).mean() + half)


def test_constant_confidence_gets_its_sentence() -> None:
    rows = [(*row[:4], 3) for row in simulated(1)]
    found = calibration(table(rows), probability=STATED)
    assert found.slope is not None
    assert found.slope.undefined == "every answer has the same confidence"
    assert found.estimate is not None
    assert any(note.startswith("every answer has the same confidence") for note in found.notes)
    assert len(found.bins) == 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("none", "no confidence was asked"),
        ("empty", "no answer has a confidence"),
        ("raw", "the scale of confidence does not state the probability of each value"),
    ],
)
def test_undefined_with_the_reason(change: str, why: str) -> None:
    made = table(simulated(1))
    if change == "none":
        del made["confidence"]
    elif change == "empty":
        made["confidence"] = [None] * len(made["item"])
    found = calibration(made, probability=None if change == "raw" else STATED)
    assert (found.estimate, found.undefined) == (None, why)


def test_a_value_without_probability_is_an_error_that_lists_it() -> None:
    with pytest.raises(InputError, match=r"no entry for the confidence '4', '5'; it has 1, 2, 3"):
        calibration(table(simulated(1)), probability={1: 0.5, 2: 0.7, 3: 1})
    with pytest.raises(InputError, match="probability of 1 must lie between 0 and 1; got 50"):
        calibration(table(simulated(1)), probability={1: 50})
    with pytest.raises(InputError, match="needs confidences between 0 and 1"):
        calibration(table(simulated(1)), probability="stated")
    with pytest.raises(InputError, match="probability must give"):
        calibration(table(simulated(1)), probability="yes")  # type: ignore[arg-type]


def test_answers_without_confidence_are_left_out_and_counted() -> None:
    made = table(simulated(1))
    made["confidence"][:10] = [None] * 10
    found = calibration(made, probability=STATED)
    assert found.n_dropped == 10
    assert found.n_responses == 350


def test_a_confidence_that_is_a_probability() -> None:
    rows = simulated(1)
    stated = [(*row[:4], STATED[row[4]]) for row in rows]
    one = calibration(table(rows), probability=STATED)
    two = calibration(table(stated), probability="stated")
    assert one == two


def test_one_rater_one_item_one_answer() -> None:
    one = calibration(table([("1", "x", "real", "real", 1)]), probability=STATED)
    assert one.estimate == 0.5
    assert one.interval is None
    assert one.undefined == "there is only one rater and one item"
    rater = calibration(table([r for r in simulated(1) if r[1] == "r0"]), probability=STATED)
    assert "holds for this rater only" in rater.notes


def test_bins_include_one() -> None:
    assert bin_of([0.0, 0.1, 0.999, 1.0], bins=10) == ([0, 1, 9, 9], 10)
    # 0.29 · 100 and 0.57 · 100 are below 29 and 57 as floating-point numbers.
    assert bin_of([0.29, 0.57, 0.58], bins=100)[0] == [29, 57, 58]
    many = [i / 30 for i in range(31)]
    assert bin_of(many)[1] == 10
    assert max(bin_of(many)[0]) == 9
    with pytest.raises(InputError, match="bins must be at least 1"):
        bin_of([0.5], bins=0)


cells = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 30), st.floats(0, 1)), min_size=1, max_size=8
)


@given(cells)
def test_the_parts_add_up_to_the_score(drawn: list[tuple[int, int, float]]) -> None:
    x = sorted({each[0] / 20 for each in drawn})
    n = [drawn[i][1] for i in range(len(x))]
    right = [round(drawn[i][1] * drawn[i][2]) for i in range(len(x))]
    reliability, resolution, uncertainty = brier_parts(x, n, right)
    score = sum(
        r * (1 - v) ** 2 + (m - r) * v**2 for v, m, r in zip(x, n, right, strict=True)
    ) / sum(n)
    assert reliability - resolution + uncertainty == pytest.approx(score, abs=1e-12)
    assert min(reliability, resolution, uncertainty) >= 0


@pytest.mark.parametrize(
    "counts", [([], [], []), ([0.5], [1, 2], [1]), ([2.0], [1], [1]), ([0.5], [1], [2])]
)
def test_wrong_counts_are_refused(counts: Any) -> None:
    with pytest.raises(InputError, match="calibration: "):
        brier_parts(*counts)
