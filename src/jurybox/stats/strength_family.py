r"""Every two strengths compared at once: differences, their joint distribution, and ranks.

With the joint covariance V of K strengths, the K(K − 1)/2 differences have the standard errors
:math:`\sqrt{V_{ii} + V_{jj} - 2V_{ij}}`, and the distribution of their largest |t| is drawn from V
itself: K numbers a draw, whatever the number of differences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval
from jurybox.stats.clusters import Cluster, Generalize, OneWay, claims, t_interval
from jurybox.stats.distributions import t_two_sided
from jurybox.stats.multiple import in_family
from jurybox.stats.simultaneous import DRAWS, judged, rank_sets
from jurybox.stats.strengths import Fit, Group, StrengthDifference

__all__ = ["Family", "compare_strengths"]

Array = NDArray[np.float64]
WORK = 40_000_000
"""Draws × differences. With many differences the largest varies less, so fewer draws do."""
FEWEST = 8_000
SLAB = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """All differences of the strengths of one or more groups, judged together."""

    differences: tuple[StrengthDifference, ...]
    ranks: Mapping[int, tuple[int, int]]
    """The best and worst rank within its group that each system may hold, by its number."""
    method: str | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compared:
    """The differences of one fit, with what a joint test of them needs."""

    fit: Fit
    order: NDArray[np.intp]
    rows: list[StrengthDifference]
    ts: list[float]
    ses: list[float]
    df: int | None
    """``None`` where some difference has no standard error."""


def compare_strengths(
    groups: Sequence[Group],
    fits: Sequence[Fit | str],
    names: Sequence[str],
    *,
    confidence: float,
    cluster: Cluster,
    generalize: Generalize,
    seed: int = 0,
) -> Family:
    """The difference of every two strengths of each group, adjusted together, and the rank sets.

    Groups are fitted apart, so their joint covariance is not known. Their maxima are drawn as if
    independent, which makes the joint intervals no narrower than they must be (the Gaussian
    correlation inequality; Royen 2014, arXiv:1408.1028).

    Where a group has more systems than there are clusters, its covariance is singular: then there
    is no joint test, p is adjusted by Holm, and there are no rank sets.
    """
    made = [
        _compare(fit, names, confidence=confidence, cluster=cluster, generalize=generalize)
        for fit in fits
        if isinstance(fit, Fit)
    ]
    rows = [row for part in made for row in part.rows]
    total = len(rows)
    few = [part for part in made if part.df is not None and part.df + 1 < len(part.order)]
    notes = [
        f"there are more systems ({len(part.order)}) than clusters ({(part.df or 0) + 1}), which "
        "is too few for a joint test: read differences, not the whole ranking"
        for part in few
    ]
    if total < 2:
        alone = [row.p for row in rows]
        ranks = _ranks(groups, made, [None if p is None else p < 1 - confidence for p in alone])
        return Family(
            differences=tuple(rows),
            ranks=ranks if rows and alone[0] is not None else {},
            method=rows[0].interval.method if rows and rows[0].interval is not None else None,
        )
    joint = [_joint(part.fit, cluster, generalize) for part in made]
    if few or any(part.df is None for part in made) or any(each is None for each in joint):
        adjusted = in_family([row.p for row in rows])
        by = f"Holm over {total:,} comparisons"
        held = tuple(
            replace(row, p_adjusted=p, adjusted_by=None if p is None else by)
            for row, p in zip(rows, adjusted, strict=True)
        )
        return Family(differences=held, ranks={}, method=None, notes=tuple(notes))
    drawn = _maxima(
        [each for each in joint if each is not None],
        [part.df or 1 for part in made],
        total=total,
        seed=seed,
    )
    df = min(part.df or 1 for part in made)
    found = judged([t for part in made for t in part.ts], drawn, df=df, confidence=confidence)
    ses = [se for part in made for se in part.ses]
    told = tuple(
        _in_family(row, se, found.critical, p, found.method, confidence)
        for row, se, p in zip(rows, ses, found.p_adjusted, strict=True)
    )
    apart: list[bool | None] = [p < 1 - confidence for p in found.p_adjusted]
    return Family(differences=told, ranks=_ranks(groups, made, apart), method=found.method)


def _in_family(
    row: StrengthDifference, se: float, critical: float, p: float, method: str, confidence: float
) -> StrengthDifference:
    """The row with its simultaneous interval, estimate ± critical · se."""
    middle = row.estimate or 0.0
    own = row.interval
    wide = Interval(
        low=middle - critical * se,
        high=middle + critical * se,
        confidence=confidence,
        method=f"{'' if own is None else own.method}, {method}",
        generalizes_to="" if own is None else own.generalizes_to,
    )
    return replace(row, p_adjusted=p, simultaneous=wide, adjusted_by=method)


def _compare(
    fit: Fit,
    names: Sequence[str],
    *,
    confidence: float,
    cluster: Cluster,
    generalize: Generalize,
) -> _Compared:
    """The difference of every two strengths, the stronger first, each with its own t."""
    order = np.argsort(-fit.beta, kind="stable")
    first, second = (order[part] for part in np.triu_indices(len(order), 1))
    spreads = _spreads(fit, first, second)
    rows, ts, ses, dfs = [], [], [], []
    for n, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        found = {
            kind: OneWay(variance=values[n], clusters=clusters)
            for kind, (values, clusters) in spreads.items()
        }
        claim = claims(found, cluster=cluster, generalize=generalize)
        main = claim.main
        estimate = float(fit.beta[i] - fit.beta[j])
        interval = t_interval(estimate, main, confidence)
        if main is not None:
            ts.append(estimate / main.se)
            ses.append(main.se)
            dfs.append(main.df)
        rows.append(
            StrengthDifference(
                estimate=estimate,
                interval=interval,
                these_raters=t_interval(estimate, claim.these_raters, confidence),
                p=None if main is None else t_two_sided(ts[-1], main.df),
                undefined=claim.undefined,
                notes=claim.notes,
                system=names[fit.core[i]],
                other=names[fit.core[j]],
                win_probability=fit.win(estimate),
                win_interval=_carried(fit, interval),
            )
        )
    df = min(dfs) if len(dfs) == len(rows) and dfs else None
    return _Compared(fit=fit, order=order, rows=rows, ts=ts, ses=ses, df=df)


def _carried(fit: Fit, interval: Interval | None) -> Interval | None:
    """The interval of a difference as one of the win probability, which rises with it."""
    if interval is None:
        return None
    return Interval(
        low=fit.win(interval.low),
        high=fit.win(interval.high),
        confidence=interval.confidence,
        method=interval.method,
        generalizes_to=interval.generalizes_to,
    )


def _spreads(
    fit: Fit, first: NDArray[np.intp], second: NDArray[np.intp]
) -> dict[str, tuple[list[float], int]]:
    """V_ii + V_jj − 2V_ij with G/(G − 1) in it, for every kind of cluster; rounding noise is 0."""
    floor = 1e-12 * _of_pairs(fit.bread, first, second)
    found = {}
    for kind, (matrix, clusters) in fit.covariances.items():
        total = _of_pairs(matrix, first, second)
        factor = clusters / (clusters - 1) if clusters > 1 else 0.0
        found[kind] = (np.where(total > floor, total * factor, 0.0).tolist(), clusters)
    return found


def _of_pairs(matrix: Array, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
    own = np.diag(matrix)
    return np.asarray(own[first] + own[second] - 2 * matrix[first, second], dtype=np.float64)


def _joint(fit: Fit, cluster: Cluster, generalize: Generalize) -> Array | None:
    """The covariance of the strengths under the clustering of their intervals.

    Where a difference would have no positive variance, the one-way covariance with the larger trace
    stands in; ``None`` where that has none either.
    """
    k = len(fit.beta)
    center = np.eye(k) - 1 / k
    parts = {
        kind: center @ matrix[:k, :k] @ center * (g / (g - 1) if g > 1 else 0.0)
        for kind, (matrix, g) in fit.covariances.items()
    }
    known = [kind for kind in ("item", "rater") if kind in parts and fit.covariances[kind][1] > 1]
    if cluster is None or not ("item" in parts or "rater" in parts):
        chosen = parts["row"]
    elif cluster in ("item", "rater"):
        chosen = parts[cluster]
    elif generalize == "items" or len(known) < 2:
        chosen = parts["item" if "item" in known else known[0]] if known else parts["row"]
    else:
        chosen = parts["item"] + parts["rater"] - parts["cell"]
        first, second = np.triu_indices(k, 1)
        largest = np.maximum(*(_of_pairs(parts[kind], first, second) for kind in known))
        if (_of_pairs(chosen, first, second) <= 1e-9 * largest).any():
            chosen = max((parts[kind] for kind in known), key=lambda part: float(np.trace(part)))
    return chosen if (_of_pairs(chosen, *np.triu_indices(k, 1)) > 0).all() else None


def _maxima(covariances: Sequence[Array], dfs: Sequence[int], *, total: int, seed: int) -> Array:
    """Draws of the largest |t| over all differences of all groups, ascending."""
    draws = min(DRAWS, max(FEWEST, WORK // total))
    largest = np.zeros(draws)
    for number, (covariance, df) in enumerate(zip(covariances, dfs, strict=True)):
        values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
        keep = values > 1e-12 * max(float(values.max()), 1e-300)
        root = vectors[:, keep] * np.sqrt(values[keep])
        first, second = np.triu_indices(len(root), 1)
        size = np.zeros((len(root), len(root)))
        spread = np.sqrt(np.maximum(_of_pairs(root @ root.T, first, second), 1e-300))
        size[first, second] = size[second, first] = 1 / spread
        rng = np.random.default_rng([seed, number])
        for low in range(0, draws, SLAB):
            n = min(SLAB, draws - low)
            z = root @ rng.standard_normal((root.shape[1], n))
            scale = np.sqrt(rng.chisquare(df, n) / df)
            best = np.zeros(n)
            for i in range(len(root) - 1):
                gaps = np.abs(z[i + 1 :] - z[i]) * size[i + 1 :, i, None]
                np.maximum(best, gaps.max(axis=0), out=best)
            part = largest[low : low + n]
            np.maximum(part, best / scale, out=part)
    return np.sort(largest)


def _ranks(
    groups: Sequence[Group], made: Sequence[_Compared], apart: Sequence[bool | None]
) -> dict[int, tuple[int, int]]:
    """Rank sets within each group; a system without a number may stand anywhere in its group."""
    found: dict[int, tuple[int, int]] = {}
    start = 0
    fitted = {part.fit.core: part for part in made}
    for group in groups:
        part = fitted.get(group.core)
        if part is None:
            continue
        k = len(part.order)
        better = np.zeros((k, k), dtype=np.bool_)
        pairs = np.triu_indices(k, 1)
        told = [bool(each) for each in apart[start : start + len(part.rows)]]
        better[pairs] = told
        start += len(part.rows)
        others = len(group.members) - k
        for place, (low, high) in enumerate(rank_sets(better)):
            found[group.core[int(part.order[place])]] = (low, high + others)
        for system in group.members:
            found.setdefault(system, (1, len(group.members)))
    return found
