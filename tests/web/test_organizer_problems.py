"""What raters reported: looked at, handled with a note, and opened again."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jurybox.design.plan import TrialId
from jurybox.study.model import RaterId
from tests.web.office import START, Office, Offices
from tests.web.organizer_states import open_part

if TYPE_CHECKING:
    from tests.web.conftest import OpenPage, Studio

GRACE = {"by": "Grace", "note": "Picture replaced"}


def trial_of(office: Office, kind: str = "main") -> TrialId:
    """A trial of the main round."""
    plan = office.store.load_plan()
    assert plan is not None
    return next(one.id for one in plan.trials if one.kind == kind)


def report(office: Office, trial: TrialId, *said: str) -> list[int]:
    """Let a rater report problems of a trial."""
    rater = RaterId("rater-01")
    return [
        office.store.event("problem", rater=rater, trial=trial, detail={"words": one}, now=START)
        for one in said
    ]


def handle(office: Office, problem: int, **more: Any) -> Any:
    return office.post("problems", problem=problem, action="handle", **GRACE | more)


def reopen(office: Office, problem: int, **more: Any) -> Any:
    return office.post("problems", problem=problem, action="reopen", **GRACE | more)


def test_a_handled_problem_leaves_the_list_and_stays_on_its_trial(
    tmp_path: Path, database_url: str
) -> None:
    with ExitStack() as stack:
        office = Offices(tmp_path, stack).open("panel", filled=True, database=database_url)
        trial = trial_of(office)
        first, second = report(office, trial, "It is black.", "A typo.")
        assert "2 problems to look at" in office.text("progress")
        assert handle(office, first).json() == {"said": "problem handled"}
        assert "1 problem to look at" in office.text("progress")
        listed = office.text("trials?state=problem")
        assert f"{trial} 1 problem " in listed
        assert ("A typo." in listed, "It is black." in listed) == (True, False)
        assert "It is black. → Picture replaced" in office.text("trials?state=handled")
        page = office.text(f"trials/{trial}")
        assert page.index("A typo.") < page.index("It is black.")  # what is open comes first
        assert "handled Picture replaced" in page
        assert "Grace" in page
        assert "handled Picture replaced" in office.text("raters?rater=rater-01")
        assert "1 problem " in office.text("raters?state=look")

        assert handle(office, second).status_code == 200
        assert "to look at" not in office.text("progress").split("Answers by the hour")[0]
        assert "No trial fits." in office.text("trials?state=problem")
        assert "1 problem" not in office.text("raters")

        assert reopen(office, first, note="Black again").status_code == 200
        page = office.text(f"trials/{trial}")
        assert page.index("It is black.") < page.index("handled Picture replaced")
        assert "opened again Black again" in page
        assert "1 problem to look at" in office.text("progress")


def test_several_reports_of_one_thing_are_handled_together_and_no_later_one_with_them(
    offices: Offices,
) -> None:
    office = offices.open("panel", filled=True)
    trial, other = trial_of(office), trial_of(office, "gold")
    report(office, other, "Something else.")
    *before, seen, later = report(office, trial, "Black.", "Is black.", "All black.", "And loud.")
    assert "Also the 2 open ones reported before it" in office.text(f"trials/{trial}")
    assert handle(office, seen, earlier=True).status_code == 200
    done = office.store.events("problem handled")
    assert [event.detail["problem"] for event in done] == [*before, seen]
    assert "2 problems to look at" in office.text("progress")
    assert handle(office, later).status_code == 200


def test_problems_of_practice_and_calibration_are_found_where_they_are_counted(
    offices: Offices,
) -> None:
    office = offices.open("panel", filled=True)
    calibration = office.served.app.state.site.calibration.trials[-1].id
    (problem,) = report(office, calibration, "Cut off.")
    listed = office.text("trials?state=problem")
    assert f"{calibration} 1 problem" in listed
    assert "calibration round" in listed
    assert handle(office, problem).status_code == 200
    trained = offices.open("rate")
    practice = trial_of(trained, "practice")
    report(trained, practice, "Wrong answer.")
    assert f"{practice} 1 problem" in trained.text("trials?state=problem")
    assert practice not in trained.text("trials")
    assert trained.get(f"trials/{practice}").status_code == 200


def test_what_a_colleague_has_handled_already_is_said_and_not_recorded_twice(
    offices: Offices,
) -> None:
    office = offices.open("panel", filled=True)
    (problem,) = report(office, trial_of(office), "Black.")
    assert reopen(office, problem).status_code == 400
    assert handle(office, problem).status_code == 200
    again = handle(office, problem)
    assert (again.status_code, "handled already; look at" in again.text) == (400, True)
    assert reopen(office, problem).status_code == 200
    assert "open already" in reopen(office, problem).text
    assert handle(office, 999).status_code == 404
    kinds = [event.kind for event in office.store.events() if "problem " in event.kind]
    assert kinds == ["problem handled", "problem opened again"]


@pytest.mark.parametrize("missing", ["by", "note"])
def test_a_name_and_a_note_are_needed(offices: Offices, missing: str) -> None:
    office = offices.open("panel", filled=True)
    (problem,) = report(office, trial_of(office), "Black.")
    refused = handle(office, problem, **{missing: "  "})
    assert refused.status_code == 400
    assert "Give your name and a note" in refused.text
    assert not office.store.events("problem handled")


def test_what_was_done_is_exported_with_what_was_reported(offices: Offices) -> None:
    office = offices.open("panel", filled=True)
    trial = trial_of(office)
    (problem,) = report(office, trial, "Black.")
    handle(office, problem)
    archive = zipfile.ZipFile(io.BytesIO(office.get("export.zip").content))
    rows = list(csv.DictReader(io.StringIO(archive.read("events.csv").decode())))
    told = [row for row in rows if row["kind"].startswith("problem")]
    assert [(row["kind"], row["trial"]) for row in told] == [
        ("problem", trial),
        ("problem handled", trial),
    ]
    assert told[0]["id"] == str(problem)
    assert json.loads(told[1]["detail"]) == {"problem": problem, **GRACE}


def test_a_note_stays_with_its_problem_while_others_are_reported(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("panel")
    office = Office(served, None, None)  # type: ignore[arg-type]  # its store alone is asked
    trial = trial_of(office)
    served.store.enroll(RaterId("rater-01"), now=START)
    first, second = report(office, trial, "Black.", "Blue.")
    page = open_page()
    open_part(page, url, f"trials/{trial}")
    page.click(f"#handle-{first} summary")
    page.fill(f"#note-{first}", "Brightened")
    page.fill(f"#by-problem-{first}", "Grace")
    (third,) = report(office, trial, "Red.")
    page.wait_for_selector(f"#problem-{third}")  # the page was made fresh meanwhile
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#problem-{first} .badge:text-is('handled')")
    (done,) = served.store.events("problem handled")
    assert done.detail == {"problem": first, "by": "Grace", "note": "Brightened"}
    for open_one in (second, third):
        page.wait_for_selector(f"#handle-{open_one}")
    assert page.locator(".entries > li").last.get_attribute("id") == f"problem-{first}"
