"""Which outputs are shown in detection: the real share, on as few doubled items as can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jurybox.design.items import Stratum, draw_order, find_strata, name_stratum
from jurybox.errors import DesignError
from jurybox.study.model import ItemId, SystemId

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Material

__all__ = ["choose_detections"]

Shown = tuple[ItemId, SystemId]


def choose_detections(
    study: Study,
    material: Material,
    rng: np.random.Generator,
    *,
    n: int | None,
    asked_by: str = "design.items",
    old: Collection[Shown] = (),
) -> list[Shown]:
    """The outputs to show: ``n`` in all, or as many as the real share allows.

    Nobody may see two outputs of one item, so real outputs are taken on items without generated
    ones as long as there are any, and items of checks and practice are left out. Generated outputs
    are shared out evenly over their systems, on the same items if the raters suffice for that.
    Outputs of an older plan stay.
    """
    real = tuple(s for s in material.systems if s in study.real)
    generated = tuple(s for s in material.systems if s not in study.real)
    if not real or not generated:
        missing = "real" if not real else "generated"
        raise DesignError(
            f"To detect, real and generated outputs are needed, and no system is {missing}; "
            "name the systems that are not generated under 'real'."
        )
    known = {known.item for known in material.known.values()}
    items = [item for item in material.items if item not in known]
    strata = find_strata(study, material)

    def draw(items: Sequence[ItemId]) -> dict[SystemId, list[ItemId]]:
        order = draw_order(items, strata, rng, allocation=study.design.allocation)
        return {s: [i for i in order if (i, s) in material.outputs] for s in material.systems}

    have = draw(items)
    n_real = sum(len(have[s]) for s in real)
    n_generated = sum(len(have[s]) for s in generated)
    wanted_real, wanted_generated = _counts(study, n, n_real, n_generated, asked_by)
    raters, overlap = study.design.raters, study.design.overlap
    same_items = raters is None or raters >= overlap * len(material.systems)
    taken = _take(have, generated, wanted_generated, old, used=None if same_items else set())
    used = {item for item, _ in taken}
    # Drawn anew from what the generated outputs leave, so that the strata have their parts in it.
    free, doubled = (draw([i for i in items if (i in used) is shown]) for shown in (False, True))
    last = {s: [*free[s], *doubled[s]] for s in real}
    chosen = [*taken, *_take(last, real, wanted_real, old, used=used)]
    if study.design.allocation == "equal":
        for systems in (real, generated):
            _check_equal(study, strata, [c for c in chosen if c[1] in systems], systems)
    return chosen


def _check_equal(
    study: Study,
    strata: Mapping[ItemId, Stratum],
    chosen: Collection[Shown],
    systems: Sequence[SystemId],
) -> None:
    """Refuse outputs that are not equally many from each stratum, up to one of each system."""
    counts = Counter(dict.fromkeys(strata.values(), 0))
    counts.update(strata[item] for item, _ in chosen)
    least, most = min(counts.values()), max(counts.values())
    if most - least > len(systems):
        stratum = next(stratum for stratum in counts if counts[stratum] == least)
        raise DesignError(
            f"design.allocation is equal, and of {', '.join(systems)} the stratum "
            f"{name_stratum(study, stratum)} can give {least} outputs where another gives {most}; "
            "add to it, ask for fewer (design.items), or leave the allocation proportional."
        )


def _counts(
    study: Study, n: int | None, n_real: int, n_generated: int, asked_by: str
) -> tuple[int, int]:
    """How many real and generated outputs are shown."""
    share = study.design.real_share
    if not 0 < share < 1:
        raise DesignError(
            f"design.real_share is {share:g}: with only {'real' if share else 'generated'} outputs "
            "nothing can be told about detection; choose a share between, usually 0.5."
        )
    if n is None:
        n = int(min(n_real / share, n_generated / (1 - share)) + 1e-9)
        wanted = min(round(n * share), n_real)
        return max(wanted, 1), min(max(n - wanted, 1), n_generated)
    wanted = round(n * share)
    for kind, asked, available in (
        ("real", wanted, n_real),
        ("generated", n - wanted, n_generated),
    ):
        if asked > available:
            raise DesignError(
                f"{asked_by} asks for {n} outputs, {asked} of them {kind} "
                f"(real_share {share:g}), and there are {available} {kind} ones; "
                "add outputs or ask for fewer."
            )
        if asked == 0:
            raise DesignError(
                f"{asked_by} asks for {n} outputs, none of them {kind} (real_share {share:g}); "
                "ask for more."
            )
    return wanted, n - wanted


def _take(
    have: Mapping[SystemId, Sequence[ItemId]],
    systems: Sequence[SystemId],
    wanted: int,
    old: Collection[Shown],
    *,
    used: set[ItemId] | None,
) -> list[Shown]:
    """The outputs shown of these systems: ``wanted`` in all, as evenly over them as can be.

    Each system takes its items in the order of ``have``; those in ``used``, which grows, come last.
    """
    picks = {s: _picks(have[s], used) for s in systems}
    taken: dict[Shown, None] = {cell: None for cell in old if cell[1] in systems}
    counts = Counter(system for _, system in taken)
    while len(taken) < wanted:
        system = min((s for s in systems if counts[s] < len(have[s])), key=counts.__getitem__)
        item = next(item for item in picks[system] if (item, system) not in taken)
        taken[item, system] = None
        counts[system] += 1
        if used is not None:
            used.add(item)
    return list(taken)


def _picks(items: Sequence[ItemId], used: set[ItemId] | None) -> Iterator[ItemId]:
    if used is not None:
        yield from (item for item in items if item not in used)
    yield from items
