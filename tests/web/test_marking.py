"""Marked errors that share words: each is listed, changed and stored by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from jurybox.study.model import ItemId, SystemId
from tests.web.test_browser import mark_words, rows, shown_order
from tests.web.walking import begin, submit, wait_until

if TYPE_CHECKING:
    from tests.web.conftest import OpenPage, Studio


def test_marks_that_share_words_are_listed_changed_and_removed_one_by_one(
    studio: Studio, open_page: OpenPage
) -> None:
    served, url = studio.serve("mark")
    page = open_page()
    begin(page, url)
    (system,) = shown_order(served, page)
    text = str(served.material.outputs[ItemId("s1"), SystemId(system)].fields["translation"])
    first, second, third, fourth = page.locator(".word").all_inner_texts()[:4]
    for start, end, category, severity in (
        (first, third, "1", "1"),
        (second, fourth, "2", "2"),
        (second, second, "3", "1"),
    ):
        mark_words(page, start, end)
        page.keyboard.press(f"Digit{category}")
        page.keyboard.press(f"Digit{severity}")
    assert page.locator(".spans li").count() == 3
    page.click(f".spans li:has-text('{third} {fourth}') [data-edit]")
    page.click(".pending .option:has(input[value=style])")
    page.click("[data-cancel]")
    page.locator(".spans li").nth(2).locator("[data-remove]").click()
    page.focus("input[type=range]")
    page.keyboard.press("Home")
    submit(page)
    wait_until(page, lambda: len(served.store.submissions()) == 1)
    found = {
        (text[row["start"] : row["end"]].split()[0], row["category"], row["severity"])
        for row in rows(served, "spans")
    }
    assert found == {(first, "accuracy", "minor"), (second, "style", "major")}


def test_a_mark_has_one_color_in_the_text_and_in_the_list(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("mark")
    page = open_page()
    begin(page, url)
    color = "(one, name) => getComputedStyle(one)[name]"
    first, _, third = page.locator(".word").all_inner_texts()[:3]
    for word, severity in ((first, "1"), (third, "2")):  # minor, major
        mark_words(page, word, word)
        page.keyboard.press("Digit1")
        page.keyboard.press(f"Digit{severity}")
        page.wait_for_selector(f".spans li >> text={word}")
    texts = [one.evaluate(color, "backgroundColor") for one in page.locator(".word.marked").all()]
    edges = [one.evaluate(color, "borderLeftColor") for one in page.locator(".spans li").all()]
    assert len(set(texts)) == 2
    assert edges == texts


def test_drawing_over_words_with_the_mouse_marks_them(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("mark")
    page = open_page()
    begin(page, url)
    words = page.locator(".word")
    first, second, third = words.all_inner_texts()[:3]
    for start, end, marked in (
        (1, 2, f"{second} {third}"),
        (2, 0, f"{first} {second} {third}"),
    ):
        words.nth(start).hover()
        page.mouse.down()
        words.nth(end).hover()
        page.mouse.up()
        expect(page.locator(".pending-text")).to_have_text(marked)
        expect(page.locator(".pending")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator(".pending")).to_be_hidden()
