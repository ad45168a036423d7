"""A HIT inside the frame of Mechanical Turk, and who else may frame the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.walking import wait_for_stage, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from tests.web.conftest import OpenPage, Studio


OUTSIDE = "https://study.example/lab"


def put_outside(page: Page, url: str) -> None:
    """Let the browser find the study at a public address, which another site may frame."""

    def pass_on(route: Route) -> None:
        route.fulfill(response=route.fetch(url=route.request.url.replace(OUTSIDE, url)))

    page.context.route(f"{OUTSIDE}/**", pass_on)


FRAMING = """<!doctype html><title>HIT</title>
<iframe name="hit" width="1000" height="700" src="{src}"></iframe>"""


def test_a_hit_is_done_inside_the_frame_and_its_code_goes_back(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("mturk")
    page = open_page(viewport={"width": 1100, "height": 800})
    put_outside(page, url)
    host = "https://workersandbox.mturk.com"
    posted: list[str] = []

    def play_mturk(route: Route) -> None:
        if route.request.method == "POST":
            posted.append(f"{route.request.url} {route.request.post_data}")
            route.fulfill(body="Thank you", content_type="text/html")
            return
        accepted = "accepted" in route.request.url
        query = (
            "assignmentId=A7&workerId=W7"
            if accepted
            else ("assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
        )
        src = f"{OUTSIDE}/?{query}&hitId=H7&turkSubmitTo={host}"
        route.fulfill(body=FRAMING.format(src=src), content_type="text/html")

    page.context.route(f"{host}/**", play_mturk)
    page.goto(f"{host}/preview")
    frame = page.frame("hit")
    assert frame is not None
    frame.wait_for_selector("text=Accept the HIT to begin")
    assert frame.locator("button[type=submit]").count() == 0
    assert served.store.raters() == ()
    page.goto(f"{host}/accepted")
    frame = page.frame("hit")
    assert frame is not None
    frame.click("button[type=submit]")
    frame.wait_for_selector("main[data-stage=guide]")
    frame.click("main button[type=submit]")
    frame.wait_for_selector("jb-trial.ready .question.now")
    frame.locator("input[type=radio] >> nth=2").check(force=True)
    frame.click("[data-submit]")
    frame.wait_for_selector("main[data-stage=end]")
    code = served.app.state.site.seals.code("completed", "W7")
    assert frame.inner_text(".code-shown") == code
    assert frame.locator("[data-by-hand]").count() == 0
    frame.click("form[data-mturk] button")
    wait_until(page, lambda: bool(posted))
    assert posted == [f"{host}/mturk/externalSubmit assignmentId=A7&code={code}"]


def test_a_code_that_no_button_sends_says_what_to_do_with_it(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("mturk")
    page = open_page()
    page.goto(f"{url}/?assignmentId=A7&workerId=W7&turkSubmitTo=https://elsewhere.example")
    page.click("button[type=submit]")
    wait_for_stage(page, "guide")
    page.click("[data-open=stop]")
    page.click("#dialog-stop .primary")
    wait_for_stage(page, "stopped")
    assert page.locator("form[data-mturk]").is_hidden()
    assert page.locator("[data-by-hand]").is_visible()


def test_who_accepts_a_hit_again_works_for_the_new_assignment(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("mturk")
    page = open_page()
    for assignment in ("A6", "A7"):  # returned after the first page, and accepted once more
        query = f"assignmentId={assignment}&hitId=H1&workerId=W1"
        page.goto(f"{url}/?{query}&turkSubmitTo=https://workersandbox.mturk.com")
        page.click("main[data-stage=welcome] button[type=submit]")
        wait_for_stage(page, "guide")
        (worker,) = served.store.raters()
        assert worker.details["assignmentId"] == assignment
    page.reload()  # the same assignment goes on where it was
    wait_for_stage(page, "guide")
    page.click("main button[type=submit]")
    page.wait_for_selector("jb-trial.ready .question.now")
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    wait_for_stage(page, "end")
    assert page.input_value("form[data-mturk] [name=assignmentId]") == "A7"


@pytest.mark.parametrize(
    ("study", "host", "shown"),
    [
        ("mturk", "https://worker.mturk.com", True),
        ("mturk", "https://elsewhere.example", False),
        ("rank", "https://worker.mturk.com", False),
    ],
)
def test_only_mechanical_turk_frames_and_only_its_own_studies(
    studio: Studio, open_page: OpenPage, study: str, host: str, shown: bool
) -> None:
    _, url = studio.serve(study)
    page = open_page(expect=("frame-ancestors", "X-Frame-Options"))
    put_outside(page, url)
    framing = FRAMING.format(src=f"{OUTSIDE}/")
    page.context.route(
        f"{host}/**", lambda route: route.fulfill(body=framing, content_type="text/html")
    )
    page.goto(f"{host}/")
    # Not by its name, which a frame that is refused loses with its page.
    (frame,) = page.main_frame.child_frames
    if shown:
        frame.wait_for_selector("main[data-stage]")
    else:
        wait_until(page, lambda: frame.url.startswith("chrome-error:"))
        assert frame.locator("main[data-stage]").count() == 0
