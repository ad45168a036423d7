"""The report as Markdown, for pull requests and README files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from jurybox.analysis.finding import Analysis, Table, format_rows
from jurybox.report.blocks import Block, Gallery, Heading, Page, Points, Screen, Shown, Words
from jurybox.report.bounded import bounded
from jurybox.report.page import make_page
from jurybox.report.versions import package_versions
from jurybox.results import format_count
from jurybox.study.model import Study

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork
    from jurybox.study.guide import Guide

__all__ = ["markdown", "write_page"]

SPECIAL = re.compile(r"([\\`*_\[\]<>|~&#$])")
# GitHub makes links of bare addresses; a backslash before the colon or the dot keeps them text.
ADDRESS = re.compile(r"(?i)\b(https?|ftp|mailto|xmpp)(?=:)|\bwww(?=\.)")


def as_text(text: str) -> str:
    r"""Write a text so that Markdown shows it as it stands.

    >>> as_text("a_b *c* | <b>")
    'a\\_b \\*c\\* \\| \\<b\\>'
    """
    text = " ".join(text.split())
    text = SPECIAL.sub(r"\\\1", text)
    text = ADDRESS.sub(lambda match: match[0] + "\\", text)
    opening = re.match(r"(\d+)[.)](?=\s|$)", text)
    if opening:
        return f"{opening[1]}\\{text[opening.end(1) :]}"
    return f"\\{text}" if text[:1] in ("-", "+", "=") else text


def markdown(
    analysis: Analysis,
    *,
    study: Study | None = None,
    guide: Guide | None = None,
    fieldwork: Fieldwork | None = None,
    versions: Mapping[str, str] | None = None,
) -> str:
    """The report as Markdown; the arguments are those of ``html``."""
    shown = package_versions() if versions is None else versions
    return write_page(
        make_page(analysis, study=study, guide=guide, fieldwork=fieldwork, versions=shown)
    )


def write_page(whole: Page, wholes: Mapping[str, str] | None = None) -> str:
    """Write a page as Markdown; charts give way to the tables beside them.

    What is very long is cut; ``wholes`` has, for the id of a table, the file with all of it.
    """
    page = bounded(whole, wholes or {})
    parts = [
        f"# {as_text(page.title)}",
        as_text(page.counts),
        f"**{as_text(page.say)}**",
    ]
    if page.note:
        parts.append(as_text(page.note))
    if page.changed:
        parts.append("**Changed since raters answered.**")
        parts.append(_points(page.changed))
    if page.table is not None:
        parts.append(_table(page.table))
    if page.cannot:
        parts.append("**What cannot be said.**")
        more = (format_count(page.cannot_more, "more such sentence") + " below.",)
        parts.append(_points([*page.cannot, *(more if page.cannot_more else ())]))
    for section in page.sections:
        parts.append(f"## {as_text(section.title)}")
        parts += [text for text in map(_block, section.blocks) if text]
    parts.append("---")
    parts.append(_points([f"{name}: {value}" for name, value in page.colophon]))
    return "\n\n".join(parts) + "\n"


def _points(items: Iterable[str]) -> str:
    return "\n".join(f"- {as_text(item)}" for item in items)


def _block(block: Block) -> str:
    if isinstance(block, Words):
        return as_text(block.text)
    if isinstance(block, Heading):
        return f"### {as_text(block.text)}"
    if isinstance(block, Points):
        return _points(block.items)
    if isinstance(block, Shown):
        return _table(block.table)
    if isinstance(block, Screen | Gallery):
        return _points(block.said)
    return ""


def _cell(text: str, whole: bool) -> str:
    """A cell; an interval is not broken into two lines."""
    shown = as_text(text)
    return shown.replace(" ", "\N{NO-BREAK SPACE}") if whole else shown


def _table(table: Table) -> str:
    head = "| " + " | ".join(as_text(c.heading) for c in table.columns) + " |"
    rule = "|" + "|".join(" --- " if c.kind == "text" else " ---: " for c in table.columns) + "|"
    rows = format_rows(table)
    whole = [column.kind != "text" for column in table.columns]
    body = ["| " + " | ".join(map(_cell, row, whole)) + " |" for row in rows]
    lines = [f"**{as_text(table.title)}**", "", head, rule, *body]
    if table.caption:
        lines += ["", as_text(table.caption)]
    return "\n".join(lines)
