"""Results as strict JSON with their kind and the schema's version, and read from it again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Self

from jurybox.errors import InputError
from jurybox.results.interval import Interval, json_number

__all__ = ["SCHEMA_VERSION", "Plain", "to_plain"]

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """What is written as plain values and read from them; its fields are those of its kind."""

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON with ``kind`` and the schema's version."""
        data: dict[str, Any] = {"kind": type(self).__name__, "version": SCHEMA_VERSION}
        for each in fields(self):
            if each.repr:
                data[each.name] = to_plain(getattr(self, each.name))
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what ``to_dict`` wrote; on ``Result`` or ``ResultTable`` itself, any kind of it."""
        if data.get("version") != SCHEMA_VERSION:
            raise InputError(
                f"from_dict: version must be {SCHEMA_VERSION}, got {data.get('version')!r}; "
                "it was written by another version of jurybox"
            )
        named = data.get("kind")
        kind = next((kind for kind in _kinds(Plain) if kind.__name__ == named), None)
        if kind is None:
            raise InputError(f"from_dict: there is no {cls.__name__} of kind {named!r}")
        if not issubclass(kind, cls):
            raise InputError(f"from_dict: expected a {cls.__name__}, got a {named}")
        return kind(**{name: _value(data[name]) for name in data if name not in _HEAD})


_HEAD = ("kind", "version")


def to_plain(value: Any) -> Any:
    """What strict JSON can hold: results as objects, tuples as lists, infinity as ``"inf"``.

    >>> to_plain((0.5, float("inf")))
    [0.5, 'inf']
    """
    if isinstance(value, Interval | Plain):
        return value.to_dict()
    if isinstance(value, tuple):
        return [to_plain(part) for part in value]
    if isinstance(value, float):
        return json_number(value)
    return value


def _kinds(base: type[Plain]) -> Iterator[type[Plain]]:
    # A dataclass with slots replaces the class it was made from, which lives on for a while.
    if getattr(sys.modules.get(base.__module__), base.__name__, None) is base:
        yield base
    for sub in base.__subclasses__():
        yield from _kinds(sub)


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return Plain.from_dict(value) if "kind" in value else Interval.from_dict(value)
    if isinstance(value, list):
        return tuple(_value(part) for part in value)
    return float(value) if value in ("inf", "-inf") else value
