"""Placing: the slot that a submission belongs to, and the status that it is kept with.

What submissions may meet in the store is read for many of them at once; what changes while they are
placed one after the other is written through.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import Connection, bindparam, func, insert, select, update

from jurybox.design.plan import SlotId, TrialId
from jurybox.errors import RaterError, StoreError
from jurybox.store.free import lock_if_free
from jurybox.store.raters import lock_raters
from jurybox.store.tables import (
    HELD,
    assignments,
    booklets,
    slots,
    submission_rows,
    trial_outputs,
    trials,
    versions,
)
from jurybox.store.values import KeptStatus, Submission
from jurybox.study.model import RaterId

if TYPE_CHECKING:
    from jurybox.store.free import FoundRow

__all__ = ["There", "look_up", "place"]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a trial shows."""

    plan: str | None
    systems: tuple[str, ...]


@dataclass(slots=True)
class Held:
    """A slot that a rater leases or has answered."""

    assignment: int
    slot: SlotId
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class There:
    """What is in the store around some submissions; their raters are locked."""

    raters: dict[RaterId, FoundRow]
    contents: dict[str, tuple[str, KeptStatus]]
    """Of the submissions that are stored, by id."""
    trials: dict[TrialId, Shown]
    versions: frozenset[int]
    planned: dict[TrialId, list[FoundRow]]
    """The slots of each trial."""
    held: dict[tuple[RaterId, TrialId, int], Held]
    """By rater, trial and repeat."""
    taken: set[SlotId]
    """Slots that somebody had answered."""
    last: dict[RaterId, int]
    """The last position that each rater was given, of those who were asked after."""

    def rater(self, sent: Submission) -> FoundRow:
        """The rater's row."""
        if sent.rater not in self.raters:
            raise RaterError(f"There is no rater '{sent.rater}' in this study.")
        return self.raters[sent.rater]

    def check(self, sent: Submission) -> None:
        """Refuse a submission for what the store does not have."""
        if sent.trial not in self.trials:
            raise RaterError(f"There is no trial '{sent.trial}' in this study.")
        if sent.study_version not in self.versions:
            raise StoreError(
                f"There is no version {sent.study_version} of this study in its store."
            )


def look_up(connection: Connection, sent: Sequence[Submission]) -> There:
    """Lock the raters of the submissions, and read what is in the store around them."""
    rows = lock_raters(connection, {one.rater for one in sent})
    stored = connection.execute(
        select(submission_rows.c.id, submission_rows.c.content, submission_rows.c.status).where(
            submission_rows.c.id.in_({one.id for one in sent})
        )
    )
    found = connection.scalars(
        select(versions.c.number).where(versions.c.number.in_({one.study_version for one in sent}))
    )
    # Judges answer beside the people, not instead of them.
    people = [one for one in sent if one.rater_kind != "judge"]
    named = {one.trial for one in people}
    held, taken = _find_held(connection, {one.rater for one in people}, named)
    return There(
        raters={RaterId(row.id): row for row in rows},
        contents={row.id: (row.content, row.status) for row in stored},
        trials=_find_shown(connection, {one.trial for one in sent}),
        versions=frozenset(found),
        planned=_find_planned(connection, named),
        held=held,
        taken=taken,
        last={},
    )


def _find_shown(connection: Connection, named: set[TrialId]) -> dict[TrialId, Shown]:
    found = connection.execute(
        select(trials.c.id, trials.c.plan, trial_outputs.c.system)
        .join(trial_outputs, trial_outputs.c.trial == trials.c.id)
        .where(trials.c.id.in_(named))
        .order_by(trial_outputs.c.place)
    )
    plans: dict[TrialId, str | None] = {}
    systems: defaultdict[TrialId, list[str]] = defaultdict(list)
    for row in found:
        plans[TrialId(row.id)] = row.plan
        systems[TrialId(row.id)].append(row.system)
    return {id: Shown(plan, tuple(systems[id])) for id, plan in plans.items()}


def _find_planned(connection: Connection, named: set[TrialId]) -> dict[TrialId, list[FoundRow]]:
    if not named:
        return {}
    found = connection.execute(
        select(
            slots.c.id,
            slots.c.trial,
            slots.c.repeat,
            slots.c.shown_order,
            trials.c.kind,
            booklets.c.group,
        )
        .join(trials, trials.c.id == slots.c.trial)
        .join(booklets, booklets.c.id == slots.c.booklet)
        .where(slots.c.trial.in_(named))
        .order_by(slots.c.number)
    )
    planned: defaultdict[TrialId, list[FoundRow]] = defaultdict(list)
    for row in found:
        planned[TrialId(row.trial)].append(row)
    return dict(planned)


def _find_held(
    connection: Connection, people: set[RaterId], named: set[TrialId]
) -> tuple[dict[tuple[RaterId, TrialId, int], Held], set[SlotId]]:
    """What the people hold of these trials, and the slots of them that anybody answered."""
    if not named:
        return {}, set()
    columns = (
        assignments.c.id,
        assignments.c.slot,
        assignments.c.trial,
        assignments.c.repeat,
        assignments.c.rater,
        assignments.c.outcome,
    )
    # By the slots of the trials: these have an index, the assignments' trials have none.
    found = connection.execute(
        select(*columns)
        .join(slots, slots.c.id == assignments.c.slot)
        .where(slots.c.trial.in_(named), assignments.c.outcome.in_(HELD))
    ).all()
    held = {
        (RaterId(row.rater), TrialId(row.trial), row.repeat): Held(
            row.id, SlotId(row.slot), row.outcome
        )
        for row in found
        if row.rater in people
    }
    return held, {SlotId(row.slot) for row in found if row.outcome == "answered"}


def place(
    connection: Connection,
    sent: Submission,
    there: There,
    *,
    group: str | None,
    gone: bool,
    now: datetime,
) -> tuple[FoundRow | None, KeptStatus]:
    """The slot that the submission belongs to, and the status it is kept with."""
    if sent.rater_kind == "judge":
        return None, sent.status
    planned = there.planned.get(sent.trial, [])
    asked = next((slot for slot in planned if slot.id == sent.slot), None)
    if sent.slot is not None and asked is None:
        raise RaterError(f"The slot '{sent.slot}' does not belong to the trial '{sent.trial}'.")
    if gone:  # a slot that is skipped is held by nobody anyway
        return asked, "late" if sent.status == "answered" else sent.status
    if not planned:
        return None, sent.status
    repeat = asked.repeat if asked else sent.repeat
    own = there.held.get((sent.rater, sent.trial, repeat))
    if own is not None:
        if own.outcome != sent.status:
            _end(connection, sent, repeat, there, now=now)
        return next(slot for slot in planned if slot.id == own.slot), sent.status
    if asked is None and (planned[0].kind != "main" or sent.repeat):
        return None, sent.status  # checks and repeats belong to their booklet
    if sent.status != "answered":
        if asked is not None:
            _hold(connection, sent, asked, there, now=now)
        return asked, sent.status
    own_group = [slot for slot in planned if slot.group in (None, group)]
    free = _find_free(connection, sent, asked, own_group, there, now=now)
    if free is None:
        return asked, "late"
    _hold(connection, sent, free, there, now=now)
    return free, "answered"


def _find_free(
    connection: Connection,
    sent: Submission,
    asked: FoundRow | None,
    planned: Sequence[FoundRow],
    there: There,
    *,
    now: datetime,
) -> FoundRow | None:
    """The slot asked for if it is free; without one (an import) any free one for such a rater."""
    if asked is not None:
        return asked if lock_if_free(connection, asked.id, now=now, wait=True) else None
    fitting = [s for s in planned if s.repeat == sent.repeat and s.id not in there.taken]
    for slot in sorted(fitting, key=lambda slot: tuple(slot.shown_order) != sent.order):
        if lock_if_free(connection, slot.id, now=now, wait=False):
            return slot
    return None


# Made once, as making a statement takes longer than running it.
_HOLD = insert(assignments)
_END = (
    update(assignments)
    .where(assignments.c.id == bindparam("ended"))
    .values(outcome=bindparam("outcome"), ended_at=bindparam("ended_at"))
)


def _end(
    connection: Connection, sent: Submission, repeat: int, there: There, *, now: datetime
) -> None:
    """Let what the rater holds end with the status of the submission."""
    key = (sent.rater, sent.trial, repeat)
    own = there.held[key]
    connection.execute(_END, {"ended": own.assignment, "outcome": sent.status, "ended_at": now})
    own.outcome = sent.status
    if sent.status not in HELD:
        del there.held[key]
        there.taken.discard(own.slot)


def _hold(
    connection: Connection, sent: Submission, slot: FoundRow, there: There, *, now: datetime
) -> None:
    """Record that the rater had this slot, though no lease of theirs holds it now."""
    position = sent.position
    if position is None:
        position = _last(connection, sent.rater, there) + 1
    row = {
        "slot": slot.id,
        "trial": slot.trial,
        "repeat": slot.repeat,
        "rater": sent.rater,
        "position": position,
        "claimed_at": now,
        "leased_until": now,
        "outcome": sent.status,
        "ended_at": now,
    }
    written = connection.execute(_HOLD, row)
    there.last[sent.rater] = max(position, _last(connection, sent.rater, there))
    key = written.inserted_primary_key
    if sent.status in HELD and key is not None:
        there.held[sent.rater, sent.trial, slot.repeat] = Held(key[0], slot.id, sent.status)
        there.taken.add(slot.id)


def _last(connection: Connection, rater: RaterId, there: There) -> int:
    """The last position that the rater was given, or -1."""
    if rater not in there.last:
        found = connection.scalar(
            select(func.max(assignments.c.position)).where(assignments.c.rater == rater)
        )
        there.last[rater] = -1 if found is None else found
    return there.last[rater]
