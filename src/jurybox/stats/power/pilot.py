r"""What scatters in a pilot: items, raters, tastes and noise, by products of pairs of responses.

A response is the sum of what its system, item, rater and their pairings add, all independent. The
product of two responses then has a mean that says what the two share: with :math:`\mu_s \mu_t` the
mean of pairs that share neither item nor rater,

.. math::
    E[y y' \mid \text{same item}] &= \mu_s \mu_t + \sigma^2_i + [s = t]\,\sigma^2_{is} \\
    E[y y' \mid \text{same rater}] &= \mu_s \mu_t + \sigma^2_r + [s = t]\,\sigma^2_{rs}

so that differences of mean products are unbiased, whoever judged what. All of them come from the
sums of clusters that intervals are computed from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError
from jurybox.stats.clusters import Sums
from jurybox.stats.power.crossed import Components

__all__ = ["Scatter", "scatter_of"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter(Components):
    """How far responses to one system spread, with what all systems share; standard deviations.

    What items and raters do to all systems alike cancels in a difference of two systems that the
    same raters judged on the same items.
    """

    item: float = 0.0
    """Between items, in what they do to all systems alike."""
    rater: float = 0.0
    """Between raters, in what they give to all systems alike."""

    def __post_init__(self) -> None:
        # Not super(): a class with slots is made twice, and the first one is not its own parent.
        Components.__post_init__(self)
        for name in ("item", "rater"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise InputError(f"scatter: {name} is a standard deviation, 0 or more; got {value}")

    @property
    def variance(self) -> float:
        """Of one response around the mean of its system."""
        own = self.item_system**2 + self.rater_system**2 + self.noise**2
        return own + self.item**2 + self.rater**2


def scatter_of(sums: Sums, *, alike: bool = True) -> Scatter:
    r"""The scatter of responses whose K ratios are the means of K systems.

    ``sums`` need their cross moments, and those of single rows. A variance that comes out negative
    counts as 0. Where no two systems share items (or raters), or with ``alike=False``, what would
    be alike for all systems is not told from what is each system's own, and counts as its own.

    *Degenerate input.* No item with two raters, no rater with two items, or nothing that shares
    neither: refused, as the pilot cannot tell items, raters and noise apart. No scatter at all:
    refused too.

    *Checked against* planted values, and against the ANOVA estimates of a complete table.

    References
    ----------
    Koch (1967), Technometrics 9, 93–118: variance components from products of observations.
    """
    missing = {"item", "rater", "cell", "row"} - set(sums.by)
    if missing:
        raise InputError("a pilot must name the item and the rater of every response")
    u, w = np.asarray(sums.u), np.asarray(sums.w)
    item, rater, cell = (sums.by[kind] for kind in ("item", "rater", "cell"))
    apart = _Products(
        np.outer(u, u) - item.uu - rater.uu + cell.uu, np.outer(w, w) - item.ww - rater.ww + cell.ww
    )
    same_item = _Products(item.uu - cell.uu, item.ww - cell.ww)
    same_rater = _Products(rater.uu - cell.uu, rater.ww - cell.ww)
    itself = np.diag(np.diag(np.asarray(sums.by["row"].uu)))
    own = np.eye(len(u), dtype=np.bool_)
    if not (np.diag(apart.pairs) > 0.5).any():
        raise InputError(
            "the pilot has a single item or a single rater; a pilot needs two items "
            "and two raters or more"
        )
    of_item = same_item.above(apart, own)
    of_rater = same_rater.above(apart, own)
    total = _Products(itself, np.diag(w)).above(apart, own)
    if of_item is None:
        raise InputError(
            "the pilot has no output judged by two raters, so items cannot be told "
            "from noise; let every output be judged by two or more raters"
        )
    if of_rater is None or total is None:
        raise InputError(
            "the pilot has no rater who judged a system on two items beside others, "
            "so raters cannot be told from noise; let raters judge more items"
        )
    noise = max(0.0, total - max(0.0, of_item) - max(0.0, of_rater))
    others = ~own & alike
    shared_item = same_item.above(apart, others) or 0.0
    shared_rater = same_rater.above(apart, others) or 0.0
    if total <= 0:
        raise InputError(
            "the responses of the pilot do not scatter, so nothing can be planned from them"
        )
    return Scatter(
        item=_root(min(shared_item, of_item)),
        item_system=_root(of_item - max(0.0, shared_item)),
        rater=_root(min(shared_rater, of_rater)),
        rater_system=_root(of_rater - max(0.0, shared_rater)),
        noise=_root(noise),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Products:
    """Sums of products of two responses of systems k and l, and how many pairs there are."""

    total: NDArray[Any]
    pairs: NDArray[Any]

    def above(self, base: _Products, where: NDArray[np.bool_]) -> float | None:
        """The mean product here minus that of ``base``, over those systems that have both."""
        there = where & (self.pairs > 0.5) & (base.pairs > 0.5)
        if not there.any():
            return None
        excess = self.total[there] - base.total[there] / base.pairs[there] * self.pairs[there]
        return float(excess.sum() / self.pairs[there].sum())


def _root(variance: float) -> float:
    return math.sqrt(max(0.0, variance))
