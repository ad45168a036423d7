"""The datasheet: every question of HEDS, answered by the study, its data or its author."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jurybox.analysis.finding import Analysis, Collected, Finding
from jurybox.errors import InputError
from jurybox.report.blocks import Shown, Words
from jurybox.report.documents.authored import FILE, Authored, read_authored
from jurybox.report.documents.datasheet import FORMS, OPEN, datasheet_section
from jurybox.report.documents.heds import NOT_APPLICABLE, QUESTIONS
from jurybox.report.fieldwork import Fieldwork
from jurybox.results import Interval
from jurybox.stats.differences import Difference
from jurybox.study import Study
from jurybox.study.material import Item, Material
from jurybox.study.model import ItemId
from tests.report.conftest import study

VERSIONS = {"jurybox": "0.1.0"}
TWO = {
    "fidelity": {"question": "Is it right?", "scale": {0: "no", 1: "yes"}},
    "quality": {"question": "Is it good?", "scale": {0: "no", 1: "yes"}},
}


FORM = {
    "1": "1.1.1 1.1.2 1.2 1.3.1.1 1.3.1.2 1.3.1.3 1.3.2.1 1.3.2.2 1.3.2.3",
    "2": "2.1 2.2 2.3 2.4 2.5",
    "3.1": "3.1.1 3.1.2 3.1.3.1 3.1.3.2 3.1.3.3",
    "3.2": "3.2.1 3.2.2.1 3.2.2.2 3.2.2.3 3.2.2.4 3.2.3 3.2.4 3.2.5",
    "3.3": "3.3.1 3.3.2 3.3.3.1 3.3.3.2 3.3.4.1 3.3.4.2 3.3.5 3.3.6 3.3.7 3.3.8",
    "4.1": "4.1.1 4.1.2 4.1.3",
    "4.2": "4.2.1 4.2.2 4.2.3",
    "4.3": "4.3.1.1 4.3.1.2 4.3.2 4.3.3 4.3.4 4.3.5 4.3.6 4.3.7 4.3.8 4.3.9 4.3.10 "
    "4.3.11.1 4.3.11.2 4.3.12.1 4.3.12.2",
    "5": "5.1 5.2 5.3 5.4",
}
"""The numbers of the questions on the published form of HEDS 3.0 (nlp-heds.github.io), by part."""
OPTIONS = {
    **{"1.1.1": 4, "1.2": 2, "2.1": 15, "2.2": 14, "2.3": 20, "3.1.2": 6, "3.2.2.1": 3},
    **{"3.2.2.2": 4, "3.2.2.3": 3, "3.2.2.4": 3, "3.3.1": 2, "3.3.3.1": 7, "3.3.5": 5},
    **{"3.3.6": 5, "3.3.7": 8, "4.1.1": 3, "4.1.2": 3, "4.1.3": 3, "4.2.1": 2, "4.2.2": 2},
    **{"4.2.3": 2, "4.3.5": 5, "4.3.8": 11, "5.2": 2, "5.3": 2},
}
"""How many options the form gives, where it gives a list."""
ABOUT = {
    **{"1.3.1.1": "fills in", "1.3.2.1": "Contact", "3.1.1": "How many outputs"},
    **{"3.1.3.2": "power of the sample", "3.2.1": "How many evaluators", "3.2.2.2": "paid"},
    **{"3.2.3": "recruited", "3.2.4": "practice", "3.3.2": "medium", "3.3.8": "vary"},
    **{"4.1.1": "type of quality", "4.2.3": "extrinsic", "4.3.1.2": "standard set"},
    **{"4.3.6": "no scale", "4.3.7": "word for word", "4.3.9": "aggregated"},
    **{"4.3.10": "significance", "4.3.11.1": "between", "4.3.12.1": "oneself"},
    **{"5.1": "committee", "5.2": "Art. 4", "5.3": "Art. 9", "5.4": "impact"},
}


def test_the_questions_are_those_of_the_published_form() -> None:
    assert " ".join(QUESTIONS) == " ".join(FORM.values())
    # The form itself counts 41 blank fields before a criterion is added.
    assert sum(not number.startswith("4.") for number in QUESTIONS) == 41
    assert {number: len(q.options) for number, q in QUESTIONS.items() if q.options} == OPTIONS
    assert [n for n, q in QUESTIONS.items() if q.several] == [
        *("2.1", "2.2", "2.3", "2.4", "2.5", "3.3.3.1", "3.3.5", "3.3.6")
    ]
    for number, words in ABOUT.items():
        assert words in QUESTIONS[number].asks


def test_options_can_be_written_into_a_file_without_quotes() -> None:
    for asked in QUESTIONS.values():
        assert all("," not in option and ": " not in option for option in asked.options)
        assert len({*asked.options}) == len(asked.options)
        assert all(asked.names_option(option) for option in asked.options)


def test_every_question_of_the_datasheet_has_an_answer_or_is_open(analysis: Analysis) -> None:
    section = datasheet_section(analysis, study(), None, VERSIONS)
    assert section is not None
    tables = [block.table for block in section.blocks if isinstance(block, Shown)]
    rows = [row for table in tables if table.id.startswith("datasheet") for row in table.rows]
    assert all(number and question and answer for number, question, answer in rows)
    assert tuple(number for number, _, _ in rows) == tuple(QUESTIONS)
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
    assert answers["3.2.2.2"] == (
        f"9 € an hour; {OPEN} (one of: paid in money, paid otherwise, not paid, N/A)"
    )
    assert answers["3.2.3"] == "through Prolific"
    assert answers["3.1.2"] == (
        "stratified random: 20 items drawn by a script, seed 5, in strata of topic (proportional)"
    )
    assert answers["3.3.3.1"] == (
        "automatic checks and evaluators excluded: gold trials and exclusion by rule"
    )
    assert answers["3.3.3.2"].startswith("Trials with a known answer are hidden among the others.")
    assert "gold_below: fewer than 70% of the gold trials" in answers["3.3.3.2"]
    assert answers["3.2.5"] == "asked in the survey: age"
    assert answers["5.2"] == (
        "stored: raters' ids of Prolific, the survey's answers and comments; "
        f"{OPEN} (one of: no, yes)"
    )


def test_a_scale_is_told_by_its_size_its_values_and_how_it_is_presented(
    analysis: Analysis,
) -> None:
    answers = answers_of(analysis, study())
    assert answers["4.3.1.1"] == "Fidelity"
    assert answers["4.3.3"] == "2 (ordinal)"
    assert answers["4.3.4"] == "0 no; 1 yes"
    assert answers["4.3.5"] == "multiple choice"
    assert answers["4.3.6"] == NOT_APPLICABLE
    assert answers["4.3.8"] == "direct quality estimation: each output is scored"
    assert answers["4.3.9"].startswith("the mean of a system's ratings, each with the same weight")
    assert answers["4.3.11.1"] == "Krippendorff's alpha"
    assert answers["4.3.12.1"] == answers["4.3.12.2"] == "not assessed"
    slider = {"question": "How good?", "scale": "0-100"}
    answers = answers_of(analysis, study(criteria={"good": slider}))
    assert answers["4.3.3"] == "101 (interval)"
    assert answers["4.3.4"].startswith("0 to 100 in steps of 1; anchors: 0 Worst; 25 Poor")
    assert answers["4.3.5"] == "slider"


def test_a_statement_that_raters_agree_with_is_no_direct_estimation(analysis: Analysis) -> None:
    said = {"question": "The text is fluent.", "scale": "likert"}
    answers = answers_of(analysis, study(criteria={"fluent": said}))
    assert answers["4.3.8"] == "agreement with a statement: each output is scored"
    # What agrees with something else is no statement that a rater agrees with.
    sense = {"question": "Is it logical?", "scale": {0: "No", 1: "They agree with common sense"}}
    answers = answers_of(analysis, study(criteria={"logic": sense}))
    assert answers["4.3.8"].startswith("direct quality estimation: ")
    kinds = {"level": "nominal", "values": {0: "glad", 1: "sad", 2: "neither"}}
    answers = answers_of(analysis, study(criteria={"mood": {"question": "?", "scale": kinds}}))
    assert answers["4.3.8"].startswith("classification or labeling: ")
    assert answers["4.3.9"].startswith("the share of each answer")


def test_outputs_of_several_systems_on_a_screen_are_assessed_in_relative_terms(
    analysis: Analysis,
) -> None:
    assert answers_of(analysis, study())["4.2.2"] == (
        "absolute: each output is scored; a screen shows outputs of one system"
    )
    beside = study(design={"outputs_per_trial": 4})
    assert answers_of(analysis, beside)["4.2.2"] == (
        "relative: each output is scored; a screen shows outputs of several systems"
    )
    scored = {"good": {"question": "Is it good?", "per": "output"}, "preference": {}}
    compared = study(protocol="compare", criteria=scored)
    section = datasheet_section(analysis, compared, None, VERSIONS)
    assert section is not None
    tables = {b.table.title: b.table for b in section.blocks if isinstance(b, Shown)}
    answers = {row[0]: str(row[2]) for row in tables["Datasheet, 4: Criterion good"].rows}
    assert answers["4.2.2"].startswith("relative: each output is scored")
    assert answers["4.3.8"].startswith("direct quality estimation: ")


@pytest.mark.parametrize(
    ("protocol", "criterion", "size", "elicited", "presented"),
    [
        ("compare", {"choices": ["a", "b", "tie"]}, "3", "relative", "multiple choice"),
        ("compare", {"scale": "cmos"}, "7 (ordinal)", "relative", "multiple choice"),
        ("rank", {"answer": "order"}, "N/A", "relative", "N/A: there is no scale"),
        ("rank", {"answer": "best"}, "4", "relative", "multiple choice"),
        ("detect", {}, "2", "classification", "multiple choice"),
        (
            "mark",
            {"field": "output", "categories": {"style": "Clumsy"}},
            "N/A",
            "post-editing or annotation",
            "N/A: there is no scale",
        ),
    ],
)
def test_every_protocol_is_told_in_the_terms_of_the_form(
    analysis: Analysis,
    protocol: str,
    criterion: dict[str, Any],
    size: str,
    elicited: str,
    presented: str,
) -> None:
    real = {"real": ["aurora"]} if protocol == "detect" else {}
    asked = study(protocol=protocol, criteria={"it": {"question": "Which?", **criterion}}, **real)
    answers = answers_of(analysis, asked)
    assert answers["4.3.3"] == size
    assert answers["4.3.5"] == presented
    assert answers["4.3.8"].startswith(elicited)
    # A task is described if, and only if, there is no scale.
    assert (answers["4.3.6"] == NOT_APPLICABLE) == (size != NOT_APPLICABLE)
    assert answers["4.2.2"].startswith("relative" if elicited == "relative" else "absolute")


def test_what_is_chosen_for_an_answer_is_an_option_of_the_form() -> None:
    for form in FORMS.values():
        assert form.elicited in QUESTIONS["4.3.8"].options
        assert form.shown_as in QUESTIONS["4.3.5"].options


def came_in(**said: Any) -> Collected:
    return Collected(version=1, n_answers=40, n_trials=20, n_planned=20, **said)


def test_how_imported_answers_were_given_is_for_the_author(analysis: Analysis) -> None:
    of_tool = ("3.2.4", "3.3.2", "3.3.3.1", "3.3.4.2", "3.3.5", "3.3.6", "4.3.5")
    asked = study(quality={"gold": "gold.csv"})
    answers = answers_of(replace(analysis, collected=came_in(n_imported=40)), asked)
    unknown = f"the answers were imported; how it was is {OPEN}"
    assert all(answers[number].startswith(unknown) for number in of_tool)
    answers = answers_of(replace(analysis, collected=came_in(n_imported=9)), asked)
    assert answers["4.3.5"] == (
        f"multiple choice; how it was for the 9 imported answers is {OPEN} to say"
    )
    answers = answers_of(replace(analysis, collected=came_in()), asked)
    assert "imported" not in "".join(map(str, answers.values()))


def test_questions_on_people_are_not_asked_of_models(analysis: Analysis) -> None:
    facts = replace(analysis.facts, no_people=True)
    answers = answers_of(replace(analysis, facts=facts), study())
    assert answers["3.2.1"].startswith("12, all of them judges, that is models")
    assert answers["3.2.2.2"] == answers["3.2.4"] == "N/A: the evaluators are models"
    assert answers["3.3.2"] == "replies of models to prompts"
    assert answers["4.2.1"] == "subjective: judges' judgment"
    assert answers["4.3.5"] == "other: in the words of a prompt"


def test_raters_who_have_no_name_are_not_none(analysis: Analysis) -> None:
    nameless = replace(analysis, n_raters=0, excluded=())
    assert answers_of(nameless, study())["3.2.1"] == (
        f"the data do not name them; how many there are is {OPEN} to say"
    )


def test_a_rehearsal_says_that_its_answers_are_plans(analysis: Analysis) -> None:
    rehearsed = replace(analysis, collected=came_in(simulated="all"))
    assert answers_of(rehearsed, study())["3.2.1"].startswith("12, all of them simulated")
    section = datasheet_section(rehearsed, study(), None, VERSIONS)
    assert section is not None
    (said,) = [block for block in section.blocks if isinstance(block, Words)]
    assert said.text.endswith("is what the study plans for people.")


def answers_of(analysis: Analysis, asked: Study, fieldwork: Fieldwork | None = None) -> Any:
    section = datasheet_section(analysis, asked, fieldwork, VERSIONS)
    assert section is not None
    tables = [block.table for block in section.blocks if isinstance(block, Shown)]
    return {row[0]: row[-1] for table in tables for row in table.rows}


def test_ties_count_half_only_where_there_may_be_some(analysis: Analysis) -> None:
    forced = {"it": {"question": "Which?", "choices": ["a", "b"]}}
    answers = answers_of(analysis, study(protocol="compare", criteria=forced))
    assert answers["4.3.9"] == "win rates; see Methods"
    tied = {"it": {"question": "Which?", "choices": ["a", "b", "tie"]}}
    answers = answers_of(analysis, study(protocol="compare", criteria=tied))
    assert answers["4.3.9"] == "win rates, in which a tie counts half; see Methods"


def test_effects_and_tests_are_those_of_the_criterion(analysis: Analysis) -> None:
    of_t = Interval(low=0.1, high=0.5, confidence=0.95, method="clustered by item, t(29)")
    gap = Difference(
        estimate=0.3, interval=of_t, p=0.01, system="a", other="b", criterion="fidelity"
    )
    found = Finding(id="difference/x", sentence="(p = 0.010)", result=gap, criterion="fidelity")
    made = replace(analysis, findings=(*analysis.findings, found))
    section = datasheet_section(made, study(criteria=TWO), None, VERSIONS)
    assert section is not None
    tables = {b.table.title: b.table for b in section.blocks if isinstance(b, Shown)}
    asked = {
        name: {row[0]: row[2] for row in tables[f"Datasheet, 4: Criterion {name}"].rows}
        for name in TWO
    }
    assert asked["fidelity"]["4.3.10"] == (
        "Each p is of a two-sided test: of the difference against 0, by the t of the interval."
    )
    assert asked["fidelity"]["4.3.11.1"] == "Krippendorff's alpha"
    assert asked["quality"]["4.3.10"] == "none"
    assert asked["quality"]["4.3.11.1"] == "not assessed"


def test_marks_have_no_scale_but_a_task(analysis: Analysis) -> None:
    marks = {"field": "output", "categories": {"style": "Clumsy"}, "severities": {"minor": 1}}
    answers = answers_of(analysis, study(protocol="mark", criteria={"errors": marks}))
    assert answers["4.3.3"] == answers["4.3.4"] == NOT_APPLICABLE
    assert answers["4.3.6"] == (
        "errors are marked in each output, each with a category (style) and a severity (minor)"
    )


def test_practice_is_a_method_of_quality_assurance_that_is_described(analysis: Analysis) -> None:
    asked = study(quality={"practice": "p.csv"}, session={"break_every": 15})
    answers = answers_of(analysis, asked)
    assert answers["3.3.3.1"] == "other: practice trials"
    assert answers["3.3.3.2"] == "Practice with feedback comes first; 60% right passes it."
    assert answers["3.3.5"].startswith("none of these: raters may stop and come back; ")
    assert answers["3.3.5"].endswith("with a break offered every 15")


def test_what_was_done_elsewhere_for_quality_is_not_denied(analysis: Analysis) -> None:
    answers = answers_of(analysis, study())
    assert answers["3.3.3.1"].startswith(f"{OPEN} (one or more of: native speakers required, ")
    assert answers["3.3.3.2"] == OPEN
    assert answers["3.3.1"] == f"none is stored with the study; {OPEN} (one of: yes, no)"
    assert answers["3.1.3.1"] == "N/A: none is preregistered"


def test_the_datasheet_tells_what_goes_into_systems_from_what_comes_out(
    analysis: Analysis,
) -> None:
    item = Item(id=ItemId("i"), fields={"prompt": "Draw."}, file="items.csv", row=1)
    material = Material(items={ItemId("i"): item}, systems=(), outputs={})
    asked = study(show={"prompt": "text", "output": "text"}, items="items.csv")
    answers = answers_of(analysis, asked, Fieldwork(material=material))
    assert answers["2.1"].startswith(
        f"the study shows prompt (text) beside the outputs; {OPEN} (one or more of: raw or"
    )
    # Which kind of text it is, only the author knows; a picture is visual.
    assert answers["2.2"].startswith(f"the study shows output (text); {OPEN} (one or more of: ")
    asked = study(show={"prompt": "text", "output": "image"}, items="items.csv")
    answers = answers_of(analysis, asked, Fieldwork(material=material))
    assert answers["2.2"] == "visual: the study shows output (image)"
    # The sentences of a series come from the systems, and its pictures from the item.
    prompt = {"as": "images", "between": "sentences"}
    asked = study(show={"prompt": prompt}, items="items.csv")
    answers = answers_of(analysis, asked, Fieldwork(material=material))
    assert answers["2.1"].startswith("the study shows prompt (images) beside the outputs; ")
    assert answers["2.2"].startswith("the study shows sentences (text); ")


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


def test_an_authors_answer_stands_where_the_question_was_open(analysis: Analysis) -> None:
    # 21 of the 62 questions are of a criterion, so two criteria ask 41 + 2 * 21 = 83.
    assert " of 83 answers come from the study and its data; " in section_text(analysis, {})
    authored = {("", "2.4"): "English", ("", "3.1.2"): "arbitrary by hand, from mails of May"}
    answers = answers_of(analysis, study(), answered_by(authored))
    assert answers["2.4"] == "English"
    # What the study knows stays in front.
    assert answers["3.1.2"] == "all items of the study; arbitrary by hand, from mails of May"
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


def test_an_answer_without_an_option_of_the_form_leaves_the_question_open(
    analysis: Analysis,
) -> None:
    given = answered_by({("", "4.1.1"): "it is goodness", ("", "3.2.2.1"): "No: anybody"})
    answers = answers_of(analysis, study(), given)
    assert answers["4.1.1"] == f"it is goodness; {OPEN} (one of: correctness, goodness, feature)"
    assert answers["3.2.2.1"] == "No: anybody"


def test_an_authors_option_replaces_the_one_that_was_presumed(analysis: Analysis) -> None:
    given = answered_by({
        ("", "4.2.1"): "objective, by a word count",
        ("", "3.1.3.1"): "simulated, 80%",
        ("", "3.3.5"): "in one sitting",
        ("", "3.3.6"): "questions before",
        ("", "4.3.8"): "with a slide rule",
    })  # fmt: skip
    answers = answers_of(analysis, study(), given)
    assert answers["4.2.1"] == "objective, by a word count"
    assert answers["3.1.3.1"] == "simulated, 80%"
    assert answers["3.3.5"] == "in one sitting"
    # Of these there may be several, and words without an option are an addition.
    assert answers["3.3.6"] == "other: a field for comments on every trial; questions before"
    assert answers["4.3.8"].endswith("each output is scored; with a slide rule")


def test_a_datasheet_with_every_answer_lists_none(analysis: Analysis) -> None:
    said = {("", number): (*asked.options, "said")[0] for number, asked in QUESTIONS.items()}
    text = section_text(analysis, said)
    assert text.endswith("0 of 83 answers come from the study and its data, 83 from the author.")


def written(folder: Path, text: str) -> Authored:
    (folder / FILE).write_text(text, encoding="utf-8")
    return read_authored(folder / FILE, TWO)


def test_answers_are_read_by_number_and_by_criterion(tmp_path: Path) -> None:
    text = """
    1.1.1: Doe 2026, section 4
    2.4: en     # to YAML, 2.4 is a number
    3.2.2.4: no
    2.1: [text (document), visual]
    fidelity: {4.1.1: correctness, 4.2.3: intrinsic}
    """
    assert written(tmp_path, text) == {
        ("", "1.1.1"): "Doe 2026, section 4",
        ("", "2.4"): "en",
        ("", "3.2.2.4"): "no",
        ("", "2.1"): "text (document) and visual",
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
        ("1.3.1: Roe", "1.3.1 is not a question or a criterion of the datasheet; it has the parts"),
        ("5.1: [a, b]", "yaml:1:6: The answer to 5.1 must be one text."),
        ("5.1: ' '", "yaml:1:6: The answer to 5.1 must be one text."),
        ("2.4: [en, [de]]", "1:6: The answer to 2.4 must be one text, or a list of texts."),
        ("2.4: []", "yaml:1:6: The answer to 2.4 must be one text, or a list of texts."),
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
        written(tmp_path, "9.9: x\n5.1: [en]\n")
    assert len(str(refused.value).splitlines()) == 2


def test_a_folder_in_the_files_place_is_said(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(InputError, match=r"datasheet\.yaml cannot be read: Is a directory"):
        read_authored(tmp_path / FILE, TWO)
