"""After a practice answer: what was answered, what is right, and what follows."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from jurybox.design.answers import Answer
from jurybox.study import Study, load_material, load_study
from jurybox.study.material import Known
from jurybox.study.model import SystemId
from jurybox.study.templates import write_template
from jurybox.web.feedback import Checked, check_answers
from tests.web.serving import open_study
from tests.web.studies import write_study
from tests.web.test_api import Client, sent


def first_practice(study: Study) -> Known:
    return next(one for one in load_material(study).known.values() if one.kind == "practice")


def test_both_answers_are_said_per_criterion_and_side(tmp_path: Path) -> None:
    write_template("ab-rubric", tmp_path / "study")
    study = load_study(tmp_path / "study")
    known = first_practice(study)
    first, second = known.systems
    answers = [
        Answer(criterion="preference", winner="a", first="a"),
        Answer(criterion="correctness", system=first, score=5),
        Answer(criterion="correctness", system=second, score=5),
    ]
    by_name = {one.name: one for one in check_answers(study, known, answers, texts={})}
    right = by_name["Preference"]
    assert (right.is_right, right.given, right.right) == (True, "A is better", "A is better")
    assert by_name["Correctness · A"].is_right
    wrong = by_name["Correctness · B"]
    assert not wrong.is_right
    assert wrong.given == "5 (Fully right, and it can be checked)"
    assert wrong.right == "2 (Mostly wrong or misleading) or 3 (Partly right, with clear gaps)"


def test_an_anchor_in_brackets_has_no_full_stop(tmp_path: Path) -> None:
    write_template("text-coherence", tmp_path / "study")
    study = load_study(tmp_path / "study")
    known = first_practice(study)
    (checked,) = check_answers(study, known, [Answer(criterion="coherence", score=1)], texts={})
    assert checked.given == "1 (It cannot be understood)"


def test_the_pick_of_the_best_is_a_letter(tmp_path: Path) -> None:
    write_template("best-of-n", tmp_path / "study")
    study = load_study(tmp_path / "study")
    known = first_practice(study)
    answers = [
        Answer(criterion="fit", system=system, rank=1 if place == 3 else 2)
        for place, system in enumerate(known.systems)
    ]
    (checked,) = check_answers(study, known, answers, texts={})
    assert checked == Checked(name="Fit", place=None, is_right=False, given="D", right="B")
    assert known.explanation.startswith("B is right")


def test_marked_words_are_quoted_with_category_and_severity(tmp_path: Path) -> None:
    write_template("mqm", tmp_path / "study")
    study = load_study(tmp_path / "study")
    known = first_practice(study)
    texts = {"translation": "The train arrives at 8:30."}
    system = SystemId(known.systems[0])
    marked = Answer(
        criterion="errors", system=system, start=4, end=9, category="style", severity="minor"
    )
    (checked,) = check_answers(study, known, [marked], texts=texts)
    assert checked.given == "“train” (Style, Minor)"
    assert checked.right == "“arrives” (Accuracy, Major)"
    (checked,) = check_answers(
        study, known, [Answer(criterion="errors", system=system)], texts=texts
    )
    assert checked.given == "No error"


@pytest.mark.parametrize("rule", [True, False])
def test_who_fails_twice_reads_what_follows(tmp_path: Path, rule: bool) -> None:
    folder = write_study("detect", tmp_path)
    text = (folder / "study.yaml").read_text()
    if not rule:
        text = text.replace(", exclude: {practice_failed: true}", "")
        (folder / "study.yaml").write_text(text)
    with open_study(folder) as served, TestClient(served.app) as http:
        client = Client(http)
        client.begin()
        for number in range(4):
            trial = client.get("next")["trial"]
            given = [{"criterion": "origin", "answer": "real", "confidence": 3}]
            told = client.post("submit", sent(trial, given, id=f"answer-{number}"))["feedback"]
        assert "1 of 2 right." in told
        assert ("You can go on." in told) is not rule
        assert client.get("next")["stage"] == ("screened-out" if rule else "trial")


@pytest.mark.parametrize(
    ("study", "listed", "missing"),
    [
        ("best", {"Choose the best output", "Zoom pictures"}, {"Undo", "Play or pause"}),
        ("rank", {"Undo", "The next one ties with the last"}, {"Play or pause"}),
        ("graded", {"The value printed on the button"}, {"Zoom pictures", "Play or pause", "Undo"}),
    ],
)
def test_the_keys_dialog_lists_the_keys_that_apply(
    tmp_path: Path, study: str, listed: set[str], missing: set[str]
) -> None:
    with open_study(write_study(study, tmp_path)) as served, TestClient(served.app) as http:
        page = http.get("/").text
    keys = page[page.index('<dl class="keys">') : page.index("</dl>")]
    assert {words for words in listed | missing if words in keys} == listed
