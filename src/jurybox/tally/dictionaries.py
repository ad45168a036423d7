"""Names as numbers: a dictionary of the distinct cells of columns, with the clean name of each.

A clean name is a value of an ``ENUM`` whose order is the order of the names, so that everything
after this groups, joins and sorts integers and still reads and writes names. Making a type of very
many names takes long: where nobody will ask for them, they are only numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jurybox.tally.shapes import Shape
from jurybox.tally.source import quote, text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["LOWERED", "NAMES", "WHOLE", "Dictionary", "Names", "clean_cell", "make_dictionaries"]

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
OPEN = ("items", "raters")
"""The dictionaries that can outgrow a type."""
LOWERED = ("winner", "first", "truth", "answer", "status", "rater_kind")
"""Columns of words, in which capitals mean nothing."""
WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
"""The types of whole numbers."""
MANY_NAMES = 50_000
"""Names from which on a type costs more than it saves."""
FEW_NAMES = 100
"""Names up to which they are listed for the checks."""
CAST_NAMES = 1000
"""Names up to which a cell that is its own name is cast to it rather than joined with it."""


@dataclass(frozen=True, slots=True)
class Names:
    """What a dictionary holds."""

    n: int
    """How many names there are, the one that stands for a missing one included."""
    has_missing: bool
    words: tuple[str, ...] | None
    """The names in order, where they are few."""
    is_clean: bool = False
    """Whether every cell is its own name."""


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A table of distinct cells ``raw`` with their clean ``name``, and what is known of it."""

    name: str
    kind: str | None
    """The type of the cells that are looked up; ``None`` as they are."""
    is_text: bool
    """Whether the cells are text as they are."""
    names: Names
    default: str | None
    lean: bool

    @property
    def is_typed(self) -> bool:
        """Whether its names are a type, and not numbers alone."""
        return not self.lean or self.name not in OPEN or self.names.n <= MANY_NAMES

    @property
    def only(self) -> str | None:
        """The name that every row has, if there is one."""
        words = self.names.words
        same = self.is_typed and not self.names.has_missing
        return words[0] if same and words is not None and len(words) == 1 else None

    @property
    def is_cast(self) -> bool:
        """Whether cells become names by themselves, which the database does once for each name."""
        return self.is_text and self.is_typed and self.names.is_clean and self.names.n <= CAST_NAMES

    def cell(self, column: str, raw: str) -> str:
        """The column of a table that looks its names up."""
        # A cast that may fail cannot be done once for each name, so this one gives NULL instead.
        own = f"TRY_CAST({raw} AS {self.name})" if self.is_cast else f"{column}_of.name"
        if self.default is not None:
            own = f"coalesce({own}, CAST({text(self.default)} AS {self.name}))"
        return f"{own if self.is_typed else f'{column}_of.number'} AS {column}"

    def join(self, column: str, raw: str) -> str:
        """The lookup of a column."""
        cell = raw if self.kind is None else f"CAST({raw} AS {self.kind})"
        return f"LEFT JOIN names_of_{self.name} {column}_of ON {cell} = {column}_of.raw"

    @property
    def is_numbered(self) -> bool:
        """Whether the table in which rows look their names up has their numbers too."""
        return self.is_typed and not self.is_cast and self.only is None and self.default is None

    def number(self, column: str, *, store: bool) -> str:
        """The number of a name in a column, in SQL."""
        if not self.is_typed:
            return column
        # A number that is looked up with the name is cheaper than one that is made of it.
        return f"enum_code({column})" if store or not self.is_numbered else f"{column}_number"


def make_dictionaries(
    connection: DuckDBPyConnection,
    columns: Mapping[str, str],
    types: Mapping[str, str],
    shape: Shape,
    ready: Mapping[str, tuple[str, ...]],
    *,
    lean: bool,
) -> dict[str, Dictionary]:
    """Make a table of distinct cells, and an ENUM of their names, per dictionary."""
    made = {}
    for name in dict.fromkeys(NAMES[column] for column in columns):
        if name in ready:
            words = ready[name] if len(ready[name]) <= FEW_NAMES else None
            names = Names(len(ready[name]), False, words, is_clean=True)
            made[name] = Dictionary(name, None, True, names, None, lean)
            continue
        shared = [column for column in columns if NAMES[column] == name]
        kinds = {types[columns[column]] for column in shared}
        # Numbers are looked up faster as what they are.
        is_plain = len(kinds) == 1 and (kinds <= set(WHOLE) or kinds == {"VARCHAR"})
        kind = None if is_plain else "VARCHAR"
        cells = " UNION ".join(
            f"SELECT DISTINCT {cell} AS raw FROM raw"
            for cell in (
                quote(columns[column]) if is_plain else f"CAST({quote(columns[column])} AS VARCHAR)"
                for column in shared
            )
        )
        clean = clean_cell("raw", lower=shared[0] in LOWERED)
        connection.execute(f"CREATE TEMP TABLE found_{name} AS {cells}")
        connection.execute(
            f"CREATE TEMP VIEW cells_of_{name} AS SELECT raw, {clean} AS clean FROM found_{name}"
        )
        default = shape.criterion if name == "criteria" else None
        names = _look_at(connection, name, default)
        made[name] = Dictionary(name, kind, kinds == {"VARCHAR"}, names, default, lean)
        _number_names(connection, made[name])
    return made


def _look_at(connection: DuckDBPyConnection, name: str, default: str | None) -> Names:
    """What a dictionary holds."""
    n, missing, is_clean = connection.execute(
        "SELECT count(*), coalesce(bool_or(clean IS NULL), false), "
        "coalesce(bool_and(coalesce(clean = CAST(raw AS VARCHAR), false)), false) "
        f"FROM cells_of_{name}"
    ).fetchall()[0]
    if not is_clean:
        ((n,),) = connection.execute(
            f"SELECT count(DISTINCT clean) FROM cells_of_{name}"
        ).fetchall()
    words = None
    if n <= FEW_NAMES:
        found = {
            row[0]
            for row in connection.execute(
                f"SELECT clean FROM cells_of_{name} WHERE clean IS NOT NULL"
            ).fetchall()
        }
        words = tuple(sorted(found | ({default} if default is not None and missing else set())))
    return Names(int(n) + (default is not None), bool(missing), words, bool(is_clean))


def _number_names(connection: DuckDBPyConnection, made: Dictionary) -> None:
    """Make the table in which rows look their names up, and the type of the names."""
    name = made.name
    if made.is_typed:
        more = "" if made.default is None else f" UNION SELECT {text(made.default)}"
        connection.execute(
            f"CREATE TEMP TYPE {name} AS ENUM (SELECT clean FROM (SELECT clean FROM "
            f"cells_of_{name} WHERE clean IS NOT NULL{more}) GROUP BY clean ORDER BY clean)"
        )
        if made.is_cast:
            return
        own = f"CAST(clean AS {name}) AS name, enum_code(name) AS number"
    elif made.names.is_clean:
        # Sorting the names alone is the cheapest way to number them.
        connection.execute(
            f"CREATE TEMP TABLE sorted_{name} AS SELECT raw FROM found_{name} "
            "ORDER BY CAST(raw AS VARCHAR)"
        )
        connection.execute(
            f"CREATE TEMP VIEW names_of_{name} AS SELECT raw, CAST(raw AS VARCHAR) AS name, "
            f"CAST(rowid AS UINTEGER) AS number FROM sorted_{name}"
        )
        return
    else:
        # An empty name comes last and has no number.
        number = "CAST(dense_rank() OVER (ORDER BY clean NULLS LAST) - 1 AS UINTEGER)"
        own = f"clean AS name, CASE WHEN clean IS NOT NULL THEN {number} END AS number"
    connection.execute(
        f"CREATE TEMP TABLE names_of_{name} AS SELECT raw, {own} FROM cells_of_{name}"
    )


def clean_cell(raw: str, *, lower: bool = False) -> str:
    """A cell without spaces around it, and nothing where it is empty, in SQL."""
    words = f"nullif(trim(CAST({raw} AS VARCHAR)), '')"
    return f"lower({words})" if lower else words
