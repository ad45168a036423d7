"""The parts of a plan: one for each rater group, or one for everybody.

Where every trial is to be answered in each group, booklets belong to groups: each part is planned
as if the group were alone, so that overlap and balance hold within it. Otherwise any rater takes
any booklet, and quotas only say how many raters of a group are taken.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jurybox.errors import DesignError
from jurybox.study.breach import counted
from jurybox.study.groups import groups_of

if TYPE_CHECKING:
    from jurybox.design.booklets import Needed
    from jurybox.design.plan import Plan
    from jurybox.study import Study

__all__ = [
    "GroupPart",
    "check_places",
    "groups_in",
    "groups_in_turn",
    "part_of_group",
    "parts_of",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPart:
    """The part of a plan that one group answers; without a group, any rater."""

    overlap: int
    group: str | None = None
    raters: int | None = None
    """How many booklets to make; ``None``: as many as the session length asks for."""


def parts_of(study: Study) -> tuple[GroupPart, ...]:
    """The parts of the main plan, each with its own overlap and number of raters."""
    overlap, groups = study.design.overlap, groups_of(study)
    if study.raters is not None and study.raters.each:
        return tuple(
            GroupPart(group=name, overlap=group.overlap or overlap, raters=group.quota)
            for name, group in groups.items()
        )
    quotas = [group.quota for group in groups.values()]
    places = sum(quota or 0 for quota in quotas) if None not in quotas else 0
    return (GroupPart(overlap=overlap, raters=study.design.raters or places or None),)


def check_places(study: Study, part: GroupPart, needed: Needed) -> None:
    """Refuse quotas that leave a booklet empty, or somebody with two outputs of one item."""
    if study.design.raters is not None or part.raters is None or not groups_of(study):
        return
    n_slots = int(needed.copies.sum())
    named = f"raters.groups.{part.group}.quota is"
    who = named if part.group else "the quotas of raters.groups are"
    are = "is" if n_slots == 1 else "are"
    if part.raters > n_slots and not needed.n_shared:
        raise DesignError(
            f"{who} {part.raters} and only {counted(n_slots, 'answer')} {are} planned, so some "
            "booklets would be empty; ask for fewer raters, a larger overlap or more items."
        )
    if study.protocol == "detect":
        per_item: Counter[str] = Counter()
        for trial, copies in zip(needed.trials, needed.copies.tolist(), strict=True):
            per_item[trial.item] += copies
        apart = max(per_item.values(), default=0)
        if part.raters < apart:
            raise DesignError(
                f"{who} {part.raters}, and {apart} raters are needed so that nobody sees two "
                "outputs of the same item, such as a real and a generated one; ask for more "
                "raters, a smaller overlap or fewer items."
            )


def groups_in(plan: Plan) -> tuple[str, ...]:
    """The groups that booklets of the plan belong to, in the order of the booklets."""
    return tuple(dict.fromkeys(booklet.group for booklet in plan.booklets if booklet.group))


def groups_in_turn(study: Study, plan: Plan, n: int) -> tuple[str | None, ...]:
    """A group for each of ``n`` raters who come one after the other, as the booklets need them."""
    groups = [booklet.group for booklet in plan.booklets if booklet.group]
    groups = groups or list(groups_of(study))
    return tuple(groups[rater % len(groups)] if groups else None for rater in range(n))


def part_of_group(plan: Plan, group: str) -> Plan:
    """The plan as one group sees it: its booklets, their slots, and the trials in them."""
    booklets = tuple(booklet for booklet in plan.booklets if booklet.group == group)
    own = {booklet.id for booklet in booklets}
    slots = tuple(slot for slot in plan.slots if slot.booklet in own)
    shown = {slot.trial for slot in slots} | set(plan.practice)
    trials = tuple(trial for trial in plan.trials if trial.id in shown)
    main = {trial.id for trial in trials if trial.kind == "main"}
    counts = Counter(slot.trial for slot in slots if slot.trial in main and not slot.repeat)
    return replace(
        plan,
        overlap=min(counts.values(), default=0),
        trials=trials,
        slots=slots,
        booklets=booklets,
    )
