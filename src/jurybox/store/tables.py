"""The study's tables.

``submission_rows``, ``response_rows`` and ``events`` are append-only; triggers refuse any change of
them. What is current follows from them and from ``assignments``, whose two partial indexes make the
database itself refuse a doubled slot and a trial given twice to one rater.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy.types import TypeEngine

__all__ = [
    "HELD",
    "Json",
    "UtcTime",
    "assignments",
    "booklets",
    "drafts",
    "events",
    "exclusions",
    "metadata",
    "plans",
    "raters",
    "response_rows",
    "settings",
    "slots",
    "submission_rows",
    "trial_outputs",
    "trials",
    "versions",
]


class UtcTime(TypeDecorator[datetime]):
    """An aware time in UTC: ``timestamptz`` on PostgreSQL, ISO text of fixed width on SQLite.

    Fixed width makes the text sort and compare like the time.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Text where the database has no aware times."""
        return dialect.type_descriptor(
            Text() if dialect.name == "sqlite" else DateTime(timezone=True)
        )

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Refuse a time without a zone: it would mean another moment on another machine."""
        if value is None:
            return None
        if value.utcoffset() is None:
            raise ValueError(f"{value!r} has no time zone")
        moment = value.astimezone(UTC)
        return moment.isoformat(timespec="microseconds") if dialect.name == "sqlite" else moment

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Give an aware time in UTC."""
        if value is None:
            return None
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
        return moment.astimezone(UTC)


class Json(TypeDecorator[Any]):
    """A small value as canonical JSON text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Write it so that equal values are equal texts."""
        if value is None:
            return None
        return json.dumps(value, sort_keys=True, allow_nan=False)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Read it."""
        return None if value is None else json.loads(value)


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _key(name: str, kind: TypeEngine[Any] | type[TypeEngine[Any]] = Text) -> Column[Any]:
    return Column(name, kind, primary_key=True)


def _needed(name: str, kind: TypeEngine[Any] | type[TypeEngine[Any]] = Text) -> Column[Any]:
    return Column(name, kind, nullable=False)


def _link(name: str, target: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, ForeignKey(target), nullable=nullable)


settings = Table("settings", metadata, _key("name"), _needed("value"))

versions = Table(
    "versions",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    _needed("study_json"),
    _needed("study_hash"),
    _needed("material_hash"),
    _needed("kind"),
    _needed("at", UtcTime),
)

plans = Table(
    "plans",
    metadata,
    _key("round"),
    _needed("seed", BigInteger),
    _needed("overlap", Integer),
    _link("version", "versions.number"),
    _needed("at", UtcTime),
)

trials = Table(
    "trials",
    metadata,
    _key("id"),
    _link("plan", "plans.round", nullable=True),  # none: imported from outside the plan
    _needed("round"),
    _needed("kind"),
    _needed("item"),
    _needed("number", Integer),
    Column("practice", Integer),  # place among the practice trials
    _needed("one_per_item", Boolean),  # a rater sees one trial of the item only (detect)
    Index(None, "plan", "number"),
    Index(None, "item"),
)

trial_outputs = Table(
    "trial_outputs",
    metadata,
    Column("trial", ForeignKey("trials.id"), primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    _needed("system"),
    Column("truth", Text),  # real or generated; none outside detect
)

raters = Table(
    "raters",
    metadata,
    _key("id"),
    _needed("kind"),
    Column("token_hash", Text),
    _needed("details", Json),
    _needed("enrolled_at", UtcTime),
    _needed("active_at", UtcTime),
    Column("consented_at", UtcTime),
    Column("survey", Json),
    Column("practice", Json),
    Column("finished_at", UtcTime),
    Column("stopped_at", UtcTime),
    Column("withdrawn_at", UtcTime),
    _needed("paused", Boolean),
    Column("group", Text),  # in which they have, or had, a place
    Column("key_hash", Text),  # of what the page that enrolled them drew
    UniqueConstraint("token_hash"),
)

booklets = Table(
    "booklets",
    metadata,
    _key("id"),
    _link("round", "plans.round"),
    _needed("number", Integer),
    _link("holder", "raters.id", nullable=True),
    Column("taken_at", UtcTime),
    Column("group", Text),  # none: for any rater
    UniqueConstraint("round", "number"),
    UniqueConstraint("round", "holder"),
)

slots = Table(
    "slots",
    metadata,
    _key("id"),
    _link("trial", "trials.id"),
    _link("booklet", "booklets.id"),
    _needed("position", Integer),
    _needed("number", Integer),
    _needed("repeat", Integer),
    _needed("shown_order", Json),
    UniqueConstraint("booklet", "position"),
    Index(None, "trial"),
)

HELD = ("leased", "answered")
"""The outcomes under which a slot is taken."""

_held = text("outcome IN ('leased', 'answered')")

assignments = Table(
    "assignments",
    metadata,
    _key("id", Integer),
    _link("slot", "slots.id"),
    _link("trial", "trials.id"),
    _needed("repeat", Integer),
    _link("rater", "raters.id"),
    _needed("position", Integer),
    _needed("claimed_at", UtcTime),
    _needed("leased_until", UtcTime),
    _needed("outcome"),  # HELD, skipped, unusable, expired, released, withdrawn
    Column("ended_at", UtcTime),
    Index("ix_assignments_slot", "slot"),
    Index("ix_assignments_rater", "rater"),
    Index("uq_held_slot", "slot", unique=True, sqlite_where=_held, postgresql_where=_held),
    Index(
        "uq_held_trial",
        *("rater", "trial", "repeat"),
        unique=True,
        sqlite_where=_held,
        postgresql_where=_held,
    ),
)

submission_rows = Table(
    "submission_rows",
    metadata,
    _key("seq", Integer),
    _needed("id"),
    _needed("content"),  # hash of what was answered
    _link("rater", "raters.id"),
    _needed("rater_kind"),
    _link("trial", "trials.id"),
    _link("slot", "slots.id", nullable=True),
    _needed("round"),
    _link("study_version", "versions.number"),
    _needed("session"),
    Column("position", Integer),
    _needed("shown_order", Json),
    _needed("repeat", Integer),
    Column("ms", BigInteger),
    _needed("timing", Json),
    _needed("at", UtcTime),
    _needed("received_at", UtcTime),
    _needed("status"),
    Column("reason", Text),
    Column("comment", Text),
    Column("correct", Boolean),
    UniqueConstraint("id"),
    Index(None, "rater", "trial", "seq"),
    Index(None, "trial"),
)

response_rows = Table(
    "response_rows",
    metadata,
    Column("submission", ForeignKey("submission_rows.seq"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    _needed("shape"),
    _needed("criterion"),
    Column("system", Text),
    Column("score", Double),
    Column("winner", Text),
    Column("first", Text),
    Column("strength", Double),
    Column("rank", Double),
    Column("answer", Text),
    Column("confidence", Double),
    Column("field", Text),
    Column("start", Integer),
    Column("end", Integer),
    Column("category", Text),
    Column("severity", Text),
    Column("comment", Text),
    Column("place", Integer),  # on the screen, from 1; none: unknown, or not about one output
)

drafts = Table(
    "drafts",
    metadata,
    Column("rater", ForeignKey("raters.id"), primary_key=True),
    Column("trial", ForeignKey("trials.id"), primary_key=True),
    _needed("body", Json),
    _needed("at", UtcTime),
)

events = Table(
    "events",
    metadata,
    _key("id", Integer),
    _needed("kind"),
    Column("rater", Text),
    Column("trial", Text),
    _needed("detail", Json),
    _needed("at", UtcTime),
    Index(None, "kind"),
)

_active = text("unmarked_at IS NULL")

exclusions = Table(
    "exclusions",
    metadata,
    _key("id", Integer),
    _link("rater", "raters.id"),
    _needed("rule"),
    _needed("sentence"),
    _needed("marked_at", UtcTime),
    Column("unmarked_at", UtcTime),
    Index(
        "uq_active_rule",
        *("rater", "rule"),
        unique=True,
        sqlite_where=_active,
        postgresql_where=_active,
    ),
)
