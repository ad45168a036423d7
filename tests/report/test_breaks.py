"""Breaks: what belongs to no answer, and how the report says it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from jurybox.analysis.finding import Analysis
from jurybox.report import markdown
from jurybox.report.fieldwork import Fieldwork
from jurybox.report.fieldwork.breaks import Breaks, breaks_in, say_breaks
from jurybox.study import load_study
from jurybox.study.material import load_material
from jurybox.study.templates import write_template

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def sent(*rows: tuple[str, float, float | None], **other: Any) -> dict[str, list[Any]]:
    """Submissions of raters at a minute, after looking at the trial for so many minutes."""
    usual = {"rater_kind": "person", "round": "main", "excluded_by": None, **other}
    return {
        "rater": [rater for rater, _, _ in rows],
        "at": [START + timedelta(minutes=minute) for _, minute, _ in rows],
        "ms": [None if looked is None else int(60_000 * looked) for _, _, looked in rows],
        **{name: [value] * len(rows) for name, value in usual.items()},
    }


def test_a_break_is_what_belongs_to_no_answer() -> None:
    # ada: 1 to 9 minutes, of which the second trial took 7: 1 minute between. Then 20 − 2 − 9 = 9.
    # ben: in whatever order it is stored, 4 minutes between.
    rows = [("ada", 1, 1), ("ada", 9, 7), ("ada", 20, 2), ("ben", 6, 1), ("ben", 1, 1)]
    found = breaks_in(sent(*rows), "main")
    assert found == Breaks(n_raters=2, n_paused=1, n_breaks=1, longest=timedelta(minutes=9))


@pytest.mark.parametrize(
    "other", [{"rater_kind": "judge"}, {"round": "pilot"}, {"excluded_by": "withdrawn"}]
)
def test_judges_other_rounds_and_who_withdrew_count_nowhere(other: dict[str, Any]) -> None:
    assert breaks_in(sent(("ada", 1, 1), ("ada", 60, 1), **other), "main") is None


def test_without_times_nothing_is_said() -> None:
    assert breaks_in(sent(("ada", 1, None), ("ada", 60, None)), "main") is None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_template("ab-ties", tmp_path / "study")
    return tmp_path / "study"


def test_the_section_on_raters_says_who_paused(analysis: Analysis, folder: Path) -> None:
    study = load_study(folder)
    none = Breaks(n_raters=3, n_paused=0, n_breaks=0, longest=timedelta())
    offered = "A break was offered every 15 minutes."
    nobody = "Nobody paused for 5 minutes or more between two answers."
    assert say_breaks(none, study) == f"{offered} {nobody}"
    free = study.model_copy(
        update={"session": study.session.model_copy(update={"break_every": None})}
    )
    assert say_breaks(none, free) == nobody
    breaks = Breaks(n_raters=12, n_paused=2, n_breaks=3, longest=timedelta(hours=14))
    fieldwork = Fieldwork(material=load_material(study), breaks=breaks)
    text = markdown(analysis, study=study, fieldwork=fieldwork, versions={"jurybox": "0.1.0"})
    section = text.partition("## Raters\n")[2].partition("\n## ")[0]
    assert (
        "2 of 12 raters paused for 5 minutes or more between two answers, 3 times in all, the "
        "longest for 14 hours." in section
    )
