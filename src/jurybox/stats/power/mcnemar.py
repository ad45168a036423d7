r"""Two systems on the same items, right or wrong: the exact McNemar test.

Only items on which the systems differ say anything. Of D such items the gains are binomial with
:math:`\rho = \text{gains}/(\text{gains} + \text{losses})`, and the test is the exact one of ρ
against ½. How many items differ is not known before: its own binomial distribution is averaged
over, which gives the unconditional power of the exact conditional test.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import OptionError
from jurybox.stats.power.win_rate import last_doubt, sign_powers

__all__ = ["check_changes", "mcnemar_items", "mcnemar_powers"]

Floats = NDArray[np.float64]

CELLS = 2_000_000
"""Numbers to hold at once."""
WIDE = 8.0
"""Standard deviations of the number of items that differ, beyond which nothing is left."""
MOST = 300_000
"""Items up to which every number is tried within seconds."""


def check_changes(gains: float, losses: float) -> None:
    """Refuse shares that are none, or that leave no difference to detect."""
    for name, value in (("gains", gains), ("losses", losses)):
        if not 0 <= value <= 1:
            raise OptionError(f"{name} must be a share of all items between 0 and 1; got {value}")
    if gains + losses > 1:
        raise OptionError(
            "gains and losses are shares of all items and cannot add up to more than 1; "
            f"got {gains} and {losses}"
        )
    if gains == losses:
        raise OptionError(
            f"gains and losses must differ, or there is nothing to detect; both are {gains}"
        )


def mcnemar_powers(
    n: Floats, gains: float, losses: float, level: float, *, one_sided: bool = False
) -> Floats:
    r"""The power of the exact test for each number of items.

    .. math:: \sum_d \binom{n}{d} \pi^d (1 - \pi)^{n-d}\; \text{power}(d, \rho),
        \quad \pi = \text{gains} + \text{losses}

    *Checked against* the sum over all tables of small n, and against simulation.

    References
    ----------
    Duffy (1984), doi:10.2307/2531151.

    Examples
    --------
    >>> round(float(mcnemar_powers(np.array([50.0]), 0.32, 0.08, 0.05, one_sided=True)[0]), 4)
    0.8394
    """
    differing, rate = gains + losses, gains / (gains + losses)
    if differing == 1:
        return sign_powers(n, rate, level, one_sided=one_sided)
    middle = n * differing
    reach = WIDE * np.sqrt(n * differing * (1 - differing)) + WIDE**2 / 3
    first = max(0, math.floor(float((middle - reach).min())))
    last = min(int(n.max()), math.ceil(float((middle + reach).max())))
    d = np.arange(first, last + 1, dtype=np.float64)
    given = sign_powers(np.maximum(d, 1), rate, level, one_sided=one_sided) * (d > 0)
    made = np.empty(n.size)
    step = max(1, CELLS // d.size)
    for start in range(0, n.size, step):
        part = n[start : start + step]
        made[start : start + step] = _chances(part, d, differing) @ given
    return made


def _chances(n: Floats, d: Floats, share: float) -> Floats:
    """P(D = d) for each n (rows) and d (columns)."""
    from scipy.special import gammaln, xlog1py, xlogy

    rest = n[:, None] - d
    possible = rest >= 0
    rest = np.where(possible, rest, 0.0)
    log = gammaln(n + 1)[:, None] - gammaln(d + 1) - gammaln(rest + 1)
    log = log + xlogy(d, share) + xlog1py(rest, -share)
    return np.asarray(np.where(possible, np.exp(log), 0.0), dtype=np.float64)


def mcnemar_items(
    gains: float, losses: float, *, power: float, level: float, one_sided: bool = False
) -> int:
    """The smallest number of items from which on exact power stays at or above the target.

    Above the bound the items that differ are, often enough, so many that the exact test given
    their number has more than the target; below it every number is tried.

    >>> mcnemar_items(0.2, 0.1, power=0.8, level=0.05)
    249
    """
    check_changes(gains, losses)
    differing, rate = gains + losses, gains / (gains + losses)
    end = _last_doubt(differing, rate, power, level, one_sided)
    if end > MOST:
        raise OptionError(
            f"gains of {gains} and losses of {losses} are too near to each other: more than "
            f"{MOST:,} items would be needed"
        )
    while end > 0:
        width = 2 * WIDE * math.sqrt(end * differing * (1 - differing)) + 100
        start = max(1, end - max(50, int(CELLS / width)) + 1)
        n = np.arange(start, end + 1, dtype=np.float64)
        reached = mcnemar_powers(n, gains, losses, level, one_sided=one_sided)
        short = np.flatnonzero(reached < power)
        if short.size:
            return int(n[short[-1]]) + 1
        end = start - 1
    return 1


def _last_doubt(differing: float, rate: float, power: float, level: float, one_sided: bool) -> int:
    """A number of items from which on power · P(D ≥ d) is above the target, for some d."""
    from scipy.special import betainc

    best = 10 * MOST
    for share in np.geomspace(1e-4, 0.9, 30):
        more = power + (1 - power) * float(share)
        needed = last_doubt(rate, more, level, one_sided=one_sided)
        low, high = needed - 1, math.ceil(needed / differing)
        while high <= best and betainc(needed, high - needed + 1, differing) * more < power:
            low, high = high, 2 * high
        if high > best:
            continue
        while high - low > 1:
            middle = (low + high) // 2
            if betainc(needed, middle - needed + 1, differing) * more < power:
                low = middle
            else:
                high = middle
        best = high
    return best
