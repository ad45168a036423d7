"""Votes reduced to counts per pair of systems, in all and per cluster."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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


CLUSTERS = ("item", "rater", "cell")
LARGEST = 2**62
OUTCOME = (
    "(CASE WHEN winner IN ('tie', 'both_bad') THEN 2 "
    "WHEN (winner = 'a') = (system_a < system_b) THEN 0 ELSE 1 END)"
)
"""How a vote ends for its two systems in the order of their names: 0 won, 1 lost, 2 tied."""

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


def pair_votes(responses: Responses, kinds: Collection[str] = CLUSTERS) -> PairCounts:
    """Counts per pair, and per cluster of the kinds asked for, where the table names them."""
    outcome = f"CAST(coalesce(sum(n) FILTER ({OUTCOME} = {{}}), 0) AS DOUBLE)"
    rows = responses.query(
        "WITH g AS (SELECT system_a, system_b, winner, count(*) AS n FROM {r} "
        "WHERE system_a <> system_b GROUP BY ALL) SELECT least(system_a, system_b) AS one, "
        f"greatest(system_a, system_b) AS two, {', '.join(outcome.format(o) for o in range(3))} "
        "FROM g GROUP BY one, two ORDER BY one, two"
    )
    systems = tuple(sorted({name for row in rows for name in row[:2]}))
    place = {name: i for i, name in enumerate(systems)}
    pairs = np.array([[place[row[0]], place[row[1]]] for row in rows], dtype=np.int64)
    known = [
        kind
        for kind in kinds
        if (responses.has_item or kind == "rater") and (responses.has_rater or kind == "item")
    ]
    return PairCounts(
        systems=systems,
        pairs=pairs.reshape(len(rows), 2),
        counts=np.array([row[2:] for row in rows], dtype=np.float64).reshape(len(rows), 3),
        by=_by_cluster(responses, known) if known else {},
    )


def _by_cluster(responses: Responses, kinds: Sequence[str]) -> dict[str, ClusterCounts]:
    """The votes of the clusters of each kind, which are numbered in the order of their names."""
    sizes = {
        name: int(responses.value(f"SELECT len(enum_range(CAST(NULL AS {name})))"))
        for name, known in (
            ("systems", True),
            ("items", responses.has_item),
            ("raters", responses.has_rater),
        )
        if known
    }
    n = sizes["systems"]
    one, two = (f"{f}(enum_code(system_a), enum_code(system_b))" for f in ("least", "greatest"))
    keys = {"item": "enum_code(item)", "rater": "enum_code(rater)"}
    if "cell" in kinds:
        keys["cell"] = f"CAST(enum_code(item) AS BIGINT) * {sizes['raters']} + enum_code(rater)"
        if sizes["items"] * sizes["raters"] * 3 * n * n > LARGEST:
            keys["cell"] = "dense_rank() OVER (ORDER BY item, rater) - 1"
    wanted = "".join(f", CAST({keys[kind]} AS BIGINT) AS {kind}" for kind in kinds)
    found = responses.connection.execute(
        f"SELECT (CAST({one} AS BIGINT) * {n} + {two}) * 3 + {OUTCOME} AS vote{wanted} "
        f"FROM {responses.source} WHERE system_a <> system_b"
    ).fetchnumpy()
    votes = np.asarray(found["vote"], dtype=np.int64)
    pairs = np.unique(votes // 3)
    return {
        kind: _clusters(np.asarray(found[kind], dtype=np.int64) * (3 * n * n) + votes, n, pairs)
        for kind in kinds
    }


def _clusters(votes: NDArray[np.int64], n: int, pairs: NDArray[np.int64]) -> ClusterCounts:
    """Count votes, each of them a number: (cluster · n² + pair) · 3 + outcome."""
    distinct, times = np.unique(votes, return_counts=True)
    row, outcome = np.divmod(distinct, 3)
    first = np.flatnonzero(np.diff(row, prepend=-1))
    counts = np.zeros((len(first), 3))
    counts[np.cumsum(np.diff(row, prepend=-1) != 0) - 1, outcome] = times
    cluster, pair = np.divmod(row[first], n * n)
    pair = np.searchsorted(pairs, pair)
    number = np.cumsum(np.diff(cluster, prepend=-1) != 0) - 1
    alone = (np.bincount(number)[number] == 1) & (counts.sum(axis=1) == 1)
    single = np.zeros((len(pairs), 3))
    np.add.at(single, pair[alone], counts[alone])
    several = number[~alone]
    return ClusterCounts(
        cluster=np.cumsum(np.diff(several, prepend=-1) != 0) - 1,
        pair=pair[~alone],
        counts=counts[~alone],
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
