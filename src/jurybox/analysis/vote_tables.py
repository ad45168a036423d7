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
    say_ranks,
    say_strengths,
    sentence_of,
    sentences_of,
    strength_cells,
    strength_columns,
)
from jurybox.stats.shares import Share
from jurybox.stats.strengths.bradley_terry import NO_TIES, BradleyTerry
from jurybox.stats.win_rates import WinRates
from jurybox.tally.responses import Responses

__all__ = [
    "TIES",
    "are_tied",
    "both_bad_table",
    "elo_table",
    "outcome_table",
    "strength_table",
    "system_table",
]

TIES = {
    "davidson": "ties by Davidson's model",
    "rao_kupper": "ties by Rao and Kupper's model",
    "half": "ties as half a win for both",
    "drop": "ties left out",
}
"""How a fit treats ties, in words."""


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
    is_tied = are_tied(rates, ties)
    columns = [
        Column(name="system", heading="System"),
        *([Column(name="group", heading="Group", kind="count")] if groups else []),
        Column(name="win_rate", heading="Win rate", kind="percent"),
        interval_column(context),
        *([Column(name="ties", heading="Ties", kind="percent")] if is_tied else []),
        *([Column(name="both_bad", heading="Both bad", kind="percent")] if bad else []),
        *strength_columns(context, fit),
        Column(name="votes", heading="Votes", kind="count"),
    ]
    rows: list[tuple[Any, ...]] = []
    names = by_group(list(won), groups)
    for name in names:
        rows.append(
            (
                name,
                *([groups.get(name)] if groups else []),
                won[name].estimate,
                bounds(won[name].interval),
                *([ties[name].estimate] if is_tied else []),
                *([bad[name].estimate] if bad else []),
                *strength_cells(strength.get(name), fit),
                won[name].n_responses,
            )
        )
    apart = "; “both bad” is a tie and is shown apart" if bad else ""
    caption = [f"Ties count half{apart}." if is_tied else "No vote is a tie."]
    if len(rows) > 2:
        caption.append("A system's win rate is over all its votes, whomever it was set against.")
    if groups:
        caption.append("Rates of different groups cannot be compared: their opponents differ.")
    treated = f", {TIES[fit.ties]}" if is_tied else ""
    is_davidson = is_tied and fit.ties == "davidson"
    caption.append(say_strengths(fit.rows, f"Bradley–Terry, log scale{treated}"))
    caption += say_ranks(fit)
    notes = [note for note in fit.notes if is_tied or not note.startswith(NO_TIES)]
    caption += sentences_of((*notes, *rates.all_notes))
    made = Table(
        id=f"win_rates/{criterion}",
        title=f"Win rates: {criterion}",
        columns=tuple(columns),
        rows=tuple(rows),
        caption=" ".join(dict.fromkeys(caption)),
        methods={"Davidson's model": ""} if is_davidson else {},
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
    how: str,
) -> Table:
    """Strengths by another reading of the same votes, beside those of the first table.

    ``how``: what this fit does, for the methods.
    """
    first = {row.system: row for row in beside.rows}
    columns = [
        Column(name="system", heading="System"),
        *strength_columns(context, fit),
        Column(name="first_reading", heading="In the first table", kind="number"),
    ]
    rows: list[tuple[Any, ...]] = [
        (
            row.system,
            *strength_cells(row, fit),
            first[row.system].estimate if row.system in first else None,
        )
        for row in fit.rows
    ]
    # What there is to say of ties stands below the first table.
    notes = [note for note in fit.notes if not note.startswith(NO_TIES)]
    said = [caption, *say_ranks(fit), *sentences_of(notes)]
    made = Table(
        id=id,
        title=title,
        columns=tuple(columns),
        rows=tuple(rows),
        caption=" ".join(dict.fromkeys(said)),
        methods={"second fit": how},
    )
    return with_claims(made, {"strength_interval": fit.rows})


def outcome_table(
    context: Context, rates: WinRates, ties: Mapping[str, Share], criterion: str
) -> Table | None:
    """How often each system's votes are ties or call both bad, with the intervals."""
    if not are_tied(rates, ties):
        return None
    bad = {row.system: row for row in rates.both_bad}
    names = [row.name for row in rates.rows]
    columns = [
        Column(name="system", heading="System"),
        Column(name="ties", heading="Ties", kind="percent"),
        interval_column(context, "ties_interval"),
    ]
    of: dict[str, list[Share | None]] = {"ties_interval": [ties[name] for name in names]}
    if bad:
        columns.append(Column(name="both_bad", heading="Both bad", kind="percent"))
        columns.append(interval_column(context, "both_bad_interval"))
        of["both_bad_interval"] = [bad[name] for name in names]
    shares = zip(*of.values(), strict=True)
    made = Table(
        id=f"outcomes/{criterion}",
        title=f"Ties{' and both bad' if bad else ''} of each system: {criterion}",
        columns=(*columns, Column(name="votes", heading="Votes", kind="count")),
        rows=tuple(
            (
                row.name,
                *(cell for one in own for cell in (one.estimate, bounds(one.interval))),
                row.n_responses,
            )
            for row, own in zip(rates.rows, shares, strict=True)
        ),
        caption="Of all votes on a system.",
    )
    return with_claims(made, of)


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
