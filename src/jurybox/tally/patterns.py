"""Responses reduced to distinct patterns of answers per unit, which agreement is computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError
from jurybox.tally.responses import Responses

__all__ = ["AnswerPatterns", "PairAnswers", "answer_patterns", "pair_answers"]

BITS = 63
"""Of a signed integer, for the counts of a pattern side by side."""


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
    """Make the table ``answers`` of numbers (i, u, r, v); give the distinct values in order.

    Item i and rater r count in the order of their names, v is the place of the value. A unit u is
    an output, or an item with an unordered pair of systems, whose winner is then turned to the
    order of their names. Of repeated answers of a rater to a unit the first counts.
    """
    unit, value, where = _unit(responses)
    rater = "enum_code(rater)" if responses.has_rater else "rid"
    query = responses.connection.execute
    picked = f"(SELECT {unit} AS u, {rater} AS r, {value} AS x, enum_code(item) AS i, rid FROM "
    picked += f"{responses.source} WHERE {where})"
    if not responses.once:
        query(
            "CREATE OR REPLACE TEMP TABLE picked AS SELECT u, r, arg_min(x, rid) AS x, "
            f"any_value(i) AS i FROM {picked} GROUP BY u, r"
        )
        picked = "picked"
    query(
        "CREATE OR REPLACE TEMP TABLE answer_values AS SELECT x, row_number() OVER (ORDER BY x) "
        f"- 1 AS v FROM (SELECT DISTINCT x FROM {picked})"
    )
    query(
        "CREATE OR REPLACE TEMP TABLE answers AS SELECT CAST(i AS BIGINT) AS i, u, "
        f"CAST(r AS BIGINT) AS r, v FROM {picked} JOIN answer_values USING (x)"
    )
    return tuple(row[0] for row in query("SELECT x FROM answer_values ORDER BY v").fetchall())


def _unit(responses: Responses) -> tuple[str, str, str]:
    """A unit's number, the answer to it, and which responses have one, in SQL."""
    shape = responses.shape.name
    if shape not in ("votes", "detections", "ratings"):
        raise InputError(f"agreement on {shape} is not computed from single answers")
    if not responses.has_item:
        raise InputError(
            "agreement needs a column 'item': without it no two responses share a unit"
        )
    if shape == "votes":
        n = responses.value("SELECT len(enum_range(CAST(NULL AS systems)))")
        one, two = (f"{f}(enum_code(system_a), enum_code(system_b))" for f in ("least", "greatest"))
        unit = f"(CAST(enum_code(item) AS BIGINT) * {n} + {one}) * {n} + {two}"
        value = (
            "CASE WHEN system_a <= system_b OR winner IN ('tie', 'both_bad') THEN winner "
            "WHEN winner = 'a' THEN 'b' ELSE 'a' END"
        )
        return unit, value, "system_a <> system_b"
    unit = "CAST(enum_code(item) AS BIGINT) << 32 | enum_code(system)"
    if shape == "detections":
        return unit, "answer", "true"
    numbers = responses.value("SELECT count(*) = count(score) FROM {r}")
    return unit, "score" if numbers else "word", "true"


def _array(responses: Responses, sql: str, width: int) -> NDArray[np.int64]:
    columns = responses.connection.execute(sql).fetchnumpy()
    if not columns or not len(next(iter(columns.values()))):
        return np.zeros((0, width), dtype=np.int64)
    return np.column_stack([np.asarray(c, dtype=np.int64) for c in columns.values()])


def answer_patterns(responses: Responses) -> AnswerPatterns:
    """Distinct patterns with multiplicities; see ``jurybox.stats.agreement.Patterns``."""
    values = _answers(responses)
    patterns = _number_patterns(responses, len(values))
    query = responses.connection.execute
    query(
        "CREATE OR REPLACE TEMP TABLE signatures AS SELECT signature, count(*) AS n, "
        "row_number() OVER (ORDER BY signature) - 1 AS s FROM (SELECT list_sort(list(p)) AS "
        "signature FROM numbered GROUP BY i) GROUP BY signature"
    )
    signature = _array(responses, "SELECT s, unnest(signature) FROM signatures ORDER BY s", 2)
    items = query("SELECT n FROM signatures ORDER BY s").fetchnumpy()["n"]
    raters, cells = np.zeros((0, 4), dtype=np.int64), np.zeros((0, 4), dtype=np.int64)
    n_raters: int | None = None
    if responses.has_rater:
        raters, cells = _by_rater(responses)
        n_raters = len(np.unique(raters[:, 0]))
    return AnswerPatterns(
        values=values,
        patterns=patterns,
        signature=signature,
        items=np.asarray(items, dtype=np.int64),
        raters=raters,
        cells=cells,
        n_raters=n_raters,
    )


def _number_patterns(responses: Responses, n_values: int) -> NDArray[np.int64]:
    """Make the table ``numbered`` (i, u, p); give the patterns as counts of each value.

    Counts that fit side by side into one integer are added up as such; otherwise the sorted list of
    a unit's values is the pattern. Patterns are numbered in the order of those lists either way.
    """
    query = responses.connection.execute
    # A unit has at most as many answers as there are raters; often that is close enough.
    ((most,),) = query("SELECT count(DISTINCT r) FROM answers").fetchall()
    bits = int(most).bit_length()
    if bits * n_values >= BITS:
        ((most,),) = query(
            "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM answers GROUP BY u)"
        ).fetchall()
        bits = int(most).bit_length()
    pattern = "list_sort(list(v))"
    if bits * n_values < BITS:
        pattern = f"CAST(sum(CAST(1 AS BIGINT) << ({bits} * v)) AS BIGINT)"
    query(
        "CREATE OR REPLACE TEMP TABLE units AS "
        f"SELECT any_value(i) AS i, u, {pattern} AS pattern FROM answers GROUP BY u"
    )
    found = [row[0] for row in query("SELECT DISTINCT pattern FROM units").fetchall()]
    counts = {}
    for each in found:
        if isinstance(each, int):
            count = tuple(each >> bits * v & (1 << bits) - 1 for v in range(n_values))
        else:
            count = tuple(np.bincount(each, minlength=n_values).tolist())
        counts[count] = each
    # Of two sorted lists the one with more of the first value comes first, unless it ends there.
    order = sorted(counts, key=lambda count: [v for v in range(n_values) for _ in range(count[v])])
    query(
        "CREATE OR REPLACE TEMP TABLE pattern_numbers AS SELECT unnest(?) AS pattern, "
        "unnest(?) AS p",
        [[counts[count] for count in order], list(range(len(order)))],
    )
    query(
        "CREATE OR REPLACE TEMP TABLE numbered AS SELECT i, u, CAST(p AS BIGINT) AS p "
        "FROM units JOIN pattern_numbers USING (pattern)"
    )
    return np.array(order, dtype=np.int64).reshape(len(order), n_values)


def _by_rater(responses: Responses) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    query = responses.connection.execute
    # A cell c is an item with a rater; one integer is grouped by faster than two.
    query(
        "CREATE OR REPLACE TEMP TABLE own AS SELECT a.i << 32 | r AS c, r, p, v FROM answers a "
        "JOIN numbered USING (u)"
    )
    raters = _array(responses, "SELECT r, p, v, count(*) FROM own GROUP BY r, p, v ORDER BY ALL", 4)
    raters[:, 0] = np.unique(raters[:, 0], return_inverse=True)[1]
    ((all_alone,),) = query("SELECT count(*) = count(DISTINCT c) FROM own").fetchall()
    if all_alone:
        sql = "SELECT -1, p, v, count(*) FROM own GROUP BY p, v ORDER BY p, v"
        return raters, _array(responses, sql, 4)
    query(
        "CREATE OR REPLACE TEMP TABLE cells AS SELECT c, count(*) AS n, any_value(p) AS p, "
        "any_value(v) AS v FROM own GROUP BY c"
    )
    alone = _array(
        responses,
        "SELECT -1, p, v, count(*) FROM cells WHERE n = 1 GROUP BY p, v ORDER BY p, v",
        4,
    )
    several = _array(
        responses,
        "SELECT dense_rank() OVER (ORDER BY c) - 1 AS d, own.p, own.v, 1 AS n FROM own "
        "JOIN cells USING (c) WHERE n > 1 ORDER BY d, own.p, own.v",
        4,
    )
    return raters, np.concatenate([alone, several])


def pair_answers(responses: Responses) -> PairAnswers:
    """What every two raters answered; see ``jurybox.stats.kappa.RaterPairs``."""
    if not responses.has_rater:
        raise InputError("Cohen's kappa needs a column 'rater': it compares two raters")
    values = _answers(responses)
    query = responses.connection.execute
    codes = [row[0] for row in query("SELECT DISTINCT r FROM answers ORDER BY r").fetchall()]
    known = responses.value("SELECT enum_range(CAST(NULL AS raters))")
    names = tuple(known[code] for code in codes)
    (n_items,) = query("SELECT count(DISTINCT i) FROM answers").fetchall()[0]
    query(
        "CREATE OR REPLACE TEMP TABLE numbered_answers AS SELECT "
        "dense_rank() OVER (ORDER BY i) - 1 AS i, u, dense_rank() OVER (ORDER BY r) - 1 AS r, v "
        "FROM answers"
    )
    found = _array(
        responses,
        "SELECT a.i AS i, a.r AS r1, b.r AS r2, a.v AS v1, b.v AS v2, count(*) AS n "
        "FROM numbered_answers a JOIN numbered_answers b ON a.u = b.u AND a.r < b.r "
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
