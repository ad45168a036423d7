"""What stands beside the responses: study versions, settings, drafts and events."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from jurybox.design.plan import TrialId
from jurybox.store.raters import lock_rater, touch
from jurybox.store.tables import drafts, events, settings, versions
from jurybox.store.values import Event, Version
from jurybox.study.model import RaterId

__all__ = [
    "add_event",
    "list_events",
    "list_versions",
    "load_draft",
    "read_setting",
    "save_draft",
    "save_version",
    "write_setting",
]


def save_version(connection: Connection, version: Mapping[str, Any], *, now: datetime) -> int:
    """The number of this version of the study; the latest one saved again keeps its number."""
    # Locks nothing: two savers of one number collide on the primary key, and the loser looks again.
    last = connection.execute(
        select(versions).order_by(versions.c.number.desc()).limit(1)
    ).one_or_none()
    same = ("study_json", "study_hash", "material_hash")
    if last is not None and all(last._mapping[name] == version[name] for name in same):
        return int(last.number)
    number = 1 if last is None else last.number + 1
    connection.execute(insert(versions).values(number=number, at=now, **version))
    return number


def list_versions(connection: Connection) -> tuple[Version, ...]:
    """Every version, oldest first."""
    found = connection.execute(select(versions).order_by(versions.c.number))
    return tuple(Version(**row._mapping) for row in found)


def read_setting(connection: Connection, name: str) -> str | None:
    """The setting's value, or none."""
    value = connection.scalar(select(settings.c.value).where(settings.c.name == name))
    return None if value is None else str(value)


def write_setting(connection: Connection, name: str, value: str, *, replace: bool = True) -> None:
    """Write a setting; without ``replace`` one that is there stays."""
    if read_setting(connection, name) is None:
        connection.execute(insert(settings).values(name=name, value=value))
    elif replace:
        connection.execute(update(settings).where(settings.c.name == name).values(value=value))


def save_draft(
    connection: Connection,
    rater: RaterId,
    trial: TrialId,
    body: Mapping[str, Any],
    *,
    now: datetime,
) -> None:
    """Keep what the rater has chosen so far; the newest draft replaces the one before."""
    lock_rater(connection, rater)
    touch(connection, rater, now)
    replaced = connection.execute(
        update(drafts)
        .where(drafts.c.rater == rater, drafts.c.trial == trial)
        .values(body=dict(body), at=now)
    )
    if replaced.rowcount == 0:
        connection.execute(insert(drafts).values(rater=rater, trial=trial, body=dict(body), at=now))


def load_draft(connection: Connection, rater: RaterId, trial: TrialId) -> dict[str, Any] | None:
    """The draft, or none; a submit removes it."""
    body = connection.scalar(
        select(drafts.c.body).where(drafts.c.rater == rater, drafts.c.trial == trial)
    )
    return None if body is None else dict(body)


def add_event(connection: Connection, event: Mapping[str, Any]) -> int:
    """Append an event; its number."""
    key = connection.execute(insert(events).values(**event)).inserted_primary_key
    return int(key[0]) if key is not None else 0


def list_events(
    connection: Connection,
    *,
    kind: str | None,
    rater: RaterId | None,
    trial: TrialId | None,
    after: int,
) -> tuple[Event, ...]:
    """The events after a number that match, oldest first."""
    query = select(events).where(events.c.id > after).order_by(events.c.id)
    for column, wanted in ((events.c.kind, kind), (events.c.rater, rater), (events.c.trial, trial)):
        if wanted is not None:
            query = query.where(column == wanted)
    return tuple(Event(**row._mapping) for row in connection.execute(query))
