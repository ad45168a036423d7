r"""Every two strengths compared at once: differences, their joint distribution, and ranks.

With the joint covariance V of K strengths, the K(K − 1)/2 differences have the standard errors
:math:`\sqrt{V_{ii} + V_{jj} - 2V_{ij}}`, and the distribution of their largest |t| is drawn from V
itself: K numbers a draw, whatever the number of differences.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval
from jurybox.stats.clusters import (
    Claims,
    Cluster,
    Generalize,
    OneWay,
    Spread,
    claims,
    t_interval,
)
from jurybox.stats.distributions import t_two_sided, t_two_sided_of
from jurybox.stats.multiple import in_family
from jurybox.stats.simultaneous import DRAWS, family_variances, judged, rank_sets
from jurybox.stats.small_matrices import centered, product, root
from jurybox.stats.strengths import Fit, Group, StrengthDifference

__all__ = ["Family", "compare_strengths"]

Array = NDArray[np.float64]
WORK = 10_000_000
"""Draws × differences. With many differences the largest varies less, so fewer draws do."""
FEWEST = 2_000
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
    """The differences of one fit, the stronger first, with what may be claimed of each."""

    fit: Fit
    order: NDArray[np.intp]
    first: list[int]
    second: list[int]
    claimed: list[Claims]
    errors: list[float]
    """The standard errors by which the family judges; 0 where there is none."""
    ts: list[float]
    """With these."""
    ps: list[float | None]
    """The p of each difference alone, with its own standard error."""
    df: int | None
    """The fewest degrees of freedom; ``None`` where a difference has no standard error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdict:
    """What the family says of one difference: its adjusted p, and c of its interval ± c · se."""

    p: float | None = None
    critical: float | None = None
    by: str | None = None


def compare_strengths(
    groups: Sequence[Group],
    fits: Sequence[Fit | str],
    names: Sequence[str],
    *,
    confidence: float,
    cluster: Cluster,
    generalize: Generalize,
    seed: int = 0,
    pairs: bool = True,
) -> Family:
    """The difference of every two strengths of each group, adjusted together, and the rank sets.

    Groups are fitted apart, so their joint covariance is not known. Their maxima are drawn as if
    independent, which makes the joint intervals no narrower than they must be (the Gaussian
    correlation inequality; Royen 2014, arXiv:1408.1028).

    Where a group has more systems than there are clusters, its covariance is singular: then there
    is no joint test, p is adjusted by Holm, and there are no rank sets. ``pairs``: whether the
    differences are listed; ranks hold for all of them either way.
    """
    made = [
        _compare(fit, cluster=cluster, generalize=generalize)
        for fit in fits
        if isinstance(fit, Fit)
    ]
    ts = [t for part in made for t in part.ts]
    few = [part for part in made if part.df is not None and part.df + 1 < len(part.order)]
    notes = tuple(
        f"there are more systems ({len(part.order)}) than clusters ({(part.df or 0) + 1}), which "
        "is too few for a joint test: read differences, not the whole ranking"
        for part in few
    )
    joint = [_joint(part.fit, cluster, generalize) for part in made]
    whole = not few and all(part.df is not None for part in made)
    whole = whole and all(each is not None for each in joint)
    ranks: dict[int, tuple[int, int]] = {}
    method = None
    if len(ts) < 2 or not whole:
        verdicts = _by_holm(made)
        if len(ts) == 1 and whole:
            main = made[0].claimed[0].main
            method = None if main is None else main.method
            p = made[0].ps[0]
            ranks = _ranks(groups, made, [p is not None and p < 1 - confidence])
    else:
        dfs = [part.df or 1 for part in made]
        drawn = _maxima([each for each in joint if each is not None], dfs, len(ts), seed)
        found = judged(ts, drawn, df=min(dfs), confidence=confidence)
        method = found.method
        verdicts = [_Verdict(p=p, critical=found.critical, by=method) for p in found.p_adjusted]
        ranks = _ranks(groups, made, [p < 1 - confidence for p in found.p_adjusted])
    told = iter(verdicts)
    listed = made if pairs else []
    rows = [row for part in listed for row in _rows(part, names, confidence, told)]
    return Family(differences=tuple(rows), ranks=ranks, method=method, notes=notes)


def _by_holm(made: Sequence[_Compared]) -> list[_Verdict]:
    """Every p adjusted by Holm; nothing where a difference stands alone."""
    ps = [p for part in made for p in part.ps]
    adjusted = in_family(ps)
    by = f"Holm over {sum(p is not None for p in adjusted):,} comparisons"
    return [_Verdict(p=p, by=None if p is None else by) for p in adjusted]


def _compare(fit: Fit, *, cluster: Cluster, generalize: Generalize) -> _Compared:
    """What may be claimed of the difference of every two strengths."""
    order = np.argsort(-fit.beta, kind="stable")
    first, second = (order[part] for part in np.triu_indices(len(order), 1))
    spreads = _spreads(fit, first, second)
    claimed = []
    for n in range(len(first)):
        found = {
            kind: OneWay(variance=values[n], clusters=clusters)
            for kind, (values, clusters) in spreads.items()
        }
        claimed.append(claims(found, cluster=cluster, generalize=generalize))
    mains = [claim.main for claim in claimed]
    least = family_variances(
        [0.0 if main is None else main.variance for main in mains],
        {kind: values for kind, (values, _) in spreads.items()},
        cluster=cluster,
        generalize=generalize,
    )
    errors = [
        0.0 if main is None else math.sqrt(variance)
        for main, variance in zip(mains, least, strict=True)
    ]
    gaps = (fit.beta[first] - fit.beta[second]).tolist()
    return _Compared(
        fit=fit,
        order=order,
        first=first.tolist(),
        second=second.tolist(),
        claimed=claimed,
        errors=errors,
        ts=[gap / error if error else 0.0 for gap, error in zip(gaps, errors, strict=True)],
        ps=_alone(gaps, mains),
        df=min((0 if main is None else main.df for main in mains), default=0) or None,
    )


def _alone(gaps: Sequence[float], mains: Sequence[Spread | None]) -> list[float | None]:
    """The p of each difference by itself."""
    dfs = {main.df for main in mains if main is not None}
    ts = [None if main is None else gap / main.se for gap, main in zip(gaps, mains, strict=True)]
    if len(dfs) == 1 and None not in ts:
        return [*t_two_sided_of([t for t in ts if t is not None], dfs.pop())]
    return [
        None if t is None or main is None else t_two_sided(t, main.df)
        for t, main in zip(ts, mains, strict=True)
    ]


def _rows(
    part: _Compared, names: Sequence[str], confidence: float, verdicts: Iterator[_Verdict]
) -> Iterator[StrengthDifference]:
    """The differences with their own intervals and p, and the family's."""
    fit = part.fit
    beta = fit.beta.tolist()
    for i, j, claim, p, error in zip(
        part.first, part.second, part.claimed, part.ps, part.errors, strict=True
    ):
        estimate = beta[i] - beta[j]
        main, verdict = claim.main, next(verdicts)
        interval = t_interval(estimate, main, confidence)
        wide = None
        if main is not None and verdict.critical is not None:
            half = verdict.critical * error
            wide = Interval(
                low=estimate - half,
                high=estimate + half,
                confidence=confidence,
                method=f"{main.method}, {verdict.by}",
                generalizes_to=main.generalizes_to,
            )
        yield StrengthDifference(
            estimate=estimate,
            interval=interval,
            these_raters=t_interval(estimate, claim.these_raters, confidence),
            p=p,
            p_adjusted=verdict.p,
            simultaneous=wide,
            adjusted_by=verdict.by,
            undefined=claim.undefined,
            notes=claim.notes,
            system=names[fit.core[i]],
            other=names[fit.core[j]],
            win_probability=fit.win(estimate),
            win_interval=_carried(fit, interval),
        )


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
    parts = {
        kind: centered(matrix[:k, :k]) * (g / (g - 1) if g > 1 else 0.0)
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


def _maxima(covariances: Sequence[Array], dfs: Sequence[int], total: int, seed: int) -> Array:
    """Draws of the largest |t| over all differences of all groups, ascending."""
    draws = min(DRAWS, max(FEWEST, WORK // total))
    largest = np.zeros(draws)
    for number, (covariance, df) in enumerate(zip(covariances, dfs, strict=True)):
        half = root(covariance)
        first, second = np.triu_indices(len(half), 1)
        size = np.zeros((len(half), len(half)), dtype=np.float32)
        spread = np.sqrt(np.maximum(_of_pairs(product(half, half.T), first, second), 1e-300))
        size[first, second] = size[second, first] = 1 / spread
        rng = np.random.default_rng([seed, number])
        for low in range(0, draws, SLAB):
            n = min(SLAB, draws - low)
            # Seven digits are plenty for a draw, and half the memory.
            z = (half @ rng.standard_normal((half.shape[1], n))).astype(np.float32)
            scale = np.sqrt(rng.chisquare(df, n) / df)
            best, gaps = np.zeros(n, dtype=np.float32), np.empty_like(z)
            for i in range(len(half) - 1):
                here = np.subtract(z[i + 1 :], z[i], out=gaps[i + 1 :])
                np.abs(here, out=here)
                here *= size[i + 1 :, i, None]
                np.maximum(best, here.max(axis=0), out=best)
            part = largest[low : low + n]
            np.maximum(part, best / scale, out=part)
    return np.sort(largest)


def _ranks(
    groups: Sequence[Group], made: Sequence[_Compared], apart: Sequence[bool]
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
        better[pairs] = apart[start : start + len(part.first)]
        start += len(part.first)
        others = len(group.members) - k
        for place, (low, high) in enumerate(rank_sets(better)):
            found[group.core[int(part.order[place])]] = (low, high + others)
        for system in group.members:
            found.setdefault(system, (1, len(group.members)))
    return found
