"""Rows of numbers, added up by group."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["sum_by"]

Array = NDArray[np.float64]


def sum_by(group: NDArray[Any], rows: Array, n: int) -> Array:
    """Groups × columns: the sums of the rows of each of n groups.

    >>> sum_by(np.array([0, 2, 0]), np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]), 3).tolist()
    [[4.0, 40.0], [0.0, 0.0], [2.0, 20.0]]
    """
    sums = np.empty((n, rows.shape[1]))
    for column in range(rows.shape[1]):
        # Column by column: bincount adds up many times faster than add.at, in the same order.
        sums[:, column] = np.bincount(group, rows[:, column], n)
    return sums
