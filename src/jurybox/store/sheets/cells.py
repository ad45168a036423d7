"""Cells as people fill them in, read against what is allowed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from jurybox.design.answers.forms import find_form
from jurybox.design.answers.values import ShownAnswer
from jurybox.design.plan import Trial
from jurybox.store.sheets.files import describe
from jurybox.store.sheets.layout import Asked, letter
from jurybox.store.sheets.tables import Formula

if TYPE_CHECKING:
    from jurybox.study import Study

__all__ = ["CellProblem", "Given", "is_empty", "read_cell", "read_text", "to_shown"]

NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")

Given = Mapping[tuple[str, int | None, str], str | float]
"""What was filled in, by criterion, place and part."""


class CellProblem(ValueError):
    """Why a cell cannot be taken, as a phrase that follows its row and column."""


def is_empty(value: Any) -> bool:
    """Whether nothing stands in a cell."""
    return value is None or (isinstance(value, str) and not value.strip())


def read_text(value: Any) -> str | None:
    """The words in a cell, or none."""
    return None if is_empty(value) else str(value).strip()


def read_cell(column: Asked, value: Any) -> str | float:
    """The value of a cell that is not empty, as the column allows it."""
    if isinstance(value, Formula):
        raise CellProblem(f"is a formula ({value}); write the answer itself")
    if column.part == "reason":
        return str(value).strip()
    if column.allowed and isinstance(column.allowed[0], str):
        wanted = {_folded(word): word for word in column.allowed if isinstance(word, str)}
        found = wanted.get(_folded(str(value)))
        if found is None:
            raise CellProblem(f"cannot be '{value}'; allowed are {describe(column.allowed)}")
        return found
    number = _read_number(value)
    allowed = column.allowed or ()
    fits = number is not None and (
        number in allowed or (column.scale is not None and column.scale.allows(number))
    )
    if number is None or not fits:
        scale = column.scale
        words = describe(allowed) if allowed else scale.describe() if scale is not None else ""
        raise CellProblem(f"cannot be '{value}'; allowed are {words}")
    return number


def _folded(word: str) -> str:
    return word.strip().casefold().replace("_", " ")


def _read_number(value: Any) -> float | None:
    """A number as people of any country write it.

    >>> _read_number("0,5"), _read_number(" −2 "), _read_number(3), _read_number("three")
    (0.5, -2.0, 3.0, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    text = str(value).strip().replace("\u2212", "-")
    return float(text.replace(",", ".")) if NUMBER.fullmatch(text) else None


def to_shown(study: Study, trial: Trial, given: Given) -> tuple[ShownAnswer, ...]:
    """The filled-in values of one trial as answers by place."""
    n = len(trial.systems)
    answers: list[ShownAnswer] = []
    for name, criterion in study.criteria.items():
        form = find_form(study, criterion)
        per_output = form in {"score", "answer"}
        for place in range(n) if per_output else [None]:
            value: Any = given.get((name, place, "value"))
            content: dict[str, Any]
            if form == "choice":
                words = {letter(0): "first", letter(1): "second", "both bad": "both_bad"}
                content = {"choice": words.get(value, value)}
            elif form == "ranks" and criterion.answer == "best":
                ranks = tuple(1.0 if letter(p) == value else 2.0 for p in range(n))
                content = {"ranks": ranks}
            elif form == "ranks":
                content = {"ranks": tuple(given[name, p, "value"] for p in range(n))}
            else:
                content = {"answer" if form == "answer" else "score": value}
            answers.append(
                ShownAnswer(
                    criterion=name,
                    place=place,
                    confidence=_number(given.get((name, place, "confidence"))),
                    reason=_words(given.get((name, place, "reason"))),
                    **content,
                )
            )
    return tuple(answers)


def _number(value: str | float | None) -> float | None:
    return value if isinstance(value, float) else None


def _words(value: str | float | None) -> str | None:
    return value if isinstance(value, str) else None
