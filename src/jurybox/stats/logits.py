"""The logit scale, on which intervals of shares are made."""

from __future__ import annotations

import math

from jurybox.stats.clusters import Spread
from jurybox.stats.distributions import from_logit, to_logit

__all__ = ["logit_ends", "logit_t"]


def logit_ends(p: float, spread: Spread, critical: float) -> tuple[float, float]:
    r"""The ends of the interval of a share on the logit scale, turned back.

    .. math:: \operatorname{logit} p \pm c\,s, \qquad s = \mathrm{se} / p(1 - p),

    with the end towards ½ moved on by :math:`|1 - 2p|\, s^2`, twice the bias of the logit to second
    order: near 0 or 1 raters differ by factors, and a few of them rarely include the extreme ones.
    (Without it a share of .02 judged by 10 raters on 1,000 items is covered in 92% of studies, with
    it in 94%.)
    """
    s = spread.se / (p * (1 - p))
    more = _allowance(p, s)
    low = from_logit(to_logit(p) - critical * s + min(0.0, more))
    high = from_logit(to_logit(p) + critical * s + max(0.0, more))
    return min(p, low), max(p, high)


def logit_t(p: float, against: float, spread: Spread) -> float:
    """The t statistic whose test ``logit_ends`` inverts."""
    s = spread.se / (p * (1 - p))
    distance, more = to_logit(against) - to_logit(p), _allowance(p, s)
    if distance * more > 0:
        distance = math.copysign(max(0.0, abs(distance) - abs(more)), distance)
    return -distance / s


def _allowance(p: float, s: float) -> float:
    return (1 - 2 * p) * s * s
