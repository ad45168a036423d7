"""What votes say: win rates, strengths, ties, and the pull of the first place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.context import Context, adjusted, bounds, interval_column, lead
from jurybox.analysis.finding import Chapter, Column, Finding, Table
from jurybox.analysis.sentences import claimed_p, evidence, points, told_apart
from jurybox.results import format_interval, format_number, format_p, format_percent
from jurybox.stats.bradley_terry import BradleyTerry
from jurybox.stats.shares import Share
from jurybox.stats.strengths import Strength
from jurybox.stats.win_rates import WinRates
from jurybox.tally.responses import Responses

__all__ = ["vote_chapter", "vote_headline"]

OUTCOMES = {"tie": "end in a tie", "both_bad": "call both bad"}
"""How a vote may end without a winner, and what is said of such votes."""
Outcomes = Mapping[str, Mapping[str, Share]]


def vote_chapter(context: Context, responses: Responses) -> Chapter:
    """Win rates and strengths of every criterion that is answered by choosing."""
    found = [_criterion(context, responses, criterion) for criterion in responses.criteria]
    return Chapter(
        findings=tuple(f for chapter in found for f in chapter.findings),
        tables=tuple(t for chapter in found for t in chapter.tables),
        took=tuple(dict.fromkeys(s for chapter in found for s in chapter.took)),
        warnings=tuple(w for chapter in found for w in chapter.warnings),
    )


def _criterion(context: Context, responses: Responses, criterion: str) -> Chapter:
    part = responses.of_criterion(criterion)
    rates = measure.win_rates(part, context.options, criterion=criterion)
    if not rates.rows:
        return Chapter(warnings=(f"{criterion}: {rates.undefined}",))
    fit = _strengths(context, part)
    pairs = _pairs(context, rates)
    compared = _pair_findings(context, pairs)
    findings = [*compared, *(_rate_finding(row) for row in rates.rows)]
    findings += [_strength_finding(row, criterion) for row in fit.rows]
    outcomes = {name: measure.outcome_rates(part, context.options, name) for name in OUTCOMES}
    findings += _tie_findings(outcomes, criterion)
    first = measure.first_shown_rate(part, context.options)
    if first is not None:
        findings.append(_first_finding(context, first, criterion))
    return Chapter(
        findings=lead(findings, _leading(compared, rates)),
        tables=(
            _system_table(context, criterion, rates, fit, outcomes),
            _pair_table(context, criterion, pairs),
        ),
        took=rates.notes,
        warnings=fit.notes if len(fit.groups) > 1 else (),
    )


def _strengths(context: Context, part: Responses) -> BradleyTerry:
    """Davidson's model; where it has no finite fit, ties as half a win."""
    fit = measure.strengths(part, context.options, ties="davidson")
    if any(row.undefined and "ties='half'" in row.undefined for row in fit.rows):
        half = measure.strengths(part, context.options, ties="half")
        why = "Davidson's ν grows without bound on these votes, so ties count half"
        return replace(half, notes=(*half.notes, why))
    return fit


def _is_primary(context: Context, row: Share) -> bool:
    primary = context.asked.primary
    if primary is None or primary.kind != "win_rate":
        return False
    same = {row.system, row.other} == set(primary.systems)
    return same and (primary.criterion is None or primary.criterion == row.criterion)


def _pairs(context: Context, rates: WinRates) -> list[Share]:
    """Every pair, the primary one first and as it was asked; the others adjusted together."""
    primary = [row for row in rates.pairs if _is_primary(context, row)]
    others = [row for row in rates.pairs if not _is_primary(context, row)]
    if context.asked.baseline is not None:
        others = [row for row in others if context.asked.baseline in (row.system, row.other)]
    if primary and context.asked.primary is not None:
        asked = context.asked.primary.systems[0]
        primary = [
            replace(row if row.system == asked else measure.turn_share(row), p_adjusted=None)
            for row in primary
        ]
    return [*primary, *adjusted(others)]


def vote_headline(context: Context, responses: Responses) -> Finding | None:
    """The primary pair alone; the two best systems where none is named."""
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        rates = measure.win_rates(part, context.options, criterion=criterion)
        pairs = _pairs(context, rates)
        found = _leading(_pair_findings(context, pairs), rates)
        if found is not None and (context.asked.primary is None or found.standing == "primary"):
            return found
    return None


def _leading(made: Sequence[Finding], rates: WinRates) -> Finding | None:
    if made and made[0].standing == "primary":
        return made[0]
    best = {row.name for row in rates.rows[:2]}
    return next((f for f in made if set(f.systems) == best), made[0] if made else None)


def _pair_findings(context: Context, pairs: Sequence[Share]) -> list[Finding]:
    return [_pair_finding(context, row) for row in pairs]


def _pair_finding(context: Context, row: Share) -> Finding:
    primary = _is_primary(context, row)
    p, adjusted = claimed_p(row, primary=primary)
    told = told_apart(row, null=0.5, p=p, confidence=context.confidence)
    said = evidence(row, noun="vote", p=p, adjusted=adjusted)
    share = format_percent(row.estimate)
    if told:
        verb = "wins" if (row.estimate or 0) > 0.5 else "wins only"
        sentence = f"{row.system} {verb} {share} of votes against {row.other} {said}."
    else:
        sentence = (
            f"{row.system} and {row.other} are not told apart: {row.system} wins {share} {said}."
        )
    return Finding(
        id=f"win_rate/{row.criterion}/{row.system}/{row.other}",
        sentence=sentence,
        result=row,
        standing="primary" if primary else "secondary",
        told=told,
        criterion=row.criterion,
        systems=(row.system or "", row.other or ""),
    )


def _rate_finding(row: Share) -> Finding:
    return Finding(
        id=f"win_rate/{row.criterion}/{row.system}",
        sentence=f"{row.system} wins {format_percent(row.estimate)} of its votes "
        f"{evidence(row, noun='vote')}.",
        result=row,
        criterion=row.criterion,
        systems=(row.system or "",),
    )


def _strength_finding(row: Strength, criterion: str) -> Finding:
    if row.estimate is None:
        sentence = f"The strength of {row.system} has no number: {row.undefined}."
    else:
        value = format_number(row.estimate)
        sentence = (
            f"{row.system} has a Bradley–Terry strength of {value} on the log scale, where 0 is "
            f"the average system {evidence(row, noun='vote')}."
        )
    return Finding(
        id=f"strength/{criterion}/{row.system}",
        sentence=sentence,
        result=replace(row, criterion=criterion),
        told=row.estimate is not None,
        criterion=criterion,
        systems=(row.system,),
    )


def _tie_findings(outcomes: Outcomes, criterion: str) -> list[Finding]:
    findings = []
    for outcome, verb in OUTCOMES.items():
        for system, row in outcomes[outcome].items():
            if outcome == "both_bad" and not row.estimate:
                continue
            findings.append(
                Finding(
                    id=f"{outcome}/{criterion}/{system}",
                    sentence=f"{format_percent(row.estimate)} of the votes on {system} {verb} "
                    f"{evidence(row, noun='vote')}.",
                    result=replace(row, criterion=criterion),
                    criterion=criterion,
                    systems=(system,),
                )
            )
    return findings


def _first_finding(context: Context, row: Share, criterion: str) -> Finding:
    told = told_apart(row, null=0.5, p=row.p, confidence=context.confidence)
    advantage = (row.estimate or 0.5) - 0.5
    parts = [format_p(row.p)] if row.p is not None else []
    if row.interval is not None:
        shifted = replace(row.interval, low=row.interval.low - 0.5, high=row.interval.high - 0.5)
        percent = format_number(100 * context.confidence, 0)
        parts.insert(0, f"{percent}% interval {format_interval(shifted, percent=True)}")
    said = f"({'; '.join(parts)})"
    if told:
        way = "gains" if advantage > 0 else "loses"
        sentence = f"The output shown first {way} {points(abs(advantage))} by its place {said}."
    else:
        sentence = f"No first-shown advantage is found: {points(advantage)} {said}."
    return Finding(
        id=f"first_shown/{criterion}",
        sentence=sentence,
        result=row,
        standing="quality",
        told=True,
        criterion=criterion,
    )


def _system_table(
    context: Context, criterion: str, rates: WinRates, fit: BradleyTerry, outcomes: Outcomes
) -> Table:
    ties, bad = outcomes["tie"], outcomes["both_bad"]
    strength: dict[str, Any] = {row.name: row for row in fit.rows}
    has_bad = any(row.estimate for row in bad.values())
    columns = [
        Column(name="system", heading="System"),
        Column(name="win_rate", heading="Win rate", kind="percent"),
        interval_column(context),
        Column(name="ties", heading="Ties", kind="percent"),
        *([Column(name="both_bad", heading="Both bad", kind="percent")] if has_bad else []),
        Column(name="strength", heading="Strength", kind="number"),
        interval_column(context, "strength_interval"),
        Column(name="votes", heading="Votes", kind="count"),
    ]
    rows = []
    for row in rates.rows:
        name = row.name
        found = strength.get(name)
        rows.append(
            (
                name,
                row.estimate,
                bounds(row.interval),
                ties[name].estimate,
                *([bad[name].estimate] if has_bad else []),
                None if found is None else found.estimate,
                None if found is None else bounds(found.interval),
                row.n_responses,
            )
        )
    caption = ["Ties count half; “both bad” is a tie and is shown apart."]
    caption += [f"Strengths: Bradley–Terry, log scale, ties by {fit.ties}."]
    caption += [note[0].upper() + note[1:] + "." for note in (*fit.notes, *rates.all_notes)]
    return Table(
        id=f"win_rates/{criterion}",
        title=f"Win rates: {criterion}",
        columns=tuple(columns),
        rows=tuple(rows),
        caption=" ".join(dict.fromkeys(caption)),
    )


def _pair_table(context: Context, criterion: str, pairs: Sequence[Share]) -> Table:
    return Table(
        id=f"pairs/{criterion}",
        title=f"Pairs: {criterion}",
        columns=(
            Column(name="system", heading="System"),
            Column(name="other", heading="Against"),
            Column(name="win_rate", heading="Win rate", kind="percent"),
            interval_column(context),
            Column(name="p", heading="p", kind="p"),
            Column(name="p_adjusted", heading="p (Holm)", kind="p"),
            Column(name="votes", heading="Votes", kind="count"),
        ),
        rows=tuple(
            (
                row.system,
                row.other,
                row.estimate,
                bounds(row.interval),
                row.p,
                row.p_adjusted,
                row.n_responses,
            )
            for row in pairs
        ),
        caption="p tests against 50%. Intervals are for one pair each; p (Holm) for all pairs.",
    )
