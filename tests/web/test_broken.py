"""A file that is not there or cannot be shown: the rater is told and rates nothing unseen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.web.settling import Held
from tests.web.walking import arrive, begin, wait_for_stage, wait_until

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


LOADING = "Still loading: {}. You can go on once everything is there."
LONG = 10_000  # ms


def begin_waiting(page: Page, url: str) -> Held:
    """Go to the first trial, whose files stay on their way."""
    page.clock.install()
    held = Held(page, "**/media/*")
    arrive(page, url)
    return held


def test_submit_names_what_is_still_loading_and_goes_on_when_it_is_there(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("pair")
    page = open_page(viewport=PHONE)
    held = begin_waiting(page, url)
    page.click(".option:nth-child(2)")
    page.click("[data-submit]")
    assert page.inner_text(".problem") == LOADING.format("Original, Output A, Output B")
    assert page.is_visible("[data-role=reference] .picture")  # the first of the three
    assert page.evaluate("() => document.activeElement.matches('[data-role=reference] .picture')")
    held.let_go()
    page.wait_for_selector("jb-trial.ready")
    assert page.inner_text(".problem") == "Please look at B first."  # A was shown before
    for tab in ("1", "2"):
        page.click(f"[data-tab='{tab}']")
    page.wait_for_selector(".problem", state="hidden")
    page.click("[data-submit]")
    wait_for_stage(page, "end")
    assert served.store.submissions()[0].submission.status == "answered"


def test_whoever_waits_at_a_picture_is_led_back_to_submit(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("pair")
    page = open_page()
    held = begin_waiting(page, url)
    page.keyboard.press("Digit1")
    page.keyboard.press("Enter")
    page.wait_for_selector(".problem:not([hidden])")
    held.let_go()
    page.wait_for_function("() => document.activeElement.matches('[data-submit]')")
    assert not page.is_visible(".problem")
    page.keyboard.press("Enter")
    wait_for_stage(page, "end")
    assert served.store.submissions()[0].submission.status == "answered"


@pytest.mark.parametrize("study", ["pair", "sounds", "films"])
def test_what_takes_long_can_be_tried_again_and_still_come(
    study: str, studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve(study)
    page = open_page(expect=FAILED)
    held = begin_waiting(page, url)
    page.keyboard.press("Digit1")
    page.clock.fast_forward(LONG)
    page.wait_for_selector(".late >> nth=1")
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED, "Try again")
    asked = len(held.routes)
    page.keyboard.press("Enter")
    wait_until(page, lambda: len(held.routes) > asked)  # it was asked for again
    page.wait_for_selector(".loading")
    held.let_go()
    page.wait_for_selector("jb-trial.ready")
    page.wait_for_selector(".late", state="detached")
    page.wait_for_selector(".problem", state="hidden")
    assert page.locator(".player").count() == (study != "pair")
    page.keyboard.press("Control+Enter")
    wait_for_stage(page, "end")
    assert served.store.submissions()[0].submission.status == "answered"


def test_what_takes_long_can_be_skipped(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("best")
    page = open_page()
    begin_waiting(page, url)
    page.clock.fast_forward(LONG)
    page.click(".late [data-skip-broken] >> nth=0")
    assert page.is_checked("#dialog-skip [value=broken]")
    page.click("#dialog-skip .primary")
    wait_for_stage(page, "end")
    (sent,) = served.store.submissions()
    assert (sent.submission.status, sent.submission.reason) == ("skipped", "broken")


def test_only_the_recording_that_is_not_there_is_named(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("sounds")
    page = open_page()
    held = begin_waiting(page, url)
    wait_until(page, lambda: len(held.routes) == 3)
    for _ in range(2):
        held.routes.pop().continue_()
    page.wait_for_function("() => document.querySelectorAll('[data-awaited]').length === 1")
    name = page.get_attribute("[data-awaited]", "data-awaited")
    page.keyboard.press("Digit1")
    page.keyboard.press("Enter")
    assert page.inner_text(".problem") == LOADING.format(name)
    page.clock.fast_forward(LONG)
    page.wait_for_selector(".late")
    assert page.locator(".late").count() == 1
    held.let_go()
    page.wait_for_selector(".listen >> nth=2")
    assert not page.is_visible(".late")
    page.wait_for_function("() => document.activeElement.matches('[data-submit]')")


def test_practice_does_not_wait_for_long(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("rate")
    page = open_page()
    begin_waiting(page, url)
    for key in ("Digit0", "Digit0", "End", "Enter"):
        page.keyboard.press(key)
    assert page.inner_text(".problem").startswith("Still loading: Input")
    page.clock.fast_forward(LONG)
    page.wait_for_selector(".problem", state="hidden")
    assert not page.is_visible("[data-skip-broken]")
    page.click("[data-submit]")
    page.wait_for_selector(".feedback")


# What the page wants to do in a fifth of a second waits until it is called.
SHORTLY = """
const real = window.setTimeout;
window.shortly = [];
window.setTimeout = (does, ms, ...more) =>
  ms === 200 ? window.shortly.push(does) : real(does, ms, ...more);
"""


def test_nothing_is_said_of_a_wait_under_a_fifth_of_a_second(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("pair")
    page = open_page()
    page.add_init_script(SHORTLY)
    held = Held(page, "**/media/*")
    arrive(page, url)
    wait_until(page, lambda: len(held.routes) > 0)
    assert page.locator(".loading").count() == 0
    page.evaluate("() => window.shortly.forEach((does) => does())")
    page.wait_for_selector(".loading")
