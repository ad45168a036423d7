"""Which slots are free, which of them are pooled, and how one is taken.

A slot is free when no live lease holds it and nobody answered it but raters who withdrew. It is
pooled when it is free, its trial is a main one, and its booklet was abandoned (the holder stopped,
withdrew, finished, or, unless booklets are bound to their raters, holds no live lease and was not
seen for a lease period) or somebody skipped it. Gold, attention and repeated trials belong to their
booklet and are never pooled.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, and_, bindparam, exists, not_, or_, select, update
from sqlalchemy.sql import Select
from sqlalchemy.sql.elements import ColumnElement

from jurybox.design.plan import Round
from jurybox.errors import InputError
from jurybox.store.tables import (
    HELD,
    assignments,
    booklets,
    raters,
    slots,
    trials,
)
from jurybox.study.model import RaterId

if TYPE_CHECKING:
    FoundRow = Row[*tuple[Any, ...]]

__all__ = ["Claim", "abandoned", "free_slots", "lock_if_free", "open_to", "pooled", "ran_out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a rater asks for."""

    rater: RaterId
    count: int
    lease: timedelta
    now: datetime
    round: Round
    group: str | None = None
    """The rater's group; only booklets of the group, or of none, are theirs to take."""
    bound: bool = False
    """Whether a booklet stays its holder's however long they are silent."""
    pool: bool = True
    """Whether slots that others left are taken where the rater's own booklet has none left."""

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InputError(f"claim: count must be at least 1, got {self.count}")
        if self.lease <= timedelta(0):
            raise InputError(f"claim: a lease must last, got {self.lease}")


def ran_out(now: datetime) -> ColumnElement[bool]:
    """Whether a row of ``assignments`` is a lease whose time is over."""
    return and_(assignments.c.outcome == "leased", assignments.c.leased_until <= now)


def open_to(asked: Claim) -> ColumnElement[bool]:
    """Whether a booklet is for the rater: for anybody, or for raters of their group."""
    return or_(booklets.c.group.is_(None), booklets.c.group == asked.group)


def free_slots(asked: Claim) -> Select[Any]:
    """The free slots for such a rater, joined with trial, booklet and the booklet's holder."""
    taken = exists().where(
        assignments.c.slot == slots.c.id,
        assignments.c.outcome.in_(HELD),
        not_(ran_out(asked.now)),
    )
    return (
        select(
            slots.c.id,
            slots.c.trial,
            slots.c.repeat,
            slots.c.shown_order,
            slots.c.position,
            trials.c.item,
            trials.c.one_per_item,
        )
        .join(trials, trials.c.id == slots.c.trial)
        .join(booklets, booklets.c.id == slots.c.booklet)
        .outerjoin(raters, raters.c.id == booklets.c.holder)
        .where(booklets.c.round == asked.round, open_to(asked), not_(taken))
    )


def pooled(asked: Claim) -> ColumnElement[bool]:
    """Whether a row of ``free_slots`` is in the pool."""
    skipped = exists().where(
        assignments.c.slot == slots.c.id, assignments.c.outcome.in_(("skipped", "unusable"))
    )
    return and_(
        trials.c.kind == "main",
        slots.c.repeat == 0,
        booklets.c.holder.is_not(None),
        or_(abandoned(asked), skipped),
    )


def abandoned(asked: Claim) -> ColumnElement[bool]:
    """Whether the booklet's holder, joined as ``raters``, is gone."""
    live = exists().where(
        assignments.c.rater == raters.c.id,
        assignments.c.outcome == "leased",
        assignments.c.leased_until > asked.now,
    )
    left = or_(
        raters.c.stopped_at.is_not(None),
        raters.c.withdrawn_at.is_not(None),
        raters.c.finished_at.is_not(None),
    )
    silent = and_(raters.c.active_at <= asked.now - asked.lease, not_(live))
    return left if asked.bound else or_(left, silent)


# Made once, as making a statement takes longer than running it.
_LOCK = {
    wait: select(slots.c.id)
    .where(slots.c.id == bindparam("slot"))
    .with_for_update(skip_locked=not wait, key_share=True)
    for wait in (True, False)
}
_HOLDS = select(assignments.c.id, assignments.c.outcome, assignments.c.leased_until).where(
    assignments.c.slot == bindparam("slot"), assignments.c.outcome.in_(HELD)
)


def lock_if_free(connection: Connection, slot: str, *, now: datetime, wait: bool) -> bool:
    """Lock a slot until the transaction ends, and tell whether it is free now.

    A lease that ran out is ended, so that the caller can take the slot. Without ``wait`` a slot
    that another transaction is busy with counts as taken.
    """
    if connection.scalar(_LOCK[wait], {"slot": slot}) is None:
        return False
    # Looked up after the lock was granted: what the one before us committed is visible.
    holds = connection.execute(_HOLDS, {"slot": slot}).one_or_none()
    if holds is None:
        return True
    over = holds.outcome == "leased" and holds.leased_until <= now
    if over:
        connection.execute(
            update(assignments)
            .where(assignments.c.id == holds.id, assignments.c.outcome == "leased")
            .values(outcome="expired", ended_at=assignments.c.leased_until)
        )
    return bool(over)
