"""How even a plan is: the tables that `jurybox plan` prints, and the largest difference in each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from graphlib import CycleError, TopologicalSorter
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from jurybox.design.even import Ints, number
from jurybox.design.groups import groups_in, part_of_group
from jurybox.design.plan import Booklet, BookletId, Plan, SlotId
from jurybox.study.model import RaterId, SystemId

__all__ = [
    "Balance",
    "FollowCount",
    "GroupCount",
    "PairCount",
    "PlaceCount",
    "answered_part",
    "balance",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceCount:
    """How often a system is shown at each place, first place first."""

    system: SystemId
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCount:
    """How often two systems are on one screen, and how often the first of them comes first."""

    systems: tuple[SystemId, SystemId]
    slots: int
    first_shown_first: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowCount:
    """How often each system comes directly behind this one, in the order of ``Balance.places``."""

    system: SystemId
    next: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCount:
    """What of the plan belongs to one rater group."""

    group: str
    overlap: int
    n_slots: int
    n_booklets: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """How even the main trials of a plan are; a difference is the largest minus the smallest count.

    A difference is ``None`` where there is nothing to compare, as with one output on a screen.
    """

    n_trials: int
    n_slots: int
    n_booklets: int
    n_checks: int
    """Gold and attention trials in each booklet."""
    overlap: int
    n_core: int
    """Trials of a shared core, which have more slots than the overlap: one in every booklet."""
    n_repeats: int
    """Slots beyond these, in which a rater sees a trial again; nothing else here counts them."""
    places: tuple[PlaceCount, ...]
    pairs: tuple[PairCount, ...]
    follows: tuple[FollowCount, ...]
    """With one output on a screen: who follows whom, checks and repeats left out."""
    loads: tuple[int, ...]
    """Main slots per booklet, in the order of the booklets."""
    load_difference: int
    system_difference: int
    """Over the booklets, of how often one system is shown."""
    place_difference: int | None
    """Over the places, of how often one system is shown there."""
    trial_difference: int | None
    """The same within the slots of one trial."""
    booklet_difference: int | None
    """The same within one booklet; with two outputs on a screen, of the two sides of all pairs."""
    pair_difference: int | None
    """Of a pair of systems on one screen, which of them comes first, directly or not."""
    meet_difference: int | None
    """Over the pairs of systems that are to meet, of how often they are on one screen."""
    follow_difference: int | None
    """With one output on a screen, over all ordered pairs: how often the one follows the other."""
    item_distance: int | None
    """How many trials on, checks and repeats too, the same item comes at the soonest, if ever."""
    items_met: int
    """How often two of these that show one item come directly after each other."""
    groups: tuple[GroupCount, ...] = ()
    """Where booklets belong to rater groups; differences are then the largest within a group."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def balance(plan: Plan) -> Balance:
    """The counts of a plan's main trials and their largest differences.

    Booklets that belong to rater groups are compared with those of their own group.
    """
    whole = _balance(plan)
    parts = {group: _balance(part_of_group(plan, group)) for group in groups_in(plan)}
    if not parts:
        return whole
    worst: dict[str, Any] = {
        name: max(
            (d for part in parts.values() if (d := getattr(part, name)) is not None), default=None
        )
        for name in DIFFERENCES
    }
    counts = tuple(
        GroupCount(group=group, overlap=p.overlap, n_slots=p.n_slots, n_booklets=p.n_booklets)
        for group, p in parts.items()
    )
    return replace(whole, groups=counts, **worst)


def answered_part(plan: Plan, taken: Mapping[SlotId, tuple[RaterId, int]]) -> Plan:
    """What was answered, as a plan: one booklet per rater, in the order in which they answered.

    ``taken`` gives the rater of each answered slot and the position in their sequence. Slots that a
    rater left unanswered may have been taken by another, so this is not a part of the booklets.
    """
    groups = {booklet.id: booklet.group for booklet in plan.booklets}
    by_rater: dict[RaterId, list[tuple[int, SlotId]]] = {}
    for slot in plan.slots:
        if slot.id in taken:
            rater, position = taken[slot.id]
            by_rater.setdefault(rater, []).append((position, slot.id))
    places = {
        id: (BookletId(rater), place)
        for rater, content in by_rater.items()
        for place, (_, id) in enumerate(sorted(content))
    }
    slots = tuple(
        replace(slot, booklet=places[slot.id][0], position=places[slot.id][1])
        for slot in plan.slots
        if slot.id in places
    )
    group_of = {places[s.id][0]: groups[s.booklet] for s in plan.slots if s.id in places}
    booklets = tuple(
        Booklet(
            id=BookletId(rater),
            slots=tuple(id for _, id in sorted(content)),
            group=group_of[BookletId(rater)],
        )
        for rater, content in by_rater.items()
    )
    return replace(plan, slots=slots, booklets=booklets)


def _balance(plan: Plan) -> Balance:
    shown = _Shown.of(plan)
    loads = np.bincount(shown.booklet, minlength=len(plan.booklets)).tolist()
    pairs = _pair_counts(shown)
    sizes = set(shown.size.tolist())
    sided, single = sizes == {2}, sizes == {1}
    first = shown.index == 0
    follows = _follows(shown) if single else None
    gaps = _item_gaps(plan)
    return Balance(
        n_trials=len(set(shown.trial.tolist())),
        n_slots=len(shown.trial),
        n_booklets=len(plan.booklets),
        n_checks=sum(trial.kind in {"gold", "attention"} for trial in plan.trials),
        overlap=plan.overlap,
        n_core=int((np.bincount(shown.trial) > plan.overlap).sum()),
        n_repeats=sum(slot.repeat > 0 for slot in plan.slots),
        places=_place_counts(shown),
        pairs=pairs,
        follows=() if follows is None else _follow_counts(shown, follows),
        loads=tuple(loads),
        load_difference=_difference(loads),
        system_difference=_system_difference(shown, len(plan.booklets)),
        place_difference=_largest(shown, shown.system),
        trial_difference=_largest(shown, shown.trial[shown.slot], shown.system),
        booklet_difference=(
            # Of a pair's two sides one says it all, whichever system stands there.
            _largest(shown, shown.booklet[shown.slot], chosen=first)
            if sided
            else _largest(shown, shown.booklet[shown.slot], shown.system)
        ),
        pair_difference=max((abs(2 * p.first_shown_first - p.slots) for p in pairs), default=None),
        meet_difference=_meet_difference(plan, pairs),
        follow_difference=None if follows is None else _follow_difference(follows),
        item_distance=int(gaps.min()) if len(gaps) else None,
        items_met=int((gaps == 1).sum()),
    )


DIFFERENCES = tuple(name for name in Balance.__dataclass_fields__ if name.endswith("_difference"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """The main slots by number, and for each output on their screens where it stands."""

    systems: tuple[SystemId, ...]
    trial: Ints
    """The number of each slot's trial in the plan."""
    booklet: Ints
    position: Ints
    size: Ints
    """How many outputs are on the slot's screen."""
    slot: Ints
    """From here on one entry per output: the slot on whose screen it is."""
    index: Ints
    """Its place in the trial's own list of systems."""
    place: Ints
    system: Ints

    @classmethod
    def of(cls, plan: Plan) -> _Shown:
        numbers = {trial.id: n for n, trial in enumerate(plan.trials)}
        booklets = {booklet.id: n for n, booklet in enumerate(plan.booklets)}
        main = {trial.id for trial in plan.trials if trial.kind == "main"}
        slots = [slot for slot in plan.slots if slot.trial in main and not slot.repeat]
        trial = np.array([numbers[slot.trial] for slot in slots], dtype=np.int64)
        size = np.array([len(slot.order) for slot in slots], dtype=np.int64)
        index = np.array([i for slot in slots for i in slot.order], dtype=np.int64)
        slot = np.repeat(np.arange(len(slots)), size)
        starts = np.cumsum(size) - size
        named = [s for one in plan.trials for s in one.systems]
        offsets = np.cumsum([0, *(len(one.systems) for one in plan.trials)])[:-1]
        # Systems in the order of the study, those alone that are shown.
        order = _in_order([one.systems for one in plan.trials])
        of_name = {system: n for n, system in enumerate(order)}
        numbered = np.array([of_name[system] for system in named], dtype=np.int64)
        every = numbered[offsets[trial[slot]] + index] if len(index) else index
        there = sorted(set(every.tolist()))
        renumber = np.zeros(len(order), dtype=np.int64)
        renumber[there] = np.arange(len(there))
        return cls(
            systems=tuple(order[n] for n in there),
            trial=trial,
            booklet=np.array([booklets[slot.booklet] for slot in slots], dtype=np.int64),
            position=np.array([slot.position for slot in slots], dtype=np.int64),
            size=size,
            slot=slot,
            index=index,
            place=np.arange(len(index)) - starts[slot],
            system=renumber[every],
        )


def _in_order(shown: Iterable[tuple[SystemId, ...]]) -> list[SystemId]:
    """The systems in the order of the study, in which each trial lists those that it shows.

    Where a baseline comes first or a ring is closed they are in the order in which they appear.
    """
    distinct = list(dict.fromkeys(shown))
    appearing = list(dict.fromkeys(system for systems in distinct for system in systems))
    sorter = TopologicalSorter(dict.fromkeys(appearing, ()))
    for systems in distinct:
        for one, other in pairwise(systems):
            sorter.add(other, one)
    try:
        return list(sorter.static_order())
    except CycleError:
        return appearing


def _difference(counts: Iterable[int]) -> int:
    values = list(counts)
    return max(values) - min(values) if values else 0


def _largest(shown: _Shown, *keys: Ints, chosen: Ints | None = None) -> int | None:
    """Over groups of outputs and screens of one size, how differently often places are taken."""
    size = shown.size[shown.slot]
    several = size > 1 if chosen is None else (size > 1) & chosen
    if not several.any():
        return None
    group = np.unique(np.stack([size, *keys])[:, several], axis=1, return_inverse=True)[1].ravel()
    most = int(size.max())
    counts = np.bincount(group * most + shown.place[several], minlength=(group.max() + 1) * most)
    counts = counts.reshape(-1, most)
    sizes = np.zeros(len(counts), dtype=np.int64)
    sizes[group] = size[several]
    # Places that a screen of the size does not have are no zeros.
    absent = np.arange(most) >= sizes[:, None]
    low = np.where(absent, np.iinfo(np.int64).max, counts).min(axis=1)
    return int((counts.max(axis=1) - low).max())


def _place_counts(shown: _Shown) -> tuple[PlaceCount, ...]:
    longest = int(shown.size.max(initial=1))
    counts = np.zeros((len(shown.systems), longest), dtype=np.int64)
    np.add.at(counts, (shown.system, shown.place), 1)
    return tuple(
        PlaceCount(system=system, places=tuple(row))
        for system, row in zip(shown.systems, counts.tolist(), strict=True)
    )


def _pair_counts(shown: _Shown) -> tuple[PairCount, ...]:
    n = len(shown.systems)
    slots, firsts = np.zeros((n, n), dtype=np.int64), np.zeros((n, n), dtype=np.int64)
    for size in sorted(set(shown.size.tolist()) - {1}):
        chosen = np.flatnonzero(shown.size[shown.slot] == size)
        # Per slot the place of each of the trial's systems, in the trial's own order.
        order = chosen[np.lexsort((shown.index[chosen], shown.slot[chosen]))]
        system = shown.system[order].reshape(-1, size)
        place = shown.place[order].reshape(-1, size)
        for i, j in combinations(range(size), 2):
            np.add.at(slots, (system[:, i], system[:, j]), 1)
            np.add.at(firsts, (system[:, i], system[:, j]), place[:, i] < place[:, j])
    return tuple(
        PairCount(
            systems=(shown.systems[i], shown.systems[j]),
            slots=int(slots[i, j]),
            first_shown_first=int(firsts[i, j]),
        )
        for i, j in zip(*np.nonzero(slots), strict=True)
    )


def _meet_difference(plan: Plan, pairs: tuple[PairCount, ...]) -> int | None:
    trials = [trial for trial in plan.trials if trial.kind == "main"]
    if all(len(trial.systems) == 1 for trial in trials):
        return None
    counts = {frozenset(pair.systems): pair.slots for pair in pairs}
    # What was planned says who is to meet, whatever drop-outs left.
    if all(len(trial.systems) == 2 for trial in trials):
        wanted = {frozenset(trial.systems) for trial in trials}
    else:
        systems = dict.fromkeys(system for trial in trials for system in trial.systems)
        wanted = {frozenset(pair) for pair in combinations(systems, 2)}
    return _difference(counts.get(pair, 0) for pair in wanted)


def _system_difference(shown: _Shown, n_booklets: int) -> int:
    counts = np.zeros((len(shown.systems), n_booklets), dtype=np.int64)
    np.add.at(counts, (shown.system, shown.booklet[shown.slot]), 1)
    return int((counts.max(axis=1) - counts.min(axis=1)).max()) if counts.size else 0


def _follows(shown: _Shown) -> Ints:
    """With one output on a screen: how often the second system directly follows the first."""
    order = np.lexsort((shown.position, shown.booklet))
    system, booklet = shown.system[order], shown.booklet[order]
    counts = np.zeros((len(shown.systems), len(shown.systems)), dtype=np.int64)
    same = booklet[1:] == booklet[:-1]
    np.add.at(counts, (system[:-1][same], system[1:][same]), 1)
    return counts


def _follow_counts(shown: _Shown, follows: Ints) -> tuple[FollowCount, ...]:
    return tuple(
        FollowCount(system=system, next=tuple(row))
        for system, row in zip(shown.systems, follows.tolist(), strict=True)
    )


def _follow_difference(follows: Ints) -> int | None:
    others = follows[~np.eye(len(follows), dtype=np.bool_)]
    return int(others.max() - others.min()) if others.size else None


def _item_gaps(plan: Plan) -> Ints:
    """Within booklets, how many trials on the item of a trial comes again, whatever shows it."""
    items = {trial.id: trial.item for trial in plan.trials}
    item = number([items[slot.trial] for slot in plan.slots])
    booklet = number([slot.booklet for slot in plan.slots])
    position = np.array([slot.position for slot in plan.slots], dtype=np.int64)
    order = np.lexsort((position, booklet))
    place = np.empty_like(order)
    # What drop-outs left has holes, which are no trials.
    place[order] = np.arange(len(order)) - np.searchsorted(booklet[order], booklet[order])
    by_item = np.lexsort((place, item, booklet))
    again = (np.diff(item[by_item]) == 0) & (np.diff(booklet[by_item]) == 0)
    gaps: Ints = np.diff(place[by_item])[again]
    return gaps
