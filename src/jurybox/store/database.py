"""The connection: one writer's transaction on SQLite and PostgreSQL, retried where it may be.

SQLite: WAL with ``synchronous=FULL`` (an acknowledged response is on disk), foreign keys, a busy
timeout, and ``BEGIN IMMEDIATE`` for writers, so that writers queue and never upgrade. PostgreSQL:
READ COMMITTED with row locks; reads of several statements see one snapshot.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DatabaseError, IntegrityError, OperationalError

from jurybox.errors import StoreError

__all__ = ["Database", "connect", "database_url"]

T = TypeVar("T")

BUSY_SECONDS = 60
TRIES = 6
WRITES = "jurybox_writes"
_READ_ONLY = (
    "; its folder must be writable, even to read answers: get the right to write there, or copy "
    "the study to a folder where you have it"
)
ADVICE = {
    "unable to open database file": _READ_ONLY,
    "readonly database": _READ_ONLY,
    "disk is full": "; make room",
    "disk I/O error": "; its disk may be full: make room",
}
"""What to do about what SQLite says."""


@dataclass(frozen=True, slots=True)
class Database:
    """An engine, and the two ways to use it."""

    engine: Engine

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is a file."""
        return self.engine.dialect.name == "sqlite"

    @property
    def name(self) -> str:
        """The database as messages call it: the file, or the URL without its password."""
        url = self.engine.url
        return str(url.database) if self.is_sqlite else url.render_as_string(hide_password=True)

    @property
    def address(self) -> str:
        """What another process opens it by, its password included."""
        return self.engine.url.render_as_string(hide_password=False)

    def read(self, work: Callable[[Connection], T]) -> T:
        """Give what ``work`` reads, from one consistent snapshot."""
        options = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        try:
            with self.engine.connect().execution_options(**options) as connection:
                with connection.begin():
                    return work(connection)
        except DatabaseError as error:
            raise _said(self.name, error) from error

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in one transaction; when this returns, its changes are on disk.

        A transaction that lost a race (deadlock, a unique index, a lock not granted in time) left
        nothing behind and is run again: the second time it sees what the winner wrote.
        """
        for attempt in range(TRIES):
            try:
                with self.engine.connect().execution_options(**{WRITES: True}) as connection:
                    with connection.begin():
                        return work(connection)
            except DatabaseError as error:
                if attempt == TRIES - 1 or not _may_pass(error):
                    raise _said(self.name, error) from error
                time.sleep(0.01 * 2**attempt)
        raise AssertionError  # the loop returns or raises

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def database_url(target: str | Path) -> URL:
    """The SQLAlchemy URL of a path, a study directory or a URL."""
    if isinstance(target, Path) or "://" not in target:
        path = Path(target)
        return URL.create("sqlite", database=str(path / "study.db" if path.is_dir() else path))
    try:
        url = make_url(target)
    except ArgumentError:
        raise StoreError(
            f"'{target}' names no database; give a file, sqlite:///FILE or "
            "postgresql://HOST/DATABASE."
        ) from None
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "postgresql+psycopg"):
        raise StoreError(
            f"'{url.drivername}' is no database that jurybox knows; it keeps studies in SQLite "
            "(a file) or PostgreSQL (postgresql://HOST/DATABASE)."
        )
    if url.drivername == "sqlite" and url.database in (None, "", ":memory:"):
        raise StoreError("A study's database in memory would be lost; give the name of a file.")
    return url


def connect(url: URL) -> Database:
    """Open a database; nothing is read yet."""
    if url.drivername != "sqlite":
        return Database(
            create_engine(
                url,
                pool_pre_ping=True,
                pool_size=8,
                max_overflow=16,
                connect_args={"options": "-c timezone=UTC", "connect_timeout": 10},
            )
        )
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return Database(engine)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # The driver must not begin by itself: it would begin a reader where we need a writer.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("foreign_keys = ON", "synchronous = FULL"):
        cursor.execute(f"PRAGMA {pragma}")
    _use_wal(cursor)
    cursor.close()


def _use_wal(cursor: Any) -> None:
    """Switch to WAL; the busy timeout does not cover the switch itself when two open at once."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _may_pass(error: DatabaseError) -> bool:
    if isinstance(error, IntegrityError):
        return True
    state = getattr(error.orig, "sqlstate", None)
    return state in ("40001", "40P01", "55P03") or "locked" in str(error.orig)


def _said(name: str, error: DatabaseError) -> Exception:
    """The error as a sentence where a person can act on it; otherwise the error itself, a bug."""
    cause = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else str(error)
    if isinstance(error, OperationalError):
        advice = next((said for sign, said in ADVICE.items() if sign in cause), "")
        return StoreError(f"{name}: the database cannot be used now: {cause}{advice}.")
    if "not a database" in cause or "malformed" in cause:
        return StoreError(
            f"{name} is not a jurybox database ({cause}); move it away, or name another file."
        )
    return error
