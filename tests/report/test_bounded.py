"""A page of very many rows stays small, and says what it leaves out and where all of it is."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from jurybox.analysis.finding import Analysis, Column, Finding, Table
from jurybox.report import html, markdown, write_report
from jurybox.report.blocks import Heading, Shown, Words
from jurybox.report.charts.values import DotChart, DotRow
from jurybox.report.formats.bounded import CELLS, DOT, TABLE, bounded
from jurybox.report.formats.limits import SCREEN
from jurybox.report.page import make_page
from jurybox.results import Result

ROWS, POINTS, DRAWN = SCREEN.rows, SCREEN.points, SCREEN.drawn
N = 1225
VERSIONS = {"jurybox": "0.1.0"}
MEGABYTE = 1_000_000


def crowd(n: int = N) -> Analysis:
    """So many pairs of systems, of which none is told apart, and as many raters."""
    pairs = Table(
        id="pairs/preference",
        title="Pairs: preference",
        columns=(
            Column(name="system", heading="System"),
            Column(name="other", heading="Other"),
            Column(name="win_rate", heading="Win rate", kind="percent"),
            Column(name="interval", heading="95% interval", kind="interval"),
        ),
        rows=tuple((f"s{k}", f"t{k}", 0.5, (0.4, 0.6)) for k in range(n)),
        caption="Ties count half.",
    )
    raters = Table(
        id="raters",
        title="Raters",
        columns=(Column(name="rater", heading="Rater"),),
        rows=tuple((f"r{k}",) for k in range(n)),
    )
    findings = tuple(
        Finding(
            id=f"win_rate/preference/s{k}/t{k}",
            sentence=f"s{k} and t{k} are not told apart.",
            result=Result(estimate=0.5),
            told=False,
            criterion="preference",
            systems=(f"s{k}", f"t{k}"),
        )
        for k in range(n)
    )
    return Analysis(
        title="Many pairs",
        protocol="compare",
        took=(),
        n_responses=1_000_000,
        n_raters=n,
        n_items=100,
        systems=tuple(f"{side}{k}" for side in "st" for k in range(n)),
        findings=findings,
        tables=(pairs, raters),
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crowd")
    write_report(crowd(), folder, formats=("html", "md", "json", "csv"), versions=VERSIONS)
    return folder


def test_a_page_of_thousands_of_pairs_and_raters_stays_small(written: Path) -> None:
    # Two tables of 300 rows and one chart of 120, drawn wide and narrow.
    assert (written / "report.html").stat().st_size < MEGABYTE
    assert (written / "report.md").stat().st_size < MEGABYTE / 5


def test_what_is_left_out_is_said_with_the_files_that_hold_it(written: Path) -> None:
    page = (written / "report.html").read_text()
    for text in (page, (written / "report.md").read_text()):
        for file in ("pairs-preference", "raters"):
            where = f"findings.json and, with --format csv, in tables/{file}.csv."
            which = ", which begin with those of the best system" if file != "raters" else ""
            assert f"The first {ROWS} of 1,225 rows{which}; all are in {where}" in text
    assert f"Pairs: preference (the first {DRAWN} of 1,225 are drawn)" in page
    assert "Pairs: preference (1,225 rows)" in page
    assert page.count("<tr>") == 2 * (1 + ROWS)
    assert page.count('class="mark"') == 2 * DRAWN


def test_the_first_chart_says_below_its_axis_that_it_is_cut() -> None:
    rows = tuple(DotRow(label=f"s{k}", estimate=0.5) for k in range(DRAWN + 1))
    chart = DotChart(title="Mean score", axis="Mean score, 95% interval", rows=rows)
    page = bounded(replace(make_page(crowd(3), versions=VERSIONS), chart=chart), {})
    assert page.chart is not None
    assert len(page.chart.rows) == DRAWN
    cut = f"the first {DRAWN} of {DRAWN + 1} are drawn"
    assert page.chart.axis == f"Mean score, 95% interval ({cut})"


def test_the_files_that_it_names_hold_everything(written: Path) -> None:
    data = json.loads((written / "findings.json").read_text())
    assert [len(table["rows"]) for table in data["tables"]] == [N, N]
    assert len(data["findings"]) == N
    for name in ("pairs-preference", "raters"):
        with (written / "tables" / f"{name}.csv").open(newline="") as file:
            assert len(list(csv.reader(file))) == 1 + N


def test_sentences_are_bounded_too() -> None:
    analysis = replace(crowd(3), warnings=tuple(f"Warning {k}." for k in range(POINTS + 7)))
    for text in (html(analysis, versions=VERSIONS), markdown(analysis, versions=VERSIONS)):
        assert f"Warning {POINTS - 1}." in text
        assert f"Warning {POINTS}." not in text
        assert "7 more such sentences in findings.json." in text


def test_what_is_not_too_long_is_shown_whole() -> None:
    page = html(crowd(DRAWN), versions=VERSIONS)
    assert page.count('class="mark"') == 2 * DRAWN
    assert not re.search(r"[Tt]he first \d|more such sentences in", page)


def test_a_table_that_is_cut_has_the_digits_of_its_chart() -> None:
    wide, narrow = (1.0, 9.0), (4.9, 5.1)
    table = Table(
        id="mean_scores/overall",
        title="Mean score: overall",
        columns=(
            Column(name="system", heading="System"),
            Column(name="mean", heading="Mean score", kind="number"),
            Column(name="interval", heading="95% interval", kind="interval"),
        ),
        # The only narrow interval is in a row that is not shown.
        rows=tuple((f"s{k}", 5.0, narrow if k == ROWS else wide) for k in range(ROWS + 1)),
    )
    systems = tuple(row[0] for row in table.rows)
    page = html(replace(crowd(3), tables=(table,), systems=systems), versions=VERSIONS)
    assert 'data-value="s0: 5.000 (1.000 to 9.000)"' in page
    assert ">5.000</td>" in page
    assert ">5.0</td>" not in page


def many_criteria(n: int) -> Analysis:
    """Two systems on so many criteria, a table and an open pair for each."""
    columns = (
        Column(name="system", heading="System"),
        Column(name="mean", heading="Mean score", kind="number"),
        Column(name="interval", heading="95% interval", kind="interval"),
    )
    tables = tuple(
        Table(
            id=f"mean_scores/c{k}",
            title=f"Mean score: c{k}",
            columns=columns,
            rows=(("a", 3.0, (2.0, 4.0)), ("b", 2.5, (1.5, 3.5))),
        )
        for k in range(n)
    )
    findings = tuple(
        Finding(
            id=f"difference/c{k}/a/b",
            sentence=f"a and b are not told apart on c{k}.",
            result=Result(estimate=0.5, undefined="too few"),
            told=False,
            criterion=f"c{k}",
            systems=("a", "b"),
        )
        for k in range(n)
    )
    raters = Table(
        id="raters",
        title="Raters",
        columns=(Column(name="rater", heading="Rater"),),
        rows=(("r1",),),
    )
    return replace(crowd(3), findings=findings, tables=(*tables, raters), systems=("a", "b"))


def test_a_page_of_a_thousand_criteria_stays_small_and_says_what_it_leaves_out() -> None:
    whole = make_page(many_criteria(1_000), versions=VERSIONS)
    page = bounded(whole, {})
    (results,) = [section for section in page.sections if section.id == "results"]
    tables = [block for block in results.blocks if isinstance(block, Shown)]
    headings = [block for block in results.blocks if isinstance(block, Heading)]
    # The first table stands below the answer. A chart of two rows and its table weigh 96 cells.
    assert len(tables) == CELLS // (2 * DOT + TABLE + 6)
    assert len(headings) == len(tables) + 1
    more = 999 - len(tables)
    last = results.blocks[-1]
    assert isinstance(last, Words)
    assert (
        last.text
        == f"{more} more tables, and what is drawn and said of them, are in findings.json."
    )
    # Raters are of no criterion: their table stays.
    assert any(
        isinstance(block, Shown) and block.table.id == "raters"
        for section in page.sections
        for block in section.blocks
    )
    assert len(html(many_criteria(1_000), versions=VERSIONS)) < 3 * MEGABYTE


def test_a_thousand_criteria_are_told_apart_in_a_glance_at_each() -> None:
    looks = 0

    class Watched(str):
        """The id of a table, which counts how often its criterion is looked for."""

        def partition(self, sep: str, /) -> tuple[str, str, str]:
            nonlocal looks
            looks += 1
            return super().partition(sep)

    analysis = many_criteria(300)
    watched = tuple(replace(table, id=Watched(table.id)) for table in analysis.tables)
    make_page(replace(analysis, tables=watched), versions=VERSIONS)
    assert looks < 100 * len(watched)
