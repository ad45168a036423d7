"""What was fixed before the data: a snapshot with hashes, and whether the study still matches it.

``preregistration.json`` holds the study's own words and the hashes of its material and its plan.
Its digest is one number to deposit elsewhere: whoever has it can tell whether the file was changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jurybox.analysis.finding import Analysis, Column, Table
from jurybox.design.plan import Plan
from jurybox.errors import InputError
from jurybox.report.blocks import Section, Shown, Words
from jurybox.results import format_count
from jurybox.study.breach import show_value
from jurybox.study.material import Material
from jurybox.study.model import Study
from jurybox.study.versions import Change, compare, snapshot, study_of

__all__ = [
    "Found",
    "PlannedPower",
    "Preregistration",
    "add_preregistration",
    "plan_hash",
    "preregister",
    "preregistration_section",
    "read_preregistration",
    "rules_hash",
]

Row = tuple[str, str, str]
"""A part, what was preregistered and what was found."""
FORMAT = 1
OF_PREREGISTRATION = "preregistration"
MATCHES = "as preregistered"
NOT_YET = "no answer yet"
SHORT = 12
"""Digits of a hash that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPower:
    """How often a study of the planned size would find a difference, by formula."""

    effect: float
    power: float
    assumed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preregistration:
    """Everything that was fixed before the first answer."""

    at: str
    """When, in ISO 8601."""
    title: str
    study_hash: str
    material_hash: str
    plan_hash: str
    seed: int
    n_items: int
    n_trials: int
    overlap: int
    n_answers: int
    n_booklets: int
    power: PlannedPower | None = None
    packages: Mapping[str, str] = field(default_factory=dict)
    snapshot: Mapping[str, Any] = field(repr=False)

    @property
    def digest(self) -> str:
        """The SHA-256 of everything else."""
        return _hash(self._data())

    def _data(self) -> dict[str, Any]:
        power = None if self.power is None else asdict(self.power)
        data = {name: getattr(self, name) for name in self.__slots__}
        return {"kind": "Preregistration", "version": FORMAT, **data, "power": power}

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON."""
        return {**self._data(), "digest": self.digest}

    @property
    def when(self) -> str:
        """When, as people write it."""
        return _moment(datetime.fromisoformat(self.at))

    @property
    def study(self) -> Study:
        """The study as it was."""
        return study_of(self.snapshot)


def preregister(
    study: Study,
    material: Material,
    plan: Plan,
    *,
    at: datetime,
    power: PlannedPower | None = None,
    packages: Mapping[str, str],
) -> Preregistration:
    """Take the snapshot of a planned study."""
    # A trial without a slot is for judges alone.
    theirs = {slot.trial for slot in plan.slots}
    main = [trial for trial in plan.trials if trial.kind == "main" and trial.id in theirs]
    mine = {trial.id for trial in main}
    # As JSON gives it back, so that the digest of a file is the digest of what was written.
    kept = json.loads(json.dumps(snapshot(study, material), ensure_ascii=False))
    return Preregistration(
        at=at.isoformat(timespec="seconds"),
        title=study.words(study.title),
        study_hash=study.hash(),
        material_hash=material.hash(),
        plan_hash=plan_hash(plan),
        seed=plan.seed,
        n_items=len({trial.item for trial in main}),
        n_trials=len(main),
        overlap=plan.overlap,
        n_answers=sum(slot.trial in mine and not slot.repeat for slot in plan.slots),
        n_booklets=len(plan.booklets),
        power=power,
        packages=dict(packages),
        snapshot=kept,
    )


def plan_hash(plan: Plan) -> str:
    """The SHA-256 of a plan: trials, slots, orders, booklets and seed."""
    parts = {
        "seed": plan.seed,
        "overlap": plan.overlap,
        "round": plan.round,
        "practice": list(plan.practice),
        **{name: [asdict(each) for each in getattr(plan, name)] for name in PLANNED},
    }
    return _hash(parts)


def rules_hash(study: Study) -> str:
    """The SHA-256 of the study's exclusion rules with their thresholds."""
    return _hash(study.quality.exclude.model_dump(mode="json"))


PLANNED = ("trials", "slots", "booklets")


def read_preregistration(path: Path) -> Preregistration:
    """Read a ``preregistration.json``; refuse one that was changed since it was written."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        stated = data.pop("digest")
        kind, version = data.pop("kind"), data.pop("version")
        power = data.pop("power")
        made = Preregistration(power=None if power is None else PlannedPower(**power), **data)
        digest = made.digest
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: this is no preregistration that can be read: {error}") from None
    if (kind, version) != ("Preregistration", FORMAT):
        raise InputError(f"{path}: written by another version of jurybox (format {version})")
    if digest != stated:
        raise InputError(
            f"{path}: the file was changed after it was written: its content has the digest "
            f"{digest[:SHORT]}…, and it states {str(stated)[:SHORT]}…"
        )
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What is set beside a preregistration: what raters answered, and how the answers came."""

    snapshot: Mapping[str, Any]
    """The version of the study that the analysis follows."""
    study_hash: str
    material_hash: str
    earlier: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """The other versions that have answers, by number."""
    plan: Plan | None
    n_answers: int
    n_raters: int
    first_answer: datetime | None
    packages: Mapping[str, str]
    told: Mapping[str, Any] = field(default_factory=dict)
    """Settings that this report was given instead of the study's; ``None`` where it was not."""


def add_preregistration(analysis: Analysis, made: Preregistration | str, found: Found) -> Analysis:
    """The analysis with a table that says, part by part, whether it is what was preregistered.

    ``made`` may be the sentence that says why the preregistration cannot be read.
    """
    if isinstance(made, str):
        rows: list[Row] = [("Preregistration", "–", made)]
        caption, deviates = "The preregistration cannot be relied on.", True
    else:
        parts = _parts(made, found)
        rows = [row for part in parts for row in (part.row, *part.details)]
        differ = [part.told for part in parts if part.differs]
        what = "Study and data match it." if found.n_answers else "The study matches it."
        if differ:
            counted = f"{format_count(len(differ), 'part')} of {len(parts)} {_do(len(differ))}"
            what = f"{counted} not match it: {', '.join(differ)}."
        caption = f"Preregistered on {made.when}, digest {made.digest}. {what}"
        deviates = bool(differ)
    table = Table(
        id=OF_PREREGISTRATION,
        title="What was preregistered, and what was found",
        columns=(
            Column(name="part", heading="Part"),
            Column(name="preregistered", heading="Preregistered"),
            Column(name="found", heading="Found"),
        ),
        rows=tuple(rows),
        caption=caption,
    )
    facts = replace(analysis.facts, deviates=deviates)
    return replace(analysis, tables=(*analysis.tables, table), facts=facts)


def _do(count: int) -> str:
    return "does" if count == 1 else "do"


def preregistration_section(analysis: Analysis) -> Section | None:
    """Whether the study is what was preregistered, where somebody preregistered it."""
    table = analysis.table(OF_PREREGISTRATION)
    if table is None:
        return None
    said = Words(text=table.caption)
    shown = Shown(table=replace(table, caption=""))
    return Section(id="preregistration", title="Preregistration", blocks=(said, shown))


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the preregistration beside what was found, and what of it changed."""

    row: Row
    details: tuple[Row, ...] = ()
    differs: bool = False
    """Whether it is otherwise than preregistered, or came before it."""

    @property
    def told(self) -> str:
        """Its name, with what changed."""
        changed = ", ".join(dict.fromkeys(name for name, _, _ in self.details))
        return f"{self.row[0]} ({changed})" if changed else self.row[0]


def _parts(made: Preregistration, found: Found) -> list[_Part]:
    changes = _changes(made, found)
    asked = [change for change in changes if not change.of_material]
    shown = [change for change in changes if change.of_material]
    now = plan_hash(found.plan) if found.plan is not None else ""
    plan = None if now == made.plan_hash else f"another plan ({now[:SHORT] or 'none'})"
    seed = None if found.plan is None else found.plan.seed
    return [
        _when(made, found),
        _changed("Study", made.study_hash, found.study_hash, [*asked, *_otherwise(found)]),
        _changed("Items and outputs", made.material_hash, found.material_hash, shown),
        _part("Plan", made.plan_hash[:SHORT], plan),
        _same("Seed", str(made.seed), str(seed)),
        _count("Answers", made.n_answers, found.n_answers, found),
        _count("Raters", made.n_booklets, found.n_raters, found),
        *(
            _same(name, version, found.packages.get(name, "not used"))
            for name, version in made.packages.items()
        ),
    ]


def _part(name: str, stated: str, otherwise: str | None) -> _Part:
    """A part that is as it was preregistered, or what it is instead."""
    return _Part((name, stated, otherwise or MATCHES), differs=otherwise is not None)


def _changes(made: Preregistration, found: Found) -> list[Change]:
    """What differs now, then what differed while answers came in and no longer does."""
    changes = [c for c in compare(made.snapshot, found.snapshot) if c.kind != "free"]
    for number, was in found.earlier.items():
        known = {change.path for change in changes}
        changes += [
            replace(c, sentence=f"in version {number} {c.sentence}")
            for c in compare(made.snapshot, was)
            if c.kind != "free" and c.path not in known
        ]
    return changes


def _changed(part: str, hashed: str, now: str, changes: Sequence[Change]) -> _Part:
    verdict = "changed, see below" if changes else MATCHES
    if not changes and now != hashed:
        verdict += f" but for what no answer depends on (now {now[:SHORT]})"
    details = ((change.path, "–", change.sentence.rpartition(": ")[0]) for change in changes)
    return _Part((part, hashed[:SHORT], verdict), tuple(details), differs=bool(changes))


def _otherwise(found: Found) -> list[Change]:
    """Settings that the report was given instead of the study's."""
    said = found.snapshot["study"]["analysis"]
    return [
        Change(
            kind="recorded",
            path=f"analysis.{name}",
            sentence=f"analysis.{name} was {show_value(said[name])} in the study, and "
            f"{show_value(value)} for this report: --{name}.",
        )
        for name, value in found.told.items()
        if value is not None and value != said[name]
    ]


def _same(part: str, stated: str, found: str) -> _Part:
    return _part(part, stated, None if stated == found else found)


def _when(made: Preregistration, found: Found) -> _Part:
    first, stated = found.first_answer, f"after {made.when}"
    if first is None:
        return _Part(("First answer", stated, NOT_YET))
    is_before = first < datetime.fromisoformat(made.at)
    early = f"{_moment(first)}, before the preregistration" if is_before else None
    return _part("First answer", stated, early)


def _moment(at: datetime) -> str:
    """A time as people write it."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _count(part: str, planned: int, came: int, found: Found) -> _Part:
    if found.first_answer is None:
        return _Part((part, f"{planned:,}", NOT_YET))
    return _same(part, f"{planned:,}", f"{came:,}")


def _hash(data: Any) -> str:
    text = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
