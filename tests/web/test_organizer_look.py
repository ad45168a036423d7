"""How the organizer's pages are laid out: what belongs together stands together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.web.filling import fill, real_offers, trouble
from tests.web.organizer_states import open_part
from tests.web.serving import ADMIN, now

if TYPE_CHECKING:
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
