"""Sums over clusters, and sums of their products, from numbered rows.

Rows are arrays of the same length: the number of a ratio k, of a cluster, and u and w. A cluster's
part of a ratio is called an entry.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Moments", "moments", "sums"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
DENSE = 4
"""Places per row up to which every cluster gets a place for every ratio."""
SMALL = 1_000_000
"""Places that are never too many."""
BLOCK = 4_000_000
"""Numbers multiplied at a time."""
MATMUL = 30
"""How many times faster a matrix product adds up products than single places do."""


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Sums over the clusters of one kind; vectors, or matrices with every two ratios."""

    clusters: NDArray[np.int64]
    uu: NDArray[np.float64]
    uw: NDArray[np.float64]
    ww: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    cluster: Numbers
    k: Numbers
    u: Array
    w: Array


def moments(
    cluster: Numbers,
    n_clusters: int,
    k: Numbers,
    n: int,
    u: Array,
    w: Array | None,
    *,
    cross: bool,
    alone: bool = False,
) -> Moments:
    """Add up rows to clusters, and the products of these; ``cross``: of every two of n ratios.

    ``w`` is ``None`` where it is 1 in every row. ``alone``: no cluster has two rows of a ratio.
    """
    if w is None and alone and not cross:
        count = np.bincount(k, minlength=n)
        return Moments(count, sums(k, u * u, n), sums(k, u, n), count.astype(np.float64))
    if cross and n_clusters * n <= min(SMALL, MATMUL * len(k)):
        return _cross_full(cluster, n_clusters, k, n, u, w)
    entries = _add_up(cluster, n_clusters, k, n, u, w, alone=alone)
    if cross:
        return _cross(entries, n)
    return Moments(
        np.bincount(entries.k, minlength=n),
        *(
            sums(entries.k, product, n)
            for product in (entries.u**2, entries.u * entries.w, entries.w**2)
        ),
    )


def sums(numbers: Numbers, values: Array, n: int) -> Array:
    """The sum of the values of each of n numbers."""
    return np.asarray(np.bincount(numbers, weights=values, minlength=n), dtype=np.float64)


def _add_up(
    cluster: Numbers,
    n_clusters: int,
    k: Numbers,
    n: int,
    u: Array,
    w: Array | None,
    *,
    alone: bool,
) -> _Entries:
    """One entry per cluster and ratio that have rows."""
    size = n_clusters * n
    key = cluster * n + k
    if size <= max(DENSE * len(key), SMALL):
        count = np.bincount(key, minlength=size)
        there = np.flatnonzero(count)
        added = sums(key, u, size)[there]
        weight = count.astype(np.float64) if w is None else sums(key, w, size)
        return _Entries(there // n, there % n, added, weight[there])
    from jurybox.tally.duplicates import are_distinct

    if w is None:
        w = np.ones(len(key))
    if alone or are_distinct(key.copy(), size):
        return _Entries(cluster, k, u, w)
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    parts = (np.add.reduceat(part[order], first) for part in (u, w))
    return _Entries(key[first] // n, key[first] % n, *parts)


def _cross_full(
    cluster: Numbers, n_clusters: int, k: Numbers, n: int, u: Array, w: Array | None
) -> Moments:
    """Products within clusters where there is room for every ratio in each: nothing is sorted."""
    key, size, shape = cluster * n + k, n_clusters * n, (n_clusters, n)
    count = np.bincount(key, minlength=size).reshape(shape).astype(np.float64)
    us = sums(key, u, size).reshape(shape)
    ws = count if w is None else sums(key, w, size).reshape(shape)
    there = np.minimum(count, 1.0)
    # Clusters without a row add nothing, but would round the others differently.
    filled = np.bincount(cluster, minlength=n_clusters) > 0
    if not filled.all():
        us, ws, there = (part.compress(filled, axis=0) for part in (us, ws, there))
    return Moments(np.rint(there.T @ there).astype(np.int64), us.T @ us, us.T @ ws, ws.T @ ws)


def _cross(entries: _Entries, n: int) -> Moments:
    """Products within clusters: clusters with as many entries are worked on together."""
    order = np.argsort(entries.cluster, kind="stable")
    cluster = entries.cluster[order]
    first = np.flatnonzero(np.diff(cluster, prepend=-1))
    sizes = np.diff(first, append=len(cluster))
    found = np.zeros((4, n, n))
    for m in np.flatnonzero(np.bincount(sizes)).tolist():
        for start in _blocks(first[sizes == m], m, n):
            at = order[start[:, None] + np.arange(m)]
            k, u, w = entries.k[at], entries.u[at], entries.w[at]
            if MATMUL * m * m > n * n:
                found += _dense(k, u, w, n)
            else:
                found += _pairwise(k, u, w, n)
    return Moments(np.rint(found[0]).astype(np.int64), *found[1:])


def _blocks(first: Numbers, m: int, n: int) -> Iterator[Numbers]:
    step = max(1, BLOCK // max(n, m))
    for start in range(0, len(first), step):
        yield first[start : start + step]


def _dense(k: Numbers, u: Array, w: Array, n: int) -> Array:
    rows = np.arange(len(k))[:, None]
    full = np.zeros((3, len(k), n))
    full[0, rows, k], full[1, rows, k], full[2, rows, k] = 1.0, u, w
    there, us, ws = full
    return np.stack([there.T @ there, us.T @ us, us.T @ ws, ws.T @ ws])


def _pairwise(k: Numbers, u: Array, w: Array, n: int) -> Array:
    found = np.zeros((4, n * n))
    for one in range(k.shape[1]):
        for two in range(k.shape[1]):
            at = k[:, one] * n + k[:, two]
            found[0] += np.bincount(at, minlength=n * n)
            products = (u[:, one] * u[:, two], u[:, one] * w[:, two], w[:, one] * w[:, two])
            for part, product in zip(found[1:], products, strict=True):
                part += sums(at, product, n * n)
    return found.reshape(4, n, n)
