"""A table of text becomes a table of types: names as numbers of a dictionary, scores as doubles.

Items, raters, systems and answers repeat. Each distinct name is cleaned once and becomes a value of
an ``ENUM`` whose order is the order of the names, so that everything after this groups, joins and
sorts integers and still reads and writes names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from jurybox.tally.shapes import Shape
from jurybox.tally.source import quote, text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["make_typed"]

NAMES = {
    "item": "items",
    "rater": "raters",
    "system": "systems",
    "system_a": "systems",
    "system_b": "systems",
    "criterion": "criteria",
    "winner": "winners",
    "first": "firsts",
    "truth": "truths",
    "answer": "answered_as",
}
"""The dictionary of every column that holds names; two columns may share one."""
LOWERED = ("winner", "first", "truth", "answer", "status", "rater_kind")
NUMBERS = ("rank", "position", "ms", "confidence", "start", "end")
UNREAD = ("reason", "strength", "confidence", "field", "start", "end")
"""Known columns that no statistic looks at, but for those of the shape in ``READ_IN``."""
READ_IN = {"detections": ("confidence",), "spans": ("field", "start", "end")}
WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")


def make_typed(
    connection: DuckDBPyConnection, found: Mapping[str, str], wanted: Sequence[str], shape: Shape
) -> None:
    """Make the table ``typed`` of ``raw``, and over it the view ``answered`` with every column.

    ``found`` gives the name of each known column in ``raw``. A column that the table lacks is a
    constant of the view: an unknown id, the only criterion, the only system.
    """
    types = {str(row[0]): str(row[1]) for row in connection.execute("DESCRIBE raw").fetchall()}
    unread = set(UNREAD) - set(READ_IN.get(shape.name, ()))
    read = [column for column in wanted if column not in unread]
    names = _make_dictionaries(connection, {c: found[c] for c in read if c in NAMES}, shape)
    parts, added = ["row_number() OVER () AS rid"], []
    for column in read:
        raw, kind = quote(found[column]), types[found[column]]
        if column in names:
            parts.append(f"{names[column]} AS {column}")
        elif column == "score":
            stored, shown = _score(raw, kind)
            parts.append(stored)
            added += shown
        elif column in NUMBERS:
            parts.append(f"{_number(raw, kind)} AS {quote(column)}, {_clean(raw)} AS {column}_word")
        else:
            parts.append(f"{_clean(raw, lower=column in LOWERED)} AS {quote(column)}")
    connection.execute(f"CREATE TEMP TABLE typed AS SELECT {', '.join(parts)} FROM raw")
    added += _missing(connection, shape, wanted)
    more = "".join(f", {part}" for part in added)
    connection.execute(f"CREATE TEMP VIEW answered AS SELECT *{more} FROM typed")


def _clean(raw: str, *, lower: bool = False) -> str:
    words = f"nullif(trim(CAST({raw} AS VARCHAR)), '')"
    return f"lower({words})" if lower else words


def _number(raw: str, kind: str) -> str:
    if kind == "DOUBLE" or kind in WHOLE:
        return f"CAST({raw} AS DOUBLE)"
    return f"TRY_CAST({_clean(raw)} AS DOUBLE)"


def _score(raw: str, kind: str) -> tuple[str, list[str]]:
    """What is stored of a score, and what the view adds: the word that was written."""
    if kind == "DOUBLE":
        return f"{raw} AS score", ["CAST(score AS VARCHAR) AS word"]
    if kind in WHOLE:
        return f"CAST({raw} AS DOUBLE) AS score", ["CAST(CAST(score AS BIGINT) AS VARCHAR) AS word"]
    return f"{_number(raw, kind)} AS score, {_clean(raw)} AS word", []


def _make_dictionaries(
    connection: DuckDBPyConnection, columns: Mapping[str, str], shape: Shape
) -> dict[str, str]:
    """Make an ENUM per dictionary; give the expression of each column in it."""
    expressions: dict[str, str] = {}
    for name in dict.fromkeys(NAMES[column] for column in columns):
        shared = [column for column in columns if NAMES[column] == name]
        cells = " UNION ALL ".join(
            f"SELECT DISTINCT CAST({quote(columns[column])} AS VARCHAR) AS raw FROM raw"
            for column in shared
        )
        lower = shared[0] in LOWERED
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE names AS SELECT raw, {_clean('raw', lower=lower)} AS "
            f"clean FROM ({cells})"
        )
        default = [text(shape.criterion)] if name == "criteria" else []
        more = "".join(f" UNION SELECT {each}" for each in default)
        connection.execute(
            f"CREATE TYPE {name} AS ENUM (SELECT clean FROM (SELECT clean FROM names WHERE clean "
            f"IS NOT NULL{more}) GROUP BY clean ORDER BY clean)"
        )
        ((is_clean,),) = connection.execute(
            "SELECT coalesce(bool_and(raw IS NOT DISTINCT FROM clean), true) FROM names"
        ).fetchall()
        for column in shared:
            raw = quote(columns[column])
            cell = f"CAST({raw} AS VARCHAR)" if is_clean else _clean(raw, lower=lower)
            expressions[column] = f"CAST({cell} AS {name})"
            for each in default:
                filled = f"coalesce({expressions[column]}, CAST({each} AS {name}))"
                expressions[column] = filled
    return expressions


def _missing(connection: DuckDBPyConnection, shape: Shape, wanted: Sequence[str]) -> list[str]:
    """The columns that the table lacks, as constants."""
    constants = {
        "criterion": text(shape.criterion),
        "item": "CAST(NULL AS VARCHAR)",
        "rater": "CAST(NULL AS VARCHAR)",
        "trial": "CAST(NULL AS VARCHAR)",
        "category": "CAST(NULL AS VARCHAR)",
    }
    if shape.name == "detections":
        constants["system"] = "truth"
    elif shape.name != "votes" and "system" not in wanted:
        connection.execute("CREATE TYPE systems AS ENUM ('all outputs')")
        constants["system"] = "CAST('all outputs' AS systems)"
    return [f"{value} AS {column}" for column, value in constants.items() if column not in wanted]
