"""Which items are taken: a stratified random choice that can grow without giving an item back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jurybox.errors import DesignError
from jurybox.study.model import ItemId

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Material

__all__ = ["Stratum", "choose_items", "draw_order", "find_strata"]

Stratum = tuple[str, ...]


def find_strata(study: Study, material: Material) -> dict[ItemId, Stratum]:
    """Each item's stratum: its values in the columns that ``design.stratify`` names."""
    columns = study.design.stratify
    fields = {item: material.item_fields(item) for item in material.items}
    for column in columns:
        if not any(column in row for row in fields.values()):
            known = sorted({name for row in fields.values() for name in row})
            raise DesignError(
                f"design.stratify: no item has the field '{column}'; "
                + (f"there are {', '.join(known)}." if known else "the items have no fields.")
            )
    return {item: tuple(str(row.get(c, "")) for c in columns) for item, row in fields.items()}


def draw_order(
    items: Sequence[ItemId],
    strata: Mapping[ItemId, Stratum],
    rng: np.random.Generator,
    *,
    taken: Collection[ItemId] = (),
) -> tuple[ItemId, ...]:
    """The items not yet taken, in the order of being drawn.

    However many are drawn, each stratum has its proportional part, rounded as by Webster: the j-th
    item of a stratum of size c stands at (j − ½)/c. Items taken before count for their stratum.
    """
    sizes: dict[Stratum, int] = {}
    drawn: dict[Stratum, int] = {}
    for item in items:
        stratum = strata[item]
        sizes[stratum] = sizes.get(stratum, 0) + 1
        drawn[stratum] = drawn.get(stratum, 0) + (item in taken)
    left = [item for item in items if item not in taken]
    places: list[tuple[float, int, ItemId]] = []
    for index in rng.permutation(len(left)):
        item = left[index]
        stratum = strata[item]
        drawn[stratum] += 1
        # Ties between strata are broken by the random order of drawing.
        places.append(((drawn[stratum] - 0.5) / sizes[stratum], len(places), item))
    return tuple(item for _, _, item in sorted(places))


def choose_items(
    study: Study,
    material: Material,
    rng: np.random.Generator,
    *,
    n: int | None,
    taken: Collection[ItemId] = (),
) -> tuple[ItemId, ...]:
    """The items to show, in the order of the table; all of them when ``n`` is ``None``.

    Items taken before stay. Fewer than asked for is an error, never a silent minimum.
    """
    items = tuple(material.items)
    if not items:
        raise DesignError("There is no item to show; add rows to the items table.")
    if n is None:
        return items
    if n > len(items):
        raise DesignError(
            f"design.items asks for {n} items and there are {len(items)}; "
            f"add {n - len(items)} or ask for at most {len(items)}."
        )
    taken = {item for item in items if item in taken}
    order = draw_order(items, find_strata(study, material), rng, taken=taken)
    chosen = {*taken, *order[: max(0, n - len(taken))]}
    return tuple(item for item in items if item in chosen)
