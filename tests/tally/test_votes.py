"""Votes reduced to distinct ones, and to who cast which."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import jurybox as jb
from jurybox.errors import InputError
from jurybox.tally import votes
from jurybox.tally.reading import read
from jurybox.tally.vote_numbers import VoteNumbers
from jurybox.tally.votes import VoteCells, vote_cells

Row = tuple[str, str, str, str, str, str, float, float]


def rows(seed: int = 2, n: int = 300) -> list[Row]:
    draw = random.Random(seed)
    found = {}
    for _ in range(n):
        a, b = draw.sample("wxyz", 2)
        item, rater = f"i{draw.randrange(12)}", f"r{draw.randrange(9)}"
        winner = draw.choice(["a", "b", "tie", "both_bad"])
        found[item, rater, frozenset(a + b)] = (
            item, a, b, rater, winner, draw.choice("ab"), draw.randrange(1, 4), draw.randrange(5),
        )  # fmt: skip
    return list(found.values())


def table(made: list[Row]) -> dict[str, list[Any]]:
    names = ("item", "system_a", "system_b", "rater", "winner", "first", "strength", "length")
    return dict(zip(names, map(list, zip(*made, strict=True)), strict=True))


def described(cells: VoteCells, cell: int, *, more: bool) -> tuple[Any, ...]:
    named = (
        cells.systems[cells.a[cell]],
        cells.systems[cells.b[cell]],
        votes.WINNERS[cells.winner[cell]],
        {1.0: "a", -1.0: "b"}[float(cells.first[cell])],
    )
    return (*named, cells.strength[cell], cells.x[cell, 0]) if more else named


@pytest.mark.parametrize("more", [False, True])
@pytest.mark.parametrize("whole", [True, False])
def test_every_vote_is_found_in_its_cell_and_clusters(
    more: bool, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not whole:
        monkeypatch.setattr(votes, "WHOLE", 10)
        monkeypatch.setattr(votes, "PART", 100)
    made = rows()
    responses = read(table(made), shape="votes", covariates=("length",) if more else ())
    cells = vote_cells(responses, first=True, strength=more, covariates=("length",) if more else ())
    assert cells.count.sum() == len(made)
    keys: dict[str, Any] = {
        "item": lambda r: r[0],
        "rater": lambda r: r[3],
        "cell": lambda r: (r[0], r[3]),
    }
    for kind, key in keys.items():
        known: dict[Any, list[Any]] = {}
        for row in made:
            own = (row[1], row[2], *row[4 : 8 if more else 6])
            known.setdefault(key(row), []).append(own)
        found: dict[Any, list[Any]] = {}
        for number, block in enumerate(cells.clustered((kind,))):
            for cluster, cell in zip(*block[kind], strict=True):
                made_of = described(cells, int(cell), more=more)
                found.setdefault((number, int(cluster)), []).append(made_of)
        assert sorted(map(sorted, found.values())) == sorted(map(sorted, known.values()))


def test_large_numbers_of_votes_are_looked_up_by_search(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = vote_cells(read(table(rows()), shape="votes"))
    (plain,) = cells.clustered(("rater",))
    monkeypatch.setattr(votes, "TABLE", 1)
    (searched,) = cells.clustered(("rater",))
    assert (plain["rater"][1] == searched["rater"][1]).all()


def test_a_system_against_itself_is_counted_and_left_out() -> None:
    made = {"system_a": ["x", "x", "q"], "system_b": ["x", "y", "q"], "winner": ["a", "b", "a"]}
    for covariates in ((), ("length",)):
        responses = read({**made, "length": [1, 2, 3]}, shape="votes", covariates=covariates)
        cells = vote_cells(responses, covariates=covariates)
        assert (cells.itself, cells.systems, cells.count.sum()) == (2, ("x", "y"), 1)


def test_a_covariate_is_the_difference_of_two_columns() -> None:
    made = {"system_a": ["x", "y"], "system_b": ["y", "x"], "winner": ["a", "b"]}
    sides = {"length_a": [10, 3], "length_b": [4, 5]}
    cells = vote_cells(
        read({**made, **sides}, shape="votes", covariates=("length",)), covariates=("length",)
    )
    assert sorted(cells.x[:, 0].tolist()) == [-2, 6]
    with pytest.raises(InputError, match="needs the columns tone_a and tone_b, or one column tone"):
        read(made, shape="votes", covariates=("tone",))


@pytest.mark.parametrize("spare", [0, 1000])
@pytest.mark.parametrize("position", [True, False])
def test_votes_read_in_place_are_those_of_the_table(
    spare: int, position: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One vote is of a system with itself.
    made = [*rows(), ("i0", "w", "w", "r0", "a", "b", 1.0, 1.0)]
    columns = table(made)
    expected = jb.bradley_terry(columns, position=position)
    path = tmp_path / "votes.parquet"
    names = ("item", "system_a", "system_b", "rater", "winner", "first")
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE v AS SELECT unnest(?) AS item, unnest(?) AS system_a, "
            "unnest(?) AS system_b, unnest(?) AS rater, unnest(?) AS winner, unnest(?) AS first",
            [columns[name] for name in names],
        )
        connection.execute(f"COPY v TO '{path}' (FORMAT parquet)")
    monkeypatch.setattr("jurybox.tally.reading.MANY", 1)
    monkeypatch.setattr(votes, "SPARE", spare)
    found = jb.bradley_terry(path, position=position)
    for one, two in zip(found.rows, expected.rows, strict=True):
        assert one.estimate == pytest.approx(two.estimate, rel=1e-12)
        assert one.interval is not None
        assert two.interval is not None
        assert one.interval.low == pytest.approx(two.interval.low, rel=1e-12)
        assert (one.system, one.n_items, one.n_raters) == (two.system, two.n_items, two.n_raters)


def test_a_number_tells_all_of_a_vote() -> None:
    numbers = VoteNumbers(systems=5, winners=4)
    every = np.arange(5 * 5 * 4 * 3)
    parts = numbers.parts(every)
    assert numbers.of(**parts).tolist() == every.tolist()
    # Of systems 3 and 1, both bad, the first unknown: ((3 · 5 + 1) · 4 + 3) · 3 = 201.
    assert numbers.of(a=3, b=1, winner=3, first=0).tolist() == 201
