"""What was asked: the criteria with their anchors, as the raters read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jurybox.analysis.finding import Column, Table
from jurybox.analysis.spans import costs
from jurybox.formats import format_confidence, joined
from jurybox.report.blocks import Block, Heading, Points, Shown, Words
from jurybox.report.said.plain import (
    choices_of,
    derived_rule,
    plain_blocks,
    shown_fields,
    shown_value,
    values_of,
)
from jurybox.study.model import Criterion, Study
from jurybox.study.scales import Scale

if TYPE_CHECKING:
    from jurybox.study.guide import Guide

__all__ = ["asked_blocks"]


def asked_blocks(study: Study, guide: Guide | None, *, is_drawn: bool) -> tuple[Block, ...]:
    """The task, then each criterion with its question and its anchors.

    Where a trial is drawn below, its form shows the anchors: there they are looked up.
    """
    blocks: list[Block] = []
    if study.description is not None:
        blocks.append(Words(text=study.words(study.description)))
    if guide is not None and guide.task:
        blocks += plain_blocks(guide.task)
    blocks.append(Words(text=_shown(study)))
    for name, criterion in study.criteria.items():
        blocks.append(Heading(text=name))
        if criterion.question is not None:
            blocks.append(Words(text=study.words(criterion.question)))
        blocks += _answers(study, name, criterion, is_drawn=is_drawn)
    if study.derived:
        blocks.append(Heading(text="Derived criteria"))
        rules = (f"{name}: {derived_rule(rule)}" for name, rule in study.derived.items())
        blocks.append(Points(items=tuple(f"{rule}, per response." for rule in rules)))
    return tuple(blocks)


def _shown(study: Study) -> str:
    fields = joined(shown_fields(study))
    return f"Each trial showed {fields}{_beside(study)}. Protocol: {study.protocol}."


def _beside(study: Study) -> str:
    """Whose outputs share a screen, where several do."""
    at_once = "two" if study.protocol == "compare" else study.design.outputs_per_trial
    if at_once is None and study.protocol == "rank":
        at_once = "all"
    if at_once in (None, 1):
        return ""
    return f"; the outputs of {at_once} systems stood on one screen"


def _answers(study: Study, name: str, criterion: Criterion, *, is_drawn: bool) -> list[Block]:
    blocks: list[Block] = []
    if criterion.scale is not None:
        blocks.append(Shown(table=_anchors(study, name, criterion.scale), folded=is_drawn))
    if criterion.choices is not None:
        blocks.append(Words(text=f"Choices: {choices_of(criterion.choices)}.", quiet=True))
    if criterion.categories is not None:
        blocks.append(
            Points(
                items=tuple(
                    f"{key}: {study.words(text)}" for key, text in criterion.categories.items()
                )
            )
        )
    if criterion.severities is not None:
        blocks.append(Words(text=costs(criterion.severities, criterion.weights), quiet=True))
    if criterion.confidence is not None:
        blocks.append(
            Words(text=f"Confidence was asked on {_sure(study, criterion.confidence)}.", quiet=True)
        )
    return blocks


def _sure(study: Study, scale: Scale) -> str:
    """The values of a scale of confidence with their anchors, and the chances that they state."""
    if scale.step is not None:
        return values_of(scale)
    said = []
    for each in scale.values:
        anchor = study.words(each.anchor).rstrip(".")
        said.append(shown_value(each.value) + (f" ({anchor})" if anchor else ""))
    chances = [each.probability for each in scale.values if each.probability is not None]
    if len(chances) < len(said):
        return ", ".join(said)
    shown = joined(map(format_confidence, chances))
    return f"{', '.join(said)}; these state a chance of {shown} to be right"


def _anchors(study: Study, name: str, scale: Scale) -> Table:
    return Table(
        id=f"anchors/{name}",
        title=f"Scale of {name} ({scale.level}; {values_of(scale)})",
        columns=(Column(name="value", heading="Value"), Column(name="anchor", heading="Anchor")),
        rows=tuple((shown_value(v.value), study.words(v.anchor)) for v in scale.values),
    )
