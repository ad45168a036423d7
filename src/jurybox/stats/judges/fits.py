r"""Weighted fits of answers to a few columns, whole and with clusters of answers left out.

With :math:`H = \sum w\, \hat v\, x x^\top` and a cluster's own sum :math:`H_g`, leaving the cluster
out moves the coefficients by

.. math:: \psi_g = (H - H_g)^{-1} \sum_{i \in g} w_i\, x_i\, (y_i - \hat y_i),

exactly in a linear fit (:math:`\hat v = 1`), and by one step of Newton's method in a logit one
(:math:`\hat v = \hat y (1 - \hat y)`). Their squares add up to the variance CR3, which does not
fall short where few clusters hold most of what a covariate varies by.

References
----------
Bell and McCaffrey (2002), Survey Methodology 28, 169-181; MacKinnon, Nielsen and Webb (2023),
doi:10.1016/j.jeconom.2022.04.001.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jurybox.stats.grouped import sum_by

__all__ = ["Fit", "Rows", "independent", "linear_fit", "logit_fit"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
ROUNDS = 60
BLOCK = 1_000_000
"""Numbers held at once while clusters are left out."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Answers to units with their weights; raters are −1 for judges."""

    unit: Numbers
    y: Array
    w: Array
    rater: Numbers


@dataclass(frozen=True, slots=True)
class Fit:
    """The coefficients, and what each row adds to H and to the score."""

    beta: Array
    x: Array
    weight: Array
    """w·v̂ of each row."""
    score: Array
    """Rows × coefficients."""

    @property
    def inverse(self) -> Array:
        """H⁻¹."""
        return np.asarray(np.linalg.inv(self.x.T @ (self.x * self.weight[:, None])))

    def moves(self, column: int) -> Array:
        """How far each row alone moves a coefficient, H being held fixed."""
        return np.asarray(self.score @ self.inverse[:, column])

    def without(self, cluster: Numbers, n: int, column: int) -> Array:
        """How far a coefficient moves when each of the n clusters is left out.

        Infinite where that leaves nothing that the column varies by beyond the others.
        """
        k = len(self.beta)
        whole = self.x.T @ (self.x * self.weight[:, None])
        least = 1e-9 / self.inverse[column, column]
        moved = np.empty(n)
        for low, high, rows in _blocks(cluster, n, max(1, BLOCK // k**2)):
            own, x = cluster[rows] - low, self.x[rows]
            score = sum_by(own, self.score[rows], high - low)
            products = x[:, :, None] * (x * self.weight[rows, None])[:, None, :]
            part = sum_by(own, products.reshape(-1, k * k), high - low).reshape(-1, k, k)
            left, to = _partial(whole - part, column)
            there = left > least
            moved[low:high] = (to * score).sum(axis=1) / np.where(there, left, 1.0)
            moved[low:high][~there] = np.inf
        return moved


def _partial(matrices: Array, column: int) -> tuple[Array, Array]:
    """Of each matrix what the column has beyond the others, and itself less what they explain.

    Without a cluster a system may have no answers, which leaves the column told all the same.
    """
    k = matrices.shape[1]
    others = np.delete(np.arange(k), column)
    cross = matrices[:, column, :][:, others]
    inner = matrices[:, others[:, None], others[None, :]]
    explained = (cross[:, None, :] @ np.linalg.pinv(inner, rcond=1e-10, hermitian=True))[:, 0]
    to = np.zeros((len(matrices), k))
    to[:, column], to[:, others] = 1.0, -explained
    return matrices[:, column, column] - (explained * cross).sum(axis=1), to


def _blocks(cluster: Numbers, n: int, step: int) -> Iterator[tuple[int, int, Numbers]]:
    """Clusters from low up to high, and their rows."""
    order = np.argsort(cluster, kind="stable")
    sorted_clusters = cluster[order]
    for low in range(0, n, step):
        high = min(n, low + step)
        first, last = np.searchsorted(sorted_clusters, [low, high])
        yield low, high, order[first:last]


def linear_fit(x: Array, rows: Rows) -> Fit:
    """Least squares."""
    own = x[rows.unit]
    inverse = np.linalg.inv(own.T @ (own * rows.w[:, None]))
    beta = np.asarray(inverse @ (own.T @ (rows.w * rows.y)), dtype=np.float64)
    return Fit(beta, own, rows.w, own * (rows.w * (rows.y - own @ beta))[:, None])


def logit_fit(x: Array, rows: Rows) -> Fit | None:
    """Newton's method; ``None`` where the likelihood has no maximum."""
    own, beta = x[rows.unit], np.zeros(x.shape[1])
    for _ in range(ROUNDS):
        chance = 1 / (1 + np.exp(-np.clip(own @ beta, -700, 700)))
        weight = rows.w * chance * (1 - chance)
        hessian = own.T @ (own * weight[:, None])
        if np.linalg.cond(hessian) > 1e12:
            return None
        score = own * (rows.w * (rows.y - chance))[:, None]
        step = np.linalg.solve(hessian, score.sum(axis=0))
        beta = beta + step
        if np.abs(step).max() < 1e-9:
            return Fit(beta, own, weight, score)
    return None


def independent(x: Array) -> Array:
    """Independent columns that span the same as x."""
    left, size, _ = np.linalg.svd(x, full_matrices=False)
    return np.asarray(left[:, size > 1e-9 * max(1.0, float(size.max(initial=0.0)))])
