"""What a judge replies: the JSON it is asked for, and its way into answers by place.

A reply is one object with an entry per criterion. Nothing is guessed: a value outside the scale, a
number written as text or a letter that no output has makes the reply unusable, and the sentence
that says so is what the judge is told when it is asked again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jurybox.design.answers import ShownAnswer, ShownSpan, find_wrong
from jurybox.design.answers.forms import find_form, is_per_output
from jurybox.screen.form import letter

if TYPE_CHECKING:
    from jurybox.design.plan import Trial
    from jurybox.study.criteria import Criterion
    from jurybox.study.model import Study
    from jurybox.study.scales import Scale

__all__ = ["Reply", "UnusableReply", "read_reply", "reply_schema"]

Texts = Mapping[tuple[str, int], str]
"""The texts that errors are marked in, by field and place."""
_SIDES = {"A": "first", "B": "second", "tie": "tie", "both_bad": "both_bad"}
_LONGEST = 200
"""How much of a strange value is repeated to the judge."""


class UnusableReply(Exception):
    """The reply cannot be taken for an answer; the sentence says why."""


def reply_schema(study: Study, *, places: int) -> dict[str, Any]:
    """The JSON Schema of a reply to a trial with so many outputs; every part is required.

    The reason comes before the value, so that the value follows from it.
    """
    entries = {name: _entry(study, one, places) for name, one in study.criteria.items()}
    return _object(entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply that can be used: the answers by place, and the judge's reasons in its own words."""

    shown: tuple[ShownAnswer, ...]
    reasons: str | None


def read_reply(study: Study, trial: Trial, text: str, *, texts: Texts | None = None) -> Reply:
    """What was replied, or ``UnusableReply`` with everything that is wrong."""
    reply = _parse(text)
    unknown = [name for name in reply if name not in study.criteria]
    if unknown:
        raise UnusableReply(f"The reply has {_show(unknown[0])}, which is not asked for.")
    shown: list[ShownAnswer] = []
    wrong: list[str] = []
    for name, criterion in study.criteria.items():
        if name not in reply:
            wrong.append(f"'{name}' is missing.")
            continue
        try:
            shown += _Entry(study, criterion, name, len(trial.systems), texts or {}).read(
                reply[name]
            )
        except UnusableReply as error:
            wrong.append(str(error))
    if not wrong:
        wrong = [one.sentence for one in find_wrong(study, trial, shown, texts)]
    if wrong:
        raise UnusableReply(" ".join(wrong))
    return Reply(shown=tuple(shown), reasons=_reasons(reply))


def _reasons(reply: Mapping[str, Any]) -> str | None:
    said = {name: str(entry.get("reason") or "").strip() for name, entry in reply.items()}
    given = {name: reason for name, reason in said.items() if reason}
    if len(reply) == 1:
        return next(iter(given.values()), None)
    return "\n".join(f"{name}: {reason}" for name, reason in given.items()) or None


def _entry(study: Study, criterion: Criterion, places: int) -> dict[str, Any]:
    """The schema of one criterion's entry."""
    form, letters = find_form(study, criterion), [letter(place) for place in range(places)]
    value: dict[str, Any]
    if form == "spans":
        value = {"type": "array", "items": _span_schema(criterion)}
    elif form == "choice":
        allowed = criterion.choices or ("a", "b", "tie")
        names = [name for name in _SIDES if name.lower() in allowed]
        value = {"type": "string", "enum": names}
    elif form == "ranks" and criterion.answer == "best":
        value = {"type": "string", "enum": letters}
    elif form == "ranks":
        value = _object(
            {one: {"type": "integer", "enum": [*range(1, places + 1)]} for one in letters}
        )
    elif form == "answer":
        value = {"type": "string", "enum": ["real", "generated"]}
    else:
        value = _score_schema(criterion.scale)
    if is_per_output(study, criterion) and places > 1:
        value = _object(dict.fromkeys(letters, value))
    parts: dict[str, Any] = {"reason": {"type": "string"}, "value": value}
    if criterion.confidence is not None:
        parts["confidence"] = _score_schema(criterion.confidence)
    return _object(parts)


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _score_schema(scale: Scale | None) -> dict[str, Any]:
    if scale is None or scale.step is not None:
        return {"type": "number"}
    return {"type": "number", "enum": [_plain(value.value) for value in scale.values]}


def _span_schema(criterion: Criterion) -> dict[str, Any]:
    return _object(
        {
            "quote": {"type": "string"},
            "occurrence": {"type": "integer"},
            "category": {"type": "string", "enum": list(criterion.all_categories)},
            "severity": {"type": "string", "enum": list(criterion.severities or {})},
        }
    )


def _plain(value: float) -> float | int:
    return int(value) if value.is_integer() else value


def _parse(text: str) -> Mapping[str, Any]:
    """The one JSON object of a reply; words or a code fence around it do no harm."""
    text = text.rpartition("</think>")[2]  # some endpoints send what the model thought before
    # Models without a schema break lines inside a reason, which takes nothing from the answer.
    decoder = json.JSONDecoder(
        object_pairs_hook=_once, parse_constant=_refuse_constant, strict=False
    )
    start = text.find("{")
    if start < 0:
        raise UnusableReply("The reply has no JSON object.")
    try:
        reply, end = decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise UnusableReply(f"The reply is not JSON: {error.msg.lower()}.") from None
    except RecursionError:
        raise UnusableReply("The reply is nested too deep.") from None
    if "{" in text[end:]:
        raise UnusableReply("The reply has more than one JSON object.")
    assert isinstance(reply, dict)  # noqa: S101 - it began with a brace
    return reply


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise UnusableReply("The reply answers one thing twice.")
    return made


def _refuse_constant(name: str) -> Any:
    raise UnusableReply(f"The reply is not JSON: {name} is no number.")


class _Entry:
    """Reads one criterion's part of a reply."""

    def __init__(
        self, study: Study, criterion: Criterion, name: str, places: int, texts: Texts
    ) -> None:
        self._criterion = criterion
        self._form = find_form(study, criterion)
        self._each = is_per_output(study, criterion)
        self._name = name
        self._places = places
        self._texts = texts

    def read(self, entry: Any) -> list[ShownAnswer]:
        """One answer, or one for each output."""
        if not isinstance(entry, dict) or "value" not in entry:
            raise self._wrong(entry, "an object with reason and value")
        reason = entry.get("reason")
        if reason is not None and not isinstance(reason, str):
            raise self._wrong(reason, "a reason in words")
        common: dict[str, Any] = {
            "criterion": self._name,
            # Every judge says why; a study that does not ask people keeps it as a comment.
            "reason": None if self._criterion.reason is None else reason,
            "confidence": self._confidence(entry),
        }
        value = entry["value"]
        if not self._each:
            return [ShownAnswer(**common, **self._whole(value))]
        if self._places == 1:
            return [ShownAnswer(**common, place=0, **self._single(value, 0))]
        return [
            ShownAnswer(**common, place=place, **self._single(one, place))
            for place, one in enumerate(self._by_letter(value))
        ]

    def _confidence(self, entry: Mapping[str, Any]) -> float | None:
        if self._criterion.confidence is None:
            return None
        return self._number(entry.get("confidence"), self._criterion.confidence)

    def _whole(self, value: Any) -> dict[str, Any]:
        """Read the value of an answer to the trial as a whole."""
        if self._form == "graded":
            return {"score": self._number(value, self._criterion.scale)}
        if self._form == "choice":
            allowed = self._criterion.choices or ("a", "b", "tie")
            names = [name for name in _SIDES if name.lower() in allowed]
            return {"choice": _SIDES[self._one_of(value, names)]}
        letters = [letter(place) for place in range(self._places)]
        if self._criterion.answer == "best":
            best = self._one_of(value, letters)
            return {"ranks": tuple(1.0 if one == best else 2.0 for one in letters)}
        ranks = self._by_letter(value)
        return {"ranks": tuple(self._number(rank, None) for rank in ranks)}

    def _single(self, value: Any, place: int) -> dict[str, Any]:
        """Read the value of an answer to one output."""
        if self._form == "answer":
            return {"answer": self._one_of(value, ("real", "generated"))}
        if self._form == "spans":
            if not isinstance(value, list):
                raise self._wrong(value, "a list of errors")
            return {"spans": tuple(self._span(one, place) for one in value)}
        return {"score": self._number(value, self._criterion.scale)}

    def _span(self, span: Any, place: int) -> ShownSpan:
        if not isinstance(span, dict):
            raise self._wrong(span, "an object with quote, occurrence, category and severity")
        text = self._texts.get((self._criterion.field or "", place), "")
        quote, number = span.get("quote"), span.get("occurrence", 1)
        if not isinstance(quote, str) or not quote:
            raise self._wrong(quote, "the words of the error, exactly as they stand in the text")
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise self._wrong(number, "an occurrence, counted from 1")
        start = -1
        for _ in range(number):
            start = text.find(quote, start + 1)
            if start < 0:
                raise UnusableReply(
                    f"'{self._name}' quotes {_show(quote)}, which stands "
                    + (
                        "nowhere in the text."
                        if number == 1
                        else f"fewer than {number} times in it."
                    )
                )
        return ShownSpan(
            start=start,
            end=start + len(quote),
            category=self._one_of(span.get("category"), self._criterion.all_categories),
            severity=self._one_of(span.get("severity"), self._criterion.severities or {}),
        )

    def _by_letter(self, value: Any) -> list[Any]:
        letters = [letter(place) for place in range(self._places)]
        if not isinstance(value, dict) or sorted(value) != letters:
            raise self._wrong(value, f"a value for each of {', '.join(letters)}")
        return [value[one] for one in letters]

    def _number(self, value: Any, scale: Scale | None) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(value, "a number")
        if scale is not None and not scale.allows(value):
            raise self._wrong(value, f"one of {scale.describe()}")
        return float(value)

    def _one_of(self, value: Any, allowed: Sequence[str] | Mapping[str, Any]) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise self._wrong(value, f"one of {', '.join(allowed)}")
        return value

    def _wrong(self, value: Any, wanted: str) -> UnusableReply:
        return UnusableReply(f"'{self._name}' must be {wanted}; got {_show(value)}.")


def _show(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
