"""Practice, gold and attention tables: right answers are read against the study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jurybox.study import Known, Study, check_material, load_material, load_study
from jurybox.study.answer_cells import AnswerProblem, read_answers
from jurybox.study.criteria import Criterion
from jurybox.study.settings import Quality
from tests.study.examples import draw_picture, write_csv, write_example, write_jsonl


def with_gold(name: str, folder: Path, rows: list[dict[str, Any]], **quality: str) -> Study:
    """An example study with a gold table of these rows."""
    study = load_study(write_example(name, folder))
    tables = quality or {"gold": "known.csv"}
    made = study.model_copy(update={"quality": Quality.model_validate(tables)})
    made.save(folder)
    for table in tables.values():
        (write_jsonl if table.endswith("jsonl") else write_csv)(folder / table, rows)
    return made


def only(study: Study) -> Known:
    (known,) = load_material(study).known.values()
    return known


def test_the_studys_own_outputs_are_named(tmp_path: Path) -> None:
    row = {"item": "q2", "system_a": "old", "system_b": "new", "preference": "b|tie"}
    known = only(with_gold("compare", tmp_path, [row]))
    assert (known.id, known.kind, known.item) == ("gold:q2", "gold", "q2")
    assert known.systems == ("old", "new")  # the row's order: a is the first
    assert known.answers == {"preference": ("b", "tie")}


def test_a_row_may_bring_content_of_its_own(tmp_path: Path) -> None:
    row = {"prompt": "2 + 2?", "answer_a": "5", "answer_b": "4", "preference": "b",
           "correctness_a": "1|2", "correctness_b": "5", "explanation": "Four."}  # fmt: skip
    study = with_gold("compare", tmp_path, [row])
    material = load_material(study)
    known = material.known["gold:1"]
    assert known.systems == ("known-1", "known-2")
    assert known.explanation == "Four."
    assert known.answers == {
        "preference": ("b",),
        "correctness_a": (1.0, 2.0),
        "correctness_b": (5.0,),
    }
    assert material.item_fields(known.item) == {"prompt": "2 + 2?"}
    assert material.output_fields(known.item, known.systems[1]) == {"answer": "4"}
    assert known.item not in material.items
    assert len(material.systems) == 2


def test_own_outputs_may_stand_on_an_item_of_the_study(tmp_path: Path) -> None:
    row = {"item": "q1", "answer_a": "No.", "answer_b": "Yes.", "preference": "b"}
    material = load_material(with_gold("compare", tmp_path, [row, row]))
    first, second = material.known.values()
    assert (first.id, second.id) == ("gold:q1", "gold:q1#2")
    assert first.item == "gold:q1"  # apart from the study's own outputs on q1
    assert material.item_fields(first.item) == material.item_fields(next(iter(material.items)))


def test_rank_orders_are_places_of_the_rows_outputs(tmp_path: Path) -> None:
    draw_picture(tmp_path / "x.png", 1)
    own = {"picture": "x.png", "caption_1": "a", "caption_2": "b", "caption_3": "c"}
    known = only(with_gold("rank", tmp_path, [{**own, "fit": "2>1=3|1>2>3"}]))
    assert known.systems == ("known-1", "known-2", "known-3")
    assert known.answers == {"fit": ((2, 1, 2), (1, 2, 3))}


def test_rank_names_systems_with_bars(tmp_path: Path) -> None:
    known = only(with_gold("rank", tmp_path, [{"item": "p1", "systems": "ada|dora", "fit": "1>2"}]))
    assert known.systems == ("ada", "dora")
    assert known.answers == {"fit": ((1, 2),)}


def test_best_of_n_is_one_for_the_pick_and_two_for_the_others(tmp_path: Path) -> None:
    study = load_study(write_example("rank", tmp_path))
    write_csv(tmp_path / "g.csv", [{"item": "p1", "systems": "ada|bert|cleo", "best": "3|1"}])
    made = Study(
        title="t", protocol="rank", items=study.items, outputs=study.outputs,
        show={"picture": "image", "caption": "text"}, criteria={"best": {"answer": "best"}},
        quality={"gold": "g.csv"},
    )  # fmt: skip
    made.save(tmp_path)
    assert only(made).answers == {"best": ((2, 2, 1), (1, 2, 2))}


def test_mark_spans_are_checked_against_the_text(tmp_path: Path) -> None:
    rows = [{"item": "s1", "system": "beta", "errors": "4-7 accuracy major; 17-20 fluency minor",
             "overall": "40"},
            {"item": "s2", "system": "alpha", "errors": "none", "overall": ""}]  # fmt: skip
    first, second = load_material(with_gold("mark", tmp_path, rows)).known.values()
    assert first.answers == {
        "errors": (((4, 7, "accuracy", "major"), (17, 20, "fluency", "minor")),),
        "overall": (40.0,),
    }
    assert second.answers == {"errors": ((),)}


def test_json_rows_may_hold_numbers_and_lists(tmp_path: Path) -> None:
    row = {"item": "e1", "system": "magic", "consistency": [1, 2], "realism": 0.5}
    known = only(with_gold("rate", tmp_path, [row], attention="known.jsonl"))
    assert known.kind == "attention"
    assert known.answers == {"consistency": (1.0, 2.0), "realism": (0.5,)}


def several(tmp_path: Path, rows: list[dict[str, Any]]) -> Study:
    """The study with two edits of a picture on each screen."""
    study = with_gold("rate", tmp_path, rows)
    design = study.design.model_copy(update={"outputs_per_trial": "all"})
    return study.model_copy(update={"design": design})


def test_outputs_on_one_screen_have_answers_of_their_own(tmp_path: Path) -> None:
    named = {"item": "e1", "systems": "magic|brush", "consistency_1": "2", "consistency_2": "0|1"}
    material = load_material(several(tmp_path, [named]))
    (known,) = material.known.values()
    assert known.systems == ("magic", "brush")
    assert known.answers == {"consistency_1": (2.0,), "consistency_2": (0.0, 1.0)}
    assert known.about("consistency_2", {"consistency"}) == ("consistency", 1)
    for picture in (1, 2, 3):
        draw_picture(tmp_path / f"{picture}.png", picture)
    own = {"item": "e1", "output_1": "1.png", "output_2": "2.png", "output_3": "3.png"}
    answers = {"consistency_3": "0", "realism": "1", "realism_2": "2"}  # of all but the second
    material = load_material(several(tmp_path, [{**own, **answers}]))
    (known,) = material.known.values()
    assert known.systems == ("known-1", "known-2", "known-3")
    realism = {"realism_1": (1.0,), "realism_2": (2.0,), "realism_3": (1.0,)}
    assert known.answers == {"consistency_3": (0.0,), **realism}
    fields = material.output_fields(known.item, known.systems[2])
    assert fields["output"] == tmp_path / "3.png"
    alone = {"item": "e1", "system": "magic", "consistency": "2"}  # as it was always written
    (known,) = load_material(several(tmp_path, [alone])).known.values()
    assert known.systems == ("magic",)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"systems": "magic|brush", "consistency_3": "2"}, "`consistency_3` is of no output; the"),
        ({"systems": "magic|brush", "consistency_2": "7"}, "`consistency_2` must be"),
        ({"output": "1.png", "output_1": "1.png", "realism": "1"}, "give `output` for one output"),
        ({"systems": "magic|brush"}, "The table has no column with right answers: consistency, "),
    ],
)
def test_a_wrong_row_with_several_outputs_is_said(
    row: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    draw_picture(tmp_path / "1.png", 1)
    _, problems = check_material(several(tmp_path, [{"item": "e1", **row}]))
    assert [problem.message.startswith(expected) for problem in problems] == [True], problems


PAIR = {"item": "q1", "system_a": "new", "system_b": "old", "preference": "a"}
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("compare", {**PAIR, "preference": "c"}, "`preference` must be a, b, tie or both_bad,"),
    ("compare", {**PAIR, "preference": "a|B"}, "`preference` must be a, b, tie or both_bad"),
    ("compare", {**PAIR, "preference": ""}, "the row gives no right answer."),
    ("compare", {**PAIR, "correctness_a": "6"}, "`correctness_a` must be 1, 2, 3, 4, 5, go"),
    ("compare", {**PAIR, "correctness": "3"}, "Column `correctness` means nothing here; did you m"),
    ("compare", {**PAIR, "system_b": "odl"}, "there is no system `odl`; they are new and"),
    ("compare", {**PAIR, "system_b": ""}, "give both `system_a` and `system_b`, or neither"),
    ("compare", {**PAIR, "system_b": "new"}, "the same system is named twice."),
    ("compare", {**PAIR, "item": "q99"}, "there is no item `q99` in the study."),
    ("compare", {**PAIR, "answer_a": "x", "answer_b": "y"}, "name systems of the study or"),
    ("compare", {**PAIR, "prompt": "x"}, "the study's own outputs are shown with the item'"),
    ("compare", {"item": "q1", "answer_a": "x", "answer_b": "", "preference": "a"},
     "the row shows no output; fill answer_a and answer_b."),
    ("compare", {"item": "zz", "answer_a": "x", "answer_b": "y", "preference": "a"},
     "`prompt` is empty and `item` names no item of the study."),
    ("compare", {"item": "q1", "system_a": "new", "system_b": "old"},
     "The table has no column with right answers: preference, correctness_a or correctness_b."),
    ("compare", {**PAIR, "prefrence": "a"}, "Column `prefrence` means nothing here; did you mean"),
    ("rank", {"item": "p1", "systems": "ada|bert", "fit": "1>1"}, "`fit` must order all 2"),
    ("rank", {"item": "p1", "systems": "ada|bert", "fit": "1"}, "`fit` must order all 2 ou"),
    ("rank", {"item": "p1", "caption_1": "x", "fit": "1"}, "a rank trial needs at least tw"),
    ("detect", {"output": "images/real/photo1.jpg", "origin": "fake"},
     "`origin` must be real or generated, got `fake`."),
    ("detect", {"output": "gone.jpg", "origin": "real"}, "`output`: `gone.jpg` does not ex"),
    ("detect", {"output": "https://x.org/a.jpg", "origin": "real"}, "`output`: `https://x."),
    ("detect", {"item": "photo1", "system": "model-x", "origin": "real"},
     "system `model-x` has no output for item `photo1`."),
    ("mark", {"item": "s1", "system": "beta", "errors": "4-7 accuracy"}, "`errors` must be"),
    ("mark", {"item": "s1", "system": "beta", "errors": "4-999 accuracy major"},
     "`errors` has span 4-999 outside the text of"),
    ("mark", {"item": "s1", "system": "beta", "errors": "4-7 acuracy major"},
     "`errors` must be accuracy, fluency, fluency/punctuation or non-translation, got"),
    ("mark", {"item": "s1", "system": "beta", "errors": "4-7 accuracy grave"},
     "`errors` must be minor or major, got `grave`."),
    ("mark", {"item": "s1", "system": "beta", "overall": "101"}, "`overall` must be 0 to 1"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "row", "expected"), WRONG)
def test_a_wrong_row_is_said(name: str, row: dict[str, Any], expected: str, tmp_path: Path) -> None:
    _, problems = check_material(with_gold(name, tmp_path, [row]))
    assert all(problem.file == "known.csv" for problem in problems)
    assert any(problem.message.startswith(expected) for problem in problems), problems


def test_practice_explains_its_answers(tmp_path: Path) -> None:
    study = with_gold("compare", tmp_path, [PAIR], practice="known.csv")
    _, problems = check_material(study)
    assert [problem.message for problem in problems] == [
        "`explanation` is empty; practice explains its answer."
    ]


@pytest.mark.parametrize(
    ("cell", "read"),
    [
        ("98..100", (98, 99, 100)),
        ("0|98..100", (0, 98, 99, 100)),
        ("50..50", (50,)),
    ],
)
def test_a_stretch_of_a_slider_is_all_its_values(cell: str, read: tuple[float, ...]) -> None:
    criterion = Criterion.model_validate({"scale": "0-100"})
    assert read_answers("rate", criterion, cell, outputs=1, text=None) == read


@pytest.mark.parametrize("cell", ["90..101", "60..40", "1..", "..9", "a..b", "1..2..3"])
def test_a_stretch_that_is_none_is_said(cell: str) -> None:
    criterion = Criterion.model_validate({"scale": "0-100"})
    with pytest.raises(AnswerProblem, match="got "):
        read_answers("rate", criterion, cell, outputs=1, text=None)
    words = Criterion.model_validate({"scale": "acr"})
    with pytest.raises(AnswerProblem, match="must be 1, 2, 3, 4, 5"):
        read_answers("rate", words, "1..3", outputs=1, text=None)
