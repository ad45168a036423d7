"""Which outputs of an item share a screen when not all of them fit on one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from jurybox.study.model import SystemId

__all__ = ["Blocks"]


class Blocks:
    """Makes the blocks of one item after another, so that over the items all is even.

    Systems differ in how often they are shown by at most 1; who is shown with whom is kept as even
    as a greedy choice can: each block takes first what no chain of blocks links to it yet, then the
    system that met its members least.
    """

    def __init__(self, systems: Sequence[SystemId], size: int, rng: np.random.Generator) -> None:
        self._systems = tuple(systems)
        self._size = size
        self._rng = rng
        self._shown = dict.fromkeys(systems, 0)
        self._met = {frozenset(pair): 0 for pair in combinations(systems, 2)}
        self._linked = {system: {system} for system in systems}

    def partition(self, systems: Sequence[SystemId]) -> list[tuple[SystemId, ...]]:
        """Each of these systems in exactly one block; blocks are as equal in size as can be."""
        n_blocks = -(-len(systems) // self._size)
        if n_blocks <= 1:
            return [tuple(systems)]
        sizes = [len(systems) // n_blocks + (b < len(systems) % n_blocks) for b in range(n_blocks)]
        return list(self._fill(list(systems), sizes))

    def cover(self, systems: Sequence[SystemId]) -> list[tuple[SystemId, ...]]:
        """Blocks of the full size that show each of these systems at least once."""
        n_blocks = -(-len(systems) // self._size)
        if n_blocks <= 1:
            return [tuple(systems)]
        twice = self._least_shown(systems, n_blocks * self._size - len(systems))
        # The last block holds all those shown twice, so that none of them is twice in one block.
        rest = [system for system in systems if system not in twice]
        last = next(self._fill(rest, [self._size - len(twice)], start=twice))
        others = [system for system in systems if system not in last or system in twice]
        return [*self._fill(others, [self._size] * (n_blocks - 1)), last]

    def fill_up(
        self, new: Sequence[SystemId], old: Sequence[SystemId]
    ) -> list[tuple[SystemId, ...]]:
        """Blocks of the full size that show each new system once, filled up with old ones."""
        blocks = []
        for start in range(0, len(new), self._size):
            chosen = list(new[start : start + self._size])
            blocks += list(self._fill(list(old), [self._size - len(chosen)], start=chosen))
        return blocks

    def _least_shown(self, systems: Sequence[SystemId], n: int) -> list[SystemId]:
        shuffled = [systems[i] for i in self._rng.permutation(len(systems))]
        return sorted(shuffled, key=self._shown.__getitem__)[:n]

    def _fill(
        self, pool: list[SystemId], sizes: list[int], *, start: Sequence[SystemId] = ()
    ) -> Iterator[tuple[SystemId, ...]]:
        """Blocks that take so many systems from the pool each, beside those of ``start``."""
        left = [pool[i] for i in self._rng.permutation(len(pool))]
        for size in sizes:
            block = list(start)
            for _ in range(min(size, len(left))):
                chosen = min(left, key=lambda system: self._burden(system, block))
                left.remove(chosen)
                block.append(chosen)
            yield self._note(block)

    def _burden(self, system: SystemId, block: Sequence[SystemId]) -> tuple[int, int, int]:
        """How little a block gains by this system: links, meetings, showings."""
        return (
            sum(other in self._linked[system] for other in block),
            sum(self._met[frozenset((system, other))] for other in block),
            self._shown[system],
        )

    def _note(self, block: Sequence[SystemId]) -> tuple[SystemId, ...]:
        for system in block:
            self._shown[system] += 1
        for pair in combinations(block, 2):
            self._met[frozenset(pair)] += 1
            one, other = (self._linked[system] for system in pair)
            if one is not other:
                one |= other
                self._linked.update(dict.fromkeys(other, one))
        return tuple(system for system in self._systems if system in block)
