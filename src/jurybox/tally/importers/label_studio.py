"""Label Studio's JSON export: tasks with ``data``, and ``annotations`` with a ``result`` each."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from jurybox.formats import format_count
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

SIDES = {"left": "a", "right": "b"}


def find(paths: list[Path]) -> list[Path]:
    """The files of the format; all of them must be, or it is another one."""
    return paths if paths and all(path.is_file() and _is_mine(path) for path in paths) else []


def _is_mine(path: Path) -> bool:
    record = first_record(path, '"data"', '"result"')
    made = record.get("annotations", record.get("completions"))
    return isinstance(record.get("data"), dict) and isinstance(made, list)


def load(files: list[Path]) -> Export:
    """One row per control that a person answered; a cancelled form is a skip."""
    made = _Rows()
    for file in files:
        for record in read_records(file):
            made.add(record)
    left = list(say_unread(made.unread, "controls"))
    for n, what, how in (
        (made.gold, "form", " marked as ground truth"),
        (made.models, "prediction", ""),
    ):
        left += [f"{format_count(n, what)}{how} left out"] if n else []
    levels = dict.fromkeys(sorted(made.stars), "ordinal")
    return Export(
        words="a Label Studio export: each control is a criterion, each form's author a rater",
        rows=with_skips(made.rows, made.skipped),
        left=tuple(left),
        mapping=TableMapping(importer="label_studio", levels=levels),
    )


class _Rows:
    """Rows by shape, and what was left out on the way."""

    def __init__(self) -> None:
        self.rows: dict[ShapeName, list[dict[str, Any]]] = {
            "ratings": [],
            "votes": [],
            "rankings": [],
        }
        self.skipped: list[dict[str, Any]] = []
        self.unread: Counter[str] = Counter()
        self.stars: set[str] = set()
        self.gold = 0
        self.models = 0

    def add(self, record: dict[str, Any]) -> None:
        """Every form that was filled in for one item."""
        fields = carried(record.get("data"))
        item = fields.pop("item", None) or record.get("id")
        self.models += len(record.get("predictions") or ())
        for form in record.get("annotations", record.get("completions")) or ():
            if form.get("ground_truth"):
                self.gold += 1
                continue
            row = {**fields, "item": item, "rater": _who(form.get("completed_by"))}
            seconds = form.get("lead_time")
            if isinstance(seconds, int | float):
                row["ms"] = round(1000 * seconds)
            if form.get("was_cancelled"):
                self.skipped.append(row)
                continue
            for answer in form.get("result") or ():
                self._answer(row, answer)

    def _answer(self, row: dict[str, Any], answer: dict[str, Any]) -> None:
        kind, value = str(answer.get("type")), answer.get("value") or {}
        row = {**row, "criterion": answer.get("from_name"), "status": "answered"}
        if answer.get("item_index") is not None:
            # One of several pictures of the item, each judged by itself.
            row["item"] = f"{row['item']}/{answer['item_index']}"
        given = value.get(kind)
        if kind in ("choices", "rating", "number") and set(value) > {kind}:
            # Where in the output it was given: an answer about a part of it.
            self.unread[f"{kind} of regions"] += 1
        elif kind == "choices" and isinstance(given, list) and len(given) == 1:
            self.rows["ratings"].append({**row, "score": given[0]})
        elif kind in ("rating", "number") and isinstance(given, int | float):
            self.stars.update([str(row["criterion"])] if kind == "rating" else [])
            self.rows["ratings"].append({**row, "score": given})
        elif kind == "pairwise" and value.get("selected") in SIDES:
            self.rows["votes"].append({**row, "winner": SIDES[value["selected"]]})
        elif kind == "ranker" and (order := _order(given)):
            for rank, system in enumerate(order, start=1):
                self.rows["rankings"].append({**row, "system": system, "rank": rank})
        else:
            several = kind == "choices" and isinstance(given, list)
            self.unread["choices of several" if several else kind] += 1


def _who(author: Any) -> str | None:
    """The author of a form: an id, or a person's record."""
    if isinstance(author, dict):
        author = author.get("email") or author.get("username") or author.get("id")
    return None if author is None else str(author)


def _order(given: Any) -> list[str]:
    """The only list of a ranking; ``_`` is what nobody moved out of the list to be ranked."""
    named = given if isinstance(given, dict) else {"": given}
    lists = [each for name, each in named.items() if each or name != "_"]
    if len(lists) != 1 or not isinstance(lists[0], list):
        return []
    return [str(each) for each in lists[0]]
