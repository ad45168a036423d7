"""What every plan holds by construction; one that does not is refused, never served.

The bounds are those of ``booklets.py``, ``orders.py`` and ``williams.py``. They are looked at once
more from the finished slots, by other code than that which made them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from jurybox.design.balance import Balance, balance
from jurybox.design.plan import BookletId, Plan, TrialId
from jurybox.errors import DesignError
from jurybox.study.model import ItemId, SystemId

__all__ = ["follow_bound", "is_roomy", "refuse_uneven"]

MOST_SYSTEMS = 16
"""Up to so many systems the search for an even order is known to end well."""
MOST_OF_ONE_ITEM = 0.15
"""Items that fill more of a booklet leave too little choice of order."""


def refuse_uneven(part: Plan) -> None:
    """Raise ``DesignError`` if booklets made in one go are less even than they could be."""
    _refuse_twice(part)
    found = balance(part)
    for what, difference, bound in _bounds(part, found):
        if difference is not None and difference > bound:
            raise DesignError(
                f"The plan is less even than it could be: {what} differ by {difference}, and "
                f"{bound} can be had; try another design.seed, and report this as a fault of "
                "jurybox."
            )


def _bounds(part: Plan, found: Balance) -> Iterator[tuple[str, int | None, int]]:
    """What is counted, its largest difference and what that may be."""
    main = [trial for trial in part.trials if trial.kind == "main"]
    sizes = {len(trial.systems) for trial in main}
    yield "the numbers of trials in the booklets", found.load_difference, 1
    yield "the places of a system within the slots of a trial", found.trial_difference, 1
    if sizes == {1}:
        yield "the trials of a system in the booklets", found.system_difference, 1
        bound = follow_bound(part)
        if bound is not None:
            yield "the counts of who follows whom", found.follow_difference, bound
    elif sizes == {2}:
        yield "the two sides of a pair", found.pair_difference, 1
        yield "the two sides within a booklet", found.booklet_difference, 1
    elif len(sizes) == 1:
        yield "the places of a system", found.place_difference, 1
        if sizes.pop() % 2 == 0 and len({trial.systems for trial in main}) == 1:
            yield "who comes first of a pair", found.pair_difference, 1


def follow_bound(part: Plan) -> int | None:
    """How far counts of who follows whom may differ; ``None`` where nothing is promised.

    Promised where all systems are shown equally often, in each booklet up to 1, no item comes more
    than once in a booklet or fills more than 15% of it, and there are at most 16 systems: 1, or 2
    for an odd number of systems.
    """
    systems: Counter[SystemId] = Counter()
    shown: dict[BookletId, Counter[SystemId]] = {}
    items: dict[BookletId, list[ItemId]] = {}
    for slot in part.slots:
        trial = part.trial(slot.trial)
        if trial.kind == "main" and not slot.repeat:
            systems.update(trial.systems)
            shown.setdefault(slot.booklet, Counter()).update(trial.systems)
            items.setdefault(slot.booklet, []).append(trial.item)
    regular = len(set(systems.values())) == 1 and all(
        max(counts.values()) - min(counts[system] for system in systems) <= 1
        for counts in shown.values()
    )
    roomy = all(is_roomy(content) for content in items.values())
    if not regular or not roomy or not 2 <= len(systems) <= MOST_SYSTEMS:
        return None
    return 1 + len(systems) % 2


def is_roomy(items: Sequence[Hashable]) -> bool:
    """Whether the items of a booklet's main trials leave enough choice of order."""
    return max(Counter(items).values(), default=0) <= max(1, MOST_OF_ONE_ITEM * len(items))


def _refuse_twice(part: Plan) -> None:
    seen: set[tuple[BookletId, TrialId]] = set()
    for slot in part.slots:
        if not slot.repeat and (slot.booklet, slot.trial) in seen:
            raise DesignError(
                f"The plan shows a trial of item '{part.trial(slot.trial).item}' twice in one "
                "booklet without a planned repeat; report this as a fault of jurybox."
            )
        seen.add((slot.booklet, slot.trial))
