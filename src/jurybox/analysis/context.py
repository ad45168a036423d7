"""What every chapter of an analysis is given, and how its tables are made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jurybox.analysis.asked import Asked
from jurybox.analysis.finding import Column, Finding
from jurybox.analysis.options import Options
from jurybox.results import Interval, Result, format_number

__all__ = ["Context", "best_compared", "bounds", "in_hundredths", "interval_column", "lead"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What was asked, and the settings."""

    asked: Asked
    options: Options

    @property
    def confidence(self) -> float:
        """The confidence of every interval."""
        return self.options.confidence


def interval_column(context: Context, name: str = "interval") -> Column:
    """The column of intervals, headed with their confidence."""
    percent = format_number(100 * context.confidence, 0)
    return Column(name=name, heading=f"{percent}% interval", kind="interval")


def bounds(interval: Interval | None) -> tuple[float, float] | None:
    """An interval as a cell."""
    return None if interval is None else (interval.low, interval.high)


def in_hundredths(result: Result) -> tuple[float | None, tuple[float, float] | None]:
    """A share's estimate and interval as cells of a column whose unit is percent, or points."""
    ends = bounds(result.interval)
    return (
        None if result.estimate is None else 100 * result.estimate,
        None if ends is None else (100 * ends[0], 100 * ends[1]),
    )


def lead(findings: Iterable[Finding], first: Finding | None) -> tuple[Finding, ...]:
    """The findings with this one before all others."""
    rest = [each for each in findings if first is None or each.id != first.id]
    return tuple([first, *rest] if first is not None else rest)


def best_compared(pairs: Iterable[Finding], best: Sequence[str]) -> Finding | None:
    """Of the findings on two systems that of the best ones, by what could be compared at all.

    ``best``: the systems from the best to the worst.
    """
    place = {system: k for k, system in enumerate(best)}
    known = [f for f in pairs if len(f.systems) == 2 and place.keys() >= set(f.systems)]
    return min(
        known,
        key=lambda f: (f.result.estimate is None, *sorted(place[name] for name in f.systems)),
        default=None,
    )


def adjusted(rows: Sequence[Any]) -> list[Any]:
    """The rows with Holm's adjusted p over all of them."""
    from jurybox.stats.multiple import in_family

    found = in_family([row.p for row in rows])
    return [replace(row, p_adjusted=p) for row, p in zip(rows, found, strict=True)]
