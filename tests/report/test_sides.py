"""Sentences are read from left to right, whatever the names in them; prose as it was written."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from jurybox import analyze
from jurybox.analysis.finding import Analysis
from jurybox.report import html
from jurybox.report.blocks import Exhibit, Gallery, Part, Section
from jurybox.report.charts.svg import element
from jurybox.report.formats.html import draw_page
from jurybox.report.formats.latex import write_latex
from jurybox.report.formats.latex_text import as_latex
from jurybox.report.formats.markdown import as_text, write_page
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

    assert left(".say", ALEF) < left(".say", "scores")
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


def test_markdown_too_where_each_paragraph_is_read_by_its_first_letter(
    browser: Browser, from_right: Analysis
) -> None:
    shown = MarkdownIt("commonmark").enable("table").render(write_page(make_page(from_right)))
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_content(re.sub("<(p|h1|h2|h3|li|summary|td|th)>", r'<\1 dir="auto">', shown))

    def left(word: str) -> float:
        found: float = page.evaluate(LEFT, ["p:has(strong)", word])
        return found

    assert left(ALEF) < left("scores")
    page.close()


def test_markdown_names_no_direction_of_words_from_one_side() -> None:
    assert as_text(ASKED) == ASKED
    assert as_text("a − b") == "a − b"
    assert as_text(f"a and {ALEF}") == f"a and {OPEN}{ALEF}{CLOSE}"
    # Such a mark in what others wrote could turn the rest around: it is named.
    assert as_text(f"a{OPEN}") == r"a\\u2068"


def test_latex_is_told_what_is_read_from_the_right() -> None:
    assert as_latex(f"{ALEF} − plain") == rf"\jbright{{{ALEF}}} \ensuremath{{-}} plain"
    assert as_latex("דגם 2.5") == r"\jbright{דגם \jbleft{2.5}}"
    assert as_latex(f"{ASKED} (v2)").startswith(rf"\jbright{{{ASKED} (\jbleft{{v2}})}}")


def test_every_engine_of_latex_knows_what_it_is_told(from_right: Analysis) -> None:
    page = make_page(from_right, versions={})
    files, _ = write_latex(page, names=defaultdict(lambda: "x"), wholes={})
    for command in ("jbright", "jbleft"):
        assert files["preamble.tex"].count(rf"\DeclareRobustCommand{{\{command}}}[1]") == 3
    body = files["report.tex"]
    assert body.count("{") == body.count("}")
    assert rf"\jbright{{{ALEF}}}" in body


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
