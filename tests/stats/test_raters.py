"""What of a rater is worth a look, and what a retest says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from jurybox.results import Interval, Result
from jurybox.stats.raters import (
    RaterQuality,
    Usual,
    looked_for,
    median_of,
    own_share,
    retest_kappa,
    worth_a_look,
)
from jurybox.stats.shares import Share
from jurybox.stats.trends import Trend

USUAL = Usual(sd=1.0, noise=1.0, agreement=0.1, share=0.5)


def interval(low: float, high: float) -> Interval:
    return Interval(low=low, high=high, confidence=0.95, method="t")


def row(**values: Any) -> RaterQuality:
    return RaterQuality(
        **{"estimate": 0.0, "rater": "ada", "criterion": "realism", "n_responses": 20, **values}
    )


def share(estimate: float, low: float, high: float) -> Share:
    return Share(estimate=estimate, interval=interval(low, high), what="x", n_responses=10)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"estimate": 0.6, "interval": interval(0.2, 1.0)}, "scores 0.600 higher than the others"),
        ({"estimate": -0.6, "interval": interval(-1, -0.2)}, "scores 0.600 lower than the others"),
        ({"noise": 1.5}, "noise is 1.5 times the median"),
        ({"agreement": -0.1}, "agreement of −0.10 is no better than chance"),
        ({"most_used": "3", "most_used_share": 0.95}, "95% of answers are 3"),
        ({"pace": 0.3}, "takes 30% of the time expected"),
        ({"gold": share(0.5, 0.2, 0.8)}, "50% of 10 gold trials right"),
        ({"first_shown": share(0.7, 0.6, 0.8)}, "chooses the first shown in 70% of votes"),
        (
            {"drift": Trend(estimate=-0.8, interval=interval(-1.2, -0.4), what="drift")},
            "drifts by −0.800 from the first trial to the last",
        ),
    ],
)
def test_each_threshold_has_its_words(values: dict[str, Any], said: str) -> None:
    assert worth_a_look(row(**values), USUAL) == (said,)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"estimate": 0.6, "interval": interval(-0.1, 1.3)},  # far, but perhaps by chance
        {"estimate": 0.4, "interval": interval(0.3, 0.5)},  # sure, but small
        {"noise": 1.4},
        {"agreement": -0.05},  # below chance as the others nearly are
        {"agreement": 0.1},
        {"most_used": "3", "most_used_share": 0.95, "n_responses": 9},
        {"pace": 0.34},
        {"gold": Share(estimate=0.0, interval=interval(0, 0.7), what="x", n_responses=4)},
        {"first_shown": share(0.6, 0.55, 0.65)},
    ],
)
def test_what_stays_within_the_thresholds_is_not_said(values: dict[str, Any]) -> None:
    assert worth_a_look(row(**values), USUAL) == ()


def test_an_answer_that_everybody_uses_is_no_straight_line() -> None:
    found = row(most_used="yes", most_used_share=0.95)
    assert worth_a_look(found, replace(USUAL, share=0.9)) == ()


def test_only_thresholds_that_somebody_is_held_against_are_named() -> None:
    assert looked_for([]) == ""
    said = looked_for([row(most_used_share=0.5), row(first_shown=share(0.6, 0.55, 0.65))])
    assert "more than 90% of at least 10 responses" in said
    assert "the first shown chosen 15 percentage points more or less often than half" in said
    assert not any(word in said for word in ("drift", "noise", "gold", "pace"))


def test_own_shares_have_wilsons_interval() -> None:
    for right, n in ((0, 4), (3, 7), (10, 10)):
        found = own_share(right, n, 0.9, what="gold right")
        assert found is not None
        assert found.interval is not None
        low, high = proportion_confint(right, n, alpha=0.1, method="wilson")
        assert (found.interval.low, found.interval.high) == pytest.approx((low, high))
    assert own_share(0, 0, 0.95, what="gold right") is None


def test_retest_kappa_is_cohens() -> None:
    met = [("1", "1", 5), ("1", "2", 2), ("2", "2", 4), ("3", "2", 1), ("3", "3", 6)]
    table = [[5, 2, 0], [0, 4, 0], [0, 1, 6]]
    assert retest_kappa(met) == pytest.approx(cohens_kappa(table).kappa)
    assert retest_kappa([("1", "1", 3)]) is None
    assert retest_kappa([]) is None


def test_median_and_json() -> None:
    assert median_of({"a": 3.0, "b": None, "c": 1.0}) == 2.0
    assert median_of({"a": None}) is None
    assert median_of({"a": 3.0, "b": 1.0, "c": 9.0}) == 3.0
    found = row(gold=share(0.5, 0.2, 0.8), flags=("x",))
    assert Result.from_dict(found.to_dict()) == found


def test_who_tells_real_from_generated_is_said_to_answer_not_to_score() -> None:
    detects = Usual(sd=0.5, answer="real")
    lenient = row(estimate=0.4, interval=interval(0.2, 0.6))
    assert worth_a_look(lenient, detects) == (
        "answers “real” 40 percentage points more often than the others",
    )
    severe = row(estimate=-0.4, interval=interval(-0.6, -0.2))
    assert worth_a_look(severe, detects) == (
        "answers “real” 40 percentage points less often than the others",
    )
    drift = Trend(estimate=-0.3, interval=interval(-0.5, -0.1), what="drift")
    assert worth_a_look(row(drift=drift), detects) == (
        "answers “real” 30 percentage points less often at the last trial than the first",
    )
    steep = Trend(estimate=1.2, interval=interval(0.4, 2.0), what="drift")
    assert worth_a_look(row(drift=steep), detects) == (
        "answers “real” 100 percentage points more often at the last trial than the first",
    )


def test_who_gives_more_error_points_is_not_said_to_score_higher() -> None:
    marks = Usual(sd=0.5, marks=True)
    many = row(estimate=0.6, interval=interval(0.2, 1.0))
    assert worth_a_look(many, marks) == ("gives 0.600 more error points than the others",)
    few = row(estimate=-0.6, interval=interval(-1, -0.2))
    assert worth_a_look(few, marks) == ("gives 0.600 fewer error points than the others",)
