"""Findings: a result with its sentence, and the tables that reports show.

``analyze`` gives an ``Analysis``; every report format is written from it and from nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from jurybox.formats import digits_alone, digits_within
from jurybox.results import (
    SCHEMA_VERSION,
    Result,
    format_number,
    format_p,
    format_percent,
    format_seconds,
    show_text,
    to_plain,
)
from jurybox.tally.shapes import ALL_OF_JUDGES

__all__ = [
    "Analysis",
    "CellKind",
    "Chapter",
    "Collected",
    "Column",
    "Excluded",
    "Finding",
    "Table",
    "format_cells",
    "format_rows",
    "headline_of",
]

Standing = Literal["primary", "secondary", "exploratory", "quality", "judge", "set", "against"]
CellKind = Literal["text", "number", "percent", "points", "count", "seconds", "p", "interval"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One claim: the sentence, the result it rests on, and what it is about.

    ``told`` is false where the data do not decide: the sentence then belongs under
    "what cannot be said".
    """

    id: str
    """Stable and unique within the analysis, e.g. ``win_rate/preference/new/old``."""
    sentence: str
    result: Result
    standing: Standing = "secondary"
    told: bool = True
    criterion: str | None = None
    systems: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON."""
        return {
            "id": self.id,
            "sentence": self.sentence,
            "standing": self.standing,
            "told": self.told,
            "criterion": self.criterion,
            "systems": list(self.systems),
            "result": self.result.to_dict(),
        }


def headline_of(findings: Sequence[Finding]) -> Finding | None:
    """The finding that answers the question: the primary one, else the first of the responses."""
    primary = [finding for finding in findings if finding.standing == "primary"]
    beside = ("judge", "set", "against")
    of_responses = (finding for finding in findings if finding.standing not in beside)
    return next(iter(primary or of_responses), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table: its name in CSV and JSON, its heading, and how its cells are printed.

    ``points`` is a difference of shares, printed in percentage points.
    """

    name: str
    heading: str
    kind: CellKind = "text"


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
        names = [column.name for column in self.columns]
        return {
            "id": self.id,
            "title": self.title,
            "caption": self.caption,
            "columns": [
                {"name": c.name, "heading": c.heading, "kind": c.kind} for c in self.columns
            ],
            "rows": [
                {name: to_plain(cell) for name, cell in zip(names, row, strict=True)}
                for row in self.rows
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Excluded:
    """A rater left out by a rule that was stated before the data."""

    rater: str
    rule: str
    sentence: str
    """What was seen, for every broken rule."""
    n_responses: int
    also: tuple[str, ...] = ()
    """The further rules that the rater breaks."""

    @property
    def rules(self) -> tuple[str, ...]:
        """Every broken rule, in the order in which the study states them."""
        return (self.rule, *self.also)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """How the answers of a study came in: people's, before anybody is left out by a rule."""

    version: int | None
    """The version of the study that the analysis follows; ``None`` where none is kept."""
    changes: tuple[str, ...] = ()
    """What the study's files say otherwise than that version."""
    n_answers: int
    """Trials answered, counted for each rater."""
    n_imported: int = 0
    """How many of them came from a table, so that jurybox did not show the trial."""
    n_trials: int
    """Trials that somebody answered."""
    n_planned: int | None = None
    """Trials in the plan."""
    raters_per_trial: tuple[int, float, int] | None = None
    """The fewest, the median and the most raters of an answered trial."""
    checked: tuple[tuple[str, int], ...] = ()
    """How many raters answered practice, gold and attention trials, where somebody did."""

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON."""
        data = {each.name: to_plain(getattr(self, each.name)) for each in fields(self)}
        return {**data, "checked": dict(self.checked)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """What one part of an analysis adds to it."""

    findings: tuple[Finding, ...] = ()
    tables: tuple[Table, ...] = ()
    took: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Everything that can be said of a set of responses, and what cannot."""

    title: str
    protocol: str
    took: tuple[str, ...]
    """What was taken for what: one sentence per decision made in reading the data."""
    n_responses: int
    n_raters: int
    n_items: int
    systems: tuple[str, ...]
    findings: tuple[Finding, ...]
    tables: tuple[Table, ...]
    excluded: tuple[Excluded, ...] = ()
    warnings: tuple[str, ...] = ()
    seed: int = 0
    confidence: float = 0.95
    collected: Collected | None = None
    """How the answers came in, where a study's store was analyzed."""

    @property
    def headline(self) -> Finding | None:
        """The finding that answers the study's question: the primary one, else the first."""
        return headline_of(self.findings)

    @property
    def untold(self) -> tuple[Finding, ...]:
        """The findings that say what the data do not decide."""
        return tuple(f for f in self.findings if not f.told)

    @property
    def of_judges(self) -> bool:
        """Whether no person is among the raters."""
        return any(ALL_OF_JUDGES in sentence for sentence in self.took)

    @property
    def rater_noun(self) -> str:
        """What who answered is called."""
        return "judge" if self.of_judges else "rater"

    def called(self, words: str) -> str:
        """What a statistic says of raters, said of who answered; such words name nobody."""
        return words.replace("rater", self.rater_noun)

    def table(self, id: str) -> Table | None:
        """The table with this id, if there is one."""
        return next((table for table in self.tables if table.id == id), None)

    def to_markdown(self) -> str:
        """The sentences, the tables and what cannot be said, as Markdown."""
        headline = self.headline
        lines = [f"# {self.title}", ""]
        lines += [f"**{headline.sentence}**", ""] if headline is not None else []
        told = [f for f in self.findings if f.told and f is not headline]
        lines += [f"- {finding.sentence}" for finding in told]
        for table in self.tables:
            lines += ["", f"## {table.title}", "", *_markdown(table)]
        for heading, said in (
            ("What cannot be said", [f.sentence for f in self.untold]),
            ("Left out", [each.sentence for each in self.excluded]),
            ("Mind", list(self.warnings)),
            ("What was taken for what", list(self.took)),
        ):
            if said:
                lines += ["", f"## {heading}", "", *(f"- {sentence}" for sentence in said)]
        return show_text("\n".join(lines) + "\n")

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON with ``kind`` and the schema's version; the headline is named by its id."""
        headline = self.headline
        data: dict[str, Any] = {
            "kind": "Analysis",
            "version": SCHEMA_VERSION,
            "headline": None if headline is None else headline.id,
        }
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name in ("findings", "tables"):
                value = [part.to_dict() for part in value]
            elif each.name == "excluded":
                value = [
                    {f.name: to_plain(getattr(part, f.name)) for f in fields(part)}
                    for part in value
                ]
            elif isinstance(value, Collected):
                value = value.to_dict()
            data[each.name] = to_plain(value)
        return data


def _markdown(table: Table) -> list[str]:
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

    The numbers of a column have the digits that its narrowest interval deserves; where units
    differ, as those of metrics do, each has its own.
    """
    return _cells(table, row, _digits(table))


def _group(table: Table, row: tuple[Any, ...]) -> Any:
    for column, cell in zip(table.columns, row, strict=True):
        if column.name in ("metric", "unit"):
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
    """What the narrowest interval of a column deserves; ``None`` for one without intervals."""
    if place + 1 == len(columns) or columns[place + 1].kind != "interval":
        return None
    ends = (row[place + 1] for row in rows if row[place + 1] is not None)
    return max((digits_within(low, high) for low, high in ends if low < high), default=None)


def _cells(table: Table, row: tuple[Any, ...], digits: Digits) -> list[str]:
    cells, percent, places = [], False, 3
    for column, cell in zip(table.columns, row, strict=True):
        if column.kind == "number":
            places = digits[_group(table, row), column.name]
        cells.append(_cell(column.kind, cell, places, percent=percent))
        if column.kind != "interval":
            percent = column.kind in ("percent", "points")
    return cells


def _cell(kind: CellKind, cell: Any, places: int, *, percent: bool) -> str:
    if cell is None:
        return "–"
    if kind == "interval":
        scale, places = (100, 1) if percent else (1, places)
        return " to ".join(format_number(scale * end, places) for end in cell)
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
