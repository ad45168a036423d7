"""The ordinal mixed model from a table: what it says, what it leaves out, and what it refuses."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import jurybox as jb
from jurybox.errors import AnalysisError, InputError
from jurybox.results import ResultTable
from jurybox.stats.ordinal_mixed import ladder, model
from jurybox.stats.ordinal_mixed.fit import Fit, refine
from jurybox.stats.ordinal_mixed.results import OrdinalModel
from tests import reference
from tests.stats.ordinal_mixed.drawn import table

Table = dict[str, list[Any]]
THREE: dict[str, Any] = {"odds": (0.8, 0.0, -0.6), "items": 10, "raters": 5}


def numbers(found: OrdinalModel) -> dict[str, tuple[float, float, float]]:
    """Every row and difference by name: estimate and interval."""
    made = {}
    for row in (*found.rows, *found.differences):
        assert row.estimate is not None
        assert row.interval is not None
        made[row.name] = (row.estimate, row.interval.low, row.interval.high)
    return made


def alike(one: OrdinalModel, two: OrdinalModel) -> None:
    assert one.formula == two.formula
    assert one.log_likelihood == pytest.approx(two.log_likelihood, abs=1e-6)
    first, second = numbers(one), numbers(two)
    assert set(first) == set(second)
    for name, values in first.items():
        assert values == pytest.approx(second[name], abs=1e-5)


def test_wine_as_a_reader_sees_it() -> None:
    # Randall's bitterness of wine; the fit is one of those recorded from R.
    found = jb.ordinal_model(reference.DATA / "ordinal_models" / "data" / "wine.csv")
    assert found.formula == "score ~ system + (0 + system | rater) + (1 | item)"
    assert found.left_out == (
        "(0 + system | item) became (1 | item) + (1 | item:system): the fit was singular",
        "(1 | item:system) is left out: its variance is estimated as zero",
    )
    recorded = reference.expected("ordinal_models")["fits"][1]
    (row,) = found.differences
    assert row.name == "warm − cold"
    assert row.estimate == pytest.approx(recorded["estimate"]["systemwarm"], abs=1e-3)
    # t(3): four items; 3.1824 standard errors to either side.
    assert row.interval is not None
    half = 3.182446 * recorded["se"]["systemwarm"]
    assert row.interval.high - row.interval.low == pytest.approx(2 * half, rel=1e-3)
    assert row.interval.generalizes_to == "raters and items like these"
    assert [each.name for each in found.thresholds] == ["1 | 2", "2 | 3", "3 | 4", "4 | 5"]
    # R's thresholds are those of its baseline, cold; these are those of the average of the two.
    at_cold = (found.thresholds[0].estimate or 0) + found["warm"].estimate
    assert at_cold == pytest.approx(recorded["estimate"]["1|2"], abs=2e-3)
    assert [(each.group, each.part) for each in found.components] == [
        ("rater", "cold"), ("rater", "warm"), ("item", "intercept"),
    ]  # fmt: skip
    assert (found.n_items, found.n_raters, found.n_responses) == (4, 9, 72)
    shown = str(found)
    assert "the model: score ~ system + (0 + system | rater) + (1 | item)" in shown
    assert "only 9 raters carry the interval" in shown


def test_three_systems_are_one_family() -> None:
    found = jb.ordinal_model(table(**THREE, seed=1))
    assert [row.name for row in found.rows] == ["birch", "cedar", "oak"]
    assert sum(row.estimate or 0 for row in found.rows) == pytest.approx(0, abs=1e-9)
    assert found.ranks_by == "max-t over 3 comparisons"
    for row in found.differences:
        assert row.adjusted_by == found.ranks_by
        assert row.interval is not None
        assert row.simultaneous is not None
        assert row.simultaneous.low < row.interval.low
        # They never disagree.
        told = row.simultaneous.low > 0 or row.simultaneous.high < 0
        assert ((row.p_adjusted or 0) < 0.05) == told
        gap = found[row.system].estimate - found[row.other].estimate
        assert row.estimate == pytest.approx(gap)


def test_the_same_result_twice_and_through_json() -> None:
    ratings = table(**THREE, kept=0.8)
    found = jb.ordinal_model(ratings)
    assert jb.ordinal_model(ratings) == found
    assert ResultTable.from_dict(json.loads(json.dumps(found.to_dict(), allow_nan=False))) == found


@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 100))
@example(seed=97)  # a variance of zero, at which two searches stopped at .009 and at .018
@example(seed=16)  # two covariances that are singular to the last digit
@example(seed=26)  # a search that stopped so far off that its curvature was another
def test_names_and_order_change_nothing(seed: int) -> None:
    ratings = table(**THREE, seed=seed, kept=0.9)
    draw = random.Random(seed)
    order = list(range(len(ratings["score"])))
    draw.shuffle(order)
    names = sorted(set(ratings["item"]))
    turned = dict(zip(names, reversed(names), strict=True))
    other = {name: [values[n] for n in order] for name, values in ratings.items()}
    other["item"] = [turned[item] for item in other["item"]]
    other["rater"] = [f"{9 - int(rater[1:])}" for rater in other["rater"]]
    # Systems in another order too: none of them is the baseline.
    named = {"birch": "z", "cedar": "y", "oak": "x"}
    other["system"] = [named[system] for system in other["system"]]
    one, two = jb.ordinal_model(ratings), jb.ordinal_model(other)
    assert one.formula == two.formula
    assert one.log_likelihood == pytest.approx(two.log_likelihood, abs=1e-6)
    for old, new in named.items():
        assert one[old].estimate == pytest.approx(two[new].estimate, abs=1e-5)
        assert one[old].interval.low == pytest.approx(two[new].interval.low, abs=1e-4)


def test_only_the_order_of_scores_counts() -> None:
    ratings = table(**THREE)
    steps = {1: -7.0, 2: 0.25, 3: 0.5, 4: 1e6}
    other = {**ratings, "score": [steps[score] for score in ratings["score"]]}
    alike(jb.ordinal_model(ratings), jb.ordinal_model(other))


def test_a_reversed_scale_reverses_the_signs() -> None:
    ratings = table(**THREE)
    other = {**ratings, "score": [-score for score in ratings["score"]]}
    one, two = jb.ordinal_model(ratings), jb.ordinal_model(other)
    for name in ("birch", "cedar", "oak"):
        assert two[name].estimate == pytest.approx(-one[name].estimate, abs=1e-5)
        assert two[name].interval.low == pytest.approx(-one[name].interval.high, abs=1e-4)
    cuts, turned = ([each.estimate or 0 for each in found.thresholds] for found in (one, two))
    assert [-cut for cut in reversed(turned)] == pytest.approx(cuts, abs=1e-5)


def test_a_system_at_the_top_is_set_above_the_others() -> None:
    ratings = table(**THREE)
    extra = [(item, rater) for item in sorted(set(ratings["item"])) for rater in ("r0", "r1", "r2")]
    both = {
        "item": [*ratings["item"], *(item for item, _ in extra)],
        "rater": [*ratings["rater"], *(rater for _, rater in extra)],
        "system": [*ratings["system"], *("yew" for _ in extra)],
        "score": [*ratings["score"], *(4 for _ in extra)],
    }
    found = jb.ordinal_model(both)
    first = found.rows[0]
    assert (first.name, first.estimate, first.interval) == ("yew", None, None)
    assert first.undefined == (
        "no score of yew lies below one of birch, cedar, oak, so its log odds have no upper bound"
    )
    assert (first.rank_low, first.rank_high) == (1, 4)
    # The others are what they are without it.
    alone = jb.ordinal_model(ratings)
    for name in ("birch", "cedar", "oak"):
        assert found[name].estimate == pytest.approx(alone[name].estimate, abs=1e-9)
        assert found[name].rank_high == alone[name].rank_high + 1
    assert "log odds are centered among birch, cedar, oak" in found.notes


def test_terms_that_the_design_cannot_show_are_not_tried() -> None:
    # Every output is judged once: no slope of items.
    ratings = table(items=40, raters=4, odds=(0.5, -0.5))
    kept = [
        n for n, (item, rater, system) in enumerate(
            zip(ratings["item"], ratings["rater"], ratings["system"], strict=True)
        ) if int(item[1:]) % 4 == (int(rater[1:]) + (system == "cedar")) % 4
    ]  # fmt: skip
    found = jb.ordinal_model({name: [values[n] for n in kept] for name, values in ratings.items()})
    assert "(1 | item:system) is left out: no output was judged twice" in found.left_out
    assert "item:system" not in str(found.formula)
    # Three raters of three systems: no covariance of theirs.
    found = jb.ordinal_model(table(odds=(0.5, 0.0, -0.5), raters=3))
    assert found.left_out[0] == (
        "(0 + system | rater) became (1 | rater) + (1 | rater:system): "
        "3 raters cannot give a covariance of 3 systems"
    )


def test_a_ridge_of_the_likelihood_is_singular_too(monkeypatch: pytest.MonkeyPatch) -> None:
    # A fit without a covariance of its estimates, as if no covariance of systems were told apart.
    def refined(fit: Fit) -> Fit:
        return fit if any(term.shape == "correlated" for term in fit.terms) else refine(fit)

    path = reference.DATA / "ordinal_models" / "data" / "two.csv"
    full = "score ~ system + (0 + system | rater) + (0 + system | item)"
    assert jb.ordinal_model(path).formula == full
    monkeypatch.setattr(ladder, "refine", refined)
    found = jb.ordinal_model(path)
    terms = "(1 | rater) + (1 | rater:system) + (1 | item) + (1 | item:system)"
    assert found.formula == f"score ~ system + {terms}"
    assert [said.rpartition(": ")[2] for said in found.left_out] == ["the fit was singular"] * 2
    fits = reference.expected("ordinal_models")["fits"]
    recorded = next(fit for fit in fits if (fit["data"], fit["terms"]) == ("two", terms))
    assert found.log_likelihood == pytest.approx(recorded["log_likelihood"], abs=1e-5)


def test_many_systems_are_not_correlated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder, "MOST_CORRELATED", 1)
    found = jb.ordinal_model(table())
    assert all("a covariance of 2 systems has too many" in said for said in found.left_out[:2])
    assert "(0 + system" not in str(found.formula)


def test_one_rater_and_one_item_speak_for_themselves_only() -> None:
    found = jb.ordinal_model(table(items=30, raters=1, item=2.0))
    assert found.formula == "score ~ system + (1 | item)"
    assert found.rows[0].interval is not None
    assert found.rows[0].interval.generalizes_to == "items like these, judged by this rater only"
    assert found.rows[0].interval.method.endswith("t(29)")
    found = jb.ordinal_model(table(items=1, raters=30, rater=2.0))
    assert found.formula == "score ~ system + (1 | rater)"
    assert found.rows[0].interval is not None
    assert found.rows[0].interval.generalizes_to == "raters like these, on this item only"


def only(ratings: Table, **kept: Any) -> Table:
    rows = [
        n for n in range(len(ratings["score"])) if all(ratings[c][n] in v for c, v in kept.items())
    ]
    return {name: [values[n] for n in rows] for name, values in ratings.items()}


@pytest.mark.parametrize(
    ("ratings", "why"),
    [
        (only(table(), system=["birch"]), "there is only one system"),
        (only(table(), score=[2]), "every response is the same value"),
        (
            {
                "item": [1, 2, 3] * 2,
                "rater": ["x"] * 6,
                "system": ["a"] * 3 + ["b"] * 3,
                "score": [1, 2, 1, 3, 4, 3],
            },
            "no two systems have scores that overlap",
        ),
        (
            {
                "item": [1, 2, 3] * 4,
                "rater": ["x"] * 3 + ["y"] * 3 + ["u"] * 3 + ["v"] * 3,
                "system": ["a"] * 6 + ["b"] * 6,
                "score": [1, 2, 3, 2, 2, 1, 2, 3, 1, 3, 2, 2],
            },
            "no rater judged both a and b, nor are they joined by other systems, so systems and "
            "raters cannot be told apart",
        ),
    ],
)
def test_there_is_no_number_but_a_sentence(ratings: Table, why: str) -> None:
    found = jb.ordinal_model(ratings)
    assert found.undefined == why
    assert found.rows
    assert all((row.estimate, row.undefined) == (None, why) for row in found.rows)
    assert found.differences == ()


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = table()
    with pytest.raises(InputError, match="the answers to 'overall' are words: they have no order"):
        jb.ordinal_model({**ratings, "score": [f"w{score}" for score in ratings["score"]]})
    with pytest.raises(InputError, match="needs the item and the rater of every response"):
        jb.ordinal_model({name: ratings[name] for name in ("item", "system", "score")})
    with pytest.raises(InputError, match="choose one with criterion="):
        jb.ordinal_model({**ratings, "criterion": ["x", "y"] * (len(ratings["score"]) // 2)})
    with pytest.raises(InputError, match="confidence must lie between 0 and 1"):
        jb.ordinal_model(ratings, confidence=95)
    many = {**ratings, "score": [math.sqrt(n) for n in range(len(ratings["score"]))]}
    with pytest.raises(InputError, match="the scores have 144 different values, and the ordinal"):
        jb.ordinal_model(many)
    monkeypatch.setattr(model, "MOST_CROSSED", 600)
    with pytest.raises(AnalysisError, match="6 raters × 12 items × 2 systems are too many"):
        jb.ordinal_model(ratings)
