"""What raters said of themselves is counted, of those who count, and free text stays unread."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from jurybox.analysis.finding import Analysis, Excluded, Facts
from jurybox.report import html, markdown
from jurybox.report.fieldwork import Fieldwork
from jurybox.report.fieldwork.survey import survey_in, survey_table
from jurybox.report.versions import package_versions
from jurybox.study import Study
from jurybox.study.material import Material

ASKED: dict[str, Any] = {
    "age": {"question": "How old are you?", "choices": ["18-30", "31+"]},
    "town": {"question": "Where do you live?"},
}
TOLD = {
    "ann": {"age": "31+", "town": "Oslo"},
    "ben": {"age": "18-30", "town": "Rome"},
    "cy": {"age": "31+"},
    "dan": {},
}
NOTHING = Material(items={}, systems=(), outputs={}, known={})


def asked(**parts: Any) -> Study:
    return Study(
        title="Pictures",
        protocol="rate",
        outputs="outputs.csv",
        show={"output": "text"},
        criteria={"fit": {"scale": "acr"}},
        survey=ASKED,
        **parts,
    )


@pytest.fixture
def gone(analysis: Analysis) -> Analysis:
    left = Excluded(rater="cy", rule="gold_below", sentence="cy: 1 of 5", n_responses=3)
    return replace(analysis, excluded=(left,))


def test_choices_are_counted_of_the_raters_who_count(gone: Analysis) -> None:
    table = survey_table(gone, asked(), TOLD)
    assert table is not None
    assert table.rows == (("age", "18-30", 1), ("age", "31+", 1), ("age", "no answer", 1))
    assert survey_table(gone, asked(), {"dan": {}}) is None
    assert survey_table(gone, asked(), {}) is None


def test_the_survey_is_that_of_people_with_an_answer() -> None:
    sent: dict[str, list[Any]] = {
        "rater": ["ann", "ben", "judge", "cy", "dan"],
        "kind": ["main", "gold", "main", "main", "main"],
        "status": ["answered", "answered", "answered", "skipped", "answered"],
        "rater_kind": ["person", "person", "judge", "person", "person"],
        "excluded_by": [None, None, None, None, "withdrawn"],
    }
    raters = [SimpleNamespace(id=name, survey={"age": "31+"}) for name in sent["rater"]]
    assert survey_in(raters, sent) == {"ann": {"age": "31+"}}


def test_the_page_has_the_survey_and_the_groups_beside_the_raters(gone: Analysis) -> None:
    made = replace(gone, facts=Facts(rater_groups=(("crowd", 4), ("expert", 8))))
    fieldwork = Fieldwork(material=NOTHING, survey=TOLD)
    text = markdown(made, study=asked(), fieldwork=fieldwork, versions={})
    assert "Rater groups: crowd (4 raters) and expert (8 raters).\n" in text
    assert "| age | 31+ | 1 |" in text
    assert "asked in the survey: age, town; the answers are counted under Raters" in text
    assert "| How many evaluators are there? | 12, and 1 more who was left out by rule |" in text
    page = html(made, study=asked(), fieldwork=fieldwork, versions={})
    assert "What raters said of themselves" in page
    assert "Oslo" not in page


def test_the_snapshot_has_a_hash_of_the_rules_that_moves_with_a_threshold(
    analysis: Analysis,
) -> None:
    hashes = []
    for share in (0.6, 0.7):
        study = asked(quality={"gold": "gold.csv", "exclude": {"gold_below": share}})
        text = markdown(analysis, study=study, versions={})
        rows = [line for line in text.splitlines() if line.startswith("| Exclusion rules | ")]
        hashes.append(rows[-1])
    assert hashes[0] != hashes[1]


def test_every_package_that_computes_is_named_with_its_version() -> None:
    assert list(package_versions()) == ["Python", "jurybox", "numpy", "scipy", "duckdb"]
