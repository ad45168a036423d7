r"""Mean scores of two systems: t tests, and two one-sided t tests within margins."""

from __future__ import annotations

import math
from dataclasses import dataclass

from jurybox.errors import OptionError
from jurybox.stats.power.noncentral import both_tests_power, t_power

__all__ = ["Spread", "check_sd", "mean_margin_power", "mean_power"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The standard error of a difference of means, and its degrees of freedom."""

    se: float
    df: float

    @classmethod
    def unpaired(cls, sd: float, first: int, second: int) -> Spread:
        r"""Of different answers: :math:`\sigma\sqrt{1/n_1 + 1/n_2}` with n₁ + n₂ − 2."""
        return cls(se=sd * math.sqrt(1 / first + 1 / second), df=first + second - 2)

    @classmethod
    def paired(cls, sd: float, correlation: float, n: int) -> Spread:
        r"""Of the same items: :math:`\sigma\sqrt{2(1 - \rho)/n}` with n − 1."""
        return cls(se=sd * math.sqrt(2 * (1 - correlation) / n), df=n - 1)


def check_sd(sd: float) -> float:
    """Give a standard deviation back, or refuse one that is not positive."""
    if not (math.isfinite(sd) and sd > 0):
        raise OptionError(f"sd must be a positive number of points; got {sd}")
    return sd


def mean_power(
    difference: float, spread: Spread, level: float, *, one_sided: bool = False
) -> float:
    r"""The power of a t test of a difference of means.

    .. math:: P(|T'| > t_{1-\alpha/2}), \quad T' \text{ noncentral with } \nu = \delta/se

    *Checked against* statsmodels 0.15 ``TTestPower`` and ``TTestIndPower``, and G*Power.

    References
    ----------
    Faul, Erdfelder, Lang and Buchner (2007), doi:10.3758/BF03193146.

    Examples
    --------
    G*Power's own example: d = 0.5, 86 in each group.

    >>> round(mean_power(0.5, Spread.unpaired(1, 86, 86), 0.05), 4)
    0.9032
    """
    return t_power(difference / spread.se, spread.df, level, one_sided=one_sided)


def mean_margin_power(low: float | None, high: float, spread: Spread, level: float) -> float:
    r"""The power to show a difference of means within its margins, exact for normal scores.

    ``low`` (negative) and ``high`` are how far the margins lie from the true difference. With both,
    two one-sided t tests (Owen's Q); without ``low``, one t test: non-inferiority.

    *Checked against* PowerTOST's manual and simulated tests.

    References
    ----------
    Schuirmann (1987), doi:10.1007/BF01068419; Phillips (1990), doi:10.1007/BF01063556.

    Examples
    --------
    PowerTOST's ``power.TOST(CV = 0.3, n = 40)`` gives 0.8158453:

    >>> se = math.sqrt(math.log(1.09) * 2 / 40)
    >>> low, high = -math.log(1.25) - math.log(0.95), math.log(1.25) - math.log(0.95)
    >>> round(mean_margin_power(low, high, Spread(se=se, df=38), 0.05), 7)
    0.8158453
    """
    if low is None:
        return t_power(high / spread.se, spread.df, level, one_sided=True) if high > 0 else 0.0
    return both_tests_power(low / spread.se, high / spread.se, spread.df, level)
