"""Rankings reduced to distinct orders with multiplicities, in all and per cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.responses import Responses

__all__ = ["ClusterOrders", "Orders", "first_rows", "mean_rank_rows", "orders"]

RANKING = "rater, coalesce(trial, item), item"
"""The columns that tell one ranking from another."""


@dataclass(frozen=True, slots=True, eq=False)
class ClusterOrders:
    """How often each cluster gave each order."""

    cluster: NDArray[np.int64]
    pattern: NDArray[np.int64]
    count: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """Distinct orders as groups of tied systems, best first."""

    systems: tuple[str, ...]
    patterns: tuple[tuple[tuple[int, ...], ...], ...]
    counts: NDArray[np.float64]
    by: Mapping[str, ClusterOrders]


def orders(responses: Responses) -> Orders:
    """Distinct orders with how often each was given, per item, rater and item × rater too."""
    systems = responses.systems
    query = responses.connection.execute
    numbers = "SELECT system, row_number() OVER (ORDER BY system) - 1 AS s FROM (SELECT DISTINCT "
    query(
        "CREATE OR REPLACE TEMP TABLE given AS SELECT item, rater, "
        "list(struct_pack(place := place, s := s) ORDER BY place, s) AS pattern FROM (SELECT item, "
        f"rater, coalesce(trial, item) AS t, s, dense_rank() OVER (PARTITION BY {RANKING} "
        f"ORDER BY rank) AS place FROM {responses.source} JOIN ({numbers} system "
        f"FROM {responses.source})) USING (system)) GROUP BY item, rater, t"
    )
    rows = query("SELECT pattern, count(*) FROM given GROUP BY pattern ORDER BY pattern").fetchall()
    query(
        "CREATE OR REPLACE TEMP TABLE order_numbers AS SELECT pattern, "
        "row_number() OVER (ORDER BY pattern) - 1 AS p FROM (SELECT DISTINCT pattern FROM given)"
    )
    by = {
        kind: _clusters(responses, keys)
        for kind, keys in (("item", "item"), ("rater", "rater"), ("cell", "item, rater"))
    }
    return Orders(
        systems=systems,
        patterns=tuple(_groups(row[0]) for row in rows),
        counts=np.array([row[1] for row in rows], dtype=np.float64),
        by=by,
    )


def _groups(pattern: list[dict[str, int]]) -> tuple[tuple[int, ...], ...]:
    places: dict[int, list[int]] = {}
    for entry in pattern:
        places.setdefault(entry["place"], []).append(entry["s"])
    return tuple(tuple(group) for _, group in sorted(places.items()))


def _clusters(responses: Responses, keys: str) -> ClusterOrders:
    found = responses.connection.execute(
        f"SELECT dense_rank() OVER (ORDER BY {keys}) - 1 AS cluster, p, CAST(n AS DOUBLE) AS n "
        f"FROM (SELECT {keys}, p, count(*) AS n FROM given JOIN order_numbers USING (pattern) "
        f"GROUP BY {keys}, p) ORDER BY cluster, p"
    ).fetchnumpy()
    return ClusterOrders(
        cluster=np.asarray(found["cluster"], dtype=np.int64),
        pattern=np.asarray(found["p"], dtype=np.int64),
        count=np.asarray(found["n"], dtype=np.float64),
    )


def first_rows() -> str:
    """The rows of how often a system is ranked first; tied firsts share the place."""
    return (
        "SELECT system AS k, item, rater, rid, CASE WHEN place = 1 THEN 1.0 / tied ELSE 0.0 END "
        "AS u, 1.0 AS w FROM (SELECT *, "
        f"rank() OVER (PARTITION BY {RANKING} ORDER BY rank) AS place, "
        f"count(*) OVER (PARTITION BY {RANKING}, rank) AS tied FROM {{r}})"
    )


def mean_rank_rows() -> str:
    """The rows of a system's mean rank among those shown; tied systems share the mean place."""
    return (
        "SELECT system AS k, item, rater, rid, place + (tied - 1) / 2.0 AS u, 1.0 AS w "
        f"FROM (SELECT *, rank() OVER (PARTITION BY {RANKING} ORDER BY rank) AS place, "
        f"count(*) OVER (PARTITION BY {RANKING}, rank) AS tied FROM {{r}})"
    )
