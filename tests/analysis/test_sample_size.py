"""``jb.sample_size``: every question, its inverses, and requests that cannot be met."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jurybox as jb
from jurybox.errors import InputError
from jurybox.results import Result
from jurybox.stats.power.size import SampleSize

PARTS = (0.4, 0.2, 0.8)
size: Any = jb.sample_size
"""Called with names that are data here."""


@pytest.mark.parametrize(
    ("question", "given", "n"),
    [
        # STATISTICS: 820 for 55% and 210 for 60% at 80% power.
        ("win_rate", {"rate": 0.55}, 820),
        ("win_rate", {"rate": 0.6}, 210),
        # h = 0.2103: 2 · (1.96 + 0.8416)² / h² = 355.0, and a little more.
        ("proportions", {"first": 0.3, "second": 0.4}, 356),
        # d = 0.5, two-sided 5%, 80%: 64 a group unpaired; dz = 0.5: 34 pairs (Cohen 1988).
        ("means", {"difference": 0.5, "sd": 1}, 64),
        ("means", {"difference": 0.5, "sd": 1, "correlation": 0.5}, 34),
        # G*Power reference manual: 172 in all for 90%.
        ("means", {"difference": 0.5, "sd": 1, "power": 0.9}, 86),
        ("mcnemar", {"gains": 0.2, "losses": 0.1}, 249),
        # powerandsamplesize.com after Chow, Shao and Wang (2008): 25 a group.
        ("noninferiority", {"margin": 0.1, "first": 0.85, "second": 0.65}, 25),
        # Bonett (2002) with his correction for two raters.
        (
            "agreement",
            {"agreement": 0.8, "level": "interval", "raters": 2, "half_width": 0.1},
            55,
        ),
        # Bloch and Kraemer: 0.64 · (1.96/0.1)² = 245.9.
        (
            "agreement",
            {
                "agreement": 0.6,
                "level": "nominal",
                "raters": 2,
                "shares": (0.5, 0.5),
                "half_width": 0.1,
            },
            246,
        ),
        ("fooling", {"rate": 0.3, "half_width": 0.05}, 320),
        ("fooling", {"rate": 0.4, "real": 0.6}, 97),
    ],
)
def test_recorded_numbers(question: Any, given: dict[str, Any], n: int) -> None:
    made = size(question, **given)
    assert made.n == made.estimate == n
    assert made.asked == "n"
    assert str(made).startswith(made.sentence)


CASES: list[tuple[str, str, dict[str, Any], float]] = [
    ("win_rate", "rate", {}, 0.57),
    ("proportions", "second", {"first": 0.3}, 0.42),
    ("means", "difference", {"sd": 2.0}, 0.5),
    ("means", "difference", {"sd": 2.0, "correlation": 0.3}, 0.5),
    ("means", "difference", {"raters": 15, "overlap": 3, "components": PARTS}, 0.35),
    ("mcnemar", "gains", {"losses": 0.1}, 0.2),
    ("equivalence", "margin", {"sd": 1.0, "difference": 0.1}, 0.5),
    ("equivalence", "margin", {"first": 0.8, "second": 0.82}, 0.1),
    ("noninferiority", "margin", {"sd": 1.0, "correlation": 0.5}, 0.3),
    ("fooling", "rate", {"real": 0.6, "per_rater": 10, "rater_correlation": 0.1}, 0.45),
]


@pytest.mark.parametrize(("question", "effect", "given", "value"), CASES)
def test_number_power_and_effect_fit_each_other(
    question: Any, effect: str, given: dict[str, Any], value: float
) -> None:
    found = size(question, **{effect: value}, **given)
    power = size(question, n=found.n, **{effect: value}, **given)
    assert power.asked == "power"
    assert power.estimate == found.power
    assert found.power is not None
    assert found.power >= 0.8
    assert size(question, n=found.n - 1, **{effect: value}, **given).power < 0.8
    least = size(question, n=found.n, **given)
    assert least.asked == "effect"
    assert least.power == pytest.approx(0.8, abs=1e-6)
    # A little less than what was asked for is found too, as n is whole.
    away = -1 if question == "fooling" else 1
    assert away * least.effect <= away * value + 1e-9
    assert least.effect == pytest.approx(value, rel=0.1)


@pytest.mark.parametrize(("question", "effect", "given", "value"), CASES)
def test_results_print_and_keep(
    question: Any, effect: str, given: dict[str, Any], value: float
) -> None:
    made = size(question, **{effect: value}, **given)
    plain = json.loads(json.dumps(made.to_dict(), allow_nan=False))
    assert Result.from_dict(plain) == made
    assert hash(made) == hash(Result.from_dict(plain))
    assert (made.n, made.power) in made.around
    assert [n for n, _ in made.around] == sorted({n for n, _ in made.around})
    assert f"{made.n:,}" in str(made)
    assert f"| {made.n:,} |" in made.to_markdown()
    assert made.notes
    assert made.chart().to_dict()["title"] == made.sentence
    assert made.sentence in repr(made)


def test_other_numbers_around() -> None:
    made = size("win_rate", rate=0.55)
    first, power = made.around[0]
    assert first == 410
    assert power == pytest.approx(0.501, abs=5e-4)
    assert made.around[-1][0] == 1640


def test_unequal_groups() -> None:
    made = size("means", difference=0.5, sd=1, ratio=2)
    assert (made.n, made.n_second) == (48, 96)
    assert "48 answers for the first and 96 for the second system" in made.sentence
    assert size("means", difference=-0.5, sd=1).n == 64


def test_repeats_multiply_by_the_design_effect() -> None:
    # 1 + 19 · 0.05 = 1.95; 319.x answers of weight one become 1.95 times as many.
    alone = size("fooling", rate=0.3, half_width=0.05)
    made = size("fooling", rate=0.3, half_width=0.05, per_rater=20, rater_correlation=0.05)
    assert made.n == pytest.approx(1.95 * alone.n, rel=0.004)


def test_a_width_from_a_number() -> None:
    made = size("fooling", rate=0.3, n=320)
    assert made.asked == "half_width"
    assert made.half_width == made.estimate == pytest.approx(0.05, abs=1e-4)
    assert made.power is None
    given: dict[str, Any] = {"agreement": 0.6, "level": "ordinal", "raters": 3}
    made = size("agreement", n=101, **given)
    assert made.half_width == pytest.approx(0.1, abs=1e-3)
    assert "Ordinal answers are taken as scores." in made.notes


def test_a_crossed_design_with_all_raters_everywhere_is_the_default() -> None:
    given: dict[str, Any] = {"n": 40, "difference": 0.4, "raters": 8, "components": PARTS}
    assert size("means", **given) == size("means", overlap=8, **given)


def test_one_sided_takes_fewer() -> None:
    for question, stated in (
        ("win_rate", {"rate": 0.6}),
        ("proportions", {"first": 0.3, "second": 0.4}),
        ("means", {"difference": 0.5, "sd": 1}),
        ("mcnemar", {"gains": 0.2, "losses": 0.1}),
        ("fooling", {"rate": 0.4, "real": 0.6}),
    ):
        two = size(question, **stated)
        one = size(question, one_sided=True, **stated)
        assert one.n < two.n
        assert "one-sided" in one.method


@given(st.floats(0.51, 0.99), st.floats(0.06, 0.99))
def test_more_power_takes_more_votes(rate: float, power: float) -> None:
    made = size("win_rate", rate=rate, power=power)
    assert made.power is not None
    assert made.power >= power
    assert size("win_rate", rate=rate, power=(1 + power) / 2).n >= made.n
    assert size("win_rate", rate=1 - rate, power=power).n == made.n


@given(
    st.sampled_from(["means", "equivalence", "noninferiority"]),
    st.floats(0.2, 2),
    st.floats(0.3, 3),
    st.floats(0.1, 0.95),
)
def test_means_scale(question: Any, points: float, sd: float, power: float) -> None:
    effect = "difference" if question == "means" else "margin"
    made = size(question, **{effect: points}, sd=sd, power=power)
    again = size(question, **{effect: 4 * points}, sd=4 * sd, power=power)
    assert again.n == made.n
    assert isinstance(made, SampleSize)
    assert made.power is not None
    assert made.power >= power


IMPOSSIBLE: list[tuple[str, dict[str, Any], str]] = [
    ("speed", {}, "question must be one of win_rate, proportions"),
    ("win_rate", {}, "win_rate needs rate, or n to find"),
    ("win_rate", {"rate": 0.5}, "rate must differ from 0.5"),
    ("win_rate", {"rate": 1.5}, "rate must be a share between 0 and 1; got 1.5"),
    ("win_rate", {"rate": math.nan}, "rate must be a share between 0 and 1; got nan"),
    ("win_rate", {"rate": 0.6, "power": 0.05}, "power must lie above 0.05"),
    ("win_rate", {"rate": 0.6, "power": 1.0}, "and below 1; got 1.0"),
    ("win_rate", {"rate": 0.6, "power": 0.8, "n": 100}, "leave out one of n, power and rate"),
    ("win_rate", {"rate": 0.6, "confidence": 1.0}, "confidence must lie between 0 and 1"),
    ("win_rate", {"n": 5}, "at least 6 votes; got 5"),
    ("win_rate", {"rate": 0.6, "n": 10.5}, "n must be a whole number"),
    ("win_rate", {"rate": 0.6, "sd": 1}, "win_rate does not take sd; it takes n, confidence, rate"),
    ("win_rate", {"rate": 0.6, "n": math.nan}, "n must be a whole number"),
    ("win_rate", {"rate": 0.6, "n": math.inf}, "n must be a whole number"),
    ("win_rate", {"rate": 0.6, "power": math.nan}, "power must lie above"),
    ("win_rate", {"rate": 0.6, "one_sided": True, "confidence": 0.5}, "needs a confidence above"),
    ("equivalence", {"sd": 1, "margin": 1, "confidence": 0.4}, "needs a confidence above 0.5"),
    ("proportions", {"second": 0.4}, "proportions needs first"),
    ("proportions", {"first": 0.4, "second": 0.4}, "first and second must differ"),
    ("proportions", {"first": 0.4, "second": 0.5, "ratio": 0}, "ratio must be a positive number"),
    ("proportions", {"first": 0.9, "n": 5}, "find no second at all with a power of 0.8"),
    ("mcnemar", {"gains": 0.2}, "mcnemar needs losses"),
    ("mcnemar", {"gains": 0.2, "losses": 0.2}, "gains and losses must differ"),
    ("mcnemar", {"losses": 0.6, "n": 100}, "losses must be a share below 0.5"),
    ("means", {"difference": 0.5}, "means needs sd"),
    ("means", {"difference": 0.0, "sd": 1}, "difference must be a number of points other than 0"),
    ("means", {"difference": math.inf, "sd": 1}, "other than 0; got inf"),
    ("means", {"difference": 0.5, "sd": -1}, "sd must be a positive number of points; got -1"),
    ("means", {"difference": 0.5, "sd": 1, "correlation": 1}, "between -1 and 1; got 1"),
    ("means", {"difference": 0.5, "sd": 1, "correlation": 0.5, "ratio": 2}, "ratio has no meaning"),
    ("means", {"difference": 0.5, "sd": 1, "n": 1}, "at least 2 answers"),
    ("means", {"difference": 0.5, "raters": 5}, "crossed design needs components and raters"),
    (
        "means",
        {"difference": 0.5, "raters": 5, "components": PARTS, "sd": 1},
        "neither sd, correlation nor ratio",
    ),
    ("means", {"difference": 0.5, "raters": 5, "components": (1, 2)}, "three standard deviations"),
    ("means", {"difference": 0.5, "raters": 1, "components": PARTS}, "take 2 or more raters"),
    (
        "means",
        {"difference": 0.5, "raters": 3, "overlap": 4, "components": PARTS},
        "overlap must not exceed raters",
    ),
    (
        "means",
        {"difference": 0.1, "raters": 3, "components": PARTS},
        "1,000,000,000 items do not reach a power of 0.8; what 3 raters differ in stays",
    ),
    (
        "fooling",
        {"rate": 0.3, "half_width": 1e-6},
        "do not reach a half-width of 1e-06; take a larger half-width",
    ),
    ("win_rate", {"rate": 0.500001}, "differs from 0.5 by at least 0.00001; got 0.500001"),
    ("equivalence", {"sd": 1}, "equivalence needs margin"),
    ("equivalence", {"sd": 1, "margin": 0}, "margin must be a positive number"),
    ("equivalence", {"sd": 1, "margin": 0.2, "difference": 0.2}, "does not lie within the margin"),
    ("equivalence", {"margin": 0.2}, "equivalence needs sd"),
    ("equivalence", {"margin": 0.2, "first": 0.5}, "of shares needs first and second"),
    ("equivalence", {"margin": 0.2, "first": 0.5, "second": 0.5, "sd": 1}, "the one or the other"),
    ("equivalence", {"margin": 0.2, "first": 1, "second": 1}, "do not say how much they vary"),
    ("noninferiority", {"sd": 1, "margin": 0.2, "difference": -0.3}, "cannot be shown"),
    ("agreement", {"agreement": 0.6, "raters": 3, "half_width": 0.1}, "agreement needs level"),
    ("agreement", {"agreement": 0.6, "level": "ratio", "raters": 3}, "level must be nominal"),
    ("agreement", {"agreement": 0.6, "level": "interval", "raters": 1}, "2 or more judges"),
    ("agreement", {"agreement": 1.0, "level": "interval", "raters": 3}, "below 1; got 1.0"),
    ("agreement", {"level": "interval", "raters": 3, "n": 50}, "agreement needs agreement"),
    ("agreement", {"agreement": 0.6, "level": "interval", "raters": 3}, "needs half_width or n"),
    (
        "agreement",
        {"agreement": 0.6, "level": "nominal", "raters": 3, "half_width": 0.1},
        "nominal answers need shares",
    ),
    (
        "agreement",
        {
            "agreement": 0.6,
            "level": "nominal",
            "raters": 3,
            "half_width": 0.1,
            "shares": (0.5, 0.6),
        },
        "add up to 1",
    ),
    (
        "agreement",
        {"agreement": 0.6, "level": "interval", "raters": 3, "half_width": 0.1, "shares": (1,)},
        "shares belong to nominal answers",
    ),
    (
        "agreement",
        {"agreement": 0.6, "level": "nominal", "raters": 3, "n": 9, "shares": (0.5, math.nan)},
        "add up to 1",
    ),
    ("fooling", {"rate": 0.3}, "fooling needs half_width or n"),
    ("fooling", {"half_width": 0.1}, "fooling needs rate"),
    ("fooling", {"rate": 0.3, "half_width": 1.5}, "half_width must lie between 0 and 1"),
    ("fooling", {"rate": 0.3, "half_width": 0.1, "power": 0.8}, "only together with real"),
    ("fooling", {"rate": 0.3, "half_width": 0.1, "real": 0.5}, "half_width or real, not both"),
    ("fooling", {"rate": 0.3, "real": 0.3}, "rate and real must differ"),
    ("fooling", {"rate": 0.3, "n": 9, "per_rater": 3}, "belong together"),
]


@pytest.mark.parametrize(("question", "given", "said"), IMPOSSIBLE)
def test_impossible_requests_are_one_sentence(
    question: Any, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        size(question, **given)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
