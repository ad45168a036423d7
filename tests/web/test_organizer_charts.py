"""The organizer's charts tell their values, as those of the report do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.web.filling import fill, real_offers
from tests.web.organizer_states import open_part
from tests.web.serving import now
from tests.web.test_organizer_page import quicken

if TYPE_CHECKING:
    from tests.web.conftest import OpenPage, Studio


def test_the_hours_tell_their_answers_to_pointer_and_keys_and_go_on_when_refreshed(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("panel")
    fill(served, now=now())
    page = open_page()
    quicken(page)
    open_part(page, url, "progress")
    figure = page.locator("figure.tells")
    told = figure.get_by_role("status")
    assert told.inner_text() == ""
    figure.locator(".mark").last.hover()
    hour = re.compile(r"^\d{4}-\d\d-\d\d \d\d:00 UTC: \d+$")
    expect(told).to_have_text(hour)
    page.hover("h1")
    expect(told).to_have_text("")
    figure.focus()
    first = told.inner_text()
    page.keyboard.press("ArrowLeft")  # from the first to the last
    last = told.inner_text()
    assert hour.match(first)
    assert hour.match(last)
    assert first < last
    with page.expect_response(lambda one: "progress" in one.url and one.status == 200) as fresh:
        served.store.event("anything", now=now())
    fresh.value.finished()
    expect(told).to_have_text(last)
    expect(figure.locator(".mark.on")).to_have_count(1)
    page.focus("#part")
    expect(told).to_have_text("")


def test_each_system_tells_its_interval(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("panel")
    fill(served, now=now())
    served.app.state.site.offers = real_offers(served)
    page = open_page()
    open_part(page, url, "results")
    expect(page.locator("figure.tells")).to_have_count(len(served.study.criteria))
    figure = page.locator("figure.tells").first
    told = figure.get_by_role("status")
    number = r"−?\d\.\d+"
    figure.focus()
    framed = 0
    for row in figure.locator(".mark").all():
        name = row.locator(".dot-name").inner_text()
        expect(told).to_have_text(re.compile(rf"^{name}: {number}"))
        has_interval = row.locator(".range").count()
        framed += has_interval
        assert bool(re.search(rf" \({number} to {number}\)$", told.inner_text())) == has_interval
        page.keyboard.press("ArrowDown")
    assert framed >= 2
    line, ends = (figure.locator(one).first.bounding_box() for one in (".dot-line", ".ends"))
    assert line is not None
    assert ends is not None
    assert (line["x"], line["width"]) == (ends["x"], ends["width"])  # the scale is below its lines
