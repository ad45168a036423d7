"""Rows of a table shape read against a study: each gives an answer, or a problem at its place."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from jurybox.design.answers import Answer
from jurybox.design.answers.forms import Form, find_form
from jurybox.errors import Problem
from jurybox.store.values import RaterKind
from jurybox.study.groups import groups_of
from jurybox.study.material import Material
from jurybox.study.model import Criterion, ItemId, RaterId, Study, SystemId
from jurybox.study.scales import Scale
from jurybox.study.tables import Row

__all__ = ["ImportShape", "ReadRow", "RowReader", "shapes_of"]

ImportShape = Literal["ratings", "votes", "rankings", "detections", "spans"]

FORMS: dict[ImportShape, tuple[Form, ...]] = {
    "ratings": ("score",),
    "votes": ("choice", "graded"),
    "rankings": ("ranks",),
    "detections": ("answer",),
    "spans": ("spans",),
}
"""How the criteria are answered whose responses have each shape."""


def shapes_of(study: Study) -> tuple[ImportShape, ...]:
    """The shapes that responses to this study have."""
    return tuple(shape for shape in FORMS if _fitting(study, shape))


def _fitting(study: Study, shape: ImportShape) -> dict[str, Criterion]:
    """The criteria that are answered by rows of this shape."""
    return {n: c for n, c in study.criteria.items() if find_form(study, c) in FORMS[shape]}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRow:
    """A row that makes sense by itself."""

    row: Row
    rater: RaterId
    rater_kind: RaterKind
    item: ItemId
    systems: tuple[SystemId, ...]
    """The outputs it speaks of, in canonical order."""
    answer: Answer
    trial: str | None
    repeat: int
    carried: dict[str, Any]
    group: str | None = None
    """The rater's group."""
    place: int | None = None
    """Where on the screen the output stood, from 1; of votes ``first`` says it."""


class _WrongRowError(Exception):
    """What is wrong with the row at hand."""


@dataclass(slots=True)
class RowReader:
    """Reads the rows of one table and collects what is wrong with them."""

    study: Study
    material: Material
    shape: ImportShape
    rater_kind: RaterKind = "person"
    problems: list[Problem] = field(default_factory=list)
    _groups: dict[str, str] = field(default_factory=dict)

    def read(self, row: Row) -> ReadRow | None:
        """The row as an answer; none when something is wrong with it, which is then a problem."""
        try:
            return self._read({name: _blank(value) for name, value in row.values.items()}, row)
        except _WrongRowError as error:
            self.problems.append(row.problem(str(error)))
            return None

    def _read(self, values: dict[str, Any], row: Row) -> ReadRow:
        if values.get("status") not in (None, "answered"):
            raise _WrongRowError(
                f"status is '{values['status']}'; only answered rows can be imported."
            )
        rater = _needed(values, "rater")
        item = ItemId(_needed(values, "item"))
        if item not in self.material.items:
            raise _WrongRowError(f"the study has no item '{item}'.")
        name, criterion = self._criterion(values)
        systems = self._systems(values, item)
        base = {
            "criterion": name,
            "confidence": self._confidence(values, name, criterion),
            "reason_given": _text(values.get("comment")),
        }
        answer = READERS[self.shape](self, values, systems, base)
        canonical = sorted(systems, key=self.material.systems.index)
        return ReadRow(
            row=row,
            rater=RaterId(rater),
            rater_kind=_choice(values, "rater_kind", ("person", "judge"), self.rater_kind),
            item=item,
            systems=tuple(canonical),
            answer=answer,
            trial=_text(values.get("trial")),
            repeat=_whole(values, "repeat") or 0,
            carried={
                "ms": _whole(values, "ms"),
                "position": _whole(values, "position"),
                "session": _text(values.get("session")) or "",
                "at": _time(values),
            },
            place=self._place(values),
            group=self._group(values, rater),
        )

    def _place(self, values: dict[str, Any]) -> int | None:
        place = None if self.shape == "votes" else _whole(values, "place")
        if place is not None and place < 1:
            raise _WrongRowError(f"place is {place}; the first place of a screen is 1.")
        return place

    def _group(self, values: dict[str, Any], rater: str) -> str | None:
        group, known = _text(values.get("group")), groups_of(self.study)
        if group is None:
            return None
        if known and group not in known:
            raise _WrongRowError(f"the study has no group '{group}'; it has {', '.join(known)}.")
        before = self._groups.setdefault(rater, group)
        if before != group:
            raise _WrongRowError(
                f"rater '{rater}' is of group '{before}' in an earlier row and here of '{group}'."
            )
        return group

    def _criterion(self, values: dict[str, Any]) -> tuple[str, Criterion]:
        fitting = _fitting(self.study, self.shape)
        name = _text(values.get("criterion"))
        if name is None and len(fitting) == 1:
            name = next(iter(fitting))
        if name is None:
            raise _WrongRowError(f"criterion is missing; there are {', '.join(fitting)}.")
        if name not in fitting:
            if name in self.study.criteria:
                raise _WrongRowError(f"the criterion '{name}' is not answered by {self.shape}.")
            raise _WrongRowError(
                f"the study has no criterion '{name}'; there are {', '.join(fitting)}."
            )
        return name, fitting[name]

    def _systems(self, values: dict[str, Any], item: ItemId) -> tuple[SystemId, ...]:
        columns = ("system_a", "system_b") if self.shape == "votes" else ("system",)
        systems = tuple(SystemId(_needed(values, column)) for column in columns)
        for system in systems:
            if system not in self.material.systems:
                known = ", ".join(self.material.systems)
                raise _WrongRowError(f"the study has no system '{system}'; there are {known}.")
            if (item, system) not in self.material.outputs:
                raise _WrongRowError(f"system '{system}' has no output for item '{item}'.")
        if len(set(systems)) < len(systems):
            raise _WrongRowError(f"'{systems[0]}' is compared with itself.")
        return systems

    def _confidence(self, values: dict[str, Any], name: str, criterion: Criterion) -> float | None:
        confidence = _number(values, "confidence")
        if confidence is not None and criterion.confidence is None:
            raise _WrongRowError(f"'{name}' does not ask for confidence.")
        if confidence is not None and criterion.confidence is not None:
            _check_scale("confidence", confidence, criterion.confidence)
        return confidence


def _rating(
    reader: RowReader, values: dict[str, Any], systems: tuple[SystemId, ...], base: dict[str, Any]
) -> Answer:
    score = _required_number(values, "score")
    scale = reader.study.criteria[base["criterion"]].scale
    if scale is not None:
        _check_scale("score", score, scale)
    return Answer(**base, system=systems[0], score=score)


def _vote(
    reader: RowReader, values: dict[str, Any], systems: tuple[SystemId, ...], base: dict[str, Any]
) -> Answer:
    criterion = reader.study.criteria[base["criterion"]]
    allowed = ("a", "b", "tie") if criterion.scale else criterion.choices or ("a", "b", "tie")
    winner = _choice(values, "winner", allowed, None)
    first = _choice(values, "first", ("a", "b"), "")
    strength = _number(values, "strength")
    if criterion.scale is not None:
        if strength is None:
            raise _WrongRowError(f"'{base['criterion']}' is graded: strength is missing.")
        _check_scale("strength", strength, criterion.scale)
        if (winner == "tie") != (strength == 0):
            raise _WrongRowError(f"winner is '{winner}' with strength {strength:g}; 0 is a tie.")
    elif strength is not None:
        raise _WrongRowError(f"'{base['criterion']}' is not graded; leave strength empty.")
    names = reader.material.systems
    if names.index(systems[0]) > names.index(systems[1]):  # the other way round than stored
        turned = {"a": "b", "b": "a"}
        winner, first = turned.get(winner, winner), turned.get(first, first)
    return Answer(**base, winner=winner, first=first or None, strength=strength)


def _ranking(
    reader: RowReader, values: dict[str, Any], systems: tuple[SystemId, ...], base: dict[str, Any]
) -> Answer:
    rank = _required_number(values, "rank")
    if rank < 1:
        raise _WrongRowError(f"rank is {rank:g}; ranks begin at 1.")
    return Answer(**base, system=systems[0], rank=rank)


def _detection(
    reader: RowReader, values: dict[str, Any], systems: tuple[SystemId, ...], base: dict[str, Any]
) -> Answer:
    answer = _choice(values, "answer", ("real", "generated"), None)
    is_real = systems[0] in reader.study.real
    truth = _choice(values, "truth", ("real", "generated"), "real" if is_real else "generated")
    if (truth == "real") != is_real:
        raise _WrongRowError(
            f"truth is '{truth}', but the study says that '{systems[0]}' is "
            f"{'real' if is_real else 'generated'}."
        )
    return Answer(**base, system=systems[0], answer=answer)


def _span(
    reader: RowReader, values: dict[str, Any], systems: tuple[SystemId, ...], base: dict[str, Any]
) -> Answer:
    criterion = reader.study.criteria[base["criterion"]]
    field = _text(values.get("field")) or criterion.field
    if field != criterion.field:
        raise _WrongRowError(
            f"field is '{field}'; '{base['criterion']}' marks '{criterion.field}'."
        )
    parts = [values.get(name) for name in ("start", "end", "category", "severity")]
    if all(part is None for part in parts):
        return Answer(**base, system=systems[0], field=field)
    start, end = _whole(values, "start"), _whole(values, "end")
    if start is None or end is None or not 0 <= start < end:
        raise _WrongRowError(f"a span needs 0 ≤ start < end, got {start} and {end}.")
    item = ItemId(str(values["item"]))
    text = reader.material.output_fields(item, systems[0]).get(str(field))
    if isinstance(text, str) and end > len(text):
        raise _WrongRowError(f"end is {end}, but the text has {len(text)} characters.")
    return Answer(
        **base,
        system=systems[0],
        field=field,
        start=start,
        end=end,
        category=_choice(values, "category", tuple(criterion.all_categories), None),
        severity=_choice(values, "severity", tuple(criterion.severities or ()), None),
    )


Reader = Callable[[RowReader, dict[str, Any], tuple[SystemId, ...], dict[str, Any]], Answer]

READERS: dict[ImportShape, Reader] = {
    "ratings": _rating,
    "votes": _vote,
    "rankings": _ranking,
    "detections": _detection,
    "spans": _span,
}


def _blank(value: Any) -> Any:
    """A cell, or none for an empty one."""
    if isinstance(value, str):
        return value.strip() or None
    return None if isinstance(value, float) and math.isnan(value) else value


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _needed(values: dict[str, Any], name: str) -> str:
    value = _text(values.get(name))
    if value is None:
        raise _WrongRowError(f"{name} is missing.")
    return value


def _choice(values: dict[str, Any], name: str, allowed: tuple[str, ...], default: Any) -> Any:
    value = _text(values.get(name))
    if value is None and default is not None:
        return default
    if value not in allowed:
        got = "is missing" if value is None else f"cannot be '{value}'"
        raise _WrongRowError(f"{name} {got}; allowed are {', '.join(allowed)}.")
    return value


def _number(values: dict[str, Any], name: str) -> float | None:
    value = values.get(name)
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise _WrongRowError(f"{name} is '{value}'; a number is needed.")
    return number


def _required_number(values: dict[str, Any], name: str) -> float:
    number = _number(values, name)
    if number is None:
        raise _WrongRowError(f"{name} is missing; leave out rows that were not answered.")
    return number


def _whole(values: dict[str, Any], name: str) -> int | None:
    number = _number(values, name)
    if number is not None and not number.is_integer():
        raise _WrongRowError(f"{name} is {number:g}; a whole number is needed.")
    return None if number is None else int(number)


def _time(values: dict[str, Any]) -> datetime | None:
    value = values.get("at")
    if value is None:
        return None
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        raise _WrongRowError(
            f"at is '{value}'; a time like 2026-03-01T09:00:00Z is needed."
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _check_scale(name: str, value: float, scale: Scale) -> None:
    if not scale.allows(value):
        raise _WrongRowError(f"{name} is {value:g}; allowed are {scale.describe()}.")
