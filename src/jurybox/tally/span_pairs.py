"""Marked spans reduced to how well every two raters of the same output agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = [
    "RaterPairs",
    "n_unplaced",
    "pair_scores",
    "span_pairs",
    "unranked",
    "why_no_pairs",
]

OUTPUT = "item, system"
PLACED = '"start" IS NOT NULL AND "end" > "start" AND "start" >= 0'


@dataclass(frozen=True, slots=True, eq=False)
class RaterPairs:
    """Every two raters of the same output; numbers stand for items and raters."""

    items: NDArray[np.int64]
    one: NDArray[np.int64]
    two: NDArray[np.int64]
    score: NDArray[np.float64]
    empty: NDArray[np.bool_]
    n_outputs: int


def why_no_pairs(responses: Responses) -> str | None:
    """Why the spans of two raters cannot be laid over each other; ``None`` if they can."""
    if not responses.has_rater:
        return "the table names no raters"
    if not {"start", "end"} <= responses.columns:
        return "the table does not say where spans start and end"
    twice = responses.value(
        f"SELECT count(*) FROM (SELECT 1 FROM {{r}} GROUP BY {OUTPUT} "
        "HAVING count(DISTINCT rater) > 1 LIMIT 1)"
    )
    return None if twice else "every output was marked by one rater only"


def n_unplaced(responses: Responses) -> int:
    """How many markings of an output by a rater have a span without a place."""
    found = responses.value(
        f"SELECT count(*) FROM (SELECT DISTINCT {OUTPUT}, rater FROM {{r}} "
        f"WHERE severity IS NOT NULL AND NOT coalesce({PLACED}, false))"
    )
    return int(found)


def unranked(responses: Responses, *, severities: Mapping[str, float]) -> tuple[str, ...]:
    """The severities that were given and have no points, which rank below all that have."""
    found = responses.query(
        "SELECT DISTINCT lower(severity) AS name FROM {r} WHERE severity IS NOT NULL ORDER BY name"
    )
    return tuple(str(name) for (name,) in found if name not in severities)


def span_pairs(
    responses: Responses, *, severities: Mapping[str, float], partial: float = 0.5
) -> RaterPairs:
    """F1 by characters of every two raters of an output (see ``stats.agreement.spans``).

    A rater's characters carry the severest mark on them. Of an output that a rater marked in
    several trials the first counts. A rater who marked a span without a place on an output is left
    out of its pairs: what was marked is not known.
    """
    field = "field" if "field" in responses.columns else "''"
    pairs = pair_scores(responses.source, severities, partial, field)
    found = responses.connection.execute(
        "SELECT enum_code(item) AS item, enum_code(system) AS system, enum_code(one) AS one, "
        f"enum_code(two) AS two, score, empty FROM ({pairs}) ORDER BY ALL"
    ).fetchnumpy()
    arrays: dict[str, Any] = {name: np.ma.getdata(column) for name, column in found.items()}
    items, systems = arrays["item"].astype(np.int64), arrays["system"].astype(np.int64)
    return RaterPairs(
        items=items,
        one=arrays["one"].astype(np.int64),
        two=arrays["two"].astype(np.int64),
        score=arrays["score"].astype(np.float64),
        empty=arrays["empty"].astype(np.bool_),
        n_outputs=len(np.unique(np.stack([items, systems]), axis=1)[0]) if len(items) else 0,
    )


def pair_scores(
    source: str, severities: Mapping[str, float], partial: float = 0.5, field: str = "''"
) -> str:
    """F1 of every two raters of an output among the rows of marks, in SQL."""
    cases = " ".join(f"WHEN {text(name)} THEN {float(v)!r}" for name, v in severities.items())
    weight = f"CASE lower(severity) {cases} ELSE 0.0 END" if cases else "0.0"
    # Between two neighboring cuts (starts and ends of anybody's spans) nothing changes.
    return (
        f"WITH seen AS (SELECT *, coalesce({field}, '') AS place FROM {source} QUALIFY trial IS "
        f"NOT DISTINCT FROM first_value(trial) OVER (PARTITION BY {OUTPUT}, rater ORDER BY rid)), "
        f"raters AS (SELECT {OUTPUT}, rater FROM seen GROUP BY ALL "
        f"HAVING bool_and(severity IS NULL OR coalesce({PLACED}, false))), "
        f'marks AS (SELECT {OUTPUT}, place, rater, "start" AS low, "end" AS high, '
        f"struct_pack(weight := {weight}, name := lower(severity)) AS severity FROM seen "
        f"JOIN raters USING ({OUTPUT}, rater) WHERE severity IS NOT NULL), "
        f"cuts AS (SELECT {OUTPUT}, place, low AS cut FROM marks UNION "
        f"SELECT {OUTPUT}, place, high FROM marks), "
        f"parts AS (SELECT {OUTPUT}, place, cut, "
        f"lead(cut) OVER (PARTITION BY {OUTPUT}, place ORDER BY cut) - cut AS size FROM cuts), "
        "covered AS (SELECT p.item, p.system, p.place, p.cut, p.size, m.rater, "
        "max(m.severity) AS severity FROM parts p JOIN marks m ON p.item = m.item "
        "AND p.system = m.system AND p.place = m.place AND m.low <= p.cut AND p.cut < m.high "
        "GROUP BY ALL), "
        f"sizes AS (SELECT {OUTPUT}, rater, sum(size) AS size FROM covered GROUP BY ALL), "
        "shared AS (SELECT a.item, a.system, a.rater AS one, b.rater AS two, sum(a.size * "
        f"CASE WHEN a.severity = b.severity THEN 1.0 ELSE {float(partial)!r} END) AS credit "
        "FROM covered a JOIN covered b ON a.item = b.item AND a.system = b.system "
        "AND a.place = b.place AND a.cut = b.cut AND a.rater < b.rater GROUP BY ALL), "
        f"pairs AS (SELECT {OUTPUT}, a.rater AS one, b.rater AS two FROM raters a "
        f"JOIN raters b USING ({OUTPUT}) WHERE a.rater < b.rater), "
        "sized AS (SELECT pairs.*, coalesce(x.size, 0) + coalesce(y.size, 0) AS size, "
        "coalesce(credit, 0) AS credit FROM pairs "
        f"LEFT JOIN shared USING ({OUTPUT}, one, two) "
        "LEFT JOIN sizes x ON pairs.item = x.item AND pairs.system = x.system "
        "AND pairs.one = x.rater LEFT JOIN sizes y ON pairs.item = y.item "
        "AND pairs.system = y.system AND pairs.two = y.rater) "
        "SELECT item, system, one, two, "
        "CASE WHEN size = 0 THEN 1.0 ELSE 2 * credit / size END AS score, size = 0 AS empty "
        "FROM sized"
    )
