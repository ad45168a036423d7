"""Where a row stands in its file, for who has to mend it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["place_of"]


def place_of(row: int, file: Path | None) -> str:
    """A row by its number, and by its line where the file has one row a line.

    Rows are counted without the heading, lines from the top of the file.

    >>> place_of(3, None)
    'row 3'
    """
    line = None if file is None else _line(row, file)
    return f"row {row}" if line is None else f"row {row} (line {line})"


def _line(row: int, file: Path) -> int | None:
    is_json = file.suffix.lower() in (".jsonl", ".ndjson")
    if file.suffix.lower() == ".json":
        return None
    with file.open("rb") as lines:
        head = [line for _, line in zip(range(row + 1), lines, strict=False)]
    if is_json:
        # Empty lines are no rows.
        return row if all(line.strip() for line in head[:row]) else None
    # A cell in quotes may run over several lines, and an empty line is no row.
    plain = all(line.strip() and line.count(b'"') % 2 == 0 for line in head)
    return row + 1 if plain and len(head) == row + 1 else None
