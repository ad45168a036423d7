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
from jurybox.formats import joined
from jurybox.study.breach import Breach, Path, nearest, sentence, show_value
from jurybox.study.files import FileProblem, Files
from jurybox.study.model import OutputTable, Study
from jurybox.study.read import locate
from jurybox.study.tables import Row, Table, read_table

__all__ = ["Found", "Source", "Tables", "find_items", "find_outputs"]


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
    systems: dict[str, None] = field(default_factory=dict)
    """Systems that have a file or a folder, whatever is in it."""


def id_of(row: Row, column: str, problems: list[Problem]) -> str | None:
    """Read an id from a cell, or note why there is none."""
    value = row.values.get(column)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is None or value == "":
        problems.append(row.problem(f"{show_value(column)} is empty."))
    elif not isinstance(value, str):
        problems.append(row.problem(f"{show_value(column)} must be text, got {show_value(value)}."))
    elif flaw := _flaw_of(value):
        problems.append(row.problem(f"{show_value(column)} {flaw}."))
    else:
        return value
    return None


def _flaw_of(id: str) -> str | None:
    """What an id may not be, wherever it stands: in a cell or in a file's name."""
    unseen = next((letter for letter in id.strip() if not letter.isprintable()), None)
    if unseen is not None:
        return f"{show_value(id)} holds a character that is not seen, U+{ord(unseen):04X}"
    if id != id.strip():
        return f"{show_value(id)} has blanks around it"
    if len(id) > 200 or "|" in id:
        return "is longer than 200 characters or contains `|`"
    return None


class Tables:
    """Reads the tables that a study names; what is wrong with one is noted where it is named."""

    def __init__(self, study: Study, files: Files, problems: list[Problem]) -> None:
        self.study = study
        self.files = files
        self.problems = problems

    def note(self, path: Path, message: str) -> None:
        """Note a problem with something that the study file says."""
        self.problems.append(locate(self.study, Breach(path=path, message=message)))

    def read(self, path: Path, name: str) -> Table | None:
        """Read a table; ``path`` is the place in the study file that names it."""
        try:
            file = self.files.find(name)
        except FileProblem as error:
            self.note(path, f"names a table: {error}")
            return None
        return read_table(file, name, self.problems)


def has_column(table: Table, column: str, problems: list[Problem]) -> bool:
    """Whether the table has a column; if not, the problem names those there are."""
    if column in table.columns:
        return True
    there = ", ".join(table.columns) or "none"
    hint = nearest(column, [name for name in table.columns if name not in NAMES])
    if column == "system" and not hint:
        hint = "; add it, or keep a table per system and write {system} in their name"
    message = f"The table has no column {show_value(column)}; its columns are {there}{hint}"
    problems.append(Problem(message=sentence(message), file=table.file, line=1))
    return False


def find_items(tables: Tables) -> Found | None:
    """Read the table of items, if the study has one; ``system`` of each row is empty."""
    if tables.study.items is None:
        return Found()
    problems = tables.problems
    table = tables.read(("items",), tables.study.items)
    if table is None or not has_column(table, "item", problems):
        return None
    found = Found(columns=dict.fromkeys(c for c in table.columns if c != "item"))
    for row in table.rows:
        item = id_of(row, "item", problems)
        if item is not None:
            found.rows.append(Source(item, "", row))
    return found


def find_outputs(tables: Tables, items: set[str] | None) -> Found | None:
    """Find every output; ``items`` helps to read file names that hold both names."""
    outputs = tables.study.outputs
    if isinstance(outputs, OutputTable):
        return _wide(tables, outputs)
    wild = "{" in outputs or "*" in outputs
    if not wild:
        return _long(tables, outputs)
    unknown = [name for name in re.findall(r"\{([^{}]*)\}", outputs) if name not in NAMES]
    if unknown or "{system}" not in outputs or outputs.count("{") != outputs.count("}"):
        got = f", not {{{unknown[0]}}}" if unknown else ""
        hint = nearest(unknown[0], NAMES) if unknown else ""
        message = f"is a pattern with {{system}}, or {{system}} and {{item}}{got}{hint}"
        tables.note(("outputs",), message)
        return None
    before = len(tables.problems)
    matches = list(_matches(tables, outputs, items))
    if not any(match.is_file for match in matches):
        if len(tables.problems) == before:
            message = f"has a pattern that no file fits, {show_value(outputs)}"
            tables.note(("outputs",), message + _advice(tables.files, outputs))
        return None
    files = [match for match in matches if match.is_file]
    found = _per_file(files) if "{item}" in outputs else _per_system(tables, files)
    found.systems.update(dict.fromkeys(match.parts["system"] for match in matches))
    return found


NAMES = ("system", "item")


def _long(tables: Tables, name: str) -> Found | None:
    problems = tables.problems
    table = tables.read(("outputs",), name)
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


def _wide(tables: Tables, outputs: OutputTable) -> Found | None:
    problems = tables.problems
    table = tables.read(("outputs", "table"), outputs.table)
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
            if cell in (None, "") and not tables.study.design.same_items:
                continue  # the system did not answer this item
            found.rows.append(Source(item, system, Row(row.file, row.row, {outputs.field: cell})))
    return found


def _per_system(tables: Tables, matches: list[_Match]) -> Found:
    found, problems = Found(), tables.problems
    for match in matches:
        parts = match.parts
        table = tables.read(("outputs",), match.name)
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


def _per_file(matches: list[_Match]) -> Found:
    found = Found(columns={"output": None}, from_files=True)
    for match in matches:
        row = Row(match.name, 0, {"output": match.name})
        found.rows.append(Source(match.parts["item"], match.parts["system"], row))
    return found


@dataclass(frozen=True, slots=True)
class _Match:
    """A file that fits the pattern, or a system's folder in which none does."""

    name: str
    parts: dict[str, str]
    """What the names stand for; nothing when there are several ways to read them."""
    is_file: bool = True


def _matches(tables: Tables, pattern: str, items: set[str] | None) -> Iterator[_Match]:
    """Everything that fits the pattern, in order of its name."""
    try:
        tables.files.place(pattern)
    except FileProblem as error:
        tables.note(("outputs",), f"names files: {error}")
        return
    segments = os.path.normpath(pattern).split(os.sep)
    for match in _walk(tables.files, "", segments, {}, items):
        if not match.parts:
            message = f"{show_value(match.name)} can be split into system and item in several ways."
            tables.problems.append(Problem(message=message, file=match.name))
        flaws = {key: flaw for key, id in match.parts.items() if (flaw := _flaw_of(id))}
        for key, flaw in flaws.items():
            message = f"`{key}` {flaw}; give the file another name."
            tables.problems.append(Problem(message=message, file=ascii(match.name)[1:-1]))
        if match.parts and not flaws:
            yield match


def _walk(
    files: Files, folder: str, segments: list[str], parts: dict[str, str], items: set[str] | None
) -> Iterator[_Match]:
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
            yield _Match(path, {})
        elif readings:
            together = {**parts, **readings[0]}
            inner = list(_walk(files, path, rest, together, items)) if rest else []
            yield from inner
            if not rest:
                yield _Match(path, together)
            elif not inner and folder and "system" in readings[0]:
                # Beside study.yaml lie other folders too, so there an odd one is no system.
                yield _Match(path, together, is_file=False)


def _suits(entry: os.DirEntry[str], *, is_folder: bool) -> bool:
    if entry.name.startswith("."):
        return False
    try:
        found = entry.is_dir()
    except OSError:
        found = False  # a link that leads nowhere; who reads it says so
    return found == is_folder


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
    return f"; {where} there is {joined(names[:5]) if names else 'nothing'}"
