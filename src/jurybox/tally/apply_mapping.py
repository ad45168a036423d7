"""The view ``raw`` of a table, read as its mapping says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jurybox.errors import InputError
from jurybox.tally.cells import (
    CLOSED,
    SHOWN,
    as_text,
    compared,
    fits,
    is_number,
    joined_text,
    listed,
    spellings,
    starred,
)
from jurybox.tally.hints import values_hint
from jurybox.tally.mapping import TableMapping, near
from jurybox.tally.source import quote, text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["apply_mapping", "leave_scores_out"]

ANSWERS = ("score", "winner", "answer", "rank")
NO_ANSWER = ("unusable", "skipped")
"""What an answer can mean that is none."""
TOLD = ("score", "rank")
"""Columns whose words must all be mapped once one is; numbers need not be."""
JOINED = "/"


def apply_mapping(
    connection: DuckDBPyConnection,
    mapping: TableMapping,
    where: str,
    *,
    computed: Mapping[str, str] | None = None,
) -> list[str]:
    """Put a view of the mapped columns in the place of ``raw``; say what was taken for what.

    ``computed`` gives columns as SQL over the table's own; an importer may need them.
    """
    view = _View(connection, mapping, where)
    view.take_columns(computed or {})
    if mapping.counts:
        view.repeat_counts()
    elif mapping.raters:
        view.spread_raters()
    elif mapping.scores:
        view.spread(mapping.scores, "criterion", "score")
    elif mapping.systems:
        view.spread(mapping.systems, "system", view.value_column())
    view.translate()
    view.keep_only()
    if mapping.judges and not mapping.raters:
        view.mark_judges()
    if mapping.raters_anonymous:
        view.forget_raters()
    view.finish()
    return view.said


def leave_scores_out(connection: DuckDBPyConnection, mapping: TableMapping, where: str) -> None:
    """Put what a mapped table holds beside people's answers in the place of ``raw``."""
    view = _View(connection, mapping, where)
    before = set(mapping.map.values()) | set(mapping.counts.values())
    view.take_columns({})
    view.keep_only()
    columns = list(view.columns())
    gone = view.matching(
        [*mapping.raters, *mapping.judges, *mapping.scores, *mapping.systems], columns
    )
    kept = [quote(c) for c in columns if c not in gone and c not in before]
    view.step(f"SELECT {', '.join(kept)} FROM {{t}}")
    view.finish()


@dataclass(slots=True)
class _View:
    """A selection that grows step by step, and what it takes for what."""

    connection: DuckDBPyConnection
    mapping: TableMapping
    where: str
    said: list[str] = field(default_factory=list)
    steps: int = 0

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql).fetchall()

    @property
    def given(self) -> str:
        """The name of the table before the next step."""
        return f"mapped_{self.steps}"

    def columns(self) -> dict[str, str]:
        """The names of the columns so far, with their types."""
        return {str(row[0]): str(row[1]) for row in self.rows(f"DESCRIBE {self.given}")}

    def step(self, select: str) -> None:
        """Select from the columns so far; ``{t}`` stands for them."""
        sql = select.replace("{t}", self.given)
        self.steps += 1
        # What unfolds rows is kept: later steps would unfold them again with every look.
        kind = "TABLE" if "unnest" in select else "VIEW"
        self.connection.execute(f"CREATE TEMP {kind} {self.given} AS {sql}")

    def find(self, name: str, columns: Sequence[str]) -> str:
        """The table's column of this name, whatever its case."""
        if name in columns:
            return name
        found = [c for c in columns if c.strip().lower() == name.strip().lower()]
        if not found:
            raise InputError(f"{self.where}: there is no column {name!r}; {near(name, columns)}")
        return found[0]

    def matching(self, patterns: Sequence[str], columns: Sequence[str]) -> list[str]:
        """The columns that the patterns name, in the order of the table."""
        found: list[str] = []
        for pattern in patterns:
            if any(mark in pattern for mark in "*?["):
                hits = [c for c in columns if fits(c, pattern)]
                if not hits:
                    raise InputError(
                        f"{self.where}: no column is like {pattern!r}; {near(pattern, columns)}"
                    )
                found += hits
            else:
                found.append(self.find(pattern, columns))
        return [c for c in columns if c in found]

    def take_columns(self, computed: Mapping[str, str]) -> None:
        """Name the mapped columns, and add what is the same in every row."""
        ((kind,),) = self.rows(
            "SELECT table_type FROM information_schema.tables WHERE table_name = 'raw'"
        )
        what = "VIEW" if "VIEW" in str(kind).upper() else "TABLE"
        self.connection.execute(f"ALTER {what} raw RENAME TO {self.given}")
        types = self.columns()
        made = dict(computed)
        for target, words in self.mapping.map.items():
            made[target] = self._joined(words, types)
        made |= {target: text(value) for target, value in self.mapping.set.items()}
        gone = {c for c in types if c.strip().lower() in made}
        kept = [quote(c) for c in types if c not in gone]
        named = [f"{sql} AS {quote(target)}" for target, sql in made.items()]
        self.step(f"SELECT {', '.join([*kept, *named])} FROM {{t}}")
        self._empty_cells()
        renamed = [f"{t} is {w}" for t, w in self.mapping.map.items()]
        self.said += [", ".join(renamed)] if renamed else []
        self.said += [f"{t} is {v!r} in every row" for t, v in self.mapping.set.items()]

    def _empty_cells(self) -> None:
        """A number that is none, as data frames write a missing cell, is a missing cell."""
        floats = [c for c, kind in self.columns().items() if kind in ("DOUBLE", "FLOAT")]
        if floats:
            changes = ", ".join(
                f"CASE WHEN NOT isnan({quote(c)}) THEN {quote(c)} END AS {quote(c)}" for c in floats
            )
            self.step(f"SELECT * REPLACE ({changes}) FROM {{t}}")

    def _joined(self, words: str, types: Mapping[str, str]) -> str:
        columns = list(types)
        if "+" in words and words not in columns:
            parts = [self.find(part.strip(), columns) for part in words.split("+")]
        else:
            parts = [self.find(words, columns)]
        cells = [joined_text(part, types[part]) for part in parts]
        if len(cells) == 1:
            return quote(parts[0]) if cells[0] == as_text(parts[0]) else cells[0]
        return f" || '{JOINED}' || ".join(cells)

    def value_column(self) -> str:
        """Where the answers of columns or counts belong."""
        have = {c.lower() for c in self.columns()}
        shape = self.mapping.shape
        if shape == "votes" or (shape is None and {"system_a", "system_b"} <= have):
            return "winner"
        if shape == "detections" or (shape is None and "truth" in have):
            return "answer"
        return "rank" if shape == "rankings" else "score"

    def _rest(self, spread: Sequence[str], made: Sequence[str]) -> str:
        """The other columns; without one of items, the number of the row is the item."""
        types = self.columns()
        kept = [quote(c) for c in types if c not in spread and c.strip().lower() not in made]
        have = {c.strip().lower() for c in types}
        if "item" not in have and "item" not in made and not self.mapping.counts:
            kept.append("row_number() OVER () AS item")
            self.said.append("no column of items: each row is an item")
        return "".join(f"{each}, " for each in kept)

    def spread_raters(self) -> None:
        """Columns of raters become rows; an empty cell is no response."""
        columns = self.columns()
        judges = self.matching(self.mapping.judges, list(columns))
        raters = self.matching(self.mapping.raters, list(columns))
        raters = [c for c in raters if c not in judges]
        every, value = [*raters, *judges], self.value_column()
        kind = ""
        if judges:
            kinds = ["person"] * len(raters) + ["judge"] * len(judges)
            kind = f"unnest([{', '.join(text(k) for k in kinds)}]) AS rater_kind, "
        made = ["rater", value, *(["rater_kind"] if judges else [])]
        rest = self._rest(every, made)
        names = ", ".join(text(c) for c in every)
        cells = ", ".join(joined_text(c, columns[c]) for c in every)
        self.step(
            f"SELECT * FROM (SELECT {rest}{kind}unnest([{names}]) AS rater, unnest([{cells}]) AS "
            f"{value} FROM {{t}}) WHERE nullif(trim({value}), '') IS NOT NULL"
        )
        who = "positions, not raters" if self.mapping.raters_anonymous else "raters"
        said = f"the columns {listed(raters)} are {who}"
        self.said.append(said + (f", {listed(judges)} judges" if judges else ""))

    def spread(self, patterns: Sequence[str], what: str, value: str) -> None:
        """Columns of criteria or systems become rows; a pattern's star stands for the name."""
        columns = self.columns()
        found = self.matching(patterns, list(columns))
        names = [starred(c, patterns) for c in found]
        if what == "system" and self.mapping.shape is None:
            self._refuse_unsaid_ranks(found)
        rest = self._rest(found, [what, value])
        cells = ", ".join(joined_text(c, columns[c]) for c in found)
        self.step(
            f"SELECT * FROM (SELECT {rest}unnest([{', '.join(text(n) for n in names)}]) AS "
            f"{what}, unnest([{cells}]) AS {value} FROM {{t}}) "
            f"WHERE nullif(trim({value}), '') IS NOT NULL"
        )
        several = {"criterion": "criteria", "system": "systems"}[what]
        self.said.append(
            f"the column {found[0]} is the {what} {names[0]}"
            if len(found) == 1
            else f"the columns {listed(found)} are the {several} {listed(names)}"
        )

    def _refuse_unsaid_ranks(self, columns: Sequence[str]) -> None:
        """Ranks taken for scores would turn the order of the systems round."""
        numbers = ", ".join(f"TRY_CAST({quote(c)} AS DOUBLE)" for c in columns)
        ranks = ", ".join(f"{k}.0::DOUBLE" for k in range(1, len(columns) + 1))
        ((n, other),) = self.rows(
            f"SELECT count(*), count(*) FILTER (list_sort([{numbers}]) IS DISTINCT FROM [{ranks}]) "
            f"FROM {self.given}"
        )
        if n and not other and len(columns) > 1:
            raise InputError(
                f"{self.where}: every row of {listed(columns)} holds the numbers 1 to "
                f"{len(columns)}; say --shape rankings if 1 is the best, or --shape ratings if "
                "more is better"
            )

    def repeat_counts(self) -> None:
        """A row with counts becomes as many rows with an answer each."""
        columns = self.columns()
        counted = {a: self.find(c, list(columns)) for a, c in self.mapping.counts.items()}
        value = self.value_column()
        for column in counted.values():
            number = f"TRY_CAST({quote(column)} AS BIGINT)"
            wrong = self.rows(
                f"SELECT {as_text(column)} FROM {self.given} WHERE {number} IS NULL "
                f"OR {number} < 0 OR TRY_CAST({quote(column)} AS DOUBLE) <> {number} LIMIT 1"
            )
            if wrong:
                raise InputError(
                    f"{self.where}: {column!r} must count answers in whole numbers; "
                    f"got {wrong[0][0]!r}"
                )
        rest = self._rest(list(counted.values()), [value])
        names = ", ".join(text(answer) for answer in counted)
        cells = ", ".join(f"CAST({quote(c)} AS BIGINT)" for c in counted.values())
        self.step(
            f"SELECT * EXCLUDE (times, turn) FROM (SELECT *, unnest(range(times)) AS turn FROM "
            f"(SELECT {rest}unnest([{names}]) AS {value}, unnest([{cells}]) AS times FROM {{t}}))"
        )
        each = ", ".join(f"{c} of {a}" for a, c in counted.items())
        self.said.append(f"columns count how often a {value} was given: {each}")

    def translate(self) -> None:
        """Replace the words of columns by what they mean; a word without meaning is refused."""
        columns = {c.strip().lower(): c for c in self.columns()}
        changes: list[str] = []
        lost: list[str] = []
        for column, words in self.mapping.values.items():
            if column not in columns:
                self.find(column, list(columns.values()))
            name = columns[column]
            self._refuse_foreign(column, name, words)
            cell = compared(column, name)
            cases = " ".join(
                f"WHEN {text(spelled)} THEN {text(meaning)}"
                if meaning and not (column in ANSWERS and meaning in NO_ANSWER)
                else f"WHEN {text(spelled)} THEN NULL"
                for word, meaning in words.items()
                for spelled in spellings(column, word)
            )
            changes.append(f"CASE {cell} {cases} ELSE {as_text(name)} END AS {quote(name)}")
            lost += self._lose(column, name, words)
            pairs = ", ".join(f"{w} → {m or 'missing'}" for w, m in list(words.items())[:SHOWN])
            self.said.append(f"{column}: {pairs}" + (", …" if len(words) > SHOWN else ""))
        if lost:
            status = columns.get("status")
            old = f"coalesce({as_text(status)}, 'answered')" if status else "'answered'"
            case = f"CASE {' '.join(lost)} ELSE {old} END"
            new = f"* REPLACE ({case} AS {quote(status)})" if status else f"*, {case} AS status"
            self.step(f"SELECT {new} FROM {{t}}")
        if changes:
            self.step(f"SELECT * REPLACE ({', '.join(changes)}) FROM {{t}}")

    def _lose(self, column: str, name: str, words: Mapping[str, str]) -> list[str]:
        """When an answer is none, as cases of the column ``status``; counted in a sentence."""
        if column not in ANSWERS:
            return []
        cases = []
        for meaning in NO_ANSWER:
            lost = [text(s) for w, m in words.items() if m == meaning for s in spellings(column, w)]
            if not lost:
                continue
            condition = f"{compared(column, name)} IN ({', '.join(lost)})"
            cases.append(f"WHEN {condition} THEN {text(meaning)}")
            ((n,),) = self.rows(f"SELECT count(*) FROM {self.given} WHERE {condition}")
            self.said.append(f"{n:,} rows are {meaning} by their {column}")
        return cases

    def _refuse_foreign(self, column: str, name: str, words: Mapping[str, str]) -> None:
        if column not in CLOSED and column not in TOLD:
            return
        known = {s for word in words for s in spellings(column, word)}
        known.update(CLOSED.get(column, ()))
        if column == "winner":
            known.update(self._systems())
        found = [
            str(row[0])
            for row in self.rows(
                f"SELECT DISTINCT {compared(column, name)} AS v FROM {self.given} "
                "WHERE v IS NOT NULL ORDER BY 1"
            )
        ]
        foreign = [word for word in found if word not in known]
        if column not in CLOSED:
            # Numbers need no translation; words beside translated words do.
            foreign = [word for word in foreign if not is_number(word)]
        if foreign:
            shown = ", ".join(repr(word) for word in found[:SHOWN])
            raise InputError(
                f"{self.where}: the {column} {foreign[0]!r} is not mapped; the table has {shown}"
                + (", …" if len(found) > SHOWN else "")
                + f"; say what each means by {values_hint(column, foreign[:SHOWN])}"
            )

    def _systems(self) -> set[str]:
        """The systems' names as winners are compared: one that won may be named."""
        names = [c for c in self.columns() if c.strip().lower() in ("system_a", "system_b")]
        return {
            str(row[0])
            for name in names
            for row in self.rows(f"SELECT DISTINCT {compared('winner', name)} FROM {self.given}")
        }

    def keep_only(self) -> None:
        """Leave out the rows of all other values."""
        for name, values in self.mapping.only.items():
            column = self.find(name, list(self.columns()))
            cell = f"nullif(trim({as_text(column)}), '')"
            found = [
                str(row[0])
                for row in self.rows(f"SELECT DISTINCT {cell} AS v FROM {self.given} ORDER BY 1")
                if row[0] is not None
            ]
            spelled = {value: spellings("", value) for value in values}
            for value, ways in spelled.items():
                if not any(each in found for each in ways):
                    raise InputError(
                        f"{self.where}: no row has the {name} {value!r}; {near(value, found)}"
                    )
            wanted = ", ".join(text(each) for ways in spelled.values() for each in ways)
            self.step(f"SELECT * FROM {{t}} WHERE {cell} IN ({wanted})")
            self.said.append(f"only rows with the {name} {listed(values)} are read")

    def mark_judges(self) -> None:
        """Raters of these names are judges."""
        columns = {c.strip().lower(): c for c in self.columns()}
        if "rater" not in columns:
            raise InputError(f"{self.where}: judges are named, but there is no column 'rater'")
        cell = compared("rater", columns["rater"])
        names = ", ".join(text(name) for name in self.mapping.judges)
        known = [row[0] for row in self.rows(f"SELECT DISTINCT {cell} FROM {self.given}")]
        for name in self.mapping.judges:
            if name not in known:
                raters = [str(each) for each in known if each is not None]
                raise InputError(f"{self.where}: there is no rater {name!r}; {near(name, raters)}")
        old = columns.get("rater_kind")
        other = f"coalesce({as_text(old)}, 'person')" if old else "'person'"
        case = f"CASE WHEN {cell} IN ({names}) THEN 'judge' ELSE {other} END"
        if old:
            self.step(f"SELECT * REPLACE ({case} AS {quote(old)}) FROM {{t}}")
        else:
            self.step(f"SELECT *, {case} AS rater_kind FROM {{t}}")
        self.said.append(f"{listed(self.mapping.judges)} are judges")

    def forget_raters(self) -> None:
        """Take away who answered: a position is no person."""
        rater = [c for c in self.columns() if c.strip().lower() == "rater"]
        if rater:
            self.step(f"SELECT * EXCLUDE ({quote(rater[0])}) FROM {{t}}")
        self.said.append(
            "raters are anonymous: intervals cluster by item only, and nothing is said of raters"
        )

    def finish(self) -> None:
        self.connection.execute(f"CREATE TEMP VIEW raw AS SELECT * FROM {self.given}")
