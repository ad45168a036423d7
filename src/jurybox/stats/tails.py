"""Tail areas of the F distribution, without SciPy (see ``distributions``)."""

from __future__ import annotations

import math

__all__ = ["f_tail"]

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
    if f <= 0:
        return 1.0
    if math.isinf(f):
        return 0.0
    near, far = two / (two + one * f), one * f / (two + one * f)
    a, b = two / 2, one / 2
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(log + a * math.log(near) + b * math.log(far))
    if near < (a + 1) / (a + b + 2):
        return min(1.0, front * _fraction(a, b, near) / a)
    return max(0.0, 1 - front * _fraction(b, a, far) / b)


def _fraction(a: float, b: float, x: float) -> float:
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
        if abs(d * c - 1) < 1e-15:
            break
    return value
