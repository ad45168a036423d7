"""A large file of columns becomes its distinct rows, with how often each stands there.

Cells of text are grouped as they stand in the file, which costs little more than reading them. It
costs half of that again where the names are few and known beforehand: the database then finds the
place of a row in a table of all combinations, without hashing anything. So the names of the first
rows become types, and what they do not know is counted apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from jurybox.tally.source import quote, text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["count_rows"]

LOOKED_AT = 10_000
"""Rows whose names stand for those of the file."""
BITS = 20
"""A table of all combinations has at most 2 to this power places, for each thread."""


def count_rows(connection: DuckDBPyConnection, types: Mapping[str, str]) -> None:
    """Make the table ``counted`` of the distinct rows of ``raw``; ``types``: of its columns."""
    listed = ", ".join(map(quote, types))
    grouped = f"SELECT {listed}, count(*) AS times FROM raw{{where}} GROUP BY ALL"
    places = _name_cells(connection, types)
    if not places:
        connection.execute(f"CREATE TEMP TABLE counted AS {grouped.format(where='')}")
        return
    connection.execute(f"SET perfect_ht_threshold = {BITS}")
    keys = ", ".join(f"{cell} AS {quote(name)}" for name, cell in places.items())
    connection.execute(
        "CREATE TEMP TABLE counted AS SELECT "
        + ", ".join(f"CAST({quote(name)} AS VARCHAR) AS {quote(name)}" for name in places)
        + f", times FROM (SELECT {keys}, count(*) AS times FROM raw GROUP BY ALL)"
    )
    connection.execute("RESET perfect_ht_threshold")
    unknown = " OR ".join(f"{quote(name)} IS NULL" for name in places)
    ((some,),) = connection.execute(f"SELECT count(*) FROM counted WHERE {unknown}").fetchall()
    if some:
        rest = " OR ".join(f"{cell} IS NULL" for cell in places.values())
        connection.execute(f"DELETE FROM counted WHERE {unknown}")
        connection.execute(f"INSERT INTO counted {grouped.format(where=f' WHERE {rest}')}")


def _name_cells(connection: DuckDBPyConnection, types: Mapping[str, str]) -> dict[str, str]:
    """The place of each column's cell among the names of the first rows, in SQL.

    Empty where the names are too many for a table of all combinations, or no text.
    """
    if set(types.values()) != {"VARCHAR"}:
        return {}
    listed = ", ".join(map(quote, types))
    (names,) = connection.execute(
        "SELECT "
        + ", ".join(f"list(DISTINCT {quote(name)})" for name in types)
        + f" FROM (SELECT {listed} FROM raw LIMIT {LOOKED_AT})"
    ).fetchall()
    known = [[word for word in found or () if word is not None] for found in names]
    if not all(known) or sum(math.log2(len(found) + 2) + 1 for found in known) > BITS:
        return {}
    places = {}
    for number, (name, found) in enumerate(zip(types, known, strict=True)):
        words = ", ".join(map(text, sorted(found)))
        connection.execute(f"CREATE TEMP TYPE cells_{number} AS ENUM ({words})")
        places[name] = f"TRY_CAST({quote(name)} AS cells_{number})"
    return places
