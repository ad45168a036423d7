"""One cell of a table as it is printed, the same in every format."""

from __future__ import annotations

from typing import Any

from jurybox.analysis.finding import Column, Table
from jurybox.results import format_number, format_p, format_percent

__all__ = ["is_numeric", "print_cell", "print_rows"]


def is_numeric(column: Column) -> bool:
    """Whether the column's cells stand flush right."""
    return column.kind != "text"


def _as_percent(columns: tuple[Column, ...], index: int) -> bool:
    """Whether the interval belongs to a percentage: it takes after the number to its left."""
    left = [c.kind for c in columns[:index] if c.kind in ("number", "percent")]
    return bool(left) and left[-1] == "percent"


def print_cell(columns: tuple[Column, ...], index: int, value: Any) -> str:
    """Print a value by its column's kind; a missing one is an en dash.

    >>> shown = (Column(name="rate", heading="Win rate", kind="percent"),
    ...          Column(name="interval", heading="Interval", kind="interval"))
    >>> print_cell(shown, 1, (0.531, 0.623)), print_cell(shown, 1, None)
    ('53.1 to 62.3', '–')
    """
    if value is None:
        return "–"
    kind = columns[index].kind
    if kind == "interval":
        scale, digits = (100, 1) if _as_percent(columns, index) else (1, 3)
        low, high = (format_number(scale * bound, digits) for bound in value)
        return f"{low} to {high}"
    if kind == "number":
        return format_number(value)
    if kind == "percent":
        return format_percent(value)
    if kind == "count":
        return format_number(value, 0)
    if kind == "p":
        return format_p(value).removeprefix("p ").removeprefix("= ")
    return str(value)


def print_rows(table: Table) -> list[list[str]]:
    """Print every cell of a table."""
    return [
        [print_cell(table.columns, index, value) for index, value in enumerate(row)]
        for row in table.rows
    ]
