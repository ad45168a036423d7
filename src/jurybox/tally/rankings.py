"""Rankings reduced to distinct orders with multiplicities, in all and per cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.ratios import PAIR
from jurybox.tally.responses import Responses

__all__ = [
    "ClusterOrders",
    "Given",
    "Orders",
    "above_rows",
    "decided_rows",
    "first_rows",
    "given",
    "mean_rank_rows",
    "orders",
    "tied_share",
]

RANKING = "rater, coalesce(trial, item), item"
"""The columns that tell one ranking from another."""
PLACED = (
    f"(SELECT *, rank() OVER (PARTITION BY {RANKING} ORDER BY rank) AS standing, "
    f"count(*) OVER (PARTITION BY {RANKING}, rank) AS tied, "
    f"count(*) OVER (PARTITION BY {RANKING}) AS shown FROM {{r}})"
)
"""Every output with its standing in its ranking, how many share it, and how many were shown."""


@dataclass(frozen=True, slots=True, eq=False)
class ClusterOrders:
    """How often each cluster gave each order."""

    cluster: NDArray[np.int64]
    pattern: NDArray[np.int64]
    count: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """Distinct orders: ``shown`` and ``place`` are orders × most shown, −1 where fewer were."""

    systems: tuple[str, ...]
    shown: NDArray[np.int64]
    place: NDArray[np.int64]
    counts: NDArray[np.float64]
    by: Mapping[str, ClusterOrders]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What the rankings are like, as far as it decides how they are read."""

    rankings: int
    """With at least two outputs."""
    alone: int
    """With one output, which says nothing about any other."""
    raters_alone: int
    """Raters none of whose rankings has two outputs."""
    gaps: int
    """With a rank left out, such as 1, 2, 4."""
    picks: int
    """That put one output first and all others, two or more, in one place: best-of-N."""
    tied: int
    """With ties, best-of-N aside."""
    fewest: int
    most: int
    """Outputs shown at a time."""

    @property
    def only_picks(self) -> bool:
        """Whether every ranking is a choice of the best of N."""
        return 0 < self.picks == self.rankings


def given(responses: Responses) -> Given:
    """What the rankings are like."""
    # Ranks of tied outputs are written as the first, mean or last of their places, or densely.
    row = responses.query(
        "WITH dense AS (SELECT *, dense_rank() OVER (PARTITION BY "
        f"{RANKING} ORDER BY rank) AS step FROM {PLACED}), "
        "each AS (SELECT rater, max(shown) AS shown, max(step) AS steps, max(tied) AS tied, "
        "max(CASE WHEN standing = 1 THEN tied END) AS firsts, NOT (bool_and(rank = step) "
        "OR bool_and(rank = standing) OR bool_and(rank = standing + tied - 1) "
        "OR bool_and(rank = standing + (tied - 1) / 2.0)) AS gap FROM dense "
        f"GROUP BY {RANKING}), "
        "who AS (SELECT rater, max(shown) AS shown FROM each GROUP BY rater) "
        "SELECT count(*) FILTER (shown > 1), count(*) FILTER (shown = 1), "
        "(SELECT count(*) FROM who WHERE shown = 1), count(*) FILTER (gap AND shown > 1), "
        "count(*) FILTER (firsts = 1 AND steps = 2 AND shown > 2), "
        "count(*) FILTER (tied > 1 AND NOT (firsts = 1 AND steps = 2 AND shown > 2)), "
        "coalesce(min(shown) FILTER (shown > 1), 0), coalesce(max(shown), 0) FROM each"
    )[0]
    names = ("rankings", "alone", "raters_alone", "gaps", "picks", "tied", "fewest", "most")
    return Given(**dict(zip(names, map(int, row), strict=True)))


def orders(responses: Responses) -> Orders:
    """Distinct orders with how often each was given, per item, rater and item × rater too."""
    systems = responses.systems
    query = responses.connection.execute
    numbers = "SELECT system, row_number() OVER (ORDER BY system) - 1 AS s FROM (SELECT DISTINCT "
    size = len(systems)
    query(
        "CREATE OR REPLACE TEMP TABLE given AS SELECT item, rater, "
        f"list(place * {size} + s ORDER BY place, s) AS pattern FROM (SELECT item, "
        f"rater, coalesce(trial, item) AS t, s, dense_rank() OVER (PARTITION BY {RANKING} "
        f"ORDER BY rank) AS place FROM {responses.source} JOIN ({numbers} system "
        f"FROM {responses.source})) USING (system)) GROUP BY item, rater, t HAVING count(*) > 1"
    )
    query(
        "CREATE OR REPLACE TEMP TABLE order_numbers AS SELECT pattern, n, "
        "row_number() OVER (ORDER BY pattern) - 1 AS p "
        "FROM (SELECT pattern, count(*) AS n FROM given GROUP BY pattern)"
    )
    counts = query("SELECT CAST(n AS DOUBLE) AS n FROM order_numbers ORDER BY p").fetchnumpy()["n"]
    long = query(
        "SELECT p, unnest(pattern) AS code, generate_subscripts(pattern, 1) - 1 AS k "
        "FROM order_numbers"
    ).fetchnumpy()
    at = (np.asarray(long["p"], dtype=np.int64), np.asarray(long["k"], dtype=np.int64))
    code = np.asarray(long["code"], dtype=np.int64)
    shape = (len(counts), int(at[1].max(initial=-1)) + 1)
    shown, place = np.full(shape, -1, dtype=np.int64), np.full(shape, -1, dtype=np.int64)
    place[at], shown[at] = np.divmod(code, max(size, 1))
    return Orders(
        systems=systems,
        shown=shown,
        place=place,
        counts=np.asarray(counts, dtype=np.float64),
        by={
            kind: _clusters(responses, keys)
            for kind, keys in (("item", "item"), ("rater", "rater"), ("cell", "item, rater"))
        },
    )


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
        "SELECT system AS k, item, rater, rid, CASE WHEN standing = 1 THEN 1.0 / tied ELSE 0.0 END "
        f"AS u, 1.0 AS w FROM {PLACED} WHERE shown > 1"
    )


def mean_rank_rows() -> str:
    """The rows of a system's mean rank among those shown; tied systems share the mean place."""
    return (
        "SELECT system AS k, item, rater, rid, standing + (tied - 1) / 2.0 AS u, 1.0 AS w "
        f"FROM {PLACED} WHERE shown > 1"
    )


def above_rows() -> str:
    """The rows of how often, of two systems in one ranking, the first by name is ranked above.

    Ties count half. All pairs of one ranking are one response, as they were given at once.
    """
    pair = PAIR.format(one="a.system", two="b.system")
    numbered = (
        f"(SELECT *, coalesce(trial, item) AS t, min(rid) OVER (PARTITION BY {RANKING}) AS one "
        "FROM {r})"
    )
    return (
        f"SELECT {pair} AS k, a.item, a.rater, a.one AS rid, CASE WHEN a.rank < b.rank THEN 1.0 "
        "WHEN a.rank = b.rank THEN 0.5 ELSE 0.0 END AS u, 1.0 AS w "
        f"FROM {numbered} a JOIN {numbered} b ON a.one = b.one AND a.system < b.system"
    )


def decided_rows() -> str:
    """The same of those two systems alone of which one is above."""
    return f"SELECT * FROM ({above_rows()}) WHERE u <> 0.5"


def tied_share(responses: Responses) -> float:
    """How often two systems in one ranking share a place."""
    tied = f"SELECT avg(CASE WHEN u = 0.5 THEN 1.0 ELSE 0.0 END) FROM ({above_rows()})"
    return float(responses.value(tied) or 0.0)
