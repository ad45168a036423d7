"""What votes say: win rates, strengths, ties, and the pull of the first place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from jurybox.analysis import measure
from jurybox.analysis.claims import unless_undefined
from jurybox.analysis.context import Context, lead
from jurybox.analysis.finding import Chapter, Finding, Table
from jurybox.analysis.grades import graded_votes
from jurybox.analysis.pairs import (
    VOTES,
    compared,
    compared_together,
    leading,
    more_data_finding,
    pair_findings,
    pair_table,
)
from jurybox.analysis.sentences import evidence
from jurybox.analysis.strengths import beside_pairs, strength_findings, win_probability_table
from jurybox.analysis.vote_checks import (
    both_bad_findings,
    cycle_findings,
    first_finding,
    fit_finding,
    position_finding,
    without_both_bad,
)
from jurybox.analysis.vote_tables import (
    TIES,
    are_tied,
    both_bad_table,
    elo_table,
    outcome_table,
    strength_table,
    system_table,
)
from jurybox.results import format_percent
from jurybox.stats.shares import Share
from jurybox.stats.strengths.bradley_terry import BradleyTerry, Settings
from jurybox.stats.win_rates import WinRates
from jurybox.tally.responses import Responses
from jurybox.tally.vote_rows import pair_rows

__all__ = ["vote_chapter"]

Together = Mapping[str, list[Share]] | None
"""The pairs of each criterion, where those of all criteria are one family."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Voted:
    """What is computed of one criterion."""

    part: Responses
    criterion: str
    rates: WinRates
    pairs: list[Share]
    fit: BradleyTerry
    ties: Mapping[str, Share]


def vote_chapter(context: Context, responses: Responses) -> Chapter:
    """Win rates and strengths of every criterion that is answered by choosing."""
    together = compared_together(context, responses, pair_rows())
    return Chapter.joined(
        [_criterion(context, responses, criterion, together) for criterion in responses.criteria]
    )


def _criterion(
    context: Context, responses: Responses, criterion: str, together: Together
) -> Chapter:
    part = responses.of_criterion(criterion)
    rates = measure.win_rates(part, context.options, criterion=criterion)
    if not rates.rows:
        return Chapter(warnings=(f"{criterion}: {rates.undefined}",))
    voted = Voted(
        part=part,
        criterion=criterion,
        rates=rates,
        pairs=_pairs(context, part, rates, criterion, together),
        fit=_strengths(context, part, Settings()),
        ties=measure.outcome_rates(part, context.options, "tie"),
    )
    made = pair_findings(context, part, pair_rows(), voted.pairs, VOTES)
    first = leading(context, made, [row.name for row in rates.rows])
    findings = [*made, *(_rate_finding(row, voted) for row in rates.rows)]
    findings += strength_findings(voted.fit, criterion, model="Bradley–Terry", noun="vote")
    findings += _tie_findings(voted)
    first_table, *tables = _tables(context, voted)
    grades, graded = graded_votes(context, part, criterion, voted.pairs)
    findings += grades
    # How far systems are preferred stands below how often they are.
    of_pairs = 1 if voted.pairs else 0
    tables = [
        beside_pairs(first_table, voted.fit, made, noun="vote"),
        *tables[:of_pairs], *graded, *tables[of_pairs:],
    ]  # fmt: skip
    for more in (_both_bad, _position, _graded):
        said, shown = more(context, voted)
        findings += said
        tables += shown
    findings += [*fit_finding(voted.fit, criterion), *cycle_findings(rates, criterion)]
    findings += more_data_finding(context, part, pair_rows(), first)
    return Chapter(
        findings=lead(findings, first),
        tables=tuple(tables),
        took=(*rates.notes, *_how_ties_count(voted)),
        warnings=voted.fit.notes[:1] if len(voted.fit.groups) > 1 else (),
    )


def _pairs(
    context: Context, part: Responses, rates: WinRates, criterion: str, together: Together
) -> list[Share]:
    if together is not None:
        return together[criterion]
    if context.asked.primary is None and context.asked.baseline is None:
        return list(rates.pairs)
    return compared(context, part, pair_rows(), criterion)


def _strengths(context: Context, part: Responses, settings: Settings) -> BradleyTerry:
    """Davidson's model; where it has no finite fit, ties as half a win."""
    fit = measure.strengths(part, context.options, settings=settings)
    if any(row.undefined and "ties='half'" in row.undefined for row in fit.rows):
        halves = replace(settings, ties="half")
        half = measure.strengths(part, context.options, settings=halves)
        why = "Davidson's ν grows without bound on these votes, so ties count half"
        return replace(half, notes=(*half.notes, why))
    return fit


def _tables(context: Context, voted: Voted) -> list[Table]:
    criterion, fit = voted.criterion, voted.fit
    tables = [system_table(context, criterion, voted.rates, fit, voted.ties)]
    is_tied = are_tied(voted.rates, voted.ties)
    if voted.pairs:
        halves = f"ties{' and “both bad”' if voted.rates.both_bad else ''}"
        rule = f"T{halves[1:]} count half." if is_tied else "No vote is a tie."
        shown = pair_table(context, criterion, voted.pairs, VOTES, rule=rule)
        if is_tied:
            shown = replace(shown, methods={**shown.methods, "ties as halves": halves})
        tables.append(shown)
    chances = win_probability_table(
        context,
        criterion,
        fit,
        above="Win probability",
        caption="How often the first of two systems would win by Bradley–Terry strengths"
        + (f", a tie counting half; {TIES[fit.ties]}." if is_tied else "."),
    )
    elo = elo_table(context, voted.part, criterion)
    drawn = outcome_table(context, voted.rates, voted.ties, criterion)
    return [*tables, *(each for each in (chances, drawn, elo) if each is not None)]


def _both_bad(context: Context, voted: Voted) -> tuple[list[Finding], list[Table]]:
    """How often both are called bad, and whether the strengths depend on those votes."""
    if not voted.rates.both_bad:
        return [], []
    dropped = _strengths(context, voted.part, Settings(both_bad="drop"))
    findings = both_bad_findings(voted.rates, voted.criterion)
    findings += without_both_bad(voted.fit, dropped, voted.criterion)
    shown = both_bad_table(context, voted.rates, voted.criterion)
    return findings, [shown] if shown is not None else []


def _position(context: Context, voted: Voted) -> tuple[list[Finding], list[Table]]:
    """The pull of the first place, and the strengths without it."""
    criterion = voted.criterion
    first = measure.first_shown_rate(voted.part, context.options)
    if first is None:
        return [], []
    fit = _strengths(context, voted.part, Settings(position=True))
    findings = [first_finding(context, first, fit, criterion)]
    findings += position_finding(fit, criterion)
    if not any(each.estimate is not None for each in fit.coefficients):
        return findings, []
    shown = strength_table(
        context,
        fit,
        id=f"strengths_by_position/{criterion}",
        title=f"Strengths without the pull of the first place: {criterion}",
        beside=voted.fit,
        caption="A second reading: the order of the outputs is taken out in the same fit.",
        how="takes out the pull of the first place",
    )
    return findings, [shown]


def _graded(context: Context, voted: Voted) -> tuple[list[Finding], list[Table]]:
    """Strengths with every vote weighted by how strong the preference was."""
    if "strength" not in voted.part.columns:
        return [], []
    fit = _strengths(context, voted.part, Settings(graded=True))
    if not any(each.estimate is not None for each in fit.rows):
        return [], []
    shown = strength_table(
        context,
        fit,
        id=f"strengths_graded/{voted.criterion}",
        title=f"Strengths by graded votes: {voted.criterion}",
        beside=voted.fit,
        caption="A second reading: a vote counts by the strength of its preference.",
        how="weights a vote by its strength over the largest one",
    )
    return [], [shown]


def _drawn(voted: Voted) -> set[str]:
    """The systems with a vote that has no winner."""
    bad = {row.system or "": row for row in voted.rates.both_bad}
    return {name for rows in (voted.ties, bad) for name, row in rows.items() if row.estimate}


def _how_ties_count(voted: Voted) -> list[str]:
    if not _drawn(voted):
        return []
    also = ", and so does “both bad”" if voted.rates.both_bad else ""
    return [f"in win rates a tie counts as half a win for both{also}"]


def _rate_finding(row: Share, voted: Voted) -> Finding:
    half = ", ties counting half" if row.system in _drawn(voted) else ""
    made = Finding(
        id=f"win_rate/{row.criterion}/{row.system}",
        sentence=f"{row.system} wins {format_percent(row.estimate)} of its votes{half} "
        f"{evidence(row, noun='vote')}.",
        result=row,
        criterion=row.criterion,
        systems=(row.system or "",),
    )
    return unless_undefined(made, f"The win rate of {row.system}", noun="vote")


def _tie_findings(voted: Voted) -> list[Finding]:
    """How often votes on each system are ties; where none is, the captions say so."""
    if not are_tied(voted.rates, voted.ties):
        return []
    found = [
        Finding(
            id=f"tie/{voted.criterion}/{system}",
            sentence=f"{format_percent(row.estimate)} of the votes on {system} end in a tie "
            f"{evidence(row, noun='vote')}.",
            result=replace(row, criterion=voted.criterion),
            criterion=voted.criterion,
            systems=(system,),
        )
        for system, row in voted.ties.items()
    ]
    return [
        unless_undefined(each, f"The tie rate of {each.systems[0]}", noun="vote") for each in found
    ]
