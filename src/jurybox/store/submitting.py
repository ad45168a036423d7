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
from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, insert, tuple_

from jurybox.design.answers import Answer
from jurybox.store.placing import There, look_up, place
from jurybox.store.raters import touch_all
from jurybox.store.tables import drafts, response_rows, submission_rows
from jurybox.store.values import KeptStatus, Receipt, ReusedId, Submission

if TYPE_CHECKING:
    from jurybox.store.free import FoundRow

__all__ = ["content_hash", "submit", "submit_many"]

FIELDS = tuple(field.name for field in fields(Answer))

AT_ONCE = 200
"""Submissions whose surroundings are read together; databases bound how much one query names."""


def submit(
    connection: Connection, sent: Submission, *, now: datetime, placed: bool = True
) -> Receipt:
    """The receipt of a submission that is stored when the transaction commits.

    A rater who is not ``placed`` any more gets no slot by it, and is not seen as active.
    """
    return _submit(connection, [sent], now=now, placed=placed)[0]


def submit_many(
    connection: Connection, sent: Sequence[Submission], *, now: datetime
) -> tuple[Receipt, ...]:
    """The receipts of submissions, each stored as if it came alone after those before it."""
    return tuple(
        receipt
        for start in range(0, len(sent), AT_ONCE)
        for receipt in _submit(connection, sent[start : start + AT_ONCE], now=now, placed=True)
    )


def _submit(
    connection: Connection, sent: Sequence[Submission], *, now: datetime, placed: bool
) -> list[Receipt]:
    there = look_up(connection, sent)
    receipts: list[Receipt] = []
    new: list[dict[str, Any]] = []
    stored: list[Submission] = []
    for one in sent:
        rater = there.rater(one)
        content = content_hash(one)
        before = there.contents.get(one.id)
        if before is not None:
            receipts.append(_again(one, content, *before))
            continue
        there.check(one)
        gone = rater.withdrawn_at is not None or not placed
        slot, status = place(connection, one, there, group=rater.group, gone=gone, now=now)
        there.contents[one.id] = (content, status)
        new.append(_row(one, content=content, slot=slot, status=status, now=now))
        stored.append(one)
        receipts.append(Receipt(id=one.id, status=status))
    if stored:
        _write(connection, new, stored, there)
        if placed:
            touch_all(connection, {one.rater for one in stored}, now)
    return receipts


def _again(sent: Submission, content: str, before: str, status: KeptStatus) -> Receipt:
    """The receipt of a submission whose id is stored already."""
    if before != content:
        raise ReusedId(
            f"The submission id '{sent.id}' was used for another answer; "
            "each answer needs an id of its own."
        )
    return Receipt(id=sent.id, status=status, duplicate=True)


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
        "answers": [_fields(answer) for answer in sent.answers],
    }
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _row(
    sent: Submission, *, content: str, slot: FoundRow | None, status: KeptStatus, now: datetime
) -> dict[str, Any]:
    return {
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


def _write(
    connection: Connection, rows: list[dict[str, Any]], stored: list[Submission], there: There
) -> None:
    """Write submissions with their answers; their drafts are not needed any more."""
    # Which of two supersedes the other is told by their numbers: these follow the order sent.
    numbered = insert(submission_rows).returning(
        submission_rows.c.seq, sort_by_parameter_order=True
    )
    responses = [
        _response(seq, number, answer, places)
        for seq, sent in zip(connection.scalars(numbered, rows), stored, strict=True)
        for places in [_find_places(sent, there)]
        for number, answer in enumerate(sent.answers)
    ]
    if responses:
        connection.execute(insert(response_rows), responses)
    drafted = tuple_(drafts.c.rater, drafts.c.trial)
    connection.execute(
        delete(drafts).where(drafted.in_({(sent.rater, sent.trial) for sent in stored}))
    )


def _storable(words: str | None) -> str | None:
    """The rater's words without what no database can hold: NUL and halves of a character."""
    if words is None:
        return None
    return words.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _find_places(sent: Submission, there: There) -> dict[str | None, int]:
    """The place on the screen, from 1, of each system that the trial shows; none if unknown.

    Whether an output of a trial outside the plan had its screen to itself is not known.
    """
    shown = there.trials[sent.trial]
    alone = len(shown.systems) == 1 and shown.plan is not None
    order = sent.order or ((0,) if alone else ())
    if len(order) != len(shown.systems):
        return {}
    return {shown.systems[index]: place for place, index in enumerate(order, start=1)}


def _response(
    seq: int, number: int, answer: Answer, places: Mapping[str | None, int]
) -> dict[str, Any]:
    row = {**_fields(answer), "place": places.get(answer.system)}
    row["comment"] = _storable(row.pop("reason_given"))
    return {"submission": seq, "number": number, "shape": _shape(answer), **row}


def _fields(answer: Answer) -> dict[str, Any]:
    """The fields by name; all of them are plain values, of which ``asdict`` makes slow copies."""
    return {name: getattr(answer, name) for name in FIELDS}


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
