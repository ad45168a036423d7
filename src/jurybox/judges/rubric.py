"""The rubric as a judge reads it: the words of the rater's guide, and the JSON to reply with.

Made from the same ``Guide`` as the pages, so that people and models are told the same; what only
concerns a screen (keys, breaks, skipping) is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jurybox.design.answers.forms import find_form, is_per_output
from jurybox.screen.form import letter
from jurybox.study.scales import format_value

if TYPE_CHECKING:
    from jurybox.study.criteria import Criterion
    from jurybox.study.guide import Guide, GuideCriterion
    from jurybox.study.model import Study
    from jurybox.study.scales import Scale

__all__ = ["reply_words", "rubric_words"]


def rubric_words(study: Study, guide: Guide) -> str:
    """What is asked, what to look for, and what every answer means."""
    parts = [f"# {guide.title}", guide.task]
    if guide.look_for:
        parts.append("\n".join(["## What to look for", *(f"- {line}" for line in guide.look_for)]))
    parts.append("## Questions")
    parts += [_question(study, one) for one in guide.criteria]
    if guide.cases:
        titles = {one.name: one.title for one in guide.criteria}
        lines = ["## Worked cases"]
        for case in guide.cases:
            right = "; ".join(
                f"{titles.get(name, name)}: {' or '.join(accepted)}"
                for name, accepted in case.scores
            )
            lines.append(f"- {case.words} Right: {right}. Why: {case.reason}")
        parts.append("\n".join(lines))
    return "\n\n".join(part for part in parts if part)


def _question(study: Study, asked: GuideCriterion) -> str:
    criterion = study.criteria[asked.name]
    lines = [f"### {asked.name}", asked.question]
    if asked.look_for:
        lines.append(f"Look for: {asked.look_for}")
    lines += _values(study, asked, criterion)
    if asked.pass_mark is not None:
        lines.append(f"An output passes with {format_value(asked.pass_mark)} or more.")
    if criterion.confidence is not None:
        lines.append("How sure you are is given as `confidence`:")
        lines += _anchors(study, criterion.confidence)
    return "\n".join(lines)


def _values(study: Study, asked: GuideCriterion, criterion: Criterion) -> list[str]:
    """Every allowed value, with what it means."""
    if asked.kinds:
        severities = ", ".join(f"`{name}`" for name in asked.severities)
        kinds = [f"- `{kind.name}`: {kind.words}" for kind in asked.kinds]
        return ["Categories of error:", *kinds, f"Severities: {severities}."]
    if asked.form == "choice":
        return [f"- `{_CHOICES[str(one.value)]}`: {one.words}" for one in asked.anchors]
    if asked.form == "origin":
        return [f"- `{one.value}`: {one.words}" for one in asked.anchors]
    return [] if criterion.scale is None else _anchors(study, criterion.scale)


_CHOICES = {"a": "A", "b": "B", "tie": "tie", "both_bad": "both_bad"}


def _anchors(study: Study, scale: Scale) -> list[str]:
    lines = [
        f"- `{format_value(value.value)}`: {study.anchor(scale, value)}" for value in scale.values
    ]
    return lines if scale.step is None else [f"A number, {scale.describe()}:", *lines]


def reply_words(study: Study, *, places: int) -> str:
    """How the reply is written, for endpoints that do not hold it to the schema."""
    letters = [letter(place) for place in range(places)]
    lines = [
        "Reply with one JSON object and nothing else. It has one entry per question:",
        "",
        "```",
        "{",
    ]
    for name, criterion in study.criteria.items():
        value = _example(study, criterion, letters)
        sure = ', "confidence": …' if criterion.confidence is not None else ""
        lines.append(f'  "{name}": {{"reason": "one sentence", "value": {value}{sure}}},')
    lines[-1] = lines[-1].rstrip(",")
    lines += ["}", "```"]
    if any(criterion.categories for criterion in study.criteria.values()):
        lines += [
            "",
            "`quote` repeats the words of the error exactly as they stand in the text; "
            "`occurrence` is 1 unless the same words stand there earlier. No error is an empty "
            "list.",
        ]
    return "\n".join(lines)


def _example(study: Study, criterion: Criterion, letters: list[str]) -> str:
    form = find_form(study, criterion)
    if form == "spans":
        value = '[{"quote": "…", "occurrence": 1, "category": "…", "severity": "…"}]'
    elif form == "choice":
        allowed = criterion.choices or ("a", "b", "tie")
        value = " or ".join(f'"{_CHOICES[one]}"' for one in allowed)
    elif form == "ranks" and criterion.answer == "best":
        value = " or ".join(f'"{one}"' for one in letters)
    elif form == "ranks":
        ties = ", ties allowed" if criterion.ties else ""
        value = "{" + ", ".join(f'"{one}": rank' for one in letters) + "}" + f" (1 is best{ties})"
    elif form == "answer":
        value = '"real" or "generated"'
    else:
        value = "number"
    if is_per_output(study, criterion) and len(letters) > 1:
        return "{" + ", ".join(f'"{one}": {value}' for one in letters) + "}"
    return value
