"""Ratings as arrays of numbers, which came out of the database in one query.

Two queries may give the same rows in two orders, so everything that belongs to a row is asked for
at once. What is added up from these arrays is exact where scores are whole numbers; where they are
not, one thread reads them, so that the order of the rows is that of the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.moments import Moments, sums

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from jurybox.tally.encode import Encoded

__all__ = ["Numbered", "RatingSums", "fetch"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
DENSE = 4
"""Outputs per row up to which each has a place of its own."""
SMALL = 1_000_000
"""Places that are never too many."""
FEW = 100_000
"""Rows up to which several threads cost more than they save."""
MOST_VALUES = 1000
"""Whole numbers up to which how often each was given is counted by place."""


@dataclass(frozen=True, slots=True, eq=False)
class RatingSums:
    """Sums per system, and the moments of its clusters; see ``ratios.RatioSums``."""

    value: Array
    u: Array
    n: Numbers
    by: dict[str, Moments]


@dataclass(frozen=True, slots=True, eq=False)
class Numbered:
    """The number of every row's output and rater, and its score; of one criterion."""

    output: Numbers
    """The item's number times how many systems there are, plus the system's number."""
    rater: NDArray[Any]
    system: NDArray[Any]
    score: Array
    count: Numbers
    """How many rows each output has."""
    n_systems: int
    n_raters: int
    is_whole: bool

    def sums(self, kinds: tuple[str, ...]) -> RatingSums:
        """The sums of scores; no rater may have an output twice."""
        n = self.count.reshape(-1, self.n_systems).sum(axis=0)
        center = float(self.score.sum()) / max(len(self.score), 1)
        # Whole numbers stay whole until they are added up, and nothing depends on their order.
        taken = float(np.rint(center)) if self.is_whole else center
        left = center - taken
        x = self.score - taken
        total: Array | None = None
        by: dict[str, Moments] = {}
        for kind in ("item", "rater"):
            if kind not in kinds:
                continue
            key, count = self.output, self.count
            if kind == "rater":
                key = self.rater.astype(np.int64) * self.n_systems + self.system
                count = np.bincount(key, minlength=self.n_raters * self.n_systems)
            added = sums(key, x, len(count)).reshape(-1, self.n_systems)
            w = count.reshape(-1, self.n_systems)
            total = added.sum(axis=0) if total is None else total
            by[kind] = _moments(added - left * w if left else added, w)
        if total is None:
            total = sums(self.system, x, self.n_systems)
        u = total - left * n
        if "cell" in kinds:
            squares = sums(self.system, x * x, self.n_systems)
            by["cell"] = Moments(n, squares - 2 * left * total + left * left * n, u, n * 1.0)
        with np.errstate(invalid="ignore"):
            return RatingSums((total + taken * n) / n, u, n, by)

    def score_counts(self) -> dict[int, tuple[Array, Array]] | None:
        """The values that each system was given, and how often; ``None`` if they are not few."""
        if not self.is_whole or not len(self.score):
            return None
        low = float(self.score.min())
        width = int(self.score.max() - low) + 1
        if width > MOST_VALUES:
            return None
        key = (self.score - low).astype(np.int64)
        key += self.system.astype(np.int64) * width
        found = np.bincount(key, minlength=self.n_systems * width).reshape(-1, width)
        return {
            system: (np.flatnonzero(row).astype(np.float64) + low, row[row > 0].astype(np.float64))
            for system, row in enumerate(found)
            if row.any()
        }


def fetch(
    connection: DuckDBPyConnection, encoded: Encoded, columns: Mapping[str, tuple[str, int]]
) -> Numbered | None:
    """The rows that count; ``columns`` gives numbers, in SQL, and how many there are.

    ``None`` where few of the outputs that could be have a row.
    """
    listed = ", ".join(f"{number} AS {name}" for name, (number, _) in columns.items())
    ((threads, n_rows),) = connection.execute(
        "SELECT current_setting('threads'), count(*) FROM raw"
    ).fetchall()
    if n_rows > FEW:
        connection.execute("RESET threads" if encoded.is_whole else "SET threads = 1")
    found = connection.execute(f"SELECT {listed}, score FROM answered").fetchnumpy()
    connection.execute(f"SET threads = {threads}")
    n_items, n_systems = columns["item"][1], columns["system"][1] if "system" in columns else 1
    score = np.asarray(found["score"], dtype=np.float64)
    if n_items * n_systems > max(DENSE * len(score), SMALL):
        return None
    output = np.asarray(found["item"], dtype=np.int64)
    system = np.zeros(len(score), dtype=np.uint8)
    if "system" in columns:
        system = np.asarray(found["system"])
        output = output * n_systems
        output += system
    return Numbered(
        output=output,
        rater=np.asarray(found["rater"]),
        system=system,
        score=score,
        count=np.bincount(output, minlength=n_items * n_systems),
        n_systems=n_systems,
        n_raters=columns["rater"][1],
        is_whole=encoded.is_whole,
    )


def _moments(u: Array, w: Numbers) -> Moments:
    """Sums over clusters, in rows, of products per system."""
    weight = w.astype(np.float64)
    return Moments(
        np.count_nonzero(w, axis=0),
        np.einsum("ck,ck->k", u, u),
        np.einsum("ck,ck->k", u, weight),
        np.einsum("ck,ck->k", weight, weight),
    )
