"""What no checker of pages sees: forced colors, enlarged pages, fingers, and what is read aloud."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from jurybox.study.templates import write_template
from tests.forms import cases
from tests.study.examples import write_jsonl
from tests.web.filling import fill
from tests.web.organizer_states import open_part
from tests.web.serving import ADMIN, live, now, open_study
from tests.web.settling import laid_out, resize, settled
from tests.web.studies import write_study
from tests.web.walking import begin, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage, Studio

TEXT = "One\r\ntwo\r\n\r\nthree 👩‍🔬 four."
BACKGROUND = "one => getComputedStyle(one).backgroundColor"


def colors(page: Page, selector: str) -> int:
    """How many colors a part of the page has that cover at least 40 pixels."""
    picture = Image.open(BytesIO(page.locator(selector).first.screenshot())).convert("RGB")
    return sum(count >= 40 for count, _ in picture.getcolors(1 << 24) or [])


def test_where_the_system_paints_all_colors_what_is_chosen_shows(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("mark")
    page = open_page(forced_colors="active")
    begin(page, url)
    assert colors(page, "input[type=range]") > 1  # its line, though there is no thumb yet
    for _ in (1, 2):
        page.locator(".word").first.click()
    page.keyboard.press("Digit1")
    page.keyboard.press("Digit1")
    marked, other = (
        page.eval_on_selector(one, BACKGROUND) for one in (".marked", ".word:last-child")
    )
    assert marked != other
    page.click("[data-edit]")
    chosen, other = (
        page.eval_on_selector(f".pending .option{one}", BACKGROUND) for one in (".on", ":not(.on)")
    )
    assert chosen != other
    assert (
        page.eval_on_selector(".question.now", "one => getComputedStyle(one).outlineStyle")
        == "solid"
    )


def test_where_the_system_paints_all_colors_progress_and_the_place_show(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("panel")
    fill(served, now=now())
    page = open_page(forced_colors="active")
    open_part(page, url, "progress")
    assert colors(page, ".lead-panel .meter") > 1
    decoration = "one => getComputedStyle(one).textDecorationLine"
    here = page.eval_on_selector(".nav a[aria-current]", decoration)
    elsewhere = page.eval_on_selector(".nav a:not([aria-current])", decoration)
    assert here != elsewhere


def test_the_keyboard_is_in_the_trial_that_came(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("rank")
    page = open_page()
    begin(page, url)
    focused = "() => [document.activeElement.tagName, document.activeElement.textContent]"
    assert page.evaluate(focused) == ["H1", "Trial 1 of 2"]
    for letter in "abcd":
        page.keyboard.press(letter)
    page.focus("[data-submit]")
    page.keyboard.press("Enter")
    wait_until(page, lambda: page.evaluate(focused) == ["H1", "Trial 2 of 2"])
    page.keyboard.press("Tab")
    assert page.evaluate(
        "() => document.querySelector('jb-trial').contains(document.activeElement)"
    )


def test_words_are_read_aloud_while_the_keyboard_moves_over_them(
    tmp_path: Path, open_page: OpenPage
) -> None:
    write_study("mark", tmp_path)
    for file in (
        tmp_path / "outputs"
    ).iterdir():  # line breaks of two signs, which a page makes one
        write_jsonl(file, [{"item": "s1", "translation": TEXT}])
    page = open_page()
    with open_study(tmp_path) as served, live(served.app) as url:
        begin(page, url)
        page.focus(".words")
        page.keyboard.press("ArrowRight")
        assert page.inner_text("#live") == "two"
        for _ in (1, 2):
            page.keyboard.press("ArrowRight")
        assert page.inner_text("#live") == "👩‍🔬"
        page.keyboard.press("Shift+ArrowRight")
        assert page.inner_text("#live") == "👩‍🔬 four"
        page.keyboard.press("Enter")
        assert page.inner_text(".pending-text") == "👩‍🔬 four"
        page.keyboard.press("Digit1")
        page.keyboard.press("Digit1")
        assert page.inner_text(".spans q").strip("“”") == "👩‍🔬 four"
        page.focus("input[type=range]")
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        wait_until(page, lambda: len(served.store.submissions()) == 1)
        spans = served.store.table("spans")
        ((start, end),) = zip(spans["start"], spans["end"], strict=True)
        assert TEXT[start:end] == "👩‍🔬 four"


def test_each_slider_has_the_name_of_its_recording(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("mushra")
    page = open_page()
    begin(page, url)
    page.wait_for_selector(".row .listen")
    for letter in "ABCDE":
        slider = page.get_by_role("slider", name=f"Quality · {letter}", exact=True)
        assert slider.get_attribute("aria-valuetext") == "no answer yet"
        assert page.get_by_role("button", name=f"Hear Output {letter}", exact=True).count() == 1
    assert page.get_by_role("group", name="Recordings").count() == 1
    assert page.get_by_role("button", name="Hear Reference", exact=True).count() == 1


COVERED = """() => {
  const top = (one) => {
    one.scrollIntoView({ block: "center", inline: "center" });
    const box = one.getBoundingClientRect();
    const seen = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return seen && (one.contains(seen) || seen.contains(one));
  };
  const wanted = [...document.querySelectorAll(
    "main .option, main .pick, main .slider, main .listen, main .foot button")];
  return wanted.filter((one) => one.checkVisibility({ visibilityProperty: true }) && !top(one))
    .map((one) => one.textContent.trim());
}"""
SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
DOUBLED = """() => {
  const all = [...document.querySelectorAll("body, body *")];
  const sizes = all.map((one) => 2 * parseFloat(getComputedStyle(one).fontSize));
  all.forEach((one, number) => one.style.setProperty("font-size", `${sizes[number]}px`));
}"""


@pytest.mark.parametrize("name", cases(["mushra", "ab-rubric"], ["mqm", "best-of-n"]))
def test_a_page_enlarged_to_four_times_and_text_to_twice_its_size_can_be_used(
    name: str, tmp_path: Path, open_page: OpenPage
) -> None:
    write_template(name, tmp_path / "study")
    page = open_page()
    with open_study(tmp_path / "study") as served, live(served.app) as url:
        page.goto(f"{url}/preview#token={ADMIN}&at=trials")
        page.wait_for_selector("jb-trial.ready .question.now")
        settled(page)
        # 1280 × 1024 at 400%, and a phone on its side.
        for width, height in ((320, 256), (667, 375)):
            resize(page, width, height)
            assert (page.evaluate(SIDEWAYS), page.evaluate(COVERED)) == (0, []), width
        resize(page, 1280, 800)
        page.evaluate(DOUBLED)
        laid_out(page)
        assert (page.evaluate(SIDEWAYS), page.evaluate(COVERED)) == (0, [])
