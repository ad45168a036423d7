"""In which order a booklet's trials come: at random, one item's trials apart, checks in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from jurybox.design.even import Ints
from jurybox.errors import DesignError
from jurybox.study.model import ItemId

__all__ = ["keep_apart", "place_checks", "random_sequences"]


def random_sequences(items: Ints, booklets: Ints, rng: np.random.Generator) -> list[Ints]:
    """Per booklet its slots in the order of showing; no two neighbors of one item if that can be.

    An item's slots are spaced evenly from a random start, so they are far apart, not only apart.
    """
    size = len(items)
    n_booklets = int(booklets.max(initial=-1)) + 1
    shuffled = rng.permutation(size)
    by_item = shuffled[np.lexsort((items[shuffled], booklets[shuffled]))]
    start = np.ones(size, dtype=np.bool_)
    start[1:] = (items[by_item][1:] != items[by_item][:-1]) | (
        booklets[by_item][1:] != booklets[by_item][:-1]
    )
    group = np.cumsum(start) - 1
    within = np.arange(size) - np.flatnonzero(start)[group]
    place = (within + rng.random(int(start.sum()))[group]) / np.bincount(group)[group]
    ordered = by_item[np.lexsort((place, booklets[by_item]))]
    ends = np.cumsum(np.bincount(booklets, minlength=n_booklets))
    sequences = np.split(ordered, ends[:-1])
    return [keep_apart(sequence, items, rng) for sequence in sequences]


def keep_apart(sequence: Ints, items: Ints, rng: np.random.Generator) -> Ints:
    """The sequence, changed only if two neighbors are of one item and that can be avoided."""
    own = items[sequence]
    if not (own[1:] == own[:-1]).any():
        return sequence
    # Fill every other place, then the places between, the most frequent item first: two of an item
    # meet only if it has more than half of the places.
    counts = Counter(own.tolist())
    rank = {item: i for i, item in enumerate(rng.permutation(sorted(counts)).tolist())}
    by_frequency = sorted(
        range(len(sequence)), key=lambda i: (-counts[int(own[i])], rank[int(own[i])])
    )
    places = [*range(0, len(sequence), 2), *range(1, len(sequence), 2)]
    result = np.empty_like(sequence)
    for place, index in zip(places, by_frequency, strict=True):
        result[place] = sequence[index]
    return result


def place_checks(
    main_items: Sequence[ItemId], check_items: Sequence[ItemId], rng: np.random.Generator
) -> list[int]:
    """Behind which main trial, counted from 1, each check comes: never first, never two in a row.

    One check falls at random into each of as many equal stretches as there are checks; where it can
    be, not beside a trial of its own item.
    """
    n, n_checks = len(main_items), len(check_items)
    if n_checks > n:
        raise DesignError(
            f"A booklet has {n} trials and {n_checks} gold and attention checks, which must not "
            "stand first or side by side; use fewer checks, or fewer raters so that booklets are "
            "longer."
        )
    edges = [i * n // n_checks for i in range(n_checks + 1)] if n_checks else []
    gaps = []
    for item, low, high in zip(check_items, edges, edges[1:], strict=False):
        choices = [int(gap) for gap in rng.permutation(np.arange(low + 1, high + 1))]
        free = [g for g in choices if item not in main_items[g - 1 : g + 1]]
        gaps.append((free or choices)[0])
    return gaps
