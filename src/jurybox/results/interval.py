"""An interval, and how it is printed and written."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Self

from jurybox.errors import InputError
from jurybox.formats import format_number

__all__ = ["CUT", "Interval", "format_interval", "json_number"]

CUT = "ended where the scale ends"


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

    def within(self, low: float, high: float) -> Self:
        """The interval without what lies beyond the values that are possible.

        Only impossible values are cut off, so that it covers as often as before.
        """
        if low <= self.low and self.high <= high:
            return self
        if not max(low, self.low) < min(high, self.high):
            # A score beyond the ends: the scale is another one.
            return self
        method = f"{self.way}, {CUT}"
        return replace(self, low=max(low, self.low), high=min(high, self.high), method=method)

    @property
    def is_cut(self) -> bool:
        """Whether it was ended where the scale ends."""
        return self.method.endswith(f", {CUT}")

    @property
    def way(self) -> str:
        """Its method, without the remark that it was ended where the scale ends."""
        return self.method.removesuffix(f", {CUT}")

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON: an infinite bound is the string ``"inf"`` or ``"-inf"``."""
        return {
            "low": json_number(self.low),
            "high": json_number(self.high),
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


def json_number(value: float) -> float | str:
    """What strict JSON can hold: an infinite number is the string ``"inf"`` or ``"-inf"``."""
    return value if math.isfinite(value) else str(value)
