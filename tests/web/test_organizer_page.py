"""The organizer's page in a browser: it refreshes without taking anything out of one's hands."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import jurybox.web
from jurybox.study.model import RaterId
from tests.web.filling import KINDS, answer_round, fill, real_offers, trouble
from tests.web.organizer_states import open_part
from tests.web.serving import ADMIN, Served, now
from tests.web.settling import Held, Late, heard_out, laid_out
from tests.web.walking import BEFORE, go_on, stage, wait_for_stage, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request, Route

    from tests.web.conftest import OpenPage, Studio


@pytest.fixture
def panel(studio: Studio) -> tuple[Served, str]:
    served, url = studio.serve("panel")
    fill(served, now=now())
    served.app.state.site.offers = real_offers(served)
    return served, url


QUICK = """
const every = window.setInterval;
window.rounds = 0;
window.setInterval = (work, ms) => every(() => { window.rounds += 1; work(); }, ms / 50);
"""


def quicken(page: Page) -> None:
    """Let five seconds pass in a tenth of one, and count how often they have."""
    page.add_init_script(QUICK)


def test_a_refresh_keeps_focus_scroll_open_details_and_what_is_typed(
    panel: tuple[Served, str], open_page: OpenPage
) -> None:
    served, url = panel
    page = open_page(viewport={"width": 900, "height": 500})
    quicken(page)
    open_part(page, url, "raters?rater=rater-01")
    page.click("#exclude summary")
    page.fill("#why", "half a sen")
    page.select_option("#rule", "organizer")
    page.focus("#why")
    page.evaluate("() => { scrollTo(0, 120); document.querySelector('#why').mine = 'yes'; }")
    before = page.evaluate("() => scrollY")
    trouble(served, now=now())  # a new answer and a problem: the page grows above and below
    page.wait_for_selector("text=The answer is cut off in the middle.")
    laid_out(page)
    assert page.evaluate("() => document.activeElement.id") == "why"
    assert page.input_value("#why") == "half a sen"
    assert page.input_value("#rule") == "organizer"
    assert page.evaluate("() => document.querySelector('#why').mine") == "yes"
    assert page.evaluate("() => document.querySelector('#exclude').open")
    assert abs(page.evaluate("() => scrollY") - before) < 2


def test_a_group_sees_what_it_talks_about_and_keeps_it_in_sight(
    panel: tuple[Served, str], open_page: OpenPage
) -> None:
    served, url = panel
    page = open_page(viewport={"width": 900, "height": 500})
    quicken(page)
    open_part(page, url, "calibration")
    look = page.locator(".look >> nth=0")
    assert look.locator(".tile").count() == 0  # twenty trials would all fetch their films
    look.locator("summary").click()
    look.locator(".tile .plain").wait_for()
    assert page.url.endswith("#/calibration")
    rounds = page.evaluate("() => rounds")
    served.store.event("looked", now=now())  # another mark: the page is drawn anew
    page.wait_for_function("n => rounds > n + 2", arg=rounds)
    laid_out(page)
    assert look.locator(".tile").count() == 1
    assert look.locator(".badge").count()


def test_an_action_changes_what_its_button_does(
    panel: tuple[Served, str], open_page: OpenPage
) -> None:
    served, url = panel
    rater = RaterId("rater-04")
    served.store.update_rater(rater, finished_at=None, now=now())
    page = open_page()
    open_part(page, url, "raters?rater=rater-04")
    for wanted, button in ((True, "Pause"), (False, "Let them go on"), (True, "Pause")):
        page.click(f"button:text-is('{button}')")

        def has_changed(wanted: bool = wanted) -> bool:
            found = served.store.rater(rater)
            return found is not None and found.paused is wanted

        wait_until(page, has_changed)
    page.wait_for_selector("button:text-is('Let them go on')")


def test_an_older_answer_takes_back_nothing_that_was_done_since(
    panel: tuple[Served, str], open_page: OpenPage
) -> None:
    served, url = panel
    served.store.update_rater(RaterId("rater-04"), finished_at=None, now=now())
    page = open_page()
    open_part(page, url, "raters?rater=rater-04")
    trouble(served, now=now())  # something new to show
    late = Late(page, "**/api/organizer/raters?*")
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")  # fresh, please
    late.wait()
    page.click("button:text-is('Pause')")
    page.wait_for_selector("button:text-is('Let them go on')")
    late.let_go()
    assert page.is_visible("button:text-is('Let them go on')")
    assert page.locator("#part").get_attribute("aria-busy") == "false"


def test_unchanged_parts_are_asked_for_by_their_mark_while_the_page_is_seen(
    studio: Studio, open_page: OpenPage
) -> None:
    here = now()
    _, url = studio.serve("panel", clock=lambda: here)  # no minute ends meanwhile
    page = open_page()
    quicken(page)
    answers: list[int] = []
    page.on(
        "response",
        lambda response: answers.append(response.status) if "/progress" in response.url else None,
    )
    open_part(page, url, "progress")
    wait_until(page, lambda: len(answers) >= 6)
    assert answers == [200] + [304] * (len(answers) - 1)


def test_results_are_not_computed_again_by_themselves(
    panel: tuple[Served, str], open_page: OpenPage
) -> None:
    served, url = panel
    page = open_page()
    quicken(page)
    open_part(page, url, "results")
    page.wait_for_selector(".headline")
    answer_round(served, "main", (*KINDS, "drop_out"), now())
    rounds = page.evaluate("() => window.rounds")
    page.wait_for_function("rounds => window.rounds >= rounds + 10", arg=rounds)
    heard_out(page)
    assert len(served.store.events("results seen")) == 1


def test_the_token_stays_out_of_addresses_and_referrers(
    panel: tuple[Served, str], open_page: OpenPage
) -> None:
    _, url = panel
    page = open_page()
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))
    page.goto(f"{url}/organizer#token={ADMIN}")
    page.wait_for_selector("#part h1:not(.unseen)")
    page.click("text=Raters >> nth=0")
    page.wait_for_selector('.nav a[aria-current=page][href="#/raters"]')
    assert ADMIN not in page.url
    assert ADMIN not in page.content()
    for request in asked:
        assert ADMIN not in request.url.partition("#")[0]
        assert not request.headers.get("referer")
    page.reload()
    page.wait_for_selector("#part h1:not(.unseen)")  # the tab remembers it


def test_what_went_wrong_is_said_until_something_else_is_done(
    panel: tuple[Served, str], open_page: OpenPage
) -> None:
    served, url = panel
    page = open_page(expect=("status of 400", "status of 404", "status of 502"))
    quicken(page)
    open_part(page, url, "raters?rater=rater-01")
    page.click("#exclude summary")
    page.fill("#why", "Asleep")
    page.fill("#by-exclude", "Grace")
    assert not page.evaluate("() => document.querySelector('#exclude form').checkValidity()")
    page.select_option("#rule", "gold_below")  # no rule is chosen for them

    def be_too_late(route: Route) -> None:
        by = "By somebody else."
        served.store.mark_excluded(RaterId("rater-01"), "gold_below", by, now=now())
        route.continue_()

    page.route("**/api/organizer/raters", be_too_late)
    page.click("#exclude button")
    page.wait_for_selector("#notice:not([hidden])")
    page.wait_for_event("response", lambda reply: reply.status == 304)  # the page is fresh again
    page.unroute("**/api/organizer/raters")
    assert "is left out by gold_below already" in page.inner_text("#notice")
    page.goto(f"{url}/organizer#/trials/nowhere")
    page.wait_for_selector("text=This page cannot be shown")
    assert "There is no trial 'nowhere'" in page.inner_text("#notice")
    assert page.locator("#exclude").count() == 0  # the page before is gone
    page.goto(f"{url}/organizer#/trials")
    page.wait_for_selector("h1:text-is('Trials')")
    assert page.is_hidden("#notice")
    assert page.title() == "Trials · Are the answers right?"
    html = "<h1>Bad gateway</h1>"
    page.route("**/api/**", lambda route: route.fulfill(status=502, body=html))
    page.wait_for_selector("#notice:not([hidden])")
    assert page.inner_text("#notice") == "The server cannot be reached; trying again."
    page.unroute("**/api/**")
    page.wait_for_selector("#notice", state="hidden")


def test_a_page_that_takes_long_says_so(panel: tuple[Served, str], open_page: OpenPage) -> None:
    _, url = panel
    page = open_page()
    open_part(page, url, "raters")
    waiting: list[Route] = []
    page.route("**/api/organizer/trials", lambda route: waiting.append(route))
    page.click(".nav a[href='#/trials']")
    page.wait_for_selector("h1:text-is('Loading …')")
    wait_until(page, lambda: bool(waiting))
    assert page.get_attribute("#part", "aria-busy") == "true"
    waiting.pop().continue_()
    page.wait_for_selector("h1:text-is('Trials')")
    page.wait_for_selector("#part[aria-busy=false]")


def test_the_preview_walks_from_the_first_page_to_the_end(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("rate")  # consent, survey, guide, two practice trials, two trials
    before = served.store.changes()
    page = open_page()
    page.goto(f"{url}/preview#token={ADMIN}")
    seen = [wait_for_stage(page, "welcome")]
    while stage(page) in BEFORE:
        go_on(page)
        seen.append(stage(page))
        assert ADMIN not in page.content()
        assert page.locator("#own-link").count() == 0  # it would show the organizer's token
    assert seen == ["welcome", "consent", "survey", "guide", "practice"]
    for _ in range(2):
        page.wait_for_selector("jb-trial.ready .question.now")
        page.keyboard.press("Digit1")
        page.keyboard.press("Digit1")
        page.fill("input[type=range]", "50")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector(".feedback")
        page.keyboard.press("Enter")
        page.wait_for_selector(".feedback", state="detached")
    wait_for_stage(page, "trial")
    assert page.inner_text("#where").startswith("Trial 1 of")
    page.click("[data-open=stop]")
    page.click("#dialog-stop button.primary")
    wait_for_stage(page, "end")
    assert served.store.changes() == before
    page.click("main a.chip")  # and back, with the link's token
    page.wait_for_selector("h1:text-is('Progress')")


def test_everything_is_done_by_keyboard(panel: tuple[Served, str], open_page: OpenPage) -> None:
    served, url = panel
    page = open_page()
    open_part(page, url, "results")
    page.wait_for_selector(".headline")
    page.focus("#unblind summary")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("Grace")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".badge:text-is('Names shown')")
    assert "zebra-model" in page.inner_text("#part")
    (event,) = served.store.events("unblinded")
    assert event.detail["by"] == "Grace"


def test_scripts_and_styles_of_the_page_name_only_tokens() -> None:
    static = Path(str(jurybox.web.__file__)).parent / "static"
    style = (static / "organizer.css").read_text(encoding="utf-8")
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b|rgb\(|hsl\(", style)
    assert not re.findall(r"(?:margin|padding|border)-(?:left|right)|\b(?:left|right):", style)


def test_what_is_being_counted_says_so_and_leaves_the_other_pages_open(
    panel: tuple[Served, str], open_page: OpenPage
) -> None:
    _, url = panel
    page = open_page()
    open_part(page, url, "progress")
    held = Held(page, "**/api/organizer/results")
    page.click(".nav a[href='#/results']")
    page.wait_for_selector("h1:text-is('Counting the answers …')")
    assert page.get_attribute("#part", "aria-busy") == "true"
    assert page.get_attribute(".nav a[href='#/results']", "aria-current") == "page"
    page.click(".nav a[href='#/trials']")
    page.wait_for_selector("h1:text-is('Trials')")
    page.click(".nav a[href='#/results']")
    page.wait_for_selector("h1:text-is('Counting the answers …')")
    held.let_go()
    page.wait_for_selector("h1:text-is('Results so far')")


def test_the_report_runs_its_own_script_and_no_other(
    panel: tuple[Served, str], open_page: OpenPage
) -> None:
    served, url = panel
    site = served.app.state.site
    make = site.offers.report
    planted = "<body><script>document.title = 'taken over'</script><p onclick='x()'>Press</p>"
    site.offers = replace(
        site.offers, report=lambda names: make(names).replace("<body>", planted, 1)
    )
    page = open_page()
    said: list[str] = []
    page.context.on("console", lambda message: said.append(message.text))
    open_part(page, url, "results")
    with (
        page.context.expect_event("response", lambda one: "/report/" in one.url) as answered,
        page.expect_popup() as opened,
    ):
        page.click("[data-report]")
    policy = answered.value.headers["content-security-policy"]
    (scripts,) = re.findall(r"script-src ([^;]*)", policy)
    assert re.fullmatch(r"'sha256-[\w+/=]+'", scripts)
    report = opened.value
    report.wait_for_selector("thead th button")  # tables sort: the script runs
    assert report.title() != "taken over"
    refused = [one for one in said if "Content Security Policy" in one]
    assert refused == said
    assert len(refused) == 4  # the script and the handler, by the header and by the page itself
