"""Things ranked together: blocks whose raters all ranked the same, as matrices of ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.stats.grouped import sum_by

__all__ = ["Blocks", "Ranked", "complete_blocks", "row_midranks"]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


class Ranked(Protocol):
    """Rows: what each rater gave each of the things ranked together in a block."""

    @property
    def block(self) -> NDArray[Any]:
        """The block of each row: what was ranked of an item, by whoever ranked the same of it."""

    @property
    def item(self) -> NDArray[Any]:
        """The item of each row."""

    @property
    def rater(self) -> NDArray[Any]:
        """The rater of each row."""

    @property
    def thing(self) -> NDArray[Any]:
        """What is ranked: the system, or with a single block the item."""

    @property
    def value(self) -> NDArray[Any]:
        """Its rank or score."""

    @property
    def is_one_block(self) -> bool:
        """Whether items are what is ranked."""

    @property
    def n_items(self) -> int:
        """How many items there are."""

    @property
    def n_raters(self) -> int:
        """How many raters there are."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """Complete blocks of equal size n: ranks of every rater of every block."""

    ranks: Array
    """Rankings × n, ties at their mean rank."""
    block: Ints
    """The block of each ranking, 0, 1, …"""
    rater: Ints
    """The rater of each ranking."""
    ties: Array
    """Σ (t³ − t) over the ties of each ranking."""
    item: Ints
    """The item of each block."""

    @property
    def n(self) -> int:
        """How many things are ranked."""
        return int(self.ranks.shape[1])

    @property
    def n_blocks(self) -> int:
        """How many blocks there are."""
        return int(self.block.max()) + 1

    def raters(self) -> Array:
        """How many raters each block has."""
        return np.bincount(self.block).astype(np.float64)

    def sums(self) -> Array:
        """Blocks × n: the sum of ranks."""
        return sum_by(self.block, self.ranks, self.n_blocks)

    def w(self, sums: Array, m: Array, ties: NDArray[Any]) -> Array:
        """W of rank sums by m raters; NaN where every ranking is all ties, or m < 2."""
        n = self.n
        spread = ((sums - m[:, None] * (n + 1) / 2) ** 2).sum(axis=1)
        room = m**2 * (n**3 - n) - m * ties
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where((room > 1e-9) & (m > 1), 12 * spread / room, np.nan)


def complete_blocks(rows: Ranked) -> tuple[list[Blocks], int]:
    """Blocks whose raters all ranked the same things, by size; how many rankings are left out."""
    order = np.lexsort((rows.thing, rows.rater, rows.block))
    block, rater = np.asarray(rows.block)[order], np.asarray(rows.rater)[order]
    item, thing = np.asarray(rows.item)[order], np.asarray(rows.thing)[order]
    value = np.asarray(rows.value, dtype=np.float64)[order]
    if not len(block):
        return [], 0
    new = np.append(True, (np.diff(block) != 0) | (np.diff(rater) != 0))
    starts = np.flatnonzero(new)
    sizes = np.diff(starts, append=len(block))
    blocks, of_block = np.unique(block[starts], return_inverse=True)
    m = np.bincount(of_block)
    # Complete: the rankings of a block are of one size, and list the same things as the first.
    first = starts[np.searchsorted(of_block, np.arange(len(blocks)))]
    expected = sizes[np.searchsorted(of_block, np.arange(len(blocks)))]
    same_size = sizes == expected[of_block]
    ranking = np.cumsum(new) - 1
    place = np.arange(len(block)) - starts[ranking]
    own = of_block[ranking]
    fits = same_size[ranking]
    at = np.where(fits, first[own] + place, 0)
    alike = fits & (thing == thing[at])
    good = np.bincount(own, ~alike, len(blocks)) == 0
    good &= (m > 1) & (expected > 1)
    kept = good[of_block]
    made = []
    for n in np.unique(expected[good]) if good.any() else []:
        here = kept & (sizes == n)
        ranks, ties = row_midranks(value[starts[here][:, None] + np.arange(n)])
        which, number = np.unique(of_block[here], return_inverse=True)
        made.append(Blocks(ranks, number, rater[starts[here]], ties, item[first[which]]))
    return made, int((~kept).sum())


def row_midranks(values: Array) -> tuple[Array, Array]:
    """Ranks along each row, ties at their mean, and Σ (t³ − t) of each row.

    Values that differ by rounding noise are equal.
    """
    n = values.shape[1]
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    # Of the two neighbors, so that one large value does not tie the small ones; near 0 of the row.
    size = np.maximum(np.abs(ordered[:, 1:]), np.abs(ordered[:, :-1]))
    close = np.maximum(1e-9 * size, 1e-14 * np.abs(ordered).max(axis=1, keepdims=True))
    new = np.ones(ordered.shape, dtype=bool)
    new[:, 1:] = np.diff(ordered, axis=1) > close
    group = np.cumsum(new.ravel()) - 1
    size = np.bincount(group).astype(np.float64)
    place = np.tile(np.arange(1, n + 1, dtype=np.float64), len(values))
    mean = np.bincount(group, place) / size
    ranks = np.empty(ordered.shape)
    np.put_along_axis(ranks, order, mean[group].reshape(ordered.shape), axis=1)
    # Every member of a tie of t adds (t³ − t)/t.
    ties = (size[group] ** 2 - 1).reshape(ordered.shape).sum(axis=1)
    return ranks, ties
