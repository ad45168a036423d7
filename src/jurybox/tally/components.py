"""Scores reduced to the sums that variance components are computed from."""

from __future__ import annotations

from dataclasses import dataclass

from jurybox.errors import InputError
from jurybox.tally.patterns import answer_rows
from jurybox.tally.ratings import are_numbers
from jurybox.tally.responses import Responses

__all__ = ["ScoreSums", "score_sums"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSums:
    """Sums over the scores of units with two responses; scores are taken from their mean."""

    n: int
    n_units: int
    n_items: int
    n_raters: int | None
    """``None`` if the table does not name them."""
    n_dropped: int
    """Responses to units with no second one."""
    square: float
    """Sum of squares."""
    unit_square: float
    """Sum over units of (sum of its scores)² ÷ their number."""
    rater_square: float
    unit_sizes: float
    """Sum over units of (number of scores)²."""
    rater_sizes: float
    unit_inverse: float
    """Sum over units of 1 ÷ number of scores."""
    is_nested: bool
    """Whether every rater saw a single item, and there are several items."""


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
    ((n, square),) = query(
        f"SELECT count(*), coalesce(sum((x - {middle!r}) * (x - {middle!r})), 0) FROM scored"
    ).fetchall()
    by = {
        name: query(
            "SELECT count(*), coalesce(sum(s * s / n), 0), coalesce(sum(n * n), 0), "
            f"coalesce(sum(1 / n), 0) FROM (SELECT count(*)::DOUBLE AS n, sum(x - {middle!r}) AS s "
            f"FROM scored GROUP BY {name})"
        ).fetchall()[0]
        for name in ("u", "r")
    }
    ((n_items, most),) = query(
        f"SELECT (SELECT count(DISTINCT u // {answers.per_item}) FROM scored), coalesce(max(i), 0) "
        f"FROM (SELECT count(DISTINCT u // {answers.per_item}) AS i FROM scored GROUP BY r)"
    ).fetchall()
    return ScoreSums(
        n=int(n),
        n_units=int(by["u"][0]),
        n_items=int(n_items),
        n_raters=int(by["r"][0]) if responses.has_rater else None,
        n_dropped=int(n_all) - int(n),
        square=float(square),
        unit_square=float(by["u"][1]),
        rater_square=float(by["r"][1]),
        unit_sizes=float(by["u"][2]),
        rater_sizes=float(by["r"][2]),
        unit_inverse=float(by["u"][3]),
        is_nested=bool(most == 1 and n_items > 1),
    )
