"""What the HTML page's script adds: tables sort, filter and copy; charts tell their values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from jurybox.analysis.finding import Analysis, Column, Table
from jurybox.report.blocks import Heading, Points, Words
from jurybox.report.page import make_page
from tests.report.test_html import VERSIONS, draw, lone_analysis
from tests.web.settling import laid_out

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def category_analysis() -> Analysis:
    """Two systems in two categories, one cell missing."""
    table = Table(
        id="categories/overall/category",
        title="By category of items: overall",
        columns=(
            Column(name="category", heading="Category"),
            Column(name="system", heading="System"),
            Column(name="mean", heading="Mean score", kind="number"),
            Column(name="interval", heading="95% interval", kind="interval"),
        ),
        rows=(
            ("tree", "new", -0.5, (-1.0, 0.0)),
            ("tree", "old", 10.0, (9.0, 11.0)),
            ("lake", "new", None, None),
            ("lake", "old", 2.0, (1.0, float("inf"))),
        ),
    )
    return replace(lone_analysis(), systems=("new", "old"), tables=(table,))


def test_a_table_without_rows_stops_no_other(browser: Browser, tmp_path: Path) -> None:
    found = category_analysis()
    (table,) = found.tables
    empty = Table(
        id="groups/overall",
        title="By rater group: overall",
        columns=(Column(name="of", heading="System"), Column(name="group", heading="Group")),
        rows=(),
    )
    path = tmp_path / "report.html"
    path.write_text(draw(replace(found, tables=(empty, table))), encoding="utf-8")
    page = browser.new_page()
    errors: list[object] = []
    page.on("pageerror", lambda error: errors.append(error))
    page.goto(path.as_uri())
    expect(page.get_by_role("cell", name="No rows.")).to_be_visible()
    expect(page.get_by_role("combobox", name="Category")).to_be_visible()
    assert not errors


def test_a_table_sorts_filters_and_copies(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(draw(category_analysis()), encoding="utf-8")
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(path.as_uri())
    table = page.locator("#items ~ .scroll table")
    head = table.get_by_role("columnheader", name="Mean score")
    means = table.locator("tbody tr:visible td:nth-child(3)")
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert means.all_inner_texts() == ["−0.500", "2.000", "10.000", "–"]
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert means.all_inner_texts() == ["10.000", "2.000", "−0.500", "–"]
    page.get_by_role("combobox", name="Category").select_option("tree")
    assert means.all_inner_texts() == ["10.000", "−0.500"]
    # The chart above follows: in both of its drawings two of four rows fade.
    assert page.locator("#items ~ figure .mark.away").count() == 4
    page.get_by_role("button", name="Copy: By category of items: overall").click()
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == (
        "Category\tSystem\tMean score\t95% interval\n"
        "tree\told\t10.000\t9.000 to 11.000\n"
        "tree\tnew\t−0.500\t−1.000 to 0.000"
    )
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    context.close()


def test_a_table_of_one_row_is_copied_too_and_has_nothing_to_sort(
    browser: Browser, tmp_path: Path
) -> None:
    found = category_analysis()
    one = replace(found.tables[0], rows=found.tables[0].rows[:1])
    path = tmp_path / "report.html"
    path.write_text(draw(replace(found, tables=(one,))), encoding="utf-8")
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.locator("#items ~ .scroll thead button").count() == 0
    page.get_by_role("button", name="Copy: By category of items: overall").click()
    page.get_by_text("Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.splitlines()[1:] == ["tree\tnew\t−0.500\t−1.000 to 0.000"]
    context.close()


def test_the_filter_of_a_chart_is_there_also_while_its_long_table_is_folded(
    browser: Browser, tmp_path: Path
) -> None:
    few = category_analysis()
    table = few.tables[0]
    rows = tuple((f"kind {k // 2}", f"system {k % 2}", 1.0, (0.5, 1.5)) for k in range(22))
    path = tmp_path / "report.html"
    path.write_text(draw(replace(few, tables=(replace(table, rows=rows),))), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.get_by_role("combobox", name="Category").select_option("kind 3")
    assert not page.get_by_role("cell", name="kind 3").first.is_visible()
    # In both drawings all rows fade but the two of this kind.
    assert page.locator("#items ~ figure .mark.away").count() == 2 * 20
    page.get_by_text("By category of items: overall (22 rows)").click()
    shown = page.locator("#items ~ details tbody tr:visible td:first-child")
    assert shown.all_inner_texts() == ["kind 3"] * 2
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    page.close()


def test_a_chart_tells_its_values_to_pointer_and_keys(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(draw(category_analysis()), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    figure = page.locator("#items ~ figure")
    told = figure.get_by_role("status")
    figure.locator(".mark:visible").nth(1).hover()
    expect(told).to_have_text("tree: old: 10.000 (9.000 to 11.000)")
    figure.focus()
    page.keyboard.press("ArrowUp")
    assert told.inner_text() == "lake: old: 2.000 (1.000 to ∞)"
    page.close()


@pytest.mark.parametrize("by", ["click", "tap"])
def test_a_chart_tells_what_is_pressed(browser: Browser, tmp_path: Path, by: str) -> None:
    path = tmp_path / "report.html"
    made = category_analysis()
    again = replace(made.tables[0], id="categories/again/category", title="Again")
    path.write_text(draw(replace(made, tables=(*made.tables, again))), encoding="utf-8")
    context = browser.new_context(has_touch=by == "tap")
    page = context.new_page()
    page.goto(path.as_uri())
    # The chart before has the focus, and loses it.
    page.locator("#items ~ figure").first.focus()
    figure = page.locator("#items ~ figure").last
    pressed = figure.locator(".mark:visible").nth(1).locator("text").first
    pressed.tap(force=True) if by == "tap" else pressed.click(force=True)
    told = figure.get_by_role("status")
    expect(told).to_have_text("tree: old: 10.000 (9.000 to 11.000)")
    # The press also gave the chart the focus, and keys go on from there.
    expect(figure).to_be_focused()
    expect(told).to_have_text("tree: old: 10.000 (9.000 to 11.000)")
    page.keyboard.press("ArrowDown")
    expect(told).to_have_text("lake: new: undefined")
    context.close()


def test_keys_tell_the_first_value_though_a_pointer_rests_where_the_page_scrolls(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_text(draw(category_analysis()), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1000, "height": 300})
    page.goto(path.as_uri())
    page.mouse.move(500, 100)
    figure = page.locator("#items ~ figure")
    figure.evaluate("it => { it.focus({preventScroll: true}); it.scrollIntoView(); }")
    second = figure.locator(".mark:visible").nth(1).bounding_box()
    assert second is not None
    page.mouse.wheel(0, second["y"] + second["height"] / 2 - 100)
    # Until the row stands under the pointer, which rests.
    page.wait_for_function(
        "() => document.elementFromPoint(500, 100)?.closest('.mark')?.dataset.row === '1'"
    )
    laid_out(page)
    expect(figure.get_by_role("status")).to_have_text("tree: new: −0.500 (−1.000 to 0.000)")
    page.mouse.move(501, 100)
    expect(figure.get_by_role("status")).to_have_text("tree: old: 10.000 (9.000 to 11.000)")
    page.close()


def test_the_methods_are_copied_with_their_references_by_keyboard(
    browser: Browser, tmp_path: Path, analysis: Analysis
) -> None:
    path = tmp_path / "report.html"
    path.write_text(draw(analysis), encoding="utf-8")
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(path.as_uri())
    copy = page.get_by_role("button", name="Copy: Methods")
    copy.focus()
    page.keyboard.press("Enter")
    page.get_by_text("Copied").wait_for()
    drawn = make_page(analysis, versions=VERSIONS)
    paragraph, heading, cited = next(s for s in drawn.sections if s.id == "methods").blocks
    assert isinstance(paragraph, Words)
    assert isinstance(heading, Heading)
    assert isinstance(cited, Points)
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.split("\n") == [paragraph.text, heading.text, *cited.items]
    # It stands beside the heading, and takes no line of its own.
    title, button = page.locator("#methods").bounding_box(), copy.bounding_box()
    assert title is not None
    assert button is not None
    assert title["y"] < button["y"]
    assert button["y"] + button["height"] <= title["y"] + title["height"] + 12
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    context.close()


def test_what_holds_for_all_criteria_stays_in_sight_whichever_is_chosen(
    browser: Browser, tmp_path: Path
) -> None:
    rows = (("score", "fluency", 0.25), ("score", "logic", 0.5), ("time per trial", "all", 1.5))
    table = Table(
        id="order",
        title="Along the sitting",
        columns=(
            Column(name="what", heading="From first to last trial"),
            Column(name="criterion", heading="Criterion"),
            Column(name="change", heading="Change", kind="number"),
        ),
        rows=(*rows, ("distance", "logic", 0.75)),
    )
    path = tmp_path / "report.html"
    path.write_text(draw(replace(lone_analysis(), tables=(table,))), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    chosen = page.get_by_role("combobox", name="Criterion")
    assert chosen.locator("option").all_inner_texts() == ["all", "fluency", "logic"]
    chosen.select_option("fluency")
    shown = page.locator("table", has_text="Along the sitting").locator("tbody tr:visible")
    assert shown.locator("td:first-child").all_inner_texts() == ["score", "time per trial"]
    page.close()
