"""What bears on votes as a whole: both bad, the first place, one strength per system, circles."""

from __future__ import annotations

import math
from dataclasses import replace

from jurybox.analysis.claims import unless_undefined
from jurybox.analysis.context import Context
from jurybox.analysis.finding import Finding
from jurybox.analysis.sentences import evidence, points, told_apart
from jurybox.formats import joined
from jurybox.results import format_count, format_number, format_p, format_percent
from jurybox.stats.shares import Share
from jurybox.stats.strengths.bradley_terry import BradleyTerry, Coefficient
from jurybox.stats.win_rates import WinRates

__all__ = [
    "both_bad_findings",
    "cycle_findings",
    "first_finding",
    "fit_finding",
    "position_finding",
    "without_both_bad",
]

NAMED = 8
"""Systems up to which a sentence names all of them in their order."""


def both_bad_findings(rates: WinRates, criterion: str) -> list[Finding]:
    """How often the votes on each system, and on each pair, call both bad; the worst first."""
    rows = sorted(rates.both_bad, key=lambda row: -(row.estimate or 0.0))
    rows += rates.both_bad_pairs
    found = []
    for row in rows:
        if not row.estimate:
            continue
        whom = row.system if row.other is None else f"{row.system} and {row.other}"
        names = [name for name in (row.system, row.other) if name is not None]
        found.append(
            Finding(
                id="/".join(("both_bad", criterion, *names)),
                sentence=f"{format_percent(row.estimate)} of the votes on {whom} call both bad "
                f"{evidence(row, noun='vote')}.",
                result=replace(row, criterion=criterion),
                standing="quality" if row is rows[0] else "secondary",
                criterion=criterion,
                # A pair's rate is no comparison of the two, so it is not listed among those.
                systems=tuple(names[:1]) if row.other is None else (),
            )
        )
    return found


def _order(fit: BradleyTerry) -> list[str]:
    return [row.system for row in fit.rows if row.estimate is not None]


def without_both_bad(fit: BradleyTerry, dropped: BradleyTerry, criterion: str) -> list[Finding]:
    """Whether the systems stand in the same order without the votes that call both bad."""
    one, two = _order(fit), _order(dropped)
    if not two:
        return []
    row = next(row for row in dropped.rows if row.system == two[0])
    if one == two:
        changed = "the systems stand in the same order of strength"
    else:
        changed = f"the order of strength is {', '.join(two)} instead of {', '.join(one)}"
        if len(two) > NAMED:
            moved = sum(a != b for a, b in zip(one, two, strict=False))
            changed = f"{moved} of {len(two)} systems change places in the order of strength"
    return [
        Finding(
            id=f"without_both_bad/{criterion}",
            sentence=f"Without the votes that call both bad, {changed}; the strength of "
            f"{two[0]} is then {row.format(row.estimate)} {evidence(row, noun='vote')}.",
            result=replace(row, criterion=criterion),
            standing="quality" if one != two else "secondary",
            criterion=criterion,
        )
    ]


def first_finding(context: Context, row: Share, fit: BradleyTerry, criterion: str) -> Finding:
    """Whether the output shown first wins more often than it would by chance.

    Where the fit cannot tell the place from the systems' strengths, the reason stands beside it.
    """
    told = told_apart(row, null=0.5, p=row.p, confidence=context.confidence)
    share = row.estimate or 0.0
    wins = f"the output shown first wins {format_percent(share)} of votes"
    said = evidence(row, noun="vote", p=row.p)
    pull = _pull(fit)
    unknown = None if pull is None else pull.undefined
    if told:
        # Not "by its place": where stronger systems come first more often, that alone does it.
        way = "more" if share > 0.5 else "fewer"
        sentence = (
            f"{wins[0].upper()}{wins[1:]}, {points(abs(share - 0.5))} {way} than half {said}"
            + ("." if unknown is None else f"; {unknown}.")
        )
    elif unknown is not None:
        sentence = f"Whether being shown first helps cannot be said: {unknown}; {wins} {said}."
    else:
        sentence = f"No first-shown advantage is found: {wins} {said}."
    made = Finding(
        id=f"first_shown/{criterion}",
        sentence=sentence,
        result=row,
        standing="quality",
        told=told or unknown is None,
        criterion=criterion,
    )
    return unless_undefined(made, "How often the output shown first wins", noun="vote")


def _pull(fit: BradleyTerry) -> Coefficient | None:
    return next((each for each in fit.coefficients if each.covariate == "position"), None)


def position_finding(fit: BradleyTerry, criterion: str) -> list[Finding]:
    """The pull of the first place in the fit of the strengths, as odds."""
    row = _pull(fit)
    if row is None or row.estimate is None:
        return []
    odds = format_number(math.exp(row.estimate), 2)
    said = evidence(row, noun="vote", p=row.p)
    return [
        Finding(
            id=f"position/{criterion}",
            sentence=f"Between equally strong systems, being shown first goes with {odds} times "
            f"the odds of winning: {row.format(row.estimate)} on the log scale {said}.",
            result=row,
            standing="exploratory",
            criterion=criterion,
        )
    ]


def fit_finding(fit: BradleyTerry, criterion: str) -> list[Finding]:
    """Whether one strength per system describes who beat whom."""
    found = fit.fit
    if found is None or found.estimate is None or found.p is None:
        return []
    fails = found.p < 1 - fit.confidence
    clusters = " and ".join(f"{kind}s" for kind in found.scaled_for)
    scaled = f", scaled for {clusters}" if clusters else ""
    freedom = format_count(found.df or 0, "degree of freedom", "degrees of freedom")
    said = f"(X² = {format_number(found.estimate, 1)} on {freedom}{scaled}; {format_p(found.p)})"
    if fails:
        worst = max(found.residuals, key=lambda row: abs(row.estimate or 0.0), default=None)
        most = ""
        if worst is not None:
            most = (
                f"; most in {worst.system} against {worst.other}, where {worst.system} wins "
                f"{format_percent(worst.observed)} and {format_percent(worst.expected)} is expected"
            )
        sentence = (
            f"One strength per system does not describe who beats whom on {criterion} {said}"
            f"{most}: read the pairs, not the ranking."
        )
    else:
        sentence = (
            f"Nothing speaks against describing who beats whom on {criterion} by one strength per "
            f"system {said}."
        )
    return [
        Finding(
            id=f"fit/{criterion}",
            sentence=sentence,
            result=replace(found, undefined=found.undefined or "a test of fit has no interval"),
            standing="quality" if fails else "secondary",
            criterion=criterion,
        )
    ]


def cycle_findings(rates: WinRates, criterion: str) -> list[Finding]:
    """Systems that beat each other in a circle, each beyond chance."""
    return [
        Finding(
            id="/".join(("circle", criterion, *cycle.systems)),
            sentence=f"{joined(cycle.systems)} beat each other in a circle, so no order holds: "
            f"each beats the next and the last the first, in at least "
            f"{format_percent(cycle.estimate)} of votes"
            + (f" ({format_p(cycle.p)} after correction for all pairs)." if cycle.p else "."),
            result=replace(
                cycle,
                criterion=criterion,
                undefined=cycle.undefined or "each pair has its own interval",
            ),
            standing="quality",
            criterion=criterion,
        )
        for cycle in rates.cycles
    ]
