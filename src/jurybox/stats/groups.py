r"""The difference between two groups of raters on the same items.

Raters belong to one group each, items are shared. With the mean over shared items of what a group
gives each of them, :math:`\hat\theta_g = \frac1I \sum_i \bar y_{gi}`, the difference
:math:`\hat\theta_g - \hat\theta_h` has the variance

.. math:: V = V_\text{item} + (V_g + V_h)_\text{rater} - (V_g + V_h)_\text{item × rater}.

Items move both means at once, so their clusters are taken of the difference. The raters of the two
groups are two independent sets, each with its own G/(G−1). t has the smallest number of clusters,
raters of either group or items, − 1 degrees of freedom. (Welch's degrees of freedom follow the
small group's own variance, which is too small just when the interval is: simulated with 3 and 20
raters they cover 90.5%.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from jurybox.results import ResultTable, format_count
from jurybox.stats.clusters import (
    Claims,
    Cluster,
    Generalize,
    OneWay,
    Sums,
    claims,
    difference_variances,
    ratio_variances,
    t_interval,
)
from jurybox.stats.distributions import check_confidence, t_two_sided
from jurybox.stats.multiple import Comparison
from jurybox.stats.scale_ends import SHARES_APART, on_scale

__all__ = ["GroupDifference", "GroupDifferences", "GroupShareDifference", "group_difference"]

FEW = 10
"""Raters of a group below which it is said how few they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDifference(Comparison):
    """How much higher one group of raters scores a system than another does, on the same items."""

    label: ClassVar[str] = "difference between groups"
    neutral: ClassVar[float | None] = 0.0

    group: str
    other: str
    of: str
    """The system, or the two systems of a win rate."""
    what: str = "mean score"
    criterion: str | None = None
    raters: tuple[int, int] = (0, 0)
    """How many of each group."""
    means: tuple[float, float] | None = None
    """What each group gives on the items that both have."""
    t: float | None = None
    df: int | None = None
    se: float | None = None

    @property
    def name(self) -> str:
        """What is compared."""
        return f"{self.of}: {self.group} − {self.other}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupShareDifference(GroupDifference):
    """The same of a share, such as a win rate."""

    as_percent: ClassVar[bool] = True


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GroupDifferences(ResultTable):
    """Every two groups compared on every system (or pair), adjusted by Benjamini and Hochberg."""

    label: ClassVar[str] = "difference between rater groups"

    rows: tuple[GroupDifference, ...]
    cluster: str | None = "both"
    confidence: float = 0.95


def group_difference(
    sums: Sums,
    k: int,
    j: int,
    about: GroupDifference,
    *,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> GroupDifference:
    """Ratio ``k`` minus ratio ``j`` of two groups without a common rater, as ``about`` says.

    The sums hold :math:`u = y / n_{gi}` and :math:`w = 1 / n_{gi}` on shared items, with moments of
    every two ratios.
    """
    check_confidence(confidence)
    sides = ratio_variances(sums, k), ratio_variances(sums, j)
    found = dict(difference_variances(sums, k, j))
    counts = tuple(side["rater"].clusters if "rater" in side else 0 for side in sides)
    for kind in ("rater", "cell"):
        if kind in found:
            found[kind] = _apart(sides[0][kind], sides[1][kind])
    claim = _claims(found, counts, about, cluster=cluster, generalize=generalize)
    means = float(sums.value[k]), float(sums.value[j])
    estimate = means[0] - means[1]
    spread, t, p = claim.main, None, None
    if spread is not None:
        t = estimate / spread.se
        p = t_two_sided(t, spread.df)
    made = replace(
        about,
        estimate=estimate,
        interval=t_interval(estimate, spread, confidence),
        these_raters=t_interval(estimate, claim.these_raters, confidence),
        p=p,
        t=t,
        df=None if spread is None else spread.df,
        se=None if spread is None else spread.se,
        raters=(counts[0], counts[1]),
        means=means,
        n_items=found["item"].clusters if "item" in found else None,
        n_raters=sum(counts) or None,
        n_responses=int(sums.n[k] + sums.n[j]),
        undefined=claim.undefined,
        notes=claim.notes,
    )
    return on_scale(made, SHARES_APART if isinstance(about, GroupShareDifference) else None)


def _apart(one: OneWay, two: OneWay) -> OneWay:
    """The variance of a difference of independent parts, with the clusters of the smaller one."""
    return OneWay(variance=one.variance + two.variance, clusters=min(one.clusters, two.clusters))


def _claims(
    found: Mapping[str, OneWay],
    counts: tuple[int, ...],
    about: GroupDifference,
    *,
    cluster: Cluster,
    generalize: Generalize,
) -> Claims:
    alone = "rater" in found and min(counts) < 2 and cluster == "both"
    made = claims(found, cluster=cluster, generalize="items" if alone else generalize)
    notes = [note for note in made.notes if not note.startswith("only ")]
    for group, n in zip((about.group, about.other), counts, strict=True):
        if n == 1:
            notes.append(f"{group} is one rater, so the interval speaks for these raters only")
        elif 1 < n < FEW:
            notes.append(f"{group} has only {format_count(n, 'rater')}")
    return replace(made, notes=tuple(notes))
