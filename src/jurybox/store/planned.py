"""What is made of a round's plan, once: it changes only when the plan grows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sqlalchemy import Connection, case, func, select

from jurybox.design.plan import BookletId, Round, TrialId
from jurybox.store.tables import booklets, plans, slots, trial_outputs, trials

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


def count_planned(connection: Connection, round: Round) -> Planned:
    """What the round's plan asks for."""
    is_main = (trials.c.plan == round, trials.c.kind == "main")
    first = case((slots.c.repeat == 0, 1), else_=0)
    found = connection.execute(
        select(trials.c.id, trials.c.item).where(*is_main).order_by(trials.c.number)
    )
    by_trial = connection.execute(
        select(slots.c.trial, func.count().label("n"))
        .join(trials, trials.c.id == slots.c.trial)
        .where(*is_main, slots.c.repeat == 0)
        .group_by(slots.c.trial)
    )
    shown = connection.execute(
        select(trial_outputs.c.trial, trial_outputs.c.system)
        .join(trials, trials.c.id == trial_outputs.c.trial)
        .where(*is_main)
    )
    by_booklet = connection.execute(
        select(
            *(booklets.c.id, booklets.c.group),
            func.count().label("n"),
            func.sum(first).label("n_first"),
        )
        .join(slots, slots.c.booklet == booklets.c.id)
        .join(trials, trials.c.id == slots.c.trial)
        .where(booklets.c.round == round, trials.c.kind == "main")
        .group_by(booklets.c.id, booklets.c.group, booklets.c.number)
        .order_by(booklets.c.number)
    ).all()
    groups: dict[str, int] = {}
    for row in by_booklet:
        if row.group is not None:
            groups[row.group] = groups.get(row.group, 0) + int(row.n_first)
    return Planned(
        items={row.id: row.item for row in found},
        slots={row.trial: int(row.n) for row in by_trial},
        systems=tuple((row.trial, row.system) for row in shown),
        booklets={row.id: int(row.n) for row in by_booklet},
        groups=groups,
    )
