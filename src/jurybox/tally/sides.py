"""Votes whose winner is named by its system: which side it stood on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from jurybox.tally.cells import CLOSED
from jurybox.tally.source import quote, text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["turn_to_sides"]

LOOKED_AT = 1000
"""Rows that show how a table names its winners."""


def turn_to_sides(
    connection: DuckDBPyConnection,
    found: Mapping[str, str],
    names: Mapping[str, Collection[str]],
) -> list[str]:
    """Where winners are named by their system, put the side in the place of the name in ``raw``.

    A name says more than a side does, so nothing is guessed: it is compared with the two systems
    of its own row, and a name that is neither of them stays, to be refused. ``names``: those of
    each dictionary, where all are known, and winners are sides.
    """
    if names and not {"a", "b"} & {name.lower() for name in names["systems"]}:
        return []
    winner, a, b = (
        f"trim(CAST({quote(found[name])} AS VARCHAR))"
        for name in ("winner", "system_a", "system_b")
    )
    words = ", ".join(text(word) for word in CLOSED["winner"])
    by_name = f"lower({winner}) NOT IN ({words}) AND {winner} IN ({a}, {b})"
    other_side = f"lower({winner}) IN ('a', 'b') AND (lower({a}) = 'b' OR lower({b}) = 'a')"
    ((named, doubtful),) = connection.execute(
        f"SELECT count(*) FILTER ({by_name}), count(*) FILTER ({other_side}) "
        f"FROM (SELECT * FROM raw LIMIT {LOOKED_AT})"
    ).fetchall()
    if not named:
        both = "winner a is taken for the side of system_a, not for a system that is called so"
        return [both] if doubtful else []
    side = (
        f"CASE WHEN lower({winner}) IN ({words}) THEN {winner} "
        f"WHEN {winner} = {a} THEN 'a' WHEN {winner} = {b} THEN 'b' ELSE {winner} END"
    )
    # A view cannot read itself: the table as it was keeps its rows under another name.
    connection.execute("CREATE TEMP TABLE named_winners AS SELECT * FROM raw")
    connection.execute(f"DROP {'VIEW' if _is_view(connection) else 'TABLE'} raw")
    connection.execute(
        f"CREATE TEMP VIEW raw AS SELECT * REPLACE ({side} AS {quote(found['winner'])}) "
        "FROM named_winners"
    )
    return ["a winner that is named by its system is taken for its side"]


def _is_view(connection: DuckDBPyConnection) -> bool:
    ((kind,),) = connection.execute(
        "SELECT table_type FROM information_schema.tables WHERE table_name = 'raw'"
    ).fetchall()
    return "VIEW" in str(kind).upper()
