"""The plan in the store: written once, extended without touching what is there, read back whole."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, Literal

from sqlalchemy import Connection, Text, bindparam, func, insert, select, type_coerce, update
from sqlalchemy.sql.elements import ColumnElement

from jurybox.design.plan import Booklet, BookletId, Plan, Round, Slot, Trial, TrialId
from jurybox.errors import StoreError
from jurybox.store.tables import booklets, plans, slots, trial_outputs, trials, versions
from jurybox.store.values import Edition
from jurybox.study.model import ItemId, SystemId

__all__ = [
    "Truth",
    "extend_plan",
    "load_plan",
    "load_trials",
    "read_edition",
    "save_plan",
    "write_trials",
]

Truth = Mapping[str, Literal["real", "generated"]]
"""For detect: what each system is."""


def save_plan(
    connection: Connection, plan: Plan, *, version: int, truth: Truth | None, now: datetime
) -> None:
    """Write a round's plan; writing the same plan again changes nothing."""
    there = load_plan(connection, plan.round)
    if there == plan:
        return
    if there is not None:
        raise StoreError(
            f"The round '{plan.round}' has a plan already; additions extend it, and a change of "
            "meaning needs a new round."
        )
    known = _truth(connection, plan, version)
    connection.execute(
        insert(plans).values(
            round=plan.round, seed=plan.seed, overlap=plan.overlap, version=version, at=now
        )
    )
    _write_new(connection, plan, None, truth or known)


def extend_plan(
    connection: Connection, plan: Plan, *, version: int, truth: Truth | None, now: datetime
) -> None:
    """Add what the plan has more than the stored one, which must stand in it unchanged."""
    old = load_plan(connection, plan.round)
    if old is None:
        raise StoreError(f"The round '{plan.round}' has no plan that could be extended.")
    _check_kept("trial", {t.id: t for t in old.trials}, {t.id: t for t in plan.trials})
    _check_kept("slot", {s.id: s for s in old.slots}, {s.id: s for s in plan.slots})
    kept = [(b.id, b.group) for b in plan.booklets[: len(old.booklets)]]
    if kept != [(b.id, b.group) for b in old.booklets]:
        raise StoreError(
            "An extended plan must keep the booklets it had, first and in their order."
        )
    known = _truth(connection, plan, version)
    connection.execute(
        update(plans)
        .where(plans.c.round == plan.round)
        .values(overlap=plan.overlap, version=version, at=now)
    )
    _write_new(connection, plan, old, truth or known)
    _renumber(connection, plan, old)


def _truth(connection: Connection, plan: Plan, version: int) -> Truth:
    """What each system is, by the version of the study: in detect, `real` lists the real ones."""
    text = connection.scalar(select(versions.c.study_json).where(versions.c.number == version))
    if text is None:
        raise StoreError(f"There is no version {version} of this study in its store.")
    try:
        data = json.loads(text)
    except ValueError:
        return {}
    study = data.get("study", data) if isinstance(data, dict) else None
    if not isinstance(study, dict) or study.get("protocol") != "detect":
        return {}
    systems = {system for trial in plan.trials if trial.kind == "main" for system in trial.systems}
    real = study.get("real") or ()
    return {system: "real" if system in real else "generated" for system in systems}


def _check_kept(word: str, old: Mapping[Any, Any], new: Mapping[Any, Any]) -> None:
    for id, value in old.items():
        if new.get(id) != value:
            raise StoreError(
                f"An extended plan must keep what it had, but the {word} '{id}' is "
                f"{'changed' if id in new else 'gone'}; such a change needs a new round."
            )


def _write_new(connection: Connection, plan: Plan, old: Plan | None, truth: Truth) -> None:
    had_trials = {t.id for t in old.trials} if old else set()
    had_booklets = {b.id for b in old.booklets} if old else set()
    had_slots = {s.id for s in old.slots} if old else set()
    write_trials(
        connection,
        ((n, trial) for n, trial in enumerate(plan.trials) if trial.id not in had_trials),
        plan=plan.round,
        practice={id: place for place, id in enumerate(plan.practice)},
        truth=truth,
    )
    _write(
        connection,
        booklets,
        [
            {"id": booklet.id, "round": plan.round, "number": number, "group": booklet.group}
            for number, booklet in enumerate(plan.booklets)
            if booklet.id not in had_booklets
        ],
    )
    _write(
        connection,
        slots,
        [
            {
                "id": slot.id,
                "trial": slot.trial,
                "booklet": slot.booklet,
                "position": slot.position,
                "number": number,
                "repeat": slot.repeat,
                "shown_order": list(slot.order),
            }
            for number, slot in enumerate(plan.slots)
            if slot.id not in had_slots
        ],
    )


def write_trials(
    connection: Connection,
    numbered: Iterable[tuple[int, Trial]],
    *,
    plan: Round | None,
    practice: Mapping[TrialId, int],
    truth: Truth,
) -> None:
    """Write trials with the systems they show; ``plan`` is none for imported ones."""
    rows, outputs = [], []
    for number, trial in numbered:
        rows.append(
            {
                "id": trial.id,
                "plan": plan,
                "round": trial.round,
                "kind": trial.kind,
                "item": trial.item,
                "number": number,
                "practice": practice.get(trial.id),
                "one_per_item": any(system in truth for system in trial.systems),
            }
        )
        outputs += [
            {"trial": trial.id, "place": place, "system": system, "truth": truth.get(system)}
            for place, system in enumerate(trial.systems)
        ]
    taken = _taken(connection, [row["id"] for row in rows])
    if taken:
        raise StoreError(
            f"The trial '{taken}' is in the store already, in another round; "
            "trial ids must differ between rounds."
        )
    _write(connection, trials, rows)
    _write(connection, trial_outputs, outputs)


def _taken(connection: Connection, ids: list[Any]) -> str | None:
    for start in range(0, len(ids), 500):
        found = connection.scalar(
            select(trials.c.id).where(trials.c.id.in_(ids[start : start + 500])).limit(1)
        )
        if found is not None:
            return str(found)
    return None


def _write(connection: Connection, table: Any, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), rows)


def _renumber(connection: Connection, plan: Plan, old: Plan) -> None:
    """Move stored trials and slots to their places in the extended plan."""
    practice = {id: place for place, id in enumerate(plan.practice)}
    for table, before, after in (
        (trials, [t.id for t in old.trials], [t.id for t in plan.trials]),
        (slots, [s.id for s in old.slots], [s.id for s in plan.slots]),
    ):
        were: dict[str, int] = {id: number for number, id in enumerate(before)}
        moved = [
            {"its": id, "now": number}
            for number, id in enumerate(after)
            if were.get(id, number) != number
        ]
        if moved:
            statement = update(table).where(table.c.id == bindparam("its"))
            connection.execute(statement.values(number=bindparam("now")), moved)
    if plan.practice != old.practice:
        connection.execute(update(trials).where(trials.c.plan == plan.round).values(practice=None))
        for id, place in practice.items():
            connection.execute(update(trials).where(trials.c.id == id).values(practice=place))


def load_plan(connection: Connection, round: Round) -> Plan | None:
    """The plan of a round as it was saved."""
    head = connection.execute(select(plans).where(plans.c.round == round)).one_or_none()
    if head is None:
        return None
    places = {
        row.id: row.practice
        for row in connection.execute(
            select(trials.c.id, trials.c.practice).where(
                trials.c.plan == round, trials.c.practice.is_not(None)
            )
        )
    }
    columns = (slots.c.id, slots.c.trial, slots.c.booklet, slots.c.position, slots.c.repeat)
    found = connection.execute(
        select(*columns, type_coerce(slots.c.shown_order, Text))
        .join(booklets, booklets.c.id == slots.c.booklet)
        .where(booklets.c.round == round)
        .order_by(slots.c.number)
    )
    # A plan may have hundreds of thousands of slots, and has few orders: each is read once.
    read_order = cache(lambda text: tuple(json.loads(text)))
    all_slots = tuple(
        Slot(
            id=id, trial=trial, order=read_order(order),
            booklet=booklet, position=position, repeat=repeat,
        )
        for id, trial, booklet, position, repeat, order in found
    )  # fmt: skip
    return Plan(
        seed=head.seed,
        overlap=head.overlap,
        trials=tuple(load_trials(connection, trials.c.plan == round).values()),
        slots=all_slots,
        booklets=_load_booklets(connection, round, all_slots),
        practice=tuple(TrialId(id) for id in sorted(places, key=places.__getitem__)),
        round=round,
    )


def read_edition(connection: Connection) -> Edition:
    """The number of the latest version, and when each round's plan was made or extended last."""
    found = connection.execute(select(plans.c.round, plans.c.at).order_by(plans.c.round))
    return Edition(
        version=connection.scalar(select(func.max(versions.c.number))) or 0,
        planned=tuple((row.round, row.at) for row in found),
    )


def _load_booklets(
    connection: Connection, round: Round, all_slots: tuple[Slot, ...]
) -> tuple[Booklet, ...]:
    contents: defaultdict[BookletId, list[Slot]] = defaultdict(list)
    for slot in all_slots:
        contents[slot.booklet].append(slot)
    found = connection.execute(
        select(booklets.c.id, booklets.c.group)
        .where(booklets.c.round == round)
        .order_by(booklets.c.number)
    )
    return tuple(
        Booklet(
            id=BookletId(row.id),
            slots=tuple(s.id for s in sorted(contents[row.id], key=lambda s: s.position)),
            group=row.group,
        )
        for row in found
    )


def load_trials(connection: Connection, where: ColumnElement[bool]) -> dict[TrialId, Trial]:
    """The trials that a condition on ``trials`` chooses, by id, in the order of the plan."""
    systems: defaultdict[str, list[SystemId]] = defaultdict(list)
    shown = connection.execute(
        select(trial_outputs.c.trial, trial_outputs.c.system)
        .join(trials, trials.c.id == trial_outputs.c.trial)
        .where(where)
        .order_by(trial_outputs.c.trial, trial_outputs.c.place)
    )
    for row in shown:
        systems[row.trial].append(SystemId(row.system))
    found = connection.execute(select(trials).where(where).order_by(trials.c.number))
    return {
        TrialId(row.id): Trial(
            id=TrialId(row.id),
            item=ItemId(row.item),
            systems=tuple(systems[row.id]),
            kind=row.kind,
            round=row.round,
        )
        for row in found
    }
