"""The rater's guide as data: what to do, what to look for, what every answer means.

The page's instructions, the printed guide and a judge's prompt are all made from it, so that people
and models are told the same. Words are in the study's language where the study gives them; nothing
here is HTML.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from jurybox.errors import Problem, SpecError
from jurybox.study.criteria import Case, Criterion
from jurybox.study.files import FileProblem, Files
from jurybox.study.material import Material
from jurybox.study.model import Protocol, Study
from jurybox.study.scales import Scale, ScaleValue, format_value

__all__ = [
    "SKIP_REASONS",
    "Guide",
    "GuideAnchor",
    "GuideCase",
    "GuideCriterion",
    "GuideField",
    "GuideKey",
    "GuideKind",
    "GuideMedia",
    "make_guide",
]

SKIP_REASONS: Final[dict[str, tuple[str, str]]] = {
    "broken": ("Broken content", "something is missing, black, silent or cannot be displayed"),
    "cannot-decide": ("Cannot decide", "you have looked well and truly cannot tell"),
    "offensive": ("Offensive", "you do not want to look at it"),
    "other": ("Another reason", "say which, in a few words"),
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
    form: Literal["scale", "slider", "choice", "graded", "order", "best", "origin", "spans"]
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
class GuideKey:
    """A key and what it does."""

    key: str
    does: str


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
        skipping=tuple(SKIP_REASONS.values()),
        keys=tuple(_keys(study, criteria)),
        session=tuple(_session(study, material)),
        folder=study.directory,
    )


def title_of(name: str) -> str:
    """Write a name as a title.

    >>> title_of("first_subject")
    'First subject'
    """
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _shown(study: Study, material: Material) -> tuple[GuideField, ...]:
    of_items = {name for item in material.items.values() for name in item.fields}
    fields = []
    for name, shown in study.show.items():
        caption = study.words(shown.caption) or title_of(name)
        fields.append((name, caption, shown.medium))
        if shown.between is not None and shown.between not in study.show:
            fields.append((shown.between, title_of(shown.between), "text"))
    return tuple(
        GuideField(name=name, caption=caption, medium=medium, of_output=name not in of_items)
        for name, caption, medium in fields
    )


def _criterion(
    study: Study, files: Files | None, name: str, criterion: Criterion
) -> GuideCriterion:
    form = _form(study.protocol, criterion)
    parts: dict[str, Any] = {
        "anchors": _anchors(study, files, criterion, form),
        "confidence": tuple(_scale(study, files, criterion.confidence)),
        "kinds": tuple(_kinds(study, criterion)) if form == "spans" else (),
        "severities": tuple(criterion.severities or {}) if form == "spans" else (),
    }
    return GuideCriterion(
        name=name,
        title=title_of(name),
        question=study.words(criterion.question).strip(),
        look_for=study.words(criterion.look_for).strip(),
        answered=_answered(study, criterion, form),
        form=form,
        pass_mark=criterion.pass_mark,
        reason=criterion.reason,
        **parts,
    )


def _form(protocol: Protocol, criterion: Criterion) -> Any:
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
    if form in ("scale", "slider") and criterion.scale is not None:
        each = " for each of the two sides" if study.protocol == "compare" else ""
        low, high = format_value(criterion.scale.low), format_value(criterion.scale.high)
        if form == "slider":
            return f"Move the slider between {low} and {high}{each}."
        if len(criterion.scale.values) == 2:
            return f"Choose one of the two answers{each}."
        return f"Give one score{each}."
    return {
        "choice": "Choose one answer for the two outputs together.",
        "graded": "Choose one answer for the two outputs together.",
        "order": "Put the outputs in order, best first."
        + (" Outputs may share a place." if criterion.ties else ""),
        "best": "Choose one output.",
        "origin": "Choose one of the two answers.",
        "spans": "Mark each error in the text, then give its category and its severity. "
        "A text without errors is submitted without marks.",
    }[form]


def _anchors(
    study: Study, files: Files | None, criterion: Criterion, form: str
) -> tuple[GuideAnchor, ...]:
    if form == "choice":
        return tuple(CHOICES[choice] for choice in CHOICES if choice in (criterion.choices or ()))
    if form == "origin":
        return ORIGINS
    if form == "graded" and criterion.scale is not None:
        return tuple(
            _anchor(study, files, value, shown=str(place), key=str(place))
            for place, value in enumerate(criterion.scale.values, start=1)
        )
    return tuple(_scale(study, files, criterion.scale))


CHOICES: Final = {
    "a": GuideAnchor(value="a", shown="A", words="A is better.", key="1"),
    "b": GuideAnchor(value="b", shown="B", words="B is better.", key="2"),
    "tie": GuideAnchor(value="tie", shown="Tie", words="Both are equally good.", key="0"),
    "both_bad": GuideAnchor(
        value="both_bad", shown="Both bad", words="Neither is good enough.", key="9"
    ),
}
ORIGINS: Final = (
    GuideAnchor(value="real", shown="Real", words="No program generated it.", key="r"),
    GuideAnchor(value="generated", shown="Generated", words="A program generated it.", key="g"),
)


def _scale(study: Study, files: Files | None, scale: Scale | None) -> Iterator[GuideAnchor]:
    if scale is None:
        return
    keys = scale.keys()
    for value in scale.values:
        shown = format_value(value.value).replace("-", "−")
        yield _anchor(study, files, value, shown=shown, key=keys.get(value.value))


def _anchor(
    study: Study, files: Files | None, value: ScaleValue, *, shown: str, key: str | None
) -> GuideAnchor:
    return GuideAnchor(
        value=value.value,
        shown=shown,
        words=study.words(value.anchor).strip(),
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
        scores.append((name, tuple(_score(study.criteria.get(name), one) for one in accepted)))
    return GuideCase(
        words=study.words(case.case).strip(),
        scores=tuple(scores),
        reason=study.words(case.reason).strip(),
        example=_media(files, case.example),
    )


def _score(criterion: Criterion | None, given: Any) -> str:
    """One accepted answer as it is said in words."""
    if isinstance(given, str):
        known = {**CHOICES, **{str(origin.value): origin for origin in ORIGINS}}
        return known[given].shown if given in known else given
    if isinstance(given, int | float):
        name = criterion.scale.name if criterion is not None and criterion.scale else None
        if name == "yes-no":
            return "Yes" if given else "No"
        return format_value(given).replace("-", "−")
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


def _keys(study: Study, criteria: tuple[GuideCriterion, ...]) -> Iterator[GuideKey]:
    """The keys that answer, then those that move and help."""
    forms = {criterion.form for criterion in criteria}
    for choices in (criterion.anchors for criterion in criteria if criterion.form == "choice"):
        for anchor in choices:
            yield GuideKey(key=anchor.key or "", does=anchor.words.rstrip("."))
        break
    if "scale" in forms or "graded" in forms or any(c.confidence for c in criteria):
        yield GuideKey(key="0 … 9", does="The answer with this number, for the current question")
    chosen = [c.anchors for c in criteria if c.form == "scale"] + [c.confidence for c in criteria]
    odd = {(a.key, a.shown) for anchors in chosen for a in anchors if a.key and a.key != a.shown}
    for key, shown in sorted(odd):
        yield GuideKey(key=key, does=f"The score {shown}")
    if "origin" in forms:
        yield GuideKey(key="r", does="Real")
        yield GuideKey(key="g", does="Generated")
    if forms & {"order", "best"}:
        yield GuideKey(key="a b c …", does="Choose the output with this letter, the best first")
    if "order" in forms:
        if any(criterion.ties for criterion in study.criteria.values()):
            yield GuideKey(key="=", does="The next output shares the place of the last")
        yield GuideKey(key="Backspace", does="Undo the last choice")
    if "spans" in forms:
        yield from SPAN_KEYS
    if len(criteria) > 1:
        yield GuideKey(key="Tab", does="To the next question")
    media = {shown.medium for shown in study.show.values()}
    if media & {"image", "images"}:
        yield GuideKey(key="z", does="Zoom pictures")
    if media & {"audio", "video"}:
        yield GuideKey(key="p", does="Play or pause")
    yield GuideKey(key="Enter", does="Submit, once everything is answered")
    yield GuideKey(key="s", does="Skip this trial")
    taken = {a.key for c in criteria for a in (*c.anchors, *c.confidence)}
    taken |= {"b", "c"} if forms & {"order", "best"} else set()
    if "c" not in taken:
        yield GuideKey(key="c", does="Comment")
    if study.session.back and "b" not in taken:
        yield GuideKey(key="b n", does="Back to your last answer, and forward again")
    yield GuideKey(key="i", does="This guide")
    yield GuideKey(key="?", does="All keys")


SPAN_KEYS: Final = (
    GuideKey(key="← →", does="Move by word in the text"),
    GuideKey(key="Shift + ← →", does="Choose more words"),
    GuideKey(key="Enter", does="Mark the chosen words"),
    GuideKey(key="1 … 9", does="The category, then the severity, in the order of the list"),
    GuideKey(key="Esc", does="Give up this mark"),
    GuideKey(key="0", does="There is no error"),
)


def _session(study: Study, material: Material) -> Iterator[str]:
    practice = sum(known.kind == "practice" for known in material.known.values())
    minutes = format_value(study.session.minutes)
    if practice:
        share = f"{100 * study.quality.practice_pass:g}%"
        trials = "1 practice trial" if practice == 1 else f"{practice} practice trials"
        follows = (
            f"You need {share} right to go on, and have two tries."
            if study.quality.exclude.practice_failed
            else f"With fewer than {share} right you practice once more."
        )
        yield f"You begin with {trials}. After each you see the right answer and why. {follows}"
    yield f"A sitting is meant to last {minutes} minutes at most."
    if study.session.break_every is not None:
        yield f"Every {format_value(study.session.break_every)} minutes you are offered a break."
    if study.session.back:
        yield "You may go back and change an answer."
    yield "You may stop at any time; what you have answered is kept."
