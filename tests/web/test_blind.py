"""Everything a whole study sends, searched for what a rater must not know."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.web.studies import SECRETS
from tests.web.walking import begin, stage, wait_for_stage

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request

    from tests.web.conftest import OpenPage, Studio

ANSWERS = {
    "rate": ["Digit1", "Digit2", "End"],
    "compare": ["Digit1", "Digit2"],
    "rank": ["a", "b", "c", "d"],
    "best": ["b"],
    "detect": ["g", "Digit3"],
    "mark": ["Digit0", "End"],
    "media": ["Digit3"],
}


def listen(page: Page) -> list[tuple[str, bytes]]:
    """Collect every address, header and body that the server sends."""
    heard: list[tuple[str, bytes]] = []

    def hear(request: Request) -> None:
        response = request.response()
        if response is None:
            return
        heads = "\n".join(f"{name}: {value}" for name, value in response.all_headers().items())
        heard.append((response.url, f"{response.url}\n{heads}\n".encode()))
        if response.ok and response.status != 206:
            heard.append((response.url, response.body()))

    page.on("requestfinished", hear)
    return heard


def finish(page: Page, keys: list[str]) -> None:
    """Answer whatever comes until the end."""
    for _ in range(12):
        now = wait_for_stage(page, "practice", "trial", "break", "end", "screened-out")
        if now in ("end", "screened-out"):
            return
        if now == "break":
            page.click("main button[type=submit]")
            page.wait_for_selector("main:not([data-stage=break])")
            continue
        page.wait_for_selector("jb-trial .question.now")
        if page.locator("audio").count():
            page.eval_on_selector("audio", "one => one.play()")
            page.wait_for_function("() => document.querySelector('audio').ended")
        before = page.inner_text("#where")
        for key in keys:
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        if now == "practice":
            page.wait_for_selector(".feedback")
            page.keyboard.press("Enter")
            page.wait_for_selector(".feedback", state="detached")
        else:
            page.wait_for_function(
                "before => document.querySelector('#where').textContent !== before", arg=before
            )
    raise AssertionError(f"no end in sight at {stage(page)}")


@pytest.mark.parametrize("study", list(ANSWERS))
def test_nothing_a_whole_study_sends_names_a_system_a_file_or_the_truth(
    study: str, studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve(study)
    page = open_page()
    heard = listen(page)
    begin(page, url)
    finish(page, ANSWERS[study])
    page.wait_for_timeout(100)
    assert len(heard) > 20
    for address, content in heard:
        for secret in SECRETS:
            assert secret.encode() not in content, f"{secret} in {address}"
        for trial in served.app.state.site.plan.trials:
            assert trial.id.encode() not in content
        for field in (b'"truth"', b'"gold"', b'"system"', b'"correct"', b"attention"):
            if "/static/" not in address:
                assert field not in content, address
    items = [str(item) for item in served.material.items]
    media = [address for address, _ in heard if "/media/" in address]
    assert bool(media) is (study not in ("compare", "mark"))
    for address in media:
        assert re.fullmatch(r"[0-9a-f]{24}", address.rpartition("/")[2])
        assert not any(item in address for item in items)


def test_right_answers_reach_the_page_only_after_the_answer(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("detect")
    page = open_page()
    heard = listen(page)
    begin(page, url)
    page.wait_for_timeout(100)
    assert not any(b"See the edge." in content for _, content in heard)
    page.keyboard.press("r")
    page.keyboard.press("Digit1")
    page.keyboard.press("Enter")
    page.wait_for_selector(".feedback")
    page.wait_for_timeout(100)
    assert any(b"See the edge." in content for _, content in heard)
