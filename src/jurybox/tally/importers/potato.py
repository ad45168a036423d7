"""Potato's output: ``annotated_instances`` (JSONL, TSV or CSV) and ``user_state.json``.

A schema is a criterion. Of its labels the chosen one is the answer; a Likert scale calls its
points ``scale_1`` and so on, and sliders and numbers hold their value.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jurybox.tally.headings import delimiter_of, read_heading
from jurybox.tally.importers.export import Export, first_record, read_records, say_unread
from jurybox.tally.mapping import TableMapping

__all__ = ["find", "load"]

STATE = "instance_id_to_label_to_value"
BETWEEN = ":::"
"""What separates schema and label in a heading."""
UNCHOSEN = ("", "false", "none", "null")
NUMBERED = re.compile(r"(?:scale_?)?(-?\d+(?:\.\d+)?)", re.IGNORECASE)
HOLDERS = ("slider", "number", "scale", "value", "rating", "")
"""Labels of a schema that holds one number."""
Labels = Mapping[str, Mapping[str, Any]]


def find(paths: list[Path]) -> list[Path]:
    """The files of the format; all of them must be, or it is another one."""
    files: list[Path] = []
    for path in paths:
        files += _in_folder(path) if path.is_dir() else [path]
    return files if files and all(_is_mine(file) for file in files) else []


def _in_folder(path: Path) -> list[Path]:
    """Of the several files that hold the same answers, those of one kind."""
    for pattern in ("annotated_instances.jsonl", "user_state.json"):
        found = sorted(path.rglob(pattern))
        if found:
            return found
    return sorted(p for end in ("tsv", "csv") for p in path.glob(f"annotated_instances.{end}"))


def _is_mine(path: Path) -> bool:
    if path.suffix.lower() in (".tsv", ".csv"):
        return any(BETWEEN in name for name in read_heading(path))
    record = first_record(path)
    return isinstance(record.get("label_annotations"), dict) or STATE in record


def load(files: list[Path]) -> Export:
    """One row per schema that a person answered."""
    rows: list[dict[str, Any]] = []
    unread: Counter[str] = Counter()
    numbers: set[str] = set()
    pages = 0
    for file in files:
        for item, rater, schemas in _forms(file):
            if str(item).endswith(".html"):
                pages += 1
                continue
            for schema, labels in schemas.items():
                answer = _answer(schema, labels)
                if answer is None:
                    unread[f"{schema}, several labels"] += 1
                elif answer != "":
                    numbers.update([schema] if NUMBERED.fullmatch(answer) else [])
                    rows.append(
                        {"item": item, "rater": rater, "criterion": schema, "score": answer}
                    )
    left = list(say_unread(unread, "answers"))
    left += [f"{pages:,} pages of surveys are left out"] if pages else []
    return Export(
        words="Potato's output: each schema is a criterion, each folder or user a rater",
        rows={"ratings": rows},
        left=tuple(left),
        mapping=TableMapping(importer="potato", levels=dict.fromkeys(sorted(numbers), "ordinal")),
    )


def _forms(file: Path) -> Iterator[tuple[Any, str, Labels]]:
    """What each person answered on each instance."""
    if file.suffix.lower() in (".tsv", ".csv"):
        yield from _table(file)
        return
    folder = file.parent.name
    for record in read_records(file):
        who = str(record.get("user_id") or record.get("user") or folder)
        if STATE in record:
            for item, labels in record[STATE].items():
                yield item, who, _schemas(labels)
        else:
            item = record.get("instance_id", record.get("id"))
            yield item, who, _schemas(record.get("label_annotations"))


def _schemas(labels: Any) -> Labels:
    """Labels by schema, from a dictionary or from pairs of a label and its value."""
    if isinstance(labels, Mapping):
        return {str(k): v if isinstance(v, Mapping) else {"": v} for k, v in labels.items()}
    found: dict[str, dict[str, Any]] = {}
    for label, value in labels or ():
        found.setdefault(str(label.get("schema")), {})[str(label.get("name"))] = value
    return found


def _table(file: Path) -> Iterator[tuple[Any, str, Labels]]:
    with file.open(encoding="utf-8-sig", newline="") as lines:
        heading = lines.readline()
        lines.seek(0)
        for row in csv.DictReader(lines, delimiter=delimiter_of(file, heading)):
            schemas: dict[str, dict[str, Any]] = {}
            for name, value in row.items():
                schema, between, label = str(name).partition(BETWEEN)
                if between:
                    schemas.setdefault(schema, {})[label] = value
            item = row.get("instance_id") or row.get("id")
            yield item, str(row.get("user") or row.get("user_id") or file.parent.name), schemas


def _answer(schema: str, labels: Mapping[str, Any]) -> str | None:
    """The answer to a schema: empty where none is given, ``None`` where there are several."""
    chosen = [
        (name, str(value))
        for name, value in labels.items()
        if value is not None and str(value).strip().lower() not in UNCHOSEN
    ]
    if not chosen:
        return ""
    if len(chosen) > 1:
        return None
    ((name, value),) = chosen
    if number := NUMBERED.fullmatch(name.strip()):
        return number[1]
    held = name.strip().lower().rstrip("_") in HOLDERS or name == schema
    return value if held or value == name else name
