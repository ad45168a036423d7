"""Ratios of sums, reduced in the database: what means, rates and differences are computed from.

A reduction is a selection of rows ``(k, item, rater, rid, u, w)``: ratio ``k`` is Σu / Σw. Of every
kind of cluster only sums of products over clusters leave the database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = [
    "RatioMoments",
    "RatioSums",
    "between",
    "binary",
    "mean_of",
    "pass_mark",
    "reduce",
    "within_items",
]

SPLIT = "\x1f"
"""Between the two systems in the name of a pair."""


@dataclass(frozen=True, slots=True, eq=False)
class RatioMoments:
    """Sums over the clusters of one kind; vectors, or matrices with every two ratios."""

    clusters: NDArray[np.int64]
    uu: NDArray[np.float64]
    uw: NDArray[np.float64]
    ww: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RatioSums:
    """K ratios as sums, with the moments of their clusters.

    ``value`` is Σu / Σw as it stands; in ``u`` and the moments the mean of all rows is taken out of
    every row, which keeps digits where scores are large and alike.
    """

    names: tuple[str, ...]
    value: NDArray[np.float64]
    u: NDArray[np.float64]
    w: NDArray[np.float64]
    n: NDArray[np.int64]
    by: Mapping[str, RatioMoments]


def reduce(
    responses: Responses, rows: str, *, cross: bool = True, single: bool = False
) -> RatioSums:
    """Reduce rows ``(k, item, rater, rid, u, w)`` to sums.

    ``cross``: also for every two ratios. ``single``: also with every response a cluster of its own,
    which is what is left where the table names neither items nor raters.
    """
    connection = responses.connection
    selected = rows.replace("{r}", responses.source)
    # Doubles: a product of decimals would outgrow its type.
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE long AS SELECT k, item, rater, rid, CAST(u AS DOUBLE) AS u, "
        f"CAST(w AS DOUBLE) AS w FROM ({selected})"
    )
    center = connection.execute("SELECT coalesce(sum(u) / sum(w), 0) FROM long").fetchall()[0][0]
    totals = connection.execute(
        "SELECT k, sum(u) / sum(w), sum(u - ? * w), sum(w), count(*) FROM long "
        "GROUP BY k ORDER BY k",
        [center],
    ).fetchall()
    names = tuple(row[0] for row in totals)
    kinds = _kinds(responses)
    kinds = (*kinds, "row") if single or not kinds else kinds
    by = {kind: _moments(responses, kind, names, center, cross=cross) for kind in kinds}
    return RatioSums(
        names=names,
        value=np.array([row[1] for row in totals], dtype=np.float64),
        u=np.array([row[2] for row in totals], dtype=np.float64),
        w=np.array([row[3] for row in totals], dtype=np.float64),
        n=np.array([row[4] for row in totals], dtype=np.int64),
        by=by,
    )


def _kinds(responses: Responses) -> tuple[str, ...]:
    kinds = []
    if responses.has_item:
        kinds.append("item")
    if responses.has_rater:
        kinds.append("rater")
    if len(kinds) == 2:
        kinds.append("cell")
    return tuple(kinds)


def _moments(
    responses: Responses, kind: str, names: Sequence[str], center: float, *, cross: bool
) -> RatioMoments:
    keys = {"item": "item", "rater": "rater", "cell": "item, rater", "row": "rid"}[kind]
    clustered = (
        f"WITH g AS (SELECT k, {keys}, sum(u) - {center!r}::DOUBLE * sum(w) AS u, sum(w) AS w "
        f"FROM long GROUP BY k, {keys}) "
    )
    if not cross:
        found = responses.query(
            clustered + "SELECT k, count(*), sum(u * u), sum(u * w), sum(w * w) FROM g GROUP BY k "
            "ORDER BY k"
        )
        columns = list(zip(*found, strict=True)) or [(), (), (), (), ()]
        return RatioMoments(
            np.array(columns[1], dtype=np.int64),
            *(np.array(column, dtype=np.float64) for column in columns[2:]),
        )
    found = responses.query(
        clustered + "SELECT a.k, b.k, count(*), sum(a.u * b.u), sum(a.u * b.w), sum(a.w * b.w) "
        f"FROM g a JOIN g b USING ({keys}) GROUP BY a.k, b.k"
    )
    place = {name: i for i, name in enumerate(names)}
    size = (len(names), len(names))
    clusters = np.zeros(size, dtype=np.int64)
    uu, uw, ww = np.zeros(size), np.zeros(size), np.zeros(size)
    for one, two, count, *sums in found:
        at = place[one], place[two]
        clusters[at] = count
        uu[at], uw[at], ww[at] = sums
    return RatioMoments(clusters, uu, uw, ww)


def mean_of(value: str, *, by: str = "system") -> str:
    """The rows of a mean of a column (or expression) per system."""
    return f"SELECT {by} AS k, item, rater, rid, {value} AS u, 1 AS w FROM {{r}}"


def binary(condition: str, *, by: str = "system") -> str:
    """The rows of the share of responses for which a condition holds."""
    return mean_of(f"CASE WHEN {condition} THEN 1 ELSE 0 END", by=by)


def pass_mark(mark: float, *, higher: bool = True) -> str:
    """The rows of the share of scores at or beyond the pass mark."""
    return binary(f"score {'>=' if higher else '<='} {mark!r}")


def within_items(value: str = "score") -> str:
    """The rows of every two systems' difference within the items that both have.

    The item's level α = (mean of one + mean of the other)/2 is taken out of every score, so that
    a rater who saw an item under one system only does not carry the item's difficulty.
    """
    name = f"a.system || {text(SPLIT)} || b.system"
    return (
        f"WITH m AS (SELECT item, system, avg({value}) AS m, count(*) AS n FROM {{r}} "
        "GROUP BY item, system), "
        f"shared AS (SELECT a.item, {name} AS k, a.system AS s, b.system AS t, "
        "(a.m + b.m) / 2 AS level, a.n AS ns, b.n AS nt "
        "FROM m a JOIN m b ON a.item = b.item AND a.system < b.system) "
        "SELECT k, r.item, r.rater, r.rid, "
        f"CASE WHEN r.system = s THEN (r.{value} - level) / ns ELSE (level - r.{value}) / nt END "
        "AS u, 0.5 / CASE WHEN r.system = s THEN ns ELSE nt END AS w "
        "FROM {r} r JOIN shared ON r.item = shared.item AND (r.system = s OR r.system = t)"
    )


def between(name: str) -> tuple[str, str]:
    """The two systems of a pair's name."""
    one, two = name.split(SPLIT)
    return one, two


def deviations(responses: Responses) -> dict[str, float | None]:
    """The standard deviation of single scores, per system; ``None`` for one score."""
    return dict(responses.query("SELECT system, stddev_samp(score) FROM {r} GROUP BY system"))
