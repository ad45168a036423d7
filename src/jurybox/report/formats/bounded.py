"""The page of a screen: its longest tables, charts and lists cut, and what they say of the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jurybox.analysis.finding import Table
from jurybox.report.blocks import Block, Heading, Page, Points, Shown, Words
from jurybox.report.charts.values import Distribution, DotChart, Scatter
from jurybox.report.formats.limits import SCREEN
from jurybox.results import format_count

__all__ = ["bounded"]

CELLS = 30_000
"""So many cells of tables and charts the results hold; then criteria are left out."""
BESIDE = CELLS // 4
"""So many every other section holds: with all of them full, a page has less than 3 MB."""
TABLE = 30
"""What title, head and caption of a table weigh."""
DOT = 30
"""What a row of a chart weighs, in cells of a table."""


def bounded(page: Page, wholes: Mapping[str, str]) -> Page:
    """The page with its longest tables, charts and lists cut, each with what is left out of it.

    ``wholes`` has, for the id of a table, the CSV file that holds all of it.
    """
    return replace(
        page,
        chart=None if page.chart is None else _lead(page.chart),
        table=None if page.table is None else _table(page.table, wholes),
        sections=tuple(
            replace(
                section,
                blocks=_fitting(
                    [_block(block, wholes) for block in section.blocks],
                    CELLS if section.id == "results" else BESIDE,
                ),
            )
            for section in page.sections
        ),
    )


def _fitting(blocks: Sequence[Block], room: int) -> tuple[Block, ...]:
    """The blocks of a section up to where it is full, and a sentence that counts what is left out.

    Only charts and tables of one criterion are left out; where none of its tables is left, the
    heading and the sentences of a criterion go, too.
    """
    parts: list[list[Block]] = []
    for block in blocks:
        if isinstance(block, Heading) or not parts:
            parts.append([])
        parts[-1].append(block)
    made: list[Block] = []
    tables = 0
    for part in parts:
        kept: list[Block] = []
        left = 0
        for block in part:
            room -= _weight(block)
            if room < 0 and _is_of_one(block):
                left += isinstance(block, Shown)
            else:
                kept.append(block)
        tables += left
        if not left or any(isinstance(block, Shown) for block in kept):
            made += kept
    if tables:
        more = format_count(tables, "more table")
        said = f"{more}, and what is drawn and said of them, are in {SCREEN.sentences_are_in}."
        made.append(Words(text=said.replace(", are", ", is") if tables == 1 else said))
    return tuple(made)


def _weight(block: Block) -> int:
    if isinstance(block, Shown):
        return TABLE + len(block.table.rows) * len(block.table.columns)
    return DOT * len(block.rows) if isinstance(block, DotChart | Distribution) else 0


def _is_of_one(block: Block) -> bool:
    """Whether it is a chart, or the table of a criterion: of the whole, as all raters, none is."""
    if isinstance(block, Shown):
        return block.table.id != block.table.kind
    return isinstance(block, DotChart | Distribution | Scatter)


def _block(block: Block, wholes: Mapping[str, str]) -> Block:
    if isinstance(block, Shown):
        return replace(block, table=_table(block.table, wholes))
    if isinstance(block, DotChart | Distribution):
        chart, cut = SCREEN.cut_chart(block)
        return replace(chart, title=f"{chart.title} ({cut})") if cut else chart
    if isinstance(block, Points):
        return Points(items=SCREEN.cut_points(block.items))
    return block


def _table(whole: Table, wholes: Mapping[str, str]) -> Table:
    table, cut = SCREEN.cut_table(whole, wholes.get(whole.id))
    return replace(table, caption=f"{cut} {table.caption}".strip()) if cut else table


def _lead(whole: DotChart) -> DotChart:
    """The chart of the first screen, which has no title to be seen: its axis says what is cut."""
    chart, cut = SCREEN.cut_chart(whole)
    return replace(chart, axis=f"{chart.axis} ({cut})") if cut else chart
