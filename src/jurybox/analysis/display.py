"""An analysis as a session and a notebook show it: what was read, what was found, and what not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from jurybox.analysis.table import Table, format_rows
from jurybox.results import show_text

if TYPE_CHECKING:
    from jurybox.analysis.finding import Analysis

__all__ = ["as_html", "as_text"]

SHOWN = 8
"""Sentences of a kind that are shown before the rest is left to ``findings``."""
ROWS = 50
"""Rows of a table that are shown: every pair of ten systems."""


def as_text(analysis: Analysis) -> str:
    """Some lines that a person can read, and where the rest is."""
    lines = [analysis.title, *(f"  {said}" for said in analysis.took)]
    for heading, sentences in _parts(analysis):
        lines += [heading, *(f"  - {sentence}" for sentence in sentences)]
    if analysis.tables:
        listed = ", ".join(table.id for table in analysis.tables)
        lines.append(f"Tables, by .table(id) or all in .to_markdown(): {listed}")
    return show_text("\n".join(lines))


def as_html(analysis: Analysis) -> str:
    """The same for a notebook, with every table to be opened."""
    parts = [f"<p><b>{escape(analysis.title)}</b></p>"]
    parts.append("".join(f"<p>{escape(said)}</p>" for said in analysis.took))
    for heading, sentences in _parts(analysis):
        listed = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
        parts.append(f"<p><b>{escape(heading)}</b></p><ul>{listed}</ul>")
    parts += [_table(table) for table in analysis.tables]
    return show_text("".join(parts))


def _parts(analysis: Analysis) -> Iterator[tuple[str, Sequence[str]]]:
    headline = analysis.headline
    told = [headline] if headline is not None else []
    told += [finding for finding in analysis.findings if finding.told and finding is not headline]
    untold = [finding for finding in analysis.untold if finding is not headline]
    for heading, sentences in (
        ("Findings", [finding.sentence for finding in told]),
        ("What cannot be said", [finding.sentence for finding in untold]),
        ("Left out", [each.sentence for each in analysis.excluded]),
        ("Keep in mind", list(analysis.warnings)),
    ):
        more = len(sentences) - SHOWN
        if more > 0:
            sentences = [*sentences[:SHOWN], f"and {more:,} more"]
        if sentences:
            yield heading, sentences


def _table(table: Table) -> str:
    heads = "".join(f"<th>{escape(column.heading)}</th>" for column in table.columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
        for cells in format_rows(table.part(rows=ROWS))
    )
    if len(table.rows) > ROWS:
        rows += f"<tr><td>and {len(table.rows) - ROWS:,} more rows</td></tr>"
    caption = f"<p>{escape(table.caption)}</p>" if table.caption else ""
    return (
        f"<details><summary>{escape(table.title)}</summary>"
        f"<table><tr>{heads}</tr>{rows}</table>{caption}</details>"
    )
