"""Backups: one zip with the study's files and a consistent copy of its database.

Raters may go on while it is made. From SQLite the zip holds the database file itself, copied online
and checked; from PostgreSQL it holds every table as JSON lines, read in one snapshot. The manifest
lists the hash of every file, and nothing is restored that does not match it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any

from sqlalchemy import Connection, Table, delete, func, insert, select

from jurybox.errors import StoreError
from jurybox.store.database import connect, database_url
from jurybox.store.migrate import HEAD, migrate
from jurybox.store.store import Store
from jurybox.store.tables import UtcTime, metadata

__all__ = ["Backup", "make_backup", "restore_backup"]

FORMAT = 1
MANIFEST = "manifest.json"
DATABASE = "study.db"
TABLES = "tables/"
CHUNK = 1 << 20

Chunks = Callable[[Table], Iterator[Sequence[dict[str, Any]]]]
"""The rows of a table, some at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """What a backup holds."""

    path: Path
    files: Mapping[str, str]
    """The hash of each file, by its name in the zip."""
    rows: Mapping[str, int]
    """How many rows each table had."""


def make_backup(
    store: Store, files: Mapping[str, Path], out: Path, *, jurybox: str, now: datetime
) -> Backup:
    """Write a backup to ``out``; ``files`` are the study's own, by the name they get in it.

    The zip appears whole or not at all.
    """
    part = out.with_name(f".{out.name}.part")
    hashes: dict[str, str] = {}
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, path in sorted(files.items()):
                with path.open("rb") as source:
                    hashes[f"study/{name}"] = _add(archive, f"study/{name}", source)
            rows = (_add_file if store.database.is_sqlite else _add_tables)(store, archive, hashes)
            manifest = {
                "format": FORMAT,
                "jurybox": jurybox,
                "schema": HEAD,
                "at": now.isoformat(),
                "rows": rows,
                "files": hashes,
            }
            archive.writestr(MANIFEST, json.dumps(manifest, indent=2, sort_keys=True))
        with part.open("rb") as written:
            os.fsync(written.fileno())
        os.replace(part, out)
    finally:
        part.unlink(missing_ok=True)
    return Backup(path=out, files=hashes, rows=rows)


def _add(archive: zipfile.ZipFile, name: str, source: IO[bytes]) -> str:
    digest = hashlib.sha256()
    with archive.open(name, "w", force_zip64=True) as target:
        while chunk := source.read(CHUNK):
            digest.update(chunk)
            target.write(chunk)
    return digest.hexdigest()


def _add_file(store: Store, archive: zipfile.ZipFile, hashes: dict[str, str]) -> dict[str, int]:
    """Copy the SQLite file while others write to it, and check the copy."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / DATABASE
        try:
            found = _copy_file(str(store.database.engine.url.database), copy)
        except sqlite3.DatabaseError as error:
            found = str(error)
        if found != "ok":
            raise StoreError(f"{store.database.name}: the database is damaged: {found}.")
        with closing(Store.open(copy)) as copied:
            rows = copied.database.read(_count)
        with copy.open("rb") as content:
            hashes[DATABASE] = _add(archive, DATABASE, content)
    return rows


def _copy_file(source: str, target: Path) -> str:
    """Copy a database in use, and tell what SQLite's own check says of the copy."""
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
        new.execute("PRAGMA journal_mode = DELETE")
        return str(new.execute("PRAGMA integrity_check").fetchone()[0])


def _count(connection: Connection) -> dict[str, int]:
    return {
        table.name: int(connection.scalar(select(func.count()).select_from(table)) or 0)
        for table in metadata.sorted_tables
    }


def _add_tables(store: Store, archive: zipfile.ZipFile, hashes: dict[str, str]) -> dict[str, int]:
    def work(connection: Connection) -> dict[str, int]:
        rows = {}
        for table in metadata.sorted_tables:
            name = f"{TABLES}{table.name}.jsonl"
            digest = hashlib.sha256()
            rows[table.name] = 0
            with archive.open(name, "w", force_zip64=True) as target:
                keys = list(table.primary_key.columns)
                for row in connection.execute(select(table).order_by(*keys)).mappings():
                    line = json.dumps(dict(row), default=datetime.isoformat).encode() + b"\n"
                    digest.update(line)
                    target.write(line)
                    rows[table.name] += 1
            hashes[name] = digest.hexdigest()
        return rows

    return store.database.read(work)


def restore_backup(
    path: Path, directory: Path, *, open_store: Callable[[], Store] | None = None
) -> Backup:
    """Write a backup's files into an empty directory and its rows into an empty database.

    ``open_store`` opens the database to fill, by default ``study.db`` in the directory.
    """
    if directory.exists() and any(directory.iterdir()):
        raise StoreError(f"{directory} is not empty; restore a backup into a new directory.")
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _read_manifest(archive, path)
            directory.mkdir(parents=True, exist_ok=True)
            for name in manifest["files"]:
                if name.startswith("study/"):
                    target = directory.joinpath(*PurePosixPath(name).parts[1:])
                    target.parent.mkdir(parents=True, exist_ok=True)
                    _extract(archive, name, target)
            _restore_database(archive, manifest["schema"], directory, open_store)
    except (OSError, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise StoreError(f"{path}: the backup cannot be read: {error}.") from error
    return Backup(path=path, files=manifest["files"], rows=manifest["rows"])


def _read_manifest(archive: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    """The manifest of a backup whose every file is there and as it was."""
    manifest: dict[str, Any] = json.loads(archive.read(MANIFEST))
    if manifest["format"] != FORMAT or manifest["schema"] > HEAD:
        raise StoreError(
            f"{path} was written by jurybox {manifest['jurybox']}: install a newer jurybox."
        )
    for name, expected in manifest["files"].items():
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise StoreError(f"{path}: the name '{name}' leads out of the backup.")
        digest = hashlib.sha256()
        with archive.open(name) as content:
            while chunk := content.read(CHUNK):
                digest.update(chunk)
        if digest.hexdigest() != expected:
            raise StoreError(f"{path}: '{name}' is damaged; use another backup.")
    return manifest


def _extract(archive: zipfile.ZipFile, name: str, target: Path) -> None:
    with archive.open(name) as source, target.open("wb") as out:
        while chunk := source.read(CHUNK):
            out.write(chunk)


def _restore_database(
    archive: zipfile.ZipFile,
    schema: str,
    directory: Path,
    open_store: Callable[[], Store] | None,
) -> None:
    """Bring the rows to the target, and to today's schema, which a database does when opened."""
    target = directory / DATABASE
    if DATABASE not in archive.namelist() and schema == HEAD:
        with closing(open_store() if open_store else Store.open(target)) as store:
            store.database.write(lambda c: _fill(c, lambda table: _lines(archive, table)))
    elif open_store is None:
        _write_file(archive, schema, target)
        Store.open(target).close()
    else:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / DATABASE
            _write_file(archive, schema, copy)
            with closing(Store.open(copy)) as old, closing(open_store()) as store:
                rows = old.database.read(_all_rows)
                store.database.write(lambda c: _fill(c, lambda table: iter([rows[table.name]])))


def _write_file(archive: zipfile.ZipFile, schema: str, path: Path) -> None:
    """The backup's database as a SQLite file of the schema that the backup has."""
    if DATABASE in archive.namelist():
        _extract(archive, DATABASE, path)
        return
    with closing(connect(database_url(path))) as database:
        migrate(database, to=schema)
        database.write(lambda c: _insert(c, lambda table: _lines(archive, table)))


def _all_rows(connection: Connection) -> dict[str, list[dict[str, Any]]]:
    return {
        table.name: [dict(row) for row in connection.execute(select(table)).mappings()]
        for table in metadata.sorted_tables
    }


def _lines(archive: zipfile.ZipFile, table: Table) -> Iterator[list[dict[str, Any]]]:
    """A table's rows; an older schema may lack the table, or some of its columns."""
    name = f"{TABLES}{table.name}.jsonl"
    if name not in archive.namelist():
        return
    times = [column.name for column in table.columns if isinstance(column.type, UtcTime)]
    rows = []
    with archive.open(name) as lines:
        for line in lines:
            row = json.loads(line)
            for time in times:
                if row.get(time):
                    row[time] = datetime.fromisoformat(row[time])
            rows.append(row)
            if len(rows) == 1000:
                yield rows
                rows = []
    yield rows


def _fill(connection: Connection, chunks: Chunks) -> None:
    if any(count for name, count in _count(connection).items() if name != "settings"):
        raise StoreError("The database is not empty; restore a backup into a new one.")
    connection.execute(delete(metadata.tables["settings"]))  # the secret of the empty database
    _insert(connection, chunks)


def _insert(connection: Connection, chunks: Chunks) -> None:
    for table in metadata.sorted_tables:
        for rows in chunks(table):
            if rows:
                connection.execute(insert(table), list(rows))
        key = table.autoincrement_column
        if connection.dialect.name == "postgresql" and key is not None:
            sequence = func.pg_get_serial_sequence(table.name, key.name)
            last = func.coalesce(select(func.max(key)).scalar_subquery(), 1)
            connection.execute(select(func.setval(sequence, last)))
