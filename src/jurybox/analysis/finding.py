"""Findings: a result with its sentence, and the tables that reports show.

``analyze`` gives an ``Analysis``; every report format is written from it and from nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from jurybox.results import Result

__all__ = ["Analysis", "Column", "Excluded", "Finding", "Table"]

Standing = Literal["primary", "secondary", "exploratory", "quality"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table: its name in CSV and JSON, its heading, and how its cells are printed."""

    name: str
    heading: str
    kind: Literal["text", "number", "percent", "count", "p", "interval"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of plain values in the order of the columns; an interval cell is ``(low, high)`` or ``None``."""

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    caption: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excluded:
    """A rater left out by a rule that was stated before the data."""

    rater: str
    rule: str
    sentence: str
    n_responses: int


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

    @property
    def headline(self) -> Finding | None:
        """The finding that answers the study's question: the primary one, else the first."""
        primary = [f for f in self.findings if f.standing == "primary"]
        return (primary or list(self.findings) or [None])[0]

    @property
    def untold(self) -> tuple[Finding, ...]:
        """The findings that say what the data do not decide."""
        return tuple(f for f in self.findings if not f.told)
