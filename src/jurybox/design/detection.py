"""Which outputs are shown in detection: the real share, on as few doubled items as can be."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jurybox.design.items import draw_order, find_strata
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
    old: Collection[Shown] = (),
) -> list[Shown]:
    """The outputs to show: ``n`` in all, or as many as the real share allows.

    Generated outputs are shared out evenly over their systems and taken on the same items as far as
    can be; real ones are taken on other items as long as there are any, because nobody may see a
    real and a generated output of one item. Outputs of an older plan stay.
    """
    real = tuple(s for s in material.systems if s in study.real)
    generated = tuple(s for s in material.systems if s not in study.real)
    if not real or not generated:
        missing = "real" if not real else "generated"
        raise DesignError(
            f"To detect, real and generated outputs are needed, and no system is {missing}; "
            "name the systems that are not generated under 'real'."
        )
    order = draw_order(tuple(material.items), find_strata(study, material), rng)
    have = {s: [i for i in order if (i, s) in material.outputs] for s in material.systems}
    n_real = sum(len(have[s]) for s in real)
    n_generated = sum(len(have[s]) for s in generated)
    wanted_real, wanted_generated = _counts(study, n, n_real, n_generated)
    return [
        *_take(have, generated, wanted_generated, old),
        *_take({s: have[s][::-1] for s in real}, real, wanted_real, old),
    ]


def _counts(study: Study, n: int | None, n_real: int, n_generated: int) -> tuple[int, int]:
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
                f"design.items asks for {n} outputs, {asked} of them {kind} "
                f"(real_share {share:g}), and there are {available} {kind} ones; "
                "add outputs or ask for fewer."
            )
        if asked == 0:
            raise DesignError(
                f"design.items asks for {n} outputs, none of them {kind} (real_share {share:g}); "
                "ask for more."
            )
    return wanted, n - wanted


def _take(
    have: Mapping[SystemId, Sequence[ItemId]],
    systems: Sequence[SystemId],
    wanted: int,
    old: Collection[Shown],
) -> list[Shown]:
    """The first items of each system, ``wanted`` in all, as evenly over the systems as can be."""
    queues = {
        s: sorted(have[s], key=lambda item: (item, s) not in old)  # stable: old ones come first
        for s in systems
    }
    counts = dict.fromkeys(systems, 0)
    for _ in range(wanted):
        open_ = [s for s in systems if counts[s] < len(queues[s])]
        counts[min(open_, key=counts.__getitem__)] += 1
    taken = {(item, s): None for s in systems for item in queues[s][: counts[s]]}
    return [*taken, *(cell for cell in old if cell[1] in systems and cell not in taken)]
