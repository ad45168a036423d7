"""What strengths say: of each system its number and its possible ranks, and which groups exist."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Column, Finding, Table, Together
from jurybox.analysis.sentences import called, evidence
from jurybox.formats import format_confidence, joined
from jurybox.results import format_number, listed
from jurybox.stats.clusters import TWO_WAY
from jurybox.stats.strengths.results import Strength, Strengths

__all__ = [
    "beside_pairs",
    "by_group",
    "group_of",
    "say_ranks",
    "say_strengths",
    "sentence_of",
    "sentences_of",
    "strength_cells",
    "strength_columns",
    "strength_findings",
    "win_probability_table",
]


NAMED = 3
"""Pairs that a caption names."""


def possible_ranks(row: Strength | None) -> str | None:
    """The ranks that simultaneous comparisons leave open, as a cell: `1`, `2 to 3`."""
    if row is None or row.rank_low is None or row.rank_high is None:
        return None
    if row.rank_low == row.rank_high:
        return str(row.rank_low)
    return f"{row.rank_low} to {row.rank_high}"


def are_ranked(fit: Strengths) -> bool:
    """Whether simultaneous comparisons tell the ranks that each system may hold."""
    return any(row.rank_low is not None for row in fit.rows)


def strength_columns(context: Context, fit: Strengths) -> list[Column]:
    """The columns of a strength: its number, its interval and, where they are told, its ranks."""
    return [
        Column(name="strength", heading="Strength", kind="number"),
        interval_column(context, "strength_interval"),
        *([Column(name="ranks", heading="Ranks")] if are_ranked(fit) else []),
    ]


def strength_cells(row: Strength | None, fit: Strengths) -> list[Any]:
    """What stands in these columns; a system without a vote that counts has nothing there."""
    cells = [None, None] if row is None else [row.estimate, bounds(row.interval)]
    return [*cells, *([possible_ranks(row)] if are_ranked(fit) else [])]


def say_ranks(fit: Strengths) -> list[str]:
    """What ranks are, where they are told."""
    if not are_ranked(fit):
        return []
    by = f" ({fit.ranks_by})" if fit.ranks_by is not None else ""
    level = format_confidence(fit.confidence)
    said = [f"Ranks: those that the comparisons leave open, jointly at {level}{by}."]
    # That it was never beaten ranks it first, which no comparison shows.
    unknown = (row for row in fit.rows if row.estimate is None)
    names = [str(row.system) for row in unknown if row.rank_low != row.rank_high]
    if names:
        said.append(
            f"No difference to {listed(names)} has a number, so that ranks stay open there "
            "whatever the order of the rows."
        )
    return said


def _rank_words(row: Strength, fit: Strengths) -> str:
    ranks = possible_ranks(row)
    if ranks is None:
        return ""
    size = len(fit.groups[row.group - 1]) if fit.groups else len(fit.rows)
    word = "rank" if row.rank_low == row.rank_high else "ranks"
    jointly = f"jointly at {format_confidence(fit.confidence)}"
    return f"; {word} {ranks} of {size}, {jointly}"


def _bound(row: Strength) -> str:
    """Where a system without a number has a one-sided bound: what its strength is at least."""
    ends = row.interval
    if ends is None or math.isfinite(ends.low) == math.isfinite(ends.high):
        return ""
    above = math.isinf(ends.high)
    value = format_number(ends.low if above else ends.high)
    percent = format_confidence(ends.confidence)
    return (
        f"; {'at least' if above else 'at most'} {value}, where 0 is the average of the systems "
        f"with a number (one-sided, {percent})"
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
        together = None
        if row.estimate is None:
            why = f"{row.undefined}{_bound(row)}."
            sentence = f"The strength of {row.system} has no number: {why}"
            together = Together(
                before="The strengths of ", of=row.system, after=f" have no number: {why}"
            )
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
                together=together,
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
    if joint:
        caption += " Simultaneous intervals hold for all pairs at once, the others for one each."
    elif len(fit.differences) > 1:
        caption += " Intervals are for one pair each, however many there are."
    columns = [
        Column(name="system", heading="System"),
        Column(name="other", heading="Against"),
        Column(name="win_probability", heading=above, kind="percent"),
        interval_column(context, "win_interval"),
        Column(name="difference", heading="Difference of strengths", kind="number"),
        interval_column(context),
    ]
    columns += [interval_column(context, "simultaneous", joint=True)] if joint else []
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


def beside_pairs(table: Table, fit: Strengths, pairs: Iterable[Finding], *, noun: str) -> Table:
    """The table of systems; where its ranks tell others apart than the pairs do, with the reason.

    Ranks come from strengths, which rest on everything; what two systems show of each other rests
    on what was said of the two. A reader finds both on one screen.
    """
    if not are_ranked(fit):
        return table
    alone = {frozenset(f.systems): f.told for f in pairs if f.result.interval is not None}
    more: list[str] = []
    less: list[str] = []
    for row in fit.differences:
        told, ends = alone.get(frozenset((row.system, row.other))), row.claimed
        if told is None or ends is None:
            continue
        is_apart = ends.low > 0 or ends.high < 0
        if is_apart != told:
            (more if is_apart else less).append(f"{row.system} from {row.other}")
    own = f"which the {noun}s of the two alone do"
    said = [
        *([f"tell {_some(more)}, {own} not"] if more else []),
        *([f"do not tell {_some(less)}, {own}"] if less else []),
    ]
    if not said:
        return table
    sentence = f"Strengths rest on all {noun}s together: they {', and '.join(said)}."
    return replace(table, caption=f"{table.caption} {sentence}")


def _some(pairs: Sequence[str]) -> str:
    more = [f"{len(pairs) - NAMED:,} more"] if len(pairs) > NAMED else []
    return joined([*pairs[:NAMED], *more])


def sentences_of(notes: Iterable[str]) -> list[str]:
    """Notes as sentences of a caption, but for how a variance was computed.

    That the methods say, by how many intervals it is so.
    """
    return [sentence_of(note) for note in notes if not note.startswith(TWO_WAY)]


def sentence_of(note: str) -> str:
    """A note as a sentence of a caption."""
    return called(note[0].upper() + note[1:]) + "."
