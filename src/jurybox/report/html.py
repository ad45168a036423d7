"""The report as one HTML file that opens from disk, without a network.

Its only script is its own; the page says by a hash that no other may run, and can be read without.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from jurybox.analysis.finding import Analysis, Column, Table, format_rows
from jurybox.report.bars import draw_distribution, ramp
from jurybox.report.blocks import Page, Section
from jurybox.report.bounded import bounded
from jurybox.report.charts import (
    Distribution,
    draw_dots,
)
from jurybox.report.page import make_page
from jurybox.report.pictures import OF_MATRIX
from jurybox.report.printed import parts_of, tables_of
from jurybox.report.scatter import draw_scatter
from jurybox.report.versions import package_versions
from jurybox.report.words import ONE_THING
from jurybox.results import format_count
from jurybox.study.model import Study

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork
    from jurybox.study.guide import Guide

__all__ = ["draw_page", "html"]

WIDTHS = (940, 360)
LONG = 20
"""Rows up to which a table is open; a longer one is unfolded by whoever wants to read it."""
LETTERS = (108, 150, 150)
"""How many letters a line of a table holds, set large and small: a wider one is shown in parts."""
WHOLE = 12
"""Characters up to which a text in a table is never broken: ``rater-01``, ``p (max-t)``."""
SENTENCE = 24
"""Characters above which a text in a table gets lines of this length, also on a phone."""
ROOMY = 90
"""Characters of the widest parts of all columns up to which they stand wide apart."""


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
    shown = package_versions() if versions is None else versions
    return draw_page(
        make_page(analysis, study=study, guide=guide, fieldwork=fieldwork, versions=shown)
    )


def draw_page(whole: Page, wholes: Mapping[str, str] | None = None) -> str:
    """Draw a page; every text in it is shown as text.

    What is very long is cut; ``wholes`` has, for the id of a table, the file with all of it.
    """
    page = bounded(whole, wholes or {})
    folder = files("jurybox.report") / "templates"
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
        more=_more(page.cannot_more),
        widths=WIDTHS,
        long=LONG,
        sizes={table.id: f"{len(table.rows):,}" for table in tables_of(whole)},
        numeric=_is_numeric,
        rows=format_rows,
        parts=partial(parts_of, letters=LETTERS),
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
    if page.emphasis is None:
        return _unbroken(page.say)
    before, found, after = page.say.partition(page.emphasis)
    return Markup("{}<em>{}</em>{}").format(_unbroken(before), found, _unbroken(after))


def _unbroken(text: str) -> Markup:
    """A text of which ``p = 0.031`` and ``max-t`` are never broken into two lines."""
    whole = Markup('<span class="whole">{}</span>')
    parts = enumerate(ONE_THING.split(text))
    return Markup("").join(whole.format(part) if k % 2 else escape(part) for k, part in parts)


def _more(count: int) -> str:
    return f"{format_count(count, 'more such sentence')} below." if count else ""


def _is_numeric(column: Column) -> bool:
    return column.kind != "text"


def _is_dense(table: Table, rows: list[list[str]]) -> bool:
    """Whether a table is set small, to be seen whole; only words and numbers are never broken."""
    width = 0
    for place, column in enumerate(table.columns):
        cells = [row[place] for row in rows]
        parts = cells if _is_numeric(column) else " ".join(cells).split()
        width += max(map(len, [*parts, *column.heading.split()]), default=0)
    return len(table.columns) > 8 or width > ROOMY


def _whole(text: str) -> str:
    return " whole" if len(text) <= WHOLE else " words" if len(text) > SENTENCE else ""


def _shade(table: Table, value: float | None) -> str:
    """The class of a cell of a matrix: how far above or below one half it is, in tenths."""
    if table.id.split("/")[0] != OF_MATRIX:
        return ""
    return " hnone" if value is None else f" h{round(10 * value)}"


def _named(section: Section) -> list[dict[str, Any]]:
    return [{"kind": type(block).__name__, "value": block} for block in section.blocks]


def _key(chart: Distribution) -> list[tuple[str, str]]:
    paints = [paint for paint, _ in ramp(len(chart.values))]
    return list(zip(chart.values, paints, strict=True))
