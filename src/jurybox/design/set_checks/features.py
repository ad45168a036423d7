"""The features by which an output might be recognized: of its text, and of its files.

Numbers are rounded to two significant digits, since nobody notices less: 44.1 and 44 kHz, 5.00 and
5.02 seconds, −23.2 and −23.4 dB are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from jurybox.design.set_checks.check import Facts
from jurybox.design.set_checks.shown import files_in, media_fields, text_fields, text_in

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Output

__all__ = ["Feature", "Kind", "find_features"]

Kind = Literal[
    "length", "lines", "marks", "first_word", "pictures", "format", "size", "aspect", "duration",
    "sampling_rate", "channels", "loudness", "frame_rate", "sound",
]  # fmt: skip
Value = float | str | None

MARK = re.compile(r"\s*(?:#{1,6} |[-*+] |\d+[.)] |> |```|\|)")
"""What opens a line that is a heading, a list item, a quotation, code or a row of a table."""
FIRST_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """One feature of a field, with its value for each output; ``None`` where there is none."""

    kind: Kind
    field: str
    values: tuple[Value, ...]
    unmeasured: tuple[str, ...] = ()
    """Why, for each output that has the feature though nobody could measure it."""

    @property
    def varies(self) -> bool:
        """Whether two outputs differ in it."""
        return len({value for value in self.values if value is not None}) > 1

    @property
    def is_number(self) -> bool:
        """Whether outputs can be longer or shorter by it, rather than just different."""
        return all(isinstance(value, int | float) for value in self.values if value is not None)


def find_features(study: Study, outputs: Sequence[Output], facts: Facts) -> Iterator[Feature]:
    """Every feature that any of the outputs has, field by field."""
    rows = [output.fields for output in outputs]
    for field in text_fields(study, rows):
        texts = [text_in(row[field]) if row.get(field) is not None else None for row in rows]
        yield from _collect(field, [None if t is None else _of_text(t) for t in texts])
    for field in media_fields(study, rows):
        found = [_of_files(row.get(field), facts) for row in rows]
        unheard = tuple(reason for row in rows for reason in _unheard(row.get(field), facts))
        for feature in _collect(field, found):
            is_heard = feature.kind == "loudness"
            yield replace(feature, unmeasured=unheard) if is_heard else feature


def _collect(field: str, found: Sequence[Mapping[Kind, Value] | None]) -> Iterator[Feature]:
    kinds = dict.fromkeys(kind for each in found if each for kind in each)
    for kind in kinds:
        values = tuple(None if each is None else _noticed(each.get(kind)) for each in found)
        yield Feature(kind=kind, field=field, values=values)


def _of_text(text: str) -> dict[Kind, Value]:
    first = FIRST_WORD.search(text)
    lines = text.split("\n")
    bold = text.count("**") // 2
    return {
        "length": float(len(text)),
        "lines": float(len(lines)),
        "marks": float(bold + sum(MARK.match(line) is not None for line in lines)),
        "first_word": first[0].casefold() if first else "",
    }


def _of_files(value: Any, facts: Facts) -> dict[Kind, Value] | None:
    paths = files_in(value)
    if not paths:
        return None
    known = facts.get(paths[0], {})  # a series is drawn in one manner
    found: dict[Kind, Value] = {}
    if isinstance(value, tuple | list):
        found["pictures"] = float(len(paths))
    names: dict[Kind, str] = {
        "format": "format", "duration": "seconds", "sampling_rate": "sampling_rate",
        "channels": "channels", "loudness": "loudness", "frame_rate": "frame_rate",
        "sound": "sound",
    }  # fmt: skip
    width, height = known.get("width"), known.get("height")
    if isinstance(width, int | float) and isinstance(height, int | float) and height:
        found["size"] = float(width * height)
        found["aspect"] = width / height
    if "unheard" in known:
        found["loudness"] = None
    for kind, name in names.items():
        if name in known:
            found[kind] = known[name]
    return found


def _unheard(value: Any, facts: Facts) -> Iterator[str]:
    for path in files_in(value):
        reason = facts.get(path, {}).get("unheard")
        if reason is not None:
            yield str(reason)


def _noticed(value: Value) -> Value:
    """A value as far as it can be noticed.

    >>> _noticed(44100.0), _noticed(44000.0), _noticed(5.02), _noticed("PNG")
    (44000.0, 44000.0, 5.0, 'PNG')
    """
    return float(f"{value:.2g}") if isinstance(value, int | float) else value
