"""Ratings of whole numbers, as two numbers a row, which came out of the database in one query.

Two queries may give the same rows in two orders, so everything that belongs to a row is asked for
at once: the number of its output, and one that tells its rater, system and score. All sums are of
whole numbers, so they are exact, and no digit depends on the order of the rows. Rows are worked on
in blocks that stay in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.moments import Moments

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from jurybox.tally.encode import Encoded

__all__ = ["Numbered", "RatingSums", "add_up", "bits_of", "blocks", "fetch"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
DENSE = 4
"""Outputs per row up to which each has a place of its own."""
SMALL = 1_000_000
"""Places that are never too many."""
FEW = 100_000
"""Rows below which this saves nothing."""
BLOCK = 1 << 17
"""Rows worked on at a time."""
MARKS = 52
"""Bits of a double, by which raters are told apart."""
SUM = 32
"""Bits of a double for the sum of an output's scores; those above count them."""


@dataclass(frozen=True, slots=True, eq=False)
class RatingSums:
    """Sums per system, and the moments of its clusters; see ``ratios.RatioSums``."""

    value: Array
    u: Array
    n: Numbers
    by: dict[str, Moments]


@dataclass(frozen=True, slots=True, eq=False)
class Numbered:
    """Ratings of one criterion, no rater's of an output twice."""

    output: NDArray[np.uint32]
    """The item's number times how many systems there are, plus the system's number."""
    answer: NDArray[np.uint32]
    """The rater's number, then the system's, then how far the score lies above the lowest."""
    n_outputs: int
    n_raters: int
    n_systems: int
    low: float
    width: int
    """How many whole numbers there are from the lowest score to the highest."""
    count: Numbers
    """How many ratings each output has."""
    added: Numbers
    """How far their scores lie above the lowest, added up."""
    given: Numbers
    """Raters × systems × scores: how often."""

    def sums(self, kinds: tuple[str, ...]) -> RatingSums:
        """The sums of scores."""
        above = np.arange(self.width)
        by_score = self.given.sum(axis=0)
        n, total = by_score.sum(axis=1), by_score @ above
        center = float(total.sum()) / max(int(n.sum()), 1)
        by: dict[str, Moments] = {}
        if "item" in kinds:
            shape = (-1, self.n_systems)
            by["item"] = _moments(self.added.reshape(shape), self.count.reshape(shape), center)
        if "rater" in kinds:
            by["rater"] = _moments(self.given @ above, self.given.sum(axis=2), center)
        u = total - center * n
        if "cell" in kinds:
            squares = by_score @ (above - center) ** 2
            by["cell"] = Moments(n, squares, u, n.astype(np.float64))
        value = (self.low * n + total) / np.maximum(n, 1)
        return RatingSums(value, u, n, by)

    def score_counts(self) -> dict[int, tuple[Array, Array]]:
        """The values that each system was given, and how often."""
        found = self.given.sum(axis=0).astype(np.float64)
        values = np.arange(self.width, dtype=np.float64) + self.low
        return {
            system: (values[row > 0], row[row > 0]) for system, row in enumerate(found) if row.any()
        }


def fetch(
    connection: DuckDBPyConnection, encoded: Encoded, columns: Mapping[str, tuple[str, int]]
) -> Numbered | None:
    """The ratings that count; ``columns`` gives numbers, in SQL, and how many there are.

    ``None`` where there are few, where scores are not whole or far apart, where few of the outputs
    that could be have a rating, or where a rater may have one twice.
    """
    if not encoded.is_whole:
        return None
    low, high = encoded.ranges["score"]
    width = int(high - low) + 1
    n_items, n_raters = columns["item"][1], columns["rater"][1]
    system, n_systems = columns.get("system", ("0", 1))
    threads, n_rows = connection.execute(
        "SELECT current_setting('threads'), count(*) FROM raw"
    ).fetchall()[0]
    n_outputs, n_answers = n_items * n_systems, n_raters * n_systems * width
    if max(n_outputs, n_answers) > max(DENSE * n_rows, SMALL) or n_outputs >= 2**32:
        return None
    if n_rows < FEW:
        return None
    connection.execute("RESET threads")
    # Doubles, in which these numbers are exact: whole ones would each be watched for an overflow.
    item, rater = (f"CAST({columns[name][0]} AS DOUBLE)" for name in ("item", "rater"))
    found = connection.execute(
        f"SELECT CAST({item} * {n_systems}e0 + {system} AS UINTEGER) AS output, "
        f"CAST({rater} * {n_systems * width}e0 - {int(low)}e0 + CAST({system} AS DOUBLE) * "
        f"{width}e0 + score AS UINTEGER) AS answer FROM answered"
    ).fetchnumpy()
    connection.execute(f"SET threads = {threads}")
    output, answer = np.asarray(found["output"]), np.asarray(found["answer"])
    given = np.zeros(n_answers, dtype=np.int64)
    for _, part in blocks(output, answer):
        given += np.bincount(part, minlength=n_answers)
    above = np.tile(np.arange(width), n_raters * n_systems)
    packed = add_up(n_outputs, output, answer, above + 2.0**SUM)
    added, count = packed & (1 << SUM) - 1, packed >> SUM
    # A sum that outgrows its bits goes into the next, and both no longer add up.
    if int(count.sum()) != len(output) or int(added.sum()) != int(given @ above):
        return None
    bit = np.repeat(np.arange(n_raters) % MARKS, n_systems * width)
    marks = add_up(n_outputs, output, answer, np.exp2(bit))
    if not _differ(output, answer, n_systems * width, bits_of(marks) == count):
        return None
    return Numbered(
        output=output,
        answer=answer,
        n_outputs=n_outputs,
        n_raters=n_raters,
        n_systems=n_systems,
        low=low,
        width=width,
        count=count,
        added=added,
        given=given.reshape(n_raters, n_systems, width),
    )


def blocks(*arrays: NDArray[Any]) -> Iterator[tuple[NDArray[Any], ...]]:
    """Arrays in parts that stay in the cache."""
    for start in range(0, len(arrays[0]), BLOCK):
        yield tuple(each[start : start + BLOCK] for each in arrays)


def add_up(
    n: int, output: NDArray[np.uint32], answer: NDArray[np.uint32], weights: NDArray[Any]
) -> Numbers:
    """The weights of the answers that each of n outputs has, added up."""
    found = np.zeros(n)
    for outputs, answers in blocks(output, answer):
        np.add.at(found, outputs.astype(np.int64), weights.take(answers))
    return found.astype(np.int64)


def _differ(
    output: NDArray[np.uint32], answer: NDArray[np.uint32], each: int, sure: NDArray[np.bool_]
) -> bool:
    """Whether no rater has an output twice; of some outputs it is known.

    Every rater, who has so many answers, has one of few bits, and adding up those of an output
    carries where two have the same. Only outputs with a carry are looked at more closely.
    """
    if sure.all():
        return True
    unsure = ~sure
    found = []
    for outputs, answers in blocks(output, answer):
        close = np.flatnonzero(unsure.take(outputs))
        found.append(outputs[close].astype(np.int64) << 32 | answers[close] // each)
    keys = np.sort(np.concatenate(found))
    return not bool((keys[1:] == keys[:-1]).any())


def bits_of(numbers: NDArray[Any]) -> Numbers:
    """How many bits are set in each number."""
    if hasattr(np, "bitwise_count"):
        return np.asarray(np.bitwise_count(numbers), dtype=np.int64)
    bits = np.unpackbits(numbers.view(np.uint8).reshape(-1, 8), axis=1)
    return np.asarray(bits.sum(axis=1), dtype=np.int64)


def _moments(added: Numbers, count: Numbers, center: float) -> Moments:
    """Sums over clusters, in rows, of products per system; the center is taken out of each row."""
    w = count.astype(np.float64)
    u = added - center * w
    uu, uw, ww = (np.einsum("ck,ck->k", one, two) for one, two in ((u, u), (u, w), (w, w)))
    return Moments(np.count_nonzero(count, axis=0), uu, uw, ww)
