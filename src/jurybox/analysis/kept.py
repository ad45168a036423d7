"""The version of the study that a store keeps: what its answers mean, whatever the files say now.

A study may be edited while people answer and after. What `check` refuses must not enter the
analysis either, so a store is analyzed by its own version, and it is said where the files differ
from it.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from jurybox.analysis.finding import Collected, Simulated
from jurybox.errors import SpecError
from jurybox.results import format_count, format_number

if TYPE_CHECKING:
    from jurybox.study import Study

__all__ = [
    "Kept",
    "StoreView",
    "TableStore",
    "count_collected",
    "count_rounds",
    "find_changes",
    "find_simulated",
    "kept_version",
    "say_looks",
    "say_opened",
    "say_simulated",
    "say_versions",
    "standing",
]

IMPORTED = "import-"
"""How the id of a submission begins that was imported from a table."""
WITHDRAWN = "withdrawn"
OTHER_ROUNDS = ("pilot", "calibration")
OF_ROUNDS = ("kind", "rater", "rater_kind", "status", "excluded_by", "repeat")
"""The columns of submissions that say how many raters and answers a round has."""


class TableStore(Protocol):
    """What the analysis needs of a store."""

    def table(
        self,
        shape: Any,
        /,
        *,
        round: Any = "main",
        retests: bool = False,
        columns: Collection[str] | None = None,
    ) -> dict[str, list[Any]]:
        """A shape's rows of a round, by column; people's planned repeats only with ``retests``."""

    def raters(self) -> Any:
        """Every rater, with what they answered to the survey."""

    def load_plan(self) -> Any:
        """The plan, with the systems of every trial."""

    def latest_version(self) -> Any:
        """The study as it was last taken into the store."""

    def events(self, kind: str) -> Any:
        """What happened beside the answers, oldest first."""


@dataclass(frozen=True, slots=True)
class StoreView:
    """A store as some see it: what a view does not change is the store's own."""

    store: Any

    def raters(self) -> Any:
        """Every rater, with what they answered to the survey."""
        return self.store.raters()

    def latest_version(self) -> Any:
        """The study as it was last taken into the store."""
        return self.store.latest_version()

    def events(self, kind: str) -> Any:
        """What happened beside the answers, oldest first."""
        return self.store.events(kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A version of the study, as the store keeps it."""

    number: int
    study: Study
    material_hash: str
    snapshot: Mapping[str, Any]


def kept_version(store: TableStore, directory: Path | None = None) -> Kept | None:
    """The version that the store's answers are analyzed by.

    ``None`` if it keeps none, or one that was not taken with ``study.versions.snapshot``.
    """
    from jurybox.study.versions import study_of

    latest = store.latest_version()
    if latest is None:
        return None
    snapshot = json.loads(latest.study_json)
    if "study" not in snapshot:
        return None
    return Kept(
        number=latest.number,
        study=study_of(snapshot, directory),
        material_hash=latest.material_hash,
        snapshot=snapshot,
    )


def find_changes(kept: Kept, study: Study, *, with_files: bool) -> tuple[str, ...]:
    """How a study differs from the kept version, a sentence for each refused change.

    Free changes need no word. ``with_files`` compares what its tables and files hold, too.
    """
    from jurybox.study.material import Material, load_material
    from jurybox.study.versions import compare, snapshot

    follows = f"the analysis follows version {kept.number}, the one kept with the answers"
    said = []
    words = snapshot(study, Material(items={}, systems=(), outputs={}, known={}))
    now_says = {**kept.snapshot, "study": words["study"], "order": words["order"]}
    if with_files:
        try:
            now_says = snapshot(study, load_material(study))
        except SpecError:
            what = "the study's tables cannot be read and compared ('jurybox check' says why)"
            said.append(f"{what}; {follows}")
    changes = compare(kept.snapshot, now_says)
    said += [
        f"{change.sentence.rstrip('.')}; {follows}"
        for change in changes
        if change.kind == "refused"
    ]
    others = sum(change.kind in ("recorded", "extending") for change in changes)
    if others:
        what = format_count(others, "change")
        said.append(f"{what} to the study since then ('jurybox check' lists what); {follows}")
    return tuple(said)


def count_collected(
    submissions: Mapping[str, Sequence[Any]],
    checks: Mapping[str, Sequence[Any]],
    plan: Any,
    kept: Kept | None,
    changes: tuple[str, ...],
    rounds: tuple[tuple[str, int, int], ...] = (),
    simulated: Collection[str] = (),
) -> Collected:
    """How people's answers came in, and those to trials with a known answer."""
    from statistics import median

    raters: defaultdict[str, set[str]] = defaultdict(set)
    checked: dict[str, set[str]] = {kind: set() for kind in ("practice", "gold", "attention")}
    names = ("kind", "rater", "excluded_by")
    for kind, rater, mark in zip(*(checks[name] for name in names), strict=True):
        if mark != WITHDRAWN:
            checked[kind].add(rater)
    answers = imported = 0
    asked = ("kind", "rater_kind", "trial", "rater", "id")
    for kind, whose, trial, rater, id in standing(submissions, asked):
        if kind == "main" and whose == "person":
            raters[trial].add(rater)
            answers += 1
            imported += id.startswith(IMPORTED)
    counts = [len(each) for each in raters.values()]
    return Collected(
        version=None if kept is None else kept.number,
        changes=changes,
        n_answers=answers,
        n_imported=imported,
        simulated=_which(set().union(*raters.values()), simulated),
        n_trials=len(counts),
        n_planned=None if plan is None else _planned_for_people(plan),
        n_asked=None if plan is None else _answers_planned(plan),
        raters_per_trial=(min(counts), float(median(counts)), max(counts)) if counts else None,
        checked=tuple((kind, len(who)) for kind, who in checked.items() if who),
        rounds=rounds,
    )


def _which(raters: set[str], simulated: Collection[str]) -> Simulated:
    """How many of the raters are simulated."""
    found = len(raters.intersection(simulated))
    return "no" if not found else "all" if found == len(raters) else "some"


def count_rounds(store: TableStore) -> tuple[tuple[str, int, int], ...]:
    """The rounds beside the main one that people answered, with how many did and how often."""
    found = []
    for name in OTHER_ROUNDS:
        sent = store.table("submissions", round=name, columns=OF_ROUNDS)
        given = [
            rater
            for kind, whose, rater in standing(sent, ("kind", "rater_kind", "rater"))
            if (kind, whose) == ("main", "person")
        ]
        found += [(name, len(set(given)), len(given))] if given else []
    return tuple(found)


def find_simulated(store: TableStore) -> frozenset[str]:
    """The raters whom a rehearsal, or the demo, enrolled."""
    return frozenset(rater.id for rater in store.raters() if rater.details.get("simulated"))


def say_simulated(which: Simulated) -> tuple[str, ...]:
    """That what is counted is not, or not only, what people answered."""
    said = {
        "all": "all raters are simulated: this is a rehearsal, and says nothing of people",
        "some": "some raters are simulated, and their answers count beside people's",
    }
    return (said[which],) if which in said else ()


def _planned_for_people(plan: Any) -> int:
    """The main trials that have slots; the others are for judges alone."""
    theirs = {slot.trial for slot in plan.slots}
    return sum(trial.kind == "main" and trial.id in theirs for trial in plan.trials)


def _answers_planned(plan: Any) -> int:
    """The slots of main trials, without those in which a rater sees a trial again."""
    main = {trial.id for trial in plan.trials if trial.kind == "main"}
    return sum(slot.trial in main and not slot.repeat for slot in plan.slots)


def say_versions(submissions: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    """How many answers each version has, where there are several."""
    counts = Counter(
        version
        for version, kind in standing(submissions, ("study_version", "kind"))
        if kind == "main"
    )
    if len(counts) < 2:
        return ()
    each = ", ".join(
        f"{format_count(n, 'answer')} to version {number}" for number, n in sorted(counts.items())
    )
    return (f"the study has {len(counts)} versions with answers: {each}",)


def say_looks(store: TableStore) -> tuple[str, ...]:
    """How often the results were looked at while answers came in, and when names were shown."""
    said = []
    looks = len(store.events("results seen"))
    if looks:
        said.append(
            f"the organizer looked at results {format_count(looks, 'time')} while answers came in: "
            "intervals and p do not allow for a study that ends when a look pleases"
        )
    for event in store.events("unblinded")[:1]:
        when = event.at.strftime("%Y-%m-%d %H:%M UTC")
        said.append(
            f"the system names were hidden from the organizer's page until {when}, when "
            f"{event.detail.get('by') or 'the organizer'} had them shown, with "
            f"{event.detail.get('answered', 0):,} of {event.detail.get('planned', 0):,} planned "
            "answers in"
        )
    return tuple(said)


def say_opened(store: TableStore) -> tuple[str, ...]:
    """Who opened the main round after the calibration, and how far raters agreed then."""
    return tuple(
        f"{event.detail['by']} opened the main round on {event.at:%Y-%m-%d %H:%M} UTC, when "
        f"agreement in the calibration was {_reached(event.detail['agreement'])} (the target was "
        f"{event.detail['target']:g})"
        for event in store.events("main round opened")[:1]
    )


def _reached(agreement: Mapping[str, float | None]) -> str:
    said = [
        f"{'not known' if value is None else format_number(value, 2)} on {criterion}"
        for criterion, value in agreement.items()
    ]
    return ", ".join(said) or "not known"


def standing(
    submissions: Mapping[str, Sequence[Any]], names: Sequence[str]
) -> Iterator[tuple[Any, ...]]:
    """These columns of the answers that count.

    No repeats, neither superseded, late or skipped, nor withdrawn.
    """
    by = ("status", "excluded_by", "repeat", "rater_kind")
    told = zip(*(submissions[name] for name in by), strict=True)
    rows = zip(*(submissions[name] for name in names), strict=True)
    for (status, mark, repeat, whose), row in zip(told, rows, strict=True):
        if status == "answered" and mark != WITHDRAWN and (not repeat or whose == "judge"):
            yield row
