"""Results: a statistic with its interval, and how it prints itself.

A result is frozen and holds scalars,
strings and tuples only, so that ``==``, hashing, pickling and strict JSON work. Where there is no
number, ``estimate`` is ``None`` and ``undefined`` says why.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from jurybox.drawing import draw_intervals
from jurybox.errors import AnalysisError, InputError
from jurybox.formats import (
    digits_alone,
    digits_apart,
    digits_within,
    format_count,
    format_number,
    format_p,
    format_percent,
    format_seconds,
    show_text,
)

__all__ = [
    "SCHEMA_VERSION",
    "Interval",
    "Result",
    "ResultTable",
    "claims_of",
    "format_count",
    "format_interval",
    "format_number",
    "format_p",
    "format_percent",
    "format_seconds",
    "show_text",
    "to_plain",
]

SCHEMA_VERSION = 1
SHOWN = 5
"""Rows that a sentence names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval and the method that made it."""

    low: float
    high: float
    confidence: float
    method: str
    generalizes_to: str = "raters and items like these"

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise InputError(f"interval: low must not exceed high, got {self.low} and {self.high}")

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON: an infinite bound is the string ``"inf"`` or ``"-inf"``."""
        return {
            "low": _json_number(self.low),
            "high": _json_number(self.high),
            "confidence": self.confidence,
            "method": self.method,
            "generalizes_to": self.generalizes_to,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what ``to_dict`` wrote."""
        return cls(**{**data, "low": float(data["low"]), "high": float(data["high"])})


def format_interval(interval: Interval | None, *, percent: bool = False, digits: int = 3) -> str:
    """Print the two bounds with the digits of their estimate.

    >>> format_interval(Interval(low=0.531, high=0.623, confidence=0.95, method="t"), percent=True)
    '53.1 to 62.3'
    """
    if interval is None:
        return "–"
    scale, digits = (100, digits - 2) if percent else (1, digits)
    low, high = (format_number(scale * bound, digits) for bound in (interval.low, interval.high))
    return f"{low} to {high}"


def _json_number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A statistic with its interval, its counts and the settings that made it.

    Subclasses add what is peculiar to the statistic and set ``label`` (what the number is called)
    and ``as_percent`` (how it is printed).
    """

    label: ClassVar[str] = "estimate"
    as_percent: ClassVar[bool] = False
    neutral: ClassVar[float | None] = None
    """The value that means "no difference", drawn as a dashed line."""

    estimate: float | None
    interval: Interval | None = None
    these_raters: Interval | None = None
    """The narrower claim, given beside ``interval`` for two to four raters."""
    p: float | None = None
    n_items: int | None = None
    n_raters: int | None = None
    n_responses: int | None = None
    n_dropped: int = 0
    undefined: str | None = None
    notes: tuple[str, ...] = ()
    """Sentences a reader of the number must know."""

    def __post_init__(self) -> None:
        if (self.estimate is None) and self.undefined is None:
            raise InputError(f"{type(self).__name__}: a missing estimate needs its reason")
        if self.estimate is not None and math.isnan(self.estimate):
            raise InputError(
                f"{type(self).__name__}: NaN is not an estimate; say why it is undefined"
            )

    @property
    def name(self) -> str:
        """What this result is about, as a row of a table is headed."""
        return self.label

    def format(self, value: float | None) -> str:
        """One of this result's numbers as it is printed everywhere."""
        return format_percent(value) if self.as_percent else format_number(value, self.digits)

    @property
    def digits(self) -> int:
        """How many digits its numbers are printed with, by the interval's width or their size."""
        # Where a family is compared, sentences and tables show the interval that holds for all.
        joint: Interval | None = getattr(self, "simultaneous", None)
        shown = joint or self.interval or self.these_raters
        if self.as_percent:
            return 3
        if shown is not None:
            return digits_within(shown.low, shown.high)
        return digits_alone([] if self.estimate is None else [self.estimate])

    def ends(self, interval: Interval | None) -> str:
        """The bounds of one of its intervals, with as many digits as the estimate.

        A much narrower interval has more of them, so that its ends do not look like one number.
        """
        digits = self.digits
        if interval is not None:
            scale, less = (100, 2) if self.as_percent else (1, 0)
            low, high = scale * interval.low, scale * interval.high
            digits = less + digits_apart(low, high, digits - less)
        return format_interval(interval, percent=self.as_percent, digits=digits)

    def short(self) -> str:
        """The estimate with its interval, or why there is none: `0.42 (0.31 to 0.53)`."""
        if self.estimate is None:
            return f"undefined: {self.undefined}"
        shown = self.interval or self.these_raters
        if shown is None:
            return f"{self.format(self.estimate)} (no interval: {self.undefined})"
        return f"{self.format(self.estimate)} ({self.ends(shown)})"

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.short()}"]
        if self.interval is not None:
            percent = format_number(100 * self.interval.confidence, 0)
            lines.append(f"  {percent}% interval: {self.interval.method}")
            lines.append(f"  holds for {self.interval.generalizes_to}")
        if self.these_raters is not None and self.these_raters != self.interval:
            bounds = self.ends(self.these_raters)
            lines.append(f"  for these raters: {bounds}, for {self.these_raters.generalizes_to}")
        counts = [
            format_count(count, noun)
            for noun, count in (
                ("response", self.n_responses),
                ("rater", self.n_raters),
                ("item", self.n_items),
            )
            if count is not None
        ]
        if self.n_dropped:
            counts.append(f"{self.n_dropped:,} left out")
        if counts:
            lines.append("  " + ", ".join(counts))
        lines += [f"  note: {note}" for note in self.notes]
        return show_text("\n".join(lines))

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON with ``kind`` and the schema's version."""
        return _to_dict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what ``to_dict`` wrote; on ``Result`` itself, any kind."""
        made = _from_dict(data, Result)
        if not isinstance(made, cls):
            raise InputError(f"from_dict: expected a {cls.__name__}, got a {data['kind']}")
        return made

    def to_markdown(self) -> str:
        """The result as a Markdown list item."""
        first, *rest = str(self).splitlines()
        return "\n".join([f"- **{first}**", *rest])

    def _repr_html_(self) -> str:
        from html import escape

        first, *rest = str(self).splitlines()
        return f"<p><b>{escape(first)}</b><br>{'<br>'.join(escape(line) for line in rest)}</p>"

    def chart(self) -> Any:
        """The estimate with its interval as an Altair chart."""
        return _chart((self,), self.label)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTable:
    """A statistic with one value per system (or per pair of systems): a tuple of results.

    Indexing with a name gives the row of that system; iterating gives the rows in order.
    """

    label: ClassVar[str] = "results"

    rows: tuple[Result, ...]
    undefined: str | None = None
    """Why there are no rows, or why some have no number."""
    notes: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        # A dataclass would write every field of every row instead.
        cls.__repr__ = ResultTable.__repr__  # type: ignore[method-assign]

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
        interval = f"{format_number(100 * confidence, 0)}% interval"
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

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON with ``kind`` and the schema's version."""
        return _to_dict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what ``to_dict`` wrote; on ``ResultTable`` itself, any kind."""
        made = _from_dict(data, ResultTable)
        if not isinstance(made, cls):
            raise InputError(f"from_dict: expected a {cls.__name__}, got a {data['kind']}")
        return made

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
        return _chart(self.rows, self.label)


def claims_of(rows: Sequence[Result]) -> tuple[str, ...]:
    """What the intervals of a table speak for, without a full stop: one sentence for each claim."""
    held: dict[str, list[str]] = {}
    for row in rows:
        if row.interval is not None:
            held.setdefault(row.interval.generalizes_to, []).append(row.name)
    said = [f"intervals hold for {claim}" for claim in held]
    if len(held) > 1:
        said = [f"intervals of {_listed(names)} hold for {to}" for to, names in held.items()]
    narrow = dict.fromkeys(row.these_raters.generalizes_to for row in rows if row.these_raters)
    # Short, as the key to a column of this name: who judged stands in it already.
    return (*said, *(f"these raters: {to.partition(', judged by')[0]}" for to in narrow))


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN:,} more"


def _to_dict(value: Result | ResultTable) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": type(value).__name__, "version": SCHEMA_VERSION}
    for each in fields(value):
        if each.repr:
            data[each.name] = to_plain(getattr(value, each.name))
    return data


def to_plain(value: Any) -> Any:
    """What strict JSON can hold: results as objects, tuples as lists, infinity as ``"inf"``.

    >>> to_plain((0.5, float("inf")))
    [0.5, 'inf']
    """
    if isinstance(value, Interval | Result | ResultTable):
        return value.to_dict()
    if isinstance(value, tuple):
        return [to_plain(part) for part in value]
    if isinstance(value, float):
        return _json_number(value)
    return value


def _kinds(base: type[Any]) -> Iterator[type[Any]]:
    # A dataclass with slots replaces the class it was made from, which lives on for a while.
    if getattr(sys.modules.get(base.__module__), base.__name__, None) is base:
        yield base
    for sub in base.__subclasses__():
        yield from _kinds(sub)


def _from_dict(data: dict[str, Any], base: type) -> Any:
    if data.get("version") != SCHEMA_VERSION:
        raise InputError(
            f"from_dict: version must be {SCHEMA_VERSION}, got {data.get('version')!r}; "
            "it was written by another version of jurybox"
        )
    kind = next((k for k in _kinds(base) if k.__name__ == data.get("kind")), None)
    if kind is None:
        raise InputError(f"from_dict: there is no {base.__name__} of kind {data.get('kind')!r}")
    read = {name: _value(value) for name, value in data.items() if name not in ("kind", "version")}
    return kind(**read)


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        if "kind" not in value:
            return Interval.from_dict(value)
        base = ResultTable if "rows" in value else Result
        return _from_dict(value, base)
    if isinstance(value, list):
        return tuple(_value(part) for part in value)
    return float(value) if value in ("inf", "-inf") else value


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


def _chart(rows: tuple[Result, ...], label: str) -> Any:
    points = [
        {
            "name": row.name,
            "estimate": row.estimate,
            "low": None if row.interval is None else row.interval.low,
            "high": None if row.interval is None else row.interval.high,
        }
        for row in rows
        if row.estimate is not None
    ]
    return draw_intervals(
        points,
        label,
        percent=bool(rows) and rows[0].as_percent,
        neutral=rows[0].neutral if rows else None,
    )
