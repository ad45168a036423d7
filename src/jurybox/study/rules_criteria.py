"""Rules of sense for criteria: they fit the protocol, and their scales can be answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jurybox.formats import in_words, joined
from jurybox.study.breach import Breach, Path, closest, nearest, show_value
from jurybox.study.criteria import TEXTUAL, Criterion
from jurybox.study.model import Study
from jurybox.study.scales import RESERVED_KEYS, Scale, format_value

__all__ = ["CRITERIA_RULES"]

FITS: dict[str, set[str]] = {
    "rate": {"scale", "pass_mark", "level", "direction"},
    "compare": {"scale", "choices", "pass_mark", "level", "direction"},
    "rank": {"answer", "ties"},
    "detect": set(),
    "mark": {"scale", "pass_mark", "level", "direction", "field", "categories", "severities"}
    | {"weights"},
}
EVERYWHERE = {"question", "look_for", "per", "confidence", "reason"}


def check_protocol(study: Study) -> Iterator[Breach]:
    """A criterion uses only what its protocol can ask."""
    for name, criterion in study.criteria.items():
        for key, field in Criterion.model_fields.items():
            if key in EVERYWHERE | FITS[study.protocol] or getattr(criterion, key) == field.default:
                continue
            if key == "level" and criterion.scale is not None:
                continue  # it comes with the scale, which is at fault already
            homes = [protocol for protocol, keys in FITS.items() if key in keys]
            message = f"is for {in_words(homes)}, not for {study.protocol}"
            path: Path = ("criteria", name, field.alias or key)
            yield Breach(path=path, message=message, on_key=True)
    if study.protocol == "detect" and len(study.criteria) > 1:
        second = list(study.criteria)[1]
        message = "is a second criterion; detect asks one question, real or generated"
        yield Breach(path=("criteria", second), message=message, on_key=True)


def check_form(study: Study) -> Iterator[Breach]:
    """A criterion has one form of answer, asked where its protocol asks it."""
    for name, criterion in study.criteria.items():
        path: Path = ("criteria", name)
        asks = [k for k in ("scale", "choices", "categories") if getattr(criterion, k) is not None]
        if len(asks) > 1:
            message = f"has {joined(asks)}; choose one"
            yield Breach(path=(*path, asks[1]), message=message, on_key=True)
        elif study.protocol == "compare":
            yield from _check_compare(path, criterion)
        elif criterion.per != ("trial" if study.protocol == "rank" else "output"):
            message = f"must be {'trial' if study.protocol == 'rank' else 'output'}"
            yield Breach(path=(*path, "per"), message=f"{message} in {study.protocol}")
        if criterion.answer == "best" and criterion.ties:
            yield Breach(path=(*path, "ties"), message="is for `answer: order`; the best is one")
    votes = [c for c in study.criteria.values() if c.per == "trial"]
    if study.protocol == "compare" and not votes:
        message = "judge single outputs only; compare needs one that is answered per trial"
        yield Breach(path=("criteria",), message=message)


def _check_compare(path: Path, criterion: Criterion) -> Iterator[Breach]:
    if criterion.choices is not None:
        if criterion.per == "output":
            yield Breach(path=(*path, "per"), message="must be trial with `choices`")
        if len(set(criterion.choices)) < len(criterion.choices):
            yield Breach(path=(*path, "choices"), message="names an answer twice")
        if not {"a", "b"} <= set(criterion.choices):
            yield Breach(path=(*path, "choices"), message="must have both a and b")
    if criterion.graded and criterion.scale is not None and not criterion.scale.symmetric:
        message = (
            "has no sign to name the winner; write `per: output` to ask it of each side,"
            " or a scale as cmos"
        )
        yield Breach(path=(*path, "scale"), message=message)
    if criterion.graded and criterion.pass_mark is not None:
        yield Breach(path=(*path, "pass"), message="is for scores of single outputs")


def check_scales(study: Study) -> Iterator[Breach]:
    """A scale's values are told apart, each can be reached, and a pass mark lies among them."""
    for name, criterion in study.criteria.items():
        path: Path = ("criteria", name)
        for key in ("scale", "confidence"):
            scale = getattr(criterion, key)
            if scale is not None:
                yield from _check_scale((*path, key), scale)
        if criterion.confidence is not None:
            yield from _check_probabilities((*path, "confidence"), criterion.confidence)
        if criterion.scale is not None:
            stated = [v for v in criterion.scale.values if v.probability is not None]
            if stated:
                where = (*path, "scale", _written(stated[0].value), "probability")
                yield Breach(path=where, message="is for confidence", on_key=True)
        yield from _check_level(path, criterion)


def _written(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _check_scale(path: Path, scale: Scale) -> Iterator[Breach]:
    values = [value.value for value in scale.values]
    twice = sorted({value for value in values if values.count(value) > 1})
    if twice:
        yield Breach(path=path, message=f"has the value {format_value(twice[0])} twice")
    if scale.step is not None:
        for value in values:
            if not scale.allows(value):
                message = f"cannot be reached in steps of {format_value(scale.step)}"
                message += f" from {format_value(scale.low)}"
                yield Breach(path=(*path, _written(value)), message=message, on_key=True)
    yield from _check_keys(path, scale)


def _check_keys(path: Path, scale: Scale) -> Iterator[Breach]:
    digits = {format_value(v.value): v.value for v in scale.values if v.key is None}
    taken: dict[str, float] = {}
    for value in scale.values:
        key = value.key
        if key is None:
            continue
        where = (*path, _written(value.value), "key")
        if not (key.isascii() and key.isalnum()) or key.casefold() in RESERVED_KEYS:
            reserved = " ".join(sorted(RESERVED_KEYS - {"?"}))
            message = f"must be a digit or a free letter (not {reserved}), got {show_value(key)}"
            yield Breach(path=where, message=message)
        elif key.casefold() in taken or key in digits:
            other = digits.get(key, taken.get(key.casefold()))
            message = f"{show_value(key)} already chooses {format_value(other or 0)}"
            yield Breach(path=where, message=message)
        taken[key.casefold()] = value.value


def _check_probabilities(path: Path, confidence: Scale) -> Iterator[Breach]:
    stated = [v.probability for v in sorted(confidence.values, key=lambda v: v.value)]
    given = [p for p in stated if p is not None]
    if given and len(given) < len(stated):
        yield Breach(path=path, message="states a probability for some values only")
    elif given != sorted(given):
        yield Breach(path=path, message="states probabilities that fall as the values rise")


def _check_level(path: Path, criterion: Criterion) -> Iterator[Breach]:
    scale = criterion.scale
    if scale is None:
        for key, value in (("level", criterion.level), ("pass", criterion.pass_mark)):
            if value is not None:
                yield Breach(path=(*path, key), message="needs a `scale`", on_key=True)
        return
    if criterion.level == "ratio" and scale.low < 0:
        message = f"cannot be ratio: the scale goes down to {format_value(scale.low)}"
        yield Breach(path=(*path, "level"), message=message)
    if criterion.pass_mark is None:
        return
    mark = format_value(criterion.pass_mark)
    if not scale.low <= criterion.pass_mark <= scale.high:
        low, high = format_value(scale.low), format_value(scale.high)
        message = f"must lie on the scale, {low} to {high}, got {show_value(mark)}"
        yield Breach(path=(*path, "pass"), message=message)
    elif criterion.level == "nominal" and len(scale.values) > 2:
        yield Breach(path=(*path, "pass"), message="needs ordered values; the level is nominal")


def check_marks(study: Study) -> Iterator[Breach]:
    """Spans have a text to stand in, and weights for categories that exist."""
    if study.protocol != "mark":
        return
    if not any(criterion.categories for criterion in study.criteria.values()):
        message = "lacks a criterion with `categories`; mark asks where an output goes wrong"
        yield Breach(path=(), message=message, also=(("criteria",),))
    texts = [name for name, shown in study.show.items() if shown.medium in TEXTUAL]
    for name, criterion in study.criteria.items():
        path: Path = ("criteria", name)
        if criterion.categories is None:
            for key in ("field", "severities", "weights"):
                if getattr(criterion, key) is not None:
                    yield Breach(path=(*path, key), message="needs `categories`", on_key=True)
            continue
        if criterion.field is None:
            message = f"lacks `field`, the text to mark: {in_words(texts)}"
            yield Breach(path=path, message=message, also=(("show",),))
        elif criterion.field not in texts:
            message = f"must be a text that is shown ({in_words(texts) or 'there is none'})"
            hint = nearest(criterion.field, texts)
            message += f", got {show_value(criterion.field)}{hint}"
            yield Breach(path=(*path, "field"), message=message, also=(("show",),))
        yield from _check_weights(path, criterion)


def _check_weights(path: Path, criterion: Criterion) -> Iterator[Breach]:
    """Weights name a category, a kind of one (`fluency/punctuation`), or a category of their own.

    A name that is nearly a category's is taken for a slip of the pen.
    """
    categories = list(criterion.categories or {})
    severities = list(criterion.severities or {})
    for name, weight in (criterion.weights or {}).items():
        root, _, kind = name.partition("/")
        near = closest(root, categories, cutoff=0.75)
        if root not in categories and (kind or near):
            hint = (
                f"; did you mean {show_value(near)}?"
                if near
                else f"; they are {in_words(categories)}"
            )
            message = f"names a category that does not exist{hint}"
            yield Breach(path=(*path, "weights", name), message=message, on_key=True)
        for severity in weight if isinstance(weight, dict) else ():
            if severity not in severities:
                message = f"is not a severity; they are {joined(severities)}"
                hint = nearest(severity, severities)
                where = (*path, "weights", name, severity)
                yield Breach(path=where, message=message + hint, on_key=True)


def check_derived(study: Study) -> Iterator[Breach]:
    """A derived criterion has one rule, over criteria that have scores."""
    scored = {
        name: criterion.scale
        for name, criterion in study.criteria.items()
        if criterion.scale is not None and criterion.per == "output"
    }
    for name, derived in study.derived.items():
        path: Path = ("derived", name)
        rules = [key for key in type(derived).model_fields if getattr(derived, key) is not None]
        if len(rules) != 1:
            message = "must have one of mean, geometric_mean and weighted_mean"
            yield Breach(path=path, message=f"{message}, got {joined(rules) or 'none'}")
            continue
        if name in study.criteria:
            yield Breach(path=path, message="is a criterion already; rename one", on_key=True)
        listed = isinstance(getattr(derived, rules[0]), tuple)
        for place, part in enumerate(derived.parts):
            where: Path = (*path, rules[0], place if listed else part)
            if part not in scored:
                what = "has no score" if part in study.criteria else "is not a criterion"
                message = f"names {show_value(part)}, which {what}{nearest(part, scored)}"
                yield Breach(path=where, message=message, also=(("criteria",),))
            elif part in derived.parts[:place]:
                yield Breach(path=where, message=f"names {show_value(part)} twice")
            elif rules[0] == "geometric_mean" and scored[part].low < 0:
                message = f"names {show_value(part)}, whose scale goes below 0: no geometric mean"
                yield Breach(path=where, message=message, also=(("criteria", part),))


def check_names(study: Study) -> Iterator[Breach]:
    """Criteria can stand as columns in the table of known answers."""
    quality = study.quality
    if not (quality.practice or quality.gold or quality.attention):
        return
    columns = {"item", "system", "system_a", "system_b", "systems", "explanation", *study.show}
    for name in study.criteria:
        if name in columns:
            message = "is also a column of the table of known answers; rename the criterion"
            yield Breach(path=("criteria", name), message=message, on_key=True)


def check_cases(study: Study) -> Iterator[Breach]:
    """Worked cases give scores that their criteria allow."""
    for place, case in enumerate(study.cases):
        for name, given in case.scores.items():
            path: Path = ("cases", place, "scores", name)
            criterion = study.criteria.get(name)
            if criterion is None:
                message = f"is not a criterion{nearest(name, study.criteria)}"
                yield Breach(path=path, message=message, on_key=True, also=(("criteria",),))
                continue
            for answer in given if isinstance(given, list | tuple) else [given]:
                allowed = _case_answers(study, criterion, answer)
                if allowed is not None:
                    message = f"must be {allowed}, got {show_value(answer)}"
                    yield Breach(path=path, message=message, also=(("criteria", name),))


def _case_answers(study: Study, criterion: Criterion, answer: Any) -> str | None:
    """What is allowed, when the answer is not."""
    if criterion.scale is not None:
        number = isinstance(answer, int | float) and not isinstance(answer, bool)
        return None if number and criterion.scale.allows(answer) else criterion.scale.describe()
    words = criterion.choices or (("real", "generated") if study.protocol == "detect" else None)
    if words is None or answer in words:
        return None
    return in_words(words)


CRITERIA_RULES: tuple[Callable[[Study], Iterator[Breach]], ...] = (
    check_protocol,
    check_form,
    check_scales,
    check_marks,
    check_derived,
    check_names,
    check_cases,
)
