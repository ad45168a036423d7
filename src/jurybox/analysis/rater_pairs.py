"""The table of every two raters, or of many raters what the pairs are like."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Column, Table
from jurybox.analysis.measure.agreement import kappas_of_raters, pairs_of_raters
from jurybox.analysis.table import Method
from jurybox.stats.agreement.alpha import Level
from jurybox.stats.agreement.kappa import Weights
from jurybox.stats.agreement.rater_pairs import RaterPairTable
from jurybox.tally.responses import Responses

__all__ = ["pair_tables"]

RATERS = 30
"""Raters up to which every pair has its row."""
MANY = 200_000
"""Responses from which on pairs are not compared unasked."""
MOST = 20_000_000
"""Pairs of answers, likewise: where hundreds judge the same outputs they outgrow the responses."""


def pair_tables(
    context: Context, part: Responses, criterion: str, level: Level, *, same: bool
) -> tuple[Table, ...]:
    """How far every two raters agree; of more than thirty the lowest, middle and highest pair.

    ``same``: whether it is of interest how often two give the same answer.
    """
    if not part.has_rater:
        return ()
    n, n_raters, _ = part.count()
    if n_raters < 3 or n > MANY:
        return ()
    weights: Weights = None if level == "nominal" else "quadratic"
    if n_raters > RATERS:
        return _summary(part, criterion, weights)
    found = pairs_of_raters(part, context.options, "cohen", weights=weights)
    return (_every_pair(context, found, criterion, weights, same=same),) if found.rows else ()


def _every_pair(
    context: Context, found: RaterPairTable, criterion: str, weights: Weights, *, same: bool
) -> Table:
    rows = [
        (
            *(row.rater, row.other, row.kappa, bounds(row.interval)),
            *(row.percent if same else None, row.n_units),
        )
        for row in found.rows
    ]
    return Table(
        id=f"rater_pairs/{criterion}",
        title=f"Pairs of raters: {criterion}",
        columns=(
            Column(name="rater", heading="Rater"),
            Column(name="other", heading="Other"),
            Column(name="kappa", heading="Kappa", kind="number"),
            interval_column(context),
            Column(name="percent", heading="Same answer", kind="percent"),
            Column(name="units", heading="Shared units", kind="count"),
        ),
        rows=tuple(rows),
        caption=f"{found.statistic}; intervals hold for these two raters. "
        "Two raters with fewer than ten shared units have no number.",
        methods=_methods(weights),
    )


def _summary(part: Responses, criterion: str, weights: Weights) -> tuple[Table, ...]:
    kappas = kappas_of_raters(part, weights=weights, most=MOST)
    if kappas is None or np.isnan(kappas).all():
        return ()
    known = kappas[~np.isnan(kappas)]
    name = "Cohen's kappa" if weights is None else f"Cohen's kappa with {weights} weights"
    return (
        Table(
            id=f"rater_pairs/{criterion}",
            title=f"Pairs of raters: {criterion}",
            columns=(
                Column(name="pairs", heading="Pairs", kind="count"),
                Column(name="compared", heading="With ten shared units", kind="count"),
                Column(name="lowest", heading="Lowest kappa", kind="number"),
                Column(name="median", heading="Median", kind="number"),
                Column(name="highest", heading="Highest", kind="number"),
            ),
            rows=(
                (
                    len(kappas),
                    len(known),
                    float(known.min()),
                    float(np.median(known)),
                    float(known.max()),
                ),
            ),
            caption=f"{name} of every two raters who share a unit.",
            methods=_methods(weights),
        ),
    )


def _methods(weights: Weights) -> Mapping[Method, str]:
    """The statistic of these tables."""
    return {"Cohen's kappa": "", **({} if weights is None else {"quadratic weights": ""})}
