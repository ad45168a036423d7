"""Equivalence and non-inferiority of two systems within a margin stated before the data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from jurybox.errors import OptionError
from jurybox.results import Interval
from jurybox.stats.clusters import Spread, t_interval
from jurybox.stats.distributions import check_confidence, t_two_sided
from jurybox.stats.multiple import Comparison

__all__ = ["Equivalence", "Verdict", "check_margin", "equivalence"]

Verdict = Literal["equivalent", "not inferior", "not shown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence(Comparison):
    """Two one-sided tests; ``interval`` is the one they decide by (90% for one-sided 5%)."""

    label: ClassVar[str] = "equivalence"
    neutral: ClassVar[float | None] = 0.0

    margin: float
    p_not_lower: float | None = None
    """Of "the first is lower by the margin or more"."""
    p_not_higher: float | None = None
    """Of "the first is higher by the margin or more"."""
    wider: Interval | None = None
    """The interval with the confidence of all others."""
    higher: bool = True
    """Whether a higher score is better."""

    def verdict(self, confidence: float = 0.95) -> Verdict:
        """What is shown at one-sided level 1 − confidence.

        In a family only equivalence is claimed, by ``p_adjusted``.
        """
        level = 1 - confidence
        p = self.claimed_p
        if p is not None and p < level:
            return "equivalent"
        worse = self.p_not_lower if self.higher else self.p_not_higher
        if self.p_adjusted is None and worse is not None and worse < level:
            return "not inferior"
        return "not shown"


def check_margin(margin: float | None) -> float | None:
    """Give the margin back, or refuse one that is not a positive number."""
    if margin is not None and not (math.isfinite(margin) and margin > 0):
        raise OptionError(f"margin must be a positive number of points; got {margin}")
    return margin


def equivalence(
    estimate: float,
    spread: Spread | None,
    *,
    margin: float,
    confidence: float = 0.95,
    higher: bool = True,
    undefined: str | None = None,
) -> Equivalence:
    r"""Whether a difference lies within the margin, by two one-sided clustered t tests.

    .. math::
        p = \max\{P(T \ge (\hat\delta + \Delta)/se),\; P(T \le (\hat\delta - \Delta)/se)\}

    with the degrees of freedom of the difference. Each test is one-sided at 1 − confidence, so the
    interval with confidence 2 · confidence − 1 (90% for 95%) lies within the margin exactly if
    p < 1 − confidence. The first system is not inferior if the test against the margin on its
    worse side alone succeeds.

    *Degenerate input.* No variation, hence no standard error: no p and no interval, with the reason
    (a difference of exactly zero in constant scores is no evidence).

    *Checked against* statsmodels 0.15 ``ttost_paired`` on one rater's scores.

    References
    ----------
    Schuirmann (1987), doi:10.1007/BF01068419.

    Examples
    --------
    A difference of 0.1 with standard error 0.1 and 20 degrees of freedom, margin 0.5:

    >>> spread = Spread(variance=0.01, df=20, method="t(20)", generalizes_to="items like these")
    >>> found = equivalence(0.1, spread, margin=0.5)
    >>> found.verdict(), round(found.p, 4)
    ('equivalent', 0.0004)
    """
    check_confidence(confidence)
    if confidence <= 0.5:
        raise OptionError(f"equivalence needs a confidence above 0.5; got {confidence}")
    check_margin(margin)
    if spread is None:
        return Equivalence(
            estimate=estimate,
            undefined=undefined or "there is no standard error",
            margin=margin,
            higher=higher,
        )
    above = _upper((estimate + margin) / spread.se, spread.df)
    below = _upper((margin - estimate) / spread.se, spread.df)
    return Equivalence(
        estimate=estimate,
        interval=t_interval(estimate, spread, 2 * confidence - 1),
        wider=t_interval(estimate, spread, confidence),
        p=max(above, below),
        p_not_lower=above,
        p_not_higher=below,
        margin=margin,
        higher=higher,
    )


def _upper(t: float, df: int) -> float:
    """P(T ≥ t)."""
    half = t_two_sided(t, df) / 2
    return half if t >= 0 else 1 - half
