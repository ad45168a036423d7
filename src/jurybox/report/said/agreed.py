"""Agreement on many criteria, said in a few sentences instead of three or more for each."""

from __future__ import annotations

from collections.abc import Sequence

from jurybox.analysis.agreement import kappa_action
from jurybox.analysis.finding import Finding
from jurybox.analysis.sentences import (
    ALPHA_WORDS,
    KAPPA_WORDS,
    between_words,
    counted,
    said_of,
)
from jurybox.formats import joined
from jurybox.results import Result, format_count
from jurybox.stats.agreement.patterns import Agreement

__all__ = ["is_plain_agreement", "say_agreement"]

BEFORE, AFTER = "agreement_before", "agreement"
KAPPAS = ("cohen", "fleiss")
BESIDE = "The table has it within systems, too."


def is_plain_agreement(finding: Finding) -> bool:
    """Whether a finding only says how far raters agree on a criterion, as others do on theirs."""
    return (
        finding.kind in (BEFORE, AFTER, *KAPPAS)
        and isinstance(finding.result, Agreement)
        and finding.result.estimate is not None
        # One that says more than the coefficient stands alone.
        and finding.together is not None
    )


def say_agreement(group: Sequence[Finding]) -> str:
    """One coefficient on several criteria, with its words, numbers and intervals."""
    kind, together = group[0].kind, group[0].together
    if kind == BEFORE or together is None:
        return _before(group)
    if kind == AFTER:
        said = _by_words(group, together.before, ALPHA_WORDS, "Krippendorff's", "α")
        return f"{said}{together.after} {BESIDE}"
    said = _by_words(group, together.before, KAPPA_WORDS, "Landis and Koch's", "κ")
    actions: dict[str, list[str]] = {}
    for finding in group:
        actions.setdefault(kappa_action(finding.result), []).append(str(finding.criterion))
    if len(actions) == 1:
        return f"{said} What to do: {next(iter(actions))}."
    todo = "; ".join(f"on {joined(names)}, {action}" for action, names in actions.items())
    return f"{said} What to do: {todo}."


def _before(group: Sequence[Finding]) -> str:
    """Agreement of all raters, in short: the table with and without exclusions has intervals."""
    values = sorted(
        (finding.result for finding in group), key=lambda result: result.estimate or 0.0
    )
    low, high = (result.format(result.estimate) for result in (values[0], values[-1]))
    criteria = format_count(len(group), "criterion", "criteria")
    return (
        f"Before exclusion, α is from {low} to {high} on the {criteria}; the table with and "
        "without exclusions has each with its interval."
    )


def _by_words(
    group: Sequence[Finding],
    lead: str,
    words: tuple[tuple[float, str], ...],
    whose: str,
    letter: str,
) -> str:
    """The criteria that the scale of words has one word for, side by side."""
    alike: dict[str, list[str]] = {}
    for finding in group:
        number = f"{letter} = {finding.result.format(finding.result.estimate)}"
        shown = f"{finding.criterion} ({number}, {said_of(finding.result, noun=None)[1:-1]})"
        alike.setdefault(between_words(finding.result, words), []).append(shown)
    (word, first), *rest = alike.items()
    said = [f"{lead} is {word} ({whose} words) on {joined(first)}."]
    said += [f"On {joined(shown)} it is {word}." for word, shown in rest]
    return f"{' '.join(said)}{_sizes([finding.result for finding in group])}"


def _sizes(results: Sequence[Result]) -> str:
    """What each coefficient rests on, where all rest on as much."""
    sizes = {counted(result, "response") for result in results}
    return f" Each rests on {sizes.pop()}." if len(sizes) == 1 and "" not in sizes else ""
