"""The parts of a study's material within which judges are looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jurybox.analysis.measure.judges import Strata
from jurybox.design.set_checks.shown import text_fields, text_in
from jurybox.errors import InputError

if TYPE_CHECKING:
    from jurybox.study import Material, Study

__all__ = ["categories_of", "strata_of"]

CATEGORY = "category"
"""The field of items by which they differ where the study names no strata."""


def strata_of(study: Study, material: Material) -> Strata:
    """Items by the fields of ``design.stratify``, else ``category``; outputs by their letters."""
    outputs = list(material.outputs.values())
    shown = text_fields(study, [output.fields for output in outputs])
    lengths = {
        (str(output.item), str(output.system)): float(
            sum(len(text_in(output.fields[name])) for name in shown if output.fields.get(name))
        )
        for output in outputs
    }
    return Strata(
        categories=categories_of(study, material),
        lengths={cell: n for cell, n in lengths.items() if n > 0},
    )


def categories_of(
    study: Study, material: Material, field: str | None = None
) -> dict[str, dict[str, str]]:
    """For each field by which items differ, the category of each item that has one.

    ``field``: the one field to take, instead of those that the study names.
    """
    if field is not None and not any(field in item.fields for item in material.items.values()):
        known = dict.fromkeys(name for item in material.items.values() for name in item.fields)
        raise InputError(
            f"category={field!r} is no field of the study's items; there are {', '.join(known)}"
        )
    named = study.design.stratify or (CATEGORY,)
    categories = {
        name: {
            str(id): str(item.fields[name])
            for id, item in material.items.items()
            if item.fields.get(name) is not None
        }
        for name in (named if field is None else (field,))
    }
    return {name: found for name, found in categories.items() if found}
