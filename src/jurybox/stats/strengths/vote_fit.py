"""Strengths of systems that beat each other, fitted to the distinct votes and their counts."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import OptionError
from jurybox.results import format_count
from jurybox.stats.small_matrices import inverse
from jurybox.stats.strengths.connected import ties_run_away
from jurybox.stats.strengths.results import maximize
from jurybox.stats.strengths.vote_models import Design, Model, evaluate, slopes

__all__ = ["CoreFit", "CoreVotes", "Settings", "Ties", "Votes", "fit_core", "select_votes"]

Array = NDArray[np.float64]
Ties = Literal["davidson", "rao_kupper", "half", "drop"]
FARTHEST = 40.0
"""Log odds beyond which a coefficient is taken to grow without bound."""
FLAT = 1e9
"""The variance of a coefficient beyond which the likelihood is taken not to fall along it."""
PARAMETER = {"davidson": "Davidson's ν", "rao_kupper": "Rao and Kupper's θ"}


class Votes(Protocol):
    """The distinct votes with their counts; who cast which comes by blocks of whole clusters."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems."""

    @property
    def a(self) -> NDArray[Any]:
        """The number of system a."""

    @property
    def b(self) -> NDArray[Any]:
        """The number of system b."""

    @property
    def winner(self) -> NDArray[Any]:
        """0: a, 1: b, 2: tie, 3: both bad."""

    @property
    def first(self) -> NDArray[Any]:
        """1: a was shown first, −1: b, 0: unknown."""

    @property
    def strength(self) -> NDArray[Any]:
        """How strong the preference was; NaN where it is unknown."""

    @property
    def x(self) -> NDArray[Any]:
        """Cells × covariates: the value of a minus that of b."""

    @property
    def count(self) -> NDArray[Any]:
        """How often the vote was cast."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of clusters that are known: ``item``, ``rater``, ``cell``."""

    @property
    def alone(self) -> bool:
        """Whether it is known that every vote is the only one of its rater on its item."""

    def clustered(
        self, kinds: Collection[str]
    ) -> Iterator[Mapping[str, tuple[NDArray[Any], NDArray[Any]]]]:
        """For every kind the numbers of cluster and cell of each vote, whole clusters together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How votes are turned into wins, and what is fitted beside the strengths."""

    ties: Ties = "davidson"
    both_bad: Literal["tie", "drop"] = "tie"
    graded: bool = False
    position: bool = False
    covariates: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.ties not in ("davidson", "rao_kupper", "half", "drop"):
            raise OptionError(
                f"ties must be 'davidson', 'rao_kupper', 'half' or 'drop'; got {self.ties!r}"
            )
        if self.both_bad not in ("tie", "drop"):
            raise OptionError(f"both_bad must be 'tie' or 'drop'; got {self.both_bad!r}")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coefficients."""
        return (*(("position",) if self.position else ()), *self.covariates)

    @property
    def quasi(self) -> bool:
        """Whether what is maximized is no likelihood."""
        return self.ties == "half" or self.graded


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreVotes:
    """The votes inside one core: for every cell its row of the design, outcome and weight."""

    design: Design
    row: NDArray[np.intp]
    """−1 for a cell outside."""
    outcome: NDArray[np.intp]
    """0: the design's a won, 1: its b, 2: tie."""
    weight: Array
    count: Array
    """How often the vote was cast; 0 outside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreFit:
    """The maximum of one core's (quasi-)likelihood."""

    core: tuple[int, ...]
    votes: CoreVotes
    at: Array
    value: float
    bread: Array
    names: tuple[str, ...]
    """The coefficients that could be estimated."""
    scale: Array
    """By how much each column of x was divided."""
    missing: Mapping[str, str]
    """Why a coefficient could not."""

    @property
    def gap_slope(self) -> Array:
        """∂ℓ/∂g of every cell's vote; 0 outside."""
        return self._slope("gap")

    @property
    def tie_slope(self) -> Array:
        """∂ℓ/∂η or ∂ℓ/∂λ of every cell's vote; 0 outside."""
        return self._slope("tie")

    def _slope(self, of: str) -> Array:
        design = self.votes.design
        found = slopes(design.gaps(self.at), design.tie(self.at), design.model)
        picked = getattr(found, of)[self.votes.row, self.votes.outcome] * self.votes.weight
        return np.asarray(np.where(self.votes.row >= 0, picked, 0.0), dtype=np.float64)

    @property
    def tie_parameter(self) -> float | None:
        """ν or θ; ``None`` where the model has none."""
        design = self.votes.design
        return math.exp(design.tie(self.at)) if design.tied else None


def weights(votes: Votes, settings: Settings) -> Array:
    """The weight of each cell's vote: strength ÷ largest strength, and 1 for a tie."""
    if not settings.graded:
        return np.ones(len(votes.count))
    decided = (votes.winner < 2) & (votes.count > 0)
    largest = float(votes.strength[decided].max(initial=0.0)) or 1.0
    return np.where(votes.winner < 2, votes.strength / largest, 1.0)


def unusable(votes: Votes, settings: Settings) -> str | None:
    """Why these votes cannot be fitted as asked; ``None`` if they can."""
    speaks = used(votes, settings)
    decided = speaks & (votes.winner < 2)
    if settings.graded:
        known = votes.strength[decided]
        missing = int(votes.count[decided][np.isnan(known)].sum())
        if missing:
            many = format_count(missing, "vote with a winner", "votes with a winner")
            return f"{many} {_have(missing)} no strength that is a number"
        if (known <= 0).any():
            return f"a strength must be larger than 0; one is {float(known.min()):g}"
    for c, name in enumerate(settings.covariates):
        missing = int(votes.count[speaks][~np.isfinite(votes.x[speaks, c])].sum())
        if missing:
            return f"{format_count(missing, 'vote')} {_have(missing)} no {name} that is a number"
    return None


def _have(n: int) -> str:
    return "has" if n == 1 else "have"


def used(votes: Votes, settings: Settings) -> NDArray[np.bool_]:
    """Which cells speak: those of two systems whose outcome is not dropped."""
    keep = (votes.a != votes.b) & (votes.count > 0)
    if settings.ties == "drop":
        keep &= votes.winner < 2
    if settings.both_bad == "drop":
        keep &= votes.winner < 3
    return np.asarray(keep, dtype=np.bool_)


def select_votes(
    votes: Votes, core: Sequence[int], settings: Settings, *, outside: int | None = None
) -> CoreVotes:
    """The votes among the core, or with ``outside`` also those of one more system with it."""
    place = np.full(len(votes.systems), -1, dtype=np.intp)
    place[list(core)] = np.arange(len(core))
    if outside is not None:
        place[outside] = len(core)
    a, b = place[votes.a], place[votes.b]
    inside = used(votes, settings) & (a >= 0) & (b >= 0)
    turned = a > b
    low, high = np.minimum(a, b), np.maximum(a, b)
    columns = [votes.first[:, None]] if settings.position else []
    x = np.hstack([*columns, votes.x if settings.covariates else np.zeros((len(a), 0))])
    x = np.where(turned[:, None], -x, x)
    outcome = np.minimum(votes.winner, 2).astype(np.intp)
    outcome = np.where(turned & (outcome < 2), 1 - outcome, outcome)
    weight = weights(votes, settings)
    count = np.where(inside, votes.count, 0.0)
    # Where the order is known, either order of a pair is a row of its own, fitted or not.
    shown = np.where(turned, -votes.first, votes.first).astype(np.intp) + 1
    key = ((low * (len(core) + 1) + high) * 3 + shown)[inside]
    if settings.covariates:
        key = np.arange(len(key))
    _, where, back = np.unique(key, return_index=True, return_inverse=True)
    row = np.full(len(a), -1, dtype=np.intp)
    row[inside] = back
    flat = np.bincount(
        back * 3 + outcome[inside], (count * weight)[inside], minlength=3 * len(where)
    ).astype(np.float64)
    has_ties = bool(flat.reshape(-1, 3)[:, 2].sum())
    model: Model = "plain"
    if settings.ties in ("davidson", "rao_kupper") and has_ties:
        model = settings.ties
    return CoreVotes(
        design=Design(
            size=len(core),
            a=low[inside][where],
            b=high[inside][where],
            x=x[inside][where],
            counts=flat.reshape(-1, 3),
            model=model,
        ),
        row=row,
        outcome=outcome,
        weight=weight,
        count=count,
    )


def fit_core(votes: Votes, core: tuple[int, ...], settings: Settings) -> CoreFit | str:
    """The fit of a core; a sentence where the tie parameter grows without bound."""
    chosen = select_votes(votes, core, settings)
    design = chosen.design
    if design.tied and ties_run_away(*_matrices(design)):
        return (
            f"{PARAMETER[settings.ties]} grows without bound on these votes; ties='half' gives "
            "strengths"
        )
    scale = np.sqrt((design.x**2).mean(axis=0)) if len(design.x) else np.ones(0)
    missing: dict[str, str] = {}
    names = list(settings.names)
    kept = _estimable(design, scale, names, missing)
    while True:
        part = replace(design, x=design.x[:, kept] / scale[kept])
        try:
            at, value, bread = _maximize(part)
            break
        except _RunawayError:
            if not kept:
                raise
            for c in kept:
                missing[names[c]] = (
                    f"the votes are split by {_what(names[c])} so cleanly that its coefficient "
                    "grows without bound"
                )
            kept = []
    return CoreFit(
        core=core,
        votes=replace(chosen, design=part),
        at=at,
        value=value,
        bread=bread,
        names=tuple(names[c] for c in kept),
        scale=scale[kept],
        missing=missing,
    )


def _matrices(design: Design) -> tuple[Array, Array]:
    """``wins[i, j]`` of i over j, and the symmetric ties."""
    k = design.size
    wins, tied = np.zeros((k, k)), np.zeros((k, k))
    np.add.at(wins, (design.a, design.b), design.counts[:, 0])
    np.add.at(wins, (design.b, design.a), design.counts[:, 1])
    np.add.at(tied, (design.a, design.b), design.counts[:, 2])
    return wins, tied + tied.T


def _what(name: str) -> str:
    return "who was shown first" if name == "position" else name


def _estimable(
    design: Design, scale: Array, names: Sequence[str], missing: dict[str, str]
) -> list[int]:
    """The columns of x that strengths and earlier columns do not already explain."""
    kept: list[int] = []
    n = design.counts.sum(axis=1)
    for c, name in enumerate(names):
        if not scale[c] > 0:
            missing[name] = (
                "the table does not say which output was shown first"
                if name == "position"
                else f"{name} is the same on both sides of every vote"
            )
            continue
        x = design.x[:, [*kept, c]] / scale[[*kept, c]]
        plain = replace(design, x=x, model="plain", counts=np.column_stack([n, 0 * n, 0 * n]))
        _, _, information = evaluate(np.zeros(plain.parameters), plain)
        information[: design.size, : design.size] += n.sum() / design.size
        others = inverse(information[:-1, :-1])
        left = (
            information[-1, -1] - (others * information[-1, :-1]).sum(axis=1) @ information[-1, :-1]
        )
        # One order only leaves the place to what strengths fail to describe, which may be anything.
        if left > 1e-9 * information[-1, -1] and (name != "position" or _both_orders(design, c)):
            kept.append(c)
        elif name == "position":
            missing[name] = (
                "no pair was shown in both orders, so the pull of the first place cannot be told "
                "from the systems' strengths"
            )
        else:
            missing[name] = f"{name} cannot be told from the systems' strengths"
    return kept


def _both_orders(design: Design, column: int) -> bool:
    """Whether a pair was shown in both orders."""
    pair, shown = design.a * design.size + design.b, design.x[:, column]
    return bool(np.isin(pair[shown > 0], pair[shown < 0]).any())


class _RunawayError(Exception):
    """A coefficient grows without bound."""


def _first_guess(design: Design) -> Array:
    """Strengths from the mean log odds against those met, which Newton's method ends near."""
    wins, tied = _matrices(design)
    won = wins + tied / 2
    met = won + won.T
    odds = np.log(won + 0.5) - np.log(won.T + 0.5)
    guess = (met * odds).sum(axis=1) / np.maximum(met.sum(axis=1), 1.0)
    return np.asarray(guess - guess.mean(), dtype=np.float64)


def _maximize(design: Design) -> tuple[Array, float, Array]:
    start = np.zeros(design.parameters)
    start[: design.size] = _first_guess(design)
    if design.tied:
        share = design.counts[:, 2].sum() / design.counts.sum()
        odds = {"davidson": 2 * share / (1 - share), "rao_kupper": (1 + share) / (1 - share)}
        start[design.size] = math.log(odds[design.model])

    def bounded(at: Array) -> tuple[float, Array, Array]:
        if np.abs(at[design.size :]).max(initial=0.0) > FARTHEST:
            raise _RunawayError
        return evaluate(at, design)

    try:
        found = maximize(start, bounded, what="the Bradley–Terry fit", n_free=design.size)
    except np.linalg.LinAlgError as error:
        raise _RunawayError from error
    # Where a strength runs along with it, probabilities round to 0 and 1 on the way to the limit.
    if np.diag(found[2])[design.size + design.tied :].max(initial=0.0) > FLAT:
        raise _RunawayError
    return found
