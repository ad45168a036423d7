"""Derived criteria: computed per response from the same rater's other scores of the same output."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from jurybox.errors import InputError
from jurybox.tally.responses import Responses
from jurybox.tally.source import quote, text

__all__ = ["Rule", "add_derived", "combine"]

Rule = Literal["mean", "geometric_mean", "weighted_mean"]


def add_derived(
    responses: Responses, name: str, rule: Rule, weights: Mapping[str, float]
) -> tuple[int, int]:
    """Add a criterion's rows to the responses; give how many were made and how many were not.

    Every part must be there: partly missing is missing. ``weights`` names the parts; only
    ``weighted_mean`` uses their values.
    """
    parts = ", ".join(text(part) for part in weights)
    if rule == "geometric_mean":
        low = responses.value(f"SELECT min(score) FROM {{r}} WHERE criterion IN ({parts})")
        if low is not None and low < 0:
            raise InputError(
                f"derived criterion {name!r}: a geometric mean needs scores from 0 up; got {low:g}"
            )
        value = f"pow(product(score), 1.0 / {len(weights)})"
    elif rule == "weighted_mean":
        cases = " ".join(f"WHEN {text(part)} THEN {float(w)!r}" for part, w in weights.items())
        value = f"sum(score * CASE criterion {cases} END) / {float(sum(weights.values()))!r}"
    else:
        value = "avg(score)"
    # Thirteen digits: the same parts in another order differ in the sixteenth, and are equal.
    value = f"CAST(printf('%.12e', {value}) AS DOUBLE)"
    carried = [
        column
        for column in (
            "position",
            "ms",
            "excluded_by",
            "rater_kind",
            "rater_group",
            "item_category",
        )
        if column in responses.columns
    ]
    names = "".join(f", {column}" for column in carried)
    kept = "".join(f", any_value({column}) AS {column}" for column in carried)
    responses.connection.execute(
        "CREATE OR REPLACE TEMP TABLE made AS SELECT min(rid) AS rid, item, system, rater, trial, "
        f"{value} AS score, count(DISTINCT criterion) AS parts, count(*) AS n{kept} FROM answered "
        f"WHERE criterion IN ({parts}) AND score IS NOT NULL GROUP BY item, system, rater, trial"
    )
    _refuse_mixed(responses, name)
    whole = f"parts = {len(weights)}"
    (made,) = responses.connection.execute(f"SELECT count(*) FROM made WHERE {whole}").fetchall()[0]
    (partly,) = responses.connection.execute(
        f"SELECT count(*) FROM made WHERE NOT {whole}"
    ).fetchall()[0]
    # After all given rows, so that criteria keep their order. Its name is not yet in the dictionary
    # of criteria, so these become plain text.
    table = quote(f"with {name}")
    responses.connection.execute(
        f"CREATE TEMP TABLE {table} AS SELECT * REPLACE (CAST(criterion AS VARCHAR) AS criterion) "
        "FROM answered UNION ALL BY NAME SELECT rid + (SELECT max(rid) FROM answered) AS rid, "
        f"item, system, rater, trial, {text(name)} AS criterion, score, "
        f"CAST(score AS VARCHAR) AS word{names} FROM made WHERE {whole}"
    )
    responses.connection.execute(f"CREATE OR REPLACE TEMP VIEW answered AS SELECT * FROM {table}")
    return int(made), int(partly)


def combine(rule: Rule, weights: Mapping[str, float], scores: Mapping[str, float]) -> float:
    """The value that a rule gives to one response.

    >>> combine("geometric_mean", {"SC": 1, "PR": 1}, {"SC": 1, "PR": 0.25})
    0.5
    """
    if rule == "geometric_mean":
        return float(math.prod(scores[part] for part in weights) ** (1 / len(weights)))
    if rule == "weighted_mean":
        return sum(scores[part] * w for part, w in weights.items()) / sum(weights.values())
    return sum(scores[part] for part in weights) / len(weights)


def _refuse_mixed(responses: Responses, name: str) -> None:
    """Refuse scores of which it is not known which belong to one response."""
    mixed = responses.connection.execute(
        "SELECT CAST(item AS VARCHAR), CAST(system AS VARCHAR) FROM made WHERE n > parts LIMIT 1"
    ).fetchall()
    if mixed:
        item, system = mixed[0]
        raise InputError(
            f"derived criterion {name!r}: {system} on {item} has several scores of one criterion, "
            "and nothing says which of them belong together; name them by a column 'rater' or "
            "'trial'"
        )
