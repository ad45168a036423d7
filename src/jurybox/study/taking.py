"""Taken records on their way into a study: which field is the item's, and which the output's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from jurybox.errors import InputError, Problem
from jurybox.formats import in_words, joined
from jurybox.study.breach import nearest, show_value
from jurybox.study.files import Files
from jurybox.study.growing import GrowingTable
from jurybox.study.model import OutputTable, Study
from jurybox.study.records import Record
from jurybox.study.sources import id_of
from jurybox.study.tables import Row, is_table

__all__ = ["Fields", "StudyTables"]


@dataclass(slots=True)
class Fields:
    """The fields of records: where the id is, what never leaves the record, what has another name.

    A field inside a field is named by a path, as `user.email`.
    """

    id: str
    drop: Sequence[str] = ()
    rename: Mapping[str, str] = field(default_factory=dict)
    _unseen: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self._unseen = {*self.drop, *self.rename}
        if self.id in self.drop:
            raise InputError(f"--drop {self.id} is the id, which tells records apart; keep it.")

    def read_id(self, record: Record) -> str:
        """The record's id, as text."""
        self._unseen -= {name for name in self._unseen if _has(record.values, name)}
        value = _find(record.values, self.id)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is None or value == "":
            if _has(record.values, self.id):
                raise record.error(f"{show_value(self.id)} is empty, and tells records apart.")
            near = nearest(self.id, record.values) or "."
            raise record.error(
                f"the record has no {show_value(self.id)}; name its id by --id{near}"
            )
        if not isinstance(value, str):
            raise record.error(f"{show_value(self.id)} must be text or a whole number.")
        return value

    def clean(self, record: Record) -> dict[str, Any]:
        """The record without what is dropped, under the new names."""
        values = record.values
        kept = {name: value for name, value in values.items() if name not in self.drop}
        for path in self.drop:
            if "." in path and path not in values:
                kept = _without(kept, path.split("."))
        names = [self.rename.get(name, name) for name in kept]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise record.error(
                f"--rename gives the name {twice} to a second field, and one would be lost; drop "
                f"the other (--drop {twice}), or choose another name."
            )
        return dict(zip(names, kept.values(), strict=True))

    def check_seen(self, file: str) -> None:
        """Refuse a field that no record has: a misspelled one would let its content through."""
        if self._unseen:
            raise InputError(
                f"{file}: no record has the field {in_words(sorted(self._unseen))}, which --drop "
                "or --rename names; nothing was written."
            )


def _has(values: Any, path: str) -> bool:
    if isinstance(values, dict) and path in values:
        return True
    head, _, rest = path.partition(".")
    return bool(rest) and isinstance(values, dict) and _has(values.get(head), rest)


def _find(values: Any, path: str) -> Any:
    if not isinstance(values, dict):
        return None
    if path in values:
        return values[path]
    head, _, rest = path.partition(".")
    return _find(values.get(head), rest) if rest else None


def _without(values: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    head, *rest = path
    inner = values.get(head)
    if not rest:
        return {name: value for name, value in values.items() if name != head}
    if not isinstance(inner, dict):
        return values
    return {**values, head: _without(inner, rest)}


class StudyTables:
    """Adds taken records to the tables of items and outputs that a study names.

    ``output`` names the fields that the system made; the others describe the item. Ids that are
    there already add nothing.
    """

    def __init__(self, study: Study, *, system: str | None, output: Sequence[str]) -> None:
        if study.directory is None:
            raise InputError("The study has no folder yet; save it first.")
        self._study, self._system, self._output = study, system, tuple(output)
        self._files = Files(study.directory)
        self._stack = ExitStack()
        self._tables: dict[str, GrowingTable] = {}
        self._pattern = self._find_pattern()
        self.n_there = 0
        self.n_items = 0
        self.n_outputs = 0

    def _find_pattern(self) -> str | None:
        """Where outputs go, if records bring any."""
        outputs = self._study.outputs
        if isinstance(outputs, OutputTable):
            raise InputError(
                f"{outputs.table} has a column per system, to which no rows can be added; name a "
                "table with item and system, or a file per system (answers/{system}.jsonl)."
            )
        if not is_table(outputs) or "{item}" in outputs or "*" in outputs:
            raise InputError(
                f"outputs are files ({outputs}); records can be added to tables alone."
            )
        return outputs

    def __enter__(self) -> StudyTables:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def _table(self, name: str, key: tuple[str, ...]) -> GrowingTable:
        if name not in self._tables:
            table = GrowingTable(Path(self._files.place(name)), name, key=key)
            self._tables[name] = self._stack.enter_context(table)
        return self._tables[name]

    def add(self, id: str, values: Mapping[str, Any], record: Record, *, id_field: str) -> None:
        """Add the record's item and output, as far as they are new."""
        problems: list[Problem] = []
        item = id_of(Row(record.file, record.line, {"item": id}), "item", problems)
        if item is None:
            raise record.error(problems[0].message)
        fields = {name: value for name, value in values.items() if name != id_field}
        if "item" in fields:
            raise record.error("the record has a field `item` beside its id; rename or drop it.")
        system = self._system or fields.pop("system", None)
        if not isinstance(system, str) or not system:
            raise record.error("whose output this is, is not known; say it by --system NAME.")
        fields.pop("system", None)
        before = self.n_items + self.n_outputs
        made = self._part(fields, record)
        if self._study.items is not None:
            rest = {name: value for name, value in fields.items() if name not in made}
            items = self._table(self._study.items, ("item",))
            if not items.has({"item": item}):
                items.add({"item": item, **rest})
                self.n_items += 1
        self._add_output(item, system, made)
        self.n_there += self.n_items + self.n_outputs == before

    def _part(self, fields: Mapping[str, Any], record: Record) -> dict[str, Any]:
        """The fields of the output; without a table of items, all of them."""
        if self._study.items is None:
            return dict(fields)
        missing = [name for name in self._output if name not in fields]
        if missing:
            there = joined(list(fields)) or "none"
            raise record.error(
                f"the record has no field {show_value(missing[0])} (--output); it has {there}."
            )
        return {name: fields[name] for name in self._output}

    def _add_output(self, item: str, system: str, made: Mapping[str, Any]) -> None:
        pattern = str(self._pattern)
        name = pattern.replace("{system}", system)
        row: dict[str, Any] = {"item": item}
        key: tuple[str, ...] = ("item",)
        if name == pattern:
            row["system"] = system
            key = ("item", "system")
        elif "/" in system or "\\" in system or system.startswith("."):
            raise InputError(f"{show_value(system)} cannot be the name of a system's file.")
        table = self._table(name, key)
        if not table.has(row):
            table.add({**row, **made})
            self.n_outputs += 1

    def commit(self) -> None:
        """Put every table that grew in its old one's place."""
        for table in self._tables.values():
            table.commit()

    def grown(self) -> Iterator[tuple[str, int]]:
        """Each table with the number of rows that it gained."""
        yield from ((name, table.n_added) for name, table in self._tables.items())
