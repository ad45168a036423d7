"""In which order a trial's outputs are shown, slot by slot.

What is even, always up to a difference of 1:

- two outputs: which system comes first, within each trial's slots, each pair, each booklet and each
  pair within a booklet;
- more outputs, the same systems in every trial: how often a system stands at a place, within each
  trial's slots and over all slots; within each booklet too if the number of outputs is even (by 2
  if it is odd). The orders are the rows of a Williams square, so neighbors are even as well;
- more outputs, blocks of different systems: within each trial's slots and over all slots; within
  each booklet as far as trading orders between a trial's slots can bring it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import gcd

import numpy as np

from jurybox.design.even import Ints, spread
from jurybox.design.plan import Trial
from jurybox.design.williams import williams_row

__all__ = ["choose_orders"]

Orders = list[tuple[int, ...]]


def choose_orders(
    trials: Sequence[Trial], slot_trials: Ints, booklets: Ints, rng: np.random.Generator
) -> Orders:
    """The order of each slot, given the index of its trial and its booklet."""
    sizes = np.array([len(trial.systems) for trial in trials])[slot_trials]
    orders: Orders = [(0,)] * len(slot_trials)
    for size in sorted(set(sizes.tolist()) - {1}):
        chosen = np.flatnonzero(sizes == size)
        part = (trials, slot_trials[chosen], booklets[chosen], rng)
        shown = {trials[t].systems for t in set(slot_trials[chosen].tolist())}
        made = _sides(*part) if size == 2 else _rows(*part) if len(shown) == 1 else _places(*part)
        for slot, order in zip(chosen.tolist(), made, strict=True):
            orders[slot] = order
    return orders


def _sides(
    trials: Sequence[Trial], slot_trials: Ints, booklets: Ints, rng: np.random.Generator
) -> Orders:
    numbers: dict[object, int] = {}
    for trial in trials:
        numbers.setdefault(trial.systems, len(numbers))
    pair = np.array([numbers[trial.systems] for trial in trials])[slot_trials]
    side = spread((slot_trials, pair), (pair, booklets), n=2, rng=rng)
    return [((0, 1), (1, 0))[s] for s in side.tolist()]


def _rows(
    trials: Sequence[Trial], slot_trials: Ints, booklets: Ints, rng: np.random.Generator
) -> Orders:
    """Rows of a Williams square over the same systems in every trial."""
    n = len(trials[int(slot_trials[0])].systems)
    base = np.array(williams_row(n))
    naming = rng.permutation(n)
    row = np.zeros(len(slot_trials), dtype=np.int64)
    mirrored = np.zeros(len(slot_trials), dtype=np.bool_)
    if n % 2:
        # An odd square is even in who follows whom only together with its mirror image.
        mirrored = np.isin(slot_trials, _half_of(slot_trials, n, rng))
    for part in (np.flatnonzero(~mirrored), np.flatnonzero(mirrored)):
        row[part] = spread((slot_trials[part],), (booklets[part],), n=n, rng=rng)
    places = naming[(base[None, :] + row[:, None]) % n]
    places[mirrored] = places[mirrored][:, ::-1]
    return [tuple(order) for order in places.tolist()]


def _half_of(slot_trials: Ints, n: int, rng: np.random.Generator) -> Ints:
    """About half of the trials, at random, whose slots are a multiple of ``n`` if that can be.

    A multiple of ``n`` slots is shown in whole squares, so that what the other half leaves uneven
    by 1 stays so in total.
    """
    trials, counts = np.unique(slot_trials, return_counts=True)
    shuffled = rng.permutation(len(trials))
    step = n // gcd(n, int(counts[0])) if len(set(counts.tolist())) == 1 else 1
    half = len(trials) // 2 // step * step
    if step == 1:
        filled = np.cumsum(counts[shuffled])
        whole = np.flatnonzero(filled[: len(trials) // 2 + 1] % n == 0)
        half = int(whole[-1]) + 1 if len(whole) else 0
    return trials[shuffled[:half]]


def _places(
    trials: Sequence[Trial], slot_trials: Ints, booklets: Ints, rng: np.random.Generator
) -> Orders:
    """Orders for blocks of different systems: each system stands at each place as often."""
    n = len(trials[int(slot_trials[0])].systems)
    numbers: dict[object, int] = {}
    systems = np.array(
        [
            [numbers.setdefault(system, len(numbers)) for system in trials[t].systems]
            for t in slot_trials.tolist()
        ]
    )
    slot = np.repeat(np.arange(len(slot_trials)), n)
    place = spread((slot,), (np.repeat(slot_trials, n), systems.ravel()), n=n, rng=rng).reshape(
        -1, n
    )
    _trade(place, systems, slot_trials, booklets)
    # place[slot, index] says where the system goes; the order says which system is at the place.
    return [tuple(order) for order in np.argsort(place, axis=1).tolist()]


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
