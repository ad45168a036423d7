"""Argilla's records: fields, metadata, and the responses of each person to each question.

Three forms are read: records with ``responses`` by question (2.x), by person (1.x and its HTTP
interface), and flat ones with ``QUESTION.responses`` and ``QUESTION.responses.users`` (2.x).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jurybox.tally.importers.export import (
    Export,
    carried,
    first_record,
    read_records,
    say_unread,
    with_skips,
)
from jurybox.tally.mapping import TableMapping
from jurybox.tally.shapes import ShapeName

__all__ = ["find", "load"]

LONGEST = 60
"""Characters of an answer beyond which a question is taken to ask for a text."""
STATUSES = {"submitted": "answered", "discarded": "skipped"}
Answer = tuple[str, Any, str, str]
"""A question, its answer, who gave it, and its status."""


def find(paths: list[Path]) -> list[Path]:
    """The files of the format; all of them must be, or it is another one."""
    return paths if paths and all(path.is_file() and _is_mine(path) for path in paths) else []


def _is_mine(path: Path) -> bool:
    record = first_record(path, "responses")
    if any(str(key).endswith(".responses.users") for key in record):
        return True
    return isinstance(record.get("fields"), dict) and isinstance(
        record.get("responses"), list | dict
    )


def load(files: list[Path]) -> Export:
    """One row per question that a person answered; a discarded record is a skip."""
    found = [
        (_place(record), answer)
        for file in files
        for record in read_records(file)
        for answer in _answers(record)
    ]
    texts = {
        question
        for _, (question, value, _, _) in found
        if isinstance(value, str) and (len(value) > LONGEST or "\n" in value)
    }
    orders = _orders(found)
    rows: dict[ShapeName, list[dict[str, Any]]] = {"ratings": [], "rankings": []}
    skipped: list[dict[str, Any]] = []
    unread: Counter[str] = Counter()
    numbers: set[str] = set()
    for place, (question, value, rater, status) in found:
        row = {**place, "rater": rater, "criterion": question}
        if status not in STATUSES:
            unread["drafts"] += 1
        elif STATUSES[status] == "skipped":
            skipped.append({**place, "rater": rater})
        elif question in texts:
            unread[f"texts of {question}"] += 1
        elif isinstance(value, list) and value and all(_is_ranked(each) for each in value):
            for each in value:
                ranked = {"system": each["value"], "rank": each["rank"], "status": "answered"}
                rows["rankings"].append({**row, **ranked})
        elif question in orders:
            for rank, system in enumerate(value, start=1):
                ranked = {"system": system, "rank": rank, "status": "answered"}
                rows["rankings"].append({**row, **ranked})
        elif isinstance(value, str | int | float):
            numbers.update([question] if not isinstance(value, str) else [])
            rows["ratings"].append({**row, "score": value, "status": "answered"})
        else:
            unread[f"answers of several values to {question}"] += 1
    return Export(
        words="Argilla records: each question is a criterion, each person a rater",
        rows=with_skips(rows, skipped),
        left=say_unread(unread, "responses"),
        mapping=TableMapping(importer="argilla", levels=dict.fromkeys(sorted(numbers), "ordinal")),
    )


def _orders(found: list[tuple[dict[str, Any], Answer]]) -> set[str]:
    """The questions whose answers put the same words in different orders: rankings as 2.x writes.

    Several labels of one record are a list too, but not always of the same words.
    """
    given: dict[str, set[tuple[Any, ...]]] = defaultdict(set)
    for _, (question, value, _, status) in found:
        if STATUSES.get(status) == "answered":
            words = isinstance(value, list) and all(isinstance(each, str) for each in value)
            given[question].add(tuple(value) if words else ())
    return {
        question
        for question, lists in given.items()
        if len(lists) > 1
        and len({frozenset(each) for each in lists}) == 1
        and all(len(each) == len(set(each)) for each in lists)
    }


def _place(record: dict[str, Any]) -> dict[str, Any]:
    """The item of a record, and its plain fields."""
    if isinstance(record.get("fields"), dict):
        fields = {**carried(record["fields"]), **carried(record.get("metadata"))}
    else:
        fields = carried({k: v for k, v in record.items() if ".responses" not in k and k != "id"})
    item = fields.pop("item", None) or record.get("external_id") or record.get("id")
    return {**fields, "item": item}


def _is_ranked(each: Any) -> bool:
    return isinstance(each, dict) and "value" in each and "rank" in each


def _answers(record: dict[str, Any]) -> Iterator[Answer]:
    given = record.get("responses")
    if isinstance(given, dict):
        for question, answers in given.items():
            for each in answers or ():
                yield question, each.get("value"), _who(each), each.get("status") or "submitted"
    elif isinstance(given, list):
        for each in given:
            status = each.get("status") or "submitted"
            values = each.get("values") or {}
            if status == "discarded":
                yield "", None, _who(each), status
                continue
            for question, answer in values.items():
                value = answer.get("value") if isinstance(answer, dict) else answer
                yield question, value, _who(each), status
    else:
        yield from _flat(record)


def _flat(record: dict[str, Any]) -> Iterator[Answer]:
    for key, people in record.items():
        question, dot, _ = key.partition(".responses.users")
        if not dot or not people:
            continue
        values = record.get(f"{question}.responses") or [None] * len(people)
        statuses = record.get(f"{question}.responses.status") or ["submitted"] * len(people)
        for value, who, status in zip(values, people, statuses, strict=True):
            yield question, value, str(who), status or "submitted"


def _who(answer: dict[str, Any]) -> str:
    return str(answer.get("user_id") or answer.get("user") or "unknown")
