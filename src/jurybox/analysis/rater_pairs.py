"""The table of every two raters, or of many raters what the pairs are like."""

from __future__ import annotations

from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Column, Table
from jurybox.analysis.measure.agreement import pairs_of_raters
from jurybox.stats.agreement import Level
from jurybox.stats.kappa import Weights
from jurybox.stats.rater_pairs import RaterPairTable
from jurybox.tally.responses import Responses

__all__ = ["pair_tables"]

RATERS = 30
"""Raters up to which every pair has its row."""
MANY = 200_000
"""Responses from which on pairs are not compared unasked."""


def pair_tables(
    context: Context, part: Responses, criterion: str, level: Level
) -> tuple[Table, ...]:
    """How far every two raters agree; of more than thirty the lowest, middle and highest pair."""
    if not part.has_rater:
        return ()
    n, n_raters, _ = part.count()
    if n_raters < 3 or n > MANY:
        return ()
    weights: Weights = None if level == "nominal" else "quadratic"
    found = pairs_of_raters(part, context.options, "cohen", weights=weights)
    if not found.rows:
        return ()
    if n_raters > RATERS:
        return _summary(found, criterion)
    return (_every_pair(context, found, criterion),)


def _every_pair(context: Context, found: RaterPairTable, criterion: str) -> Table:
    rows = [
        (row.rater, row.other, row.kappa, bounds(row.interval), row.percent, row.n_units)
        for row in found.rows
    ]
    return Table(
        id=f"rater_pairs/{criterion}",
        title=f"Every two raters: {criterion}",
        columns=(
            Column(name="rater", heading="Rater"),
            Column(name="other", heading="Other"),
            Column(name="kappa", heading="Kappa", kind="number"),
            interval_column(context),
            Column(name="percent", heading="Same answer", kind="percent"),
            Column(name="units", heading="Shared units", kind="count"),
        ),
        rows=tuple(rows),
        caption=f"{found.statistic}. Two raters with fewer than ten shared units have no number; "
        "intervals hold for these two raters.",
    )


def _summary(found: RaterPairTable, criterion: str) -> tuple[Table, ...]:
    import statistics

    known = sorted(row.estimate for row in found.rows if row.estimate is not None)
    if not known:
        return ()
    return (
        Table(
            id=f"rater_pairs/{criterion}",
            title=f"Every two raters: {criterion}",
            columns=(
                Column(name="pairs", heading="Pairs", kind="count"),
                Column(name="compared", heading="With ten shared units", kind="count"),
                Column(name="lowest", heading="Lowest kappa", kind="number"),
                Column(name="median", heading="Median", kind="number"),
                Column(name="highest", heading="Highest", kind="number"),
            ),
            rows=((len(found.rows), len(known), known[0], statistics.median(known), known[-1]),),
            caption=f"{found.statistic} of every two raters who share a unit.",
        ),
    )
