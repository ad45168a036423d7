"""Sheets coming back: every cell checked, then stored like any other response."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jurybox.design.answers import is_right, turn_back
from jurybox.design.plan import Slot, SlotId, Trial
from jurybox.design.trials import find_known
from jurybox.errors import InputError, RaterError
from jurybox.store.sheets.cells import CellProblem, is_empty, read_cell, read_text, to_shown
from jurybox.store.sheets.layout import Asked, asked_columns, has_row_per_output, letter
from jurybox.store.sheets.out import Edition, sheet_setting
from jurybox.store.sheets.tables import SheetRow, read_table
from jurybox.store.values import Submission
from jurybox.study.model import RaterId

if TYPE_CHECKING:
    from jurybox.store.store import Store

__all__ = ["ReadSheet", "read_sheet", "store_sheet"]

LEFT_EMPTY = "left empty in the sheet"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSheet:
    """A sheet whose every row is right: what will be stored, and how many trials are empty."""

    path: Path
    rater: RaterId
    submissions: tuple[Submission, ...]
    n_empty: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _About:
    """What the store remembers of a sheet it gave out."""

    sheet: str
    rater: RaterId
    version: int
    positions: Mapping[str, int]


def read_sheet(path: Path, store: Store, edition: Edition, *, now: datetime) -> ReadSheet:
    """Read a filled-in sheet; nothing is stored yet.

    Everything wrong is named in one ``InputError``, each with its row and column.
    """
    table = read_table(path)
    if not table.rows:
        raise InputError(f"{path}: there is no row in this sheet.")
    about, groups, problems = _find_slots(table.rows, store, edition)
    places = max((len(edition.plan.trial(s.trial).systems) for s in groups), default=1)
    asked = asked_columns(edition.study, places)
    missing = [column.name for column in asked if column.name not in table.columns]
    if missing:
        problems.insert(0, f"row 1: lacks the column {', '.join(map(repr, missing))}")
    submissions: list[Submission] = []
    n_empty = 0
    if about is not None and not missing:
        for slot, rows in groups.items():
            reader = _TrialReader(edition, slot, rows, asked)
            sent = reader.read(about, now=now)
            problems += reader.problems
            n_empty += sent is None and not reader.problems
            submissions += [sent] if sent is not None else []
    if problems or about is None:
        raise InputError("\n".join(f"{path}, {problem}." for problem in problems))
    return ReadSheet(path=path, rater=about.rater, submissions=tuple(submissions), n_empty=n_empty)


def store_sheet(store: Store, sheet: ReadSheet, *, now: datetime) -> tuple[int, int]:
    """How many trials were stored, and how many had been stored before just so.

    A trial that was answered otherwise before is superseded, as by a rater who goes back.
    """
    sent = [_with_id(store, submission) for submission in sheet.submissions]
    receipts = store.submit_many(sent, now=now)
    old = sum(receipt.duplicate for receipt in receipts)
    return len(receipts) - old, old


def _with_id(store: Store, submission: Submission) -> Submission:
    """The submission under the id of the one before it if they say the same, else a new one."""
    before = store.submissions(submission.rater, submission.trial)
    if before and _says(before[0].submission) == _says(submission):
        return replace(submission, id=before[0].submission.id)
    text = json.dumps([submission.session, _says(submission), len(before)], default=vars)
    return replace(submission, id=hashlib.sha256(text.encode()).hexdigest()[:32])


def _says(submission: Submission) -> Any:
    return [
        submission.trial,
        submission.status,
        submission.comment,
        [[getattr(a, name) for name in a.__slots__] for a in submission.answers],
    ]


def _find_slots(
    rows: Sequence[SheetRow], store: Store, edition: Edition
) -> tuple[_About | None, dict[Slot, dict[str, SheetRow]], list[str]]:
    """The sheet, and its rows by slot and place; rows that belong nowhere are problems."""
    slots = {slot.id: slot for slot in edition.plan.slots}
    groups: defaultdict[Slot, dict[str, SheetRow]] = defaultdict(dict)
    problems: list[str] = []
    about: _About | None = None
    for row in rows:
        given = read_text(row.cells.get("id"))
        if given is None:
            problems.append(f"row {row.number}, column id: is empty, so the row belongs nowhere")
            continue
        sheet, _, rest = given.partition(".")
        slot_id, _, place = rest.partition(".")
        if about is None or sheet != about.sheet:
            found = _recall(store, sheet)
            if about is not None and found is not None:
                problems.append(f"row {row.number}, column id: belongs to another rater's sheet")
                continue
            about = about or found
        slot = slots.get(SlotId(slot_id))
        if about is None or slot is None or slot.id not in about.positions:
            problems.append(f"row {row.number}, column id: '{given}' is no row of this study")
        elif place in groups[slot]:
            first = groups[slot][place].number
            problems.append(f"row {row.number}, column id: is the same as in row {first}")
        else:
            groups[slot][place] = row
    return about, dict(groups), problems


def _recall(store: Store, sheet: str) -> _About | None:
    text = store.setting(sheet_setting(sheet))
    if text is None:
        return None
    kept = json.loads(text)
    return _About(
        sheet=sheet,
        rater=RaterId(kept["rater"]),
        version=int(kept["version"]),
        positions=kept["positions"],
    )


class _TrialReader:
    """Reads the rows of one trial."""

    def __init__(
        self,
        edition: Edition,
        slot: Slot,
        rows: Mapping[str, SheetRow],
        asked: Sequence[Asked],
    ) -> None:
        self._edition = edition
        self._slot = slot
        self._trial: Trial = edition.plan.trial(slot.trial)
        self._rows = rows
        self._asked = asked
        self.problems: list[str] = []

    def read(self, about: _About, *, now: datetime) -> Submission | None:
        """What will be stored; ``None`` when the rows are empty, or when there are problems."""
        comment = "\n".join(filter(None, (read_text(r.cells.get("notes")) for _, r in self._own())))
        base = Submission(
            id="to be given",
            rater=about.rater,
            trial=self._trial.id,
            slot=self._slot.id,
            round=self._edition.plan.round,
            study_version=about.version,
            session=f"sheet {about.sheet}",
            position=about.positions[self._slot.id],
            order=self._slot.order,
            at=now,
            status="skipped",
            reason=LEFT_EMPTY,
            comment=comment or None,
        )
        if all(
            is_empty(row.cells.get(column.name)) for _, row in self._own() for column in self._asked
        ):
            return base if comment else None
        given = self._read_cells()
        if self.problems:
            return None
        study = self._edition.study
        try:
            answers = turn_back(
                study, self._trial, self._slot.order, to_shown(study, self._trial, given)
            )
        except RaterError as error:
            self._note(self._own()[0][1], None, str(error).rstrip("."))
            return None
        known = find_known(study, self._edition.material, self._trial)
        return replace(
            base,
            status="answered",
            reason=None,
            answers=answers,
            correct=None if known is None else is_right(study, known, answers),
        )

    def _own(self) -> list[tuple[int | None, SheetRow]]:
        """The rows in order, each with the place it is about."""
        return [
            (int(place) if place.isdecimal() else None, row)
            for place, row in sorted(self._rows.items())
        ]

    def _read_cells(self) -> dict[tuple[str, int | None, str], str | float]:
        given: dict[tuple[str, int | None, str], str | float] = {}
        n = len(self._trial.systems)
        if has_row_per_output(self._edition.study):
            there = {place for place, _ in self._own()}
            for place in sorted(set(range(n)) - there):
                phrase = f"the row of output {letter(place)} of the same trial is gone"
                self._note(self._own()[0][1], None, phrase)
        for own_place, row in self._own():
            for column in self._asked:
                about = column.place if column.place is not None else own_place
                if about is not None and about >= n:
                    continue
                for value in self._read_one(row, column):
                    given[column.criterion, about, column.part] = value
        return given

    def _read_one(self, row: SheetRow, column: Asked) -> Iterator[str | float]:
        cell = row.cells.get(column.name)
        if is_empty(cell):
            if column.required:
                self._note(row, column, "is empty, and others of this trial are filled in")
            return
        try:
            yield read_cell(column, cell)
        except CellProblem as problem:
            self._note(row, column, str(problem))

    def _note(self, row: SheetRow, column: Asked | None, phrase: str) -> None:
        where = f", column {column.name}" if column is not None else ""
        self.problems.append(f"row {row.number}{where}: {phrase}")
