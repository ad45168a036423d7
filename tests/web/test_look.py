"""What is equal looks equal, and what matters most gets the room."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jurybox.study.templates import write_template
from tests.web.reaching import held, press, then
from tests.web.serving import ADMIN, live, open_study
from tests.web.settling import laid_out, resize, settled
from tests.web.test_layout import MEASURE
from tests.web.walking import begin

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage, Studio

WIDTHS = "all => all.map((one) => one.getBoundingClientRect().width)"
SIZE = "one => parseFloat(getComputedStyle(one).fontSize)"
UNCOVERED = """() => {
  const one = document.activeElement;
  const { left, top, width, height } = one.getBoundingClientRect();
  return one === document.elementFromPoint(left + width / 2, top + height / 2);
}"""


def widths(page: Page, selector: str) -> list[float]:
    return [float(one) for one in page.eval_on_selector_all(selector, WIDTHS)]


def test_a_reference_is_as_wide_as_each_output_and_votes_for_them_as_each_other(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("pair")
    page = open_page()
    begin(page, url)
    settled(page)
    assert widths(page, ".tile") == pytest.approx([widths(page, ".tile")[0]] * 3, abs=0.5)
    first, tie, last = widths(page, "main .option")
    assert first == pytest.approx(last, abs=0.5)
    assert tie < first / 2


def test_what_is_judged_is_written_as_large_as_what_was_asked(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("compare")
    page = open_page()
    begin(page, url)
    for width in (1280, 390):
        resize(page, width, 844)
        asked, judged = (
            page.eval_on_selector(f"{one} :is(.plain, .prose)", SIZE) for one in (".ask", ".tile")
        )
        assert judged >= asked


WRITTEN = """() => {
  const says = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return [...document.querySelectorAll("body *:not(script, style)")]
    .filter((one) => one.checkVisibility() && says(one))
    .map((one) => [one.className || one.tagName, parseFloat(getComputedStyle(one).fontSize)]);
}"""
CUT = "one => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1"


def test_all_words_grow_with_the_size_that_the_browser_is_set_to(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("rate")
    page = open_page()
    assert begin(page, url) == "practice"
    usual = page.evaluate(WRITTEN)
    page.evaluate("document.documentElement.style.fontSize = '24px'")  # as the setting does
    laid_out(page)
    larger = page.evaluate(WRITTEN)
    assert [(name, size) for name, size in larger] == [
        (name, pytest.approx(1.5 * size)) for name, size in usual
    ]


def test_where_one_is_in_practice_can_be_read_on_the_narrowest_screen(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("rate")
    page = open_page()
    assert begin(page, url) == "practice"
    for width, height in ((320, 256), (390, 844)):
        resize(page, width, height)
        assert not page.eval_on_selector("#where", CUT), width
        assert not page.eval_on_selector("#jump", CUT), width


def test_a_picture_that_texts_are_about_is_wider_than_each_text(
    tmp_path: Path, open_page: OpenPage
) -> None:
    write_template("best-of-n", tmp_path / "study")
    page = open_page()
    with open_study(tmp_path / "study") as served, live(served.app) as url:
        page.goto(f"{url}/preview#token={ADMIN}&at=trials")
        page.wait_for_selector("jb-trial.ready .question.now")
        picture, *texts = widths(page, ".tile")
        assert picture > 1.3 * max(texts)


def test_nothing_lies_over_the_way_out_of_a_long_wait(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("pair")
    page = open_page(viewport={"width": 390, "height": 844})

    def wait_long(page: Page) -> None:
        page.clock.fast_forward(10_000)
        page.wait_for_selector(".late >> visible=true")

    held(wait_long, press("1", "Enter"))(page, url, served)
    page.wait_for_selector(".problem:not([hidden])")
    laid_out(page)
    assert page.evaluate("() => document.activeElement.matches('.late button')")
    assert page.evaluate(UNCOVERED)


def test_the_values_of_a_listening_test_can_be_read_at_every_slider(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("mushra")
    page = open_page()
    then(lambda page: page.wait_for_selector(".row .listen"))(page, url, served)
    for width in (1280, 390):
        resize(page, width, 844)
        last = page.locator(".row .slider input").last.bounding_box()
        lines = [one.bounding_box() for one in page.locator(".row-words > span").all()]
        assert last
        assert len(lines) > 2
        for line in lines:
            assert line
            assert line["y"] < last["y"]
            assert line["y"] + line["height"] > last["y"] + last["height"]
        thumb = 26  # the first line stands under its middle when the slider is at its lowest
        assert lines[0]
        assert lines[0]["x"] == pytest.approx(last["x"] + thumb / 2, abs=1)
        # The lines stop with the rows, and the sliders take the pointer.
        assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
        assert page.evaluate(
            """() => [...document.querySelectorAll(".row .slider input")].every((one) => {
              const { left, top, width, height } = one.getBoundingClientRect();
              return [0.2, 0.41, 0.6].every((at) =>
                document.elementFromPoint(left + at * width, top + height / 2) === one);
            })"""
        )


def test_the_scale_of_a_listening_test_stays_in_sight_on_a_phone_on_its_side(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("mushra")
    page = open_page(viewport={"width": 844, "height": 390})
    begin(page, url)
    page.wait_for_selector(".row .listen")
    for letter in "abcde":
        page.keyboard.press(letter)  # its row is the current one
        page.wait_for_selector(f".row.now .listen:has-text('{letter.upper()}')")
        settled(page)
        assert page.evaluate(UNCOVERED), letter  # its slider has the keyboard
        for value in page.locator(".row-words b").all():
            assert value.evaluate(
                """one => {
                  const { left, top, width, height } = one.getBoundingClientRect();
                  const list = one.closest(".questions").getBoundingClientRect();
                  return top >= list.top && top + height <= list.bottom;
                }"""
            ), letter


def test_yes_and_no_stand_side_by_side_and_few_meanings_are_not_cut(
    tmp_path: Path, open_page: OpenPage
) -> None:
    page = open_page()
    for name in ("acceptable", "ab-rubric"):
        write_template(name, tmp_path / name)
        with open_study(tmp_path / name) as served, live(served.app) as url:
            page.goto(f"{url}/preview#token={ADMIN}&at=trials")
            page.wait_for_selector("jb-trial.ready .question.now")
            if name == "acceptable":
                no, yes = (one.bounding_box() for one in page.locator("main .option").all())
                assert no
                assert yes
                assert no["y"] == yes["y"]
                assert no["width"] == yes["width"]
            else:
                few = page.locator(".brief .options[data-count='3'] .anchor")
                assert few.count() == 3
                for one in few.all():
                    assert one.evaluate("one => one.scrollWidth <= one.clientWidth")
            page.goto("about:blank")


def test_who_comes_back_sees_the_whole_question_where_they_were_and_what_is_missing(
    tmp_path: Path, open_page: OpenPage
) -> None:
    write_template("ab-rubric", tmp_path / "study")
    page = open_page()

    def assert_seen(wanted: str) -> None:
        laid_out(page)
        current = page.eval_on_selector(".question.now", "one => one.dataset.question")
        found = page.evaluate(MEASURE, current)
        assert current == wanted
        assert found["controls"] > 5
        assert found["hidden"] == []
        assert found["submit"]

    with open_study(tmp_path / "study") as served, live(served.app) as url:
        page.goto(f"{url}/preview#token={ADMIN}&at=trials")
        page.wait_for_selector("jb-trial.ready .question.now")
        press("1", "2")(page)
        page.keyboard.type("It is clearer.")
        page.reload()
        page.wait_for_selector("jb-trial.ready .question.now")
        assert_seen("q3")  # after vote, confidence and reason
        press("3", "3", "3", "3", "3", "Control+Enter")(page)
        page.wait_for_selector(".problem:not([hidden])")
        assert_seen("q8")


ACCENT = """all => all.map((one) => {
  const probe = document.createElement("i");
  probe.style.color = "var(--accent)";
  document.body.append(probe);
  const accent = getComputedStyle(probe).color;
  probe.remove();
  return getComputedStyle(one).borderTopColor === accent;
})"""


@pytest.mark.parametrize(("name", "keys"), [("acceptable", "1"), ("real-vs-generated", "r3")])
def test_what_is_chosen_has_the_same_border_in_every_kind_of_question(
    name: str, keys: str, tmp_path: Path, open_page: OpenPage
) -> None:
    write_template(name, tmp_path / "study")
    page = open_page()
    with open_study(tmp_path / "study") as served, live(served.app) as url:
        page.goto(f"{url}/preview#token={ADMIN}&at=trials")
        page.wait_for_selector("jb-trial.ready .question.now")
        press(*keys)(page)
        laid_out(page)
        assert page.eval_on_selector_all("main .option.on", ACCENT) == [True] * len(keys)


FITS = "one => one.scrollHeight <= one.clientHeight + 1"


def test_nothing_said_below_a_comparison_takes_room_from_it_or_is_cut(
    tmp_path: Path, open_page: OpenPage
) -> None:
    write_template("ab-ties", tmp_path / "study")
    page = open_page()

    def tiles() -> list[object]:
        laid_out(page)
        return [one.bounding_box() for one in page.locator(".tile").all()]

    with open_study(tmp_path / "study") as served, live(served.app) as url:
        begin(page, url)
        before = tiles()
        page.click("[data-submit]")
        page.wait_for_selector(".problem:not([hidden])")
        assert tiles() == before
        page.click("[data-command=comment]")
        assert tiles() == before
        assert page.eval_on_selector("main .form", FITS)
        press("Escape", "Control+Enter")(page)
        page.locator("main .option").last.click()  # not what is right
        page.click("[data-submit]")
        page.wait_for_selector(".feedback[data-right=no] .checked")
        assert page.eval_on_selector(".told", FITS)  # why, and what is right


def test_a_comment_leaves_the_current_question_in_sight(
    tmp_path: Path, open_page: OpenPage
) -> None:
    write_template("rag-qa", tmp_path / "study")
    page = open_page()
    with open_study(tmp_path / "study") as served, live(served.app) as url:
        page.goto(f"{url}/preview#token={ADMIN}&at=trials")
        page.wait_for_selector("jb-trial.ready .question.now")
        press("3", "3", "3", "c")(page)
        laid_out(page)
        current = page.eval_on_selector(".question.now", "one => one.dataset.question")
        assert (current, page.evaluate(MEASURE, current)["hidden"]) == ("q3", [])


def test_outputs_to_be_ranked_stay_where_they_are_when_something_is_missing(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("rank")
    page = open_page(viewport={"width": 390, "height": 844})
    begin(page, url)
    tops = "all => all.map((one) => one.getBoundingClientRect().top)"
    before = page.eval_on_selector_all(".tile", tops)
    page.click("[data-submit]")
    page.wait_for_selector(".problem:not([hidden])")
    laid_out(page)
    assert page.eval_on_selector_all(".tile", tops) == before


def test_a_long_guide_can_be_closed_from_its_end(tmp_path: Path, open_page: OpenPage) -> None:
    write_template("mqm", tmp_path / "study")
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    with open_study(tmp_path / "study") as served, live(served.app) as url:
        page.goto(f"{url}/preview#token={ADMIN}&at=trials")
        page.wait_for_selector("jb-trial.ready .question.now")
        page.locator("[data-open=guide]").tap()
        page.wait_for_selector("#dialog-guide[open] table")
        page.eval_on_selector("#dialog-guide", "one => one.scrollTo(0, one.scrollHeight)")
        laid_out(page)
        page.focus("#dialog-guide [data-close]")
        assert page.evaluate(UNCOVERED)
        page.locator("#dialog-guide [data-close]").tap()
        page.wait_for_selector("#dialog-guide", state="hidden")


def test_who_comes_back_to_the_first_question_on_a_phone_finds_all_its_answers(
    tmp_path: Path, open_page: OpenPage
) -> None:
    """Its words take more lines than those of the second, which was current at first."""
    write_template("imagenhub/text-guided-editing", tmp_path / "study")
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    with open_study(tmp_path / "study") as served, live(served.app) as url:
        page.goto(f"{url}/preview#token={ADMIN}&at=trials")
        page.wait_for_selector("jb-trial.ready .question.now")
        press("1")(page)
        page.reload()
        page.wait_for_selector("jb-trial.ready .question.now[data-question=q1]")
        settled(page)
        assert page.evaluate(MEASURE, "q0")["hidden"] == []


def test_long_words_leave_submit_beside_comment_and_skip(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("rate", language="de")
    page = open_page()
    page.goto(f"{url}/preview#token={ADMIN}&at=trials")
    page.wait_for_selector("jb-trial.ready .question.now")
    tops = page.eval_on_selector_all(
        ".foot .chip", "all => all.map((one) => one.getBoundingClientRect().top)"
    )
    assert (len(tops), len(set(tops))) == (3, 1)
