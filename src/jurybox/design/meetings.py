"""Who shares a screen with whom, made even by exchanges between blocks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from jurybox.design.pairs import find_groups
from jurybox.study.model import ItemId, SystemId

__all__ = ["even_meetings"]

Cell = tuple[ItemId, tuple[SystemId, ...]]

MOST_TRIES = 8_000
TRIES_PER_BLOCK = 100
HEATS = 2
"""How often a search that ended in a dead end goes on, at first less strictly."""
HEAT = 4.0
"""How much worse a step may be, as a scale: it is taken with probability exp(−change / heat)."""


def even_meetings(
    cells: Sequence[Cell],
    systems: Sequence[SystemId],
    rng: np.random.Generator,
    *,
    old: Iterable[Cell] = (),
) -> list[Cell]:
    """The same blocks after exchanges that make pairs of systems meet equally often.

    Two blocks of one item trade a system each; two items, each with a system that it shows twice,
    trade which one that is. So every item shows the systems that it showed, and every system is
    shown as often as before. Exchanges that leave the sum of squared meetings as it is are taken
    too; where that ends in a dead end, so are some that enlarge it, fewer and fewer (simulated
    annealing), and the best result counts. The search ends when all pairs meet equally often up to
    1, or when tries run out; a result that links fewer systems than before is not taken.
    """
    search = _Exchange(cells, systems, old)
    if len(search.blocks) > 1:
        search.run(rng)
    made = [
        (item, tuple(system for system in systems if system in block))
        for (item, _), block in zip(cells, search.blocks, strict=True)
    ]
    before = find_groups(systems, [block for _, block in (*old, *cells)])
    after = find_groups(systems, [block for _, block in (*old, *made)])
    return made if len(after) <= len(before) else list(cells)


class _Exchange:
    def __init__(
        self, cells: Sequence[Cell], systems: Sequence[SystemId], old: Iterable[Cell]
    ) -> None:
        self.blocks = [set(block) for _, block in cells]
        self._systems = list(systems)
        self._met = {one: dict.fromkeys(systems, 0) for one in systems}
        for block in (*(b for _, b in old), *self.blocks):
            for one, other in combinations(block, 2):
                self._count(one, other, 1)
        by_item: dict[ItemId, list[int]] = {}
        for number, (item, _) in enumerate(cells):
            by_item.setdefault(item, []).append(number)
        counts = [self._met[one][other] for one, other in combinations(systems, 2)]
        self._squares = sum(count * count for count in counts)
        each, more = divmod(sum(counts), max(len(counts), 1))
        self._least = (len(counts) - more) * each**2 + more * (each + 1) ** 2
        self._heat = 0.0
        self._items = [numbers for numbers in by_item.values() if len(numbers) > 1]

    def _count(self, one: SystemId, other: SystemId, by: int) -> None:
        self._met[one][other] += by
        self._met[other][one] += by

    def _is_even(self) -> bool:
        """Whether all pairs meet equally often up to 1: no sum of squares is smaller then."""
        return self._squares == self._least

    def run(self, rng: np.random.Generator) -> None:
        """Exchange until all is even; else leave the best that was found."""
        if not self._items or self._is_even():
            return
        tries = min(MOST_TRIES, TRIES_PER_BLOCK * len(self.blocks))
        best, blocks = self._squares, [set(block) for block in self.blocks]
        for heat in (0.0, *[HEAT] * HEATS):
            self._search(rng, tries, heat)
            if self._squares <= best:
                best, blocks = self._squares, [set(block) for block in self.blocks]
            if self._is_even():
                break
        self.blocks = blocks

    def _search(self, rng: np.random.Generator, tries: int, heat: float) -> None:
        """Exchange so often, cooling down from ``heat``, or until all is even."""
        for left in range(tries, 0, -1):
            self._heat = max(0.0, heat * (2 * left / tries - 1))  # cold for the second half
            mine = self._items[int(rng.integers(len(self._items)))]
            if rng.random() < 0.5:
                self._trade_within(mine, rng)
            else:
                self._trade_doubles(mine, self._items[int(rng.integers(len(self._items)))], rng)
            if self._is_even():
                return

    def _trade_within(self, numbers: Sequence[int], rng: np.random.Generator) -> None:
        """Let two blocks of an item trade a system each."""
        one, other = (self.blocks[numbers[i]] for i in rng.permutation(len(numbers))[:2])
        mine, theirs = sorted(one - other), sorted(other - one)
        if not mine or not theirs:
            return
        a = mine[int(rng.integers(len(mine)))]
        b = theirs[int(rng.integers(len(theirs)))]
        self._keep_better([(one, a, b), (other, b, a)], rng)

    def _trade_doubles(
        self, first: Sequence[int], second: Sequence[int], rng: np.random.Generator
    ) -> None:
        """Let two items trade the systems that they show twice."""
        chosen = []
        for numbers in (first, second):
            places = [(n, s) for n in numbers for s in sorted(self.blocks[n])]
            often = [
                (n, s) for n, s in places if sum(s in self.blocks[other] for other in numbers) > 1
            ]
            if not often:
                return
            chosen.append(often[int(rng.integers(len(often)))])
        (n, a), (k, b) = chosen
        one, other = self.blocks[n], self.blocks[k]
        if first is second or a == b or b in one or a in other:
            return
        if not any(b in self.blocks[i] for i in first) or not any(
            a in self.blocks[i] for i in second
        ):
            return
        self._keep_better([(one, a, b), (other, b, a)], rng)

    def _keep_better(
        self, steps: list[tuple[set[SystemId], SystemId, SystemId]], rng: np.random.Generator
    ) -> None:
        """Replace systems in blocks, and mostly undo it if pairs then meet less evenly."""
        change = sum(self._replace(*step) for step in steps)
        if change > 0 and not (self._heat and rng.random() < math.exp(-change / self._heat)):
            for block, gone, new in reversed(steps):
                self._replace(block, new, gone)
        else:
            self._squares += change

    def _replace(self, block: set[SystemId], gone: SystemId, new: SystemId) -> int:
        """The same block with another system; gives the change of the sum of squares."""
        block.remove(gone)
        change = 0
        for other in block:
            change += 2 * (self._met[new][other] - self._met[gone][other]) + 2
            self._count(gone, other, -1)
            self._count(new, other, 1)
        block.add(new)
        return change
