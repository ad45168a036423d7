"""The guide that goes out with a sheet: every question, and every answer that may be written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jurybox.design.answers.forms import find_form
from jurybox.store.sheets.layout import CHOICE_WORDS
from jurybox.study.guide import CHOICES, ORIGINS
from jurybox.study.scales import Scale, format_value

if TYPE_CHECKING:
    from jurybox.study import Criterion, Study

__all__ = ["guide_lines"]

Line = tuple[str, str]
"""What stands in a cell, and what it means."""


def guide_lines(study: Study) -> Iterator[Line]:
    """The guide as two columns: what is asked or may be written, and what it means."""
    yield study.words(study.title), ""
    if study.instructions is not None:
        yield study.words(study.instructions), ""
    for text in study.look_for:
        yield "", study.words(text)
    for name, criterion in study.criteria.items():
        yield "", ""
        yield name, study.words(criterion.question)
        if criterion.look_for is not None:
            yield "", study.words(criterion.look_for)
        yield from _answers(study, criterion)
        if criterion.confidence is not None:
            yield f"{name} confidence", "How sure are you?"
            yield from _scale(study, criterion.confidence)
        if criterion.reason is not None:
            needed = "Needed" if criterion.reason == "required" else "May stay empty"
            yield f"{name} reason", f"Why? In your own words. {needed}."
    yield "", ""
    yield "notes", "Anything worth saying about a row. Leave a whole row empty to skip it."


def _answers(study: Study, criterion: Criterion) -> Iterator[Line]:
    """Every answer that a criterion's cell may hold."""
    form = find_form(study, criterion)
    if form == "choice":
        for choice in criterion.choices or ("a", "b", "tie"):
            yield CHOICE_WORDS[choice], CHOICES[choice].words
    elif form == "answer":
        for origin in ORIGINS:
            yield str(origin.value), origin.words
    elif form == "ranks" and criterion.answer == "best":
        yield "A, B, …", "The letter of the best output."
    elif form == "ranks":
        yield "1, 2, …", "The rank of each output: 1 for the best, then 2, 3 and so on."
        if criterion.ties:
            yield "", "Outputs may share a rank, and the next rank is skipped: 1, 2, 2, 4."
        else:
            yield "", "No two outputs may share a rank."
    elif criterion.scale is not None:
        yield from _scale(study, criterion.scale)
        if form == "graded":
            yield "", "A number below 0 is for A, one above 0 for B."


def _scale(study: Study, scale: Scale) -> Iterator[Line]:
    if scale.step is not None:
        yield scale.describe(), "Any of these numbers. Some of them in words:"
    for value in scale.values:
        yield format_value(value.value), study.words(value.anchor)
