"""What rankings and best-of-N choices say: who is ranked first, mean ranks, strengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.claims import unless_undefined, with_claims
from jurybox.analysis.context import Context, bounds, interval_column, lead
from jurybox.analysis.finding import Chapter, Column, Finding, Table
from jurybox.analysis.pairs import (
    RANKINGS,
    compared,
    compared_together,
    leading,
    more_data_finding,
    pair_findings,
    pair_table,
)
from jurybox.analysis.sentences import evidence
from jurybox.analysis.strengths import (
    beside_pairs,
    by_group,
    group_of,
    say_ranks,
    say_strengths,
    sentences_of,
    strength_cells,
    strength_columns,
    strength_findings,
    win_probability_table,
)
from jurybox.results import Result, format_count, format_percent
from jurybox.stats.means import MeanScore
from jurybox.stats.shares import Share
from jurybox.stats.strengths.plackett_luce import PlackettLuce
from jurybox.tally.rankings import Given, above_rows, given
from jurybox.tally.responses import Responses

__all__ = ["ranking_chapter"]

TIES_HALF = "Ties count half."
Together = Mapping[str, list[Share]] | None
"""The pairs of each criterion, where those of all criteria are one family."""


def ranking_chapter(context: Context, responses: Responses) -> Chapter:
    """Shares ranked first, mean ranks, who is above whom and strengths of every criterion."""
    together = compared_together(context, responses, above_rows())
    return Chapter.joined(
        [_criterion(context, responses, criterion, together) for criterion in responses.criteria]
    )


def _criterion(
    context: Context, responses: Responses, criterion: str, together: Together
) -> Chapter:
    part = responses.of_criterion(criterion)
    facts = given(part)
    if not facts.rankings:
        why = "every ranking has one output only, so nothing is ranked above anything"
        return Chapter(warnings=(f"{criterion}: {why}",))
    firsts = measure.share_first(part, context.options, criterion=criterion)
    ranks = measure.mean_ranks(part, context.options, criterion=criterion, most=facts.most)
    fit = measure.strengths_of_rankings(part, context.options)
    pairs = _pairs(context, part, criterion, together)
    made = pair_findings(context, part, above_rows(), pairs, RANKINGS)
    findings = [*made, *(_first_finding(row, facts) for row in firsts)]
    findings += [_rank_finding(row) for row in ranks if not facts.only_picks]
    findings += strength_findings(fit, criterion, model="Plackett–Luce", noun="ranking")
    first = leading(context, made, [row.system or "" for row in firsts])
    findings += more_data_finding(context, part, above_rows(), first)
    shown = _system_table(context, criterion, firsts, ranks, fit, facts)
    tables = [beside_pairs(shown, fit, made, noun="ranking")]
    if pairs:
        of_pairs = pair_table(context, criterion, pairs, RANKINGS, rule=_rule(facts))
        halves = "rankings that pick neither" if facts.only_picks else "ties"
        tables.append(replace(of_pairs, methods={**of_pairs.methods, "ties as halves": halves}))
    chances = win_probability_table(
        context,
        criterion,
        fit,
        above="Ranked above",
        caption="How often the first of two systems would be ranked above the other, by "
        "Plackett–Luce strengths.",
    )
    return Chapter(
        findings=lead(findings, first or (findings[0] if findings else None)),
        tables=(*tables, *([chances] if chances is not None else [])),
        took=tuple(_took(facts, fit)),
        warnings=(*_warnings(facts), *(fit.notes[:1] if len(fit.groups) > 1 else ())),
    )


def _pairs(context: Context, part: Responses, criterion: str, together: Together) -> list[Share]:
    if together is not None:
        return together[criterion]
    return compared(context, part, above_rows(), criterion)


def _rule(facts: Given) -> str:
    if facts.only_picks:
        return "Of two systems the one that was picked is above; neither picked counts half."
    return TIES_HALF


def _took(facts: Given, fit: PlackettLuce) -> list[str]:
    """How the rankings were read."""
    said = []
    if facts.only_picks:
        shown = str(facts.most) if facts.fewest == facts.most else f"{facts.fewest} to {facts.most}"
        said.append(f"every ranking picks one of {shown} outputs: taken as best-of-N choices")
        said.append("of two systems the picked one is above; where neither was, half for both")
    elif facts.tied:
        said.append(
            f"{format_count(facts.tied, 'ranking')} with ties: tied systems share the first place "
            "and the mean of their ranks, count half for both where two are compared, and stand in "
            "any order where strengths are estimated"
        )
    if facts.gaps:
        said.append(
            f"{format_count(facts.gaps, 'ranking')} with a rank left out, such as 1, 2, 4: only "
            "the order of ranks counts"
        )
    return said


def _warnings(facts: Given) -> list[str]:
    said = []
    if facts.alone:
        has = "has" if facts.alone == 1 else "have"
        said.append(
            f"{format_count(facts.alone, 'ranking')} {has} one output only, which says nothing "
            "about another: left out"
        )
    if facts.raters_alone:
        never = "was" if facts.raters_alone == 1 else "were"
        said.append(
            f"{format_count(facts.raters_alone, 'rater')} {never} never shown two outputs at once "
            "and so ranked nothing"
        )
    if facts.fewest < facts.most and facts.rankings:
        said.append(
            f"rankings have {facts.fewest} to {facts.most} outputs: first places and mean ranks "
            "depend on how many were shown, strengths do not"
        )
    return said


def _first_finding(row: Share, facts: Given) -> Finding:
    verb = "picked" if facts.only_picks else "ranked first"
    made = Finding(
        id=f"first/{row.criterion}/{row.system}",
        sentence=f"{row.system} is {verb} in {format_percent(row.estimate)} of the rankings "
        f"it is in {evidence(row, noun='ranking')}.",
        result=row,
        criterion=row.criterion,
        systems=(row.system or "",),
    )
    return unless_undefined(made, f"How often {row.system} is {verb}", noun="ranking")


def _rank_finding(row: MeanScore) -> Finding:
    return Finding(
        id=f"mean_rank/{row.criterion}/{row.system}",
        sentence=f"{row.system} has a mean rank of {row.format(row.estimate)} "
        f"{evidence(row, noun='ranking')}.",
        result=row,
        criterion=row.criterion,
        systems=(row.system,),
        figure="mean rank",
    )


def _system_table(
    context: Context,
    criterion: str,
    firsts: Sequence[Share],
    ranks: Sequence[MeanScore],
    fit: PlackettLuce,
    facts: Given,
) -> Table:
    groups = group_of(fit)
    first: dict[str, Share] = {row.system or "": row for row in firsts}
    mean: dict[str, MeanScore] = {row.system: row for row in ranks}
    strength = {row.system: row for row in fit.rows}
    picks = facts.only_picks
    columns = [
        Column(name="system", heading="System"),
        *([Column(name="group", heading="Group", kind="count")] if groups else []),
        Column(name="first", heading="Share picked" if picks else "Ranked first", kind="percent"),
        interval_column(context),
    ]
    if not picks:
        columns.append(Column(name="mean_rank", heading="Mean rank", kind="number"))
        columns.append(interval_column(context, "rank_interval"))
    columns += [
        *strength_columns(context, fit),
        Column(name="rankings", heading="Rankings", kind="count"),
    ]
    rows: list[tuple[Any, ...]] = []
    names = by_group(list(first), groups)
    for name in names:
        own = () if picks else (mean[name].estimate, bounds(mean[name].interval))
        rows.append(
            (
                name,
                *([groups[name]] if groups else []),
                first[name].estimate,
                bounds(first[name].interval),
                *own,
                *strength_cells(strength[name], fit),
                first[name].n_responses,
            )
        )
    caption = [say_strengths(fit.rows, "Plackett–Luce, log scale"), *say_ranks(fit)]
    caption += sentences_of(fit.all_notes)
    made = Table(
        id=f"rankings/{criterion}",
        title=f"{'Choices' if picks else 'Rankings'}: {criterion}",
        columns=tuple(columns),
        rows=tuple(rows),
        caption=" ".join(dict.fromkeys(caption)),
    )
    of: dict[str, list[Result | None]] = {"interval": [first[name] for name in names]}
    if not picks:
        of["rank_interval"] = [mean[name] for name in names]
    of["strength_interval"] = [strength[name] for name in names]
    return with_claims(made, of)
