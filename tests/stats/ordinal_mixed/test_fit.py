"""Fits with given terms: R's clmm as recorded, statsmodels without effects, and what fails."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from statsmodels.miscmodels.ordinal_model import OrderedModel

from jurybox.stats.ordinal_mixed.fit import Fit, maximize, refine
from jurybox.stats.ordinal_mixed.terms import Group, Shape, Term
from jurybox.tally.reading import read
from jurybox.tally.score_cells import score_cells
from tests import reference
from tests.stats.ordinal_mixed.drawn import answers, table

GROUPS: tuple[Group, Group] = ("rater", "item")

RECORDED = reference.expected("ordinal_models")["fits"]
SHAPES: dict[str, Shape] = {
    "(0 + system | {})": "correlated",
    "(1 | {}) + (1 | {}:system)": "both",
    "(1 | {})": "intercept",
}


def fitted(ratings: Any, rater: Shape, item: Shape) -> Fit:
    data = answers(ratings)
    terms = (
        Term(group="rater", shape=rater, n_systems=data.n_systems),
        Term(group="item", shape=item, n_systems=data.n_systems),
    )
    found = maximize(data, terms)
    assert isinstance(found, Fit)
    return refine(found)


def shape_of(group: Group, formula: str) -> Shape:
    return next(shape for text, shape in SHAPES.items() if text.format(group, group) in formula)


def scores(name: str) -> dict[str, list[Any]]:
    if name != "imagenhub":
        return reference.columns(reference.rows_of(f"ordinal_models/data/{name}.csv"))
    responses = read(reference.imagenhub("Multi-Subject_IG"), shape="ratings")
    cells = score_cells(responses.of_criterion(responses.criteria[0]))
    responses.close()
    return {
        "system": [cells.systems[k] for k in cells.system],
        "item": cells.item.tolist(),
        "rater": cells.rater.tolist(),
        "score": cells.value.tolist(),
    }


@pytest.mark.parametrize(
    "given", RECORDED, ids=[f"{each['data']}: {each['terms']}" for each in RECORDED]
)
def test_clmm_as_recorded(given: dict[str, Any]) -> None:
    ratings = scores(given["data"])
    shapes = [shape_of(group, given["terms"]) for group in GROUPS]
    found = fitted(ratings, *shapes)
    assert len(ratings["score"]) == given["n"]
    assert found.log_likelihood == pytest.approx(given["log_likelihood"], abs=1e-6)
    # R's baseline is the first system too; its thresholds and then its log odds.
    estimates = np.concatenate([found.theta, found.beta[1:]])
    assert estimates == pytest.approx(list(given["estimate"].values()), abs=1e-4)
    assert found.covariance is not None
    errors = np.sqrt(np.delete(np.diag(found.covariance), len(found.theta)))
    assert errors == pytest.approx(list(given["se"].values()), rel=5e-4)
    systems = sorted(set(ratings["system"]))
    for term, own in zip(found.terms, found.parameters, strict=True):
        sds = np.sqrt(np.diag(term.covariance(own)))
        if term.shape == "correlated":
            expected = [given["sd"][f"{term.group} system{name}"] for name in systems]
            assert sds == pytest.approx(expected, abs=2e-4)
        else:
            expected = [given["sd"][term.group]]
            expected += [given["sd"][f"{term.group}:system"]] if term.shape == "both" else []
            assert np.abs(own) == pytest.approx(expected, abs=2e-4)


def test_without_effects_it_is_the_plain_cumulative_logit() -> None:
    ratings = table(odds=(0.8, 0.0, -0.5), kept=0.9, values=5)
    found = fitted(ratings, "none", "none")
    data = pd.DataFrame(ratings)
    x = pd.get_dummies(data["system"])[["cedar", "oak"]].astype(float)
    plain = OrderedModel(data["score"], x, distr="logit").fit(method="bfgs", gtol=1e-8, disp=False)
    assert found.log_likelihood == pytest.approx(plain.llf, abs=1e-7)
    assert found.beta[1:] == pytest.approx(plain.params[:2].to_numpy(), abs=1e-5)
    cuts = plain.model.transform_threshold_params(plain.params.to_numpy())[1:-1]
    assert found.theta == pytest.approx(cuts, abs=1e-5)
    assert found.covariance is not None
    assert np.sqrt(np.diag(found.covariance)[-2:]) == pytest.approx(
        plain.bse[:2].to_numpy(), rel=1e-4
    )


def test_effects_that_do_not_vary_change_nothing() -> None:
    # Raters who give exactly what the others give: their variance is zero, and so is its effect.
    once = table(items=30, raters=1, rater=0.0, tastes=(0.0, 0.0))
    ratings = {name: values * 3 for name, values in once.items()}
    ratings["rater"] = [f"r{n}" for n in range(3) for _ in once["score"]]
    one, two = (fitted(ratings, shape, "intercept") for shape in ("none", "intercept"))
    assert two.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-7)
    assert two.beta == pytest.approx(one.beta, abs=1e-5)


def test_items_that_decide_the_scores_have_no_maximum() -> None:
    data = answers(
        {
            "item": [i for i in range(8) for _ in range(8)],
            "rater": ["x", "y", "z", "u"] * 16,
            "system": (["a"] * 4 + ["b"] * 4) * 8,
            "score": [i % 3 for i in range(8) for _ in range(8)],
        }
    )
    terms = [Term(group=group, shape="intercept", n_systems=2) for group in GROUPS]
    found = maximize(data, (terms[0], terms[1]))
    assert found == (
        "what items add to log odds grows without bound, as they all but decide the scores"
    )


@pytest.mark.parametrize("seed", [82, 123, 126, 220, 264, 268, 284, 293, 367, 383])
def test_a_search_that_runs_away_ends_in_words(seed: int) -> None:
    # A dozen scores with covariances of three systems. Followed without an end, the searches reach
    # standard deviations at which no modes are found; which of them do differs between processors.
    draw = random.Random(seed)
    n = draw.choice([10, 12, 15])
    columns = {"item": range(4), "rater": "abc", "system": "xyz", "score": (1, 2, 3)}
    data = answers({name: [draw.choice(of) for _ in range(n)] for name, of in columns.items()})
    rater, item = (Term(group=group, shape="correlated", n_systems=3) for group in GROUPS)
    found = [maximize(data, terms) for terms in ((rater, item), (rater.as_("both"), item))]
    assert any("grows without bound" in each for each in found if isinstance(each, str))


def test_json_of_the_recorded_fits_names_its_versions() -> None:
    path = reference.DATA / "ordinal_models" / "EXPECTED.json"
    made = json.loads(path.read_text(encoding="utf-8"))["computed_with"]
    assert made == {"R": "4.2.2", "ordinal": "2022.11.16"}
