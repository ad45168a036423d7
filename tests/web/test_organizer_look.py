"""How the organizer's pages are laid out: what belongs together stands together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.web.axe import SMALL
from tests.web.filling import fill, real_offers, trouble
from tests.web.lines import long_lines
from tests.web.organizer_states import invited, open_part
from tests.web.serving import ADMIN, now
from tests.web.settling import laid_out, resize

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage, Studio

SPAN = """selector => {
  const box = document.querySelector(selector).getBoundingClientRect();
  return [Math.round(box.left), Math.round(box.right)];
}"""
TOPS = """() => [...document.querySelectorAll(".side-by-side")].map(
  (row) => new Map([...row.querySelectorAll("li > a")].map((link) => {
    const card = link.closest("li").getBoundingClientRect().top;
    return [Math.round(link.getBoundingClientRect().top - card), link.textContent];
  })).size)"""


def test_numbers_stand_where_they_belong(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("panel")
    fill(served, now=now())
    trouble(served, now=now())
    served.app.state.site.offers = real_offers(served)
    body = {"rater": "rater-02", "action": "exclude", "rule": "organizer", "by": "x", "why": "y"}
    page = open_page()
    open_part(page, url, "results")
    # The ends of the scale are written under the ends of its lines.
    assert page.evaluate(SPAN, ".ends") == page.evaluate(SPAN, ".dot-line")
    # Whoever wrote a comment moves nobody else's name.
    open_part(page, url, "calibration")
    assert set(page.evaluate(TOPS)) == {1}
    # A mark is told once, beside the rules that are broken.
    answer = page.request.post(
        f"{url}/api/organizer/raters", data=body, headers={"Authorization": f"Bearer {ADMIN}"}
    )
    assert answer.ok
    open_part(page, url, "raters")
    told = page.inner_text("tr:has-text('rater-02')")
    assert "left out" in told
    assert "gold trials right" in told
    assert "marked as" not in told


PARTS = (
    *("progress", "raters", "raters?state=paused", "raters?rater=rater-01"),
    *("trials", "trials?q=nothing", "trials/{trial}"),
    *("calibration", "results", "invitations", "export"),
)


def opened(page: Page, url: str, part: str) -> None:
    """Open a part with everything on it unfolded."""
    open_part(page, url, part)
    page.evaluate("() => document.querySelectorAll('details').forEach((one) => (one.open = true))")


def test_fingers_hit_all_and_eyes_find_the_next_line(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("panel")
    page = open_page()
    for part in ("progress", "raters", "calibration", "results", "invitations"):  # nothing yet
        assert_roomy(page, url, part)
    fill(served, now=now())
    trouble(served, now=now())
    served.app.state.site.offers = real_offers(served)
    trial = served.store.submissions(limit=1)[0].submission.trial
    for part in PARTS:
        assert_roomy(page, url, part.format(trial=trial))
    page.goto(f"{url}/organizer")  # without the token, which is asked for in a notice
    page.evaluate("() => sessionStorage.clear()")
    page.reload()
    page.wait_for_selector("#notice:not([hidden])")
    assert long_lines(page, "body") == []


def assert_roomy(page: Page, url: str, part: str) -> None:
    opened(page, url, part)
    for width in (1280, 1920, 390):
        resize(page, width, 844)
        assert page.evaluate(SMALL) == [], (part, width)
        assert long_lines(page, "body") == [], (part, width)


CELLS = """() => [...new Set([...document.querySelectorAll("#part tr > *")].map(
  (cell) => getComputedStyle(cell).display))]"""
LINES_OF_IDS = """() => [...document.querySelectorAll("#part tbody th a")].map((id) => {
  const words = document.createRange();
  words.selectNodeContents(id);
  return words.getClientRects().length;
})"""


def test_the_lines_under_a_row_meet_since_each_cell_is_one(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("groups")
    page = open_page()
    invited(page, url, served)
    assert page.evaluate(CELLS) == ["table-cell"]


def test_ids_are_not_broken_at_their_hyphens(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("panel")
    fill(served, now=now())
    served.app.state.site.offers = real_offers(served)
    page = open_page()
    open_part(page, url, "raters")
    for width in (1280, 900, 390):
        resize(page, width, 844)
        assert set(page.evaluate(LINES_OF_IDS)) == {1}, width


TALLEST = """() => Math.max(...[...document.querySelectorAll(".wide-prose .scroll")].map(
  (one) => one.clientHeight))"""


def test_everything_that_is_said_has_tables_of_a_screen(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("panel")
    fill(served, now=now())
    served.app.state.site.offers = real_offers(served)
    page = open_page()
    opened(page, url, "results")
    for width, height in ((1280, 800), (390, 844)):
        resize(page, width, height)
        assert 0 < page.evaluate(TALLEST) <= 560


def test_the_organizer_sees_on_a_phone_which_output_is_which(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("graded")
    page = open_page()
    trial = served.app.state.site.plan.trials[0].id
    open_part(page, url, f"trials/{trial}")
    for width in (1280, 390):
        resize(page, width, 844)
        heads = page.locator(".picture-of-trial .tile > header h2").all()
        assert [one.inner_text() for one in heads if one.is_visible()] == ["A", "B"]
        assert not any(one.is_visible() for one in page.locator(".picture-of-trial .tool").all())


def test_links_of_a_group_fit_on_a_phone(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("groups")
    page = open_page(viewport={"width": 390, "height": 844})
    open_part(page, url, "invitations")
    page.fill("textarea", "a.lovelace@example.org")
    page.click("[data-invite] button")
    table = page.locator(".scroll:has(.row-actions)")
    table.wait_for()
    laid_out(page)
    assert table.evaluate("it => it.scrollWidth - it.clientWidth") == 0
    assert "expert" in table.inner_text()


WIDER = """() => Object.fromEntries([...document.querySelectorAll(
  "#part > :not(.everything) .scroll")]
  .filter((it) => it.scrollWidth > it.clientWidth)
  .map((it) => [it.getAttribute("aria-label"), it.scrollWidth - it.clientWidth]))"""


def test_on_a_phone_no_table_is_wider_than_the_page(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("panel")
    fill(served, now=now())
    trouble(served, now=now())
    served.app.state.site.offers = real_offers(served)
    page = open_page(viewport={"width": 390, "height": 844})
    trial = served.store.submissions(limit=1)[0].submission.trial
    parts = ("progress", "raters", "raters?rater=rater-01", "trials", "trials?state=problem")
    for part in (*parts, f"trials/{trial}", "calibration", "invitations"):
        open_part(page, url, part)
        laid_out(page)
        assert page.evaluate(WIDER) == {}, part


def test_a_row_that_is_a_block_on_a_phone_stays_a_row_of_a_table(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("panel")
    fill(served, now=now())
    served.app.state.site.offers = real_offers(served)
    page = open_page(viewport={"width": 390, "height": 844})
    open_part(page, url, "raters")
    table = page.get_by_role("table")
    heads = [one.inner_text() for one in table.get_by_role("columnheader").all()]
    row = table.get_by_role("row").filter(has_text="rater-01")
    cells = row.get_by_role("cell").all()
    assert heads[:3] == ["Rater", "State", "To look at"]
    assert [one.get_attribute("data-head") for one in cells] == heads[1:]
    # What stands on one line has no other's words in it: each heading is over its own number.
    shown = [one.bounding_box() for one in cells if one.inner_text()]
    places = {(round(box["x"]), round(box["y"])) for box in shown if box}
    assert len(places) == len(shown) > 4
