"""Patterns made of the cells of a file are those that are made of its rows one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import jurybox as jb
from jurybox.errors import InputError
from jurybox.tally import direct_patterns, reading
from jurybox.tally.patterns import AnswerPatterns, answer_patterns
from jurybox.tally.reading import read

NEEDS = ("item", "rater", "system", "score")
Table = dict[str, list[Any]]

pytestmark = pytest.mark.usefixtures("in_place")


@pytest.fixture
def in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every Parquet file for a large one."""
    monkeypatch.setattr(reading, "MANY_RATINGS", 1)


def write(path: Path, table: Mapping[str, Sequence[Any]], kinds: Mapping[str, str]) -> Path:
    parts = [f"unnest(?::{kinds.get(name, 'VARCHAR')}[]) AS {name}" for name in table]
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT {', '.join(parts)}) TO '{path}' (FORMAT parquet)", list(table.values())
        )
    return path


def small() -> Table:
    """Item x: 1, 1; item y: 3, 1, 3; item z: 1, 1; item w: 3."""
    return {
        "item": ["x", "x", "y", "y", "y", "z", "z", "w"],
        "rater": ["a", "b", "a", "b", "c", "b", "c", "a"],
        "score": [1, 1, 3, 1, 3, 1, 1, 3],
    }


def patterns_of(path: Path, *, direct: bool) -> tuple[AnswerPatterns, bool]:
    """The patterns, and whether they were made of cells."""
    found = read(path, needs=NEEDS, as_patterns=direct)
    try:
        return answer_patterns(found, raters=False), found.patterns is not None
    finally:
        found.close()


def same(one: AnswerPatterns, two: AnswerPatterns) -> bool:
    arrays = ("patterns", "signature", "items", "raters", "cells")
    return (one.values, one.n_raters, one.n_grouped) == (
        two.values,
        two.n_raters,
        two.n_grouped,
    ) and all(np.array_equal(getattr(one, name), getattr(two, name)) for name in arrays)


def test_items_with_the_same_answers_are_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "t.parquet", small(), {"score": "DOUBLE"})
    found, is_direct = patterns_of(path, direct=True)
    assert is_direct
    assert found.values == (1.0, 3.0)
    # In the order of the sorted answers: x and z (1, 1), then y (1, 3, 3), then w (3).
    assert found.patterns.tolist() == [[2, 0], [1, 2], [0, 1]]
    assert found.items.tolist() == [2, 1, 1]
    assert found.n_raters == 3


@pytest.mark.parametrize("seed", range(12))
def test_patterns_are_those_of_single_rows(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Up to three raters of an item are told apart in passing, more of them by a second look.
    n_raters = 3 if seed % 2 else 9
    table: Table = {"item": [], "rater": [], "score": []}
    for item in range(60):
        for rater in rng.choice(n_raters, rng.integers(1, n_raters + 1), replace=False):
            table["item"].append(f"q{item}")
            table["rater"].append(f"r{rater}")
            table["score"].append(int(rng.integers(1, 6)) * (0.5 if seed % 3 else 1.0))
    kinds = {"score": "DOUBLE"}
    if seed % 4 == 0:
        table["item"] = [int(name[1:]) for name in table["item"]]
        kinds["item"] = "INTEGER"
    if seed % 5 == 0:
        del table["rater"]
    path = write(tmp_path / "t.parquet", table, kinds)
    cells, is_direct = patterns_of(path, direct=True)
    rows, _ = patterns_of(path, direct=False)
    assert is_direct
    assert same(cells, rows)


def test_raters_that_share_a_number_are_looked_at_closely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(direct_patterns, "CODE", "length({})")
    path = write(tmp_path / "t.parquet", small(), {"score": "DOUBLE"})
    found, is_direct = patterns_of(path, direct=True)
    assert is_direct
    assert found.items.tolist() == [2, 1, 1]


def with_cell(column: str, value: Any) -> Callable[[Table], None]:
    def change(table: Table) -> None:
        table[column][0] = value

    return change


def with_column(column: str, values: Sequence[Any]) -> Callable[[Table], None]:
    def change(table: Table) -> None:
        table[column] = list(values)

    return change


def with_crowd(table: Table) -> None:
    # Of sixteen values each has three bits of sixty-two, and nine ones would be 1 of the next.
    for k in range(9):
        for column, value in (("item", "v"), ("rater", f"m{k}"), ("score", 1)):
            table[column].append(value)
    for k in range(16):
        for column, value in (("item", f"u{k}"), ("rater", "a"), ("score", k)):
            table[column].append(value)


@pytest.mark.parametrize(
    "change",
    [
        with_cell("score", None),
        with_cell("score", float("nan")),
        with_cell("score", 1 + 1e-12),
        with_cell("item", " x"),
        with_cell("item", "x\u00a0"),
        with_cell("rater", "c "),
        with_column("system", ["s", "t"] * 4),
        with_column("system", [" s"] * 8),
        with_column("status", ["answered"] * 7 + ["skipped"]),
        with_column("criterion", ["quality"] * 7 + [None]),
        with_crowd,
    ],
)
def test_what_needs_a_look_at_rows_is_read_row_by_row(
    tmp_path: Path, change: Callable[[Table], None]
) -> None:
    table = small()
    change(table)
    path = write(tmp_path / "t.parquet", table, {"score": "DOUBLE"})
    found, is_direct = patterns_of(path, direct=True)
    assert not is_direct
    assert same(found, patterns_of(path, direct=False)[0])


def test_a_cell_is_clean_if_trimming_leaves_it_as_it_is() -> None:
    # Every space of Unicode and thousands of other characters, alone, at either end and within.
    marks = [chr(k) for k in range(1, 0x3100)]
    words = ["", *(word for m in marks for word in (m, m + "a", "a" + m, f"a{m}b"))]
    clean = direct_patterns._is_clean("word", "VARCHAR")
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE words AS SELECT unnest(?::VARCHAR[]) AS word", [words])
        odd = connection.execute(
            f"SELECT word FROM words WHERE ({clean}) <> (trim(word) = word AND word <> '')"
        ).fetchall()
        assert odd == []
        ((n,),) = connection.execute(f"SELECT count(*) FROM words WHERE NOT ({clean})").fetchall()
        # The empty cell, and each of Unicode's 17 spaces alone, first and last.
        assert n == 1 + 17 * 3


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("column", ["item", "rater"])
def test_what_is_wrong_is_still_refused(tmp_path: Path, column: str, times: int) -> None:
    for nothing in (None, "", " ", "\u3000"):
        table = small()
        with_cell(column, nothing)(table)
        path = write(tmp_path / "t.parquet", table, {"score": "DOUBLE"})
        with pytest.raises(InputError, match=f"no {column}"):
            jb.fleiss_kappa(path, generalize="items")
    table = small()
    for name in table:
        table[name] += table[name][:1] * times
    path = write(tmp_path / "t.parquet", table, {"score": "DOUBLE"})
    with pytest.raises(InputError, match="more than once"):
        jb.fleiss_kappa(path, generalize="items")


def test_a_repeat_among_many_raters_is_refused(tmp_path: Path) -> None:
    table: Table = {
        "item": ["x"] * 6,
        "rater": ["a", "b", "c", "d", "e", "c"],
        "score": [1, 2, 1, 1, 2, 2],
    }
    path = write(tmp_path / "t.parquet", table, {"score": "DOUBLE"})
    with pytest.raises(InputError, match="rater c answered"):
        jb.percent_agreement(path, generalize="items")


def test_agreement_is_that_of_the_table_in_memory(tmp_path: Path) -> None:
    table = small() | {"criterion": ["tone"] * 8}
    path = write(tmp_path / "t.parquet", table, {"score": "DOUBLE"})
    for level in ("nominal", "ordinal", "interval", "ratio"):
        found = jb.krippendorff_alpha(path, level=level, generalize="items")
        assert found == jb.krippendorff_alpha(table, level=level, generalize="items")
        assert found.criterion == "tone"
    with pytest.raises(InputError, match="there is no criterion 'style'; there are tone"):
        jb.krippendorff_alpha(path, level="nominal", generalize="items", criterion="style")
