"""Elo ratings, for those who have always reported them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import OptionError
from jurybox.results import Result, ResultTable, format_number
from jurybox.stats.strengths.vote_fit import Settings, Votes, used

__all__ = ["Elo", "EloRating", "elo", "elo_in_order"]

Array = NDArray[np.float64]
MEMORIES = 10.0
"""A shuffle that is so many times as long as Elo's memory has forgotten where it began."""
ONLY = (
    "for continuity only: an Elo rating depends on the order of the votes and has no interval; "
    "Bradley–Terry strengths estimate the same thing without either fault"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EloRating(Result):
    """The Elo rating of one system, the median over shuffles; it has no interval."""

    label: ClassVar[str] = "Elo rating"

    system: str
    criterion: str | None = None

    @property
    def name(self) -> str:
        """The system."""
        return self.system

    def format(self, value: float | None) -> str:
        """A rating has one digit after the point."""
        return format_number(value, 1)

    def short(self) -> str:
        """The rating."""
        return self.format(self.estimate)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Elo(ResultTable):
    """Elo ratings, highest first."""

    label: ClassVar[str] = "Elo rating"

    rows: tuple[EloRating, ...]
    k: float = 4.0
    scale: float = 400.0
    base: float = 10.0
    initial: float = 1000.0
    n_shuffles: int = 100
    seed: int = 0


def elo_in_order(
    votes: Sequence[tuple[int, int, int]],
    n_systems: int,
    *,
    k: float = 4.0,
    scale: float = 400.0,
    base: float = 10.0,
    initial: float = 1000.0,
) -> list[float]:
    r"""The ratings after votes (a, b, outcome) in this order; outcome 0: a won, 1: b, 2: a tie.

    .. math:: R_a \leftarrow R_a + k\,(s_a - E_a), \qquad
        E_a = \frac{1}{1 + \text{base}^{(R_b - R_a)/\text{scale}}},

    with :math:`s_a` 1 for a win, ½ for a tie, 0 for a loss, and b by as much the other way.

    >>> [round(rating, 1) for rating in elo_in_order([(0, 1, 0), (0, 1, 2)], 2, k=32)]
    [1014.5, 985.5]
    """
    ratings = [initial] * n_systems
    scored = (1.0, 0.0, 0.5)
    rate = math.log(base) / scale
    for a, b, outcome in votes:
        expected = 1 / (1 + math.exp(rate * (ratings[b] - ratings[a])))
        step = k * (scored[outcome] - expected)
        ratings[a] += step
        ratings[b] -= step
    return ratings


def elo(
    votes: Votes,
    *,
    k: float = 4.0,
    scale: float = 400.0,
    base: float = 10.0,
    initial: float = 1000.0,
    n_shuffles: int = 100,
    seed: int = 0,
) -> Elo:
    """The median rating of every system over shuffles of the votes; a ``both_bad`` is a tie.

    Notes
    -----
    Elo forgets: of a rating's distance from its final value a game keeps, between equals, the share
    1 − k log(base)/(4 · scale) and so about 1/e after 4 · scale/(k log(base)) games. Of more votes
    than give every system ten times as many games, each shuffle takes only so many, at random.
    """
    for name, value in (("k", k), ("scale", scale), ("n_shuffles", n_shuffles)):
        if not value > 0:
            raise OptionError(f"elo: {name} must be larger than 0; got {value}")
    if not base > 1:
        raise OptionError(f"elo: base must be larger than 1; got {base}")
    names = votes.systems
    counts = np.where(used(votes, Settings()), votes.count, 0.0).astype(np.int64)
    total = int(counts.sum())
    made = Elo(
        rows=(),
        k=k,
        scale=scale,
        base=base,
        initial=initial,
        n_shuffles=n_shuffles,
        seed=seed,
        notes=(ONLY,),
    )
    if total == 0:
        return replace(made, undefined="there are no votes")
    memory = 4 * scale / (k * math.log(base))
    length = min(total, math.ceil(MEMORIES * memory * len(names) / 2))
    rng = np.random.default_rng(seed)
    shuffled = _shuffled(votes, counts, length, n_shuffles, math.log(base) / scale, k, rng)
    # Not np.median, whose first use imports all of numpy.ma.
    shuffled = np.sort(shuffled, axis=0)
    found = (shuffled[(n_shuffles - 1) // 2] + shuffled[n_shuffles // 2]) / 2
    games = np.bincount(votes.a, counts, len(names)) + np.bincount(votes.b, counts, len(names))
    notes = [ONLY]
    if length < total:
        notes.append(
            f"each of the {n_shuffles:,} shuffles takes {length:,} of the {total:,} votes at "
            "random, by when Elo has forgotten where it began"
        )
    rows = [
        EloRating(estimate=float(initial + found[s]), system=names[s], n_responses=int(games[s]))
        for s in np.argsort(-found, kind="stable")
    ]
    return replace(made, rows=tuple(rows), notes=tuple(notes))


def _shuffled(
    votes: Votes,
    counts: NDArray[np.int64],
    length: int,
    n_shuffles: int,
    rate: float,
    k: float,
    rng: np.random.Generator,
) -> Array:
    """Ratings less the initial one, shuffles × systems; all shuffles take a step at a time."""
    orders = np.empty((length, n_shuffles), dtype=np.int64)
    whole = np.repeat(np.arange(len(counts)), counts) if length == counts.sum() else None
    for s in range(n_shuffles):
        taken = whole
        if taken is None:
            drawn = rng.multivariate_hypergeometric(counts, length, method="marginals")
            taken = np.repeat(np.arange(len(counts)), drawn)
        orders[:, s] = rng.permutation(taken)
    scored = np.array([1.0, 0.0, 0.5, 0.5])[votes.winner]
    ratings = np.zeros((n_shuffles, len(votes.systems)))
    flat = ratings.reshape(-1)
    base = np.arange(n_shuffles) * len(votes.systems)
    for cells in orders:
        a, b = base + votes.a[cells], base + votes.b[cells]
        step = k * (scored[cells] - 1 / (1 + np.exp(rate * (flat[b] - flat[a]))))
        flat[a] += step
        flat[b] -= step
    return ratings
