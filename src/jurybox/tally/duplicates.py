"""Whether a rater answered the same question twice."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError
from jurybox.formats import format_count
from jurybox.tally.encode import Encoded
from jurybox.tally.numbered import Numbered, bits_of, fetch
from jurybox.tally.shapes import Shape
from jurybox.tally.vote_numbers import vote_numbers

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Looked", "are_distinct", "refuse_duplicates"]

LARGEST = 2**62
"""The most numbers that a key may have."""
BITS = 52
"""Of a double, in which each of so many numbers has a place of its own."""
SPARSE = 4
"""Doubles per number from which on sorting is cheaper than marking."""
DENSE = 4
"""Questions per row up to which each has a place of its own."""
OUTPUT = ({"item", "rater"}, {"item", "rater", "system"})
"""What tells one rating from the next where there is one criterion."""
SLICE = 262_144
"""Rows worked on at a time, if more are not cheaper."""
FEW = 10_000
"""Repeated keys up to which only their rows are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """What a look for repeated answers finds."""

    once: bool
    """Whether no rater answered a criterion twice on an output."""
    alone: bool = False
    """Whether it was seen that no rater has two rows of an item."""
    numbered: Numbered | None = None
    """The ratings as numbers, where they had to be looked at."""
    votes: Mapping[str, NDArray[Any]] | None = None
    """The votes as numbers, where they had to be looked at: item, rater, and vote, which says the
    rest (``vote_numbers``)."""


def refuse_duplicates(
    connection: DuckDBPyConnection,
    shape: Shape,
    where: str,
    columns: frozenset[str],
    encoded: Encoded,
    *,
    numbers: bool = False,
) -> Looked:
    """Refuse a rater's second answer to a trial; ``numbers``: keep ratings and votes as such."""
    parts = _parts(shape, columns, encoded)
    rows = "answered"
    if numbers and shape.name == "ratings" and set(parts) in OUTPUT and "score" in encoded.ranges:
        numbered = fetch(connection, encoded, parts)
        if numbered is not None:
            return Looked(True, numbered=numbered)
    if parts:
        listed = ", ".join(f"{number} AS {name}" for name, (number, _) in parts.items())
        votes = None
        if numbers and shape.name == "votes":
            ids = votes = _fetch_votes(connection, encoded, parts)
        else:
            ids = connection.execute(f"SELECT {listed} FROM answered").fetchnumpy()
        sizes = {name: n for name, (_, n) in parts.items()}
        if _are_alone(ids, sizes):
            return Looked(True, alone=True, votes=votes)
        if votes is not None:
            sides = vote_numbers(connection).parts(votes["vote"])
            a, b = sides["a"], sides["b"]
            ids = {**votes, "one": np.minimum(a, b), "two": np.maximum(a, b)}
        if _are_raters_distinct(ids, sizes):
            return Looked(True, votes=votes)
        keys, size = _keys(ids, sizes)
        if are_distinct(keys, size):
            return Looked(True, votes=votes)
        keys.sort()
        repeated = np.unique(keys[1:][keys[1:] == keys[:-1]])
        if len(repeated) <= FEW and size < LARGEST:
            key = "CAST(0 AS BIGINT)"
            for number, n in parts.values():
                key = f"({key} * {n} + {number})"
            listed = ", ".join(map(str, repeated.tolist()))
            rows = f"(SELECT * FROM answered WHERE {key} IN ({listed}))"
    if encoded.aside:
        rows = _with_aside(rows, encoded)
    _refuse(connection, rows, where, shape, columns | set(encoded.aside), encoded)
    return Looked(False)


def _fetch_votes(
    connection: DuckDBPyConnection, encoded: Encoded, parts: Mapping[str, tuple[str, int]]
) -> dict[str, NDArray[Any]]:
    """All numbers of every vote at once: two queries may give the rows in two orders."""
    vote = vote_numbers(connection).sql(encoded.numbers, first="first" in encoded.numbers)
    shown = {name: sql for name, (sql, _) in parts.items() if name not in ("one", "two")}
    listed = ", ".join(f"{sql} AS {name}" for name, sql in {**shown, "vote": vote}.items())
    found = connection.execute(f"SELECT {listed} FROM answered").fetchnumpy()
    return {name: np.asarray(part) for name, part in found.items()}


def _with_aside(rows: str, encoded: Encoded) -> str:
    """The rows with the columns that were left where they are."""
    left = ", ".join(f"{sql} AS {column}" for column, sql in encoded.aside.items())
    known = " EXCLUDE (trial)" if "trial" in encoded.aside else ""
    return (
        f"(SELECT a.*{known}, b.* EXCLUDE (rid) FROM {rows} a JOIN "
        f"(SELECT row_number() OVER () AS rid, {left} FROM raw) b USING (rid))"
    )


def _parts(shape: Shape, columns: frozenset[str], encoded: Encoded) -> dict[str, tuple[str, int]]:
    """What tells one question to a rater from the next: numbers, in SQL, and how many there are."""
    if "item" not in columns:
        return {}
    parts = {name: (encoded.numbers[name], encoded.names[name].n) for name in ("item", "rater")}
    criteria = encoded.names.get("criterion")
    if criteria is not None and criteria.words != (criteria.words or ())[:1]:
        parts["criterion"] = ("enum_code(criterion)", criteria.n)
    if shape.name == "votes":
        n = encoded.names["system_a"].n
        for name, f in (("one", "least"), ("two", "greatest")):
            sides = f"{encoded.numbers['system_a']}, {encoded.numbers['system_b']}"
            parts[name] = (f"{f}({sides})", n)
    elif "system" in columns:
        parts["system"] = (encoded.numbers["system"], encoded.names["system"].n)
    elif shape.name == "detections":
        parts["system"] = (encoded.numbers["truth"], encoded.names["truth"].n)
    return parts


def _are_raters_distinct(ids: Mapping[str, NDArray[Any]], sizes: Mapping[str, int]) -> bool:
    """Whether it is certain that all raters of a question differ, where questions are not too many.

    Every rater has one of few bits, and adding up those of a question carries where two have the
    same. Only questions with a carry are looked at more closely.
    """
    n_rows = len(ids["rater"])
    if math.prod(sizes.values()) // max(sizes["rater"], 1) > DENSE * n_rows:
        return False
    question, n = np.zeros(n_rows, dtype=np.int64), 1
    for name, size in sizes.items():
        if name != "rater":
            question = question * size + ids[name]
            n *= size
    return _differ(question, np.bincount(question, minlength=n), ids["rater"], sizes["rater"])


def _differ(
    question: NDArray[np.int64], count: NDArray[np.int64], rater: NDArray[Any], n_raters: int
) -> bool:
    """Whether the raters of each question, which has so many, are certain to differ."""
    own = np.exp2(np.arange(n_raters) % BITS)
    marks = np.bincount(question, weights=own.take(rater), minlength=len(count))
    carried = bits_of(marks.astype(np.uint64)) != count
    if not carried.any():
        return True
    close = np.flatnonzero(carried.take(question))
    keys = question[close] * n_raters + rater[close]
    keys.sort()
    return not bool((keys[1:] == keys[:-1]).any())


def _are_alone(ids: Mapping[str, NDArray[Any]], sizes: Mapping[str, int]) -> bool:
    """Whether it is certain that no rater has two rows of an item, where that is quickly seen.

    It is looked at where questions are so many that they would have to be sorted. Each rater has a
    bit of its own among those of an item; see ``are_distinct``.
    """
    item, rater = ids["item"], ids["rater"]
    few = SPARSE * BITS * len(item)
    if math.prod(sizes.values()) <= few or sizes["item"] * sizes["rater"] > few:
        return False
    word, bit = np.divmod(np.arange(sizes["rater"]), BITS)
    own, words = np.exp2(bit), int(word[-1]) + 1
    marks = np.zeros(sizes["item"] * words)
    step = max(SLICE, len(marks))
    for low in range(0, len(item), step):
        here = rater[low : low + step]
        place = np.multiply(item[low : low + step], words, dtype=np.int64)
        place += word.take(here)
        marks += np.bincount(place, own.take(here), len(marks))
    return _has_bits(marks, len(item))


def _keys(
    ids: Mapping[str, NDArray[Any]], sizes: Mapping[str, int]
) -> tuple[NDArray[np.int64], int]:
    """Questions as numbers, and how many numbers there are.

    What is too large for a number is put in order first.
    """
    keys, size = np.zeros(len(next(iter(ids.values()))), dtype=np.int64), 1
    for name, n in sizes.items():
        if size * n >= LARGEST:
            keys = np.unique(keys, return_inverse=True)[1].ravel()
            size = len(keys)
        keys *= n
        keys += ids[name]
        size *= n
    return keys, size


def are_distinct(keys: NDArray[np.int64], size: int) -> bool:
    """Whether no two of the keys, whole numbers below ``size``, are equal.

    Each key has a bit of its own in an array of doubles. Adding the bits up carries exactly where
    two keys are equal, and every carry leaves fewer bits than there are keys. Where there are too
    few keys for that, they are sorted in place.
    """
    if size > SPARSE * BITS * len(keys):
        keys.sort()
        return not bool((keys[1:] == keys[:-1]).any())
    place, bit = np.divmod(keys, BITS)
    return _has_bits(np.bincount(place, weights=np.exp2(bit)), len(keys))


def _has_bits(marks: NDArray[Any], n: int) -> bool:
    """Whether so many bits are set in the numbers, and none beyond those of a double."""
    whole = marks.astype(np.uint64)
    return bool((marks < 2.0**BITS).all()) and int(bits_of(whole).sum()) == n


def _refuse(
    connection: DuckDBPyConnection,
    rows: str,
    where: str,
    shape: Shape,
    columns: frozenset[str],
    encoded: Encoded,
) -> None:
    keys = ["rater", *(c for c in ("item", "criterion", "trial") if c in columns)]
    # A judge answers a trial once per order, which is known by who came first or by the place of an
    # output, and per repeat.
    keys += [
        f"CASE WHEN rater_kind = 'judge' THEN {column} END"
        for column in ("first", "place", "repeat")
        if column in columns and "rater_kind" in columns
    ]
    either = ["least(system_a, system_b)", "greatest(system_a, system_b)"]
    keys += either if shape.name == "votes" else ["system"]
    found = connection.execute(
        f"SELECT any_value(rater), any_value(item), any_value(trial), any_value(criterion), "
        f"min(rid), max(rid) FROM {rows} GROUP BY {', '.join(keys)} HAVING count(*) > 1 "
        "ORDER BY min(rid)"
    ).fetchall()
    if found:
        rater, item, trial, criterion, first, last = found[0]
        unit = trial or _name(connection, "item", item, encoded)
        cases = format_count(len(found), "such case")
        raise InputError(
            f"{where}: rater {_name(connection, 'rater', rater, encoded)} answered {criterion!r} "
            f"on {unit} more than once (rows {first} and {last}; {cases}); keep one "
            "row of each, or tell repeated trials apart by a column 'trial'"
        )


def _name(
    connection: DuckDBPyConnection, column: str, value: str | int | None, encoded: Encoded
) -> str:
    """The name of an item or rater, of which the rows may have only the number."""
    if isinstance(value, int) and encoded.numbers.get(column) == column:
        ((name,),) = connection.execute(
            f"SELECT any_value(name) FROM names_of_{column}s WHERE number = {value}"
        ).fetchall()
        return str(name)
    return str(value)
