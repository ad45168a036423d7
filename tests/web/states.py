"""Every page in every state it can be in, and how a person gets there.

Accessibility, content policy and screenshots iterate over this list; a test fails when a template
or a route is missing from it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from jurybox.study.model import RaterId
from jurybox.web.groups import invite_of
from tests.web.organizer_states import ORGANIZER_ROUTES, ORGANIZER_STATES
from tests.web.serving import Served, now
from tests.web.settling import Held, play_endlessly, resize
from tests.web.state import Reach, State
from tests.web.test_api import leave_trials
from tests.web.walking import arrive, begin, enroll, go_on, look_away, stage, wait_for_stage

if TYPE_CHECKING:
    from playwright.sync_api import Page


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


def narrow(page: Page) -> None:
    """A phone, where the outputs of a pair are tabs."""
    resize(page, 390, 844)


def edit(page: Page) -> None:
    page.click(".spans [data-edit]")


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
        page.wait_for_selector("jb-trial.ready .question.now")
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


def more(page: Page, url: str, served: Served) -> None:
    """Everything that was asked for is done, and another rater has left a trial."""
    leave_trials(served.app)
    begin(page, url)
    for number in (1, 2):
        at_trial(number)(page)
        press("Digit1", "Enter")(page)
    wait_for_stage(page, "more")


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


def nowhere(page: Page, url: str, served: Served) -> None:
    page.goto(f"{url}/report/1/none")


def mturk(assignment: str) -> Reach:
    """As Mechanical Turk opens the page, before or after the HIT is accepted."""
    query = f"assignmentId={assignment}&hitId=H1&turkSubmitTo=https://workersandbox.mturk.com"
    worker = "" if assignment.startswith("ASSIGNMENT") else "&workerId=W1"

    def reach(page: Page, url: str, served: Served) -> None:
        page.goto(f"{url}/?{query}{worker}")

    return reach


def mturk_end(page: Page, url: str, served: Served) -> None:
    mturk("A1")(page, url, served)
    while stage(page) in ("welcome", "guide"):
        go_on(page)
    page.wait_for_selector("jb-trial.ready .question.now")
    press("3", "Enter")(page)
    wait_for_stage(page, "end")


def ranked(page: Page) -> None:
    """The first trial of the ranking is answered."""
    press("a", "b", "c", "d", "Enter")(page)
    at_trial(2)(page)
    page.wait_for_selector("#jump:enabled")


def at_trial(number: int) -> Callable[[Page], None]:
    def step(page: Page) -> None:
        page.wait_for_function(
            "text => new RegExp(text).test(document.querySelector('#where').textContent)",
            arg=rf"\b{number}\b\D+\b2\b",  # in any language
        )

    return step


UNKEPT = """
const refuse = () => { throw new DOMException("", "SecurityError"); };
Object.defineProperty(window, "localStorage", { get: refuse });
IDBFactory.prototype.open = refuse;
"""


def unkept(page: Page, url: str, served: Served) -> None:
    """A browser that keeps nothing, as in private windows and frames of other sites."""
    page.add_init_script(UNKEPT)
    begin(page, url)
    page.wait_for_selector("header .notice >> nth=1")


def headphones_test(page: Page, url: str, served: Served) -> None:
    at_stage("headphones")(page, url, served)
    page.click("button[type=submit]")
    page.click("button[type=submit]")
    page.wait_for_selector("#notice:not([hidden])")


def held(*steps: Callable[[Page], object]) -> Reach:
    """Media stay on their way, then each step."""

    def reach(page: Page, url: str, served: Served) -> None:
        page.clock.install()
        Held(page, "**/media/*")
        arrive(page, url)
        for step in steps:
            step(page)

    return reach


def wait_long(page: Page) -> None:
    """Long enough to be offered something else."""
    page.clock.fast_forward(10_000)
    page.wait_for_selector(".late")


def unseen(page: Page, url: str, served: Served) -> None:
    """A picture that was not looked at for long enough when Submit was pressed."""
    look_away(page)
    then(press("3", "Enter"), wait(".problem:not([hidden])"))(page, url, served)


def without(kind: str, selector: str) -> Reach:
    """Media of one kind cannot be fetched."""

    def reach(page: Page, url: str, served: Served) -> None:
        page.route(
            "**/media/*",
            lambda route: (
                route.abort() if route.request.resource_type == kind else route.continue_()
            ),
        )
        begin(page, url)
        page.wait_for_selector(selector)

    return reach


def loop(page: Page) -> None:
    """A loop from the first second to the second one, whose ends can be moved."""
    page.focus(".player .position")
    press("ArrowRight", "l", "ArrowRight", "l")(page)
    page.wait_for_selector(".loop-end")


TRIAL = ("rater.html", "shell.html", "dialogs.html", "trial.html", "block.html", "question.html")
FAILED = ("Failed to load resource", "net::ERR")
REFUSED = ("status of 401", "status of 409")

BROKEN = ("Failed to load resource",)

STATES = (
    State(
        name="welcome",
        study="rate",
        reach=welcome,
        templates=("stage-welcome.html", "about.html"),
    ),
    State(name="welcome-rules", study="rules", reach=welcome),
    State(
        name="mturk-preview",
        study="mturk",
        reach=mturk("ASSIGNMENT_ID_NOT_AVAILABLE"),
        templates=("stage-mturk-preview.html",),
    ),
    State(name="mturk-welcome", study="mturk", reach=mturk("A1")),
    State(name="mturk-end", study="mturk", reach=mturk_end),
    State(name="welcome-id-taken", study="rank", reach=taken, expect=REFUSED),
    State(
        name="consent", study="rate", reach=at_stage("consent"), templates=("stage-consent.html",)
    ),
    State(name="declined", study="rate", reach=declined, templates=("stage-declined.html",)),
    State(name="survey", study="rate", reach=at_stage("survey"), templates=("stage-survey.html",)),
    State(name="guide", study="rate", reach=at_stage("guide"), templates=("stage-guide.html",)),
    State(
        name="headphones-volume",
        study="headphones",
        reach=at_stage("headphones"),
        templates=("stage-headphones.html",),
    ),
    State(name="headphones-test", study="headphones", reach=headphones_test),
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
    State(name="trial-anchors-open", study="sides", reach=then(press("o"))),
    State(name="trial-differences", study="compare", reach=then(press("d"))),
    State(name="trial-unseen", study="graded", reach=then(narrow, press("3", "Enter"))),
    State(name="trial-rank", study="rank", reach=then()),
    State(name="trial-rank-partly", study="rank", reach=then(press("c", "a", "="))),
    State(name="trial-rank-done", study="rank", reach=then(press("c", "a", "=", "b", "d"))),
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
    State(
        name="trial-mark-editing",
        study="mark",
        reach=then(click(".word >> nth=1"), click(".word >> nth=2"), press("1", "2"), edit),
    ),
    State(name="trial-media", study="media", reach=then()),
    State(name="trial-pair", study="pair", reach=then()),
    State(name="trial-pair-zoomed", study="pair", reach=then(press("z"))),
    State(name="trial-pair-wipe", study="pair", reach=then(press("w"), wait(".overlay"))),
    State(name="trial-pair-flicker", study="pair", reach=then(press("f"), wait(".overlay"))),
    State(name="trial-picture-loading", study="pair", reach=held(wait(".loading"))),
    State(
        name="trial-picture-awaited",
        study="pair",
        reach=held(press("1", "Enter"), wait(".problem:not([hidden])")),
    ),
    State(name="trial-picture-late", study="pair", reach=held(wait_long, press("1", "Enter"))),
    State(
        name="trial-picture-broken",
        study="broken",
        reach=then(wait(".broken"), press("1", "Enter"), wait(".problem:not([hidden])")),
        expect=BROKEN,
    ),
    State(name="trial-picture-over", study="brief", reach=then(wait(".picture.over"))),
    State(name="trial-picture-wanted", study="look", reach=unseen),
    State(name="trial-sounds", study="sounds", reach=then(wait(".listen"))),
    State(
        name="trial-sounds-playing",
        study="sounds",
        reach=then(wait(".listen"), play_endlessly, press("b", "l"), wait(".listen.playing")),
    ),
    State(name="trial-sounds-loading", study="sounds", reach=held(wait(".loading"))),
    State(name="trial-sounds-late", study="sounds", reach=held(wait_long)),
    State(name="trial-mushra-late", study="mushra", reach=held(wait_long, press("Enter"))),
    State(name="trial-films-late", study="films", reach=held(wait_long)),
    State(
        name="trial-sounds-broken",
        study="broken-sound",
        reach=then(wait(".broken"), wait(".listen")),
        expect=BROKEN,
    ),
    State(
        name="trial-sounds-wanted",
        study="heard",
        reach=then(wait(".listen"), press("1", "Enter"), wait(".problem:not([hidden])")),
    ),
    State(name="trial-films", study="films", reach=then(wait(".listen"))),
    State(
        name="trial-films-broken",
        study="films",
        reach=without("media", ".broken"),
        expect=FAILED,
    ),
    State(
        name="trial-mushra",
        study="mushra",
        reach=then(wait(".row .listen")),
        templates=("rows.html",),
    ),
    State(name="trial-mushra-looped", study="mushra", reach=then(wait(".row .listen"), loop)),
    State(
        name="trial-mushra-rating",
        study="mushra",
        reach=then(
            wait(".row .listen"), play_endlessly, press("c", "ArrowRight"), wait(".row .playing")
        ),
    ),
    State(
        name="trial-mushra-broken",
        study="mushra",
        reach=without("fetch", ".row .broken"),
        expect=FAILED,
    ),
    State(name="trial-comment", study="mark", reach=then(press("c"))),
    State(name="trial-offline", study="graded", reach=then(offline), expect=FAILED),
    State(
        name="dialog-guide",
        study="rank",
        reach=then(press("i"), wait("#dialog-guide[open]")),
    ),
    State(name="dialog-keys", study="mark", reach=then(press("?"), wait("#dialog-keys[open]"))),
    State(
        name="dialog-keys-changing",
        study="compare",
        reach=then(press("?"), wait("#dialog-keys[open]"), click("[data-remap=skip]")),
    ),
    State(name="dialog-skip", study="compare", reach=then(press("s"), wait("#dialog-skip[open]"))),
    State(
        name="dialog-problem",
        study="rank",
        reach=then(click("[data-open=problem] >> visible=true"), wait("#dialog-problem[open]")),
    ),
    State(name="trial-looking-back", study="rank", reach=then(ranked, click("#back"), at_trial(1))),
    State(
        name="dialog-jump",
        study="rank",
        reach=then(ranked, click("#jump"), wait("#dialog-jump[open]")),
    ),
    State(name="trial-unkept", study="rank", reach=unkept),
    State(name="dialog-stop", study="rank", reach=then(click("[data-open=stop]"))),
    State(name="break", study="compare", reach=then(one_vote), templates=("stage-break.html",)),
    State(name="more", study="shared", reach=more, templates=("stage-more.html",)),
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
    *ORGANIZER_STATES,
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
    "POST /api/headphones": "headphones-test",
    "POST /api/submit": "end",
    "PUT /api/draft": "trial-compare-answered",
    "GET /api/past/{assignment}": "trial-looking-back",
    "POST /api/problem": "dialog-problem",
    "POST /api/leave": "dialog-jump",
    "POST /api/break": "break",
    "POST /api/more": "more",
    "POST /api/stop": "stopped",
    "POST /api/withdraw": "withdrawn",
    **ORGANIZER_ROUTES,
}
"""Every route, with a state in which a person meets it or what it does."""
