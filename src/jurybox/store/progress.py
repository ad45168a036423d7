"""How far a round is, by trial, rater and system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Text,
    and_,
    case,
    cast,
    column,
    func,
    select,
    table,
    true,
)

from jurybox.design.plan import Round
from jurybox.store.planned import Planned
from jurybox.store.tables import assignments, booklets, exclusions, raters, submission_rows, trials
from jurybox.store.values import (
    GroupProgress,
    Progress,
    RaterProgress,
    SystemProgress,
    TrialProgress,
)

__all__ = ["read_progress"]

RECENT = timedelta(days=2)
TO_THE_MINUTE = len("2030-01-01 12:30")

_in_force = exclusions.c.unmarked_at.is_(None)
_sent = table("submissions", *map(column, ("rater", "kind", "round", "status")))


def read_progress(
    connection: Connection, planned: Planned, *, round: Round, now: datetime | None
) -> Progress:
    """Count what became of the main trials' slots; with ``now``, only live leases are leased.

    Everything that was assigned is gone through once, and by trial and group together.
    """
    done = _done(connection, round, now)
    by_trial = _by_trial(connection, planned, done, round)
    by_rater = _by_rater(connection, planned, round, now)
    return Progress(
        round=round,
        planned=sum(trial.planned for trial in by_trial),
        answered=sum(trial.answered for trial in by_trial),
        leased=sum(trial.leased for trial in by_trial),
        n_excluded=_excluded(connection, round),
        trials=by_trial,
        raters=by_rater,
        systems=_by_system(planned, by_trial),
        groups=_by_group(connection, planned, done, by_rater),
        recent=() if now is None else _recent(connection, round, now),
    )


def _recent(
    connection: Connection, round: Round, now: datetime
) -> tuple[tuple[datetime, int], ...]:
    # Both databases write a time down year first, and this one is in UTC: cut, it is its minute.
    minute = func.substr(cast(submission_rows.c.received_at, Text), 1, TO_THE_MINUTE)
    query = (
        select(minute.label("minute"), func.count().label("n"))
        .join(trials, trials.c.id == submission_rows.c.trial)
        .where(trials.c.plan == round, trials.c.kind == "main")
        .where(submission_rows.c.status == "answered", submission_rows.c.rater_kind == "person")
        .where(submission_rows.c.received_at > now - RECENT)
        .group_by(minute)
        .order_by(minute)
    )
    return tuple(
        (datetime.fromisoformat(row.minute).replace(tzinfo=UTC), int(row.n))
        for row in connection.execute(query)
    )


def _excluded(connection: Connection, round: Round) -> int:
    """Count answered slots whose rater is left out: the answers that the analysis will miss."""
    query = (
        select(func.count())
        .select_from(assignments)
        .join(trials, trials.c.id == assignments.c.trial)
        .where(trials.c.plan == round, trials.c.kind == "main", assignments.c.repeat == 0)
        .where(assignments.c.outcome == "answered")
        .where(assignments.c.rater.in_(select(exclusions.c.rater).where(_in_force)))
    )
    return connection.scalar(query) or 0


def _leased(now: datetime | None) -> ColumnElement[bool]:
    live = true() if now is None else assignments.c.leased_until > now
    return and_(assignments.c.outcome == "leased", live)


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


def _done(connection: Connection, round: Round, now: datetime | None) -> Sequence[Any]:
    """What became of the slots of each trial in the hands of each group's raters."""
    return connection.execute(
        select(
            *(assignments.c.trial, raters.c.group),
            _count(assignments.c.outcome == "answered").label("answered"),
            _count(_leased(now)).label("leased"),
            _count(assignments.c.outcome.in_(("skipped", "unusable"))).label("skipped"),
        )
        .join(raters, raters.c.id == assignments.c.rater)
        .join(trials, trials.c.id == assignments.c.trial)
        .where(trials.c.plan == round, trials.c.kind == "main", assignments.c.repeat == 0)
        .group_by(assignments.c.trial, raters.c.group)
    ).all()


def _by_trial(
    connection: Connection, planned: Planned, done: Sequence[Any], round: Round
) -> tuple[TrialProgress, ...]:
    answered, leased, skipped = Counter[str](), Counter[str](), Counter[str]()
    for trial, _, *counted in done:
        for total, n in zip((answered, leased, skipped), counted, strict=True):
            total[trial] += int(n)
    late = Counter(
        connection.scalars(
            select(submission_rows.c.trial).where(
                submission_rows.c.status == "late", submission_rows.c.round == round
            )
        )
    )
    return tuple(
        TrialProgress(
            trial=trial,
            item=item,
            planned=planned.slots.get(trial, 0),
            late=late[trial],
            answered=answered[trial],
            leased=leased[trial],
            skipped=skipped[trial],
        )
        for trial, item in planned.items.items()
    )


def _by_rater(
    connection: Connection, planned: Planned, round: Round, now: datetime | None
) -> tuple[RaterProgress, ...]:
    sent = Counter(
        {
            (row.rater, row.status): int(row.n)
            for row in connection.execute(
                select(_sent.c.rater, _sent.c.status, func.count().label("n"))
                .where(_sent.c.kind == "main", _sent.c.round == round)
                .group_by(_sent.c.rater, _sent.c.status)
            )
        }
    )
    leased = Counter(
        connection.scalars(
            select(assignments.c.rater)
            .join(trials, trials.c.id == assignments.c.trial)
            .where(_leased(now), trials.c.plan == round, trials.c.kind == "main")
        )
    )
    held = {
        row.holder: row.id
        for row in connection.execute(
            select(booklets.c.holder, booklets.c.id).where(
                booklets.c.round == round, booklets.c.holder.is_not(None)
            )
        )
        if row.id in planned.booklets
    }
    found = connection.execute(select(raters).order_by(raters.c.enrolled_at, raters.c.id))
    return tuple(
        RaterProgress(
            rater=row.id,
            kind=row.kind,
            booklet=held.get(row.id),
            planned=planned.booklets[held[row.id]] if row.id in held else 0,
            leased=leased[row.id],
            active_at=row.active_at,
            group=row.group,
            answered=sent[row.id, "answered"],
            skipped=sent[row.id, "skipped"] + sent[row.id, "unusable"],
            late=sent[row.id, "late"],
        )
        for row in found
    )


def _by_group(
    connection: Connection,
    planned: Planned,
    done: Sequence[Any],
    by_rater: tuple[RaterProgress, ...],
) -> tuple[GroupProgress, ...]:
    answered = Counter[str | None]()
    for row in done:
        answered[row.group] += int(row.answered)
    finished = set(connection.scalars(select(raters.c.id).where(raters.c.finished_at.is_not(None))))
    groups = dict.fromkeys([*planned.groups, *sorted({r.group for r in by_rater if r.group})])
    members = {group: [r for r in by_rater if r.group == group] for group in groups}
    return tuple(
        GroupProgress(
            group=group,
            n_raters=len(members[group]),
            n_finished=sum(r.rater in finished for r in members[group]),
            planned=planned.groups.get(group, 0),
            answered=answered[group],
        )
        for group in groups
    )


def _by_system(planned: Planned, by_trial: tuple[TrialProgress, ...]) -> tuple[SystemProgress, ...]:
    """Count showings: a slot shows each system of its trial once."""
    trials = {one.trial: one for one in by_trial}
    slots, answered = Counter[Any](), Counter[Any]()
    for trial, system in planned.systems:
        slots[system] += trials[trial].planned
        answered[system] += trials[trial].answered
    return tuple(
        SystemProgress(system=system, planned=n, answered=answered[system])
        for system, n in sorted(slots.items())
        if n
    )
