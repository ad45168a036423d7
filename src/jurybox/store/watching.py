"""Whether anything changed: the database's own count of changes, so that nothing is counted anew.

SQLite tells a connection whether another one has committed (``data_version``), which is why the
watch keeps one that never writes. PostgreSQL's snapshot names the transactions that are over.
"""

from __future__ import annotations

import secrets
from threading import Lock
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy.pool import PoolProxiedConnection

    from jurybox.store.database import Database

__all__ = ["Watch"]


class Watch:
    """Gives a mark that stays the same as long as nobody writes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._connection: PoolProxiedConnection | None = None
        # The count begins anew with every connection: marks of two watches must not be mixed up.
        self._begun = secrets.token_hex(4)

    def mark(self) -> str:
        """The mark of what is stored now."""
        if self._database.is_sqlite:
            return f"{self._begun}-{self._data_version()}"
        found = self._database.read(
            lambda connection: connection.scalar(text("SELECT pg_current_snapshot()::text"))
        )
        return f"{self._begun}-{found}"

    def _data_version(self) -> int:
        with self._lock:
            if self._connection is None:
                self._connection = self._database.engine.raw_connection()
                self._connection.detach()
            # Not through the engine, which would begin a transaction and so never see a change.
            cursor = self._connection.cursor()
            try:
                return int(cursor.execute("PRAGMA data_version").fetchone()[0])
            finally:
                cursor.close()

    def close(self) -> None:
        """Close the connection of its own."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
