"""What every chapter of an analysis is given, and how its tables are made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jurybox.analysis.asked import Asked
from jurybox.analysis.finding import Column, Finding
from jurybox.analysis.options import Options
from jurybox.formats import format_confidence
from jurybox.results import Interval, Result

__all__ = [
    "Context",
    "best_compared",
    "between",
    "bounds",
    "in_hundredths",
    "interval_column",
    "kind_of_words",
    "lead",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What was asked, and the settings."""

    asked: Asked
    options: Options

    @property
    def confidence(self) -> float:
        """The confidence of every interval."""
        return self.options.confidence


def interval_column(context: Context, name: str = "interval", *, joint: bool = False) -> Column:
    """The column of intervals, headed with their confidence; ``joint``: they hold all at once."""
    kind = "simultaneous interval" if joint else "interval"
    heading = f"{format_confidence(context.confidence)} {kind}"
    return Column(name=name, heading=heading, kind="interval")


def bounds(interval: Interval | None) -> tuple[float, float] | None:
    """An interval as a cell."""
    return None if interval is None else (interval.low, interval.high)


def between(low: float | None, high: float | None) -> tuple[float, float] | None:
    """The cell of an interval whose ends are known, or not, each by itself."""
    return None if low is None or high is None else (low, high)


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


def best_compared(
    context: Context, pairs: Iterable[Finding], best: Sequence[str]
) -> Finding | None:
    """The finding on the two best systems, among those that could be compared at all.

    That the reference is best is what it is there for, and no answer: two systems under test come
    first, then one of them beside what it was held against.

    ``best``: the systems from the best to the worst.
    """
    own = context.asked.under_test(best)
    place = {system: k for k, system in enumerate(best)}
    known = [f for f in pairs if len(f.systems) == 2 and place.keys() >= set(f.systems)]
    return min(
        known,
        key=lambda f: (
            sum(name not in own for name in f.systems),
            f.result.estimate is None,
            *sorted(place[name] for name in f.systems),
        ),
        default=None,
    )


def kind_of_words(context: Context, criterion: str) -> str:
    """What answers without a mean are: nominal where somebody said so, else words."""
    return "nominal" if context.asked.criterion(criterion).level == "nominal" else "words"
