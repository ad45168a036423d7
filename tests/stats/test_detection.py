"""Turing tests: rates, the test of equal acceptance, and d′."""

from __future__ import annotations

import random
from typing import Any

import pytest
from scipy.special import ndtri

from jurybox.analysis.api import turing_test
from jurybox.stats.detection import Counts, group_sensitivity, sensitivity


def table(rows: list[tuple[str, str, str, str, str]]) -> dict[str, list[Any]]:
    names = ("item", "system", "rater", "truth", "answer")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def simulated(p_model: float, p_real: float, seed: int, raters: int = 12) -> dict[str, list[Any]]:
    draw = random.Random(seed)
    rows = []
    for r in range(raters):
        for i in range(30):
            real = i % 2 == 0
            chance = p_real if real else p_model
            answer = "real" if draw.random() < chance else "generated"
            kind = ("photo", "real") if real else ("model", "generated")
            rows.append((f"i{i}", kind[0], f"r{r}", kind[1], answer))
    return table(rows)


def test_rates_by_hand() -> None:
    # model: called real 1 of 4; photo: called generated 1 of 2.
    rows = [
        ("1", "model", "x", "generated", "real"),
        ("2", "model", "x", "generated", "generated"),
        ("1", "model", "y", "generated", "generated"),
        ("2", "model", "y", "generated", "generated"),
        ("3", "photo", "x", "real", "real"),
        ("3", "photo", "y", "real", "generated"),
    ]
    found = turing_test(table(rows))
    assert found["model"].estimate == 0.25
    assert found.hits[0].estimate == 0.75
    assert found.false_rejection is not None
    assert found.false_rejection.estimate == 0.5
    # Balanced accuracy: (0.75 + 0.5)/2; acceptance 0.25 − 0.5.
    assert found.balanced_accuracy is not None
    assert found.balanced_accuracy.estimate == 0.625
    assert found.differences[0].estimate == -0.25


def test_a_model_that_is_told_apart() -> None:
    found = turing_test(simulated(0.2, 0.9, 1))
    gap = found.differences[0]
    assert gap.interval is not None
    assert gap.interval.high < 0
    assert (gap.p or 1) < 0.001
    assert found.balanced_accuracy is not None
    assert found.balanced_accuracy.interval is not None
    assert found.balanced_accuracy.interval.low == pytest.approx(0.5 - gap.interval.high / 2)


def test_always_real_is_not_mistaken_for_skill_or_its_absence() -> None:
    found = turing_test(simulated(1.0, 1.0, 1))
    assert found["model"].estimate == 1
    assert found["model"].interval.low < 1
    gap = found.differences[0]
    assert gap.estimate == 0
    assert gap.p is None
    assert gap.interval is not None
    assert gap.interval.low < 0 < gap.interval.high


def test_only_generated_outputs_leave_the_test_undefined() -> None:
    rows = [("1", "m", "x", "generated", "real"), ("2", "m", "x", "generated", "generated")]
    found = turing_test(table(rows))
    assert found.false_rejection is None
    assert found.differences == ()
    assert found.sensitivity is not None
    assert found.sensitivity.undefined == "only generated outputs were shown, none real"


def test_d_prime_by_hand() -> None:
    # (8.5/11, 2.5/11): z = 0.7479, −0.7479.
    d, c = sensitivity(Counts(hits=8, generated=10, false_alarms=2, real=10))
    assert d == pytest.approx(2 * float(ndtri(8.5 / 11)))
    assert c == pytest.approx(0, abs=1e-12)
    # Calls few things generated: c above zero, "tends to answer real".
    assert sensitivity(Counts(hits=5, generated=10, false_alarms=0, real=10))[1] > 0


def test_the_group_d_prime_is_the_mean_of_the_raters_own() -> None:
    raters = [
        Counts(hits=8, generated=10, false_alarms=2, real=10),
        Counts(hits=10, generated=10, false_alarms=0, real=10),
        Counts(hits=2, generated=4, false_alarms=1, real=4),
    ]
    found = group_sensitivity(raters)
    own = [sensitivity(each)[0] for each in raters[:2]]
    assert found.estimate == pytest.approx(sum(own) / 2)
    assert found.n_raters == 2
    assert found.notes == ("1 rater with fewer than 10 of a kind left out",)
    # Two values a, b: se of the mean = |a − b|/2, t(1).
    assert found.interval is not None
    half = 12.706204736 * abs(own[0] - own[1]) / 2
    assert found.interval.high - found.interval.low == pytest.approx(2 * half)


def test_one_rater_has_d_prime_without_interval() -> None:
    found = group_sensitivity([Counts(hits=8, generated=10, false_alarms=2, real=10)])
    assert found.estimate is not None
    assert (found.interval, found.undefined) == (None, "only one rater has enough answers")
