"""Sums that means and shares are computed from, and the rows made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from jurybox.analysis.options import Options
from jurybox.stats.means import MeanScore, mean
from jurybox.stats.shares import Share, share
from jurybox.tally import ratios
from jurybox.tally.ratings import pair_rows
from jurybox.tally.responses import Responses

__all__ = ["mean_rows", "reduced", "reduced_pairs", "share_rows"]

MANY = 100_000
"""Responses from which on pairs are made of sums, not of rows."""


def reduced(
    responses: Responses, rows: str, options: Options, *, cross: bool = False
) -> ratios.RatioSums:
    """The sums of rows ``(k, item, rater, rid, u, w)``, clustered as the options ask."""
    return ratios.reduce(
        responses,
        rows,
        cross=cross,
        single=options.cluster is None,
        cells="cell" in options.clusters,
    )


def reduced_pairs(
    parts: Mapping[str, Responses],
    options: Options,
    *,
    cross: bool = False,
    against: str | None = None,
) -> ratios.RatioSums:
    """The sums of every two systems' difference within items, on several criteria at once.

    ``against``: the system that all pairs have, if one is wanted.
    """
    first, *_ = parts.values()
    if first.has_item and first.value("SELECT count(*) FROM {r}") >= MANY:
        found = ratios.reduce_pairs(
            list(parts.values()),
            cross=cross,
            single=options.cluster is None,
            cells="cell" in options.clusters,
            against=against,
        )
        if found is not None:
            return ratios.sized(found, list(parts.values()))
    found = reduced(first, pair_rows(parts, against=against), options, cross=cross)
    return ratios.sized(found, list(parts.values()))


def mean_rows(responses: Responses, rows: str, options: Options, criterion: str) -> list[MeanScore]:
    """The mean of every system, highest first."""
    sums = reduced(responses, rows, options)
    found = []
    for k, system in enumerate(sums.names):
        base = mean(sums, k, **options.interval)
        found.append(base.as_kind(MeanScore, system=system, criterion=criterion))
    return sorted(found, key=lambda row: -(row.estimate or 0.0))


def share_rows(
    responses: Responses,
    rows: str,
    options: Options,
    *,
    what: str,
    criterion: str | None = None,
    against: float | None = None,
) -> list[Share]:
    """The share of every system."""
    sums = reduced(responses, rows, options)
    return [
        replace(
            share(sums, k, what=what, against=against, **options.interval),
            system=system,
            criterion=criterion,
        )
        for k, system in enumerate(sums.names)
    ]
