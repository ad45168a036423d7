"""Which rows count: the steps from all rows to the answered ones, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jurybox.errors import InputError
from jurybox.tally.shapes import Shape

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Keeping", "Skipped"]

WINNERS = ("a", "b", "tie", "both_bad")
ORIGINS = ("real", "generated")
STATUSES = ("answered", "skipped", "unusable", "late", "superseded")
LARGEST = 1e12
"""The largest score: beyond it, sums of squares no longer tell one score from the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """How often outputs of a system were skipped or unusable."""

    system: str | None
    status: str
    n: int


@dataclass(frozen=True, slots=True)
class Keeping:
    """The steps from all rows to those that count; each says what it left out."""

    connection: DuckDBPyConnection
    shape: Shape
    where: str
    columns: frozenset[str]

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """What a statement gives."""
        return self.connection.execute(sql).fetchall()

    def delete(self, condition: str) -> int:
        """Delete the rows for which a condition holds; give how many there were."""
        (n,) = self.rows(f"SELECT count(*) FROM answered WHERE {condition}")[0]
        if n:
            self.rows(
                f"DELETE FROM typed WHERE rid IN (SELECT rid FROM answered WHERE {condition})"
            )
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
        return [
            f"{n:,} rows of other rounds ({', '.join(r for r in named if r != 'main')}) left out"
        ]

    def select_kind(self, *, judges: bool) -> list[str]:
        """Keep people's responses, or judges'."""
        if "rater_kind" not in self.columns:
            return []
        counts = dict(self.rows("SELECT rater_kind, count(*) FROM answered GROUP BY 1"))
        n_judges = int(counts.get("judge", 0))
        if judges:
            self.delete("rater_kind IS DISTINCT FROM 'judge'")
            return ["only judges' responses are taken"]
        if n_judges == 0 or n_judges == sum(counts.values()):
            return ["all responses are judges'"] if n_judges else []
        n = self.delete("rater_kind = 'judge'")
        return [f"{n:,} rows of judges left out of people's figures"]

    def select_answered(self) -> tuple[Skipped, ...]:
        """Keep what was answered; count what was skipped or unusable."""
        if "status" not in self.columns:
            return ()
        wrong = self.rows(
            f"SELECT DISTINCT status FROM answered WHERE status NOT IN {STATUSES} ORDER BY 1"
        )
        if wrong:
            raise InputError(
                f"{self.where}: status must be one of {', '.join(STATUSES)}; got "
                + ", ".join(repr(row[0]) for row in wrong)
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

    def drop_missing(self) -> tuple[int, list[str]]:
        """A row without its value is a missing response, not a number."""
        if self.shape.name == "spans":
            return 0, []
        name = {"ratings": "score", "rankings": "rank"}.get(self.shape.name, self.shape.needed[-1])
        missing = f"{name} IS NULL"
        if name in ("score", "rank"):
            word = "word" if name == "score" else "rank_word"
            missing = (
                f"({name} IS NULL OR isnan({name})) AND "
                f"({word} IS NULL OR lower({word}) IN ('nan', 'none', 'null', 'na'))"
            )
        n = self.delete(missing)
        if not self.rows("SELECT count(*) FROM typed")[0][0]:
            raise InputError(f"{self.where}: no row has a {name}")
        return n, [f"{n:,} rows without a {name} left out"] if n else []

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
            self._check_scores()
            self._check_size()

    def _check_words(self, column: str, allowed: Sequence[str], *, optional: bool = False) -> None:
        found = self.rows(f"SELECT DISTINCT {column} FROM answered ORDER BY 1")
        wrong = [row[0] for row in found if row[0] not in allowed]
        wrong = [value for value in wrong if not (optional and value is None)]
        if wrong:
            raise InputError(
                f"{self.where}: {column} must be one of {', '.join(allowed)}; got "
                + ", ".join("an empty cell" if w is None else repr(w) for w in wrong[:10])
            )

    def _check_ranks(self) -> None:
        wrong = self.rows(
            "SELECT rank_word, rid FROM answered "
            "WHERE rank IS NULL OR NOT isfinite(rank) OR rank < 1 ORDER BY rid LIMIT 1"
        )
        if wrong:
            value, row = wrong[0]
            raise InputError(
                f"{self.where}, row {row}: rank must be a number, 1 for the best; got {value!r}"
            )

    def _check_size(self) -> None:
        """Refuse scores so large that their squares are lost to rounding."""
        wrong = self.rows(
            f"SELECT word, rid FROM answered WHERE abs(score) > {LARGEST} ORDER BY rid LIMIT 1"
        )
        if wrong:
            value, row = wrong[0]
            raise InputError(
                f"{self.where}, row {row}: a score must lie between −{LARGEST:g} and {LARGEST:g}; "
                f"got {value}"
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
                raise InputError(
                    f"{self.where}, row {row}: the scores of {criterion!r} must all be numbers or "
                    f"all words; {numbers:,} are numbers and this is {word!r}"
                )

    def check_ids(self) -> None:
        """An id that is given for some rows is needed for all."""
        systems = ("system_a", "system_b") if self.shape.name == "votes" else ("system",)
        columns = [c for c in ("item", "rater", *systems) if c in self.columns]
        counts = ", ".join(f"count({column})" for column in ("rid", *columns))
        n, *known = self.rows(f"SELECT {counts} FROM answered")[0]
        for column, given in zip(columns, known, strict=True):
            if given == n:
                continue
            (first,) = self.rows(f"SELECT min(rid) FROM answered WHERE {column} IS NULL")[0]
            noun = "row has" if n - given == 1 else "rows have"
            raise InputError(
                f"{self.where}: {n - given:,} {noun} no {column} (the first is row {first}); "
                "fill it in or remove the column"
            )

    def check_duplicates(self) -> bool:
        """One answered row per rater, trial, output and criterion.

        Gives whether it is also one per rater, output and criterion whatever the trial.
        """
        if "rater" not in self.columns or self.shape.name == "spans":
            return False
        if "trial" not in self.columns and "item" not in self.columns:
            return False
        keys = ["rater", *(c for c in ("item", "criterion", "trial") if c in self.columns)]
        # A judge answers a trial once per order and repeat.
        keys += [
            f"CASE WHEN rater_kind = 'judge' THEN {column} END"
            for column in ("first", "repeat")
            if column in self.columns and "rater_kind" in self.columns
        ]
        votes = self.shape.name == "votes"
        either = ["xor(hash(system_a), hash(system_b))"] if votes else ["system"]
        if not self._are_unique([*keys, *either]):
            pair = ["least(system_a, system_b)", "greatest(system_a, system_b)"]
            self._refuse_duplicates(", ".join([*keys, *(pair if votes else either)]))
        return "trial" not in self.columns and "rater_kind" not in self.columns

    def _are_unique(self, keys: Sequence[str]) -> bool:
        """Whether it is certain that no two rows agree in all keys.

        Equal keys have equal hashes, so as many hashes as rows prove it. Where there are fewer, the
        keys themselves must be looked at.
        """
        n, hashes = self.rows(
            f"SELECT count(*), count(DISTINCT hash({', '.join(keys)})) FROM answered"
        )[0]
        return bool(n == hashes)

    def _refuse_duplicates(self, keys: str) -> None:
        place = (
            "coalesce(any_value(trial), any_value(item))"
            if "trial" in self.columns
            else "any_value(item)"
        )
        found = self.rows(
            f"SELECT any_value(rater), {place}, any_value(criterion), min(rid), max(rid) "
            f"FROM answered GROUP BY {keys} HAVING count(*) > 1 ORDER BY min(rid)"
        )
        if found:
            rater, unit, criterion, first, last = found[0]
            raise InputError(
                f"{self.where}: rater {rater} answered {criterion!r} on {unit} more than once "
                f"(rows {first} and {last}; {len(found):,} such cases); keep one row of each, or "
                "tell repeated trials apart by a column 'trial'"
            )
