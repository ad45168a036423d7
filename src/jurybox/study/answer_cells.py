"""Right answers as people write them in a cell, read against the criterion."""

from __future__ import annotations

import re
from typing import Any

from jurybox.formats import in_words
from jurybox.study.breach import nearest, show_value
from jurybox.study.criteria import Criterion
from jurybox.study.model import Protocol

__all__ = ["AnswerProblem", "read_answers"]


class AnswerProblem(ValueError):
    """Why a row of known answers cannot be used, as a phrase."""


def read_answers(
    protocol: Protocol, criterion: Criterion, cell: str, *, outputs: int, text: str | None
) -> tuple[Any, ...]:
    """Read the accepted answers of one cell, separated by `|`; on a slider also as `80..100`.

    ``outputs`` is the number of outputs in the row; ``text`` the marked text.
    """
    return tuple(
        _read(protocol, criterion, answer, outputs, text)
        for part in cell.split("|")
        for answer in _written_out(criterion, part.strip())
    )


def _written_out(criterion: Criterion, part: str) -> list[str]:
    """A range of a slider as its values; anything else as it is."""
    scale = criterion.scale
    low, dots, high = part.partition("..")
    if not dots or scale is None or scale.step is None:
        return [part]
    try:
        first, last = float(low), float(high)
    except ValueError:
        return [part]
    for end in (first, last):
        if not scale.allows(end):
            raise AnswerProblem(f"must be {scale.describe()}, got {show_value(part)}")
    if last < first:
        raise AnswerProblem(f"must be a range from low to high, got {show_value(part)}")
    return [
        repr(first + step * scale.step) for step in range(round((last - first) / scale.step) + 1)
    ]


def _read(
    protocol: Protocol, criterion: Criterion, answer: str, outputs: int, text: str | None
) -> Any:
    if criterion.categories is not None:
        return _spans(criterion, answer, text or "")
    if protocol == "rank":
        return _best(answer, outputs) if criterion.answer == "best" else _order(answer, outputs)
    if protocol == "detect":
        return _word(answer, ("real", "generated"))
    if criterion.scale is None:
        return _word(answer, criterion.choices or ())
    try:
        score = float(answer)
    except ValueError:
        score = float("nan")
    if not criterion.scale.allows(score):
        raise AnswerProblem(f"must be {criterion.scale.describe()}, got {show_value(answer)}")
    return score


def _word(answer: str, allowed: tuple[str, ...]) -> str:
    if answer not in allowed:
        hint = nearest(answer, allowed)
        raise AnswerProblem(f"must be {in_words(allowed)}, got {show_value(answer)}{hint}")
    return answer


def _best(answer: str, outputs: int) -> tuple[int, ...]:
    if not answer.isdecimal() or not 1 <= int(answer) <= outputs:
        raise AnswerProblem(
            f"must be the number of the best, 1 to {outputs}, got {show_value(answer)}"
        )
    return tuple(1 if place == int(answer) else 2 for place in range(1, outputs + 1))


def _order(answer: str, outputs: int) -> tuple[int, ...]:
    """Read `2>1=3` as the place of each output: second first, then the others tied.

    >>> _order("2>1=3", 3)
    (2, 1, 2)
    """
    groups = [[part.strip() for part in group.split("=")] for group in answer.split(">")]
    named = [part for group in groups for part in group]
    if sorted(named) != sorted(str(n) for n in range(1, outputs + 1)):
        example = ">".join(str(n) for n in range(1, outputs + 1))
        raise AnswerProblem(
            f"must order all {outputs} outputs, as {show_value(example)}, got {show_value(answer)}"
        )
    places = {part: place for place, group in enumerate(groups, start=1) for part in group}
    return tuple(places[str(n)] for n in range(1, outputs + 1))


SPAN = re.compile(r"(\d+)\s*-\s*(\d+)\s+(\S.*?)\s+(\S+)")


def _spans(criterion: Criterion, answer: str, text: str) -> tuple[tuple[int, int, str, str], ...]:
    if answer.casefold() == "none":
        return ()
    return tuple(_span(criterion, part.strip(), text) for part in answer.split(";") if part.strip())


def _span(criterion: Criterion, part: str, text: str) -> tuple[int, int, str, str]:
    match = SPAN.fullmatch(part)
    if match is None:
        example = "`3-9 accuracy major; 12-15 fluency minor`"
        raise AnswerProblem(f"must be spans as {example}, or none, got {show_value(part)}")
    start, end = int(match[1]), int(match[2])
    if not start < end <= len(text):
        raise AnswerProblem(f"has span {start}-{end} outside the text of {len(text)} characters")
    category = _word(match[3], tuple(criterion.all_categories))
    return start, end, category, _word(match[4], tuple(criterion.severities or ()))
