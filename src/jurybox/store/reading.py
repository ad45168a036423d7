"""Reading what was collected: shapes by column, submissions by rater or trial, progress."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, case, column, func, select, table

from jurybox.design.answers import Answer
from jurybox.design.plan import Round, TrialId
from jurybox.errors import InputError
from jurybox.store.tables import response_rows, submission_rows, trials
from jurybox.store.values import Recorded, Shape, Submission, Work
from jurybox.store.views import COLUMNS
from jurybox.study.model import RaterId

__all__ = ["list_shapes", "list_submissions", "read_table", "read_work"]

VALUES = (
    *("criterion", "system", "score", "winner", "first", "strength", "rank", "answer"),
    *("confidence", "field", "start", "end", "category", "severity"),
)


def read_table(
    connection: Connection,
    shape: Shape,
    *,
    round: Round | None,
    retests: bool,
    columns: Collection[str] | None = None,
) -> dict[str, list[Any]]:
    """A shape, column by column, in the order in which the responses came."""
    if shape not in COLUMNS:
        raise InputError(f"'{shape}' is no table shape; there are {', '.join(COLUMNS)}.")
    view = table(shape, *(column(name) for name in (*COLUMNS[shape], "seq", "number")))
    names = [name for name in COLUMNS[shape] if columns is None or name in columns]
    query = select(*(view.c[name] for name in names)).order_by(view.c.seq, view.c.number)
    if round is not None:
        # Practice belongs to no round: whoever answers a round practiced for it.
        rounds = (round, "practice") if shape == "checks" else (round,)
        query = query.where(view.c.round.in_(rounds))
    if not retests and "repeat" in COLUMNS[shape] and shape != "submissions":
        query = query.where((view.c.repeat == 0) | (view.c.rater_kind == "judge"))
    # The driver's own rows: a hundred thousand of them pass in tenths of a second.
    compiled = query.compile(connection, compile_kwargs={"literal_binds": True})
    cursor = connection.connection.cursor()
    try:
        cursor.execute(str(compiled))
        rows: Sequence[Sequence[Any]] = cursor.fetchall()
    finally:
        cursor.close()
    found = [list(values) for values in zip(*rows, strict=True)] if rows else [[] for _ in names]
    return {name: _plain(name, values) for name, values in zip(names, found, strict=True)}


def _plain(name: str, values: list[Any]) -> list[Any]:
    """Undo what SQLite makes of times and booleans."""
    if name in ("at", "received_at"):
        return [
            (datetime.fromisoformat(v) if isinstance(v, str) else v).astimezone(UTC) for v in values
        ]
    if name == "correct":
        return [None if v is None else bool(v) for v in values]
    return values


def read_work(connection: Connection) -> dict[RaterId, Work]:
    """What every rater who sent anything did, counted by the database."""
    tried = case((trials.c.kind != "practice", submission_rows.c.trial))
    found = connection.execute(
        select(
            submission_rows.c.rater,
            func.count(submission_rows.c.session.distinct()).label("sessions"),
            func.coalesce(func.sum(submission_rows.c.ms), 0).label("ms"),
            func.count(tried.distinct()).label("trials"),
        )
        .join(trials, trials.c.id == submission_rows.c.trial)
        .group_by(submission_rows.c.rater)
    )
    return {
        RaterId(row.rater): Work(sessions=row.sessions, ms=int(row.ms), trials=row.trials)
        for row in found
    }


def list_shapes(connection: Connection) -> frozenset[Shape]:
    """The shapes that anything was answered in."""
    return frozenset(connection.scalars(select(response_rows.c.shape).distinct()))


def list_submissions(
    connection: Connection,
    *,
    rater: RaterId | None,
    trial: TrialId | None,
    round: Round | None,
    limit: int | None,
) -> tuple[Recorded, ...]:
    """Submissions with what became of them, newest first."""
    view = table("submissions", column("seq"), column("status"))
    query = (
        select(submission_rows, view.c.status.label("became"))
        .join(view, view.c.seq == submission_rows.c.seq)
        .order_by(submission_rows.c.seq.desc())
        .limit(limit)
    )
    if rater is not None:
        query = query.where(submission_rows.c.rater == rater)
    if trial is not None:
        query = query.where(submission_rows.c.trial == trial)
    if round is not None:
        query = query.where(submission_rows.c.round == round)
    rows = connection.execute(query).all()
    answers = _answers(connection, [row.seq for row in rows])
    return tuple(
        Recorded(
            seq=row.seq,
            status=row.became,
            received_at=row.received_at,
            submission=_submission(row, answers[row.seq]),
        )
        for row in rows
    )


def _answers(connection: Connection, seqs: list[int]) -> defaultdict[int, list[Answer]]:
    answers: defaultdict[int, list[Answer]] = defaultdict(list)
    for start in range(0, len(seqs), 500):
        rows = connection.execute(
            select(response_rows)
            .where(response_rows.c.submission.in_(seqs[start : start + 500]))
            .order_by(response_rows.c.submission, response_rows.c.number)
        )
        for row in rows:
            values = {name: row._mapping[name] for name in VALUES}
            answers[row.submission].append(Answer(reason_given=row.comment, **values))
    return answers


def _submission(row: Any, answers: list[Answer]) -> Submission:
    return Submission(
        id=row.id,
        rater=row.rater,
        trial=row.trial,
        study_version=row.study_version,
        at=row.at,
        answers=tuple(answers),
        rater_kind=row.rater_kind,
        slot=row.slot,
        round=row.round,
        session=row.session,
        position=row.position,
        order=tuple(row.shown_order),
        repeat=row.repeat,
        ms=row.ms,
        timing=row.timing,
        status="answered" if row.status == "late" else row.status,
        reason=row.reason,
        comment=row.comment,
        correct=row.correct,
    )
