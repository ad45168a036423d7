"""What a rater was given: every slot that was ever leased to them, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select, update

from jurybox.design.plan import Round, SlotId, TrialId
from jurybox.store.tables import assignments, booklets, slots
from jurybox.study.model import RaterId

__all__ = ["Given", "list_given", "release", "was_given"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A slot that a rater answered, skipped, or holds."""

    slot: SlotId
    trial: TrialId
    position: int
    """Place in this rater's own sequence of trials, from 0."""
    repeat: int
    outcome: str


def list_given(connection: Connection, rater: RaterId, round: Round) -> tuple[Given, ...]:
    """What the rater answered, skipped or holds in a round, in the order it was shown."""
    found = connection.execute(
        select(
            assignments.c.slot,
            assignments.c.trial,
            assignments.c.position,
            assignments.c.repeat,
            assignments.c.outcome,
        )
        .join(slots, slots.c.id == assignments.c.slot)
        .join(booklets, booklets.c.id == slots.c.booklet)
        .where(
            assignments.c.rater == rater,
            assignments.c.outcome.in_(("answered", "skipped", "leased")),
            booklets.c.round == round,
        )
        .order_by(assignments.c.position, assignments.c.id)
    )
    return tuple(Given(**row._mapping) for row in found)


def was_given(connection: Connection, rater: RaterId, slot: SlotId) -> bool:
    """Whether the slot was ever leased to the rater, whatever became of it."""
    mine = (assignments.c.rater == rater, assignments.c.slot == slot)
    return connection.scalar(select(assignments.c.id).where(*mine).limit(1)) is not None


def release(
    connection: Connection,
    rater: RaterId,
    *,
    until: datetime | None,
    keep: Sequence[SlotId],
    now: datetime,
) -> int:
    """Give back what the rater holds but for ``keep``; how many slots that were.

    With ``until`` only leases that were not renewed since: those that end by then.
    """
    held = [
        assignments.c.rater == rater,
        assignments.c.outcome == "leased",
        assignments.c.slot.not_in(keep),
    ]
    if until is not None:
        held.append(assignments.c.leased_until <= until)
    return connection.execute(
        update(assignments).where(*held).values(outcome="released", ended_at=now)
    ).rowcount
