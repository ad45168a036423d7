"""Exploratory findings: looks for trouble that make no claim, adjusted for how many they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jurybox.analysis.sentences import counted
from jurybox.formats import format_confidence
from jurybox.results import Result, format_p
from jurybox.stats.multiple import benjamini_hochberg

__all__ = ["looked_for", "seen"]


def looked_for(rows: Sequence[Any], what: str) -> list[Any]:
    """The rows with p adjusted by Benjamini and Hochberg over all of them."""
    found = benjamini_hochberg([row.p for row in rows])
    n = sum(p is not None for p in found)
    if n < 2:
        return list(rows)
    by = f"Benjamini–Hochberg over {n} {what}"
    return [
        replace(row, p_adjusted=p, adjusted_by=None if p is None else by)
        for row, p in zip(rows, found, strict=True)
    ]


def seen(result: Result, *, noun: str) -> str:
    """What stands in parentheses after a description: the interval, p and how it is adjusted, n."""
    parts = []
    if result.interval is not None:
        confidence = format_confidence(result.interval.confidence)
        bounds = result.ends(result.interval)
        parts.append(f"{confidence} interval {bounds}")
    elif result.undefined:
        parts.append(f"no interval: {result.undefined}")
    adjusted = getattr(result, "p_adjusted", None)
    if adjusted is not None:
        parts.append(f"{format_p(adjusted)} by {getattr(result, 'adjusted_by', '')}")
    elif result.p is not None:
        parts.append(format_p(result.p))
    return f"({'; '.join([*parts, counted(result, noun)])})"
