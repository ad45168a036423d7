"""Known-answer tables: practice, gold and attention trials with their right answers.

One row per trial. Its outputs are the study's own (`system`; `system_a` and `system_b`; `systems`)
or content of its own (output fields as columns, with `_a`, `_b` in compare and `_1`, `_2`, … where
one screen shows several).
A column per criterion holds the accepted answers, separated by `|`; on a slider also `80..100`. An
output that is judged beside others has a column of its own, with the ending of its fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jurybox.errors import Problem
from jurybox.formats import format_count, in_words, joined
from jurybox.study.answer_cells import AnswerProblem, read_answers
from jurybox.study.breach import nearest, sentence, show_value
from jurybox.study.criteria import Criterion
from jurybox.study.fields import FieldReader
from jurybox.study.files import FileProblem
from jurybox.study.material import Item, Known, KnownKind, Material, Output
from jurybox.study.model import ItemId, SystemId
from jurybox.study.sources import Tables
from jurybox.study.tables import Row, Table

__all__ = ["KnownReader"]

_NUMBERED = tuple(f"_{number}" for number in range(1, 21))
"""What the columns of outputs end in that stand on one screen."""


@dataclass(frozen=True, slots=True)
class _Outputs:
    """The outputs of one row: the study's own, or the row's, each with its fields."""

    systems: tuple[SystemId, ...]
    own: Mapping[SystemId, Mapping[str, Any]]


class KnownReader:
    """Reads the known-answer tables of one study against its material."""

    def __init__(
        self,
        tables: Tables,
        material: Material,
        fields: FieldReader,
        item_columns: set[str],
    ) -> None:
        self._tables = tables
        self._study = study = tables.study
        self._material = material
        self._fields = fields
        self._item_columns = item_columns
        between = {shown.between for shown in study.show.values() if shown.between}
        shown = [*study.show, *sorted(between - set(study.show))]
        self._item_fields = [name for name in shown if name in item_columns]
        self._output_fields = [name for name in shown if name not in item_columns]
        self._known: dict[str, Known] = {}
        self._items: dict[ItemId, Item] = {}
        self._outputs: dict[tuple[ItemId, SystemId], Output] = {}

    def read(self) -> Material:
        """Give the material with the known trials in it; what is wrong is noted."""
        quality, problems = self._study.quality, self._tables.problems
        tables: dict[KnownKind, str | None] = {
            "practice": quality.practice,
            "gold": quality.gold,
            "attention": quality.attention,
        }
        for kind, name in tables.items():
            table = self._tables.read(("quality", kind), name) if name else None
            if table is not None and self._columns_fit(table, problems):
                for row in table.rows:
                    self._read_row(kind, row, problems)
        return replace(
            self._material,
            known=self._known,
            known_items=self._items,
            known_outputs=self._outputs,
        )

    @property
    def _rates_several(self) -> bool:
        """Whether a screen may show several outputs that are each judged on their own."""
        several = self._study.design.outputs_per_trial not in (None, 1)
        return self._study.protocol == "rate" and several

    @property
    def _sides(self) -> tuple[str, ...]:
        """What the columns of each output end in; one that is judged alone needs no ending."""
        protocol = self._study.protocol
        if protocol == "compare":
            return ("_a", "_b")
        if protocol == "rank":
            return _NUMBERED
        return ("", *_NUMBERED) if self._rates_several else ("",)

    @property
    def _naming(self) -> list[str]:
        """The columns that name systems of the study."""
        named = {"compare": ["system_a", "system_b"], "rank": ["systems"]}
        either = ["system", "systems"] if self._rates_several else ["system"]
        return named.get(self._study.protocol, either)

    def _answer_columns(self) -> list[str]:
        split = self._study.protocol == "compare" or self._rates_several
        return [
            f"{name}{side}"
            for name, criterion in self._study.criteria.items()
            for side in (self._sides if split and criterion.per == "output" else ("",))
        ]

    def _columns_fit(self, table: Table, problems: list[Problem]) -> bool:
        fields = [f"{name}{side}" for name in self._output_fields for side in self._sides]
        answers = self._answer_columns()
        allowed = ["item", *self._naming, *answers, *self._item_fields, *fields, "explanation"]
        fits = True
        for column in table.columns:
            if column not in allowed and column not in self._item_columns:
                short = _shortened(allowed)
                hint = nearest(column, short) or f"; allowed are {', '.join(short)}"
                message = sentence(f"Column {show_value(column)} means nothing here{hint}")
                problems.append(Problem(message=message, file=table.file, line=1))
                fits = False
        if not set(answers) & set(table.columns):
            shown = in_words(_shortened(answers))
            message = f"The table has no column with right answers: {shown}."
            problems.append(Problem(message=message, file=table.file, line=1))
            fits = False
        return fits

    def _read_row(self, kind: KnownKind, row: Row, problems: list[Problem]) -> None:
        named = _cell(row, "item")
        id = self._name(kind, row, named)
        try:
            outputs = self._read_outputs(row)
            item, fields = self._read_item(row, named, id, outputs)
            answers = self._read_answers(row, outputs, item)
        except (FileProblem, AnswerProblem) as error:
            problems.append(row.problem(sentence(str(error))))
            return
        if item not in self._material.items:
            self._items[item] = Item(id=item, fields=fields, file=row.file, row=row.row)
        for system, own in outputs.own.items():
            output = Output(item=item, system=system, fields=own, file=row.file, row=row.row)
            self._outputs[item, system] = output
        explanation = _cell(row, "explanation")
        if kind == "practice" and not explanation:
            problems.append(row.problem("`explanation` is empty; practice explains its answer."))
        self._known[id] = Known(
            id=id,
            kind=kind,
            item=item,
            systems=outputs.systems,
            answers=answers,
            explanation=explanation,
        )

    def _name(self, kind: KnownKind, row: Row, named: str) -> str:
        """A name that stays when rows are added elsewhere in the table."""
        base = f"{kind}:{named or row.row - 1}"
        name, copy = base, 1
        while name in self._known or name in self._material.items:
            copy += 1
            name = f"{base}#{copy}"
        return name

    def _read_outputs(self, row: Row) -> _Outputs:
        systems = self._named_systems(row)
        own = self._own_outputs(row)
        if systems and own:
            raise AnswerProblem("name systems of the study or give outputs of its own, not both")
        if systems:
            return _Outputs(systems, {})
        count = {"compare": 2}.get(self._study.protocol, 1)
        if self._study.protocol == "rank" and len(own) < 2:
            raise AnswerProblem("a rank trial needs at least two outputs")
        if self._study.protocol != "rank" and len(own) < count:
            fields = [f"{n}{side}" for n in self._output_fields for side in self._sides[:count]]
            raise AnswerProblem(f"the row shows no output; fill {joined(fields)}")
        names = {SystemId(f"known-{n}"): fields for n, fields in enumerate(own, start=1)}
        return _Outputs(tuple(names), names)

    def _named_systems(self, row: Row) -> tuple[SystemId, ...]:
        if self._study.protocol == "compare":
            names = [_cell(row, "system_a"), _cell(row, "system_b")]
            if bool(names[0]) != bool(names[1]):
                raise AnswerProblem("give both `system_a` and `system_b`, or neither")
        else:
            names = [_cell(row, "system"), *_cell(row, "systems").split("|")]
        names = [name.strip() for name in names if name.strip()]
        for name in names:
            if name not in self._material.systems:
                there = joined(self._material.systems)
                hint = nearest(name, self._material.systems)
                raise AnswerProblem(
                    f"there is no system {show_value(name)}; they are {there}{hint}"
                )
        if len(set(names)) < len(names):
            raise AnswerProblem("the same system is named twice")
        return tuple(SystemId(name) for name in names)

    def _own_outputs(self, row: Row) -> list[dict[str, Any]]:
        own: dict[str, dict[str, Any]] = {}
        for side in self._sides:
            cells = {name: row.values.get(f"{name}{side}") for name in self._output_fields}
            if any(cell not in (None, "") for cell in cells.values()):
                own[side] = {name: self._fields.read(name, cell) for name, cell in cells.items()}
            elif side:
                break
        if "" in own and len(own) > 1:
            first = self._output_fields[0]
            raise AnswerProblem(f"give `{first}` for one output or `{first}_1` … for several")
        return list(own.values())

    def _read_item(
        self, row: Row, named: str, id: str, outputs: _Outputs
    ) -> tuple[ItemId, Mapping[str, Any]]:
        base = self._material.items.get(ItemId(named))
        own = {
            name: self._fields.read(name, row.values[name])
            for name in sorted(self._item_columns)
            if row.values.get(name) not in (None, "")
        }
        if not outputs.own:
            if base is None:
                hint = nearest(named, self._material.items)
                raise AnswerProblem(f"there is no item {show_value(named)} in the study{hint}")
            for system in outputs.systems:
                if (base.id, system) not in self._material.outputs:
                    raise AnswerProblem(
                        f"system {show_value(system)} has no output for item {show_value(named)}"
                    )
            if not own:
                return base.id, base.fields
            raise AnswerProblem("the study's own outputs are shown with the item's own fields")
        fields = {**(base.fields if base is not None else {}), **own}
        missing = [name for name in self._item_fields if name not in fields]
        if missing:
            raise AnswerProblem(
                f"{show_value(missing[0])} is empty and `item` names no item of the study"
            )
        return ItemId(id), fields

    def _read_answers(
        self, row: Row, outputs: _Outputs, item: ItemId
    ) -> dict[str, tuple[Any, ...]]:
        answers: dict[str, tuple[Any, ...]] = {}
        for column in self._answer_columns():
            cell = _cell(row, column)
            if not cell:
                continue
            criterion = self._criterion(column, len(outputs.systems))
            text = None
            if criterion.field is not None:
                system = outputs.systems[0]
                shown = outputs.own.get(system)
                if shown is None:
                    shown = self._material.output_fields(item, system)
                text = str(shown.get(criterion.field, ""))
            count = len(outputs.systems)
            try:
                accepted = read_answers(
                    self._study.protocol, criterion, cell, outputs=count, text=text
                )
            except AnswerProblem as error:
                raise AnswerProblem(f"{show_value(column)} {error}") from None
            of_all = self._rates_several and column in self._study.criteria and count > 1
            for name in [f"{column}{side}" for side in _NUMBERED[:count]] if of_all else [column]:
                answers[name] = accepted
        if not answers:
            raise AnswerProblem("the row gives no right answer")
        return answers

    def _criterion(self, column: str, outputs: int) -> Criterion:
        if column in self._study.criteria:
            return self._study.criteria[column]
        name, _, side = column.rpartition("_")
        if side.isdecimal() and int(side) > outputs:
            there = format_count(outputs, "output")
            raise AnswerProblem(f"{show_value(column)} is of no output; the row has {there}")
        return self._study.criteria[name]


def _shortened(columns: Sequence[str]) -> list[str]:
    """Columns as a sentence lists them: two of those that are numbered stand for all."""
    return [name for name in columns if not re.search(r"_([3-9]|1\d|20)$", name)]


def _cell(row: Row, column: str) -> str:
    value = row.values.get(column)
    if isinstance(value, list):
        return "|".join(str(part) for part in value)
    return "" if value is None else str(value).strip()
