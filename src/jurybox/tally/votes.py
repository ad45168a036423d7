"""Votes reduced to counts per pair of systems, in all and per cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.ratios import PAIR
from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = [
    "ClusterCounts",
    "PairCounts",
    "first_shown",
    "outcome_rows",
    "pair_rows",
    "pair_votes",
    "self_comparisons",
    "win_rows",
]


@dataclass(frozen=True, slots=True, eq=False)
class ClusterCounts:
    """Votes of the clusters of one kind; those with a single vote are only counted."""

    cluster: NDArray[np.int64]
    pair: NDArray[np.int64]
    counts: NDArray[np.float64]
    single: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Pairs of systems with wins of either and ties (``both_bad`` is a tie)."""

    systems: tuple[str, ...]
    pairs: NDArray[np.int64]
    counts: NDArray[np.float64]
    by: Mapping[str, ClusterCounts]


ORIENTED = (
    "SELECT item, rater, rid, least(system_a, system_b) AS one,"
    " greatest(system_a, system_b) AS two,"
    " CASE WHEN (winner = 'a') = (system_a < system_b) AND winner IN ('a', 'b') THEN 1 ELSE 0 END"
    " AS wins_one,"
    " CASE WHEN (winner = 'b') = (system_a < system_b) AND winner IN ('a', 'b') THEN 1 ELSE 0 END"
    " AS wins_two,"
    " CASE WHEN winner IN ('tie', 'both_bad') THEN 1 ELSE 0 END AS ties"
    " FROM {r} WHERE system_a <> system_b"
)
"""Every vote with its two systems in the order of their names."""


def self_comparisons(responses: Responses) -> int:
    """How many votes compare a system with itself; they say nothing and are left out."""
    return int(responses.value("SELECT count(*) FROM {r} WHERE system_a = system_b"))


def pair_votes(responses: Responses, *, clustered: bool = True) -> PairCounts:
    """Counts per pair, and per item, rater and item × rater where the table names them."""
    connection = responses.connection
    oriented = ORIENTED.replace("{r}", responses.source)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE oriented AS {oriented}")
    rows = connection.execute(
        "SELECT one, two, sum(wins_one), sum(wins_two), sum(ties) FROM oriented "
        "GROUP BY one, two ORDER BY one, two"
    ).fetchall()
    systems = tuple(sorted({name for row in rows for name in row[:2]}))
    place = {name: i for i, name in enumerate(systems)}
    pairs = np.array([[place[row[0]], place[row[1]]] for row in rows], dtype=np.int64)
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE pair_numbers AS SELECT one, two, "
        "row_number() OVER (ORDER BY one, two) - 1 AS pair FROM (SELECT DISTINCT one, two "
        "FROM oriented)"
    )
    kinds = {}
    if responses.has_item and clustered:
        kinds["item"] = "item"
    if responses.has_rater and clustered:
        kinds["rater"] = "rater"
    if len(kinds) == 2:
        kinds["cell"] = "item, rater"
    return PairCounts(
        systems=systems,
        pairs=pairs.reshape(len(rows), 2),
        counts=np.array([row[2:] for row in rows], dtype=np.float64).reshape(len(rows), 3),
        by={kind: _clusters(responses, keys, len(rows)) for kind, keys in kinds.items()},
    )


def _clusters(responses: Responses, keys: str, n_pairs: int) -> ClusterCounts:
    connection = responses.connection
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE clustered AS "
        f"SELECT {keys}, pair, sum(wins_one) AS a, sum(wins_two) AS b, sum(ties) AS t, "
        f"sum(count(*)) OVER (PARTITION BY {keys}) AS votes "
        f"FROM oriented JOIN pair_numbers USING (one, two) GROUP BY {keys}, pair"
    )
    single = np.zeros((n_pairs, 3))
    for pair, *counts in connection.execute(
        "SELECT pair, sum(a), sum(b), sum(t) FROM clustered WHERE votes = 1 GROUP BY pair"
    ).fetchall():
        single[pair] = counts
    several = connection.execute(
        f"SELECT dense_rank() OVER (ORDER BY {keys}) - 1 AS cluster, pair, CAST(a AS DOUBLE) AS a, "
        "CAST(b AS DOUBLE) AS b, CAST(t AS DOUBLE) AS t FROM clustered WHERE votes > 1 "
        "ORDER BY cluster, pair"
    ).fetchnumpy()
    return ClusterCounts(
        cluster=np.asarray(several["cluster"], dtype=np.int64),
        pair=np.asarray(several["pair"], dtype=np.int64),
        counts=np.column_stack([several[name] for name in "abt"]).astype(np.float64),
        single=single,
    )


def _side(side: str, u: str) -> str:
    return (
        f"SELECT system_{side} AS k, item, rater, rid, {u} AS u, 1.0 AS w FROM {{r}} "
        "WHERE system_a <> system_b"
    )


def win_rows() -> str:
    """The rows of every system's win rate; ties and ``both_bad`` count half."""
    tie = "WHEN winner IN ('tie', 'both_bad') THEN 0.5"
    sides = (
        _side(side, f"CASE {tie} WHEN winner = '{side}' THEN 1.0 ELSE 0.0 END") for side in "ab"
    )
    return " UNION ALL ".join(sides)


def outcome_rows(outcome: str) -> str:
    """The rows of how often a system's votes end in an outcome (``tie``, ``both_bad``)."""
    u = f"CASE WHEN winner = {text(outcome)} THEN 1.0 ELSE 0.0 END"
    return " UNION ALL ".join(_side(side, u) for side in "ab")


def pair_rows() -> str:
    """The rows of every pair's win rate, for the system whose name comes first."""
    pair = PAIR.format(one="one", two="two")
    return (
        f"SELECT {pair} AS k, item, rater, rid, wins_one + ties / 2.0 AS u, "
        f"1.0 AS w FROM ({ORIENTED})"
    )


def first_shown() -> str:
    """The rows of how often the output shown first wins; ties count half."""
    return (
        "SELECT 'first' AS k, item, rater, rid, CASE WHEN winner IN ('tie', 'both_bad') THEN 0.5 "
        "WHEN winner = first THEN 1.0 ELSE 0.0 END AS u, 1.0 AS w "
        "FROM {r} WHERE first IS NOT NULL AND system_a <> system_b"
    )
