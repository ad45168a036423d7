"""Tables from files: CSV, TSV, JSONL and JSON, as rows that know their file and row number.

Only the standard library; numbers in CSV and TSV stay text. A row's number is the one a spreadsheet
shows (the header is row 1), the line in JSONL, and the place in the array in JSON. CSV may separate
its columns by `;`, as spreadsheets do where the comma is a decimal point.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jurybox.errors import Problem
from jurybox.formats import in_words
from jurybox.study.breach import counted, show_value
from jurybox.study.escapes import refuse_half_characters

__all__ = ["SUFFIXES", "Row", "Table", "is_table", "read_table"]

SUFFIXES = {".csv": ",", ".tsv": "\t", ".jsonl": None, ".ndjson": None, ".json": None}


@dataclass(frozen=True, slots=True)
class Row:
    """One row: what it says, and where it stands; row 0 is a file of its own."""

    file: str
    row: int
    values: dict[str, Any]

    def problem(self, message: str) -> Problem:
        """A problem at this row, or with the file as a whole when it has no rows."""
        return Problem(message=message, file=self.file, line=self.row or None)


@dataclass(frozen=True, slots=True)
class Table:
    """A file's rows, and the columns that any of them has, in order of appearance."""

    file: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def is_table(name: str) -> bool:
    """Whether a file's name says that it is a table."""
    return Path(name).suffix.casefold() in SUFFIXES


def read_table(path: Path, name: str, problems: list[Problem]) -> Table | None:
    """Read a table; ``name`` is what messages call it. What is wrong is added to ``problems``."""
    suffix = path.suffix.casefold()
    if suffix not in SUFFIXES:
        known = in_words(sorted(SUFFIXES))
        problems.append(Problem(message=f"A table ends in {known}.", file=name))
        return None
    text = _read_text(path, name, problems)
    if text is None:
        return None
    before = len(problems)
    delimiter = SUFFIXES[suffix]
    if delimiter is not None:
        table = _read_delimited(text, name, _delimiter(text, delimiter), problems)
    elif suffix == ".json":
        table = _from_objects(name, _json_array(text, name, problems), problems)
    else:
        table = _from_objects(name, _json_lines(text, name, problems), problems)
    if not table.rows and len(problems) == before:
        problems.append(Problem(message="The table has no rows.", file=name))
    return table


def _read_text(path: Path, name: str, problems: list[Problem]) -> str | None:
    try:
        content = path.read_bytes()
    except OSError as error:
        message = f"The table cannot be read: {error.strerror}."
        problems.append(Problem(message=message, file=name))
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = content[: error.start].count(b"\n") + 1
        message = (
            f"Byte 0x{content[error.start]:02x} at offset {error.start} is not UTF-8;"
            " save the file as UTF-8."
        )
        problems.append(Problem(message=message, file=name, line=row))
        return None


def _delimiter(text: str, usual: str) -> str:
    """What separates the columns: where a comma is a decimal point, spreadsheets write `;`."""
    header = text.partition("\n")[0]
    return ";" if usual == "," and ";" in header and "," not in header else usual


def _read_delimited(text: str, name: str, delimiter: str, problems: list[Problem]) -> Table:
    rows: list[Row] = []
    header: list[str] = []
    limit = csv.field_size_limit(sys.maxsize)  # a cell may hold a long text
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        header = next(reader, [])
        _check_header(header, name, delimiter, problems)
        number = 1
        for number, cells in enumerate(reader, start=2):
            if not cells:
                continue
            if len(cells) != len(header):
                message = (
                    f"{counted(len(cells), 'cell')} under {counted(len(header), 'column')};"
                    " put text that contains the separator in quotes."
                )
                problems.append(Problem(message=message, file=name, line=number))
                continue
            rows.append(Row(name, number, dict(zip(header, cells, strict=True))))
    except csv.Error as error:
        message = f"The quotes do not fit ({error})."
        problems.append(Problem(message=message, file=name, line=number + 1))
    finally:
        csv.field_size_limit(limit)
    return Table(name, tuple(header), tuple(rows))


def _check_header(header: list[str], name: str, delimiter: str, problems: list[Problem]) -> None:
    def note(message: str) -> None:
        problems.append(Problem(message=message, file=name, line=1))

    if not header:
        note("The table is empty; its first row names the columns.")
    for place, column in enumerate(header, start=1):
        if not column.strip():
            note(f"Column {place} has no name.")
        elif column != column.strip():
            note(f"Column {show_value(column)} has blanks around its name.")
    for column in sorted({column for column in header if column and header.count(column) > 1}):
        note(f"Two columns are called {show_value(column)}; rename one.")
    other = {",": "\t", ";": "\t", "\t": ",;"}[delimiter]
    if len(header) == 1 and any(mark in header[0] for mark in other):
        wanted = "tabs" if delimiter == "\t" else "commas"
        note(f"The table has one column; separate the columns by {wanted}.")


def _json_lines(text: str, name: str, problems: list[Problem]) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                values = json.loads(line, **HOOKS)
                refuse_half_characters(line, values)
            except (ValueError, RecursionError) as error:
                message = f"The line is not a JSON object ({_reason(error)})."
                problems.append(Problem(message=message, file=name, line=number))
                continue
            yield number, values


def _json_array(text: str, name: str, problems: list[Problem]) -> Iterator[tuple[int, Any]]:
    try:
        data = json.loads(text, **HOOKS)
        refuse_half_characters(text, data)
    except (ValueError, RecursionError) as error:
        place = (error.lineno, error.colno) if isinstance(error, json.JSONDecodeError) else (1, 1)
        message = f"The file is not JSON ({_reason(error)})."
        problems.append(Problem(message=message, file=name, line=place[0], column=place[1]))
        return
    if isinstance(data, list):
        yield from enumerate(data, start=1)
    else:
        message = f"The file must hold an array of objects, got {show_value(data)}."
        problems.append(Problem(message=message, file=name, line=1))


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, column {error.colno}"
    if "set_int_max_str_digits" in str(error):
        return "a number has too many digits"
    return str(error) if isinstance(error, ValueError) else "nested too deeply"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"`{twice}` stands twice")
    return data


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


HOOKS: dict[str, Any] = {"object_pairs_hook": _unique, "parse_constant": _no_constant}


def _from_objects(name: str, objects: Iterator[tuple[int, Any]], problems: list[Problem]) -> Table:
    rows: list[Row] = []
    columns: dict[str, None] = {}
    for number, data in objects:
        if isinstance(data, dict):
            rows.append(Row(name, number, data))
            columns.update(dict.fromkeys(data))
        else:
            message = f"The row must be an object, got {show_value(data)}."
            problems.append(Problem(message=message, file=name, line=number))
    return Table(name, tuple(columns), tuple(rows))
