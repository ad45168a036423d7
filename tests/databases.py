"""A new SQLite database with the store's tables, copied: making them takes longer than most tests.

That opening a blank file makes them is held by tests/store/test_schema.py.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from jurybox.store.database import connect, database_url
from jurybox.store.migrate import migrate

__all__ = ["ensure_database"]


def ensure_database(file: Path) -> Path:
    """Give the file, written with every table and no row where there was none."""
    if not file.exists():
        file.write_bytes(_empty())
    return file


@cache
def _empty() -> bytes:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "empty.db"
        database = connect(database_url(file))
        migrate(database)
        database.close()
        return file.read_bytes()
