"""Scales: the values an answer may have, and the sentence that says what each means.

Values are data, not positions: 0, 0.5, 1, 2 are four numbers with unequal steps. A scale is written
by name (``acr``), as a map from value to anchor, or as a slider with anchors along it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal, NoReturn

from pydantic import (
    AfterValidator,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from jurybox.formats import in_words
from jurybox.study import breach
from jurybox.study.breach import show_value, wrong
from jurybox.study.languages import later
from jurybox.study.parts import LANGUAGE, Part, Positive, Share, Text, sequence, short

__all__ = [
    "NAMED",
    "RESERVED_KEYS",
    "ConfidenceField",
    "Level",
    "Scale",
    "ScaleField",
    "ScaleValue",
    "expand",
    "expand_confidence",
    "format_value",
    "with_probabilities",
]

Level = Literal["nominal", "ordinal", "interval", "ratio"]
RESERVED_KEYS = frozenset("bnspzwfi?")
"""Keys that mean something on every page: back, next, skip, play, zoom, wipe, flicker and help."""


class ScaleValue(Part):
    """One allowed value, with its anchor."""

    value: Annotated[float, AfterValidator(lambda value: value + 0.0)]  # −0 is 0
    """The number that is stored."""
    anchor: Text
    """The sentence that says what the value means."""
    example: str | None = None
    """A media file that shows what the value means."""
    key: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """The key that chooses it: by default its own digit."""
    probability: Share | None = None
    """For confidence: the chance of being right that the value states."""


class Scale(Part):
    """The allowed values. With ``step`` it is a slider and the values are anchors along it."""

    values: Annotated[
        tuple[ScaleValue, ...], Field(min_length=2), short(sequence, list[ScaleValue])
    ]
    """The values in order, each with its anchor."""
    level: Level = "ordinal"
    """The level of measurement: nominal, ordinal, interval or ratio."""
    name: str | None = None
    """What the scale is called."""
    step: Positive | None = None
    """Makes the scale a slider that moves by so much."""

    @property
    def low(self) -> float:
        """The smallest value."""
        return min(v.value for v in self.values)

    @property
    def high(self) -> float:
        """The largest value."""
        return max(v.value for v in self.values)

    @property
    def symmetric(self) -> bool:
        """Whether every value has its opposite, so that sign can mean the winner."""
        values = {v.value for v in self.values}
        return values == {-value for value in values} and len(values) > 1

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

    def keys(self) -> dict[float, str]:
        """The key that chooses each value: its own, else its digit, else the last digit if free.

        >>> Scale.model_validate(expand({0: "a", 0.5: "b", 1: "c", 2: "d"})).keys()
        {0.0: '0', 0.5: '5', 1.0: '1', 2.0: '2'}
        """
        if self.step is not None:
            return {}
        chosen = {v.value: v.key.casefold() for v in self.values if v.key is not None}
        for v in self.values:
            if v.value not in chosen and 0 <= v.value <= 9 and v.value.is_integer():
                chosen[v.value] = format_value(v.value)
        for v in self.values:
            digit = format_value(v.value)[-1]
            if v.value not in chosen and v.value >= 0 and digit not in chosen.values():
                chosen[v.value] = digit
        return {v.value: chosen[v.value] for v in self.values if v.value in chosen}


def format_value(value: float) -> str:
    """Print a scale value as people write it: 2, 0.5, −3 as -3.

    >>> [format_value(v) for v in (2.0, 0.5, -3.0)]
    ['2', '0.5', '-3']
    """
    return str(int(value)) if float(value).is_integer() else repr(float(value))


NAMED: dict[str, dict[str, Any]] = {
    "acr": {
        "level": "ordinal",
        "values": {
            1: later("Bad"),
            2: later("Poor"),
            3: later("Fair"),
            4: later("Good"),
            5: later("Excellent"),
        },
    },
    "likert": {
        "level": "ordinal",
        "values": {
            1: later("Strongly disagree"),
            2: later("Disagree"),
            3: later("Neither agree nor disagree"),
            4: later("Agree"),
            5: later("Strongly agree"),
        },
    },
    "yes-no": {"level": "nominal", "values": {0: later("No"), 1: later("Yes")}},
    "0-100": {
        "level": "interval",
        "step": 1,
        "values": {
            0: later("Worst"),
            25: later("Poor"),
            50: later("Fair"),
            75: later("Good"),
            100: later("Best"),
        },
    },
    "cmos": {
        "level": "ordinal",
        "values": {
            -3: later("A is much better"),
            -2: later("A is better"),
            -1: later("A is slightly better"),
            0: later("About the same"),
            1: later("B is slightly better"),
            2: later("B is better"),
            3: later("B is much better"),
        },
    },
}


def _value_of(value: Any, long: Any) -> dict[str, Any]:
    if not _is_long_value(long):
        return {"value": value, "anchor": long}
    if "value" in long:
        message = "is not a known key: the value stands before the colon"
        raise wrong(message, path=(value, "value"), on_key=True)
    return {**long, "value": value}


def _is_long_value(long: Any) -> bool:
    """Tell `{anchor: …, key: …}` from `{en: …, de: …}`, misspelled keys included."""
    if not isinstance(long, dict) or not long:
        return False
    languages = all(isinstance(key, str) and re.match(LANGUAGE, key) for key in long)
    return not languages or bool(set(long) & set(ScaleValue.model_fields))


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
            hint = breach.nearest(scale, NAMED) or f", or a map of values and {ANCHORS}"
            raise wrong(f"must be {in_words(NAMED)}{hint} (got {show_value(scale)})")
        named = NAMED[scale]
        return {**named, "name": scale, "values": _values_of(named["values"])}
    if isinstance(scale, Scale):
        return scale
    if not isinstance(scale, dict):
        raise wrong(
            f"must be a scale's name or a map of values and {ANCHORS}, got {show_value(scale)}"
        )
    if "anchors" in scale:
        if "values" in scale:
            message = f"takes either values or anchors: buttons are a map of values and {ANCHORS}"
            raise wrong(f"{message}; anchors alone make a slider", path=("anchors",))
        rest = {key: value for key, value in scale.items() if key != "anchors"}
        return {"level": "interval", "step": 1, **rest, "values": _map_of(scale, "anchors")}
    if "values" in scale:
        return {**scale, "values": _listed(scale["values"]) or _map_of(scale, "values")}
    words = [key for key in scale if isinstance(key, str)]
    if words and (len(words) == len(scale) or breach.closest(words[0], LONG, cutoff=0.6)):
        _refuse_keys(words)
    return {"values": _values_of(scale)}


def _refuse_keys(words: list[str]) -> NoReturn:
    """Words where values should be: keys of the long form without its values, or misspelled."""
    found = []
    if not any(breach.closest(word, ["values", "anchors"], cutoff=0.6) for word in words):
        lacking = f"must give values, which are numbers, and their {ANCHORS}"
        found.append(breach.Breach(path=(), message=lacking))
    for word in words:
        if word not in LONG:
            hint = breach.nearest(word, LONG)
            message = f"is neither a value, which is a number, nor a known key{hint}"
            found.append(breach.Breach(path=(word,), message=message, on_key=True))
    breach.raise_all(found)


LONG = ("values", "anchors", "level", "step", "name")
ANCHORS = "anchors, as `{1: Bad, 2: Good}`"


def _listed(values: Any) -> list[Any]:
    """Values written out one by one, each with what belongs to it; none if they are not."""
    written_out = isinstance(values, list | tuple) and not any(
        isinstance(value, str | int | float) for value in values
    )
    return list(values) if written_out else []


def _map_of(scale: dict[Any, Any], key: str) -> list[dict[str, Any]]:
    if not isinstance(scale[key], dict):
        message = f"must be a map of values and {ANCHORS}, got {show_value(scale[key])}"
        raise wrong(message, path=(key,))
    return _values_of(scale[key])


def expand_confidence(confidence: Any) -> Any:
    """Write `confidence: 5` out as a scale from guessing to certain."""
    if isinstance(confidence, int) and not isinstance(confidence, bool):
        if not 2 <= confidence <= 10:
            raise wrong(f"must have 2 to 10 points, got {show_value(confidence)}")
        return {"name": f"confidence-{confidence}", "values": _confidence_values(confidence)}
    if not isinstance(confidence, str | dict | Scale):
        message = "must be a number of points, a scale's name or a map of values and anchors"
        raise wrong(f"{message}, got {show_value(confidence)}")
    return expand(confidence)


def _confidence_values(points: int) -> list[dict[str, Any]]:
    words = {1: later("Guessing"), points: later("Certain")}
    fair = later("Fairly sure")
    middle = {3: {2: fair}, 5: {2: later("Unsure"), 3: fair, 4: later("Sure")}}.get(points, {})
    return [
        {"value": value, "anchor": {**words, **middle}.get(value, str(value))}
        for value in range(1, points + 1)
    ]


def with_probabilities(confidence: Scale) -> Scale:
    """Give a numbered confidence its chances of being right, evenly from 0.5 to 1.

    >>> scale = with_probabilities(Scale.model_validate(expand_confidence(5)))
    >>> [v.probability for v in scale.values]
    [0.5, 0.625, 0.75, 0.875, 1.0]
    """
    last = len(confidence.values) - 1
    values = tuple(
        value.model_copy(update={"probability": 0.5 + 0.5 * place / last})
        for place, value in enumerate(confidence.values)
    )
    return confidence.model_copy(update={"values": values})


def _read(expander: Callable[[Any], Any]) -> WrapValidator:
    def validate(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        if value is None:
            return None
        try:
            return handler(expander(value))
        except ValidationError as error:
            _reraise(error, value)

    return WrapValidator(validate, json_schema_input_type=Any)


def _reraise(error: ValidationError, value: Any) -> NoReturn:
    """Raise again with the paths of what was written, not of what it was expanded to."""
    found = []
    for one in breach.breaches_of(error):
        path, on_key = _written_path(value, one.path)
        found.append(replace(one, path=path, on_key=on_key or one.on_key))
    breach.raise_all(found)


def _written_path(written: Any, path: breach.Path) -> tuple[breach.Path, bool]:
    """Where an error in the long form stands in what was written, and whether on a key."""
    if not isinstance(written, dict):
        return (), False
    holder: tuple[str, ...] = tuple(key for key in ("anchors", "values") if key in written)[:1]
    if path == ("values",):
        return holder, False
    if path[:1] != ("values",):
        return path, False
    values = written[holder[0]] if holder else written
    if not isinstance(values, dict):
        return path, False
    key = list(values)[int(path[1])]
    rest = path[2:]
    on_key = rest == ("value",)
    if on_key or (rest[:1] == ("anchor",) and not _is_long_value(values[key])):
        rest = rest[1:]
    return (*holder, key, *rest), on_key


ScaleField = Annotated[Scale | None, _read(expand)]
ConfidenceField = Annotated[Scale | None, _read(expand_confidence)]
