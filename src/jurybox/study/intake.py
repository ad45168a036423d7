"""Taking in a study's material: every row read, every problem noted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from jurybox.errors import Problem
from jurybox.formats import joined
from jurybox.study.breach import counted, nearest, sentence, show_value
from jurybox.study.fields import FieldReader
from jurybox.study.files import FileProblem, Files
from jurybox.study.known import KnownReader
from jurybox.study.material import Item, Material, Output
from jurybox.study.model import ItemId, OutputTable, Study, SystemId
from jurybox.study.references import check_references
from jurybox.study.sources import Found, Source, Tables, find_items, find_outputs
from jurybox.study.tables import Row

__all__ = ["Intake"]


class Intake:
    """Reads the material of one study once."""

    def __init__(self, study: Study, directory: Path) -> None:
        self.study = study
        self.problems: list[Problem] = []
        self._files = Files(directory)
        self._tables = Tables(study, self._files, self.problems)
        self._fields = FieldReader(self._files, study.show)
        self._item_columns: set[str] = set()
        self._output_columns: set[str] = set()

    def read(self) -> Material:
        """Give the material: as much of it as can be read."""
        study = self.study
        listed = find_items(self._tables)
        ids = None if listed is None or not study.items else {row.item for row in listed.rows}
        found = find_outputs(self._tables, ids)
        readable = not self.problems
        if listed is not None and found is not None:
            self._check_columns(listed, found)
        items = self._items(listed, found or Found())
        outputs = self._outputs(found or Found(), items)
        systems = self._systems(found or Found())
        if readable:  # what a broken table lacks is not missing
            self._check_complete(items, systems, outputs)
        self._check_between(items, outputs)
        material = Material(items=items, systems=systems, outputs=outputs)
        check_references(study, material if readable else None, self._files, self.problems)
        if listed is None or found is None:
            return material
        return KnownReader(self._tables, material, self._fields, self._item_columns).read()

    def _check_columns(self, listed: Found, found: Found) -> None:
        """Every shown field belongs to the item or to the system, and to one of them only."""
        self._item_columns, self._output_columns = set(listed.columns), set(found.columns)
        study = self.study
        for column in sorted(self._item_columns & self._output_columns):
            where = f"{study.items} and in the outputs"
            belongs = "a field belongs to the item or to the system"
            message = f"{show_value(column)} stands in {where}; {belongs}"
            self.problems.append(Problem(message=sentence(message), file=study.items, line=1))
        columns = [*listed.columns, *found.columns]
        for name, shown in study.show.items():
            if name not in columns:
                self._tables.note(("show", name), self._nowhere(name, columns))
            if shown.between is not None and shown.between not in columns:
                path = ("show", name, "between")
                self._tables.note(path, self._nowhere(shown.between, columns))
        shown_fields = {*study.show, *(s.between for s in study.show.values() if s.between)}
        if self._output_columns and not shown_fields & self._output_columns:
            there = joined(sorted(self._output_columns))
            self._tables.note(("show",), f"names no field of the outputs, which have {there}")

    def _nowhere(self, name: str, columns: Iterable[str]) -> str:
        there = ", ".join(columns) or "none"
        hint = nearest(name, columns)
        return (
            f"names the field {show_value(name)}, which no table has; the columns are {there}{hint}"
        )

    def _items(self, listed: Found | None, found: Found) -> dict[ItemId, Item]:
        """The listed items; without a table that lists them, those that have outputs."""
        items: dict[ItemId, Item] = {}
        sources: Iterable[Source] = listed.rows if listed else []
        if not self.study.items or listed is None:
            first = {source.item: source for source in reversed(found.rows)}
            names = dict.fromkeys(source.item for source in found.rows)
            sources = [Source(n, "", Row(first[n].row.file, first[n].row.row, {})) for n in names]
        for source in sources:
            id, row = ItemId(source.item), source.row
            if id in items:
                before = items[id].row
                self.problems.append(row.problem(f"Item {id!r} stood already in row {before}."))
                continue
            fields = self._read_fields(row, listed.columns if listed else {})
            items[id] = Item(id=id, fields=fields, file=row.file, row=row.row)
        if not items and not self.problems:
            self.problems.append(Problem(message="There are no items.", file=self.study.items))
        return items

    def _read_fields(
        self, row: Row, columns: Mapping[str, None], *, from_file: bool = False
    ) -> dict[str, Any]:
        values = {}
        for name in columns:
            try:
                value = self._fields.read(name, row.values.get(name), from_file=from_file)
            except FileProblem as error:
                self.problems.append(row.problem(sentence(str(error))))
                continue
            if value is not None:
                values[name] = value
        return values

    def _outputs(
        self, found: Found, items: Mapping[ItemId, Item]
    ) -> dict[tuple[ItemId, SystemId], Output]:
        outputs: dict[tuple[ItemId, SystemId], Output] = {}
        for source in found.rows:
            item, system, row = ItemId(source.item), SystemId(source.system), source.row
            message = None
            if item not in items:
                near = nearest(item, items) if len(items) < 2000 else ""
                message = f"Item {item!r} is not in {self.study.items}{near}"
            elif (item, system) in outputs:
                before = outputs[item, system]
                where = f"row {before.row}" if before.row else before.file
                message = f"System {system!r} already has an output for item {item!r}, in {where}"
            if message is not None:
                self.problems.append(row.problem(sentence(message)))
                continue
            fields = self._read_fields(row, found.columns, from_file=found.from_files)
            outputs[item, system] = Output(
                item=item, system=system, fields=fields, file=row.file, row=row.row
            )
        return outputs

    def _systems(self, found: Found) -> tuple[SystemId, ...]:
        there = sorted({SystemId(s) for s in (*found.systems, *(r.system for r in found.rows))})
        if self.study.systems is None:
            return tuple(there)
        named = [SystemId(name) for name in self.study.systems]
        for system in there:
            if system not in named:
                hint = nearest(system, named)
                self._tables.note(("systems",), f"lacks {system!r}, which has outputs{hint}")
        return tuple(named)

    def _check_complete(
        self,
        items: Mapping[ItemId, Item],
        systems: tuple[SystemId, ...],
        outputs: Mapping[tuple[ItemId, SystemId], Output],
    ) -> None:
        study = self.study
        if study.protocol in {"compare", "rank"} and len(systems) < 2:
            got = f"only {systems[0]!r}" if systems else "none"
            self._tables.note(("outputs",), f"must come from at least two systems, got {got}")
        counts = Counter(system for _, system in outputs)
        # Real photographs and generated ones need not share their items.
        apart = not study.design.same_items or (study.protocol == "detect" and not study.items)
        for system in systems:
            message = f"System {system!r} has no output; add its outputs, or take it away."
            missing = [message] if items and not counts[system] else []
            if counts[system] and counts[system] < len(items) and not apart:
                missing = [
                    f"System {system!r} has no output for item {item!r}; add it, or let systems "
                    "answer different items (design.same_items: false)."
                    for item in items
                    if (item, system) not in outputs
                ]
            self.problems += [Problem(message=m, file=self._where(system)) for m in missing]
        if not study.design.same_items:
            self._warn_of_too_few(items, outputs)

    def _warn_of_too_few(
        self,
        items: Mapping[ItemId, Item],
        outputs: Mapping[tuple[ItemId, SystemId], Output],
    ) -> None:
        """Say which items have too few outputs for a trial, so that nobody will see them."""
        least = 2 if self.study.protocol in {"compare", "rank"} else 1
        counts = Counter(item for item, _ in outputs)
        for item in items.values():
            if counts[item.id] < least:
                message = (
                    f"Item {item.id!r} has {counted(counts[item.id], 'output')} and "
                    f"{self.study.protocol} needs {least}; nobody will see it."
                )
                problem = Row(item.file, item.row, {}).problem(message)
                self.problems.append(replace(problem, severity="warning"))

    def _where(self, system: str) -> str:
        outputs = self.study.outputs
        if isinstance(outputs, OutputTable):
            return outputs.table
        return outputs.replace("{system}", system)

    def _check_between(
        self, items: Mapping[ItemId, Item], outputs: Mapping[tuple[ItemId, SystemId], Output]
    ) -> None:
        for name, shown in self.study.show.items():
            if shown.between is None:
                continue
            for output in outputs.values():
                fields = {**items[output.item].fields, **output.fields}
                images, sentences = fields.get(name), fields.get(shown.between)
                if images is None or sentences is None or len(images) - 1 == len(sentences):
                    continue
                wanted = (
                    f"{len(images)} images in {show_value(name)} need {len(images) - 1} sentences"
                )
                message = f"{wanted} in {show_value(shown.between)}, got {len(sentences)}."
                self.problems.append(Row(output.file, output.row, {}).problem(message))
