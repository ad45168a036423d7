r"""Would more data help: the width that more raters or more items would give.

A two-way clustered variance is put together from what items, raters and their meeting add,

.. math:: V = a + b + c, \quad a = V_\text{item} - V_\text{cell}, \;
    b = V_\text{rater} - V_\text{cell}, \; c = V_\text{cell}.

Twice the raters (each item judged by twice as many) halve b and c; twice the items halve a and c.
Power is given for what a study of this size could detect, never for what was observed: the power
"at the observed difference" is the p-value in other words (Hoenig and Heisey 2001,
doi:10.1198/000313001300339897).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

from jurybox.results import Result, format_number
from jurybox.stats.clusters import Cluster, Generalize, OneWay, Spread, claims
from jurybox.stats.distributions import check_confidence, from_logit, normal_score, t_quantile
from jurybox.stats.logits import logit_ends
from jurybox.stats.power.noncentral import t_power

__all__ = ["MoreData", "more_data"]

POWER = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreData(Result):
    """The half-width reached, and those to expect; ``None`` where the data cannot say."""

    label: ClassVar[str] = "half-width"

    twice_raters: float | None = None
    """The half-width to expect with twice the raters."""
    twice_items: float | None = None
    """The half-width to expect with twice the items."""
    detectable: float | None = None
    """The smallest true difference that a study of this size finds with probability ``power``."""
    power: float = POWER
    confidence: float = 0.95

    def short(self) -> str:
        """The half-widths in a row."""
        if self.estimate is None:
            return f"undefined: {self.undefined}"
        return (
            f"{format_number(self.estimate)}; twice the raters {format_number(self.twice_raters)}, "
            f"twice the items {format_number(self.twice_items)}"
        )


def more_data(
    found: Mapping[str, OneWay],
    *,
    share: float | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> MoreData:
    r"""The half-width expected with twice the raters and with twice the items.

    .. math::
        V_{2R} = a + (b + c)/2, \qquad V_{2I} = b + (a + c)/2, \qquad
        \delta_{80} = \nu_{80}\, se

    with the degrees of freedom that the larger study would have, and the noncentrality at which a t
    test has a power of 80%. (The sum of two quantiles, which often stands for it, has 77% with
    three raters and 73% with two.) Contributions that come out
    negative count as none. Of a ``share``, whose interval is made on the logit scale, the
    half-width is half the length of that interval, and δ is how far from ½ it would have to be.

    *Degenerate input.* No interval: undefined, with its reason. One rater or one item: nothing says
    how others would differ, so that side is ``None``. A two-way variance that is not positive gives
    way to the larger one-way one, of which only its own clusters can be doubled.

    Examples
    --------
    Raters differ much more than items:

    >>> found = more_data(
    ...     {"item": OneWay(variance=0.02, clusters=50), "rater": OneWay(variance=0.09, clusters=8),
    ...      "cell": OneWay(variance=0.01, clusters=400)}
    ... )
    >>> [round(x, 2) for x in (found.estimate, found.twice_raters, found.twice_items)]
    [0.75, 0.5, 0.71]
    """
    check_confidence(confidence)
    claim = claims(found, cluster=cluster, generalize=generalize)
    if share is not None and not 0 < share < 1:
        why = "a share of 0 or 1 does not say how much it varies"
        return MoreData(estimate=None, undefined=why, confidence=confidence)
    if claim.main is None:
        why = claim.undefined or "there is no interval"
        return MoreData(estimate=None, undefined=why, confidence=confidence)
    main = claim.main
    now, df = main.variance, main.df
    raters = items = None

    def half(variance: float, clusters: int) -> float:
        return _half(replace(main, variance=variance, df=clusters - 1), confidence, share)

    by = {kind: found[kind] for kind in ("item", "rater") if kind in found}
    if "rater and item" in claim.main.method:
        item, rater, cell = found["item"], found["rater"], found["cell"]
        if math.isclose(now, item.variance + rater.variance - cell.variance):
            a = max(0.0, item.variance - cell.variance)
            b = max(0.0, rater.variance - cell.variance)
            c = max(0.0, now - a - b)
            raters = half(a + (b + c) / 2, min(2 * rater.clusters, item.clusters))
            items = half(b + (a + c) / 2, min(rater.clusters, 2 * item.clusters))
        elif item.variance >= rater.variance:
            items = half(now / 2, min(rater.clusters, 2 * item.clusters))
        else:
            raters = half(now / 2, min(2 * rater.clusters, item.clusters))
    elif "by item" in claim.main.method:
        items = half(now / 2, 2 * by["item"].clusters)
    elif "by rater" in claim.main.method:
        raters = half(now / 2, 2 * by["rater"].clusters)
    detectable = _noncentrality(confidence, df) * claim.main.se
    if share is not None:
        detectable = from_logit(detectable / (share * (1 - share))) - 0.5
    return MoreData(
        estimate=half(now, df + 1),
        twice_raters=raters,
        twice_items=items,
        detectable=detectable,
        n_items=by["item"].clusters if "item" in by else None,
        n_raters=by["rater"].clusters if "rater" in by else None,
        undefined="a half-width has no interval of its own",
        confidence=confidence,
    )


def _half(spread: Spread, confidence: float, share: float | None) -> float:
    critical = t_quantile(confidence, spread.df)
    if share is None:
        return critical * spread.se
    low, high = logit_ends(share, spread, critical)
    return (high - low) / 2


@lru_cache(maxsize=1024)
def _noncentrality(confidence: float, df: int) -> float:
    """How many standard errors a difference must be for a t test to have its power; by secants.

    On the scale of normal scores power is nearly a straight line.
    """
    wanted = normal_score(POWER)

    def missing(noncentrality: float) -> float:
        return wanted - normal_score(t_power(noncentrality, df, 1 - confidence))

    before = t_quantile(confidence, df) + t_quantile(2 * POWER - 1, df)
    lack = missing(before)
    here = before + lack
    for _ in range(50):
        if here == before or abs(lack) < 1e-12:
            break
        now = missing(here)
        before, lack, here = here, now, here - now * (here - before) / (now - lack)
    return here
