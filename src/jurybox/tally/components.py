"""Scores reduced to the sums that variance components are computed from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError
from jurybox.tally.answers import answer_rows
from jurybox.tally.ratings import are_numbers
from jurybox.tally.responses import Responses

__all__ = ["ScoreSums", "score_sums"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoreSums:
    """Sums over the scores of units with two responses; scores are taken from their mean."""

    n: int
    n_units: int
    n_items: int
    n_raters: int | None
    """Of these scores, or without any of all; ``None`` if the table does not name them."""
    n_dropped: int
    """Responses to units with no second one."""
    square: float
    """Sum of squares."""
    unit_square: float
    """Sum over units of (sum of its scores)² ÷ their number."""
    rater_square: float
    unit_sizes: float
    """Sum over units of (number of scores)²."""
    unit_inverse: float
    """Sum over units of 1 ÷ number of scores."""
    is_nested: bool
    """Whether every rater saw a single item, and there are several items."""
    pairs: NDArray[np.int64]
    """Two raters who share units, in both orders; of complete tables none are listed."""
    pair_weight: NDArray[np.float64]
    """For each such pair the sum of 1 ÷ number of scores over the units they share."""
    rater_gap: NDArray[np.float64]
    """Per rater the sum of what their scores are above the mean of their unit."""


def score_sums(responses: Responses) -> ScoreSums:
    """The sums of the scores of one criterion; of a rater's repeated scores the first counts."""
    if responses.shape.name != "ratings" or not are_numbers(responses):
        raise InputError("the intraclass correlation needs scores that are numbers")
    answers = answer_rows(responses)
    query = responses.connection.execute
    ((n_all,),) = query(f"SELECT count(*) FROM {answers.rows}").fetchall()
    query(
        "CREATE OR REPLACE TEMP TABLE scored AS SELECT u, r, x FROM "
        f"(SELECT u, r, x, count(*) OVER (PARTITION BY u) AS m FROM {answers.rows}) WHERE m > 1"
    )
    ((middle,),) = query("SELECT coalesce(avg(x), 0) FROM scored").fetchall()
    ((n, square, low, high),) = query(
        f"SELECT count(*), coalesce(sum((x - {middle!r}) * (x - {middle!r})), 0), "
        "coalesce(min(x), 0), coalesce(max(x), 0) FROM scored"
    ).fetchall()
    # The mean of equal numbers may differ from them by rounding noise, which is no variance.
    if high - low <= 1e-14 * max(abs(low), abs(high)):
        square = 0.0
    by = {
        name: query(
            "SELECT count(*), coalesce(sum(s * s / n), 0), "
            "coalesce(sum(n * n), 0), coalesce(sum(1 / n), 0) FROM "
            f"(SELECT count(*)::DOUBLE AS n, sum(x - {middle!r}) AS s FROM scored "
            f"GROUP BY {name})"
        ).fetchall()[0]
        for name in ("u", "r")
    }
    ((n_items, most),) = query(
        f"SELECT (SELECT count(DISTINCT u // {answers.per_item}) FROM scored), coalesce(max(i), 0) "
        f"FROM (SELECT count(DISTINCT u // {answers.per_item}) AS i FROM scored GROUP BY r)"
    ).fetchall()
    n_raters = by["r"][0]
    if not n:
        ((n_raters,),) = query(f"SELECT count(DISTINCT r) FROM {answers.rows}").fetchall()
    complete = int(n) == int(by["u"][0]) * int(by["r"][0])
    pairs, weight, gap = _shared(responses, middle, skip=complete or not responses.has_rater)
    return ScoreSums(
        n=int(n),
        n_units=int(by["u"][0]),
        n_items=int(n_items),
        n_raters=int(n_raters) if responses.has_rater else None,
        n_dropped=int(n_all) - int(n),
        square=float(square),
        unit_square=float(by["u"][1]),
        rater_square=float(by["r"][1]),
        unit_sizes=float(by["u"][2]),
        unit_inverse=float(by["u"][3]),
        is_nested=bool(most == 1 and n_items > 1),
        pairs=pairs,
        pair_weight=weight,
        rater_gap=gap,
    )


def _shared(
    responses: Responses, middle: float, *, skip: bool
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Which raters share units and how their scores differ on them, from the table ``scored``."""
    if skip:
        return np.zeros((0, 2), dtype=np.int64), np.zeros(0), np.zeros(0)
    query = responses.connection.execute
    query(
        "CREATE OR REPLACE TEMP TABLE placed AS SELECT u, dense_rank() OVER (ORDER BY r) - 1 AS j, "
        "x - avg(x) OVER (PARTITION BY u) AS d, count(*) OVER (PARTITION BY u) AS m "
        f"FROM (SELECT u, r, x - {middle!r} AS x FROM scored)"
    )
    found = query(
        "SELECT a.j AS j, b.j AS k, sum(1.0 / a.m) AS w FROM placed a JOIN placed b USING (u) "
        "WHERE a.j <> b.j GROUP BY ALL ORDER BY ALL"
    ).fetchnumpy()
    gap = query("SELECT sum(d) AS d FROM placed GROUP BY j ORDER BY j").fetchnumpy()["d"]
    pairs = np.column_stack([found["j"], found["k"]]).astype(np.int64)
    return pairs, np.asarray(found["w"], dtype=np.float64), np.asarray(gap, dtype=np.float64)
