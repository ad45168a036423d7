"""Metric and people within each item: correlations and pairwise accuracy across systems.

Matrices are items × systems; an output that does not exist is NaN. Ties must have been leveled.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Calibrated",
    "calibrated_accuracy",
    "kendall_rows",
    "pearson_rows",
    "spearman_rows",
    "tied_pairs",
]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
FOLDS = 5


def pearson_rows(x: Array, y: Array) -> Array:
    """Pearson's correlation of every item; NaN where a side is constant or has one output."""
    there = ~(np.isnan(x) | np.isnan(y))
    n = there.sum(axis=1, keepdims=True)
    parts = []
    for side in (x, y):
        filled = np.where(there, side, 0.0)
        low = np.where(there, side, np.inf).min(axis=1, initial=np.inf)
        high = np.where(there, side, -np.inf).max(axis=1, initial=-np.inf)
        centered = np.where(there, filled - filled.sum(axis=1, keepdims=True) / np.maximum(n, 1), 0)
        parts.append((centered, high > low))
    (a, varies_a), (b, varies_b) = parts
    scale = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    defined = varies_a & varies_b & (scale > 0)
    return np.where(defined, (a * b).sum(axis=1) / np.where(defined, scale, 1.0), np.nan)


def spearman_rows(x: Array, y: Array) -> Array:
    """Spearman's correlation of every item."""
    there = ~(np.isnan(x) | np.isnan(y))
    return pearson_rows(*(_ranks(np.where(there, side, np.nan)) for side in (x, y)))


def _ranks(values: Array) -> Array:
    below = (values[:, None, :] < values[:, :, None]).sum(axis=2)
    equal = (values[:, None, :] == values[:, :, None]).sum(axis=2)
    return np.where(np.isnan(values), np.nan, below + (equal + 1) / 2)


def _gaps(values: Array) -> Array:
    """The difference of every two systems, items × pairs; NaN where one is missing."""
    i, j = np.triu_indices(values.shape[1], 1)
    return np.asarray(values[:, i] - values[:, j], dtype=np.float64)


def kendall_rows(x: Array, y: Array) -> Array:
    """Kendall's tau-b of every item."""
    a, b = np.sign(_gaps(x)), np.sign(_gaps(y))
    there = ~(np.isnan(a) | np.isnan(b))
    a, b = np.where(there, a, 0.0), np.where(there, b, 0.0)
    scale = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    return np.where(scale > 0, (a * b).sum(axis=1) / np.where(scale > 0, scale, 1.0), np.nan)


def tied_pairs(y: Array) -> float | None:
    """How often two outputs of one item have the same score: the mean over items with a pair."""
    gap = _gaps(y)
    there = ~np.isnan(gap)
    n = there.sum(axis=1)
    tied = (there & (gap == 0)).sum(axis=1)
    return float((tied[n > 0] / n[n > 0]).mean()) if n.any() else None


@dataclass(frozen=True, slots=True, eq=False)
class Calibrated:
    """The accuracy of every item, and the difference up to which the metric's scores count tied."""

    rows: Array
    threshold: float | None


def calibrated_accuracy(x: Array, y: Array, fold: NDArray[np.intp]) -> Calibrated:
    r"""acc_eq with tie calibration: how often the metric orders two systems as people do.

    .. math:: \mathrm{acc}_{eq} = \frac{C + T_{xy}}{C + D + T_x + T_y + T_{xy}}

    within an item, where two metric scores count as tied if they differ by at most ε. The ε of an
    item comes from the items of the other folds, where it makes the accuracy largest, so that no
    item is judged by an ε chosen on it. ``threshold`` is the ε of all items together.

    References
    ----------
    Deutsch, Foster and Freitag (2023), doi:10.18653/v1/2023.emnlp-main.798, sections 5 and 6.
    """
    gap, said = _gaps(x), np.sign(_gaps(y))
    there = ~(np.isnan(gap) | np.isnan(said))
    size = np.abs(np.where(there, gap, 0.0))
    same = there & (np.sign(gap) == said)
    rows = np.full(len(x), np.nan)
    for k in range(FOLDS):
        held = fold == k
        best = _threshold(size[~held], same[~held], said[~held], there[~held])
        if best is None or not held.any():
            continue
        right = np.where(size[held] <= best, said[held] == 0, same[held]) & there[held]
        n = there[held].sum(axis=1)
        rows[held] = np.where(n > 0, right.sum(axis=1) / np.maximum(n, 1), np.nan)
    return Calibrated(rows, _threshold(size, same, said, there))


def _threshold(size: Array, same: Mask, said: Array, there: Mask) -> float | None:
    """The ε with the most pairs right: those within it that people tie, those beyond in order."""
    size, same, tied = size[there], same[there], said[there] == 0
    if not len(size):
        return None
    order = np.argsort(size, kind="stable")
    size, same, tied = size[order], same[order], tied[order]
    right = np.cumsum(tied) + (same.sum() - np.cumsum(same))
    # Pairs of one size are within ε together.
    last = np.append(np.diff(size) > 0, True)
    candidates = np.flatnonzero(last)
    best = candidates[np.argmax(right[candidates])]
    # With ε = 0 only equal scores are tied.
    none = int(same.sum())
    return 0.0 if none >= right[best] and size[0] > 0 else float(size[best])
