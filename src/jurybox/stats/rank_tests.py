r"""Tests on item means: signed ranks with zeros kept in, sign flips, and Mann–Whitney.

They take the raters as given: an item's mean is one observation, and what would change with other
raters is not in it. So they speak for "these raters, new items" and stand beside the clustered t,
never in its place (with few raters their false positives are several times the nominal ones).

Exact p-values are conditional: of all ways to give the observed magnitudes their signs (or the
observed ranks to the two systems), the share at least as far out. That is valid with ties and
zeros, because these are conditioned on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Result, format_count, format_number, format_p
from jurybox.stats.clusters import THESE_RATERS
from jurybox.stats.distributions import normal_two_sided

__all__ = ["RankTest", "even_out", "mann_whitney", "mid_ranks", "sign_flip", "signed_rank"]

Array = NDArray[np.float64]

NOISE = 1e-12
"""Means that differ by less than this share of their size differ by rounding only."""
EXACT_RANKS = 50
"""Items up to which the distribution of ranks is written out."""
EXACT_FLIPS = 200
"""Items up to which sign flips are counted or drawn; beyond, their sum is normal."""
MOST_STEPS = 20_000
"""The longest distribution of a sum that is written out."""
DRAWS = 9_999
FEWEST = 6
"""With fewer items even the most extreme signs have a two-sided p above .05: 2/2⁵ = .0625."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankTest(Result):
    """A test on item means; ``estimate`` is its statistic, which has no interval."""

    label: ClassVar[str] = "test on item means"
    has_interval: ClassVar[bool] = False

    test: str
    """``Wilcoxon signed-rank``, ``sign flips`` or ``Mann–Whitney``."""
    method: str
    """``exact``, ``9,999 draws with seed 0`` or ``normal approximation``."""
    n_zero: int = 0
    """How many items do not differ."""
    most: float | None = None
    """The largest value that a rank statistic could have taken."""
    generalizes_to: str = THESE_RATERS

    @property
    def name(self) -> str:
        """The test."""
        return self.test

    def short(self) -> str:
        """The statistic with its p."""
        if self.estimate is None or self.p is None:
            return f"undefined: {self.undefined}"
        return f"{format_number(self.estimate)}, {format_p(self.p)} ({self.method})"


def even_out(values: Array, size: float) -> Array:
    """The values with those made equal that differ by rounding only.

    Sorted, neighbors closer than ``NOISE`` times the size of the scores are one value: unlike
    rounding, that has no edges on which equal values could part.
    """
    if len(values) == 0:
        return values
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.concatenate([[True], np.diff(ordered) > NOISE * size])
    firsts = ordered[starts][np.cumsum(starts) - 1]
    made = np.empty_like(ordered)
    made[order] = firsts
    return np.where(np.abs(made) <= NOISE * size, 0.0, made)


def mid_ranks(values: Array) -> Array:
    """Ranks from 1, tied values sharing the mean of theirs.

    >>> mid_ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[place], dtype=np.float64)


def _differences(one: Array, two: Array) -> Array:
    gap = np.asarray(one, dtype=np.float64) - np.asarray(two, dtype=np.float64)
    size = float(max(np.abs(one).max(initial=0.0), np.abs(two).max(initial=0.0)))
    magnitude = even_out(np.abs(gap), size)
    return np.asarray(np.sign(gap) * magnitude)


def _sums(weights: NDArray[np.int64]) -> Array:
    """The probability of every sum of weights each of which is in or out with even chances."""
    found = np.zeros(int(weights.sum()) + 1)
    found[0] = 1.0
    top = 0
    for weight in weights.tolist():
        moved = found[: top + 1] / 2
        found[: top + 1] = moved
        found[weight : weight + top + 1] += moved
        top += weight
    return found


def _tails(chances: Array, at: int) -> float:
    """Both tails of a symmetric distribution from a value on."""
    far = max(at, len(chances) - 1 - at)
    tail = float(chances[far:].sum())
    return min(1.0, 2 * tail)


def _few(n: int, zeros: int) -> tuple[str, ...]:
    if n >= FEWEST:
        return ()
    what = format_count(n, "item")
    if zeros:
        what = f"{n} of {n + zeros} items with a difference"
    return (f"{what}: a signed-rank p cannot reach 0.05 below {FEWEST} items",)


def signed_rank(one: Array, two: Array) -> RankTest:
    r"""Wilcoxon's signed-rank test of item means, zeros ranked and then left out (Pratt).

    .. math:: W = \sum_{d_i > 0} R_i

    with :math:`R_i` the rank of :math:`|d_i|` among all items, those without a difference
    included. Up to 50 items that differ the p is exact, given the ties; beyond, normal with mean
    :math:`\sum R/2` and variance :math:`\sum R^2/4`, which carries the corrections for ties and
    zeros.

    *Degenerate input.* No item differs: no p. Fewer than six items: a note that p cannot
    reach 0.05.

    *Checked against* SciPy 1.17 ``wilcoxon(zero_method="pratt")`` and full enumeration.

    References
    ----------
    Pratt (1959), doi:10.1080/01621459.1959.10501526.

    Examples
    --------
    >>> found = signed_rank(np.array([4, 5, 3, 4, 5, 4.0]), np.array([3, 3, 3, 2, 1, 1.0]))
    >>> found.estimate, found.p
    (20.0, 0.0625)
    """
    gap = _differences(one, two)
    ranks = mid_ranks(np.abs(gap))
    differ = gap != 0
    n, zeros = int(differ.sum()), int((~differ).sum())
    kept, up = ranks[differ], gap[differ] > 0
    w = float(kept[up].sum())
    if n == 0:
        why = "there is no item" if len(gap) == 0 else "no item's means differ"
        return RankTest(
            estimate=None, undefined=why, test="Wilcoxon signed-rank", method="none", n_zero=zeros
        )
    if n <= EXACT_RANKS:
        doubled = np.rint(2 * kept).astype(np.int64)
        p, method = _tails(_sums(doubled), round(2 * w)), "exact"
    else:
        z = (w - kept.sum() / 2) / math.sqrt(float((kept**2).sum()) / 4)
        p, method = normal_two_sided(float(z)), "normal approximation"
    return RankTest(
        estimate=w,
        p=p,
        n_items=len(gap),
        undefined="a rank sum has no interval",
        notes=_few(n, zeros),
        test="Wilcoxon signed-rank",
        method=method,
        n_zero=zeros,
        most=float(kept.sum()),
    )


def _on_grid(magnitudes: Array) -> NDArray[np.int64] | None:
    """The magnitudes as whole multiples of a common step, if there is one: k raters give 1/k.

    The step is looked for among the parts of the smallest one, so that no scale matters.
    """
    unit = magnitudes / magnitudes.min()
    for parts in range(1, 61):
        scaled = unit * parts
        whole = np.rint(scaled)
        if np.abs(scaled - whole).max() <= 1e-9 * max(1.0, float(scaled.max())):
            return whole.astype(np.int64) if whole.sum() <= MOST_STEPS else None
    return None


def _drawn(gap: Array, seed: int) -> float:
    rng = np.random.default_rng(seed)
    # Bits are cheaper to draw than numbers.
    bits = np.unpackbits(
        rng.integers(0, 256, (DRAWS, (len(gap) + 7) // 8), dtype=np.uint8), axis=1, count=len(gap)
    )
    sums = 2 * (bits @ gap) - gap.sum()
    limit = abs(float(gap.sum())) * (1 - 1e-9)
    return (1 + int((np.abs(sums) >= limit).sum())) / (DRAWS + 1)


def sign_flip(one: Array, two: Array, *, seed: int) -> RankTest:
    r"""The permutation test of the mean difference: every item's sign may be flipped.

    .. math:: p = P\Bigl(\Bigl|\sum \pm d_i\Bigr| \ge \Bigl|\sum d_i\Bigr|\Bigr)

    Exact where the differences are multiples of a common step (scores on a scale, the same number
    of raters) or at most 14 items differ; else 9,999 seeded draws. Beyond 200 items the sum is
    taken as normal with variance :math:`\sum d_i^2`.

    *Degenerate input.* As ``signed_rank``.

    *Checked against* SciPy 1.17 ``permutation_test(permutation_type="samples")``.

    References
    ----------
    Fisher (1935), The design of experiments, § 21.

    Examples
    --------
    Of the 2⁵ signs of the five that differ, only "all up" and "all down" go as far:

    >>> sign_flip(np.array([4, 5, 3, 4, 5, 4.0]), np.array([3, 3, 3, 2, 1, 1.0]), seed=0).p
    0.0625
    """
    gap = _differences(one, two)
    zeros = int((gap == 0).sum())
    kept = gap[gap != 0]
    n = len(kept)
    if n == 0:
        why = "there is no item" if len(gap) == 0 else "no item's means differ"
        return RankTest(
            estimate=None, undefined=why, test="sign flips", method="none", n_zero=zeros
        )
    method = "exact"
    if n > EXACT_FLIPS:
        p = normal_two_sided(float(kept.sum() / math.sqrt(float((kept**2).sum()))))
        method = "normal approximation"
    elif (steps := _on_grid(np.abs(kept))) is not None:
        p = _tails(_sums(steps), int(steps[kept > 0].sum()))
    elif n <= 14:
        signs = 1 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        limit = abs(float(kept.sum())) * (1 - 1e-9)
        p = float((np.abs(signs @ kept) >= limit).mean())
    else:
        p, method = _drawn(kept, seed), f"{DRAWS:,} draws with seed {seed}"
    return RankTest(
        estimate=float(gap.mean()),
        p=p,
        n_items=len(gap),
        undefined="the interval of this mean is the clustered one",
        notes=_few(n, zeros),
        test="sign flips",
        method=method,
        n_zero=zeros,
    )


def _rank_sums(doubled: NDArray[np.int64], size: int) -> Array:
    """The probability of every doubled rank sum of ``size`` items drawn from all."""
    ways = np.zeros((size + 1, int(doubled.sum()) + 1))
    ways[0, 0] = 1.0
    for weight in doubled.tolist():
        ways[1:, weight:] += ways[:-1, : ways.shape[1] - weight].copy()
    return np.asarray(ways[size] / ways[size].sum())


def mann_whitney(one: Array, two: Array) -> RankTest:
    r"""The rank-sum test of two systems that share no item and no rater.

    .. math:: U = \#\{y_i > z_j\} + \tfrac12 \#\{y_i = z_j\}

    over the item means of the one and of the other. With at most 40 items the p is exact, given
    the ties; beyond, normal with the correction for ties and for continuity.

    *Degenerate input.* All means equal, or no item: no p.

    *Checked against* SciPy 1.17 ``mannwhitneyu``.

    References
    ----------
    Mann and Whitney (1947), doi:10.1214/aoms/1177730491.

    Examples
    --------
    >>> found = mann_whitney(np.array([4.0, 5, 6]), np.array([1.0, 2, 3]))
    >>> found.estimate, found.p
    (9.0, 0.1)
    """
    n, m = len(one), len(two)
    both = np.concatenate([one, two]).astype(np.float64)
    both = even_out(both, float(np.abs(both).max(initial=0.0)))
    if n == 0 or m == 0 or (both == both[0]).all():
        why = "a system has no item" if n == 0 or m == 0 else "every item mean is the same value"
        return RankTest(estimate=None, undefined=why, test="Mann–Whitney", method="none")
    ranks = mid_ranks(both)
    u = float(ranks[:n].sum() - n * (n + 1) / 2)
    middle = n * m / 2
    if n + m <= 40:
        doubled = np.rint(2 * ranks).astype(np.int64)
        chances = _rank_sums(doubled, n)
        at = round(2 * u) + n * (n + 1)
        # With ties the two tails differ: twice the smaller one.
        p, method = 2 * float(min(chances[: at + 1].sum(), chances[at:].sum())), "exact"
    else:
        spread = float(((ranks - ranks.mean()) ** 2).sum())
        variance = n * m * spread / ((n + m) * (n + m - 1))
        z = max(0.0, abs(u - middle) - 0.5) / math.sqrt(variance)
        p, method = normal_two_sided(z), "normal approximation"
    return RankTest(
        estimate=u,
        p=min(1.0, p),
        n_items=n + m,
        undefined="a rank sum has no interval",
        test="Mann–Whitney",
        method=method,
        most=float(n * m),
    )
