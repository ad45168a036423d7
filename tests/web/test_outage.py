"""Nothing is lost and nothing is doubled when the network, the server or the tab goes away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.serving import live, open_study
from tests.web.studies import write_study
from tests.web.walking import begin, shown_trial, stage, wait_for_stage, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page, Route

    from tests.web.conftest import OpenPage, Studio

FAILED = ("Failed to load resource", "net::ERR")


def vote(page: Page) -> None:
    page.wait_for_selector("jb-trial.ready .question.now")
    page.keyboard.press("Digit1")
    page.keyboard.press("Digit3")


def test_answers_wait_for_the_network_and_the_code_waits_for_them(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("rank")
    page = open_page(expect=FAILED)
    begin(page, url)
    page.route("**/api/**", lambda route: route.abort())
    for number in (1, 2):
        page.wait_for_selector(f"#where >> text=Trial {number} of 2")
        for letter in "abcd":
            page.keyboard.press(letter)
        page.keyboard.press("Enter")
    page.wait_for_selector("#unsent >> text=2 answers not sent yet")
    page.wait_for_selector("#notice >> text=kept on this device")
    assert page.locator(".code-shown").count() == 0
    assert served.store.submissions() == ()
    page.unroute_all()
    wait_for_stage(page, "end")
    assert page.locator(".code-shown").count() == 1
    assert [one.status for one in served.store.submissions()] == ["answered", "answered"]


def test_a_break_that_the_server_does_not_hear_of_holds_nobody_up(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("compare")  # with a break after every trial
    page = open_page(expect=FAILED)
    begin(page, url)
    page.route("**/api/**", lambda route: route.abort())
    vote(page)
    page.keyboard.press("Enter")
    page.wait_for_selector("#where >> text=Trial 2 of 4")  # which was at hand
    vote(page)
    page.unroute_all()
    page.keyboard.press("Enter")
    wait_for_stage(page, "break")
    assert [one.status for one in served.store.submissions()] == ["answered", "answered"]


def test_an_answer_whose_acknowledgement_is_lost_is_stored_once(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("graded")
    page = open_page(expect=FAILED)
    begin(page, url)
    lost: list[int] = []

    def lose_the_reply(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch().status)  # the server has stored it …
        route.abort()  # … and the page does not hear of it

    page.route("**/api/submit", lose_the_reply)
    page.keyboard.press("Digit2")
    page.keyboard.press("Enter")
    wait_for_stage(page, "end")
    assert lost == [200]
    assert len(served.store.submissions()) == 1


@pytest.mark.parametrize("comes_back", [False, True], ids=["presses again", "reloads first"])
def test_start_leads_in_though_its_first_reply_was_lost(
    studio: Studio, open_page: OpenPage, comes_back: bool
) -> None:
    served, url = studio.serve("graded")
    page = open_page(expect=FAILED)
    page.route("**/api/enroll", lambda route: (route.fetch(), route.abort()))
    page.goto(url)
    page.fill("[name=rater]", "Ada")
    page.click("button[type=submit]")
    page.wait_for_selector("#notice >> text=cannot be reached")
    (rater,) = served.store.raters()  # whom the server has let in without the page knowing
    page.unroute_all()
    if comes_back:
        page.reload()
        page.fill("[name=rater]", "Ada")
    page.click("button[type=submit]")
    wait_for_stage(page, "guide")
    assert [(one.id, one.enrolled_at) for one in served.store.raters()] == [
        (rater.id, rater.enrolled_at)
    ]
    # Another device draws another key.
    other = open_page(expect=("409",))
    other.goto(url)
    other.fill("[name=rater]", "Ada")
    other.click("button[type=submit]")
    other.wait_for_selector("#notice >> text=is taken")


def test_another_id_after_a_lost_reply_leaves_nobody_behind(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("graded")
    page = open_page(expect=FAILED)
    page.route("**/api/enroll", lambda route: (route.fetch(), route.abort()))
    page.goto(url)
    page.keyboard.type("Ada")  # where one begins
    page.keyboard.press("Enter")
    page.wait_for_selector("#notice >> text=cannot be reached")
    page.unroute_all()
    page.fill("[name=rater]", "Bo")
    page.click("button[type=submit]")
    wait_for_stage(page, "guide")
    assert [one.id for one in served.store.raters()] == ["Bo"]


def test_a_returning_rater_without_a_server_is_not_asked_for_an_id(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("rank")
    page = open_page(expect=FAILED)
    begin(page, url)
    page.route("**/api/**", lambda route: route.abort())
    page.reload()
    page.wait_for_selector("main >> text=Waiting for the connection")
    assert page.locator("[name=rater], main button").count() == 0
    page.unroute_all()
    page.wait_for_selector("jb-trial.ready .question.now")
    assert shown_trial(page) == "Trial 1 of 2"


def test_a_closed_tab_keeps_what_was_not_sent(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("rank")
    page = open_page(expect=FAILED)
    begin(page, url)
    context = page.context
    context.route("**/api/submit", lambda route: route.abort())
    for letter in "dcba":
        page.keyboard.press(letter)
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#where').textContent.includes('2 of 2')")
    page.close()
    context.unroute_all()
    again = context.new_page()
    again.goto(url)
    wait_until(again, lambda: len(served.store.submissions()) == 1)
    again.wait_for_selector("jb-trial.ready .question.now")
    assert shown_trial(again) == "Trial 2 of 2"


def test_a_server_that_is_killed_and_started_again_finds_everything(
    tmp_path: Path, open_page: OpenPage
) -> None:
    folder = write_study("rank", tmp_path / "rank")
    page = open_page(expect=FAILED)
    with open_study(folder) as served:
        with live(served.app, crashes=True) as url:
            begin(page, url)
        for letter in "abdc":
            page.keyboard.press(letter)
        page.keyboard.press("Enter")
        page.wait_for_selector("#unsent:not([hidden])")
        assert served.store.submissions() == ()
        with live(served.app, port=int(url.rpartition(":")[2])):
            wait_until(page, lambda: len(served.store.submissions()) == 1)
            page.wait_for_selector("#unsent", state="hidden")
            assert stage(page) == "trial"


def test_two_tabs_of_one_rater_do_not_harm_each_other(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("rank")
    one = open_page()
    begin(one, url)
    two = one.context.new_page()
    two.goto(url)
    two.wait_for_selector("jb-trial.ready .question.now")
    for page in (one, two):
        for letter in "abcd":
            page.keyboard.press(letter)
        page.keyboard.press("Enter")
        page.wait_for_function(
            "() => document.querySelector('#where').textContent.includes('2 of 2')"
        )
    wait_until(one, lambda: len(served.store.submissions()) == 2)
    statuses = sorted(kept.status for kept in served.store.submissions())
    assert statuses == ["answered", "superseded"]
    assert len(set(served.store.table("rankings")["trial"])) == 1


@pytest.mark.parametrize("way", ["reload", "back", "close"])
def test_what_was_chosen_a_moment_before_the_page_went_away_is_there_again(
    way: str, studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("compare")
    page = open_page(expect=FAILED)
    page.goto("about:blank")
    begin(page, url)
    page.route("**/api/draft", lambda route: route.abort())  # the server does not have it
    vote(page)
    if way == "reload":
        page.reload()
    elif way == "back":
        page.go_back()
        page.go_forward()
    else:
        context = page.context
        page.close()
        page = context.new_page()
        page.goto(url)
    page.wait_for_selector("jb-trial.ready .question.now")
    chosen = page.locator(".option.on input").evaluate_all("all => all.map((one) => one.value)")
    assert chosen == ["first", "3"]
