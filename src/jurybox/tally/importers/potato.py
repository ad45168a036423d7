"""Potato's output: ``annotated_instances`` (JSONL, TSV or CSV), ``user_state.json``, its exports.

A schema is a criterion. Most have a label for every answer, and the chosen one is it; a Likert
scale calls its points ``scale_1`` or ``1``. Other labels hold the answer (a slider, a drop-down
list, the side that is preferred, one of several ratings): their values differ between forms,
while that of a label that can only be chosen is always the same.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any, NamedTuple

from jurybox.formats import format_count
from jurybox.tally.headings import delimiter_of, read_heading
from jurybox.tally.importers.export import Export, first_record, read_records, say_unread
from jurybox.tally.mapping import TableMapping

__all__ = ["find", "load"]

STATE = "instance_id_to_label_to_value"
BETWEEN = ":::"
"""What separates schema and label in a heading; in an exported table a dot does."""
WHO = ("instance_id", "user_id")
ORIGIN = "annotator_origin"
UNCHOSEN = ("", "false", "none", "null")
CHOSEN = ("true", "1", "on")
NUMBERED = re.compile(r"(?:scale_?)?(-?\d+(?:\.\d+)?)", re.IGNORECASE)
HOLDERS = ("slider", "number", "scale", "scale_value", "value", "rating", "selection", "")
"""Labels that hold the answer whatever it is."""
TEXTS = ("text_box", "free_response", "justification")
RANKING = "rank_order"
LONGEST = 60
"""Characters of an answer beyond which a label is taken to ask for a text."""
Labels = Mapping[str, Mapping[str, Any]]


class _Form(NamedTuple):
    """What a person answered on an instance."""

    item: Any
    who: Mapping[str, Any]
    schemas: Labels


def find(paths: list[Path]) -> list[Path]:
    """The files of the format; all of them must be, or it is another one."""
    files: list[Path] = []
    for path in paths:
        files += _in_folder(path) if path.is_dir() else [path]
    return files if files and all(_is_mine(file) for file in files) else []


def _in_folder(path: Path) -> list[Path]:
    """Of the several files that hold the same answers, those of one kind."""
    for pattern in ("annotated_instances.jsonl", "user_state.json", "annotations.jsonl"):
        found = sorted(path.rglob(pattern))
        if found:
            return found
    return sorted(p for end in ("tsv", "csv") for p in path.glob(f"annotated_instances.{end}"))


def _is_mine(path: Path) -> bool:
    if path.suffix.lower() in (".tsv", ".csv"):
        return _between(read_heading(path)) is not None
    record = first_record(path)
    exported = all(name in record for name in WHO) and isinstance(record.get("labels"), dict)
    return isinstance(record.get("label_annotations"), dict) or STATE in record or exported


def _between(heading: list[str]) -> str | None:
    """What separates schema and label in a table of these columns; ``None``: it is another's."""
    if any(BETWEEN in name for name in heading):
        return BETWEEN
    rest = [name for name in heading if name not in WHO and not name.startswith(ORIGIN)]
    exported = len(rest) and set(WHO) <= set(heading) and all("." in name for name in rest)
    return "." if exported else None


def load(files: list[Path]) -> Export:
    """One row per schema that a person answered."""
    forms = [form for file in files for form in _forms(file)]
    kinds = _Kinds(forms)
    rows: list[dict[str, Any]] = []
    unread: Counter[str] = Counter()
    numbers: set[str] = set()
    pages = 0
    for item, who, schemas in forms:
        if str(item).endswith(".html"):
            pages += 1
            continue
        for schema, labels in schemas.items():
            for criterion, answer in kinds.answers(schema, labels, unread):
                numbers.update([criterion] if NUMBERED.fullmatch(answer) else [])
                rows.append({"item": item, **who, "criterion": criterion, "score": answer})
    left = list(say_unread(unread, "answers"))
    left += [f"{format_count(pages, 'page')} of surveys left out"] if pages else []
    return Export(
        words="Potato's output: each schema is a criterion, each folder or user a rater",
        rows={"ratings": rows},
        left=tuple(left),
        mapping=TableMapping(importer="potato", levels=dict.fromkeys(sorted(numbers), "ordinal")),
    )


class _Kinds:
    """What the labels of each schema are, by the values that they have in all forms."""

    def __init__(self, forms: list[_Form]) -> None:
        seen: dict[tuple[str, str], set[str]] = defaultdict(set)
        for form in forms:
            for schema, labels in form.schemas.items():
                for name, value in _chosen(labels):
                    seen[schema, name].add(value)
        self.texts = {key for key, values in seen.items() if _is_text(key[1], values)}
        self.holding = {
            key for key, values in seen.items() if key not in self.texts and _holds(*key, values)
        }
        self.held = Counter(schema for schema, _ in self.holding)

    def answers(
        self, schema: str, labels: Mapping[str, Any], unread: Counter[str]
    ) -> Iterator[tuple[str, str]]:
        """Each criterion of a schema with its answer; what is none is counted."""
        picked = []
        for name, value in _chosen(labels):
            if (schema, name) in self.texts:
                unread[f"texts of {schema}"] += 1
            elif name == RANKING:
                unread[f"{schema}, a ranking"] += 1
            elif (schema, name) not in self.holding:
                picked.append(name)
            else:
                yield (f"{schema}.{name}" if self.held[schema] > 1 else schema), value
        if len(picked) > 1:
            unread[f"{schema}, several labels"] += 1
        elif picked:
            number = NUMBERED.fullmatch(picked[0].strip())
            yield schema, number[1] if number else picked[0]


def _chosen(labels: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The labels that say something; those with a line before are kept by the tool for itself."""
    return [
        (name, str(value))
        for name, value in labels.items()
        if value is not None
        and str(value).strip().lower() not in UNCHOSEN
        and not name.startswith("_")
    ]


def _is_text(name: str, values: Set[str]) -> bool:
    return name in TEXTS or any(len(value) > LONGEST or "\n" in value for value in values)


def _holds(schema: str, name: str, values: Set[str]) -> bool:
    """Whether a label holds an answer, or is one that can be chosen."""
    if name.strip().lower().rstrip("_") in HOLDERS or name == schema:
        return True
    if NUMBERED.fullmatch(name.strip()):
        return False
    said = {value for value in values if value != name and value.lower() not in CHOSEN}
    # A label that is chosen may be stored by its number, which is always the same one.
    return len(said) > 1 or any(not NUMBERED.fullmatch(value) for value in said)


def _forms(file: Path) -> Iterator[_Form]:
    if file.suffix.lower() in (".tsv", ".csv"):
        yield from _table(file)
        return
    for record in read_records(file):
        who = _who(record, file)
        if STATE in record:
            for item, labels in record[STATE].items():
                yield _Form(item, who, _schemas(labels))
        else:
            item = record.get("instance_id", record.get("id"))
            yield _Form(item, who, _schemas(record.get("label_annotations", record.get("labels"))))


def _who(record: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """Who answered; where tools and models did too, the export says so of everybody."""
    found = {"rater": str(record.get("user_id") or record.get("user") or file.parent.name)}
    origin = record.get(ORIGIN)
    kind = origin.get("kind") if isinstance(origin, Mapping) else origin
    return found | ({} if not kind else {"rater_kind": "person" if kind == "human" else "judge"})


def _schemas(labels: Any) -> Labels:
    """Labels by schema, from a dictionary or from pairs of a label and its value."""
    if isinstance(labels, Mapping):
        return {str(k): v if isinstance(v, Mapping) else {"": v} for k, v in labels.items()}
    found: dict[str, dict[str, Any]] = {}
    for label, value in labels or ():
        found.setdefault(str(label.get("schema")), {})[str(label.get("name"))] = value
    return found


def _table(file: Path) -> Iterator[_Form]:
    separator = _between(read_heading(file)) or BETWEEN
    with file.open(encoding="utf-8-sig", newline="") as lines:
        heading = lines.readline()
        lines.seek(0)
        for row in csv.DictReader(lines, delimiter=delimiter_of(file, heading)):
            schemas: dict[str, dict[str, Any]] = {}
            for name, value in row.items():
                schema, between, label = str(name).partition(separator)
                if between:
                    schemas.setdefault(schema, {})[label] = value
            yield _Form(row.get("instance_id") or row.get("id"), _who(row, file), schemas)
