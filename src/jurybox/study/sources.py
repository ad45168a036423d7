"""Items and outputs as raw rows, from whatever form the study names them in.

A table with `item` and `system`; one table per system (`answers/{system}.jsonl`); one file per
output (`images/{system}/{item}.png`, which gives the field `output`); or a wide table with a column
per system. Here rows are only found and told apart; ``fields`` reads what is in them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from jurybox.errors import Problem
from jurybox.study.breach import in_words, nearest, sentence, show_value
from jurybox.study.files import FileProblem, Files
from jurybox.study.model import OutputTable
from jurybox.study.tables import Row, Table, read_table

__all__ = ["Found", "Source", "find_items", "find_outputs", "read_source_table"]


@dataclass(frozen=True, slots=True)
class Source:
    """One output before its fields are read."""

    item: str
    system: str
    row: Row


@dataclass(slots=True)
class Found:
    """Rows with their ids, and the columns that are fields."""

    rows: list[Source] = field(default_factory=list)
    columns: dict[str, None] = field(default_factory=dict)
    from_files: bool = False
    """Whether each output is a file of its own."""


def id_of(row: Row, column: str, problems: list[Problem]) -> str | None:
    """Read an id from a cell, or note why there is none."""
    value = row.values.get(column)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is None or value == "":
        problems.append(row.problem(f"{show_value(column)} is empty."))
    elif not isinstance(value, str):
        problems.append(row.problem(f"{show_value(column)} must be text, got {show_value(value)}."))
    elif value != value.strip() or not value.isprintable():
        problems.append(
            row.problem(f"{show_value(column)} {show_value(value)} has blanks around it.")
        )
    elif len(value) > 200 or "|" in value:
        problems.append(
            row.problem(f"{show_value(column)} is longer than 200 characters or contains `|`.")
        )
    else:
        return value
    return None


def read_source_table(files: Files, name: str, problems: list[Problem]) -> Table | None:
    """Read a table of the study by its name in the study file."""
    try:
        path = files.find(name)
    except FileProblem as error:
        problems.append(Problem(message=sentence(f"The table {error}"), file=name))
        return None
    return read_table(path, name, problems)


def has_column(table: Table, column: str, problems: list[Problem]) -> bool:
    """Whether the table has a column; if not, the problem names those there are."""
    if column in table.columns:
        return True
    there = ", ".join(table.columns) or "none"
    hint = nearest(column, table.columns).removesuffix("?")
    message = f"The table has no column {show_value(column)}; its columns are {there}{hint}"
    problems.append(Problem(message=sentence(message), file=table.file, line=1))
    return False


def find_items(files: Files, name: str, problems: list[Problem]) -> Found | None:
    """Read the table of items; ``system`` of each row is empty."""
    table = read_source_table(files, name, problems)
    if table is None or not has_column(table, "item", problems):
        return None
    found = Found(columns=dict.fromkeys(c for c in table.columns if c != "item"))
    for row in table.rows:
        item = id_of(row, "item", problems)
        if item is not None:
            found.rows.append(Source(item, "", row))
    return found


def find_outputs(
    files: Files, outputs: str | OutputTable, items: set[str] | None, problems: list[Problem]
) -> Found | None:
    """Find every output; ``items`` helps to read file names that hold both names."""
    if isinstance(outputs, OutputTable):
        return _wide(files, outputs, problems)
    wild = "{" in outputs or "*" in outputs
    if not wild:
        return _long(files, outputs, problems)
    unknown = [name for name in re.findall(r"\{([^{}]*)\}", outputs) if name not in NAMES]
    if unknown or "{system}" not in outputs or outputs.count("{") != outputs.count("}"):
        got = f", not {{{unknown[0]}}}" if unknown else ""
        hint = nearest(unknown[0], NAMES) if unknown else ""
        message = f"`outputs` is a pattern with {{system}}, or {{system}} and {{item}}{got}{hint}"
        problems.append(Problem(message=sentence(message), file="study.yaml"))
        return None
    matches = list(_matches(files, outputs, items, problems))
    if not matches and not problems:
        message = f"No file matches the outputs' pattern {show_value(outputs)}"
        problems.append(Problem(message=sentence(message + _advice(files, outputs))))
    if "{item}" in outputs:
        return _per_file(matches, outputs)
    return _per_system(files, matches, problems)


NAMES = ("system", "item")


def _long(files: Files, name: str, problems: list[Problem]) -> Found | None:
    table = read_source_table(files, name, problems)
    if table is None:
        return None
    if not all([has_column(table, column, problems) for column in ("item", "system")]):
        return None
    found = Found(columns=dict.fromkeys(c for c in table.columns if c not in NAMES))
    for row in table.rows:
        item, system = (id_of(row, column, problems) for column in ("item", "system"))
        if item is not None and system is not None:
            found.rows.append(Source(item, system, row))
    return found


def _wide(files: Files, outputs: OutputTable, problems: list[Problem]) -> Found | None:
    table = read_source_table(files, outputs.table, problems)
    if table is None:
        return None
    needed = ["item", *outputs.columns.values()]
    if not all([has_column(table, column, problems) for column in needed]):
        return None
    found = Found(columns={outputs.field: None})
    for row in table.rows:
        item = id_of(row, "item", problems)
        if item is None:
            continue
        for system, column in outputs.columns.items():
            cell = row.values.get(column)
            found.rows.append(Source(item, system, Row(row.file, row.row, {outputs.field: cell})))
    return found


def _per_system(
    files: Files, matches: list[tuple[str, dict[str, str]]], problems: list[Problem]
) -> Found:
    found = Found()
    for name, parts in matches:
        table = read_source_table(files, name, problems)
        if table is None or not has_column(table, "item", problems):
            continue
        found.columns.update(dict.fromkeys(c for c in table.columns if c not in NAMES))
        for row in table.rows:
            item = id_of(row, "item", problems)
            said = row.values.get("system", parts["system"])
            if said != parts["system"]:
                message = f"`system` is {show_value(said)}, but the file is {parts['system']}'s."
                problems.append(row.problem(message))
            elif item is not None:
                found.rows.append(Source(item, parts["system"], row))
    return found


def _per_file(matches: list[tuple[str, dict[str, str]]], pattern: str) -> Found:
    found = Found(columns={"output": None}, from_files=True)
    for name, parts in matches:
        row = Row(name, 0, {"output": name})
        found.rows.append(Source(parts["item"], parts["system"], row))
    return found


def _matches(
    files: Files, pattern: str, items: set[str] | None, problems: list[Problem]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Every file that fits the pattern, in order of its name, with what the names stand for."""
    try:
        files.place(re.sub(r"[{}*]", "x", pattern))
    except FileProblem as error:
        problems.append(Problem(message=sentence(f"outputs: {error}")))
        return
    segments = os.path.normpath(pattern).split(os.sep)
    for name, parts in _walk(files, "", segments, {}, items):
        if parts is None:
            message = f"{show_value(name)} can be split into system and item in several ways."
            problems.append(Problem(message=message, file=name))
        else:
            yield name, parts


def _walk(
    files: Files, folder: str, segments: list[str], parts: dict[str, str], items: set[str] | None
) -> Iterator[tuple[str, dict[str, str] | None]]:
    segment, rest = segments[0], segments[1:]
    try:
        with os.scandir(os.path.join(files.root, folder)) as entries:
            inside = sorted(e.name for e in entries if _suits(e, is_folder=bool(rest)))
    except OSError:
        return
    for name in inside:
        path = f"{folder}/{name}" if folder else name
        readings = _readings(segment, name, parts, items)
        if len(readings) > 1:
            yield path, None
        elif readings:
            together = {**parts, **readings[0]}
            if rest:
                yield from _walk(files, path, rest, together, items)
            else:
                yield path, together


def _suits(entry: os.DirEntry[str], *, is_folder: bool) -> bool:
    if entry.name.startswith("."):
        return False
    return entry.is_dir() if is_folder else not entry.is_dir()


def _readings(
    segment: str, name: str, parts: dict[str, str], items: set[str] | None
) -> list[dict[str, str]]:
    """All ways to read one name by one segment of the pattern."""
    pieces = re.split(r"(\{item\}|\{system\}|\*)", segment)
    if len(pieces) == 1:
        return [{}] if name == segment else []
    if len(pieces) == 3 and pieces[1].strip("{}") in {"item", "system"} - set(parts):
        start, key, end = pieces  # the usual case, told without trying every split
        middle = name[len(start) : len(name) - len(end)]
        fits = middle and name.startswith(start) and name.endswith(end)
        return [{key.strip("{}"): middle}] if fits else []
    found = [read for read in _split(pieces, name, dict(parts)) if read]
    if len(found) > 1 and items is not None:
        found = [read for read in found if read.get("item") in items] or found
    unique = {tuple(sorted(read.items())): read for read in found}
    return list(unique.values())


def _split(pieces: list[str], name: str, known: dict[str, str]) -> Iterator[dict[str, str]]:
    if not pieces:
        if not name:
            yield known
        return
    piece, rest = pieces[0], pieces[1:]
    if piece not in {"{item}", "{system}", "*"}:
        if name.startswith(piece):
            yield from _split(rest, name[len(piece) :], known)
        return
    key = piece.strip("{}")
    if key in known:
        if name.startswith(known[key]):
            yield from _split(rest, name[len(known[key]) :], known)
        return
    for end in range(0 if key == "*" else 1, len(name) + 1):
        if not any(rest) and end != len(name):
            continue
        taken = known if key == "*" else {**known, key: name[:end]}
        yield from _split(rest, name[end:], taken)


def _advice(files: Files, pattern: str) -> str:
    """Say how far the pattern leads."""
    steady = pattern.partition("{")[0].rpartition("/")[0]
    folder = os.path.join(files.root, steady)
    if not os.path.isdir(folder):
        return f"; there is no folder {show_value(steady)}"
    names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    where = f"in {show_value(steady)}" if steady else "in the study's folder"
    return f"; {where} there is {in_words(names[:5], last='and') if names else 'nothing'}"
