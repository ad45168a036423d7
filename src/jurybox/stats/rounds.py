r"""What moved between two rounds: the difference of a mean or share, clustered over both.

A cluster (an item, a rater) that both rounds have moves both estimates, by
:math:`\psi_g^{new} - \psi_g^{old}`; one that only one round has moves that one. Adding up the
squares over all clusters of a kind is therefore right whatever the rounds share: with everything
in common it is the paired variance, with nothing in common the sum of the two variances.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval, Result, format_number
from jurybox.stats.clusters import (
    ALL_RATERS,
    Cluster,
    Generalize,
    OneWay,
    claims,
    satterthwaite,
    t_interval,
)
from jurybox.stats.distributions import normal_quantile, normal_two_sided, t_two_sided
from jurybox.stats.multiple import Comparison
from jurybox.stats.scale_ends import SHARES_APART, on_scale

__all__ = ["INDEPENDENT", "RANKED_ABOVE", "Moved", "MovedShare", "RoundSums", "hybrid", "moved"]

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
INDEPENDENT = "Newcombe's hybrid of the two intervals, as of independent rounds"
RANKED_ABOVE = "ranked above"
"""What is measured of two systems in rankings."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RoundSums:
    """One ratio Σu / Σw of one round, in cells; a cluster has the same number in both rounds."""

    u: Array
    w: Array
    n: int
    clusters: dict[str, Codes]
    """The cluster of every cell, by kind: ``item``, ``rater``, ``cell`` or ``row``."""

    @property
    def value(self) -> float:
        """The ratio."""
        return float(self.u.sum() / self.w.sum())

    def influence(self, kind: str) -> tuple[Codes, Array]:
        """The clusters of a kind, and by how much each moves the ratio."""
        psi = (self.u - self.value * self.w) / self.w.sum()
        present, place = np.unique(self.clusters[kind], return_inverse=True)
        summed = np.bincount(place.ravel(), weights=psi, minlength=len(present))
        return present, np.asarray(summed, dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved(Comparison):
    """A statistic in the new round minus the same one in the old round."""

    label: ClassVar[str] = "change between the rounds"
    neutral: ClassVar[float | None] = 0.0

    what: str
    """What was measured: `mean score`, `win rate`, …"""
    old: float | None = None
    new: float | None = None
    system: str | None = None
    other: str | None = None
    criterion: str | None = None

    @property
    def name(self) -> str:
        """What was measured, and of whom."""
        if self.what == RANKED_ABOVE:
            return f"how often {self.system} is {RANKED_ABOVE} {self.other}"
        of = self.system if self.other is None else f"{self.system} over {self.other}"
        return self.what if of is None else f"{self.what} of {of}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedShare(Moved):
    """The same of a share."""

    as_percent: ClassVar[bool] = True

    def format(self, value: float | None) -> str:
        """In percentage points: a percentage would read as a ratio of the two shares."""
        return "–" if value is None else f"{format_number(100 * value, 1)} points"


def _variance(old: RoundSums, new: RoundSums, kind: str) -> OneWay:
    """The variance of new − old from the clusters of one kind, and how many carry it."""
    before, was = old.influence(kind)
    after, now = new.influence(kind)
    fewest = min(len(before), len(after))
    if fewest < 2:
        return OneWay(variance=0.0, clusters=fewest)
    if not len(np.intersect1d(before, after)):
        # The round with fewer clusters carries its share of the doubt.
        parts = [
            OneWay(variance=float(psi @ psi) * len(psi) / (len(psi) - 1), clusters=len(psi))
            for psi in (was, now)
        ]
        total = sum(part.variance for part in parts)
        clusters = satterthwaite(*parts) + 1 if total > 0 else fewest
        return OneWay(variance=total, clusters=clusters)
    union, place = np.unique(np.concatenate([before, after]), return_inverse=True)
    each = np.bincount(place.ravel(), weights=np.concatenate([-was, now]), minlength=len(union))
    total = float(each @ each)
    size = float(was @ was + now @ now)
    if total <= 1e-13 * size:
        return OneWay(variance=0.0, clusters=fewest)
    return OneWay(variance=total * len(union) / (len(union) - 1), clusters=fewest)


def moved(
    old: RoundSums,
    new: RoundSums,
    *,
    what: str,
    share: bool = False,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> Moved:
    r"""The ratio of the new round minus that of the old one, with its clustered t.

    .. math::
        V_k = \frac{G}{G-1} \sum_g (\psi_g^{new} - \psi_g^{old})^2, \qquad
        V = V_{item} + V_{rater} - V_{item \cap rater}

    over the clusters of both rounds; where they have none of a kind in common, the sum of the two
    variances with Welch and Satterthwaite's degrees of freedom, otherwise those of the round with
    fewer clusters.

    *Degenerate input.* Where clusters do not vary there is no interval, with the reason.

    References
    ----------
    Cameron, Gelbach and Miller (2011), doi:10.1198/jbes.2010.07136; Welch (1947),
    doi:10.1093/biomet/34.1-2.28.

    Examples
    --------
    Two items scored 1 and 3, then 2 and 4 by the same rater: every item gains one point, and what
    tells the items apart cancels.

    >>> def scores(*values):
    ...     each = np.arange(len(values))
    ...     return RoundSums(
    ...         u=np.array(values, float), w=np.ones(len(values)), n=len(values),
    ...         clusters={"item": each},
    ...     )
    >>> found = moved(scores(1, 3, 2), scores(2, 4, 3.3), what="mean score")
    >>> round(found.estimate, 3), round(found.interval.low, 3)
    (1.1, 0.67)
    """
    kinds = [kind for kind in old.clusters if kind in new.clusters]
    found = {kind: _variance(old, new, kind) for kind in kinds}
    claim = claims(found, cluster=cluster, generalize=generalize)
    estimate = new.value - old.value
    spread = claim.main
    edge = share and not (0 < old.value < 1 and 0 < new.value < 1)
    made = (MovedShare if share else Moved)(
        estimate=estimate,
        n_items=found["item"].clusters if "item" in found else None,
        n_raters=found["rater"].clusters if "rater" in found else None,
        n_responses=old.n + new.n,
        undefined="a share of 0 or 1 has no variance" if edge else claim.undefined,
        notes=claim.notes,
        what=what,
        old=old.value,
        new=new.value,
    )
    if spread is None or edge:
        return made
    made = replace(
        made,
        interval=t_interval(estimate, spread, confidence),
        these_raters=t_interval(estimate, claim.these_raters, confidence),
        p=t_two_sided(estimate / spread.se, spread.df),
    )
    return on_scale(made, SHARES_APART if share else None)


def hybrid(old: Result, new: Result, made: Moved) -> Moved:
    r"""The difference of two estimates with intervals, put together as of independent rounds.

    .. math::
        d - \sqrt{(\hat\theta_2 - l_2)^2 + (u_1 - \hat\theta_1)^2} \quad\text{to}\quad
        d + \sqrt{(u_2 - \hat\theta_2)^2 + (\hat\theta_1 - l_1)^2}

    (Newcombe 1998; Zou and Donner 2008, doi:10.1002/sim.3095), and the p that it inverts. Where the
    rounds share raters or items that move both alike, it is wider than need be. It speaks for no
    more than either interval does.
    """
    one, two = old.interval or old.these_raters, new.interval or new.these_raters
    if old.estimate is None or new.estimate is None:
        why = old.undefined if old.estimate is None else new.undefined
        which = "old" if old.estimate is None else "new"
        return replace(made, estimate=None, undefined=f"in the {which} round: {why}")
    estimate = new.estimate - old.estimate
    made = replace(made, notes=())
    if one is None or two is None:
        why = old.undefined if one is None else new.undefined
        return replace(made, estimate=estimate, undefined=why or "a round has no interval")
    low = math.hypot(new.estimate - two.low, one.high - old.estimate)
    high = math.hypot(two.high - new.estimate, old.estimate - one.low)
    towards_zero = low if estimate > 0 else high
    z = normal_quantile(two.confidence) * abs(estimate) / towards_zero if towards_zero else math.inf
    made = replace(
        made,
        estimate=estimate,
        undefined=None,
        p=normal_two_sided(z) if estimate else 1.0,
        interval=Interval(
            low=estimate - low,
            high=estimate + high,
            confidence=two.confidence,
            method=INDEPENDENT,
            generalizes_to=next(
                (to for to in (two.generalizes_to, one.generalizes_to) if to != ALL_RATERS),
                ALL_RATERS,
            ),
        ),
    )
    return on_scale(made, SHARES_APART if isinstance(made, MovedShare) else None)
