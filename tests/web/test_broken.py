"""A file that cannot be shown: the rater is told, can try again, and rates nothing unseen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.web.walking import begin, wait_for_stage

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from tests.web.conftest import OpenPage, Studio

FAILED = ("Failed to load resource", "net::ERR")
PHONE = {"width": 390, "height": 844}
PLAYED = "() => document.querySelector('jb-trial').media.players[0].set.position > 0"
FOCUSED = "text => document.activeElement.textContent === text"


@contextmanager
def without_media(page: Page) -> Iterator[None]:
    """No file of a trial can be fetched meanwhile."""
    pattern = "**/media/*"

    def fail(route: Route) -> None:
        route.abort()

    page.route(pattern, fail)
    yield
    page.unroute(pattern, fail)


def problem(*names: str) -> str:
    listed = ", ".join(names)
    return f"Could not be loaded: {listed}. Try again, or skip this trial as broken content."


def test_a_broken_picture_is_named_and_the_trial_can_only_be_skipped(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("broken")
    page = open_page(expect=FAILED)
    begin(page, url)
    page.wait_for_selector(".broken")
    assert "cannot be shown" in page.inner_text(".broken")
    page.keyboard.press("w")
    assert not page.query_selector(".overlay")
    page.keyboard.press("Digit1")
    page.keyboard.press("Enter")
    (name,) = page.eval_on_selector_all(
        ".tile:has(.broken)", "all => all.map((one) => one.ariaLabel)"
    )
    assert page.inner_text(".problem") == problem(name)
    assert page.evaluate(FOCUSED, "Try again")
    page.evaluate("() => { window.first = document.querySelector('.broken'); }")
    page.keyboard.press("Enter")
    page.wait_for_function("() => !window.first.isConnected && document.querySelector('.broken')")
    page.wait_for_function(FOCUSED, arg="Try again")
    assert page.inner_text(".problem") == problem(name)
    page.click("[data-skip-broken]")
    assert page.is_checked("#dialog-skip [value=broken]")
    page.click("#dialog-skip .primary")
    wait_for_stage(page, "end", "full")
    (sent,) = served.store.submissions()
    assert (sent.submission.status, sent.submission.reason) == ("skipped", "broken")


def test_on_a_phone_submit_opens_the_picture_that_is_missing(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("pair")
    page = open_page(expect=FAILED, viewport=PHONE)
    with without_media(page):
        begin(page, url)
        page.wait_for_function("() => document.querySelectorAll('.broken').length === 3")
        page.click(".option:nth-child(2)")
        page.click("[data-submit]")
        assert page.is_visible("[data-role=reference] .broken")  # the first of the three
        assert page.evaluate(FOCUSED, "Try again")
        assert "Output A" in page.inner_text(".problem")
    for left in (2, 1, 0):
        page.click(".broken >> visible=true >> button >> nth=0")
        page.wait_for_function(
            "left => document.querySelectorAll('.broken').length === left", arg=left
        )
        page.wait_for_selector(".tile.shown img")
        if left:
            page.click("[data-submit]")
    page.click("[data-tab='1']")
    page.click("[data-tab='2']")
    page.wait_for_selector(".problem", state="hidden")
    page.click("[data-submit]")
    wait_for_stage(page, "end")
    (sent,) = served.store.submissions()
    assert sent.submission.status == "answered"
    timing = sent.submission.timing
    assert timing["first"] < timing["ready"] < timing["submit"]  # ready when the last one was


@pytest.mark.parametrize("study", ["sounds", "films"])
def test_one_more_try_brings_recordings_and_films(
    study: str, studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve(study)
    page = open_page(expect=FAILED)
    with without_media(page):
        begin(page, url)
        page.wait_for_selector(".broken")
        page.keyboard.press("Digit1")
        page.keyboard.press("Enter")
        assert "Output A" in page.inner_text(".problem")
    count = page.locator(".broken").count()
    page.keyboard.press("Enter")  # on Try again
    page.wait_for_function(
        "count => document.querySelectorAll('.listen').length === count", arg=count
    )
    assert not page.query_selector(".broken")
    assert page.locator(".player").count() == 1
    page.wait_for_selector(".problem", state="hidden")
    page.wait_for_function("() => document.activeElement.matches('[data-submit]')")
    page.keyboard.press("a")
    page.wait_for_function(PLAYED)
    page.keyboard.press("Control+Enter")
    wait_for_stage(page, "end")
    assert served.store.submissions()[0].submission.status == "answered"


def test_a_recording_that_works_is_heard_beside_one_that_does_not(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("broken-sound")
    page = open_page(expect=FAILED)
    begin(page, url)
    page.wait_for_selector(".broken")
    for _ in range(2):  # another try leaves one player with the same two recordings
        assert page.locator(".player").count() == 1
        assert page.locator(".listen").count() == 2
        page.evaluate("() => { window.first = document.querySelector('.broken'); }")
        page.click(".broken button")
        page.wait_for_function(
            "() => !window.first.isConnected && document.querySelector('.broken, .listen')"
        )
        page.wait_for_selector(".broken")
    page.keyboard.press("x")
    page.wait_for_function(PLAYED)
    assert page.evaluate("() => document.querySelector('jb-trial').media.players.length") == 1


def test_what_cannot_be_heard_has_no_slider(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("mushra")
    page = open_page(expect=FAILED, viewport=PHONE)
    with without_media(page):
        begin(page, url)
        page.wait_for_selector(".row .broken")
        assert not page.is_visible(".row .slider")
        wide = page.locator(".row .broken").first.bounding_box()
        assert wide is not None
        assert wide["width"] > 300
    page.click(".row .broken button")
    page.wait_for_selector(".row .listen")
    assert page.is_visible(".row .slider >> nth=0")


def test_practice_goes_on_without_a_picture(studio: Studio, open_page: OpenPage) -> None:
    """A practice trial cannot be skipped, so that it must not wait for what does not come."""
    _, url = studio.serve("rate")
    page = open_page(expect=FAILED)
    with without_media(page):
        assert begin(page, url) == "practice"
        page.wait_for_selector(".broken")
        assert page.is_visible(".broken button")
        assert not page.is_visible("[data-skip-broken]")
        page.keyboard.press("Digit0")
        page.keyboard.press("Digit0")
        page.locator("[data-kind=slider] input").press("ArrowRight")
        page.click("[data-submit]")
        page.wait_for_selector(".feedback")
