"""Responses in one shape, cleaned: which rows count, and what was taken for what."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jurybox.errors import InputError
from jurybox.tally.shapes import SHAPES, Shape, ShapeName, known_columns, recognize, require
from jurybox.tally.source import Source, connect, load, quote, text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Responses", "Skipped", "read"]

WINNERS = ("a", "b", "tie", "both_bad")
ORIGINS = ("real", "generated")
NUMBERS = {"score", "rank", "strength", "confidence", "position", "ms"}
MANY = 1_000_000
"""Rows from which on speed is worth the last digit."""
STATUSES = ("answered", "skipped", "unusable", "late", "superseded")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """How often outputs of a system were skipped or unusable."""

    system: str | None
    status: str
    n: int


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
    parts = [_typed(column, found[column]) for column in wanted]
    connection.execute(
        "CREATE TEMP TABLE typed AS SELECT row_number() OVER () AS rid, "
        f"{', '.join(parts)} FROM raw"
    )
    (n_rows,) = connection.execute("SELECT count(*) FROM typed").fetchall()[0]
    if n_rows == 0:
        raise InputError(f"{where} has no rows")
    used = [c for c in wanted if c in (*shape.needed, *shape.optional, "item", "rater")]
    took = [f"{where}: {n_rows:,} rows taken as {shape.name} ({', '.join(used)})"]
    took += _defaults(connection, shape, wanted)
    kept = _Keeping(connection, shape, where, frozenset(wanted))
    took += kept.select_round()
    took += kept.select_kind(judges=judges)
    skipped = kept.select_answered()
    took += kept.select_excluded(keep=keep_excluded)
    dropped, said = kept.drop_missing()
    took += said
    kept.check_values()
    kept.check_ids()
    kept.check_duplicates()
    connection.execute("ALTER TABLE typed RENAME TO answered")
    return Responses(
        connection=connection,
        shape=shape,
        columns=frozenset(wanted),
        took=tuple(took),
        skipped=skipped,
        n_dropped=dropped,
    )


def _typed(column: str, name: str) -> str:
    raw = quote(name)
    words = f"nullif(trim(CAST({raw} AS VARCHAR)), '')"
    if column == "score":
        return f"TRY_CAST({words} AS DOUBLE) AS score, {words} AS word"
    if column in NUMBERS:
        return f"TRY_CAST({words} AS DOUBLE) AS {column}, {words} AS {column}_word"
    if column in ("winner", "truth", "answer", "first", "status", "rater_kind"):
        return f"lower({words}) AS {column}"
    return f"{words} AS {quote(column)}"


def _defaults(connection: DuckDBPyConnection, shape: Shape, wanted: list[str]) -> list[str]:
    """Give the table the columns it may lack; say what that means."""
    said = []
    for column, default in (
        ("criterion", text(shape.criterion)),
        ("item", "NULL"),
        ("rater", "NULL"),
        ("trial", "NULL"),
        ("system", "'all outputs'" if shape.name != "detections" else "truth"),
        ("category", "NULL"),
    ):
        if column in wanted:
            if column == "criterion":
                fill = f"coalesce(criterion, {text(shape.criterion)})"
                connection.execute(f"UPDATE typed SET criterion = {fill}")
            continue
        if column == "system" and shape.name == "votes":
            continue
        connection.execute(f"ALTER TABLE typed ADD COLUMN {column} VARCHAR")
        if default != "NULL":
            connection.execute(f"UPDATE typed SET {column} = {default}")
    if "rater" not in wanted:
        said.append("no column 'rater': raters are unknown, so intervals speak for these raters")
    if "item" not in wanted:
        said.append("no column 'item': items are unknown, so intervals speak for these items")
    if "system" not in wanted and shape.name == "ratings":
        said.append("no column 'system': all outputs count as one system")
    return said


@dataclass(frozen=True, slots=True)
class _Keeping:
    """The steps from all rows to those that count; each says what it left out."""

    connection: DuckDBPyConnection
    shape: Shape
    where: str
    columns: frozenset[str]

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql).fetchall()

    def delete(self, condition: str) -> int:
        (n,) = self.rows(f"DELETE FROM typed WHERE {condition}")[0]
        return int(n)

    def select_round(self) -> list[str]:
        if "round" not in self.columns:
            return []
        names = [row[0] for row in self.rows("SELECT DISTINCT round FROM typed ORDER BY 1")]
        named = [name for name in names if name is not None]
        if len(named) < 2:
            return []
        if "main" not in named:
            raise InputError(
                f"{self.where}: rounds are analyzed apart, and there are {', '.join(named)} but no "
                "main; keep the rows of one round"
            )
        n = self.delete("round <> 'main'")
        return [
            f"{n:,} rows of other rounds ({', '.join(r for r in named if r != 'main')}) left out"
        ]

    def select_kind(self, *, judges: bool) -> list[str]:
        if "rater_kind" not in self.columns:
            return []
        counts = dict(self.rows("SELECT rater_kind, count(*) FROM typed GROUP BY 1"))
        n_judges = int(counts.get("judge", 0))
        if judges:
            self.delete("rater_kind IS DISTINCT FROM 'judge'")
            return ["only judges' responses are taken"]
        if n_judges == 0 or n_judges == sum(counts.values()):
            return ["all responses are judges'"] if n_judges else []
        n = self.delete("rater_kind = 'judge'")
        return [f"{n:,} rows of judges left out of people's figures"]

    def select_answered(self) -> tuple[Skipped, ...]:
        if "status" not in self.columns:
            return ()
        wrong = self.rows(
            f"SELECT DISTINCT status FROM typed WHERE status NOT IN {STATUSES} ORDER BY 1"
        )
        if wrong:
            raise InputError(
                f"{self.where}: status must be one of {', '.join(STATUSES)}; got "
                + ", ".join(repr(row[0]) for row in wrong)
            )
        system = "NULL" if self.shape.name == "votes" else "system"
        found = self.rows(
            f"SELECT {system}, status, count(*) FROM typed "
            "WHERE status IN ('skipped', 'unusable') GROUP BY 1, 2 ORDER BY 1, 2"
        )
        self.delete("status <> 'answered'")
        return tuple(Skipped(system=row[0], status=row[1], n=int(row[2])) for row in found)

    def select_excluded(self, *, keep: bool) -> list[str]:
        if "excluded_by" not in self.columns:
            return []
        condition = "excluded_by = 'withdrawn'" if keep else "excluded_by IS NOT NULL"
        n = self.delete(condition)
        return [f"{n:,} rows marked as excluded left out"] if n else []

    def drop_missing(self) -> tuple[int, list[str]]:
        """A row without its value is a missing response, not a number."""
        column = {"ratings": "word", "rankings": "rank_word", "spans": None}.get(
            self.shape.name, self.shape.needed[-1]
        )
        if column is None:
            return 0, []
        missing = f"{column} IS NULL"
        if self.shape.name in ("ratings", "rankings"):
            missing += f" OR lower({column}) IN ('nan', 'none', 'null', 'na')"
        n = self.delete(missing)
        name = column.replace("word", "score") if column == "word" else column.removesuffix("_word")
        if not self.rows("SELECT count(*) FROM typed")[0][0]:
            raise InputError(f"{self.where}: no row has a {name}")
        return n, [f"{n:,} rows without a {name} left out"] if n else []

    def check_values(self) -> None:
        name = self.shape.name
        if name == "votes":
            self._check_words("winner", WINNERS)
            if "first" in self.columns:
                self._check_words("first", ("a", "b"), optional=True)
        elif name == "detections":
            self._check_words("truth", ORIGINS)
            self._check_words("answer", ORIGINS)
        elif name == "rankings":
            self._check_numbers("rank", "rank_word")
        elif name == "ratings":
            self._check_scores()

    def _check_words(self, column: str, allowed: Sequence[str], *, optional: bool = False) -> None:
        found = self.rows(f"SELECT DISTINCT {column} FROM typed ORDER BY 1")
        wrong = [row[0] for row in found if row[0] not in allowed]
        wrong = [value for value in wrong if not (optional and value is None)]
        if wrong:
            raise InputError(
                f"{self.where}: {column} must be one of {', '.join(allowed)}; got "
                + ", ".join("an empty cell" if w is None else repr(w) for w in wrong[:10])
            )

    def _check_numbers(self, column: str, word: str) -> None:
        wrong = self.rows(
            f"SELECT {word}, rid FROM typed "
            f"WHERE {column} IS NULL OR NOT isfinite({column}) ORDER BY rid LIMIT 1"
        )
        if wrong:
            value, row = wrong[0]
            raise InputError(f"{self.where}, row {row}: {column} must be a number; got {value!r}")

    def _check_scores(self) -> None:
        """Scores of a criterion are all numbers, or all words."""
        for criterion, numbers, n, word, row in self.rows(
            "SELECT criterion, count(score) FILTER (isfinite(score)), count(*), "
            "arg_min(word, rid) FILTER (score IS NULL OR NOT isfinite(score)), "
            "min(rid) FILTER (score IS NULL OR NOT isfinite(score)) "
            "FROM typed GROUP BY criterion ORDER BY min(rid)"
        ):
            if 0 < numbers < n:
                raise InputError(
                    f"{self.where}, row {row}: the scores of {criterion!r} must all be numbers or "
                    f"all words; {numbers:,} are numbers and this is {word!r}"
                )

    def check_ids(self) -> None:
        """An id that is given for some rows is needed for all."""
        systems = ("system_a", "system_b") if self.shape.name == "votes" else ("system",)
        for column in ("item", "rater", *systems):
            if column not in self.columns:
                continue
            missing = self.rows(f"SELECT min(rid), count(*) FROM typed WHERE {column} IS NULL")[0]
            if missing[1]:
                noun = "row has" if missing[1] == 1 else "rows have"
                raise InputError(
                    f"{self.where}: {missing[1]:,} {noun} no {column} (the first is row "
                    f"{missing[0]}); fill it in or remove the column"
                )

    def check_duplicates(self) -> None:
        """One answered row per rater, trial, output and criterion."""
        if "rater" not in self.columns or self.shape.name == "spans":
            return
        if "trial" not in self.columns and "item" not in self.columns:
            return
        place = "coalesce(trial, item)" if "trial" in self.columns else "item"
        output = "system"
        if self.shape.name == "votes":
            output = "least(system_a, system_b), greatest(system_a, system_b)"
        # A judge answers a trial once per order and repeat.
        more = "".join(
            f", CASE WHEN rater_kind = 'judge' THEN {column} END"
            for column in ("first", "repeat")
            if column in self.columns and "rater_kind" in self.columns
        )
        found = self.rows(
            f"SELECT rater, {place}, criterion, count(*), min(rid), max(rid) FROM typed "
            f"GROUP BY rater, {place}, item, {output}, criterion{more} HAVING count(*) > 1 "
            "ORDER BY min(rid)"
        )
        if found:
            rater, unit, criterion, _, first, last = found[0]
            raise InputError(
                f"{self.where}: rater {rater} answered {criterion!r} on {unit} more than once "
                f"(rows {first} and {last}; {len(found):,} such cases); keep one row of each, or "
                "tell repeated trials apart by a column 'trial'"
            )
