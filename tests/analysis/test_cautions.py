"""Every case in which figures mislead has its sentence, and only then."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jurybox.analysis import analyze

Columns = dict[str, list[Any]]


def ratings(raters: int = 10, items: int = 8) -> Columns:
    draw = random.Random(1)
    rows = [
        (f"i{i}", s, f"r{r}", draw.randint(1, 5))
        for i in range(items)
        for s in ("new", "old")
        for r in range(raters)
    ]
    return table("item system rater score", rows)


def votes(items: int = 8) -> Columns:
    rows = [
        (f"i{i}", "new", "old", f"r{r}", ("a", "b", "tie")[(i + r) % 3])
        for i in range(items)
        for r in range(10)
    ]
    return table("item system_a system_b rater winner", rows)


def table(names: str, rows: list[tuple[Any, ...]]) -> Columns:
    return {name: [row[k] for row in rows] for k, name in enumerate(names.split())}


def material(outputs: dict[tuple[str, str], dict[str, Any]], known: Any = None) -> Any:
    return SimpleNamespace(
        systems=("new", "old"),
        items={},
        outputs={key: SimpleNamespace(fields=fields) for key, fields in outputs.items()},
        known=known or {},
    )


def said(data: Columns, about: Any = None) -> list[str]:
    return list(analyze(data, material=about).warnings)


def test_a_sound_table_needs_no_care() -> None:
    assert said(ratings()) == []


def test_few_raters_few_items_and_a_busy_rater() -> None:
    assert any("9 raters: intervals are honest" in s for s in said(ratings(raters=9)))
    assert not any("item" in s for s in said(ratings(items=6)))
    few = said(ratings(items=5))
    assert few == [
        "5 items: too few to speak for others, and a signed-rank p cannot reach 0.05 below 6"
    ]
    data = ratings()
    for k, rater in enumerate(data["rater"]):
        data["rater"][k] = "r0" if k % 2 or rater == "r1" else rater
    data["item"] = [f"i{k}" for k in range(len(data["item"]))]
    assert "rater r0 gave more than half of the responses" in said(data)


def test_raters_within_systems_are_confounded() -> None:
    data = ratings()
    data["rater"] = [f"{s}-{r}" for s, r in zip(data["system"], data["rater"], strict=True)]
    sentence = (
        "every rater judged one system only, so systems and raters cannot be told apart: no "
        "comparison is made"
    )
    found = analyze(data)
    assert sentence in found.warnings
    compared = [f for f in found.findings if f.id.startswith("difference/")]
    assert [f.result.estimate for f in compared] == [None]
    # One rater who saw both is enough to compare.
    data["rater"][0] = data["rater"][-1]
    assert sentence not in said(data)


def test_no_variance_and_constant_raters() -> None:
    data = ratings()
    flat = {**data, "score": [3] * len(data["score"])}
    assert "every answer to overall is the same, so nothing can be compared on it" in said(flat)
    data["score"] = [
        2 if rater == "r3" else score
        for rater, score in zip(data["rater"], data["score"], strict=True)
    ]
    assert "one answer to overall on all trials: r3 (16)" in said(data)


def test_a_judge_that_always_takes_the_first_shown() -> None:
    data = votes(items=12)
    n = len(data["item"])
    data["first"] = ["ab"[k % 2] for k in range(n)]
    data["winner"] = [
        first if rater == "r0" else winner
        for first, rater, winner in zip(data["first"], data["rater"], data["winner"], strict=True)
    ]
    data["rater_kind"] = ["judge"] * n
    assert "one answer to preference on all trials: r0 (12)" in said(data)


def test_identical_outputs_are_counted() -> None:
    same = {("i0", "new"): {"text": "yes"}, ("i0", "old"): {"text": "yes"}}
    differ = {("i1", "new"): {"text": "yes"}, ("i1", "old"): {"text": "no"}}
    assert (
        "new and old have identical outputs on 1 item: 10 votes there count as given, 3 of them "
        "ties" in said(votes(), material({**same, **differ}))
    )
    assert "identical outputs: new and old on 1 item; the responses to them count" in said(
        ratings(), material({**same, **differ})
    )
    assert not any("identical" in s for s in said(votes(), material(differ)))


def test_identical_files_are_found_whatever_they_are_called(tmp_path: Path) -> None:
    for name, content in (("a", b"picture"), ("b", b"picture"), ("c", b"another")):
        (tmp_path / name).write_bytes(content)
    one, two, three = (tmp_path / name for name in "abc")
    same = {("i0", "new"): {"image": one}, ("i0", "old"): {"image": two}}
    assert any("identical outputs" in s for s in said(votes(), material(same)))
    differ = {("i0", "new"): {"image": (one,)}, ("i0", "old"): {"image": (three,)}}
    assert not any("identical outputs" in s for s in said(votes(), material(differ)))


@pytest.mark.parametrize(("answers", "warned"), [((4, 4), True), ((4, 2), False), ((4,), False)])
def test_gold_with_one_answer_can_be_passed_blindly(answers: tuple[int, ...], warned: bool) -> None:
    known = {
        f"g{k}": SimpleNamespace(kind="gold", answers={"overall": (answer,)})
        for k, answer in enumerate(answers)
    }
    sentence = (
        "every gold trial has the same right answer to overall, so a rater who always gives it "
        "passes"
    )
    assert (sentence in said(ratings(), material({}, known))) is warned


CODE = "if it means no answer, --values score:{0}= declares it missing"


@pytest.mark.parametrize("code", [-999, -99, -9, -1, 99, 999])
def test_a_code_of_no_answer_among_scores_is_named_and_counted(code: int) -> None:
    data = ratings()
    data["score"][3] = data["score"][7] = code
    (said,) = [w for w in analyze(data, n_resamples=20).warnings if "no answer" in w]
    assert said.startswith(f"2 scores of overall are {str(code).replace('-', '−')}, outside the")
    assert said.endswith(CODE.format(code))


@pytest.mark.parametrize(
    ("scores", "is_told"),
    [
        ((-1, 0, 1), False),  # a scale
        ((-2, -1, 0, 1, 2), False),
        ((0, 50, 98, 99), False),  # a slider
        ((0, 1, 2, 3, -1), True),
        ((1, 99), False),  # of two values none is the odd one
    ],
)
def test_a_scale_that_holds_the_value_is_left_alone(scores: tuple[int, ...], is_told: bool) -> None:
    data = ratings()
    data["score"] = [scores[k % len(scores)] for k in range(len(data["score"]))]
    assert any("no answer" in w for w in analyze(data, n_resamples=20).warnings) is is_told


@pytest.mark.parametrize("names_first", [True, False])
@pytest.mark.parametrize("wins", ["a", "b"])
def test_votes_that_follow_the_place_are_not_said_to_be_all_the_same(
    names_first: bool, wins: str
) -> None:
    pairs = [("x", "y"), ("y", "x")] * 6
    data: dict[str, Any] = {
        "item": [f"i{k}" for k in range(12)],
        "system_a": [a for a, _ in pairs],
        "system_b": [b for _, b in pairs],
        "rater": [f"r{k % 3}" for k in range(12)],
        "winner": [wins] * 12,
    }
    place = f"in system_{wins}"
    if names_first:
        data["first"], place = ["a"] * 12, "shown first" if wins == "a" else "shown second"
    found = said(data)
    assert not any("is the same" in each for each in found)
    assert any(f"the output {place} wins every vote on preference" in each for each in found)


def test_a_system_that_wins_everywhere_follows_no_place() -> None:
    data = {
        "item": [f"i{k}" for k in range(12)],
        "system_a": ["x", "y"] * 6,
        "system_b": ["y", "x"] * 6,
        "rater": [f"r{k % 3}" for k in range(12)],
        "winner": ["a", "b"] * 6,
        "first": ["a"] * 12,
    }
    assert not any("follow the place" in each for each in said(data))
    tied = {**data, "winner": ["tie"] * 12}
    assert "every answer to preference is the same, so nothing can be compared on it" in said(tied)
