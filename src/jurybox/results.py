"""Results: a statistic with its interval, and how it prints itself.

Every number that jurybox shows to a person is formatted here. A result is frozen and holds scalars,
strings and tuples only, so that ``==``, hashing, pickling and strict JSON work. Where there is no
number, ``estimate`` is ``None`` and ``undefined`` says why.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from jurybox.errors import InputError

__all__ = ["Interval", "Result", "format_number", "format_p", "format_percent"]

SCHEMA_VERSION = 1


def format_number(value: float | None, digits: int = 3) -> str:
    """Print a number with a true minus sign and fixed digits; ``None`` as an en dash.

    >>> format_number(-0.25, 2), format_number(None), format_number(-0.0001, 2)
    ('−0.25', '–', '0.00')
    """
    if value is None:
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:,.{digits}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def format_percent(value: float | None, digits: int = 1) -> str:
    """Print a share as a percentage.

    >>> format_percent(0.5781)
    '57.8%'
    """
    return "–" if value is None else f"{format_number(100 * value, digits)}%"


def format_p(p: float | None) -> str:
    """Print a p-value: three digits, never 0 and never a star.

    >>> format_p(0.0312), format_p(0.00001)
    ('p = 0.031', 'p < 0.001')
    """
    if p is None:
        return "p –"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


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


def _json_number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A statistic with its interval, its counts and the settings that made it.

    Subclasses add what is peculiar to the statistic and set ``label`` (what the number is called) and
    ``as_percent`` (how it is printed).
    """

    label: ClassVar[str] = "estimate"
    as_percent: ClassVar[bool] = False

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

    def format(self, value: float | None) -> str:
        """One of this result's numbers as it is printed everywhere."""
        return format_percent(value) if self.as_percent else format_number(value)

    def short(self) -> str:
        """The estimate with its interval, or why there is none: `0.42 (0.31 to 0.53)`."""
        if self.estimate is None:
            return f"undefined: {self.undefined}"
        shown = self.interval or self.these_raters
        if shown is None:
            return f"{self.format(self.estimate)} (no interval: {self.undefined})"
        return (
            f"{self.format(self.estimate)} ({self.format(shown.low)} to {self.format(shown.high)})"
        )

    def __str__(self) -> str:
        lines = [f"{self.label}: {self.short()}"]
        if self.interval is not None:
            percent = format_number(100 * self.interval.confidence, 0)
            lines.append(
                f"  {percent}% interval, {self.interval.method}; holds for {self.interval.generalizes_to}"
            )
        if self.these_raters is not None:
            low, high = self.format(self.these_raters.low), self.format(self.these_raters.high)
            lines.append(f"  for these raters only: {low} to {high}")
        counts = [
            f"{format_number(count, 0)} {name}"
            for name, count in (
                ("responses", self.n_responses),
                ("raters", self.n_raters),
                ("items", self.n_items),
                ("dropped", self.n_dropped or None),
            )
            if count is not None
        ]
        if counts:
            lines.append("  " + ", ".join(counts))
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON with ``kind`` and the schema's version."""
        data: dict[str, Any] = {"kind": type(self).__name__, "version": SCHEMA_VERSION}
        for name in _field_names(self):
            data[name] = _plain(getattr(self, name))
        return data

    def to_markdown(self) -> str:
        """The result as a Markdown list item."""
        first, *rest = str(self).splitlines()
        return "\n".join([f"- **{first}**", *rest])

    def _repr_html_(self) -> str:
        from html import escape

        first, *rest = str(self).splitlines()
        return f"<p><b>{escape(first)}</b><br>{'<br>'.join(escape(line) for line in rest)}</p>"


def _field_names(value: Result) -> Iterator[str]:
    return (f.name for f in fields(value) if f.repr)


def _plain(value: Any) -> Any:
    if isinstance(value, Interval | Result):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        return _json_number(value)
    return value
