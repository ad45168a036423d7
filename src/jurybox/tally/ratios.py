"""Ratios of sums, reduced in the database: what means, rates and differences are computed from.

A reduction is a selection of rows ``(k, item, rater, rid, u, w)``: ratio ``k`` is Σu / Σw. Of every
kind of cluster only sums of products over clusters leave the database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.responses import Responses

__all__ = [
    "RatioMoments",
    "RatioSums",
    "between",
    "binary",
    "mean_of",
    "pass_mark",
    "reduce",
    "shared_raters",
    "within_items",
]

PAIR = "(CAST(enum_code({one}) AS BIGINT) << 32 | enum_code({two}))"
"""Two systems as one number, which the database groups by faster than by their names."""


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

    ``names`` are the systems or, of pairs of systems, their numbers (see ``between``).
    ``value`` is Σu / Σw as it stands; in ``u`` and the moments the mean of all rows is taken out of
    every row, which keeps digits where scores are large and alike.
    """

    names: tuple[Any, ...]
    value: NDArray[np.float64]
    u: NDArray[np.float64]
    w: NDArray[np.float64]
    n: NDArray[np.int64]
    by: Mapping[str, RatioMoments]


def reduce(
    responses: Responses,
    rows: str,
    *,
    cross: bool = False,
    single: bool = False,
    cells: bool = True,
) -> RatioSums:
    """Reduce rows ``(k, item, rater, rid, u, w)`` to sums.

    ``cross``: also for every two ratios. ``single``: also with every response a cluster of its own,
    which is what is left where the table names neither items nor raters. ``cells``: also by item
    × rater, which only an interval clustered both ways needs.
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
    kinds = _kinds(responses, cells=cells)
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


def _kinds(responses: Responses, *, cells: bool) -> tuple[str, ...]:
    kinds = []
    if responses.has_item:
        kinds.append("item")
    if responses.has_rater:
        kinds.append("rater")
    if len(kinds) == 2 and cells:
        kinds.append("cell")
    return tuple(kinds)


def _moments(
    responses: Responses, kind: str, names: Sequence[Any], center: float, *, cross: bool
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
    name = PAIR.format(one="a.system", two="b.system")
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


def between(responses: Responses, pairs: Sequence[int]) -> list[tuple[str, str]]:
    """The names of the two systems of each pair."""
    if not pairs:
        return []
    names = responses.value("SELECT enum_range(CAST(NULL AS systems))")
    return [(names[pair >> 32], names[pair & 0xFFFFFFFF]) for pair in pairs]


def shared_raters(responses: Responses) -> set[tuple[str, str]]:
    """The pairs of systems, in the order of their names, that some rater judged both of."""
    rows = responses.query(
        "WITH seen AS (SELECT DISTINCT system, rater FROM {r}) SELECT DISTINCT a.system, b.system "
        "FROM seen a JOIN seen b ON a.rater = b.rater AND a.system < b.system"
    )
    return set(rows)


def deviations(responses: Responses) -> dict[str, float | None]:
    """The standard deviation of single scores, per system; ``None`` for one score."""
    return dict(responses.query("SELECT system, stddev_samp(score) FROM {r} GROUP BY system"))
