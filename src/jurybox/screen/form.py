"""The questions of a trial as data: what is asked, of which place, and which key answers it.

The server draws the form from these values, and the page's state is built from the same values, so
that a button, its key and the answer it stands for cannot drift apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from jurybox.study.languages import catalogue, later
from jurybox.study.scales import Scale

if TYPE_CHECKING:
    from jurybox.study.model import Criterion, Study

__all__ = ["Form", "Option", "Question", "QuestionKind", "letter", "make_form", "title_of"]

QuestionKind = Literal[
    "scale", "slider", "choice", "graded", "order", "best", "origin", "spans", "text"
]
Part = Literal["value", "confidence", "reason"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One answer that can be chosen, with the key that chooses it."""

    value: float | str
    shown: str
    """What the button prints: the value, a letter, or nothing where the words say it all."""
    words: str
    key: str | None = None
    example: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One thing to answer. ``place`` is the output it is asked of, by the place it is shown at."""

    id: str
    criterion: str
    kind: QuestionKind
    part: Part = "value"
    place: int | None = None
    name: str = ""
    words: str = ""
    look_for: str = ""
    required: bool = True
    options: tuple[Option, ...] = ()
    severities: tuple[Option, ...] = ()
    low: float = 0
    high: float = 0
    step: float = 1
    ties: bool = False
    field: str | None = None

    @property
    def has_anchors(self) -> bool:
        """Whether its answers are values of a scale, each with words that say what it means."""
        return self.kind in ("scale", "graded") and any(o.shown and o.words for o in self.options)

    def to_dict(self) -> dict[str, Any]:
        """What the page's state needs to know of the question."""
        keys = [{"value": o.value, "key": o.key, "words": o.words} for o in self.options]
        severities = [{"value": o.value, "key": o.key} for o in self.severities]
        return {
            "id": self.id,
            "criterion": self.criterion,
            "kind": self.kind,
            "part": self.part,
            "place": self.place,
            "name": self.name,
            "required": self.required,
            "options": keys,
            "severities": severities,
            "ties": self.ties,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """All questions of a trial, in the order they are asked."""

    protocol: str
    letters: tuple[str, ...]
    questions: tuple[Question, ...]
    heard: bool = False
    """Whether outputs are played, so that an output's letter plays it."""

    @property
    def keys(self) -> frozenset[str]:
        """The keys that answer a question or play an output, which no command may then use."""
        played = frozenset(one.lower() for one in self.letters if self.heard)
        tied = frozenset("=" for question in self.questions if question.kind == "order")
        return played | tied | frozenset(o.key for q in self.questions for o in q.options if o.key)

    def to_dict(self) -> dict[str, Any]:
        """Give the form as the page's state takes it."""
        return {
            "protocol": self.protocol,
            "letters": list(self.letters),
            "questions": [question.to_dict() for question in self.questions],
        }


def letter(place: int) -> str:
    """The name under which the output at a place is shown: A, B, C and so on.

    >>> [letter(place) for place in (0, 25, 26, 51)]
    ['A', 'Z', 'AA', 'AZ']
    """
    rounds, last = divmod(place, 26)
    return (letter(rounds - 1) if rounds else "") + chr(ord("A") + last)


def title_of(name: str, language: str = "en") -> str:
    """A criterion's or field's name as a title; the names that a study has by default, translated.

    >>> title_of("semantic_consistency")
    'Semantic consistency'
    """
    words = catalogue(language).gettext(name).replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:]


def make_form(study: Study, *, places: int) -> Form:
    """The form for a trial that shows so many outputs."""
    questions: list[Question] = []
    for name, criterion in study.criteria.items():
        for asked in _asked(study, name, criterion, places):
            questions.extend(_with_additions(study, criterion, asked, number=len(questions)))
    letters = tuple(letter(place) for place in range(places))
    media = {shown.medium for shown in study.show.values() if not shown.reference}
    heard = places > 1 and study.protocol != "rank" and bool(media & {"audio", "video"})
    return Form(protocol=study.protocol, letters=letters, questions=tuple(questions), heard=heard)


def _asked(study: Study, name: str, criterion: Criterion, places: int) -> Iterator[Question]:
    """The questions of a criterion without confidence and reason: one, or one per output."""
    title, words = title_of(name, study.language), study.words(criterion.question)
    words = "" if words == title else words
    look_for = study.words(criterion.look_for)
    common: dict[str, Any] = {"id": "", "criterion": name, "words": words, "look_for": look_for}
    whole = dict(common, name=title)
    whole_trial = study.protocol in ("compare", "rank") and criterion.per != "output"
    if criterion.categories is not None:
        choices = _span_choices(study, criterion)
        for place, of in _places(title, places):
            yield Question(**common, name=of, kind="spans", place=place, **choices)
    elif study.protocol == "compare" and whole_trial and criterion.scale is not None:
        yield Question(**whole, **_scale_parts(study, criterion.scale, graded=True))
    elif criterion.scale is not None and not whole_trial:
        for place, of in _places(title, places):
            scale = _scale_parts(study, criterion.scale)
            yield Question(**common, name=of, place=place, **scale)
    elif study.protocol == "rank":
        best = criterion.answer == "best"
        options = tuple(
            Option(value=place, shown=name, words="", key=name.lower() if len(name) == 1 else None)
            for place, name in enumerate(map(letter, range(places)))
        )
        kind: QuestionKind = "best" if best else "order"
        yield Question(**whole, kind=kind, options=options, ties=criterion.ties and not best)
    elif study.protocol == "detect":
        yield Question(**whole, kind="origin", place=0, options=_said(study, _ORIGINS))
    else:
        allowed = criterion.choices or ("a", "b", "tie")
        options = tuple(option for code, option in _CHOICES.items() if code in allowed)
        yield Question(**whole, kind="choice", options=_said(study, options))


def _places(title: str, places: int) -> Iterator[tuple[int, str]]:
    """Every place with the question's name there: the letter only where there are several."""
    for place in range(places):
        yield place, f"{title} · {letter(place)}" if places > 1 else title


_CHOICES = {
    "a": Option(value="first", shown="", words=later("A is better"), key="1"),
    "tie": Option(value="tie", shown="", words=later("Tie"), key="0"),
    "both_bad": Option(value="both_bad", shown="", words=later("Both bad"), key="9"),
    "b": Option(value="second", shown="", words=later("B is better"), key="2"),
}
_ORIGINS = (
    Option(value="real", shown="", words=later("Real"), key="r"),
    Option(value="generated", shown="", words=later("Generated"), key="g"),
)


def _said(study: Study, options: tuple[Option, ...]) -> tuple[Option, ...]:
    """The options that every study has, in its language."""
    _ = catalogue(study.language).gettext
    return tuple(replace(option, words=_(option.words)) for option in options)


def _span_choices(study: Study, criterion: Criterion) -> dict[str, Any]:
    categories = tuple(
        Option(
            value=name,
            shown=title_of(name),
            words=study.words(text) if text != name else "",
            key=_digit(number),
        )
        for number, (name, text) in enumerate(criterion.all_categories.items(), start=1)
    )
    severities = tuple(
        Option(value=name, shown=title_of(name, study.language), words="", key=_digit(number))
        for number, name in enumerate(criterion.severities or {}, start=1)
    )
    return {"options": categories, "severities": severities, "field": criterion.field}


def _digit(number: int) -> str | None:
    """The key of what is counted from 1; none from 10 on, as no key types two digits."""
    return str(number) if number < 10 else None


def _scale_parts(study: Study, scale: Scale, *, graded: bool = False) -> dict[str, Any]:
    keys = scale.keys()
    options = tuple(
        Option(
            value=int(value.value) if value.value.is_integer() else value.value,
            shown=str(number) if graded else _shown(study, scale, value.value),
            words=study.anchor(scale, value),
            key=_digit(number) if graded else keys.get(value.value),
            example=value.example,
        )
        for number, value in enumerate(scale.values, start=1)
    )
    kind: QuestionKind = "graded" if graded else "slider" if scale.step is not None else "scale"
    return {
        "kind": kind,
        "options": options,
        "low": scale.low,
        "high": scale.high,
        "step": scale.step or 1,
    }


def _shown(study: Study, scale: Scale, value: float) -> str:
    """A value as the button prints it; yes and no need no number."""
    return "" if scale.name == "yes-no" else catalogue(study.language).number(value)


def _with_additions(
    study: Study, criterion: Criterion, asked: Question, *, number: int
) -> Iterator[Question]:
    """The question, then how sure the rater is of it and why, where the study asks."""
    _ = catalogue(study.language).gettext
    common: dict[str, Any] = {"criterion": asked.criterion, "place": asked.place}
    yield replace(asked, id=f"q{number}")
    if criterion.confidence is not None:
        yield Question(
            id=f"q{number + 1}",
            part="confidence",
            name=_("How sure are you?"),
            **common,
            **_scale_parts(study, criterion.confidence),
        )
        number += 1
    if criterion.reason is not None:
        yield Question(
            id=f"q{number + 1}",
            part="reason",
            kind="text",
            name=_("Why?"),
            required=criterion.reason == "required",
            **common,
        )
