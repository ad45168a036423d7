"""Submitting: a response is stored once, whatever the network does, and never taken away.

Submissions are append-only. Sending one again gives the same receipt. A second one by the same
rater for the same trial supersedes the first without using another slot. An answer whose lease was
lost takes its slot if that is still free, and is otherwise kept as ``late``. A skipped slot goes to
the pool. Whoever withdrew, or lost their place to another rater of their group, holds no slot any
more, so what still arrives from them is late too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, func, insert, select, update

from jurybox.design.answers import Answer
from jurybox.errors import RaterError, StoreError
from jurybox.store.free import lock_if_free
from jurybox.store.raters import lock_rater, touch
from jurybox.store.tables import (
    HELD,
    assignments,
    booklets,
    drafts,
    response_rows,
    slots,
    submission_rows,
    trial_outputs,
    trials,
    versions,
)
from jurybox.store.values import KeptStatus, Receipt, ReusedId, Submission

if TYPE_CHECKING:
    from jurybox.store.free import FoundRow

__all__ = ["content_hash", "submit"]


def submit(
    connection: Connection, sent: Submission, *, now: datetime, placed: bool = True
) -> Receipt:
    """The receipt of a submission that is stored when the transaction commits.

    A rater who is not ``placed`` any more gets no slot by it, and is not seen as active.
    """
    rater = lock_rater(connection, sent.rater)
    content = content_hash(sent)
    before = connection.execute(
        select(submission_rows.c.content, submission_rows.c.status).where(
            submission_rows.c.id == sent.id
        )
    ).one_or_none()
    if before is not None:
        if before.content != content:
            raise ReusedId(
                f"The submission id '{sent.id}' was used for another answer; "
                "each answer needs an id of its own."
            )
        return Receipt(id=sent.id, status=before.status, duplicate=True)
    _check(connection, sent)
    gone = rater.withdrawn_at is not None or not placed
    slot, status = _place(connection, sent, group=rater.group, gone=gone, now=now)
    seq = _write(connection, sent, content=content, slot=slot, status=status, now=now)
    if sent.answers:
        places = _find_places(connection, sent)
        connection.execute(
            insert(response_rows),
            [_response(seq, number, answer, places) for number, answer in enumerate(sent.answers)],
        )
    connection.execute(
        delete(drafts).where(drafts.c.rater == sent.rater, drafts.c.trial == sent.trial)
    )
    if placed:
        touch(connection, sent.rater, now)
    return Receipt(id=sent.id, status=status)


def content_hash(sent: Submission) -> str:
    """A hash of what was answered; when and how it was sent does not belong to it."""
    content = {
        "rater": sent.rater,
        "trial": sent.trial,
        "round": sent.round,
        "repeat": sent.repeat,
        "order": list(sent.order),
        "status": sent.status,
        "reason": sent.reason,
        "comment": sent.comment,
        "answers": [asdict(answer) for answer in sent.answers],
    }
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _check(connection: Connection, sent: Submission) -> None:
    known = connection.execute(
        select(
            select(trials.c.id).where(trials.c.id == sent.trial).exists().label("trial"),
            select(versions.c.number)
            .where(versions.c.number == sent.study_version)
            .exists()
            .label("version"),
        )
    ).one()
    if not known.trial:
        raise RaterError(f"There is no trial '{sent.trial}' in this study.")
    if not known.version:
        raise StoreError(f"There is no version {sent.study_version} of this study in its store.")


def _place(
    connection: Connection, sent: Submission, *, group: str | None, gone: bool, now: datetime
) -> tuple[FoundRow | None, KeptStatus]:
    """The slot that the submission belongs to, and the status it is kept with."""
    if sent.rater_kind == "judge":  # judges answer beside the people, not instead of them
        return None, sent.status
    planned = connection.execute(
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
        .where(slots.c.trial == sent.trial)
        .order_by(slots.c.number)
    ).all()
    asked = next((slot for slot in planned if slot.id == sent.slot), None)
    if sent.slot is not None and asked is None:
        raise RaterError(f"The slot '{sent.slot}' does not belong to the trial '{sent.trial}'.")
    if gone:  # a slot that is skipped is held by nobody anyway
        return asked, "late" if sent.status == "answered" else sent.status
    if not planned:
        return None, sent.status
    repeat = asked.repeat if asked else sent.repeat
    own = connection.execute(
        select(assignments.c.id, assignments.c.slot, assignments.c.outcome).where(
            assignments.c.rater == sent.rater,
            assignments.c.trial == sent.trial,
            assignments.c.repeat == repeat,
            assignments.c.outcome.in_(HELD),
        )
    ).one_or_none()
    if own is not None:
        if own.outcome != sent.status:
            _end(connection, own.id, sent.status, now=now)
        return next(slot for slot in planned if slot.id == own.slot), sent.status
    if asked is None and (planned[0].kind != "main" or sent.repeat):
        return None, sent.status  # checks and repeats belong to their booklet
    if sent.status != "answered":
        if asked is not None:
            _hold(connection, sent, asked, now=now)
        return asked, sent.status
    own_group = [slot for slot in planned if slot.group in (None, group)]
    free = _find_free(connection, sent, asked, own_group, now=now)
    if free is None:
        return asked, "late"
    _hold(connection, sent, free, now=now)
    return free, "answered"


def _find_free(
    connection: Connection,
    sent: Submission,
    asked: FoundRow | None,
    planned: Sequence[FoundRow],
    *,
    now: datetime,
) -> FoundRow | None:
    """The slot asked for if it is free; without one (an import) any free one for such a rater."""
    if asked is not None:
        return asked if lock_if_free(connection, asked.id, now=now, wait=True) else None
    same_order = sorted(planned, key=lambda slot: tuple(slot.shown_order) != sent.order)
    for slot in same_order:
        if slot.repeat == sent.repeat and lock_if_free(connection, slot.id, now=now, wait=False):
            return slot
    return None


def _end(connection: Connection, assignment: int, outcome: str, *, now: datetime) -> None:
    connection.execute(
        update(assignments)
        .where(assignments.c.id == assignment)
        .values(outcome=outcome, ended_at=now)
    )


def _hold(connection: Connection, sent: Submission, slot: FoundRow, *, now: datetime) -> None:
    """Record that the rater had this slot, though no lease of theirs holds it now."""
    position = sent.position
    if position is None:
        last = connection.scalar(
            select(func.max(assignments.c.position)).where(assignments.c.rater == sent.rater)
        )
        position = 0 if last is None else last + 1
    connection.execute(
        insert(assignments).values(
            slot=slot.id,
            trial=slot.trial,
            repeat=slot.repeat,
            rater=sent.rater,
            position=position,
            claimed_at=now,
            leased_until=now,
            outcome=sent.status,
            ended_at=now,
        )
    )


def _write(
    connection: Connection,
    sent: Submission,
    *,
    content: str,
    slot: FoundRow | None,
    status: KeptStatus,
    now: datetime,
) -> int:
    row = {
        "id": sent.id,
        "content": content,
        "rater": sent.rater,
        "rater_kind": sent.rater_kind,
        "trial": sent.trial,
        "slot": slot.id if slot is not None else None,
        "round": sent.round,
        "study_version": sent.study_version,
        "session": _storable(sent.session),
        "position": sent.position,
        "shown_order": list(sent.order),
        "repeat": slot.repeat if slot is not None else sent.repeat,
        "ms": sent.ms,
        "timing": dict(sent.timing),
        "at": sent.at,
        "received_at": now,
        "status": status,
        "reason": _storable(sent.reason),
        "comment": _storable(sent.comment),
        "correct": sent.correct,
    }
    written = connection.execute(insert(submission_rows).values(row))
    key = written.inserted_primary_key
    return int(key[0]) if key is not None else 0


def _storable(words: str | None) -> str | None:
    """The rater's words without what no database can hold: NUL and halves of a character."""
    if words is None:
        return None
    return words.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _find_places(connection: Connection, sent: Submission) -> dict[str | None, int]:
    """The place on the screen, from 1, of each system that the trial shows; none if unknown.

    Whether an output of a trial outside the plan had its screen to itself is not known.
    """
    if all(answer.system is None for answer in sent.answers):
        return {}
    shown = connection.execute(
        select(trial_outputs.c.system, trials.c.plan)
        .join(trials, trials.c.id == trial_outputs.c.trial)
        .where(trial_outputs.c.trial == sent.trial)
        .order_by(trial_outputs.c.place)
    ).all()
    alone = len(shown) == 1 and shown[0].plan is not None
    order = sent.order or ((0,) if alone else ())
    if len(order) != len(shown):
        return {}
    return {shown[index].system: place for place, index in enumerate(order, start=1)}


def _response(
    seq: int, number: int, answer: Answer, places: Mapping[str | None, int]
) -> dict[str, Any]:
    row = {**asdict(answer), "place": places.get(answer.system)}
    row["comment"] = _storable(row.pop("reason_given"))
    return {"submission": seq, "number": number, "shape": _shape(answer), **row}


def _shape(answer: Answer) -> str:
    """The shape that an answer is a row of; one without a value is an output free of errors."""
    for value, shape in (
        (answer.score, "ratings"),
        (answer.winner, "votes"),
        (answer.rank, "rankings"),
        (answer.answer, "detections"),
    ):
        if value is not None:
            return shape
    return "spans"
