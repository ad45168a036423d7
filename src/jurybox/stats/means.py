"""Mean scores per system, and the difference between two systems within items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jurybox.results import Result, ResultTable
from jurybox.stats.clusters import (
    Cluster,
    Generalize,
    Sums,
    claims,
    ratio_variances,
    t_interval,
)
from jurybox.stats.distributions import check_confidence, t_two_sided
from jurybox.stats.multiple import Comparison

__all__ = [
    "Difference",
    "Differences",
    "MeanScore",
    "MeanScores",
    "difference",
    "mean",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanScore(Result):
    """The mean score of one system on one criterion."""

    label: ClassVar[str] = "mean score"

    system: str
    criterion: str | None = None
    sd: float | None = None
    """Standard deviation of single responses."""

    @property
    def name(self) -> str:
        """The system."""
        return self.system


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanScores(ResultTable):
    """The mean score of every system, in the order of the criteria, best system first."""

    label: ClassVar[str] = "mean score"

    rows: tuple[MeanScore, ...]
    cluster: str | None = "both"
    """How the intervals are clustered."""
    confidence: float = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Comparison):
    """How much higher one system scores than another on the same items."""

    label: ClassVar[str] = "difference"
    neutral: ClassVar[float | None] = 0.0

    system: str
    other: str
    criterion: str | None = None
    t: float | None = None
    df: int | None = None

    @property
    def name(self) -> str:
        """The two systems."""
        return f"{self.system} − {self.other}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences(ResultTable):
    """Every two systems compared; ``p_adjusted`` is Holm's over the rows of one criterion."""

    label: ClassVar[str] = "difference of mean scores"

    rows: tuple[Difference, ...]
    cluster: str | None = "both"
    confidence: float = 0.95


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


def difference(
    sums: Sums,
    k: int,
    *,
    systems: tuple[str, str],
    criterion: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> Difference:
    r"""The mean over shared items of the within-item difference, with its two-way clustered t.

    .. math:: \hat\delta = \frac1I \sum_i (\bar y_{si} - \bar y_{ti})

    The sums hold, per cluster, :math:`u_g = \sum \pm (y - \alpha_i)/n_{si}` with the item's level
    :math:`\alpha_i = (\bar y_{si} + \bar y_{ti})/2` taken out, and :math:`w_g` half the sum of
    :math:`1/n_{si}`, so that :math:`\hat\delta = \sum u / \sum w` (a regression on the system with
    one intercept per item).
    """
    base = mean(sums, k, confidence=confidence, cluster=cluster, generalize=generalize)
    claim = claims(ratio_variances(sums, k), cluster=cluster, generalize=generalize)
    t = p = None
    if claim.main is not None and base.estimate is not None:
        t = base.estimate / claim.main.se
        p = t_two_sided(t, claim.main.df)
    return Difference(
        estimate=base.estimate,
        interval=base.interval,
        these_raters=base.these_raters,
        p=p,
        t=t,
        df=None if claim.main is None else claim.main.df,
        n_items=base.n_items,
        n_raters=base.n_raters,
        n_responses=base.n_responses,
        undefined=base.undefined,
        notes=base.notes,
        system=systems[0],
        other=systems[1],
        criterion=criterion,
    )
