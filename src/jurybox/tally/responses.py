"""Responses in one shape, cleaned: which rows count, and what was taken for what."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jurybox.errors import InputError
from jurybox.tally.encode import make_typed
from jurybox.tally.keep import Keeping, Skipped
from jurybox.tally.shapes import SHAPES, Shape, ShapeName, known_columns, recognize, require
from jurybox.tally.source import Source, connect, load, text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Responses", "Skipped", "read"]

MANY = 1_000_000
"""Rows from which on speed is worth the last digit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Responses:
    """The rows that count, in an in-process database; reductions read from ``source``."""

    connection: DuckDBPyConnection
    shape: Shape
    columns: frozenset[str]
    """Which of the shape's columns the table has."""
    took: tuple[str, ...]
    source: str = "answered"
    """A table, or a selection from it, in SQL."""
    skipped: tuple[Skipped, ...] = ()
    n_dropped: int = 0
    once: bool = False
    """Whether it is known that no rater answered a criterion twice on an output."""

    @property
    def has_item(self) -> bool:
        """Whether responses name their item."""
        return "item" in self.columns

    @property
    def has_rater(self) -> bool:
        """Whether responses name their rater."""
        return "rater" in self.columns

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a statement; ``{r}`` in it stands for the responses."""
        return self.connection.execute(sql.replace("{r}", self.source)).fetchall()

    def value(self, sql: str) -> Any:
        """The only value of a statement."""
        return self.query(sql)[0][0]

    def where(self, condition: str) -> Responses:
        """The responses for which a condition in SQL holds."""
        return replace(self, source=f"(SELECT * FROM {self.source} WHERE {condition})")

    def of_criterion(self, criterion: str) -> Responses:
        """The responses to one criterion."""
        return self.where(f"criterion = {text(criterion)}")

    def of_system(self, system: str) -> Responses:
        """The responses to one system's outputs."""
        return self.where(f"system = {text(system)}")

    def without_criteria(self, criteria: Collection[str]) -> Responses:
        """The responses to all other criteria."""
        if not criteria:
            return self
        return self.where(f"criterion NOT IN ({', '.join(text(each) for each in criteria)})")

    def without(self, raters: Collection[str]) -> Responses:
        """The responses of all other raters."""
        if not raters:
            return self
        return self.where(f"rater NOT IN ({', '.join(text(rater) for rater in sorted(raters))})")

    @property
    def criteria(self) -> tuple[str, ...]:
        """The criteria in the order in which they first occur."""
        rows = self.query("SELECT criterion FROM {r} GROUP BY criterion ORDER BY min(rid)")
        return tuple(row[0] for row in rows)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, by name."""
        if self.shape.name == "votes":
            sql = "SELECT system_a AS s FROM {r} UNION SELECT system_b FROM {r} ORDER BY s"
        else:
            sql = "SELECT DISTINCT system FROM {r} ORDER BY 1"
        return tuple(row[0] for row in self.query(sql))

    def count(self) -> tuple[int, int, int]:
        """How many responses, raters and items there are."""
        n, raters, items = self.query(
            "SELECT count(*), count(DISTINCT rater), count(DISTINCT item) FROM {r}"
        )[0]
        return int(n), int(raters), int(items)

    def close(self) -> None:
        """Free the database."""
        self.connection.close()


def read(
    source: Source,
    *,
    shape: ShapeName | None = None,
    keep_excluded: bool = False,
    judges: bool = False,
) -> Responses:
    """Read a table of responses, check it, and keep the rows that count.

    Only answered rows of the main round count; judges' rows are kept apart from people's
    (``judges=True`` takes them instead). Rows with an ``excluded_by`` mark are left out unless
    ``keep_excluded``; withdrawn ones always.
    """
    connection = connect()
    try:
        where = load(connection, source, known_columns())
        named = [str(row[0]) for row in connection.execute("DESCRIBE raw").fetchall()]
        found = {name.strip().lower(): name for name in named}
        if connection.execute("SELECT count(*) FROM raw").fetchall()[0][0] > MANY:
            connection.execute("RESET threads")
        if shape is None:
            made = recognize(list(found), where)
        else:
            made = SHAPES[shape]
            require(made, list(found), where)
        return _clean(connection, found, made, where, keep_excluded=keep_excluded, judges=judges)
    except BaseException:
        connection.close()
        raise


def _clean(
    connection: DuckDBPyConnection,
    found: dict[str, str],
    shape: Shape,
    where: str,
    *,
    keep_excluded: bool,
    judges: bool,
) -> Responses:
    wanted = [column for column in known_columns() if column in found]
    make_typed(connection, found, wanted, shape)
    (n_rows,) = connection.execute("SELECT count(*) FROM typed").fetchall()[0]
    if n_rows == 0:
        raise InputError(f"{where} has no rows")
    used = [c for c in wanted if c in (*shape.needed, *shape.optional, "item", "rater")]
    took = [f"{where}: {n_rows:,} rows taken as {shape.name} ({', '.join(used)})"]
    took += _say_missing(shape, wanted)
    kept = Keeping(connection, shape, where, frozenset(wanted))
    took += kept.select_round()
    took += kept.select_kind(judges=judges)
    skipped = kept.select_answered()
    took += kept.select_excluded(keep=keep_excluded)
    dropped, said = kept.drop_missing()
    took += said
    kept.check_values()
    kept.check_ids()
    return Responses(
        connection=connection,
        shape=shape,
        columns=frozenset(wanted),
        took=tuple(took),
        skipped=skipped,
        n_dropped=dropped,
        once=kept.check_duplicates(),
    )


def _say_missing(shape: Shape, wanted: list[str]) -> list[str]:
    """What it means that the table lacks a column."""
    said = []
    if "rater" not in wanted:
        said.append("no column 'rater': raters are unknown, so intervals speak for these raters")
    if "item" not in wanted:
        said.append("no column 'item': items are unknown, so intervals speak for these items")
    if "system" not in wanted and shape.name == "ratings":
        said.append("no column 'system': all outputs count as one system")
    return said
