"""A study from a table of outputs, or a folder of tables or files: guesses, each of them said.

``study_from_table`` writes nothing; ``write_study_from_table`` makes the folder. What is unclear
is an ``InputError`` that lists the columns and says what to rename.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jurybox.errors import InputError, Problem
from jurybox.formats import joined
from jurybox.study.column_kinds import Column, describe_column, media_of_name
from jurybox.study.model import Study
from jurybox.study.tables import Table, is_table, read_table

__all__ = ["study_from_table", "write_study_from_table"]

ITEM_NAMES = ("item", "item_id", "id", "example_id", "example", "prompt_id", "question_id", "idx")
SYSTEM_NAMES = ("system", "model", "model_name", "model_id", "method", "generator", "engine")
INPUT_NAMES = frozenset(
    "prompt request question input instruction instructions task source context document article"
    " passage message caption query reference image picture category topic domain difficulty"
    " language".split()
)


@dataclass(slots=True)
class _Guess:
    """What the table was taken for."""

    source: Path
    item: str | None
    system: str | None
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    wide: dict[str, str] = field(default_factory=dict)
    """System to column, when each system has its own."""
    wide_field: str = "output"
    systems: list[str] = field(default_factory=list)
    took: list[str] = field(default_factory=list)


def study_from_table(path: str | Path) -> tuple[Study, tuple[str, ...]]:
    """Guess a study from a table or a folder of files; gives it with what was taken for what."""
    source = Path(path)
    if source.is_dir() and not _tables_in(source):
        return _from_folder(source)
    table = _read(source)
    return _study(source, table, _guess(source, table))


def write_study_from_table(
    path: str | Path, directory: str | Path
) -> tuple[Study, tuple[str, ...]]:
    """Write the guessed study into a folder with its tables and media; gives what was taken."""
    source, target = Path(path), Path(directory)
    study, took = study_from_table(source)
    if (target / "study.yaml").exists():
        raise InputError(f"{target / 'study.yaml'} exists already; choose another folder.")
    target.mkdir(parents=True, exist_ok=True)
    if source.is_dir() and not _tables_in(source):
        if source.resolve() != (target / source.name).resolve():
            shutil.copytree(source, target / source.name, dirs_exist_ok=True)
    else:
        table = _read(source)
        _write_tables(source, table, _guess(source, table), study, target)
    study.save(target)
    return study, took


def _tables_in(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.is_file() and is_table(p.name))


def _read(source: Path) -> Table:
    """The table, or all tables of a folder as one: each is a system, named by its file."""
    if not source.exists():
        raise InputError(f"{source} does not exist.")
    if source.is_dir():
        tables = {path.stem: _read(path) for path in _tables_in(source)}
        columns = tuple(dict.fromkeys(c for table in tables.values() for c in table.columns))
        if _first(SYSTEM_NAMES, columns) is not None:
            raise InputError(
                f"{source}: a folder of tables has one per system, named by its file, and one of"
                " these has a column of systems; put all rows into one table and name that."
            )
        rows = tuple(
            replace(row, values={"system": system, **row.values})
            for system, table in tables.items()
            for row in table.rows
        )
        return Table(file=str(source), columns=("system", *columns), rows=rows)
    if not is_table(source.name):
        raise InputError(f"{source} is not a table; it must end in .csv, .tsv, .jsonl or .json.")
    problems: list[Problem] = []
    table = read_table(source, str(source), problems)
    if problems or table is None:
        raise InputError("\n".join(str(problem) for problem in problems))
    return table


def _guess(source: Path, table: Table) -> _Guess:
    item = _first(ITEM_NAMES, table.columns)
    system = _first(SYSTEM_NAMES, table.columns)
    guess = _Guess(source, item, system)
    if system is not None:
        _guess_long(table, guess)
    else:
        _guess_wide(table, guess)
    return guess


def _first(names: Sequence[str], columns: Sequence[str]) -> str | None:
    by_case = {column.casefold(): column for column in reversed(columns)}
    return next((by_case[name] for name in names if name in by_case), None)


def _unclear(table: Table, reason: str, advice: str) -> InputError:
    columns = ", ".join(table.columns)
    return InputError(f"{table.file}: {reason}. Its columns are {columns}. {advice}")


def _guess_long(table: Table, guess: _Guess) -> None:
    if guess.item is None:
        advice = "Rename the one that tells the items apart to `item`."
        raise _unclear(table, "no column looks like an item's id", advice)
    systems = dict.fromkeys(str(row.values.get(str(guess.system))) for row in table.rows)
    guess.systems = list(systems)
    system = "each file for a" if guess.source.is_dir() else f"`{guess.system}` for the"
    guess.took.append(f"Took `{guess.item}` for the item and {system} system.")
    for name in table.columns:
        if name in (guess.item, guess.system):
            continue
        shared = (
            name.casefold() in INPUT_NAMES if len(systems) == 1 else _shared(table, guess, name)
        )
        (guess.inputs if shared else guess.outputs).append(name)


def _values(table: Table, name: str, *, of: str | None = None) -> list[Any]:
    """A column's values: of all rows, or of the first row of each item."""
    if of is None:
        return [row.values.get(name) for row in table.rows]
    first: dict[str, Any] = {}
    for row in table.rows:
        first.setdefault(str(row.values.get(of)), row.values.get(name))
    return list(first.values())


def _shared(table: Table, guess: _Guess, name: str) -> bool:
    """Whether a column says the same for all systems of an item."""
    first: dict[str, Any] = {}
    for row in table.rows:
        item, value = str(row.values.get(str(guess.item))), row.values.get(name)
        if first.setdefault(item, value) != value:
            return False
    return True


def _guess_wide(table: Table, guess: _Guess) -> None:
    fields = [name for name in table.columns if name != guess.item]
    kinds = {name: describe_column(_values(table, name)) for name in fields}
    named, stem = _same_stem(fields)
    if not named:
        others = [name for name in fields if name.casefold() not in INPUT_NAMES]
        named = {name: name for name in others if kinds[name].shown}
    if not named:
        advice = "Name the system in a column `system`, or call each system's column `output_NAME`."
        raise _unclear(table, "no column looks like a system's outputs", advice)
    if len({kinds[column].medium for column in named.values()}) > 1:
        advice = "Call each system's column `output_NAME`, and name the item's own `prompt`."
        raise _unclear(table, "the columns that could be systems hold different media", advice)
    guess.wide, guess.wide_field = named, stem or "output"
    guess.systems = list(named)
    guess.inputs = [name for name in fields if name not in named.values()]
    columns = joined([f"`{column}`" for column in named.values()])
    guess.took.append(f"Took {columns} for the outputs of {joined(named)}.")
    if guess.item is None:
        guess.took.append("Numbered the rows, since no column is called `item`.")
    else:
        guess.took.append(f"Took `{guess.item}` for the item.")


def _same_stem(fields: Sequence[str]) -> tuple[dict[str, str], str]:
    """Columns as `answer_new` and `answer_old`: two or more that share what stands before `_`."""
    stems: dict[str, dict[str, str]] = {}
    for name in fields:
        stem, _, system = name.partition("_")
        if stem and system:
            stems.setdefault(stem, {})[system] = name
    several = {stem: named for stem, named in stems.items() if len(named) > 1}
    if len(several) != 1:
        return {}, ""
    stem, named = next(iter(several.items()))
    return named, stem


def _study(source: Path, table: Table, guess: _Guess) -> tuple[Study, tuple[str, ...]]:
    kinds = {name: describe_column(_values(table, name)) for name in guess.outputs}
    kinds |= {name: describe_column(_values(table, name, of=guess.item)) for name in guess.inputs}
    show = {name: kinds[name].medium for name in guess.inputs if kinds[name].shown}
    outputs = {name: kinds[name].medium for name in guess.outputs if kinds[name].shown}
    if not outputs:
        # A system may have given nothing to an item; `jurybox check` says where.
        there = {name: [v for v in _values(table, name) if v] for name in guess.outputs}
        with_gaps = {name: describe_column(values) for name, values in there.items()}
        outputs = {name: kind.medium for name, kind in with_gaps.items() if kind.shown}
        kinds |= {name: with_gaps[name] for name in outputs}
    if guess.wide:
        column = next(iter(guess.wide.values()))
        outputs = {guess.wide_field: describe_column(_values(table, column)).medium}
    if not outputs:
        advice = "Name the system's text or file in a column `output`."
        raise _unclear(table, "no column holds outputs that could be shown", advice)
    took = [*guess.took, *_said(guess, kinds, show, outputs)]
    several = len(guess.systems) > 1
    names = _table_names(guess)
    data: dict[str, Any] = {
        "title": "Which output is better?" if several else "How good are these outputs?",
        "protocol": "compare" if several else "rate",
        "outputs": names.outputs,
        "show": {**show, **outputs},
        "design": {"overlap": 3, "seed": 1},
    }
    if names.items is not None:
        data["items"] = names.items
    systems = joined(guess.systems)
    chosen = "compare, since there are" if several else "rate, since there is only"
    took.append(f"Chose the protocol {chosen} {systems}.")
    return Study(**data), tuple(took)


def _said(
    guess: _Guess, kinds: Mapping[str, Column], show: Mapping[str, str], outputs: Mapping[str, str]
) -> list[str]:
    said = []
    if show:
        listed = joined([f"`{name}` ({medium})" for name, medium in show.items()])
        said.append(f"Raters see {listed} of the item.")
    listed = joined([f"`{name}` ({medium})" for name, medium in outputs.items()])
    said.append(f"Raters see {listed} of each system.")
    rest = [name for name in (*guess.inputs, *guess.outputs) if not kinds[name].shown]
    if rest:
        listed = joined([f"`{name}`" for name in rest])
        said.append(f"Keeps {listed}, and shows {'it' if len(rest) == 1 else 'them'} to nobody.")
    return said


@dataclass(frozen=True, slots=True)
class _Names:
    """The tables that the study will name."""

    items: str | None
    outputs: Any
    split: bool


def _table_names(guess: _Guess) -> _Names:
    name = guess.source.name
    if guess.wide and guess.item == "item":
        wide = {"table": name, "columns": guess.wide, "field": guess.wide_field}
        return _Names(name if guess.inputs else None, wide, split=False)
    as_it_is = not guess.wide and not guess.inputs
    if as_it_is and (guess.item, guess.system) == ("item", "system"):
        return _Names(None, name, split=False)
    suffix = ".csv" if guess.source.suffix.casefold() in {".csv", ".tsv"} else ".jsonl"
    items = f"{guess.source.stem}-items{suffix}" if guess.inputs else None
    return _Names(items, f"{guess.source.stem}-outputs{suffix}", split=True)


def _write_tables(source: Path, table: Table, guess: _Guess, study: Study, target: Path) -> None:
    names = _table_names(guess)
    if not names.split:
        if source.resolve() != (target / source.name).resolve():
            shutil.copyfile(source, target / source.name)
    else:
        items, outputs = _split(table, guess)
        if names.items is not None:
            _write_rows(target / names.items, items)
        _write_rows(target / str(names.outputs), outputs)
    _copy_media(source if source.is_dir() else source.parent, table, guess, study, target)


def _split(table: Table, guess: _Guess) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    items: dict[str, dict[str, Any]] = {}
    outputs = []
    for number, row in enumerate(table.rows, start=1):
        item = str(number) if guess.item is None else str(row.values.get(guess.item))
        items.setdefault(item, {"item": item} | {n: row.values.get(n) for n in guess.inputs})
        if guess.wide:
            for system, column in guess.wide.items():
                cell = row.values.get(column)
                outputs.append({"item": item, "system": system, guess.wide_field: cell})
        else:
            system = str(row.values.get(str(guess.system)))
            fields = {name: row.values.get(name) for name in guess.outputs}
            outputs.append({"item": item, "system": system, **fields})
    return list(items.values()), outputs


def _write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    if path.exists():
        raise InputError(f"{path} exists already; choose another folder.")
    if path.suffix == ".csv":
        stream = io.StringIO(newline="")
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        text = stream.getvalue()
    else:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8", newline="")


def _copy_media(folder: Path, table: Table, guess: _Guess, study: Study, target: Path) -> None:
    """Copy the files that the table names, at the same place below the new folder."""
    columns = [*guess.inputs, *guess.outputs, *guess.wide.values()]
    for name in columns:
        if describe_column(_values(table, name)).medium not in {
            "image",
            "images",
            "audio",
            "video",
        }:
            continue
        for row in table.rows:
            cell = row.values.get(name)
            for part in cell if isinstance(cell, list) else str(cell).split("|"):
                origin, copy = folder / str(part), target / str(part)
                inside = origin.resolve().is_relative_to(folder.resolve())
                if inside and origin.is_file() and not copy.exists():
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(origin, copy)


def _from_folder(folder: Path) -> tuple[Study, tuple[str, ...]]:
    systems = sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("."))
    files = {p: sorted(f for f in p.iterdir() if f.is_file() and f.name[0] != ".") for p in systems}
    media = {media_of_name(f.name) for inside in files.values() for f in inside}
    if not systems or not all(files.values()) or len(media) != 1 or None in media:
        raise InputError(
            f"{folder} must hold one table per system, such as {folder / 'SYSTEM.jsonl'}, or one"
            f" folder per system with a file per item, such as {folder / 'SYSTEM' / 'ITEM.png'}."
        )
    names = {p: {f.stem for f in inside} for p, inside in files.items()}
    shared = set.intersection(*names.values())
    for system, items in names.items():
        if len(items) != len(shared):
            odd = sorted(items - shared)[0]
            raise InputError(
                f"{system / odd}: the other folders have no file of this name; every system"
                " needs an output for every item."
            )
    suffixes = {f.suffix for inside in files.values() for f in inside}
    suffix = suffixes.pop() if len(suffixes) == 1 else ".*"
    medium = media.pop()
    several = len(systems) > 1
    study = Study(
        title="Which output is better?" if several else "How good are these outputs?",
        protocol="compare" if several else "rate",
        outputs=f"{folder.resolve().name}/{{system}}/{{item}}{suffix}",
        show={"output": medium},
        design={"overlap": 3, "seed": 1},
    )
    listed = joined([system.name for system in systems])
    chosen = "compare, since there are" if several else "rate, since there is only"
    return study, (
        f"Took each folder for a system: {listed}.",
        f"Took the {len(shared)} file names for the items.",
        f"Raters see `output` ({medium}) of each system.",
        f"Chose the protocol {chosen} {listed}.",
    )
