"""Bradley–Terry strengths from counts of wins and ties per pair of systems."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError
from jurybox.results import Result, format_count
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.connected import ties_run_away
from jurybox.stats.distributions import check_confidence
from jurybox.stats.goodness import GoodnessOfFit
from jurybox.stats.strengths import (
    Fit,
    Group,
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

__all__ = ["BradleyTerry", "ClusterVotes", "Coefficient", "PairVotes", "Ties", "bradley_terry"]

Ties = Literal["davidson", "half", "drop"]
Array = NDArray[np.float64]
CHUNK = 4096


class ClusterVotes(Protocol):
    """Votes of each cluster of one kind: rows ``(cluster, pair)`` with wins of a, of b, and ties.

    Clusters with one vote need no row: ``single`` counts them, pair × (a, b, tie).
    """

    @property
    def cluster(self) -> NDArray[Any]:
        """Number of the cluster, ascending from 0, of each row."""

    @property
    def pair(self) -> NDArray[Any]:
        """Index of the pair of each row."""

    @property
    def counts(self) -> NDArray[Any]:
        """Rows × (wins of a, wins of b, ties)."""

    @property
    def single(self) -> NDArray[Any]:
        """Pairs × (wins of a, wins of b, ties) of the clusters with one vote."""


class PairVotes(Protocol):
    """Counts per pair of systems, and per cluster."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems."""

    @property
    def pairs(self) -> NDArray[Any]:
        """Pairs × 2: the index of system a and of system b."""

    @property
    def counts(self) -> NDArray[Any]:
        """Pairs × (wins of a, wins of b, ties)."""

    @property
    def by(self) -> Mapping[str, ClusterVotes]:
        """The votes by ``item``, ``rater`` and ``cell``, where known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient(Result):
    """What something beside the systems adds to the log odds of winning."""

    label: ClassVar[str] = "coefficient"
    neutral: ClassVar[float | None] = 0.0

    covariate: str
    """``position`` (shown first), or the name of the covariate (one unit more than the other)."""

    @property
    def name(self) -> str:
        """The covariate."""
        return self.covariate


@dataclass(frozen=True, slots=True, kw_only=True)
class BradleyTerry(Strengths):
    """Bradley–Terry strengths, strongest first."""

    label: ClassVar[str] = "Bradley–Terry strength (log scale)"

    ties: str = "davidson"
    tie_parameter: float | None = None
    """Davidson's ν or Rao and Kupper's θ: how readily two equal systems tie."""
    both_bad: str = "tie"
    graded: bool = False
    coefficients: tuple[Coefficient, ...] = ()
    """The pull of the first place and of covariates; strengths are those without it."""
    fit: GoodnessOfFit | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Votes:
    """The votes inside one core, systems renumbered; ``x`` and ``y`` are the score's two parts."""

    pairs: NDArray[np.intp]
    counts: Array
    by: Mapping[str, ClusterVotes]
    keep: NDArray[np.intp] = field(repr=False)
    """For every pair of all votes its place in ``pairs``, or −1."""
    size: int
    davidson: bool


def bradley_terry(
    votes: PairVotes,
    *,
    ties: Ties = "davidson",
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> BradleyTerry:
    r"""Log strengths by maximum likelihood, with a covariance clustered as asked.

    Notes
    -----
    With strengths :math:`\pi = e^\beta`, Davidson's model is

    .. math::
        P(i \succ j) = \frac{\pi_i}{\pi_i + \pi_j + \nu\sqrt{\pi_i\pi_j}}, \qquad
        P(\text{tie}) = \frac{\nu\sqrt{\pi_i\pi_j}}{\pi_i + \pi_j + \nu\sqrt{\pi_i\pi_j}}.

    ``half`` counts a tie as half a win for both (a quasi-likelihood), ``drop`` leaves ties out.
    The maximum is found by Newton's method on the counts; the covariance is
    :math:`H^{-1} M H^{-1}` with :math:`M = \sum_g s_g s_g'` over clusters, both ways by default.

    References
    ----------
    Bradley and Terry (1952), doi:10.1093/biomet/39.3-4.324; Davidson (1970),
    doi:10.1080/01621459.1970.10481082.
    """
    check_confidence(confidence)
    if ties not in ("davidson", "half", "drop"):
        raise InputError(f"ties must be 'davidson', 'half' or 'drop'; got {ties!r}")
    counts = np.asarray(votes.counts, dtype=np.float64)
    if counts.sum() == 0:
        return BradleyTerry(rows=(), undefined="there are no votes", ties=ties)
    if counts[:, :2].sum() == 0:
        why = "every vote is a tie, so no system is stronger than another and none is told apart"
        none = tuple(Strength(estimate=None, undefined=why, system=s) for s in votes.systems)
        return BradleyTerry(rows=none, undefined=why, ties=ties)
    wins, tied = _matrices(votes, counts, ties)
    found = find_groups((wins + tied) > 0)
    options: dict[str, Any] = {
        "confidence": confidence,
        "cluster": cluster,
        "generalize": generalize,
    }
    rows: list[Strength] = []
    gaps: list[StrengthDifference] = []
    fits: list[Fit] = []
    notes: list[str] = notes_on_groups(found, votes.systems)
    for number, group in enumerate(found, start=1):
        fit = _fit_group(votes, counts, group, ties, wins, tied)
        rows += group_rows(group, fit, votes.systems, wins, group_number=number, options=options)
        if isinstance(fit, Fit):
            fits.append(fit)
            gaps += differences(fit, votes.systems, **options)
            notes += _notes_on_fit(fit, ties, counts)
    nu = fits[0].extra.get("nu") if len(fits) == 1 else None
    return BradleyTerry(
        rows=tuple(rows),
        differences=adjust(gaps),
        groups=tuple(tuple(votes.systems[k] for k in group.members) for group in found),
        log_likelihood=sum(f.log_likelihood for f in fits) if fits and ties != "half" else None,
        undefined=None if fits else "no two systems have beaten each other",
        notes=tuple(dict.fromkeys(notes)),
        confidence=confidence,
        cluster=cluster,
        ties=ties,
        tie_parameter=nu,
    )


def _matrices(votes: PairVotes, counts: Array, ties: Ties) -> tuple[Array, Array]:
    """``wins[i, j]`` of i over j, and the symmetric ties that count as both."""
    k = len(votes.systems)
    wins, tied = np.zeros((k, k)), np.zeros((k, k))
    a, b = votes.pairs[:, 0], votes.pairs[:, 1]
    np.add.at(wins, (a, b), counts[:, 0])
    np.add.at(wins, (b, a), counts[:, 1])
    if ties != "drop":
        np.add.at(tied, (a, b), counts[:, 2])
        np.add.at(tied, (b, a), counts[:, 2])
    return wins, tied


def _notes_on_fit(fit: Fit, ties: Ties, counts: Array) -> list[str]:
    notes = []
    if ties == "davidson" and "nu" not in fit.extra:
        notes.append("no ties occurred among the ranked systems, so Davidson's ν is 0")
    if ties == "half" and counts[:, 2].sum():
        notes.append("ties count as half a win for both")
    if ties == "drop" and counts[:, 2].sum():
        notes.append(f"{format_count(int(counts[:, 2].sum()), 'tie')} left out")
    smallest = min((g for _, g in fit.covariances.values()), default=0)
    if 1 < smallest <= len(fit.beta):
        notes.append(
            f"there are not more clusters ({smallest}) than systems ({len(fit.beta)}): "
            "read differences, not the whole ranking"
        )
    return notes


def _fit_group(
    votes: PairVotes, counts: Array, group: Group, ties: Ties, wins: Array, tied: Array
) -> Fit | str:
    """The fit of the group's core; a sentence where there is none."""
    if not group.core:
        return "no two systems have beaten each other"
    index = np.array(group.core)
    local = np.ix_(index, index)
    has_ties = bool(tied[local].sum())
    if ties == "davidson" and has_ties and ties_run_away(wins[local], tied[local]):
        return "Davidson's ν grows without bound on these votes; ties='half' gives strengths"
    place = np.full(len(votes.systems), -1)
    place[index] = np.arange(len(index))
    pairs = place[np.asarray(votes.pairs, dtype=np.intp)]
    inside = (pairs >= 0).all(axis=1)
    keep = np.where(inside, np.cumsum(inside) - 1, -1)
    kept = counts[inside].copy()
    if ties == "drop":
        kept[:, 2] = 0
    part = _Votes(
        pairs=pairs[inside],
        counts=kept,
        by=votes.by,
        keep=keep,
        size=len(index),
        davidson=ties == "davidson" and has_ties,
    )
    return _fit(part, group.core, drop=ties == "drop")


def _probabilities(x: Array, votes: _Votes) -> tuple[Array, Array, Array]:
    """P(a wins), P(tie) and the log of the denominator over √(π_a π_b), per pair."""
    gap = (x[votes.pairs[:, 0]] - x[votes.pairs[:, 1]]) / 2
    if not votes.davidson:
        total = np.logaddexp(gap, -gap)
        return np.exp(gap - total), np.zeros(len(gap)), total
    eta = x[votes.size]
    total = np.logaddexp(np.logaddexp(gap, -gap), eta)
    return np.exp(gap - total), np.exp(eta - total), total


def _evaluate(x: Array, votes: _Votes) -> tuple[float, Array, Array]:
    """Log likelihood, gradient and information of the counts."""
    p_a, p_tie, total = _probabilities(x, votes)
    n = votes.counts.sum(axis=1)
    score, half = _scores(votes.counts, n, p_a, p_tie), p_a + p_tie / 2
    gap = (x[votes.pairs[:, 0]] - x[votes.pairs[:, 1]]) / 2
    value = float(((votes.counts[:, 0] - votes.counts[:, 1]) * gap - n * total).sum())
    size = votes.size + votes.davidson
    gradient, information = np.zeros(size), np.zeros((size, size))
    a, b = votes.pairs[:, 0], votes.pairs[:, 1]
    np.add.at(gradient, a, score[:, 0])
    np.add.at(gradient, b, -score[:, 0])
    var_x = n * (p_a + p_tie / 4 - half**2)
    _add_outer(information, votes.pairs, var_x, votes.size)
    if votes.davidson:
        value += float(votes.counts[:, 2].sum() * x[votes.size])
        gradient[votes.size] = score[:, 1].sum()
        cov = n * (p_tie / 2 - half * p_tie)
        _add_cross(information, votes.pairs, cov, votes.size)
        information[votes.size, votes.size] = (n * p_tie * (1 - p_tie)).sum()
    return value, gradient, information


def _scores(counts: Array, n: Array, p_a: Array, p_tie: Array) -> Array:
    """Per row the score along e_a − e_b, and along log ν."""
    x = counts[:, 0] + counts[:, 2] / 2 - n * (p_a + p_tie / 2)
    return np.column_stack([x, counts[:, 2] - n * p_tie])


def _add_outer(matrix: Array, pairs: NDArray[np.intp], weight: Array, size: int) -> None:
    """Add Σ weight (e_a − e_b)(e_a − e_b)′."""
    a, b = pairs[:, 0], pairs[:, 1]
    flat = np.zeros(size * size)
    for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
        flat += sign * np.bincount(i * size + j, weights=weight, minlength=size * size)
    matrix[:size, :size] += flat.reshape(size, size)


def _add_cross(matrix: Array, pairs: NDArray[np.intp], weight: Array, size: int) -> None:
    """Add Σ weight (e_a − e_b) e_ν′ and its mirror image."""
    column = np.bincount(pairs[:, 0], weights=weight, minlength=size)
    column -= np.bincount(pairs[:, 1], weights=weight, minlength=size)
    matrix[:size, size] += column
    matrix[size, :size] += column


def _meat(
    votes: _Votes, of: ClusterVotes | None, p_a: Array, p_tie: Array, *, drop: bool
) -> tuple[Array, int]:
    """Σ_g s_g s_g′ over the clusters with a vote in the core, and how many there are."""
    size = votes.size + votes.davidson
    meat = np.zeros((size, size))
    single = votes.counts
    clusters = 0
    if of is not None:
        single = np.zeros_like(votes.counts)
        inside = votes.keep >= 0
        single[votes.keep[inside]] = np.asarray(of.single, dtype=np.float64)[inside]
        if drop:
            single[:, 2] = 0
        added, clusters = _meat_of_rows(votes, of, p_a, p_tie, drop=drop)
        meat += added
    for outcome in range(3):
        one = np.zeros((len(single), 3))
        one[:, outcome] = 1.0
        score = _scores(one, np.ones(len(single)), p_a, p_tie)
        n = single[:, outcome]
        _add_outer(meat, votes.pairs, n * score[:, 0] ** 2, votes.size)
        if votes.davidson:
            _add_cross(meat, votes.pairs, n * score[:, 0] * score[:, 1], votes.size)
            meat[-1, -1] += (n * score[:, 1] ** 2).sum()
    return meat, clusters + int(single.sum())


def _meat_of_rows(
    votes: _Votes, of: ClusterVotes, p_a: Array, p_tie: Array, *, drop: bool
) -> tuple[Array, int]:
    size = votes.size + votes.davidson
    meat = np.zeros((size, size))
    place = votes.keep[np.asarray(of.pair, dtype=np.intp)]
    counts = np.asarray(of.counts, dtype=np.float64).copy()
    if drop:
        counts[:, 2] = 0
    n = counts.sum(axis=1)
    use = (place >= 0) & (n > 0)
    place, counts, n = place[use], counts[use], n[use]
    if not len(place):
        return meat, 0
    _, cluster = np.unique(np.asarray(of.cluster)[use], return_inverse=True)
    total = int(cluster.max()) + 1
    score = _scores(counts, n, p_a[place], p_tie[place])
    a, b = votes.pairs[place, 0], votes.pairs[place, 1]
    # Dense scores for a block of clusters at a time: memory stays small whatever their number.
    for low in range(0, total, CHUNK):
        here = (cluster >= low) & (cluster < low + CHUNK)
        rows = cluster[here] - low
        height = min(CHUNK, total - low)
        block = np.bincount(rows * size + a[here], score[here, 0], height * size)
        block -= np.bincount(rows * size + b[here], score[here, 0], height * size)
        if votes.davidson:
            block += np.bincount(rows * size + votes.size, score[here, 1], height * size)
        dense = block.reshape(height, size)
        meat += dense.T @ dense
    return meat, total


def _fit(votes: _Votes, core: tuple[int, ...], *, drop: bool) -> Fit:
    start = np.zeros(votes.size + votes.davidson)
    x, value, bread = maximize(
        start,
        lambda at: _evaluate(at, votes),
        what="the Bradley–Terry fit",
        n_free=votes.size,
    )
    p_a, p_tie, _ = _probabilities(x, votes)
    covariances = {}
    for kind, of in {**votes.by, "row": None}.items():
        meat, clusters = _meat(votes, of, p_a, p_tie, drop=drop)
        covariances[kind] = (bread @ meat @ bread, clusters)
    beta = x[: votes.size] - x[: votes.size].mean()
    nu = math.exp(x[votes.size]) if votes.davidson else 0.0

    def win(gap: float) -> float:
        up, down = math.exp(gap / 2), math.exp(-gap / 2)
        return (up + nu / 2) / (up + down + nu)

    return Fit(
        core=core,
        beta=beta,
        log_likelihood=value,
        bread=bread,
        covariances=covariances,
        n_responses=int(votes.counts.sum()),
        extra={"nu": nu} if votes.davidson else {},
        win=win,
    )
