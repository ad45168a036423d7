"""Models of a vote: probabilities, derivatives and published fits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurybox.stats.strengths.bradley_terry import bradley_terry
from jurybox.stats.strengths.vote_fit import CoreFit, Settings, Ties, fit_core
from jurybox.stats.strengths.vote_models import Design, Model, evaluate, outcome_chances
from jurybox.stats.strengths.vote_table import vote_table
from jurybox.tally.reading import read
from jurybox.tally.votes import VoteCells, vote_cells
from tests import reference

MODELS: tuple[Model, ...] = ("plain", "davidson", "rao_kupper")


def cells(table: Any, *, first: bool = False) -> VoteCells:
    return vote_cells(read(table, shape="votes"), first=first)


def test_rao_kupper_by_hand() -> None:
    # π = 2 : 1, θ = 1.5: P(a) = 2/(2 + 1.5) = 4/7, P(b) = 1/(1 + 3) = 1/4,
    # P(tie) = (1.5² − 1) · 2 / (3.5 · 4) = 2.5/14; together 1.
    found = outcome_chances(np.array([math.log(2)]), math.log(1.5), "rao_kupper")[0]
    assert found == pytest.approx([4 / 7, 1 / 4, 2.5 / 14])
    # Davidson, ν = 1.5: 2, 1 and 1.5 · √2, divided by their sum.
    total = 3 + 1.5 * math.sqrt(2)
    found = outcome_chances(np.array([math.log(2)]), math.log(1.5), "davidson")[0]
    assert found == pytest.approx([2 / total, 1 / total, 1.5 * math.sqrt(2) / total])


@settings(max_examples=20)
@given(gap=st.floats(-30, 30), tie=st.floats(0.01, 8))
def test_chances_add_up_whatever_the_gap(gap: float, tie: float) -> None:
    for model in MODELS:
        assert outcome_chances(np.array([gap]), tie, model).sum() == pytest.approx(1)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("outside", [False, True])
def test_derivatives_agree_with_differences_of_the_likelihood(model: Model, outside: bool) -> None:
    rng = np.random.default_rng(1)
    a = np.array([0, 0, 1, 1, 2, 0])
    b = np.array([1, 2, 2, 3 if outside else 0, 3 if outside else 1, 1])
    design = Design(
        size=3,
        a=a,
        b=b,
        x=rng.normal(size=(6, 2)),
        counts=rng.integers(1, 9, (6, 3)).astype(float),
        model=model,
        offset=rng.normal(size=6) if outside else None,
    )
    at = rng.normal(size=design.parameters) / 2
    if design.tied:
        at[3] = 0.4
    value, gradient, information = evaluate(at, design)
    step = 1e-5
    for i in range(len(at)):
        up, down = at.copy(), at.copy()
        up[i] += step
        down[i] -= step
        high, low = evaluate(up, design), evaluate(down, design)
        assert gradient[i] == pytest.approx((high[0] - low[0]) / (2 * step), abs=1e-5)
        assert information[i] == pytest.approx((low[1] - high[1]) / (2 * step), abs=1e-4)
    assert math.isfinite(value)


@pytest.mark.parametrize("ties", ["davidson", "rao_kupper"])
def test_pudding_as_published(ties: Ties) -> None:
    expected = reference.expected("textbook")["davidson1970_pudding"][f"computed_{ties}"]
    found = bradley_terry(cells(reference.pudding()), Settings(ties=ties))
    worth = np.exp([found[name].estimate for name in sorted(row.name for row in found)])
    assert worth / worth.sum() == pytest.approx(expected["worth_sum1"], abs=1e-6)
    assert found.tie_parameter == pytest.approx(expected["tie_param"], abs=1e-6)
    assert found.log_likelihood == pytest.approx(expected["loglik"], abs=1e-6)


def home() -> VoteCells:
    games = [
        (row["home_team"], row["away_team"], winner, "a")
        for row in reference.rows_of("textbook/data/agresti_baseball1987.csv")
        for winner, column in (("a", "home_wins"), ("b", "away_wins"))
        for _ in range(int(row[column]))
    ]
    names = ("system_a", "system_b", "winner", "first")
    columns = [list(column) for column in zip(*games, strict=True)]
    return cells(dict(zip(names, columns, strict=True)), first=True)


@pytest.mark.parametrize("position", [False, True])
def test_baseball_as_published(position: bool) -> None:
    """Agresti (2002), table 10.11; the home team is the one shown first."""
    expected = reference.expected("textbook")["agresti_baseball1987"]["computed"]
    model = "model2" if position else "model1"
    votes = home()
    asked = Settings(ties="drop", position=position)
    found = bradley_terry(votes, asked, cluster=None)
    for team, value in expected[model].items():
        gap = found[team].estimate - found["Baltimore"].estimate
        assert gap == pytest.approx(value, abs=1e-6)
    assert found.fit is not None
    assert found.fit.deviance == pytest.approx(expected[f"{model}_deviance"], abs=1e-6)
    assert found.fit.df == expected[f"{model}_df"]
    fit = fit_core(votes, tuple(range(7)), asked)
    assert isinstance(fit, CoreFit)
    if position:
        (place,) = found.coefficients
        assert place.estimate == pytest.approx(expected["home_advantage"], abs=1e-6)
        error = math.sqrt(fit.bread[-1, -1]) / fit.scale[0]
        assert error == pytest.approx(expected["home_se"], abs=1e-6)
        return
    last = votes.systems.index("Baltimore")
    for team, value in expected["model1_se"].items():
        k = votes.systems.index(team)
        variance = fit.bread[k, k] + fit.bread[last, last] - 2 * fit.bread[k, last]
        assert math.sqrt(variance) == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("name", ["food", "simple"])
def test_ties_as_half_as_evalica_has_them(name: str) -> None:
    found = bradley_terry(cells(reference.evalica(name)), Settings(ties="half"))
    golden = {k: math.log(v) for k, v in reference.evalica_golden(name, "bradley_terry").items()}
    middle = sum(golden.values()) / len(golden)
    for system, value in golden.items():
        assert found[system].estimate == pytest.approx(value - middle, abs=1e-6)


def test_majority_of_pandalm_as_computed() -> None:
    expected = reference.expected("pandalm_pairwise")["computed"]["bt_majority"]
    table = reference.pandalm()
    by_item: dict[str, list[int]] = {}
    for row, item in enumerate(table["item"]):
        by_item.setdefault(item, []).append(row)
    rows = []
    for own in by_item.values():
        words = [table["winner"][row] for row in own]
        most = max(("a", "b", "tie"), key=words.count)
        rows.append((own[0], most if words.count(most) > 1 else "tie"))
    majority = {
        "system_a": [table["system_a"][row] for row, _ in rows],
        "system_b": [table["system_b"][row] for row, _ in rows],
        "winner": [winner for _, winner in rows],
    }
    found = bradley_terry(cells(majority), Settings(ties="half"))
    for system, value in expected["log_strength_centered"].items():
        assert found[system].estimate == pytest.approx(value, abs=1e-6)


@settings(max_examples=10)
@given(seed=st.integers(0, 1000))
def test_many_copies_of_the_votes_give_the_same_strengths(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, 120)
    b = (a + rng.integers(1, 4, 120)) % 4
    winner = rng.integers(0, 3, 120)
    for ties in ("davidson", "rao_kupper"):
        one = bradley_terry(vote_table("wxyz", a, b, winner), Settings(ties=ties))
        many = bradley_terry(
            vote_table("wxyz", np.tile(a, 50), np.tile(b, 50), np.tile(winner, 50)),
            Settings(ties=ties),
        )
        for row in one.rows:
            assert row.estimate == pytest.approx(many[row.name].estimate, abs=1e-8)
        assert one.tie_parameter == pytest.approx(many.tie_parameter, abs=1e-7)


def test_a_tie_parameter_at_its_edge_is_named() -> None:
    votes = vote_table("xy", [0, 0, 0], [1, 1, 1], [0, 0, 1])
    found = bradley_terry(votes, Settings(ties="rao_kupper"))
    assert found.tie_parameter is None
    assert found.notes == ("no ties occurred among the ranked systems, so Rao and Kupper's θ is 1",)
    wide = bradley_terry(vote_table("xy", [0, 0], [1, 1], [0, 2]), Settings(ties="rao_kupper"))
    assert "Rao and Kupper's θ grows without bound" in (wide["x"].undefined or "")
