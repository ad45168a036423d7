"""Small plans, written by hand, for the tests of the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from jurybox.design.answers import Answer
from jurybox.design.plan import (
    Booklet,
    BookletId,
    Plan,
    Round,
    Slot,
    SlotId,
    Trial,
    TrialId,
    TrialKind,
)
from jurybox.store import Assignment, Store, Submission
from jurybox.store.plans import Truth
from jurybox.study.model import ItemId, RaterId, SystemId

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
LEASE = timedelta(minutes=30)


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def make_trial(
    id: str, item: str, systems: str = "x y", kind: TrialKind = "main", round: Round = "main"
) -> Trial:
    return Trial(
        id=TrialId(id),
        item=ItemId(item),
        systems=tuple(SystemId(s) for s in systems.split()),
        kind=kind,
        round=round,
    )


def make_plan(
    trials: Sequence[Trial], booklets: Sequence[str], *, overlap: int = 1, round: Round = "main"
) -> Plan:
    """Booklets as texts: `t1 t2-` shows t1 in canonical and t2 in reversed order."""
    by_id = {trial.id: trial for trial in trials}
    slots, made = [], []
    used: dict[str, int] = {}
    for number, content in enumerate(booklets):
        booklet = BookletId(f"{round}-b{number}")
        ids = []
        for position, word in enumerate(content.split()):
            trial = by_id[TrialId(word.rstrip("-"))]
            places = range(len(trial.systems))
            used[trial.id] = used.get(trial.id, 0) + 1
            slot = Slot(
                id=SlotId(f"{trial.id}/{used[trial.id]}"),
                trial=trial.id,
                order=tuple(reversed(places)) if word.endswith("-") else tuple(places),
                booklet=booklet,
                position=position,
                repeat=content.split()[:position].count(trial.id),
            )
            slots.append(slot)
            ids.append(slot.id)
        made.append(Booklet(id=booklet, slots=tuple(ids)))
    return Plan(
        seed=7,
        overlap=overlap,
        trials=tuple(trials),
        slots=tuple(slots),
        booklets=tuple(made),
        practice=tuple(trial.id for trial in trials if trial.kind == "practice"),
        round=round,
    )


def latin_plan(n_trials: int, overlap: int, *, per_booklet: int, systems: str = "x y") -> Plan:
    """Deal each trial to ``overlap`` booklets, sides alternating."""
    trials = [make_trial(f"t{n}", f"i{n}", systems) for n in range(n_trials)]
    booklets = []
    for copy in range(overlap):
        names = [f"t{n}{'-' if (n + copy) % 2 else ''}" for n in range(n_trials)]
        booklets += [
            " ".join(names[start : start + per_booklet])
            for start in range(0, n_trials, per_booklet)
        ]
    return make_plan(trials, booklets, overlap=overlap)


def fill(store: Store, plan: Plan, *, truth: Truth | None = None) -> None:
    """Save a version and a plan."""
    version = store.save_version('{"title": "small"}', "s1", "m1", kind="first", now=START)
    store.save_plan(plan, version=version, now=START, truth=truth)


def enroll(store: Store, *names: str) -> list[RaterId]:
    for name in names:
        store.enroll(RaterId(name), token_hash=f"hash of {name}", details={}, now=START)
    return [RaterId(name) for name in names]


def answer_to(given: Assignment, **changes: Any) -> Submission:
    """An answer to what was claimed: the canonically first system wins."""
    vote = Answer(criterion="preference", winner="a", first="a" if given.order[0] == 0 else "b")
    sent = Submission(
        id=f"{given.rater}:{given.slot}",
        rater=given.rater,
        trial=given.trial.id,
        slot=given.slot,
        round=given.trial.round,
        study_version=1,
        session="s",
        position=given.position,
        order=given.order,
        at=START,
        ms=1500,
        answers=(vote,),
    )
    return replace(sent, **changes)


def skip_of(given: Assignment, **changes: Any) -> Submission:
    return answer_to(
        given, **{"status": "skipped", "reason": "cannot decide", "answers": (), **changes}
    )
