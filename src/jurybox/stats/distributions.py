"""Quantiles and tail areas of the normal and of Student's t distribution, for single numbers.

They are written out here because importing any part of SciPy takes longer than analyzing a small
table; the tests hold them to SciPy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import OptionError

__all__ = [
    "beta_fraction",
    "check_confidence",
    "from_logit",
    "normal_below",
    "normal_quantile",
    "normal_score",
    "normal_two_sided",
    "t_quantile",
    "t_two_sided",
    "t_two_sided_of",
    "to_logit",
]

MANY = 100
"""Degrees of freedom from which on Hill's expansion has nine digits and more."""


def check_confidence(confidence: float) -> float:
    """Give the confidence back, or refuse one outside (0, 1)."""
    if not 0 < confidence < 1:
        raise OptionError(
            f"confidence must lie between 0 and 1, for example 0.95; got {confidence}"
        )
    return confidence


@lru_cache(maxsize=1024)
def t_quantile(confidence: float, df: float) -> float:
    """The two-sided quantile: P(|T| ≤ t) = confidence with ``df`` degrees of freedom.

    Newton's method on the logarithm of the tail area, which is concave in log t.

    >>> round(t_quantile(0.95, 9), 3)
    2.262
    """
    tail = 1 - confidence
    x = math.log(max(normal_quantile(confidence), 1e-12))
    for _ in range(100):
        t = math.exp(x)
        area = t_two_sided(t, df)
        step = (math.log(area) - math.log(tail)) * area / (2 * t * _t_density(t, df))
        x += max(-2.0, min(2.0, step))
        if abs(step) < 1e-14:
            break
    return math.exp(x)


def _t_density(t: float, df: float) -> float:
    scale = math.exp(_log_gamma_ratio(df / 2)) / math.sqrt(math.pi * df)
    return scale * math.exp(-(df + 1) / 2 * math.log1p(t * t / df))


def _log_gamma_ratio(a: float) -> float:
    """The logarithm of Γ(a + ½)/Γ(a); for large a by its series, as the two nearly cancel."""
    if a < 40:
        return math.lgamma(a + 0.5) - math.lgamma(a)
    return 0.5 * math.log(a) - 1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5)


def t_two_sided(t: float, df: float) -> float:
    r"""P(|T| ≥ |t|), which is the incomplete beta function I(df/2, ½) at df/(df + t²).

    From 100 degrees of freedom on by Hill's normal expansion (1970, Communications of the ACM 13,
    algorithm 395).
    """
    square = t * t
    if math.isinf(square):
        return 0.0
    if df >= MANY:
        return normal_two_sided(_hill(t, df))
    near, far = df / (df + square), square / (df + square)
    a = df / 2
    front = _log_gamma_ratio(a) - 0.5 * math.log(math.pi)
    if near < (a + 1) / (a + 2.5):
        front += a * math.log(near) + 0.5 * math.log(far)
        return math.exp(front) * beta_fraction(a, 0.5, near) / a
    if far == 0:
        return 1.0
    front += a * math.log1p(-far) + 0.5 * math.log(far)
    return 1 - 2 * math.exp(front) * beta_fraction(0.5, a, far)


def t_two_sided_of(ts: Sequence[float], df: float) -> list[float]:
    """P(|T| ≥ |t|) of many t at once.

    >>> t_two_sided_of([2.0, 0.0], 200) == [t_two_sided(2.0, 200), t_two_sided(0.0, 200)]
    True
    """
    if df < MANY or len(ts) < MANY:
        return [t_two_sided(t, df) for t in ts]
    square = np.square(np.asarray(ts, dtype=np.float64))
    finite = np.isfinite(square)
    y = (df - 0.5) * np.log1p(np.where(finite, square, 0.0) / df)
    more = ((-0.4 * y - 3.3) * y - 24) * y - 85.5
    b = 48 * (df - 0.5) ** 2
    z = ((more / (0.8 * y * y + 100 + b) + y + 3) / b + 1) * np.sqrt(y)
    return [float(area) for area in np.where(finite, 2 * normal_below(-z), 0.0)]


def _hill(t: float, df: float) -> float:
    """The normal deviate with the same two-sided tail area as t."""
    a = df - 0.5
    b = 48 * a * a
    y = a * math.log1p(t * t / df)
    more = ((-0.4 * y - 3.3) * y - 24) * y - 85.5
    return ((more / (0.8 * y * y + 100 + b) + y + 3) / b + 1) * math.sqrt(y)


def beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / (1 + even * d), 1 + even / c
        value *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / (1 + odd * d), 1 + odd / c
        value *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return value


def normal_quantile(confidence: float) -> float:
    """The two-sided quantile of the normal distribution: 1.96 for 0.95."""
    return -normal_score((1 - confidence) / 2)


def normal_two_sided(z: float) -> float:
    """P(|Z| ≥ |z|)."""
    return math.erfc(abs(z) / math.sqrt(2))


def normal_below(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(Z ≤ z) of many z."""
    areas = np.frompyfunc(math.erfc, 1, 1)(-z / math.sqrt(2))
    return np.asarray(areas, dtype=np.float64) / 2


def normal_score(p: float) -> float:
    """The normal quantile: P(Z ≤ z) = p."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(p)


def to_logit(p: float) -> float:
    """log(p / (1 − p))."""
    return math.log(p) - math.log1p(-p)


def from_logit(x: float) -> float:
    """1 / (1 + exp(−x))."""
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    small = math.exp(x)
    return small / (1 + small)
