"""The datasheet: every question of HEDS, answered by the study, its data or its author."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jurybox.analysis.finding import Analysis
from jurybox.errors import InputError
from jurybox.report.blocks import Shown, Words
from jurybox.report.documents.authored import FILE, QUESTIONS, Authored, read_authored
from jurybox.report.documents.datasheet import OPEN, datasheet_section
from jurybox.report.fieldwork import Fieldwork
from jurybox.study import Study
from jurybox.study.material import Item, Material
from jurybox.study.model import ItemId
from tests.report.conftest import study

VERSIONS = {"jurybox": "0.1.0"}
TWO = {
    "fidelity": {"question": "Is it right?", "scale": {0: "no", 1: "yes"}},
    "quality": {"question": "Is it good?", "scale": {0: "no", 1: "yes"}},
}


def test_every_question_of_the_datasheet_has_an_answer_or_is_open(analysis: Analysis) -> None:
    section = datasheet_section(analysis, study(), None, VERSIONS)
    assert section is not None
    tables = [block.table for block in section.blocks if isinstance(block, Shown)]
    rows = [row for table in tables if table.id.startswith("datasheet") for row in table.rows]
    assert all(number and question and answer for number, question, answer in rows)
    numbers = [number for number, _, _ in rows]
    assert len(numbers) == len(set(numbers))
    # Where the sections of HEDS 3.0 begin and end.
    for number in ("1.1.1", "2.5", "3.1.1", "3.3.8", "4.1.1", "4.3.12.2", "5.1", "5.4"):
        assert number in numbers
    (said,) = [block for block in section.blocks if isinstance(block, Words)]
    left = [number for number, _, answer in rows if OPEN in answer]
    assert f"{len(rows) - len(left)} of {len(rows)} answers come from the study" in said.text
    *first, last = left
    assert said.text.endswith(f"those to questions {', '.join(first)} and {last}.")
    assert dict((n, a) for n, _, a in rows)["3.2.1"] == "12, and 1 more who was left out by rule"


def test_the_datasheet_answers_from_the_study(analysis: Analysis) -> None:
    asked = study(
        access={"prolific": {"completed": "C"}, "payment": "9 € an hour"},
        design={"items": 20, "stratify": "topic", "seed": 5},
        quality={"gold": "gold.csv", "exclude": {"gold_below": 0.7}},
        survey={"age": "How old are you?"},
    )
    section = datasheet_section(analysis, asked, None, VERSIONS)
    assert section is not None
    answers = {
        row[0]: row[2]
        for block in section.blocks
        if isinstance(block, Shown) and block.table.id.startswith("datasheet")
        for row in block.table.rows
    }
    assert answers["3.2.2.2"] == "9 € an hour"
    assert answers["3.2.3"] == "through Prolific"
    assert answers["3.1.2"] == (
        "20 drawn at random by a script, seed 5, in strata of topic (proportional)"
    )
    assert answers["3.3.3.1"] == "gold trials and exclusion by rule"
    assert answers["3.3.3.2"].startswith("Trials with a known answer are hidden among the others.")
    assert "gold_below: fewer than 70% of the gold trials" in answers["3.3.3.2"]
    assert answers["4.3.3"] == "2 values (ordinal)"
    assert answers["4.3.6"] == "not applicable: 4.3.4 lists the answers"
    assert answers["4.3.9"].startswith("means over ratings, and differences within items")
    assert answers["3.2.5"] == "asked in the survey: age"
    assert answers["4.3.4"] == "0 no; 1 yes"


def answers_of(analysis: Analysis, asked: Study, fieldwork: Fieldwork | None = None) -> Any:
    section = datasheet_section(analysis, asked, fieldwork, VERSIONS)
    assert section is not None
    tables = [block.table for block in section.blocks if isinstance(block, Shown)]
    return {row[0]: row[-1] for table in tables for row in table.rows}


def test_the_datasheet_lists_what_may_be_marked_or_called(analysis: Analysis) -> None:
    marks = {"field": "output", "categories": {"style": "Clumsy"}, "severities": {"minor": 1}}
    answers = answers_of(analysis, study(protocol="mark", criteria={"errors": marks}))
    assert answers["4.3.3"] == "1 category and 1 severity"
    assert answers["4.3.4"] == "style; minor"
    origin = {"question": "Is it real?"}
    asked = study(protocol="detect", real=["a"], criteria={"origin": origin})
    assert answers_of(analysis, asked)["4.3.4"] == "real, generated"


def test_practice_is_a_method_of_quality_assurance_that_is_described(analysis: Analysis) -> None:
    asked = study(quality={"practice": "p.csv"}, session={"break_every": 15})
    answers = answers_of(analysis, asked)
    assert answers["3.3.3.1"] == "practice trials"
    assert answers["3.3.3.2"] == "Practice with feedback comes first; 60% right passes it."
    assert answers["3.3.5"].endswith("with a break offered every 15")


def test_the_datasheet_tells_what_goes_into_systems_from_what_comes_out(
    analysis: Analysis,
) -> None:
    item = Item(id=ItemId("i"), fields={"prompt": "Draw."}, file="items.csv", row=1)
    material = Material(items={ItemId("i"): item}, systems=(), outputs={})
    asked = study(show={"prompt": "text", "output": "text"}, items="items.csv")
    answers = answers_of(analysis, asked, Fieldwork(material=material))
    assert answers["2.1"] == f"raters saw prompt (text); whether it is all is {OPEN} to say"
    assert answers["2.2"] == "raters saw output (text)"


def test_a_table_without_a_study_has_no_datasheet(analysis: Analysis) -> None:
    assert datasheet_section(analysis, None, None, VERSIONS) is None


def section_text(analysis: Analysis, authored: Authored) -> str:
    """The words above the datasheet of a study of two criteria."""
    section = datasheet_section(analysis, study(criteria=TWO), answered_by(authored), VERSIONS)
    assert section is not None
    (said,) = [block for block in section.blocks if isinstance(block, Words)]
    return said.text


def answered_by(authored: Authored) -> Fieldwork:
    return Fieldwork(material=Material(items={}, systems=(), outputs={}), authored=authored)


def test_the_questions_that_an_author_may_answer_are_those_that_are_asked(
    analysis: Analysis,
) -> None:
    section = datasheet_section(analysis, study(), None, VERSIONS)
    assert section is not None
    tables = [block.table for block in section.blocks if isinstance(block, Shown)]
    asked = [str(row[0]) for t in tables if t.id.startswith("datasheet") for row in t.rows]
    assert tuple(asked) == QUESTIONS


def test_an_authors_answer_stands_where_the_question_was_open(analysis: Analysis) -> None:
    # 20 of the 57 questions are of a criterion, so two criteria ask 37 + 2 * 20 = 77.
    assert " of 77 answers come from the study and its data; " in section_text(analysis, {})
    authored = {("", "2.4"): "English", ("", "3.1.2"): "from support mails of May"}
    answers = answers_of(analysis, study(), answered_by(authored))
    assert answers["2.4"] == "English"
    # What the study knows stays in front.
    assert answers["3.1.2"] == "all items of the study; from support mails of May"
    assert answers["2.5"] == OPEN
    text = section_text(analysis, authored)
    assert "study and its data, 2 from the author; " in text
    assert "2.3, 2.5" in text
    assert "2.4," not in text.replace("3.2.2.4,", "")


def test_an_answer_for_one_criterion_holds_for_it_alone(analysis: Analysis) -> None:
    authored = {("", "4.1.1"): "goodness", ("fidelity", "4.1.1"): "correctness"}
    section = datasheet_section(analysis, study(criteria=TWO), answered_by(authored), VERSIONS)
    assert section is not None
    tables = {b.table.title: b.table for b in section.blocks if isinstance(b, Shown)}
    said = {
        name: dict((row[0], row[2]) for row in tables[f"Datasheet, 4: Criterion {name}"].rows)
        for name in TWO
    }
    assert said["fidelity"]["4.1.1"] == "correctness"
    assert said["quality"]["4.1.1"] == "goodness"


def test_a_datasheet_with_every_answer_lists_none(analysis: Analysis) -> None:
    text = section_text(analysis, {("", number): "said" for number in QUESTIONS})
    assert text.endswith("0 of 77 answers come from the study and its data, 77 from the author.")


def written(folder: Path, text: str) -> Authored:
    (folder / FILE).write_text(text, encoding="utf-8")
    return read_authored(folder / FILE, TWO)


def test_answers_are_read_by_number_and_by_criterion(tmp_path: Path) -> None:
    text = """
    1.1.1: Doe 2026, section 4
    2.4: en     # to YAML, 2.4 is a number
    3.2.2.4: no
    fidelity: {4.1.1: correctness, 4.2.3: intrinsic}
    """
    assert written(tmp_path, text) == {
        ("", "1.1.1"): "Doe 2026, section 4",
        ("", "2.4"): "en",
        ("", "3.2.2.4"): "no",
        ("fidelity", "4.1.1"): "correctness",
        ("fidelity", "4.2.3"): "intrinsic",
    }


def test_a_file_without_answers_gives_none(tmp_path: Path) -> None:
    assert read_authored(tmp_path / FILE, TWO) == {}
    assert written(tmp_path, "") == {}
    assert written(tmp_path, "# later\n") == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.1.3: x", "datasheet.yaml:1:1: 1.1.3 is not a question or a criterion of the"),
        ("2.4: en\nrealism: {4.1.1: x}", "yaml:2:1: realism is not a question or a criterion of"),
        ("fidelity: {2.4: en}", "yaml:1:12: 2.4 is not a question on a criterion of the"),
        ("2.4: [en, de]", "yaml:1:6: The answer to 2.4 must be one text."),
        ("2.4: ' '", "yaml:1:6: The answer to 2.4 must be one text."),
        ("2.4:", "yaml:1:1: 2.4 is empty; write a value or take the line out."),
        ("fidelity: good", "yaml:1:11: Answers about a criterion have numbers, as in"),
        ("- 2.4", "yaml:1:1: A datasheet is a map from the numbers of questions to answers"),
        ("2.4: en\n2.4: de", "yaml:2:1: 2.4 stands twice, first in line 1; keep one."),
        ("2.4: 'en", "quotation mark is opened in line 1 and not closed"),
    ],
)
def test_what_is_no_answer_is_said_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        written(tmp_path, text)
    assert message in str(refused.value)


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        written(tmp_path, "9.9: x\n2.4: [en]\n")
    assert len(str(refused.value).splitlines()) == 2


def test_a_folder_in_the_files_place_is_said(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(InputError, match=r"datasheet\.yaml cannot be read: Is a directory"):
        read_authored(tmp_path / FILE, TWO)
