r"""How precisely a fooling rate is known: Wilson's half-width of answers that repeat."""

from __future__ import annotations

import math

from jurybox.stats.distributions import normal_quantile

__all__ = ["wilson_half_width"]


def wilson_half_width(n: float, rate: float, *, confidence: float, effect: float = 1.0) -> float:
    r"""Half the length of Wilson's interval for a rate found in n answers.

    .. math:: \frac{z}{1 + z^2/m}\sqrt{\frac{p(1-p)}{m} + \frac{z^2}{4m^2}}, \quad
        m = \frac{n}{\text{design effect}}

    *Checked against* statsmodels 0.15 ``proportion_confint``.

    References
    ----------
    Wilson (1927), doi:10.1080/01621459.1927.10502953; the design effect: Kish (1965), Survey
    Sampling, chapter 5.

    Examples
    --------
    >>> round(wilson_half_width(100, 0.3, confidence=0.95), 4)
    0.0884
    """
    z, m = normal_quantile(confidence), n / effect
    return z / (1 + z * z / m) * math.sqrt(rate * (1 - rate) / m + z * z / (4 * m * m))
