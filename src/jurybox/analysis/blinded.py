"""A study under other names for its systems: what the organizer sees before unblinding.

The names are changed in the data, before anything is computed, so that no sentence, table or chart
can give one away and no word that happens to be a name is touched.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jurybox.analysis.kept import StoreView
from jurybox.design.hidden import hide_systems
from jurybox.study.model import SystemId

if TYPE_CHECKING:
    from jurybox.design.plan import Plan
    from jurybox.study import Material, Study

__all__ = ["BlindStore", "blind_material", "blind_study"]

Names = Mapping[str, str]
"""What each system is called instead."""


def blind_study(study: Study, names: Names) -> Study:
    """The study with its systems under other names, and nothing that describes them."""
    from jurybox.study.versions import study_of

    if not names:
        return study
    order = {"show": list(study.show), "criteria": list(study.criteria)}
    data = _renamed(study.plain_data(), names)
    return study_of({"study": data, "order": order}, study.directory)


def _renamed(study: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """What a study says, as JSON data, wherever it names a system."""

    def new(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [new(part) for part in value]
        return names.get(value, value)

    data = dict(study)
    if data.get("systems"):
        # Which one is the reference or an anchor bears on rules and on the answer; nothing says it.
        data["systems"] = {
            new(name): {
                **{key: part.get(key, False) for key in ("hidden_reference", "anchor")},
                "baseline": False,
            }
            for name, part in data["systems"].items()
        }
    data["real"] = new(data["real"])
    if isinstance(data["outputs"], Mapping):
        columns = {new(name): new(name) for name in data["outputs"]["columns"]}
        data["outputs"] = {**data["outputs"], "columns": columns}
    if isinstance(data["design"]["pairs"], Mapping) and "baseline" in data["design"]["pairs"]:
        pairs = {"baseline": new(data["design"]["pairs"]["baseline"])}
        data["design"] = {**data["design"], "pairs": pairs}
    # A contrast or a baseline that the study singles out would give its systems away.
    choices = {**data["analysis"], "baseline": None, "primary": None}
    return {**data, "analysis": choices}


def blind_material(material: Material, names: Names) -> Material:
    """The material with its systems under other names, in the order of those."""

    def new(system: SystemId) -> SystemId:
        return SystemId(names.get(system, system))

    return replace(
        material,
        systems=tuple(sorted(map(new, material.systems))),
        outputs={
            (item, new(system)): replace(output, system=new(system))
            for (item, system), output in material.outputs.items()
        },
        known={
            id: replace(known, systems=tuple(map(new, known.systems)))
            for id, known in material.known.items()
        },
        known_outputs={
            (item, new(system)): replace(output, system=new(system))
            for (item, system), output in material.known_outputs.items()
        },
    )


def blind_plan(plan: Plan, names: Names) -> Plan:
    """The plan with its systems under other names."""
    return replace(
        plan,
        trials=tuple(
            replace(trial, systems=tuple(sorted(SystemId(names.get(s, s)) for s in trial.systems)))
            for trial in plan.trials
        ),
    )


@dataclass(frozen=True, slots=True)
class BlindStore(StoreView):
    """A store that calls the systems by other names."""

    names: Names

    def table(
        self,
        shape: Any,
        /,
        *,
        round: Any = "main",
        retests: bool = False,
        columns: Collection[str] | None = None,
    ) -> dict[str, list[Any]]:
        """A shape's rows, by column."""
        found = self.store.table(shape, round=round, retests=retests, columns=columns)
        return hide_systems(found, self.names)

    def load_plan(self) -> Any:
        """The plan, with the systems of every trial."""
        plan = self.store.load_plan()
        return None if plan is None else blind_plan(plan, self.names)

    def latest_version(self) -> Any:
        """The study as it was last taken into the store."""
        latest = self.store.latest_version()
        if latest is None:
            return None
        snapshot = json.loads(latest.study_json)
        if "study" not in snapshot:
            return latest
        said = {**snapshot, "study": _renamed(snapshot["study"], self.names)}
        return replace(latest, study_json=json.dumps(said))
