"""Tables that grow: rows are added to a study's own CSV, TSV or JSONL file, all of them or none.

The old file and the new rows go to a new file beside it, which takes the old one's place at the
end, so that whatever happens on the way leaves the table as it was.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jurybox.errors import InputError, Problem, SpecError
from jurybox.formats import joined
from jurybox.study.breach import show_value
from jurybox.study.tables import SUFFIXES, read_table

__all__ = ["GrowingTable", "NewFile"]


class GrowingTable:
    """A table to which rows with new keys are added; ``key``: the columns that tell rows apart.

    Use it as a context: leaving it without ``commit`` leaves the file as it was.
    """

    def __init__(self, path: Path, name: str, *, key: tuple[str, ...]) -> None:
        suffix = path.suffix.casefold()
        if suffix == ".json" or suffix not in SUFFIXES:
            raise InputError(f"{name}: rows can be added to .jsonl, .csv and .tsv tables alone.")
        self.path, self.name, self._key = path, name, key
        self._delimiter = SUFFIXES[suffix]
        self._columns: list[str] = []
        self._there: set[tuple[str, ...]] = set()
        self._new: NewFile | None = None
        self.n_added = 0
        if path.exists() and path.stat().st_size:
            self._read()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the table has, or that its first row gave it."""
        return tuple(self._columns)

    def _read(self) -> None:
        problems: list[Problem] = []
        table = read_table(self.path, self.name, problems)
        empty = table is not None and not table.rows
        if table is None or (problems and not empty):
            raise SpecError(problems)
        self._columns = list(table.columns)
        for row in table.rows:
            self._there.add(tuple(str(row.values.get(column, "")) for column in self._key))
        if self._delimiter == ",":
            with self.path.open(encoding="utf-8-sig") as file:
                header = file.readline()
            self._delimiter = ";" if ";" in header and "," not in header else ","

    def __enter__(self) -> GrowingTable:
        return self

    def __exit__(self, *_: object) -> None:
        if self._new is not None:
            self._new.drop()

    def has(self, row: Mapping[str, Any]) -> bool:
        """Whether a row with this key is there, or was added."""
        return tuple(str(row[column]) for column in self._key) in self._there

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a row; one that does not fit the columns of a CSV or TSV table is refused."""
        if self._delimiter is not None:
            line = self._cells(row)
        else:
            line = json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"
            self._columns += [column for column in row if column not in self._columns]
        if self._new is None:
            self._new = NewFile(self.path, keep=True)
        self._new.text.write(line)
        self._there.add(tuple(str(row[column]) for column in self._key))
        self.n_added += 1

    def _cells(self, row: Mapping[str, Any]) -> str:
        lines = []
        if not self._columns:
            self._columns = list(row)
            lines.append(self._columns)
        unknown = [column for column in row if column not in self._columns]
        if unknown:
            there = joined(self._columns)
            raise InputError(
                f"{self.name} has the columns {there}, and a record has {show_value(unknown[0])}; "
                f"leave it out with --drop {unknown[0]}, or add the column to the table."
            )
        for column, value in row.items():
            if isinstance(value, list | dict):
                raise InputError(
                    f"{self.name}: {show_value(column)} of a record holds several values, which no "
                    "cell can; use a .jsonl table, or leave the field out with --drop."
                )
        values = (row.get(column) for column in self._columns)
        lines.append(["" if value is None else str(value) for value in values])
        made = io.StringIO(newline="")
        csv.writer(made, delimiter=self._delimiter or ",", lineterminator="\n").writerows(lines)
        return made.getvalue()

    def commit(self) -> None:
        """Put the new file in the old one's place."""
        if self._new is not None:
            self._new.commit()


class NewFile:
    """A file in the making, which takes its place at the end; with ``keep``, after the old text."""

    def __init__(self, path: Path, *, keep: bool = False) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        # Of its own name, so that two who write at once cannot mix their rows.
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        self._made = Path(name)
        self.text = open(handle, "w", encoding="utf-8", newline="")
        if keep and path.exists():
            with path.open("rb") as old:
                shutil.copyfileobj(old, self.text.buffer)
            if path.stat().st_size and not _ends_with_newline(path):
                self.text.write("\n")
        mode = path.stat().st_mode if path.exists() else 0o666 & ~_umask()
        self._made.chmod(stat.S_IMODE(mode))

    def commit(self) -> None:
        """Wait until all of it is on disk, then give it the file's name."""
        self.text.flush()
        os.fsync(self.text.fileno())
        self.text.close()
        os.replace(self._made, self._path)
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def drop(self) -> None:
        """Leave what was there; after ``commit`` there is nothing to drop."""
        self.text.close()
        self._made.unlink(missing_ok=True)


def _umask() -> int:
    """The permissions that new files do not get; it can be read only by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
