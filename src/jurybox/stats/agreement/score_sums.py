"""Sums of squares of scores by unit and rater, of which many may be missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Sums", "after_units", "unconnected"]

Array = NDArray[np.float64]
MANY_RATERS = 1_000
"""Raters from which on their matrix is not written out."""


class Sums(Protocol):
    """Sums over the scores of units with two responses, taken from their mean."""

    @property
    def n(self) -> int:
        """How many scores there are."""

    @property
    def n_units(self) -> int:
        """How many units they belong to."""

    @property
    def n_items(self) -> int:
        """How many items."""

    @property
    def n_raters(self) -> int | None:
        """How many raters; ``None`` if the table does not name them."""

    @property
    def n_dropped(self) -> int:
        """Responses to units with no second one."""

    @property
    def square(self) -> float:
        """Sum of squares."""

    @property
    def unit_square(self) -> float:
        """Sum over units of (sum of its scores)² ÷ their number."""

    @property
    def rater_square(self) -> float:
        """The same over raters."""

    @property
    def unit_sizes(self) -> float:
        """Sum over units of (number of scores)²."""

    @property
    def unit_inverse(self) -> float:
        """Sum over units of 1 ÷ number of scores."""

    @property
    def is_nested(self) -> bool:
        """Whether every rater saw a single item, and there are several items."""

    @property
    def pairs(self) -> NDArray[Any]:
        """Two raters who share units, in both orders; of complete tables none are listed."""

    @property
    def pair_weight(self) -> NDArray[Any]:
        """For each such pair the sum of 1 ÷ number of scores over the units they share."""

    @property
    def rater_gap(self) -> NDArray[Any]:
        """Per rater the sum of what their scores are above the mean of their unit."""


def after_units(sums: Sums, b: int) -> float:
    """The sum of squares of raters after units, q'C⁻q.

    C has minus the pair weights off its diagonal, and rows that sum to zero. It is raters × raters;
    of many raters it is not written out.
    """
    one, two = sums.pairs[:, 0], sums.pairs[:, 1]
    weight = np.asarray(sums.pair_weight, dtype=np.float64)
    diagonal = np.bincount(one, weight, b).astype(np.float64)
    gap = np.asarray(sums.rater_gap, dtype=np.float64)
    if b <= MANY_RATERS:
        matrix = np.diag(diagonal)
        matrix[one, two] -= weight
        return float(gap @ np.linalg.lstsq(matrix, gap, rcond=1e-10)[0])

    def times(x: Array) -> Array:
        return np.asarray(diagonal * x - np.bincount(one, weight * x[two], b), dtype=np.float64)

    return float(gap @ _conjugate_gradients(times, diagonal, gap))


def _conjugate_gradients(times: Callable[[Array], Array], diagonal: Array, right: Array) -> Array:
    """Solve a system whose right side is in the matrix's range, preconditioned by its diagonal."""
    found, left = np.zeros(len(right)), right.copy()
    step = left / diagonal
    fit = first = float(left @ step)
    for _ in range(10 * len(right)):
        # Below this only rounding is left, which a singular matrix would blow up.
        if fit <= 1e-20 * first:
            break
        moved = times(step)
        size = fit / float(step @ moved)
        found += size * step
        left -= size * moved
        scaled = left / diagonal
        fit, before = float(left @ scaled), fit
        step = scaled + fit / before * step
    return found


def unconnected(pairs: NDArray[Any], b: int) -> int:
    """How many groups of raters there are without a shared unit between them."""
    lowest = np.arange(b)
    while True:
        lower = lowest.copy()
        np.minimum.at(lower, pairs[:, 0], lowest[pairs[:, 1]])
        # A rater's lowest is itself a rater, whose own lowest is at least as low.
        lower = lower[lower]
        if np.array_equal(lower, lowest):
            return len(np.unique(lowest))
        lowest = lower
