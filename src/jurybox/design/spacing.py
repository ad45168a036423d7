"""Trials of one item far apart in a booklet, without touching who follows whom."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

__all__ = ["count_met", "part_items"]

LOOKS = 24
MATES = 100


def part_items(
    sequences: list[list[int]],
    systems: Sequence[int],
    items: Sequence[int],
    rng: np.random.Generator,
) -> None:
    """Reorder the slots of booklets, in place, so that trials of one item are far apart.

    A sequence lists slots; ``systems`` and ``items`` say what each of them shows. Over all booklets
    the systems follow each other exactly as before.
    """
    alike: dict[tuple[int, ...], list[int]] = {}
    for number, sequence in enumerate(sequences):
        _space(sequence, systems, items, rng)
        alike.setdefault(tuple(sorted(systems[slot] for slot in sequence)), []).append(number)
    for number, sequence in enumerate(sequences):
        mates = alike[tuple(sorted(systems[slot] for slot in sequence))]
        met = count_met(sequence, items)
        for mate in rng.permutation(mates)[:MATES].tolist() if met else ():
            # Two booklets with equally many trials of each system may trade the order of systems.
            mine = _reorder(sequences[number], sequences[mate], systems)
            other = _reorder(sequences[mate], sequences[number], systems)
            _space(mine, systems, items, rng)
            _space(other, systems, items, rng)
            now = count_met(mine, items) + count_met(other, items)
            if now < met + count_met(sequences[mate], items) and mate != number:
                sequences[number], sequences[mate] = mine, other
                met = count_met(mine, items)
            if not met:
                break


def count_met(sequence: Sequence[int], items: Sequence[int]) -> int:
    """How often two neighbors show one item."""
    return sum(items[one] == items[other] for one, other in pairwise(sequence))


def _reorder(sequence: list[int], like: list[int], systems: Sequence[int]) -> list[int]:
    """The slots of one booklet in the order of systems of another."""
    waiting: dict[int, deque[int]] = {}
    for slot in sequence:
        waiting.setdefault(systems[slot], deque()).append(slot)
    return [waiting[systems[slot]].popleft() for slot in like]


def _space(
    sequence: list[int], systems: Sequence[int], items: Sequence[int], rng: np.random.Generator
) -> None:
    """Trade places between slots of one system, in place, so that no item comes again too soon.

    Soon is sooner than half of the distance at which the item's slots would be equally spaced.
    """
    where: dict[int, list[int]] = {}
    for place, slot in enumerate(sequence):
        where.setdefault(items[slot], []).append(place)
    if len(where) == len(sequence):
        return
    wanted = {item: max(2, len(sequence) // (2 * len(own))) for item, own in where.items()}
    by_system: dict[int, list[int]] = {}
    for place, slot in enumerate(sequence):
        by_system.setdefault(systems[slot], []).append(place)

    def room(item: int, place: int, without: int) -> float:
        """How far the item's others are, at most 1 where that is far enough."""
        others = [abs(place - other) for other in where[item] if other != without]
        return min(1.0, min(others) / wanted[item]) if others else 1.0

    for _ in range(2):
        for place in range(len(sequence)):
            item = items[sequence[place]]
            if room(item, place, place) == 1:
                continue
            mates = by_system[systems[sequence[place]]]
            looks = rng.integers(len(mates), size=min(LOOKS, 2 * len(mates))).tolist()
            for mate in (mates[look] for look in looks):
                other = items[sequence[mate]]
                before = min(room(item, place, place), room(other, mate, mate))
                if min(room(item, mate, place), room(other, place, mate)) > before:
                    sequence[place], sequence[mate] = sequence[mate], sequence[place]
                    where[item][where[item].index(place)] = mate
                    where[other][where[other].index(mate)] = place
                    break
