"""The plan: trials, slots and booklets, fixed before the first rater comes.

A trial is one screen. It is answered ``overlap`` times, once per slot; a slot also fixes the order
in which the trial's outputs are shown. A booklet is the ordered list of slots that one rater works
through. Plans are plain values: the store keeps them, and the same study and seed give the same
plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NewType

from jurybox.study.model import ItemId, SystemId

__all__ = [
    "Booklet",
    "BookletId",
    "Plan",
    "Round",
    "Slot",
    "SlotId",
    "Trial",
    "TrialId",
    "TrialKind",
]

TrialId = NewType("TrialId", str)
SlotId = NewType("SlotId", str)
BookletId = NewType("BookletId", str)

Round = Literal["pilot", "calibration", "main", "practice"]
TrialKind = Literal["main", "gold", "attention", "practice"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One screen: an item, the systems whose outputs are shown, in canonical (not shown) order.

    Practice, gold and attention trials may bring content of their own; their ``item`` then names a
    row of the known-answer table (``Material.known``) rather than a row of the items table.
    """

    id: TrialId
    item: ItemId
    systems: tuple[SystemId, ...]
    kind: TrialKind = "main"
    round: Round = "main"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One of a trial's planned answers.

    ``order[p]`` is the index in ``trial.systems`` of the output shown at place ``p``, so
    ``order == (1, 0)`` shows the second system first.
    """

    id: SlotId
    trial: TrialId
    order: tuple[int, ...]
    booklet: BookletId
    position: int
    """Place within the booklet, from 0."""
    repeat: int = 0
    """0, or 1 where the rater sees the trial again (test–retest), beyond the overlap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Booklet:
    """An ordered list of slots for one rater."""

    id: BookletId
    slots: tuple[SlotId, ...]
    group: str | None = None
    """The rater group that it is for; ``None``: for any rater."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything the raters will see; ``practice`` is shown first to each of them."""

    seed: int
    overlap: int
    trials: tuple[Trial, ...]
    slots: tuple[Slot, ...]
    booklets: tuple[Booklet, ...]
    practice: tuple[TrialId, ...] = ()
    round: Round = "main"
    _trials: Mapping[TrialId, Trial] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_trials", {trial.id: trial for trial in self.trials})

    def trial(self, id: TrialId) -> Trial:
        """The trial with this id."""
        return self._trials[id]
