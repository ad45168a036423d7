"""Columns written to a file: CSV, JSON lines or Parquet; and Parquet read back as columns."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from jurybox.errors import InputError
from jurybox.tally.source import connect, quote, text

__all__ = ["FORMATS", "read_parquet", "write_table"]

Kind = Literal["VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "TIMESTAMPTZ"]

FORMATS = {
    ".csv": "FORMAT CSV, HEADER",
    ".jsonl": "FORMAT JSON",
    ".parquet": "FORMAT PARQUET, COMPRESSION ZSTD",
}
"""What can be written, by the ending of the file's name."""

KINDS: Mapping[Kind, tuple[str, ...]] = {
    "DOUBLE": ("score", "strength", "rank", "confidence"),
    "BIGINT": ("start", "end", "study_version", "position", "place", "repeat", "ms"),
    "TIMESTAMPTZ": ("at", "received_at"),
    "BOOLEAN": ("correct",),
}
"""What the columns of the table shapes hold; any other column holds text."""


def write_table(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    """Write columns to a file whose name ends in .csv, .jsonl or .parquet.

    Columns of the table shapes get their own types, others are text. A table without rows still has
    its columns. Text is written as it is: a cell that begins with ``=`` stays what the rater wrote,
    so a spreadsheet may take it for a formula. The file appears whole or not at all.
    """
    options = FORMATS.get(path.suffix.casefold())
    if options is None:
        raise InputError(f"{path}: a table is written as {', '.join(FORMATS)}; rename the file.")
    stamps = path.suffix.casefold() == ".parquet"
    parts, values = [], []
    for name, column in columns.items():
        kind = _kind(name)
        as_text = kind == "TIMESTAMPTZ"
        cell = f"unnest(?::{'VARCHAR' if as_text else kind}[])"
        parts.append(f"{cell}{'::TIMESTAMPTZ' if as_text and stamps else ''} AS {quote(name)}")
        values.append([_cell(value) for value in column])
    part = path.with_name(f".{path.name}.part")
    try:
        with connect() as connection:
            connection.execute(f"CREATE TEMP TABLE out AS SELECT {', '.join(parts)}", values)
            connection.execute(f"COPY (FROM out) TO {text(str(part))} ({options})")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _kind(name: str) -> Kind:
    return next((kind for kind, names in KINDS.items() if name in names), "VARCHAR")


def _cell(value: Any) -> Any:
    if isinstance(value, datetime):
        moment = value.astimezone(UTC)
        return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
    return value


def read_parquet(path: Path) -> dict[str, list[Any]]:
    """The columns of a Parquet file; times in UTC as text."""
    import duckdb

    source = f"read_parquet({text(str(path))})"
    with connect() as connection:
        try:
            found = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
            names = [row[0] for row in found]
            cells = [
                f"{quote(row[0])}::VARCHAR"
                if str(row[1]).startswith(("TIME", "DATE"))
                else quote(row[0])
                for row in found
            ]
            rows = connection.execute(f"SELECT {', '.join(cells)} FROM {source}").fetchall()
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"{path}: the Parquet file cannot be read ({reason})") from None
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    return {name: list(values) for name, values in zip(names, columns, strict=True)}
