"""How a rater gets through the pages before and between the trials, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

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


def begin(page: Page, url: str, rater: str = "r1") -> str:
    """Go to the first practice trial or trial; gives the stage reached."""
    enroll(page, url, rater)
    while stage(page) in BEFORE:
        go_on(page)
    page.wait_for_selector("jb-trial .question.now")
    return stage(page)


def wait_until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait for something outside the page."""
    for _ in range(300):
        if holds():
            return
        page.wait_for_timeout(100)
    raise AssertionError("it did not come true within 30 seconds")


def shown_trial(page: Page) -> str:
    """What tells the trial on screen from the one before."""
    return str(page.inner_text("#where"))
