"""A statistic that says what it needs gets the same numbers from fewer columns."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import jurybox as jb
from jurybox.errors import InputError
from jurybox.tally import dictionaries, numbered, ratios, reading
from jurybox.tally.mapping import Mapped, TableMapping
from jurybox.tally.reading import read

Columns = dict[str, list[Any]]

RATINGS: Columns = {
    "item": ["q1", "q1", " q2", "q2", "q3", "q3"],
    "system": ["x", "y", "x", "y", "x", "y "],
    "rater": ["ada", "ada", "ben", "ben", "cy", "cy"],
    "score": [1, 2, 3, 5, 4, 4],
    "trial": list("abcdef"),
    "ms": [100] * 6,
}
VOTES: Columns = {
    "item": ["q1", "q1", "q2", "q2"],
    "system_a": ["new", "old", "new", " new"],
    "system_b": ["old", "new", "old", "old"],
    "rater": ["ada", "ben", "ada", "ben"],
    "winner": ["a", "b", "TIE", "a"],
}


@pytest.fixture(params=["stored", "view"])
def votes(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Parquet file that is copied, or read where it is."""
    if request.param == "view":
        monkeypatch.setattr(reading, "MANY", 0)
    monkeypatch.setattr(reading, "MANY_RATINGS", 0)
    path = tmp_path / "votes.parquet"
    pd.DataFrame(VOTES).to_parquet(path)
    return path


def test_only_what_is_needed_is_there(votes: Path) -> None:
    found = read(votes, needs={"system_a", "system_b", "winner"})
    assert found.columns == {"system_a", "system_b", "winner"}
    assert not found.has_item
    assert found.took == read(votes).took
    sql = "SELECT system_a, system_b, winner, count(*) FROM {r} GROUP BY ALL ORDER BY ALL"
    assert found.query(sql) == read(votes).query(sql)
    assert found.criteria == ("preference",)
    assert found.of_criterion("preference").count()[0] == 4
    assert found.of_criterion("speed").count()[0] == 0


@pytest.mark.parametrize("mapping", [TableMapping(), TableMapping(map={"score": "given"})])
@pytest.mark.parametrize("others", [[1.0, 2.0, 5.0, 4.0, 4.0], [3.0] * 5])
def test_a_score_that_is_none_is_missing_where_the_file_does_not_tell_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mapping: TableMapping, others: list[float]
) -> None:
    monkeypatch.setattr(numbered, "FEW", 0)
    monkeypatch.setattr(reading, "MANY", 0)
    monkeypatch.setattr(reading, "MANY_RATINGS", 0)
    path = tmp_path / "ratings.parquet"
    column = mapping.map.get("score", "score")
    given = {**RATINGS, column: [math.nan, *others]}
    # This writer leaves NaN out of the least and largest number that a file tells of a column.
    pq.write_table(pa.table(given), path)
    place = pq.read_schema(path).names.index(column)
    told = pq.read_metadata(path).row_group(0).column(place).statistics
    assert (told.min, told.max) == (min(others), max(others))
    found = read(Mapped(path, mapping), needs={"item", "system", "rater", "score"})
    assert "1 row without a score left out" in found.took
    rows = jb.mean_scores(Mapped(path, mapping)).rows
    counts, means = [row.n_responses or 0 for row in rows], [row.estimate or 0.0 for row in rows]
    assert sum(counts) == 5
    assert np.dot(counts, means) == pytest.approx(sum(others), abs=1e-12)


def test_a_wrong_word_is_found_wherever_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MANY", 0)
    monkeypatch.setattr(reading, "MANY_RATINGS", 0)
    path = tmp_path / "votes.parquet"
    pd.DataFrame({**VOTES, "winner": ["a", "left", "b", None]}).to_parquet(path)
    with pytest.raises(InputError, match=r"row 2: winner must be one of .*; got 'left'"):
        read(path, needs={"system_a", "system_b", "winner"})
    pd.DataFrame({**VOTES, "system_b": ["old", "new", " ", "old"]}).to_parquet(path)
    with pytest.raises(InputError, match=r"1 row has no system_b \(the first is row 3\)"):
        read(path, needs={"system_a", "system_b", "winner"})


def test_rows_that_do_not_count_are_left_out_of_a_view_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MANY", 0)
    monkeypatch.setattr(reading, "MANY_RATINGS", 0)
    path = tmp_path / "votes.parquet"
    status = ["answered", "skipped", "answered", "answered"]
    pd.DataFrame({**VOTES, "status": status, "winner": ["a", None, None, "b"]}).to_parquet(path)
    found = read(path, needs={"system_a", "system_b", "winner"})
    assert found.query("SELECT winner FROM {r} ORDER BY rid") == [("a",), ("b",)]
    assert found.n_dropped == 1
    assert [each.n for each in found.skipped] == [1]


@pytest.mark.parametrize("many", [0, 1000])
def test_very_many_names_are_numbers(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionaries, "MANY_NAMES", many)
    lean = read(RATINGS, needs={"item", "system", "rater", "score"})
    full = read(RATINGS)
    assert "trial" not in lean.columns
    sql = f"SELECT {lean.number('item')} FROM {{r}} ORDER BY rid"
    assert [row[0] for row in lean.query(sql)] == [0, 0, 1, 1, 2, 2]
    one, two = (ratios.reduce(each, ratios.mean_of("score")) for each in (lean, full))
    assert one.names == two.names == ("x", "y")
    for kind in ("item", "rater", "cell"):
        for name in ("clusters", "uu", "uw", "ww"):
            expected = pytest.approx(getattr(two.by[kind], name))
            assert getattr(one.by[kind], name) == expected


@pytest.mark.parametrize("many", [0, 1000])
@pytest.mark.parametrize("empty", ["", " ", None])
def test_an_empty_name_among_clean_ones_is_no_name(
    many: int, empty: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dictionaries, "MANY_NAMES", many)
    items = ["q1", "q1", "q2", "q2", empty, "q3"]
    with pytest.raises(InputError, match="1 row has no item"):
        jb.mean_scores(pd.DataFrame({**RATINGS, "item": items}))


@pytest.mark.parametrize("many", [0, 1000])
def test_a_repeated_answer_is_refused_by_its_names(
    many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dictionaries, "MANY_NAMES", many)
    twice = {**RATINGS, "item": ["q1"] * 6, "system": ["x"] * 6, "trial": list("ababab")}
    del twice["trial"]
    with pytest.raises(InputError, match="rater ada answered 'overall' on q1 more than once"):
        jb.mean_scores(twice)
    # Different trials are a planned repeat, though nobody asked for them.
    assert not read({**twice, "trial": list("abcdef")}, needs={"item", "rater", "score"}).once
    with pytest.raises(InputError, match=r"rater ada answered 'overall' on t more than once"):
        read({**twice, "trial": ["t"] * 6}, needs={"item", "rater", "system", "score"})


def test_statistics_are_the_same_read_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ratings.parquet"
    pd.DataFrame(RATINGS).to_parquet(path)
    expected = jb.mean_scores(RATINGS), jb.mean_scores(RATINGS, cluster=None)
    monkeypatch.setattr(reading, "MANY", 0)
    monkeypatch.setattr(reading, "MANY_RATINGS", 0)
    found = jb.mean_scores(path), jb.mean_scores(path, cluster=None)
    for one, two in zip(found, expected, strict=True):
        assert [(row.system, row.estimate, row.interval) for row in one.rows] == [
            (row.system, row.estimate, row.interval) for row in two.rows
        ]
