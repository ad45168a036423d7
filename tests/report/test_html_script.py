"""What the HTML page's script adds: tables sort, filter and copy; charts tell their values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from jurybox.analysis.finding import Analysis, Column, Table
from tests.report.test_html import draw, lone_analysis

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
