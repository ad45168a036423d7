"""The tables of votes: win rates beside strengths, second readings, both bad, Elo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.claims import with_claims
from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Column, Table
from jurybox.analysis.strengths import (
    by_group,
    group_of,
    possible_ranks,
    say_strengths,
    sentence_of,
)
from jurybox.results import format_number
from jurybox.stats.shares import Share
from jurybox.stats.strengths.bradley_terry import NO_TIES, BradleyTerry
from jurybox.stats.win_rates import WinRates
from jurybox.tally.responses import Responses

__all__ = ["TIES", "are_tied", "both_bad_table", "elo_table", "strength_table", "system_table"]

TIES = {
    "davidson": "ties by Davidson's model",
    "rao_kupper": "ties by Rao and Kupper's model",
    "half": "ties as half a win for both",
    "drop": "ties left out",
}
"""How a fit treats ties, in words."""


def _rank_caption(fit: BradleyTerry) -> str:
    percent = format_number(100 * fit.confidence, 0)
    by = f" ({fit.ranks_by})" if fit.ranks_by is not None else ""
    return f"Ranks: those that the comparisons leave open, jointly at {percent}%{by}."


def are_tied(rates: WinRates, ties: Mapping[str, Share]) -> bool:
    """Whether any vote is a tie: where none is, what counts as one need not be said."""
    return bool(rates.both_bad) or any(share.estimate for share in ties.values())


def system_table(
    context: Context,
    criterion: str,
    rates: WinRates,
    fit: BradleyTerry,
    ties: Mapping[str, Share],
) -> Table:
    """Win rate, ties, strength and possible ranks of every system, group by group."""
    bad = {row.system: row for row in rates.both_bad}
    strength = {row.system: row for row in fit.rows}
    won = {row.name: row for row in rates.rows}
    groups = group_of(fit)
    joint = any(row.rank_low is not None for row in fit.rows)
    columns = [
        Column(name="system", heading="System"),
        *([Column(name="group", heading="Group", kind="count")] if groups else []),
        Column(name="win_rate", heading="Win rate", kind="percent"),
        interval_column(context),
        Column(name="ties", heading="Ties", kind="percent"),
        *([Column(name="both_bad", heading="Both bad", kind="percent")] if bad else []),
        Column(name="strength", heading="Strength", kind="number"),
        interval_column(context, "strength_interval"),
        *([Column(name="ranks", heading="Ranks")] if joint else []),
        Column(name="votes", heading="Votes", kind="count"),
    ]
    rows: list[tuple[Any, ...]] = []
    names = by_group(list(won), groups)
    for name in names:
        found = strength.get(name)
        rows.append(
            (
                name,
                *([groups.get(name)] if groups else []),
                won[name].estimate,
                bounds(won[name].interval),
                ties[name].estimate,
                *([bad[name].estimate] if bad else []),
                None if found is None else found.estimate,
                None if found is None else bounds(found.interval),
                *([possible_ranks(found)] if joint else []),
                won[name].n_responses,
            )
        )
    apart = "; “both bad” is a tie and is shown apart" if bad else ""
    is_tied = are_tied(rates, ties)
    caption = [f"Ties count half{apart}." if is_tied else "No vote is a tie."]
    if groups:
        caption.append("Rates of different groups cannot be compared: their opponents differ.")
    treated = f", {TIES[fit.ties]}" if is_tied else ""
    caption.append(say_strengths(fit.rows, f"Bradley–Terry, log scale{treated}"))
    caption += [_rank_caption(fit)] if joint else []
    notes = [note for note in fit.notes if is_tied or not note.startswith(NO_TIES)]
    caption += [sentence_of(note) for note in (*notes, *rates.all_notes)]
    made = Table(
        id=f"win_rates/{criterion}",
        title=f"Win rates: {criterion}",
        columns=tuple(columns),
        rows=tuple(rows),
        caption=" ".join(dict.fromkeys(caption)),
    )
    return with_claims(
        made,
        {
            "interval": [won[name] for name in names],
            "strength_interval": [strength.get(name) for name in names],
        },
    )


def strength_table(
    context: Context,
    fit: BradleyTerry,
    *,
    id: str,
    title: str,
    beside: BradleyTerry,
    caption: str,
) -> Table:
    """Strengths by another reading of the same votes, beside those of the first table."""
    first = {row.system: row for row in beside.rows}
    joint = any(row.rank_low is not None for row in fit.rows)
    columns = [
        Column(name="system", heading="System"),
        Column(name="strength", heading="Strength", kind="number"),
        interval_column(context, "strength_interval"),
        *([Column(name="ranks", heading="Ranks")] if joint else []),
        Column(name="first_reading", heading="First table", kind="number"),
    ]
    rows: list[tuple[Any, ...]] = [
        (
            row.system,
            row.estimate,
            bounds(row.interval),
            *([possible_ranks(row)] if joint else []),
            first[row.system].estimate if row.system in first else None,
        )
        for row in fit.rows
    ]
    said = [caption, *([_rank_caption(fit)] if joint else [])]
    said += [sentence_of(note) for note in fit.notes]
    made = Table(
        id=id,
        title=title,
        columns=tuple(columns),
        rows=tuple(rows),
        caption=" ".join(dict.fromkeys(said)),
    )
    return with_claims(made, {"strength_interval": fit.rows})


def both_bad_table(context: Context, rates: WinRates, criterion: str) -> Table | None:
    """How often the votes on each pair call both bad, most often first."""
    pairs = sorted(rates.both_bad_pairs, key=lambda row: -(row.estimate or 0.0))
    if not pairs:
        return None
    return Table(
        id=f"both_bad/{criterion}",
        title=f"Both bad: {criterion}",
        columns=(
            Column(name="system", heading="System"),
            Column(name="other", heading="Against"),
            Column(name="both_bad", heading="Both bad", kind="percent"),
            interval_column(context),
            Column(name="votes", heading="Votes", kind="count"),
        ),
        rows=tuple(
            (row.system, row.other, row.estimate, bounds(row.interval), row.n_responses)
            for row in pairs
        ),
        caption="The share of each pair's votes that call both outputs bad.",
    )


def elo_table(context: Context, part: Responses, criterion: str) -> Table | None:
    """Elo ratings, for continuity with tables that have them."""
    found = measure.elo(part, seed=context.options.seed)
    if not found.rows:
        return None
    return Table(
        id=f"elo/{criterion}",
        title=f"Elo ratings: {criterion}",
        columns=(
            Column(name="system", heading="System"),
            Column(name="elo", heading="Elo", kind="count"),
        ),
        rows=tuple((row.system, row.estimate) for row in found.rows),
        caption=" ".join(dict.fromkeys(sentence_of(note) for note in found.all_notes)),
    )
