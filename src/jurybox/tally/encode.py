"""A table of text becomes columns of types: names as numbers of a dictionary, scores as doubles.

Items, raters, systems and answers repeat. Each distinct name is cleaned once, and the rows take the
clean name from there by a join, which costs a large table much less than cleaning or casting every
cell (see ``dictionaries``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jurybox.tally.dictionaries import (
    LOWERED,
    NAMES,
    WHOLE,
    Dictionary,
    Names,
    clean_cell,
    make_dictionaries,
)
from jurybox.tally.leveled import level_scores
from jurybox.tally.shapes import Shape
from jurybox.tally.source import quote, text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Encoded", "encode"]

NUMBERS = ("rank", "position", "place", "ms", "strength", "confidence", "start", "end")
WORDED = ("rank", "strength", "confidence", "start", "end")
"""Numbers whose word is kept too, for what is no number."""
LARGEST_WHOLE = 1_000_000
"""Up to here the squares of very many whole numbers add up without rounding."""


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
    named = {column: found[column] for column in wanted if column in NAMES}
    dictionaries = make_dictionaries(connection, named, types, shape, ready or {}, lean=lean)
    scores = _look_at_numbers(connection, found, types, wanted)
    columns = _Columns(found, types, dictionaries, store=store, leveled=scores.leveled)
    for column in wanted:
        columns.add(column)
    for name, sides in (differences or {}).items():
        columns.subtract(name, sides)
    columns.parts += [f"raw.{quote(column)}" for column in carried]
    columns.make(connection, [*columns.added, *_missing(connection, shape, wanted)])
    return Encoded(
        names={column: dictionaries[NAMES[column]].names for column in named},
        numbers={
            column: dictionaries[NAMES[column]].number(column, store=store) for column in named
        },
        ranges=scores.ranges,
        aside={column: clean_cell(quote(found[column])) for column in aside},
        is_whole=lean and scores.is_whole,
    )


@dataclass(slots=True)
class _Scores:
    """What is known of scores and ranks before they are read."""

    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    is_whole: bool = False
    """Whether every score is a whole number, and small."""
    leveled: str | None = None
    """Where rounding alone tells scores apart: the criterion that one is of, in SQL."""


def _look_at_numbers(
    connection: DuckDBPyConnection,
    found: Mapping[str, str],
    types: Mapping[str, str],
    wanted: Sequence[str],
) -> _Scores:
    made = _Scores()
    for column in ("score", "rank"):
        if column not in wanted:
            continue
        raw, kind = quote(found[column]), types[found[column]]
        limits, whole = _range(connection, raw, kind)
        if limits is not None:
            made.ranges[column] = limits
        if column == "score":
            small = limits is not None and max(map(abs, limits)) <= LARGEST_WHOLE
            made.is_whole = whole and small
            if not whole and level_scores(connection, _number(raw, kind), _of(found, wanted)):
                made.leveled = _of(found, wanted, "raw.")
    return made


class _Columns:
    """The columns of ``typed``, the lookups they need, and what ``everything`` adds to them."""

    def __init__(
        self,
        found: Mapping[str, str],
        types: Mapping[str, str],
        dictionaries: Mapping[str, Dictionary],
        *,
        store: bool,
        leveled: str | None,
    ) -> None:
        self._found = found
        self._types = types
        self._dictionaries = dictionaries
        self._store = store
        self._leveled = leveled
        # A stored row knows its number; counting them here would keep a large table to one thread.
        self.parts: list[str] = [] if store else ["raw.rid"]
        self.joins: list[str] = []
        self.added: list[str] = ["rowid + 1 AS rid"] if store else []

    def add(self, column: str) -> None:
        """Read a known column."""
        raw, kind = f"raw.{quote(self._found[column])}", self._types[self._found[column]]
        if column in NAMES:
            self._add_names(column, raw)
        elif column == "score":
            self._add_score(raw, kind)
        elif column in NUMBERS:
            self.parts.append(f"{_number(raw, kind)} AS {quote(column)}")
            if column in WORDED:
                self.parts.append(f"{clean_cell(raw)} AS {column}_word")
        else:
            self.parts.append(f"{clean_cell(raw, lower=column in LOWERED)} AS {quote(column)}")

    def _add_names(self, column: str, raw: str) -> None:
        made = self._dictionaries[NAMES[column]]
        if made.only is not None:
            self.added.append(f"CAST({text(made.only)} AS {made.name}) AS {column}")
            return
        self.parts.append(made.cell(column, raw))
        if made.is_cast:
            return
        if not self._store and made.is_numbered:
            self.parts.append(f"{column}_of.number AS {column}_number")
        self.joins.append(made.join(column, raw))

    def _add_score(self, raw: str, kind: str) -> None:
        number = _number(raw, kind)
        if self._leveled is not None:
            self.joins.append(
                f"LEFT JOIN leveled ON leveled.x = {number} AND leveled.of = {self._leveled}"
            )
            number = f"coalesce(leveled.y, {number})"
        stored, shown = _score(raw, kind, number, has_noise=self._leveled is not None)
        self.parts.append(stored)
        self.added += shown

    def subtract(self, name: str, columns: Sequence[str]) -> None:
        """Read the number ``x_<name>`` of one column, or as the difference of two."""
        numbers = [_number(f"raw.{quote(column)}", self._types[column]) for column in columns]
        self.parts.append(f"{' - '.join(numbers)} AS {quote(f'x_{name}')}")

    def make(self, connection: DuckDBPyConnection, added: Sequence[str]) -> None:
        """Make ``typed`` and, with the columns added to it, ``everything``."""
        parts = self.parts or ["true AS is_there"]
        rows = "raw" if self._store else "(SELECT row_number() OVER () AS rid, * FROM raw) raw"
        # A dictionary as long as the table would change places with it in the join, and the rows
        # their order with it; so do rows that several threads join.
        connection.execute("SET disabled_optimizers = 'build_side_probe_side'")
        ((threads,),) = connection.execute("SELECT current_setting('threads')").fetchall()
        if self._store:
            connection.execute("SET threads = 1")
        connection.execute(
            f"CREATE TEMP {'TABLE' if self._store else 'VIEW'} typed AS SELECT {', '.join(parts)} "
            f"FROM {rows} {' '.join(self.joins)}"
        )
        if self._store:
            connection.execute(f"SET threads = {threads}")
            connection.execute("RESET disabled_optimizers")
        more = "".join(f", {part}" for part in added)
        connection.execute(f"CREATE TEMP VIEW everything AS SELECT *{more} FROM typed")


def _number(raw: str, kind: str) -> str:
    if kind == "DOUBLE" or kind in WHOLE:
        return f"CAST({raw} AS DOUBLE)"
    return f"TRY_CAST({clean_cell(raw)} AS DOUBLE)"


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


def _of(found: Mapping[str, str], wanted: Sequence[str], table: str = "") -> str:
    """The criterion that a score is of, as it is written, in SQL."""
    if "criterion" not in wanted:
        return "''"
    return f"coalesce(CAST({table}{quote(found['criterion'])} AS VARCHAR), '')"


def _score(raw: str, kind: str, number: str, *, has_noise: bool) -> tuple[str, list[str]]:
    """What is stored of a score, and what the view adds: the word that was written."""
    if kind == "DOUBLE":
        return f"{number} AS score", ["CAST(score AS VARCHAR) AS word"]
    if kind in WHOLE:
        return f"{number} AS score", ["CAST(CAST(score AS BIGINT) AS VARCHAR) AS word"]
    word = f"coalesce(leveled.word, {clean_cell(raw)})" if has_noise else clean_cell(raw)
    return f"{number} AS score, {word} AS word", []


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
