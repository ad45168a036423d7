"""A rater with an open page while the organizer pauses them, or takes their link back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jurybox.study.model import RaterId
from tests.web.organizer_states import open_part
from tests.web.walking import begin, go_on, shown_trial, stage, submit, wait_for_stage, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage, Studio
    from tests.web.serving import Served

ADA = RaterId("Ada")


def answer(page: Page) -> None:
    submit(page, "Digit3", "Digit4")


def is_paused(served: Served) -> bool:
    found = served.store.rater(ADA)
    return found is not None and found.paused


def count_sent(served: Served) -> int:
    """How many answers of the rater are stored; none of them late, and none twice."""
    sent = served.store.submissions(rater=ADA)
    assert {one.status for one in sent} <= {"answered"}
    return len(sent)


def test_a_paused_rater_keeps_every_answer_and_goes_on_where_they_were(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("panel")
    rater, organizer = open_page(), open_page()
    begin(rater, url, ADA)
    answer(rater)
    rater.keyboard.press("Digit2")  # half an answer on the screen
    open_part(organizer, url, "raters?rater=Ada")
    organizer.click("button:text-is('Pause')")
    organizer.wait_for_selector(".badge:text-is('paused')")
    organizer.wait_for_selector("text=Rater paused")
    rater.keyboard.press("Digit4")
    rater.keyboard.press("Enter")
    wait_for_stage(rater, "paused")
    wait_until(rater, lambda: count_sent(served) == 2)  # what was on the screen counts
    assert "Your answers are kept" in rater.inner_text("main")
    rater.reload()
    wait_for_stage(rater, "paused")
    with rater.expect_response("**/api/next*"):
        rater.keyboard.press("Enter")  # too early: nothing changes
    assert stage(rater) == "paused"
    organizer.click("button:text-is('Let them go on')")
    organizer.wait_for_selector("button:text-is('Pause')")
    rater.click("main button:has-text('Try again')")
    rater.wait_for_selector("jb-trial.ready .question.now")
    assert shown_trial(rater).startswith("Trial 3 of")
    while stage(rater) == "trial":
        answer(rater)
    wait_for_stage(rater, "calibrated")
    wait_until(rater, lambda: count_sent(served) == 6)  # 2 items of 3 systems, each once
    done = [event.kind for event in served.store.events(rater=ADA)]
    assert done == ["rater paused", "rater resumed"]


def test_a_link_that_is_taken_back_closes_the_door_and_keeps_the_answers(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("panel")
    organizer = open_page()
    open_part(organizer, url, "invitations")
    organizer.fill("textarea", ADA)
    organizer.click("button:text-is('Make links')")
    link = organizer.inner_text("#fresh td code")
    rater = open_page(expect=("status of 403",))
    rater.goto(link)
    wait_for_stage(rater, "welcome")
    while stage(rater) != "trial":
        go_on(rater)
    rater.wait_for_selector("jb-trial.ready .question.now")
    organizer.click("button[aria-label='Revoke the link of Ada']")
    organizer.wait_for_selector(".badge:text-is('revoked')")
    assert is_paused(served)
    answer(rater)
    wait_for_stage(rater, "paused")
    wait_until(rater, lambda: count_sent(served) == 1)
    elsewhere = open_page(expect=("status of 403",))
    elsewhere.goto(link)
    wait_for_stage(elsewhere, "welcome")
    elsewhere.click("main button[type=submit]")
    elsewhere.wait_for_selector("text=This invitation was taken back")
    organizer.click("button[aria-label='Make the link of Ada good again']")
    organizer.wait_for_selector("button[aria-label='Revoke the link of Ada']")
    assert not is_paused(served)
    elsewhere.click("main button[type=submit]")
    elsewhere.wait_for_selector("jb-trial.ready .question.now")
    assert shown_trial(elsewhere).startswith("Trial 2 of")
    assert count_sent(served) == 1
