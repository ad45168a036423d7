"""In which order a booklet's trials come: one item's trials apart, with room for checks.

Screens with several outputs come in a random order; of screens with one output the systems come in
Williams order (``williams.py``) and the items at random.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from jurybox.design.checks import keep_apart
from jurybox.design.even import Ints, number
from jurybox.design.guarantees import is_roomy
from jurybox.design.plan import Trial
from jurybox.design.spacing import count_met, part_items
from jurybox.design.trades import Content, Trades
from jurybox.design.williams import even_out, find_targets, start_from_rows

__all__ = ["order_booklets", "random_sequences", "williams_sequences"]

ATTEMPTS = 4
NO_CHECKS = np.zeros(0, dtype=np.int64)


def order_booklets(
    trials: Sequence[Trial],
    slot_trials: Ints,
    booklets: Ints,
    rng: np.random.Generator,
    *,
    checks: Sequence[Trial],
    unpredictable: bool,
    contents: Sequence[Content],
    room: float,
) -> list[Ints]:
    """Per booklet its slots in the order of showing, given each slot's trial and booklet.

    ``checks`` will come in between. Where booklets show a part of the systems, slots may change
    booklets, if ``contents`` lets them.
    ``room``: the seconds that the trials of a booklet may take.
    """
    numbers = number([trial.item for trial in (*trials, *checks)])
    items, check_items = numbers[slot_trials], numbers[len(trials) :]
    if any(len(trial.systems) > 1 for trial in trials):
        return random_sequences(items, booklets, rng, checks=check_items)
    systems = number([trial.systems for trial in trials])[slot_trials]
    return williams_sequences(
        systems,
        items,
        booklets,
        rng,
        checks=check_items,
        unpredictable=unpredictable,
        contents=contents,
        room=room,
    )


def random_sequences(
    items: Ints, booklets: Ints, rng: np.random.Generator, *, checks: Ints = NO_CHECKS
) -> list[Ints]:
    """Per booklet its slots in the order of showing; no two neighbors of one item if that can be.

    An item's slots are spaced evenly from a random start, so they are far apart, not only apart.
    ``checks`` are the items of checks that will come in between.
    """
    ordered = np.lexsort((_places(items, booklets, rng), booklets))
    return [s[keep_apart(items[s], checks, rng)] for s in _split(ordered, booklets)]


def williams_sequences(
    systems: Ints,
    items: Ints,
    booklets: Ints,
    rng: np.random.Generator,
    *,
    checks: Ints = NO_CHECKS,
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
        return random_sequences(items, booklets, rng, checks=checks)
    counts = np.zeros((int(booklets.max(initial=-1)) + 1, n_systems), dtype=np.int64)
    np.add.at(counts, (booklets, systems), 1)
    best: list[Ints] = []
    least, bound = (True, 0, np.inf), 1 + n_systems % 2
    follow_self = unpredictable or n_systems == 2
    # Whoever sees every system is no matter of who got which.
    short = bool(contents) and not follow_self and int(counts.min()) == 0
    for attempt in range(ATTEMPTS):
        # Where long trials were dealt to go with short ones, only these may share a booklet.
        most = 0.0 if attempt < ATTEMPTS // 2 else room
        made = _arrange(
            systems, items, booklets, counts, rng, follow_self, contents if short else (), most
        )
        follows = _count_follows(made, systems, n_systems)
        difference = _largest_difference(follows)
        behind_itself = 0 if follow_self else int(follows.trace())
        found = (difference > bound, behind_itself, difference)
        if not best or found < least:
            best, least = made, found
        # Another try may do better only where it is known to be possible.
        if len(set(counts.sum(axis=0).tolist())) > 1 or least <= (False, 0, bound):
            break
    return _make_room(best, systems, items, checks, rng)


def _make_room(
    sequences: list[Ints], systems: Ints, items: Ints, checks: Ints, rng: np.random.Generator
) -> list[Ints]:
    """The booklets with their order changed where checks would else stand beside their own item.

    Where no item fills a booklet, even counts of who follows whom come first.
    """
    made, n = list(sequences), int(systems.max()) + 1
    before = _count_follows(made, systems, n)
    bound = max(_largest_difference(before), 1 + n % 2)
    for booklet, sequence in enumerate(sequences):
        order = keep_apart(items[sequence], checks, rng)
        if (order[1:] > order[:-1]).all():
            continue
        made[booklet] = sequence[order]
        if is_roomy(items[sequence].tolist()):
            follows = _count_follows(made, systems, n)
            if _largest_difference(follows) > bound or follows.trace() > before.trace():
                made[booklet] = sequence
    return made


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
    made = [np.array(sequence, dtype=np.int64) for sequence in sequences]
    return [sequence[keep_apart(items[sequence], NO_CHECKS, rng)] for sequence in made]


def _count_follows(sequences: list[Ints], systems: Ints, n: int) -> Ints:
    """How often the second of ``n`` systems directly follows the first."""
    follows = np.zeros((n, n), dtype=np.int64)
    for sequence in sequences:
        np.add.at(follows, (systems[sequence[:-1]], systems[sequence[1:]]), 1)
    return follows


def _largest_difference(follows: Ints) -> float:
    others = follows[~np.eye(len(follows), dtype=np.bool_)]
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
