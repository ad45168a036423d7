"""Sharing things out evenly with respect to two nested groupings at once.

Everything that a plan balances is one problem: give each thing (a slot, or a system in a slot) one
of ``n`` numbers (a booklet, a side, a place) so that in every group the numbers occur equally
often, up to 1. For two families of groups, each nested (trial ⊂ pair ⊂ all, booklet × pair ⊂
booklet ⊂ all), that can always be done, however the two families cross (de Werra 1971 for bipartite
graphs, whose vertices are the groups of the two families).

Two numbers: pair neighbors within the smallest groups of a family, the leftovers within the next
larger groups, and so on. Whoever gives the two of every pair different numbers splits each group
within 1. The pairs of both families together form even cycles, so both can be had at once.

More numbers: halve repeatedly. An odd ``n`` is split unevenly by rounding the share bit by bit,
each bit by one halving, which keeps each group's total within 1 of its share (Beck and Spencer
1984). A last pass halves any two numbers that still differ by 2 somewhere; it makes no group worse,
and the sum of squared counts falls each time, so it ends.

References
----------
D. de Werra (1971), Balanced schedules, INFOR 9, 230–237.
J. Beck, J. Spencer (1984), Integral approximation sequences, Mathematical Programming 30, 88–98.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["Ints", "number", "spread"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

SHARE_BITS = 20


def number(values: Sequence[object]) -> Ints:
    """A number for each distinct value, in the order of appearance."""
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)


def spread(
    first: Sequence[Ints], second: Sequence[Ints], *, n: int, rng: np.random.Generator
) -> Ints:
    """Numbers below ``n``, one per thing, that occur equally often in every group, up to 1.

    Parameters
    ----------
    first, second
        Two families, each from its smallest groups to its largest: per level one group number per
        thing. A group is told apart within the groups of the larger levels; the group of all things
        is added to both. In the first family things of a group are taken at random, in the second
        in the order in which they come, so that neighbors get different numbers.
    n
        How many numbers there are.
    rng
        Decides everything that the groups leave open.
    """
    size = len(first[0])
    families = (
        _Family(first, shuffle=rng.permutation(size)),
        _Family(second, shuffle=np.arange(size)),
    )
    low = np.zeros(size, dtype=np.int64)
    width = np.full(size, n, dtype=np.int64)
    while size and (width > 1).any():
        left = width // 2
        goes_left = _round_share(left / width, [f.within(low) for f in families], rng)
        low = np.where(goes_left, low, low + left)
        width = np.where(goes_left, left, width - left)
    _repair(low, families, n, rng)
    return low


class _Family:
    """Nested groups: things sorted so that every group is contiguous, and their group per level."""

    def __init__(self, levels: Sequence[Ints], *, shuffle: Ints) -> None:
        self._levels = list(levels)
        place = np.empty_like(shuffle)
        place[shuffle] = np.arange(len(shuffle))
        self.order: Ints = np.lexsort((place, *levels)).astype(np.int64)
        self.groups = self._number_groups()

    def _number_groups(self) -> list[Ints]:
        """Per level, from small to large, the number of each thing's group in sorted order."""
        start = np.zeros(len(self.order), dtype=np.bool_)
        groups: list[Ints] = []
        for level in reversed(self._levels):
            values = level[self.order]
            start[1:] |= values[1:] != values[:-1]
            groups.append(np.cumsum(start, dtype=np.int64))
        return groups[::-1]

    def within(self, group: Ints) -> _Family:
        """The same family inside each of these groups, which become its largest."""
        inner = object.__new__(_Family)
        inner._levels = [*self._levels, group]
        inner.order = self.order[np.argsort(group[self.order], kind="stable")]
        inner.groups = inner._number_groups()
        return inner

    def partners(self, active: Bools) -> Ints:
        """Each active thing's partner; the thing itself where one is left over.

        Neighbors are paired in the smallest groups, leftovers in ever larger ones, so no group
        holds more than one thing whose partner is outside.
        """
        places = np.flatnonzero(active[self.order])
        partner = np.arange(len(active))
        for groups in (*self.groups, np.zeros(len(self.order), dtype=np.int64)):
            group = groups[places]
            index = np.arange(len(places))
            start = np.ones(len(places), dtype=np.bool_)
            start[1:] = group[1:] != group[:-1]
            within = index - np.maximum.accumulate(np.where(start, index, 0))
            later = np.flatnonzero(within % 2 == 1)
            one, other = self.order[places[later - 1]], self.order[places[later]]
            partner[one], partner[other] = other, one
            paired = np.zeros(len(places), dtype=np.bool_)
            paired[later] = paired[later - 1] = True
            places = places[~paired]
        return partner


def _halve(families: Sequence[_Family], active: Bools, rng: np.random.Generator) -> Bools:
    """A half of the active things that takes half of every group's active things, up to one."""
    things = np.flatnonzero(active)
    number = np.empty(len(active), dtype=np.int64)
    number[things] = np.arange(len(things))
    # With an odd number of things each family leaves one over; a dummy is the partner of both.
    steps = []
    for family in families:
        step = np.append(number[family.partners(active)[things]], len(things))
        if len(things) % 2:
            alone = np.flatnonzero(step[:-1] == np.arange(len(things)))
            step[alone], step[-1] = len(things), alone[0]
        steps.append(step)
    first, second = steps
    if not len(things) % 2:
        first, second = first[:-1], second[:-1]
    side = _smallest_of_cycle(second[first])
    other = side[first]
    flip = rng.integers(0, 2, size=len(first)).astype(np.bool_)
    half = (side < other) ^ flip[np.minimum(side, other)]
    result = np.zeros(len(active), dtype=np.bool_)
    result[things] = half[: len(things)]
    return result


def _smallest_of_cycle(step: Ints) -> Ints:
    """The smallest number on each number's cycle under the permutation ``step``.

    Jumps double in length, so a cycle of a million takes twenty rounds.
    """
    smallest = np.arange(len(step))
    jump = step
    while not np.array_equal(smallest, smallest[step]):
        smallest = np.minimum(smallest, smallest[jump])
        jump = jump[jump]
    return smallest


def _round_share(
    share: npt.NDArray[np.float64], families: Sequence[_Family], rng: np.random.Generator
) -> Bools:
    """Which things are taken when each is taken with its share; group totals stay within 1."""
    whole = 1 << SHARE_BITS
    rest = np.rint(share * whole).astype(np.int64)
    for bit in range(SHARE_BITS):
        active = (rest >> bit) & 1 == 1
        if active.any():
            up = _halve(families, active, rng)
            rest += np.where(active, np.where(up, 1, -1), 0) << bit
    taken: Bools = rest == whole
    return taken


def _repair(numbers: Ints, families: Sequence[_Family], n: int, rng: np.random.Generator) -> None:
    """Halve two numbers anew, in place, wherever a group has one of them twice as an excess."""
    if n < 2:
        return
    for family in families:
        everything = np.zeros(len(numbers), dtype=np.int64)
        for groups in (*family.groups, everything):
            for members in _uneven(groups, numbers[family.order], n):
                things = family.order[members]
                while True:
                    counts = np.bincount(numbers[things], minlength=n)
                    most, least = int(counts.argmax()), int(counts.argmin())
                    if counts[most] - counts[least] < 2:
                        break
                    active = (numbers == most) | (numbers == least)
                    half = _halve(families, active, rng)
                    numbers[active] = np.where(half[active], most, least)


def _uneven(groups: Ints, numbers: Ints, n: int) -> Iterator[Ints]:
    """The members of each group in which two numbers differ by 2 or more."""
    if not len(groups):
        return
    sizes = np.bincount(groups)
    cells, counts = np.unique(groups * n + numbers, return_counts=True)
    group = cells // n
    floor = sizes // n
    wrong = np.zeros(len(sizes), dtype=np.bool_)
    np.logical_or.at(wrong, group, (counts < floor[group]) | (counts > -(-sizes // n)[group]))
    wrong |= (np.bincount(group, minlength=len(sizes)) < n) & (floor >= 1)
    # Read before the first repair: a repair elsewhere can only make these groups more even.
    for number in np.flatnonzero(wrong):
        yield np.flatnonzero(groups == number)
