"""The report as one HTML file that opens from disk, without a network.

Its only script is its own; the page says by a hash that no other may run, and can be read without.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from jurybox.analysis.finding import Analysis, Column, Table, format_rows
from jurybox.report.blocks import LONG, Page, Section
from jurybox.report.charts.bars import DARK, LIGHT, draw_distribution, ramp
from jurybox.report.charts.dots import draw_dots
from jurybox.report.charts.scatter import draw_scatter
from jurybox.report.charts.values import Distribution
from jurybox.report.formats.bounded import bounded
from jurybox.report.formats.printed import Letters, parts_of
from jurybox.report.page import make_page
from jurybox.report.said.crossed import OF_MATRIX
from jurybox.report.said.words import ONE_THING
from jurybox.report.sides import as_read, is_from_right, set_apart
from jurybox.results import format_count
from jurybox.study.model import Study

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork
    from jurybox.study.guide import Guide

__all__ = ["draw_page", "html"]

WIDTHS = (940, 360)
LONG_DRAWN = 10
"""Rows up to which a table is open whose chart, right above it, already tells the values."""
LETTERS: Letters = (108, 150, 150)
"""How many letters a line of a table holds, set large and small: a wider one is shown in parts."""
WHOLE = 12
"""Characters up to which a text in a table is never broken: ``rater-01``, ``p (max-t)``."""
SENTENCE = 24
"""Characters above which a text in a table gets lines of this length, also on a phone."""
ROOMY, CLOSE = 90, 110
"""Characters of the widest parts of all columns, wide apart and close together with their gaps."""
GAP = 1.5
"""Characters that a gap is wide between columns that stand close together."""


def html(
    analysis: Analysis,
    *,
    study: Study | None = None,
    guide: Guide | None = None,
    fieldwork: Fieldwork | None = None,
    versions: Mapping[str, str] | None = None,
) -> str:
    """The report as a self-contained HTML page.

    Parameters
    ----------
    analysis : Analysis
        What ``analyze`` gave.
    study : Study, optional
        The study, to show what was asked and the rules fixed before the data.
    guide : Guide, optional
        The rater's guide, for the task in words.
    fieldwork : Fieldwork, optional
        Items, outputs and plan, to show a trial and the outputs at both ends.
    versions : mapping, optional
        Package names and versions to print; by default those installed.
    """
    return draw_page(
        make_page(analysis, study=study, guide=guide, fieldwork=fieldwork, versions=versions)
    )


def draw_page(whole: Page, wholes: Mapping[str, str] | None = None) -> str:
    """Draw a page; every text in it is shown as text.

    What is very long is cut; ``wholes`` has, for the id of a table, the file with all of it.
    """
    page = bounded(whole, wholes or {})
    folder = files("jurybox.report.formats") / "templates"
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    told = files("jurybox.screen") / "static" / "told.js"
    script = "".join(file.read_text(encoding="utf-8") for file in (told, folder / "report.js"))
    template = environment.from_string((folder / "report.html.j2").read_text(encoding="utf-8"))
    return template.render(
        page=page,
        css=(folder / "report.css").read_text(encoding="utf-8").strip(),
        script=script,
        script_hash=_hash(script),
        say=_stressed(page),
        unbroken=_unbroken,
        apart=as_read,
        turn=_turn,
        widths=WIDTHS,
        long=LONG,
        long_drawn=LONG_DRAWN,
        sizes={table.id: format_count(len(table.rows), "row") for table in whole.tables},
        numeric=_is_numeric,
        rows=format_rows,
        parts=_parts,
        dense=_is_dense,
        shade=_shade,
        whole=_whole,
        blocks=_named,
        dots=draw_dots,
        bars=draw_distribution,
        scatter=draw_scatter,
        key=_key,
    )


def _hash(script: str) -> str:
    """The script as a content security policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")


def _stressed(page: Page) -> Markup:
    before, found, after = page.stressed
    # "α =" stays with its number, which is a part of its own here.
    before = re.sub(r"(?<=\b[ακ]) = $", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}", before)
    stress = Markup("<em>{}</em>").format(found) if found else ""
    return _whole_parts(set_apart(before)) + stress + _whole_parts(set_apart(after))


def _turn(text: str) -> Markup:
    """The attribute of a text that is read from right to left."""
    return Markup(' dir="rtl"') if is_from_right(text) else Markup()


def _unbroken(text: str) -> Markup:
    return _whole_parts(as_read(text))


def _whole_parts(text: str) -> Markup:
    """A text in which ``p = 0.031`` and ``max-t`` are never broken into two lines."""
    whole = Markup('<span class="whole">{}</span>')
    parts = enumerate(ONE_THING.split(text))
    return Markup("").join(whole.format(part) if k % 2 else escape(part) for k, part in parts)


def _is_numeric(column: Column) -> bool:
    return column.kind != "text"


def _widths(table: Table, rows: list[list[str]]) -> list[int]:
    """How many characters each column needs; only words and numbers are never broken."""
    widths = []
    for place, column in enumerate(table.columns):
        cells = [row[place] for row in rows]
        parts = cells if _is_numeric(column) else " ".join(cells).split()
        widths.append(max(map(len, [*parts, *column.heading.split()]), default=0))
    return widths


def _is_dense(table: Table, rows: list[list[str]]) -> bool:
    """Whether a table is set small, to be seen whole."""
    return len(table.columns) > 8 or sum(_widths(table, rows)) > ROOMY


def _parts(table: Table) -> tuple[Table, ...]:
    """A table in parts that are seen whole, where it would need a scroll bar."""
    first, *others = _widths(table, format_rows(table))
    # A long name in the first column is broken anywhere.
    width = min(first, SENTENCE) + sum(others) + GAP * len(others)
    return parts_of(table, LETTERS if width <= CLOSE else (LETTERS[0],) * 3)


def _whole(text: str) -> str:
    return " whole" if len(text) <= WHOLE else " words" if len(text) > SENTENCE else ""


def _shade(table: Table, value: float | None) -> str:
    """The class of a cell of a matrix: how far above or below one half it is, in tenths."""
    if table.kind != OF_MATRIX:
        return ""
    return " hnone" if value is None else f" h{round(10 * value)}"


def _named(section: Section) -> list[dict[str, Any]]:
    return [{"kind": type(block).__name__, "value": block} for block in section.blocks]


def _key(chart: Distribution) -> list[tuple[str, str, str]]:
    """Each value with its color on a light page and on a dark one."""
    light, dark = ([paint for paint, _ in ramp(len(chart.values), c)] for c in (LIGHT, DARK))
    return list(zip(chart.values, light, dark, strict=True))
