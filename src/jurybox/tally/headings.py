"""The names of the columns of files, before they are read."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from jurybox.tally.source import DELIMITED, JSON, PARQUET, expand, text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["delimiter_of", "heading_of", "read_heading"]


def heading_of(connection: DuckDBPyConnection, pattern: str | Path) -> list[tuple[str, list[str]]]:
    """The files that a path or glob names, each with its columns; what is no table has none."""
    found = []
    for path in expand(pattern):
        suffix = path.suffix.lower()
        names: list[str] = []
        if suffix in DELIMITED:
            names = read_heading(path)
        elif suffix in JSON | PARQUET and path.stat().st_size:
            reader = "read_json" if suffix in JSON else "read_parquet"
            names = _described(connection, f"{reader}({text(str(path))})")
        found.append((path.name, names))
    return found


def _described(connection: DuckDBPyConnection, table: str) -> list[str]:
    import duckdb

    try:
        rows = connection.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()
    except duckdb.Error:
        # What is wrong with a file is said where it is read.
        return []
    return [str(row[0]) for row in rows]


def delimiter_of(path: Path, line: str) -> str:
    """What separates the cells of a line."""
    return "\t" if path.suffix.lower() in (".tsv", ".tab") else max(",;\t|", key=line.count)


def read_heading(path: Path) -> list[str]:
    """The first line of a delimited file, as cells."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        line = file.readline()
    return [
        name.strip() for name in next(csv.reader([line], delimiter=delimiter_of(path, line)), [])
    ]
