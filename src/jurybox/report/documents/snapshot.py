"""What it takes to make a study's report again: hashes, seeds and versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from jurybox.analysis.finding import Analysis, Column, Table
from jurybox.report.documents.preregistration import plan_hash, rules_hash
from jurybox.study.model import Study

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork

__all__ = ["snapshot_table"]


def snapshot_table(
    analysis: Analysis,
    study: Study,
    fieldwork: Fieldwork | None,
    versions: Mapping[str, str],
) -> Table:
    """The hashes of all that was asked, shown and planned, the seeds and the versions."""
    rows = [("Study", study.hash()), ("Exclusion rules", rules_hash(study))]
    if fieldwork is not None:
        answered = fieldwork.material_hash or fieldwork.material.hash()
        rows.append(("Items, outputs and media", answered))
        if fieldwork.plan is not None:
            rows.append(("Plan", plan_hash(fieldwork.plan)))
        if fieldwork.preregistration is not None:
            rows.append(("Preregistration", fieldwork.preregistration.digest))
    rows += [
        ("Seed of the plan", str(study.design.seed)),
        ("Seed of the analysis", str(analysis.seed)),
    ]
    rows += [(name, version) for name, version in versions.items()]
    return Table(
        id="snapshot",
        title="Snapshot: SHA-256 hashes, seeds and versions",
        columns=(Column(name="part", heading="Part"), Column(name="value", heading="Value")),
        rows=tuple(rows),
    )
