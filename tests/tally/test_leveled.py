"""Scores that only rounding tells apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jurybox.tally.leveled import distinct_starts, level
from jurybox.tally.reading import read

ROWS = [("a", 0.1 + 0.2), ("a", 0.3), ("a", 0.4), ("b", 2.9999999999999996), ("b", 3.0)]


def test_the_number_that_is_written_shortest_is_meant() -> None:
    assert level(np.array([0.3, 0.1 + 0.2, 0.7 - 1e-16, 0.7])).tolist() == [0.3, 0.3, 0.7, 0.7]


def test_the_number_that_is_meant_need_not_be_among_them() -> None:
    assert level(np.array([0.6999999999999998, 0.7000000000000001])).tolist() == [0.7, 0.7]


def test_what_is_left_of_larger_numbers_that_cancel_is_zero() -> None:
    assert level(np.array([-5.5e-17, 0.0, 5.5e-17, 0.3])).tolist() == [0.0, 0.0, 0.0, 0.3]


@pytest.mark.parametrize(
    "apart", [[1e-200, 2e-200], [1e11, 1e11 + 1], [0.3, 0.3 + 1e-11], [0.0, 1e-3, 1e12]]
)
def test_what_differs_by_more_stays_apart(apart: list[float]) -> None:
    assert level(np.array(apart)).tolist() == apart
    assert len(distinct_starts(np.array(apart))) == len(apart)


def test_no_numbers_have_no_starts() -> None:
    assert len(distinct_starts(np.array([]))) == 0


@pytest.mark.parametrize("kind", ["numbers", "text", "parquet"])
def test_a_table_is_leveled_as_it_is_read(kind: str, tmp_path: Path) -> None:
    table: object = {
        "item": list("pqrst"),
        "criterion": [name for name, _ in ROWS],
        "score": [score if kind != "text" else repr(score) for _, score in ROWS],
    }
    if kind == "parquet":
        import duckdb

        values = ", ".join(
            f"('{k}', '{c}', CAST('{s!r}' AS DOUBLE))" for k, (c, s) in enumerate(ROWS)
        )
        table = str(tmp_path / "scores.parquet")
        with duckdb.connect() as connection:
            connection.execute(
                f"COPY (SELECT * FROM (VALUES {values}) t(item, criterion, score)) TO '{table}'"
            )
    responses = read(table)
    try:
        found = responses.query("SELECT criterion, score, word FROM {r} ORDER BY rid")
    finally:
        responses.close()
    assert [row[:2] for row in found] == [
        ("a", 0.3),
        ("a", 0.3),
        ("a", 0.4),
        ("b", 3.0),
        ("b", 3.0),
    ]
    assert {row[2] for row in found if row[1] == 0.3} == {"0.3"}


def test_a_criterion_is_leveled_by_its_own_numbers() -> None:
    # Beside 1e12 a thousandth is rounding noise; beside a hundredth it is a score.
    table = {
        "item": list("pqrs"),
        "criterion": ["large", "large", "small", "small"],
        "score": [1e12, 0.5, 1e-5, 2.5e-5],
    }
    responses = read(table)
    try:
        found = [row[0] for row in responses.query("SELECT score FROM {r} ORDER BY rid")]
    finally:
        responses.close()
    assert found == [1e12, 0.5, 1e-5, 2.5e-5]
