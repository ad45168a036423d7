"""Votes: win rates, ties, the pull of the first place, and strengths."""

from __future__ import annotations

from dataclasses import replace

from jurybox.analysis.measure.reduced import reduced, share_rows
from jurybox.analysis.measure.turn import turn_share
from jurybox.analysis.options import Options
from jurybox.stats.bradley_terry import BradleyTerry, Settings, Ties, bradley_terry
from jurybox.stats.multiple import in_family
from jurybox.stats.shares import Share, share
from jurybox.stats.win_rates import WinRates
from jurybox.tally import ratios, votes
from jurybox.tally.responses import Responses

__all__ = ["first_shown_rate", "outcome_rates", "strengths", "win_rates"]


def win_rates(responses: Responses, options: Options, *, criterion: str | None = None) -> WinRates:
    """How often each system wins, and each against each."""
    itself = votes.self_comparisons(responses)
    total = responses.count()[0]
    if itself == total:
        why = "every vote compares a system with itself"
        return WinRates(rows=(), undefined=why, confidence=options.confidence)
    rows = share_rows(
        responses, votes.win_rows(), options, what="win rate", criterion=criterion, against=0.5
    )
    sums = reduced(responses, votes.pair_rows(), options)
    pairs = []
    for k, (one, two) in enumerate(ratios.between(responses, sums.names)):
        made = share(sums, k, what="win rate", against=0.5, **options.interval)
        row = replace(made, system=one, other=two, criterion=criterion)
        pairs.append(turn_share(row) if (row.estimate or 0.0) < 0.5 else row)
    adjusted = in_family([row.p for row in pairs])
    notes = () if not itself else (f"{itself:,} votes of a system against itself left out",)
    return WinRates(
        rows=tuple(sorted(rows, key=lambda row: -(row.estimate or 0.0))),
        pairs=tuple(replace(row, p_adjusted=p) for row, p in zip(pairs, adjusted, strict=True)),
        notes=notes,
        confidence=options.confidence,
        cluster=options.cluster,
    )


def outcome_rates(responses: Responses, options: Options, outcome: str) -> dict[str, Share]:
    """How often a system's votes end as ``tie`` or ``both_bad``."""
    what = {"tie": "tie rate", "both_bad": "both-bad rate"}[outcome]
    found = share_rows(responses, votes.outcome_rows(outcome), options, what=what)
    return {row.system or "": row for row in found}


def first_shown_rate(responses: Responses, options: Options) -> Share | None:
    """How often the output shown first wins; ``None`` where the table does not say."""
    if "first" not in responses.columns:
        return None
    sums = reduced(responses, votes.first_shown(), options)
    if not sums.names:
        return None
    return share(sums, 0, what="first shown wins", against=0.5, **options.interval)


def strengths(
    responses: Responses, options: Options, *, ties: Ties, settings: Settings | None = None
) -> BradleyTerry:
    """Bradley–Terry strengths; ``settings`` says more than how ties count."""
    asked = settings or Settings(ties=ties)
    cells = votes.vote_cells(
        responses,
        first=asked.position and "first" in responses.columns,
        strength=asked.graded,
        covariates=asked.covariates,
    )
    return bradley_terry(cells, asked, **options.interval, seed=options.seed)
