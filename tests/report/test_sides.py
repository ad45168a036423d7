"""Sentences are read from left to right, whatever the names in them; prose as it was written."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jurybox import analyze
from jurybox.analysis.finding import Analysis
from jurybox.report import html
from jurybox.report.blocks import Exhibit, Gallery, Part, Section
from jurybox.report.charts.svg import element
from jurybox.report.formats.html import draw_page
from jurybox.report.formats.typeset import typeset
from jurybox.report.page import make_page
from jurybox.report.sides import CLOSE, OPEN, is_from_right, set_apart
from tests.report.conftest import pictures

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ALEF, BET, ASKED = "אלף", "נמודג-בית 2", "איזו תשובה טובה יותר?"
LEFT = """([selector, word]) => {
  const at = document.querySelector(selector);
  const walker = document.createTreeWalker(at, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const start = node.data.indexOf(word);
    if (start < 0) continue;
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, start + word.length);
    return range.getBoundingClientRect().left;
  }
}"""


@pytest.fixture
def from_right() -> Analysis:
    rows = [
        (item, system, rater, 4 + (system == ALEF) * (item % 2 or rater == "r1"))
        for item in range(8)
        for system in (ALEF, BET)
        for rater in ("r1", "r2", "r3", "r4", "r5")
    ]
    names = ("item", "system", "rater", "score")
    made = analyze({name: [row[k] for row in rows] for k, name in enumerate(names)})
    return replace(made, title=ASKED)


def test_names_are_set_apart_and_a_comma_parts_two() -> None:
    assert set_apart(f"{ALEF}, {BET} and c") == f"{OPEN}{ALEF}{CLOSE}, {OPEN}{BET}{CLOSE} and c"
    assert set_apart("a − b (12 rows)") == "a − b (12 rows)"
    assert element("text", f"{ALEF} − {BET}").count(OPEN) == 2
    assert is_from_right(ASKED)
    assert not is_from_right(f"{ALEF} scores higher than {BET}")
    assert not is_from_right("42")


def test_a_sentence_that_begins_with_such_a_name_is_read_from_the_left(
    browser: Browser, tmp_path: Path, from_right: Analysis
) -> None:
    path = tmp_path / "report.html"
    page_of = html(from_right, study=pictures(instructions=ASKED), versions={})
    path.write_text(page_of, encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())

    def left(selector: str, word: str) -> float:
        found: float = page.evaluate(LEFT, [selector, word])
        return found

    assert left(".say", ALEF) < left(".say", "(95%")
    assert left("h1 .counts", "80 ratings") < left("h1 .counts", "5 raters")
    # A difference is the first less the second.
    pair = f".plot.wide text:has-text('{ALEF}')"
    label = page.locator(pair, has_text="−").first
    assert label.evaluate(
        """text => {
        const at = (word) => text.getStartPositionOfChar(text.textContent.indexOf(word)).x;
        return at('א') < at('−') && at('−') < at('ב'); }"""
    )
    page.close()


def test_what_an_author_wrote_keeps_its_side(analysis: Analysis) -> None:
    part = Part(caption="Prompt", text=ASKED)
    gallery = Gallery(
        title=f"Best: {ALEF}", exhibits=(Exhibit(title=ALEF, value="5", parts=(part,)),)
    )
    page = replace(
        make_page(analysis, versions={}),
        sections=(Section(id="items", title="Items", blocks=(gallery,)),),
    )
    assert f'<span class="shown" dir="auto">{ASKED}</span>' in draw_page(page)
    told = html(analysis, study=pictures(description=ASKED), versions={})
    assert f'<p dir="rtl">{ASKED}</p>' in told
    assert re.search(rf"<p[^>]*>{OPEN}", told) is None


def test_a_pdf_sets_such_names_too(from_right: Analysis) -> None:
    made, warnings = typeset(make_page(from_right, versions={}), wholes={})
    assert made.startswith(b"%PDF")
    assert not any("2068" in warning for warning in warnings)
