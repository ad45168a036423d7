"""Ratios of sums, reduced in the database: what means, rates and differences are computed from.

A reduction is a selection of rows ``(k, item, rater, rid, u, w)``: ratio ``k`` is Σu / Σw. The rows
leave the database once, as numbers, in the order of the table, so that no sum depends on how many
threads there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.dictionaries import WHOLE
from jurybox.tally.moments import Moments, moments, sums
from jurybox.tally.numbered import Numbered
from jurybox.tally.reading import MANY
from jurybox.tally.responses import Responses
from jurybox.tally.source import text
from jurybox.tally.within import Scores, within

__all__ = [
    "RatioMoments",
    "RatioSums",
    "added_up",
    "between",
    "binary",
    "code_of",
    "mean_of",
    "pass_mark",
    "reduce",
    "reduce_pairs",
    "sized",
    "within_items",
]

PAIR = "(CAST(enum_code({one}) AS BIGINT) << 32 | enum_code({two}))"
"""Two systems as one number, which the database groups by faster than by their names."""
LARGEST = 2**62
"""The most cells of a ratio that can be numbered."""
MEANS = 20_000_000
"""The most means of systems on items that are held at once."""
NOISE = 1e-14
"""Of the scores' size: no difference between means of them is that small but by rounding."""
CRITERION = 48
"""The bit of a pair's number from which on it counts criteria; below are its two systems."""


RatioMoments = Moments


@dataclass(frozen=True, slots=True, eq=False)
class RatioSums:
    """K ratios as sums, with the moments of their clusters.

    ``names`` are the systems or, of pairs of systems, their numbers (see ``between``).
    ``value`` is Σu / Σw as it stands; in ``u`` and the moments the mean of all rows is taken out of
    every row, which keeps digits where scores are large and alike.
    """

    names: tuple[Any, ...]
    value: NDArray[np.float64]
    u: NDArray[np.float64]
    w: NDArray[np.float64]
    n: NDArray[np.int64]
    by: Mapping[str, RatioMoments]
    size: NDArray[np.float64] | None = None
    """How large the scores are of which a ratio is a difference; see ``sized``."""


def reduce(
    responses: Responses,
    rows: str,
    *,
    cross: bool = False,
    single: bool = False,
    cells: bool = True,
) -> RatioSums:
    """Reduce rows ``(k, item, rater, rid, u, w)`` to sums.

    ``cross``: also for every two ratios. ``single``: also with every response a cluster of its own,
    which is what is left where the table names neither items nor raters. ``cells``: also by item
    × rater, which only an interval clustered both ways needs.
    """
    kinds = _kinds(responses, cells=cells)
    kinds = (*kinds, "row") if single or not kinds else kinds
    needed = [name for name in ("item", "rater", "rid") if _uses(kinds, name)]
    each = isinstance(rows, EachResponse)
    alone = each and responses.once and responses.is_lean and has_one_criterion(responses)
    known = responses.numbered
    plain = isinstance(rows, EachResponse) and rows.value == "score" and "row" not in kinds
    if plain and alone and not cross and known is not None:
        return _from_numbers(responses, known, kinds)
    long = _fetch(responses, f"({rows.replace('{r}', responses.source)})", needed, ones=each)
    k, n = long.k, len(long.names)
    w = np.bincount(k, minlength=n).astype(np.float64) if long.w is None else sums(k, long.w, n)
    center = float(long.u.sum() / w.sum()) if n else 0.0
    moved = long.u - (center if long.w is None else center * long.w)
    once = {"row": each, "cell": alone}
    return RatioSums(
        names=long.names,
        value=sums(k, long.u, n) / w,
        u=sums(k, moved, n),
        w=w,
        n=np.bincount(k, minlength=n),
        by={
            kind: moments(
                *long.clusters(kind),
                k,
                n,
                moved,
                long.w,
                cross=cross,
                alone=once.get(kind, False),
            )
            for kind in kinds
        },
    )


def added_up(
    names: Sequence[Any],
    k: NDArray[np.int64],
    value: NDArray[np.float64],
    item: NDArray[np.int64],
    rater: NDArray[np.int64],
    *,
    cross: bool = False,
) -> RatioSums:
    """The sums of means of values that are arrays already; k says of which mean each one is."""
    n = len(names)
    count = np.bincount(k, minlength=n)
    moved = value - float(value.mean())
    clusters = {"item": item, "rater": rater, "cell": item * (int(rater.max()) + 1) + rater}
    return RatioSums(
        names=tuple(names),
        value=sums(k, value, n) / count,
        u=sums(k, moved, n),
        w=count.astype(np.float64),
        n=count,
        by={
            kind: moments(at, int(at.max()) + 1, k, n, moved, None, cross=cross)
            for kind, at in clusters.items()
        },
    )


def has_one_criterion(responses: Responses) -> bool:
    """Whether it is certain that all responses answer one criterion."""
    known = responses.encoded.names.get("criterion")
    return known is None or (known.words is not None and len(known.words) == 1)


def _uses(kinds: Sequence[str], column: str) -> bool:
    own = {"item": ("item", "cell"), "rater": ("rater", "cell"), "rid": ("row",)}
    return any(kind in own[column] for kind in kinds)


@dataclass(frozen=True, slots=True, eq=False)
class _Long:
    """The rows of a reduction as numbers."""

    names: tuple[Any, ...]
    k: NDArray[np.int64]
    u: NDArray[np.float64]
    w: NDArray[np.float64] | None
    """``None`` if 1 in every row."""
    ids: Mapping[str, NDArray[np.int64]]

    def clusters(self, kind: str) -> tuple[NDArray[np.int64], int]:
        """The cluster of every row, as a number, and how many numbers there are."""
        if kind != "cell":
            each = self.ids["rid" if kind == "row" else kind]
            return each, int(each.max(initial=-1)) + 1
        items, n_items = self.clusters("item")
        raters, n_raters = self.clusters("rater")
        if n_items * n_raters * max(len(self.names), 1) >= LARGEST:
            items = np.unique(items, return_inverse=True)[1]
            n_items = int(items.max(initial=-1)) + 1
        return items * n_raters + raters, n_items * n_raters


def _from_numbers(responses: Responses, known: Numbered, kinds: tuple[str, ...]) -> RatioSums:
    """The sums of scores that are numbers already."""
    found = known.sums(kinds)
    there = np.flatnonzero(found.n)
    names = responses.value("SELECT enum_range(CAST(NULL AS systems))")
    return RatioSums(
        names=tuple(names[i] for i in there.tolist()),
        value=found.value[there],
        u=found.u[there],
        w=found.n[there].astype(np.float64),
        n=found.n[there],
        by={
            kind: Moments(each.clusters[there], each.uu[there], each.uw[there], each.ww[there])
            for kind, each in found.by.items()
        },
    )


def _fetch(responses: Responses, rows: str, ids: Sequence[str], *, ones: bool) -> _Long:
    connection = responses.connection
    described = connection.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()
    types = {str(row[0]): str(row[1]) for row in described}
    names: list[Any] | None = None
    k = "k"
    if types["k"].startswith("ENUM"):
        first = connection.execute(f"SELECT enum_range(k) FROM {rows} LIMIT 1").fetchall()
        names, k = (list(first[0][0]) if first else []), "enum_code(k)"
    elif types["k"] not in WHOLE:
        words = connection.execute(
            f"SELECT DISTINCT k, CAST(k AS VARCHAR) FROM {rows} ORDER BY k"
        ).fetchall()
        names = [row[0] for row in words]
        listed = ", ".join(text(row[1]) for row in words)
        k = f"list_position([{listed}], CAST(k AS VARCHAR)) - 1" if names else "0"
    codes = "".join(f", {code_of(name, types[name])} AS {name}" for name in ids)
    if responses.in_place:
        # Several threads would give the rows in any order, and the last digits of sums with it.
        connection.execute("SET threads = 1")
    # Doubles: a product of decimals would outgrow its type.
    found = connection.execute(
        f"SELECT {k} AS k, CAST(u AS DOUBLE) AS u{'' if ones else ', CAST(w AS DOUBLE) AS w'}"
        f"{codes} FROM {rows}"
    ).fetchnumpy()
    if responses.in_place > MANY:
        connection.execute("RESET threads")
    numbers = np.asarray(found["k"], dtype=np.int64)
    present, numbers = _number(numbers)
    return _Long(
        names=tuple(present.tolist() if names is None else (names[i] for i in present.tolist())),
        k=numbers,
        u=np.asarray(found["u"], dtype=np.float64),
        w=None if ones else np.asarray(found["w"], dtype=np.float64),
        ids={name: _dense(np.asarray(found[name], dtype=np.int64)) for name in ids},
    )


def code_of(column: str, kind: str) -> str:
    """A column of ids as numbers, in SQL."""
    if kind.startswith("ENUM"):
        return f"enum_code({column})"
    return column if kind in WHOLE else f"dense_rank() OVER (ORDER BY {column}) - 1"


def _number(
    values: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct values in order, and the place of each value among them."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    # Two systems stand in the two halves of one number, and neither half is large.
    packed, most = values, high
    if low >= 0 and high > len(values):
        below = int((values & 0xFFFFFFFF).max()) + 1
        packed, most = (values >> 32) * below + (values & 0xFFFFFFFF), (high >> 32) * below + below
    if low < 0 or most > max(4 * len(values), 1_000_000):
        present, place = np.unique(values, return_inverse=True)
        return present, place.ravel()
    there = np.bincount(packed, minlength=most + 1) > 0
    present = np.flatnonzero(there)
    if packed is not values:
        present = (present // below << 32) | present % below
    return present, (np.cumsum(there) - 1)[packed]


def _dense(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Ids as they are, or renumbered where they lie far apart."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    if low >= 0 and high <= max(4 * len(values), 1_000_000):
        return values
    return np.unique(values, return_inverse=True)[1].ravel()


def _kinds(responses: Responses, *, cells: bool) -> tuple[str, ...]:
    kinds = []
    if responses.has_item:
        kinds.append("item")
    if responses.has_rater:
        kinds.append("rater")
    if len(kinds) == 2 and cells:
        kinds.append("cell")
    return tuple(kinds)


class EachResponse(str):
    """Rows of which there is one for each response, with its system for k and a weight of 1."""

    __slots__ = ("value",)
    value: str


def mean_of(value: str, *, by: str = "system") -> str:
    """The rows of a mean of a column (or expression) per system."""
    rows = f"SELECT {by} AS k, item, rater, rid, {value} AS u, 1 AS w FROM {{r}}"
    if by != "system":
        return rows
    made = EachResponse(rows)
    made.value = value
    return made


def binary(condition: str, *, by: str = "system") -> str:
    """The rows of the share of responses for which a condition holds."""
    return mean_of(f"CASE WHEN {condition} THEN 1 ELSE 0 END", by=by)


def pass_mark(mark: float, *, higher: bool = True) -> str:
    """The rows of the share of scores at or beyond the pass mark."""
    return binary(f"score {'>=' if higher else '<='} {mark!r}")


def within_items(value: str = "score", *, against: str | None = None) -> str:
    """The rows of every two systems' difference within the items that both have.

    ``against``: the system that all pairs have, if one is wanted.

    The item's level α = (mean of one + mean of the other)/2 is taken out of every score, so that
    a rater who saw an item under one system only does not carry the item's difficulty.
    """
    name = PAIR.format(one="a.system", two="b.system")
    wanted = "" if against is None else f" AND {text(against)} IN (a.system, b.system)"
    return (
        f"WITH m AS (SELECT item, system, avg({value}) AS m, count(*) AS n FROM {{r}} "
        "GROUP BY item, system), "
        f"shared AS (SELECT a.item, {name} AS k, a.system AS s, b.system AS t, "
        "(a.m + b.m) / 2 AS level, a.n AS ns, b.n AS nt "
        f"FROM m a JOIN m b ON a.item = b.item AND a.system < b.system{wanted}) "
        "SELECT k, r.item, r.rater, r.rid, "
        f"CASE WHEN r.system = s THEN (r.{value} - level) / ns ELSE (level - r.{value}) / nt END "
        "AS u, 0.5 / CASE WHEN r.system = s THEN ns ELSE nt END AS w "
        "FROM {r} r JOIN shared ON r.item = shared.item AND (r.system = s OR r.system = t)"
    )


def reduce_pairs(
    parts: Sequence[Responses],
    *,
    cross: bool = False,
    single: bool = False,
    cells: bool = True,
    against: str | None = None,
) -> RatioSums | None:
    """What ``reduce`` makes of ``within_items``, without a row per response and pair.

    Every part is a criterion; its number is added to a pair's from bit ``CRITERION`` on. ``None``
    where items and systems are too many for a table of their means.
    """
    kinds = _kinds(parts[0], cells=cells)
    kinds = (*kinds, "row") if single or not kinds else kinds
    fetched = [_scores(part) for part in parts]
    n_systems = max(int(each["system"].max(initial=-1)) + 1 for each in fetched)
    made = {
        name: np.concatenate([np.asarray(each[name]) for each in fetched]) for name in fetched[0]
    }
    criterion = np.repeat(np.arange(len(parts)), [len(each["x"]) for each in fetched])
    item = _dense(made["item"].astype(np.int64))
    n_items = int(item.max(initial=-1)) + 1
    if n_items * n_systems * len(parts) > MEANS:
        return None
    found = within(
        Scores(
            column=criterion * n_systems + made["system"],
            item=item,
            rater=made["rater"].astype(np.int64) if "rater" in made else None,
            score=made["x"].astype(np.float64),
            n_criteria=len(parts),
            n_systems=n_systems,
        ),
        kinds,
        cross=cross,
        against=None if against is None else _code(parts[0], against),
    )
    numbers = (found.pairs[:, 0] << CRITERION) | (found.pairs[:, 1] << 32) | found.pairs[:, 2]
    return RatioSums(
        names=tuple(numbers.tolist()),
        value=found.value,
        u=found.u,
        w=found.w,
        n=found.n,
        by=found.by,
    )


def _code(part: Responses, system: str) -> int:
    """The number that stands for a system."""
    names: list[str] = part.value("SELECT enum_range(CAST(NULL AS systems))")
    return names.index(system)


def sized(found: RatioSums, parts: Sequence[Responses]) -> RatioSums:
    """Differences between scores, with the size of these; what rounding leaves of them is 0.

    Means of the same scores in another order differ in their last digit, and are equal. ``parts``:
    the criteria, in the order of their numbers.
    """
    rows = [part.value("SELECT sqrt(avg(score * score)) FROM {r}") for part in parts]
    criteria = [name >> CRITERION if len(parts) > 1 else 0 for name in found.names]
    size = np.array([rows[criterion] or 0.0 for criterion in criteria])
    value = np.where(np.abs(found.value) > NOISE * size, found.value, 0.0)
    return replace(found, value=value, size=size)


def _scores(part: Responses) -> dict[str, NDArray[Any]]:
    rater = f", {part.number('rater')} AS rater" if part.has_rater else ""
    found = part.connection.execute(
        f"SELECT CAST(enum_code(system) AS BIGINT) AS system, {part.number('item')} AS item, "
        f"CAST(score AS DOUBLE) AS x{rater} FROM {part.source}"
    ).fetchnumpy()
    return {name: np.asarray(values) for name, values in found.items()}


def between(responses: Responses, pairs: Sequence[int]) -> list[tuple[str, str]]:
    """The names of the two systems of each pair."""
    if not pairs:
        return []
    names = responses.value("SELECT enum_range(CAST(NULL AS systems))")
    return [(names[pair >> 32], names[pair & 0xFFFFFFFF]) for pair in pairs]
