"""Metric and people across systems: how far both order the systems alike.

Matrices are items × systems; an output that does not exist is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from jurybox.stats.metrics.correlation import level_ties

__all__ = [
    "NONE_SHARED",
    "DrawnSystems",
    "pairwise_accuracy",
    "resampled",
    "soft_accuracy_of_gaps",
    "soft_pairwise_accuracy",
    "system_means",
]

Array = NDArray[np.float64]
BLOCK = 2_000_000
NONE_SHARED = "no two systems share an item"

_ERFC = np.frompyfunc(math.erfc, 1, 1)


def system_means(values: Array, weight: Array | None = None) -> Array:
    """The mean of each system over the items it has; with weights one row per replicate."""
    there = ~np.isnan(values)
    filled = np.where(there, values, 0.0)
    if weight is None:
        weight = np.ones((1, len(values)))
    counts = weight @ there
    means = np.where(counts > 0, weight @ filled / np.maximum(counts, 1), np.nan)
    # Means that differ by rounding noise are equal.
    return np.stack([level_ties(row) if not np.isnan(row).any() else row for row in means])


def pairwise_accuracy(x: Array, y: Array, times: Array | None = None) -> Array:
    """The share of system pairs that both sides order alike, per row of system means.

    A pair that both sides tie is alike; one that only one side ties is not. NaN for a row in which
    a system has no mean. ``times``: how often each pair counts, of drawn systems.
    """
    i, j = _pairs(x.shape[-1])
    same = np.sign(x[..., i] - x[..., j]) == np.sign(y[..., i] - y[..., j])
    whole = ~(np.isnan(x) | np.isnan(y)).any(axis=-1)
    if times is None:
        return np.asarray(np.where(whole, same.mean(axis=-1), np.nan), dtype=np.float64)
    return np.where(whole, _share((same * times).sum(axis=-1), times.sum(axis=-1)), np.nan)


def soft_pairwise_accuracy(
    x: Array, y: Array, weight: Array | None = None, times: Array | None = None
) -> tuple[Array, Array | None]:
    r"""One minus the mean distance of the two sides' p-values over all system pairs.

    .. math:: \mathrm{SPA} = 1 - \binom{S}{2}^{-1} \sum_{i<j} |p^h_{ij} - p^m_{ij}|

    with p the one-sided p of a sign-flip permutation of the differences within items, by its normal
    approximation :math:`\Phi(-\sum d / \sqrt{\sum d^2})`. Pairs that share no item have no p and
    are left out; NaN where no pair shares one. The second is the same with each pair counting as
    ``times`` says, of drawn systems.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), doi:10.18653/v1/2024.wmt-1.118.
    """
    i, j = _pairs(x.shape[1])
    step = max(1, BLOCK // max(1, len(x)))
    parts = (slice(start, start + step) for start in range(0, len(i), step))
    found = [
        _distances(
            x[:, i[p]] - x[:, j[p]],
            y[:, i[p]] - y[:, j[p]],
            weight,
            None if times is None else times[:, p],
        )
        for p in parts
    ]
    return _soft(found)


def soft_accuracy_of_gaps(
    x: Array, y: Array, weight: Array | None = None, times: Array | None = None
) -> tuple[Array, Array | None]:
    """The same of two matrices items × pairs: by how much the first of the pair is better."""
    return _soft([_distances(x, y, weight, times)])


def _soft(parts: list[Array]) -> tuple[Array, Array | None]:
    total, pairs, *drawn = np.sum(parts, axis=0)
    return 1 - _share(total, pairs), 1 - _share(*drawn) if drawn else None


def _share(part: Array, whole: Array) -> Array:
    return np.asarray(np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), np.nan))


def _distances(x: Array, y: Array, weight: Array | None, times: Array | None) -> Array:
    """Per replicate the sum of the distances of p-values, and of how many pairs; so with times."""
    if weight is None:
        weight = np.ones((1, len(x)))
    there = ~(np.isnan(x) | np.isnan(y))
    shared = weight @ there > 0
    ps = []
    for gap in (x, y):
        gap = np.where(there, gap, 0.0)
        spread = np.sqrt(weight @ gap**2)
        z = np.where(spread > 0, weight @ gap / np.where(spread > 0, spread, 1.0), 0.0)
        ps.append(_upper(z))
    distance = np.abs(ps[0] - ps[1]) * shared
    sums = [distance.sum(axis=1), shared.sum(axis=1)]
    if times is not None:
        sums += [(distance * times).sum(axis=1), (shared * times).sum(axis=1)]
    return np.array(sums, dtype=np.float64)


def _upper(z: Array) -> Array:
    return np.asarray(_ERFC(z / math.sqrt(2)) / 2, dtype=np.float64)


@cache
def _pairs(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first and the second of every two systems; asked for in every resample."""
    first, second = np.triu_indices(n, 1)
    return first, second


@dataclass(frozen=True, slots=True, eq=False)
class DrawnSystems:
    """As many systems as there are, drawn with replacement, per replicate."""

    systems: NDArray[np.intp]
    """Replicates × places."""

    @classmethod
    def draw(cls, n: int, n_systems: int, rng: np.random.Generator) -> DrawnSystems:
        """Draw the systems of n replicates."""
        return cls(rng.integers(0, n_systems, (n, n_systems)))

    def of(self, means: Array) -> Array:
        """The means of the systems drawn; who was drawn twice is tied with itself."""
        return np.take_along_axis(means, self.systems, axis=1)

    def times(self, one: NDArray[np.intp], two: NDArray[np.intp]) -> Array:
        """How often each pair was drawn; a system is no pair with itself."""
        n, size = self.systems.shape
        flat = self.systems + size * np.arange(n)[:, None]
        drawn = np.bincount(flat.ravel(), minlength=n * size).reshape(n, size)
        return np.asarray(drawn[:, one] * drawn[:, two], dtype=np.float64)

    def times_each(self) -> Array:
        """The same of all pairs."""
        return self.times(*_pairs(self.systems.shape[1]))


def resampled(n_items: int, n: int, rng: np.random.Generator) -> Iterator[Array]:
    """Blocks of replicates × items: how often each item was drawn."""
    step = max(1, BLOCK // max(1, n_items))
    for start in range(0, n, step):
        rows = min(step, n - start)
        yield rng.multinomial(n_items, np.full(n_items, 1 / n_items), rows).astype(np.float64)
