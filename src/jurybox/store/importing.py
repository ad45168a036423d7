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
from typing import Any

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
        ranked: defaultdict[tuple[Any, ...], list[SystemId]] = defaultdict(list)
        for row in rows:
            if row.answer.rank is not None:
                ranked[_ranking_key(row)] += row.systems
        shown = [
            row.systems
            if row.answer.rank is None
            else tuple(dict.fromkeys(ranked[_ranking_key(row)]))
            for row in rows
        ]
        groups: dict[tuple[Any, ...], Group] = {}
        # Pairs and rankings first: a score of one output then finds the trial that it belongs to.
        for row, systems in sorted(zip(rows, shown, strict=True), key=lambda r: len(r[1]) == 1):
            trial = self._find(row, systems)
            if trial is not None:
                judged = (row.answer.first,) if row.rater_kind == "judge" else ()
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


def _ranking_key(row: ReadRow) -> tuple[Any, ...]:
    return (row.rater, row.item, row.answer.criterion, row.trial, row.repeat)


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
        for name, ranked in ranks.items():
            problem = _wrong_ranks(study, name, trial, [r.answer.rank or 0 for r in ranked])
            if problem:
                problems.append(ranked[0].row.problem(problem))


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
    first = next((row.answer.first for row in group if row.answer.first), None)
    order = () if first is None else (0, 1) if first == "a" else (1, 0)
    values: dict[str, Any] = {
        "rater": head.rater,
        "rater_kind": head.rater_kind,
        "trial": trial.id,
        "round": round,
        "study_version": version,
        "order": order,
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
