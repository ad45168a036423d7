"""Plackett–Luce strengths from rankings, whole or partial, and from best-of-N choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.results import format_count
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.distributions import check_confidence, from_logit
from jurybox.stats.strengths import (
    Fit,
    Strength,
    StrengthDifference,
    Strengths,
    adjust,
    differences,
    find_groups,
    group_rows,
    maximize,
    notes_on_groups,
)

__all__ = ["ClusterRankings", "PlackettLuce", "RankPatterns", "plackett_luce"]

Array = NDArray[np.float64]
Pattern = tuple[tuple[int, ...], ...]


class ClusterRankings(Protocol):
    """Rankings of each cluster of one kind: rows ``(cluster, pattern)`` with a count."""

    @property
    def cluster(self) -> NDArray[Any]:
        """Number of the cluster of each row."""

    @property
    def pattern(self) -> NDArray[Any]:
        """Index of the pattern of each row."""

    @property
    def count(self) -> NDArray[Any]:
        """How often the cluster gave it."""


class RankPatterns(Protocol):
    """Distinct rankings with how often each was given, and per cluster."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems."""

    @property
    def patterns(self) -> Sequence[Pattern]:
        """Each ranking as groups of tied systems, best first: ``((0,), (1, 2))``."""

    @property
    def counts(self) -> NDArray[Any]:
        """How often each was given."""

    @property
    def by(self) -> Mapping[str, ClusterRankings]:
        """The rankings by ``item``, ``rater`` and ``cell``, where known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlackettLuce(Strengths):
    """Plackett–Luce strengths, strongest first."""

    label: ClassVar[str] = "Plackett–Luce strength (log scale)"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stages:
    """Every choice that the rankings make: who was chosen, among whom, in which pattern."""

    pattern: NDArray[np.intp]
    chosen: NDArray[np.intp]
    among: NDArray[np.bool_]


def plackett_luce(
    rankings: RankPatterns,
    *,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> PlackettLuce:
    r"""Log strengths by maximum likelihood, with a covariance clustered as asked.

    Notes
    -----
    A ranking is a row of choices, the best of all, then the best of the rest, …:

    .. math:: P(i_1 \succ i_2 \succ \dots) = \prod_k \frac{\pi_{i_k}}{\sum_{j \ge k} \pi_{i_j}}.

    Systems tied at the end make no choice among themselves, so a partial ranking and best-of-N are
    exact. Systems tied further up are each taken as chosen from the same set (Breslow's
    approximation); the result says how many rankings have such ties.

    References
    ----------
    Plackett (1975), doi:10.2307/2346567; Luce (1959); Breslow (1974), doi:10.2307/2529620.
    """
    check_confidence(confidence)
    k = len(rankings.systems)
    stages = _stages(rankings.patterns, k)
    if not len(stages.chosen):
        why = "no ranking puts one system above another"
        none = tuple(Strength(estimate=None, undefined=why, system=s) for s in rankings.systems)
        return PlackettLuce(rows=none, undefined=why)
    beaten = _beaten(stages, k)
    found = find_groups(beaten > 0)
    options: dict[str, Any] = {
        "confidence": confidence,
        "cluster": cluster,
        "generalize": generalize,
    }
    rows: list[Strength] = []
    gaps: list[StrengthDifference] = []
    fits: list[Fit] = []
    for number, group in enumerate(found, start=1):
        fit: Fit | str = "no two systems have been ranked above each other"
        if group.core:
            fit = _fit(rankings, group.core)
            fits.append(fit)
            gaps += differences(fit, rankings.systems, **options)
        rows += group_rows(
            group, fit, rankings.systems, beaten, group_number=number, options=options
        )
    return PlackettLuce(
        rows=tuple(rows),
        differences=adjust(gaps),
        groups=tuple(tuple(rankings.systems[i] for i in group.members) for group in found),
        log_likelihood=sum(f.log_likelihood for f in fits) if fits else None,
        undefined=None if fits else "no two systems have been ranked above each other",
        notes=(*notes_on_groups(found, rankings.systems), *_notes_on_ties(rankings)),
        confidence=confidence,
        cluster=cluster,
    )


def _notes_on_ties(rankings: RankPatterns) -> list[str]:
    tied = sum(
        int(n)
        for pattern, n in zip(rankings.patterns, rankings.counts, strict=True)
        if any(len(group) > 1 for group in pattern[:-1])
    )
    if not tied:
        return []
    return [
        f"{format_count(tied, 'ranking')} with ties above the last place: Breslow's approximation"
    ]


def _stages(patterns: Sequence[Pattern], k: int) -> _Stages:
    pattern, chosen, among = [], [], []
    for p, groups in enumerate(patterns):
        left = [i for group in groups for i in group]
        for group in groups[:-1]:
            mask = np.zeros(k, dtype=np.bool_)
            mask[left] = True
            for i in group:
                pattern.append(p)
                chosen.append(i)
                among.append(mask)
            left = left[len(group) :]
    return _Stages(
        pattern=np.array(pattern, dtype=np.intp),
        chosen=np.array(chosen, dtype=np.intp),
        among=np.array(among, dtype=np.bool_).reshape(len(chosen), k),
    )


def _beaten(stages: _Stages, k: int) -> Array:
    """How many choices of i left j behind."""
    matrix = np.zeros((k, k))
    for i in range(k):
        matrix[i] = stages.among[stages.chosen == i].sum(axis=0)
    np.fill_diagonal(matrix, 0)
    return matrix


def _inside(patterns: Sequence[Pattern], core: tuple[int, ...]) -> list[Pattern]:
    """The rankings with the systems outside the core left out, the others renumbered."""
    place = {system: k for k, system in enumerate(core)}
    found = []
    for groups in patterns:
        kept = (tuple(place[i] for i in group if i in place) for group in groups)
        found.append(tuple(group for group in kept if group))
    return found


def _fit(rankings: RankPatterns, core: tuple[int, ...]) -> Fit:
    stages = _stages(_inside(rankings.patterns, core), len(core))
    counts = np.asarray(rankings.counts, dtype=np.float64)
    weight = counts[stages.pattern]

    def chances(x: Array) -> tuple[Array, Array]:
        shown = np.where(stages.among, x, -np.inf)
        top = shown.max(axis=1, keepdims=True)
        total = np.log(np.exp(shown - top).sum(axis=1)) + top[:, 0]
        return np.exp(shown - total[:, None]), total

    def evaluate(x: Array) -> tuple[float, Array, Array]:
        p, total = chances(x)
        value = float((weight * (x[stages.chosen] - total)).sum())
        expected = (weight[:, None] * p).sum(axis=0)
        gradient = np.bincount(stages.chosen, weight, len(core)) - expected
        return value, gradient, np.diag(expected) - (p * weight[:, None]).T @ p

    x, value, bread = maximize(
        np.zeros(len(core)), evaluate, what="the Plackett–Luce fit", n_free=len(core)
    )
    p, _ = chances(x)
    each = -p
    each[np.arange(len(each)), stages.chosen] += 1
    score = np.zeros((len(counts), len(core)))
    np.add.at(score, stages.pattern, each)
    speaks = np.bincount(stages.pattern, minlength=len(counts)) > 0
    covariances = {}
    for kind, of in rankings.by.items():
        meat, clusters = _meat(score, speaks, of)
        covariances[kind] = (bread @ meat @ bread, clusters)
    row_meat = (score * counts[:, None]).T @ score
    covariances["row"] = (bread @ row_meat @ bread, int(counts[speaks].sum()))
    return Fit(
        core=core,
        beta=x - x.mean(),
        log_likelihood=value,
        bread=bread,
        covariances=covariances,
        n_responses=int(counts[speaks].sum()),
        extra={},
        win=from_logit,
    )


def _meat(score: Array, speaks: NDArray[np.bool_], of: ClusterRankings) -> tuple[Array, int]:
    """Σ_g s_g s_g′ over the clusters with a ranking that says something."""
    pattern = np.asarray(of.pattern, dtype=np.intp)
    use = speaks[pattern]
    _, cluster = np.unique(np.asarray(of.cluster)[use], return_inverse=True)
    total = int(cluster.max()) + 1 if len(cluster) else 0
    sums = np.zeros((total, score.shape[1]))
    np.add.at(sums, cluster, score[pattern[use]] * np.asarray(of.count)[use][:, None])
    return sums.T @ sums, total
