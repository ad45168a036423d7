r"""The cumulative logit of single responses: log probabilities and their derivatives.

A response j to an output with log odds η has the probability :math:`a - b` with

.. math:: a = F(\theta_j - \eta), \qquad b = F(\theta_{j-1} - \eta), \qquad F(x) = 1/(1 + e^{-x}),

a = 1 for the highest value and b = 0 for the lowest. As :math:`F' = F(1 - F)`, its logarithm has
the derivatives :math:`a + b - 1` and :math:`-a(1 - a) - b(1 - b)` by η, and is concave.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Chances", "chances"]

Array = NDArray[np.float64]
FAR = 500.0
"""Log odds beyond which nothing changes in double precision, but exponentials overflow."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Chances:
    """Log probabilities of responses, one entry each, with a and b as above."""

    log: Array
    a: Array
    b: Array
    score: Array
    """Their derivatives by η."""
    weight: Array
    """Less the second ones."""
    upper: Array
    """By how much the threshold above moves a: a(1 − a)."""
    lower: Array
    """By how much the one below moves b."""
    raise_upper: Array
    """Their derivatives by the threshold above: a(1 − a)/(a − b)."""
    raise_lower: Array
    """By the one below: −b(1 − b)/(a − b)."""


def chances(theta: Array, eta: Array, value: NDArray[np.intp]) -> Chances:
    """The responses ``value`` at thresholds ``theta`` and log odds ``eta``.

    F(u) − F(l) is F(u) F(−l) (1 − e^(l − u)), which keeps its digits.
    """
    ends = np.concatenate([[-np.inf], theta, [np.inf]])
    u = np.clip(ends[value + 1] - eta, -FAR, FAR)
    low = np.clip(ends[value] - eta, -FAR, FAR)
    a, not_a, b, not_b = (1 / (1 + np.exp(x)) for x in (-u, u, -low, low))
    between = -np.expm1(-np.diff(ends))[value]
    upper, lower = a * not_a, b * not_b
    return Chances(
        log=np.log(a) + np.log(not_b) + np.log(between),
        a=a,
        b=b,
        score=a - not_b,
        weight=upper + lower,
        upper=upper,
        lower=lower,
        raise_upper=not_a / (not_b * between),
        raise_lower=-b / (a * between),
    )
