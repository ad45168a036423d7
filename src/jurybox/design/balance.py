"""How even a plan is: the tables that `jurybox plan` prints, and the largest difference in each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

from jurybox.design.groups import groups_in, part_of_group
from jurybox.design.plan import BookletId, Plan, Slot, Trial
from jurybox.study.model import SystemId

__all__ = ["Balance", "GroupCount", "PairCount", "PlaceCount", "balance"]


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
    places: tuple[PlaceCount, ...]
    pairs: tuple[PairCount, ...]
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
    """With two outputs on a screen: which of a pair comes first."""
    groups: tuple[GroupCount, ...] = ()
    """Where booklets belong to rater groups; differences are then the largest within a group."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


Shown = tuple[Slot, Trial]


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


DIFFERENCES = tuple(name for name in Balance.__dataclass_fields__ if name.endswith("_difference"))


def _balance(plan: Plan) -> Balance:
    shown = [
        (slot, trial)
        for slot in plan.slots
        if (trial := plan.trial(slot.trial)).kind == "main" and not slot.repeat
    ]
    loads = Counter(slot.booklet for slot, _ in shown)
    pairs = _pair_counts(shown)
    sided = bool(shown) and all(len(trial.systems) == 2 for _, trial in shown)
    several = [(slot, trial) for slot, trial in shown if len(trial.systems) > 1]
    in_trials = _places(several, lambda slot, trial, system: (slot.trial, system))
    if sided:
        in_booklets = _places(several, lambda slot, trial, system: slot.booklet, canonical=True)
    else:
        in_booklets = _places(several, lambda slot, trial, system: (slot.booklet, system))
    return Balance(
        n_trials=len({slot.trial for slot, _ in shown}),
        n_slots=len(shown),
        n_booklets=len(plan.booklets),
        n_checks=sum(trial.kind in {"gold", "attention"} for trial in plan.trials),
        overlap=plan.overlap,
        places=_place_counts(plan, shown),
        pairs=pairs,
        loads=tuple(loads[booklet.id] for booklet in plan.booklets),
        load_difference=_difference(loads[booklet.id] for booklet in plan.booklets),
        system_difference=_system_difference(plan, shown),
        place_difference=_largest(_places(several, lambda slot, trial, system: system)),
        trial_difference=_largest(in_trials),
        booklet_difference=_largest(in_booklets),
        pair_difference=(
            max(abs(2 * p.first_shown_first - p.slots) for p in pairs) if sided else None
        ),
    )


def _difference(counts: Iterable[int]) -> int:
    values = list(counts)
    return max(values) - min(values) if values else 0


def _places(
    shown: Iterable[Shown], key: Any, *, canonical: bool = False
) -> dict[Hashable, Counter[int]]:
    """Per group and number of outputs, how often each place is taken.

    With ``canonical``, only the first system of each trial is counted, whoever it is.
    """
    counts: dict[Hashable, Counter[int]] = {}
    for slot, trial in shown:
        size = len(trial.systems)
        for place, index in enumerate(slot.order):
            if not (canonical and index):
                group = (size, key(slot, trial, trial.systems[index]))
                if group not in counts:
                    counts[group] = Counter(dict.fromkeys(range(size), 0))
                counts[group][place] += 1
    return counts


def _largest(counts: Mapping[Hashable, Counter[int]]) -> int | None:
    return max((_difference(places.values()) for places in counts.values()), default=None)


def _place_counts(plan: Plan, shown: Iterable[Shown]) -> tuple[PlaceCount, ...]:
    counts: defaultdict[SystemId, Counter[int]] = defaultdict(Counter)
    longest = 1
    for slot, trial in shown:
        longest = max(longest, len(slot.order))
        for place, index in enumerate(slot.order):
            counts[trial.systems[index]][place] += 1
    systems = dict.fromkeys(s for trial in plan.trials for s in trial.systems if s in counts)
    return tuple(
        PlaceCount(system=s, places=tuple(counts[s][place] for place in range(longest)))
        for s in systems
    )


def _pair_counts(shown: Iterable[Shown]) -> tuple[PairCount, ...]:
    slots: Counter[tuple[SystemId, SystemId]] = Counter()
    firsts: Counter[tuple[SystemId, SystemId]] = Counter()
    for slot, trial in shown:
        place = {index: place for place, index in enumerate(slot.order)}
        for (i, one), (j, other) in combinations(enumerate(trial.systems), 2):
            slots[one, other] += 1
            firsts[one, other] += place[i] < place[j]
    return tuple(
        PairCount(systems=pair, slots=n, first_shown_first=firsts[pair])
        for pair, n in sorted(slots.items())
    )


def _system_difference(plan: Plan, shown: Iterable[Shown]) -> int:
    counts: defaultdict[SystemId, Counter[BookletId]] = defaultdict(Counter)
    for slot, trial in shown:
        for system in trial.systems:
            counts[system][slot.booklet] += 1
    return max(
        (_difference(c[booklet.id] for booklet in plan.booklets) for c in counts.values()),
        default=0,
    )
