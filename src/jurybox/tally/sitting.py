"""Answers with their place in the rater's sitting, from 0 (the first trial) to 1 (the last)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.rater_effects import TRIAL, UNIT, first_answers, judged
from jurybox.tally.responses import Responses

__all__ = ["Sitting", "answers_in_order", "is_placed", "times_in_order"]

PLACE = "(position - min(position) OVER r) / nullif(max(position) OVER r - min(position) OVER r, 0)"
"""Of a rater with a single trial there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Sitting:
    """Answers as arrays; units, items and raters are numbered from 0."""

    unit: NDArray[np.int64]
    item: NDArray[np.int64]
    rater: NDArray[np.int64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]


def is_placed(responses: Responses) -> bool:
    """Whether answers name their rater, item and place."""
    return responses.has_rater and responses.has_item and "position" in responses.columns


def answers_in_order(responses: Responses, value: str) -> Sitting:
    """Every answer with its place.

    ``value``: ``score`` (the answer as a number), ``tie`` (of votes), ``distance`` (how far the
    score is from the others' mean on the unit) or ``same`` (the share of the others with the same
    answer).
    """
    y = {
        "score": "y",
        "tie": "CASE WHEN a IN ('tie', 'both_bad') THEN 1.0 ELSE 0.0 END",
        "distance": "CASE WHEN n > 1 THEN abs(y - (total - y) / (n - 1)) END",
        "same": "CASE WHEN n > 1 THEN (alike - 1) / (n - 1) END",
    }[value]
    alike = "" if value != "same" else f", count(*) OVER (PARTITION BY {UNIT}, a) AS alike"
    return _arrays(
        responses,
        f"WITH f AS (SELECT *, {PLACE} AS x, count(*) OVER u AS n, sum(y) OVER u AS total{alike} "
        f"FROM {first_answers(responses)} WHERE position IS NOT NULL "
        f"WINDOW r AS (PARTITION BY rater), u AS (PARTITION BY {UNIT})) "
        f"SELECT item, rater, s1, s2, x, {y} AS y FROM f",
    )


def times_in_order(responses: Responses) -> Sitting:
    """The logarithm of the seconds of every trial, with its place.

    A unit is an item with the first and the last of the systems shown, by name; of rankings, with
    all that were shown.
    """
    return _arrays(
        responses,
        "WITH t AS (SELECT rater, item, any_value(position) AS position, min(s1) AS s1, "
        f"max(s2) AS s2, ln(any_value(ms) / 1000) AS y FROM {judged(responses)} "
        f"WHERE position IS NOT NULL AND ms > 0 GROUP BY {TRIAL}) "
        f"SELECT item, rater, s1, s2, {PLACE} AS x, y FROM t WINDOW r AS (PARTITION BY rater)",
    )


def _arrays(responses: Responses, rows: str) -> Sitting:
    # Equal names have equal hashes. That two of a million different ones share a hash of 64 bits
    # is less likely than one in ten million.
    found: dict[str, Any] = responses.connection.execute(
        "SELECT hash(item, s1, s2) AS unit, hash(item) AS item, hash(rater) AS rater, x, y "
        f"FROM ({rows}) WHERE x IS NOT NULL AND y IS NOT NULL"
    ).fetchnumpy()
    numbers = {
        name: np.unique(np.asarray(found[name], dtype=np.uint64), return_inverse=True)[1]
        for name in ("unit", "item", "rater")
    }
    return Sitting(
        **numbers,
        x=np.asarray(found["x"], dtype=np.float64),
        y=np.asarray(found["y"], dtype=np.float64),
    )
