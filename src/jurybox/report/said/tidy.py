"""Tables as a reader wants them: no empty columns, none without a number, raters in order."""

from __future__ import annotations

import re
from dataclasses import replace

from jurybox.analysis.finding import Table
from jurybox.report.blocks import Block, Page, Section, Shown
from jurybox.results import format_count

__all__ = ["said_once", "tidied", "tidied_page"]

SENTENCE = r"(?<=\.) (?=[A-Z])"
"""Where one sentence ends and the next begins."""
NUMBERS = ("number", "percent", "points", "seconds", "p")
MANY = 20
"""Raters above which those of whom there is something to say stand first."""
REMARKS = ("look", "flag")
"""The columns that say something of a rater."""


def tidied_page(page: Page) -> Page:
    """The same with tidy tables; what has no number is said in sentences, and stays in the data."""
    table = None if page.table is None else tidied(page.table)
    sections = (replace(s, blocks=_blocks(s)) for s in page.sections)
    return replace(page, table=table, sections=tuple(sections))


def said_once(page: Page) -> Page:
    """The same with no sentence below a table that stands below the answer already."""
    known = re.split(SENTENCE, page.note)

    def shorter(table: Table) -> Table:
        kept = [said for said in re.split(SENTENCE, table.caption) if said not in known]
        return replace(table, caption=" ".join(kept))

    def shown(block: Block) -> Block:
        return replace(block, table=shorter(block.table)) if isinstance(block, Shown) else block

    return replace(
        page,
        table=None if page.table is None else shorter(page.table),
        sections=tuple(
            replace(section, blocks=tuple(map(shown, section.blocks))) for section in page.sections
        ),
    )


def _blocks(section: Section) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for block in section.blocks:
        if not isinstance(block, Shown):
            blocks.append(block)
            continue
        table = tidied(block.table)
        if table is not None:
            blocks.append(replace(block, table=table))
    return tuple(blocks)


def tidied(table: Table) -> Table | None:
    """Leave out columns without an entry; ``None`` if all numbers of the table are missing.

    An interval stays beside its estimate: that it is missing is worth knowing.
    """
    if not table.rows:
        return table
    table = _with_numbers(_in_order(table))
    empty = [all(row[k] in (None, "") for row in table.rows) for k in range(len(table.columns))]
    numeric = [k for k, column in enumerate(table.columns) if column.kind in NUMBERS]
    if numeric and all(empty[k] for k in numeric):
        return None
    kept = [k for k in range(len(table.columns)) if k == 0 or not _is_dropped(table, empty, k)]
    if len(kept) == len(table.columns):
        return table
    return replace(
        table,
        columns=tuple(table.columns[k] for k in kept),
        rows=tuple(tuple(row[k] for k in kept) for row in table.rows),
    )


def _in_order(table: Table) -> Table:
    """Raters as people count, rater-9 before rater-10; of many, those with a remark first."""
    if table.columns[0].name != "rater":
        return table
    names = [k for k, column in enumerate(table.columns) if column.name in ("rater", "other")]
    remarks = [k for k, column in enumerate(table.columns) if column.name in REMARKS]
    rows = sorted(table.rows, key=lambda row: [_counted(str(row[k])) for k in names])
    caption = table.caption
    if len(rows) > MANY and any(row[k] for row in rows for k in remarks):
        rows.sort(key=lambda row: not any(row[k] for k in remarks))
        caption = f"Who is worth a look or left out stands first. {caption}"
    return replace(table, rows=tuple(rows), caption=caption)


def _with_numbers(table: Table) -> Table:
    """Of every two raters those that have a number; the others are counted, not listed."""
    if table.names[:2] != ("rater", "other"):
        return table
    numeric = [k for k, column in enumerate(table.columns) if column.kind in NUMBERS]
    rows = tuple(row for row in table.rows if any(row[k] is not None for k in numeric))
    gone = len(table.rows) - len(rows)
    if not rows or not gone:
        return table
    left_out = f"{format_count(gone, 'such pair')} {'is' if gone == 1 else 'are'} left out here."
    return replace(table, rows=rows, caption=f"{table.caption} {left_out}")


def _counted(name: str) -> list[tuple[int, str]]:
    """A name by whose parts it is sorted: every second one is a number.

    The longer number is the larger one: Python makes no integer of more than 4,300 digits.
    """
    parts = re.split(r"0*(\d+)", name)
    return [(len(part) if k % 2 else 0, part) for k, part in enumerate(parts)]


def _is_dropped(table: Table, empty: list[bool], place: int) -> bool:
    has_estimate = table.columns[place].kind == "interval" and not empty[place - 1]
    return empty[place] and not has_estimate
