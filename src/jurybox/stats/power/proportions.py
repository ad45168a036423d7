r"""Two shares of different answers: Cohen's h, and margins on the scale of shares."""

from __future__ import annotations

import math

from jurybox.errors import OptionError
from jurybox.stats.distributions import normal_score

__all__ = ["check_share", "cohen_h", "h_power", "share_margin_power", "share_se"]


def check_share(name: str, value: float) -> float:
    """Give a share back, or refuse one outside [0, 1]."""
    if not 0 <= value <= 1:
        raise OptionError(f"{name} must be a share between 0 and 1; got {value}")
    return value


def cohen_h(first: float, second: float) -> float:
    r"""Cohen's h, by which equal differences of shares are equally easy to detect.

    .. math:: h = 2\arcsin\sqrt{p_1} - 2\arcsin\sqrt{p_2}

    >>> round(cohen_h(0.5, 0.4), 4)
    0.2014
    """
    return 2 * math.asin(math.sqrt(first)) - 2 * math.asin(math.sqrt(second))


def h_power(
    h: float, first: float, second: float, level: float, *, one_sided: bool = False
) -> float:
    r"""The power to tell two shares apart, from ``first`` and ``second`` independent answers.

    .. math:: \Phi(\lambda - z) + \Phi(-\lambda - z), \quad
        \lambda = |h| \sqrt{\frac{n_1 n_2}{n_1 + n_2}}

    with the two-sided critical value z; one-sided without the second term.

    *Checked against* statsmodels 0.15 ``NormalIndPower`` and a recorded result of R ``pwr``.

    References
    ----------
    Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, chapter 6.

    Examples
    --------
    >>> round(h_power(0.25, 100, 120, 0.05, one_sided=True), 7)
    0.5798535
    """
    size = abs(h) * math.sqrt(first * second / (first + second))
    z = -normal_score(level if one_sided else level / 2)
    power = _area(size - z)
    return power if one_sided else power + _area(-size - z)


def share_se(p1: float, p2: float, first: float, second: float) -> float:
    """The standard error of a difference of two shares, each with its own variance."""
    return math.sqrt(p1 * (1 - p1) / first + p2 * (1 - p2) / second)


def share_margin_power(low: float | None, high: float, se: float, level: float) -> float:
    r"""The power to show a difference of shares within its margins, by the normal approximation.

    .. math:: \left[\Phi\left(\frac{\text{high}}{se} - z\right)
        - \Phi\left(\frac{\text{low}}{se} + z\right)\right]^+

    where ``low`` (negative) and ``high`` are how far the margins lie from the true difference and z
    is the one-sided critical value. Without ``low``, one test: non-inferiority.

    *Checked against* Chow, Shao and Wang's example of non-inferiority (25 a group), and simulated
    tests.

    References
    ----------
    Chow, Shao and Wang (2008), Sample Size Calculations in Clinical Research, section 4.2.
    """
    z = -normal_score(level)
    return max(0.0, _area(high / se - z) - (0.0 if low is None else _area(low / se + z)))


def _area(z: float) -> float:
    """P(Z ≤ z)."""
    return math.erfc(-z / math.sqrt(2)) / 2
