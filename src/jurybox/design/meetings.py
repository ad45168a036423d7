"""Who shares a screen with whom, made even by exchanges between blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from jurybox.design.pairs import find_groups
from jurybox.study.model import ItemId, SystemId

__all__ = ["even_meetings"]

Cell = tuple[ItemId, tuple[SystemId, ...]]

MOST_TRIES = 8_000
TRIES_PER_BLOCK = 100


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
    too, which is how a search leaves a dead end. It ends when all pairs meet equally often up to 1,
    or when tries run out; a result that links fewer systems than before is not taken.
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
        self._items = [numbers for numbers in by_item.values() if len(numbers) > 1]

    def _count(self, one: SystemId, other: SystemId, by: int) -> None:
        self._met[one][other] += by
        self._met[other][one] += by

    def _difference(self) -> int:
        counts = [self._met[one][other] for one, other in combinations(self._systems, 2)]
        return max(counts) - min(counts)

    def run(self, rng: np.random.Generator) -> None:
        if not self._items or self._difference() <= 1:
            return
        for _ in range(min(MOST_TRIES, TRIES_PER_BLOCK * len(self.blocks))):
            mine = self._items[int(rng.integers(len(self._items)))]
            if rng.random() < 0.5:
                change = self._trade_within(mine, rng)
            else:
                change = self._trade_doubles(
                    mine, self._items[int(rng.integers(len(self._items)))], rng
                )
            if change < 0 and self._difference() <= 1:
                return

    def _trade_within(self, numbers: Sequence[int], rng: np.random.Generator) -> int:
        """Let two blocks of an item trade a system each; the change of the sum of squares."""
        one, other = (self.blocks[numbers[i]] for i in rng.permutation(len(numbers))[:2])
        mine, theirs = sorted(one - other), sorted(other - one)
        if not mine or not theirs:
            return 0
        a = mine[int(rng.integers(len(mine)))]
        b = theirs[int(rng.integers(len(theirs)))]
        return self._keep_better([(one, a, b), (other, b, a)])

    def _trade_doubles(
        self, first: Sequence[int], second: Sequence[int], rng: np.random.Generator
    ) -> int:
        """Let two items trade the systems that they show twice; the change likewise."""
        chosen = []
        for numbers in (first, second):
            places = [(n, s) for n in numbers for s in sorted(self.blocks[n])]
            often = [
                (n, s) for n, s in places if sum(s in self.blocks[other] for other in numbers) > 1
            ]
            if not often:
                return 0
            chosen.append(often[int(rng.integers(len(often)))])
        (n, a), (k, b) = chosen
        one, other = self.blocks[n], self.blocks[k]
        if first is second or a == b or b in one or a in other:
            return 0
        if not any(b in self.blocks[i] for i in first) or not any(
            a in self.blocks[i] for i in second
        ):
            return 0
        return self._keep_better([(one, a, b), (other, b, a)])

    def _keep_better(self, steps: list[tuple[set[SystemId], SystemId, SystemId]]) -> int:
        """Replace systems in blocks, and undo it if pairs then meet less evenly."""
        change = sum(self._replace(*step) for step in steps)
        if change > 0:
            for block, gone, new in reversed(steps):
                self._replace(block, new, gone)
            return 0
        return change

    def _replace(self, block: set[SystemId], gone: SystemId, new: SystemId) -> int:
        block.remove(gone)
        change = 0
        for other in block:
            change += 2 * (self._met[new][other] - self._met[gone][other]) + 2
            self._count(gone, other, -1)
            self._count(new, other, 1)
        block.add(new)
        return change
