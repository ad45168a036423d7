"""A large file of votes is read as its distinct rows, with the same numbers and the same errors."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

import jurybox as jb
from jurybox.errors import InputError
from jurybox.tally import counted, responses

COLUMNS = (
    "SELECT 'q' || i % 50 AS item, 's' || i % 3 AS system_a, 's' || (i % 3 + 1 + i % 2) % 3 AS "
    "system_b, 'r' || i // 50 AS rater, CASE WHEN i % 11 = 0 THEN 'tie' WHEN hash(i) % 3 = 0 THEN "
    "' B' ELSE 'a' END AS winner, CASE WHEN i % 5 < 2 THEN 'a' ELSE 'b' END AS first{more} "
    "FROM range(900) t(i)"
)


@pytest.fixture(autouse=True)
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table of this file is a large one."""
    monkeypatch.setattr(responses, "MANY", 100)


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
    monkeypatch.setattr(responses, "MANY", 10**9)
    assert jb.bradley_terry(path, ties=ties, position=position, cluster=None) == counted


def test_the_rows_are_counted(tmp_path: Path) -> None:
    path = _write(tmp_path / "votes.parquet")
    needs = frozenset({"system_a", "system_b", "winner"})
    read = responses.read(path, shape="votes", needs=needs, as_counts=True)
    try:
        assert read.times == "sum(times)"
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
    monkeypatch.setattr(responses, "MANY", 10**9)
    assert jb.bradley_terry(path, position=position, cluster=cluster) == once


def test_votes_of_a_system_against_itself_are_left_out_of_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "votes.parquet"
    some = COLUMNS.format(more="").replace("(i % 3 + 1 + i % 2) % 3", "(i % 3 + i % 4) % 3")
    duckdb.connect().execute(f"COPY ({some}) TO '{path}' (FORMAT parquet)")
    once = jb.bradley_terry(path)
    monkeypatch.setattr(responses, "MANY", 10**9)
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
    connection = duckdb.connect()
    connection.execute("CREATE TABLE raw (one VARCHAR, two VARCHAR, winner VARCHAR)")
    connection.executemany("INSERT INTO raw VALUES (?, ?, ?)", rows)
    counted.count_rows(connection, dict.fromkeys(("one", "two", "winner"), "VARCHAR"))
    found = {row[:3]: row[3] for row in connection.execute("SELECT * FROM counted").fetchall()}
    assert found == Counter(rows)
    connection.close()


def test_numbers_are_counted_as_they_stand() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE raw AS SELECT i % 2 AS one, 'x' AS two FROM range(5) t(i)")
    counted.count_rows(connection, {"one": "BIGINT", "two": "VARCHAR"})
    assert set(connection.execute("SELECT * FROM counted").fetchall()) == {(0, "x", 3), (1, "x", 2)}
    connection.close()
