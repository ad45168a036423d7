"""Plackett–Luce strengths from rankings, whole or partial, and from best-of-N choices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval, format_count
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.distributions import check_confidence, from_logit
from jurybox.stats.strengths.choices import choices
from jurybox.stats.strengths.family import compare_strengths
from jurybox.stats.strengths.profile import one_sided, where_deviance_is
from jurybox.stats.strengths.results import (
    Fit,
    Group,
    Strength,
    Strengths,
    find_groups,
    group_rows,
    maximize,
    notes_on_groups,
)

__all__ = ["ClusterRankings", "PlackettLuce", "RankPatterns", "plackett_luce"]

Array = NDArray[np.float64]
CHUNK = 4096


class ClusterRankings(Protocol):
    """Rankings of each cluster of one kind: rows ``(cluster, pattern)`` with a count."""

    @property
    def cluster(self) -> NDArray[Any]:
        """Number of the cluster of each row, ascending."""

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
    def shown(self) -> NDArray[Any]:
        """Patterns × most shown: the systems of each pattern, −1 where fewer were shown."""

    @property
    def place(self) -> NDArray[Any]:
        """Their places: 1 for the best, the same for tied ones, no place left out."""

    @property
    def counts(self) -> NDArray[Any]:
        """How often each was given."""

    @property
    def by(self) -> Mapping[str, ClusterRankings]:
        """The rankings by ``item``, ``rater`` and ``cell``, where known."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PlackettLuce(Strengths):
    """Plackett–Luce strengths, strongest first."""

    label: ClassVar[str] = "Plackett–Luce strength (log scale)"

    ties: str = "all orders"
    """How ties are treated: every order of the tied systems is possible."""
    n_rankings: int = 0
    n_tied: int = 0
    """Rankings with a tie above the last place."""
    seed: int = 0


def plackett_luce(
    rankings: RankPatterns,
    *,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
    seed: int = 0,
) -> PlackettLuce:
    r"""Log strengths by maximum likelihood, with a covariance clustered as asked.

    Notes
    -----
    A ranking is a row of choices, the best of all, then the best of the rest, …:

    .. math:: P(i_1 \succ i_2 \succ \dots) = \prod_k \frac{\pi_{i_k}}{\sum_{j \ge k} \pi_{i_j}}.

    Tied systems are left without an order: the likelihood adds up all their orders (see
    ``choices``), so that a tie at the end is no choice among its members. A partial ranking and
    best-of-N are therefore exact, and a tie of two systems alone says nothing.

    Differences and ranks are judged jointly as in ``strength_family``. A system that is never
    ranked behind another has no finite strength but a one-sided bound, as in ``profile``.

    References
    ----------
    Plackett (1975), doi:10.2307/2346567; Luce (1959), Individual choice behavior.
    """
    check_confidence(confidence)
    names, k = rankings.systems, len(rankings.systems)
    made = choices(rankings.shown, rankings.place, k)
    total = int(np.asarray(rankings.counts).sum())
    if not len(made.ranking):
        why = "no ranking puts one system above another" if total else "there are no rankings"
        none = tuple(Strength(estimate=None, undefined=why, system=s) for s in names)
        return PlackettLuce(rows=none, undefined=why, n_rankings=total)
    beaten = made.beaten()
    found = find_groups(beaten > 0)
    options: dict[str, Any] = {
        "confidence": confidence,
        "cluster": cluster,
        "generalize": generalize,
    }
    fits = [
        _fit(rankings, group.core)
        if group.core
        else "no two systems have been ranked above each other"
        for group in found
    ]
    family = compare_strengths(found, fits, names, **options, seed=seed)
    numbers = {name: k for k, name in enumerate(names)}
    rows: list[Strength] = []
    for number, (group, fit) in enumerate(zip(found, fits, strict=True), start=1):
        for row in _rows(group, fit, names, beaten, number, options):
            if isinstance(fit, Fit) and row.estimate is None:
                row = _bounded(row, rankings, fit, group, numbers[row.system], options)
            low, high = family.ranks.get(numbers[row.system], (None, None))
            rows.append(replace(row, rank_low=low, rank_high=high))
    fitted = [fit for fit in fits if isinstance(fit, Fit)]
    tied = np.unique(made.ranking[made.tied])
    n_tied = int(np.asarray(rankings.counts)[tied].sum())
    return PlackettLuce(
        rows=tuple(rows),
        differences=family.differences,
        groups=tuple(tuple(names[i] for i in group.members) for group in found),
        cores=tuple(tuple(names[i] for i in group.core) for group in found),
        ranks_by=family.method if family.ranks else None,
        log_likelihood=sum(f.log_likelihood for f in fitted) if fitted else None,
        undefined=None if fitted else "no two systems have been ranked above each other",
        notes=(*notes_on_groups(found, names), *_notes_on_ties(n_tied), *family.notes),
        confidence=confidence,
        cluster=cluster,
        n_rankings=total,
        n_tied=n_tied,
        seed=seed,
    )


def _notes_on_ties(n_tied: int) -> list[str]:
    if not n_tied:
        return []
    have = "has" if n_tied == 1 else "have"
    return [
        f"{format_count(n_tied, 'ranking')} {have} ties above the last place: every order of tied "
        "systems is counted as possible"
    ]


def _rows(
    group: Group,
    fit: Fit | str,
    names: tuple[str, ...],
    beaten: Array,
    number: int,
    options: dict[str, Any],
) -> list[Strength]:
    if len(group.members) == 1:
        name = names[group.members[0]]
        why = f"{name} was never ranked above or below another system"
        return [Strength(estimate=None, undefined=why, system=name, group=number)]
    return group_rows(group, fit, names, beaten, group_number=number, options=options)


def _bounded(
    row: Strength,
    rankings: RankPatterns,
    fit: Fit,
    group: Group,
    system: int,
    options: Mapping[str, Any],
) -> Strength:
    """The row of a system above or below its core with a one-sided bound of its strength."""
    above = system in group.above
    if not above and system not in group.below:
        return row
    size = len(fit.core)
    number = np.full(len(rankings.systems) + 1, -1)
    number[[*fit.core, system]] = np.arange(size + 1)
    made = choices(number[np.asarray(rankings.shown, dtype=np.intp)], rankings.place, size + 1)
    counts = np.asarray(rankings.counts, dtype=np.float64)
    part = made.chosen if above else made.rest
    met = np.unique(made.ranking[((made.shown == size) & part).any(axis=1)])
    n = int(counts[met].sum())
    claim = one_sided(_clusters(rankings, met, options), n, "ranking")
    if claim is None:
        return row
    weight = counts[made.ranking]
    # The strength of the system is θ above the mean of the core, which alone is free.
    back = np.vstack([np.eye(size), np.full((1, size), 1 / size)])
    start = fit.beta

    def deviance(theta: float) -> float:
        nonlocal start

        def evaluate(x: Array) -> tuple[float, Array, Array]:
            value, gradient, information = made.evaluate(np.append(x, theta + x.mean()), weight)
            return value, back.T @ gradient, back.T @ information @ back

        start, value, _ = maximize(start, evaluate, what="the profile", n_free=size)
        return 2 * (fit.log_likelihood - value)

    allowed = -2 * claim.effect * math.log(1 - options["confidence"])
    bound = where_deviance_is(allowed, deviance, 1.0 if above else -1.0)
    if bound is None:
        return row
    interval = Interval(
        low=bound if above else -math.inf,
        high=math.inf if above else bound,
        confidence=options["confidence"],
        method=claim.method,
        generalizes_to=claim.to,
    )
    return replace(row, interval=interval, n_responses=n)


def _clusters(
    rankings: RankPatterns, patterns: NDArray[Any], options: Mapping[str, Any]
) -> dict[str, int]:
    """How many clusters of each kind that the intervals speak for gave these patterns."""
    if options["cluster"] is None:
        return {}
    both = options["cluster"] == "both" and options["generalize"] == "raters+items"
    kinds = (
        ("item", "rater") if both else ("rater",) if options["cluster"] == "rater" else ("item",)
    )
    return {
        kind: len(np.unique(np.asarray(of.cluster)[np.isin(of.pattern, patterns)]))
        for kind, of in rankings.by.items()
        if kind in kinds
    }


def _fit(rankings: RankPatterns, core: tuple[int, ...]) -> Fit:
    """The fit of the systems of the core, the others left out of every ranking."""
    size = len(core)
    number = np.full(len(rankings.systems) + 1, -1)
    number[list(core)] = np.arange(size)
    shown = number[np.asarray(rankings.shown, dtype=np.intp)]
    made = choices(shown, rankings.place, size)
    counts = np.asarray(rankings.counts, dtype=np.float64)
    distinct, which = made.distinct()
    weight = np.bincount(which, counts[made.ranking]).astype(np.float64)
    x, value, bread = maximize(
        np.zeros(size),
        lambda at: distinct.evaluate(at, weight),
        what="the Plackett–Luce fit",
        n_free=size,
    )
    score = made.scores(x, len(counts))
    speaks = np.zeros(len(counts), dtype=np.bool_)
    speaks[made.ranking] = True
    rows = _Rows(score=score, shown=shown, speaks=speaks, size=size)
    covariances = {}
    for kind, of in rankings.by.items():
        meat, clusters = rows.meat(of)
        covariances[kind] = (bread @ meat @ bread, clusters)
    covariances["row"] = (bread @ rows.meat_of_each(counts) @ bread, int(counts[speaks].sum()))
    return Fit(
        core=core,
        beta=x - x.mean(),
        log_likelihood=value,
        bread=bread,
        covariances=covariances,
        n_responses=int(counts[speaks].sum()),
        win=from_logit,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rows:
    """The score of every pattern, in the order of its systems, and which patterns have one."""

    score: Array
    shown: NDArray[np.intp]
    speaks: NDArray[np.bool_]
    size: int

    def meat(self, of: ClusterRankings) -> tuple[Array, int]:
        """Σ_g s_g s_g′ over the clusters with a ranking that says something, and their number."""
        pattern = np.asarray(of.pattern, dtype=np.intp)
        use = self.speaks[pattern]
        _, cluster = np.unique(np.asarray(of.cluster)[use], return_inverse=True)
        pattern, count = pattern[use], np.asarray(of.count, dtype=np.float64)[use]
        total = int(cluster.max(initial=-1)) + 1
        meat = np.zeros((self.size, self.size))
        # Dense scores for a block of clusters at a time: memory stays small whatever their number.
        ends = np.searchsorted(cluster, np.arange(0, total + CHUNK, CHUNK))
        for block, (start, end) in enumerate(pairwise(ends)):
            height = min(CHUNK, total - block * CHUNK)
            row = cluster[start:end] - block * CHUNK
            dense = self._dense(pattern[start:end], count[start:end], row, height)
            meat += dense.T @ dense
        return meat, total

    def meat_of_each(self, counts: Array) -> Array:
        """The same with every ranking a cluster of its own."""
        meat = np.zeros((self.size, self.size))
        for start in range(0, len(counts), CHUNK):
            pattern = np.arange(start, min(start + CHUNK, len(counts)))
            row = pattern - start
            dense = self._dense(pattern, np.sqrt(counts[pattern]), row, len(row))
            meat += dense.T @ dense
        return meat

    def _dense(self, pattern: Any, count: Array, row: Any, height: int) -> Array:
        at = row[:, None] * self.size + np.maximum(self.shown[pattern], 0)
        values = self.score[pattern] * count[:, None]
        flat = np.bincount(at.ravel(), values.ravel(), height * self.size)
        return np.asarray(flat.reshape(height, self.size), dtype=np.float64)
