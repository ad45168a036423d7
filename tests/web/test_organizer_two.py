"""Two organizers at once: what one does never moves what the other is about to press."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jurybox.study.model import RaterId
from tests.web.organizer_states import open_part
from tests.web.serving import now
from tests.web.test_organizer_page import quicken

if TYPE_CHECKING:
    from tests.web.conftest import OpenPage, Studio


def focused(label: str) -> str:
    return f"() => document.activeElement.ariaLabel === '{label}'"


def test_a_button_stays_with_the_rater_it_is_about(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("graded")
    mine, theirs = open_page(), open_page()
    for page, name in ((mine, "Ada"), (theirs, "Grace")):
        quicken(page)
        open_part(page, url, "invitations")
        page.fill("textarea", name)
        page.click("button:text-is('Make links')")
        page.wait_for_selector(f"button[aria-label='Revoke the link of {name}']")
        if page is mine:
            page.focus("button[aria-label='Revoke the link of Ada']")
    mine.wait_for_selector("tr:first-child button[aria-label='Revoke the link of Grace']")
    assert mine.evaluate(focused("Revoke the link of Ada"))
    assert "id=Ada" in mine.inner_text("#fresh code")  # what was made is in sight until one goes on
    mine.keyboard.press("Enter")
    mine.wait_for_selector("#fresh", state="detached")
    theirs.wait_for_selector("button[aria-label='Make the link of Ada good again']")
    assert theirs.is_visible("button[aria-label='Revoke the link of Grace']")


def test_a_reason_is_never_given_to_another_rule(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("panel")
    rater = RaterId("Ada")
    served.store.enroll(rater, now=now())
    for rule in ("gold_below", "organizer"):
        served.store.mark_excluded(rater, rule, "Asleep (Grace)", now=now())
    page = open_page()
    quicken(page)
    open_part(page, url, "raters?rater=Ada")
    page.click("#undo-gold_below summary")
    page.fill("#why-undo-gold_below", "It was another rater")
    served.store.unmark_excluded(rater, "gold_below", now=now())  # a colleague is faster
    page.wait_for_selector("#undo-gold_below", state="detached")
    assert page.locator("#undo-organizer").get_attribute("open") is None
    assert page.input_value("#why-undo-organizer") == ""
    assert [mark.rule for mark in served.store.exclusions()] == ["organizer"]


def test_a_wrong_link_says_so_and_the_right_one_opens_the_same_tab(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("graded")
    page = open_page(expect=("status of 401",))
    page.goto(f"{url}/organizer#token=of-another-study")
    page.wait_for_selector("h1:text-is('This page cannot be shown')")
    assert page.inner_text("#notice") == (
        "This needs the organizer's link that 'jurybox serve' printed."
    )
    open_part(page, url, "progress")
    assert page.is_hidden("#notice")
