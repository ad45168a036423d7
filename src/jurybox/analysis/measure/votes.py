"""Votes: win rates, ties, the pull of the first place, strengths, and Elo ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from jurybox.analysis.measure.pairs import pair_shares
from jurybox.analysis.measure.reduced import reduced, share_rows
from jurybox.analysis.measure.turn import mirror
from jurybox.analysis.options import Options
from jurybox.errors import InputError, OptionError
from jurybox.results import format_count
from jurybox.stats.means import MeanScore, mean
from jurybox.stats.scale_ends import on_scale
from jurybox.stats.share_family import share_family_by_holm
from jurybox.stats.shares import Share, share
from jurybox.stats.strengths import elo as elo_ratings
from jurybox.stats.strengths.bradley_terry import BradleyTerry, Settings, bradley_terry
from jurybox.stats.strengths.elo import Elo
from jurybox.stats.win_rates import WinRates, exact_share, find_cycles
from jurybox.tally import ratios, vote_rows, votes
from jurybox.tally.pairs import pairs_in
from jurybox.tally.responses import Responses

__all__ = [
    "TiesInRates",
    "elo",
    "first_shown_rate",
    "grades_given",
    "mean_grades",
    "outcome_rates",
    "strengths",
    "win_rates",
]

TiesInRates = Literal["half", "drop", "outcome"]
SAID = {
    "half": "ties count as half a win for both",
    "drop": "ties are left out",
    "outcome": "a tie is an outcome of its own: wins, ties and losses add up to 100%; p tests "
    "whether wins and losses are equally frequent",
}


def win_rates(
    responses: Responses,
    options: Options,
    *,
    criterion: str | None = None,
    ties: TiesInRates = "half",
) -> WinRates:
    """How often each system wins, and each against each."""
    if ties not in SAID:
        raise OptionError(f"ties must be 'half', 'drop' or 'outcome'; got {ties!r}")
    itself, total, drawn, bad = responses.query(
        "SELECT count(*) FILTER (system_a = system_b), count(*), "
        "count(*) FILTER (winner IN ('tie', 'both_bad') AND system_a <> system_b), "
        "count(*) FILTER (winner = 'both_bad' AND system_a <> system_b) FROM {r}"
    )[0]
    made = WinRates(rows=(), ties=ties, confidence=options.confidence, cluster=options.cluster)
    notes = (
        [f"{format_count(itself, 'vote')} of a system against itself left out"] if itself else []
    )
    notes += [SAID[ties]] if drawn and ties != "half" else []
    if itself == total:
        return replace(made, undefined="every vote compares a system with itself")
    if ties == "drop" and drawn == total - itself:
        return replace(made, undefined="every vote is a tie", notes=tuple(notes))
    tested = None if ties == "outcome" else 0.5
    rows = share_rows(
        responses,
        vote_rows.win_rows(ties),
        options,
        what="win rate",
        criterion=criterion,
        against=tested,
    )
    pairs = pair_shares(
        responses,
        vote_rows.pair_rows("drop" if ties == "drop" else "half"),
        options,
        criterion=criterion,
    )
    if ties == "outcome":
        pairs = _strict(responses, options, pairs)
    elif (ties == "drop" or not drawn) and vote_rows.decided_alone(responses):
        rows = [_exact(row, options) for row in rows]
        pairs = list(share_family_by_holm([_exact(row, options, alone=True) for row in pairs]))
    more: dict[str, Any] = {}
    if ties == "outcome":
        more["tie_rates"] = _outcome(responses, options, "drawn", "tie rate", criterion)
        more["loss_rates"] = _outcome(responses, options, "loss", "loss rate", criterion)
    if bad:
        more["both_bad"] = _outcome(responses, options, "both_bad", "both-bad rate", criterion)
        more["both_bad_pairs"] = _both_bad_pairs(responses, options, criterion)
    return replace(
        made,
        rows=tuple(sorted(rows, key=lambda row: -(row.estimate or 0.0))),
        pairs=tuple(pairs),
        cycles=() if ties == "outcome" else find_cycles(pairs, confidence=options.confidence),
        notes=tuple(notes),
        **more,
    )


def _exact(row: Share, options: Options, *, alone: bool = False) -> Share:
    n = row.n_responses or 0
    if n < 2:
        return row
    wins = round((row.estimate or 0.0) * n)
    made = exact_share(row, wins, n, options.confidence)
    # The family's verdict rests on the interval that the exact one takes the place of.
    return replace(made, p_adjusted=None, simultaneous=None, adjusted_by=None) if alone else made


def _strict(responses: Responses, options: Options, pairs: Sequence[Share]) -> list[Share]:
    """How often the first of each pair wins outright, with the test of wins against losses."""
    sums = reduced(responses, vote_rows.pair_rows("outcome"), options)
    found: dict[tuple[str, str], Share] = {}
    for k, (one, two) in enumerate(ratios.between(responses, sums.names)):
        found[one, two] = share(sums, k, what="win rate", **options.interval)
    turned = ratios.between(responses, sums.names)
    losses = reduced(responses, vote_rows.lost_pair_rows(), options)
    for k, (one, two) in enumerate(turned):
        found[two, one] = share(losses, k, what="win rate", **options.interval)
    return [
        replace(
            found[row.system or "", row.other or ""],
            system=row.system,
            other=row.other,
            criterion=row.criterion,
            p=row.p,
            p_adjusted=row.p_adjusted,
            adjusted_by=row.adjusted_by,
        )
        for row in pairs
    ]


def _outcome(
    responses: Responses, options: Options, outcome: str, what: str, criterion: str | None
) -> tuple[Share, ...]:
    rows = vote_rows.outcome_rows(outcome)
    return tuple(share_rows(responses, rows, options, what=what, criterion=criterion))


def _both_bad_pairs(
    responses: Responses, options: Options, criterion: str | None
) -> tuple[Share, ...]:
    sums = reduced(responses, vote_rows.both_bad_pair_rows(), options)
    return tuple(
        replace(
            share(sums, k, what="both-bad rate", **options.interval),
            system=one,
            other=two,
            criterion=criterion,
        )
        for k, (one, two) in enumerate(ratios.between(responses, sums.names))
    )


def outcome_rates(responses: Responses, options: Options, outcome: str) -> dict[str, Share]:
    """How often a system's votes end as ``tie`` or ``both_bad``."""
    what = {"tie": "tie rate", "both_bad": "both-bad rate"}[outcome]
    found = share_rows(responses, vote_rows.outcome_rows(outcome), options, what=what)
    return {row.system or "": row for row in found}


def first_shown_rate(responses: Responses, options: Options) -> Share | None:
    """How often the output shown first wins; ``None`` where the table does not say."""
    if "first" not in responses.columns:
        return None
    sums = reduced(responses, vote_rows.first_shown(), options)
    if not sums.names:
        return None
    return share(sums, 0, what="first shown wins", against=0.5, **options.interval)


def strengths(
    responses: Responses,
    options: Options,
    *,
    settings: Settings | None = None,
    pairs: bool | None = None,
) -> BradleyTerry:
    """Bradley–Terry strengths, by default with Davidson's ties."""
    asked = settings or Settings()
    if asked.graded and "strength" not in responses.columns:
        raise InputError("graded=True needs a column 'strength', which the table does not have")
    cells = votes.vote_cells(
        responses,
        first=asked.position and "first" in responses.columns,
        strength=asked.graded,
        covariates=asked.covariates,
        clusters=options.clusters,
    )
    return bradley_terry(cells, asked, **options.interval, seed=options.seed, pairs=pairs)


def elo(
    responses: Responses,
    *,
    k: float = 4.0,
    scale: float = 400.0,
    base: float = 10.0,
    initial: float = 1000.0,
    n_shuffles: int = 100,
    seed: int = 0,
) -> Elo:
    """Elo ratings, the median over shuffles."""
    return elo_ratings.elo(
        votes.vote_cells(responses),
        k=k,
        scale=scale,
        base=base,
        initial=initial,
        n_shuffles=n_shuffles,
        seed=seed,
    )


def grades_given(responses: Responses) -> dict[tuple[str, str], dict[float, int]]:
    """How often each grade was given to every pair, seen from either side; none without grades."""
    if "strength" not in responses.columns:
        return {}
    counts = vote_rows.grade_counts(responses)
    if not any(grade for _, grade, _ in counts):
        return {}
    names = pairs_in(responses, vote_rows.grade_rows())
    found: dict[tuple[str, str], dict[float, int]] = {}
    for k, grade, n in counts:
        one, two = names[k][1]
        found.setdefault((one, two), {})[grade + 0.0] = n
        found.setdefault((two, one), {})[0.0 - grade] = n
    return found


def mean_grades(
    responses: Responses, options: Options, *, criterion: str, most: float
) -> dict[tuple[str, str], MeanScore]:
    """How far the first of two systems is preferred on average, for every pair both ways."""
    sums = reduced(responses, vote_rows.grade_rows(), options)
    found = {}
    for k, (one, two) in enumerate(ratios.between(responses, sums.names)):
        base = on_scale(mean(sums, k, **options.interval), (-most, most))
        row = base.as_kind(MeanScore, system=one, criterion=criterion)
        found[one, two] = row
        found[two, one] = replace(
            row,
            estimate=None if row.estimate is None else 0.0 - row.estimate,
            interval=mirror(row.interval),
            these_raters=mirror(row.these_raters),
            system=two,
        )
    return found
