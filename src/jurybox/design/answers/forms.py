"""How a criterion is answered: one form per kind of control on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from jurybox.study.model import Criterion

if TYPE_CHECKING:
    from jurybox.study import Study

__all__ = ["Form", "find_form", "is_per_output"]

Form = Literal["score", "choice", "graded", "ranks", "answer", "spans"]


def find_form(study: Study, criterion: Criterion) -> Form:
    """What an answer to this criterion consists of."""
    if study.protocol == "compare" and criterion.per != "output":
        return "graded" if criterion.scale is not None else "choice"
    if study.protocol == "rank" and criterion.per != "output":
        return "ranks"
    if study.protocol == "detect" and criterion.scale is None:
        return "answer"
    if study.protocol == "mark" and criterion.categories is not None:
        return "spans"
    return "score"


def is_per_output(study: Study, criterion: Criterion) -> bool:
    """Whether each output on the screen gets an answer of its own."""
    return find_form(study, criterion) in {"score", "spans", "answer"}
