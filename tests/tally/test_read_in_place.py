"""A large Parquet file is read where it is: numbers of two queries over it are never paired."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import jurybox as jb
from jurybox.errors import InputError
from jurybox.tally import numbered, reading

ROWS = 20_000
SYSTEMS = 5


def write(path: Path, n: int, *, step: float = 1.0) -> Path:
    """Ratings in no order: three of each output by 40 raters, in row groups of many threads."""
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT 'q' || o // 5 AS item, 's' || o % 5 AS system, "
            "'r' || (o * 7 + place * 11) % 40 AS rater, CAST(1 + (hash(i) % 97 + o % 5 * 20) // 36 "
            f"AS DOUBLE) * {step!r} AS score FROM (SELECT i, i // 3 AS o, i % 3 AS place "
            f"FROM range({n}) r(i)) ORDER BY hash(i + 5)) TO '{path}' "
            "(FORMAT parquet, ROW_GROUP_SIZE 2048)"
        )
    return path


@pytest.fixture
def in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every Parquet file for a large one."""
    monkeypatch.setattr(reading, "MANY", 1000)
    monkeypatch.setattr(reading, "MANY_RATINGS", 1000)
    monkeypatch.setattr(numbered, "FEW", 1000)


def check_means(path: Path) -> None:
    """Means, spreads and counts are the database's own."""
    expected = duckdb.execute(
        "SELECT system, avg(score), stddev_samp(score), count(*), count(DISTINCT item), "
        f"count(DISTINCT rater) FROM '{path}' GROUP BY system ORDER BY 2 DESC"
    ).fetchall()
    found = jb.mean_scores(path)
    assert [(row.system, row.n_responses, row.n_items, row.n_raters) for row in found.rows] == [
        (row[0], *row[3:]) for row in expected
    ]
    for row, (_, mean, sd, *_) in zip(found.rows, expected, strict=True):
        assert row.estimate == pytest.approx(mean, abs=1e-12)
        assert row.sd == pytest.approx(sd, abs=1e-12)
    assert found == jb.mean_scores(path)


def check_differences(path: Path) -> None:
    """Differences within items are the database's own."""
    expected = {
        (row[0], row[1]): row[2:]
        for row in duckdb.execute(
            "WITH m AS (SELECT item, system, avg(score) AS m, count(*) AS n "
            f"FROM '{path}' GROUP BY item, system) SELECT a.system, b.system, avg(a.m - b.m), "
            "count(*), sum(a.n + b.n) FROM m a JOIN m b USING (item) WHERE a.system <> b.system "
            "GROUP BY ALL"
        ).fetchall()
    }
    found = jb.compare_systems(path)
    assert len(found.rows) == SYSTEMS * (SYSTEMS - 1) // 2
    for row in found.rows:
        mean, items, n = expected[row.system, row.other]
        assert row.estimate == pytest.approx(mean, abs=1e-12)
        assert (row.n_items, row.n_responses) == (items, n)


def alphas(path: Path) -> list[jb.Agreement]:
    return [
        jb.krippendorff_alpha(path, level="ordinal", generalize="items", n_resamples=100),
        jb.krippendorff_alpha(path, level="ordinal"),
    ]


@pytest.mark.usefixtures("in_place")
@pytest.mark.parametrize("step", [1.0, 0.1])
def test_means_are_the_databases_own(tmp_path: Path, step: float) -> None:
    check_means(write(tmp_path / "ratings.parquet", ROWS, step=step))


@pytest.mark.usefixtures("in_place")
def test_differences_are_the_databases_own(tmp_path: Path) -> None:
    check_differences(write(tmp_path / "ratings.parquet", ROWS))


def test_intervals_do_not_depend_on_where_rows_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "ratings.parquet", ROWS)
    copied = jb.mean_scores(path)
    alpha = alphas(path)
    monkeypatch.setattr(reading, "MANY", 1000)
    monkeypatch.setattr(reading, "MANY_RATINGS", 1000)
    monkeypatch.setattr(numbered, "FEW", 1000)
    for one, two in zip(copied.rows, jb.mean_scores(path).rows, strict=True):
        assert one.system == two.system
        assert one.interval is not None
        assert two.interval is not None
        assert (two.interval.low, two.interval.high) == pytest.approx(
            (one.interval.low, one.interval.high), abs=1e-12
        )
    assert alpha == alphas(path)


@pytest.mark.usefixtures("in_place")
def test_a_repeated_answer_is_found_wherever_its_rows_are(tmp_path: Path) -> None:
    path = write(tmp_path / "ratings.parquet", ROWS)
    twice = tmp_path / "twice.parquet"
    duckdb.execute(
        f"COPY (SELECT * FROM '{path}' UNION ALL (SELECT * FROM '{path}' WHERE item = 'q7' "
        f"AND system = 's1' ORDER BY rater LIMIT 1)) TO '{twice}' (FORMAT parquet)"
    )
    for statistic in (jb.mean_scores, lambda t: jb.krippendorff_alpha(t, level="ordinal")):
        with pytest.raises(InputError, match="on q7 more than once"):
            statistic(twice)
