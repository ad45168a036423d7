"""How a rater gets through the pages before and between the trials, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from tests.patience import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Page

BEFORE = ("welcome", "consent", "survey", "guide")


def stage(page: Page) -> str:
    return str(page.eval_on_selector("main", "main => main.dataset.stage"))


def wait_for_stage(page: Page, *names: str) -> str:
    page.wait_for_selector(",".join(f"main[data-stage={name}]" for name in names))
    return stage(page)


def enroll(page: Page, url: str, rater: str = "r1") -> None:
    """Open the page and press Start."""
    page.goto(url)
    page.fill("[name=rater]", rater)
    page.click("button[type=submit]")
    page.wait_for_selector("main:not([data-stage=welcome])")


def go_on(page: Page) -> None:
    """Leave one of the pages before the trials."""
    now = stage(page)
    if now == "survey":
        page.check("input[type=radio] >> nth=0", force=True)
    page.click("button[value=yes]" if now == "consent" else "main button[type=submit]")
    page.wait_for_selector(f"main:not([data-stage={now}])")


def wait_for_trial(page: Page, words: str) -> None:
    """Wait until the trial that the bar names so is on screen and takes answers."""
    page.wait_for_function(
        "words => document.querySelector('#where').textContent.includes(words)", arg=words
    )
    page.wait_for_selector("jb-trial.ready .question.now")


def arrive(page: Page, url: str, rater: str = "r1") -> None:
    """Go to the first practice trial or trial, whose media may still be on their way."""
    enroll(page, url, rater)
    while stage(page) in BEFORE:
        go_on(page)
    page.wait_for_selector("jb-trial .question.now")


def begin(page: Page, url: str, rater: str = "r1") -> str:
    """Go to the first practice trial or trial; gives the stage reached."""
    arrive(page, url, rater)
    page.wait_for_selector("jb-trial.ready .question.now")
    return stage(page)


def submit(page: Page, *keys: str) -> None:
    """Press the keys of an answer, then Enter, and wait for whatever comes after this trial."""
    before = [stage(page), shown_trial(page)]
    for key in (*keys, "Enter"):
        page.keyboard.press(key)
    page.wait_for_function(
        """([stage, where]) => document.querySelector("main").dataset.stage !== stage
           || document.querySelector("#where").textContent !== where""",
        arg=before,
    )


AWAY = """
Object.defineProperty(Document.prototype, "hidden", { get: () => window.away });
window.away = true;
"""


def look_away(page: Page) -> None:
    """Let the rater look at something else whenever a page comes, so that no time of it passes."""
    page.add_init_script(AWAY)


def look_back(page: Page) -> None:
    """Let the rater look at the page again."""
    page.evaluate("() => { window.away = false; }")


def wait_until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait for something outside the page; its events are heard meanwhile."""
    until = monotonic() + PATIENCE
    while not holds():
        assert monotonic() < until, f"it did not come true within {PATIENCE:g} seconds"
        page.wait_for_timeout(50)


def shown_trial(page: Page) -> str:
    """What tells the trial on screen from the one before."""
    return str(page.inner_text("#where"))
