r"""How many items an interval of agreement needs to be as narrow as asked for.

Categories: the large-sample variance of kappa, where every item has answer shares of its own,
Dirichlet with mean π and such a spread that two raters agree by κ beyond chance. Alpha of nominal
answers, Fleiss' kappa and, with equal margins, Cohen's kappa all have this variance. Scores: alpha
of interval scores is the intraclass correlation, for which Bonett gives the number directly.

Both count items, for these raters: that other raters would agree differently is not in them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import OptionError
from jurybox.stats.distributions import normal_quantile

__all__ = [
    "bonett_half_width",
    "bonett_items",
    "fewest_for_bonett",
    "kappa_half_width",
    "kappa_items",
    "kappa_sd",
]

MOST_PATTERNS = 2_000_000


def kappa_sd(kappa: float, shares: Sequence[float], raters: int) -> float:
    r"""The standard deviation of one item's part in kappa: that of kappa times √items.

    With an item's counts :math:`r_q` of k answers, :math:`a = \sum_q r_q(r_q - 1) / k(k-1)` and
    :math:`b = \sum_q \pi_q r_q / k`, an item's part is

    .. math:: \psi = \frac{a - (1 - \kappa)\, 2b}{1 - P_e}, \quad P_e = \sum_q \pi_q^2,

    whose variance is taken over all possible counts, with Dirichlet-multinomial probabilities of
    intraclass correlation κ.

    *Checked against* Bloch and Kraemer's closed form for two raters and two categories, and the
    spread of jurybox's own alpha and kappa over simulated studies.

    References
    ----------
    Bloch and Kraemer (1989), Biometrics 45, 269–287; Donner and Eliasziw (1992),
    doi:10.1002/sim.4780111109; Gwet (2008), doi:10.1348/000711006X126600.

    Examples
    --------
    >>> round(kappa_sd(0.6, (0.5, 0.5), 2), 3)
    0.8
    """
    pi = np.asarray(shares, dtype=np.float64)
    counts = _counts(raters, pi.size)
    chances = _chances(counts, pi, kappa)
    agree = (counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1))
    by_chance = counts @ pi / raters
    part = (agree - 2 * (1 - kappa) * by_chance) / (1 - float(pi @ pi))
    mean = float(chances @ part)
    return math.sqrt(max(0.0, float(chances @ (part - mean) ** 2)))


def _counts(raters: int, categories: int) -> NDArray[np.int64]:
    """All ways to spread the raters' answers over the categories."""
    if math.comb(raters + categories - 1, categories - 1) > MOST_PATTERNS:
        raise OptionError(
            f"raters and shares: {raters} raters and {categories} categories have too many "
            "patterns of answers to go through; merge rare categories or take fewer raters"
        )
    rows = np.zeros((1, 0), dtype=np.int64)
    left = np.array([raters], dtype=np.int64)
    for _ in range(categories - 1):
        repeats = left + 1
        taken = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        rows = np.column_stack([np.repeat(rows, repeats, axis=0), taken])
        left = np.repeat(left, repeats) - taken
    return np.column_stack([rows, left])


def _chances(
    counts: NDArray[np.int64], pi: NDArray[np.float64], kappa: float
) -> NDArray[np.float64]:
    r"""Dirichlet-multinomial probabilities, as products that hold without agreement too.

    .. math:: \binom{k}{r_1, r_2, …} \frac{\prod_q \prod_{j < r_q} (\pi_q(1 - \kappa) + j\kappa)}
        {\prod_{j < k} (1 - \kappa + j\kappa)}
    """
    raters = int(counts[0].sum())
    more = np.arange(raters) * kappa
    steps = np.log(pi[:, None] * (1 - kappa) + more)
    sums = np.concatenate([np.zeros((pi.size, 1)), steps.cumsum(axis=1)], axis=1)
    orders = np.concatenate([[0.0], np.log(np.arange(1, raters + 1)).cumsum()])
    each = sums[np.arange(pi.size), counts] - orders[counts]
    whole = orders[raters] - float(np.log(1 - kappa + more).sum())
    return np.asarray(np.exp(each.sum(axis=1) + whole), dtype=np.float64)


def kappa_half_width(
    n: int, kappa: float, shares: Sequence[float], raters: int, *, confidence: float
) -> float:
    r"""The half-width to expect: :math:`z \, sd / \sqrt n`."""
    return normal_quantile(confidence) * kappa_sd(kappa, shares, raters) / math.sqrt(n)


def kappa_items(
    half_width: float, kappa: float, shares: Sequence[float], raters: int, *, confidence: float
) -> int:
    """The smallest number of items with at most this half-width.

    >>> kappa_items(0.1, 0.6, (0.5, 0.5), 2, confidence=0.95)
    246
    """
    root = normal_quantile(confidence) * kappa_sd(kappa, shares, raters) / half_width
    return max(2, math.ceil(root**2 - 1e-9))


def bonett_items(half_width: float, alpha: float, raters: int, *, confidence: float) -> int:
    r"""The smallest number of items whose interval of an intraclass correlation is this narrow.

    .. math:: n = \frac{8 z^2 (1 - \rho)^2 (1 + (k - 1)\rho)^2}{k(k - 1) w^2} + 1

    for the whole width w; for two raters and ρ ≥ 0.7, 5ρ more, as Bonett advises.

    References
    ----------
    Bonett (2002), doi:10.1002/sim.1108, equation 2.

    Examples
    --------
    >>> bonett_items(0.1, 0.8, 2, confidence=0.95)
    55
    """
    return max(2, math.ceil(_bonett(half_width, alpha, raters, confidence) - 1e-9))


def _bonett(half_width: float, alpha: float, raters: int, confidence: float) -> float:
    return _bonett_part(alpha, raters, confidence) / half_width**2 + 1 + _more(alpha, raters)


def _bonett_part(alpha: float, raters: int, confidence: float) -> float:
    spread = (1 - alpha) * (1 + (raters - 1) * alpha)
    return 2 * normal_quantile(confidence) ** 2 * spread**2 / (raters * (raters - 1))


def _more(alpha: float, raters: int) -> float:
    return 5 * alpha if raters == 2 and alpha >= 0.7 else 0.0


def fewest_for_bonett(alpha: float, raters: int) -> int:
    """The fewest items for which Bonett's formula gives a width."""
    return math.floor(1 + _more(alpha, raters)) + 1


def bonett_half_width(n: int, alpha: float, raters: int, *, confidence: float) -> float:
    """The half-width to expect of n items: Bonett's formula, solved for the width."""
    left = n - 1 - _more(alpha, raters)
    return math.sqrt(_bonett_part(alpha, raters, confidence) / left)
