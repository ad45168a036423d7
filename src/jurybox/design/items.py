"""Which items are taken: a stratified random choice that can grow without giving an item back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from jurybox.errors import DesignError
from jurybox.study.breach import counted, there_are
from jurybox.study.model import ItemId

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Material

__all__ = [
    "Allocation",
    "Stratum",
    "check_equal",
    "choose_items",
    "draw_order",
    "find_strata",
    "name_stratum",
]

Stratum = tuple[str, ...]
Allocation = Literal["proportional", "equal"]


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


def name_stratum(study: Study, stratum: Stratum) -> str:
    """A stratum in words: the columns and its values in them."""
    return ", ".join(
        f"{column} '{value}'" for column, value in zip(study.design.stratify, stratum, strict=True)
    )


def draw_order(
    items: Sequence[ItemId],
    strata: Mapping[ItemId, Stratum],
    rng: np.random.Generator,
    *,
    allocation: Allocation = "proportional",
    taken: Collection[ItemId] = (),
) -> tuple[ItemId, ...]:
    """The items not yet taken, in the order of being drawn.

    However many are drawn, each stratum has its proportional part, rounded as by Webster: the j-th
    item of a stratum of size c stands at (j − ½)/c; or, with equal allocation, as many as every
    other that is not used up: it stands at j. Items taken before count for their stratum.
    """
    sizes = Counter(strata[item] for item in items)
    drawn = Counter(strata[item] for item in items if item in taken)
    left = [item for item in items if item not in taken]
    places: list[tuple[float, int, ItemId]] = []
    for index in rng.permutation(len(left)):
        item = left[index]
        stratum = strata[item]
        drawn[stratum] += 1
        part = sizes[stratum] if allocation == "proportional" else 1
        # Ties between strata are broken by the random order of drawing.
        places.append(((drawn[stratum] - 0.5) / part, len(places), item))
    return tuple(item for _, _, item in sorted(places))


def choose_items(
    study: Study,
    material: Material,
    rng: np.random.Generator,
    *,
    n: int | None,
    asked_by: str = "design.items",
    items: Sequence[ItemId] | None = None,
    taken: Collection[ItemId] = (),
) -> tuple[ItemId, ...]:
    """The items to show, in the order of the table; all of them when ``n`` is ``None``.

    ``items`` are those that can be shown, by default all. Items taken before stay. Fewer than asked
    for is an error, never a silent minimum; it names ``asked_by``, the key that asks.
    """
    items = tuple(material.items) if items is None else tuple(items)
    if not items:
        raise DesignError("There is no item to show; add rows to the items table.")
    if n is None:
        return items
    if n > len(items):
        usable = "" if len(items) == len(material.items) else " with the outputs that a trial needs"
        raise DesignError(
            f"{asked_by} asks for {counted(n, 'item')} and {there_are(len(items))}{usable}; "
            f"add {n - len(items)} or ask for at most {len(items)}."
        )
    strata = find_strata(study, material)
    allocation = study.design.allocation
    if allocation == "equal":
        check_equal(study, Counter(strata[item] for item in items), n, what="items")
    taken = {item for item in items if item in taken}
    order = draw_order(items, strata, rng, allocation=allocation, taken=taken)
    chosen = {*taken, *order[: max(0, n - len(taken))]}
    return tuple(item for item in items if item in chosen)


def check_equal(study: Study, sizes: Mapping[Stratum, int], n: int, *, what: str) -> None:
    """Refuse equal allocation where a stratum has less than its part of ``n``."""
    each = n // len(sizes)
    stratum = min(sizes, key=sizes.__getitem__)
    larger = sum(size > sizes[stratum] for size in sizes.values())
    most = len(sizes) * sizes[stratum] + larger
    if n <= most:
        return
    part = f"{each} or {each + 1}" if n % len(sizes) else f"{each}"
    raise DesignError(
        f"design.allocation is equal, so {n} {what} from {len(sizes)} strata are {part} of each, "
        f"and the stratum {name_stratum(study, stratum)} has {sizes[stratum]}; add to it, ask for "
        f"at most {most} (design.items), or leave the allocation proportional."
    )
