"""Shares (win rates, pass rates, fooling rates): intervals that never leave [0, 1]."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from jurybox.results import Interval, format_number
from jurybox.stats.clusters import (
    Claims,
    Cluster,
    Generalize,
    Spread,
    Sums,
    claims,
    difference_variances,
    ratio_variances,
    t_interval,
)
from jurybox.stats.distributions import (
    check_confidence,
    normal_quantile,
    normal_two_sided,
    t_quantile,
    t_two_sided,
)
from jurybox.stats.logits import logit_ends, logit_t
from jurybox.stats.more_data import MoreData, more_data
from jurybox.stats.multiple import Comparison
from jurybox.stats.scale_ends import SHARES_APART, on_scale

__all__ = [
    "SINGLE",
    "Share",
    "ShareDifference",
    "share",
    "share_difference",
    "wilson",
]


SINGLE = "a single response is no share: it can only be 0% or 100%"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Comparison):
    """A share of responses: a win rate, a pass rate, a fooling rate."""

    label: ClassVar[str] = "share"
    as_percent: ClassVar[bool] = True

    what: str
    """What is counted: `win rate`, `pass rate`, …"""
    system: str | None = None
    other: str | None = None
    criterion: str | None = None
    against: float | None = None
    """The share that ``p`` tests against."""

    @property
    def name(self) -> str:
        """The system, or the two that were compared; else what is counted."""
        if self.system is None:
            return self.what
        return self.system if self.other is None else f"{self.system} over {self.other}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareDifference(Comparison):
    """The difference of two shares."""

    label: ClassVar[str] = "difference of shares"
    as_percent: ClassVar[bool] = True
    neutral: ClassVar[float | None] = 0.0

    system: str
    other: str
    criterion: str | None = None
    more_data: MoreData | None = None
    """What twice the raters or items would bring, where the difference has a t."""

    @property
    def name(self) -> str:
        """The two systems."""
        return f"{self.system} − {self.other}"

    def format(self, value: float | None) -> str:
        """In percentage points: a percentage would read as a ratio of the two shares."""
        return "–" if value is None else f"{format_number(100 * value, 1)} points"


def wilson(
    p: float, n: int, confidence: float, to: str = "raters and items like these"
) -> Interval:
    r"""Wilson's score interval for a share of n independent clusters.

    .. math::
        \frac{p + z^2/2n \pm z\sqrt{p(1-p)/n + z^2/4n^2}}{1 + z^2/n}

    References
    ----------
    Wilson (1927), doi:10.1080/01621459.1927.10502953.
    """
    z = normal_quantile(confidence)
    shrink = 1 + z * z / n
    middle = (p + z * z / (2 * n)) / shrink
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / shrink
    return Interval(
        low=0.0 if p == 0 else max(0.0, middle - half),
        high=1.0 if p == 1 else min(1.0, middle + half),
        confidence=confidence,
        method=f"Wilson with n = {n} clusters",
        generalizes_to=to,
    )


def _logit_interval(p: float, spread: Spread | None, confidence: float) -> Interval | None:
    if spread is None:
        return None
    low, high = logit_ends(p, spread, t_quantile(confidence, spread.df))
    return Interval(
        low=low,
        high=high,
        confidence=confidence,
        method=f"logit, {spread.method}",
        generalizes_to=spread.generalizes_to,
    )


def _p_against(p: float, against: float, claim: Claims) -> float | None:
    """The test that the interval inverts: t on the logit scale, or Wilson's z at the edge."""
    if claim.main is not None and 0 < p < 1:
        return t_two_sided(logit_t(p, against, claim.main), claim.main.df)
    if claim.smallest < 2:
        return None
    z = (p - against) / math.sqrt(against * (1 - against) / claim.smallest)
    return normal_two_sided(z)


def share(
    sums: Sums,
    k: int,
    *,
    what: str,
    against: float | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> Share:
    """The k-th ratio as a share, with a clustered interval inside [0, 1].

    Notes
    -----
    The interval is the t interval on the logit scale. Where all responses are alike, or the
    clusters do not vary, it is Wilson's with n = the number of clusters in the smaller dimension
    (never the number of responses, which repeat within raters and items). A single response has no
    share.
    """
    check_confidence(confidence)
    found = ratio_variances(sums, k)
    claim = claims(found, cluster=cluster, generalize=generalize)
    counts: dict[str, Any] = {
        "n_items": found["item"].clusters if "item" in found else None,
        "n_raters": found["rater"].clusters if "rater" in found else None,
        "n_responses": int(sums.n[k]),
    }
    if counts["n_responses"] == 1:
        return Share(estimate=None, undefined=SINGLE, what=what, against=against, **counts)
    p = min(1.0, max(0.0, float(sums.value[k])))
    p = round(p) if min(p, 1 - p) < 1e-12 else p
    inside = 0 < p < 1 and claim.main is not None
    interval = these = None
    if inside:
        interval = _logit_interval(p, claim.main, confidence)
        these = _logit_interval(p, claim.these_raters, confidence)
    elif claim.smallest > 1:
        interval = wilson(p, claim.smallest, confidence, claim.generalizes_to)
        raters, items = (found[kind].clusters if kind in found else 0 for kind in ("rater", "item"))
        if cluster == "both" and 2 <= raters < 5 and items > claim.smallest:
            these = wilson(p, items, confidence, "items like these, judged by these raters")
    return Share(
        estimate=p,
        interval=interval,
        these_raters=these,
        p=None if against is None else _p_against(p, against, claim),
        **counts,
        undefined=claim.undefined if interval is None else None,
        notes=claim.notes,
        what=what,
        against=against,
    )


def share_difference(
    sums: Sums,
    k: int,
    j: int,
    *,
    systems: tuple[str, str],
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> ShareDifference:
    r"""The difference of two shares of the same raters and items, with its clustered t.

    Notes
    -----
    Where one of the shares is 0 or 1, its variance says nothing; the interval is then put together
    from the two single ones (Newcombe's hybrid, doi:10.1002/(SICI)1097-0258(19980430)17:8<873),
    :math:`d - \sqrt{(p_1 - l_1)^2 + (u_2 - p_2)^2}` to the mirror image, and there is no p.
    """
    found = difference_variances(sums, k, j)
    how: dict[str, Any] = {"cluster": cluster, "generalize": generalize}
    claim = claims(found, **how)
    one, two = (share(sums, i, what="", confidence=confidence, **how) for i in (k, j))
    made = ShareDifference(
        estimate=None,
        n_items=found["item"].clusters if "item" in found else None,
        n_raters=found["rater"].clusters if "rater" in found else None,
        n_responses=int(sums.n[k] + sums.n[j]),
        undefined=one.undefined or two.undefined or claim.undefined or SINGLE,
        notes=claim.notes,
        system=systems[0],
        other=systems[1],
    )
    if one.estimate is None or two.estimate is None:
        return replace(made, undefined=SINGLE)
    first, second = one.estimate, two.estimate
    d = first - second
    made = replace(made, estimate=d)
    if claim.main is not None and 0 < first < 1 and 0 < second < 1:
        p = t_two_sided(d / claim.main.se, claim.main.df)
        interval = t_interval(d, claim.main, confidence)
        these = t_interval(d, claim.these_raters, confidence)
        more = more_data(found, confidence=confidence, **how)
        made = replace(made, p=p, interval=interval, these_raters=these, more_data=more)
        return replace(on_scale(made, SHARES_APART), undefined=None)
    if one.interval is None or two.interval is None:
        return made
    low = math.hypot(first - one.interval.low, two.interval.high - second)
    high = math.hypot(one.interval.high - first, second - two.interval.low)
    interval = Interval(
        low=max(SHARES_APART[0], d - low),
        high=min(SHARES_APART[1], d + high),
        confidence=confidence,
        method="Newcombe's hybrid of the two intervals",
        generalizes_to=claim.generalizes_to,
    )
    return replace(made, interval=interval, undefined=None)
