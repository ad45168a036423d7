"""A vote as one number: its systems, its winner, and who was shown first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["FIRST", "VoteNumbers", "vote_numbers"]

FIRST = 3
"""Unknown, or one of two."""


@dataclass(frozen=True, slots=True)
class VoteNumbers:
    """How votes of so many systems and kinds of winners are numbered."""

    systems: int
    winners: int

    def sql(self, numbers: Mapping[str, str], *, first: bool) -> str:
        """The number of a vote, in SQL; ``numbers`` are those of its names."""
        a, b, winner = (numbers[column] for column in ("system_a", "system_b", "winner"))
        shown = f"coalesce({numbers['first']} + 1, 0)" if first else "0"
        kind = "INTEGER" if self.systems**2 * self.winners * FIRST < 2**31 else "BIGINT"
        return (
            f"((CAST({a} AS {kind}) * {self.systems} + {b}) * {self.winners} + {winner}) "
            f"* {FIRST} + {shown}"
        )

    def of(self, a: Any, b: Any, winner: Any, first: Any) -> NDArray[np.int64]:
        """The numbers of votes."""
        found = ((a * self.systems + b) * self.winners + winner) * FIRST + first
        return np.asarray(found, dtype=np.int64)

    def parts(self, number: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """What numbers stand for: ``a``, ``b``, ``winner``, ``first`` (0: unknown)."""
        rest, first = np.divmod(number, FIRST)
        rest, winner = np.divmod(rest, self.winners)
        a, b = np.divmod(rest, self.systems)
        return {"a": a, "b": b, "winner": winner, "first": first}


def vote_numbers(connection: DuckDBPyConnection) -> VoteNumbers:
    """How the votes of a database are numbered."""
    ((systems, winners),) = connection.execute(
        "SELECT len(enum_range(CAST(NULL AS systems))), len(enum_range(CAST(NULL AS winners)))"
    ).fetchall()
    return VoteNumbers(int(systems), int(winners))
