"""The part of the items that people rate, where judges rate all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jurybox.design.ids import stream
from jurybox.design.items import draw_order, find_strata
from jurybox.design.plan import Plan, Round, Trial
from jurybox.study.model import ItemId

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Material

__all__ = ["choose_people_items", "people_share"]


def choose_people_items(
    study: Study,
    material: Material,
    trials: Sequence[Trial],
    *,
    round: Round,
    old: Plan | None = None,
) -> frozenset[ItemId]:
    """The items whose trials have slots: all of them, or the share that ``design.people`` names.

    They are drawn at random, each stratum in proportion, so that each has the same probability; an
    older plan's items stay as they are.
    """
    items = tuple(dict.fromkeys(trial.item for trial in trials))
    share = study.design.people
    if share is None or round == "calibration":
        return frozenset(items)
    seen = _seen(old) if old is not None else {}
    fresh = [item for item in items if item not in seen]
    rated = {item for item, has_slots in seen.items() if has_slots}
    rng = stream(study.design.seed, round, "people", len(seen))
    order = draw_order(fresh, find_strata(study, material), rng)
    n = int(share * len(items) + 0.5) - len(rated)
    return frozenset([*rated, *order[: max(n, 0 if seen else 1)]])


def people_share(plan: Plan) -> float:
    """The part of a plan's items that have slots."""
    seen = _seen(plan)
    return sum(seen.values()) / len(seen)


def _seen(plan: Plan) -> dict[ItemId, bool]:
    """Each item of the main trials, and whether people get it."""
    slots = Counter(slot.trial for slot in plan.slots)
    seen: dict[ItemId, bool] = {}
    for trial in plan.trials:
        if trial.kind == "main":
            seen[trial.item] = seen.get(trial.item, False) or slots[trial.id] > 0
    return seen
