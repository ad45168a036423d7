"""What stands in a sheet: its columns, and a row per trial or, in rate and detect, per output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from jurybox.design.answers.forms import find_form, is_per_output
from jurybox.errors import InputError
from jurybox.store.values import Assignment
from jurybox.study.criteria import Choice
from jurybox.study.model import Criterion
from jurybox.study.scales import Scale

if TYPE_CHECKING:
    from jurybox.study import Material, Study

__all__ = [
    "CHOICE_WORDS",
    "Allowed",
    "Asked",
    "Cell",
    "Layout",
    "Row",
    "asked_columns",
    "letter",
    "make_layout",
]

Allowed = tuple[str, ...] | tuple[float, ...]
Cell = str | tuple[Path, ...]
"""A text, or the media files that the cell stands for."""

CHOICE_WORDS: dict[Choice, str] = {"a": "A", "b": "B", "tie": "tie", "both_bad": "both bad"}
"""What is written into a cell for each choice of compare."""

MOST_LISTED = 500
"""A scale with more steps than this gets no drop-down; its values are checked on reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A column to be filled in: part of the answer to one criterion."""

    name: str
    criterion: str
    part: Literal["value", "confidence", "reason"]
    place: int | None
    """The output that it is about; ``None`` when it is about the trial, or about the row's own."""
    question: str
    allowed: Allowed | None
    """The values to choose from; ``None`` for words of one's own."""
    scale: Scale | None = None
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row to be filled in: its opaque id and what is shown, by the name of the column."""

    id: str
    cells: Mapping[str, Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A sheet before it is a file."""

    shown: tuple[str, ...]
    asked: tuple[Asked, ...]
    rows: tuple[Row, ...]


def letter(place: int) -> str:
    """The name of the output at a place, as on the rater page: A, B, C, and AA after Z."""
    rounds, last = divmod(place, 26)
    return (letter(rounds - 1) if rounds else "") + chr(ord("A") + last)


def has_row_per_output(study: Study) -> bool:
    """Whether each output has a row of its own rather than columns beside the others."""
    return study.protocol in {"rate", "detect"}


def asked_columns(study: Study, places: int) -> tuple[Asked, ...]:
    """The columns to be filled in, for trials that show at most so many outputs."""
    if study.protocol == "mark":
        raise InputError(
            "Errors cannot be marked in a sheet, because a cell cannot hold a marked stretch of "
            "text; use the browser ('jurybox serve') for this study."
        )
    return tuple(
        column
        for name, criterion in study.criteria.items()
        for column in _criterion_columns(study, name, criterion, places)
    )


def _criterion_columns(
    study: Study, name: str, criterion: Criterion, places: int
) -> Iterator[Asked]:
    form = find_form(study, criterion)
    split = not has_row_per_output(study) and is_per_output(study, criterion)
    ordered = form == "ranks" and criterion.answer != "best"
    question = study.words(criterion.question)
    for place in range(places) if split or ordered else [None]:
        title = name if place is None else f"{name} {letter(place)}"
        common: dict[str, Any] = {"criterion": name, "place": place}
        yield Asked(
            name=title,
            part="value",
            question=question,
            allowed=_allowed(criterion, form, places),
            scale=criterion.scale,
            **common,
        )
        last = place is None or split or place == places - 1
        about = name if ordered else title
        if criterion.confidence is not None and last:
            yield Asked(
                name=f"{about} confidence",
                part="confidence",
                question="How sure are you?",
                allowed=_values(criterion.confidence),
                scale=criterion.confidence,
                **{**common, "place": None if ordered else place},
            )
        if criterion.reason is not None and last:
            yield Asked(
                name=f"{about} reason",
                part="reason",
                question="Why?",
                allowed=None,
                required=criterion.reason == "required",
                **{**common, "place": None if ordered else place},
            )


def _allowed(criterion: Criterion, form: str, places: int) -> Allowed | None:
    if form == "choice":
        return tuple(CHOICE_WORDS[choice] for choice in criterion.choices or ("a", "b", "tie"))
    if form == "answer":
        return ("real", "generated")
    if form == "ranks":
        if criterion.answer == "best":
            return tuple(letter(place) for place in range(places))
        return tuple(float(rank) for rank in range(1, places + 1))
    return None if criterion.scale is None else _values(criterion.scale)


def _values(scale: Scale) -> Allowed:
    """Every value of a scale; of one with too many steps, none."""
    if scale.step is None:
        return tuple(value.value for value in scale.values)
    steps = round((scale.high - scale.low) / scale.step)
    if steps > MOST_LISTED:
        return ()
    return tuple(round(scale.low + i * scale.step, 12) for i in range(steps + 1))


def make_layout(
    study: Study, material: Material, assignments: Sequence[Assignment], *, sheet: str
) -> Layout:
    """The sheet of one rater: a row for each assignment, or for each of its outputs."""
    places = max((len(a.trial.systems) for a in assignments), default=1)
    asked = asked_columns(study, places)
    rows = [row for a in assignments for row in _rows(study, material, a, sheet)]
    taken = {column.name for column in asked} | {"id", "notes"}
    names = dict.fromkeys(name for row in rows for name in row.cells)
    # A field may be called like a criterion; the answer keeps the name.
    titles = {name: f"{name} (shown)" if name in taken else name for name in names}
    return Layout(
        shown=tuple(titles.values()),
        asked=asked,
        rows=tuple(
            Row(id=row.id, cells={titles[name]: cell for name, cell in row.cells.items()})
            for row in rows
        ),
    )


def _rows(study: Study, material: Material, a: Assignment, sheet: str) -> Iterator[Row]:
    item = _shown_cells(study, material.item_fields(a.trial.item))
    outputs = [
        _shown_cells(study, material.output_fields(a.trial.item, a.trial.systems[index]))
        for index in a.order
    ]
    several = len(outputs) > 1
    if has_row_per_output(study):
        for place, output in enumerate(outputs):
            which: dict[str, Cell] = {"letter (output)": letter(place)} if several else {}
            yield Row(id=f"{sheet}.{a.slot}.{place}", cells={**which, **item, **output})
        return
    side_by_side = {
        f"{name} {letter(place)}": cell
        for place, output in enumerate(outputs)
        for name, cell in output.items()
    }
    yield Row(id=f"{sheet}.{a.slot}.all", cells={**item, **side_by_side})


def _shown_cells(study: Study, fields: Mapping[str, Any]) -> dict[str, Cell]:
    """Those fields that are shown, in the order of the study; references say so."""
    cells: dict[str, Cell] = {}
    for name, shown in study.show.items():
        if name in fields:
            cells[name + (" (reference)" if shown.reference else "")] = _cell(fields[name])
        if shown.between is not None and shown.between in fields:
            cells[shown.between] = _cell(fields[shown.between])
    return cells


def _cell(value: Any) -> Cell:
    if isinstance(value, Path):
        return (value,)
    if isinstance(value, Sequence) and not isinstance(value, str):
        if all(isinstance(part, Path) for part in value):
            return tuple(value)
        return "\n".join(
            f"{part['role']}: {part['text']}" if isinstance(part, Mapping) else str(part)
            for part in value
        )
    return str(value)
