"""Taking in a study's material: every row read, every problem noted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from jurybox.errors import Problem
from jurybox.study.breach import Breach, in_words, nearest, sentence, show_value
from jurybox.study.fields import FieldReader
from jurybox.study.files import FileProblem, Files
from jurybox.study.known import KnownReader
from jurybox.study.material import Item, Material, Output
from jurybox.study.model import ItemId, OutputTable, Study, SystemId
from jurybox.study.read import locate
from jurybox.study.references import check_references
from jurybox.study.sources import Found, Source, find_items, find_outputs
from jurybox.study.tables import Row

__all__ = ["Intake"]


class Intake:
    """Reads the material of one study once."""

    def __init__(self, study: Study, directory: Path) -> None:
        self.study = study
        self.problems: list[Problem] = []
        self._files = Files(directory)
        self._fields = FieldReader(self._files, study.show)
        self._item_columns: set[str] = set()
        self._output_columns: set[str] = set()

    def read(self) -> Material | None:
        """Give the material, or ``None`` when something is wrong."""
        study = self.study
        listed = find_items(self._files, study.items, self.problems) if study.items else Found()
        ids = None if listed is None or not study.items else {row.item for row in listed.rows}
        found = find_outputs(self._files, study.outputs, ids, self.problems)
        if listed is None or found is None:
            check_references(study, None, self._files, self.problems)
            return None
        readable = not self.problems
        self._check_columns(listed, found)
        items = self._items(listed, found)
        outputs = self._outputs(found, items)
        systems = self._systems(outputs)
        if readable:  # what a broken table lacks is not missing
            self._check_complete(items, systems, outputs)
        self._check_between(items, outputs)
        material = Material(items=items, systems=systems, outputs=outputs)
        check_references(study, material if readable else None, self._files, self.problems)
        reader = KnownReader(study, material, self._fields, self._files, self._item_columns)
        material = reader.read(self.problems)
        return None if any(p.severity == "error" for p in self.problems) else material

    def _note(self, path: tuple[str, ...], message: str) -> None:
        self.problems.append(locate(self.study, Breach(path=path, message=message)))

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
                self._note(("show", name), self._nowhere(name, columns))
            if shown.between is not None and shown.between not in columns:
                path = ("show", name, "between")
                self._note(path, self._nowhere(shown.between, columns))
        shown_fields = {*study.show, *(s.between for s in study.show.values() if s.between)}
        if self._output_columns and not shown_fields & self._output_columns:
            there = in_words(sorted(self._output_columns), last="and")
            self._note(("show",), f"names no field of the outputs, which have {there}")

    def _nowhere(self, name: str, columns: Iterable[str]) -> str:
        there = ", ".join(columns) or "none"
        hint = nearest(name, columns)
        return (
            f"names the field {show_value(name)}, which no table has; the columns are {there}{hint}"
        )

    def _items(self, listed: Found, found: Found) -> dict[ItemId, Item]:
        items: dict[ItemId, Item] = {}
        sources: Iterable[Source] = listed.rows
        if not self.study.items:
            first = {source.item: source for source in reversed(found.rows)}
            names = dict.fromkeys(source.item for source in found.rows)
            sources = [Source(n, "", Row(first[n].row.file, first[n].row.row, {})) for n in names]
        for source in sources:
            id, row = ItemId(source.item), source.row
            if id in items:
                before = items[id].row
                self.problems.append(row.problem(f"Item {id!r} stood already in row {before}."))
                continue
            fields = self._read_fields(row, listed.columns)
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
                message = sentence(str(error))
                problem = (
                    row.problem(message) if row.row else Problem(message=message, file=row.file)
                )
                self.problems.append(problem)
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

    def _systems(self, outputs: Iterable[tuple[ItemId, SystemId]]) -> tuple[SystemId, ...]:
        there = sorted({system for _, system in outputs})
        if self.study.systems is None:
            return tuple(there)
        named = [SystemId(name) for name in self.study.systems]
        for system in there:
            if system not in named:
                hint = nearest(system, named)
                self._note(("systems",), f"lacks {system!r}, which has outputs{hint}")
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
            self._note(("outputs",), f"must come from at least two systems, got {got}")
        # Real photographs and generated ones need not share their items.
        if study.protocol == "detect" and not study.items:
            return
        counts = Counter(system for _, system in outputs)
        for system in systems:
            if counts[system] == len(items):
                continue
            missing = [item for item in items if (item, system) not in outputs]
            for item in missing:
                message = f"System {system!r} has no output for item {item!r}."
                self.problems.append(Problem(message=message, file=self._where(system)))

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
