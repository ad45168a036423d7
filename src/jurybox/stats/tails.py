"""Tail areas of the F and the binomial distribution, without SciPy (see ``distributions``)."""

from __future__ import annotations

import math

from jurybox.stats.distributions import beta_fraction

__all__ = ["beta_area", "binomial_p", "clopper_pearson", "f_tail"]

LARGEST = 10_000.0
"""Denominator degrees of freedom beyond which the tail no longer changes visibly."""


def f_tail(f: float, one: float, two: float) -> float:
    r"""P(F ≥ f) with ``one`` and ``two`` degrees of freedom.

    It is the regularized incomplete beta function :math:`I_x(d_2/2, d_1/2)` at
    :math:`x = d_2/(d_2 + d_1 f)`. Beyond 10,000 denominator degrees of freedom, 10,000 are used.

    >>> round(f_tail(4.9646, 1, 10), 4)
    0.05
    """
    two = min(two, LARGEST)
    if math.isinf(f):
        return 0.0
    return beta_area(two / (two + one * max(f, 0.0)), two / 2, one / 2)


def beta_area(x: float, a: float, b: float) -> float:
    r"""The regularized incomplete beta function :math:`I_x(a, b)`.

    >>> beta_area(0.5, 2, 2)
    0.5
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(log + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return min(1.0, front * beta_fraction(a, b, x) / a)
    return max(0.0, 1 - front * beta_fraction(b, a, 1 - x) / b)


def clopper_pearson(wins: int, n: int, confidence: float) -> tuple[float, float]:
    """The exact interval of a share of n independent votes (doi:10.1093/biomet/26.4.404).

    >>> low, high = clopper_pearson(7, 10, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.348, 0.933)
    """
    tail = (1 - confidence) / 2

    def lower(k: int) -> float:
        """The share at which k or more wins of n have the probability ``tail``."""
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            if beta_area(middle, k, n - k + 1) < tail:
                low = middle
            else:
                high = middle
        return low

    return (lower(wins) if wins else 0.0, 1 - lower(n - wins) if wins < n else 1.0)


def binomial_p(wins: int, n: int) -> float:
    """The exact two-sided p against one half: twice the smaller tail, which the interval inverts.

    >>> round(binomial_p(7, 10), 3)
    0.344
    """
    most = max(wins, n - wins)
    return min(1.0, 2 * beta_area(0.5, most, n - most + 1))
