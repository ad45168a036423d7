"""Panels of judges: majority, mean, and weights that never saw the trials they are judged on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jurybox.errors import InputError
from jurybox.stats.judges.agreement import judge_agreements
from jurybox.stats.judges.panels import make_panel
from tests.stats.judges.units import Units, codes, units

WORDS = ("a", "b", "tie")
NAN = float("nan")


def people(n: int) -> Units:
    return units([{"x": "a", "y": "b"}] * n, words=WORDS)


def stacked(*judges: Any, words: tuple[str, ...] | None = WORDS) -> Any:
    return np.array([codes(judge, words) for judge in judges])


def test_the_majority_of_words_by_hand() -> None:
    # a a b → a; a b (one silent) → an even split, a tie; a alone → no panel; b b b → b.
    judges = stacked(["a", "a", "a", "b"], ["a", "b", None, "b"], ["b", None, None, "b"])
    made = make_panel(people(4), judges, "majority", tie=2, seed=0)
    assert made.answers[[0, 1, 3]].tolist() == [0, 2, 1]
    assert np.isnan(made.answers[2])
    assert made.n_contradicted == 0
    without = make_panel(people(4), judges, "majority", tie=None, seed=0)
    assert np.isnan(without.answers[1])
    assert without.n_contradicted == 1


def test_numbers_have_a_median_and_a_mean() -> None:
    who = units([{"x": 1.0}] * 2)
    judges = stacked([1, 2], [1, None], [4, 5], words=None)
    assert make_panel(who, judges, "majority", tie=None, seed=0).answers.tolist() == [1.0, 3.5]
    assert make_panel(who, judges, "mean", tie=None, seed=0).answers.tolist() == [2.0, 3.5]


def test_words_have_no_mean_and_one_judge_is_no_panel() -> None:
    with pytest.raises(InputError, match="take panel='majority'"):
        make_panel(people(1), stacked("a", "b"), "mean", tie=2, seed=0)
    with pytest.raises(InputError, match="a panel needs two judges"):
        make_panel(people(1), stacked("a"), "majority", tie=2, seed=0)
    with pytest.raises(InputError, match="panel must be one of majority, mean, weighted"):
        make_panel(people(1), stacked("a", "b"), "vote", tie=2, seed=0)  # type: ignore[arg-type]


def test_a_good_judge_outweighs_two_that_guess() -> None:
    rng = np.random.default_rng(1)
    n = 300
    truth = rng.integers(0, 2, n)
    answers = [
        {r: WORDS[t if rng.random() > 0.2 else 1 - t] for r in "xyz"} for t in truth.tolist()
    ]
    who = units(answers, words=WORDS)
    good = truth.astype(float)
    judges = np.array([good, *(rng.integers(0, 2, n).astype(float) for _ in range(2))])
    weighted = make_panel(who, judges, "weighted", tie=2, seed=0)
    assert weighted.weights.sum() == pytest.approx(1)
    assert weighted.weights[0] > 0.8
    equal = make_panel(who, judges, "majority", tie=2, seed=0)
    right = [float((made.answers == good).mean()) for made in (weighted, equal)]
    assert right[0] > 0.95 > right[1]


def test_weights_come_from_other_items() -> None:
    # Judges who only guess: fitted on the trials it is judged on, a panel would look better than
    # guessing; fitted on others it does not.
    rng = np.random.default_rng(2)
    gaps = []
    for study in range(60):
        n = 40
        answers = [{"x": WORDS[k], "y": WORDS[k]} for k in rng.integers(0, 2, n).tolist()]
        who = units(answers, words=WORDS)
        judges = rng.integers(0, 2, (5, n)).astype(float)
        made = make_panel(who, judges, "weighted", tie=None, seed=study)
        row = judge_agreements(
            who, made.answers, statistics=("percent",), against=("person",), judge="panel"
        )[0]
        assert row.estimate is not None
        gaps.append(row.estimate - 0.5)
    assert abs(float(np.mean(gaps))) < 3 * 0.08 / 60**0.5 * 1.5


def test_changing_people_on_a_fold_never_changes_the_weights_there() -> None:
    rng = np.random.default_rng(3)
    n = 25
    answers = [{"x": WORDS[k], "y": WORDS[k]} for k in rng.integers(0, 2, n).tolist()]
    judges = rng.integers(0, 2, (4, n)).astype(float)
    before = make_panel(units(answers, words=WORDS), judges, "weighted", tie=2, seed=7).answers
    for k in range(n):
        turned = list(answers)
        turned[k] = {"x": "tie", "y": "tie"}
        after = make_panel(units(turned, words=WORDS), judges, "weighted", tie=2, seed=7).answers
        assert after[k] == before[k]


def test_judges_that_are_all_worse_than_chance_weigh_the_same() -> None:
    who = units([{"x": w, "y": w} for w in "abababab"], words=WORDS)
    wrong = codes("babababa", WORDS)
    made = make_panel(who, np.array([wrong, wrong]), "weighted", tie=2, seed=0)
    assert made.weights.tolist() == [0.5, 0.5]
    assert made.answers.tolist() == wrong.tolist()


def test_silent_judges_make_no_panel() -> None:
    judges = np.full((2, 3), NAN)
    made = make_panel(people(3), judges, "majority", tie=2, seed=0)
    assert np.isnan(made.answers).all()
    assert make_panel(people(3), judges, "weighted", tie=2, seed=0).n_contradicted == 0
