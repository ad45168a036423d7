"""Raters: enrolled once, changed by name, locked while they claim or submit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, exists, insert, not_, select, update

from jurybox.errors import RaterError, TakenError
from jurybox.store.tables import assignments, exclusions, raters
from jurybox.store.values import Exclusion, Rater, RaterChanges, RaterKind, check_id
from jurybox.study.languages import later
from jurybox.study.model import RaterId

if TYPE_CHECKING:
    from jurybox.store.free import FoundRow

__all__ = [
    "end_leases",
    "enroll",
    "find_raters",
    "list_exclusions",
    "lock_rater",
    "lock_raters",
    "mark_excluded",
    "touch",
    "touch_all",
    "unmark_excluded",
    "update_rater",
]

WITHDRAWN = "withdrawn"
"""The rule that excludes who withdrew, and the outcome of the slots that they had answered."""

_DONE = ("group", "consented_at", "survey", "practice", "stopped_at", "withdrawn_at", "finished_at")
"""What is kept of a rater once they have done anything."""

_FINAL = later(
    "The rater '%(rater)s' has withdrawn, which is final: what they answered is collected anew "
    "from others; enroll them under another id to rate again."
)


def enroll(
    connection: Connection,
    rater: RaterId,
    *,
    token_hash: str | None,
    kind: RaterKind,
    details: Mapping[str, Any],
    now: datetime,
    again: bool = True,
    key_hash: str | None = None,
) -> Rater:
    """The rater, enrolled now or, if ``again`` or by their key, before; others are refused."""
    if not rater.strip():
        raise RaterError("A rater needs an id; choose one.")
    check_id("A rater's id", rater)
    there = find_raters(connection, raters.c.id == rater)
    if there:
        known = again or (key_hash is not None and there[0].key_hash == key_hash)
        if not known or there[0].token_hash != (token_hash or None) or there[0].kind != kind:
            raise TakenError(f"The id '{rater}' is taken; choose another one.")
        return there[0]
    if key_hash is not None and not again:
        _let_go(connection, key_hash)
    row = {
        "id": rater,
        "kind": kind,
        "token_hash": token_hash or None,
        "key_hash": key_hash,
        "details": dict(details),
        "enrolled_at": now,
        "active_at": now,
        "paused": False,
    }
    connection.execute(insert(raters).values(row))
    return find_raters(connection, raters.c.id == rater)[0]


def _let_go(connection: Connection, key_hash: str) -> None:
    """Free the id that the key enrolled before, if nothing was done under it.

    A page that still has its key never heard of that id's token: nobody could get in under it.
    """
    made = select(raters.c.id).where(raters.c.key_hash == key_hash)
    # What another transaction does under the id is done before it is looked at.
    ids = connection.scalars(made.with_for_update(key_share=True)).all()
    unused = [
        *(raters.c[name].is_(None) for name in _DONE),
        raters.c.paused.is_(False),
        not_(exists().where(assignments.c.rater == raters.c.id)),
        not_(exists().where(exclusions.c.rater == raters.c.id)),
    ]
    connection.execute(delete(raters).where(raters.c.id.in_(ids), *unused))


def find_raters(connection: Connection, *where: Any) -> tuple[Rater, ...]:
    """The raters that the conditions choose, in the order of their enrolling."""
    found = connection.execute(
        select(raters).where(*where).order_by(raters.c.enrolled_at, raters.c.id)
    )
    return tuple(Rater(**row._mapping) for row in found)


def lock_rater(connection: Connection, rater: RaterId) -> FoundRow:
    """The rater's row, held until the transaction ends: one claim or submit at a time per rater."""
    row = connection.execute(
        select(raters).where(raters.c.id == rater).with_for_update(key_share=True)
    ).one_or_none()
    if row is None:
        raise RaterError(f"There is no rater '{rater}' in this study.")
    return row


def lock_raters(connection: Connection, ids: Set[RaterId]) -> Sequence[FoundRow]:
    """The rows of those who are there, held like by ``lock_rater``, by all in the same order."""
    return connection.execute(
        select(raters)
        .where(raters.c.id.in_(ids))
        .order_by(raters.c.id)
        .with_for_update(key_share=True)
    ).all()


def touch(connection: Connection, rater: RaterId, now: datetime) -> None:
    """Remember that the rater is active."""
    touch_all(connection, {rater}, now)


def touch_all(connection: Connection, ids: Set[RaterId], now: datetime) -> None:
    """Remember that the raters are active."""
    connection.execute(update(raters).where(raters.c.id.in_(ids)).values(active_at=now))


def update_rater(
    connection: Connection, rater: RaterId, changes: RaterChanges, *, now: datetime | None
) -> Rater:
    """The rater after the changes; ``now`` is needed where slots are given back with them."""
    before = lock_rater(connection, rater)
    if before.withdrawn_at and "withdrawn_at" in changes and changes["withdrawn_at"] is None:
        raise RaterError(_FINAL, rater=rater)
    if changes:
        connection.execute(update(raters).where(raters.c.id == rater).values(**changes))
    if now is None:
        return find_raters(connection, raters.c.id == rater)[0]
    if any(changes.get(name) for name in ("stopped_at", "withdrawn_at", "finished_at")):
        end_leases(connection, rater, now=now)
    if changes.get("withdrawn_at"):
        _end_held(connection, rater, "answered", WITHDRAWN, now=now)
        mark_excluded(connection, rater, WITHDRAWN, "The rater withdrew.", now=now)
    return find_raters(connection, raters.c.id == rater)[0]


def end_leases(connection: Connection, rater: RaterId, *, now: datetime) -> int:
    """Give back whatever is leased to the rater; how many slots that were."""
    return _end_held(connection, rater, "leased", "released", now=now)


def _end_held(
    connection: Connection, rater: RaterId, held: str, outcome: str, *, now: datetime
) -> int:
    """Free the slots that the rater holds in one way; how many that were."""
    return connection.execute(
        update(assignments)
        .where(assignments.c.rater == rater, assignments.c.outcome == held)
        .values(outcome=outcome, ended_at=now)
    ).rowcount


def mark_excluded(
    connection: Connection, rater: RaterId, rule: str, sentence: str, *, now: datetime
) -> None:
    """Leave a rater out by a rule; marking twice is marking once."""
    lock_rater(connection, rater)
    if connection.scalar(select(exclusions.c.id).where(*_active(rater, rule))) is None:
        connection.execute(
            insert(exclusions).values(rater=rater, rule=rule, sentence=sentence, marked_at=now)
        )


def unmark_excluded(connection: Connection, rater: RaterId, rule: str, *, now: datetime) -> None:
    """Undo a mark; that it was there stays on record. A withdrawal cannot be undone."""
    if rule == WITHDRAWN:
        raise RaterError(_FINAL, rater=rater)
    connection.execute(update(exclusions).where(*_active(rater, rule)).values(unmarked_at=now))


def _active(rater: RaterId, rule: str) -> tuple[Any, ...]:
    return (
        exclusions.c.rater == rater,
        exclusions.c.rule == rule,
        exclusions.c.unmarked_at.is_(None),
    )


def list_exclusions(connection: Connection, *, history: bool) -> tuple[Exclusion, ...]:
    """The marks in force, or every mark that ever was."""
    query = select(
        exclusions.c.rater,
        exclusions.c.rule,
        exclusions.c.sentence,
        exclusions.c.marked_at,
        exclusions.c.unmarked_at,
    ).order_by(exclusions.c.id)
    if not history:
        query = query.where(exclusions.c.unmarked_at.is_(None))
    return tuple(Exclusion(**row._mapping) for row in connection.execute(query))
