"""Intervals of means and of their differences, ended where no value is possible any more."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from jurybox.results import Result

__all__ = ["SHARES_APART", "apart", "on_scale"]

Kind = TypeVar("Kind", bound=Result)
SHARES_APART = (-1.0, 1.0)
"""How far two shares can be apart."""


def on_scale(row: Kind, ends: tuple[float, float] | None) -> Kind:
    """A result whose intervals end where the scale does; ``ends`` are ``None`` if it is unknown.

    A mean of scores between two ends lies between them, so that what is cut off holds no value that
    it could have: the intervals cover as often as before.
    """
    if ends is None:
        return row
    held = {name: getattr(row, name, None) for name in ("interval", "these_raters", "simultaneous")}
    return replace(row, **{k: each.within(*ends) for k, each in held.items() if each is not None})


def apart(ends: tuple[float, float] | None) -> tuple[float, float] | None:
    """How far two means on a scale can be apart, down and up."""
    return None if ends is None else (ends[0] - ends[1], ends[1] - ends[0])
