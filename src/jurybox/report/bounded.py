"""What a screen asks of a page: nothing in it is so long that no browser shows it with ease.

A hundred systems make 4,950 pairs, and a crowd thousands of raters. All of them are in the data
that stand beside the page, and the page says so wherever it leaves something out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from jurybox.analysis.finding import Table
from jurybox.formats import format_count
from jurybox.report.blocks import Block, Page, Points, Shown
from jurybox.report.charts import Distribution, DotChart
from jurybox.report.leaders import is_of_pairs

__all__ = ["bounded"]

Drawn = TypeVar("Drawn", DotChart, Distribution)
ROWS = 300
"""How many rows of a table are shown."""
DRAWN = 45
"""How many rows of a chart are drawn: every pair of ten systems."""
POINTS = 100
"""How many sentences stand one below the other."""
DATA = "findings.json"


def bounded(page: Page, wholes: Mapping[str, str]) -> Page:
    """The page with its longest tables, charts and lists cut, each with what is left out of it.

    ``wholes`` has, for the id of a table, the CSV file that holds all of it.
    """
    return replace(
        page,
        chart=None if page.chart is None else _lead(page.chart),
        table=None if page.table is None else _table(page.table, wholes),
        sections=tuple(
            replace(section, blocks=tuple(_block(block, wholes) for block in section.blocks))
            for section in page.sections
        ),
    )


def _block(block: Block, wholes: Mapping[str, str]) -> Block:
    if isinstance(block, Shown):
        return replace(block, table=_table(block.table, wholes))
    if isinstance(block, DotChart):
        return _chart(block)
    if isinstance(block, Distribution):
        return _chart(block)
    if isinstance(block, Points) and len(block.items) > POINTS:
        more = format_count(len(block.items) - POINTS, "more such sentence")
        return Points(items=(*block.items[:POINTS], f"{more} in {DATA}."))
    return block


def _table(table: Table, wholes: Mapping[str, str]) -> Table:
    if len(table.rows) <= ROWS:
        return table
    file = wholes.get(table.id)
    also = "" if file is None else f" and, with --format csv, in {file}"
    which = f"The first {ROWS} of {len(table.rows):,} rows"
    if is_of_pairs(table):
        which += ", which are the pairs of the best systems"
    said = f"{which}; all are in {DATA}{also}."
    return replace(table.part(rows=ROWS), caption=f"{said} {table.caption}".strip())


def _lead(chart: DotChart) -> DotChart:
    """The chart of the first screen, which has no title to be seen: its axis says what is cut."""
    if len(chart.rows) <= DRAWN:
        return chart
    return replace(_chart(chart), axis=f"{chart.axis} ({_cut(chart)})")


def _chart(chart: Drawn) -> Drawn:
    if len(chart.rows) <= DRAWN:
        return chart
    return replace(chart, title=f"{chart.title} ({_cut(chart)})", rows=chart.rows[:DRAWN])


def _cut(chart: DotChart | Distribution) -> str:
    return f"the first {DRAWN} of {len(chart.rows):,} are drawn"
