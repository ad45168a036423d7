"""People's scores as items × systems, whole and with clusters of responses left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.stats.correlation import level_ties

__all__ = ["Judged", "People"]

Array = NDArray[np.float64]
GROUPS = 200
"""Clusters are left out one by one, or in so many groups where there are more."""
CELL_GROUPS = 100


class Judged(Protocol):
    """People's responses as items × systems, and where each came from."""

    @property
    def total(self) -> Array:
        """Items × systems: the sum of the scores."""

    @property
    def count(self) -> Array:
        """Items × systems: how many scores there are."""

    @property
    def rows(self) -> NDArray[Any]:
        """Responses as (item, system, rater); the rater is −1 where unnamed."""

    @property
    def scores(self) -> Array:
        """The score of each response."""

    @property
    def n_raters(self) -> int | None:
        """How many raters there are; ``None`` if they are unnamed."""


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """People's mean scores, and the same with clusters of responses left out."""

    judged: Judged
    seed: int

    @property
    def means(self) -> Array:
        """Items × systems: the mean score; NaN where there is none."""
        return _mean(self.judged.total, self.judged.count)

    def without_items(self) -> list[NDArray[np.bool_]]:
        """Masks of the items that stay, one per group left out."""
        n = len(self.judged.total)
        return [group != k for group, k in _split(n, GROUPS, self.seed)]

    def without_raters(self) -> Iterator[Array]:
        """The mean scores without each rater in turn."""
        rater = self.judged.rows[:, 2]
        names = np.unique(rater)
        place = np.searchsorted(names, rater)
        for group, k in _split(len(names), GROUPS, self.seed):
            yield self._without(group[place] == k)

    def without_cells(self) -> Iterator[Array]:
        """The mean scores without item × rater cells, in random groups."""
        rows = self.judged.rows
        _, cell = np.unique(
            rows[:, 0].astype(np.int64) * (int(rows[:, 2].max()) + 1) + rows[:, 2],
            return_inverse=True,
        )
        for group, k in _split(int(cell.max()) + 1, CELL_GROUPS, self.seed):
            yield self._without(group[cell.ravel()] == k)

    def _without(self, gone: NDArray[np.bool_]) -> Array:
        total, count = self.judged.total.copy(), self.judged.count.copy()
        at = (self.judged.rows[gone, 0], self.judged.rows[gone, 1])
        np.subtract.at(total, at, self.judged.scores[gone])
        np.subtract.at(count, at, 1)
        return _mean(total, count)


def _mean(total: Array, count: Array) -> Array:
    means = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    there = ~np.isnan(means)
    means[there] = level_ties(means[there])
    return means


def _split(n: int, most: int, seed: int) -> Iterator[tuple[NDArray[np.intp], int]]:
    """Numbers 0 … n−1 in groups: each alone, or at random in ``most`` groups."""
    groups = min(n, most)
    group = np.arange(n)
    if n > most:
        group = np.random.default_rng(seed).permutation(np.arange(n) % most)
    for k in range(groups):
        yield group, k
