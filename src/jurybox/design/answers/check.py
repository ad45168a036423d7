"""What is wrong with an answer: a sentence that names criterion, value and what is allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jurybox.design.answers.forms import Form, find_form, is_per_output
from jurybox.design.answers.values import ShownAnswer, ShownSpan
from jurybox.design.plan import Trial
from jurybox.study.model import Criterion
from jurybox.study.scales import format_value

if TYPE_CHECKING:
    from jurybox.study import Study

__all__ = ["Texts", "WrongAnswer", "allowed_choices", "find_wrong", "wanted_answers"]

Texts = Mapping[int, str] | Mapping[tuple[str, int], str]
"""The marked text by place, or by field and place where several fields are marked."""

VALUES: dict[Form, str] = {
    "score": "score",
    "graded": "score",
    "choice": "choice",
    "ranks": "ranks",
    "answer": "answer",
    "spans": "spans",
}
"""The field of ``ShownAnswer`` that each form is answered in."""

SIDES = {"a": "first", "b": "second", "tie": "tie", "both_bad": "both_bad"}


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongAnswer:
    """One thing wrong with a rater's answers, at the criterion and place it concerns."""

    criterion: str
    place: int | None
    sentence: str


def wanted_answers(study: Study, trial: Trial) -> list[tuple[str, int | None]]:
    """Every criterion of the trial, with each place where it is asked per output."""
    return [
        (name, place)
        for name, criterion in study.criteria.items()
        for place in (range(len(trial.systems)) if is_per_output(study, criterion) else [None])
    ]


def allowed_choices(criterion: Criterion) -> tuple[str, ...]:
    """What a compare choice may be, in the words of the screen."""
    return tuple(SIDES[choice] for choice in criterion.choices or ("a", "b", "tie"))


def find_wrong(
    study: Study, trial: Trial, shown: Sequence[ShownAnswer], texts: Texts | None = None
) -> tuple[WrongAnswer, ...]:
    """Everything wrong with a trial's answers: missing, doubled, unknown or outside the scale."""
    found: list[WrongAnswer] = []
    seen: Counter[tuple[str, int | None]] = Counter()
    for answer in shown:
        if answer.criterion not in study.criteria:
            known = ", ".join(study.criteria)
            say = f"'{answer.criterion}' is no criterion of this study; there are {known}."
            found.append(WrongAnswer(criterion=answer.criterion, place=None, sentence=say))
            continue
        place = place_of(study, trial, answer)
        seen[answer.criterion, place] += 1
        checker = _Checker(study, trial, answer, place, texts or {})
        found += checker.check()
    wanted = wanted_answers(study, trial)
    several = len(trial.systems) > 1
    for key, count in seen.items():
        if count > 1 and key in wanted:
            found.append(_wrong(key, several, f"is answered {count} times; once is right."))
    for key in wanted:
        if key not in seen:
            found.append(_wrong(key, several, "is not answered."))
    return tuple(found)


def place_of(study: Study, trial: Trial, answer: ShownAnswer) -> int | None:
    """The place an answer speaks of; a lone output need not be named."""
    per_output = is_per_output(study, study.criteria[answer.criterion])
    alone = per_output and len(trial.systems) == 1
    return 0 if alone and answer.place is None else answer.place


def _wrong(key: tuple[str, int | None], several: bool, phrase: str) -> WrongAnswer:
    name, place = key
    where = f"'{name}' of output {place + 1}" if several and place is not None else f"'{name}'"
    return WrongAnswer(criterion=name, place=place, sentence=f"{where} {phrase}")


class _Checker:
    """Checks one answer against its criterion."""

    def __init__(
        self, study: Study, trial: Trial, answer: ShownAnswer, place: int | None, texts: Texts
    ) -> None:
        self._criterion = study.criteria[answer.criterion]
        self._form = find_form(study, self._criterion)
        self._per_output = is_per_output(study, self._criterion)
        self._n = len(trial.systems)
        self._answer = answer
        self._place = place
        self._texts = texts

    def check(self) -> list[WrongAnswer]:
        key = (self._answer.criterion, self._place)
        return [_wrong(key, self._n > 1, phrase) for phrase in self._phrases()]

    def _phrases(self) -> Iterator[str]:
        if self._per_output:
            if self._place is None or not 0 <= self._place < self._n:
                got = "none" if self._place is None else self._place
                yield f"is asked per output: place must be 0 to {self._n - 1}, got {got}."
                return
        elif self._place is not None:
            yield f"is asked once per trial, without a place, got place {self._place}."
        wanted = VALUES[self._form]
        for field in dict.fromkeys(VALUES.values()):
            if field != wanted and getattr(self._answer, field) is not None:
                yield f"is answered by {wanted}, not by {field}."
        if getattr(self._answer, wanted) is None:
            yield f"has no {wanted}; {self._allowed()}."
        else:
            yield from self._value_phrases()
        yield from self._confidence_phrases()
        yield from self._reason_phrases()

    def _allowed(self) -> str:
        criterion = self._criterion
        if self._form in {"score", "graded"} and criterion.scale is not None:
            return f"allowed are {criterion.scale.describe()}"
        if self._form == "choice":
            return f"allowed are {', '.join(allowed_choices(criterion))}"
        if self._form == "answer":
            return "allowed are real, generated"
        if self._form == "spans":
            return "an empty list says the output is free of errors"
        if criterion.answer == "best":
            return "allowed are 1 for the best and 2 for the others"
        return f"allowed are the ranks 1 to {self._n}"

    def _value_phrases(self) -> Iterator[str]:
        answer = self._answer
        if answer.score is not None and self._form in {"score", "graded"}:
            if self._criterion.scale is None or not self._criterion.scale.allows(answer.score):
                yield f"cannot be {format_value(answer.score)}; {self._allowed()}."
        elif self._form == "choice":
            if answer.choice not in allowed_choices(self._criterion):
                yield f"cannot be '{answer.choice}'; {self._allowed()}."
        elif self._form == "answer":
            if answer.answer not in {"real", "generated"}:
                yield f"cannot be '{answer.answer}'; {self._allowed()}."
        elif self._form == "ranks" and answer.ranks is not None:
            yield from _rank_phrases(answer.ranks, self._n, self._criterion)
        elif answer.spans is not None and self._place is not None:
            keys = (self._place, (self._criterion.field, self._place))
            text = next((text for key, text in self._texts.items() if key in keys), None)
            yield from _span_phrases(answer.spans, self._criterion, text)

    def _confidence_phrases(self) -> Iterator[str]:
        scale, given = self._criterion.confidence, self._answer.confidence
        if scale is None and given is not None:
            yield f"does not ask for confidence, got {format_value(given)}."
        elif scale is not None and given is None:
            yield f"has no confidence; allowed are {scale.describe()}."
        elif scale is not None and given is not None and not scale.allows(given):
            yield f"cannot have confidence {format_value(given)}; allowed are {scale.describe()}."

    def _reason_phrases(self) -> Iterator[str]:
        asked, given = self._criterion.reason, (self._answer.reason or "").strip()
        if asked == "required" and not given:
            yield "has no reason; a sentence is required."
        elif asked is None and given:
            yield "does not ask for a reason."


def _rank_phrases(ranks: Sequence[float], n: int, criterion: Criterion) -> Iterator[str]:
    got = ", ".join(map(format_value, ranks))
    if len(ranks) != n:
        yield f"has {len(ranks)} ranks ({got}) for {n} outputs; each output has one."
    elif criterion.answer == "best":
        if sorted(ranks) != [1] + [2] * (n - 1):
            yield f"cannot be {got}; exactly one output is 1 (the best) and the others are 2."
    elif sorted(ranks) != competition_ranks(ranks):
        yield (
            f"cannot be {got}; ranks start at 1 and have no gaps but those that ties leave, "
            "as 1, 2, 2, 4."
        )
    elif len(set(ranks)) < n and not criterion.ties:
        yield f"cannot be {got}; two outputs may not share a rank here."


def competition_ranks(ranks: Iterable[float]) -> list[float]:
    """The ranks that so many outputs tied in this way must have, in order.

    >>> competition_ranks([1, 2, 2, 3]), competition_ranks([1, 1, 3])
    ([1, 2, 2, 4], [1, 1, 3])
    """
    ordered = sorted(ranks)
    return [ordered.index(rank) + 1 for rank in ordered]


def _span_phrases(
    spans: Sequence[ShownSpan], criterion: Criterion, text: str | None
) -> Iterator[str]:
    categories, severities = criterion.all_categories, criterion.severities or {}
    for span in spans:
        what = f"span {span.start}–{span.end}"
        if not 0 <= span.start < span.end:
            yield f"has {what}; a span starts at 0 or later and ends behind its start."
        elif text is not None and span.end > len(text):
            yield f"has {what}, and the text has {len(text)} characters."
        if span.category not in categories:
            yield (
                f"has {what} of category '{span.category}'; allowed are {', '.join(categories)}."
            )
        if span.severity not in severities:
            yield (
                f"has {what} of severity '{span.severity}'; allowed are {', '.join(severities)}."
            )
    for span, count in Counter(spans).items():
        if count > 1:
            yield f"has span {span.start}–{span.end} {count} times; once is right."
