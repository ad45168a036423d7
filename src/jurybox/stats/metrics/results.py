"""What is found of automatic metrics: how well one follows people, and which of two does better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from jurybox.results import Interval, Result, ResultTable
from jurybox.stats.multiple import Comparison

__all__ = ["Correlation", "Level", "MetricComparison", "MetricCorrelations", "Statistic"]

Level = Literal["output", "item", "system"]
Statistic = Literal[
    "pearson", "spearman", "kendall", "acc_eq", "pairwise_accuracy", "soft_pairwise_accuracy"
]
TITLES = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall": "Kendall's τ-b",
    "acc_eq": "pairwise accuracy with calibrated ties",
    "pairwise_accuracy": "pairwise accuracy",
    "soft_pairwise_accuracy": "soft pairwise accuracy",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation(Result):
    """How well one metric follows people at one level."""

    label: ClassVar[str] = "correlation"

    metric: str
    level: Level
    statistic: Statistic
    criterion: str | None = None
    n_systems: int | None = None
    tie_threshold: float | None = None
    """For ``acc_eq``: the difference up to which two metric scores count as tied."""
    other_systems: Interval | None = None
    """The wider claim, given beside ``interval`` across ten systems or more: for systems like
    these, which are resampled as items are."""

    @property
    def name(self) -> str:
        """The metric, the level and the statistic."""
        return f"{self.metric}, {self.level}, {TITLES[self.statistic]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricComparison(Comparison):
    """By how much one metric follows people better than another."""

    label: ClassVar[str] = "difference between metrics"
    neutral: ClassVar[float | None] = 0.0

    metric: str
    other: str
    level: Level
    statistic: Statistic
    criterion: str | None = None
    test: str = ""

    @property
    def name(self) -> str:
        """The two metrics, the level and the statistic."""
        return f"{self.metric} − {self.other}, {self.level}, {TITLES[self.statistic]}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MetricCorrelations(ResultTable):
    """Every metric at every level, and every two metrics compared."""

    label: ClassVar[str] = "metrics against people"

    rows: tuple[Correlation, ...]
    comparisons: tuple[MetricComparison, ...] = ()
    confidence: float = 0.95
