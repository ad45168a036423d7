"""The tables that a bench reads: votes and ratings of any size, written by the database."""

from __future__ import annotations

from pathlib import Path

import duckdb

__all__ = ["make_ratings", "make_votes"]

ITEMS, RATERS, SYSTEMS = 20_000, 5_000, 100
STEP = 61_803_399
"""Without a common divisor with ITEMS × RATERS, so that no rater sees an item twice."""


def make_votes(path: Path, n: int) -> Path:
    """Votes of 5,000 raters on 20,000 items between 100 systems, a tenth of them ties.

    The output shown first wins a little more often than it should.
    """
    if n > ITEMS * RATERS:
        raise ValueError(f"there are {ITEMS * RATERS:,} votes at most")
    numbers = (
        f"SELECT i, (i * {STEP}) % {ITEMS * RATERS} AS cell, "
        f"CAST(hash(i * 4 + 1) % {SYSTEMS} AS INTEGER) AS a, "
        f"CAST(hash(i * 4 + 2) % {SYSTEMS - 1} AS INTEGER) AS other, "
        "(hash(i * 4 + 3) % 1000003) / 1000003.0 AS chance, "
        "(hash(i * 4 + 4) % 1000003) / 1000003.0 AS tie, i % 2 = 0 AS a_first "
        f"FROM range({n}) r(i)"
    )
    paired = f"SELECT *, other + CAST(other >= a AS INTEGER) AS b FROM ({numbers})"
    strength = "(hash({} + 7) % 1000) / 400.0"
    gap = f"{strength.format('a')} - {strength.format('b')}"
    gap += " + CASE WHEN a_first THEN 0.1 ELSE -0.1 END"
    return _write(
        path,
        f"SELECT 'q' || cell // {RATERS} AS item, 's' || a AS system_a, 's' || b AS system_b, "
        f"'r' || cell % {RATERS} AS rater, CASE WHEN tie < 0.1 THEN 'tie' "
        f"WHEN chance < 1 / (1 + exp(-({gap}))) THEN 'a' ELSE 'b' END AS winner, "
        f"CASE WHEN a_first THEN 'a' ELSE 'b' END AS first FROM ({paired})",
    )


def make_ratings(path: Path, n: int, *, raters: int = 300, systems: int = 10) -> Path:
    """Three ratings 1–5 of each output."""
    noise = " + ".join(f"(hash({{0}} * 8 + {k}) % 1000) / 1000.0" for k in range(3))
    return _write(
        path,
        f"SELECT 'q' || output // {systems} AS item, 's' || output % {systems} AS system, "
        f"'r' || (output * 7 + place * 101) % {raters} AS rater, 'quality' AS criterion, "
        "CAST(greatest(1, least(5, round(3 + 1.4 * (quality - 1.5) + 1.1 * (noise - 1.5) "
        f"+ (output % {systems}) / 50.0))) AS DOUBLE) AS score FROM (SELECT i // 3 AS output, "
        f"i % 3 AS place, {noise.format('(i // 3)')} AS quality, {noise.format('i')} AS noise "
        f"FROM range({n}) r(i))",
    )


def _write(path: Path, selected: str) -> Path:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({selected}) TO '{path}' (FORMAT parquet)")
    return path
