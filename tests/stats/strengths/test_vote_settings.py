"""Bradley–Terry with place, covariates, graded votes and both bad: one fit, one covariance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm

from jurybox.analysis.api import bradley_terry
from jurybox.errors import InputError


def simulated(n: int = 1200, seed: int = 1, *, raters: int = 15) -> dict[str, Any]:
    """Three systems; being first adds 0.4, a hundred characters more add 0.5."""
    rng = np.random.default_rng(seed)
    beta = np.array([0.5, 0.0, -0.5])
    a = rng.integers(0, 3, n)
    b = (a + rng.integers(1, 3, n)) % 3
    first = rng.choice([1, -1], n)
    length = rng.integers(100, 500, (n, 2))
    gap = beta[a] - beta[b] + 0.4 * first + 0.005 * (length[:, 0] - length[:, 1])
    winner = np.where(rng.random(n) < 1 / (1 + np.exp(-gap)), "a", "b")
    names = np.array(["x", "y", "z"])
    return {
        "item": [f"i{i}" for i in range(n)],
        "rater": [f"r{k}" for k in rng.integers(0, raters, n)],
        "system_a": names[a].tolist(),
        "system_b": names[b].tolist(),
        "winner": winner.tolist(),
        "first": np.where(first > 0, "a", "b").tolist(),
        "length_a": length[:, 0].tolist(),
        "length_b": length[:, 1].tolist(),
        "strength": rng.integers(1, 4, n).tolist(),
    }


def logit(table: dict[str, Any]) -> Any:
    """The same model as a logistic regression with errors clustered by rater."""
    sign = {
        s: (np.array(table["system_a"]) == s) * 1.0 - (np.array(table["system_b"]) == s) * 1.0
        for s in ("x", "y", "z")
    }
    length = np.array(table["length_a"]) - np.array(table["length_b"])
    first = np.where(np.array(table["first"]) == "a", 1.0, -1.0)
    x = np.column_stack([sign["x"] - sign["z"], sign["y"] - sign["z"], first, length])
    # β_z = −β_x − β_y, so that the strengths sum to zero.
    y = (np.array(table["winner"]) == "a") * 1.0
    return sm.GLM(y, x, family=sm.families.Binomial()).fit(
        cov_type="cluster",
        cov_kwds={
            "groups": np.unique(table["rater"], return_inverse=True)[1],
            "use_correction": False,
        },
        tol=1e-12,
    )


def test_place_and_covariate_agree_with_a_logistic_regression() -> None:
    table = simulated()
    found = bradley_terry(table, position=True, covariates=("length",), cluster="rater")
    known = logit(table)
    place, length = found.coefficients
    assert [c.covariate for c in found.coefficients] == ["position", "length"]
    for made, k in ((found["x"], 0), (found["y"], 1), (place, 2), (length, 3)):
        assert made.estimate == pytest.approx(known.params[k], abs=1e-6)
        assert made.interval is not None
        half = (made.interval.high - made.interval.low) / 2
        # 15 raters: G/(G − 1) and t(14).
        error = known.bse[k] * math.sqrt(15 / 14) * 2.1447866879
        assert half == pytest.approx(error, rel=1e-5)
    assert place.p is not None
    assert place.p < 0.001
    assert "no saturated model" in (found.fit.undefined or "") if found.fit else False


def test_one_column_may_be_the_difference_already() -> None:
    table = simulated(300)
    two = bradley_terry(table, covariates=("length",))
    both = zip(table.pop("length_a"), table.pop("length_b"), strict=True)
    one = bradley_terry({**table, "length": [a - b for a, b in both]}, covariates="length")
    assert one.coefficients == two.coefficients


def test_sides_do_not_matter() -> None:
    table = simulated(400)
    other = {"a": "b", "b": "a"}
    turned = {
        **table,
        "system_a": table["system_b"],
        "system_b": table["system_a"],
        "winner": [other[w] for w in table["winner"]],
        "first": [other[f] for f in table["first"]],
        "length_a": table["length_b"],
        "length_b": table["length_a"],
    }
    asked: dict[str, Any] = {"position": True, "covariates": ("length",), "graded": True}
    one, two = bradley_terry(table, **asked), bradley_terry(turned, **asked)
    for left, right in zip((*one, *one.coefficients), (*two, *two.coefficients), strict=True):
        assert left.estimate == pytest.approx(right.estimate, abs=1e-8)


def test_a_place_that_cannot_be_told_from_the_systems_says_so() -> None:
    # x is first whenever it is shown, and y before z: the place is the strength.
    table = {
        "system_a": ["x", "x", "y"] * 6,
        "system_b": ["y", "z", "z"] * 6,
        "winner": ["a", "a", "b", "b", "b", "a"] * 3,
    }
    found = bradley_terry({**table, "first": ["a"] * 18}, position=True)
    plain = bradley_terry(table)
    # With three pairs the numbers would fit a place, but a circle of the systems fits them as well.
    two = {name: [row for row in column[:1] * 6] for name, column in table.items()}
    two["winner"] = ["a", "a", "a", "b", "b", "a"]
    alone = bradley_terry({**two, "first": ["a"] * 6}, position=True)
    (place,) = alone.coefficients
    assert place.estimate is None
    assert "no pair was shown in both orders" in (place.undefined or "")
    assert alone["x"].estimate == pytest.approx(bradley_terry(two)["x"].estimate)
    assert "no pair was shown in both orders" in (found.coefficients[0].undefined or "")
    assert found["x"].estimate == pytest.approx(plain["x"].estimate)
    turned = {name: [*column, column[0]] for name, column in table.items()}
    both = bradley_terry({**turned, "first": ["a"] * 18 + ["b"]}, position=True)
    assert both.coefficients[0].estimate is not None
    assert plain.coefficients == ()


def test_a_table_without_the_order_says_so() -> None:
    (place,) = bradley_terry(
        {"system_a": ["x", "y"], "system_b": ["y", "x"], "winner": ["a", "a"]}, position=True
    ).coefficients
    assert place.undefined == "the table does not say which output was shown first"


def test_a_place_that_decides_every_vote_grows_without_bound() -> None:
    table = {
        "system_a": ["x", "y"] * 4,
        "system_b": ["y", "x"] * 4,
        "winner": ["a"] * 8,
        "first": ["a"] * 8,
    }
    found = bradley_terry(table, position=True)
    (place,) = found.coefficients
    assert place.estimate is None
    assert "grows without bound" in (place.undefined or "")
    assert found["x"].estimate == pytest.approx(0, abs=1e-9)


def test_a_place_that_grows_together_with_a_strength_is_found_out() -> None:
    # β = β_x − β_y, γ the first place. With y first there are a win, a loss and a tie (½), so that
    # β − γ = 0; with x first only a win, so that β + γ has no bound, and neither has γ.
    table = {
        "system_a": ["x", "x", "x", "x"],
        "system_b": ["y", "y", "y", "y"],
        "winner": ["a", "b", "tie", "a"],
        "first": ["b", "b", "b", "a"],
    }
    found = bradley_terry(table, position=True, ties="half")
    (place,) = found.coefficients
    assert place.estimate is None
    assert "grows without bound" in (place.undefined or "")
    # Without the place: 2½ wins to 1½.
    assert found["x"].estimate == pytest.approx(math.log(2.5 / 1.5) / 2)


def test_graded_votes_by_hand() -> None:
    # x wins twice with strength 3 and loses twice with strength 1: weights 1 and ⅓, so the odds
    # are 2 to ⅔ and the strengths ± ½ log 3.
    table = {
        "system_a": ["x"] * 4,
        "system_b": ["y"] * 4,
        "winner": ["a", "a", "b", "b"],
        "strength": [3, 3, 1, 1],
    }
    found = bradley_terry(table, graded=True)
    assert found["x"].estimate == pytest.approx(math.log(3) / 2)
    assert found.log_likelihood is None
    assert (
        "votes are weighted by strength ÷ largest strength (1 counts 0.33, 3 counts 1.00); "
        "a tie counts 1"
    ) in found.notes
    assert found["x"].n_responses == 4


def test_equal_grades_change_nothing() -> None:
    table = {**simulated(300), "strength": [2] * 300}
    plain, graded = bradley_terry(table), bradley_terry(table, graded=True)
    for left, right in zip(plain.rows, graded.rows, strict=True):
        assert left.estimate == right.estimate
        assert left.interval == right.interval


def test_missing_grades_and_covariates_have_a_sentence() -> None:
    table = simulated(20)
    holes = {**table, "strength": [None, *table["strength"][1:]]}
    found = bradley_terry(holes, graded=True)
    assert found.undefined == "1 vote with a winner has no strength that is a number"
    assert all(row.undefined == found.undefined for row in found)
    zero = {**table, "strength": [0, *table["strength"][1:]]}
    assert bradley_terry(zero, graded=True).undefined == (
        "a strength must be larger than 0; one is 0"
    )
    gaps = {**table, "length_a": ["long", "short", *table["length_a"][2:]]}
    assert bradley_terry(gaps, covariates=("length",)).undefined == (
        "2 votes have no length that is a number"
    )
    del table["strength"]
    with pytest.raises(InputError, match="graded=True needs a column 'strength'"):
        bradley_terry(table, graded=True)


def test_both_bad_is_a_tie_or_left_out() -> None:
    table = {
        "system_a": ["x"] * 6,
        "system_b": ["y"] * 6,
        "winner": ["a", "a", "b", "both_bad", "both_bad", "tie"],
    }
    tied = bradley_terry(table)
    # Saturated: ν = 3/√(2 · 1); without both bad 1/√2.
    assert tied.tie_parameter == pytest.approx(3 / math.sqrt(2))
    dropped = bradley_terry(table, both_bad="drop")
    assert dropped.tie_parameter == pytest.approx(1 / math.sqrt(2))
    assert dropped.notes[0] == "2 votes that call both bad left out"
    with pytest.raises(InputError, match="both_bad must be 'tie' or 'drop'; got 'loss'"):
        bradley_terry(table, both_bad="loss")  # type: ignore[arg-type]  # wrong on purpose


def test_one_rater_speaks_for_one_rater() -> None:
    found = bradley_terry(simulated(200, raters=1))
    row = found.rows[0]
    assert row.interval is not None
    assert row.interval.generalizes_to == "items like these, judged by this rater only"


def test_an_empty_table_is_refused_with_a_sentence() -> None:
    with pytest.raises(InputError, match="no rows"):
        bradley_terry({"system_a": [], "system_b": [], "winner": []})
