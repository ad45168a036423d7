"""The settings that every statistic shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jurybox.errors import OptionError
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.distributions import check_confidence

__all__ = ["Options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The settings that every statistic shares."""

    confidence: float = 0.95
    cluster: Cluster = "both"
    generalize: Generalize = "raters+items"
    n_resamples: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        if self.n_resamples < 1:
            raise OptionError(f"n_resamples must be at least 1; got {self.n_resamples}")
        if self.seed < 0:
            raise OptionError(f"seed must be 0 or more; got {self.seed}")

    @property
    def interval(self) -> dict[str, Any]:
        """The settings of a clustered interval."""
        return {
            "confidence": self.confidence,
            "cluster": self.cluster,
            "generalize": self.generalize,
        }

    def reads(self, *columns: str) -> frozenset[str]:
        """The columns that such an interval is computed from, beside those of the statistic."""
        if self.cluster == "rater":
            return frozenset((*columns, "rater"))
        return frozenset((*columns, "item", "rater") if self.clusters else columns)

    @property
    def clusters(self) -> tuple[str, ...]:
        """The kinds of clusters that such an interval adds up, or whose number it is given with."""
        if self.cluster is None:
            return ()
        both = self.cluster == "both" and self.generalize == "raters+items"
        return ("item", "rater", "cell") if both else ("item", "rater")
