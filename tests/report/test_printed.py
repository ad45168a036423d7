"""What paper asks of a table: no empty columns, no letters too small to read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jurybox.analysis.finding import Analysis, Column, Table
from jurybox.report.blocks import Heading
from jurybox.report.charts.svg import shorten, ticks
from jurybox.report.charts.values import DotChart, DotRow
from jurybox.report.formats.latex import write_table
from jurybox.report.formats.limits import PAPER, SCREEN, Limits
from jurybox.report.formats.printed import lay_out, parts_of
from jurybox.report.page import make_page
from jurybox.report.said.tidy import MANY, tidied

LETTERS = (60, 70, 80)


def wide(count: int) -> Table:
    """Metrics with ``count`` statistics, each with its interval."""
    columns = [Column(name="metric", heading="Metric")]
    for k in range(count):
        columns.append(Column(name=f"s{k}", heading=f"Statistic {k}", kind="number"))
        columns.append(Column(name=f"s{k}_interval", heading="95% interval", kind="interval"))
    row = ("bleu", *([0.5, (0.25, 0.75)] * count))
    return Table(id="metrics/x", title="Metrics", columns=tuple(columns), rows=(row,), caption="c")


def test_a_table_too_wide_for_the_line_stands_in_parts() -> None:
    # A row is 10 + 2·(11 + 14) + 5 gaps = 75 letters with two statistics, and 130 with four.
    assert parts_of(wide(2), LETTERS) == (wide(2),)
    parts = parts_of(wide(6), LETTERS)
    assert [part.title for part in parts] == [
        f"Metrics (part {k} of {len(parts)})" for k in range(1, len(parts) + 1)
    ]
    for part in parts:
        assert part.columns[0].name == "metric"
        assert lay_out(part, LETTERS).tightness <= 1
    # Every column once, and an interval beside its estimate.
    names = [column.name for part in parts for column in part.columns[1:]]
    assert names == [column.name for column in wide(6).columns[1:]]
    assert all(part.columns[1].kind == "number" for part in parts)


def test_a_single_column_that_is_too_wide_stays_whole() -> None:
    column = Column(name="x", heading="x" * 300, kind="number")
    alone = Table(id="x", title="X", columns=(Column(name="a", heading="A"), column), rows=())
    assert parts_of(alone, LETTERS) == (alone,)


def test_long_names_side_by_side_stand_in_parts_too() -> None:
    # Two names of 26 letters, which are not broken, and one statistic fit in the smallest size.
    letters = (70, 80, 92)
    texts = [Column(name=name, heading=name) for name in ("metric", "other")]
    table = replace(wide(2), columns=(*texts, *wide(2).columns[1:]))
    table = replace(table, rows=(("a" * 26, "b" * 26, *wide(2).rows[0][1:]),))
    assert not lay_out(table, letters).fits
    parts = parts_of(table, letters)
    assert len(parts) == 2
    for part in parts:
        assert lay_out(part, letters).fits
        assert part.names[:2] == ("metric", "other")


def test_latex_labels_every_part_once_and_notes_the_last() -> None:
    text = write_table(wide(8), "metrics-x", {})
    count = text.count(r"\begin{table}")
    assert count > 1
    assert text.count(r"\label{tab:metrics-x}") == 1
    assert text.count(r"\label{tab:metrics-x-1}") == 1
    assert r"\tiny" not in text
    assert text.rstrip().endswith(r"{\footnotesize\raggedright c\par}" + "\n" + r"\end{table}")


def pairs(count: int) -> Table:
    names = ("rater", "other")
    columns = tuple(Column(name=name, heading=name) for name in names)
    rows = tuple(("a", str(k)) for k in range(count))
    return Table(id="rater_pairs/x", title="Pairs", columns=columns, rows=rows)


def test_of_pairs_fewer_are_printed() -> None:
    cut, said = PAPER.cut_table(pairs(30), None)
    assert len(cut.rows) == 24
    assert said.startswith("The first 24 of 30 rows;")
    assert PAPER.cut_table(pairs(24), None) == (pairs(24), "")


@pytest.mark.parametrize("limits", [PAPER, SCREEN])
def test_where_rows_are_left_out_those_with_a_number_are_drawn(limits: Limits) -> None:
    rows = [DotRow(label=str(k), estimate=None if k % 2 else 0.5) for k in range(2 * limits.drawn)]
    cut, _ = limits.cut_chart(DotChart(title="Pairs", axis="x", rows=tuple(rows)))
    assert [row.label for row in cut.rows] == [str(2 * k) for k in range(limits.drawn)]


COLUMNS = (
    Column(name="rater", heading="Rater"),
    Column(name="mean", heading="Mean", kind="number"),
    Column(name="interval", heading="95% interval", kind="interval"),
    Column(name="p", heading="p", kind="p"),
    Column(name="flags", heading="Worth a look"),
    Column(name="n", heading="Responses", kind="count"),
)


def test_columns_that_hold_nothing_are_left_out_but_a_missing_interval_is_not() -> None:
    table = Table(
        id="raters",
        title="Raters",
        columns=COLUMNS,
        rows=(("a", 1.0, None, None, "", 3), ("b", None, None, None, "", 4)),
        caption="Nobody stands out by these marks: noise.",
    )
    found = tidied(table)
    assert found is not None
    assert [column.name for column in found.columns] == ["rater", "mean", "interval", "n"]
    assert found.rows == (("a", 1.0, None, 3), ("b", None, None, 4))
    assert found.caption == table.caption


def test_pairs_of_raters_who_share_too_little_are_counted_and_not_listed() -> None:
    # Of the 66 pairs of the demo's raters 28 were rows of dashes.
    columns = (
        Column(name="rater", heading="Rater"),
        Column(name="other", heading="Other"),
        Column(name="kappa", heading="Kappa", kind="number"),
        Column(name="percent", heading="Same answer", kind="percent"),
        Column(name="units", heading="Shared units", kind="count"),
    )
    rows: list[tuple[str | float | None, ...]] = [
        ("a", "b", 0.5, 0.7, 12),
        ("a", "c", None, None, 9),
        ("b", "c", None, 1.0, 11),  # both give one answer alone: no kappa, but known to agree
    ]
    table = Table(
        id="rater_pairs/x", title="Pairs", columns=columns, rows=tuple(rows), caption="C."
    )
    found = tidied(table)
    assert found is not None
    assert [row[1] for row in found.rows] == ["b", "c"]
    assert found.caption == "C. 1 such pair is left out here."
    found = tidied(replace(table, rows=(*rows, ("c", "d", None, None, 1))))
    assert found is not None
    assert found.caption == "C. 2 such pairs are left out here."
    assert tidied(replace(table, rows=(rows[1],))) is None


def test_raters_stand_as_people_count_however_long_their_numbers_are() -> None:
    long = "1" * 5_000
    names = (f"r{long}", "r10", "r2", "r02b", "r", "q3")
    rows = tuple((name, 1.0, None, None, "", 3) for name in names)
    found = tidied(Table(id="raters", title="Raters", columns=COLUMNS, rows=rows))
    assert found is not None
    assert [row[0] for row in found.rows] == ["q3", "r", "r2", "r02b", "r10", f"r{long}"]


def test_a_table_without_any_number_is_no_table_and_one_of_words_is() -> None:
    row = ("a", None, None, None, "", 0)
    empty = Table(id="x", title="X", columns=COLUMNS, rows=(row,))
    assert tidied(empty) is None
    words = Table(id="x", title="X", columns=(COLUMNS[0], COLUMNS[5]), rows=(("a", 0),))
    assert tidied(words) == words
    nothing = Table(id="x", title="X", columns=COLUMNS, rows=())
    assert tidied(nothing) == nothing


def _raters(n: int, remarks: dict[int, str]) -> Table:
    return Table(
        id="raters",
        title="Raters",
        columns=(
            Column(name="rater", heading="Rater"),
            Column(name="responses", heading="Votes", kind="count"),
            Column(name="look", heading="Worth a look"),
        ),
        # As a database sorts names: r1, r10, r11, r2.
        rows=tuple(sorted((f"r{k}", k, remarks.get(k, "")) for k in range(1, n + 1))),
        caption="By these marks.",
    )


def test_raters_stand_as_people_count_and_of_many_those_with_a_remark_first() -> None:
    few = tidied(_raters(12, {11: "slow"}))
    assert few is not None
    assert [row[1] for row in few.rows] == list(range(1, 13))
    assert few.caption == "By these marks."
    many = tidied(_raters(MANY + 1, {11: "slow", 4: "fast"}))
    assert many is not None
    assert [row[0] for row in many.rows][:4] == ["r4", "r11", "r1", "r2"]
    assert many.caption == "Who is worth a look or left out stands first. By these marks."


def test_names_that_differ_at_their_end_differ_when_they_are_cut() -> None:
    names = [f"stable_diffusion_v{k}_{j}" for k in (1, 2) for j in (1, 5)]
    assert len({shorten(name, 90) for name in names}) == len(names)


def test_an_axis_has_two_numbers_at_least() -> None:
    # From 0.3 to 1.9 steps of one would leave the 1 alone.
    places, _ = ticks(0.3, 1.9, 2)
    assert len(places) >= 2


def test_one_criterion_has_no_heading_beside_what_is_about_all(analysis: Analysis) -> None:
    def headings(criteria: tuple[str | None, ...]) -> list[str]:
        findings = tuple(
            replace(analysis.findings[0], id=f"{k}/x", criterion=name, told=False, systems=())
            for k, name in enumerate(criteria)
        )
        page = make_page(replace(analysis, findings=findings, tables=()), versions={})
        (results,) = (section for section in page.sections if section.id == "results")
        return [block.text for block in results.blocks if isinstance(block, Heading)]

    assert headings((None, None, "origin")) == []
    assert headings((None, None, "origin", "style")) == ["origin", "style"]


def test_a_short_column_is_not_broken_while_a_long_one_has_room() -> None:
    # Of 70 letters both columns want more: 28 are less than half of it, and stand in one line.
    table = Table(
        id="x",
        title="X",
        columns=(Column(name="a", heading="A"), Column(name="b", heading="B")),
        rows=(("a" * 28, "b " * 150),),
    )
    made = lay_out(table, LETTERS)
    assert made.shares[0] * LETTERS[made.tightness] >= 28
    assert sum(made.shares) <= 1
