"""Tables as reports show them: columns, plain cells, and how these are printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from jurybox.formats import digits_alone, digits_apart, digits_together
from jurybox.results import (
    format_number,
    format_p,
    format_percent,
    format_seconds,
    to_plain,
)

__all__ = ["CellKind", "Column", "Method", "Table", "format_cells", "format_rows", "table_lines"]

CellKind = Literal["text", "number", "percent", "points", "count", "seconds", "p", "interval"]

Method = Literal[
    "Cohen's kappa",
    "Davidson's model",
    "Holm's method",
    "error points",
    "metrics compared",
    "quadratic weights",
    "second fit",
    "ties as halves",
    "Williams' t",
]
"""What a table may be made by that has a sentence or a reference among the methods."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table: its name in CSV and JSON, its heading, and how its cells are printed.

    ``points`` is a difference of shares, printed in percentage points.
    """

    name: str
    heading: str
    kind: CellKind = "text"
    axis: str = field(default="", compare=False, repr=False)
    """What it measures, along the axis of a chart."""


Digits = Mapping[tuple[Any, str], int]
"""The digits of a group of rows by the name of the column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of plain values in the order of the columns.

    An interval cell is ``(low, high)`` or ``None``; in a column next to shares it is in shares.
    """

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    caption: str = ""
    digits: Digits | None = field(default=None, compare=False, repr=False)
    """Of a part of a table: those of the whole, so that both print the same numbers."""
    limits: tuple[float, float] | None = field(default=None, compare=False, repr=False)
    """Between which its first numbers lie, whatever their intervals say: a chart ends there."""
    claims: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """What its first intervals speak for, as the caption also says."""
    methods: Mapping[Method, str] = field(default_factory=dict, compare=False, repr=False)
    """How its numbers were made, each with the words that are not the same of every table."""

    @property
    def kind(self) -> str:
        """What it holds, as ``win_rates``: its id up to the first slash."""
        return self.id.partition("/")[0]

    @property
    def about(self) -> str:
        """What it is of, a criterion as a rule: its id from the first slash on."""
        return self.id.partition("/")[2]

    @property
    def names(self) -> tuple[str, ...]:
        """Those of its columns."""
        return tuple(column.name for column in self.columns)

    def place(self, name: str) -> int | None:
        """Where the column of this name stands, if there is one."""
        return self.names.index(name) if name in self.names else None

    def part(
        self, *, rows: int | None = None, columns: Sequence[int] | None = None, title: str = ""
    ) -> Table:
        """Its first rows, or some of its columns, with the digits of the whole."""
        kept = range(len(self.columns)) if columns is None else columns
        return replace(
            self,
            title=title or self.title,
            columns=tuple(self.columns[k] for k in kept),
            rows=tuple(tuple(row[k] for k in kept) for row in self.rows[:rows]),
            digits=_digits(self),
        )

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON: one object per row; an infinite end of an interval is ``"inf"``."""
        return {
            "id": self.id,
            "title": self.title,
            "caption": self.caption,
            "columns": [
                {"name": c.name, "heading": c.heading, "kind": c.kind} for c in self.columns
            ],
            "rows": [
                {name: to_plain(cell) for name, cell in zip(self.names, row, strict=True)}
                for row in self.rows
            ],
        }


def table_lines(table: Table) -> list[str]:
    """The lines of a Markdown table, with its caption."""
    rows = [[column.heading for column in table.columns]]
    rows.append(["---" if column.kind == "text" else "---:" for column in table.columns])
    rows += [[cell.replace("|", "\\|") for cell in cells] for cells in format_rows(table)]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return [*lines, *(["", table.caption] if table.caption else [])]


def format_rows(table: Table) -> list[list[str]]:
    """All rows as they are printed; see ``format_cells``."""
    digits = _digits(table)
    return [_cells(table, row, digits) for row in table.rows]


def format_cells(table: Table, row: tuple[Any, ...]) -> list[str]:
    """A row as it is printed; an interval is in the unit of the column before it.

    The numbers of a column have the digits that most of its intervals deserve; where units
    differ, as those of metrics do, each has its own.
    """
    return _cells(table, row, _digits(table))


def _group(table: Table, row: tuple[Any, ...]) -> Any:
    for column, cell in zip(table.columns, row, strict=True):
        if column.name in ("metric", "unit", "figure"):
            return cell
    return None


def _digits(table: Table) -> Digits:
    if table.digits is not None:
        return table.digits
    groups: dict[Any, list[tuple[Any, ...]]] = {}
    for row in table.rows:
        groups.setdefault(_group(table, row), []).append(row)
    return {
        (group, name): digits
        for group, rows in groups.items()
        for name, digits in _by_column(table.columns, rows)
    }


def _by_column(
    columns: tuple[Column, ...], rows: list[tuple[Any, ...]]
) -> Iterator[tuple[str, int]]:
    """The digits of every column of numbers.

    What has no interval of its own is as precise as what stands before it, or else behind it; what
    lies between −1 and 1, as agreement does, has two digits at least.
    """
    numbers = [k for k, column in enumerate(columns) if column.kind == "number"]
    own = {k: _own_digits(columns, rows, k) for k in numbers}
    before = next((digits for digits in own.values() if digits is not None), None)
    for k in numbers:
        values = [row[k] for row in rows if row[k] is not None]
        if before is None:
            before = digits_alone(values)
        digits = own[k]
        if digits is None:
            is_within = all(-1 <= value <= 1 for value in values)
            yield columns[k].name, max(before, 2) if is_within else before
        else:
            before = digits
            yield columns[k].name, digits


def _own_digits(columns: tuple[Column, ...], rows: list[tuple[Any, ...]], place: int) -> int | None:
    """What most intervals of a column deserve; ``None`` for one without intervals."""
    if place + 1 == len(columns) or columns[place + 1].kind != "interval":
        return None
    ends = (row[place + 1] for row in rows if row[place + 1] is not None)
    return digits_together(ends)


def _cells(table: Table, row: tuple[Any, ...], digits: Digits) -> list[str]:
    cells, percent, places = [], False, 3
    for column, cell in zip(table.columns, row, strict=True):
        if column.kind == "number":
            places = digits[_group(table, row), column.name]
        elif column.kind == "count":
            places = 0
        cells.append(_cell(column.kind, cell, places, percent=percent))
        if column.kind != "interval":
            percent = column.kind in ("percent", "points")
    return cells


def _cell(kind: CellKind, cell: Any, places: int, *, percent: bool) -> str:
    if cell is None:
        return "–"
    if kind == "interval":
        scale, places = (100, 1) if percent else (1, places)
        low, high = (scale * end for end in cell)
        places = digits_apart(low, high, places)
        return f"{format_number(low, places)} to {format_number(high, places)}"
    if kind == "percent":
        return format_percent(cell)
    if kind == "points":
        return format_number(100 * cell, 1)
    if kind == "number":
        return format_number(cell, places)
    if kind == "count":
        return format_number(cell, 0)
    if kind == "seconds":
        return format_seconds(cell)
    if kind == "p":
        return format_p(cell).removeprefix("p = ").removeprefix("p ")
    return str(cell)
