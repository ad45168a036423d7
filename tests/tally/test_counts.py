"""A large file of votes is read as its distinct rows, with the same numbers and the same errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

import jurybox as jb
from jurybox.errors import InputError
from jurybox.tally import counted, dictionaries, duplicates, reading

COLUMNS = (
    "SELECT 'q' || i % 50 AS item, 's' || i % 3 AS system_a, 's' || (i % 3 + 1 + i % 2) % 3 AS "
    "system_b, 'r' || i // 50 AS rater, CASE WHEN i % 11 = 0 THEN 'tie' WHEN hash(i) % 3 = 0 THEN "
    "' B' ELSE 'a' END AS winner, CASE WHEN i % 5 < 2 THEN 'a' ELSE 'b' END AS first{more} "
    "FROM range(900) t(i)"
)
EVERY = ("item", "system_a", "system_b", "rater", "winner", "first")


@pytest.fixture(autouse=True)
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table of this file is a large one."""
    monkeypatch.setattr(reading, "MANY", 100)


def _write(path: Path, more: str = "") -> Path:
    duckdb.connect().execute(f"COPY ({COLUMNS.format(more=more)}) TO '{path}' (FORMAT parquet)")
    return path


@pytest.mark.parametrize("ties", ["davidson", "half", "drop"])
@pytest.mark.parametrize("position", [False, True])
def test_counts_say_what_the_rows_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ties: Any, position: bool
) -> None:
    path = _write(tmp_path / "votes.parquet")
    counted = jb.bradley_terry(path, ties=ties, position=position, cluster=None)
    monkeypatch.setattr(reading, "MANY", 10**9)
    assert jb.bradley_terry(path, ties=ties, position=position, cluster=None) == counted


def test_counted_rows_that_become_the_same_vote_are_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``a`` and ``A`` are two rows of the file, and one winner."""
    path = tmp_path / "votes.parquet"
    some = COLUMNS.format(more="").replace(
        "ELSE 'a' END AS w", "WHEN i % 2 = 0 THEN 'A' ELSE 'a' END AS w"
    )
    duckdb.connect().execute(f"COPY ({some}) TO '{path}' (FORMAT parquet)")
    counted = jb.bradley_terry(path, ties="half", cluster=None)
    assert counted == jb.bradley_terry(_write(path), ties="half", cluster=None)
    monkeypatch.setattr(reading, "MANY", 10**9)
    assert jb.bradley_terry(path, ties="half", cluster=None) == counted


def test_the_rows_are_counted(tmp_path: Path) -> None:
    path = _write(tmp_path / "votes.parquet")
    needs = frozenset({"system_a", "system_b", "winner"})
    read = reading.read(path, shape="votes", needs=needs, as_counts=True)
    try:
        assert read.is_counted
        assert read.value("SELECT sum(times) FROM {r}") == 900
        assert read.value("SELECT count(*) FROM {r}") < 50
        assert "900 rows taken as votes" in read.took[0]
    finally:
        read.close()


def test_a_column_that_decides_which_rows_count_is_looked_at_row_by_row(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "votes.parquet",
        ", CASE WHEN i % 4 = 0 THEN 'skipped' ELSE 'answered' END AS status",
    )
    found = jb.bradley_terry(path, ties="half", cluster=None)
    assert found.rows[0].n_responses == 675


def test_a_wrong_winner_is_named_by_its_row(tmp_path: Path) -> None:
    path = tmp_path / "votes.parquet"
    wrong = COLUMNS.format(more="").replace("'tie'", "CASE WHEN i = 11 THEN 'draw' ELSE 'tie' END")
    duckdb.connect().execute(f"COPY ({wrong}) TO '{path}' (FORMAT parquet)")
    with pytest.raises(InputError, match=r"row 12: winner must be one of .* got 'draw'"):
        jb.bradley_terry(path, ties="half", cluster=None)


def test_votes_without_a_winner_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "votes.parquet"
    some = COLUMNS.format(more="").replace("THEN 'tie'", "THEN NULL")
    duckdb.connect().execute(f"COPY ({some}) TO '{path}' (FORMAT parquet)")
    found = jb.bradley_terry(path, ties="half", cluster=None)
    assert found.rows[0].n_responses == 900 - 82


@pytest.mark.parametrize("cluster", ["both", "rater", "item"])
@pytest.mark.parametrize("position", [False, True])
def test_votes_read_once_for_cells_and_clusters_say_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cluster: Any, position: bool
) -> None:
    path = _write(tmp_path / "votes.parquet")
    once = jb.bradley_terry(path, position=position, cluster=cluster)
    assert once.rows[0].interval is not None
    monkeypatch.setattr(dictionaries, "CAST_NAMES", 0)
    assert jb.bradley_terry(path, position=position, cluster=cluster) == once
    monkeypatch.setattr(reading, "MANY", 10**9)
    assert jb.bradley_terry(path, position=position, cluster=cluster) == once


@pytest.mark.parametrize("items", [50, 46])
def test_raters_with_one_vote_on_an_item_are_seen_once_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, items: int
) -> None:
    """With 50 items no rater has two votes on one; with 46 some have, on other systems."""
    path = tmp_path / "votes.parquet"
    some = COLUMNS.format(more="").replace("i % 50", f"i % {items}")
    duckdb.connect().execute(f"COPY ({some}) TO '{path}' (FORMAT parquet)")
    monkeypatch.setattr(reading, "MANY", 10**9)
    found = jb.bradley_terry(path)
    monkeypatch.setattr(reading, "MANY", 100)
    # As if questions were too many for a place each, and pairs of item and rater were not.
    monkeypatch.setattr(duplicates, "DENSE", 0)
    monkeypatch.setattr(duplicates, "SPARSE", 0.1)
    monkeypatch.setattr(duplicates, "SLICE", 7)
    read = reading.read(path, shape="votes", needs=frozenset(EVERY))
    assert read.alone == (items == 50)
    read.close()
    again = jb.bradley_terry(path)
    for one, two in zip(found.rows, again.rows, strict=True):
        assert one.interval is not None
        assert two.interval is not None
        assert (two.system, two.estimate) == (one.system, one.estimate)
        assert two.interval.low == pytest.approx(one.interval.low, abs=1e-12)


def test_a_system_that_is_called_like_a_side_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "votes.parquet"
    some = COLUMNS.format(more="").replace("'s' || i % 3", "chr(65 + CAST(i % 3 AS INTEGER))")
    some = some.replace("' B'", "'b'")
    duckdb.connect().execute(f"COPY ({some}) TO '{path}' (FORMAT parquet)")
    needs = frozenset({"system_a", "system_b", "winner"})
    said = []
    for many in (100, 10**9):
        monkeypatch.setattr(reading, "MANY", many)
        read = reading.read(path, shape="votes", needs=needs, as_counts=True)
        said.append(read.took)
        read.close()
    assert said[0] == said[1]
    assert (
        "winner a is taken for the side of system_a, not for a system that is called so"
        in (said[0])
    )


def test_votes_of_a_system_against_itself_are_left_out_of_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "votes.parquet"
    some = COLUMNS.format(more="").replace("(i % 3 + 1 + i % 2) % 3", "(i % 3 + i % 4) % 3")
    duckdb.connect().execute(f"COPY ({some}) TO '{path}' (FORMAT parquet)")
    once = jb.bradley_terry(path)
    monkeypatch.setattr(reading, "MANY", 10**9)
    assert jb.bradley_terry(path) == once
    assert once.rows[0].n_responses == 450


@pytest.mark.parametrize("looked_at", [1, 7, 10_000])
@pytest.mark.parametrize("bits", [0, 20])
def test_every_row_is_counted_whatever_names_the_first_rows_have(
    monkeypatch: pytest.MonkeyPatch, looked_at: int, bits: int
) -> None:
    """Names the first rows lack, missing cells and names with quotes count like the others."""
    monkeypatch.setattr(counted, "LOOKED_AT", looked_at)
    monkeypatch.setattr(counted, "BITS", bits)
    cells = [("new", "it's", "a"), ("new", None, "b"), ("late", "new", None), ("new", "it's", "a")]
    rows = cells * 3 + [(f"s{k}", "new", " tie ") for k in range(9)]
    assert _count(rows) == ({}, Counter(rows))


@pytest.mark.parametrize(
    ("names", "winners", "is_clean"),
    [
        (("new", "it's"), ("a", "tie"), True),
        (("new", "old "), ("a", "tie"), False),
        (("new", "\u2003"), ("a", "tie"), False),
        (("new", ""), ("a", "tie"), False),
        (("new", "old"), ("a", "Tie"), False),
        (("new", "old"), ("a", "draw"), False),
    ],
)
def test_names_are_given_where_every_cell_is_one(
    names: tuple[str, str], winners: tuple[str, str], is_clean: bool
) -> None:
    rows = [(names[0], names[1], winners[0]), (names[1], names[0], winners[1])]
    given, found = _count(rows * 2)
    assert found == Counter(rows * 2)
    known = {"systems": tuple(sorted(names)), "winners": tuple(sorted(winners))}
    assert given == (known if is_clean else {})


def _count(rows: Sequence[tuple[str | None, ...]]) -> tuple[dict[str, tuple[str, ...]], Any]:
    columns = {"system_a": "One", "system_b": "Two", "winner": "Winner"}
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE raw (One VARCHAR, Two VARCHAR, Winner VARCHAR)")
        connection.executemany("INSERT INTO raw VALUES (?, ?, ?)", rows)
        given = counted.count_rows(connection, columns, dict.fromkeys(columns.values(), "VARCHAR"))
        found = connection.execute("SELECT * FROM counted").fetchall()
        # The types are there if they are those of the columns, and can be made again if not.
        for name in () if given else ("systems", "winners"):
            connection.execute(f"CREATE TEMP TYPE {name} AS ENUM ('one')")
    return given, {row[:3]: row[3] for row in found}


def test_numbers_are_counted_as_they_stand() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE raw AS SELECT i % 2 AS one, 'x' AS two FROM range(5) t(i)")
    columns = {"system_a": "one", "system_b": "two"}
    assert counted.count_rows(connection, columns, {"one": "BIGINT", "two": "VARCHAR"}) == {}
    assert set(connection.execute("SELECT * FROM counted").fetchall()) == {(0, "x", 3), (1, "x", 2)}
    connection.close()
