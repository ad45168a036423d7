"""The rater's guide as data: what to do, what to look for, what every answer means.

The page's instructions, the printed guide and a judge's prompt are all made from it, so that people
and models are told the same. All words are in the study's language, as far as there is a catalogue
for it; nothing here is HTML.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from jurybox.errors import Problem, SpecError
from jurybox.study.criteria import Case, Criterion
from jurybox.study.files import FileProblem, Files
from jurybox.study.guide_keys import GuideKey, keys_of
from jurybox.study.languages import Catalogue, catalogue, later
from jurybox.study.material import Material
from jurybox.study.model import Protocol, Study
from jurybox.study.scales import Scale, ScaleValue

__all__ = [
    "SKIP_REASONS",
    "AnswerForm",
    "Guide",
    "GuideAnchor",
    "GuideCase",
    "GuideCriterion",
    "GuideField",
    "GuideKey",
    "GuideKind",
    "GuideMedia",
    "caption_of",
    "form_of",
    "make_guide",
]

AnswerForm = Literal["scale", "slider", "choice", "graded", "order", "best", "origin", "spans"]
"""How a question is answered."""

SKIP_REASONS: Final[dict[str, tuple[str, str]]] = {
    "broken": (
        later("Broken content"),
        later("something is missing, black, silent or cannot be displayed"),
    ),
    "cannot-decide": (later("Cannot decide"), later("you have looked well and truly cannot tell")),
    "offensive": (later("Offensive"), later("you do not want to look at it")),
    "other": (later("Another reason"), later("say which, in a few words")),
}
"""Why a trial may be skipped: its code in the data, its name, and when it applies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideMedia:
    """A file that illustrates something: its name within the study, and where it lies."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideAnchor:
    """One answer that can be given, and what it means."""

    value: float | str
    shown: str
    """What stands on its button."""
    words: str
    key: str | None = None
    example: GuideMedia | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideKind:
    """A category of error in mark, with its weight per severity."""

    name: str
    words: str
    weights: tuple[tuple[str, float], ...]
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideCriterion:
    """One question with every answer it allows."""

    name: str
    title: str
    question: str
    look_for: str
    answered: str
    """How the question is answered, in a sentence."""
    form: AnswerForm
    anchors: tuple[GuideAnchor, ...] = ()
    pass_mark: float | None = None
    confidence: tuple[GuideAnchor, ...] = ()
    reason: Literal["optional", "required"] | None = None
    kinds: tuple[GuideKind, ...] = ()
    severities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideCase:
    """A worked case: what is seen, the accepted answers per criterion, and why."""

    words: str
    scores: tuple[tuple[str, tuple[str, ...]], ...]
    reason: str
    example: GuideMedia | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideField:
    """One thing that a trial shows."""

    name: str
    caption: str
    medium: str
    of_output: bool
    """Whether it comes from a system, and is thus what is judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """Everything a rater is told."""

    title: str
    language: str
    protocol: Protocol
    task: str
    """The study's instructions, as Markdown."""
    shown: tuple[GuideField, ...]
    look_for: tuple[str, ...]
    criteria: tuple[GuideCriterion, ...]
    cases: tuple[GuideCase, ...]
    skipping: tuple[tuple[str, str], ...]
    """Every reason for skipping, and when it applies."""
    keys: tuple[GuideKey, ...]
    session: tuple[str, ...]
    """Facts about the sitting, one sentence each."""
    folder: Path | None = None
    """The study's folder, in which the pictures of its texts lie."""


def make_guide(study: Study, material: Material) -> Guide:
    """Give the rater's guide of a study."""
    files = Files(study.directory) if study.directory is not None else None
    _ = catalogue(study.language).gettext
    criteria = tuple(
        _criterion(study, files, name, criterion) for name, criterion in study.criteria.items()
    )
    return Guide(
        title=study.words(study.title),
        language=study.language,
        protocol=study.protocol,
        task=study.words(study.instructions).strip(),
        shown=_shown(study, material),
        look_for=tuple(study.words(line).strip() for line in study.look_for),
        criteria=criteria,
        cases=tuple(_case(study, files, case) for case in study.cases),
        skipping=tuple((_(name), _(when)) for name, when in SKIP_REASONS.values()),
        keys=tuple(keys_of(study, criteria)),
        session=tuple(_session(study, material)),
        folder=study.directory,
    )


def title_of(name: str, language: str = "en") -> str:
    """Write a name as a title; the names that a study has by default are translated.

    >>> title_of("first_subject")
    'First subject'
    """
    words = catalogue(language).gettext(name).replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def caption_of(study: Study, field: str) -> str:
    """What raters know a field by: its caption or name; the field of path patterns, translated."""
    if given := study.words(study.show[field].caption):
        return given
    return catalogue(study.language).gettext("Output") if field == "output" else title_of(field)


def _shown(study: Study, material: Material) -> tuple[GuideField, ...]:
    of_items = {name for item in material.items.values() for name in item.fields}
    fields = []
    for name, shown in study.show.items():
        fields.append((name, caption_of(study, name), shown.medium))
        if shown.between is not None and shown.between not in study.show:
            fields.append((shown.between, title_of(shown.between), "text"))
    return tuple(
        GuideField(name=name, caption=caption, medium=medium, of_output=name not in of_items)
        for name, caption, medium in fields
    )


def _criterion(
    study: Study, files: Files | None, name: str, criterion: Criterion
) -> GuideCriterion:
    form = form_of(study.protocol, criterion)
    _ = catalogue(study.language).gettext
    parts: dict[str, Any] = {
        "anchors": _anchors(study, files, criterion, form),
        "confidence": tuple(_scale(study, files, criterion.confidence)),
        "kinds": tuple(_kinds(study, criterion)) if form == "spans" else (),
        "severities": tuple(map(_, criterion.severities or {})) if form == "spans" else (),
    }
    return GuideCriterion(
        name=name,
        title=title_of(name, study.language),
        question=study.words(criterion.question).strip(),
        look_for=study.words(criterion.look_for).strip(),
        answered=_answered(study, criterion, form),
        form=form,
        pass_mark=criterion.pass_mark,
        reason=criterion.reason,
        **parts,
    )


def form_of(protocol: Protocol, criterion: Criterion) -> AnswerForm:
    """How a criterion's question is answered under a protocol."""
    if criterion.categories is not None:
        return "spans"
    if protocol == "rank":
        return criterion.answer or "order"
    if protocol == "detect":
        return "origin"
    if criterion.scale is None:
        return "choice"
    if protocol == "compare" and criterion.per == "trial":
        return "graded"
    return "slider" if criterion.scale.step is not None else "scale"


def _answered(study: Study, criterion: Criterion, form: str) -> str:
    """How the question is answered."""
    own = catalogue(study.language)
    _ = own.gettext
    if form in ("scale", "slider") and criterion.scale is not None:
        return _scored(criterion.scale, form, each=study.protocol == "compare", own=own)
    together = _("Choose one answer for the two outputs together.")
    ties = " " + _("Outputs may share a place.") if criterion.ties else ""
    return {
        "choice": together,
        "graded": together,
        "order": _("Put the outputs in order, best first.") + ties,
        "best": _("Choose one output."),
        "origin": _("Choose one of the two answers."),
        "spans": _(
            "Mark each error in the text, then give its category and its severity. "
            "If the text has no error, say so."
        ),
    }[form]


def _scored(scale: Scale, form: str, *, each: bool, own: Catalogue) -> str:
    """How a score is given, once or ``each`` for both sides."""
    _ = own.gettext
    if form == "slider":
        words = (
            later("Move the slider between %(low)s and %(high)s for each of the two sides.")
            if each
            else later("Move the slider between %(low)s and %(high)s.")
        )
        return _(words, low=own.number(scale.low), high=own.number(scale.high))
    if len(scale.values) == 2:
        if each:
            return _("Choose one of the two answers for each of the two sides.")
        return _("Choose one of the two answers.")
    return _("Give one score for each of the two sides.") if each else _("Give one score.")


def _anchors(
    study: Study, files: Files | None, criterion: Criterion, form: str
) -> tuple[GuideAnchor, ...]:
    if form == "choice":
        allowed = criterion.choices or ()
        return _in_words_of(study, *(CHOICES[choice] for choice in CHOICES if choice in allowed))
    if form == "origin":
        return _in_words_of(study, *ORIGINS)
    if form == "graded" and criterion.scale is not None:
        return tuple(
            _anchor(study, files, criterion.scale, value, shown=str(place), key=str(place))
            for place, value in enumerate(criterion.scale.values, start=1)
        )
    return tuple(_scale(study, files, criterion.scale))


CHOICES: Final = {
    "a": GuideAnchor(value="a", shown="A", words=later("A is better."), key="1"),
    "b": GuideAnchor(value="b", shown="B", words=later("B is better."), key="2"),
    "tie": GuideAnchor(
        value="tie", shown=later("Tie"), words=later("Both are equally good."), key="0"
    ),
    "both_bad": GuideAnchor(
        value="both_bad", shown=later("Both bad"), words=later("Neither is good enough."), key="9"
    ),
}
ORIGINS: Final = (
    GuideAnchor(
        value="real", shown=later("Real"), words=later("No program generated it."), key="r"
    ),
    GuideAnchor(
        value="generated", shown=later("Generated"), words=later("A program generated it."), key="g"
    ),
)


def _in_words_of(study: Study, *anchors: GuideAnchor) -> tuple[GuideAnchor, ...]:
    """Say the anchors that every study has in its language."""
    _ = catalogue(study.language).gettext
    return tuple(replace(one, shown=_(one.shown), words=_(one.words)) for one in anchors)


def _scale(study: Study, files: Files | None, scale: Scale | None) -> Iterator[GuideAnchor]:
    if scale is None:
        return
    keys = scale.keys()
    for value in scale.values:
        shown = catalogue(study.language).number(value.value)
        yield _anchor(study, files, scale, value, shown=shown, key=keys.get(value.value))


def _anchor(
    study: Study,
    files: Files | None,
    scale: Scale,
    value: ScaleValue,
    *,
    shown: str,
    key: str | None,
) -> GuideAnchor:
    return GuideAnchor(
        value=value.value,
        shown=shown,
        words=study.anchor(scale, value).strip(),
        key=key,
        example=_media(files, value.example),
    )


def _kinds(study: Study, criterion: Criterion) -> Iterator[GuideKind]:
    for place, (name, words) in enumerate(criterion.all_categories.items(), start=1):
        weights = dict(criterion.severities or {})
        override = (criterion.weights or {}).get(name)
        if isinstance(override, dict):
            weights.update(override)
        elif override is not None:
            weights = dict.fromkeys(weights, override)
        yield GuideKind(
            name=name,
            words=study.words(words).strip(),
            weights=tuple(weights.items()),
            key=str(place) if place < 10 else None,
        )


def _case(study: Study, files: Files | None, case: Case) -> GuideCase:
    scores = []
    for name, given in case.scores.items():
        accepted = given if isinstance(given, list | tuple) else [given]
        criterion = study.criteria.get(name)
        scores.append((name, tuple(_score(study, criterion, one) for one in accepted)))
    return GuideCase(
        words=study.words(case.case).strip(),
        scores=tuple(scores),
        reason=study.words(case.reason).strip(),
        example=_media(files, case.example),
    )


def _score(study: Study, criterion: Criterion | None, given: Any) -> str:
    """One accepted answer as it is said in words."""
    _ = catalogue(study.language).gettext
    if isinstance(given, str):
        known = {**CHOICES, **{str(origin.value): origin for origin in ORIGINS}}
        return _(known[given].shown) if given in known else given
    if isinstance(given, int | float):
        name = criterion.scale.name if criterion is not None and criterion.scale else None
        if name == "yes-no":
            return _("Yes") if given else _("No")
        return catalogue(study.language).number(given)
    return str(given)


def _media(files: Files | None, name: str | None) -> GuideMedia | None:
    if name is None:
        return None
    if files is None:
        raise SpecError([Problem(message=f"{name} cannot be found: the study has no folder yet.")])
    try:
        return GuideMedia(name=name, path=files.find(name))
    except FileProblem as error:
        raise SpecError([Problem(message=f"The guide cannot show an example: {error}.")]) from None


def _session(study: Study, material: Material) -> Iterator[str]:
    words = catalogue(study.language)
    _ = words.gettext
    practice = sum(known.kind == "practice" for known in material.known.values())
    if practice:
        yield _practice(study, practice, words)
    minutes = words.number(study.session.minutes)
    yield _("A sitting is meant to last %(minutes)s minutes at most.", minutes=minutes)
    if study.session.break_every is not None:
        every = words.number(study.session.break_every)
        yield _("Every %(minutes)s minutes you are offered a break.", minutes=every)
    if study.session.back:
        yield _("You may go back and change an answer.")
    yield _("You may stop at any time; what you have answered is kept.")


def _practice(study: Study, trials: int, words: Catalogue) -> str:
    _ = words.gettext
    share = words.percent(study.quality.practice_pass)
    begin = words.ngettext(
        "You begin with one practice trial.", "You begin with %(num)s practice trials.", trials
    )
    follows = (
        _("You need %(share)s right to go on, and have two tries.", share=share)
        if study.quality.exclude.practice_failed
        else _("With fewer than %(share)s right you practice once more.", share=share)
    )
    return " ".join([begin, _("After each you see the right answer and why."), follows])
