"""Quantiles and tail areas, from ``scipy.special`` because ``scipy.stats`` is slow to import."""

from __future__ import annotations

from scipy.special import expit, logit, ndtr, ndtri, stdtr, stdtrit

from jurybox.errors import InputError

__all__ = [
    "check_confidence",
    "from_logit",
    "normal_quantile",
    "normal_score",
    "normal_two_sided",
    "t_quantile",
    "t_two_sided",
    "to_logit",
]


def check_confidence(confidence: float) -> float:
    """Give the confidence back, or refuse one outside (0, 1)."""
    if not 0 < confidence < 1:
        raise InputError(f"confidence must lie between 0 and 1, for example 0.95; got {confidence}")
    return confidence


def t_quantile(confidence: float, df: float) -> float:
    """The two-sided quantile: P(|T| ≤ t) = confidence with ``df`` degrees of freedom.

    >>> round(t_quantile(0.95, 9), 3)
    2.262
    """
    return float(stdtrit(df, 0.5 + confidence / 2))


def t_two_sided(t: float, df: float) -> float:
    """P(|T| ≥ |t|)."""
    return float(2 * stdtr(df, -abs(t)))


def normal_quantile(confidence: float) -> float:
    """The two-sided quantile of the normal distribution: 1.96 for 0.95."""
    return float(ndtri(0.5 + confidence / 2))


def normal_two_sided(z: float) -> float:
    """P(|Z| ≥ |z|)."""
    return float(2 * ndtr(-abs(z)))


def normal_score(p: float) -> float:
    """The normal quantile: P(Z ≤ z) = p."""
    return float(ndtri(p))


def to_logit(p: float) -> float:
    """log(p / (1 − p))."""
    return float(logit(p))


def from_logit(x: float) -> float:
    """1 / (1 + exp(−x))."""
    return float(expit(x))
