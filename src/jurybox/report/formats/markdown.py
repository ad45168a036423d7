"""The report as Markdown, for pull requests and README files.

Tables that are looked up are folded, in the one way that GitHub and GitLab know, and the whole
fits into a comment.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from jurybox.analysis.finding import Analysis, Table, format_rows
from jurybox.report.blocks import (
    LONG,
    Block,
    Gallery,
    Heading,
    Page,
    Points,
    Screen,
    Shown,
    Words,
)
from jurybox.report.formats.bounded import bounded
from jurybox.report.page import make_page
from jurybox.report.sides import as_read, begins_from_right, is_from_right
from jurybox.results import format_count, show_text
from jurybox.study.model import Study

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork
    from jurybox.study.guide import Guide

__all__ = ["as_points", "as_text", "markdown", "write_page"]

SPECIAL = re.compile(r"([\\`*_\[\]<>|~&#$])")
# GitHub makes links of bare addresses; a backslash before the colon or the dot keeps them text.
ADDRESS = re.compile(r"(?i)\b(https?|ftp|mailto|xmpp)(?=:)|\bwww(?=\.)")

LEFT = "\N{LEFT-TO-RIGHT MARK}"
"""A letter that nobody sees: pages ask the first one of a paragraph from where it is read."""

ROOM = 65_536
"""Letters that a comment on GitHub holds; a longer one is refused as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A piece of the page, and what stands in its place where there is no room for it."""

    text: str
    instead: str | None = None
    is_folded: bool = False


def as_text(text: str) -> str:
    r"""Write a text so that Markdown shows it as it stands.

    >>> as_text("a_b *c* | <b>")
    'a\\_b \\*c\\* \\| \\<b\\>'
    """
    text = _placed(" ".join(text.split()))
    text = SPECIAL.sub(r"\\\1", text)
    text = ADDRESS.sub(lambda match: match[0] + "\\", text)
    opening = re.match(r"(\d+)[.)](?=\s|$)", text)
    if opening:
        return f"{opening[1]}\\{text[opening.end(1) :]}"
    return f"\\{text}" if text[:1] in ("-", "+", "=") else text


def _placed(text: str) -> str:
    """A text whose names from right to left keep their places, wherever it is shown."""
    text = show_text(text)
    is_turned = begins_from_right(text) and not is_from_right(text)
    return LEFT * is_turned + as_read(text)


def markdown(
    analysis: Analysis,
    *,
    study: Study | None = None,
    guide: Guide | None = None,
    fieldwork: Fieldwork | None = None,
    versions: Mapping[str, str] | None = None,
) -> str:
    """The report as Markdown; the arguments are those of ``html``."""
    return write_page(
        make_page(analysis, study=study, guide=guide, fieldwork=fieldwork, versions=versions)
    )


def write_page(whole: Page, wholes: Mapping[str, str] | None = None) -> str:
    """Write a page as Markdown; charts give way to the tables beside them.

    What is very long is cut; ``wholes`` has, for the id of a table, the file with all of it.
    Of what is too long together, folded tables give way first, then other tables, the longest
    first.
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
        parts.append(as_points(page.changed))
    if page.table is not None:
        parts.append(_table(page.table))
    if page.cannot:
        parts.append("**What cannot be said.**")
        parts.append(as_points(page.cannot))
    pieces = [_Part(text=text) for text in parts]
    for section in page.sections:
        pieces.append(_Part(text=f"## {as_text(section.title)}"))
        pieces += [part for part in map(_block, _one_list(section.blocks)) if part.text]
    if page.colophon:
        pieces.append(_Part(text="---"))
        pieces.append(_Part(text=as_points([f"{name}: {value}" for name, value in page.colophon])))
    return "\n\n".join(_fitting(pieces)) + "\n"


def _fitting(parts: Sequence[_Part]) -> list[str]:
    """The texts of the parts, as many of them as there is room for."""
    texts = [part.text for part in parts]
    left = sum(map(len, texts)) + 2 * len(texts) - ROOM
    in_turn = sorted(range(len(parts)), key=lambda k: (not parts[k].is_folded, -len(texts[k])))
    for k in in_turn:
        instead = parts[k].instead
        if left <= 0:
            break
        if instead is not None and len(instead) < len(texts[k]):
            left -= len(texts[k]) - len(instead)
            texts[k] = instead
    return texts


def as_points(items: Iterable[str]) -> str:
    """Write sentences one below the other."""
    return "\n".join(f"- {as_text(item)}" for item in items)


def _one_list(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks with lists that follow each other as one, which Markdown makes of them anyway.

    An empty line between two of its points would set all of them apart.
    """
    for is_list, alike in groupby(blocks, lambda block: isinstance(block, Points)):
        if not is_list:
            yield from alike
            continue
        items = (item for block in alike if isinstance(block, Points) for item in block.items)
        yield Points(items=tuple(items))


def _block(block: Block) -> _Part:
    if isinstance(block, Words):
        return _Part(text=as_text(block.text))
    if isinstance(block, Heading):
        return _Part(text=f"### {as_text(block.text)}")
    if isinstance(block, Points):
        return _listed(block.items)
    if isinstance(block, Shown):
        return _shown(block)
    if isinstance(block, Screen):
        return _listed(block.said)
    if isinstance(block, Gallery):
        return _exhibited(block)
    return _Part(text="")


def _listed(items: Sequence[str]) -> _Part:
    return _Part(text=as_points(items), instead=_left_out(format_count(len(items), "sentence")))


def _exhibited(block: Gallery) -> _Part:
    if block.folded:
        text = _folded(block.title, as_points(block.said))
        return _Part(text=text, instead=_left_out(block.title), is_folded=True)
    listed = _listed(block.said)
    return replace(listed, text=f"### {as_text(block.title)}\n\n{listed.text}")


def _left_out(what: str) -> str:
    return f"*Left out to fit into a comment, and in the report as HTML: {as_text(what)}.*"


def _shown(block: Shown) -> _Part:
    rows = format_count(len(block.table.rows), "row")
    title = f"{block.table.title} ({rows})"
    left_out = _left_out(title)
    if not block.folded and len(block.table.rows) <= LONG:
        return _Part(text=_table(block.table), instead=left_out)
    return _Part(text=_folded(title, _rows(block.table)), instead=left_out, is_folded=True)


def _folded(title: str, text: str) -> str:
    """A text that is unfolded by whoever wants to read it."""
    # Within these tags nothing is Markdown until there is an empty line.
    opening = f"<details><summary>{html.escape(_placed(' '.join(title.split())))}</summary>"
    return f"{opening}\n\n{text}\n\n</details>"


def _cell(text: str, whole: bool) -> str:
    """A cell; an interval is not broken into two lines."""
    shown = as_text(text)
    return shown.replace(" ", "\N{NO-BREAK SPACE}") if whole else shown


def _table(table: Table) -> str:
    return f"**{as_text(table.title)}**\n\n{_rows(table)}"


def _rows(table: Table) -> str:
    head = "| " + " | ".join(as_text(c.heading) for c in table.columns) + " |"
    rule = "|" + "|".join(" --- " if c.kind == "text" else " ---: " for c in table.columns) + "|"
    rows = format_rows(table)
    whole = [column.kind != "text" for column in table.columns]
    body = ["| " + " | ".join(map(_cell, row, whole)) + " |" for row in rows]
    lines = [head, rule, *body]
    if table.caption:
        lines += ["", as_text(table.caption)]
    return "\n".join(lines)
