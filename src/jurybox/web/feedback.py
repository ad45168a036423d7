"""The right answers of a practice trial in the words of its form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jurybox.screen.form import letter, title_of
from jurybox.study.scales import format_value

if TYPE_CHECKING:
    from jurybox.study.material import Known
    from jurybox.study.model import Study

__all__ = ["right_answers"]

_WORDS = {"a": "A is better", "b": "B is better", "tie": "Tie", "both_bad": "Both bad"}


def right_answers(study: Study, known: Known) -> tuple[tuple[str, str], ...]:
    """Per checked criterion its name and what would have been right.

    A practice trial shows its outputs in the order of its row, so the row's first output is A.
    """
    return tuple(
        (_name(study, column), " or ".join(_in_words(study, column, one) for one in accepted))
        for column, accepted in known.answers.items()
    )


def _name(study: Study, column: str) -> str:
    if column in study.criteria:
        return title_of(column)
    criterion, _, side = column.rpartition("_")
    return f"{title_of(criterion)} · {side.upper()}"


def _in_words(study: Study, column: str, answer: Any) -> str:
    criterion = study.criteria.get(column) or study.criteria.get(column.rpartition("_")[0])
    if isinstance(answer, int | float) and criterion is not None and criterion.scale is not None:
        anchors = {one.value: study.words(one.anchor) for one in criterion.scale.values}
        shown = format_value(answer)
        words = anchors.get(float(answer), "")
        return f"{shown} ({words})" if words and words != shown else shown
    if isinstance(answer, tuple):
        spans = bool(answer) and isinstance(answer[0], tuple)
        if spans or not answer:
            return f"{len(answer)} marked" if spans else "no error"
        return _order(answer)
    return _WORDS.get(str(answer), title_of(str(answer)))


def _order(ranks: tuple[Any, ...]) -> str:
    """Ranks by place as letters, best first: (2, 1, 2) is B > A = C."""
    groups = [
        " = ".join(letter(place) for place, rank in enumerate(ranks) if rank == value)
        for value in sorted(set(ranks))
    ]
    return " > ".join(groups)
