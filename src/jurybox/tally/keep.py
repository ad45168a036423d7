"""Which rows count: the steps from all rows to the answered ones, and what is wrong with them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jurybox.errors import InputError
from jurybox.results import format_count
from jurybox.tally.duplicates import Looked, refuse_duplicates
from jurybox.tally.encode import Encoded
from jurybox.tally.hints import numbers_hint, values_hint
from jurybox.tally.places import place_of
from jurybox.tally.shapes import Shape
from jurybox.tally.source import text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Keeping", "Skipped"]

WINNERS = ("a", "b", "tie", "both_bad")
ORIGINS = ("real", "generated")
KINDS = ("person", "judge")
STATUSES = ("answered", "skipped", "unusable", "late", "superseded")
DASHES = ("-", "–", "—")
SHOWN = 10
"""Wrong values listed in a sentence."""
LARGEST = 1e12
"""The largest score: beyond it, sums of squares no longer tell one score from the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """How often outputs of a system were skipped or unusable."""

    system: str | None
    status: str
    n: int


@dataclass(slots=True)
class Keeping:
    """The steps from all rows to those that count; each says what it left out.

    What the dictionaries and the range of the scores already prove is not looked for in the rows.
    """

    connection: DuckDBPyConnection
    shape: Shape
    where: str
    columns: frozenset[str]
    encoded: Encoded
    kept: list[str] = field(default_factory=list)
    file: Path | None = None
    """Where the rows stand line by line."""
    is_lean: bool = False
    """Whether only the columns that were asked for are there."""
    n_repeats: int = 0
    """People's planned repeats: they stand in the view ``with_repeats``, not in ``answered``."""
    no_people: bool = False
    """Whether every row is a judge's."""
    n_judges: int = 0
    """Judges' rows beside people's: they stand in the view ``of_judges``, not in ``answered``."""

    def __post_init__(self) -> None:
        self._view()

    def _view(self) -> None:
        """Make the view ``answered`` of the rows that no step has left out."""
        where = f" WHERE {' AND '.join(self.kept)}" if self.kept else ""
        self.rows(f"CREATE OR REPLACE TEMP VIEW answered AS SELECT * FROM everything{where}")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """What a statement gives."""
        return self.connection.execute(sql).fetchall()

    def delete(self, condition: str) -> int:
        """Leave out the rows for which a condition holds; give how many there were."""
        (n,) = self.rows(f"SELECT count(*) FROM answered WHERE {condition}")[0]
        if n:
            self.kept.append(f"({condition}) IS NOT TRUE")
            self._view()
        return int(n)

    def select_round(self) -> list[str]:
        """Keep the main round, where there are several."""
        if "round" not in self.columns:
            return []
        names = [row[0] for row in self.rows("SELECT DISTINCT round FROM answered ORDER BY 1")]
        named = [name for name in names if name is not None]
        if len(named) < 2:
            return []
        if "main" not in named:
            raise InputError(
                f"{self.where}: rounds are analyzed apart, and there are {', '.join(named)} but no "
                "main; keep the rows of one round"
            )
        n = self.delete("round <> 'main'")
        others = ", ".join(name for name in named if name != "main")
        return [f"{format_count(n, 'row')} of other rounds ({others}) left out"]

    def select_kind(self, *, judges: bool) -> list[str]:
        """Keep people's responses, or judges'."""
        if "rater_kind" not in self.columns:
            return []
        counts = dict(self.rows("SELECT rater_kind, count(*) FROM answered GROUP BY 1"))
        if not counts.keys() <= {None, *KINDS}:
            # Whatever is not said to be a judge's would count among people's.
            self._check_words("rater_kind", KINDS, optional=True)
        n_judges = int(counts.get("judge", 0))
        if judges:
            self.delete("rater_kind IS DISTINCT FROM 'judge'")
            return ["only judges' responses are taken"]
        if n_judges == 0:
            return []
        if n_judges == sum(counts.values()):
            self.no_people = True
            return ["all responses are judges'"]
        self.n_judges = n_judges
        kept = " AND ".join([*self.kept, "rater_kind = 'judge'"])
        self.rows(f"CREATE TEMP VIEW of_judges AS SELECT * FROM everything WHERE {kept}")
        n = self.delete("rater_kind = 'judge'")
        return [f"{format_count(n, 'row')} of judges left out of people's figures"]

    def select_answered(self) -> tuple[Skipped, ...]:
        """Keep what was answered; count what was skipped or unusable."""
        if "status" not in self.columns:
            return ()
        wrong = self.rows(
            f"SELECT status, min(rid) AS row FROM answered WHERE status NOT IN {STATUSES} "
            "GROUP BY 1 ORDER BY row"
        )
        if wrong:
            raise InputError(
                f"{self.where}, {place_of(wrong[0][1], self.file)}: status must be one of "
                f"{', '.join(STATUSES)}; got " + ", ".join(repr(row[0]) for row in wrong)
            )
        system = "NULL" if self.shape.name == "votes" else "system"
        found = self.rows(
            f"SELECT {system}, status, count(*) FROM answered "
            "WHERE status IN ('skipped', 'unusable') GROUP BY 1, 2 ORDER BY 1, 2"
        )
        self.delete("status <> 'answered'")
        return tuple(Skipped(system=row[0], status=row[1], n=int(row[2])) for row in found)

    def select_excluded(self, *, keep: bool) -> list[str]:
        """Leave out the responses that are marked as excluded; withdrawn ones always."""
        if "excluded_by" not in self.columns:
            return []
        condition = "excluded_by = 'withdrawn'" if keep else "excluded_by IS NOT NULL"
        n = self.delete(condition)
        return [f"{n:,} rows marked as excluded left out"] if n else []

    def set_repeats_aside(self) -> list[str]:
        """Keep a person's first answer to a trial; planned repeats are for test–retest alone."""
        if "repeat" not in self.columns:
            return []
        number = "TRY_CAST(CAST(repeat AS VARCHAR) AS DOUBLE)"
        person = "true"
        if "rater_kind" in self.columns:  # a judge is asked again to see how far it repeats itself
            person = "rater_kind IS DISTINCT FROM 'judge'"
        first = self.rows(f"SELECT min({number}) FROM answered WHERE {person}")[0][0]
        if first is None:
            return []
        where = f" WHERE {' AND '.join(self.kept)}" if self.kept else ""
        self.n_repeats = self.delete(f"{person} AND {number} > {float(first)!r}")
        if not self.n_repeats:
            return []
        self.rows(f"CREATE TEMP VIEW with_repeats AS SELECT * FROM everything{where}")
        return [f"{format_count(self.n_repeats, 'planned repeat')} taken for test–retest alone"]

    def first_rankings(self) -> list[str]:
        """Keep a judge's first ranking of a trial where judges are all that answered.

        One in another order of the outputs has a row of each output again: read together they would
        be one ranking of twice as many outputs.
        """
        if not self.no_people or self.shape.name != "rankings":
            return []
        unit = ["rater", *(c for c in ("item", "criterion", "trial") if c in self.columns)]
        again = (
            f"SELECT rid FROM answered QUALIFY row_number() OVER "
            f"(PARTITION BY {', '.join(unit)}, system ORDER BY rid) > 1"
        )
        found = [str(rid) for (rid,) in self.rows(again)]
        if not found:
            return []
        n = self.delete(f"rid IN ({', '.join(found)})")
        rows = format_count(n, "row")
        return [
            f"{rows} of a judge's further orders and repeats left out: its first ranking counts"
        ]

    def drop_missing(self) -> tuple[int, list[str]]:
        """A row without its value is a missing response, not a number."""
        if self.shape.name == "spans":
            return 0, []
        name = {"ratings": "score", "rankings": "rank"}.get(self.shape.name, self.shape.needed[-1])
        missing = f"{name} IS NULL"
        known = self.encoded.names.get(name)
        full = name in self.encoded.ranges if known is None else not known.has_missing
        if name in ("score", "rank") and not full:
            word = "word" if name == "score" else "rank_word"
            # Not by isnan: some writers do not tell of NaN in a file, and then its rows would not
            # even be looked at.
            empty = ("nan", "none", "null", "na", "n/a", "#n/a", *self._dashes(word))
            missing = f"lower({word}) IN {empty} OR ({word} IS NULL AND {name} IS NULL)"
        n = 0 if full else self.delete(missing)
        if self.kept and not self.rows("SELECT count(*) FROM answered")[0][0]:
            raise InputError(f"{self.where}: no row has a {name}")
        return n, [f"{format_count(n, 'row')} without a {name} left out"] if n else []

    def _dashes(self, word: str) -> tuple[str, ...]:
        """The dashes that stand for an empty cell: among marks such as + they are answers."""
        ((marks,),) = self.rows(
            f"SELECT bool_or(NOT regexp_matches({word}, '[\\pL\\pN]') AND {word} NOT IN {DASHES}) "
            "FROM answered"
        )
        return () if marks else DASHES

    def check_values(self) -> None:
        """Refuse a value that its column cannot have."""
        name = self.shape.name
        if name == "votes":
            self._check_words("winner", WINNERS)
            if "first" in self.columns:
                self._check_words("first", ("a", "b"), optional=True)
        elif name == "detections":
            self._check_words("truth", ORIGINS)
            self._check_words("answer", ORIGINS)
        elif name == "rankings":
            self._check_ranks()
        elif name == "ratings":
            low, high = self.encoded.ranges.get("score", (-math.inf, math.inf))
            if max(-low, high) > LARGEST:
                self._check_scores()
                self._check_size()

    def _check_words(self, column: str, allowed: Sequence[str], *, optional: bool = False) -> None:
        names = self.encoded.names.get(column)
        known = names and names.words is not None and set(names.words) <= set(allowed)
        if names and known and (optional or not names.has_missing):
            return
        found = self.rows(f"SELECT {column}, min(rid) AS row FROM answered GROUP BY 1 ORDER BY row")
        wrong = [each for each in found if each[0] not in allowed]
        wrong = [each for each in wrong if not (optional and each[0] is None)]
        if wrong:
            listed = ["an empty cell" if value is None else repr(value) for value, _ in wrong]
            more = f" and {len(listed) - SHOWN:,} more" if len(listed) > SHOWN else ""
            words = [value for value, _ in wrong if value is not None][:SHOWN]
            hint = f"; say what each means by {values_hint(column, words)}" if words else ""
            raise InputError(
                f"{self.where}, {place_of(wrong[0][1], self.file)}: {column} must be one of "
                f"{', '.join(allowed)}; got {', '.join(listed[:SHOWN])}{more}{hint}"
            )

    def _check_ranks(self) -> None:
        if self.encoded.ranges.get("rank", (0, 0))[0] >= 1:
            return
        wrong = self.rows(
            "SELECT rank_word, rid FROM answered "
            "WHERE rank IS NULL OR NOT isfinite(rank) OR rank < 1 ORDER BY rid LIMIT 1"
        )
        if wrong:
            value, row = wrong[0]
            raise InputError(
                f"{self.where}, {place_of(row, self.file)}: rank must be a number, 1 for the best; "
                f"got {value!r}"
            )

    def _check_size(self) -> None:
        """Refuse scores so large that their squares are lost to rounding."""
        wrong = self.rows(
            f"SELECT word, rid FROM answered WHERE abs(score) > {LARGEST} ORDER BY rid LIMIT 1"
        )
        if wrong:
            value, row = wrong[0]
            raise InputError(
                f"{self.where}, {place_of(row, self.file)}: a score must lie between "
                f"−{LARGEST:g} and {LARGEST:g}; got {value}"
            )

    def check_scale(self, scales: Mapping[str, Sequence[float]]) -> None:
        """Refuse a score that its scale does not have."""
        if self.shape.name != "ratings":
            return
        for criterion in [row[0] for row in self.rows("SELECT DISTINCT criterion FROM answered")]:
            scale = scales.get(criterion, scales.get("*", ()))
            if not scale:
                continue
            among = f"score NOT IN ({', '.join(f'{v!r}::DOUBLE' for v in scale)})"
            beyond = f"score NOT BETWEEN {scale[0]!r} AND {scale[-1]!r}"
            wrong = self.rows(
                f"SELECT word, rid FROM answered WHERE criterion = {text(criterion)} AND "
                f"{among if len(scale) > 2 else beyond} ORDER BY rid LIMIT 1"
            )
            if wrong:
                value, row = wrong[0]
                shown = " to ".join(f"{v:g}" for v in scale) if len(scale) == 2 else None
                shown = shown or ", ".join(f"{v:g}" for v in scale)
                raise InputError(
                    f"{self.where}, {place_of(row, self.file)}: {value} is not on the scale of "
                    f"{criterion!r} ({shown})"
                )

    def _check_scores(self) -> None:
        """Scores of a criterion are all numbers, or all words."""
        for criterion, numbers, n, row in self.rows(
            "SELECT criterion, count(score) FILTER (isfinite(score)), count(*), "
            "min(rid) FILTER (score IS NULL OR NOT isfinite(score)) "
            "FROM answered GROUP BY criterion ORDER BY min(rid)"
        ):
            if 0 < numbers < n:
                (word,) = self.rows(f"SELECT word FROM answered WHERE rid = {row}")[0]
                hint = numbers_hint([word]) or (
                    f"say what it means by {values_hint('score', [word])} (nothing: missing)"
                )
                raise InputError(
                    f"{self.where}, {place_of(row, self.file)}: the scores of {criterion!r} must "
                    f"all be numbers or all words; {numbers:,} are numbers and this is {word!r}; "
                    f"{hint}"
                )
            if numbers == 0:
                self._refuse_other_numbers(criterion, row)

    def _refuse_other_numbers(self, criterion: str, row: int) -> None:
        """Numbers that are written otherwise are not taken for words."""
        words = self.rows(
            f"SELECT DISTINCT word FROM answered WHERE criterion = {text(criterion)} "
            "AND word IS NOT NULL LIMIT 1000"
        )
        hint = numbers_hint(sorted(word for (word,) in words))
        if hint is not None:
            raise InputError(
                f"{self.where}, {place_of(row, self.file)}: the scores of {criterion!r} are not "
                f"numbers: {hint}"
            )

    def check_ids(self) -> None:
        """An id that is given for some rows is needed for all."""
        systems = ("system_a", "system_b") if self.shape.name == "votes" else ("system",)
        columns = [
            column
            for column in ("item", "rater", *systems)
            if column in self.columns and self.encoded.names[column].has_missing
        ]
        counts = ", ".join(f"count({column})" for column in ("rid", *columns))
        if not columns:
            return
        n, *known = self.rows(f"SELECT {counts} FROM answered")[0]
        for column, given in zip(columns, known, strict=True):
            if given == n:
                continue
            (first,) = self.rows(f"SELECT min(rid) FROM answered WHERE {column} IS NULL")[0]
            noun = "row has" if n - given == 1 else "rows have"
            raise InputError(
                f"{self.where}: {n - given:,} {noun} no {column} (the first is "
                f"{place_of(first, self.file)}); "
                "fill it in or remove the column"
            )

    def say_alike(self) -> list[str]:
        """Names that look alike, capitals and blanks apart, stay two, but not in silence."""
        said = []
        for column in ("system", "system_a", "rater"):
            known = self.encoded.names.get(column)
            alike: dict[str, list[str]] = {}
            for word in known.words or () if known is not None else ():
                alike.setdefault(_look(word), []).append(word)
            twice = [words for words in alike.values() if len(words) > 1]
            if twice:
                # Escaped where they would else be printed as one name.
                show = repr if len({_seen(word) for word in twice[0]}) > 1 else ascii
                names = ", ".join(show(word) for word in twice[0])
                kind = "rater" if column == "rater" else "system"
                more = f", and {len(twice) - 1:,} more such" if len(twice) > 1 else ""
                said.append(f"{names} are taken for {len(twice[0])} {kind}s{more}")
        return said

    def check_duplicates(self) -> Looked:
        """One answered row per rater, trial, output and criterion.

        Gives whether it is also one per rater, output and criterion whatever the trial.
        """
        if "rater" not in self.columns or self.shape.name == "spans":
            return Looked(False)
        if "trial" not in self.columns and "item" not in self.columns:
            return Looked(False)
        return refuse_duplicates(
            self.connection,
            self.shape,
            self.where,
            self.columns,
            self.encoded,
            numbers=self.is_lean,
        )


def _seen(word: str) -> str:
    """A name as it is drawn: composed, without marks that take no room."""
    if word.isascii():
        return word
    from unicodedata import category, normalize

    return "".join(each for each in normalize("NFKC", word) if category(each) != "Cf")


def _look(word: str) -> str:
    """A name without what a reader may overlook."""
    return "".join(_seen(word).split()).casefold()
