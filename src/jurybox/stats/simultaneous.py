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

import math
from collections.abc import Mapping, Sequence
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
FEW = 16
"""Up to so many differences are counted in the draws as they come."""
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
    With N draws of the maximum M, :math:`\tilde p = (1 + \#\{M \ge |t|\})/(N + 1)`; the critical
    value is the smallest draw with :math:`\tilde p` below 1 − confidence beyond it, so that an
    interval leaves out zero exactly if its adjusted p is below 1 − confidence. Where fewer than 40
    draws lie beyond |t|, Bonferroni's bound is used if it is smaller.

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
    drawn = _maxima(np.asarray(correlation, dtype=np.float64), df, seed)
    return judged(ts, drawn, df=df, confidence=confidence)


def judged(ts: Sequence[float], drawn: Array, *, df: int, confidence: float) -> MaxT:
    """The family judged by draws of its maximum."""
    n, size = len(drawn), len(ts)
    # p̃ < 1 − confidence needs fewer than (N + 1)(1 − confidence) − 1 draws at or beyond |t|.
    beyond = max(0, math.ceil((n + 1) * (1 - confidence)) - 2)
    # A family never judges more mildly than its only member would be judged; draws might.
    at = n - 1 - beyond
    sizes = np.abs(np.asarray(ts, dtype=np.float64))
    # Many differences are looked up in sorted draws; for few it is faster not to sort.
    ordered = np.sort(drawn) if size > FEW else np.partition(drawn, at)
    critical = max(float(ordered[at]), t_quantile(confidence, df))
    above = (
        n - np.searchsorted(ordered, sizes, side="left")
        if size > FEW
        else np.array([np.count_nonzero(drawn >= t) for t in sizes])
    )
    alone = np.asarray(t_two_sided_of(ts, df))
    adjusted = (1 + above) / (n + 1)
    adjusted = np.where(above < 40, np.minimum(adjusted, size * alone), adjusted)
    return MaxT(
        critical=critical, p_adjusted=tuple(np.maximum(adjusted, alone).tolist()), size=size
    )


def _maxima(correlation: Array, df: int, seed: int) -> Array:
    """Draws of max |T|."""
    values, vectors = np.linalg.eigh((correlation + correlation.T) / 2)
    keep = values > 1e-10 * max(1.0, float(values.max()))
    root = vectors[:, keep] * np.sqrt(values[keep])
    # Clipping moved the diagonal: back to one.
    root /= np.sqrt((root**2).sum(axis=1, keepdims=True))
    step = max(1, BLOCK // len(root))
    if step >= DRAWS:
        return _largest(root, *_draw_once(root.shape[1], df, seed))
    rng = np.random.default_rng(seed)
    found = []
    for start in range(0, DRAWS, step):
        found.append(_largest(root, *_draw(rng, min(step, DRAWS - start), root.shape[1], df)))
    return np.concatenate(found)


def _largest(root: Array, z: Array, scale: Array) -> Array:
    """The largest |T| of every draw; some draws at a time, so that memory is used again."""
    found = np.empty(len(scale))
    for start in range(0, len(scale), PART):
        part = root @ z[:, start : start + PART]
        np.abs(part, out=part).max(axis=0, out=found[start : start + PART])
    found /= scale
    return found


def _draw(rng: np.random.Generator, n: int, rank: int, df: int) -> tuple[Array, Array]:
    """Normal numbers (rank × n), and what Student's t divides them by."""
    z = np.ascontiguousarray(rng.standard_normal((n, rank)).T)
    return z, np.sqrt(rng.chisquare(df, n) / df)


@lru_cache(maxsize=2)
def _draw_once(rank: int, df: int, seed: int) -> tuple[Array, Array]:
    """The draws of a small family, kept for the next one: simulations judge thousands alike."""
    return _draw(np.random.default_rng(seed), DRAWS, rank, df)


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
