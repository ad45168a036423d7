"""Responses in one shape, cleaned: which rows count, and what was taken for what."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from jurybox.errors import InputError
from jurybox.results import format_count
from jurybox.tally.counted import count_in_place
from jurybox.tally.encode import Encoded, encode
from jurybox.tally.keep import Keeping, Skipped
from jurybox.tally.numbered import Numbered
from jurybox.tally.opening import Stated, open_table
from jurybox.tally.shapes import SHAPES, Shape, ShapeName, known_columns, recognize, require
from jurybox.tally.sides import turn_to_sides
from jurybox.tally.source import Source, connect, disconnect, is_columnar, text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

    from jurybox.tally.patterns import AnswerPatterns

__all__ = ["Responses", "Skipped", "read"]

MANY = 1_000_000
"""Rows from which on speed is worth the last digit."""
MANY_RATINGS = 100_000
"""Ratings from which on a file of columns is read where it is."""
FEW = 1000
"""Rows up to which a query is answered sooner than its plan is improved."""
DECIDING = ("criterion", "round", "rater_kind", "status", "excluded_by", "repeat")
"""Columns that decide which rows count, whatever is asked for."""
ASIDE = ("trial", "first", "repeat")
"""Columns that tell repeated answers apart, looked at where there are some."""


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
    alone: bool = False
    """Whether it is known that no rater has two rows of an item."""
    is_counted: bool = False
    """Whether each row stands for as many responses as its ``times`` says."""
    in_place: int = 0
    """How many rows a file has that is read where it is, at every query anew; 0 if none is."""
    is_lean: bool = False
    """Whether only the columns that were asked for are there."""
    looked: Numbered | None = None
    """The ratings as numbers, where the reading had to look at them; see ``numbered``."""
    votes: Mapping[str, NDArray[Any]] | None = None
    """The votes as numbers, where the reading had to look at them (``duplicates.Looked``)."""
    patterns: AnswerPatterns | None = None
    """The patterns of the answers, where only these were read and the rows are not there."""
    n_repeats: int = 0
    """People's planned repeats, which are not among the responses; see ``with_repeats``."""
    n_judges: int = 0
    """Judges' rows, answered or not, which are not among the responses; see ``of_judges``."""
    encoded: Encoded = field(default_factory=Encoded)
    """What is known of the columns without a look at the rows."""
    stated: Stated = field(default_factory=Stated)
    """What was said of the table beyond its cells."""

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
        if self.is_lean and self.criteria == (criterion,):
            return self
        return self.where(f"criterion = {text(criterion)}")

    def with_repeats(self, criterion: str) -> Responses:
        """All answers to a criterion, people's planned repeats too; without any, these here."""
        if not self.n_repeats:
            return self
        every = replace(
            self, source="with_repeats", once=False, alone=False, looked=None, votes=None
        )
        return every.where(f"CAST(criterion AS VARCHAR) = {text(criterion)}")

    def of_judges(self) -> Responses:
        """All rows of judges beside these people's, unusable ones too; as they are written."""
        return replace(self, source="of_judges", once=False, looked=None, votes=None)

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
    def numbered(self) -> Numbered | None:
        """These ratings as numbers, if they are known."""
        return self.looked if self.source == "answered" else None

    def number(self, column: str) -> str:
        """The number of a name in a column, in SQL; they count in the order of the names."""
        return self.encoded.numbers[column]

    @property
    def criteria(self) -> tuple[str, ...]:
        """The criteria in the order in which they first occur."""
        if self.is_lean and self.source == "answered":
            known = self.encoded.names.get("criterion")
            words = (self.shape.criterion,) if known is None else known.words
            if words is not None and len(words) == 1:
                return words
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
        """How many responses, raters and items there are; a ranking of many outputs is one."""
        rows = "count(*)"
        if self.shape.name == "rankings":
            rows = "count(DISTINCT (criterion, rater, coalesce(trial, item), item))"
        n, raters, items = self.query(
            f"SELECT {rows}, count(DISTINCT rater), count(DISTINCT item) FROM {{r}}"
        )[0]
        return int(n), int(raters), int(items)

    def close(self) -> None:
        """Free the database."""
        disconnect(self.connection)


def read(
    source: Source,
    *,
    shape: ShapeName | None = None,
    keep_excluded: bool = False,
    judges: bool = False,
    needs: Collection[str] | None = None,
    covariates: Sequence[str] = (),
    as_counts: bool = False,
    as_patterns: bool = False,
    by: str | None = None,
) -> Responses:
    """Read a table of responses, check it, and keep the rows that count.

    Only answered rows of the main round count, and of people's planned repeats (``repeat``) the
    first; judges' rows are kept apart from people's
    (``judges=True`` takes them instead). Rows with an ``excluded_by`` mark are left out unless
    ``keep_excluded``; withdrawn ones always. ``needs``: the columns that will be asked for, by
    default all; the others are as if the table had none, and are not read. Whether a rater answered
    twice is looked at where both item and rater are needed. ``covariates``: further columns of
    votes, each of which becomes a number ``x_<name>``, that of a minus that of b. ``as_counts``:
    large tables may be read as their distinct rows, each with how often it stands there.
    ``as_patterns``: large ratings may be read as the patterns of their answers, without raters.
    ``by``: the column that tells a rater's group; by default ``group``, where there is one.
    """
    if as_counts:
        try:
            return _read(source, shape, keep_excluded, judges, needs, covariates, as_counts=True)
        except InputError:
            # What is wrong is looked for row by row, where it has a number to be named by.
            pass
    return _read(
        source, shape, keep_excluded, judges, needs, covariates, as_patterns=as_patterns, by=by
    )


def _read(
    source: Source,
    shape: ShapeName | None,
    keep_excluded: bool,
    judges: bool,
    needs: Collection[str] | None,
    covariates: Sequence[str],
    *,
    as_counts: bool = False,
    as_patterns: bool = False,
    by: str | None = None,
) -> Responses:
    connection = connect()
    try:
        more = [each for name in covariates for each in (name, f"{name}_a", f"{name}_b")]
        more += [by or "group"]
        where, stated = open_table(connection, source, shape, more)
        shape = shape or stated.shape
        if stated.derive:
            needs = None  # A derived criterion is told apart by columns of its own.
        types = {str(r[0]): str(r[1]) for r in connection.execute("DESCRIBE raw").fetchall()}
        found = {name.strip().lower(): name for name in types}
        (n_rows,) = connection.execute("SELECT count(*) FROM raw").fetchall()[0]
        if n_rows == 0:
            raise InputError(f"{where} has no rows")
        if n_rows > MANY:
            connection.execute("RESET threads")
        if n_rows < FEW:
            connection.execute("PRAGMA disable_optimizer")
        if shape is None:
            made = recognize(list(found), where)
        else:
            made = SHAPES[shape]
            require(made, list(found), where)
        _refuse_nested(made, {column: types[name] for column, name in found.items()}, where)
        _find_group(found, by, where)
        known = [column for column in known_columns() if column in found]
        wanted = known if needs is None else _closure(known, needs)
        # A large file that keeps columns apart is read where it is.
        many = MANY_RATINGS if made.name == "ratings" else MANY
        large = needs is not None and n_rows >= many
        counted = None
        if as_counts and large and not set(DECIDING) & set(wanted) and is_columnar(connection):
            columns = {column: found[column] for column in wanted}
            counted = count_in_place(connection, columns, types, answer=made.needed[-1])
        is_counted = counted is not None
        if made.name == "votes":
            said = turn_to_sides(connection, found, counted or {})
            stated = replace(stated, took=(*stated.took, *said))
        named = ("item", "rater", "criterion", *made.needed, *made.optional)
        used = [column for column in dict.fromkeys(named) if column in known]
        rows = format_count(n_rows, "row")
        took = [
            f"{where}: {rows} taken as {made.name} ({', '.join(used)})",
            *stated.took,
        ]
        took += _say_missing(made, known, stated)
        often = {"item", "rater"}.issubset(wanted)
        store = is_counted or not large or not is_columnar(connection)
        if not store:
            # Dictionaries are in the order of their names, however many threads make them.
            connection.execute("RESET threads")
        if as_patterns and not store:
            from jurybox.tally.direct_patterns import read_patterns

            typed = {column: (found[column], types[found[column]]) for column in wanted}
            direct = read_patterns(connection, made, typed, n_rows)
            if direct is not None:
                return replace(direct, took=tuple(took), stated=stated)
        encoded = encode(
            connection,
            found,
            wanted,
            made,
            # Counted rows whose names are known lie there as they will be read.
            store=store and not counted,
            lean=needs is not None,
            differences=_differences(covariates, found, where),
            aside=[c for c in ASIDE if often and c in known and c not in wanted],
            carried=("times",) if is_counted else (),
            ready=counted or {},
        )
        if n_rows <= MANY:
            connection.execute("SET threads = 1")
        kept = Keeping(connection, made, where, frozenset(wanted), encoded, file=stated.file)
        kept.is_lean = lean = needs is not None
        made_of = _clean(kept, took, stated, keep_excluded=keep_excluded, judges=judges, lean=lean)
        return replace(
            made_of,
            is_counted=is_counted,
            in_place=0 if store else n_rows,
        )
    except BaseException:
        connection.close()
        raise


def _find_group(found: dict[str, str], by: str | None, where: str) -> None:
    """Know the column that tells a rater's group under its own name."""
    name = found.get((by or "group").strip().lower())
    if name is not None:
        found["rater_group"] = name
    elif by is not None:
        raise InputError(
            f"{where}: by={by!r} needs a column of that name; the table has {', '.join(found)}"
        )


def _refuse_nested(shape: Shape, types: Mapping[str, str], where: str) -> None:
    """Refuse a file that holds whole columns where a row should hold one answer."""
    for column in shape.needed:
        if types[column].endswith("[]") or types[column].startswith(("STRUCT", "MAP")):
            raise InputError(
                f"{where}: {column!r} holds several values in one row; write one row, or one JSON "
                "object, per response"
            )


def _differences(
    covariates: Sequence[str], found: Mapping[str, str], where: str
) -> dict[str, tuple[str, ...]]:
    """The columns of each covariate: one for either side, or one that is a difference already."""
    made: dict[str, tuple[str, ...]] = {}
    for name in covariates:
        sides = [found.get(f"{name.lower()}_{side}") for side in "ab"]
        own = found.get(name.lower())
        if sides[0] is not None and sides[1] is not None:
            made[name] = (sides[0], sides[1])
        elif own is not None:
            made[name] = (own,)
        else:
            raise InputError(
                f"{where}: the covariate {name!r} needs the columns {name}_a and {name}_b, or one "
                f"column {name} that is the difference; the table has {', '.join(found)}"
            )
    return made


def _closure(known: Sequence[str], needs: Collection[str]) -> list[str]:
    """The columns asked for, and those that decide which rows count."""
    return [column for column in known if column in needs or column in DECIDING]


def _clean(
    kept: Keeping,
    took: list[str],
    stated: Stated,
    *,
    keep_excluded: bool,
    judges: bool,
    lean: bool,
) -> Responses:
    took += kept.select_round()
    took += kept.select_kind(judges=judges)
    skipped = kept.select_answered()
    took += kept.select_excluded(keep=keep_excluded)
    dropped, said = kept.drop_missing()
    took += said
    kept.check_values()
    if stated.scale:
        kept.check_scale(stated.scale)
    kept.check_ids()
    took += kept.say_alike()
    took += kept.set_repeats_aside()
    looked = kept.check_duplicates()
    return Responses(
        connection=kept.connection,
        shape=kept.shape,
        columns=kept.columns,
        took=tuple(took),
        skipped=skipped,
        n_dropped=dropped,
        once=looked.once,
        alone=looked.alone,
        looked=looked.numbered,
        votes=looked.votes,
        n_repeats=kept.n_repeats,
        n_judges=kept.n_judges,
        stated=stated,
        encoded=kept.encoded,
        is_lean=lean,
    )


def _say_missing(shape: Shape, wanted: list[str], stated: Stated) -> list[str]:
    """What it means that the table lacks a column."""
    said = []
    if "rater" not in wanted and not stated.has_anonymous:
        said.append("no column 'rater': raters are unknown, so intervals speak for these raters")
    if "item" not in wanted:
        said.append("no column 'item': items are unknown, so intervals speak for these items")
    if "system" not in wanted and shape.name == "ratings":
        said.append("no column 'system': all outputs count as one system")
    return said
