"""Material: the items, outputs and known answers of a study, checked before anything is served.

Nothing is fetched and nothing is dropped in silence: what cannot be shown is a problem with its
file and row, and all problems are found at once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from jurybox.errors import InputError, Problem, SpecError
from jurybox.study.model import ItemId, Study, SystemId

__all__ = [
    "Item",
    "Known",
    "KnownKind",
    "Material",
    "Output",
    "check_material",
    "content_hash",
    "load_material",
]

KnownKind = Literal["practice", "gold", "attention"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """The input shared by all systems, with its fields."""

    id: ItemId
    fields: Mapping[str, Any]
    file: str
    row: int
    """The row in its table; 0 when it comes from a file name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One system's result on one item, with its fields."""

    item: ItemId
    system: SystemId
    fields: Mapping[str, Any]
    file: str
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A trial whose right answers are known.

    ``answers`` maps a column (a criterion, `criterion_a` and `criterion_b` for the sides of
    compare, `criterion_1` … for outputs on one screen) to the accepted answers: numbers on a scale;
    `a`, `b`, `tie` or `both_bad`, where `a` is the first of ``systems``; `real` or `generated`; for
    rank a tuple with the place of each of ``systems``, best-of-N being 1 for the pick and 2 for the
    others; for mark a tuple of ``(start, end, category, severity)``. A criterion without an entry
    is not checked.
    ``systems`` stands in the order of the row.
    """

    id: str
    kind: KnownKind
    item: ItemId
    systems: tuple[SystemId, ...]
    answers: Mapping[str, tuple[Any, ...]]
    explanation: str = ""

    def about(self, column: str, criteria: Container[str]) -> tuple[str, int | None]:
        """The criterion that a column checks, and the place in the row of the output it is of."""
        if column in criteria:
            return column, None
        name, _, side = column.rpartition("_")
        return name, "ab".index(side) if side in ("a", "b") else int(side) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Everything a study shows.

    Values of image, audio and video fields are absolute paths inside the study's folder; `images`
    is a tuple of them; chat is a tuple of ``{"role", "text"}``; text is text. Fields that are not
    shown keep what their table says.
    """

    items: Mapping[ItemId, Item]
    systems: tuple[SystemId, ...]
    """In the order of the study's `systems`, else by name."""
    outputs: Mapping[tuple[ItemId, SystemId], Output]
    known: Mapping[str, Known] = field(default_factory=dict)
    known_items: Mapping[ItemId, Item] = field(default_factory=dict)
    """Items that known-answer rows bring along."""
    known_outputs: Mapping[tuple[ItemId, SystemId], Output] = field(default_factory=dict)

    def item_fields(self, item: ItemId) -> Mapping[str, Any]:
        """The fields of an item, or of a known trial's own content."""
        found = self.items.get(item) or self.known_items.get(item)
        if found is None:
            raise InputError(f"There is no item {item!r}.")
        return found.fields

    def output_fields(self, item: ItemId, system: SystemId) -> Mapping[str, Any]:
        """The fields of an output, or of a known trial's own content."""
        found = self.outputs.get((item, system)) or self.known_outputs.get((item, system))
        if found is None:
            raise InputError(f"System {system!r} has no output for item {item!r}.")
        return found.fields

    def hash(self) -> str:
        """Give the SHA-256 of all content, media included, in hexadecimal."""
        items = {**self.items, **self.known_items}
        outputs = {**self.outputs, **self.known_outputs}
        content = {
            "items": {id: content_hash(item.fields) for id, item in items.items()},
            "outputs": [[*key, content_hash(output.fields)] for key, output in outputs.items()],
            "systems": self.systems,
            "known": [
                [known.id, known.kind, known.item, known.systems, dict(known.answers)]
                for known in self.known.values()
            ],
        }
        text = json.dumps(content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def content_hash(fields: Mapping[str, Any]) -> str:
    """Give the SHA-256 of fields: files by what is in them, not by their names."""
    text = json.dumps(_by_content(fields), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _by_content(value: Any) -> Any:
    if isinstance(value, Path):
        with value.open("rb") as file:
            return {"sha256": hashlib.file_digest(file, "sha256").hexdigest()}
    if isinstance(value, Mapping):
        return {str(key): _by_content(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_by_content(part) for part in value]
    return value


def load_material(study: Study) -> Material:
    """Read everything the study shows; all problems come in one ``SpecError``."""
    material, problems = check_material(study)
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise SpecError(errors)
    return material


def check_material(study: Study) -> tuple[Material, tuple[Problem, ...]]:
    """Read everything the study shows; gives as much as can be read, with every problem."""
    from jurybox.study.intake import Intake

    if study.directory is None:
        raise InputError("The study has no folder yet; save it next to its tables first.")
    intake = Intake(study, study.directory)
    material = intake.read()
    return material, tuple(intake.problems)
