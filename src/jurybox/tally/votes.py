"""Votes reduced to the distinct ones with their counts, and to who cast which."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.responses import Responses
from jurybox.tally.source import quote
from jurybox.tally.vote_numbers import FIRST, VoteNumbers, vote_numbers

__all__ = [
    "VoteCells",
    "vote_cells",
]

WINNERS = ("a", "b", "tie", "both_bad")
WHOLE = 100_000_000
"""Up to so many votes are taken out of the database at once."""
PART = 50_000_000
SLICE = 262_144
"""Votes worked on at a time, if more are not cheaper."""
SPARE = 4
"""Numbers per distinct vote up to which each of them is a cell, so that none is looked up."""
TABLE = 50_000_000
"""Up to so many numbers of votes are looked up in a table."""

Block = Mapping[str, tuple[NDArray[Any], NDArray[Any]]]
"""For every kind of cluster the number of the cluster and of the cell of each vote."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class VoteCells:
    """The distinct votes with how often each was cast.

    Two votes are the same if they name the same systems in the same places with the same winner
    and, where asked for, agree in who was shown first, in strength and in all covariates.
    """

    systems: tuple[str, ...]
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    winner: NDArray[np.int64]
    """0: a, 1: b, 2: tie, 3: both bad."""
    first: NDArray[np.float64]
    """1: a was shown first, −1: b, 0: unknown or not asked for."""
    strength: NDArray[np.float64]
    """How strong the preference was; NaN where it is unknown or not asked for."""
    x: NDArray[np.float64]
    """Cells × covariates: the value of a minus that of b."""
    count: NDArray[np.float64]
    itself: int
    """Votes of a system against itself, which are left out."""
    responses: Responses
    keys: tuple[str, ...]
    """The columns, in SQL, in which the votes of a cell agree."""
    code: NDArray[np.int64] | None
    """The number of each cell (``vote_numbers``); ``None`` if cells are found by key."""
    rows: Mapping[str, NDArray[Any]] | None = None
    """The cell of every vote and the numbers of its clusters, where they were read at once."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of clusters that the table names."""
        item, rater = self.responses.has_item, self.responses.has_rater
        known = (("item", item), ("rater", rater), ("cell", item and rater))
        return tuple(kind for kind, there in known if there)

    @property
    def alone(self) -> bool:
        """Whether it is known that every vote is the only one of its rater on its item."""
        return self.responses.alone

    def clustered(self, kinds: Collection[str]) -> Iterator[Block]:
        """The votes by cluster: of every kind each cluster is whole within one block."""
        asked = [kind for kind in self.kinds if kind in kinds]
        parts = 1 if self.count.sum() <= WHOLE else int(-(-self.count.sum() // PART))
        if parts == 1:
            if asked:
                yield self._block(asked, "true")
            return
        for column, own in (("item", ("item", "cell")), ("rater", ("rater",))):
            here = [kind for kind in asked if kind in own]
            for part in range(parts if here else 0):
                yield self._block(here, f"{self.responses.number(column)} % {parts} = {part}")

    def _block(self, kinds: Sequence[str], condition: str) -> Block:
        names = [name for name in ("item", "rater") if {name, "cell"} & set(kinds)]
        if self.rows is not None and set(names) <= set(self.rows):
            return _blocks(kinds, self.rows["cell"], {name: self.rows[name] for name in names})
        clusters = "".join(f", {self.responses.number(name)} AS {name}" for name in names)
        source = self.responses.source
        if self.code is None:
            same = " AND ".join(
                f"v.{name} IS NOT DISTINCT FROM c.k{i}" for i, name in enumerate(self.keys)
            )
            sql = (
                f"SELECT c.cell{clusters} FROM {source} v JOIN vote_cells c ON {same} "
                f"WHERE system_a <> system_b AND {condition}"
            )
        else:
            numbers = self.responses.encoded.numbers
            number = vote_numbers(self.responses.connection).sql(
                numbers, first="first" in self.keys
            )
            sql = (
                f"SELECT {number} AS cell{clusters} FROM {source} "
                f"WHERE system_a <> system_b AND {condition}"
            )
        found = self.responses.connection.execute(sql).fetchnumpy()
        cell = np.asarray(found["cell"])
        if self.code is not None:
            cell = _look_up(cell, self.code)
        return _blocks(kinds, cell, {name: np.asarray(found[name]) for name in names})


def _blocks(
    kinds: Sequence[str], cell: NDArray[Any], clusters: Mapping[str, NDArray[Any]]
) -> Block:
    numbers = dict(clusters)
    if "cell" in kinds:
        raters = int(numbers["rater"].max(initial=0)) + 1
        numbers["cell"] = numbers["item"].astype(np.int64) * raters + numbers["rater"]
    return {kind: (numbers[kind], cell) for kind in kinds}


def _look_up(numbers: NDArray[Any], code: NDArray[np.int64]) -> NDArray[Any]:
    """The place of each number in ``code``, which is ascending."""
    if code[-1] < TABLE:
        table = np.zeros(int(code[-1]) + 1, dtype=np.int32)
        table[code] = np.arange(len(code))
        return table.take(numbers)
    return np.searchsorted(code, numbers)


def vote_cells(
    responses: Responses,
    *,
    first: bool = False,
    strength: bool = False,
    covariates: Sequence[str] = (),
    clusters: Collection[str] = (),
) -> VoteCells:
    """The distinct votes; ``first``, ``strength`` and ``covariates`` tell apart what agrees else.

    Where only names tell votes apart this is one GROUP BY of their columns. ``clusters``: kinds
    that will be asked for; of a table that is not stored, votes are then read once for both.
    """
    numbers = [*(["strength"] if strength else []), *(quote(f"x_{name}") for name in covariates)]
    keys = ("system_a", "system_b", "winner", *(["first"] if first else []), *numbers)
    ids = [
        name
        for name in ("item", "rater")
        if name in responses.columns and {name, "cell"} & set(clusters)
    ]
    if ids and not numbers and 0 < responses.in_place <= WHOLE:
        return _cells_of_rows(responses, keys, ids)
    columns = ", ".join(f"{name} AS k{i}" for i, name in enumerate(keys))
    grouped = f"SELECT {columns}, count(*) AS n FROM {responses.source} GROUP BY ALL"
    if responses.is_counted:
        grouped = f"SELECT {columns}, times AS n FROM {responses.source}"
    if numbers:
        responses.connection.execute(
            "CREATE OR REPLACE TEMP TABLE vote_cells AS SELECT row_number() OVER () - 1 AS cell, * "
            f"FROM ({grouped} ORDER BY ALL)"
        )
        grouped = "SELECT * FROM vote_cells ORDER BY cell"
    return _cells(responses, _fetch_cells(responses, grouped, keys), keys, n_numbers=len(numbers))


def _cells_of_rows(responses: Responses, keys: tuple[str, ...], ids: Sequence[str]) -> VoteCells:
    """The distinct votes, counted from every vote's number, which is kept with its clusters."""
    numbers = vote_numbers(responses.connection)
    found = _known_votes(responses, keys)
    if found is None:
        listed = "".join(f", {responses.number(name)} AS {name}" for name in ids)
        sql = numbers.sql(responses.encoded.numbers, first="first" in keys)
        found = responses.connection.execute(
            f"SELECT {sql} AS vote{listed} FROM {responses.source}"
        ).fetchnumpy()
    vote = np.asarray(found["vote"])
    counts = np.zeros(int(vote.max()) + 1, dtype=np.int64)
    step = max(SLICE, len(counts))
    for low in range(0, len(vote), step):
        counts += np.bincount(vote[low : low + step], minlength=len(counts))
    code = np.flatnonzero(counts)
    every = len(counts) <= SPARE * len(code)
    if every:
        code = np.arange(len(counts))
    made: dict[str, Any] = {"n": counts[code], **numbers.parts(code)}
    cells = _cells(responses, made, keys, n_numbers=0, every=every)
    rows = {"cell": vote, **{name: np.asarray(found[name]) for name in ids}}
    if cells.itself:
        differ = np.zeros(len(counts), dtype=np.bool_)
        differ[code] = made["a"] != made["b"]
        apart = differ.take(vote)
        rows = {name: part[apart] for name, part in rows.items()}
    if cells.code is not None and not every:
        rows["cell"] = _look_up(rows["cell"], cells.code)
    return replace(cells, rows=rows)


def _known_votes(responses: Responses, keys: Sequence[str]) -> Mapping[str, NDArray[Any]] | None:
    """The votes as numbers, if the reading has them already."""
    known = responses.votes
    if known is None or responses.source != "answered":
        return None
    if "first" in keys or "first" not in responses.columns:
        return known
    return {**known, "vote": known["vote"] - known["vote"] % FIRST}


def _fetch_cells(responses: Responses, grouped: str, keys: Sequence[str]) -> dict[str, Any]:
    shown = ["CAST(n AS DOUBLE) AS n", "enum_code(k0) AS a", "enum_code(k1) AS b"]
    shown += ["enum_code(k2) AS winner"]
    for i, name in enumerate(keys[3:], start=3):
        if name == "first":
            shown += [f"coalesce(enum_code(k{i}) + 1, 0) AS first"]
        else:
            shown += [f"coalesce(CAST(k{i} AS DOUBLE), 'nan') AS k{i}"]
    found = responses.connection.execute(f"SELECT {', '.join(shown)} FROM ({grouped})")
    return {name: np.asarray(column) for name, column in found.fetchnumpy().items()}


def _cells(
    responses: Responses,
    found: dict[str, Any],
    keys: tuple[str, ...],
    *,
    n_numbers: int,
    every: bool = False,
) -> VoteCells:
    """The cells in the order of their numbers; systems without a vote are left out.

    ``every``: each number is a cell, in order, even if nobody cast such a vote.
    """
    a, b = (found[side].astype(np.int64) for side in "ab")
    names, winners = (
        responses.value(f"SELECT enum_range(CAST(NULL AS {kind}))")
        for kind in ("systems", "winners")
    )
    count = found["n"].astype(np.float64)
    keep = a != b
    itself = int(count[~keep].sum())
    code = None
    # Where all cells are kept, those of a system with itself count nothing.
    order = np.arange(len(a))
    count = np.where(keep, count, 0.0)
    if not n_numbers:
        numbers = VoteNumbers(len(names), len(winners))
        code = numbers.of(a, b, found["winner"], found["first"] if "first" in keys else 0)
        if not every:
            order = np.flatnonzero(keep)
            order = order[np.argsort(code[order])]
            # Rows that were counted before their names were cleaned may be the same vote.
            start = np.flatnonzero(np.diff(code[order], prepend=-1))
            count = np.add.reduceat(count[order], start) if len(start) else np.zeros(0)
            order = order[start]
            code = code[order]
    cast = count > 0
    seen = np.flatnonzero(
        np.bincount(np.concatenate([a[order][cast], b[order][cast]]), minlength=len(names))
    )
    first = np.zeros(len(order))
    if "first" in keys:
        known = responses.value("SELECT enum_range(CAST(NULL AS firsts))")
        # A number that no vote has may stand for a side that none names.
        sides = [0.0, *({"a": 1.0, "b": -1.0}[word] for word in known), 0.0, 0.0][:FIRST]
        first = np.array(sides)[found["first"][order]]
    columns = [found[f"k{i}"][order] for i in range(len(keys) - n_numbers, len(keys))]
    strength = np.full(len(order), np.nan)
    if "strength" in keys:
        strength = columns.pop(0)
    place = np.zeros(len(names), dtype=np.int64)
    place[seen] = np.arange(len(seen))
    return VoteCells(
        systems=tuple(names[k] for k in seen),
        a=place[a[order]],
        b=place[b[order]],
        winner=np.array([WINNERS.index(word) for word in winners])[found["winner"][order]],
        first=first,
        strength=strength.astype(np.float64),
        x=np.column_stack([*columns, np.zeros((len(order), 0))]).astype(np.float64),
        count=count,
        itself=itself,
        responses=responses,
        keys=keys,
        code=code,
    )
