r"""Many comparisons at once: adjusted p and simultaneous intervals from one distribution.

A family of m comparisons with t statistics :math:`T_1, …, T_m` is judged by the distribution of
:math:`\max_k |T_k|` under the hypothesis that nothing differs: a multivariate t with the
comparisons' own correlation. A comparison's adjusted p is the share of that distribution at or
beyond its :math:`|t|`, and its simultaneous interval uses the distribution's quantile in the place
of Student's, so the two never disagree.

References
----------
Hothorn, Bretz and Westfall (2008), doi:10.1002/bimj.200810425; Mogstad, Romano, Shaikh and Wilhelm
(2024), doi:10.1093/restud/rdad006 (ranks).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jurybox.errors import InputError
from jurybox.stats.clusters import Cluster, Generalize, Sums
from jurybox.stats.distributions import check_confidence, t_quantile, t_two_sided, t_two_sided_of

__all__ = [
    "MaxT",
    "family_variances",
    "joint_correlation",
    "joint_variances",
    "judged",
    "max_t",
    "rank_sets",
]

Array = NDArray[np.float64]
DRAWS = 40_000
"""So many that the 95% quantile has a standard error of about 0.01."""
SHARES = ((0.0, 100), (0.75, 100), (0.95, 100), (0.99, 80), (0.998, 80), (1.0, 0))
"""From which share of the draws on, in order of size, how many means stand for them: of many
draws the largest stand alone."""
FEW = 40
"""Draws beyond a t that are too few to say how rare it is."""
BLOCK = 4_000_000
"""Numbers drawn at a time."""
PART = 4_000
"""Draws worked on at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxT:
    """The critical value of a family and every member's adjusted p."""

    critical: float
    p_adjusted: tuple[float, ...]
    size: int
    """How many comparisons the family has."""

    @property
    def method(self) -> str:
        """How the family was judged, for the method of an interval."""
        return f"max-t over {self.size:,} comparisons"


def max_t(
    ts: Sequence[float], correlation: Array, *, df: int, confidence: float = 0.95, seed: int = 0
) -> MaxT:
    r"""The single-step max-t adjustment of a family.

    Parameters
    ----------
    ts
        The t statistic of each comparison.
    correlation
        Of the comparisons' estimates, m × m. What sampling noise makes indefinite is projected to
        the nearest such matrix with no negative eigenvalue.
    df
        Degrees of freedom, common to all.
    confidence, seed
        Of the simultaneous intervals; of the draws.

    Notes
    -----
    The largest t is the largest m of the family's correlated normal numbers, divided by one
    :math:`S = \sqrt{\chi^2_\nu / \nu}`. Only m is drawn; the chance that S is small is exact:

    .. math:: \tilde p(t) = \frac1{N + 1} \Bigl(1 + \sum_n P(S \le m_n / |t|)\Bigr)

    Below 0.001 (40 draws), Bonferroni's bound is used if it is smaller. The critical value solves
    :math:`\tilde p(c) = 1 -` confidence, so that an interval leaves out zero exactly if its
    adjusted p is below 1 − confidence. (Were S drawn, too, the critical value on two degrees of
    freedom would have a standard error of 1%; with S exact it is 0.1%.)

    Examples
    --------
    Three comparisons of three systems, with one standard error each:

    >>> found = max_t([2.5, 1.5, 1.0], np.array([[1, .5, -.5], [.5, 1, .5], [-.5, .5, 1]]), df=30)
    >>> round(found.critical, 1), [round(p, 2) for p in found.p_adjusted]
    (2.5, [0.05, 0.3, 0.58])
    """
    check_confidence(confidence)
    size = len(ts)
    if np.shape(correlation) != (size, size):
        raise InputError(
            f"max_t: {size} comparisons need a {size} × {size} correlation; got "
            f"{np.shape(correlation)}"
        )
    if size == 1:
        critical = t_quantile(confidence, df)
        return MaxT(critical=critical, p_adjusted=(t_two_sided(ts[0], df),), size=1)
    drawn = _maxima(np.asarray(correlation, dtype=np.float64), seed)
    return judged(ts, [(drawn, df)], confidence=confidence)


def judged(ts: Sequence[float], drawn: Sequence[tuple[Array, int]], *, confidence: float) -> MaxT:
    r"""A family of independent parts, each by draws of its largest |Z| and its degrees of freedom.

    The largest t of the family is below t where that of every part is:
    :math:`\tilde p = 1 - \prod_g (1 - \tilde p_g)`.
    """
    size, least = len(ts), min(df for _, df in drawn)
    parts = [(*_thinned(maxima), *_scale_below(df)) for maxima, df in drawn]
    rare = FEW / min(len(maxima) for maxima, _ in drawn)

    def beyond(t: float) -> float:
        p = 0.0
        for logs, weights, sizes, chances in parts:
            small = np.exp(np.interp(logs - math.log(max(t, 1e-9)), sizes, chances))
            p += (1 - p) * float(weights @ small)
        return p if p >= rare else min(p, size * t_two_sided(t, least))

    # A family never judges more mildly than its only member would be judged; draws might.
    critical = _where(beyond, 1 - confidence, t_quantile(confidence, least))
    alone = np.asarray(t_two_sided_of(ts, least))
    adjusted = np.maximum([beyond(abs(t)) for t in ts], alone)
    return MaxT(critical=critical, p_adjusted=tuple(adjusted.tolist()), size=size)


def _thinned(drawn: Array) -> tuple[Array, Array]:
    """The logs of draws, neighbors at their mean and one more beyond all, and what each weighs."""
    ordered, n = np.sort(drawn), len(drawn)
    ends = [
        np.linspace(low, high, means, endpoint=False)
        for (low, means), (high, _) in itertools.pairwise(SHARES)
    ]
    starts = (np.concatenate(ends) * n).astype(np.intp)
    starts = starts[np.append(True, np.diff(starts) > 0)]
    times = np.diff(starts, append=n)
    points = np.append(np.add.reduceat(ordered, starts) / times, np.inf)
    return np.log(points), np.append(times, 1) / (n + 1)


@lru_cache(maxsize=64)
def _scale_below(df: int) -> tuple[Array, Array]:
    r"""Of the scale :math:`S = \sqrt{\chi^2_\nu / \nu}`: log s, and the log chance that S ≤ s.

    The density of log S, summed over 4,096 steps from where its chance is below :math:`e^{-30}` to
    where it is above 1 − :math:`e^{-30}`: right to 1 in 10,000. (SciPy's function would take longer
    to import than a small study takes to analyze.)
    """
    low, high = -30 / df - 8 / math.sqrt(df), math.log1p(17 / math.sqrt(df) + 80 / df) / 2
    u = np.linspace(low, high, 4097)
    density = np.exp(df * (u - np.expm1(2 * u) / 2))
    steps = (density[1:] + density[:-1]) / 2 * (u[1] - u[0])
    # Further down the density falls as e^(νu), whose sum is known.
    below = density[0] / df + np.append(0, np.cumsum(steps))
    return u, np.log(below / below[-1])


def _where(tail: Callable[[float], float], level: float, least: float) -> float:
    """Where a tail that is nearly a power of t falls to a level, or ``least`` if it is there."""
    low, above = math.log(least), math.log(tail(least) / level)
    if above <= 0:
        return least
    high = low + 0.1
    while (below := math.log(tail(math.exp(high)) / level)) > 0:
        low, above, high = high, below, high + 0.2
    while high - low > 1e-12:
        middle = low + (high - low) * min(0.9, max(0.1, above / (above - below)))
        found = math.log(tail(math.exp(middle)) / level)
        if abs(found) < 1e-13:
            return math.exp(middle)
        if found > 0:
            low, above = middle, found
        else:
            high, below = middle, found
    return math.exp(high)


def _maxima(correlation: Array, seed: int) -> Array:
    """The largest of the family's normal numbers, drawn often."""
    values, vectors = np.linalg.eigh((correlation + correlation.T) / 2)
    keep = values > 1e-10 * max(1.0, float(values.max()))
    root = vectors[:, keep] * np.sqrt(values[keep])
    # Clipping moved the diagonal: back to one.
    root /= np.sqrt((root**2).sum(axis=1, keepdims=True))
    step = max(1, BLOCK // len(root))
    if step >= DRAWS:
        return _largest(root, _draw_once(root.shape[1], seed))
    rng = np.random.default_rng(seed)
    parts = (min(step, DRAWS - start) for start in range(0, DRAWS, step))
    return np.concatenate([_largest(root, _draw(rng, n, root.shape[1])) for n in parts])


def _largest(root: Array, z: Array) -> Array:
    """The largest |Z| of every draw; some draws at a time, so that memory is used again."""
    found = np.empty(z.shape[1])
    for start in range(0, len(found), PART):
        part = root @ z[:, start : start + PART]
        np.abs(part, out=part).max(axis=0, out=found[start : start + PART])
    return found


def _draw(rng: np.random.Generator, n: int, rank: int) -> Array:
    """Normal numbers, rank × n."""
    return np.ascontiguousarray(rng.standard_normal((n, rank)).T)


@lru_cache(maxsize=2)
def _draw_once(rank: int, seed: int) -> Array:
    """The draws of a small family, kept for the next one: simulations judge thousands alike."""
    return _draw(np.random.default_rng(seed), DRAWS, rank)


def joint_variances(sums: Sums) -> dict[str, Array]:
    r"""The covariance of all ratios for every kind of cluster; needs cross moments (K × K).

    .. math:: V_{kl} = \sqrt{f_k f_l} \sum_g \psi_{kg} \psi_{lg}, \qquad f = G / (G - 1)
    """
    theta, weight = sums.u / sums.w, sums.w
    found = {}
    for kind, m in sums.by.items():
        cross = m.uu - m.uw * theta[None, :] - m.uw.T * theta[:, None]
        cross = (cross + m.ww * np.outer(theta, theta)) / np.outer(weight, weight)
        clusters = np.diag(m.clusters).astype(np.float64)
        factor = np.sqrt(np.where(clusters > 1, clusters / np.maximum(clusters - 1, 1), 0.0))
        found[kind] = np.asarray(cross * np.outer(factor, factor), dtype=np.float64)
    return found


def joint_correlation(
    parts: Mapping[str, Array],
    *,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> Array | None:
    """The correlation of all comparisons under the clustering of their intervals.

    Where the two-way covariance has a variance that is not positive, the one-way covariance with
    the larger trace stands in. ``None`` where a comparison does not vary at all.

    A variance that is small but positive stays, unlike in ``claims``: here it says only how one
    comparison goes with the others, and what the family is judged by has a floor of its own
    (``family_variances``). Replacing the whole matrix for one member would forget the others.
    """
    known = {kind: part for kind, part in parts.items() if kind in ("item", "rater")}
    if cluster is None or not known:
        covariance = parts["row"]
    elif cluster in ("item", "rater"):
        covariance = parts[cluster]
    elif generalize == "items" or len(known) == 1:
        covariance = known.get("item", next(iter(known.values())))
    else:
        covariance = parts["item"] + parts["rater"] - parts["cell"]
        largest = np.maximum(np.diag(parts["item"]), np.diag(parts["rater"]))
        if (np.diag(covariance) <= 1e-9 * largest).any():
            covariance = max(known.values(), key=lambda part: float(np.trace(part)))
    variance = np.diag(covariance)
    if (variance <= 0).any():
        return None
    scale = np.sqrt(variance)
    return np.asarray(np.clip(covariance / np.outer(scale, scale), -1, 1), dtype=np.float64)


def family_variances(
    own: ArrayLike,
    parts: Mapping[str, ArrayLike],
    *,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> list[float]:
    """The variances of a family's members: clustered both ways, at least the larger one-way one.

    ``own`` are those of the members' own intervals, ``parts`` those by kind of cluster. A two-way
    variance that comes out far too small makes a huge t, and the largest t of a family finds it.
    (Four equal systems rated on 10 items × 6 raters: some pair is wrongly told apart in 10 to 14%
    of studies without this floor, in 2 to 4% with it; 30 × 10: 6 to 10%, 1 to 5%; 100 × 20 with
    rater and item tastes: 5% either way. Bradley–Terry strengths of three to five equal systems, 5
    to 12 raters × 20 to 40 items with such tastes: 7%, 2%.)

    >>> family_variances([0.03, 0.01], {"item": [0.02, 0.02], "rater": [0.01, 0.04]})
    [0.03, 0.04]
    """
    found = np.asarray(own, dtype=np.float64)
    if cluster == "both" and generalize != "items":
        for kind in ("item", "rater"):
            if kind in parts:
                found = np.maximum(found, np.asarray(parts[kind], dtype=np.float64))
    return [float(each) for each in found]


def rank_sets(better: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The lowest and highest rank that each system may hold.

    ``better[i, j]``: i is found better than j by simultaneous comparisons. Then i ranks behind all
    that are better than it and before all that it is better than, jointly for all systems.

    >>> rank_sets(np.array([[False, True, True], [False, False, False], [False, False, False]]))
    [(1, 1), (2, 3), (2, 3)]
    """
    best = 1 + better.sum(axis=0)
    worst = len(better) - better.sum(axis=1)
    return list(zip(best.tolist(), worst.tolist(), strict=True))
