"""Whether a check was answered rightly."""

from __future__ import annotations

from typing import Any

import pytest

from jurybox.design import find_known, make_plan
from jurybox.design.answers import Answer, is_right
from jurybox.study.material import Known
from jurybox.study.model import ItemId
from tests.design.answers.asked import STUDIES, SYSTEMS
from tests.design.studies import make_known, make_material, make_study


def known(n: int, **answers: tuple[Any, ...]) -> Known:
    return Known(id="k", kind="gold", item=ItemId("i"), systems=SYSTEMS[:n], answers=answers)


def one(**values: Any) -> Answer:
    return Answer(**{"system": SYSTEMS[0], **values})


@pytest.mark.parametrize(("score", "right"), [(0.5, True), (2.0, True), (0.0, False)])
def test_a_score_is_right_when_it_is_among_the_accepted(score: float, right: bool) -> None:
    answers = [one(criterion="realism", score=score), one(criterion="overall", score=1)]
    assert is_right(STUDIES["rate"], known(1, realism=(0.5, 2.0)), answers) is right


def test_every_checked_criterion_must_be_right() -> None:
    answers = [one(criterion="realism", score=2), one(criterion="overall", score=50)]
    assert is_right(STUDIES["rate"], known(1, realism=(2.0,), overall=(50.0,)), answers)
    assert not is_right(STUDIES["rate"], known(1, realism=(2.0,), overall=(60.0,)), answers)


def test_a_skipped_check_is_not_right() -> None:
    assert not is_right(STUDIES["rate"], known(1, realism=(2.0,)), [])


@pytest.mark.parametrize(("winner", "right"), [("a", False), ("b", True), ("tie", True)])
def test_the_first_output_of_the_row_is_a(winner: str, right: bool) -> None:
    answers = [one(criterion="preference", winner=winner, first="b")]
    assert is_right(STUDIES["compare"], known(2, preference=("b", "tie")), answers) is right


def test_a_side_is_checked_by_its_own_column() -> None:
    answers = [
        Answer(criterion="correctness", system=SYSTEMS[0], score=1),
        Answer(criterion="correctness", system=SYSTEMS[1], score=5),
    ]
    study = STUDIES["compare"]
    assert is_right(study, known(2, correctness_a=(1.0, 2.0), correctness_b=(5.0,)), answers)
    assert not is_right(study, known(2, correctness_a=(5.0,)), answers)


@pytest.mark.parametrize(
    ("winner", "strength", "right"), [("a", 2, True), ("b", 2, False), ("a", 1, False)]
)
def test_a_grade_is_negative_for_the_first_output_of_the_row(
    winner: str, strength: float, right: bool
) -> None:
    answers = [one(criterion="preference", winner=winner, strength=strength)]
    assert is_right(STUDIES["graded"], known(2, preference=(-2.0, -3.0)), answers) is right


@pytest.mark.parametrize(
    ("ranks", "right"), [((2, 1, 2, 4), True), ((3, 1, 2, 4), False), ((1, 2, 1, 4), False)]
)
def test_an_order_is_right_however_ties_are_numbered(ranks: tuple[int, ...], right: bool) -> None:
    # Accepted: 2 > 1 = 3 > 4, read from the table as places 2, 1, 2, 3.
    answers = [
        Answer(criterion="fit", system=system, rank=rank)
        for system, rank in zip(SYSTEMS, ranks, strict=True)
    ]
    assert is_right(STUDIES["rank"], known(4, fit=((2, 1, 2, 3),)), answers) is right


def test_the_origin_is_right_or_wrong() -> None:
    answers = [one(criterion="origin", answer="real")]
    assert is_right(STUDIES["detect"], known(1, origin=("real",)), answers)
    assert not is_right(STUDIES["detect"], known(1, origin=("generated",)), answers)


@pytest.mark.parametrize(
    ("marked", "right"),
    [
        ([(4, 9, "accuracy", "major")], True),
        ([(3, 9, "accuracy", "minor")], False),  # another severity
        ([(3, 9, "fluency", "major")], False),  # another category
        ([(9, 12, "accuracy", "major")], False),  # beside it: ends are exclusive
        ([(4, 9, "accuracy", "major"), (15, 18, "fluency", "minor")], False),  # one too many
        ([], False),
    ],
)
def test_an_error_is_found_when_marks_overlap(
    marked: list[tuple[int, int, str, str]], right: bool
) -> None:
    names = ("start", "end", "category", "severity")
    answers = [one(criterion="errors", **dict(zip(names, m, strict=True))) for m in marked]
    answers = answers or [one(criterion="errors")]
    accepted = (((3, 9, "accuracy", "major"),),)
    assert is_right(STUDIES["mark"], known(1, errors=accepted), answers) is right


def test_free_of_errors_is_right_only_without_marks() -> None:
    span = {"start": 1, "end": 2, "category": "accuracy", "severity": "minor"}
    study, free = STUDIES["mark"], known(1, errors=((),))
    assert is_right(study, free, [one(criterion="errors")])
    assert not is_right(study, free, [one(criterion="errors", **span)])


def test_each_planned_check_finds_its_row() -> None:
    rows = [make_known(kind, 0, ["system-0"]) for kind in ("gold", "attention", "practice")]
    study, material = make_study("rate"), make_material(4, 1, known=rows)
    for round_ in ("main", "pilot"):
        plan = make_plan(study, material, round="main" if round_ == "main" else "pilot")
        found = [find_known(study, material, trial) for trial in plan.trials]
        assert [row.id for row in found if row is not None] == [
            "gold:0",
            "attention:0",
            "practice:0",
        ]
        assert found.count(None) == 4
