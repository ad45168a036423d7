"""In which order a trial's outputs are shown, slot by slot.

What is even, always up to a difference of 1:

- two outputs: which system comes first, within each trial's slots, each pair, each booklet and each
  pair within a booklet;
- more outputs, the same systems in every trial: how often a system stands at a place, within each
  trial's slots and over all slots; within each booklet too if the number of outputs is even (by 2
  if it is odd). The orders are the rows of a Williams square, so neighbors are even as well, and so
  is which of a pair comes first, for an odd number as far as places and booklets let it;
- more outputs, blocks of different systems: within each trial's slots and over all slots; which of
  a pair comes first as far as these places let it, mostly by 1 or 2; within each booklet as far as
  trading orders between a trial's slots can bring it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from jurybox.design.even import Ints, number, spread
from jurybox.design.plan import Trial
from jurybox.design.precedence import BOOKLET, count_ahead, even_precedence
from jurybox.design.williams import williams_row
from jurybox.study.model import SystemId

__all__ = ["choose_orders"]

Orders = list[tuple[int, ...]]


def choose_orders(
    trials: Sequence[Trial], slot_trials: Ints, booklets: Ints, rng: np.random.Generator
) -> Orders:
    """The order of each slot, given the index of its trial and its booklet."""
    sizes = np.array([len(trial.systems) for trial in trials])[slot_trials]
    numbers: dict[SystemId, int] = {}
    for system in (system for trial in trials for system in trial.systems):
        numbers.setdefault(system, len(numbers))
    orders: Orders = [(0,)] * len(slot_trials)
    ahead = np.zeros((len(numbers), len(numbers)), dtype=np.int64)
    for size in sorted(set(sizes.tolist()) - {1}):
        chosen = np.flatnonzero(sizes == size)
        systems = np.array(
            [[numbers[s] for s in trials[t].systems] for t in slot_trials[chosen].tolist()]
        )
        part = _Part(systems, slot_trials[chosen], booklets[chosen], ahead)
        is_same = bool((systems == systems[0]).all())
        made = (_sides if size == 2 else _rows if is_same else _places)(part, rng)
        ahead += count_ahead(np.take_along_axis(systems, made, axis=1), len(numbers))
        for slot, order in zip(chosen.tolist(), made.tolist(), strict=True):
            orders[slot] = tuple(order)
    return orders


@dataclass(frozen=True, slots=True)
class _Part:
    """The slots with so many outputs, and who stands before whom on smaller screens."""

    systems: Ints
    """The number of each of a slot's systems, in the order of its trial."""
    trials: Ints
    booklets: Ints
    ahead: Ints


def _sides(part: _Part, rng: np.random.Generator) -> Ints:
    _, first, trial = np.unique(part.trials, return_index=True, return_inverse=True)
    pair = number([tuple(systems) for systems in part.systems[first].tolist()])[trial]
    side = spread((part.trials, pair), (pair, part.booklets), n=2, rng=rng)
    return np.array([(0, 1), (1, 0)])[side]


def _rows(part: _Part, rng: np.random.Generator) -> Ints:
    """Rows of a Williams square over the same systems in every trial."""
    n = part.systems.shape[1]
    base, naming = np.array(williams_row(n)), rng.permutation(n)
    square = naming[(base[None, :] + np.arange(n)[:, None]) % n]
    mirrored = np.zeros(len(part.trials), dtype=np.bool_)
    if n % 2:
        # An odd square is even in who follows whom only together with its mirror image.
        mirrored = np.isin(part.trials, _half_of(part.trials, n, rng))
    orders = np.empty_like(part.systems)
    shown = part.systems[0]
    ahead = part.ahead.copy()
    # The mirror image is shown in whole squares, so what is left over is in the other one.
    for chosen, rows in ((mirrored, square[:, ::-1]), (~mirrored, square)):
        row = spread((part.trials[chosen],), (part.booklets[chosen],), n=n, rng=rng)
        each = [count_ahead(shown[order][None, :], len(ahead)) for order in rows]
        orders[chosen] = rows[_rename(row, each, ahead, rng)[row]]
        ahead += count_ahead(shown[orders[chosen]], len(ahead))
    if np.abs(ahead).max() <= 1:
        return orders
    changed = _even_out(part, orders, rng)
    if _booklet_difference(part, changed) > BOOKLET:
        # What is won for pairs was lost in booklets, whose evenness is promised.
        changed = _even_pairs(part, orders, rng, in_booklets=True)
    # Pairs are more even by their squares, which one that is worse than any before may still be.
    return min((orders, changed), key=lambda made: _pair_difference(part, made))


def _pair_difference(part: _Part, orders: Ints) -> int:
    """How much oftener a system stands before another than behind it, at most."""
    shown = np.take_along_axis(part.systems, orders, axis=1)
    return int(np.abs(part.ahead + count_ahead(shown, len(part.ahead))).max())


def _rename(row: Ints, each: Sequence[Ints], ahead: Ints, rng: np.random.Generator) -> Ints:
    """Another number for each row, so that those used once more than others offset each other.

    ``each[row]`` says who stands before whom in it, ``ahead`` who does so anyway. Whatever is even
    stays so under any names.
    """
    used = np.bincount(row, minlength=len(each))
    more = np.flatnonzero(used > used.min())
    total = ahead + used.min() * sum(each, start=np.zeros_like(ahead))
    free = rng.permutation(len(each)).tolist()
    chosen = []
    for _ in more:
        best = min(free, key=lambda r: int(((total + each[r]) ** 2).sum()))
        free.remove(best)
        chosen.append(best)
        total = total + each[best]
    names = np.empty(len(each), dtype=np.int64)
    names[more], names[used == used.min()] = chosen, free
    return names


def _half_of(trials: Ints, n: int, rng: np.random.Generator) -> Ints:
    """About half of the trials, at random, whose slots are a multiple of ``n``, if only 0.

    A multiple of ``n`` slots is shown in whole squares, so that what the other half leaves uneven
    by 1 stays so in total.
    """
    distinct, counts = np.unique(trials, return_counts=True)
    shuffled = rng.permutation(len(distinct))
    filled = np.append(0, np.cumsum(counts[shuffled]))
    whole = np.flatnonzero(filled % n == 0)
    half = whole[np.argmin(np.abs(2 * filled[whole] - len(trials)))]
    return distinct[shuffled[:half]]


def _places(part: _Part, rng: np.random.Generator) -> Ints:
    """Orders for blocks of different systems: each system stands at each place as often."""
    systems, n = part.systems, part.systems.shape[1]
    slot = np.repeat(np.arange(len(systems)), n)
    place = spread((slot,), (np.repeat(part.trials, n), systems.ravel()), n=n, rng=rng)
    return _even_out(part, np.argsort(place.reshape(-1, n), axis=1), rng)


def _even_out(part: _Part, orders: Ints, rng: np.random.Generator) -> Ints:
    """The orders after changes that make even who stands before whom, and then booklets."""
    # An order says which system is at a place, its inverse where a system goes.
    place = np.argsort(_even_pairs(part, orders, rng), axis=1)
    _trade(place, part.systems, part.trials, part.booklets)
    return np.argsort(place, axis=1)


def _even_pairs(
    part: _Part, orders: Ints, rng: np.random.Generator, *, in_booklets: bool = False
) -> Ints:
    """The orders after changes that make even who stands before whom."""
    shown = np.take_along_axis(part.systems, orders, axis=1)
    booklets = part.booklets if in_booklets else None
    even_precedence(shown, part.trials, part.ahead, rng, booklets=booklets)
    changed: Ints = np.argmax(part.systems[:, None, :] == shown[:, :, None], axis=2)
    return changed


def _booklet_difference(part: _Part, orders: Ints) -> int:
    """Within a booklet, how differently often a system stands at the places."""
    n = orders.shape[1]
    counts = np.zeros((int(part.booklets.max()) + 1, n, n), dtype=np.int64)
    np.add.at(counts, (part.booklets[:, None], orders, np.arange(n)), 1)
    return int(np.ptp(counts, axis=2).max())


def _trade(place: Ints, systems: Ints, slot_trials: Ints, booklets: Ints) -> None:
    """Trade orders between slots of one trial, in place, wherever that makes booklets more even."""
    n = place.shape[1]
    counts = np.zeros((int(booklets.max()) + 1, int(systems.max()) + 1, n), dtype=np.int64)
    np.add.at(counts, (booklets[:, None], systems, place), 1)
    tally: list[list[list[int]]] = counts.tolist()
    rows, shown, holder = place.tolist(), systems.tolist(), booklets.tolist()
    by_trial = np.split(
        np.argsort(slot_trials, kind="stable"),
        np.flatnonzero(np.diff(np.sort(slot_trials, kind="stable"))) + 1,
    )
    for _ in range(2):
        for slots in by_trial:
            for a, b in combinations(slots.tolist(), 2):
                one, other = tally[holder[a]], tally[holder[b]]
                # The change of the sum of squared counts when the two slots trade their orders.
                change = 0
                for system, p, q in zip(shown[a], rows[a], rows[b], strict=True):
                    if p != q:
                        change += one[system][q] - one[system][p] + 1
                        change += other[system][p] - other[system][q] + 1
                if change < 0:
                    for system, p, q in zip(shown[a], rows[a], rows[b], strict=True):
                        one[system][p] -= 1
                        one[system][q] += 1
                        other[system][q] -= 1
                        other[system][p] += 1
                    rows[a], rows[b] = rows[b], rows[a]
    place[:] = rows
