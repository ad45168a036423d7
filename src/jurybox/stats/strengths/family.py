r"""Every two strengths compared at once: differences, their joint distribution, and ranks.

With the joint covariance V of K strengths, the K(K − 1)/2 differences have the standard errors
:math:`\sqrt{V_{ii} + V_{jj} - 2V_{ij}}`, and the distribution of their largest |t| is drawn from V
itself: K numbers a draw, whatever the number of differences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval
from jurybox.stats.clusters import (
    Claims,
    Cluster,
    Generalize,
    OneWay,
    basis,
    claims,
    main_variances,
    t_interval,
)
from jurybox.stats.distributions import t_two_sided_of
from jurybox.stats.multiple import in_family
from jurybox.stats.simultaneous import DRAWS, family_variances, judged, rank_sets
from jurybox.stats.small_matrices import centered, product, root
from jurybox.stats.strengths.results import Fit, Group, StrengthDifference

__all__ = ["Family", "compare_strengths"]

Array = NDArray[np.float64]
WORK = 10_000_000
"""Draws × differences. With many differences the largest varies less, so fewer draws do."""
FEWEST = 2_000
SLAB = 1_000
MOST_KEPT = 1_000_000
"""Of numbers drawn for a group of systems."""


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
    """The differences of one fit, the stronger first."""

    fit: Fit
    order: NDArray[np.intp]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    gaps: Array
    spreads: Mapping[str, tuple[Array, int]]
    """The one-way variances of the differences, and G, by kind of cluster."""
    variances: Array
    """Those of the differences' own intervals; 0 where there is none."""
    df: int
    errors: Array
    """The standard errors by which the family judges; 0 where there is none."""

    @property
    def has_all(self) -> bool:
        """Whether every difference has a standard error."""
        return len(self.errors) > 0 and bool((self.variances > 0).all())

    @property
    def ts(self) -> Array:
        """The t statistics by which the family judges."""
        return _over(self.gaps, self.errors)

    def alone(self) -> list[float | None]:
        """The p of each difference by itself, with its own standard error."""
        if self.df < 1:
            return [None] * len(self.gaps)
        ts = _over(self.gaps, np.sqrt(self.variances))
        found = zip(t_two_sided_of(ts.tolist(), self.df), self.variances.tolist(), strict=True)
        return [p if variance > 0 else None for p, variance in found]


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
    total = sum(len(part.gaps) for part in made)
    few = [part for part in made if part.has_all and part.df + 1 < len(part.order)]
    notes = tuple(
        f"there are more systems ({len(part.order)}) than clusters ({part.df + 1}), which "
        "is too few for a joint test: read differences, not the whole ranking"
        for part in few
    )
    joint = [_joint(part.fit, cluster, generalize) for part in made]
    whole = not few and all(part.has_all for part in made)
    whole = whole and all(each is not None for each in joint)
    ranks: dict[int, tuple[int, int]] = {}
    method = None
    listed = made if pairs else []
    if total < 2 or not whole:
        verdicts = _by_holm(made)
        if total == 1 and whole:
            main = _claims(made[0], 0, cluster, generalize).main
            method = None if main is None else main.method
            p = made[0].alone()[0]
            ranks = _ranks(groups, made, [p is not None and p < 1 - confidence])
    else:
        dfs = [part.df for part in made]
        drawn = _maxima([each for each in joint if each is not None], total, seed)
        ts = np.concatenate([part.ts for part in made])
        found = judged(ts.tolist(), list(zip(drawn, dfs, strict=True)), confidence=confidence)
        method = found.method
        ranks = _ranks(groups, made, [p < 1 - confidence for p in found.p_adjusted])
        judged_ps = found.p_adjusted if listed else ()
        verdicts = [_Verdict(p=p, critical=found.critical, by=method) for p in judged_ps]
    told = iter(verdicts)
    rows = [
        row for part in listed for row in _rows(part, names, told, confidence, cluster, generalize)
    ]
    return Family(differences=tuple(rows), ranks=ranks, method=method, notes=notes)


def _by_holm(made: Sequence[_Compared]) -> list[_Verdict]:
    """Every p adjusted by Holm; nothing where a difference stands alone."""
    adjusted = in_family([p for part in made for p in part.alone()])
    by = f"Holm over {sum(p is not None for p in adjusted):,} comparisons"
    return [_Verdict(p=p, by=None if p is None else by) for p in adjusted]


def _compare(fit: Fit, *, cluster: Cluster, generalize: Generalize) -> _Compared:
    """The difference of every two strengths, with its variances."""
    order = np.argsort(-fit.beta, kind="stable")
    first, second = (order[part] for part in np.triu_indices(len(order), 1))
    spreads = _spreads(fit, first, second)
    variances, df = main_variances(spreads, cluster=cluster, generalize=generalize)
    least = family_variances(
        variances,
        {kind: values for kind, (values, _) in spreads.items()},
        cluster=cluster,
        generalize=generalize,
    )
    return _Compared(
        fit=fit,
        order=order,
        first=first,
        second=second,
        gaps=fit.beta[first] - fit.beta[second],
        spreads=spreads,
        variances=variances,
        df=df,
        errors=np.where(variances > 0, np.sqrt(least), 0.0),
    )


def _over(gaps: Array, errors: Array) -> Array:
    """The ratios; 0 without a standard error."""
    return np.divide(gaps, errors, out=np.zeros_like(gaps), where=errors > 0)


def _claims(part: _Compared, n: int, cluster: Cluster, generalize: Generalize) -> Claims:
    """What may be claimed of one difference."""
    found = {
        kind: OneWay(variance=float(values[n]), clusters=clusters)
        for kind, (values, clusters) in part.spreads.items()
    }
    return claims(found, cluster=cluster, generalize=generalize)


def _rows(
    part: _Compared,
    names: Sequence[str],
    verdicts: Iterator[_Verdict],
    confidence: float,
    cluster: Cluster,
    generalize: Generalize,
) -> Iterator[StrengthDifference]:
    """The differences with their own intervals and p, and the family's."""
    fit = part.fit
    for n, (i, j, estimate, error, p) in enumerate(
        zip(
            part.first.tolist(),
            part.second.tolist(),
            part.gaps.tolist(),
            part.errors.tolist(),
            part.alone(),
            strict=True,
        )
    ):
        claim = _claims(part, n, cluster, generalize)
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
) -> dict[str, tuple[Array, int]]:
    """V_ii + V_jj − 2V_ij with G/(G − 1) in it, for every kind of cluster; rounding noise is 0."""
    floor = 1e-12 * _of_pairs(fit.bread, first, second)
    found = {}
    for kind, (matrix, clusters) in fit.covariances.items():
        total = _of_pairs(matrix, first, second)
        factor = clusters / (clusters - 1) if clusters > 1 else 0.0
        found[kind] = (np.where(total > floor, total * factor, 0.0), clusters)
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
    sizes = {kind: g for kind, (_, g) in fit.covariances.items()}
    on = basis(sizes, cluster=cluster, generalize=generalize)
    if on != "both":
        chosen = parts[on]
    else:
        known = (parts["item"], parts["rater"])
        chosen = parts["item"] + parts["rater"] - parts["cell"]
        first, second = np.triu_indices(k, 1)
        largest = np.maximum(*(_of_pairs(part, first, second) for part in known))
        if (_of_pairs(chosen, first, second) <= 1e-9 * largest).any():
            chosen = max(known, key=lambda part: float(np.trace(part)))
    return chosen if (_of_pairs(chosen, *np.triu_indices(k, 1)) > 0).all() else None


def _maxima(covariances: Sequence[Array], total: int, seed: int) -> list[Array]:
    """Draws of the largest |Z| over all differences of each group."""
    draws = min(DRAWS, max(FEWEST, WORK // total))
    return [_largest(each, draws, (seed, n)) for n, each in enumerate(covariances)]


def _largest(covariance: Array, draws: int, seed: tuple[int, int]) -> Array:
    half = root(covariance)
    first, second = np.triu_indices(len(half), 1)
    size = np.zeros((len(half), len(half)), dtype=np.float32)
    variance = _of_pairs(product(half, half.T), first, second)
    # A difference that next to the others does not vary is one of rounding: it has no t.
    varies = variance > 1e-12 * variance.max()
    size[first, second] = size[second, first] = varies / np.sqrt(np.where(varies, variance, 1))
    drawn = _kept if half.shape[1] * draws <= MOST_KEPT else _drawn
    found = []
    for normal in drawn(half.shape[1], draws, seed):
        # Seven digits are plenty for a draw, and half the memory.
        z = product(half, normal).astype(np.float32)
        best, gaps = np.zeros(normal.shape[1], dtype=np.float32), np.empty_like(z)
        for i in range(len(half) - 1):
            here = np.subtract(z[i + 1 :], z[i], out=gaps[i + 1 :])
            np.abs(here, out=here)
            here *= size[i + 1 :, i, None]
            np.maximum(best, here.max(axis=0), out=best)
        found.append(best)
    return np.concatenate(found).astype(np.float64)


def _drawn(rank: int, draws: int, seed: tuple[int, int]) -> Iterator[Array]:
    """Normal numbers (rank × some draws)."""
    rng = np.random.default_rng(seed)
    for low in range(0, draws, SLAB):
        yield rng.standard_normal((rank, min(SLAB, draws - low)))


@lru_cache(maxsize=2)
def _kept(rank: int, draws: int, seed: tuple[int, int]) -> tuple[Array, ...]:
    """The draws of a small family, kept for the next one: simulations judge thousands alike."""
    return tuple(_drawn(rank, draws, seed))


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
        better[pairs] = apart[start : start + len(part.gaps)]
        start += len(part.gaps)
        others = len(group.members) - k
        for place, (low, high) in enumerate(rank_sets(better)):
            found[group.core[int(part.order[place])]] = (low, high + others)
        for system in group.members:
            found.setdefault(system, (1, len(group.members)))
    return found
