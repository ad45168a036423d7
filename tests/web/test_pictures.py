"""Pictures: enlarged together, over each other, and seen for some seconds."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jurybox.study.templates import write_template
from tests.web.serving import ADMIN, live, open_study
from tests.web.settling import Held, settled, shifted, watch_shifts
from tests.web.walking import arrive, begin, look_away, look_back

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage, Studio

VIEW = "() => document.querySelector('jb-trial').media.pictures.view"
SPOTS = """
() => [...document.querySelectorAll(".picture img")].map((one) => {
  const [frame, box] = [one.parentElement.getBoundingClientRect(), one.getBoundingClientRect()];
  return [(frame.x + frame.width / 2 - box.x) / box.width, box.width / frame.width];
})
"""


@pytest.fixture
def page(studio: Studio, open_page: OpenPage) -> Page:
    _, url = studio.serve("pair")
    made = open_page()
    begin(made, url)
    settled(made)
    assert made.locator(".picture img").count() == 3
    return made


def test_all_pictures_are_enlarged_and_moved_together(page: Page) -> None:
    frame = page.locator(".tile[data-name=A] .picture")
    page.keyboard.press("z")
    assert page.evaluate(VIEW) == {"scale": 3, "x": 0.5, "y": 0.5}
    box = frame.bounding_box()
    assert box is not None
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] - 60, middle[1], steps=4)
    page.mouse.up()
    # 60 pixels of a picture three times as wide as its frame.
    moved = page.evaluate(VIEW)
    assert moved["x"] == pytest.approx(0.5 + 60 / (3 * box["width"]), abs=0.01)
    spots = page.evaluate(SPOTS)
    assert all(spot == pytest.approx(spots[0], abs=0.005) for spot in spots)
    assert spots[0][1] == pytest.approx(3, abs=0.01)
    assert page.get_attribute("button[data-zoom] >> nth=0", "aria-pressed") == "true"
    page.keyboard.press("z")
    assert page.evaluate(VIEW)["scale"] == 1


def test_the_wheel_enlarges_what_is_under_the_pointer(page: Page) -> None:
    box = page.locator(".tile[data-name=B] .picture img").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -500)
    page.wait_for_function(f"() => ({VIEW})().scale > 2")
    view = page.evaluate(VIEW)
    # The spot 0.2 right of the middle is still 0.2 of the frame right of it.
    assert view["x"] + 0.2 / view["scale"] == pytest.approx(0.7, abs=0.02)
    page.mouse.wheel(0, 5000)
    page.wait_for_function(f"() => ({VIEW})().scale === 1")


def test_an_enlarged_picture_is_moved_by_keys_and_never_leaves_its_frame(page: Page) -> None:
    page.keyboard.press("z")
    page.locator(".tile[data-name=A] .picture").focus()
    page.keyboard.press("+")
    assert page.evaluate(VIEW)["scale"] == pytest.approx(3.75)
    for _ in range(60):
        page.keyboard.press("ArrowRight")
    assert page.evaluate(VIEW)["x"] == pytest.approx(1 - 1 / (2 * 3.75), abs=0.02)
    page.keyboard.press("Escape")
    assert page.evaluate(VIEW)["scale"] == 1
    # Arrows mean nothing to a picture at its usual size.
    assert page.get_attribute(".tile[data-name=A] .picture", "tabindex") is None


def test_two_fingers_enlarge_on_a_phone(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("pair")
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    begin(page, url)
    settled(page)
    box = page.locator(".tile.shown .picture").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)

    def send(kind: str, apart: float) -> None:
        points = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        touch.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [] if kind == "touchEnd" else points},
        )

    send("touchStart", 30)
    for apart in (40, 50, 60):
        send("touchMove", apart)
    send("touchEnd", 0)
    page.wait_for_function(f"() => Math.abs(({VIEW})().scale - 2) < 0.1")


def test_a_pair_is_wiped_by_a_range(page: Page) -> None:
    page.keyboard.press("w")
    divider = page.locator(".overlay .divider")
    assert page.evaluate("() => document.activeElement.className") == "divider"
    assert divider.get_attribute("aria-label") == "Line between Output A and Output B"
    page.keyboard.press("Home")
    clip = "() => getComputedStyle(document.querySelector('.overlay .cover')).clipPath"
    assert "8px" in page.evaluate(clip)
    page.keyboard.press("End")
    assert divider.get_attribute("aria-valuetext") == "100% of Output A"
    # The pictures are enlarged here as well, and a vote needs no way back.
    page.keyboard.press("z")
    assert page.evaluate(VIEW)["scale"] == 3
    page.keyboard.press("Digit1")
    assert page.is_checked("input[value=first]")
    page.keyboard.press("w")
    assert not page.query_selector(".overlay")
    assert not page.evaluate("() => document.querySelector('.tile').inert")


SEEN = """
() => [...document.querySelectorAll(".overlay .picture img")].findIndex((one) => !one.hidden)
"""


def alternate(page: Page) -> None:
    """Lay the pair over each other, by a clock that goes on when the test says so."""
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.keyboard.press("f")


def changes(page: Page, *, seconds: int) -> int:
    """How often another picture is seen within some time."""
    seen = [page.evaluate(SEEN)]
    for _ in range(20 * seconds):
        page.clock.run_for(50)
        seen.append(page.evaluate(SEEN))
    return sum(one != other for one, other in pairwise(seen))


def test_a_pair_alternates_calmly(page: Page) -> None:
    alternate(page)
    # Two changes are one flash; three flashes a second are the limit of WCAG 2.3.1.
    assert 1 <= changes(page, seconds=2) <= 4
    page.keyboard.press("Escape")
    assert not page.query_selector(".overlay")


def test_with_reduced_motion_only_the_rater_changes_pictures(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    alternate(page)
    assert changes(page, seconds=2) == 0
    assert page.inner_text(".swap") == "Output A"
    page.keyboard.press("Enter")
    assert page.inner_text(".swap") == "Output B"
    # However fast the key is pressed, pictures change at most every 350 ms.
    for after, name in ((0, "B"), (349, "B"), (1, "A")):
        page.clock.run_for(after)
        page.evaluate(
            "() => { for (let n = 0; n < 50; n += 1) document.querySelector('.swap').click(); }"
        )
        assert page.inner_text(".swap") == f"Output {name}"


def test_a_picture_goes_after_its_seconds_and_cannot_be_called_back(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("brief")
    page = open_page()
    begin(page, url)
    page.wait_for_selector(".picture.over")
    assert page.inner_text(".picture.over") == "It was shown for 0.5 s."
    assert not page.query_selector(".tile img")
    for key in "zwf":
        page.keyboard.press(key)
    assert not page.query_selector(".tile img, .overlay")
    other = page.context.new_page()
    for again in (page, other):
        look_away(again)  # no more of its time passes
        again.goto(url)
        again.wait_for_selector(".picture.over")
        assert not again.query_selector(".tile img")


def test_only_time_in_sight_counts(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("brief")
    page = open_page()
    page.clock.install()
    look_away(page)
    begin(page, url)
    settled(page)
    page.clock.run_for(60_000)
    assert page.query_selector(".tile img")
    look_back(page)
    page.clock.run_for(1000)
    page.wait_for_selector(".picture.over")


def test_a_picture_must_be_looked_at_before_an_answer(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("look")
    page = open_page()
    look_away(page)
    begin(page, url)
    page.keyboard.press("Digit3")
    page.keyboard.press("Enter")
    assert page.inner_text(".problem") == "Please look at it for 1 s first: Output."
    look_back(page)
    page.wait_for_selector(".problem", state="hidden")
    assert page.query_selector(".tile img")  # it stays
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#where').textContent === 'Trial 2 of 2'")


def test_an_example_is_large_under_the_pointer_until_escape(
    tmp_path: Path, open_page: OpenPage
) -> None:
    page = open_page()
    write_template("image-quality", tmp_path / "study")
    with open_study(tmp_path / "study") as served, live(served.app) as url:
        page.goto(f"{url}/preview#token={ADMIN}&at=trials")
        example = page.locator(".question.now .example").nth(1)
        example.wait_for()
        settled(page)
        width = "one => one.getBoundingClientRect().width"
        assert example.evaluate(width) == 44
        example.hover()
        assert example.evaluate(width) > 180
        page.keyboard.press("Escape")
        assert example.evaluate(width) == 44
        page.hover("[data-submit]")
        example.hover()
        assert example.evaluate(width) > 180
        example.click()
        assert page.evaluate("() => document.querySelector('jb-trial').state.answers") == {"q0": 2}


def test_nothing_moves_when_pictures_arrive(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("media")
    page = open_page()
    watch_shifts(page)
    pictures = Held(page, "**/media/*")
    arrive(page, url)
    page.wait_for_selector(".series .loading")
    pictures.let_go()
    settled(page)
    sizes = page.eval_on_selector_all(
        ".series img", "all => all.map((one) => [one.getAttribute('width'), one.naturalWidth])"
    )
    assert len(sizes) == 3
    assert all(re.fullmatch(r"\d+", said) and int(said) == real for said, real in sizes)
    assert shifted(page) < 0.01
