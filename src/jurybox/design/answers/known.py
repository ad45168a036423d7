"""Whether a practice, gold or attention trial was answered rightly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jurybox.design.answers.forms import find_form, is_per_output
from jurybox.design.answers.values import Answer
from jurybox.study.model import SystemId

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Known

__all__ = ["is_right", "rights"]

Span = tuple[int, int, str, str]


def is_right(study: Study, known: Known, answers: Sequence[Answer]) -> bool:
    """Whether every checked criterion has an accepted answer; a skipped trial is not right."""
    return all(rights(study, known, answers).values())


def rights(study: Study, known: Known, answers: Sequence[Answer]) -> Mapping[str, bool]:
    """Per checked column (a criterion, or a side of one) whether its answer is accepted."""
    return {
        column: _is_accepted(study, known, column, accepted, answers)
        for column, accepted in known.answers.items()
    }


def _is_accepted(
    study: Study, known: Known, column: str, accepted: Sequence[Any], answers: Sequence[Answer]
) -> bool:
    name, system = _find_column(study, known, column)
    criterion = study.criteria[name]
    rows = [a for a in answers if a.criterion == name and system in (None, a.system)]
    if not rows:
        return False
    form = find_form(study, criterion)
    if form == "score":
        return all(row.score in accepted for row in rows)
    if form == "graded":
        return _signed(rows[0]) in accepted
    if form == "choice":
        return rows[0].winner in accepted
    if form == "answer":
        return rows[0].answer in accepted
    if form == "ranks":
        ranks = {row.system: row.rank or 0.0 for row in rows}
        given = [ranks.get(s, 0.0) for s in known.systems]
        return any(_same_order(given, wanted) for wanted in accepted)
    marked = [
        (row.start, row.end, row.category or "", row.severity or "")
        for row in rows
        if row.start is not None and row.end is not None
    ]
    return any(_same_errors(marked, list(wanted)) for wanted in accepted)


def _find_column(study: Study, known: Known, column: str) -> tuple[str, SystemId | None]:
    """The criterion that a column of the known-answer table checks, and of which output."""
    name, place = known.about(column, study.criteria)
    if place is None:
        alone = is_per_output(study, study.criteria[name]) and len(known.systems) == 1
        return name, known.systems[0] if alone else None
    return name, known.systems[place]


def _signed(row: Answer) -> float:
    """A graded comparison with `a`, the first output of the row, on the negative side."""
    strength = row.strength or 0.0
    return -strength if row.winner == "a" else strength


def _same_order(given: Sequence[float], wanted: Sequence[float]) -> bool:
    """Whether two rankings order every two outputs alike, however ties are numbered."""

    def places(ranks: Sequence[float]) -> list[int]:
        ordered = sorted(set(ranks))
        return [ordered.index(rank) for rank in ranks]

    return places(given) == places(wanted)


def _same_errors(marked: Sequence[Span], wanted: Sequence[Span]) -> bool:
    """Whether every error was found and nothing else was marked.

    Where exactly a span begins and ends is a matter of taste: overlapping with the same category
    and severity is enough.
    """

    def meet(one: Span, other: Span) -> bool:
        return one[0] < other[1] and other[0] < one[1] and one[2:] == other[2:]

    return all(any(meet(w, m) for m in marked) for w in wanted) and all(
        any(meet(m, w) for w in wanted) for m in marked
    )
