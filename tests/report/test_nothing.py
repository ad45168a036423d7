"""A page for a study none of whose answers counts, which says why."""

from __future__ import annotations

from typing import Any

import pytest

from jurybox.analysis.finding import Excluded
from jurybox.cli.app import run as jurybox
from jurybox.cli.offers import make_offers
from jurybox.report.fieldwork.nothing import is_answered, why_nothing
from jurybox.simulate.run import run
from tests.simulate.conftest import NOW, Prepare, prepare

__all__ = ["prepare"]

NAMES = ("rater", "rater_kind", "kind", "round", "status", "reason")


def sent(*rows: tuple[Any, ...]) -> dict[str, list[Any]]:
    return {name: [row[k] for row in rows] for k, name in enumerate(NAMES)}


def test_practice_and_calibration_answer_nothing() -> None:
    practiced = ("r1", "person", "practice", "main", "answered", None)
    calibrated = ("r1", "person", "main", "calibration", "answered", None)
    assert not is_answered(sent(practiced, calibrated))
    assert why_nothing(sent(practiced, calibrated)) is None
    assert is_answered(sent(practiced, ("r1", "person", "main", "main", "answered", None)))


def test_what_was_skipped_is_counted_with_its_reasons() -> None:
    skips = [(f"r{k % 2}", "person", "main", "main", "skipped", "broken") for k in range(4)]
    unread = ("j1", "judge", "main", "main", "unusable", "no number")
    assert why_nothing(sent(*skips, unread)) == (
        "2 raters opened trials, and all 4 were skipped (broken: 4)."
    )
    assert why_nothing(sent(unread)) == (
        "1 judge opened trials, and all 1 were skipped, late or unusable (no number: 1)."
    )


def test_who_is_left_out_is_counted_with_the_rules() -> None:
    out = [
        Excluded(rater=f"r{k}", rule="faster_than", sentence="fast", n_responses=9)
        for k in range(3)
    ]
    assert why_nothing(sent(), out) == (
        "Nobody is left to speak for the study: all 3 raters are left out by rule (faster_than)."
    )


def test_a_study_whose_raters_are_all_left_out_has_a_page_that_says_so(
    prepare: Prepare, capsys: pytest.CaptureFixture[str]
) -> None:
    ready = prepare("rate", quality={"exclude": {"faster_than": 900}})
    run(ready.study, ready.material, ready.plan, ready.store, ready.truth(), seed=1, now=NOW)
    ready.store.close()
    folder = ready.study.directory
    assert folder is not None
    assert jurybox(["report", str(folder), "--format", "md"]) == 0
    said = "raters are left out by rule (faster_than). So nothing can be said."
    assert said in capsys.readouterr().out
    page = (folder / "report" / "report.md").read_text()
    assert "**Raters left out**" in page
    assert "the rule asks for 900 s" in page
    assert "No response counts; the page shows what was planned." in page


def test_the_organizer_s_report_says_so_too(prepare: Prepare) -> None:
    ready = prepare("rate", quality={"exclude": {"faster_than": 900}})
    run(ready.study, ready.material, ready.plan, ready.store, ready.truth(), seed=1, now=NOW)
    report = make_offers(ready.study, ready.material, ready.store).report
    assert report is not None
    names = {str(system): f"System {n}" for n, system in enumerate(ready.material.systems)}
    page = report(names)
    assert "are left out by rule (faster_than)" in page
    assert "Raters left out" in page
    assert "System 1" in page
