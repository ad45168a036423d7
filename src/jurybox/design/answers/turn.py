"""Answers by place turned into answers by system, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from jurybox.design.answers.check import (
    Texts,
    WrongAnswer,
    find_wrong,
    place_of,
    wanted_answers,
)
from jurybox.design.answers.forms import Form, find_form
from jurybox.design.answers.values import Answer, ShownAnswer, ShownSpan
from jurybox.design.plan import Trial
from jurybox.errors import RaterError
from jurybox.study.model import Criterion

if TYPE_CHECKING:
    from jurybox.study import Study

__all__ = ["WrongAnswer", "find_wrong", "show_again", "turn_back"]

Order = Sequence[int]


def turn_back(
    study: Study,
    trial: Trial,
    order: Order,
    shown: Sequence[ShownAnswer],
    *,
    texts: Texts | None = None,
) -> tuple[Answer, ...]:
    """The answers as they are stored: by system, in the order of the study's criteria.

    ``order[p]`` is the index in ``trial.systems`` of the output shown at place ``p``. ``texts`` are
    the texts that spans were marked in, by place. Everything wrong is named in one ``RaterError``.
    """
    _check_order(trial, order)
    wrong = find_wrong(study, trial, shown, texts)
    if wrong:
        raise RaterError(" ".join(one.sentence for one in wrong))
    given = {(answer.criterion, place_of(study, trial, answer)): answer for answer in shown}
    answers: list[Answer] = []
    for name, criterion in study.criteria.items():
        form = find_form(study, criterion)
        if (name, None) in given:
            answers += _TURN[form](trial, order, given[name, None], criterion)
            continue
        places = {index: place for place, index in enumerate(order)}
        for index in range(len(trial.systems)):
            shown_here = given[name, places[index]]
            one = shown_here.model_copy(update={"place": places[index]})
            answers += _TURN[form](trial, order, one, criterion)
    return tuple(answers)


def show_again(
    study: Study, trial: Trial, order: Order, answers: Sequence[Answer]
) -> tuple[ShownAnswer, ...]:
    """Stored answers as they were, or would be, sent from a screen in this order."""
    _check_order(trial, order)
    shown = []
    for name, place in wanted_answers(study, trial):
        criterion = study.criteria[name]
        system = None if place is None else trial.systems[order[place]]
        rows = [a for a in answers if a.criterion == name and system in (None, a.system)]
        if rows:
            value = _SHOW[find_form(study, criterion)](trial, order, rows)
            shown.append(
                ShownAnswer(
                    criterion=name,
                    place=place,
                    confidence=rows[0].confidence,
                    reason=rows[0].reason_given,
                    **value,
                )
            )
    return tuple(shown)


def _check_order(trial: Trial, order: Order) -> None:
    if sorted(order) != list(range(len(trial.systems))):
        raise RaterError(
            f"Trial {trial.id}: the order {tuple(order)} does not show each of its "
            f"{len(trial.systems)} outputs once; reload the page."
        )


def _base(shown: ShownAnswer) -> dict[str, Any]:
    reason = (shown.reason or "").strip() or None
    return {
        "criterion": shown.criterion,
        "confidence": None if shown.confidence is None else float(shown.confidence),
        "reason_given": reason,
    }


def _system_at(trial: Trial, order: Order, shown: ShownAnswer) -> dict[str, Any]:
    return {**_base(shown), "system": trial.systems[order[shown.place or 0]]}


def _score(trial: Trial, order: Order, shown: ShownAnswer, _: Criterion) -> list[Answer]:
    return [Answer(**_system_at(trial, order, shown), score=shown.score)]


def _answer(trial: Trial, order: Order, shown: ShownAnswer, _: Criterion) -> list[Answer]:
    return [Answer(**{**_system_at(trial, order, shown), "answer": shown.answer})]


def _ranks(trial: Trial, order: Order, shown: ShownAnswer, _: Criterion) -> list[Answer]:
    ranks = dict(zip(order, shown.ranks or (), strict=True))
    return [
        Answer(**{**_base(shown), "system": system}, rank=ranks[index])
        for index, system in enumerate(trial.systems)
    ]


def _spans(trial: Trial, order: Order, shown: ShownAnswer, criterion: Criterion) -> list[Answer]:
    base = {**_system_at(trial, order, shown), "field": criterion.field}
    spans = sorted(shown.spans or (), key=lambda s: (s.start, s.end, s.category, s.severity))
    return [Answer(**base, **span.model_dump()) for span in spans] or [Answer(**base)]


def _sides(order: Order) -> tuple[Literal["a", "b"], Literal["a", "b"]]:
    """Which of the two canonical systems was shown first, and which second."""
    return ("a", "b") if order[0] == 0 else ("b", "a")


def _choice(trial: Trial, order: Order, shown: ShownAnswer, _: Criterion) -> list[Answer]:
    first, second = _sides(order)
    named: dict[str | None, str] = {"first": first, "second": second}
    winner = named.get(shown.choice, shown.choice)
    return [Answer(**{**_base(shown), "winner": winner, "first": first})]


def _graded(trial: Trial, order: Order, shown: ShownAnswer, _: Criterion) -> list[Answer]:
    first, second = _sides(order)
    score = shown.score or 0.0
    winner: Literal["a", "b", "tie"] = first if score < 0 else second if score > 0 else "tie"
    return [Answer(**_base(shown), winner=winner, first=first, strength=abs(score))]


_TURN: dict[Form, Callable[[Trial, Order, ShownAnswer, Criterion], list[Answer]]] = {
    "score": _score,
    "answer": _answer,
    "ranks": _ranks,
    "spans": _spans,
    "choice": _choice,
    "graded": _graded,
}


def _show_ranks(trial: Trial, order: Order, rows: Sequence[Answer]) -> dict[str, Any]:
    ranks = {row.system: row.rank for row in rows}
    return {"ranks": tuple(ranks[trial.systems[index]] for index in order)}


def _show_spans(trial: Trial, order: Order, rows: Sequence[Answer]) -> dict[str, Any]:
    return {
        "spans": tuple(
            ShownSpan(start=row.start, end=row.end, category=row.category, severity=row.severity)
            for row in rows
            if row.start is not None
            and row.end is not None
            and row.category is not None
            and row.severity is not None
        )
    }


def _show_choice(trial: Trial, order: Order, rows: Sequence[Answer]) -> dict[str, Any]:
    first, second = _sides(order)
    named: dict[str | None, str] = {first: "first", second: "second"}
    return {"choice": named.get(rows[0].winner, rows[0].winner)}


def _show_graded(trial: Trial, order: Order, rows: Sequence[Answer]) -> dict[str, Any]:
    strength = rows[0].strength or 0.0
    return {"score": -strength if rows[0].winner == _sides(order)[0] else strength}


_SHOW: dict[Form, Callable[[Trial, Order, Sequence[Answer]], dict[str, Any]]] = {
    "score": lambda trial, order, rows: {"score": rows[0].score},
    "answer": lambda trial, order, rows: {"answer": rows[0].answer},
    "ranks": _show_ranks,
    "spans": _show_spans,
    "choice": _show_choice,
    "graded": _show_graded,
}
