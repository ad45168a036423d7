"""Pages that run from right to left, and words that are longer than the English ones."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import jurybox.web
from jurybox.study.languages import languages
from tests.forms import cases
from tests.web.settling import resize, settled
from tests.web.state import State
from tests.web.states import STATES
from tests.web.walking import begin

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage, Studio

STATIC = Path(str(jurybox.web.__file__)).parent / "static"
PHONE = {"width": 390, "height": 844}
OUTPUTS = ".tile[data-role=output]"


def centers(page: Page, selector: str) -> list[float]:
    """Where elements stand between the left and the right edge."""
    boxes = page.locator(selector).evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect()).map((box) => box.x + box.width / 2)"
    )
    return [float(one) for one in boxes]


def run_to_the_left(places: list[float]) -> bool:
    return len(places) > 1 and places == sorted(set(places), reverse=True)


def named(*names: str) -> list[State]:
    return [state for state in STATES if state.name in names]


def test_in_arabic_a_is_on_the_right_and_is_first(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("compare", language="ar")
    page = open_page()
    begin(page, url)
    assert page.get_attribute("html", "dir") == "rtl"
    assert page.get_attribute("html", "lang") == "ar"
    assert page.locator(f"{OUTPUTS} h2").all_inner_texts() == ["A", "B"]
    assert run_to_the_left(centers(page, OUTPUTS))
    chosen = "jb-choice[data-part=value] .option"
    assert run_to_the_left(centers(page, chosen))
    values = [one.get_attribute("value") for one in page.locator(f"{chosen} input").all()]
    assert (values[0], values[-1]) == ("first", "second")
    shown = page.locator(f"{OUTPUTS} .body").first.inner_text()
    page.locator(chosen).first.click()  # the one on the right
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.wait_for_selector("main[data-stage=break]")
    (sent,) = served.store.submissions()
    answer, first = sent.submission.answers[0], sent.submission.order[0]
    assert answer.winner == "ab"[first]
    trial = served.app.state.site.trial(sent.submission.trial)
    output = served.material.output_fields(trial.item, trial.systems[first])
    assert any(str(text).split()[0] in shown for text in output.values())


def test_on_an_arabic_phone_the_tab_of_a_is_on_the_right(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("compare", language="ar")
    page = open_page(viewport=PHONE)
    begin(page, url)
    assert page.locator(".tabs .chip").all_inner_texts() == ["A", "B"]
    assert run_to_the_left(centers(page, ".tabs .chip"))
    assert run_to_the_left(centers(page, "jb-choice[data-part=value] .option"))


def test_what_is_given_stands_on_the_right_of_the_outputs(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("pair", language="ar")
    page = open_page()
    begin(page, url)
    settled(page)
    assert run_to_the_left(centers(page, ".tile"))
    assert page.locator(".tile").first.get_attribute("data-role") == "reference"
    page.keyboard.press("w")
    page.wait_for_selector(".overlay .divider")
    page.locator(".divider").fill("100")  # all of A, from the right edge to the left one
    line = page.locator(".divider-line").bounding_box()
    frame = page.locator(".overlay .picture").bounding_box()
    assert line is not None
    assert frame is not None
    assert line["x"] < frame["x"] + 0.05 * frame["width"]


def test_an_arrow_goes_where_it_points(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("sides", language="ar")
    page = open_page(viewport=PHONE)  # where the answers of a scale stand in a row
    begin(page, url)
    page.keyboard.press("4")
    assert run_to_the_left(centers(page, ".question.now .option"))
    inputs = page.locator(".question.now input")
    inputs.nth(1).focus()
    for key, chosen in (("ArrowLeft", 2), ("ArrowRight", 1), ("ArrowRight", 0)):
        page.keyboard.press(key)
        assert [one.is_checked() for one in inputs.all()].index(True) == chosen


def test_a_slider_begins_on_the_right(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("mark", language="ar")
    page = open_page()
    begin(page, url)
    assert run_to_the_left(centers(page, ".ticks > span"))
    slider = page.locator("jb-slider input[type=range]")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2)
    low = float(slider.input_value())
    assert low < 20
    page.keyboard.press("ArrowLeft")
    assert float(slider.input_value()) > low
    assert page.inner_text("jb-slider output") == slider.input_value()


def test_time_runs_from_left_to_right_in_every_language(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("sounds", language="ar")
    page = open_page()
    begin(page, url)
    page.wait_for_selector(".listen")
    assert run_to_the_left(centers(page, ".listen"))
    play, track, time = centers(page, ".player > :is(.play, .track, .time)")
    assert play < track < time
    page.locator(".position").focus()
    page.keyboard.press("ArrowRight")
    assert float(page.locator(".position").input_value()) > 0


def test_the_way_back_points_to_where_one_came_from(studio: Studio, open_page: OpenPage) -> None:
    (state,) = named("trial-looking-back")
    served, url = studio.serve(state.study, language="ar")
    page = open_page()
    state.reach(page, url, served)
    arrow = page.locator("#forward span")
    assert arrow.inner_text() == "→"
    assert arrow.evaluate("one => getComputedStyle(one).transform") == "matrix(-1, 0, 0, 1, 0, 0)"


def test_the_guide_stands_on_the_side_of_the_page(studio: Studio, open_page: OpenPage) -> None:
    """Its words are the page's, whatever letters the study's own begin with."""
    (state,) = named("guide")
    served, url = studio.serve(state.study, language="ar")
    page = open_page()
    state.reach(page, url, served)
    sides = page.locator(".prose :is(p, li, h2)").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).textAlign)"
    )
    assert set(sides) == {"right"}


DIRECTION = "one => getComputedStyle(one).direction"


def test_texts_of_items_and_outputs_go_by_their_own_letters(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("mark", language="ar")
    page = open_page()
    begin(page, url)
    text = page.locator(".tile .words")
    assert text.evaluate(DIRECTION) == "ltr"  # English on an Arabic page
    inside = page.locator(".tile .body").bounding_box()
    box = text.bounding_box()
    assert box is not None
    assert inside is not None
    assert box["x"] - inside["x"] < 40  # it begins where its lines do
    assert page.locator(".option.none .anchor").evaluate(DIRECTION) == "rtl"


def test_a_vote_that_begins_with_a_latin_letter_still_runs_to_the_left(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("compare", language="ar")
    page = open_page()
    begin(page, url)
    first = page.locator("jb-choice[data-part=value] .anchor").first
    assert "A" in first.inner_text()
    assert first.evaluate(DIRECTION) == "rtl"


@pytest.mark.parametrize(
    "file", ["page.css", "trial.css", "media.css", "tokens.css", "contrast.css"]
)
def test_styles_know_no_left_and_no_right(file: str) -> None:
    """Logical properties turn with the page; physical ones do not."""
    text = re.sub(r"/\*.*?\*/", "", (STATIC / file).read_text(encoding="utf-8"), flags=re.DOTALL)
    physical = re.findall(
        r"(?:^|[;{\s])((?:margin|padding|border|inset|scroll-margin)?-?(?:left|right)\s*:[^;}]*"
        r"|(?:float|clear|text-align)\s*:\s*(?:left|right))",
        text,
    )
    assert physical == []


# Long words

WIDER = """() => [...document.querySelectorAll("button, .chip, .tool, .placed, h1, h2, kbd")]
  .filter((one) => one.checkVisibility() && !one.closest(".unseen"))
  .filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.textContent.trim())"""
BOXES = """(selector) => [...document.querySelectorAll(selector)]
  .filter((one) => one.checkVisibility() && one.textContent.trim())
  .map((one) => [one.textContent.trim(), one.getBoundingClientRect()])
  .map(([words, { left, right, top, bottom }]) => ({ words, left, right, top, bottom }))"""
NEIGHBORS = (
    *(".bar > *", ".foot > *", ".player > *"),
    *(".tile > header > *", "dialog[open] header > *"),
)


def overlapping(page: Page) -> list[str]:
    """Neighbors that cover each other."""
    found = []
    for selector in NEIGHBORS:
        for one, other in combinations(page.evaluate(BOXES, selector), 2):
            wide = min(one["right"], other["right"]) - max(one["left"], other["left"])
            high = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
            if wide > 1 and high > 1:
                found.append(f"{one['words']} / {other['words']}")
    return found


def assert_whole(page: Page) -> None:
    for size in ({"width": 1280, "height": 800}, PHONE):
        resize(page, **size)
        assert page.evaluate(WIDER) == [], size
        assert overlapping(page) == [], size
        sideways = "() => document.documentElement.scrollWidth - innerWidth"
        assert page.evaluate(sideways) <= 0, size


def _check(state: State, language: str, studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve(state.study, language=language)
    page = open_page(expect=state.expect)
    state.reach(page, url, served)
    assert_whole(page)


FULL_OF_WORDS = named(
    *("trial-sides", "trial-rank-partly", "trial-mark-marked", "trial-pair-wipe", "offline"),
    *("trial-sounds-playing", "dialog-skip", "practice-wrong", "headphones-test"),
)


@pytest.mark.parametrize("language", cases(["ar"], ["de"]))
@pytest.mark.parametrize("state", named("trial-compare", "dialog-keys"), ids=lambda one: one.name)
def test_nothing_is_cut_and_nothing_overlaps(
    state: State, language: str, studio: Studio, open_page: OpenPage
) -> None:
    _check(state, language, studio, open_page)


@pytest.mark.full
@pytest.mark.parametrize("language", [one for one in languages() if one != "en"])
@pytest.mark.parametrize("state", FULL_OF_WORDS, ids=lambda one: one.name)
def test_nothing_is_cut_in_any_language(
    state: State, language: str, studio: Studio, open_page: OpenPage
) -> None:
    _check(state, language, studio, open_page)
