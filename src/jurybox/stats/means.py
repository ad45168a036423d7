"""Mean scores per system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jurybox.results import Result, ResultTable
from jurybox.stats.clusters import Cluster, Generalize, Sums, claims, ratio_variances, t_interval
from jurybox.stats.distributions import check_confidence
from jurybox.stats.shares import Share

__all__ = ["MeanScore", "MeanScores", "mean"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanScore(Result):
    """The mean score of one system on one criterion, and how its scores lie."""

    label: ClassVar[str] = "mean score"

    system: str
    criterion: str | None = None
    sd: float | None = None
    """Standard deviation of single responses."""
    median: float | None = None
    worst_tenth: float | None = None
    """The 10th percentile of single responses; where lower is better, the 90th."""
    item_sd: float | None = None
    """Standard deviation of the items' means; it contains what raters add to each mean."""
    histogram: tuple[tuple[float, int], ...] = ()
    """How often each value was given; empty where there are very many values."""
    pass_rate: Share | None = None
    """The share of responses at or beyond the pass mark."""
    at_worst: Share | None = None
    """The share of responses at the worst value of the scale."""

    @property
    def name(self) -> str:
        """The system."""
        return self.system


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MeanScores(ResultTable):
    """The mean score of every system, in the order of the criteria, best system first."""

    label: ClassVar[str] = "mean score"

    rows: tuple[MeanScore, ...]
    cluster: str | None = "both"
    """How the intervals are clustered."""
    confidence: float = 0.95
    pass_mark: float | None = None


def mean(
    sums: Sums,
    k: int,
    *,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> Result:
    r"""The k-th ratio as a mean, with an interval clustered as asked.

    .. math:: \hat\theta \pm t_{\min G - 1} \sqrt V

    A mean whose clusters do not vary keeps its estimate and gets no interval, with the reason.
    """
    check_confidence(confidence)
    found = ratio_variances(sums, k)
    claim = claims(found, cluster=cluster, generalize=generalize)
    estimate = float(sums.value[k])
    return Result(
        estimate=estimate,
        interval=t_interval(estimate, claim.main, confidence),
        these_raters=t_interval(estimate, claim.these_raters, confidence),
        n_items=found["item"].clusters if "item" in found else None,
        n_raters=found["rater"].clusters if "rater" in found else None,
        n_responses=int(sums.n[k]),
        undefined=claim.undefined,
        notes=claim.notes,
    )
