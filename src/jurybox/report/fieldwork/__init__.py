"""What a study showed, to whom and what they wrote: what a report shows beyond the findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jurybox.design.plan import Plan
from jurybox.report.documents.authored import Authored
from jurybox.report.documents.preregistration import Preregistration
from jurybox.report.fieldwork.breaks import Breaks
from jurybox.report.fieldwork.survey import Told
from jurybox.study.material import Material

__all__ = ["Comment", "Fieldwork", "Marked", "comments_in", "marked_in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """What a rater wrote about a trial, which shows one output or several, or as a reason."""

    rater: str
    item: str
    systems: tuple[str, ...]
    text: str
    criterion: str | None = None
    """Whose answer it is the reason of; a comment on a trial is on all of them."""
    answered: str = ""
    """That answer in words."""


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
    material_hash: str | None = None
    """Of the material that was answered, where its files may have changed since."""
    plan: Plan | None = None
    comments: tuple[Comment, ...] = ()
    marked: tuple[Marked, ...] = ()
    breaks: Breaks | None = None
    preregistration: Preregistration | None = None
    survey: Told = field(default_factory=dict)
    authored: Authored = field(default_factory=dict)
    """What the study's author answers in the datasheet."""


def comments_in(sent: Mapping[str, Sequence[Any]], plan: Plan | None) -> tuple[Comment, ...]:
    """People's comments on main trials, without those of raters who have withdrawn."""
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
    """People's marks, without those of raters who have withdrawn."""
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
