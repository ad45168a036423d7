"""What was asked: the criteria with their anchors, as the raters read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from jurybox.analysis.finding import Column, Table
from jurybox.analysis.spans import costs
from jurybox.report.blocks import Block, Heading, Points, Shown, Words
from jurybox.report.methods import joined
from jurybox.study.model import Criterion, Study
from jurybox.study.scales import Scale, format_value

if TYPE_CHECKING:
    from jurybox.study.guide import Guide

__all__ = ["asked_blocks", "plain_text", "shown_fields"]

CHOICES = {"a": "first", "b": "second", "tie": "tie", "both_bad": "both bad"}


def asked_blocks(study: Study, guide: Guide | None) -> tuple[Block, ...]:
    """The task, then each criterion with its question and its anchors."""
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
        blocks += _answers(study, name, criterion)
    if study.derived:
        blocks.append(Heading(text="Derived criteria"))
        blocks.append(
            Points(items=tuple(f"{name}: {_rule(study, name)}" for name in study.derived))
        )
    return tuple(blocks)


def plain_blocks(text: str) -> list[Words | Points]:
    r"""Markdown as plain paragraphs and points; what it stresses is not stressed.

    A row of a table is a point.

    >>> plain_blocks("Choose **A** or **B**:\n\n- *Tie*: both")
    [Words(text='Choose A or B:', quiet=False), Points(items=('Tie: both',))]
    >>> plain_blocks("| What | Cost |\n|---|---|\n| permit | none |")
    [Points(items=('What: Cost', 'permit: none'))]
    """
    blocks: list[Words | Points] = []
    points: list[str] = []
    row: list[str] | None = None
    depth = 0
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
            if not depth:
                blocks.append(Points(items=tuple(points)))
                points = []
        elif token.type == "tr_open":
            row = []
        elif token.type == "tr_close" and row is not None:
            points += [": ".join(row)] if row else []
            row = None
        elif token.type == "table_close" and not depth:
            blocks.append(Points(items=tuple(points)))
            points = []
        elif token.content:
            parts = token.children or [token]
            said = "".join(" " if part.type.endswith("break") else part.content for part in parts)
            if row is not None:
                row.append(said)
            elif depth:
                points.append(said)
            else:
                blocks.append(Words(text=said))
    return blocks


def shown_fields(study: Study) -> list[str]:
    """What a trial shows, each field with its medium; sentences of a series stand between."""
    fields = []
    for name, shown in study.show.items():
        between = "" if shown.between is None else f", with {shown.between} between them"
        fields.append(f"{name} ({shown.medium}{between})".replace("_", " "))
    return fields


def _shown(study: Study) -> str:
    return f"Each trial showed {joined(shown_fields(study))}. Protocol: {study.protocol}."


def plain_text(text: str) -> str:
    r"""Markdown as lines of plain text.

    >>> plain_text("**Yes**, it does.\n\n- see [2]")
    'Yes, it does.\n– see [2]'
    """
    parts = (
        [f"– {item}" for item in b.items] if isinstance(b, Points) else [b.text]
        for b in plain_blocks(text)
    )
    return "\n".join(part for group in parts for part in group)


def _answers(study: Study, name: str, criterion: Criterion) -> list[Block]:
    blocks: list[Block] = []
    if criterion.scale is not None:
        blocks.append(Shown(table=_anchors(study, name, criterion.scale)))
    if criterion.choices is not None:
        words = ", ".join(CHOICES[choice] for choice in criterion.choices)
        blocks.append(Words(text=f"Choices: {words}.", quiet=True))
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
            Words(text=f"Confidence was asked on {criterion.confidence.describe()}.", quiet=True)
        )
    return blocks


def _anchors(study: Study, name: str, scale: Scale) -> Table:
    return Table(
        id=f"anchors/{name}",
        title=f"Scale of {name} ({scale.level}; {scale.describe()})",
        columns=(Column(name="value", heading="Value"), Column(name="anchor", heading="Anchor")),
        rows=tuple((format_value(v.value), study.words(v.anchor)) for v in scale.values),
    )


def _rule(study: Study, name: str) -> str:
    rule = study.derived[name]
    if rule.weighted_mean is not None:
        parts = ", ".join(f"{format_value(w)} × {part}" for part, w in rule.weighted_mean.items())
        return f"weighted mean of {parts}, per response."
    kind = "mean" if rule.mean is not None else "geometric mean"
    return f"{kind} of {', '.join(rule.parts)}, per response."
