"""What an ordinal mixed model gives: log odds, their differences, thresholds and variances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jurybox.results import Result, ResultTable
from jurybox.results.plain import Plain
from jurybox.stats.multiple import Comparison

__all__ = ["OrdinalModel", "SystemOdds", "SystemOddsDifference", "Threshold", "VarianceComponent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOdds(Result):
    """The log odds of a higher score for one system; those of all systems have mean zero."""

    label: ClassVar[str] = "log odds"
    neutral: ClassVar[float | None] = 0.0

    system: str
    rank_low: int | None = None
    """The best rank that the comparisons leave open, for all systems at once."""
    rank_high: int | None = None
    """The worst one."""

    @property
    def name(self) -> str:
        """The system."""
        return self.system


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOddsDifference(Comparison):
    """How much higher the log odds of a higher score are for one system than for another."""

    label: ClassVar[str] = "difference of log odds"
    neutral: ClassVar[float | None] = 0.0

    system: str
    other: str

    @property
    def name(self) -> str:
        """The two systems."""
        return f"{self.system} − {self.other}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold(Result):
    """The log odds of a score at or below a value, for the average system, rater and item."""

    label: ClassVar[str] = "threshold"

    below: float
    """The value below the threshold."""
    above: float
    """The value above it."""

    @property
    def name(self) -> str:
        """The two values."""
        return f"{self.below:g} | {self.above:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceComponent(Plain):
    """How much raters, or items, differ in what they add to the log odds."""

    group: str
    """``rater`` or ``item``."""
    part: str
    """``intercept``: to all systems; ``slope``: to each apart; or the system that it is added to,
    where these are correlated."""
    sd: float
    """The standard deviation."""
    correlations: tuple[float, ...] = ()
    """With what is added to the systems before it."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OrdinalModel(ResultTable):
    """A cumulative logit with rater and item effects: log odds of systems, highest first."""

    label: ClassVar[str] = "log odds of a higher score"

    rows: tuple[SystemOdds, ...]
    differences: tuple[SystemOddsDifference, ...] = ()
    """Every two systems, the higher first; they are one family."""
    ranks_by: str | None = None
    """How the ranks were found: ``max-t over 6 comparisons``; ``None`` where there are none."""
    thresholds: tuple[Threshold, ...] = ()
    """Between every two values next to each other."""
    components: tuple[VarianceComponent, ...] = ()
    """What varies between raters and between items."""
    formula: str | None = None
    """The model that was fitted in the end, as R writes it."""
    left_out: tuple[str, ...] = ()
    """What the full model had beyond that, each with its reason."""
    log_likelihood: float | None = None
    """By Laplace's approximation."""
    n_parameters: int | None = None
    """Thresholds, log odds of all systems but one, and what the random terms take."""
    n_items: int = 0
    n_raters: int = 0
    n_responses: int = 0
    criterion: str | None = None
    confidence: float = 0.95
    seed: int = 0
