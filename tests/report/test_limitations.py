"""What the study cannot carry, and the datasheet: both said from the study's own numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from jurybox.analysis import analyze
from jurybox.analysis.finding import Analysis, Collected, Column, Finding, Table
from jurybox.report.blocks import Points, Shown, Words
from jurybox.report.datasheet import OPEN, datasheet_section
from jurybox.report.fieldwork import Fieldwork
from jurybox.report.limitations import limitations_section
from jurybox.report.markdown import write_page
from jurybox.report.page import make_page
from jurybox.results import Result
from jurybox.stats.agreement.patterns import Agreement
from jurybox.study import Study
from jurybox.study.material import Item, Material
from jurybox.study.model import ItemId
from tests.report.conftest import interval

VERSIONS = {"jurybox": "0.1.0"}


def study(**parts: Any) -> Study:
    given: dict[str, Any] = {
        "title": "Pictures",
        "protocol": "rate",
        "outputs": "outputs.csv",
        "show": {"output": "text"},
        "criteria": {"fidelity": {"question": "Is it right?", "scale": {0: "no", 1: "yes"}}},
        **parts,
    }
    return Study(**given)


def said(analysis: Analysis, asked: Study | None = None) -> str:
    (points,) = limitations_section(analysis, asked).blocks
    assert isinstance(points, Points)
    return "\n".join(points.items)


def test_sizes_are_those_of_the_data(analysis: Analysis) -> None:
    assert "12 raters and 30 items." in said(analysis)
    assert "fewer than" not in said(analysis)
    few = said(replace(analysis, n_raters=4, n_items=8))
    assert "fewer than 10 raters" in few
    assert "fewer than 30 items" in few
    one = said(replace(analysis, n_raters=1, n_items=1))
    assert "1 rater and 1 item. How far other raters would differ is not known. How far" in one
    assert "fewer than" not in one


@pytest.mark.parametrize("rule", ["attention_failed", "gold_below", "practice_failed"])
def test_checks_of_a_table_are_checks(analysis: Analysis, rule: str) -> None:
    table = replace(analysis, collected=None)
    assert "whether raters were attentive" in said(table)
    out = tuple(replace(each, rule=rule) for each in table.excluded)
    assert "attentive" not in said(replace(table, excluded=out))


def test_nothing_is_claimed_of_a_study_without_responses(analysis: Analysis) -> None:
    empty = replace(analysis, n_responses=0, findings=(), tables=(), excluded=())
    assert said(empty) == "There is no response, so that everything is open."


@pytest.mark.parametrize(
    ("access", "words"),
    [
        ({}, "anybody with the link could rate"),
        ({"prolific": {"completed": "C"}}, "raters came from Prolific"),
        ({"mturk": True}, "raters came from Mechanical Turk"),
        ({"invited": True}, "raters were invited or listed"),
    ],
)
def test_the_pool_is_named(analysis: Analysis, access: dict[str, Any], words: str) -> None:
    assert words in said(analysis, study(access=access))
    assert "nothing is stored of how the raters were found" in said(analysis)


def test_what_is_missing_is_told_by_system_with_its_bounds(analysis: Analysis) -> None:
    found = tuple(
        Finding(id=id, sentence=sentence, result=Result(estimate=0.1, undefined="x"))
        for id, sentence in (("skips/a/b", "a was skipped more."), ("bounds/f/a/b", "From 1 to 2."))
    )
    text = said(replace(analysis, findings=(*analysis.findings, *found)))
    assert "Missing answers: a was skipped more." in text
    assert "Missing answers: From 1 to 2." in text


def test_missing_trials_are_counted(analysis: Analysis) -> None:
    given = Collected(version=1, n_answers=5, n_trials=117, n_planned=120)
    assert "3 planned trials were never answered" in said(replace(analysis, collected=given))
    whole = replace(given, n_trials=120)
    assert "none was skipped" in said(replace(analysis, collected=whole))


def test_low_agreement_is_named_with_its_number(analysis: Analysis) -> None:
    low = Finding(
        id="agreement/fidelity",
        sentence="Raters agree.",
        result=Agreement(
            estimate=0.41, interval=interval(0.3, 0.5), level="ordinal", statistic="alpha"
        ),
        standing="quality",
        criterion="fidelity",
    )
    assert "agree little on fidelity (α 0.410)" in said(replace(analysis, findings=(low,)))
    none = replace(low, result=replace(low.result, estimate=0.0))
    assert "agree little on fidelity (α 0.000)" in said(replace(analysis, findings=(none,)))
    high = replace(low, result=replace(low.result, estimate=0.9))
    assert "agree little" not in said(replace(analysis, findings=(high,)))


def test_uneven_counts_are_named(analysis: Analysis) -> None:
    table = Table(
        id="mean_scores/fidelity",
        title="Means",
        columns=(
            Column(name="system", heading="System"),
            Column(name="responses", heading="Ratings", kind="count"),
        ),
        rows=(("a", 100), ("b", 60)),
    )
    text = said(replace(analysis, tables=(table,)))
    assert "between 60 and 100 ratings" in text
    even = replace(table, rows=(("a", 100), ("b", 96)))
    assert "Imbalance" not in said(replace(analysis, tables=(even,)))


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
    assert dict((n, a) for n, _, a in rows)["3.2.1"] == "12"


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


def test_comparisons_that_only_a_table_has_are_counted(analysis: Analysis) -> None:
    names = ("system", "other", "difference")
    table = Table(
        id="differences/errors",
        title="Differences",
        columns=tuple(Column(name=name, heading=name) for name in names),
        rows=(("a", "b", 1.0), ("a", "c", 2.0), ("b", "c", None)),
    )
    text = said(replace(analysis, findings=(), tables=(table,)))
    assert "Many questions: 2 comparisons of systems were made; the methods say which" in text


def test_comparisons_with_real_outputs_are_counted() -> None:
    truth = {"photo": "real", "a": "generated", "b": "generated"}
    rows = [
        (f"{s}{i}", s, f"r{r}", truth[s], "real" if (i * r + len(s)) % 3 else "generated")
        for i in range(12)
        for s in truth
        for r in range(4)
    ]
    names = ("item", "system", "rater", "truth", "answer")
    found = analyze({name: [row[k] for row in rows] for k, name in enumerate(names)})
    assert "Many questions: 2 comparisons of systems" in said(found)
    text = write_page(make_page(found, versions={}))
    assert "144 detections on 36 items from 3 systems (a, b and photo) were analyzed, 48 of" in text
    assert "48 of them (33%) of real outputs." in text


def test_a_table_without_a_study_has_no_datasheet(analysis: Analysis) -> None:
    assert datasheet_section(analysis, None, None, VERSIONS) is None


def test_judges_alone_are_not_called_people() -> None:
    rows = [
        (i, s, j, (i * (1 + (s == "x")) + (j == "a")) % 4, "judge")
        for i in range(6)
        for s in "xy"
        for j in "ab"
    ]
    names = ("item", "system", "rater", "score", "rater_kind")
    page = make_page(
        analyze({name: [row[k] for row in rows] for k, name in enumerate(names)}), versions={}
    )
    assert "2 judges" in page.counts
    assert (
        page.cannot[0] == "All answers are judges': nothing here is known of what people would say."
    )
    text = write_page(page)
    assert "2 judges scored outputs" in text
    assert "- Raters: all are judges, so that nothing holds for people." in text
    assert "one person" not in text
    assert "these raters" not in text
    assert not re.search(r"\d raters?\b", text)
    assert "## Judges\n" in text
    tables = text[text.index("## Judges") : text.index("## Limitations")]
    assert "rater" not in tables.lower()
    for said in (
        "for these judges alone",
        "24 ratings, 2 judges, 6 items",
        "two judges agree in",
        "they hold for judges and items like these",
        "2 judges: intervals are honest but wide; more judges would narrow them",
    ):
        assert said in text, said


def test_a_system_called_raters_keeps_its_name_among_judges() -> None:
    rows = [
        (i, s, j, i % 3 + (s == "raters"), "judge")
        for i in range(6)
        for s in ("raters", "rater b")
        for j in "ab"
    ]
    names = ("item", "system", "rater", "score", "rater_kind")
    found = analyze({name: [row[k] for row in rows] for k, name in enumerate(names)})
    text = write_page(make_page(found, versions={}))
    assert "judge b" not in text
    assert found.headline is not None
    assert found.headline.sentence.startswith("Whether raters and rater b differ")
