"""Importing: rows of a table become submissions, all of them or none.

Rows of one rater and one trial are one submission, so everything a rater said of a trial must be
imported together. Planned trials are matched by item and systems, and their free slots used;
whatever the plan does not have becomes a trial outside of it. A submission's id is the hash of its
content: importing the same table twice stores it once, and a corrected row supersedes.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, or_

from jurybox.design.ids import make_id
from jurybox.design.plan import Round, Trial, TrialId
from jurybox.errors import Problem, SpecError
from jurybox.store.places import join_group
from jurybox.store.plans import Truth, load_trials, write_trials
from jurybox.store.raters import enroll, find_raters
from jurybox.store.rows import ReadRow
from jurybox.store.store import Store
from jurybox.store.submitting import content_hash
from jurybox.store.tables import trials
from jurybox.store.values import Submission
from jurybox.study.material import Material
from jurybox.study.model import ItemId, Study, SystemId
from jurybox.study.scales import format_value

__all__ = ["Imported", "import_rows"]

BATCH = 200
"""Submissions per transaction: others can write in between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import did."""

    rows: int
    submissions: int
    answered: int
    late: int
    """Answers to trials that had all their answers already."""
    duplicates: int
    """Submissions that had been imported before."""
    new_trials: int
    """Trials that the plan does not have."""


def import_rows(
    store: Store,
    study: Study,
    material: Material,
    rows: Sequence[ReadRow],
    *,
    version: int,
    now: datetime,
    round: Round = "main",
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Imported:
    """Store the rows; where they contradict each other, nothing, and ``SpecError`` lists it all."""
    known = store.database.read(
        lambda c: load_trials(c, or_(trials.c.plan == round, trials.c.plan.is_(None)))
    )
    sorter = _Sorter(material, [t for t in known.values() if t.kind == "main"], round)
    groups = sorter.group(rows)
    _check_groups(study, groups, sorter.problems)
    if sorter.problems:
        raise SpecError(sorted(sorter.problems, key=lambda p: (p.file or "", p.line or 0)))
    sent = [_submission(trial, group, version, round, now) for trial, group in groups]
    truth: Truth = (
        {s: "real" if s in study.real else "generated" for s in material.systems}
        if study.protocol == "detect"
        else {}
    )
    store.database.write(lambda c: _prepare(c, study, sorter.new, rows, truth, now))
    counts: Counter[str] = Counter()
    for start in range(0, len(sent), BATCH):
        batch = sent[start : start + BATCH]
        receipts = store.submit_many(batch, now=now)
        counts.update("duplicate" if r.duplicate else r.status for r in receipts)
        progress(min(start + BATCH, len(sent)), len(sent))
    return Imported(
        rows=len(rows),
        submissions=len(sent),
        answered=counts["answered"],
        late=counts["late"],
        duplicates=counts["duplicate"],
        new_trials=len(sorter.new),
    )


Group = tuple[Trial, list[ReadRow]]


@dataclass(slots=True)
class _Sorter:
    """Finds the trial that each row belongs to."""

    material: Material
    known: list[Trial]
    round: Round
    new: dict[TrialId, Trial] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    _by_id: dict[str, Trial] = field(init=False)
    _by_output: dict[tuple[ItemId, SystemId], list[Trial]] = field(init=False)
    _by_systems: dict[tuple[ItemId, frozenset[SystemId]], Trial] = field(init=False)

    def __post_init__(self) -> None:
        self._by_id = {trial.id: trial for trial in self.known}
        self._by_output = defaultdict(list)
        self._by_systems = {}
        for trial in self.known:
            self._by_systems.setdefault((trial.item, frozenset(trial.systems)), trial)
            for system in trial.systems:
                self._by_output[trial.item, system].append(trial)

    def group(self, rows: Sequence[ReadRow]) -> list[Group]:
        """The rows of each rater, trial, order and repeat, in the order of the table."""
        shown = _find_shown(rows)
        groups: dict[tuple[Any, ...], Group] = {}
        # Pairs and rankings first: a score of one output then finds the trial that it belongs to.
        for row, systems in sorted(zip(rows, shown, strict=True), key=lambda r: len(r[1]) == 1):
            trial = self._find(row, systems)
            if trial is not None:
                judged = (_first(row, trial),) if row.rater_kind == "judge" else ()
                key = (row.rater, trial.id, row.repeat, *judged)
                groups.setdefault(key, (trial, []))[1].append(row)
        return list(groups.values())

    def _find(self, row: ReadRow, shown: tuple[SystemId, ...]) -> Trial | None:
        named = self._by_id.get(row.trial or "")
        if named is not None:
            if named.item != row.item or not set(shown) <= set(named.systems):
                message = f"the trial '{named.id}' does not show this."
                self.problems.append(row.row.problem(message))
                return None
            return named
        exact = self._by_systems.get((row.item, frozenset(shown)))
        if exact is not None:
            return exact
        around = self._by_output[row.item, shown[0]] if len(shown) == 1 else []
        if len(around) > 1:
            message = "several trials show this output; say which in the column `trial`."
            self.problems.append(row.row.problem(message))
            return None
        return around[0] if around else self._make(row.item, shown)

    def _make(self, item: ItemId, shown: tuple[SystemId, ...]) -> Trial:
        systems = tuple(sorted(shown, key=self.material.systems.index))
        trial = Trial(
            id=TrialId(make_id("import", self.round, item, *systems)),
            item=item,
            systems=systems,
            round=self.round,
        )
        self.new[trial.id] = trial
        self._by_systems[item, frozenset(systems)] = trial
        for system in systems:
            self._by_output[item, system].append(trial)
        return trial


def _find_shown(rows: Sequence[ReadRow]) -> list[tuple[SystemId, ...]]:
    """The outputs that each row's screen showed, as far as the table tells.

    Those of one ranking, and those whose places, from 1 to the last, are all there.
    """
    systems: defaultdict[tuple[Any, ...], dict[SystemId, None]] = defaultdict(dict)
    places: defaultdict[tuple[Any, ...], set[int]] = defaultdict(set)
    keys = [_screen_key(row) for row in rows]
    for key, row in zip(keys, rows, strict=True):
        if key is not None:
            systems[key].update(dict.fromkeys(row.systems))
            places[key].add(row.place or 0)
    return [
        tuple(systems[key])
        if key is not None
        and (row.answer.rank is not None or places[key] == set(range(1, len(systems[key]) + 1)))
        else row.systems
        for key, row in zip(keys, rows, strict=True)
    ]


def _screen_key(row: ReadRow) -> tuple[Any, ...] | None:
    """What the rows of one screen share; none where a row does not say what stood beside it."""
    if row.answer.rank is None and row.place is None:
        return None
    ranking = row.answer.criterion if row.answer.rank is not None else None
    return (row.rater, row.item, ranking, row.trial, row.repeat)


def _first(row: ReadRow, trial: Trial) -> Literal["a", "b"] | None:
    """Which of two outputs a row says was shown first."""
    if row.answer.first is not None or row.place is None or len(trial.systems) != 2:
        return row.answer.first
    return "a" if (row.systems[0] == trial.systems[0]) == (row.place == 1) else "b"


def _order(trial: Trial, group: list[ReadRow]) -> tuple[int, ...] | None:
    """The order that a screen was shown in; empty if the rows do not say, none if they disagree."""
    said = {(row.place, row.systems[0]) for row in group if row.place is not None}
    first = next((row.answer.first for row in group if row.answer.first), None)
    first = first or next((first for row in group if (first := _first(row, trial))), None)
    order: tuple[int, ...]
    if first is not None:
        order = (0, 1) if first == "a" else (1, 0)
    else:
        order = tuple(trial.systems.index(system) for _, system in sorted(said))
        if order and sorted(order) != list(range(len(trial.systems))):
            return None
    shown = {(place, trial.systems[index]) for place, index in enumerate(order, start=1)}
    return order if said <= shown else None


def _check_groups(study: Study, groups: list[Group], problems: list[Problem]) -> None:
    """Refuse two answers to one question, and ranks that are no ranking."""
    for trial, group in groups:
        seen: dict[tuple[Any, ...], ReadRow] = {}
        for row in group:
            answer = row.answer
            span = (answer.start, answer.end, answer.category, answer.severity)
            key = (answer.criterion, answer.system, *(span if answer.field else ()))
            before = seen.setdefault(key, row)
            if before is not row:
                problems.append(row.row.problem(_repeated(row, before)))
        ranks: defaultdict[str, list[ReadRow]] = defaultdict(list)
        for row in seen.values():
            if row.answer.rank is not None:
                ranks[row.answer.criterion].append(row)
        if _order(trial, group) is None:
            problems.append(group[0].row.problem(_misplaced(trial, group)))
        for name, ranked in ranks.items():
            problem = _wrong_ranks(study, name, trial, [r.answer.rank or 0 for r in ranked])
            if problem:
                problems.append(ranked[0].row.problem(problem))


def _misplaced(trial: Trial, group: list[ReadRow]) -> str:
    """What is wrong with the places that the rows of a screen give."""
    places = dict.fromkeys(f"{row.systems[0]} at {row.place}" for row in group if row.place)
    first = next((row.systems[row.answer.first == "b"] for row in group if row.answer.first), None)
    told = f", and `first` is {first}" if first is not None else ""
    n = len(trial.systems)
    has = "one output has the place 1" if n == 1 else f"{n} outputs has the places 1 to {n}, once"
    return (
        f"place is wrong ({', '.join(places)}{told}): a screen of {has}; give every output of the "
        "screen its place, or leave `place` empty."
    )


def _repeated(row: ReadRow, before: ReadRow) -> str:
    """What is wrong with a second answer to one question."""
    place = f"row {before.row.row}"
    if before.row.file != row.row.file:
        place += f" of {before.row.file}"
    here, there = _values(row), _values(before)
    apart = [name for name in here if here[name] != there[name]]
    if not apart:
        return f"says again what {place} says; keep one of them."
    values = "; ".join(f"{name} is {here[name]} here and {there[name]} there" for name in apart)
    return f"contradicts {place}, which is by the same rater about the same: {values}."


def _values(row: ReadRow) -> dict[str, Any]:
    """What a row answers, by the name of its column; sides of a pair as their systems."""
    sides = dict(zip("ab", row.systems, strict=False))
    answer = row.answer
    values: dict[str, Any] = {
        "score": answer.score,
        "winner": sides.get(answer.winner or "", answer.winner),
        "first": sides.get(answer.first or "", answer.first),
        "strength": answer.strength,
        "rank": answer.rank,
        "answer": answer.answer,
        "confidence": answer.confidence,
        "comment": answer.reason_given,
    }
    return {
        name: format_value(value) if isinstance(value, float) else value or "empty"
        for name, value in values.items()
    }


def _wrong_ranks(study: Study, name: str, trial: Trial, ranks: list[float]) -> str | None:
    criterion = study.criteria[name]
    got = ", ".join(f"{rank:g}" for rank in sorted(ranks))
    if len(ranks) != len(trial.systems) or len(ranks) < 2:
        return f"'{name}' ranks {len(ranks)} of the {len(trial.systems)} outputs of its trial."
    if criterion.answer == "best":
        if sorted(ranks) != [1] + [2] * (len(ranks) - 1):
            return f"'{name}' is ranked {got}; the best is 1 and all others are 2."
    elif len(set(ranks)) < len(ranks) and not criterion.ties:
        return f"'{name}' is ranked {got}; two outputs may not share a rank."
    return None


def _submission(
    trial: Trial, group: list[ReadRow], version: int, round: Round, now: datetime
) -> Submission:
    head = group[0]
    values: dict[str, Any] = {
        "rater": head.rater,
        "rater_kind": head.rater_kind,
        "trial": trial.id,
        "round": round,
        "study_version": version,
        "order": _order(trial, group) or (),
        "repeat": head.repeat,
        "ms": head.carried["ms"],
        "position": head.carried["position"],
        "session": head.carried["session"],
        "at": head.carried["at"] or now,
        "timing": {"imported": head.row.file},
        "answers": tuple(row.answer for row in group),
    }
    content = content_hash(Submission(id="-", **values))
    return Submission(id=f"import-{hashlib.sha256(content.encode()).hexdigest()[:32]}", **values)


def _check_grouped(connection: Connection, rows: Sequence[ReadRow]) -> None:
    """Refuse people of no group where every slot is for a rater of one."""
    groups = {rater.id: rater.group for rater in find_raters(connection)}
    lacking = {
        row.rater: row
        for row in reversed(rows)
        if row.rater_kind == "person" and groups[row.rater] is None
    }
    message = "every trial is answered in each group (raters.each); give the rater's `group`."
    if lacking:
        raise SpecError([row.row.problem(message) for row in reversed(lacking.values())])


def _prepare(
    connection: Connection,
    study: Study,
    new: dict[TrialId, Trial],
    rows: Sequence[ReadRow],
    truth: Truth,
    now: datetime,
) -> None:
    """Enroll the raters and write the trials that the plan does not have."""
    there = {rater.id for rater in find_raters(connection)}
    for rater, kind in dict.fromkeys((row.rater, row.rater_kind) for row in rows):
        if rater not in there:
            enroll(connection, rater, token_hash=None, kind=kind, details={}, now=now)
    for rater, group in {row.rater: row.group for row in rows if row.group}.items():
        join_group(connection, rater, group)
    if study.raters is not None and study.raters.each:
        _check_grouped(connection, rows)
    write_trials(connection, enumerate(new.values()), plan=None, practice={}, truth=truth)
