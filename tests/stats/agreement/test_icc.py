"""The six intraclass correlations, complete and incomplete."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jurybox as jb
from jurybox.errors import InputError
from jurybox.results import Result
from jurybox.stats.agreement import score_sums
from jurybox.stats.agreement.icc import FORMS, IccForm
from tests import reference

KNOWN: dict[IccForm, str] = {
    "ICC(1,1)": "ICC(1,1)",
    "ICC(2,1)": "ICC(A,1)",
    "ICC(3,1)": "ICC(C,1)",
    "ICC(1,k)": "ICC(1,k)",
    "ICC(2,k)": "ICC(A,k)",
    "ICC(3,k)": "ICC(C,k)",
}


def table(scores: Any) -> dict[str, list[Any]]:
    """A ratings table of units × raters; NaN is no response."""
    rows = [
        (f"u{u:03}", f"r{r:02}", float(scores[u][r]))
        for u in range(len(scores))
        for r in range(len(scores[0]))
        if not np.isnan(scores[u][r])
    ]
    return dict(zip(("item", "rater", "score"), map(list, zip(*rows, strict=True)), strict=True))


def effects(seed: int, units: int, raters: int, missing: float = 0.0) -> Any:
    rng = np.random.default_rng(seed)
    scores = (
        rng.normal(0, 1.0, (units, 1))
        + rng.normal(0, 0.7, (1, raters))
        + rng.normal(0, 0.8, (units, raters))
    )
    scores[rng.random((units, raters)) < missing] = np.nan
    return scores


@pytest.mark.parametrize("form", FORMS)
def test_the_six_of_shrout_and_fleiss(form: IccForm) -> None:
    known = reference.expected("textbook")["shrout_fleiss1979"]
    found = jb.icc(reference.shrout_fleiss(), form=form)
    of_pingouin = known["computed"][KNOWN[form]]
    assert found.estimate == pytest.approx(of_pingouin["ICC"], abs=1e-12)
    assert found.interval is not None
    assert [round(found.interval.low, 2), round(found.interval.high, 2)] == of_pingouin["CI95"]
    published = form.replace("(", "").replace(")", "").replace(",", "").replace("k", "4")
    assert round(found.estimate or 0, 2) == known["published"][published]
    fixed = form.startswith("ICC(3")
    holds = "items like these, judged by these raters" if fixed else "raters and items like these"
    assert found.interval.generalizes_to == holds


def test_mean_squares_by_hand() -> None:
    # Scores 1 2 / 3 4 / 5 7: unit means 1.5, 3.5, 6; rater means 3, 13/3; grand mean 11/3.
    # Between units 2·Σ(mean − 11/3)² = 2·(4.6944 + 0.0278 + 5.4444) = 20.3333, B = 10.1667.
    # Raters 3·2·(2/3)² = 2.6667 = C. Within 0.5 + 0.5 + 2 = 3, left over 3 − 2.6667 = 1/3, E = 1/6.
    # ICC(3,1) = (10.1667 − 0.1667)/(10.1667 + 0.1667) = 0.96774.
    found = jb.icc(table([[1, 2], [3, 4], [5, 7]]), form="ICC(3,1)")
    assert found.estimate == pytest.approx(10 / (31 / 3))
    assert found.unit_variance == pytest.approx(5)
    assert found.rater_variance == pytest.approx((8 / 3 - 1 / 6) / 3)
    assert found.residual_variance == pytest.approx(1 / 6)
    # ICC(1,1): W = 3/3 = 1: (10.1667 − 1)/(10.1667 + 1).
    one = jb.icc(table([[1, 2], [3, 4], [5, 7]]), form="ICC(1,1)")
    assert one.estimate == pytest.approx((61 / 6 - 1) / (61 / 6 + 1))
    assert one.rater_variance is None


def test_p_is_that_of_the_f_test() -> None:
    from scipy import stats

    scores = effects(4, 10, 4)
    found = jb.icc(table(scores), form="ICC(1,1)")
    assert found.p == pytest.approx(stats.f_oneway(*scores).pvalue)


def slow_components(scores: Any) -> tuple[float, float, float]:
    """Henderson's method 3 with dense matrices: the expectation of y'Qy is tr(QV)."""
    rows = [(u, r) for u, r in np.argwhere(~np.isnan(scores))]
    y = np.array([scores[u, r] for u, r in rows])
    units = np.array([[u == k for k in range(len(scores))] for u, _ in rows], dtype=float)
    raters = np.array([[r == k for k in range(scores.shape[1])] for _, r in rows], dtype=float)

    def projection(x: Any) -> Any:
        return x @ np.linalg.pinv(x)

    both = projection(np.hstack([units, raters]))
    forms = [both - projection(raters), both - projection(units), np.eye(len(y)) - both]
    variances = (units @ units.T, raters @ raters.T, np.eye(len(y)))
    left = [[np.trace(q @ v) for v in variances] for q in forms]
    found = np.linalg.solve(np.array(left), np.array([y @ q @ y for q in forms]))
    return float(found[0]), float(found[1]), float(found[2])


@pytest.mark.parametrize("seed", range(4))
def test_incomplete_tables_by_hendersons_method(seed: int) -> None:
    scores = effects(seed, 12, 5, missing=0.3)
    scores = scores[(~np.isnan(scores)).sum(axis=1) > 1]
    unit, rater, residual = slow_components(scores)
    found = jb.icc(table(scores), form="ICC(2,1)")
    assert not found.is_complete
    assert found.residual_variance == pytest.approx(residual)
    assert found.estimate == pytest.approx(unit / (unit + rater + residual))
    assert found.rater_variance == pytest.approx(rater)
    k = len(scores) / (1 / (~np.isnan(scores)).sum(axis=1)).sum()
    assert found.k == pytest.approx(k)
    mean = jb.icc(table(scores), form="ICC(2,k)")
    assert mean.estimate == pytest.approx(unit / (unit + (rater + residual) / k))
    assert found.interval is not None
    assert found.interval.method.endswith("at effective numbers of an incomplete design")
    assert "Henderson's method 3" in found.notes[0]


def test_many_raters_are_solved_without_their_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = table(effects(7, 40, 12, missing=0.7))
    dense = jb.icc(ratings, form="ICC(2,1)")
    monkeypatch.setattr(score_sums, "MANY_RATERS", 1)
    found = jb.icc(ratings, form="ICC(2,1)")
    assert found.estimate == pytest.approx(dense.estimate, abs=1e-9)


def test_groups_of_raters_without_a_shared_unit_are_counted() -> None:
    scores = np.full((9, 5), np.nan)
    scores[:5, :3], scores[5:, 3:] = effects(1, 5, 3), effects(2, 4, 2)
    unit, rater, residual = slow_components(scores)
    found = jb.icc(table(scores), form="ICC(3,1)")
    assert found.estimate == pytest.approx(unit / (unit + residual))
    assert found.rater_variance == pytest.approx(rater)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 9999), form=st.sampled_from(FORMS))
def test_shift_stretch_and_names_do_not_matter(seed: int, form: IccForm) -> None:
    scores = effects(seed, 8, 3, missing=0.1)
    one = jb.icc(table(scores), form=form)
    two = jb.icc(table(1e4 + 3 * scores[::-1, ::-1]), form=form)
    assert one.undefined == two.undefined
    if one.estimate is None or two.estimate is None:
        return
    assert one.estimate == pytest.approx(two.estimate, abs=1e-6)
    assert one.estimate <= 1
    assert one.interval is not None
    assert one.interval.low <= one.estimate <= one.interval.high


def test_raters_nested_in_items_leave_the_one_way_forms() -> None:
    rng = np.random.default_rng(0)
    ratings = {
        "item": [f"i{k // 3}" for k in range(30)],
        "rater": [f"r{k}" for k in range(30)],
        "score": list(rng.normal(0, 1, 30) + np.repeat(rng.normal(0, 1, 10), 3)),
    }
    assert jb.icc(ratings, form="ICC(1,1)").estimate is not None
    found = jb.icc(ratings, form="ICC(2,1)")
    assert found.estimate is None
    assert found.undefined is not None
    assert found.undefined.startswith("raters are nested in items")
    # Several outputs of the item, all by the raters of that item: nested all the same.
    wide = {
        "item": ratings["item"] * 2,
        "rater": ratings["rater"] * 2,
        "system": ["a"] * 30 + ["b"] * 30,
        "score": [*ratings["score"], *rng.normal(0, 1, 30)],
    }
    both = jb.icc(wide, form="ICC(3,k)")
    assert both.undefined == found.undefined
    assert "outputs of one item for independent" in jb.icc(wide, form="ICC(1,1)").notes[-1]


@pytest.mark.parametrize("form", FORMS)
def test_degenerate_tables_say_why(form: IccForm) -> None:
    nothing = float("nan")
    for scores, why in (
        ([[1, nothing], [2, nothing]], "there is only one rater"),
        ([[1, nothing], [nothing, 2]], "no unit has two responses"),
        ([[1, 2], [nothing, 2]], "only one unit has two responses"),
        ([[3, 3], [3, 3]], "every response is the same value"),
    ):
        found = jb.icc(table(scores), form=form)
        assert (found.estimate, found.interval, found.undefined) == (None, None, why)
    alike = jb.icc(table([[1, 1], [2, 2], [4, 4]]), form=form)
    assert alike.estimate == pytest.approx(1)
    assert alike.interval is None
    assert alike.undefined == "raters never differ, which leaves no error to build on"


def test_words_unknown_forms_and_repeats() -> None:
    with pytest.raises(InputError, match="needs scores that are numbers"):
        jb.icc({"item": [1, 1], "rater": ["a", "b"], "score": ["x", "y"]}, form="ICC(1,1)")
    with pytest.raises(InputError, match=r"form must be one of ICC\(1,1\)"):
        jb.icc(table([[1, 2], [2, 3]]), form="ICC(4,1)")  # type: ignore[arg-type]  # on purpose
    once = table(effects(1, 6, 3))
    again = {name: [*values, *values] for name, values in once.items()}
    again["trial"] = [f"t{k}" for k in range(len(again["item"]))]
    again["score"] = [*once["score"], *(9.0 for _ in once["score"])]
    one, two = (jb.icc(ratings, form="ICC(2,1)") for ratings in (once, again))
    assert one.estimate == pytest.approx(two.estimate)


def test_the_result_survives_json() -> None:
    found = jb.icc(table(effects(2, 6, 3)), form="ICC(2,k)")
    assert Result.from_dict(found.to_dict()) == found


@pytest.mark.parametrize("value", [0.1, 1234567.1, 1e9 + 0.1])
def test_equal_scores_have_no_variance_whatever_their_size(value: float) -> None:
    rows = {"item": [i // 3 for i in range(60)], "rater": ["a", "b", "c"] * 20}
    found = jb.icc({**rows, "score": [value] * 60}, form="ICC(2,1)")
    assert (found.estimate, found.undefined) == (None, "every response is the same value")


def test_the_unit_of_a_scale_does_not_matter() -> None:
    rows = {"item": [i // 3 for i in range(60)], "rater": ["a", "b", "c"] * 20}
    score = [(7 * i * i + i // 3) % 5 for i in range(60)]
    known = jb.icc({**rows, "score": score}, form="ICC(2,1)").estimate
    small = jb.icc({**rows, "score": [x * 1e-8 for x in score]}, form="ICC(2,1)").estimate
    assert small == pytest.approx(known)


def test_a_bound_below_which_the_mean_of_raters_has_none_is_no_bound() -> None:
    # The lower bound of ICC(2,1) lies below −1/(k − 1), where Spearman and Brown's formula changes
    # its sign and would put the lower bound above the upper one.
    scores = np.array([[2.0, 0.0, -1.0], [-2.0, -1.0, 0.0], [-2.0, 0.0, 0.0], [1.0, np.nan, 1.0]])
    found = jb.icc(table(scores), form="ICC(2,k)")
    assert found.interval is not None
    assert found.interval.low == -math.inf
    assert found.estimate is not None
    assert found.estimate <= found.interval.high


def test_units_that_never_differ_leave_an_estimate_without_an_interval() -> None:
    # Mean squares of units 0, of raters 49/6, of the residual 2/3: (0 − 2/3) / (0 + 2/3 +
    # 2 · (49/6 − 2/3) / 3) = −2/17. Its weight among Satterthwaite's degrees of freedom, −2/17 ·
    # 49/6 · 2 + 2/3 · (3 · 19/17 − 2/17 · 2 · 2), is 0 and would leave none.
    found = jb.icc(table([[2, -1], [2, -1], [1, 0]]), form="ICC(2,1)")
    assert found.estimate == pytest.approx(-2 / 17)
    assert found.interval is None
    assert found.undefined == "the means of units never differ, which leaves no ratio to build on"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000), st.sampled_from(FORMS))
def test_an_interval_holds_its_estimate(seed: int, form: IccForm) -> None:
    rng = np.random.default_rng(seed)
    units, raters = int(rng.integers(2, 5)), int(rng.integers(2, 5))
    found = jb.icc(table(rng.normal(0, 1, (units, raters)).round(1)), form=form)
    if found.interval is not None:
        assert found.estimate is not None
        assert found.interval.low <= found.estimate + 1e-9
        assert found.estimate <= found.interval.high + 1e-9


def test_units_that_differ_less_than_by_chance_are_not_called_alike() -> None:
    # Means of units 0.5, 0.5 and 0.6; the raters contradict each other on every unit, so that what
    # is between units, (MS − MSE)/k, is −MSE/2 and more, and so is all that it is a share of.
    found = jb.icc(table([[0, 1], [1, 0], [0.1, 1.1]]), form="ICC(2,k)")
    assert found.estimate is None
    assert found.undefined == (
        "the means of units differ less than by chance, which leaves nothing to be a share of"
    )
