"""How far a round is, by trial, rater and system."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, column, func, select, table, true

from jurybox.design.plan import Round
from jurybox.store.tables import (
    assignments,
    booklets,
    exclusions,
    raters,
    slots,
    submission_rows,
    trial_outputs,
    trials,
)
from jurybox.store.values import (
    GroupProgress,
    Progress,
    RaterProgress,
    SystemProgress,
    TrialProgress,
)

__all__ = ["read_progress"]

RECENT = timedelta(days=2)

_in_force = exclusions.c.unmarked_at.is_(None)
_sent = table("submissions", *map(column, ("rater", "trial", "kind", "round", "status")))


def read_progress(connection: Connection, *, round: Round, now: datetime | None) -> Progress:
    """Count the main trials' slots; with ``now``, only live leases count as leased."""
    by_trial = _by_trial(connection, round, now)
    by_rater = _by_rater(connection, round, now)
    return Progress(
        round=round,
        planned=sum(trial.planned for trial in by_trial),
        answered=sum(trial.answered for trial in by_trial),
        leased=sum(trial.leased for trial in by_trial),
        n_excluded=_excluded(connection, round),
        trials=by_trial,
        raters=by_rater,
        systems=_by_system(connection, round),
        groups=_by_group(connection, round, by_rater),
        recent=() if now is None else _recent(connection, round, now),
    )


def _recent(connection: Connection, round: Round, now: datetime) -> tuple[datetime, ...]:
    query = (
        select(submission_rows.c.received_at)
        .join(trials, trials.c.id == submission_rows.c.trial)
        .where(trials.c.plan == round, trials.c.kind == "main")
        .where(submission_rows.c.status == "answered", submission_rows.c.rater_kind == "person")
        .where(submission_rows.c.received_at > now - RECENT)
        .order_by(submission_rows.c.received_at)
    )
    return tuple(connection.scalars(query))


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


def _by_trial(
    connection: Connection, round: Round, now: datetime | None
) -> tuple[TrialProgress, ...]:
    planned = {
        row.trial: row.planned
        for row in connection.execute(
            select(slots.c.trial, func.count().label("planned"))
            .where(slots.c.repeat == 0)
            .group_by(slots.c.trial)
        )
    }
    done = {
        row.trial: row
        for row in connection.execute(
            select(
                assignments.c.trial,
                _count(assignments.c.outcome == "answered").label("answered"),
                _count(_leased(now)).label("leased"),
                _count(assignments.c.outcome.in_(("skipped", "unusable"))).label("skipped"),
            )
            .where(assignments.c.repeat == 0)
            .group_by(assignments.c.trial)
        )
    }
    late = Counter(
        connection.scalars(
            select(_sent.c.trial).where(_sent.c.status == "late", _sent.c.round == round)
        )
    )
    found = connection.execute(
        select(trials.c.id, trials.c.item)
        .where(trials.c.plan == round, trials.c.kind == "main")
        .order_by(trials.c.number)
    )
    return tuple(
        TrialProgress(
            trial=row.id,
            item=row.item,
            planned=planned.get(row.id, 0),
            late=late[row.id],
            **_counts(done.get(row.id), "answered", "leased", "skipped"),
        )
        for row in found
    )


def _counts(row: Any, *names: str) -> dict[str, int]:
    return {name: 0 if row is None else int(row._mapping[name]) for name in names}


def _by_rater(
    connection: Connection, round: Round, now: datetime | None
) -> tuple[RaterProgress, ...]:
    sent = {
        row.rater: row
        for row in connection.execute(
            select(
                _sent.c.rater,
                _count(_sent.c.status == "answered").label("answered"),
                _count(_sent.c.status.in_(("skipped", "unusable"))).label("skipped"),
                _count(_sent.c.status == "late").label("late"),
            )
            .where(_sent.c.kind == "main", _sent.c.round == round)
            .group_by(_sent.c.rater)
        )
    }
    leased = Counter(
        connection.scalars(
            select(assignments.c.rater)
            .join(trials, trials.c.id == assignments.c.trial)
            .where(_leased(now), trials.c.plan == round, trials.c.kind == "main")
        )
    )
    held = {
        row.holder: row
        for row in connection.execute(
            select(booklets.c.holder, booklets.c.id, func.count().label("planned"))
            .join(slots, slots.c.booklet == booklets.c.id)
            .join(trials, trials.c.id == slots.c.trial)
            .where(booklets.c.round == round, booklets.c.holder.is_not(None))
            .where(trials.c.kind == "main")
            .group_by(booklets.c.holder, booklets.c.id)
        )
    }
    found = connection.execute(select(raters).order_by(raters.c.enrolled_at, raters.c.id))
    return tuple(
        RaterProgress(
            rater=row.id,
            kind=row.kind,
            booklet=held[row.id].id if row.id in held else None,
            planned=int(held[row.id].planned) if row.id in held else 0,
            leased=leased[row.id],
            active_at=row.active_at,
            group=row.group,
            **_counts(sent.get(row.id), "answered", "skipped", "late"),
        )
        for row in found
    )


def _by_group(
    connection: Connection, round: Round, by_rater: tuple[RaterProgress, ...]
) -> tuple[GroupProgress, ...]:
    planned = {
        row.group: row.planned
        for row in connection.execute(
            select(booklets.c.group, func.count().label("planned"))
            .join(slots, slots.c.booklet == booklets.c.id)
            .join(trials, trials.c.id == slots.c.trial)
            .where(booklets.c.round == round, booklets.c.group.is_not(None))
            .where(trials.c.kind == "main", slots.c.repeat == 0)
            .group_by(booklets.c.group)
            .order_by(func.min(booklets.c.number))
        )
    }
    answered = Counter(
        connection.scalars(
            select(raters.c.group)
            .join(assignments, assignments.c.rater == raters.c.id)
            .join(trials, trials.c.id == assignments.c.trial)
            .where(assignments.c.outcome == "answered", assignments.c.repeat == 0)
            .where(trials.c.plan == round, trials.c.kind == "main")
        )
    )
    finished = set(connection.scalars(select(raters.c.id).where(raters.c.finished_at.is_not(None))))
    groups = dict.fromkeys([*planned, *sorted({r.group for r in by_rater if r.group})])
    members = {group: [r for r in by_rater if r.group == group] for group in groups}
    return tuple(
        GroupProgress(
            group=group,
            n_raters=len(members[group]),
            n_finished=sum(r.rater in finished for r in members[group]),
            planned=planned.get(group, 0),
            answered=answered[group],
        )
        for group in groups
    )


def _by_system(connection: Connection, round: Round) -> tuple[SystemProgress, ...]:
    """Count showings: a slot shows each system of its trial once."""
    query = (
        select(
            trial_outputs.c.system,
            func.count().label("planned"),
            _count(assignments.c.id.is_not(None)).label("answered"),
        )
        .join(trials, trials.c.id == trial_outputs.c.trial)
        .join(slots, slots.c.trial == trials.c.id)
        .outerjoin(
            assignments,
            and_(assignments.c.slot == slots.c.id, assignments.c.outcome == "answered"),
        )
        .where(trials.c.plan == round, trials.c.kind == "main", slots.c.repeat == 0)
        .group_by(trial_outputs.c.system)
        .order_by(trial_outputs.c.system)
    )
    return tuple(
        SystemProgress(system=row.system, planned=int(row.planned), answered=int(row.answered))
        for row in connection.execute(query)
    )
