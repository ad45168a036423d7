"""What a study showed, to whom and what they wrote: what a report shows beyond the findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jurybox.design.plan import Plan
from jurybox.report.breaks import Breaks
from jurybox.report.preregistration import Preregistration
from jurybox.study.material import Material

__all__ = ["Comment", "Fieldwork", "Marked", "comments_in", "marked_in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """What a rater wrote about a trial, which shows one output or several."""

    rater: str
    item: str
    systems: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """What a rater marked in an output."""

    rater: str
    item: str
    system: str
    criterion: str
    field: str
    start: int
    end: int
    called: str
    """Its category and severity, as far as they were asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fieldwork:
    """Items and outputs, the plan, what raters wrote and marked, and what was fixed before."""

    material: Material
    plan: Plan | None = None
    comments: tuple[Comment, ...] = ()
    marked: tuple[Marked, ...] = ()
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


def marked_in(spans: Mapping[str, Sequence[Any]]) -> tuple[Marked, ...]:
    """People's marks among spans; nobody's who has withdrawn."""
    names = ("rater", "item", "system", "criterion", "field", "start", "end")
    asked = ("category", "severity", "status", "rater_kind", "excluded_by")
    rows = zip(*(spans[name] for name in (*names, *asked)), strict=True)
    return tuple(
        Marked(
            **dict(zip(names, row[: len(names)], strict=True)),
            called=", ".join(filter(None, (category, severity))),
        )
        for *row, category, severity, status, kind, mark in rows
        if row[5] is not None and (status, kind) == ("answered", "person") and mark != "withdrawn"
    )
