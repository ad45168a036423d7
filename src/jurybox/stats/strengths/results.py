"""What Bradley–Terry and Plackett–Luce share: strengths, their differences, and the sandwich."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import AnalysisError
from jurybox.results import Interval, Result, ResultTable
from jurybox.stats.clusters import Cluster, Generalize, OneWay, claims, t_interval
from jurybox.stats.multiple import Comparison
from jurybox.stats.small_matrices import centered, inverse
from jurybox.stats.strengths.connected import groups, reachable, strong_components

__all__ = [
    "Fit",
    "Group",
    "Strength",
    "StrengthDifference",
    "Strengths",
    "find_groups",
    "group_rows",
    "maximize",
    "notes_on_groups",
    "strength_rows",
]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength(Result):
    """The log strength of one system; the strengths of a group have mean zero."""

    label: ClassVar[str] = "strength"
    neutral: ClassVar[float | None] = 0.0

    system: str
    criterion: str | None = None
    group: int = 1
    """Systems of different groups were never compared, so their strengths cannot be."""
    rank_low: int | None = None
    """The best rank within the group that the comparisons leave open, for all systems at once."""
    rank_high: int | None = None
    """The worst one."""

    @property
    def name(self) -> str:
        """The system."""
        return self.system


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthDifference(Comparison):
    """The difference of two log strengths: the log odds that the first beats the second."""

    label: ClassVar[str] = "difference of strengths"
    neutral: ClassVar[float | None] = 0.0

    system: str
    other: str
    criterion: str | None = None
    win_probability: float | None = None
    """How often the first beats the second by the fit, a tie counting half."""
    win_interval: Interval | None = None
    """The interval of the win probability: that of the difference, carried over by the fit."""

    @property
    def name(self) -> str:
        """The two systems."""
        return f"{self.system} − {self.other}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Strengths(ResultTable):
    """Log strengths of all systems, strongest first, and the difference of every two."""

    label: ClassVar[str] = "strength (log scale)"

    rows: tuple[Strength, ...]
    differences: tuple[StrengthDifference, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    """The systems that can be compared with each other."""
    cores: tuple[tuple[str, ...], ...] = ()
    """Of each group the systems with finite strengths, whose mean is zero."""
    ranks_by: str | None = None
    """How the rank sets were found: ``max-t over 6 comparisons``; ``None`` where there are none."""
    log_likelihood: float | None = None
    confidence: float = 0.95
    cluster: str | None = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Systems joined by votes: ``core`` has finite strengths; the others are above or below it."""

    members: tuple[int, ...]
    core: tuple[int, ...]
    above: tuple[int, ...]
    below: tuple[int, ...]
    beside: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Log strengths of one core with their clustered covariances.

    ``covariances`` holds, per kind of cluster, the sandwich without G/(G−1), and G.
    """

    core: tuple[int, ...]
    beta: Array
    log_likelihood: float
    bread: Array
    covariances: Mapping[str, tuple[Array, int]]
    n_responses: int
    win: Callable[[float], float]
    """The probability that a system stronger by so much wins, a tie counting half."""

    def own_variances(self) -> dict[str, tuple[list[float], int]]:
        """The variance of every strength about the mean of all, and G, by kind of cluster."""
        size = len(self.beta)
        floor = 1e-12 * np.diag(centered(self.bread[:size, :size]))
        found = {}
        for kind, (matrix, clusters) in self.covariances.items():
            total = np.diag(centered(matrix[:size, :size]))
            factor = clusters / (clusters - 1) if clusters > 1 else 0.0
            found[kind] = (np.where(total > floor, total * factor, 0.0).tolist(), clusters)
        return found


def find_groups(beat: NDArray[np.bool_]) -> tuple[Group, ...]:
    """The groups of systems that votes join, each with its largest strong component as core."""
    found = []
    for members in groups(beat):
        index = np.array(members)
        local = beat[np.ix_(index, index)]
        core = strong_components(local)[0]
        core = core if len(core) > 1 else ()
        sets: dict[str, list[int]] = {"above": [], "below": [], "beside": []}
        for k in range(len(members)):
            if k in core:
                continue
            down, up = reachable(local, k), reachable(local.T, k)
            if core:
                place = "above" if core[0] in down else "below" if core[0] in up else "beside"
            else:
                place = "above" if len(up) == 1 else "below" if len(down) == 1 else "beside"
            sets[place].append(k)
        named = {name: tuple(members[k] for k in part) for name, part in sets.items()}
        found.append(Group(members=members, core=tuple(members[k] for k in core), **named))
    return tuple(found)


def maximize(
    start: Array,
    evaluate: Callable[[Array], tuple[float, Array, Array]],
    *,
    what: str,
    n_free: int,
) -> tuple[Array, float, Array]:
    """Newton's method with step halving on a concave log likelihood.

    ``evaluate`` gives the log likelihood, its gradient and its information; the first ``n_free``
    parameters are log strengths, held at mean zero by adding 1 to their block of the information.
    Returns the maximum, the log likelihood and the inverse of that matrix.
    """
    x = start
    value, gradient, information = evaluate(x)
    scale = max(1.0, float(np.abs(np.diag(information)).max()))
    for _ in range(200):
        information[:n_free, :n_free] += scale / n_free
        inverted = inverse(information)
        step = (inverted * gradient).sum(axis=1)
        if np.abs(gradient).max() <= 1e-9 * scale and np.abs(step).max() <= 1e-9:
            return x, value, inverted
        size = 1.0
        while size > 1e-10:
            trial = x + size * step
            new, new_gradient, new_information = evaluate(trial)
            if new >= value - 1e-12 * abs(value):
                break
            size /= 2
        x, value, gradient, information = trial, new, new_gradient, new_information
    raise AnalysisError(
        f"{what} did not converge in 200 steps; the largest gradient left is "
        f"{np.abs(gradient).max():.3g}"
    )


def strength_rows(
    fit: Fit,
    names: Sequence[str],
    *,
    group: int,
    confidence: float,
    cluster: Cluster,
    generalize: Generalize,
) -> list[Strength]:
    """The strengths of one fit, strongest first."""
    rows = []
    spreads = fit.own_variances()
    for k in np.argsort(-fit.beta, kind="stable"):
        found = {
            kind: OneWay(variance=values[k], clusters=clusters)
            for kind, (values, clusters) in spreads.items()
        }
        claim = claims(found, cluster=cluster, generalize=generalize)
        estimate = float(fit.beta[k])
        rows.append(
            Strength(
                estimate=estimate,
                interval=t_interval(estimate, claim.main, confidence),
                these_raters=t_interval(estimate, claim.these_raters, confidence),
                n_items=found["item"].clusters if "item" in found else None,
                n_raters=found["rater"].clusters if "rater" in found else None,
                n_responses=fit.n_responses,
                undefined=claim.undefined,
                notes=claim.notes,
                system=names[fit.core[k]],
                group=group,
            )
        )
    return rows


def notes_on_groups(found: Sequence[Group], names: Sequence[str]) -> list[str]:
    """The sentence that names groups never compared with each other, if there are several."""
    if len(found) < 2:
        return []
    named = "; ".join(", ".join(names[k] for k in group.members) for group in found)
    return [
        f"the systems fall into {len(found)} groups that were never compared with each other "
        f"({named}): strengths can be compared within a group only"
    ]


def group_rows(
    group: Group,
    fit: Fit | str,
    names: Sequence[str],
    wins: Array,
    *,
    group_number: int,
    options: dict[str, Any],
) -> list[Strength]:
    """The rows of one group: those above its core, the core, those below; a sentence each."""

    def undefined(k: int, why: str) -> Strength:
        return Strength(estimate=None, undefined=why, system=names[k], group=group_number)

    if isinstance(fit, str):
        middle = [undefined(k, fit) for k in group.core]
    else:
        middle = strength_rows(fit, names, group=group_number, **options)
    above, beside, below = (
        [undefined(k, _why(k, group, names, wins)) for k in part]
        for part in (group.above, group.beside, group.below)
    )
    return [*above, *middle, *beside, *below]


def _why(k: int, group: Group, names: Sequence[str], wins: Array) -> str:
    """Why a system has no finite strength, and where it stands."""
    core = ", ".join(names[i] for i in group.core)
    if k in group.above and wins[:, k].sum() == 0:
        return f"{names[k]} was never beaten, so its strength has no upper bound: ranked first"
    if k in group.below and wins[k].sum() == 0:
        return f"{names[k]} never won, so its strength has no lower bound: ranked last"
    if not core:
        return (
            f"nothing contradicts the order that {names[k]} stands in, so it has no distance in it"
        )
    if k in group.above:
        return f"nothing speaks for {core} over {names[k]}: ranked above them"
    if k in group.below:
        return f"nothing speaks for {names[k]} over {core}: ranked below them"
    return f"{names[k]} is joined to {core} by wins or losses in one direction only"
