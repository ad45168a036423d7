"""From a study and its material to a plan, and from a plan to a larger one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from jurybox.design.booklets import Needed
from jurybox.design.checks import place_checks
from jurybox.design.core import choose_core, core_of, deal_with_core
from jurybox.design.even import Ints, number
from jurybox.design.groups import GroupPart, check_places, parts_of
from jurybox.design.guarantees import refuse_uneven
from jurybox.design.ids import make_id, stream
from jurybox.design.items import find_strata
from jurybox.design.orders import choose_orders
from jurybox.design.people import choose_people_items
from jurybox.design.plan import Booklet, BookletId, Plan, Round, Slot, SlotId, Trial, TrialId
from jurybox.design.repeats import Repeats, Showing
from jurybox.design.sequence import order_booklets
from jurybox.design.timing import trials_seconds
from jurybox.design.trials import known_trials, main_trials
from jurybox.errors import DesignError
from jurybox.study.model import ItemId

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Material

__all__ = ["extend_plan", "make_plan"]

MOST_SLOTS = 5_000_000
"""A slot takes about 0.4 KB of memory, so a plan at most some 2 GB."""


def make_plan(study: Study, material: Material, *, round: Round = "main") -> Plan:
    """The plan that ``study.design`` asks for; the same study and seed give the same plan.

    Every trial that people rate has exactly ``overlap`` slots, all in different booklets; where
    each rater group answers every trial, the group's own overlap in booklets of the group. Raises
    ``DesignError`` with what to change when no plan can satisfy the request.
    """
    trials = main_trials(study, material, round=round)
    parts = _parts(study, material, round)
    overlap = sum(part.overlap for part in parts)
    _refuse_too_many(len(trials), overlap)
    known = _Known.of(study, material, round)
    rated = choose_people_items(study, material, trials, round=round)
    is_rated = np.array([trial.item in rated for trial in trials])
    theirs = [trial for trial in trials if trial.item in rated]
    core = choose_core(study, material, theirs, round=round)
    slots: list[Slot] = []
    booklets: list[Booklet] = []
    for part in parts:
        copies = np.where(is_rated, part.overlap, 0)
        needed, shared = _needed(study, material, trials, copies, known, core)
        check_places(study, part, needed)
        start = _Start(round=round, n_booklets=len(booklets), planned=_count_slots(slots))
        more_slots, more_booklets = _lay_out(study, needed, shared, known, start, part)
        slots += more_slots
        booklets += more_booklets
    return Plan(
        seed=study.design.seed,
        overlap=overlap,
        trials=(*trials, *known.checks, *known.practice),
        slots=tuple(slots),
        booklets=tuple(booklets),
        practice=tuple(trial.id for trial in known.practice),
        round=round,
    )


def extend_plan(old: Plan, study: Study, material: Material) -> Plan:
    """The old plan and what new items, systems or rater groups or a larger overlap add to it.

    Every old trial, slot and booklet stays as it is; new slots are in new booklets. When nothing is
    to be added, the plan is the old one.
    """
    if study.design.seed != old.seed:
        raise DesignError(
            f"design.seed is {study.design.seed} and the plan was made with {old.seed}; "
            f"set it back to {old.seed}, or start a new round."
        )
    calibrates = old.round == "calibration"
    parts = (GroupPart(overlap=old.overlap),) if calibrates else parts_of(study)
    overlap = sum(part.overlap for part in parts)
    if overlap < old.overlap:
        raise DesignError(
            f"design.overlap is {overlap} and the plan has {old.overlap} slots per trial already; "
            f"set it to at least {old.overlap}, or start a new round."
        )
    core = core_of(study, old)
    new = main_trials(study, material, round=old.round, old=old.trials, core=core)
    trials = (*(trial for trial in old.trials if trial.kind == "main"), *new)
    _refuse_too_many(len(trials), overlap)
    rated = choose_people_items(study, material, trials, round=old.round, old=old)
    known = _Known.of(study, material, old.round)
    slots, booklets = list(old.slots), list(old.booklets)
    for part in parts:
        there = _count_slots(old.slots, {b.id for b in old.booklets if b.group == part.group})
        copies = np.array(
            [max(0, part.overlap - there[t.id]) if t.item in rated else 0 for t in trials],
            dtype=np.int64,
        )
        if not copies.any():
            continue
        needed, shared = _needed(study, material, trials, copies, known, core)
        begun = any(booklet.group == part.group for booklet in old.booklets)
        start = _Start(
            round=old.round,
            n_booklets=len(booklets),
            planned=_count_slots(slots),
            extends=begun,
        )
        left = replace(part, raters=_raters_left(part, old, needed))
        more_slots, more_booklets = _lay_out(study, needed, shared, known, start, left)
        slots += more_slots
        booklets += more_booklets
    if len(booklets) == len(old.booklets) and not new:
        return old
    had = {trial.id for trial in old.trials}
    added = [trial for trial in (*new, *known.checks, *known.practice) if trial.id not in had]
    return Plan(
        seed=old.seed,
        overlap=overlap,
        trials=(*old.trials, *added),
        slots=tuple(slots),
        booklets=tuple(booklets),
        practice=tuple(trial.id for trial in known.practice),
        round=old.round,
    )


def _refuse_too_many(n_trials: int, overlap: int) -> None:
    if n_trials * overlap > MOST_SLOTS:
        raise DesignError(
            f"design.overlap is {overlap}, and {n_trials:,} trials × {overlap:,} raters would be "
            f"{n_trials * overlap:,} slots; a plan has at most {MOST_SLOTS:,}: lower "
            "design.overlap, or show fewer items (design.items)."
        )


def _everybody(study: Study, material: Material) -> int:
    """How many raters the main round has: all of them answer a calibration trial."""
    return study.design.raters or len(make_plan(study, material).booklets)


def _parts(study: Study, material: Material, round: Round) -> tuple[GroupPart, ...]:
    if round != "calibration":
        return parts_of(study)
    everybody = _everybody(study, material)
    return (GroupPart(overlap=everybody, raters=everybody),)


def _count_slots(
    slots: Sequence[Slot], booklets: Collection[BookletId] | None = None
) -> Counter[TrialId]:
    """How many slots each trial has, repeats apart; with ``booklets``, in those."""
    return Counter(
        slot.trial
        for slot in slots
        if not slot.repeat and (booklets is None or slot.booklet in booklets)
    )


def _raters_left(part: GroupPart, old: Plan, needed: Needed) -> int | None:
    """How many of the raters asked for have no booklet yet, if they can carry what is new."""
    left = (part.raters or 0) - sum(booklet.group == part.group for booklet in old.booklets)
    if left < int(needed.copies.max(initial=1)):
        return None
    return min(left, int(needed.copies.sum())) if part.group else left


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """The trials with a known answer: checks in every booklet, practice before the first."""

    checks: tuple[Trial, ...] = ()
    practice: tuple[Trial, ...] = ()

    @classmethod
    def of(cls, study: Study, material: Material, round: Round) -> _Known:
        if round == "calibration":
            return cls()
        gold, attention, practice = (
            known_trials(study, material, kind, round=round)
            for kind in ("gold", "attention", "practice")
        )
        return cls(checks=(*gold, *attention), practice=practice)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """Where the new booklets begin: behind those of the older plan."""

    round: Round
    n_booklets: int = 0
    planned: Counter[TrialId] = field(default_factory=Counter)
    extends: bool = False
    """Whether its group had booklets before, so that these only add to them."""


def _needed(
    study: Study,
    material: Material,
    trials: tuple[Trial, ...],
    copies: Ints,
    known: _Known,
    core: frozenset[ItemId],
) -> tuple[Needed, Needed]:
    """What is dealt out, and the shared core, which everybody gets."""
    strata = find_strata(study, material)
    fixed = trials_seconds(study, material, (*known.checks, *known.practice))
    # Repeats take their share of the time once more.
    seconds = trials_seconds(study, material, trials) * (1 + study.design.repeats)
    shared = np.array([trial.item in core for trial in trials])

    def part(chosen: Ints) -> Needed:
        return Needed(
            trials=tuple(trials[t] for t in chosen.tolist()),
            copies=copies[chosen].astype(np.int64),
            seconds=seconds[chosen],
            strata=tuple(strata.get(trials[t].item, ()) for t in chosen.tolist()),
            fixed_seconds=float(fixed.sum()),
            n_shared=int(shared.sum()),
        )

    return part(np.flatnonzero(~shared & (copies > 0))), part(np.flatnonzero(shared))


def _lay_out(
    study: Study, needed: Needed, core: Needed, known: _Known, start: _Start, part: GroupPart
) -> tuple[tuple[Slot, ...], tuple[Booklet, ...]]:
    """The slots and booklets, none longer than a session may be.

    Repeats were reckoned as a share of the time. Where those of a booklet take more, as much room
    is left beside its trials, and all is laid out anew.
    """
    share = study.design.repeats if start.round != "calibration" else 0
    taken = needed.fixed_seconds
    while True:
        slots, booklets = _lay_out_once(study, needed, core, known, start, part)
        if not share or len(booklets) == needed.copies.sum():
            return slots, booklets
        seconds = {
            trial.id: spent / (1 + share)
            for each in (needed, core)
            for trial, spent in zip(each.trials, each.seconds.tolist(), strict=True)
        }
        lengths = dict.fromkeys((booklet.id for booklet in booklets), taken)
        for slot in slots:
            lengths[slot.booklet] += seconds.get(slot.trial, 0.0)  # checks are among those taken
        over = max(lengths.values()) - 60 * study.session.minutes
        if over < 1e-6:
            return slots, booklets
        needed = replace(needed, fixed_seconds=needed.fixed_seconds + over)


def _lay_out_once(
    study: Study, needed: Needed, core: Needed, known: _Known, start: _Start, part: GroupPart
) -> tuple[tuple[Slot, ...], tuple[Booklet, ...]]:
    """The slots and booklets, in the order of showing."""
    rng = stream(study.design.seed, start.round, "booklets", start.n_booklets)
    dealt = deal_with_core(
        study,
        needed,
        core,
        rng,
        raters=part.raters,
        # A calibration is as long as its items: more raters would not shorten it.
        has_limit=start.round != "calibration",
    )
    n, slot_trials = dealt.n_booklets, dealt.slot_trials
    orders = choose_orders(dealt.trials, slot_trials, dealt.booklets, rng)
    checks = np.tile(np.arange(len(known.checks)), n)
    check_orders = choose_orders(
        known.checks, checks, np.repeat(np.arange(n), len(known.checks)), rng
    )
    writer = _Writer(study.design.seed, start, part.group)
    repeats = Repeats(
        study.design.repeats if start.round != "calibration" else 0,
        np.bincount(dealt.booklets, minlength=n).tolist(),
        stream(study.design.seed, start.round, "repeats", start.n_booklets),
        may_be_none=start.extends,
    )
    sequences = order_booklets(
        dealt.trials,
        slot_trials,
        dealt.booklets,
        rng,
        checks=known.checks,
        unpredictable=study.protocol == "detect",
        contents=dealt.contents,
        room=dealt.room,
    )
    for booklet, sequence in enumerate(sequences):
        shown = [(dealt.trials[slot_trials[s]], orders[s]) for s in sequence.tolist()]
        own = check_orders[booklet * len(known.checks) : (booklet + 1) * len(known.checks)]
        between = list(zip(known.checks, own, strict=True))
        if start.extends:
            # An extension may be shorter than the list of checks; then a few of them must do.
            between = [between[i] for i in rng.permutation(len(between))[: len(shown)]]
        shown = repeats.add(shown, n_checks=len(between))
        writer.write(_with_checks(shown, between, rng))
    slots, booklets = tuple(writer.slots), tuple(writer.booklets)
    refuse_uneven(
        Plan(
            seed=study.design.seed,
            overlap=part.overlap,
            trials=(*dealt.trials, *known.checks),
            slots=slots,
            booklets=booklets,
        )
    )
    return slots, booklets


def _with_checks(
    shown: list[Showing], checks: list[Showing], rng: np.random.Generator
) -> list[Showing]:
    items = number([trial.item for trial, _ in (*shown, *checks)])
    behind = place_checks(items[: len(shown)], items[len(shown) :], rng)
    result: list[Showing] = []
    for place, showing in enumerate(shown, start=1):
        result.append(showing)
        if place in behind:
            result.append(checks[behind[place]])
    return result


class _Writer:
    """Collects slots and booklets under ids that continue those of the older plan."""

    def __init__(self, seed: int, start: _Start, group: str | None) -> None:
        self._seed, self._start, self._group = seed, start, group
        self._planned = Counter(start.planned)
        self.slots: list[Slot] = []
        self.booklets: list[Booklet] = []

    def write(self, showings: Sequence[Showing]) -> None:
        number = self._start.n_booklets + len(self.booklets)
        booklet = BookletId(make_id(self._seed, self._start.round, "booklet", number))
        slots = []
        before: Counter[TrialId] = Counter()
        for position, (trial, order) in enumerate(showings):
            repeat = before[trial.id]
            before[trial.id] += 1
            if repeat:
                id_ = SlotId(make_id(trial.id, "repeat", repeat, booklet))
            else:
                id_ = SlotId(make_id(trial.id, "slot", self._planned[trial.id]))
                self._planned[trial.id] += 1
            slots.append(
                Slot(
                    id=id_,
                    trial=trial.id,
                    order=order,
                    booklet=booklet,
                    position=position,
                    repeat=repeat,
                )
            )
        self.slots += slots
        ids = tuple(slot.id for slot in slots)
        self.booklets.append(Booklet(id=booklet, slots=ids, group=self._group))
