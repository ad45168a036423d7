"""Everything that was collected, as tables: one by one, or all of them in a zip."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import Any, get_args

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from jurybox.design.hidden import hide_systems
from jurybox.store import Shape
from jurybox.web.access import site_of
from jurybox.web.names import hidden_names
from jurybox.web.organizer.part import PATIENCE, remember, watched
from jurybox.web.organizer.payments import COLUMNS, read_payments
from jurybox.web.organizer.raters import broken_rules
from jurybox.web.organizer.safe import BOM, safe_cell
from jurybox.web.site import Site

__all__ = ["router"]

router = APIRouter()

Table = Mapping[str, Sequence[Any]]

BESIDE: tuple[Shape, ...] = ("checks", "submissions")
"""The tables that fill in any study, whatever it asks."""
IN_MEMORY = 8 * 1024 * 1024
QUICK = 1
"""How hard an archive is pressed: more takes a multiple of the time for a few percent."""
AT_ONCE = 5000
"""How many rows of a table are written at a time."""


@router.get("/export")
def exports(request: Request) -> Response:
    """What can be exported."""
    return watched(request, "export", _values)


def _values(site: Site) -> dict[str, Any]:
    last = site.store.submissions(limit=1)
    state = last[0].seq if last else 0
    answered = remember(site, "shapes", state, site.store.shapes, patience=PATIENCE)
    full = {*answered, *BESIDE}
    return {
        "shapes": [shape for shape in get_args(Shape) if shape in full],
        "empty": [shape for shape in get_args(Shape) if shape not in full],
        "report": site.offers.report is not None,
    }


@router.get("/export/{shape}")
def export(request: Request, shape: Shape) -> Response:
    """One table shape as CSV."""
    table = _read(site_of(request), shape)
    return _sent(_as_csv(table), f"{shape}.csv", "text/csv")


@router.get("/export.zip")
def export_all(request: Request) -> Response:
    """Every table in one archive: the shapes, the raters, the marks and what happened."""
    site = site_of(request)
    tables = {shape: _read(site, shape) for shape in get_args(Shape)} | _beside(site)
    file = SpooledTemporaryFile(max_size=IN_MEMORY)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=QUICK) as archive:
        for name, table in tables.items():
            archive.writestr(f"{name}.csv", "".join(_as_csv(table)))
    file.seek(0)

    def pieces() -> Iterator[bytes]:
        with file:
            yield from iter(lambda: file.read(64 * 1024), b"")

    return _sent(pieces(), "export.zip", "application/zip")


@router.get("/payments.csv")
def payments(request: Request) -> Response:
    """What each rater did, and a suggestion with its rule; a person decides who is paid."""
    rows = read_payments(site_of(request))
    table = {name: [row[name] for row in rows] for name in COLUMNS}
    return _sent(_as_csv(table, mark=BOM), "payments.csv", "text/csv")


def _read(site: Site, shape: Shape) -> Table:
    """A table, with the systems under the names that the organizer sees.

    As in what `jurybox export` writes, ``excluded_by`` also names the study's rule that a rater
    breaks, so that whoever analyzes the table leaves out the same raters.
    """
    table = site.store.table(shape, round=None, retests=True)
    rules = broken_rules(site)
    marked = zip(table["rater"], table["excluded_by"], strict=True)
    table["excluded_by"] = [mark or rules.get(rater) for rater, mark in marked]
    return hide_systems(table, hidden_names(site))


def _beside(site: Site) -> dict[str, Table]:
    """What stands beside the responses."""
    people = site.store.raters()
    marks = site.store.exclusions(history=True)
    done = site.store.events()
    times = ("enrolled_at", "active_at", "finished_at", "stopped_at", "withdrawn_at")
    return {
        "raters": {
            "rater": [one.id for one in people],
            "kind": [one.kind for one in people],
            "group": [one.group for one in people],
            **{name: [getattr(one, name) for one in people] for name in times},
            "survey": [_json(one.survey) for one in people],
        },
        "exclusions": {
            name: [getattr(one, name) for one in marks]
            for name in ("rater", "rule", "sentence", "marked_at", "unmarked_at")
        },
        "events": {
            **{n: [getattr(e, n) for e in done] for n in ("id", "kind", "at", "rater", "trial")},
            "detail": [_json(event.detail) for event in done],
        },
    }


def _json(value: Any) -> str | None:
    return json.dumps(dict(value), ensure_ascii=False, sort_keys=True) if value else None


def _sent(pieces: Iterator[Any], name: str, kind: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(pieces, media_type=kind, headers=headers)


def _as_csv(table: Table, *, mark: str = "") -> Iterator[str]:
    """The table as a spreadsheet takes it: no cell of it is run as a formula."""
    text = io.StringIO()
    text.write(mark)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    rows = zip(*map(_safe, table.values()), strict=True)
    yield text.getvalue()
    while part := list(islice(rows, AT_ONCE)):
        text.seek(0)
        text.truncate()
        writer.writerows(part)
        yield text.getvalue()


def _safe(column: Sequence[Any]) -> Sequence[Any]:
    """A column without formulas: nothing that begins with a letter or a digit is one."""
    texts = {value for value in column if isinstance(value, str) and not value[:1].isalnum()}
    changed = {one: safe for one in texts if (safe := safe_cell(one)) != one}
    return [changed.get(value, value) for value in column] if changed else column
