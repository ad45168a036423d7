"""The section on the set: what its checks found, and what was checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from jurybox.analysis.finding import Analysis
from jurybox.analysis.set_chapter import add_set
from jurybox.design.set_checks import SetCheck
from jurybox.report import html, markdown, write_report

VERSIONS = {"jurybox": "0.1.0"}
WARNING = SetCheck(
    id="format/output",
    about="File format of output",
    figure=1.0,
    shown="100% guessed right by it (a coin: 50%)",
    warns=True,
    sentence="The file format of output alone tells aurora from the others: 100% are guessed right "
    "by it, where a coin gets 50% (most often: aurora PNG in 100% and basalt JPEG in 100%).",
    bias="Who notices it knows which outputs belong together.",
    systems=("aurora",),
)
FINE = SetCheck(id="names", about="Names of systems <b>", figure=0.0, shown="0 of 120 outputs")
UNKNOWN = SetCheck(id="difficulty", about="Difficulty", figure=None, undefined="no column has it")


def test_the_section_stands_before_the_raters(analysis: Analysis) -> None:
    checked = add_set(analysis, [WARNING, FINE, UNKNOWN])
    text = markdown(checked, versions=VERSIONS)
    section = text.partition("## The set\n")[2].partition("## Raters")[0]
    assert section.strip().splitlines() == [
        f"- {WARNING.sentence} {WARNING.bias}",
        "",
        "<details><summary>What was checked (3 rows)</summary>",
        "",
        "| Check | Verdict | Found |",
        "| --- | --- | --- |",
        "| File format of output | warning | 100% guessed right by it (a coin: 50%) |",
        r"| Names of systems \<b\> | fine | 0 of 120 outputs |",
        "| Difficulty | not checked | no column has it |",
        "",
        "</details>",
    ]
    assert text.count(WARNING.bias) == 1
    page = html(checked, versions=VERSIONS)
    assert '<h2 id="set">The set</h2>' in page
    assert page.count(WARNING.bias) == 1
    assert "Names of systems &lt;b&gt;" in page


def test_a_fair_set_is_said_to_be(analysis: Analysis) -> None:
    text = markdown(add_set(analysis, [FINE]), versions=VERSIONS)
    assert "No check of the items and outputs found anything that can bias the result.\n" in text
    text = markdown(add_set(analysis, [FINE, UNKNOWN]), versions=VERSIONS)
    assert "can bias the result. 1 of 2 checks could be made.\n" in text


def test_a_table_without_a_study_has_no_set(analysis: Analysis) -> None:
    assert "The set" not in markdown(analysis, versions=VERSIONS)


def test_json_and_csv_hold_it_too(analysis: Analysis, tmp_path: Path) -> None:
    checked = add_set(analysis, [WARNING, FINE])
    write_report(checked, tmp_path, formats=("json", "csv"), versions=VERSIONS)
    data = json.loads((tmp_path / "findings.json").read_text())
    (found,) = [finding for finding in data["findings"] if finding["standing"] == "set"]
    assert (found["id"], found["result"]["estimate"]) == ("set/format/output", 1.0)
    assert data["headline"] == "difference/fidelity/aurora/basalt"
    rows = (tmp_path / "tables" / "set.csv").read_text().splitlines()
    assert rows[0] == "check,verdict,found"
    assert rows[2] == "Names of systems <b>,fine,0 of 120 outputs"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light")])
def test_a_browser_shows_it(
    browser: Browser, tmp_path: Path, analysis: Analysis, width: int, scheme: str
) -> None:
    path = tmp_path / "report.html"
    path.write_text(
        html(add_set(analysis, [WARNING, FINE, UNKNOWN]), versions=VERSIONS), encoding="utf-8"
    )
    page = browser.new_page(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page.goto(f"{path.as_uri()}#set")
    assert page.get_by_role("heading", name="The set").is_visible()
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
