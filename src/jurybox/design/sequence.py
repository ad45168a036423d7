"""In which order a booklet's trials come: one item's trials apart, checks in between.

Screens with several outputs come in a random order; of screens with one output the systems come in
Williams order (``williams.py``) and the items at random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from jurybox.design.even import Ints, number
from jurybox.design.plan import Trial
from jurybox.design.spacing import count_met, part_items
from jurybox.design.trades import Content, Trades
from jurybox.design.williams import even_out, find_targets, start_from_rows
from jurybox.errors import DesignError
from jurybox.study.breach import counted
from jurybox.study.model import ItemId

__all__ = ["order_booklets", "place_checks", "random_sequences", "williams_sequences"]

ATTEMPTS = 4
SHUFFLES = 20
"""Other orders of the checks, before one may come beside a trial of its own item."""


def order_booklets(
    trials: Sequence[Trial],
    slot_trials: Ints,
    booklets: Ints,
    rng: np.random.Generator,
    *,
    unpredictable: bool,
    contents: Sequence[Content],
    room: float,
) -> list[Ints]:
    """Per booklet its slots in the order of showing, given each slot's trial and booklet.

    Where booklets show a part of the systems, slots may change booklets, if ``contents`` lets them.
    ``room``: the seconds that the trials of a booklet may take.
    """
    items = number([trial.item for trial in trials])[slot_trials]
    if any(len(trial.systems) > 1 for trial in trials):
        return random_sequences(items, booklets, rng)
    systems = number([trial.systems for trial in trials])[slot_trials]
    return williams_sequences(
        systems, items, booklets, rng, unpredictable=unpredictable, contents=contents, room=room
    )


def random_sequences(items: Ints, booklets: Ints, rng: np.random.Generator) -> list[Ints]:
    """Per booklet its slots in the order of showing; no two neighbors of one item if that can be.

    An item's slots are spaced evenly from a random start, so they are far apart, not only apart.
    """
    ordered = np.lexsort((_places(items, booklets, rng), booklets))
    return [_keep_apart(s, items, rng) for s in _split(ordered, booklets)]


def williams_sequences(
    systems: Ints,
    items: Ints,
    booklets: Ints,
    rng: np.random.Generator,
    *,
    unpredictable: bool = False,
    contents: Sequence[Content] = (),
    room: float = 0.0,
) -> list[Ints]:
    """The same for screens with one output, so that systems follow each other equally often.

    Items apart come first, then no system behind itself, then even counts of who follows whom. With
    ``unpredictable``, as with two systems, a system may follow itself, as often as by chance.
    Booklets stay as long as they are, unless that keeps the counts uneven.
    """
    n_systems = int(systems.max(initial=-1)) + 1
    if n_systems < 2:
        return random_sequences(items, booklets, rng)
    counts = np.zeros((int(booklets.max(initial=-1)) + 1, n_systems), dtype=np.int64)
    np.add.at(counts, (booklets, systems), 1)
    best: list[Ints] = []
    least = np.inf
    follow_self = unpredictable or n_systems == 2
    # Whoever sees every system is no matter of who got which.
    short = bool(contents) and not follow_self and int(counts.min()) == 0
    for attempt in range(ATTEMPTS):
        # Where long trials were dealt to go with short ones, only these may share a booklet.
        most = 0.0 if attempt < ATTEMPTS // 2 else room
        made = _arrange(
            systems, items, booklets, counts, rng, follow_self, contents if short else (), most
        )
        found = _follow_difference(made, systems, n_systems)
        if found < least:
            best, least = made, found
        # Another try may do better only where it is known to be possible.
        if len(set(counts.sum(axis=0).tolist())) > 1 or least <= 1 + n_systems % 2:
            break
    return best


def _arrange(
    systems: Ints,
    items: Ints,
    booklets: Ints,
    counts: Ints,
    rng: np.random.Generator,
    follow_self: bool,
    contents: Sequence[Content],
    room: float,
) -> list[Ints]:
    """One try: rows of a square, items on them, and exchanges until it is even and parted."""
    n_systems = counts.shape[1]
    targets = find_targets(counts, follow_self=follow_self)
    shown, at = systems.tolist(), items.tolist()
    if follow_self:
        sequences = [s.tolist() for s in random_sequences(items, booklets, rng)]
    else:
        rows = start_from_rows(counts, rng)
        even_out(rows, range(n_systems), range(n_systems), targets, rng)
        row = np.concatenate([np.array(row, dtype=np.int64) for row in rows])
        ordered = np.empty_like(row)
        # A system's places in a booklet go to its slots in the order in which items are spaced.
        ordered[np.lexsort((row, np.sort(booklets)))] = np.lexsort(
            (_places(items, booklets, rng), systems, booklets)
        )
        sequences = [s.tolist() for s in _split(ordered, booklets)]
        part_items(sequences, shown, at, rng)
    # Where few items fill a booklet they cannot be parted without changing the order of systems.
    if follow_self or contents or any(count_met(sequence, at) for sequence in sequences):
        trades = Trades(sequences, contents, room=room) if contents else None
        even_out(sequences, shown, at, targets, rng, trades)
    return [_keep_apart(np.array(s, dtype=np.int64), items, rng) for s in sequences]


def _follow_difference(sequences: list[Ints], systems: Ints, n: int) -> float:
    follows = np.zeros((n, n), dtype=np.int64)
    for sequence in sequences:
        np.add.at(follows, (systems[sequence[:-1]], systems[sequence[1:]]), 1)
    others = follows[~np.eye(n, dtype=np.bool_)]
    return float(others.max() - others.min())


def _places(items: Ints, booklets: Ints, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Where in its booklet each slot belongs, from 0 to 1: an item's slots at equal distances."""
    size = len(items)
    shuffled = rng.permutation(size)
    by_item = shuffled[np.lexsort((items[shuffled], booklets[shuffled]))]
    start = np.ones(size, dtype=np.bool_)
    start[1:] = (items[by_item][1:] != items[by_item][:-1]) | (
        booklets[by_item][1:] != booklets[by_item][:-1]
    )
    group = np.cumsum(start) - 1
    within = np.arange(size) - np.flatnonzero(start)[group]
    places = np.empty(size)
    places[by_item] = (within + rng.random(int(start.sum()))[group]) / np.bincount(group)[group]
    return places


def _split(ordered: Ints, booklets: Ints) -> list[Ints]:
    """Slots that are sorted by booklet, booklet by booklet."""
    return np.split(ordered, np.cumsum(np.bincount(booklets))[:-1])


def _keep_apart(sequence: Ints, items: Ints, rng: np.random.Generator) -> Ints:
    """The sequence, changed only if two neighbors are of one item and that can be avoided."""
    own = items[sequence]
    most = int(np.bincount(own).max(initial=0))
    met = int((own[1:] == own[:-1]).sum())
    if met <= max(0, 2 * most - len(own) - 1):
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
) -> dict[int, int]:
    """Which check comes behind which main trial, counted from 1: none first, no two in a row.

    One check falls at random into each of as many equal stretches as there are checks; where it can
    be, not beside a trial of its own item.
    """
    n, n_checks = len(main_items), len(check_items)
    if n_checks > n:
        raise DesignError(
            f"A booklet has {counted(n, 'trial')} and {n_checks} gold and attention checks, which "
            "must not stand first or side by side; use fewer checks, or fewer raters so that "
            "booklets are longer."
        )
    edges = [i * n // max(n_checks, 1) for i in range(n_checks + 1)]
    fewest, best = n_checks + 1, dict[int, int]()
    for _ in range(SHUFFLES):
        placed, beside = dict[int, int](), 0
        for check, low, high in zip(
            rng.permutation(n_checks).tolist(), edges, edges[1:], strict=False
        ):
            item = check_items[check]
            choices = rng.permutation(np.arange(low + 1, high + 1)).tolist()
            free = [g for g in choices if item not in main_items[g - 1 : g + 1]]
            placed[(free or choices)[0]] = check
            beside += not free
        if beside < fewest:
            fewest, best = beside, placed
        if not fewest:
            break
    return best
