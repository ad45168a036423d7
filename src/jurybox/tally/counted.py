"""A large file of columns becomes its distinct rows, with how often each stands there.

Cells of text are grouped as they stand in the file, which costs little more than reading them. It
costs half of that again where the names are few and known beforehand: the database then finds the
place of a row in a table of all combinations, without hashing anything. So the names of the first
rows become types, and what they do not know is counted apart.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from jurybox.tally.cells import CLOSED
from jurybox.tally.dictionaries import NAMES
from jurybox.tally.source import quote, text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["count_in_place", "count_rows"]

LOOKED_AT = 10_000
"""Rows whose names stand for those of the file."""
BITS = 20
"""A table of all combinations has at most 2 to this power places, for each thread."""


def count_in_place(
    connection: DuckDBPyConnection,
    columns: Mapping[str, str],
    types: Mapping[str, str],
    *,
    answer: str,
) -> dict[str, tuple[str, ...]] | None:
    """Put the distinct rows of ``raw`` in its place, if every row has its ``answer``.

    Gives what ``count_rows`` gives; ``None`` if ``raw`` stays as it is.
    """
    names = count_rows(connection, columns, types)
    given = f"nullif(trim(CAST({quote(columns[answer])} AS VARCHAR)), '')"
    missing = f"SELECT count(*) > count({given}) FROM counted"
    if not names and connection.execute(missing).fetchall()[0][0]:
        return None
    connection.execute("CREATE OR REPLACE TEMP VIEW raw AS SELECT * FROM counted")
    # So few rows are sooner done by one thread than handed to another.
    connection.execute("SET threads = 1")
    return names


def count_rows(
    connection: DuckDBPyConnection, columns: Mapping[str, str], types: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Make the table ``counted`` of the distinct rows of ``raw``.

    ``columns`` gives the name in ``raw`` of each known column, ``types`` the type of that. Where
    every cell is its own name, columns are of the types that ``encode`` would make, and the names
    of each are given. Elsewhere columns are as they were, and nothing is given.
    """
    listed = ", ".join(map(quote, columns.values()))
    grouped = f"SELECT {listed}, count(*) AS times FROM raw{{where}} GROUP BY ALL"
    names = _first_names(connection, columns, types)
    if not names:
        connection.execute(f"CREATE TEMP TABLE counted AS {grouped.format(where='')}")
        return {}
    for name, words in names.items():
        listed = ", ".join(map(text, words))
        connection.execute(f"CREATE TEMP TYPE {name} AS ENUM ({listed})")
    cells = {quote(raw): f"TRY_CAST({quote(raw)} AS {NAMES[c]})" for c, raw in columns.items()}
    keys = ", ".join(f"{cell} AS {raw}" for raw, cell in cells.items())
    connection.execute(f"SET perfect_ht_threshold = {BITS}")
    connection.execute(
        f"CREATE TEMP TABLE counted AS SELECT {keys}, count(*) AS times FROM raw GROUP BY ALL"
    )
    connection.execute("RESET perfect_ht_threshold")
    unknown = " OR ".join(f"{raw} IS NULL" for raw in cells)
    ((some,),) = connection.execute(f"SELECT count(*) FROM counted WHERE {unknown}").fetchall()
    if not some and all(_are_clean(column, names[NAMES[column]]) for column in columns):
        return names
    if some:
        connection.execute(f"DELETE FROM counted WHERE {unknown}")
    for raw in cells:
        connection.execute(f"ALTER TABLE counted ALTER {raw} TYPE VARCHAR")
    if some:
        rest = " OR ".join(f"{cell} IS NULL" for cell in cells.values())
        connection.execute(f"INSERT INTO counted {grouped.format(where=f' WHERE {rest}')}")
    for name in names:
        connection.execute(f"DROP TYPE {name}")
    return {}


def _first_names(
    connection: DuckDBPyConnection, columns: Mapping[str, str], types: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """The names of the first rows, in order, by dictionary.

    None where they are too many for a table of all combinations, or no text.
    """
    if {types[raw] for raw in columns.values()} != {"VARCHAR"}:
        return {}
    listed = ", ".join(map(quote, columns.values()))
    # The database would first look for the numbers of these rows, and then for their cells.
    connection.execute("SET disabled_optimizers = 'late_materialization'")
    rows = connection.execute(f"SELECT {listed} FROM raw LIMIT {LOOKED_AT}").fetchnumpy()
    connection.execute("RESET disabled_optimizers")
    found: dict[str, set[str]] = {}
    for column, raw in columns.items():
        found.setdefault(NAMES[column], set()).update(set(rows[raw].tolist()) - {None})
    bits = sum(math.log2(len(found[NAMES[column]]) + 2) + 1 for column in columns)
    if bits > BITS or not all(found.values()):
        return {}
    return {name: tuple(sorted(words)) for name, words in found.items()}


def _are_clean(column: str, words: Collection[str]) -> bool:
    """Whether it is certain that each word is a name as it stands."""
    if column in CLOSED:
        return set(words) <= set(CLOSED[column])
    return all(word and word == word.strip() for word in words)
