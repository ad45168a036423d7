"""Answers of yes or no called so, instead of scores of 0 and 1."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jurybox.analysis.finding import Analysis, Column, Finding, Table
from jurybox.analysis.raters.rows import HIGHER, MORE_OFTEN
from jurybox.analysis.rating_tables import YES

__all__ = ["is_all_of_yes", "shares_of_yes"]

WORDS = {"share_0": "No", "share_1": "Yes"}
"""What the columns of a distribution are headed."""
TRENDS = {"score": "share of yes"}
"""What moves along the sitting."""
OF_MEANS = ("categories", "extremes")
"""The kinds of tables that hold means: of yes and no they are the share of yes."""


def shares_of_yes(analysis: Analysis) -> Analysis:
    """The analysis with a share of yes wherever a table would have a mean of zeros and ones."""
    asked = {_about(table) for table in analysis.tables if _is_of_yes(table)}
    if not asked:
        return analysis
    tables = (_told(t) if _about(t) in asked else t for t in analysis.tables)
    findings = (f for f in analysis.findings if not (f.criterion in asked and _is_of_mean(f)))
    return replace(
        analysis,
        tables=tuple(_trends(t, asked) for t in tables),
        findings=tuple(findings),
    )


def is_all_of_yes(analysis: Analysis) -> bool:
    """Whether every criterion was answered by yes or no."""
    means = [table for table in analysis.tables if table.kind == "mean_scores"]
    return bool(means) and all(map(_is_of_yes, means))


def _about(table: Table) -> str:
    """The criterion; a table by category has the name of the category's field after it."""
    return table.about.rpartition("/")[0] if table.kind == "categories" else table.about


def _is_of_yes(table: Table) -> bool:
    """Whether it gives a share of yes, and no mean: of a bare table 0 and 1 may be scores."""
    headings = {column.name: column.heading for column in table.columns}
    is_yes = headings.get("pass_rate") == YES and "mean" not in headings
    return table.kind == "mean_scores" and is_yes


def _is_of_mean(finding: Finding) -> bool:
    """Whether it says once more, as a mean of zeros and ones, what the share of yes says."""
    return finding.id.startswith("mean/")


def _told(table: Table) -> Table:
    kind = table.kind
    if kind == "distribution":
        columns = (replace(c, heading=WORDS.get(c.name, c.heading)) for c in table.columns)
        title = table.title.replace("of scores", "of answers")
        return replace(table, title=title, columns=tuple(columns))
    if kind in OF_MEANS:
        return replace(table, columns=tuple(map(_share, table.columns)))
    if kind == "raters":
        caption = table.caption.replace(HIGHER, MORE_OFTEN.format("yes"))
        return replace(table, columns=tuple(map(_points, table.columns)), caption=caption)
    return table


def _points(column: Column) -> Column:
    if column.name not in ("leniency", "noise", "drift"):
        return column
    return replace(column, heading=f"{column.heading}, points", kind="points")


def _trends(table: Table, asked: set[str]) -> Table:
    """The table of trends along the sitting, which has rows of every criterion."""
    if table.id != "order":
        return table
    names = table.names

    def told(row: tuple[Any, ...]) -> tuple[Any, ...]:
        cells = dict(zip(names, row, strict=True))
        if cells["criterion"] not in asked or cells["unit"] != "points":
            return row
        change, bounds = cells["change"], cells["interval"]
        cells["what"] = TRENDS.get(cells["what"], cells["what"])
        cells["unit"] = "percentage points"
        cells["change"] = None if change is None else 100 * change
        cells["interval"] = None if bounds is None else tuple(100 * end for end in bounds)
        return tuple(cells.values())

    return replace(table, rows=tuple(map(told, table.rows)))


def _share(column: Column) -> Column:
    if column.name != "mean":
        return column
    return replace(column, heading=YES, kind="percent")
