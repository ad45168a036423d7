"""How a person gets into each state of the rater's pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from jurybox.screen.guide import guide_html
from jurybox.study.guide import make_guide
from jurybox.study.model import RaterId
from jurybox.web.groups import invite_of
from tests.web.serving import Served, now
from tests.web.settling import Held, resize
from tests.web.state import Reach
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


def edit(page: Page) -> None:
    page.click(".spans [data-edit]")


def welcome(page: Page, url: str, served: Served) -> None:
    page.goto(url)


def uninvited(page: Page, url: str, served: Served) -> None:
    page.goto(url)
    page.wait_for_selector("form.start", state="detached")


def guide_file(page: Page, url: str, served: Served) -> None:
    """The guide as one file, which `jurybox guidelines` writes."""
    page.set_content(guide_html(make_guide(served.study, served.material)))


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


def returning(page: Page) -> None:
    page.route("**/api/**", lambda route: route.abort())
    page.reload()
    page.wait_for_selector("main .card h1")
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


def unlooked(page: Page, url: str, served: Served) -> None:
    """On a phone, where the outputs of a pair are tabs, Submit before B was looked at."""
    resize(page, 390, 844)
    then(press("3", "Enter"), wait(".problem:not([hidden])"))(page, url, served)


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
