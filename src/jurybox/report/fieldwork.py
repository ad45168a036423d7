"""What a study showed, to whom and what they wrote: what a report shows beyond the findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jurybox.design.plan import Plan
from jurybox.report.breaks import Breaks
from jurybox.report.preregistration import Preregistration
from jurybox.study.material import Material

__all__ = ["Comment", "Fieldwork", "comments_in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """What a rater wrote about a trial, which shows one output or several."""

    rater: str
    item: str
    systems: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fieldwork:
    """Items and outputs, the plan, raters' comments and breaks, and what was fixed before."""

    material: Material
    plan: Plan | None = None
    comments: tuple[Comment, ...] = ()
    breaks: Breaks | None = None
    preregistration: Preregistration | None = None


def comments_in(sent: Mapping[str, Sequence[Any]], plan: Plan | None) -> tuple[Comment, ...]:
    """People's comments on main trials among submissions; nobody's who has withdrawn."""
    if plan is None:
        return ()
    shown = {trial.id: trial for trial in plan.trials if trial.kind == "main"}
    names = ("rater", "trial", "comment", "rater_kind", "excluded_by")
    found = dict.fromkeys(
        (rater, trial, comment.strip())
        for rater, trial, comment, kind, mark in zip(*(sent[name] for name in names), strict=True)
        if comment and comment.strip() and kind == "person" and mark != "withdrawn"
    )
    return tuple(
        Comment(
            rater=rater,
            item=str(shown[trial].item),
            systems=tuple(str(system) for system in shown[trial].systems),
            text=comment,
        )
        for rater, trial, comment in found
        if trial in shown
    )
