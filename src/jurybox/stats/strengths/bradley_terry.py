"""Bradley–Terry strengths from distinct votes and their counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from jurybox.results import format_count, format_number
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.distributions import check_confidence, from_logit
from jurybox.stats.small_matrices import product
from jurybox.stats.strengths.coefficients import Asked, Coefficient, coefficients_of
from jurybox.stats.strengths.family import Family, compare_strengths
from jurybox.stats.strengths.goodness import GoodnessOfFit, goodness_of_fit, projections
from jurybox.stats.strengths.profile import bounded_rows
from jurybox.stats.strengths.results import (
    Fit,
    Group,
    Strength,
    Strengths,
    find_groups,
    group_rows,
    notes_on_groups,
)
from jurybox.stats.strengths.vote_clusters import Added, Scores, add_up, scores_of
from jurybox.stats.strengths.vote_fit import (
    PARAMETER,
    CoreFit,
    Settings,
    Ties,
    Votes,
    fit_core,
    unusable,
    used,
    weights,
)

__all__ = ["NO_TIES", "BradleyTerry", "Coefficient", "Settings", "Ties", "Votes", "bradley_terry"]

Array = NDArray[np.float64]
UNTESTED = GoodnessOfFit(
    estimate=None,
    undefined="with covariates nearly every vote has a probability of its own, so there is no "
    "saturated model to compare with",
)

NO_TIES = "no ties occurred"
"""How the note begins that says so."""
MOST_PAIRS = 1_000
"""Pairs of systems that are listed without being asked for."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
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


def bradley_terry(
    votes: Votes,
    settings: Settings | None = None,
    *,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
    seed: int = 0,
    pairs: bool | None = None,
) -> BradleyTerry:
    r"""Log strengths by maximum likelihood, with a covariance clustered as asked.

    Notes
    -----
    The models are those of ``vote_models``. ``half`` counts a tie as half a win for both, and
    ``graded`` weighs every vote: quasi-likelihoods, whose covariance is the sandwich only. The
    maximum is found by Newton's method on the distinct votes; the covariance is
    :math:`H^{-1} M H^{-1}` with :math:`M = \sum_g s_g s_g'` over clusters, both ways by default.
    ``pairs``: whether every two systems are listed, by default up to a thousand pairs.

    References
    ----------
    Bradley and Terry (1952), doi:10.1093/biomet/39.3-4.324; Davidson (1970),
    doi:10.1080/01621459.1970.10481082; Rao and Kupper (1967), doi:10.1080/01621459.1967.10482901.
    """
    check_confidence(confidence)
    settings = settings or Settings()
    asked = Asked(confidence=confidence, cluster=cluster, generalize=generalize)
    base = BradleyTerry(
        rows=(),
        confidence=confidence,
        cluster=cluster,
        ties=settings.ties,
        both_bad=settings.both_bad,
        graded=settings.graded,
        seed=seed,
    )
    counts = np.where(used(votes, settings), votes.count, 0.0)
    if votes.count.sum() == 0:
        return replace(base, undefined="there are no votes")
    why = unusable(votes, settings)
    if why is not None:
        none = tuple(Strength(estimate=None, undefined=why, system=s) for s in votes.systems)
        return replace(base, rows=none, undefined=why)
    if counts[votes.winner < 2].sum() == 0:
        why = "no vote has a winner, so no system is stronger than another and none is told apart"
        none = tuple(Strength(estimate=None, undefined=why, system=s) for s in votes.systems)
        return replace(base, rows=none, undefined=why)
    wins, tied = _matrices(votes, counts)
    groups = find_groups((wins + tied) > 0)
    made = [
        fit_core(votes, group.core, settings)
        if group.core
        else "no two systems have beaten each other"
        for group in groups
    ]
    if pairs is None:
        pairs = sum(len(g.core) * (len(g.core) - 1) // 2 for g in groups) <= MOST_PAIRS
    return _report(base, votes, settings, asked, groups, made, wins, pairs=pairs)


def _report(
    base: BradleyTerry,
    votes: Votes,
    settings: Settings,
    asked: Asked,
    groups: Sequence[Group],
    made: Sequence[CoreFit | str],
    wins: Array,
    *,
    pairs: bool,
) -> BradleyTerry:
    """Everything that follows from the fits."""
    fitted = [each for each in made if isinstance(each, CoreFit)]
    scores = [scores_of(each) for each in fitted]
    tested = bool(fitted) and not settings.covariates
    drawn = [
        projections(f, s, seed=base.seed) for f, s in zip(fitted, scores, strict=True) if tested
    ]
    added = (
        add_up(votes, scores, asked.summed, only_count=asked.counted, projections=drawn)
        if fitted
        else []
    )
    full = [_full(*each) for each in zip(fitted, scores, added, strict=True)]
    left = iter(full)
    fits = [next(left) if isinstance(each, CoreFit) else each for each in made]
    family = compare_strengths(
        groups, fits, votes.systems, **asked.options, seed=base.seed, pairs=pairs
    )
    rows = [
        row
        for number, (group, fit) in enumerate(zip(groups, fits, strict=True), start=1)
        for row in group_rows(
            group, fit, votes.systems, wins, group_number=number, options=asked.options
        )
    ]
    rows = bounded_rows(rows, votes, settings, asked, groups, made)
    notes = [*notes_on_groups(groups, votes.systems), *_notes_on_cores(groups, votes.systems)]
    notes += _notes_on_fits(fitted, votes, settings)
    if not pairs:
        notes.append("the differences of so many systems are listed on request: pairs=True")
    good = UNTESTED if fitted else None
    if tested:
        good = goodness_of_fit(
            fitted,
            scores,
            drawn,
            added,
            votes.systems,
            quasi=settings.quasi,
            cluster=asked.cluster,
            generalize=asked.generalize,
        )
    return replace(
        base,
        rows=_with_ranks(rows, family, votes.systems),
        differences=family.differences,
        groups=tuple(tuple(votes.systems[k] for k in group.members) for group in groups),
        cores=tuple(tuple(votes.systems[k] for k in group.core) for group in groups),
        ranks_by=family.method if family.ranks else None,
        log_likelihood=(
            sum(each.value for each in fitted) if fitted and not settings.quasi else None
        ),
        undefined=None if fitted else _nothing(made),
        notes=tuple(dict.fromkeys([*notes, *family.notes])),
        tie_parameter=fitted[0].tie_parameter if len(fitted) == 1 else None,
        coefficients=coefficients_of(fitted, full, settings, asked),
        fit=good,
    )


def _with_ranks(
    rows: Sequence[Strength], family: Family, systems: Sequence[str]
) -> tuple[Strength, ...]:
    """The rows with the ranks that are possible for each system."""
    numbers = {name: k for k, name in enumerate(systems)}
    ranks = [family.ranks.get(numbers[row.system], (None, None)) for row in rows]
    return tuple(
        replace(row, rank_low=low, rank_high=high)
        for row, (low, high) in zip(rows, ranks, strict=True)
    )


def _nothing(made: Sequence[CoreFit | str]) -> str:
    return next((each for each in made if isinstance(each, str)), "there are no votes")


def _matrices(votes: Votes, counts: Array) -> tuple[Array, Array]:
    """``wins[i, j]`` of i over j, and the symmetric ties that count as both."""
    k = len(votes.systems)
    flat = votes.a * k + votes.b
    won, lost, drawn = (
        np.bincount(flat[part], counts[part], k * k).reshape(k, k).astype(np.float64)
        for part in (votes.winner == 0, votes.winner == 1, votes.winner >= 2)
    )
    return won + lost.T, drawn + drawn.T


def _full(fit: CoreFit, scores: Scores, added: dict[str, Added]) -> Fit:
    """The fit with its clustered covariances."""
    covariances = {
        kind: (_sandwich(fit.bread, part.meat), part.clusters) for kind, part in added.items()
    }
    row = _sandwich(fit.bread, scores.single(scores.count))
    design = fit.votes.design
    beta = fit.at[: design.size]
    return Fit(
        core=fit.core,
        beta=beta - beta.mean(),
        log_likelihood=fit.value,
        bread=fit.bread,
        covariances={**covariances, "row": (row, int(scores.count.sum()))},
        n_responses=int(scores.count.sum()),
        win=_win(fit),
    )


def _sandwich(bread: Array, meat: Array) -> Array:
    return product(product(bread, meat), bread)


def _win(fit: CoreFit) -> Callable[[float], float]:
    """The probability that a system stronger by so much wins, a tie counting half."""
    design = fit.votes.design
    tie = design.tie(fit.at)
    if design.model == "davidson":
        nu = math.exp(tie)

        def davidson(gap: float) -> float:
            # Divided by the larger of the two, so that nothing overflows.
            small = math.exp(-abs(gap))
            middle = nu * math.exp(-abs(gap) / 2)
            share = (1 + middle / 2) / (1 + small + middle)
            return share if gap >= 0 else 1 - share

        return davidson

    # With Rao and Kupper's λ = 0 this is the plain σ(g).
    return lambda gap: (from_logit(gap - tie) + 1 - from_logit(-gap - tie)) / 2


def _notes_on_cores(groups: Sequence[Group], names: Sequence[str]) -> list[str]:
    """Which systems have mean zero, where some have no number."""
    return [
        f"strengths are centered among {', '.join(names[k] for k in group.core)}"
        for group in groups
        if group.core and len(group.core) < len(group.members)
    ]


def _notes_on_fits(fitted: Sequence[CoreFit], votes: Votes, settings: Settings) -> list[str]:
    notes = []
    ties = int(votes.count[votes.winner >= 2].sum())
    bad = int(votes.count[votes.winner == 3].sum())
    if settings.both_bad == "drop" and bad:
        notes.append(f"{format_count(bad, 'vote')} that call both bad left out")
        ties -= bad
    if settings.ties in PARAMETER and any(not fit.votes.design.tied for fit in fitted):
        edge = "ν is 0" if settings.ties == "davidson" else "θ is 1"
        whose = PARAMETER[settings.ties].rsplit(" ", 1)[0]
        notes.append(f"{NO_TIES} among the ranked systems, so {whose} {edge}")
    if settings.ties == "half" and ties:
        notes.append("ties count as half a win for both")
    if settings.ties == "drop" and ties:
        notes.append(f"{format_count(ties, 'tie')} left out")
    if settings.graded:
        notes.append(_note_on_weights(votes, settings))
    unknown = int(votes.count[votes.first == 0].sum())
    if settings.position and 0 < unknown < votes.count.sum():
        notes.append(f"{format_count(unknown, 'vote')} without the order count as shown in neither")
    return notes


def _note_on_weights(votes: Votes, settings: Settings) -> str:
    """The weights as they are printed: at most eight of them."""
    decided = (votes.winner < 2) & (votes.count > 0)
    weight = weights(votes, settings)[decided]
    pairs = sorted(set(zip(votes.strength[decided].tolist(), weight.tolist(), strict=True)))
    shown = pairs if len(pairs) <= 8 else [*pairs[:4], *pairs[-4:]]
    listed = ", ".join(f"{strength:g} counts {format_number(w, 2)}" for strength, w in shown)
    return f"votes are weighted by strength ÷ largest strength ({listed}); a tie counts 1"
