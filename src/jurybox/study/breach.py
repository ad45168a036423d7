"""Breaches: what is wrong inside a study, by path, in our own words.

pydantic finds the wrong types; its errors are turned into sentences here, at the innermost part of
the study that contains them, where the allowed keys are known. ``read`` adds the line and column.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from pydantic import ValidationError
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from jurybox.formats import in_words

__all__ = [
    "Breach",
    "breaches_of",
    "counted",
    "dotted",
    "nearest",
    "sentence",
    "show_value",
    "there_are",
    "wrong",
]

Path = tuple[str | int | float, ...]
KIND = "jurybox"
TAG = "\x1f"
"""Marks the part of a location that names a form, not a key; no YAML file can contain it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One thing wrong in a study: where, and what to do, as a phrase that follows the path."""

    path: Path
    message: str
    on_key: bool = False
    """Whether the key is at fault rather than its value."""
    also: tuple[Path, ...] = ()
    """Other places the judgment rests on: if one of these is wrong, this may be a consequence."""
    severity: Literal["error", "warning"] = "error"
    lacks: str | None = None
    """The key that is missing here, when that is what is wrong."""
    meant: str | None = None
    """The key that a misspelled one surely stands for."""

    def __str__(self) -> str:
        return sentence(
            f"{dotted(self.path)} {self.message}" if self.path else f"The study {self.message}"
        )


def sentence(text: str) -> str:
    """End a text with a period unless it has its own mark."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def dotted(path: Sequence[object]) -> str:
    """Write a path as people do.

    >>> dotted(("criteria", "realism", "scale", 0.5)), dotted(("cases", 0, "reason"))
    ('criteria.realism.scale.0.5', 'cases[1].reason')
    """
    text = ""
    for before, part in zip((None, *path), path, strict=False):
        if isinstance(part, int) and before in LISTS:
            text += f"[{part + 1}]"
        else:
            text += f".{_one_line(part)}" if text else _one_line(part)
    return text


def _one_line(value: object) -> str:
    """Make a text harmless in a message: one line, printable, not too long."""
    text = " ".join(str(value).split())
    text = "".join(letter if letter.isprintable() else "�" for letter in text)
    return f"{text[:40]}…" if len(text) > 41 else text


LISTS = frozenset({"cases", "look_for", "choices", "real", "stratify", "listed", "trials", "mean"})
LISTS |= {"geometric_mean", "win_rate", "values"}


def nearest(word: object, allowed: Iterable[str]) -> str:
    """Say the nearest valid spelling, or nothing.

    >>> nearest("protocl", ["title", "protocol"])
    '; did you mean `protocol`?'
    """
    close = closest(word, allowed)
    return f"; did you mean `{close}`?" if close else ""


def closest(word: object, allowed: Iterable[str], *, cutoff: float = 0.5) -> str | None:
    """The nearest valid spelling, whatever its case."""
    by_case = {name.casefold(): name for name in allowed}
    close = difflib.get_close_matches(str(word).casefold(), by_case, 1, cutoff)
    return by_case[close[0]] if close else None


def counted(number: int, noun: str) -> str:
    """Say how many there are.

    >>> counted(1, "cell"), counted(1200, "cell")
    ('1 cell', '1,200 cells')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def there_are(number: int, noun: str = "") -> str:
    """The same as a half-sentence.

    >>> there_are(1, "item"), there_are(0, "item"), there_are(2)
    ('there is 1 item', 'there are 0 items', 'there are 2')
    """
    return f"there {'is' if number == 1 else 'are'} {counted(number, noun) if noun else number}"


def show_value(value: object) -> str:
    """Name what was got, short enough for a sentence.

    >>> show_value({"a": 1}), show_value(True), show_value("x" * 90), show_value(None)
    ('a map', 'true', '`xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…`', 'nothing')
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "a map"
    if isinstance(value, list | tuple | set):
        return "a list"
    if isinstance(value, float) and not math.isfinite(value):
        return "a number that is not finite"
    if isinstance(value, int) and abs(value) >= 10**20:
        return "a huge number"
    if isinstance(value, str | int | float):
        return f"`{_one_line(value)}`"
    return f"a {type(value).__name__}"


def wrong(message: str, *, path: Path = (), on_key: bool = False) -> PydanticCustomError:
    """Make the error that a validator raises; ``message`` follows the path in the sentence."""
    return _carried(Breach(path=path, message=message, on_key=on_key))


def _carried(breach: Breach, *, path: Path | None = None) -> PydanticCustomError:
    context = {
        "message": breach.message,
        "path": breach.path if path is None else path,
        "on_key": breach.on_key,
        "lacks": breach.lacks,
        "meant": breach.meant,
    }
    return PydanticCustomError(KIND, "{message}", context)


def breaches_of(error: ValidationError) -> tuple[Breach, ...]:
    """All breaches in an error that a part of a study raised."""
    return tuple(dict.fromkeys(_breach(details, None) for details in error.errors()))


def raise_all(breaches: Iterable[Breach]) -> NoReturn:
    """Raise several breaches at once, as a validator does."""
    lines = [
        InitErrorDetails(type=_carried(breach, path=()), loc=_location(breach.path), input=None)
        for breach in breaches
    ]
    raise ValidationError.from_exception_data("study", lines)


def reraise(error: ValidationError, part: Any) -> NoReturn:
    """Raise the error again in our own words; ``part`` is the model class that met it."""
    found = [_breach(details, part) for details in error.errors()]
    unknown = {b.path[-1] for b in found if b.on_key and len(b.path) == 1}
    meant = {closest(key, keys_of(part)) for key in unknown}
    raise_all(b for b in found if b.path or b.lacks not in meant)


def _location(path: Path) -> tuple[str | int, ...]:
    """Keep a path as a location that pydantic can carry: a fraction becomes its text."""
    return tuple(repr(key) if isinstance(key, float) else key for key in path)


def _breach(details: ErrorDetails, part: Any) -> Breach:
    loc: Path = tuple(key for key in details["loc"] if not str(key).startswith(TAG))
    context = details.get("ctx", {})
    kind = details["type"]
    if kind == KIND:
        return Breach(
            path=(*loc, *context["path"]),
            message=context["message"],
            on_key=context["on_key"],
            lacks=context["lacks"],
            meant=context["meant"],
        )
    if loc and loc[-1] == "[key]":
        return Breach(path=loc[:-1], message=_phrase(details, context), on_key=True)
    if kind == "extra_forbidden":
        key = str(loc[-1])
        meant = None if part is None else closest(key, keys_of(part), cutoff=0.75)
        return Breach(path=loc, message=_unknown(key, part), on_key=True, meant=meant)
    if kind == "missing" and isinstance(loc[-1], int):
        return Breach(path=loc[:-1], message="must have two entries, as `[new, old]`")
    if kind == "missing":
        key = str(loc[-1])
        return Breach(path=loc[:-1], message=f"lacks `{key}`{MISSING.get(key, '')}", lacks=key)
    return Breach(path=loc, message=_phrase(details, context))


def keys_of(part: Any) -> list[str]:
    """The keys a part of the study file may have."""
    return [field.alias or name for name, field in part.model_fields.items()]


def _unknown(key: str, part: Any) -> str:
    allowed = [] if part is None else keys_of(part)
    advice = getattr(part, "advice", {}).get(key)
    if advice is not None:
        return f"is not a known key: {advice}"
    near = nearest(key, allowed)
    if not near or len(allowed) <= 6:
        near = f"; allowed: {', '.join(allowed)}{near}"
    return f"is not a known key{near}"


MISSING = {
    "title": ", the name of the study",
    "protocol": ": rate, compare, rank, detect or mark",
    "outputs": ", the table or path pattern of the outputs, as `answers/{system}.jsonl`",
    "show": ", the fields that raters see, as `show: {prompt: text, answer: markdown}`",
    "question": ", the words shown",
    "anchor": ", the sentence that says what the value means",
    "as": ": text, markdown, code, image, images, audio, video or chat",
}
SIMPLE = {
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a smaller number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "dict_type": "must be a map, as `{name: value}`",
    "mapping_type": "must be a map, as `{name: value}`",
    "model_type": "must be a map, as `{name: value}`",
    "model_attributes_type": "must be a map, as `{name: value}`",
    "tuple_type": "must be a list, as `[a, b]`",
    "list_type": "must be a list, as `[a, b]`",
    "none_required": "must be left out",
}


PATTERNS = {"^[a-z": "a language, as en or pt-BR"}


def _phrase(details: ErrorDetails, context: Mapping[str, Any]) -> str:
    kind, value = details["type"], details["input"]
    got = show_value(value)
    if kind == "literal_error":
        allowed = re.findall(r"'([^']*)'", str(context["expected"]))
        close = nearest(value, allowed) if isinstance(value, str) else ""
        return f"must be {in_words(allowed)}, got {got}{close}"
    bounds = {
        "greater_than": "more than {gt}",
        "greater_than_equal": "at least {ge}",
        "less_than": "less than {lt}",
        "less_than_equal": "at most {le}",
    }
    if kind in bounds:
        limit = {key: f"{bound:g}" for key, bound in context.items()}
        return f"must be {bounds[kind].format(**limit)}, got {got}"
    if kind in {"too_short", "too_long"}:
        limits = (context.get("min_length"), context.get("max_length"))
        wanted = next(str(limit) for limit in limits if limit is not None)
        edge = "at least" if kind == "too_short" else "at most"
        noun = "entry" if wanted == "1" else "entries"
        return f"must have {edge} {wanted} {noun}, got {context['actual_length']}"
    if kind == "string_too_long":
        return f"must have at most {context['max_length']} characters, got {got}"
    if kind == "string_too_short":
        return "must not be empty"
    if kind == "string_pattern_mismatch":
        wanted = PATTERNS.get(str(context["pattern"])[:5], "a name without `/ \\ | < >`")
        return f"must be {wanted}, got {got}"
    text = SIMPLE.get(kind, "has a value that does not fit here")
    quotes = kind == "string_type" and isinstance(value, int | float)
    hint = f'; put quotes around it: "{value}"' if quotes and len(str(value)) < 40 else ""
    return f"{text}, got {got}{hint}"
