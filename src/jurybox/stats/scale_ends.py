"""Intervals of means and of their differences, ended where no value is possible any more."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeVar

from jurybox.results import Result

__all__ = ["FROM_NOTHING", "SHARES_APART", "Ends", "apart", "on_scale"]

Kind = TypeVar("Kind", bound=Result)
Ends = tuple[float, float] | None
"""Between what a figure lies; ``None`` where that is unknown."""
FROM_NOTHING = (0.0, math.inf)
"""What is counted, such as points for errors, is never fewer than 0."""
SHARES_APART = (-1.0, 1.0)
"""How far two shares can be apart."""
INTERVALS = ("interval", "these_raters", "simultaneous", "wider")
"""Where a result keeps intervals."""


def on_scale(row: Kind, ends: Ends) -> Kind:
    """A result whose intervals end where the scale does; ``ends`` are ``None`` if it is unknown.

    A mean of scores between two ends lies between them, so that what is cut off holds no value that
    it could have: the intervals cover as often as before.
    """
    if ends is None or (row.estimate is not None and not ends[0] <= row.estimate <= ends[1]):
        # What lies beyond the ends was given on another scale.
        return row
    held = {name: getattr(row, name, None) for name in INTERVALS}
    made = {k: each.within(*ends) for k, each in held.items() if each is not None}
    within = getattr(row, "equivalence", None)
    made |= {} if within is None else {"equivalence": on_scale(within, ends)}
    return replace(row, **made)


def apart(ends: Ends) -> Ends:
    """How far two means on a scale can be apart, down and up."""
    return None if ends is None else (ends[0] - ends[1], ends[1] - ends[0])
