"""A table of text becomes columns of types: names as numbers of a dictionary, scores as doubles.

Items, raters, systems and answers repeat. Each distinct name is cleaned once, and the rows take the
clean name from there by a join, which costs a large table much less than cleaning or casting every
cell. A clean name is a value of an ``ENUM`` whose order is the order of the names, so that
everything after this groups, joins and sorts integers and still reads and writes names. Making a
type of very many names takes long: where nobody will ask for them, they are only numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jurybox.tally.leveled import level_scores
from jurybox.tally.shapes import Shape
from jurybox.tally.source import quote, text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Encoded", "Names", "encode"]

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
NUMBERS = ("rank", "position", "place", "ms", "strength", "confidence", "start", "end")
WORDED = ("rank", "strength", "confidence", "start", "end")
"""Numbers whose word is kept too, for what is no number."""
UNREAD: tuple[str, ...] = ()
"""Known columns that no statistic looks at."""
WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
MANY_NAMES = 50_000
"""Names from which on a type costs more than it saves."""
LARGEST_WHOLE = 1_000_000
"""Up to here the squares of very many whole numbers add up without rounding."""
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
class Encoded:
    """What is known of the columns without a look at single rows."""

    names: Mapping[str, Names] = field(default_factory=dict)
    numbers: Mapping[str, str] = field(default_factory=dict)
    """The number of a name, in SQL, by column; they count in the order of the names."""
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The least and the largest number of a score or rank, where no row is without."""
    aside: Mapping[str, str] = field(default_factory=dict)
    """Columns that are looked at only if they must be, in SQL over ``raw``."""
    is_whole: bool = False
    """Whether every score is a whole number, and small: sums of them are exact in any order."""


def encode(
    connection: DuckDBPyConnection,
    found: Mapping[str, str],
    wanted: Sequence[str],
    shape: Shape,
    *,
    store: bool,
    lean: bool = False,
    aside: Sequence[str] = (),
    differences: Mapping[str, Sequence[str]] | None = None,
    carried: Sequence[str] = (),
    ready: Mapping[str, tuple[str, ...]] | None = None,
) -> Encoded:
    """Make ``typed`` of ``raw``, and over it the view ``everything`` with every column.

    ``found`` gives the name of each known column in ``raw``. ``store``: as a table; otherwise as a
    view, of which a reduction reads the columns that it needs. A column that the table lacks is a
    constant: an unknown id, the only criterion, the only system. ``lean``: of very many names only
    the numbers are kept. ``aside``: columns of text that are left where they are. ``differences``:
    numbers to be read beside them, each from one column or as the difference of two. ``carried``:
    columns to be taken along as they are. ``ready``: the names of dictionaries whose type is made,
    and whose columns in ``raw`` are of it.
    """
    types = {str(row[0]): str(row[1]) for row in connection.execute("DESCRIBE raw").fetchall()}
    read = [column for column in wanted if column not in UNREAD]
    named = {column: found[column] for column in read if column in NAMES}
    dictionaries = _make_dictionaries(connection, named, types, shape, ready or {}, lean=lean)
    ranges: dict[str, tuple[float, float]] = {}
    is_whole = has_noise = False
    for column in ("score", "rank"):
        if column not in read:
            continue
        raw, kind = quote(found[column]), types[found[column]]
        limits, whole = _range(connection, raw, kind)
        if limits is not None:
            ranges[column] = limits
            small = max(map(abs, limits)) <= LARGEST_WHOLE
            is_whole = is_whole or (lean and column == "score" and whole and small)
        if column == "score" and not whole:
            has_noise = level_scores(connection, _number(raw, kind), _of(found, read))
    # A stored row knows its number; counting them here would keep a large table to one thread.
    parts: list[str] = [] if store else ["raw.rid"]
    joins: list[str] = []
    added: list[str] = ["rowid + 1 AS rid"] if store else []
    for column in read:
        raw, kind = f"raw.{quote(found[column])}", types[found[column]]
        if column in NAMES:
            made = dictionaries[NAMES[column]]
            if made.only is not None:
                added.append(f"CAST({text(made.only)} AS {made.name}) AS {column}")
                continue
            parts.append(made.cell(column, raw))
            if made.is_cast:
                continue
            if not store and made.is_numbered:
                parts.append(f"{column}_of.number AS {column}_number")
            joins.append(made.join(column, raw))
        elif column == "score":
            number = _number(raw, kind)
            if has_noise:
                of = _of(found, read, "raw.")
                joins.append(f"LEFT JOIN leveled ON leveled.x = {number} AND leveled.of = {of}")
                number = f"coalesce(leveled.y, {number})"
            stored, shown = _score(raw, kind, number, has_noise=has_noise)
            parts.append(stored)
            added += shown
        elif column in NUMBERS:
            parts.append(f"{_number(raw, kind)} AS {quote(column)}")
            if column in WORDED:
                parts.append(f"{_clean(raw)} AS {column}_word")
        else:
            parts.append(f"{_clean(raw, lower=column in LOWERED)} AS {quote(column)}")
    for name, columns in (differences or {}).items():
        numbers = [_number(f"raw.{quote(column)}", types[column]) for column in columns]
        parts.append(f"{' - '.join(numbers)} AS {quote(f'x_{name}')}")
    parts += [f"raw.{quote(column)}" for column in carried]
    if not parts:
        parts.append("true AS is_there")
    rows = "raw" if store else "(SELECT row_number() OVER () AS rid, * FROM raw) raw"
    # A dictionary as long as the table would change places with it in the join, and the rows their
    # order with it; so do rows that several threads join.
    connection.execute("SET disabled_optimizers = 'build_side_probe_side'")
    ((threads,),) = connection.execute("SELECT current_setting('threads')").fetchall()
    if store:
        connection.execute("SET threads = 1")
    connection.execute(
        f"CREATE TEMP {'TABLE' if store else 'VIEW'} typed AS SELECT {', '.join(parts)} "
        f"FROM {rows} {' '.join(joins)}"
    )
    if store:
        connection.execute(f"SET threads = {threads}")
        connection.execute("RESET disabled_optimizers")
    added += _missing(connection, shape, wanted)
    more = "".join(f", {part}" for part in added)
    connection.execute(f"CREATE TEMP VIEW everything AS SELECT *{more} FROM typed")
    return Encoded(
        names={column: dictionaries[NAMES[column]].names for column in named},
        numbers={
            column: dictionaries[NAMES[column]].number(column, store=store) for column in named
        },
        ranges=ranges,
        aside={column: _clean(quote(found[column])) for column in aside},
        is_whole=is_whole,
    )


def _clean(raw: str, *, lower: bool = False) -> str:
    words = f"nullif(trim(CAST({raw} AS VARCHAR)), '')"
    return f"lower({words})" if lower else words


def _number(raw: str, kind: str) -> str:
    if kind == "DOUBLE" or kind in WHOLE:
        return f"CAST({raw} AS DOUBLE)"
    return f"TRY_CAST({_clean(raw)} AS DOUBLE)"


def _range(
    connection: DuckDBPyConnection, raw: str, kind: str
) -> tuple[tuple[float, float] | None, bool]:
    """The least and the largest number of a column, and whether all are whole.

    There are none where some cell is no number.
    """
    number = _number(raw, kind)
    whole = "true" if kind in WHOLE else f"bool_and({number} = trunc({number}))"
    # What a file tells of a column unread cannot be believed: its writer may have left out NaN.
    # That all are whole is not told, so that asking for it reads the cells.
    n, known, low, high, is_whole = connection.execute(
        f"SELECT count(*), count({number}), min({number}), max({number}), {whole} FROM raw"
    ).fetchall()[0]
    # What is no number is sorted above all numbers.
    limits = (low, high) if n == known and -math.inf < low and high < math.inf else None
    return limits, bool(is_whole)


def _of(found: Mapping[str, str], read: Sequence[str], table: str = "") -> str:
    """The criterion that a score is of, as it is written, in SQL."""
    if "criterion" not in read:
        return "''"
    return f"coalesce(CAST({table}{quote(found['criterion'])} AS VARCHAR), '')"


def _score(raw: str, kind: str, number: str, *, has_noise: bool) -> tuple[str, list[str]]:
    """What is stored of a score, and what the view adds: the word that was written."""
    if kind == "DOUBLE":
        return f"{number} AS score", ["CAST(score AS VARCHAR) AS word"]
    if kind in WHOLE:
        return f"{number} AS score", ["CAST(CAST(score AS BIGINT) AS VARCHAR) AS word"]
    word = f"coalesce(leveled.word, {_clean(raw)})" if has_noise else _clean(raw)
    return f"{number} AS score, {word} AS word", []


@dataclass(frozen=True, slots=True)
class _Dictionary:
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
        if not self.is_typed:
            return column
        # A number that is looked up with the name is cheaper than one that is made of it.
        return f"enum_code({column})" if store or not self.is_numbered else f"{column}_number"


def _make_dictionaries(
    connection: DuckDBPyConnection,
    columns: Mapping[str, str],
    types: Mapping[str, str],
    shape: Shape,
    ready: Mapping[str, tuple[str, ...]],
    *,
    lean: bool,
) -> dict[str, _Dictionary]:
    """Make a table of distinct cells, and an ENUM of their names, per dictionary."""
    made = {}
    for name in dict.fromkeys(NAMES[column] for column in columns):
        if name in ready:
            words = ready[name] if len(ready[name]) <= FEW_NAMES else None
            names = Names(len(ready[name]), False, words, is_clean=True)
            made[name] = _Dictionary(name, None, True, names, None, lean)
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
        clean = _clean("raw", lower=shared[0] in LOWERED)
        connection.execute(f"CREATE TEMP TABLE found_{name} AS {cells}")
        connection.execute(
            f"CREATE TEMP VIEW cells_of_{name} AS SELECT raw, {clean} AS clean FROM found_{name}"
        )
        default = shape.criterion if name == "criteria" else None
        names = _look_at(connection, name, default)
        made[name] = _Dictionary(name, kind, kinds == {"VARCHAR"}, names, default, lean)
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


def _number_names(connection: DuckDBPyConnection, made: _Dictionary) -> None:
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


def _missing(connection: DuckDBPyConnection, shape: Shape, wanted: Sequence[str]) -> list[str]:
    """The columns that the table lacks, as constants."""
    constants = {
        "criterion": text(shape.criterion),
        "item": "CAST(NULL AS VARCHAR)",
        "rater": "CAST(NULL AS VARCHAR)",
        "trial": "CAST(NULL AS VARCHAR)",
        "category": "CAST(NULL AS VARCHAR)",
    }
    if shape.name == "detections" and "system" not in wanted:
        # All that is known of an output is whether it is real.
        connection.execute("CREATE TEMP TYPE systems AS ENUM ('generated', 'real')")
        constants["system"] = "TRY_CAST(CAST(truth AS VARCHAR) AS systems)"
    elif shape.name != "votes" and "system" not in wanted:
        connection.execute("CREATE TEMP TYPE systems AS ENUM ('all outputs')")
        constants["system"] = "CAST('all outputs' AS systems)"
    return [f"{value} AS {column}" for column, value in constants.items() if column not in wanted]
