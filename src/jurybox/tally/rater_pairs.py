"""What every two raters answered on the units that both saw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError
from jurybox.tally.answers import answer_rows
from jurybox.tally.responses import Responses

__all__ = ["PairAnswers", "pair_answers", "pair_counts"]


@dataclass(frozen=True, slots=True, eq=False)
class PairAnswers:
    """What every two raters answered on the units both saw."""

    values: tuple[Any, ...]
    names: tuple[str, ...]
    pairs: NDArray[np.int64]
    rows: NDArray[np.int64]
    n_raters: int
    n_items: int
    per_unit: float = 2.0
    """How many raters a unit has on average, of those with two and more."""
    n_responses: int = 0
    """Answers to the units with two and more."""


def pair_answers(responses: Responses) -> PairAnswers:
    """What every two raters answered; see ``jurybox.stats.agreement.kappa.RaterPairs``."""
    values, names = _number_answers(responses)
    return _paired(responses, values, names, item="a.i")


def pair_counts(responses: Responses, *, most: int) -> PairAnswers | None:
    """What every two raters answered, without the items: all of these are 0.

    ``None`` where there are more than ``most`` pairs of answers.
    """
    values, names = _number_answers(responses)
    if values:
        ((n,),) = responses.query(
            "SELECT sum(n * (n - 1) / 2) FROM (SELECT CAST(count(*) AS DOUBLE) AS n "
            "FROM numbered_answers GROUP BY u)"
        )
        if n > most:
            return None
    return _paired(responses, values, names, item="0")


def _number_answers(responses: Responses) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """Make the table of answers as numbers; give the values and the names of the raters."""
    if not responses.has_rater:
        raise InputError("Cohen's kappa needs a column 'rater': it compares two raters")
    answers = answer_rows(responses, grouped=True)
    if not answers.values:
        return (), ()
    query = responses.connection.execute
    query(
        "CREATE OR REPLACE TEMP TABLE numbered_answers AS SELECT "
        f"dense_rank() OVER (ORDER BY u // {answers.per_item}) - 1 AS i, u, "
        f"dense_rank() OVER (ORDER BY r) - 1 AS r, {answers.place()} AS v FROM {answers.rows}"
    )
    number = responses.number("rater")
    known = dict(
        query(
            f"SELECT DISTINCT CAST({number} AS BIGINT), CAST(rater AS VARCHAR) "
            f"FROM {responses.source}"
        ).fetchall()
    )
    codes = [
        row[0] for row in query(f"SELECT DISTINCT r FROM {answers.rows} ORDER BY r").fetchall()
    ]
    return answers.values, tuple(known[code] for code in codes)


def _paired(
    responses: Responses, values: tuple[Any, ...], names: tuple[str, ...], *, item: str
) -> PairAnswers:
    if not values:
        none = np.zeros((0, 5), dtype=np.int64)
        return PairAnswers(
            values=(), names=(), pairs=none[:, :2], rows=none, n_raters=0, n_items=0, per_unit=0.0
        )
    ((n_items, per_unit, n_responses),) = responses.query(
        "SELECT (SELECT count(DISTINCT i) FROM numbered_answers), coalesce(avg(n), 0), "
        "coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM numbered_answers GROUP BY u "
        "HAVING count(*) > 1)"
    )
    found = _array(
        responses,
        f"SELECT {item} AS i, a.r * {len(names)} + b.r AS pair, a.v AS v1, b.v AS v2, "
        "count(*) AS n FROM numbered_answers a JOIN numbered_answers b ON a.u = b.u AND a.r < b.r "
        "GROUP BY ALL ORDER BY ALL",
        5,
    )
    pairs, found[:, 1] = np.unique(found[:, 1], return_inverse=True)
    return PairAnswers(
        values=values,
        names=names,
        pairs=np.column_stack(np.divmod(pairs, len(names))),
        rows=found,
        n_raters=len(names),
        n_items=int(n_items),
        per_unit=float(per_unit),
        n_responses=int(n_responses),
    )


def _array(responses: Responses, sql: str, width: int) -> NDArray[np.int64]:
    columns = responses.connection.execute(sql).fetchnumpy()
    if not columns or not len(next(iter(columns.values()))):
        return np.zeros((0, width), dtype=np.int64)
    return np.column_stack([np.asarray(c, dtype=np.int64) for c in columns.values()])
