"""Correlations of two lists of numbers.

Averages that differ by rounding noise are equal: ``level_ties`` makes them so before anything is
ranked. Numbers that were given are taken as they are.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["kendall", "level_ties", "midranks", "pearson", "spearman"]

Array = NDArray[np.float64]


def level_ties(values: Array) -> Array:
    """The same numbers with those that differ by rounding noise made equal.

    Noise is a trillionth of a number, or a few units in the last place of the largest one.

    >>> level_ties(np.array([0.1 + 0.2, 0.3, 0.4])).tolist()
    [0.3, 0.3, 0.4]
    """
    if not len(values):
        return values
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    noise = 1e-12 * np.abs(ascending[1:]) + 4e-16 * np.abs(ascending).max()
    first = np.concatenate([[True], np.diff(ascending) > noise])
    leveled = np.empty_like(values)
    leveled[order] = ascending[np.flatnonzero(first)[np.cumsum(first) - 1]]
    return leveled


def midranks(values: Array) -> Array:
    """Ranks from 1, equal values sharing the mean of theirs.

    >>> midranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    return np.asarray((last - (times - 1) / 2)[place.ravel()], dtype=np.float64)


def pearson(x: Array, y: Array) -> float | None:
    r"""Pearson's correlation; ``None`` where a side does not vary.

    .. math:: r = \frac{\sum (x - \bar x)(y - \bar y)}
        {\sqrt{\sum (x - \bar x)^2 \sum (y - \bar y)^2}}
    """
    if len(x) < 2 or _constant(x) or _constant(y):
        return None
    x, y = x - x.mean(), y - y.mean()
    # Scaled first: squares of very small or very large numbers would be lost.
    x, y = x / np.abs(x).max(), y / np.abs(y).max()
    r = float(x @ y) / math.sqrt(float(x @ x) * float(y @ y))
    return max(-1.0, min(1.0, r))


def spearman(x: Array, y: Array) -> float | None:
    """Spearman's correlation: Pearson's of the ranks, ties sharing theirs."""
    if len(x) < 2:
        return None
    return pearson(midranks(x), midranks(y))


def kendall(x: Array, y: Array) -> float | None:
    r"""Kendall's tau-b; ``None`` where a side does not vary.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(C + D + T_x)(C + D + T_y)}}

    with C pairs in the same order on both sides, D in opposite order, and :math:`T_x` pairs tied in
    y alone (and the reverse). Pairs in opposite order are counted while sorting (Knight 1966,
    doi:10.1080/01621459.1966.10480879).
    """
    n = len(x)
    if n < 2:
        return None
    a, b = _codes(x), _codes(y)
    order = np.lexsort((b, a))
    a, b = a[order], b[order]
    pairs = n * (n - 1) // 2
    tied_x, tied_y, tied_both = _tied(a), _tied(b), _tied(a * (int(b.max()) + 1) + b)
    if tied_x == pairs or tied_y == pairs:
        return None
    discordant = _inversions(b)
    concordant = pairs - tied_x - tied_y + tied_both - discordant
    return (concordant - discordant) / math.sqrt((pairs - tied_x) * (pairs - tied_y))


def _codes(values: Array) -> NDArray[np.int64]:
    """The place of each value among the distinct ones."""
    return np.asarray(np.unique(values, return_inverse=True)[1].ravel(), dtype=np.int64)


def _constant(values: Array) -> bool:
    """Whether the numbers are the same but for rounding noise."""
    low, high = float(values.min()), float(values.max())
    return high - low <= 1e-12 * max(abs(low), abs(high))


def _tied(codes: NDArray[np.int64]) -> int:
    """Pairs of equal numbers."""
    _, times = np.unique(codes, return_counts=True)
    return int((times * (times - 1) // 2).sum())


def _inversions(values: NDArray[np.int64]) -> int:
    """Pairs i < j with values[i] > values[j], counted while blocks are merged."""
    n = len(values)
    if n < 64:
        return int(np.triu(values[:, None] > values[None, :], 1).sum())
    width = 1 << (n - 1).bit_length()
    top = int(values.max()) + 1
    # Padded with a number above all others, which at the end inverts nothing.
    padded = np.full(width, top, dtype=np.int64)
    padded[:n] = values
    found = 0
    size = 1
    while size < width:
        blocks = padded.reshape(-1, 2, size)
        # One offset per pair of blocks makes a single search serve them all.
        offset = np.arange(len(blocks), dtype=np.int64)[:, None] * (top + 1)
        left, right = (blocks[:, 0] + offset).ravel(), (blocks[:, 1] + offset).ravel()
        after = np.searchsorted(left, right, side="right").reshape(len(blocks), size)
        start = np.arange(len(blocks))[:, None] * size
        found += int((size - (after - start)).sum())
        padded = np.sort(padded.reshape(-1, 2 * size), axis=1).ravel()
        size *= 2
    return found
