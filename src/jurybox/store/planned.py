"""What is made of a round's plan, once: it changes only when the plan grows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sqlalchemy import Connection, func, select

from jurybox.design.plan import BookletId, Plan, Round, TrialId
from jurybox.store.tables import plans, slots

if TYPE_CHECKING:
    from jurybox.study.model import ItemId, SystemId

__all__ = ["Planned", "WhilePlanned", "count_planned"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The main trials of a round, and how many slots they have; repeats are counted apart."""

    items: Mapping[TrialId, ItemId]
    """The trials in the plan's order, each with its item."""
    slots: Mapping[TrialId, int]
    """Without repeats."""
    systems: tuple[tuple[TrialId, SystemId], ...]
    """A row for every output that a trial shows."""
    booklets: Mapping[BookletId, int]
    """With repeats: what whoever holds the booklet answers."""
    groups: Mapping[str, int]
    """Slots of the groups' booklets, without repeats, in the order of the booklets."""


class WhilePlanned(Generic[T]):
    """Remembers what ``make`` made of each round's plan until the plan grows."""

    def __init__(self, make: Callable[[Connection, Round], T]) -> None:
        self._make = make
        self._lock = Lock()
        self._known: dict[Round, tuple[tuple[Any, int], T]] = {}

    def read(self, connection: Connection, round: Round) -> T:
        """What is made of the round's plan as it is now."""
        mark = _mark(connection, round)
        with self._lock:
            known = self._known.get(round)
        if known is None or known[0] != mark:
            known = (mark, self._make(connection, round))
            with self._lock:
                self._known[round] = known
        return known[1]


def _mark(connection: Connection, round: Round) -> tuple[Any, int]:
    """When the plan grew last, and how large it is: two plans may be of one moment of a clock."""
    at = connection.scalar(select(plans.c.at).where(plans.c.round == round))
    return at, connection.scalar(select(func.count()).select_from(slots)) or 0


def count_planned(plan: Plan | None) -> Planned:
    """What a plan asks for; nothing where there is none."""
    main = {trial.id: trial for trial in plan.trials if trial.kind == "main"} if plan else {}
    asked = [slot for slot in plan.slots if slot.trial in main] if plan else []
    held = Counter(slot.booklet for slot in asked)
    first = Counter(slot.booklet for slot in asked if not slot.repeat)
    groups: dict[str, int] = {}
    for booklet in plan.booklets if plan else ():
        if booklet.group is not None and booklet.id in held:
            groups[booklet.group] = groups.get(booklet.group, 0) + first[booklet.id]
    return Planned(
        items={id: trial.item for id, trial in main.items()},
        slots=Counter(slot.trial for slot in asked if not slot.repeat),
        systems=tuple((id, system) for id, trial in main.items() for system in trial.systems),
        booklets=held,
        groups=groups,
    )
