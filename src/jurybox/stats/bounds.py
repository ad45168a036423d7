"""Worst- and best-case bounds: what missing answers could make of a result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from jurybox.results import Interval, Result, format_number, format_percent

__all__ = ["Bounds", "bound"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds(Result):
    """A result with what every possible value of the missing answers leaves of it.

    ``interval`` reaches from the lower end of the worst case's own interval to the upper end of
    the best case's: it covers what answers are missing and whom the others came from.
    """

    label: ClassVar[str] = "bounds"

    worst: float | None = None
    best: float | None = None
    n_filled: int = 0
    """How many missing answers were filled in."""
    within: tuple[float, float] | None = None
    """The lowest and the highest score that anybody gave, where the scale is not known."""
    system: str
    other: str
    criterion: str | None = None
    what: str = "difference"

    @property
    def name(self) -> str:
        """The two systems."""
        return f"{self.system} − {self.other}"

    def format(self, value: float | None) -> str:
        """A win rate as a percentage, a difference as a number."""
        return format_percent(value) if self.what == "win rate" else format_number(value)


def bound(
    seen: Result,
    worst: Result,
    best: Result,
    *,
    systems: tuple[str, str],
    criterion: str | None,
    n_filled: int,
    what: str,
) -> Bounds:
    """Put the observed result between its worst and its best case.

    Notes
    -----
    Missing answers are filled with the end of the scale that is worst for the first system and best
    for the second, then the other way round. No assumption is made on why they are missing, so the
    bounds are wide where many are (Horowitz and Manski 2000, doi:10.1080/01621459.2000.10473902).

    *Degenerate input.* A case without an estimate: undefined with its reason. A case without an
    interval: bounds without one.
    """
    missing = next((each for each in (seen, worst, best) if each.estimate is None), None)
    head = Bounds(
        estimate=seen.estimate,
        undefined=seen.undefined,
        n_items=seen.n_items,
        n_raters=seen.n_raters,
        n_responses=seen.n_responses,
        n_filled=n_filled,
        system=systems[0],
        other=systems[1],
        criterion=criterion,
        what=what,
    )
    if missing is not None:
        return replace(head, undefined=missing.undefined)
    made = replace(head, worst=worst.estimate, best=best.estimate)
    if worst.interval is None or best.interval is None:
        why = worst.undefined or best.undefined
        return replace(made, undefined=why)
    interval = Interval(
        low=worst.interval.low,
        high=best.interval.high,
        confidence=worst.interval.confidence,
        method=f"worst and best case, each {worst.interval.method}",
        generalizes_to=worst.interval.generalizes_to,
    )
    return replace(made, interval=interval, undefined=None)
