"""What may happen in a trial, with every form of question and every medium that it may show.

The other states are those of a page or of a control. These are the moments that every protocol has
to live through, as a product: of what shows outputs with every form and medium, of what shows none
with every form, the media in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from jurybox.study.model import RaterId
from tests.study.examples import write_jsonl
from tests.web.covering import LEVELS, obeys
from tests.web.covering_studies import FORMS, output, write_case
from tests.web.reaching import click, then, wait
from tests.web.serving import Served, now
from tests.web.settling import Held
from tests.web.state import Reach, State
from tests.web.walking import arrive, begin, shown_trial, wait_for_stage

if TYPE_CHECKING:
    from playwright.sync_api import Page

FETCHED = ("image", "images", "audio", "video")
"""Media that come after the page."""
FAILED = ("Failed to load resource", "net::ERR")

KEYS: dict[str, tuple[str, ...]] = {
    "rate": ("Digit1", "ArrowRight"),
    "rows": (),
    "compare": ("Digit1",),
    "graded": ("Digit2",),
    "rank": ("a", "b", "c"),
    "best": ("a",),
    "detect": ("r", "Digit1"),
    "mark": ("Digit0",),
}
"""An answer to one trial; sliders in rows are moved one by one."""

RIGHT: dict[str, dict[str, str]] = {
    "rate": {"good": "5", "whole": ""},
    "rows": {"quality": "99..100"},
    "compare": {"preference": "b"},
    "graded": {"preference": "3"},
    "rank": {"fit": "3>2>1"},
    "best": {"best": "3"},
    "detect": {"origin": "generated"},
    "mark": {"errors": "4-7 fluency minor"},
}
"""What is right in practice, which is never the answer that the keys give."""


def write_moment(folder: Path, study: str) -> Path:
    """Write a study of two trials by its name: what it has besides them, form, medium."""
    kind, form, medium = study.removeprefix("moment-").split("-")
    write_case(folder, form=form, medium=medium, language="en")
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    if kind == "break":
        text += "session: {break_every: 0.0001}\n"
    if kind == "practice":
        ends = {"compare": "ab", "graded": "ab", "rank": "123", "best": "123"}.get(form, "")
        made = {
            f"made_{end}" if end else "made": output(folder, medium, number, f"practice-{number}")
            for number, end in enumerate(ends or ("",))
        }
        row = {"item": "p1", "asked": "What is right here?", **made, **RIGHT[form]}
        write_jsonl(folder / "practice.jsonl", [{**row, "explanation": "It could not be clearer."}])
        text += "quality: {practice: practice.jsonl}\n"
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return folder


def answer(page: Page, form: str) -> None:
    """Answer the trial on screen and submit it."""
    for key in KEYS[form]:
        page.keyboard.press(key)
    if form == "rows":
        for slider in page.locator("main .question .slider input").all():
            slider.press("ArrowRight")
    page.keyboard.press("Control+Enter")


def loading(form: str) -> Reach:
    """Media are on their way, and Submit was pressed all the same."""

    def reach(page: Page, url: str, served: Served) -> None:
        Held(page, "**/media/*")
        arrive(page, url)
        page.wait_for_selector(".loading")
        answer(page, form)
        page.wait_for_selector(".problem:not([hidden])")

    return reach


def broken(form: str) -> Reach:
    """No medium can be fetched."""

    def reach(page: Page, url: str, served: Served) -> None:
        page.route("**/media/*", lambda route: route.abort())
        arrive(page, url)
        page.wait_for_selector(".broken")

    return reach


def missing(form: str) -> Reach:
    """Submit was pressed before anything was answered."""
    return then(click("[data-submit]"), wait(".problem:not([hidden])"))


def offline(form: str) -> Reach:
    """The first answer waits for a network that is gone, while the second trial is shown."""

    def reach(page: Page, url: str, served: Served) -> None:
        begin(page, url)
        page.route("**/api/**", lambda route: route.abort())
        answer(page, form)
        page.wait_for_selector("#unsent:not([hidden])")

    return reach


def practice_wrong(form: str) -> Reach:
    return then(partial(answer, form=form), wait(".feedback[data-right=no]"))


def lease_lost(form: str) -> Reach:
    """While the rater was away, others took what was theirs; the answer is kept all the same."""

    def reach(page: Page, url: str, served: Served) -> None:
        begin(page, url)
        later = now() + timedelta(hours=1)
        other = served.store.enroll(RaterId("other"), token_hash="other", now=later)
        taken = served.store.claim(other.id, count=100, lease=timedelta(hours=1), now=later)
        assert len(taken) == 2
        answer(page, form)
        wait_for_stage(page, "end")
        (kept,) = served.store.submissions()
        assert kept.submission.rater == "r1"

    return reach


def rest(form: str) -> Reach:
    return then(partial(answer, form=form), wait("main[data-stage=break]"))


def ended(form: str) -> Reach:
    def reach(page: Page, url: str, served: Served) -> None:
        rest(form)(page, url, served)
        page.click("main button[type=submit]")
        page.wait_for_selector("jb-trial.ready .question.now")
        assert shown_trial(page)
        answer(page, form)
        wait_for_stage(page, "end")

    return reach


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Something that may happen in a trial of any form."""

    name: str
    reach: Callable[[str], Reach]
    media: tuple[str, ...] = tuple(LEVELS["medium"])
    """What may be on screen then."""
    shows: bool = True
    """Whether outputs are on screen."""
    expect: tuple[str, ...] = ()
    kind: str = "plain"
    """What the study has besides two trials: nothing, a practice trial, or a break between them."""


MOMENTS = (
    Moment(name="loading", reach=loading, media=FETCHED),
    Moment(name="broken", reach=broken, media=FETCHED, expect=FAILED),
    Moment(name="missing", reach=missing),
    Moment(name="offline", reach=offline, expect=FAILED),
    Moment(name="practice-wrong", reach=practice_wrong, kind="practice"),
    Moment(name="lease-lost", reach=lease_lost, shows=False),
    Moment(name="break", reach=rest, shows=False, kind="break"),
    Moment(name="ended", reach=ended, shows=False, kind="break"),
)


def every_state() -> Iterator[State]:
    """The states of the product, each with a study of its own."""
    for moment in MOMENTS:
        pairs = [
            (form, medium)
            for form, medium in product(FORMS, moment.media)
            if obeys({"form": form, "medium": medium})
        ]
        if not moment.shows:
            turns = {form: [m for f, m in pairs if f == form] for form in FORMS}
            pairs = [(form, of[k % len(of)]) for k, (form, of) in enumerate(turns.items())]
        for form, medium in pairs:
            yield State(
                name=f"moment-{moment.name}-{form}-{medium}",
                study=f"moment-{moment.kind}-{form}-{medium}",
                reach=moment.reach(form),
                expect=moment.expect,
            )


MOMENT_STATES = tuple(every_state())
