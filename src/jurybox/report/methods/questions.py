"""What raters were asked, in one sentence for the methods: each criterion with its answers."""

from __future__ import annotations

from jurybox.analysis.finding import Facts
from jurybox.formats import in_words, joined
from jurybox.report.said.plain import derived_rule, shown_value, values_of
from jurybox.study.model import Criterion, Study

__all__ = ["computed", "questions"]

CHOICES = {"a": "the first", "b": "the second", "tie": "a tie", "both_bad": "both bad"}
MOST = 12
"""Criteria up to which each is named with its answers."""


def computed(facts: Facts) -> list[str]:
    """From which criteria of a table others were computed.

    >>> computed(Facts(derived=(("overall", "geometric mean", ("SC", "PR")),)))
    ['For each response, overall is the geometric mean of SC and PR.']
    """
    if not facts.derived or len(facts.derived) > MOST:
        return []
    rules = [f"{name} is the {how} of {joined(of)}" for name, how, of in facts.derived]
    return [f"For each response, {joined(rules)}."]


def questions(study: Study) -> list[str]:
    """What was asked and how it could be answered; then what is computed from the answers."""
    names = list(study.criteria)
    said = []
    if len(names) > MOST:
        said = [f"The study asks for {len(names):,} criteria, which the design lists."]
    elif names:
        each = [f"{name} ({_answers(study, asked)})" for name, asked in study.criteria.items()]
        said = [f"The study asks for {joined(each)}."]
    return [*said, *_derived(study)]


def _answers(study: Study, asked: Criterion) -> str:
    """How a criterion could be answered, and what was asked beside it."""
    parts = [_form(study, asked)]
    if asked.direction == "lower":
        parts.append("lower is better")
    if asked.pass_mark is not None:
        way = "or less" if asked.direction == "lower" else "or more"
        parts.append(f"{shown_value(asked.pass_mark)} {way} passes")
    if asked.confidence is not None:
        parts.append(f"with confidence on {values_of(asked.confidence)}")
    if asked.reason is not None:
        parts.append(f"with a reason, {asked.reason}")
    return "; ".join(parts)


def _form(study: Study, asked: Criterion) -> str:
    if asked.choices is not None:
        return in_words([CHOICES[choice] for choice in asked.choices])
    if asked.field is not None:
        parts = [("category", asked.categories), ("severity", asked.severities)]
        of = [name for name, values in parts if values is not None]
        return f"spans with {joined(of)}" if of else "spans"
    if asked.scale is not None:
        way = "the sign names the better one, " if asked.graded else ""
        if asked.scale.step is not None:
            return f"{way}{values_of(asked.scale)}"
        values = [shown_value(each.value) for each in asked.scale.values]
        if values == ["0", "1"]:  # no and yes, whatever they are called
            words = [study.words(each.anchor).rstrip(".").lower() for each in asked.scale.values]
            values = words if all(words) else values
        return f"{way}{in_words(values)}"
    if study.protocol == "rank":
        if asked.answer == "best":
            return "the best output"
        return f"an order, best first{', ties allowed' if asked.ties else ''}"
    return "real or generated" if study.protocol == "detect" else "an answer"


def _derived(study: Study) -> list[str]:
    if not study.derived or len(study.derived) > MOST:
        return []
    rules = [f"{name} is the {derived_rule(rule)}" for name, rule in study.derived.items()]
    return [f"From these come further criteria, for each response: {joined(rules)}."]
