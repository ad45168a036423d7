"""What a study means when it does not say: criteria that suit the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from jurybox.study.criteria import TEXTUAL, Criterion, Shown
from jurybox.study.languages import catalogue, later
from jurybox.study.scales import Scale, expand, with_probabilities

if TYPE_CHECKING:
    from jurybox.study.model import Protocol

__all__ = ["complete_criteria", "complete_criterion"]

ALONE = {
    "rate": (later("overall"), later("How good is this output, all in all?")),
    "compare": (later("preference"), later("Which one is better?")),
    "rank": (later("preference"), later("Put them in order, best first.")),
    "detect": (later("origin"), later("Is this real or generated?")),
}


def complete_criteria(
    protocol: Protocol,
    criteria: Mapping[str, Criterion],
    show: Mapping[str, Shown],
    language: str = "en",
) -> dict[str, Criterion]:
    """Write out what each criterion leaves unsaid; with none at all, the protocol's usual one."""
    if not criteria and protocol in ALONE:
        name, question = ALONE[protocol]
        criteria = {name: Criterion(question=catalogue(language).gettext(question))}
    return {
        name: complete_criterion(protocol, name, criterion, show)
        for name, criterion in criteria.items()
    }


def complete_criterion(
    protocol: Protocol, name: str, criterion: Criterion, show: Mapping[str, Shown]
) -> Criterion:
    """Write out what one criterion leaves unsaid."""
    filled = {**_answer_form(protocol, criterion), **_span_form(protocol, criterion, show)}
    if criterion.question is None:
        filled["question"] = name.replace("_", " ").replace("-", " ").capitalize()
    scale = filled.get("scale", criterion.scale)
    if scale is not None and criterion.level is None:
        filled["level"] = scale.level
    confidence = criterion.confidence
    if protocol == "detect" and confidence is not None and _is_numbered(confidence):
        filled["confidence"] = with_probabilities(confidence)
    return criterion.model_copy(update=filled)


def _is_numbered(confidence: Scale) -> bool:
    stated = any(value.probability is not None for value in confidence.values)
    return not stated and (confidence.name or "").startswith("confidence-")


def _answer_form(protocol: Protocol, criterion: Criterion) -> dict[str, Any]:
    filled: dict[str, Any] = {}
    per_output = protocol in {"rate", "mark", "detect"}
    if criterion.per is None:
        filled["per"] = "output" if per_output else "trial"
    per = filled.get("per", criterion.per)
    asks = criterion.scale or criterion.choices or criterion.categories or criterion.answer
    if protocol == "rank" and criterion.answer is None:
        filled["answer"] = "order"
    elif protocol == "compare" and not asks and per == "trial":
        filled["choices"] = ("a", "b", "tie")
    elif protocol in {"rate", "mark", "compare"} and not asks:
        filled["scale"] = Scale.model_validate(expand("acr"))
    return filled


def _span_form(
    protocol: Protocol, criterion: Criterion, show: Mapping[str, Shown]
) -> dict[str, Any]:
    if protocol != "mark" or criterion.categories is None:
        return {}
    filled: dict[str, Any] = {}
    if criterion.severities is None:
        filled["severities"] = {later("minor"): 1.0, later("major"): 5.0}
    texts = [name for name, shown in show.items() if shown.medium in TEXTUAL]
    if criterion.field is None and len(texts) == 1:
        filled["field"] = texts[0]
    return filled
