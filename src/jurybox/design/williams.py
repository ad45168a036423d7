"""Which system follows which: Williams order over all booklets, for screens with one output.

An output is judged beside the one before it, so every system should follow every other equally
often. A booklet is a chain of rows of a Williams square (Williams 1949), in which each system
stands once and each row of the square is used equally often; what is left over by booklets that are
no multiple of the number of systems comes as a shorter row somewhere between. The joints between
rows count as well. Exchanges within booklets then even out what joints and shorter rows left
uneven, keep the trials of one item apart, and keep a system from following itself. Booklets that
show a part of the systems also exchange slots with each other, as far as ``trades`` lets them.

Two cases are looser. With two systems a booklet in which none follows itself would simply
alternate, and a rater who must tell real from generated would learn that the next one is the other
kind: there a system may follow itself as often as chance would have it.

References
----------
E. J. Williams (1949), Experimental designs balanced for the estimation of residual effects of
treatments, doi:10.1071/CH9490149.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from jurybox.design.even import Ints
from jurybox.design.trades import Trades

__all__ = ["even_out", "find_targets", "start_from_rows", "williams_row"]

Floats = list[float]

SAME_ITEM = 1e9
SAME_SYSTEM = 1e6
MOST_TRIES = 10_000
TRIES_PER_PLACE = 100
ROUNDS = 5
WINDOW = 20
"""A long booklet is looked at in stretches of so many times the number of systems."""


def williams_row(n: int) -> list[int]:
    """0, 1, n−1, 2, n−2, …: its rotations are a Williams square.

    >>> williams_row(4), williams_row(5)
    ([0, 1, 3, 2], [0, 1, 4, 2, 3])
    """
    return [(-(i // 2) if i % 2 == 0 else i // 2 + 1) % n for i in range(n)]


def _square(n: int, rng: np.random.Generator) -> list[list[int]]:
    """The rows of a Williams square with its numbers named at random; both mirrors if n is odd."""
    base, naming = williams_row(n), rng.permutation(n).tolist()
    rows = [[naming[(value + turn) % n] for value in base] for turn in range(n)]
    return rows + [row[::-1] for row in rows] if n % 2 else rows


def start_from_rows(counts: Ints, rng: np.random.Generator) -> list[list[int]]:
    """Per booklet the systems in order: whole rows, and what is left over between two of them.

    ``counts[booklet, system]`` says how often each is shown. Rows are used equally often; among
    those used least, the one is taken whose joint was seen least.
    """
    n = counts.shape[1]
    rows = _square(n, rng)
    used = [0] * len(rows)
    seen = [[0] * n for _ in range(n)]
    result: list[list[int]] = [[] for _ in counts]

    def add(sequence: list[int], systems: Sequence[int]) -> None:
        for system in systems:
            if sequence:
                seen[sequence[-1]][system] += 1
            sequence.append(system)

    for booklet in rng.permutation(len(counts)).tolist():
        whole = int(counts[booklet].min())
        left = (counts[booklet] - whole).tolist()
        n_left, naming = sum(left), rng.permutation(n).tolist()
        short_at = int(rng.integers(whole + 1))
        sequence = result[booklet]
        # Which of several equal rows comes first is drawn anew for each booklet.
        shuffled = rng.permutation(len(rows)).tolist()
        for place in range(whole + 1):
            while place == short_at and n_left:
                last = seen[sequence[-1]] if sequence else [0] * n
                end = sequence[-1] if sequence else -1
                # Of a system that is left over often, some go before the others are used up.
                system = min(
                    (s for s in naming if left[s]), key=lambda s: (s == end, -left[s], last[s])
                )
                left[system] -= 1
                n_left -= 1
                add(sequence, [system])
            if place < whole:
                last = seen[sequence[-1]] if sequence else [0] * n
                end = sequence[-1] if sequence else -1
                row = min(shuffled, key=lambda r: (rows[r][0] == end, used[r], last[rows[r][0]]))
                used[row] += 1
                add(sequence, rows[row])
    return result


def find_targets(counts: Ints, *, follow_self: bool) -> list[Floats]:
    """How often each system should follow each: in proportion to how often both are shown."""
    total = counts.sum(axis=0).astype(np.float64)
    weights = np.outer(total, total)
    if not follow_self:
        np.fill_diagonal(weights, 0)
    steps = float(np.maximum(counts.sum(axis=1) - 1, 0).sum())
    targets: list[Floats] = (weights * (steps / max(weights.sum(), 1))).tolist()
    return targets


def even_out(
    sequences: list[list[int]],
    systems: Sequence[int],
    items: Sequence[int],
    targets: list[Floats],
    rng: np.random.Generator,
    trades: Trades | None = None,
) -> None:
    """Exchange slots within booklets, in place, until who follows whom is even or tries run out.

    A sequence lists slots; ``systems`` and ``items`` say what each of them shows. With ``trades``
    slots are exchanged between booklets too.
    """
    search = _Search(sequences, systems, items, targets, rng, trades)
    equal = len({round(t, 6) for s, row in enumerate(targets) for o, t in enumerate(row) if s != o})
    # Where systems are not shown equally often, nobody knows how even it can be.
    for attempt in range(ROUNDS if equal == 1 else 1):
        # While counts are evened out the order wanders, which may free what could not be parted.
        parted, difference = search.part_neighbors(), search.even_out()
        # For an odd number of systems a difference of 1 often cannot be had.
        if parted and difference <= 1 + (attempt > 0 and len(targets) % 2) + 1e-9:
            return


class _Search:
    """Random exchanges that never make matters worse; equal ones are taken, so that it wanders."""

    def __init__(
        self,
        sequences: list[list[int]],
        systems: Sequence[int],
        items: Sequence[int],
        targets: list[Floats],
        rng: np.random.Generator,
        trades: Trades | None,
    ) -> None:
        self._trades = trades
        self._sequences, self._systems, self._items = sequences, systems, items
        self._targets = targets
        self._n = len(targets)
        # With a target of its own a system may follow itself.
        self._self_cost = 0.0 if any(targets[s][s] for s in range(self._n)) else SAME_SYSTEM
        # How far each count is above its target.
        self._excess = [[-value for value in row] for row in targets]
        for sequence in sequences:
            for one, other in pairwise(sequence):
                self._excess[systems[one]][systems[other]] += 1
        self._draws = _draws(rng)

    def part_neighbors(self) -> bool:
        """Move slots whose neighbor has the same item, or the same system where that is a cost.

        False if some are left.
        """
        parted, tries = True, MOST_TRIES
        for sequence in self._sequences:
            for place in range(1, len(sequence)):
                last = max(0, tries - TRIES_PER_PLACE)
                while tries > last and self._is_wrong(sequence, place):
                    self._try(sequence, place)
                    tries -= 1
            parted &= not any(self._is_wrong(sequence, p) for p in range(1, len(sequence)))
        return parted

    def _is_wrong(self, sequence: list[int], place: int) -> bool:
        one, other = sequence[place - 1], sequence[place]
        return self._items[one] == self._items[other] or (
            self._self_cost > 0 and self._systems[one] == self._systems[other]
        )

    def even_out(self) -> float:
        """The largest difference once nobody follows another too often, or tries ran out."""
        long = [sequence for sequence in self._sequences if len(sequence) > 1]
        if not long or self._n < 2:
            return 0.0
        steps = sum(len(sequence) - 1 for sequence in long)
        most, least = self._extremes()
        rare = self._rare(least)
        # Between booklets there is more to choose from, and more of it is refused.
        tries = MOST_TRIES * (1 if self._trades is None else 6)
        for turn in range(min(tries, 1_000 + 100 * steps)):
            if most - least <= 1 + 1e-9:
                break
            sequence = long[int(next(self._draws) * len(long))]
            if self._trades is not None and turn % 4 < 2:
                better = self._trade(self._trades, most)
            elif turn % 2:
                better = self._try(sequence, self._crowded(sequence, most))
            else:
                better = self._bring(sequence, *rare[int(next(self._draws) * len(rare))])
            if better:
                most, least = self._extremes()
                rare = self._rare(least)
        return most - least

    def _extremes(self) -> tuple[float, float]:
        values = [
            value for s, row in enumerate(self._excess) for o, value in enumerate(row) if s != o
        ]
        return max(values), min(values)

    def _rare(self, least: float) -> list[tuple[int, int]]:
        """The pairs of systems that follow each other least often."""
        return [
            (s, o)
            for s, row in enumerate(self._excess)
            for o, value in enumerate(row)
            if s != o and value < least + 0.5
        ]

    def _bring(self, sequence: list[int], one: int, other: int) -> bool:
        """Put a stretch that begins with the other system behind a slot of the one.

        Of all lengths the stretch may have, the one whose ends fit best.
        """
        low = int(next(self._draws) * max(1, len(sequence) - WINDOW * self._n))
        shown = [self._systems[slot] for slot in sequence[low : low + WINDOW * self._n]]
        ones = [p for p, system in enumerate(shown) if system == one]
        others = [p for p, system in enumerate(shown) if system == other]
        if not ones or not others:
            return False
        before = ones[int(next(self._draws) * len(ones))]
        start = others[int(next(self._draws) * len(others))]
        excess = self._excess
        if start > before + 1:
            behind, left = shown[before + 1], excess[shown[start - 1]]
            end = min(
                range(start + 1, len(shown)),
                key=lambda e: (
                    excess[shown[e - 1]][behind] + left[shown[e]] - excess[shown[e - 1]][shown[e]]
                ),
                default=len(shown),
            )
            return self._turn(sequence, low + before + 1, low + start, low + end)
        if 0 < start < before < len(shown) - 1:
            left, behind = excess[shown[start - 1]], shown[before + 1]
            middle = min(
                range(start + 1, before + 1),
                key=lambda e: (
                    left[shown[e]] + excess[shown[e - 1]][behind] - excess[shown[e - 1]][shown[e]]
                ),
            )
            return self._turn(sequence, low + start, low + middle, low + before + 1)
        return False

    def _crowded(self, sequence: list[int], most: float) -> int:
        """A place whose system follows the one before it too often, if a few looks find one."""
        place = 1
        for _ in range(8):
            place = 1 + int(next(self._draws) * (len(sequence) - 1))
            one, other = (self._systems[slot] for slot in sequence[place - 1 : place + 1])
            if one != other and self._excess[one][other] > most - 0.5:
                break
        return place

    def _try(self, sequence: list[int], place: int) -> bool:
        """One random exchange that parts the slot at this place from the one before it.

        True if matters got better, not merely no worse.
        """
        kind, where = next(self._draws), next(self._draws)
        size = len(sequence)
        if kind < 0.5:
            other = int(where * size)
            mine = place - (kind < 0.25)
            return self._swap(sequence, *sorted((mine, other))) if mine != other else False
        if kind < 0.65:
            return self._turn(sequence, 0, place, size)
        length = 1 + int(next(self._draws) * min(2 * self._n, size - place))
        if where * size < place:
            return self._turn(sequence, int(where * size), place, place + length)
        end = place + length
        further = end + 1 + int((where * size - place) / (size - place) * (size - end))
        return self._turn(sequence, place, end, min(further, size))

    def _trade(self, trades: Trades, most: float) -> bool:
        """Let a slot change places with one of another booklet, if a few looks find one."""
        here = int(next(self._draws) * len(self._sequences))
        mine = self._sequences[here]
        if len(mine) < 2:
            return False
        place = self._crowded(mine, most) - (next(self._draws) < 0.5)
        for _ in range(8):
            there = int(next(self._draws) * len(self._sequences))
            theirs = self._sequences[there]
            if there == here or not theirs:
                continue
            at = int(next(self._draws) * len(theirs))
            one, other = mine[place], theirs[at]
            if self._systems[one] == self._systems[other]:
                continue
            if not trades.allows(one, here, other, there):
                continue
            old = _neighbors(mine, place) + _neighbors(theirs, at)
            mine[place], theirs[at] = other, one
            new = _neighbors(mine, place) + _neighbors(theirs, at)
            change = self._change(old, new)
            if change <= 1e-9:
                trades.make(one, here, other, there)
                return change < -1e-9
            mine[place], theirs[at] = one, other
            self._change(new, old)
        return False

    def _swap(self, sequence: list[int], one: int, other: int) -> bool:
        a, b = sequence[one], sequence[other]
        before = [(p, p + 1) for p in sorted({one - 1, one, other - 1, other})]
        before = [(p, q) for p, q in before if p >= 0 and q < len(sequence)]
        old = [(sequence[p], sequence[q]) for p, q in before]
        sequence[one], sequence[other] = b, a
        new = [(sequence[p], sequence[q]) for p, q in before]
        change = self._change(old, new)
        if change > 1e-9:
            sequence[one], sequence[other] = a, b
            self._change(new, old)
        return change < -1e-9

    def _turn(self, sequence: list[int], start: int, middle: int, end: int) -> bool:
        """Let two neighboring stretches change places; only their ends get new neighbors."""
        if not start < middle < end:
            return False
        first = (sequence[start], sequence[middle - 1])
        second = (sequence[middle], sequence[end - 1])
        old, new = [(first[1], second[0])], [(second[1], first[0])]
        if start:
            old.append((sequence[start - 1], first[0]))
            new.append((sequence[start - 1], second[0]))
        if end < len(sequence):
            old.append((second[1], sequence[end]))
            new.append((first[1], sequence[end]))
        change = self._change(old, new)
        if change > 1e-9:
            self._change(new, old)
        else:
            sequence[start:end] = sequence[middle:end] + sequence[start:middle]
        return change < -1e-9

    def _change(self, old: list[tuple[int, int]], new: list[tuple[int, int]]) -> float:
        """How much worse it gets when these neighbors are parted and those brought together."""
        systems, items, excess = self._systems, self._items, self._excess
        change = 0.0
        for one, other in old:
            s, o = systems[one], systems[other]
            change -= 2 * excess[s][o] - 1
            excess[s][o] -= 1
            change -= (s == o) * self._self_cost + (items[one] == items[other]) * SAME_ITEM
        for one, other in new:
            s, o = systems[one], systems[other]
            change += 2 * excess[s][o] + 1
            excess[s][o] += 1
            change += (s == o) * self._self_cost + (items[one] == items[other]) * SAME_ITEM
        return change


def _neighbors(sequence: list[int], place: int) -> list[tuple[int, int]]:
    """The steps to and from a place."""
    around = range(max(0, place - 1), min(place + 1, len(sequence) - 1))
    return [(sequence[p], sequence[p + 1]) for p in around]


def _draws(rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield from rng.random(4096).tolist()
