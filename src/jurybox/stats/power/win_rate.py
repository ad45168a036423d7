r"""One win rate against 50%: the power of the exact test, and the votes it takes.

The power of an exact test goes up and down with the number of votes, because the counts that lead
to rejection are whole. The number given is the one from which on it never falls below the target
again.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import OptionError
from jurybox.stats.distributions import normal_score

__all__ = ["critical_wins", "fewest_votes", "last_doubt", "sign_powers", "votes"]

Floats = NDArray[np.float64]

CHUNK = 20_000
CLOSEST = 1e-5
"""How near to one half a rate may be: beyond, billions of votes."""


def critical_wins(n: Floats, level: float, *, one_sided: bool = False) -> Floats:
    r"""The fewest wins of n votes with an exact p below the level (n + 1 where none has).

    .. math:: c_n = \min\{c: m \, P(X \ge c \mid n, 1/2) < \text{level}\}

    with m = 2 for the two-sided test, whose p is twice the smaller tail.
    """
    from scipy.special import betainc

    tail = level if one_sided else level / 2

    def rejects(wins: Floats) -> NDArray[np.bool_]:
        inside = (wins >= 1) & (wins <= n)
        area = betainc(np.where(inside, wins, 1.0), np.where(inside, n - wins + 1, 1.0), 0.5)
        return np.where(inside, area < tail, wins > n)

    wins = np.clip(np.round(n / 2 - normal_score(tail) * np.sqrt(n) / 2), 1, n + 1)
    while (short := ~rejects(wins)).any():
        wins = wins + short
    while (spare := rejects(wins - 1) & (wins > 1)).any():
        wins = wins - spare
    return wins


def sign_powers(n: Floats, rate: float, level: float, *, one_sided: bool = False) -> Floats:
    r"""The power of the exact test for each number of votes.

    .. math:: P(X \ge c_n \mid n, \pi) + P(X \le n - c_n \mid n, \pi)

    for the true win rate π; one-sided, the tail on the side of π alone.
    """
    from scipy.special import betainc

    far = max(rate, 1 - rate)
    wins = critical_wins(n, level, one_sided=one_sided)
    can = wins <= n
    wins = np.where(can, wins, n)
    power = betainc(wins, n - wins + 1, far)
    if not one_sided:
        # P(X ≤ n − c) is that of at least c losses.
        power = power + betainc(wins, n - wins + 1, 1 - far)
    return np.asarray(np.where(can, power, 0.0), dtype=np.float64)


def last_doubt(rate: float, power: float, level: float, *, one_sided: bool = False) -> int:
    r"""A number of votes from which on the exact power is certainly at or above the target.

    Zubkov and Serov's bounds of the binomial distribution and Pinsker's inequality give power for
    every n with

    .. math:: n\delta - 3 \ge (z_{1-\alpha/2} + z_\text{power})\sqrt n / 2

    where δ = \|π − ½\|, and a condition of this form holds for all larger n once it holds.

    References
    ----------
    Zubkov and Serov (2013), doi:10.1137/S0040585X97986138.
    """
    gap = abs(rate - 0.5)
    tail = level if one_sided else level / 2
    spread = (-normal_score(tail) + max(0.0, normal_score(power))) / 2
    root = (spread + math.sqrt(spread**2 + 12 * gap)) / (2 * gap)
    return math.ceil(root**2)


def votes(rate: float, *, power: float, level: float, one_sided: bool = False) -> int:
    """The smallest number of votes from which on exact power stays at or above the target.

    *Checked against* every number of votes up to the bound, one by one.

    >>> votes(0.55, power=0.8, level=0.05), votes(0.6, power=0.8, level=0.05)
    (820, 210)
    """
    if not 0 <= rate <= 1 or abs(rate - 0.5) < CLOSEST:
        raise OptionError(
            f"rate must be a win rate between 0 and 1 that differs from 0.5 by at least "
            f"{CLOSEST:.5f}; got {rate}"
        )
    end = last_doubt(rate, power, level, one_sided=one_sided)
    while end > 0:
        start = max(1, end - CHUNK + 1)
        n = np.arange(start, end + 1, dtype=np.float64)
        short = np.flatnonzero(sign_powers(n, rate, level, one_sided=one_sided) < power)
        if short.size:
            return int(n[short[-1]]) + 1
        end = start - 1
    return 1


def fewest_votes(level: float, *, one_sided: bool = False) -> int:
    """The fewest votes that can reject at all: all of them wins.

    >>> fewest_votes(0.05)
    6
    """
    tail = level if one_sided else level / 2
    n = max(1, math.floor(-math.log2(tail)))
    while 0.5**n >= tail:
        n += 1
    return n
