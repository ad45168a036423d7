"""Who is left out by a rule stated before the data, and by which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jurybox.analysis.agreement import level_of
from jurybox.analysis.context import Context
from jurybox.analysis.finding import Column, Excluded, Table
from jurybox.analysis.measure.raters import Checks, agreement_with_others
from jurybox.results import format_number, format_percent, format_seconds
from jurybox.tally.raters import RaterTally, rater_tallies, scores_below
from jurybox.tally.responses import Responses

__all__ = ["excluded_raters", "read_checks", "rule_table"]

ENOUGH = 5
"""Fewer answers than this are no straight line."""
HEARD = 0.9
"""The share of the scale that who hears a hidden reference gives it at least (ITU-R BS.1534-3)."""


def read_checks(table: Mapping[str, Sequence[Any]] | None) -> Checks:
    """Count right answers to known trials, per rater and kind."""
    found: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    if table is None:
        return found
    for rater, kind, correct in zip(table["rater"], table["kind"], table["correct"], strict=True):
        if correct is None:
            continue
        right, n = found[rater].get(kind, (0, 0))
        found[rater][kind] = (right + bool(correct), n + 1)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rater:
    tally: RaterTally
    checks: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    agreement: float | None = None
    missed: tuple[int, int] | None = None
    """How many hidden references were scored too low, and of how many."""


def _break_rule(rater: _Rater, rule: str, limit: float, practice_pass: float) -> str | None:
    """The sentence that says how the rater breaks the rule; ``None`` if it is kept."""
    tally = rater.tally
    if rule == "gold_below" and "gold" in rater.checks:
        right, n = rater.checks["gold"]
        if right / n < limit:
            share, asked = _apart(right / n, limit)
            return f"{right} of {n} gold trials right ({share}; the rule asks for {asked})"
    if rule == "practice_failed" and "practice" in rater.checks:
        right, n = rater.checks["practice"]
        if right / n < practice_pass:
            asked = format_percent(practice_pass, 0)
            return f"{right} of {n} practice trials right (the rule asks for {asked})"
    if rule == "attention_failed" and "attention" in rater.checks:
        right, n = rater.checks["attention"]
        if n - right >= limit:
            return f"{n - right} attention checks failed (the rule allows fewer than {limit:g})"
    if rule == "faster_than" and tally.seconds is not None and tally.seconds < limit:
        took = format_seconds(tally.seconds)
        return f"a median of {took} s per trial (the rule asks for {limit:g} s)"
    if rule == "straight_line" and tally.most_used_share is not None:
        if tally.n_responses >= ENOUGH and tally.most_used_share > limit:
            share, allowed = _apart(tally.most_used_share, limit)
            return f"{share} of answers are {tally.most_used} (the rule allows {allowed})"
    if rule == "hidden_reference_missed" and rater.missed is not None:
        missed, n = rater.missed
        if missed / n > limit:
            return (
                f"{missed} of {n} hidden references below {HEARD:.0%} of the scale (the rule allows"
                f" {format_percent(limit, 0)})"
            )
    if rule == "agreement_below" and rater.agreement is not None and rater.agreement < limit:
        value = format_number(rater.agreement, 2)
        return (
            f"agreement of {value} with the others (the rule asks for {limit:g}; leaving out who "
            "disagrees raises agreement by construction)"
        )
    return None


def _apart(share: float, limit: float) -> tuple[str, str]:
    """Two shares with the digits that tell them apart: 45.5% is more than 45.0%."""
    for digits in range(3):
        one, other = format_percent(share, digits), format_percent(limit, digits)
        if one != other:
            break
    return one, other


def _raters(context: Context, responses: Responses, checks: Checks) -> list[_Rater]:
    agreement: dict[str, float | None] = {}
    if "agreement_below" in context.asked.exclude:
        agreement = _agreement(context, responses)
    missed: dict[str, tuple[int, int]] = {}
    if "hidden_reference_missed" in context.asked.exclude:
        missed = scores_below(responses, context.asked.hidden_references, _least(context))
    return [
        _Rater(
            tally=tally,
            checks=checks.get(tally.rater, {}),
            agreement=agreement.get(tally.rater),
            missed=missed.get(tally.rater),
        )
        for tally in rater_tallies(responses)
    ]


def _least(context: Context) -> dict[str, float]:
    """Per criterion the score that a reference gets at least."""
    return {
        name: each.ends[0] + HEARD * (each.ends[1] - each.ends[0])
        for name, each in context.asked.criteria.items()
        if each.ends is not None
    }


def _agreement(context: Context, responses: Responses) -> dict[str, float | None]:
    """Each rater's agreement with the others, averaged over criteria."""
    if responses.shape.name in ("rankings", "spans") or not responses.has_item:
        return {}
    found: dict[str, list[float]] = defaultdict(list)
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        level, _ = level_of(context, part, criterion)
        for rater, value in agreement_with_others(part, level).items():
            found[rater].append(value)
    return {rater: sum(values) / len(values) for rater, values in found.items()}


def excluded_raters(
    context: Context, responses: Responses, checks: Checks, marked: Mapping[str, str]
) -> tuple[Excluded, ...]:
    """Who is left out: by the study's rules, and by marks that the responses carry."""
    if not context.asked.exclude and not marked:
        return ()
    found = []
    for rater in _raters(context, responses, checks):
        reasons = [
            (rule, sentence)
            for rule, limit in context.asked.exclude.items()
            if (sentence := _break_rule(rater, rule, limit, context.asked.practice_pass))
        ]
        mark = marked.get(rater.tally.rater)
        if mark is not None and mark not in dict(reasons):
            reasons.append((mark, f"marked as excluded by {mark}"))
        if not reasons:
            continue
        rules, sentences = zip(*reasons, strict=True)
        found.append(
            Excluded(
                rater=rater.tally.rater,
                rule=rules[0],
                also=rules[1:],
                sentence=f"{rater.tally.rater}: {'; '.join(sentences)}",
                n_responses=rater.tally.n_responses,
            )
        )
    return tuple(found)


def rule_table(context: Context, excluded: Sequence[Excluded]) -> Table:
    """Per rule, how many raters break it and how many responses go with them."""
    rules = dict.fromkeys([*context.asked.exclude, *(rule for e in excluded for rule in e.rules)])
    rows = []
    for rule in rules:
        broken = [each for each in excluded if rule in each.rules]
        alone = [each for each in broken if each.rules == (rule,)]
        responses = sum(each.n_responses for each in broken)
        rows.append((rule, len(broken), len(alone), responses))
    return Table(
        id="exclusions",
        title="How many each rule leaves out",
        columns=(
            Column(name="rule", heading="Rule"),
            Column(name="raters", heading="Raters left out", kind="count"),
            Column(name="alone", heading="By this rule alone", kind="count"),
            Column(name="responses", heading="Responses", kind="count"),
        ),
        rows=tuple(rows),
        caption="A rater who breaks several rules stands in each of their rows."
        if len(rows) > 1
        else "",
    )
