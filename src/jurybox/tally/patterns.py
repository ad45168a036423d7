"""Responses reduced to distinct patterns of answers per unit, which agreement is computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError
from jurybox.tally.responses import Responses

__all__ = ["AnswerPatterns", "PairAnswers", "answer_patterns", "pair_answers"]


@dataclass(frozen=True, slots=True, eq=False)
class AnswerPatterns:
    """Distinct patterns of answers per unit, with what items and raters have of them."""

    values: tuple[Any, ...]
    patterns: NDArray[np.int64]
    signature: NDArray[np.int64]
    items: NDArray[np.int64]
    raters: NDArray[np.int64]
    cells: NDArray[np.int64]
    n_raters: int | None


@dataclass(frozen=True, slots=True, eq=False)
class PairAnswers:
    """What every two raters answered on the units both saw."""

    values: tuple[Any, ...]
    names: tuple[str, ...]
    pairs: NDArray[np.int64]
    rows: NDArray[np.int64]
    n_raters: int
    n_items: int


def _answers(responses: Responses) -> tuple[Any, ...]:
    """Make the table ``answers`` (item, unit, rater, value); give the distinct values in order.

    A unit is an output, or an item with an unordered pair of systems, whose winner is then turned
    to the order of their names. Of repeated answers of a rater to a unit the first counts.
    """
    shape = responses.shape.name
    if shape == "votes":
        unit, where = "item, least(system_a, system_b), greatest(system_a, system_b)", "true"
        value = (
            "CASE WHEN system_a <= system_b OR winner IN ('tie', 'both_bad') THEN winner "
            "WHEN winner = 'a' THEN 'b' ELSE 'a' END"
        )
        where = "system_a <> system_b"
    elif shape == "detections":
        unit, value, where = "item, system", "answer", "true"
    elif shape == "ratings":
        unit, where = "item, system", "true"
        numbers = responses.value("SELECT count(*) = count(score) FROM {r}")
        value = "score" if numbers else "word"
    else:
        raise InputError(f"agreement on {shape} is not computed from single answers")
    if not responses.has_item:
        raise InputError(
            "agreement needs a column 'item': without it no two responses share a unit"
        )
    rater = "rater" if responses.has_rater else "rid"
    connection = responses.connection
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE picked AS "
        f"SELECT item, hash({unit}) AS unit, {rater} AS rater, arg_min({value}, rid) AS v "
        f"FROM {responses.source} WHERE {where} GROUP BY {unit}, {rater}"
    )
    values = tuple(
        row[0] for row in connection.execute("SELECT DISTINCT v FROM picked ORDER BY v").fetchall()
    )
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE answers AS SELECT item, unit, rater, value FROM picked JOIN "
        "(SELECT v, row_number() OVER (ORDER BY v) - 1 AS value FROM (SELECT DISTINCT v "
        "FROM picked)) USING (v)"
    )
    return values


def _array(responses: Responses, sql: str, width: int) -> NDArray[np.int64]:
    columns = responses.connection.execute(sql).fetchnumpy()
    if not columns or not len(next(iter(columns.values()))):
        return np.zeros((0, width), dtype=np.int64)
    return np.column_stack([np.asarray(c, dtype=np.int64) for c in columns.values()])


def answer_patterns(responses: Responses) -> AnswerPatterns:
    """Distinct patterns with multiplicities; see ``jurybox.stats.agreement.Patterns``."""
    values = _answers(responses)
    connection = responses.connection
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE units AS "
        "SELECT item, unit, list_sort(list(value)) AS pattern FROM answers GROUP BY item, unit"
    )
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE pattern_numbers AS SELECT pattern, "
        "row_number() OVER (ORDER BY pattern) - 1 AS p FROM (SELECT DISTINCT pattern FROM units)"
    )
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE numbered AS "
        "SELECT item, unit, p FROM units JOIN pattern_numbers USING (pattern)"
    )
    lists = connection.execute("SELECT pattern FROM pattern_numbers ORDER BY p").fetchall()
    patterns = np.zeros((len(lists), len(values)), dtype=np.int64)
    for row, (pattern,) in enumerate(lists):
        patterns[row] = np.bincount(pattern, minlength=len(values))
    signatures = connection.execute(
        "SELECT signature, count(*) FROM (SELECT item, list_sort(list(p)) AS signature "
        "FROM numbered GROUP BY item) GROUP BY signature ORDER BY signature"
    ).fetchall()
    signature = [(s, p) for s, (ps, _) in enumerate(signatures) for p in ps]
    raters, cells = np.zeros((0, 4), dtype=np.int64), np.zeros((0, 4), dtype=np.int64)
    n_raters: int | None = None
    if responses.has_rater:
        n_raters = int(
            connection.execute("SELECT count(DISTINCT rater) FROM answers").fetchall()[0][0]
        )
        raters, cells = _by_rater(responses)
    return AnswerPatterns(
        values=values,
        patterns=patterns,
        signature=np.array(signature, dtype=np.int64).reshape(len(signature), 2),
        items=np.array([n for _, n in signatures], dtype=np.int64),
        raters=raters,
        cells=cells,
        n_raters=n_raters,
    )


def _by_rater(responses: Responses) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    responses.connection.execute(
        "CREATE OR REPLACE TEMP TABLE own AS SELECT a.item, rater, p, value, "
        "count(*) OVER (PARTITION BY a.item, rater) AS size "
        "FROM answers a JOIN numbered n ON a.unit = n.unit AND a.item = n.item"
    )
    raters = _array(
        responses,
        "SELECT r, p, value, count(*) FROM (SELECT dense_rank() OVER (ORDER BY rater) - 1 AS r, "
        "p, value FROM own) GROUP BY r, p, value ORDER BY r, p, value",
        4,
    )
    alone = _array(
        responses,
        "SELECT -1, p, value, count(*) FROM own WHERE size = 1 GROUP BY p, value ORDER BY p, value",
        4,
    )
    several = _array(
        responses,
        "SELECT dense_rank() OVER (ORDER BY item, rater) - 1 AS c, p, value, 1 AS n FROM own "
        "WHERE size > 1 ORDER BY c, p, value",
        4,
    )
    return raters, np.concatenate([alone, several])


def pair_answers(responses: Responses) -> PairAnswers:
    """What every two raters answered; see ``jurybox.stats.kappa.RaterPairs``."""
    if not responses.has_rater:
        raise InputError("Cohen's kappa needs a column 'rater': it compares two raters")
    values = _answers(responses)
    query = responses.connection.execute
    names = tuple(
        row[0] for row in query("SELECT DISTINCT rater FROM answers ORDER BY rater").fetchall()
    )
    (n_items,) = query("SELECT count(DISTINCT item) FROM answers").fetchall()[0]
    query(
        "CREATE OR REPLACE TEMP TABLE numbered_answers AS SELECT "
        "dense_rank() OVER (ORDER BY item) - 1 AS i, unit, item, "
        "dense_rank() OVER (ORDER BY rater) - 1 AS r, value FROM answers"
    )
    found = _array(
        responses,
        "SELECT a.i AS i, a.r AS r1, b.r AS r2, a.value AS v1, b.value AS v2, count(*) AS n "
        "FROM numbered_answers a JOIN numbered_answers b "
        "ON a.unit = b.unit AND a.item = b.item AND a.r < b.r "
        "GROUP BY ALL ORDER BY ALL",
        6,
    )
    pairs, pair = np.unique(found[:, 1:3], axis=0, return_inverse=True)
    rows = np.column_stack([found[:, 0], pair.ravel(), found[:, 3:]])
    return PairAnswers(
        values=values,
        names=names,
        pairs=pairs,
        rows=rows,
        n_raters=len(names),
        n_items=int(n_items),
    )
