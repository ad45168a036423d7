"""What rankings and best-of-N choices say: who is ranked first, mean ranks, strengths."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.context import Context, bounds, interval_column, lead
from jurybox.analysis.finding import Chapter, Column, Finding, Table
from jurybox.analysis.sentences import claimed_p, evidence, told_apart
from jurybox.results import format_number, format_percent
from jurybox.stats.means import MeanScore
from jurybox.stats.plackett_luce import PlackettLuce
from jurybox.stats.shares import Share
from jurybox.stats.strengths import StrengthDifference
from jurybox.tally.responses import Responses

__all__ = ["ranking_chapter", "ranking_headline"]


def ranking_chapter(context: Context, responses: Responses) -> Chapter:
    """Shares ranked first, mean ranks and strengths of every criterion."""
    findings: list[Finding] = []
    tables: list[Table] = []
    warnings: list[str] = []
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        firsts = measure.share_first(part, context.options, criterion=criterion)
        ranks = measure.mean_ranks(part, context.options, criterion=criterion)
        fit = measure.strengths_of_rankings(part, context.options)
        gaps = [_gap_finding(context, row, criterion) for row in fit.differences]
        own = [*(_first_finding(row) for row in firsts), *(_rank_finding(row) for row in ranks)]
        own += [
            Finding(
                id=f"strength/{criterion}/{row.name}",
                sentence=f"The strength of {row.name} has no number: {row.undefined}.",
                result=row,
                told=False,
                criterion=criterion,
                systems=(row.name,),
            )
            for row in fit.rows
            if row.estimate is None
        ]
        findings += lead([*gaps, *own], gaps[0] if gaps else own[0] if own else None)
        tables.append(_table(context, criterion, firsts, ranks, fit))
        warnings += fit.notes if len(fit.groups) > 1 else ()
    return Chapter(findings=tuple(findings), tables=tuple(tables), warnings=tuple(warnings))


def ranking_headline(context: Context, responses: Responses) -> Finding | None:
    """The strongest system against the next."""
    for criterion in responses.criteria:
        fit = measure.strengths_of_rankings(responses.of_criterion(criterion), context.options)
        if fit.differences:
            return _gap_finding(context, fit.differences[0], criterion)
    return None


def _gap_finding(context: Context, row: StrengthDifference, criterion: str) -> Finding:
    p, adjusted = claimed_p(row)
    told = told_apart(row, null=0.0, p=p, confidence=context.confidence)
    chance = format_percent(row.win_probability)
    said = evidence(row, noun=None, p=p, adjusted=adjusted)
    size = format_number(row.estimate)
    if told:
        sentence = (
            f"{row.system} is ranked above {row.other}: between these two it comes first in "
            f"{chance} of rankings, a difference in strength of {size} {said}."
        )
    else:
        sentence = (
            f"{row.system} and {row.other} are not told apart: the difference in strength is "
            f"{size} {said}."
        )
    return Finding(
        id=f"strength/{criterion}/{row.system}/{row.other}",
        sentence=sentence,
        result=replace(row, criterion=criterion),
        told=told,
        criterion=criterion,
        systems=(row.system, row.other),
    )


def _first_finding(row: Share) -> Finding:
    return Finding(
        id=f"first/{row.criterion}/{row.system}",
        sentence=f"{row.system} is ranked first in {format_percent(row.estimate)} of the rankings "
        f"it is in {evidence(row, noun='ranking')}.",
        result=row,
        criterion=row.criterion,
        systems=(row.system or "",),
    )


def _rank_finding(row: MeanScore) -> Finding:
    return Finding(
        id=f"mean_rank/{row.criterion}/{row.system}",
        sentence=f"{row.system} has a mean rank of {format_number(row.estimate)} "
        f"{evidence(row, noun='ranking')}.",
        result=row,
        criterion=row.criterion,
        systems=(row.system,),
    )


def _table(
    context: Context,
    criterion: str,
    firsts: list[Share],
    ranks: list[MeanScore],
    fit: PlackettLuce,
) -> Table:
    mean: dict[str, Any] = {row.system: row for row in ranks}
    strength: dict[str, Any] = {row.name: row for row in fit.rows}
    rows = []
    for row in firsts:
        name = row.system or ""
        rows.append(
            (
                name,
                row.estimate,
                bounds(row.interval),
                mean[name].estimate,
                bounds(mean[name].interval),
                strength[name].estimate,
                bounds(strength[name].interval),
                row.n_responses,
            )
        )
    notes = [note[0].upper() + note[1:] + "." for note in fit.all_notes]
    return Table(
        id=f"rankings/{criterion}",
        title=f"Rankings: {criterion}",
        columns=(
            Column(name="system", heading="System"),
            Column(name="first", heading="Ranked first", kind="percent"),
            interval_column(context),
            Column(name="mean_rank", heading="Mean rank", kind="number"),
            interval_column(context, "rank_interval"),
            Column(name="strength", heading="Strength", kind="number"),
            interval_column(context, "strength_interval"),
            Column(name="rankings", heading="Rankings", kind="count"),
        ),
        rows=tuple(rows),
        caption=" ".join(["Strengths: Plackett–Luce, log scale.", *notes]),
    )
