"""Votes held in arrays, for those who have them there: simulations, and tests."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["VoteTable", "vote_table"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class VoteTable:
    """The distinct votes of arrays, as ``vote_fit.Votes`` describes them."""

    systems: tuple[str, ...]
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    winner: NDArray[np.int64]
    first: NDArray[np.float64]
    strength: NDArray[np.float64]
    x: NDArray[np.float64]
    count: NDArray[np.float64]
    cell: NDArray[np.int64] = field(repr=False)
    """The cell of every vote."""
    clusters: Mapping[str, NDArray[np.int64]] = field(repr=False)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of clusters that are known."""
        return tuple(self.clusters)

    @property
    def alone(self) -> bool:
        """Nobody has looked."""
        return False

    def clustered(
        self, kinds: Collection[str]
    ) -> Iterator[Mapping[str, tuple[NDArray[np.int64], NDArray[np.int64]]]]:
        """All votes at once, by the clusters asked for."""
        found = {kind: (self.clusters[kind], self.cell) for kind in self.kinds if kind in kinds}
        if found:
            yield found


def vote_table(
    systems: Sequence[str],
    a: ArrayLike,
    b: ArrayLike,
    winner: ArrayLike,
    *,
    item: ArrayLike | None = None,
    rater: ArrayLike | None = None,
    first: ArrayLike | None = None,
    strength: ArrayLike | None = None,
    x: ArrayLike | None = None,
    count: ArrayLike | None = None,
) -> VoteTable:
    """Votes from one number each: systems, winner (0 a, 1 b, 2 tie, 3 both bad), item, rater.

    With ``count`` every row stands for so many votes; then there are no clusters.

    >>> votes = vote_table(["x", "y"], [0, 0, 1], [1, 1, 0], [0, 0, 1], rater=[0, 1, 1])
    >>> votes.count.tolist(), votes.kinds
    ([2.0, 1.0], ('rater',))
    """
    one, two, won = (np.asarray(part, dtype=np.int64) for part in (a, b, winner))
    n = len(one)
    order = np.zeros(n) if first is None else np.asarray(first, dtype=np.float64)
    strong = np.full(n, np.nan) if strength is None else np.asarray(strength, dtype=np.float64)
    more = np.zeros((n, 0)) if x is None else np.asarray(x, dtype=np.float64).reshape(n, -1)
    times = np.ones(n) if count is None else np.asarray(count, dtype=np.float64)
    key: NDArray[Any] = ((one * len(systems) + two) * 4 + won) * 3 + order.astype(np.int64)
    if strength is not None or x is not None:
        key = np.arange(n)
    _, where, cell = np.unique(key, return_index=True, return_inverse=True)
    named = {"item": item, "rater": rater}
    clusters = {
        kind: np.unique(np.asarray(part), return_inverse=True)[1].astype(np.int64)
        for kind, part in named.items()
        if part is not None and count is None
    }
    if len(clusters) == 2:
        clusters["cell"] = clusters["item"] * (clusters["rater"].max(initial=0) + 1)
        clusters["cell"] = clusters["cell"] + clusters["rater"]
    return VoteTable(
        systems=tuple(systems),
        a=one[where],
        b=two[where],
        winner=won[where],
        first=order[where],
        strength=strong[where],
        x=more[where],
        count=np.bincount(cell, times, len(where)).astype(np.float64),
        cell=cell.astype(np.int64),
        clusters=clusters,
    )
