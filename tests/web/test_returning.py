"""Looking back, leaving and coming back, frames and proxies, in a real browser."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx2 as httpx
from fastapi import FastAPI, Request, Response

from jurybox.store import Store
from tests.patience import PATIENCE
from tests.web.reaching import UNKEPT
from tests.web.serving import live
from tests.web.settling import settled
from tests.web.studies import write_study
from tests.web.walking import begin, go_on, stage, wait_for_stage, wait_for_trial, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Dialog, Page, Route

    from tests.web.conftest import OpenPage, Studio

FAILED = ("Failed to load resource", "net::ERR")


def rank(page: Page, letters: str = "abcd") -> None:
    page.wait_for_selector("jb-trial.ready .question.now")
    for letter in letters:
        page.keyboard.press(letter)
    page.keyboard.press("Enter")


def test_earlier_answers_are_there_after_a_reload_and_by_their_number(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("rank")
    page = open_page(expect=())
    begin(page, url)
    rank(page, "badc")
    wait_for_trial(page, "2 of 2")
    wait_until(page, lambda: len(served.store.submissions()) == 1)
    page.reload()
    wait_for_trial(page, "2 of 2")
    page.click("#jump")
    page.fill("#jump-number", "7")
    page.keyboard.press("Enter")
    assert page.inner_text("#dialog-jump .problem") == "You have no earlier trial with this number."
    page.fill("#jump-number", "1")
    page.keyboard.press("Enter")
    wait_for_trial(page, "1 of 2")
    assert page.locator("dialog[open]").count() == 0
    assert page.inner_text(".standing") == "B > A > D > C"
    page.keyboard.press("n")  # forward, with nothing changed
    wait_for_trial(page, "2 of 2")
    page.click("#jump")
    page.click(".jump-list button >> nth=0")
    wait_for_trial(page, "1 of 2")
    for _ in range(4):
        page.keyboard.press("Backspace")
    rank(page, "abcd")
    wait_for_trial(page, "2 of 2")
    wait_until(page, lambda: len(served.store.submissions()) == 2)
    assert sorted(one.status for one in served.store.submissions()) == ["answered", "superseded"]


def test_a_draft_is_there_again_after_a_look_back(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("rank")
    page = open_page()
    begin(page, url)
    rank(page)
    wait_for_trial(page, "2 of 2")
    page.wait_for_selector("#back:not([hidden])")
    page.keyboard.press("c")
    page.click("#back")  # at once, before anything was saved at leisure
    wait_for_trial(page, "1 of 2")
    page.keyboard.press("n")
    wait_for_trial(page, "2 of 2")
    assert "C" in page.inner_text(".standing")


def test_a_change_of_an_earlier_answer_waits_for_submit_and_says_so(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("rank")
    page = open_page()
    begin(page, url)
    held: list[Route] = []
    page.route("**/api/next*", lambda route: held.append(route))
    rank(page)
    wait_for_trial(page, "2 of 2")
    page.click("#back")
    wait_for_trial(page, "1 of 2")
    for key in ("Backspace", "Backspace", "d", "c"):
        page.keyboard.press(key)
    page.keyboard.press("n")
    wait_for_trial(page, "2 of 2")
    with page.expect_response("**/api/next*"):  # what was asked for behind the rater's back
        wait_until(page, lambda: bool(held))
        held[0].continue_()
    page.unroute_all()
    assert "Your change to trial 1 is not submitted yet" in page.inner_text("#notice")
    page.click("#back")
    wait_for_trial(page, "1 of 2")
    page.keyboard.press("Enter")
    wait_until(page, lambda: len(served.store.submissions()) == 2)
    wait_for_trial(page, "2 of 2")
    assert page.locator("#notice").is_hidden()
    first, second = sorted(served.store.submissions(), key=lambda one: one.seq)
    assert (first.status, second.status) == ("superseded", "answered")
    ranks = [[answer.rank for answer in one.submission.answers] for one in (first, second)]
    # By system, where the letters are those of the places shown.
    places = [first.submission.order.index(system) for system in range(4)]
    assert ranks == [[order[place] for place in places] for order in ((1, 2, 3, 4), (1, 2, 4, 3))]


def test_a_page_that_goes_away_gives_back_what_was_not_begun(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("rank")
    page = open_page()
    begin(page, url)

    def held() -> int:
        return served.store.progress().leased

    wait_until(page, lambda: held() == 2)
    with page.expect_response("**/api/draft"):
        page.keyboard.press("c")
    page.goto("about:blank")
    wait_until(page, lambda: held() == 1)  # the one that was begun, with its draft
    page.goto(url)
    page.wait_for_selector("jb-trial.ready .question.now")
    assert "C" in page.inner_text(".standing")
    wait_until(page, lambda: held() == 2)


def test_a_browser_that_keeps_nothing_says_so_and_still_sends_everything(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("rank")
    page = open_page(expect=FAILED)
    page.add_init_script(UNKEPT)
    begin(page, url)
    assert "keeps nothing" in page.inner_text("header .notice >> nth=1")
    page.route("**/api/submit", lambda route: route.abort())
    rank(page)
    page.wait_for_selector("#unsent:not([hidden])")
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.close(run_before_unload=True)
    wait_until(page, lambda: asked == ["beforeunload"])
    page.unroute_all()
    wait_until(page, lambda: len(served.store.submissions()) == 1)
    wait_for_trial(page, "2 of 2")
    rank(page)
    wait_for_stage(page, "end")


def test_a_problem_is_reported_from_the_bar_and_from_skipping(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("rank")
    page = open_page(expect=FAILED)
    begin(page, url)
    page.click(".bar [data-open=problem]")
    page.keyboard.press("Control+Enter")
    page.click("#dialog-problem .primary")
    page.wait_for_selector("#dialog-problem .problem:has-text('few words')")
    page.fill("#problem-words", "The picture is black.")
    page.route("**/api/problem", lambda route: route.abort())
    page.click("#dialog-problem .primary")
    page.wait_for_selector("#dialog-problem .problem:has-text('cannot be reached')")
    assert page.input_value("#problem-words") == "The picture is black."
    page.unroute_all()
    page.click("#dialog-problem .primary")
    wait_until(page, lambda: len(served.store.events("problem")) == 1)
    page.wait_for_selector("#dialog-problem", state="hidden")
    page.keyboard.press("s")
    page.click("#dialog-skip [data-open=problem]")
    assert page.locator("dialog[open]").count() == 1
    page.fill("#problem-words", "Still black.")
    page.click("#dialog-problem .primary")
    wait_until(page, lambda: len(served.store.events("problem")) == 2)
    said = [event.detail["words"] for event in served.store.events("problem")]
    assert said == ["The picture is black.", "Still black."]


def test_stop_is_in_reach_on_every_page_once_begun(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("rate")
    page = open_page()
    page.goto(url)
    assert page.locator("[data-open=stop]").is_hidden()
    page.fill("[name=rater]", "r1")
    page.click("button[type=submit]")
    wait_for_stage(page, "consent")
    seen = []
    while stage(page) != "practice":
        go_on(page)
        seen.append(stage(page))
        page.wait_for_selector("[data-open=stop]")
    assert seen == ["survey", "guide", "practice"]
    page.click("[data-open=stop]")
    page.click("#dialog-stop .primary")
    wait_for_stage(page, "stopped")
    assert page.locator("[data-open=stop]").is_hidden()


@contextmanager
def stripping_proxy(target: str, prefix: str) -> Iterator[str]:
    """A proxy that serves what is behind it under a prefix, which it takes away."""
    proxy = FastAPI(openapi_url=None)

    @proxy.api_route(f"{prefix}/{{path:path}}", methods=["GET", "POST", "PUT", "HEAD"])
    async def pass_on(request: Request, path: str) -> Response:
        async with httpx.AsyncClient(timeout=PATIENCE) as client:
            kept = {k: v for k, v in request.headers.items() if k not in ("host", "content-length")}
            got = await client.request(
                request.method,
                f"{target}/{path}",
                params=dict(request.query_params),
                headers=kept,
                content=await request.body(),
            )
        # The client has unpacked what was packed, which has another length now.
        packed = "content-encoding" in got.headers
        unpacked = ("content-encoding", "content-length") if packed else ()
        passed = {k: v for k, v in got.headers.items() if k not in unpacked}
        return Response(got.content, status_code=got.status_code, headers=passed)

    with live(proxy) as url:
        yield f"{url}{prefix}"


def test_a_study_works_behind_a_proxy_that_strips_its_prefix(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("best")
    with stripping_proxy(url, "/some/prefix") as outside:
        page = open_page(expect=("status of 404",))
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        begin(page, f"{outside}/")
        settled(page)
        assert page.evaluate("() => [...document.images].every((one) => one.naturalWidth > 0)")
        page.keyboard.press("a")
        page.keyboard.press("Enter")
        wait_for_stage(page, "end")
        assert all(one.startswith(f"{outside}/") for one in asked)
        page.goto(f"{outside}/no/such/page")
        assert page.evaluate("() => document.styleSheets.length") > 0
        page.close()  # or it asks for something more when the proxy is gone
    assert len(served.store.submissions()) == 1


def _serve(folder: Path, port: str) -> subprocess.Popen[str]:
    program = "from jurybox.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", str(folder), "--port", port]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip


def _address(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    for line in server.stdout:
        found = re.match(r"Raters\s+(\S+)/$", line.strip())
        if found:
            return found[1]
    raise AssertionError("the server said no address")


def test_a_server_process_killed_between_answer_and_acknowledgement_loses_and_doubles_nothing(
    tmp_path: Path, open_page: OpenPage
) -> None:
    """Once before the answer arrives, once after it is stored and before the page hears of it."""
    folder = write_study("rank", tmp_path / "study")
    server = _serve(folder, "0")
    servers = [server]
    try:
        url = _address(server)
        page = open_page(expect=FAILED)
        begin(page, url)
        server.kill()
        server.wait()
        rank(page, "abcd")  # nobody is there
        wait_for_trial(page, "2 of 2")
        page.wait_for_selector("#unsent:not([hidden])")
        servers.append(server := _serve(folder, url.rpartition(":")[2]))
        _address(server)
        page.wait_for_selector("#unsent", state="hidden")
        killed: list[int] = []

        def kill_before_the_page_hears(route: Route) -> None:
            if killed:
                route.continue_()
                return
            killed.append(route.fetch().status)
            servers[-1].kill()
            servers[-1].wait()
            route.abort()

        page.route("**/api/submit", kill_before_the_page_hears)
        rank(page, "dcba")
        page.wait_for_selector("#notice:not([hidden])")
        assert killed == [200]
        assert page.locator(".code-shown").count() == 0
        servers.append(server := _serve(folder, url.rpartition(":")[2]))
        _address(server)
        page.wait_for_selector("main[data-stage=end]")
        assert page.locator(".code-shown").count() == 1
    finally:
        for one in servers:
            one.kill()
            one.communicate()
    with Store.open(folder / "study.db", create=False) as store:
        kept = store.submissions()
        assert [one.status for one in kept] == ["answered", "answered"]
        assert len({one.submission.trial for one in kept}) == 2


def test_the_organizers_token_is_in_no_log_and_no_address(tmp_path: Path) -> None:
    folder = write_study("graded", tmp_path / "study")
    server = _serve(folder, "0")
    try:
        assert server.stdout is not None
        lines: list[str] = []
        for line in server.stdout:
            lines.append(line)
            if line.startswith("Stop with"):
                break
        links: dict[str, Any] = dict(line.split(maxsplit=1) for line in lines[:3])
        address, _, token = links["Organizer"].strip().partition("#token=")
        headers = {"Authorization": f"Bearer {token}"}
        base = links["Raters"].strip()
        assert httpx.get(address, timeout=PATIENCE).headers["referrer-policy"] == "no-referrer"
        for path in ("api/organizer/progress", "nowhere"):
            httpx.get(base + path, headers=headers, timeout=PATIENCE)
        in_the_address = httpx.get(f"{base}api/organizer/progress?token={token}", timeout=PATIENCE)
        assert in_the_address.status_code == 401
        server.send_signal(signal.SIGINT)
        said, _ = server.communicate(timeout=PATIENCE)
        assert token not in said
        assert "GET" not in said
    finally:
        server.kill()
        server.communicate()


def test_a_prefix_in_the_public_address_is_in_every_link(tmp_path: Path) -> None:
    folder = write_study("graded", tmp_path / "study")
    program = "from jurybox.cli import main; main()"
    public = "https://rate.example/lab"
    command = [sys.executable, "-c", program, "serve", str(folder), "--port", "0"]
    server = subprocess.Popen(
        [*command, "--public-url", public], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        assert server.stdout is not None
        links = dict(server.stdout.readline().split(maxsplit=1) for _ in range(3))
        assert links["Raters"].strip() == f"{public}/"
        assert links["Organizer"].startswith(f"{public}/organizer#token=")
        assert links["Preview"].startswith(f"{public}/preview#token=")
    finally:
        server.kill()
        server.communicate()


def test_a_practice_trial_is_not_skipped_and_a_reload_stays_at_it(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("detect")
    page = open_page()
    assert begin(page, url) == "practice"
    page.keyboard.press("s")
    assert "cannot be skipped" in page.inner_text("#notice")
    assert page.locator("dialog[open]").count() == 0
    for key in ("r", "Digit5", "Enter"):
        page.keyboard.press(key)
    page.wait_for_selector(".feedback")
    page.reload()
    wait_for_trial(page, "Practice 2 of 2")
    with page.expect_response("**/api/draft"):
        page.keyboard.press("g")
    page.reload()
    wait_for_trial(page, "Practice 2 of 2")
    page.wait_for_selector("input[value=generated]:checked", state="attached")
    assert len(served.store.submissions()) == 1
