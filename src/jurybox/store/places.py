"""Places in a rater group: as many at once as its quota, under any number of processes.

A rater has a place from being given one until they stop or withdraw. One who is silent loses it as
well: before the first answer after a lease period, later after ``KEPT``. Who finished keeps it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection, and_, exists, func, or_, select, update
from sqlalchemy.sql.elements import ColumnElement

from jurybox.store.raters import lock_rater
from jurybox.store.tables import assignments, plans, raters
from jurybox.study.model import RaterId

__all__ = ["KEPT", "count_places", "join_group", "take_place"]

KEPT = timedelta(days=1)
"""How long the place of a rater who answered something is kept while they are silent."""


def _holds(now: datetime, lease: timedelta) -> ColumnElement[bool]:
    """Whether a row of ``raters`` holds the place that it was given."""
    live = and_(assignments.c.outcome == "leased", assignments.c.leased_until > now)
    own = assignments.c.rater == raters.c.id
    answered = exists().where(own, assignments.c.outcome == "answered")
    return and_(
        raters.c.stopped_at.is_(None),
        raters.c.withdrawn_at.is_(None),
        or_(
            raters.c.finished_at.is_not(None),
            raters.c.active_at > now - lease,
            exists().where(own, live),
            and_(raters.c.active_at > now - KEPT, answered),
        ),
    )


def take_place(
    connection: Connection,
    rater: RaterId,
    group: str,
    *,
    quota: int | None,
    lease: timedelta,
    now: datetime,
) -> bool:
    """Whether the rater has a place in the group, taken now if there is one; they never change it.

    The plans are locked until the transaction ends, so places are given one after the other.
    """
    connection.execute(select(plans.c.round).with_for_update(key_share=True)).all()
    row = lock_rater(connection, rater)
    group = row.group or group
    others = connection.scalar(
        select(func.count())
        .select_from(raters)
        .where(raters.c.group == group, raters.c.id != rater, _holds(now, lease))
    )
    holds = select(raters.c.id).where(raters.c.id == rater, _holds(now, lease))
    has = row.group is not None and connection.scalar(holds) is not None
    if not has and quota is not None and (others or 0) >= quota:
        return False
    connection.execute(
        update(raters).where(raters.c.id == rater).values(group=group, active_at=now)
    )
    return True


def join_group(connection: Connection, rater: RaterId, group: str) -> None:
    """Put a rater who answered elsewhere into their group, unless they have one."""
    connection.execute(
        update(raters).where(raters.c.id == rater, raters.c.group.is_(None)).values(group=group)
    )


def count_places(connection: Connection, *, lease: timedelta, now: datetime) -> dict[str, int]:
    """How many places are taken in each group."""
    found = connection.execute(
        select(raters.c.group, func.count().label("taken"))
        .where(raters.c.group.is_not(None), _holds(now, lease))
        .group_by(raters.c.group)
    )
    return {row.group: int(row.taken) for row in found}
