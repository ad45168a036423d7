"""The report as data: every finding and table as strict JSON, every table as CSV."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from typing import Any

from jurybox.analysis.finding import Analysis, Column, Table
from jurybox.formats import text_cell
from jurybox.report.versions import package_versions
from jurybox.results import show_text

__all__ = ["as_csv", "as_json"]


def as_json(analysis: Analysis, *, versions: Mapping[str, str] | None = None) -> str:
    """Everything the analysis holds; numbers in full, an infinite bound as ``"inf"``."""
    made_with = dict(package_versions() if versions is None else versions)
    data = _plain({**analysis.to_dict(), "made_with": made_with})
    return show_text(json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def as_csv(table: Table) -> str:
    """A table with numbers in full; an interval becomes two columns, ``…_low`` and ``…_high``.

    A text that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    out = io.StringIO()
    # RFC 4180's line end: only then does the writer quote a cell that holds either part of it.
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(name for column in table.columns for name in _names(column))
    for row in table.rows:
        writer.writerow(
            cell
            for column, value in zip(table.columns, row, strict=True)
            for cell in _cells(column, value)
        )
    return out.getvalue()


def _names(column: Column) -> tuple[str, ...]:
    names = (
        (f"{column.name}_low", f"{column.name}_high")
        if column.kind == "interval"
        else (column.name,)
    )
    return tuple(text_cell(name) for name in names)


def _cells(column: Column, value: Any) -> tuple[Any, ...]:
    if column.kind == "interval":
        return ("", "") if value is None else (value[0], value[1])
    if value is None:
        return ("",)
    return (text_cell(value) if isinstance(value, str) else value,)
