"""The organizer's pages in every state they can be in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jurybox.simulate.truth import Kind
from jurybox.study.model import RaterId
from tests.web.filling import KINDS, fill, real_offers, trouble
from tests.web.serving import ADMIN, Served, now
from tests.web.settling import Held
from tests.web.state import Reach, State
from tests.web.walking import begin, go_on, stage, submit, wait_for_stage

if TYPE_CHECKING:
    from playwright.sync_api import Page

FINISHED: tuple[Kind, ...] = ("careful",) * 4
ONE: tuple[Kind, ...] = ("careful",)


def open_part(page: Page, url: str, part: str) -> None:
    """Open the page by its link, then one of its parts."""
    page.goto("about:blank")
    page.goto(f"{url}/organizer#token={ADMIN}")
    page.wait_for_selector("#part h1:not(.unseen)")
    page.goto(f"{url}/organizer#/{part}")
    name = part.split("?")[0].split("/")[0]
    page.wait_for_selector(f'.nav a[aria-current=page][href="#/{name}"]')
    page.wait_for_selector("#part[aria-busy=false] h1")
    if "/" in part or "?rater=" in part:
        page.wait_for_selector(".crumb")


def at(part: str, *, kinds: tuple[Kind, ...] | None = KINDS, then: str = "") -> Reach:
    """A part of the page after raters of these kinds, with something clicked on it."""

    def reach(page: Page, url: str, served: Served) -> None:
        if kinds is not None:
            fill(served, now=now(), kinds=kinds)
            trouble(served, now=now())
            served.app.state.site.offers = real_offers(served)
        trial = served.store.submissions(limit=1)[0].submission.trial if kinds else ""
        open_part(page, url, part.format(trial=trial))
        if then:
            page.click(then)

    return reach


def invited(page: Page, url: str, served: Served) -> None:
    open_part(page, url, "invitations")
    page.fill("textarea", "Ada\nGrace")
    page.click("[data-invite] button")
    page.wait_for_selector("#part code")
    page.click("button[aria-label='Revoke the link of Ada']")
    page.wait_for_selector("button[aria-label='Make the link of Ada good again']")


def unblinded(page: Page, url: str, served: Served) -> None:
    at("results")(page, url, served)
    page.click("#unblind summary")
    page.fill("#by-unblind", "Grace")
    page.check("[name=sure]")
    page.click("#unblind button")
    page.wait_for_selector(".badge:text-is('Names shown')")
    page.click("#everything summary")


def excluded(page: Page, url: str, served: Served) -> None:
    at("raters?rater=rater-02")(page, url, served)
    served.store.update_rater(RaterId("rater-02"), paused=True, finished_at=None, now=now())
    page.click("#exclude summary")
    page.select_option("#rule", "gold_below")
    page.fill("#why", "Answers in the wrong language")
    page.fill("#by-exclude", "Grace")
    page.click("#exclude button")
    page.click("#undo-gold_below summary")


def handled(page: Page, url: str, served: Served) -> None:
    """One problem handled and one open, both with their forms."""
    trial = next(one.id for one in served.app.state.site.plan.trials if one.kind == "main")
    at("trials")(page, url, served)
    for words in ("The text is cut off.", "Text ends in the middle of a word.", "Typo in line 2."):
        detail = {"words": words}
        served.store.event(
            "problem", rater=RaterId("rater-01"), trial=trial, detail=detail, now=now()
        )
    open_part(page, url, f"trials/{trial}")
    *_, second, third = served.store.events("problem")
    page.click(f"#handle-{second.id} summary")
    page.fill(f"#note-{second.id}", "Whole text restored")
    page.fill(f"#by-problem-{second.id}", "Grace")
    page.check(f"#handle-{second.id} [name=earlier]")
    page.click(f"#handle-{second.id} button")
    page.click(f"#reopen-{second.id} summary")
    page.click(f"#handle-{third.id} summary")


def withdrawn(page: Page, url: str, served: Served) -> None:
    fill(served, now=now())
    served.store.update_rater(RaterId("rater-01"), withdrawn_at=now(), now=now())
    open_part(page, url, "raters?rater=rater-01")


def opened(page: Page, url: str, served: Served) -> None:
    at("calibration", then="#open-main summary")(page, url, served)
    page.fill("#by-open", "Grace")
    page.click("#open-main button")
    page.wait_for_selector("text=Main round open")


def calibrated(page: Page, url: str, served: Served) -> None:
    """A rater who has answered the calibration and waits for the main round."""
    begin(page, url)
    while stage(page) == "trial":
        submit(page, "Digit3", "Digit4")
    wait_for_stage(page, "calibrated")


def locked_out(page: Page, url: str, served: Served) -> None:
    page.goto(f"{url}/organizer")
    page.wait_for_selector("#notice:not([hidden])")


def loading(page: Page, url: str, served: Served) -> None:
    """The page was opened, and the server takes its time."""
    Held(page, "**/api/organizer/**")
    page.goto(f"{url}/organizer#token={ADMIN}")
    page.wait_for_selector("#part h1:text-is('Loading …')")


def wrong(page: Page, url: str, served: Served) -> None:
    open_part(page, url, "progress")
    page.goto(f"{url}/organizer#/raters?rater=nobody")
    page.wait_for_selector("#notice:not([hidden])")


def offline(page: Page, url: str, served: Served) -> None:
    open_part(page, url, "progress")
    page.route("**/api/**", lambda route: route.abort())
    page.wait_for_selector("#notice:not([hidden])")


def preview(*, to_the_end: bool) -> Reach:
    def reach(page: Page, url: str, served: Served) -> None:
        page.goto(f"{url}/preview#token={ADMIN}&at=trials")
        page.wait_for_selector("jb-trial.ready .question.now")
        if to_the_end:
            page.keyboard.press("Digit1")
            page.keyboard.press("Enter")
            wait_for_stage(page, "end")

    return reach


def from_the_beginning(page: Page, url: str, served: Served) -> None:
    """The preview, past its first page."""
    page.goto(f"{url}/preview#token={ADMIN}")
    wait_for_stage(page, "welcome")
    go_on(page)


FAILED = ("Failed to load resource", "net::ERR")
SHELL = ("organizer.html", "organizer-macros.html")

ORGANIZER_STATES = (
    State(name="preview-first", study="rate", reach=from_the_beginning),
    State(name="preview", study="graded", reach=preview(to_the_end=False)),
    State(
        name="preview-end",
        study="graded",
        reach=preview(to_the_end=True),
        templates=("stage-preview-end.html",),
    ),
    State(
        name="calibrated",
        study="panel",
        reach=calibrated,
        templates=("stage-calibrated.html",),
    ),
    State(name="organizer-without-token", study="graded", reach=locked_out),
    State(name="organizer-wrong", study="graded", reach=wrong, expect=("status of 404",)),
    State(name="organizer-loading", study="graded", reach=loading),
    State(name="organizer-offline", study="graded", reach=offline, expect=FAILED),
    State(
        name="organizer-empty",
        study="panel",
        reach=at("progress", kinds=None),
        templates=(*SHELL, "organizer-progress.html"),
    ),
    State(name="organizer-progress", study="panel", reach=at("progress")),
    State(name="organizer-progress-one", study="panel", reach=at("progress", kinds=ONE)),
    State(name="organizer-progress-complete", study="panel", reach=at("progress", kinds=FINISHED)),
    State(name="organizer-progress-groups", study="groups", reach=at("progress", kinds=None)),
    State(name="organizer-raters-empty", study="graded", reach=at("raters", kinds=None)),
    State(
        name="organizer-raters",
        study="panel",
        reach=at("raters"),
        templates=("organizer-raters.html",),
    ),
    State(
        name="organizer-rater",
        study="panel",
        reach=at("raters?rater=rater-01", then="#exclude summary"),
        templates=("organizer-rater.html",),
    ),
    State(name="organizer-rater-excluded", study="panel", reach=excluded),
    State(name="organizer-rater-withdrawn", study="panel", reach=withdrawn),
    State(
        name="organizer-trials",
        study="panel",
        reach=at("trials?state=open"),
        templates=("organizer-trials.html",),
    ),
    State(name="organizer-trials-none", study="panel", reach=at("trials?q=nothing", kinds=None)),
    State(
        name="organizer-trial",
        study="panel",
        reach=at("trials/{trial}"),
        templates=("organizer-trial.html",),
    ),
    State(name="organizer-trial-problems", study="panel", reach=handled),
    State(name="organizer-trials-problems", study="panel", reach=at("trials?state=problem")),
    State(
        name="organizer-calibration",
        study="panel",
        reach=at("calibration", then="#open-main summary"),
        templates=("organizer-calibration.html",),
    ),
    State(name="organizer-calibration-empty", study="panel", reach=at("calibration", kinds=None)),
    State(name="organizer-calibration-open", study="panel", reach=opened),
    State(
        name="organizer-results",
        study="panel",
        reach=at("results", then="#unblind summary"),
        templates=("organizer-results.html",),
    ),
    State(name="organizer-results-empty", study="panel", reach=at("results", kinds=None)),
    State(name="organizer-results-names", study="panel", reach=unblinded),
    State(
        name="organizer-invitations",
        study="graded",
        reach=invited,
        templates=("organizer-invitations.html",),
    ),
    State(name="organizer-invitations-groups", study="groups", reach=invited),
    State(
        name="organizer-export",
        study="graded",
        reach=at("export", kinds=None),
        templates=("organizer-export.html",),
    ),
)

ORGANIZER_ROUTES = {
    "GET /preview": "preview",
    "GET /api/preview/next": "preview",
    "GET /api/preview/guide": "preview",
    "POST /api/preview/submit": "preview-end",
    "POST /api/preview/{step}": "preview-first",
    "GET /organizer": "organizer-empty",
    "GET /api/organizer/progress": "organizer-progress",
    "GET /api/organizer/raters": "organizer-raters",
    "POST /api/organizer/raters": "organizer-rater-excluded",
    "GET /api/organizer/trials": "organizer-trials",
    "GET /api/organizer/trials/{trial}": "organizer-trial",
    "POST /api/organizer/problems": "organizer-trial-problems",
    "GET /api/organizer/calibration": "organizer-calibration",
    "POST /api/organizer/calibration/open": "organizer-calibration-open",
    "GET /api/organizer/results": "organizer-results",
    "POST /api/organizer/unblind": "organizer-results-names",
    "GET /api/organizer/invitations": "organizer-invitations",
    "POST /api/organizer/invitations": "organizer-invitations",
    "POST /api/organizer/invitations/revoke": "organizer-invitations",
    "GET /api/organizer/invitations.csv": "organizer-invitations",
    "GET /api/organizer/export": "organizer-export",
    "GET /api/organizer/export/{shape}": "organizer-export",
    "GET /api/organizer/export.zip": "organizer-export",
    "GET /api/organizer/payments.csv": "organizer-export",
    "POST /api/organizer/report": "organizer-results",
    "GET /report/{until}/{seal}": "organizer-results",
}
"""The organizer's routes, with a state in which a person meets them or what they do."""
