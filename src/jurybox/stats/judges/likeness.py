r"""How alike two answers are that are neither words nor numbers: rankings, and marks in a text.

Answers have codes. Whatever tells how alike two of them are, it is averaged over the pairs of a
unit; a pair of which it is not known is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Likeness", "Marks", "Rankings", "pairs_of_units"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
BLOCK = 2_000_000
"""Comparisons of two outputs that are held at once."""


class Likeness(Protocol):
    """How alike answers are, by their codes."""

    @property
    def statistic(self) -> Literal["tau", "f1"]:
        """What it is."""

    def __call__(self, one: Array, two: Array) -> Array:
        """Of every two answers, NaN where it is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class Rankings:
    r"""Kendall's :math:`\tau_b` of two rankings of the same outputs.

    With s the sign of every difference of two ranks, :math:`\sum s_1 s_2 / \sqrt{\sum s_1^2 \sum
    s_2^2}`. Of a ranking that ties everything, and says nothing of the order, it is 0 with one
    that has an order, and unknown with another such.
    """

    statistic: ClassVar[Literal["tau"]] = "tau"

    ranks: Array
    """Distinct rankings × outputs, these in the order of their systems; NaN beyond the last."""

    def __call__(self, one: Array, two: Array) -> Array:
        """Tau of every two rankings."""
        above, below = np.triu_indices(self.ranks.shape[1], 1)
        step = max(1, BLOCK // max(1, len(above)))
        made = np.empty(len(one))
        for low in range(0, len(one), step):
            first, second = (
                np.nan_to_num(np.sign(ranks[:, above] - ranks[:, below]))
                for ranks in (
                    self.ranks[codes[low : low + step].astype(np.int64)] for codes in (one, two)
                )
            )
            size = (first**2).sum(axis=1), (second**2).sum(axis=1)
            length = np.sqrt(size[0] * size[1])
            tau = (first * second).sum(axis=1) / np.where(length > 0, length, 1.0)
            made[low : low + step] = np.where(size[0] + size[1] > 0, tau, np.nan)
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Character F1 of two raters' marks on one output, as it was computed for every two."""

    statistic: ClassVar[Literal["f1"]] = "f1"

    key: Numbers
    """Of two codes, the smaller times ``n`` and the larger added; sorted."""
    score: Array
    n: int

    def __call__(self, one: Array, two: Array) -> Array:
        """F1 of every two; NaN where one marked something without a place."""
        first, second = (codes.astype(np.int64) for codes in (one, two))
        wanted = np.minimum(first, second) * self.n + np.maximum(first, second)
        if not len(self.key):
            return np.full(len(wanted), np.nan)
        at = np.minimum(np.searchsorted(self.key, wanted), len(self.key) - 1)
        return np.where(self.key[at] == wanted, self.score[at], np.nan)


def pairs_of_units(unit: Numbers) -> tuple[Numbers, Numbers]:
    """Every two answers of the same unit, by their places."""
    order = np.argsort(unit, kind="stable")
    own = unit[order]
    first: list[Numbers] = []
    second: list[Numbers] = []
    for lag in range(1, int(np.bincount(own).max(initial=0))):
        (at,) = np.nonzero(own[lag:] == own[:-lag])
        first.append(order[at])
        second.append(order[at + lag])
    none = np.zeros(0, dtype=np.int64)
    return np.concatenate([none, *first]), np.concatenate([none, *second])
