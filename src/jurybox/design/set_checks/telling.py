"""Whether one value alone tells whose an output is: the one rule behind every giveaway.

Somebody who knows the values of all *other* items guesses, from its value alone, whether an output
is of this system or of another. The figure is the share guessed right, each of the two sides
weighing one half, for the system that is easiest to tell; a coin gets 50%. Words and numbers go the
same way: numbers are cut into bins of about equal size first.

Shuffling the systems within items shows what chance alone reaches. The share must be large
(``LIMIT``) and out of chance's reach, for all features of a set together (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["LIMIT", "Telling", "beside_others", "tell_apart", "to_bins"]

LIMIT = 0.65
"""A smaller share right is no giveaway, however sure it is."""
ALPHA = 0.05
"""How often a set without any giveaway may draw a warning."""
ENOUGH = 10
SHUFFLES = 60
"""For each feature that is tested; the share they may reach is then 3 of 60."""
TESTED_ITEMS = 200
"""Chance is judged on so many items: with more, no share above the limit is due to it."""
MOST_BINS = 10
ITEMS_PER_BIN = 5

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """How well a value tells the classes apart."""

    right: float
    """The share guessed right of the class that is easiest to tell from the others."""
    easiest: int
    p: float | None
    """How often shuffled classes are told as well; ``None`` below the limit."""
    warns: bool


def to_bins(values: Sequence[float | str], n_items: int, n_classes: int) -> Codes:
    """The values as small numbers: words as they are, numbers in bins of about equal size."""
    array = np.asarray(values)
    distinct, codes = np.unique(array, return_inverse=True)
    n_bins = max(n_classes, min(MOST_BINS, n_items // ITEMS_PER_BIN))
    if array.dtype.kind == "U" or len(distinct) <= n_bins:
        return codes.astype(np.int64)
    edges = np.unique(np.quantile(array, np.linspace(0, 1, n_bins + 1)[1:-1]))
    return np.searchsorted(edges, array, side="left").astype(np.int64)


def beside_others(values: npt.NDArray[np.float64], items: Codes) -> npt.NDArray[np.float64] | None:
    """How far each value lies from the median of its item, in tenths of that.

    Less than half a tenth is not noticed. Where the median is below 1, the difference counts as it
    is. ``None`` where no item has two outputs.
    """
    sizes = np.bincount(items)
    if sizes.max(initial=0) < 2:
        return None
    ranked = values[np.lexsort((values, items))]
    begin = np.cumsum(sizes) - sizes
    medians = (ranked[begin + (sizes - 1) // 2] + ranked[begin + sizes // 2]) / 2
    own = medians[items]
    parts: npt.NDArray[np.float64] = (values - own) / np.maximum(np.abs(own), 1)
    return np.round(10 * parts)


def tell_apart(bins: Codes, items: Codes, classes: Codes, *, tests: int, seed: int) -> Telling:
    """How far the bins tell the classes, and whether chance could do as well.

    ``items`` and ``classes`` are numbered from 0 without a gap, and there are two classes or more.
    ``tests`` is how many features of the set are tested.
    """
    n_classes = int(classes.max()) + 1
    shares = _Guesser(bins, items, n_classes).shares_right(classes)
    easiest = int(np.argmax(shares))
    right = float(shares[easiest])
    if right < LIMIT:
        return Telling(right=right, easiest=easiest, p=None, warns=False)
    rng = np.random.default_rng(seed)
    if items.max() >= TESTED_ITEMS:
        chosen = rng.permutation(int(items.max()) + 1)[:TESTED_ITEMS]
        kept = np.isin(items, chosen)
        bins, classes = bins[kept], classes[kept]
        items = np.unique(items[kept], return_inverse=True)[1].astype(np.int64)
    guesser = _Guesser(bins, items, n_classes)
    shuffler = _Shuffler(items, classes, rng)
    seen = guesser.shares_right(classes).max()
    n = SHUFFLES * tests - 1
    p = _chance(lambda: guesser.shares_right(shuffler.draw()).max() >= seen - 1e-12, n)
    return Telling(right=right, easiest=easiest, p=p, warns=p <= ALPHA / tests)


def _chance(happens: Callable[[], bool], n: int) -> float:
    """How often it happens by chance, in at most ``n`` trials of it.

    After ``ENOUGH`` times the rest is not waited for (Besag and Clifford 1991): p is then their
    number by that of the trials made.
    """
    reached = 0
    for made in range(1, n + 1):
        reached += bool(happens())
        if reached == ENOUGH:
            return ENOUGH / made
    return (1 + reached) / (1 + n)


class _Guesser:
    """Guesses by the bin, for any classes; the cells of item and bin are counted once."""

    def __init__(self, bins: Codes, items: Codes, n_classes: int) -> None:
        self._bins, self._items, self._k = bins, items, n_classes
        self._n_bins, self._n_items = int(bins.max()) + 1, int(items.max()) + 1
        # All outputs of an item in one bin are guessed alike, since none of that item is looked at.
        self._cells, self._cell = np.unique(items * self._n_bins + bins, return_inverse=True)

    def shares_right(self, classes: Codes) -> npt.NDArray[np.float64]:
        """For each class the share right when it is told from all others, its own item left out."""
        own = self._count(self._cell, classes, len(self._cells))
        in_bin = self._count(self._bins, classes, self._n_bins)
        in_item = self._count(self._items, classes, self._n_items)
        total = np.bincount(classes, minlength=self._k)
        others = in_bin[self._cells % self._n_bins] - own
        all_others = total - in_item[self._cells // self._n_bins]
        rest = others.sum(1, keepdims=True) - others
        all_rest = all_others.sum(1, keepdims=True) - all_others
        margin = others / np.maximum(all_others, 1) - rest / np.maximum(all_rest, 1)
        guess = np.where(np.abs(margin) < 1e-12, 0.5, margin > 0)
        hits = (own * guess).sum(0) / np.maximum(total, 1)
        not_own = own.sum(1, keepdims=True) - own
        passes = (not_own * (1 - guess)).sum(0) / np.maximum(total.sum() - total, 1)
        has_both = (total > 0) & (total < total.sum())
        return np.where(has_both, (hits + passes) / 2, 0.5)

    def _count(self, rows: Codes, classes: Codes, n_rows: int) -> Codes:
        counts = np.bincount(rows * self._k + classes, minlength=n_rows * self._k)
        return counts.reshape(n_rows, self._k).astype(np.int64)


class _Shuffler:
    """Classes in a random order: within items that have several, else between items."""

    def __init__(self, items: Codes, classes: Codes, rng: np.random.Generator) -> None:
        self._classes, self._rng = classes, rng
        low = np.full(int(items.max()) + 1, classes.max() + 1)
        high = np.full(len(low), -1)
        np.minimum.at(low, items, classes)
        np.maximum.at(high, items, classes)
        single = low == high
        self._single_items = np.flatnonzero(single)
        self._class_of = low
        self._alone = np.flatnonzero(single[items])
        self._alone_items = items[self._alone]
        within = np.flatnonzero(~single[items])
        self._within = within[np.argsort(items[within], kind="stable")]
        self._within_items = items[self._within]

    def draw(self) -> Codes:
        made = self._classes.copy()
        shuffled = np.lexsort((self._rng.random(len(self._within)), self._within_items))
        made[self._within] = self._classes[self._within[shuffled]]
        of_item = self._class_of.copy()
        of_item[self._single_items] = self._rng.permutation(of_item[self._single_items])
        made[self._alone] = of_item[self._alone_items]
        return made
