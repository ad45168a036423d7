"""Is the set fair? Checks of items and outputs, before anybody rates and beside the results."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from jurybox.design.set_checks.check import Facts, SetCheck
from jurybox.design.set_checks.contents import (
    check_empty,
    check_names,
    check_reference,
    check_shared,
)
from jurybox.design.set_checks.giveaway import check_giveaways
from jurybox.design.set_checks.likeness import check_likeness
from jurybox.design.set_checks.spread import check_categories, check_difficulty

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Material
    from jurybox.study.model import ItemId

__all__ = ["Facts", "SetCheck", "check_set"]


def check_set(
    study: Study,
    material: Material,
    *,
    facts: Facts,
    items: Collection[ItemId] | None = None,
) -> tuple[SetCheck, ...]:
    """Everything that can make a set unfair, each with its figure and what it can bias.

    Parameters
    ----------
    study, material
        What is shown. Practice and check trials are no part of the set.
    facts
        What probing found of each media file; a file without facts is left out of what needs them.
    items
        Only these, as when a plan has taken some of them; by default all.
    """
    if items is not None:
        material = _only(material, frozenset(items))
    checks = (
        *check_categories(study, material),
        check_difficulty(material),
        check_likeness(study, material, facts),
        *check_giveaways(study, material, facts),
        check_names(study, material),
        check_shared(study, material, facts),
        check_reference(study, material, facts),
        check_empty(study, material),
    )
    # What would have been said is not, where there is nothing to warn of.
    return tuple(
        check if check.warns else replace(check, sentence="", bias="", systems=())
        for check in checks
    )


def _only(material: Material, items: frozenset[ItemId]) -> Material:
    kept = {id: item for id, item in material.items.items() if id in items}
    outputs = {key: output for key, output in material.outputs.items() if key[0] in kept}
    return replace(material, items=kept, outputs=outputs)
