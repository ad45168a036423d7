"""Responses in one shape, cleaned: the rows that count, and what was taken for what."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from jurybox.tally.encode import Encoded
from jurybox.tally.keep import Skipped
from jurybox.tally.numbered import Numbered
from jurybox.tally.opening import Stated
from jurybox.tally.shapes import Shape
from jurybox.tally.source import disconnect, text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

    from jurybox.tally.patterns import AnswerPatterns

__all__ = ["Responses"]


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
    judged: str = "of_judges"
    """The same of the judges' rows beside them."""
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
    no_people: bool = False
    """Whether every response is a judge's."""
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
        return replace(self, source=self.judged, once=False, looked=None, votes=None)

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
