"""Answers, raters and links stay together when a proxy answers or raters share a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient

from jurybox.web.groups import invite_of
from tests.web.serving import ADMIN, Served, live, open_study
from tests.web.settling import heard_out
from tests.web.studies import write_study
from tests.web.walking import begin, enroll, shown_trial, wait_for_stage, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page, Route

    from tests.web.conftest import OpenPage, Studio

FAILED = ("Failed to load resource", "net::ERR")
UNREACHABLE = "The server cannot be reached; try again."
KEPT = """
async () => {
  const found = [];
  for (const { name } of await indexedDB.databases()) {
    const opened = indexedDB.open(name);
    await new Promise((resolve) => { opened.onsuccess = resolve; });
    const asked = opened.result.transaction("answers").objectStore("answers").getAll();
    await new Promise((resolve) => { asked.onsuccess = resolve; });
    found.push(...asked.result);
    opened.result.close();
  }
  return found;
}
"""


def rank(page: Page) -> None:
    page.wait_for_selector("jb-trial.ready .question.now")
    for letter in "abcd":
        page.keyboard.press(letter)
    page.keyboard.press("Enter")


def send_now(page: Page) -> None:
    """Let the page try to send at once, and wait until it has read the reply."""
    with page.expect_response("**/api/submit"):
        page.evaluate("() => dispatchEvent(new Event('online'))")
    heard_out(page)


def test_an_answer_stays_until_the_server_itself_has_acknowledged_it(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("rank")
    page = open_page(expect=FAILED)
    begin(page, url)
    reply: dict[str, Any] = {"status": 404}
    portal = "<html>Log in to the hotel network</html>"
    page.route("**/api/**", lambda route: route.fulfill(**{"body": portal, **reply}))
    rank(page)
    page.wait_for_selector("#unsent:not([hidden])")
    for other in (
        {"status": 403},
        {"status": 200},
        {"status": 200, "body": "{}"},
        {"status": 200, "body": '{"id": "of-another"}'},
        {"status": 400, "body": '{"detail": "not ours"}'},
        {"status": 404, "body": '{"error": {"sentence": "There is no such page."}}'},
    ):
        reply = other
        send_now(page)
        assert page.inner_text("#unsent") == "1 answer not sent yet"
        assert len(page.evaluate(KEPT)) == 1
    page.unroute_all()
    send_now(page)
    wait_until(page, lambda: len(served.store.submissions()) == 1)
    page.wait_for_selector("#unsent", state="hidden")
    assert page.evaluate(KEPT) == []
    assert shown_trial(page) == "Trial 2 of 2"


@pytest.mark.parametrize("status", [422, 413])
def test_a_refused_answer_is_set_aside_with_its_sentence(
    status: int, studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("rank")
    page = open_page(expect=FAILED)
    begin(page, url)
    said = '{"error": {"sentence": "This cannot be taken."}}'
    page.route("**/api/submit", lambda route: route.fulfill(status=status, body=said))
    rank(page)
    page.wait_for_selector("text=This cannot be taken.")
    page.unroute("**/api/submit")
    (kept,) = page.evaluate(KEPT)
    assert kept["refused"] == "This cannot be taken."
    assert not page.is_visible("#unsent")
    rank(page)  # what comes after it is sent as ever
    wait_until(page, lambda: len(served.store.submissions()) == 1)
    page.click(".notice button")
    assert page.locator("text=This cannot be taken.").count() == 0


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[tuple[Served, str]]:
    """A study with room for two raters, and its address."""
    folder = write_study("rank", tmp_path / "shared")
    spec = folder / "study.yaml"
    spec.write_text(spec.read_text().replace("overlap: 1, raters: 1", "overlap: 2, raters: 2"))
    with open_study(folder) as served, live(served.app) as url:
        yield served, url


def token_of(served: Served, rater: str) -> str:
    with TestClient(served.app) as http:
        return str(http.post("/api/enroll", json={"rater": rater}).json()["token"])


def test_one_raters_answers_are_never_sent_as_anothers(
    shared: tuple[Served, str], open_page: OpenPage
) -> None:
    served, url = shared
    page = open_page(expect=FAILED)
    first, second = token_of(served, "r1"), token_of(served, "r2")
    page.goto(f"{url}#r={first}")
    page.click("main[data-stage=guide] button[type=submit]")
    page.route("**/api/submit", lambda route: route.abort())
    rank(page)
    page.wait_for_selector("#unsent:not([hidden])")
    other = page.context.new_page()
    other.goto(f"{url}#r={second}")
    wait_for_stage(other, "guide")
    assert second in other.input_value("#own-link")
    other.click("main button[type=submit]")
    rank(other)
    wait_until(other, lambda: len(served.store.submissions()) == 1)
    page.unroute_all()  # the first one's tab is still theirs
    page.evaluate("() => dispatchEvent(new Event('online'))")
    wait_until(page, lambda: len(served.store.submissions()) == 2)
    senders = [one.submission.rater for one in served.store.submissions()]
    assert sorted(senders) == ["r1", "r2"]


def test_a_lost_reply_in_practice_counts_once(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("detect")
    page = open_page(expect=FAILED)
    assert begin(page, url) == "practice"

    def lose_the_reply(route: Route) -> None:
        route.fetch()
        route.abort()

    # Not for one time alone: that ends the interception while the first request is held, which
    # may then go on by itself.
    page.route("**/api/submit", lose_the_reply)
    page.keyboard.press("r")
    page.keyboard.press("Digit3")
    page.keyboard.press("Enter")
    page.wait_for_selector("#notice:not([hidden])")
    page.unroute("**/api/submit")
    assert page.inner_text("#notice") == UNREACHABLE  # and nothing about kept answers
    page.keyboard.press("Enter")
    page.click(".feedback button")
    page.wait_for_selector("jb-trial.ready .question.now")
    assert shown_trial(page) == "Practice 2 of 2"
    assert len(served.store.submissions()) == 1


def test_an_invitation_wins_over_who_was_here_and_a_personal_link_works_elsewhere(
    shared: tuple[Served, str], open_page: OpenPage
) -> None:
    served, url = shared
    page = open_page()
    enroll(page, url, "r1")
    with TestClient(served.app, base_url=url) as http:
        body, headers = {"raters": ["ann+bob@x.org"]}, {"Authorization": f"Bearer {ADMIN}"}
        drawn = http.post("/api/organizer/invitations", json=body, headers=headers).json()["html"]
    (link,) = re.findall(r"<code>(.*?)</code>", drawn)
    page.goto(unescape(link))
    page.wait_for_selector("main[data-stage=welcome]")
    page.reload()  # before Start, it still knows who is invited
    assert page.input_value("[name=rater]") == "ann+bob@x.org"
    assert not page.is_editable("[name=rater]")  # the link is good for this id alone
    assert page.inner_text("form.start label") == "Your id, as you were told"
    page.click("main button[type=submit]")
    wait_for_stage(page, "guide")
    assert [rater.id for rater in served.store.raters()] == ["r1", "ann+bob@x.org"]
    own = page.input_value("#own-link")
    page.goto(unescape(link))  # theirs by now: no need to start again
    wait_for_stage(page, "guide")
    elsewhere = open_page()
    elsewhere.goto(own)
    wait_for_stage(elsewhere, "guide")
    assert elsewhere.input_value("#own-link") == own
    assert "#" not in elsewhere.url


def test_a_study_for_invited_raters_asks_nobody_else_for_an_id(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("groups")
    page = open_page()
    page.goto(url)
    page.wait_for_selector("form.start", state="detached")
    asked = "This study is for invited raters; open the link of your invitation."
    assert page.inner_text("[data-uninvited]") == asked
    page.goto(f"{url}/#invite={invite_of(served.app.state.site, 'Ada', 'expert')}&id=Ada")
    page.wait_for_selector("[data-uninvited]", state="detached")
    page.click("button[type=submit]")
    wait_for_stage(page, "guide")


def test_without_a_server_each_page_says_what_did_not_happen(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("rank")
    page = open_page(expect=FAILED)
    page.goto(url)
    page.route("**/api/**", lambda route: route.abort())
    page.fill("[name=rater]", "r1")
    page.click("main button[type=submit]")
    page.wait_for_selector("#notice:not([hidden])")
    assert page.inner_text("#notice") == UNREACHABLE
    page.unroute_all()
    begin(page, url)
    assert not page.is_visible("#notice")
    page.route("**/api/**", lambda route: route.abort())
    page.keyboard.press("i")
    page.wait_for_selector("#notice:not([hidden])")
    assert page.inner_text("#notice") == UNREACHABLE
    page.click("[data-open=stop]")
    page.click("#dialog-stop button.primary")
    page.wait_for_function("() => document.querySelector('#notice').textContent.includes('stop')")
    assert page.inner_text("#notice") == f"You have not stopped yet. {UNREACHABLE}"
    page.unroute_all()
    page.keyboard.press("i")
    page.wait_for_selector("#dialog-guide[open]")
