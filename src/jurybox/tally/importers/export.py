"""What an importer of nested files gives, and how such files are looked into."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jurybox.errors import InputError
from jurybox.tally.mapping import TableMapping
from jurybox.tally.shapes import ShapeName, known_columns

__all__ = ["Export", "carried", "first_record", "read_records", "say_unread", "with_skips"]

LOOK = 1 << 20
"""Characters of a file that are looked at to recognize it."""
SYSTEMS = ("system", "model", "system_a", "system_b", "model_a", "model_b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Rows by shape, and what was not read."""

    words: str
    """What the files are, in a sentence's words."""
    rows: Mapping[ShapeName, list[dict[str, Any]]]
    left: tuple[str, ...] = ()
    mapping: TableMapping = field(default_factory=TableMapping)
    scale: tuple[float, ...] = ()
    """The values of the format's scale, in order, where every score is one of them."""


def first_record(path: Path, *telling: str) -> dict[str, Any]:
    """The first record of a JSON or JSONL file, if all the telling words stand near its start."""
    if path.suffix.lower() not in (".json", ".jsonl", ".ndjson"):
        return {}
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        start = file.read(LOOK)
    if not all(word in start for word in telling):
        return {}
    body = start.lstrip().removeprefix("[").lstrip()
    try:
        record, _ = json.JSONDecoder().raw_decode(body)
    except ValueError:
        # The first record is longer than what was looked at.
        record = next(read_records(path), {})
    return record if isinstance(record, dict) else {}


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a JSON array, of a single object, or of JSON lines."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name}: the file is not UTF-8; save it as UTF-8") from error
    if path.suffix.lower() == ".json":
        try:
            found = json.loads(text)
        except json.JSONDecodeError as error:
            if "\n" not in text.strip():
                raise InputError(
                    f"{path.name}:{error.lineno}: this is not JSON ({error.msg})"
                ) from error
        else:
            yield from found if isinstance(found, list) else [found]
            return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except json.JSONDecodeError as error:
                raise InputError(f"{path.name}:{number}: this is not JSON ({error.msg})") from error


def carried(fields: Any) -> dict[str, Any]:
    """The plain fields of a record, for a mapping to choose from.

    ``model`` stands for ``system``; other fields with the name of a shape's column are left out,
    because what they hold is not known to be that.
    """
    found: dict[str, Any] = {}
    if not isinstance(fields, Mapping):
        return found
    for key, value in fields.items():
        name = str(key).strip()
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            continue
        if name.lower() in SYSTEMS:
            found[name.lower().replace("model", "system")] = value
        elif name.lower() == "item" or name.lower() not in known_columns():
            found[name] = value
    return found


def with_skips(
    rows: dict[ShapeName, list[dict[str, Any]]], skipped: list[dict[str, Any]]
) -> dict[ShapeName, list[dict[str, Any]]]:
    """The rows with the forms that nobody filled in, as whatever the others were filled in with.

    A ranking that was not made ranks no system: of rankings they are left out.
    """
    answered: list[ShapeName] = [shape for shape, made in rows.items() if made]
    for shape in answered or ["ratings"]:
        if shape != "rankings":
            rows[shape] += [{**row, "status": "skipped"} for row in skipped]
    return rows


def say_unread(counts: Counter[str], noun: str) -> tuple[str, ...]:
    """A sentence for what an importer does not read."""
    if not counts:
        return ()
    each = ", ".join(f"{name} ({n:,})" for name, n in sorted(counts.items()))
    return (f"{noun} that are not read: {each}",)
