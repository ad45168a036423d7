"""A statistic with one value per system, and how it prints itself as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from jurybox.errors import AnalysisError, InputError
from jurybox.formats import format_confidence, format_p, show_text
from jurybox.results.plain import Plain
from jurybox.results.result import Result, draw

__all__ = ["ResultTable", "claims_of", "listed"]

SHOWN = 5
"""Rows that a sentence names."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ResultTable(Plain):
    """A statistic with one value per system (or per pair of systems): a tuple of results.

    Indexing with a name gives the row of that system; iterating gives the rows in order.
    """

    # Its kinds are dataclasses with ``repr=False``: the fields of every row would fill the screen.

    label: ClassVar[str] = "results"

    rows: tuple[Result, ...]
    undefined: str | None = None
    """Why there are no rows, or why some have no number."""
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> Any:
        for row in self.rows:
            if row.name == name:
                return row
        names = ", ".join(row.name for row in self.rows)
        raise InputError(f"{self.label}: there is no row {name!r}; there are {names}")

    def __repr__(self) -> str:
        rows = "; ".join(f"{row.name} {row.short()}" for row in self.rows)
        return show_text(f"{type(self).__name__}({rows or self.undefined})")

    def __str__(self) -> str:
        head, *body = self._cells()
        widths = [max(len(row[i]) for row in (head, *body)) for i in range(len(head))]
        lines = [self.label]
        for row in (head, *body):
            first, *rest = (
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            lines.append("  ".join(["", first, *rest]).rstrip())
        if not self.rows:
            lines = [f"{self.label}: undefined: {self.undefined}"]
        lines += [f"  {said}" for said in (*self.claims, *self._reasons())]
        return show_text("\n".join([*lines, *(f"  note: {note}" for note in self.all_notes)]))

    @property
    def all_notes(self) -> tuple[str, ...]:
        """The notes of the table and of its rows, each once."""
        return tuple(
            dict.fromkeys([*self.notes, *(note for row in self.rows for note in row.notes)])
        )

    @property
    def claims(self) -> tuple[str, ...]:
        """What its intervals speak for: a sentence for each claim."""
        return claims_of(self.rows)

    def _reasons(self) -> list[str]:
        return [f"{row.name}: {row.undefined}" for row in self.rows if row.undefined]

    def _cells(self) -> list[tuple[str, ...]]:
        confidence = next((r.interval.confidence for r in self.rows if r.interval), 0.95)
        interval = f"{format_confidence(confidence)} interval"
        table = [("", "estimate", interval, "for these raters", "p", "n")]
        table += [
            (
                row.name,
                row.format(row.estimate),
                row.ends(row.interval),
                "" if row.these_raters is None else row.ends(row.these_raters),
                format_p(row.p).removeprefix("p ").removeprefix("= ") if row.p is not None else "",
                "" if row.n_responses is None else f"{row.n_responses:,}",
            )
            for row in self.rows
        ]
        empty = [k for k in (3, 4) if not any(row[k] for row in table[1:])]
        return [tuple(cell for k, cell in enumerate(row) if k not in empty) for row in table]

    def to_columns(self) -> dict[str, list[Any]]:
        """The rows as columns of plain values; an interval gives ``low``, ``high`` and more."""
        columns: dict[str, list[Any]] = {}
        for row in self.rows:
            for name, value in _flat(row):
                columns.setdefault(name, []).append(value)
        return columns

    def to_frame(self) -> Any:
        """The rows as a pandas data frame, or a Polars one where only Polars is installed."""
        from importlib import import_module

        for library in ("pandas", "polars"):
            try:
                return import_module(library).DataFrame(self.to_columns())
            except ImportError:
                continue
        raise AnalysisError(
            "to_frame needs pandas or Polars, and neither is installed; to_columns needs nothing"
        )

    def to_markdown(self) -> str:
        """The rows as a Markdown table, the notes below it."""
        head, *body = self._cells()
        rule = ("---", *("---:" for _ in head[1:]))
        lines = ["| " + " | ".join(row) + " |" for row in (head, rule, *body)]
        after = [*self.claims, *self._reasons(), *self.all_notes]
        listed = ["", *(f"- {line}" for line in after)] if after else []
        return show_text("\n".join([*lines, *listed]))

    def _repr_html_(self) -> str:
        from html import escape

        head, *body = self._cells()
        rows = ["<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
        for row in body:
            rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>")
        after = [*self.claims, *self._reasons(), *self.all_notes]
        notes = "".join(f"<p>{escape(note)}</p>" for note in after)
        caption = f"<caption>{escape(self.label)}</caption>"
        return show_text(f"<table>{caption}{''.join(rows)}</table>{notes}")

    def chart(self) -> Any:
        """Every row as a point with its interval, as an Altair chart."""
        return draw(self.rows, self.label)


def claims_of(rows: Sequence[Result]) -> tuple[str, ...]:
    """What the intervals of a table speak for, without a full stop: one sentence for each claim."""
    held: dict[str, list[str]] = {}
    for row in rows:
        if row.interval is not None:
            held.setdefault(row.interval.generalizes_to, []).append(row.name)
    said = [f"intervals hold for {claim}" for claim in held]
    if len(held) > 1:
        said = [f"intervals of {listed(names)} hold for {to}" for to, names in held.items()]
    if not any(row.these_raters for row in rows):
        return tuple(said)
    # As part of the only sentence, the key to a row or column “these raters” takes one line.
    if len(said) == 1:
        return (f"{said[0]}, or for these raters alone",)
    return (*said, "those of these raters hold for them alone")


def listed(names: list[str]) -> str:
    """The names, as many as a sentence holds."""
    shown = ", ".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN:,} more"


def _flat(row: Result) -> Iterator[tuple[str, Any]]:
    later: list[tuple[str, Any]] = []
    for each in fields(row):
        value = getattr(row, each.name)
        if each.name == "interval":
            later += [
                ("low", None if value is None else value.low),
                ("high", None if value is None else value.high),
                ("method", None if value is None else value.method),
                ("generalizes_to", None if value is None else value.generalizes_to),
            ]
        elif each.name == "these_raters":
            later += [
                ("low_these_raters", None if value is None else value.low),
                ("high_these_raters", None if value is None else value.high),
            ]
        elif each.name == "simultaneous":
            later += [
                ("low_simultaneous", None if value is None else value.low),
                ("high_simultaneous", None if value is None else value.high),
            ]
        elif each.name == "notes":
            later.append(("notes", " ".join(value)))
        elif not isinstance(value, tuple | Result | ResultTable):
            later.append((each.name, value))
    order = ("system", "other", "criterion", "estimate", "low", "high", "p", "n_responses")
    found = dict(later)
    for name in order:
        if name in found:
            yield name, found.pop(name)
    yield from found.items()
