"""How much of a long table, chart or list a page shows, and what it says of the rest.

A hundred systems make 4,950 pairs, and a crowd thousands of raters. All of them are in the data
that stand beside the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from jurybox.analysis.finding import Table
from jurybox.report.charts.values import Chart, DotChart, Scatter
from jurybox.report.said.leaders import is_of_pairs
from jurybox.results import format_count

__all__ = ["PAPER", "SCREEN", "Limits"]

Drawn = TypeVar("Drawn", bound=Chart)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one kind of page has room for, and in which words it says what it leaves out."""

    rows: int
    """Of a table."""
    of_many: int
    """Of a table of pairs or of raters, most of which nobody looks up."""
    points: int
    """Sentences that stand one below the other."""
    drawn: int
    """Rows of a chart."""
    table_is_in: Callable[[str | None], str]
    """Where all of a table is, given the CSV file that holds it, if one does."""
    sentences_are_in: str
    are_drawn: str
    """How many of the rows of a chart are drawn."""

    def cut_table(self, table: Table, file: str | None) -> tuple[Table, str]:
        """The rows that are shown, and a sentence that says where the others are."""
        most = self.of_many if {"other", "rater"} & {*table.names} else self.rows
        if len(table.rows) <= most:
            return table, ""
        which = ", which begin with those of the best system" if is_of_pairs(table) else ""
        said = f"The first {most} of {format_count(len(table.rows), 'row')}{which}"
        return table.part(rows=most), f"{said}; all are in {self.table_is_in(file)}."

    def cut_points(self, items: tuple[str, ...]) -> tuple[str, ...]:
        """The sentences that are shown; a last one says where the others are."""
        if len(items) <= self.points:
            return items
        more = format_count(len(items) - self.points, "more such sentence")
        return (*items[: self.points], f"{more} in {self.sentences_are_in}.")

    def cut_chart(self, chart: Drawn, rows: int | None = None) -> tuple[Drawn, str]:
        """The rows that are drawn, and words that say how many there are."""
        most = self.drawn if rows is None else rows
        if isinstance(chart, Scatter) or len(chart.rows) <= most:
            return chart, ""
        said = self.are_drawn.format(most, len(chart.rows))
        if isinstance(chart, DotChart):
            # Where there is no room for all, what has a number goes first.
            known = sorted(chart.rows, key=lambda row: row.estimate is None)
            return replace(chart, rows=tuple(known[:most])), said
        return replace(chart, rows=chart.rows[:most]), said


def _beside(file: str | None) -> str:
    return "findings.json" + ("" if file is None else f" and, with --format csv, in {file}")


def _elsewhere(file: str | None) -> str:
    return "findings.json (--format json)" if file is None else f"{file} (--format csv)"


SCREEN = Limits(
    rows=300,
    of_many=300,
    points=100,
    drawn=45,
    table_is_in=_beside,
    sentences_are_in="findings.json",
    are_drawn="the first {} of {:,} are drawn",
)
"""Every browser shows this much with ease; every pair of ten systems is drawn."""
PAPER = Limits(
    rows=50,
    of_many=24,
    points=40,
    drawn=24,
    table_is_in=_elsewhere,
    sentences_are_in="report.html (--format html)",
    are_drawn="The first {} of {:,} rows are drawn.",
)
"""Nothing is longer than a reader's patience: a table is less than a page, a chart about half."""
