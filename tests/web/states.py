"""Every page in every state it can be in, and how a person gets there.

Accessibility, content policy and screenshots iterate over this list; a test fails when a template
or a route is missing from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from jurybox.study.model import RaterId
from jurybox.web.groups import invite_of
from tests.web.serving import ADMIN, Served, now
from tests.web.walking import begin, enroll, go_on, stage, wait_for_stage

if TYPE_CHECKING:
    from playwright.sync_api import Page

Reach = Callable[["Page", str, Served], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One page in one state."""

    name: str
    study: str
    reach: Reach
    templates: tuple[str, ...] = ()
    """Templates that are drawn here."""
    expect: tuple[str, ...] = ()
    """Console messages that belong to the state, such as those of a dead network."""


def at_stage(wanted: str) -> Reach:
    """Walk through the pages before the trials up to one of them."""

    def reach(page: Page, url: str, served: Served) -> None:
        enroll(page, url)
        while stage(page) != wanted:
            go_on(page)

    return reach


def then(*steps: Callable[[Page], object]) -> Reach:
    """Begin, then do each step."""

    def reach(page: Page, url: str, served: Served) -> None:
        begin(page, url)
        for step in steps:
            step(page)

    return reach


def press(*keys: str) -> Callable[[Page], None]:
    def step(page: Page) -> None:
        for key in keys:
            page.keyboard.press(key)

    return step


def click(selector: str) -> Callable[[Page], None]:
    return lambda page: page.click(selector)


def wait(selector: str) -> Callable[[Page], object]:
    return lambda page: page.wait_for_selector(selector)


def welcome(page: Page, url: str, served: Served) -> None:
    page.goto(url)


def taken(page: Page, url: str, served: Served) -> None:
    enroll(page, url)
    other = page.context.browser
    assert other is not None
    page.evaluate("() => localStorage.clear()")
    page.goto(url)
    page.fill("[name=rater]", "r1")
    page.click("button[type=submit]")
    page.wait_for_selector("#notice:not([hidden])")


def declined(page: Page, url: str, served: Served) -> None:
    enroll(page, url)
    page.click("button[value=no]")
    wait_for_stage(page, "declined")


def screened_out(page: Page, url: str, served: Served) -> None:
    begin(page, url)
    for _ in range(4):
        page.wait_for_selector("jb-trial .question.now")
        page.keyboard.press("r")
        page.keyboard.press("Digit1")
        page.keyboard.press("Enter")
        page.wait_for_selector(".feedback")
        page.keyboard.press("Enter")
        page.wait_for_selector(".feedback", state="detached")
    wait_for_stage(page, "screened-out")


def offline(page: Page) -> None:
    page.route("**/api/**", lambda route: route.abort())
    page.keyboard.press("Digit2")
    page.keyboard.press("Enter")
    page.wait_for_selector("#unsent:not([hidden])")
    page.wait_for_selector("#notice:not([hidden])")


def paused(page: Page, url: str, served: Served) -> None:
    begin(page, url)
    (rater,) = served.store.raters()
    served.store.update_rater(rater.id, paused=True)
    page.reload()
    wait_for_stage(page, "paused")


def full(page: Page, url: str, served: Served) -> None:
    """Everything is leased to others before the rater comes."""
    number = 0
    while True:
        other = served.store.enroll(RaterId(f"o{number}"), token_hash=f"{number}", now=now())
        lease = timedelta(hours=1)
        if not served.store.claim(other.id, count=100, lease=lease, now=now()):
            break
        number += 1
    enroll(page, url)
    wait_for_stage(page, "full")


def group_full(page: Page, url: str, served: Served) -> None:
    """The one place for an expert is another's before the rater comes."""
    store, lease = served.store, timedelta(hours=1)
    other = store.enroll(RaterId("other"), token_hash="other", now=now())
    assert store.take_place(other.id, "expert", quota=1, lease=lease, now=now())
    invite = invite_of(served.app.state.site, "Ada", "expert")
    page.goto(f"{url}/#invite={invite}&id=Ada")
    page.click("button[type=submit]")
    wait_for_stage(page, "group-full")


def one_vote(page: Page) -> None:
    press("Digit1", "Digit3", "Enter")(page)
    page.wait_for_function("() => document.querySelector('main').dataset.stage === 'break'")


def organizer(part: str, *, after_votes: bool = True) -> Reach:
    def reach(page: Page, url: str, served: Served) -> None:
        if after_votes:
            begin(page, url, "Ada")
            one_vote(page)
        trial = served.store.submissions()[0].submission.trial if after_votes else ""
        page.goto("about:blank")
        page.goto(f"{url}/organizer#token={ADMIN}")
        page.wait_for_selector("#part h1:not(.unseen)")
        page.goto(f"{url}/organizer#/{part.format(trial=trial)}")
        page.wait_for_function(
            "name => document.querySelector('#part h1').textContent.startsWith(name)",
            arg={"results": "Results", "trials/{trial}": "Trial "}.get(part, part.capitalize()),
        )

    return reach


def invited(page: Page, url: str, served: Served) -> None:
    organizer("invitations", after_votes=False)(page, url, served)
    page.fill("textarea", "Ada\nGrace")
    page.click("form button")
    page.wait_for_selector("#part code")


def nowhere(page: Page, url: str, served: Served) -> None:
    page.goto(f"{url}/report/1/none")


def locked_out(page: Page, url: str, served: Served) -> None:
    page.goto(f"{url}/organizer")
    page.wait_for_selector("#notice:not([hidden])")


def preview(*, to_the_end: bool) -> Reach:
    def reach(page: Page, url: str, served: Served) -> None:
        page.goto(f"{url}/preview#token={ADMIN}")
        page.wait_for_selector("jb-trial .question.now")
        if to_the_end:
            press("Digit1", "Enter")(page)
            wait_for_stage(page, "end")

    return reach


TRIAL = ("rater.html", "shell.html", "dialogs.html", "trial.html", "block.html", "question.html")
FAILED = ("Failed to load resource", "net::ERR")
REFUSED = ("status of 401", "status of 409")

STATES = (
    State(name="welcome", study="rate", reach=welcome, templates=("stage-welcome.html",)),
    State(name="welcome-id-taken", study="rank", reach=taken, expect=REFUSED),
    State(
        name="consent", study="rate", reach=at_stage("consent"), templates=("stage-consent.html",)
    ),
    State(name="declined", study="rate", reach=declined, templates=("stage-declined.html",)),
    State(name="survey", study="rate", reach=at_stage("survey"), templates=("stage-survey.html",)),
    State(name="guide", study="rate", reach=at_stage("guide"), templates=("stage-guide.html",)),
    State(name="practice", study="rate", reach=then()),
    State(
        name="practice-right",
        study="rate",
        reach=then(press("0", "5", "End", "Enter"), wait(".feedback[data-right=yes]")),
        templates=("feedback.html",),
    ),
    State(
        name="practice-wrong",
        study="rate",
        reach=then(press("2", "5", "End", "Enter"), wait(".feedback[data-right=no]")),
    ),
    State(
        name="screened-out",
        study="detect",
        reach=screened_out,
        templates=("stage-screened-out.html",),
    ),
    State(name="trial-compare", study="compare", reach=then(), templates=TRIAL),
    State(name="trial-compare-answered", study="compare", reach=then(press("1", "3"))),
    State(name="trial-graded", study="graded", reach=then(press("3"))),
    State(name="trial-sides", study="sides", reach=then(press("3", "4"))),
    State(name="trial-sides-missing", study="sides", reach=then(click("[data-submit]"))),
    State(name="trial-rank", study="rank", reach=then()),
    State(name="trial-rank-partly", study="rank", reach=then(press("c", "a", "="))),
    State(name="trial-best", study="best", reach=then(press("b"))),
    State(name="trial-best-zoomed", study="best", reach=then(press("z"))),
    State(name="trial-detect", study="detect", reach=then(press("r"))),
    State(name="trial-mark", study="mark", reach=then()),
    State(
        name="trial-mark-pending",
        study="mark",
        reach=then(click(".word >> nth=1"), click(".word >> nth=2")),
    ),
    State(
        name="trial-mark-marked",
        study="mark",
        reach=then(click(".word >> nth=1"), click(".word >> nth=2"), press("1", "2")),
    ),
    State(name="trial-media", study="media", reach=then()),
    State(name="trial-comment", study="mark", reach=then(press("c"))),
    State(name="trial-offline", study="graded", reach=then(offline), expect=FAILED),
    State(
        name="dialog-guide",
        study="rank",
        reach=then(press("i"), wait("#dialog-guide[open]")),
    ),
    State(name="dialog-keys", study="mark", reach=then(press("?"), wait("#dialog-keys[open]"))),
    State(name="dialog-skip", study="compare", reach=then(press("s"), wait("#dialog-skip[open]"))),
    State(name="dialog-stop", study="rank", reach=then(click("[data-open=stop]"))),
    State(name="break", study="compare", reach=then(one_vote), templates=("stage-break.html",)),
    State(
        name="stopped",
        study="rank",
        reach=then(
            click("[data-open=stop]"),
            click("#dialog-stop .primary"),
            wait("main[data-stage=stopped]"),
        ),
        templates=("stage-stopped.html", "code.html"),
    ),
    State(
        name="withdrawn",
        study="rank",
        reach=then(
            click("[data-open=stop]"),
            click("#dialog-stop .primary"),
            click("[data-withdraw]"),
            click("#dialog-withdraw .danger"),
            wait("main[data-stage=withdrawn]"),
        ),
        templates=("stage-withdrawn.html",),
    ),
    State(name="full", study="rank", reach=full, templates=("stage-full.html",)),
    State(
        name="group-full",
        study="groups",
        reach=group_full,
        templates=("stage-group-full.html",),
    ),
    State(name="paused", study="rank", reach=paused, templates=("stage-paused.html",)),
    State(
        name="end",
        study="graded",
        reach=then(press("3", "Enter"), wait("main[data-stage=end]")),
        templates=("stage-end.html",),
    ),
    State(
        name="problem",
        study="rank",
        reach=nowhere,
        templates=("problem.html",),
        expect=("status of 404",),
    ),
    State(name="preview", study="graded", reach=preview(to_the_end=False)),
    State(
        name="preview-end",
        study="graded",
        reach=preview(to_the_end=True),
        templates=("stage-preview-end.html",),
    ),
    State(name="organizer-without-token", study="graded", reach=locked_out),
    State(
        name="organizer-empty",
        study="graded",
        reach=organizer("progress", after_votes=False),
        templates=("organizer.html", "organizer-progress.html"),
    ),
    State(name="organizer-progress", study="compare", reach=organizer("progress")),
    State(
        name="organizer-progress-groups",
        study="groups",
        reach=organizer("progress", after_votes=False),
    ),
    State(name="organizer-invitations-groups", study="groups", reach=invited),
    State(
        name="organizer-raters",
        study="compare",
        reach=organizer("raters"),
        templates=("organizer-raters.html",),
    ),
    State(
        name="organizer-trials",
        study="compare",
        reach=organizer("trials"),
        templates=("organizer-trials.html",),
    ),
    State(
        name="organizer-trial",
        study="compare",
        reach=organizer("trials/{trial}"),
        templates=("organizer-trial.html",),
    ),
    State(
        name="organizer-results",
        study="compare",
        reach=organizer("results"),
        templates=("organizer-results.html",),
    ),
    State(
        name="organizer-invitations",
        study="graded",
        reach=invited,
        templates=("organizer-invitations.html",),
    ),
    State(
        name="organizer-export",
        study="graded",
        reach=organizer("export", after_votes=False),
        templates=("organizer-export.html",),
    ),
)

ROUTES = {
    "GET /": "welcome",
    "GET /media/{name}": "trial-best",
    "GET /static": "welcome",
    "POST /api/enroll": "consent",
    "GET /api/next": "consent",
    "POST /api/consent": "survey",
    "POST /api/survey": "guide",
    "GET /api/guide": "dialog-guide",
    "POST /api/guide": "practice",
    "POST /api/submit": "end",
    "PUT /api/draft": "trial-compare-answered",
    "POST /api/break": "break",
    "POST /api/stop": "stopped",
    "POST /api/withdraw": "withdrawn",
    "GET /preview": "preview",
    "GET /api/preview/next": "preview",
    "GET /api/preview/guide": "preview",
    "POST /api/preview/submit": "preview-end",
    "GET /organizer": "organizer-empty",
    "GET /api/organizer/progress": "organizer-progress",
    "GET /api/organizer/raters": "organizer-raters",
    "POST /api/organizer/raters": "paused",
    "GET /api/organizer/trials": "organizer-trials",
    "GET /api/organizer/trials/{trial}": "organizer-trial",
    "GET /api/organizer/results": "organizer-results",
    "GET /api/organizer/invitations": "organizer-invitations",
    "POST /api/organizer/invitations": "organizer-invitations",
    "GET /api/organizer/export": "organizer-export",
    "GET /api/organizer/export/{shape}": "organizer-export",
    "POST /api/organizer/report": "organizer-results",
    "GET /report/{until}/{seal}": "organizer-results",
}
"""Every route, with a state in which a person meets it or what it does."""
