"""Claiming: which slots a rater gets next, leased to them in one transaction.

A claim gives, in this order, what the rater holds already, what they held and lost and is still
free, the next slots of their booklet, and slots from the pool.

The rater's row is locked for the whole claim, so one rater's claims follow each other. A slot is
locked before it is taken, and never waited for, so two raters' claims cannot block each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, and_, exists, insert, not_, or_, select, update

from jurybox.design.plan import SlotId, TrialId
from jurybox.store.free import (
    Claim,
    abandoned,
    free_slots,
    lock_if_free,
    open_to,
    pooled,
    ran_out,
)
from jurybox.store.plans import load_trials
from jurybox.store.raters import lock_rater, touch
from jurybox.store.seen import Seen, look_back
from jurybox.store.tables import (
    HELD,
    assignments,
    booklets,
    raters,
    slots,
    submission_rows,
    trial_outputs,
    trials,
)
from jurybox.store.values import Assignment
from jurybox.study.model import SystemId

if TYPE_CHECKING:
    from jurybox.store.free import FoundRow

__all__ = ["claim", "expire"]

POOL_WINDOW = 1000
"""How many slots of the pool are weighed against each other in one claim."""

PAGE = 8
"""How many slots of a booklet are looked at together."""

Sides = Counter[tuple[SystemId, int]]
"""How often a rater saw each system at each place."""


def claim(connection: Connection, asked: Claim) -> tuple[Assignment, ...]:
    """The rater's next assignments; none when they stopped, are paused, or nothing is left."""
    rater = lock_rater(connection, asked.rater)
    if rater.stopped_at or rater.withdrawn_at or rater.paused:
        return ()
    asked = replace(asked, group=rater.group)
    touch(connection, asked.rater, asked.now)
    _sweep(connection, asked)
    hand = _renew(connection, asked)
    if len(hand) < asked.count:
        seen = look_back(connection, asked.rater, asked.round)
        for found in _candidates(connection, asked, seen):
            if lock_if_free(connection, found.id, now=asked.now, wait=False):
                _lease(connection, asked, found, seen.add(found))
                hand.append(found.id)
            if len(hand) == asked.count:
                break
    return _deal(connection, hand)


def is_pool_open(connection: Connection, asked: Claim) -> bool:
    """Whether others left a slot that the rater could take; nothing is leased."""
    seen = look_back(connection, asked.rater, asked.round)
    return next(_pool(connection, asked, seen), None) is not None


def expire(connection: Connection, *, now: datetime) -> int:
    """End every lease that ran out, for the record: claims see by themselves that it did."""
    over = connection.scalars(
        select(assignments.c.id)
        .where(ran_out(now))
        .with_for_update(skip_locked=True, key_share=True)
    ).all()
    for start in range(0, len(over), 500):
        connection.execute(
            update(assignments)
            .where(assignments.c.id.in_(over[start : start + 500]))
            .values(outcome="expired", ended_at=assignments.c.leased_until)
        )
    return len(over)


def _sweep(connection: Connection, asked: Claim) -> None:
    connection.execute(
        update(assignments)
        .where(assignments.c.rater == asked.rater, ran_out(asked.now))
        .values(outcome="expired", ended_at=assignments.c.leased_until)
    )


def _renew(connection: Connection, asked: Claim) -> list[SlotId]:
    """The slots the rater holds in this round, first come first, for another lease period."""
    held = connection.execute(
        select(assignments.c.id, assignments.c.slot)
        .join(slots, slots.c.id == assignments.c.slot)
        .join(booklets, booklets.c.id == slots.c.booklet)
        .where(
            assignments.c.rater == asked.rater,
            assignments.c.outcome == "leased",
            booklets.c.round == asked.round,
        )
        .order_by(assignments.c.position)
        .limit(asked.count)
    ).all()
    if held:
        connection.execute(
            update(assignments)
            .where(assignments.c.id.in_([row.id for row in held]))
            .values(leased_until=asked.now + asked.lease)
        )
    return [SlotId(row.slot) for row in held]


def _candidates(connection: Connection, asked: Claim, seen: Seen) -> Iterator[FoundRow]:
    """Free slots for this rater, best first; ``seen`` grows while they are taken."""
    for row in _returned(connection, asked, seen):
        if seen.fits(row):
            yield row
    booklet = _booklet(connection, asked, seen)
    if booklet is not None:
        for row in _next_slots(connection, asked, booklet):
            if seen.fits(row):
                yield row
    if asked.pool:
        yield from _pool(connection, asked, seen)


def _next_slots(connection: Connection, asked: Claim, booklet: str) -> Iterator[FoundRow]:
    """The booklet's free slots in their order, a page at a time: mostly the first one is taken."""
    last = -1
    query = free_slots(asked).where(slots.c.booklet == booklet).order_by(slots.c.position)
    while page := connection.execute(query.where(slots.c.position > last).limit(PAGE)).all():
        yield from page
        last = page[-1].position


def _returned(connection: Connection, asked: Claim, seen: Seen) -> list[FoundRow]:
    """Slots that this rater held and lost, and that no other holder has a better right to."""
    if not seen.lost:
        return []
    mine = booklets.c.holder == asked.rater
    theirs = or_(mine, pooled(asked)) if asked.pool else mine
    query = free_slots(asked).where(slots.c.id.in_(seen.lost), theirs)
    return sorted(connection.execute(query), key=lambda row: seen.positions[row.id])


def _booklet(connection: Connection, asked: Claim, seen: Seen) -> str | None:
    """The rater's booklet; a rater without one takes the lowest free one that suits them."""
    own = connection.scalar(
        select(booklets.c.id).where(
            booklets.c.round == asked.round, booklets.c.holder == asked.rater
        )
    )
    if own is not None:
        return str(own)
    begun = exists().where(
        slots.c.booklet == booklets.c.id,
        assignments.c.slot == slots.c.id,
        assignments.c.outcome.in_((*HELD, "skipped", "unusable")),
        not_(ran_out(asked.now)),
    )
    free = (
        select(booklets.c.id, booklets.c.holder)
        .outerjoin(raters, raters.c.id == booklets.c.holder)
        .where(
            booklets.c.round == asked.round,
            open_to(asked),
            # An abandoned booklet in which nothing was answered is as good as new.
            or_(booklets.c.holder.is_(None), and_(abandoned(asked), not_(begun))),
        )
        .order_by(booklets.c.number)
    )
    for row in connection.execute(free).all():
        if seen.suits(_content(connection, row.id)) and _hand_over(connection, asked, row):
            return str(row.id)
    return None


def _content(connection: Connection, booklet: str) -> list[FoundRow]:
    content = select(slots.c.trial, trials.c.item).join(trials, trials.c.id == slots.c.trial)
    return list(connection.execute(content.where(slots.c.booklet == booklet)))


def _hand_over(connection: Connection, asked: Claim, row: FoundRow) -> bool:
    """Make the booklet the rater's, unless another took it since we looked."""
    locked = connection.scalar(
        select(booklets.c.id)
        .where(booklets.c.id == row.id)
        .with_for_update(skip_locked=True, key_share=True)
    )
    if locked is None:
        return False
    as_seen = booklets.c.holder.is_not_distinct_from(row.holder)
    taken = connection.execute(
        update(booklets)
        .where(booklets.c.id == row.id, as_seen)
        .values(holder=asked.rater, taken_at=asked.now)
    )
    return taken.rowcount == 1


def _pool(connection: Connection, asked: Claim, seen: Seen) -> Iterator[FoundRow]:
    """Pooled slots of unseen trials, each time the one that keeps the rater's sides most even."""
    query = free_slots(asked).where(pooled(asked))
    for table in (assignments, submission_rows):
        past = table.alias()
        mine = select(past.c.trial).where(past.c.rater == asked.rater)
        query = query.where(slots.c.trial.not_in(mine))
    query = query.order_by(booklets.c.number, slots.c.position).limit(POOL_WINDOW)
    left = list(connection.execute(query))
    if not left:
        return
    sides = _sides(connection, asked)
    shown = {trial.id: trial.systems for trial in _trials_of(connection, left).values()}
    while left := [row for row in left if seen.fits(row, fresh=True)]:
        best = min(left, key=lambda row: _lean(sides, shown[row.trial], row.shown_order))
        left.remove(best)
        sides.update((shown[best.trial][i], place) for place, i in enumerate(best.shown_order))
        yield best


def _trials_of(connection: Connection, rows: list[FoundRow]) -> dict[TrialId, Any]:
    return load_trials(connection, trials.c.id.in_({row.trial for row in rows}))


def _sides(connection: Connection, asked: Claim) -> Sides:
    """Count what the rater answered or holds, by system and place."""
    rows = connection.execute(
        select(slots.c.shown_order, trial_outputs.c.place, trial_outputs.c.system)
        .join(assignments, assignments.c.slot == slots.c.id)
        .join(trials, trials.c.id == slots.c.trial)
        .join(trial_outputs, trial_outputs.c.trial == slots.c.trial)
        .where(
            assignments.c.rater == asked.rater,
            assignments.c.outcome.in_(HELD),
            trials.c.plan == asked.round,
            trials.c.kind == "main",
        )
    )
    return Counter((row.system, row.shown_order.index(row.place)) for row in rows)


def _lean(sides: Sides, systems: tuple[SystemId, ...], order: list[int]) -> float:
    """How much this showing adds to a side that is ahead: Σ_p (n(s_p, p) − mean_q n(s_p, q))."""
    places = range(len(order))
    lean = 0.0
    for place in places:
        system = systems[order[place]]
        lean += sides[system, place] - sum(sides[system, q] for q in places) / len(order)
    return lean


def _lease(connection: Connection, asked: Claim, slot: FoundRow, position: int) -> None:
    row = {
        "slot": slot.id,
        "trial": slot.trial,
        "repeat": slot.repeat,
        "rater": asked.rater,
        "position": position,
        "claimed_at": asked.now,
        "leased_until": asked.now + asked.lease,
        "outcome": "leased",
    }
    connection.execute(insert(assignments), row)


def _deal(connection: Connection, hand: list[SlotId]) -> tuple[Assignment, ...]:
    """Read the leases of these slots, in this order."""
    if not hand:
        return ()
    rows = {
        row.slot: row
        for row in connection.execute(
            select(assignments, slots.c.shown_order)
            .join(slots, slots.c.id == assignments.c.slot)
            .where(assignments.c.slot.in_(hand), assignments.c.outcome == "leased")
        )
    }
    shown = _trials_of(connection, list(rows.values()))
    return tuple(
        Assignment(
            slot=slot,
            trial=shown[rows[slot].trial],
            order=tuple(rows[slot].shown_order),
            rater=rows[slot].rater,
            position=rows[slot].position,
            leased_until=rows[slot].leased_until,
            repeat=rows[slot].repeat,
        )
        for slot in hand
    )
