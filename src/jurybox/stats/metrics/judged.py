"""People's scores as items × systems, whole and with clusters of responses left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.stats.metrics.correlation import level_ties

__all__ = ["GROUPS", "Judged", "People"]

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
        group = _groups(len(self.judged.total), GROUPS, self.seed)
        return [group != k for k in range(int(group.max(initial=-1)) + 1)]

    def without_raters(self) -> Iterator[Array]:
        """The mean scores without each rater in turn."""
        rater = np.unique(self.judged.rows[:, 2], return_inverse=True)[1].ravel()
        yield from self._without(rater, GROUPS)

    def without_cells(self) -> Iterator[Array]:
        """The mean scores without item × rater cells, in random groups."""
        rows = self.judged.rows
        cell = rows[:, 0].astype(np.int64) * (int(rows[:, 2].max()) + 1) + rows[:, 2]
        yield from self._without(np.unique(cell, return_inverse=True)[1].ravel(), CELL_GROUPS)

    def _without(self, cluster: NDArray[np.intp], most: int) -> Iterator[Array]:
        total, count = self.judged.total, self.judged.count
        place = self.judged.rows[:, 0].astype(np.int64) * total.shape[1] + self.judged.rows[:, 1]
        n = int(cluster.max()) + 1
        group = _groups(n, most, self.seed)[cluster]
        # Sorted by group once: each is then a slice.
        order = np.argsort(group, kind="stable")
        place, scores = place[order], self.judged.scores[order]
        ends = np.cumsum(np.bincount(group, minlength=min(n, most)))
        for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
            part = place[start:end]
            gone = np.bincount(part, scores[start:end], total.size).reshape(total.shape)
            yield _mean(
                total - gone, count - np.bincount(part, minlength=total.size).reshape(total.shape)
            )


def _mean(total: Array, count: Array) -> Array:
    means = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    there = ~np.isnan(means)
    means[there] = level_ties(means[there])
    return means


def _groups(n: int, most: int, seed: int) -> NDArray[np.intp]:
    """The group of each of 0 … n−1: each its own, or at random one of ``most``."""
    if n <= most:
        return np.arange(n)
    return np.random.default_rng(seed).permutation(np.arange(n) % most)
