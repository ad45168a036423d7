"""What was fixed before the data: a snapshot with hashes, and whether the study still matches it.

``preregistration.json`` holds the study's own words and the hashes of its material and its plan.
Its digest is one number to deposit elsewhere: whoever has it can tell whether the file was changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jurybox.analysis.finding import Analysis, Column, Table
from jurybox.errors import InputError
from jurybox.report.blocks import Section, Shown, Words
from jurybox.results import format_count
from jurybox.study.material import Material
from jurybox.study.model import Study
from jurybox.study.versions import compare, snapshot, study_of

__all__ = [
    "Found",
    "PlannedPower",
    "Preregistration",
    "add_preregistration",
    "plan_hash",
    "preregister",
    "preregistration_section",
    "read_preregistration",
]

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
    plan: Any,
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


def plan_hash(plan: Any) -> str:
    """The SHA-256 of a plan: trials, slots, orders, booklets and seed."""
    parts = {
        "seed": plan.seed,
        "overlap": plan.overlap,
        "round": plan.round,
        "practice": list(plan.practice),
        **{name: [asdict(each) for each in getattr(plan, name)] for name in PLANNED},
    }
    return _hash(parts)


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
    plan: Any
    n_answers: int
    first_answer: datetime | None
    packages: Mapping[str, str]


def add_preregistration(analysis: Analysis, made: Preregistration | str, found: Found) -> Analysis:
    """The analysis with a table that says, part by part, whether it is what was preregistered.

    ``made`` may be the sentence that says why the preregistration cannot be read.
    """
    if isinstance(made, str):
        rows: list[tuple[str, str, str]] = [("Preregistration", "–", made)]
        caption = "The preregistration cannot be relied on."
    else:
        rows = _rows(made, found)
        differ = [part for part, _, verdict in rows if verdict not in (MATCHES, NOT_YET)]
        what = "Study and data match it." if found.n_answers else "The study matches it."
        if differ:
            parts = f"{format_count(len(differ), 'part')} of {len(rows)} {_do(len(differ))}"
            what = f"{parts} not match it: {', '.join(differ)}."
        caption = f"Preregistered on {made.when}, digest {made.digest}. {what}"
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
    return replace(analysis, tables=(*analysis.tables, table))


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


def _rows(made: Preregistration, found: Found) -> list[tuple[str, str, str]]:
    rows = [_when(made, found)]
    changes = [
        change
        for change in compare(made.snapshot, found.snapshot)
        if change.kind != "free" or change.path.startswith(("analysis", "quality"))
    ]
    rows.append(
        ("Study", made.study_hash[:SHORT], MATCHES if not changes else "changed, see below")
    )
    rows += [(change.path, "–", change.sentence.rpartition(": ")[0]) for change in changes]
    now = plan_hash(found.plan) if found.plan is not None else ""
    verdict = MATCHES if now == made.plan_hash else f"another plan ({now[:SHORT] or 'none'})"
    rows.append(("Plan", made.plan_hash[:SHORT], verdict))
    seed = None if found.plan is None else found.plan.seed
    rows.append(("Seed", str(made.seed), MATCHES if seed == made.seed else str(seed)))
    rows.append(_answers(made, found))
    rows += [
        (name, version, _same(version, found.packages.get(name, "not used")))
        for name, version in made.packages.items()
    ]
    return rows


def _same(stated: str, found: str) -> str:
    return MATCHES if stated == found else found


def _when(made: Preregistration, found: Found) -> tuple[str, str, str]:
    fixed = datetime.fromisoformat(made.at)
    first = found.first_answer
    said = NOT_YET if first is None else MATCHES
    if first is not None and first < fixed:
        said = f"{_moment(first)}, before the preregistration"
    return ("First answer", f"after {made.when}", said)


def _moment(at: datetime) -> str:
    """A time as people write it."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _answers(made: Preregistration, found: Found) -> tuple[str, str, str]:
    stated = f"{made.n_answers:,}"
    if found.first_answer is None:
        return ("Answers", stated, NOT_YET)
    same = found.n_answers == made.n_answers
    return ("Answers", stated, MATCHES if same else f"{found.n_answers:,}")


def _hash(data: Any) -> str:
    text = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
