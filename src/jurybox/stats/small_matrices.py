"""Small matrices, without the threads of BLAS.

A library that starts threads for a matrix of a hundred rows waits for them longer than it computes,
and a hundred times longer on a busy machine. Up to some hundred rows, the few steps written out
here take a millisecond whatever else runs; larger matrices are left to the library.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["centered", "inverse", "product", "root"]

Array = NDArray[np.float64]
SMALL = 256
AT_ONCE = 200_000
"""Multiplications for which no library starts a thread."""


def inverse(matrix: Array) -> Array:
    """The inverse of a positive definite matrix, by Gauss and Jordan's elimination in place.

    >>> inverse(np.array([[2.0, 1.0], [1.0, 1.0]])).tolist()
    [[1.0, -1.0], [-1.0, 2.0]]
    """
    if len(matrix) > SMALL:
        return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    work = np.array(matrix, dtype=np.float64)
    for k in range(len(work)):
        pivot = work[k, k]
        if not pivot > 0:
            raise np.linalg.LinAlgError("the matrix is not positive definite")
        row = work[k] / pivot
        column = work[:, k].copy()
        work -= column[:, None] * row
        work[k] = row
        work[:, k] = -column / pivot
        work[k, k] = 1 / pivot
    return work


def product(one: Array, two: Array) -> Array:
    """The product of two matrices, the first of them small, by strips of columns."""
    if max(one.shape) > SMALL:
        return np.asarray(one @ two, dtype=np.float64)
    found = np.empty((one.shape[0], two.shape[1]))
    step = max(1, AT_ONCE // max(one.size, 1))
    for low in range(0, two.shape[1], step):
        found[:, low : low + step] = one @ two[:, low : low + step]
    return found


def centered(matrix: Array) -> Array:
    """The covariance of deviations from their mean: (I − 11′/K) M (I − 11′/K)."""
    rows = matrix.mean(axis=1, keepdims=True)
    columns = matrix.mean(axis=0, keepdims=True)
    return np.asarray(matrix - rows - columns + matrix.mean(), dtype=np.float64)


def root(covariance: Array) -> Array:
    """A matrix L with LL′ = the covariance; one that is indefinite loses its negative part.

    By Cholesky's elimination, in which a row that depends on earlier ones adds nothing; where it
    meets a negative variance, by eigenvalues.
    """
    work = (covariance + covariance.T) / 2
    if len(work) <= SMALL:
        floor = 1e-10 * float(np.diag(work).max(initial=0.0))
        rest, columns = work.copy(), []
        for k in range(len(work)):
            pivot = rest[k, k]
            if pivot < -floor:
                break
            if pivot <= floor:
                if np.abs(rest[k:, k]).max() > 1e3 * floor:
                    break
                continue
            column = np.where(np.arange(len(work)) >= k, rest[:, k], 0.0) / np.sqrt(pivot)
            rest -= column[:, None] * column
            columns.append(column)
        else:
            return np.column_stack(columns) if columns else np.zeros((len(work), 0))
    values, vectors = np.linalg.eigh(work)
    keep = values > 1e-12 * max(float(values.max(initial=0.0)), 1e-300)
    return np.asarray(vectors[:, keep] * np.sqrt(values[keep]), dtype=np.float64)
