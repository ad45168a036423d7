"""Scales: the values an answer may have, and the sentence that says what each means.

Values are data, not positions: 0, 0.5, 1, 2 are four numbers with unequal steps. A scale is written
by name (``acr``), as a map from value to anchor, or as a slider with anchors along it.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["NAMED", "Level", "Scale", "ScaleValue", "expand", "expand_confidence", "format_value"]

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Words = str | dict[str, str]


class ScaleValue(BaseModel):
    """One allowed value, with its anchor."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float
    anchor: Words
    example: str | None = None
    """A media file that shows what the value means."""
    key: str | None = None
    """The key that chooses it: by default its own digit."""
    probability: float | None = Field(default=None, ge=0, le=1)
    """For confidence: the chance of being right that the value states."""


class Scale(BaseModel):
    """The allowed values. With ``step`` it is a slider and the values are anchors along it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    values: tuple[ScaleValue, ...]
    level: Level = "ordinal"
    name: str | None = None
    step: float | None = Field(default=None, gt=0)

    @property
    def low(self) -> float:
        """The smallest value."""
        return min(v.value for v in self.values)

    @property
    def high(self) -> float:
        """The largest value."""
        return max(v.value for v in self.values)

    def allows(self, value: float) -> bool:
        """Whether a score may have this value."""
        if self.step is None:
            return any(v.value == value for v in self.values)
        if not self.low <= value <= self.high:
            return False
        steps = (value - self.low) / self.step
        return math.isclose(steps, round(steps), abs_tol=1e-9)

    def describe(self) -> str:
        """The allowed values in words, for messages."""
        if self.step is None:
            return ", ".join(format_value(v.value) for v in self.values)
        low, high, step = map(format_value, (self.low, self.high, self.step))
        return f"{low} to {high} in steps of {step}"


def format_value(value: float) -> str:
    """Print a scale value as people write it: 2, 0.5, −3 as -3.

    >>> [format_value(v) for v in (2.0, 0.5, -3.0)]
    ['2', '0.5', '-3']
    """
    return str(int(value)) if float(value).is_integer() else repr(float(value))


NAMED: dict[str, dict[str, Any]] = {
    "acr": {
        "level": "ordinal",
        "values": {1: "Bad", 2: "Poor", 3: "Fair", 4: "Good", 5: "Excellent"},
    },
    "likert": {
        "level": "ordinal",
        "values": {
            1: "Strongly disagree",
            2: "Disagree",
            3: "Neither agree nor disagree",
            4: "Agree",
            5: "Strongly agree",
        },
    },
    "yes-no": {"level": "nominal", "values": {0: "No", 1: "Yes"}},
    "0-100": {
        "level": "interval",
        "step": 1,
        "values": {0: "Worst", 25: "Poor", 50: "Fair", 75: "Good", 100: "Best"},
    },
    "cmos": {
        "level": "ordinal",
        "values": {
            -3: "A is much better",
            -2: "A is better",
            -1: "A is slightly better",
            0: "About the same",
            1: "B is slightly better",
            2: "B is better",
            3: "B is much better",
        },
    },
}


def _value_of(value: Any, long: Any) -> dict[str, Any]:
    entry = dict(long) if isinstance(long, dict) and "anchor" in long else {"anchor": long}
    return {"value": value, **entry}


def _values_of(mapping: dict[Any, Any]) -> list[dict[str, Any]]:
    return [_value_of(value, long) for value, long in mapping.items()]


def expand(scale: Any) -> Any:
    """Write a scale's short form out: a name, a map of anchors, or a slider.

    >>> Scale.model_validate(expand("yes-no")).describe()
    '0, 1'
    >>> Scale.model_validate(expand({0: "Broken", 0.5: "Flawed", 2: "Flawless"})).allows(0.5)
    True
    """
    if isinstance(scale, str):
        if scale not in NAMED:
            return scale
        named = NAMED[scale]
        return {**named, "name": scale, "values": _values_of(named["values"])}
    if isinstance(scale, dict) and "values" not in scale:
        if "anchors" in scale:
            rest = {key: value for key, value in scale.items() if key != "anchors"}
            return {"level": "interval", "step": 1, **rest, "values": _values_of(scale["anchors"])}
        return {"values": _values_of(scale)}
    return scale


def expand_confidence(confidence: Any) -> Any:
    """Write `confidence: 5` out as a scale from guessing to certain."""
    if isinstance(confidence, int) and not isinstance(confidence, bool):
        return {"name": f"confidence-{confidence}", "values": _confidence_values(confidence)}
    return expand(confidence)


def _confidence_values(points: int) -> list[dict[str, Any]]:
    words = {1: "Guessing", points: "Certain"}
    middle = {3: {2: "Fairly sure"}, 5: {2: "Unsure", 3: "Fairly sure", 4: "Sure"}}.get(points, {})
    return [
        {"value": value, "anchor": {**words, **middle}.get(value, str(value))}
        for value in range(1, points + 1)
    ]
