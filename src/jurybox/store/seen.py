"""What a rater has seen and sent in a round: the memory that claims are checked against."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select

from jurybox.design.plan import Round, SlotId, TrialId
from jurybox.store.tables import assignments, submission_rows, trials
from jurybox.study.model import ItemId, RaterId

__all__ = ["Seen", "look_back"]


@dataclass(slots=True)
class Seen:
    """A rater's past in a round; grows while a claim takes slots."""

    sent: set[tuple[TrialId, int]] = field(default_factory=set)
    """Trial and repeat of whatever was submitted, in whatever way."""
    answered: set[TrialId] = field(default_factory=set)
    """Trials with an answer, which alone can be repeated."""
    held: set[tuple[TrialId, int]] = field(default_factory=set)
    busy_items: defaultdict[ItemId, set[TrialId]] = field(default_factory=lambda: defaultdict(set))
    """Trials sent or held, by item, where a rater may see one trial of an item only."""
    shown_items: defaultdict[ItemId, set[TrialId]] = field(default_factory=lambda: defaultdict(set))
    """The same for every trial ever assigned."""
    positions: dict[SlotId, int] = field(default_factory=dict)
    lost: set[SlotId] = field(default_factory=set)
    """Slots whose lease ended without an answer."""

    def fits(self, slot: Any, *, fresh: bool = False) -> bool:
        """Whether a free slot may be shown; ``fresh``: no trial of its item was ever assigned."""
        key = (slot.trial, slot.repeat)
        if key in self.sent or key in self.held:
            return False
        if slot.repeat and slot.trial not in self.answered:
            return False
        items = self.shown_items if fresh else self.busy_items
        return not (slot.one_per_item and items.get(slot.item, set()) - {slot.trial})

    def suits(self, content: list[Any]) -> bool:
        """Whether nothing in a booklet was sent or is held already."""
        busy = {trial for trial, _ in self.sent | self.held}
        return not any(row.trial in busy or row.item in self.busy_items for row in content)

    def add(self, slot: Any) -> int:
        """Remember a slot that was just taken; its position in the rater's sequence."""
        position = self.positions.get(slot.id, 1 + max(self.positions.values(), default=-1))
        self.positions[slot.id] = position
        self.held.add((slot.trial, slot.repeat))
        if slot.one_per_item:
            self.busy_items[slot.item].add(slot.trial)
            self.shown_items[slot.item].add(slot.trial)
        return position


def look_back(connection: Connection, rater: RaterId, round: Round) -> Seen:
    """What the rater was given and what they sent; leases that ran out must be swept before."""
    seen = Seen()
    given = connection.execute(
        select(
            assignments.c.slot,
            assignments.c.trial,
            assignments.c.repeat,
            assignments.c.position,
            assignments.c.outcome,
            trials.c.item,
            trials.c.one_per_item,
        )
        .join(trials, trials.c.id == assignments.c.trial)
        .where(assignments.c.rater == rater, trials.c.plan == round)
        .order_by(assignments.c.id)
    ).all()
    for row in given:
        seen.positions[row.slot] = row.position
        (seen.lost.add if row.outcome in ("expired", "released") else seen.lost.discard)(row.slot)
        if row.outcome == "leased":
            seen.held.add((row.trial, row.repeat))
        if row.one_per_item:
            seen.shown_items[row.item].add(row.trial)
            if row.outcome == "leased":
                seen.busy_items[row.item].add(row.trial)
    answered = connection.execute(
        select(
            submission_rows.c.trial,
            submission_rows.c.repeat,
            submission_rows.c.status,
            trials.c.item,
            trials.c.one_per_item,
        )
        .join(trials, trials.c.id == submission_rows.c.trial)
        .where(submission_rows.c.rater == rater)
    )
    for sent in answered:
        seen.sent.add((sent.trial, sent.repeat))
        if sent.status == "answered":
            seen.answered.add(sent.trial)
        if sent.one_per_item:
            seen.busy_items[sent.item].add(sent.trial)
            seen.shown_items[sent.item].add(sent.trial)
    return seen
