"""What the author of a study wrote, in plain words: Markdown without its marks, fields by name."""

from __future__ import annotations

from collections.abc import Iterable

from markdown_it import MarkdownIt

from jurybox.formats import joined
from jurybox.report.blocks import Points, Words
from jurybox.study.criteria import Derived
from jurybox.study.model import Study
from jurybox.study.scales import Scale, format_value

__all__ = [
    "choices_of",
    "derived_rule",
    "plain_blocks",
    "plain_text",
    "shown_fields",
    "shown_value",
    "values_of",
]

CHOICES = {"a": "A", "b": "B", "tie": "tie", "both_bad": "both bad"}


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


def choices_of(choices: Iterable[str]) -> str:
    """What may be chosen, as raters read it."""
    return ", ".join(CHOICES[choice] for choice in choices)


def values_of(scale: Scale) -> str:
    """The allowed values in words, with the minus of the tables.

    >>> from jurybox.study.scales import expand
    >>> values_of(Scale.model_validate(expand({-1: "Worse", 0: "Alike", 1: "Better"})))
    '−1, 0, 1'
    """
    return scale.describe().replace("-", "−")


def shown_value(value: float) -> str:
    """A value of a scale, with the minus of the tables."""
    return format_value(value).replace("-", "−")


def derived_rule(rule: Derived) -> str:
    """How a criterion is computed from others.

    >>> derived_rule(Derived(weighted_mean={"truth": 2, "style": 0.5}))
    'weighted mean of 2 × truth and 0.5 × style'
    """
    if rule.weighted_mean is not None:
        parts = (f"{format_value(weight)} × {part}" for part, weight in rule.weighted_mean.items())
        return f"weighted mean of {joined(parts)}"
    kind = "mean" if rule.mean is not None else "geometric mean"
    return f"{kind} of {joined(rule.parts)}"


def shown_fields(study: Study) -> list[str]:
    """What a trial shows, each field with its medium; sentences of a series stand between."""
    fields = []
    for name, shown in study.show.items():
        between = "" if shown.between is None else f", with {shown.between} between them"
        fields.append(f"{name} ({shown.medium}{between})".replace("_", " "))
    return fields
