"""A study made ready: read, checked against what the store remembers, planned or extended.

`plan`, `sheets` and `serve` begin alike: a first version is taken and planned; later, free and
recorded changes are taken, additions extend the plan, and a change of meaning is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from jurybox.errors import StoreError

if TYPE_CHECKING:
    from jurybox.design.plan import Plan, Round
    from jurybox.store import Store
    from jurybox.store.plans import Truth
    from jurybox.study import Material, Study
    from jurybox.study.versions import Change, Kind

__all__ = [
    "Outcome",
    "Ready",
    "advise",
    "find_truth",
    "pilot_seconds",
    "plan_round",
    "read_answered",
    "ready_study",
    "timed",
]

FEWEST_ANSWERS = 10
"""A pilot with fewer answers says too little about how long a trial takes."""

Outcome = Literal["made", "unchanged", "extended", "kept"]
"""What became of the plan; kept: the study changed in a way that leaves the plan as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A study with its material, its plan and the number of the version that raters answer."""

    study: Study
    material: Material
    plan: Plan
    version: int
    outcome: Outcome
    changes: tuple[Change, ...] = ()
    pilot_seconds: float | None = None
    """The median seconds of a pilot's trials, where the expected times come from it."""


def ready_study(
    directory: Path,
    store: Store,
    *,
    now: datetime,
    round: Round = "main",
    cleaning: Callable[[int, int], None] = lambda done, total: None,
) -> Ready:
    """The study as the store now knows it, planned for this round.

    ``cleaning`` is told how many media files are cleaned for the plan, of how many.

    Raises ``StoreError`` with every refused change when the study no longer means what its raters
    answered.
    """
    from jurybox.screen.media import refuse_unclean
    from jurybox.study import load_material, load_study
    from jurybox.study.versions import compare, snapshot

    study = load_study(directory)
    material = load_material(study)
    now_says = snapshot(study, material)
    latest = store.latest_version()
    changes = () if latest is None else compare(json.loads(latest.study_json), now_says)
    _refuse(changes, store)
    # The plan comes before the version: when it cannot be made, nothing has changed.
    old, plan, seconds = plan_round(study, material, store, changes, round=round)
    if plan is not old:
        refuse_unclean(study, material, progress=cleaning)
    version = _save_version(store, study, material, now_says, changes, now=now)
    truth = find_truth(study, material)
    outcome: Outcome
    if old is None:
        store.save_plan(plan, version=version, truth=truth, now=now)
        outcome = "made"
    elif plan is not old:
        store.extend_plan(plan, version=version, truth=truth, now=now)
        outcome = "extended"
    else:
        outcome = "kept" if changes else "unchanged"
    return Ready(
        study=study,
        material=material,
        plan=plan,
        version=version,
        outcome=outcome,
        changes=changes,
        pilot_seconds=seconds,
    )


def plan_round(
    study: Study,
    material: Material,
    store: Store | None,
    changes: Sequence[Change],
    *,
    round: Round,
) -> tuple[Plan | None, Plan, float | None]:
    """The plan kept so far, the one that the study asks for now, and the seconds of a pilot.

    Nothing is kept; ``DesignError`` says why the plan cannot be made.
    """
    from jurybox.design import extend_plan, make_plan

    old = seconds = None
    if store is not None:
        old, seconds = store.load_plan(round), pilot_seconds(study, store, round=round)
    if old is None:
        return None, make_plan(timed(study, seconds), material, round=round), seconds
    extends = any(change.kind == "extending" for change in changes)
    return old, extend_plan(old, timed(study, seconds), material) if extends else old, seconds


def pilot_seconds(study: Study, store: Store, *, round: Round) -> float | None:
    """The median seconds that people took for a trial of the pilot.

    ``None`` where the study says how long a trial takes, or too few answers say it.
    """
    from statistics import median

    if round == "pilot" or study.session.seconds_per_trial is not None:
        return None
    sent = store.table("submissions", round="pilot")
    took = [sent["ms"][row] for row in _counted(sent) if sent["ms"][row]]
    return median(took) / 1000 if len(took) >= FEWEST_ANSWERS else None


def timed(study: Study, seconds: float | None) -> Study:
    """The study as if it said that a trial takes so long; ``None``: as it is."""
    if seconds is None:
        return study
    session = study.session.model_copy(update={"seconds_per_trial": seconds})
    return study.model_copy(update={"session": session})


def read_answered(plan: Plan, store: Store) -> Plan | None:
    """What people answered of a plan, as a plan; ``None`` before the first answer."""
    from jurybox.design.balance import answered_part

    sent = store.table("submissions", round=plan.round)
    taken = {
        sent["slot"][row]: (sent["rater"][row], sent["position"][row] or 0)
        for row in _counted(sent)
        if sent["slot"][row] is not None
    }
    return answered_part(plan, taken) if taken else None


def _counted(sent: Mapping[str, Sequence[Any]]) -> list[int]:
    """The rows of people's answers to main trials, first answers and not withdrawn."""
    names = ("status", "kind", "rater_kind", "repeat", "excluded_by")
    return [
        row
        for row, (status, kind, who, repeat, mark) in enumerate(
            zip(*(sent[name] for name in names), strict=True)
        )
        if (status, kind, who) == ("answered", "main", "person")
        and not repeat
        and mark != "withdrawn"
    ]


def find_truth(study: Study, material: Material) -> Truth:
    """For detect: which systems are real; nothing for other protocols."""
    if study.protocol != "detect":
        return {}
    return {s: "real" if s in study.real else "generated" for s in material.systems}


def _refuse(changes: Sequence[Change], store: Store) -> None:
    refused = [change.sentence for change in changes if change.kind == "refused"]
    if refused:
        advice = advise(len(refused), answered=bool(store.submissions(limit=1)))
        raise StoreError("\n".join(["The study changed in what it means:", *refused, advice]))


def advise(n_refused: int, *, answered: bool) -> str:
    """What to do about changes that were refused."""
    if not answered:
        return "Nothing has been answered yet: delete study.db and plan again."
    them = "it" if n_refused == 1 else "them"
    return (
        f"Take {them} back, or copy the study, without study.db, to a new directory for a new "
        "round."
    )


def _save_version(
    store: Store,
    study: Study,
    material: Material,
    now_says: Mapping[str, Any],
    changes: Sequence[Change],
    *,
    now: datetime,
) -> int:
    latest = store.latest_version()
    if latest is not None and not changes:
        return latest.number
    weight: tuple[Kind, ...] = ("free", "recorded", "extending")
    kind = "first" if latest is None else max((change.kind for change in changes), key=weight.index)
    # Not sorted: the order of criteria and of what is shown is part of what raters see.
    text = json.dumps(now_says, ensure_ascii=False)
    return store.save_version(text, study.hash(), material.hash(), kind=kind, now=now)
