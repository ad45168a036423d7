"""From a source to the responses that count: opened, recognized, encoded and cleaned."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jurybox.errors import InputError
from jurybox.results import format_count
from jurybox.tally.counted import count_in_place
from jurybox.tally.encode import Encoded, encode
from jurybox.tally.keep import Keeping
from jurybox.tally.opening import Stated, open_table
from jurybox.tally.responses import Responses
from jurybox.tally.shapes import SHAPES, Shape, ShapeName, known_columns, recognize, require
from jurybox.tally.sides import turn_to_sides
from jurybox.tally.source import Source, connect, is_columnar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["read"]

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
    category: str | None = None,
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
    ``category``: the column that tells an item's category; by default ``category``, where there is
    one that is not of spans.
    """
    asked = _Asked(
        shape=shape,
        keep_excluded=keep_excluded,
        judges=judges,
        needs=needs,
        covariates=covariates,
        as_patterns=as_patterns,
        by=by,
        category=category,
    )
    if as_counts:
        try:
            alone = replace(asked, as_counts=True, as_patterns=False, by=None, category=None)
            return _read(source, alone)
        except InputError:
            # What is wrong is looked for row by row, where it has a number to be named by.
            pass
    return _read(source, asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What ``read`` is asked for."""

    shape: ShapeName | None
    keep_excluded: bool
    judges: bool
    needs: Collection[str] | None
    covariates: Sequence[str]
    as_counts: bool = False
    as_patterns: bool
    by: str | None
    category: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """A table that lies open as ``raw``, and what is known of its columns."""

    connection: DuckDBPyConnection
    where: str
    """The table's name in sentences."""
    stated: Stated
    shape: Shape
    types: Mapping[str, str]
    """The type of each column, by its own name."""
    found: Mapping[str, str]
    """The own name of each column, by the name that it is known by."""
    n_rows: int
    is_lean: bool
    """Whether only the columns that were asked for are read."""
    known: Sequence[str]
    wanted: Sequence[str]
    """Of the known columns, those that are read."""

    @property
    def is_large(self) -> bool:
        """Whether it is read where it is, if it keeps its columns apart."""
        many = MANY_RATINGS if self.shape.name == "ratings" else MANY
        return self.is_lean and self.n_rows >= many


def _read(source: Source, asked: _Asked) -> Responses:
    connection = connect()
    try:
        return _take(_open(connection, source, asked), asked)
    except BaseException:
        connection.close()
        raise


def _open(connection: DuckDBPyConnection, source: Source, asked: _Asked) -> _Table:
    """Open the table and recognize its shape and columns."""
    more = [each for name in asked.covariates for each in (name, f"{name}_a", f"{name}_b")]
    more += [asked.by or "group", asked.category or "category"]
    where, stated = open_table(connection, source, asked.shape, more)
    shape = asked.shape or stated.shape
    # A derived criterion is told apart by columns of its own.
    needs = None if stated.derive else asked.needs
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
    # Of columns in memory only those that are known were taken.
    names = list(map(str, source if isinstance(source, Mapping) else types))
    _find_named(found, asked, made, where, names)
    known = [column for column in known_columns() if column in found]
    return _Table(
        connection=connection,
        where=where,
        stated=stated,
        shape=made,
        types=types,
        found=found,
        n_rows=n_rows,
        is_lean=needs is not None,
        known=known,
        wanted=[c for c in known if needs is None or c in needs or c in DECIDING],
    )


def _take(table: _Table, asked: _Asked) -> Responses:
    """The responses of an open table, in whichever way is cheapest for its size."""
    connection, found, wanted = table.connection, table.found, table.wanted
    counted = _counted(table) if asked.as_counts else None
    is_counted = counted is not None
    took = list(table.stated.took)
    if table.shape.name == "votes":
        took += turn_to_sides(connection, found, counted or {})
        table = replace(table, stated=replace(table.stated, took=tuple(took)))
    took = [_say_taken(table), *took, *_say_missing(table.shape, table.known, table.stated)]
    often = {"item", "rater"}.issubset(wanted)
    store = is_counted or not table.is_large or not is_columnar(connection)
    if not store:
        # Dictionaries are in the order of their names, however many threads make them.
        connection.execute("RESET threads")
    if asked.as_patterns and not store:
        from jurybox.tally.direct_patterns import read_patterns

        typed = {column: (found[column], table.types[found[column]]) for column in wanted}
        direct = read_patterns(connection, table.shape, typed, table.n_rows)
        if direct is not None:
            return replace(direct, took=tuple(took), stated=table.stated)
    encoded = encode(
        connection,
        found,
        wanted,
        table.shape,
        # Counted rows whose names are known lie there as they will be read.
        store=store and not counted,
        lean=table.is_lean,
        differences=_differences(asked.covariates, found, table.where),
        aside=[c for c in ASIDE if often and c in table.known and c not in wanted],
        carried=("times",) if is_counted else (),
        ready=counted or {},
    )
    if table.n_rows <= MANY:
        connection.execute("SET threads = 1")
    made = _clean(table, encoded, took, keep_excluded=asked.keep_excluded, judges=asked.judges)
    return replace(made, is_counted=is_counted, in_place=0 if store else table.n_rows)


def _counted(table: _Table) -> dict[str, tuple[str, ...]] | None:
    """What ``count_in_place`` gives, where it is worth its while."""
    if not table.is_large or set(DECIDING) & set(table.wanted):
        return None
    if not is_columnar(table.connection):
        return None
    columns = {column: table.found[column] for column in table.wanted}
    return count_in_place(table.connection, columns, table.types, answer=table.shape.needed[-1])


def _say_taken(table: _Table) -> str:
    """What the table was taken for."""
    named = ("item", "rater", "criterion", *table.shape.needed, *table.shape.optional)
    used = [column for column in dict.fromkeys(named) if column in table.known]
    rows = format_count(table.n_rows, "row")
    return f"{table.where}: {rows} taken as {table.shape.name} ({', '.join(used)})"


def _find_named(
    found: dict[str, str], asked: _Asked, shape: Shape, where: str, names: Sequence[str]
) -> None:
    """Know the columns that tell a rater's group and an item's category under our own names."""
    # The category of a span is that of its error.
    usual = None if shape.name == "spans" else "category"
    for known_as, option, given, default in (
        ("rater_group", "by", asked.by, "group"),
        ("item_category", "category", asked.category, usual),
    ):
        name = found.get((given or default or "").strip().lower())
        if name is not None:
            found[known_as] = name
        elif given is not None:
            raise InputError(
                f"{where}: {option}={given!r} needs a column of that name; "
                f"the table has {', '.join(names)}"
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


def _clean(
    table: _Table, encoded: Encoded, took: list[str], *, keep_excluded: bool, judges: bool
) -> Responses:
    """The rows that count, and what was said of those that do not."""
    kept = Keeping(
        table.connection,
        table.shape,
        table.where,
        frozenset(table.wanted),
        encoded,
        file=table.stated.file,
        is_lean=table.is_lean,
    )
    took = [*took, *kept.select_round(), *kept.select_kind(judges=judges)]
    skipped = kept.select_answered()
    took += kept.select_excluded(keep=keep_excluded)
    dropped, said = kept.drop_missing()
    took += said
    kept.check_values()
    if table.stated.scale:
        kept.check_scale(table.stated.scale)
    kept.check_ids()
    took += kept.say_alike()
    took += [*kept.set_repeats_aside(), *kept.first_rankings()]
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
        no_people=kept.no_people,
        n_judges=kept.n_judges,
        stated=table.stated,
        encoded=kept.encoded,
        is_lean=table.is_lean,
    )


def _say_missing(shape: Shape, known: Sequence[str], stated: Stated) -> list[str]:
    """What it means that the table lacks a column."""
    said = []
    if "rater" not in known and not stated.has_anonymous:
        said.append("no column 'rater': raters are unknown, so intervals speak for these raters")
    if "item" not in known:
        said.append("no column 'item': items are unknown, so intervals speak for these items")
    if "system" not in known and shape.name == "ratings":
        said.append("no column 'system': all outputs count as one system")
    return said
