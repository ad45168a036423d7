"""Random terms: what raters, or items, add to the systems, from correlated slopes to nothing.

Λ, whose product ΛΛ′ is the covariance of what one of them adds to the systems, is a sum of fixed
matrices, each times a parameter of the term:

========== ==================================== =============================
shape      in a formula                         ΛΛ′
========== ==================================== =============================
correlated ``(0 + system | rater)``             any covariance
both       ``(1 | rater) + (1 | rater:system)`` σ², and σ² + τ² on the diagonal
slope      ``(1 | rater:system)``               τ² on the diagonal
intercept  ``(1 | rater)``                      σ²
none                                            0
========== ==================================== =============================

No shape prefers a system: which one comes first, or is taken for a baseline, changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["PARTS", "Group", "Shape", "Term"]

Array = NDArray[np.float64]
Group = Literal["rater", "item"]
Shape = Literal["correlated", "both", "slope", "intercept", "none"]
PARTS: dict[Shape, tuple[Shape, ...]] = {
    "correlated": (),
    "both": ("intercept", "slope"),
    "slope": ("slope",),
    "intercept": ("intercept",),
    "none": (),
}
"""The parts of a shape that may be left out one by one, in the order of their parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """What raters, or items, add to so many systems."""

    group: Group
    shape: Shape
    n_systems: int

    def __str__(self) -> str:
        intercept, slope = f"(1 | {self.group})", f"(1 | {self.group}:system)"
        return {
            "correlated": f"(0 + system | {self.group})",
            "both": f"{intercept} + {slope}",
            "slope": slope,
            "intercept": intercept,
            "none": "",
        }[self.shape]

    def as_(self, shape: Shape) -> Term:
        """The same with another shape."""
        return replace(self, shape=shape)

    def bases(self) -> Array:
        """The matrices that Λ is a sum of: parameters × systems × effects."""
        k = self.n_systems
        one, own = np.ones((k, 1)), np.eye(k)
        if self.shape == "correlated":
            row, column = np.tril_indices(k)
            made = np.zeros((len(row), k, k))
            made[np.arange(len(row)), row, column] = 1.0
            return made
        if self.shape == "both":
            return np.stack([np.hstack([one, 0 * own]), np.hstack([0 * one, own])])
        if self.shape == "slope":
            return own[None]
        return one[None] if self.shape == "intercept" else np.zeros((0, k, 0))

    def parameters(self, intercept: float, slope: float) -> Array:
        """The parameters with which the term has these two standard deviations."""
        if self.shape == "correlated":
            root = np.linalg.cholesky(intercept**2 + slope**2 * np.eye(self.n_systems))
            return np.asarray(root[np.tril_indices(self.n_systems)])
        given = {"intercept": intercept, "slope": slope}
        return np.array([given[part] for part in PARTS[self.shape]])

    def covariance(self, parameters: Array) -> Array:
        """ΛΛ′."""
        load = np.tensordot(parameters, self.bases(), axes=1)
        return np.asarray(load @ load.T)
