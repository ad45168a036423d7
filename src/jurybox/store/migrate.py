"""Bring a database to today's schema, whatever it holds: nothing, or an older one.

Alembic's revisions are package files and are run without an ini file or env.py. Views hold no data:
they are dropped before and made again after a migration, so a revision never needs to know them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, select, text
from sqlalchemy.sql import column, table

from jurybox.errors import StoreError
from jurybox.store.database import Database
from jurybox.store.views import VIEWS

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

__all__ = ["HEAD", "VERSION_TABLE", "migrate", "revisions"]

HEAD = "0005"
"""The newest revision; a test holds it to the files."""

VERSION_TABLE = "jurybox_schema"
MIGRATION_LOCK = 7_264_411_023  # any number that only jurybox uses


def revisions() -> ScriptDirectory:
    """The revisions that this version of jurybox knows."""
    from alembic.script import ScriptDirectory

    folder = str(Path(__file__).parent / "migrations")
    return ScriptDirectory(folder, version_locations=[folder])


def migrate(database: Database, *, to: str = HEAD) -> None:
    """Bring the schema to ``HEAD``; a database that is there already is only looked at.

    ``to`` stops at an older revision, whose rows wait to be brought on; it has no views.
    """
    if database.read(lambda connection: _revision(connection, database.name)) != to:
        database.write(lambda connection: _upgrade(connection, database.name, to))


def _revision(connection: Connection, name: str) -> str | None:
    """The revision of the database, or none when it is empty."""
    names = inspect(connection).get_table_names()
    if VERSION_TABLE in names:
        version = table(VERSION_TABLE, column("version_num"))
        revision = str(connection.scalar(select(version.c.version_num)))
        if revision != HEAD and revision not in _known():
            raise StoreError(
                f"{name} was written by a newer jurybox (schema {revision}; this one knows "
                f"{HEAD}): install a newer jurybox."
            )
        return revision
    if names:
        raise StoreError(
            f"{name} is not a jurybox database: it holds other tables "
            f"({', '.join(sorted(names)[:3])}); name another file or an empty database."
        )
    return None


def _known() -> set[str]:
    return {script.revision for script in revisions().walk_revisions()}


def _upgrade(connection: Connection, name: str, to: str) -> None:
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext

    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
    if _revision(connection, name) == to:  # another process was quicker
        return
    script = revisions()
    context = MigrationContext.configure(
        connection,
        opts={
            "version_table": VERSION_TABLE,
            "fn": lambda revision, _context: script._upgrade_revs(to, revision),
        },
    )
    for view in reversed(VIEWS):
        connection.execute(text(f'DROP VIEW IF EXISTS "{view}"'))
    with Operations.context(context):
        context.run_migrations()
    for view, query in VIEWS.items() if to == HEAD else ():
        connection.execute(text(f'CREATE VIEW "{view}" AS {query}'))
