"""What strengths say: of each system its number and its possible ranks, and which groups exist."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Column, Finding, Table
from jurybox.analysis.sentences import called, evidence
from jurybox.results import format_number
from jurybox.stats.strengths.results import Strength, Strengths

__all__ = [
    "by_group",
    "group_of",
    "possible_ranks",
    "say_strengths",
    "sentence_of",
    "strength_findings",
    "win_probability_table",
]


def possible_ranks(row: Strength | None) -> str | None:
    """The ranks that simultaneous comparisons leave open, as a cell: `1`, `2 to 3`."""
    if row is None or row.rank_low is None or row.rank_high is None:
        return None
    if row.rank_low == row.rank_high:
        return str(row.rank_low)
    return f"{row.rank_low} to {row.rank_high}"


def _rank_words(row: Strength, fit: Strengths) -> str:
    ranks = possible_ranks(row)
    if ranks is None:
        return ""
    size = len(fit.groups[row.group - 1]) if fit.groups else len(fit.rows)
    word = "rank" if row.rank_low == row.rank_high else "ranks"
    jointly = f"jointly at {format_number(100 * fit.confidence, 0)}%"
    return f"; {word} {ranks} of {size}, {jointly}"


def _bound(row: Strength) -> str:
    """Where a system without a number has a one-sided bound: what its strength is at least."""
    ends = row.interval
    if ends is None or math.isfinite(ends.low) == math.isfinite(ends.high):
        return ""
    above = math.isinf(ends.high)
    value = format_number(ends.low if above else ends.high)
    percent = format_number(100 * ends.confidence, 0)
    return (
        f"; {'at least' if above else 'at most'} {value}, where 0 is the average of the systems "
        f"with a number (one-sided, {percent}%)"
    )


def _zero(row: Strength, fit: Strengths) -> str:
    """What has a strength of 0: the mean of those that were fitted together."""
    at = row.group - 1
    within = " of its group" if len(fit.groups) > 1 else ""
    if len(fit.cores[at]) < len(fit.groups[at]):
        return f"the average of the systems{within} with a number"
    return f"the average{within or ' system'}"


def strength_findings(
    fit: Strengths, criterion: str, *, model: str, noun: str, prefix: str = "strength"
) -> list[Finding]:
    """A finding for every system; where it has no number, why."""
    found = []
    for row in fit.rows:
        if row.estimate is None:
            sentence = f"The strength of {row.system} has no number: {row.undefined}{_bound(row)}."
        else:
            sentence = (
                f"{row.system} has a {model} strength of {row.format(row.estimate)} on the log "
                f"scale, where 0 is {_zero(row, fit)} {evidence(row, noun=noun)}"
                f"{_rank_words(row, fit)}."
            )
        found.append(
            Finding(
                id=f"{prefix}/{criterion}/{row.system}",
                sentence=sentence,
                result=replace(row, criterion=criterion),
                told=row.estimate is not None,
                criterion=criterion,
                systems=(row.system,),
            )
        )
    return found


def group_of(fit: Strengths) -> dict[str, int]:
    """The number of each system's group, where there are several."""
    if len(fit.groups) < 2:
        return {}
    return {name: k for k, group in enumerate(fit.groups, start=1) for name in group}


def by_group(names: Sequence[str], groups: Mapping[str, int]) -> list[str]:
    """The names in their order, but group by group: one list would rank what was never compared."""
    return sorted(names, key=lambda name: groups.get(name, 0))


def win_probability_table(
    context: Context, criterion: str, fit: Strengths, *, above: str, caption: str
) -> Table | None:
    """How often each system would come out above each other by the fit, in its own group."""
    if not fit.differences:
        return None
    joint = any(row.simultaneous is not None for row in fit.differences)
    percent = format_number(100 * context.confidence, 0)
    columns = [
        Column(name="system", heading="System"),
        Column(name="other", heading="Against"),
        Column(name="win_probability", heading=above, kind="percent"),
        interval_column(context, "win_interval"),
        Column(name="difference", heading="Difference of strengths", kind="number"),
        interval_column(context),
    ]
    wide = Column(name="simultaneous", heading=f"{percent}% simultaneous interval", kind="interval")
    columns += [wide] if joint else []
    rows: list[tuple[Any, ...]] = [
        (
            row.system,
            row.other,
            row.win_probability,
            bounds(row.win_interval),
            row.estimate,
            bounds(row.interval),
            *([bounds(row.simultaneous)] if joint else []),
        )
        for row in fit.differences
    ]
    return Table(
        id=f"win_probabilities/{criterion}",
        title=f"Win probabilities by strength: {criterion}",
        columns=tuple(columns),
        rows=tuple(rows),
        caption=caption,
    )


def say_strengths(rows: Sequence[Strength], model: str) -> str:
    """By which model strengths come; where no system has one, why."""
    if any(row.estimate is not None or row.interval is not None for row in rows):
        return f"Strengths: {model}."
    reasons = dict.fromkeys(row.undefined for row in rows if row.undefined)
    return f"There are no strengths: {'; '.join(reasons)}."


def sentence_of(note: str) -> str:
    """A note as a sentence of a caption."""
    return called(note[0].upper() + note[1:]) + "."
