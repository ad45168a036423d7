"""Error points of marked spans per system, and where they come from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

from jurybox.results import Result, ResultTable
from jurybox.stats.differences import Difference
from jurybox.stats.means import MeanScore

__all__ = ["SpanCount", "SpanScores", "significance_groups"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanCount(Result):
    """How many spans of one category and severity a system has, and their points per output."""

    label: ClassVar[str] = "points per output"

    system: str
    category: str | None
    severity: str
    spans: int

    @property
    def name(self) -> str:
        """The system, the category and the severity."""
        return ", ".join(each for each in (self.system, self.category, self.severity) if each)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SpanScores(ResultTable):
    """Mean error points per output of every system, fewest first: more points are worse."""

    label: ClassVar[str] = "error points per output"

    rows: tuple[MeanScore, ...]
    differences: tuple[Difference, ...] = ()
    """Every two systems, the one with fewer points first, as one family."""
    groups: tuple[tuple[str, ...], ...] = ()
    """The systems in groups such that every system is told from all of later groups."""
    counts: tuple[SpanCount, ...] = ()
    """Spans and points by category and severity; always in points as they are."""
    standardize: str | None = None
    cluster: str | None = "both"
    confidence: float = 0.95


def significance_groups(
    order: Sequence[str], told: Collection[tuple[str, str]]
) -> tuple[tuple[str, ...], ...]:
    """Systems in order, split where each one before is told from each one after.

    ``told``: the pairs (better, worse) that the comparisons tell apart.

    >>> significance_groups(["a", "b", "c"], {("a", "b"), ("a", "c")})
    (('a',), ('b', 'c'))
    """
    groups: list[tuple[str, ...]] = []
    start = 0
    for end in range(1, len(order) + 1):
        apart = all((x, y) in told for x in order[start:end] for y in order[end:])
        if apart:
            groups.append(tuple(order[start:end]))
            start = end
    return tuple(groups)
