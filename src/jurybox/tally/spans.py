"""Marked spans reduced to points per output."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from jurybox.errors import InputError
from jurybox.tally.hints import values_hint
from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = [
    "MQM_SEVERITIES",
    "MQM_WEIGHTS",
    "Standardize",
    "as_scores",
    "categories",
    "check_spans",
    "n_outputs",
    "row_points",
    "severity_points",
    "span_rows",
    "unvarying",
]

Standardize = Literal["rater"] | None

MQM_SEVERITIES = {"major": 5.0, "minor": 1.0, "neutral": 0.0}
MQM_WEIGHTS: dict[str, float | dict[str, float]] = {
    "fluency/punctuation": {"minor": 0.1},
    "non-translation": 25.0,
}
"""Freitag et al. (2021), arXiv:2104.14478, section 3.2."""


def _weight(
    category: str | None,
    severity: str,
    severities: Mapping[str, float],
    weights: Mapping[str, float | Mapping[str, float]],
) -> float | None:
    """The points of a span: its severity's, unless the category has its own."""
    own = weights.get(category.lower()) if category else None
    if isinstance(own, Mapping):
        own = own.get(severity.lower())
    if own is None and category:
        # "Non-translation!" is how some exports write it.
        plain = weights.get(category.lower().rstrip("!"))
        own = plain if isinstance(plain, float | int) else own
    return float(own) if own is not None else severities.get(severity.lower())


def row_points(
    responses: Responses,
    severities: Mapping[str, float] | None,
    weights: Mapping[str, float | Mapping[str, float]] | None,
) -> str:
    """The points of a row in SQL; an output marked free of errors has none."""
    points = severity_points(severities)
    default = MQM_WEIGHTS if severities is None and weights is None else {}
    own = _checked(default if weights is None else weights)
    cases, unknown = [], []
    for category, severity in responses.query(
        "SELECT DISTINCT category, severity FROM {r} WHERE severity IS NOT NULL ORDER BY ALL"
    ):
        weight = _weight(category, severity, points, own)
        if weight is None:
            unknown.append(severity)
            continue
        condition = f"severity = {text(severity)} AND category "
        condition += "IS NULL" if category is None else f"= {text(category)}"
        cases.append(f"WHEN {condition} THEN {weight!r}")
    if unknown:
        words = list(dict.fromkeys(unknown))
        raise InputError(
            f"severity must be one of {', '.join(points)}; got {', '.join(map(repr, words))}; say "
            f"what each means by {values_hint('severity', words)}"
        )
    return f"CAST(CASE {' '.join(cases)} ELSE 0 END AS DOUBLE)" if cases else "0::DOUBLE"


def severity_points(severities: Mapping[str, float] | None = None) -> dict[str, float]:
    """The points of each severity: those asked for, else MQM's."""
    found = severities or MQM_SEVERITIES
    return {name.lower(): _points(name, value) for name, value in found.items()}


def _points(name: str, value: Any) -> float:
    """The value, if it can be what an error costs."""
    if isinstance(value, bool) or not isinstance(value, float | int):
        raise InputError(f"points of {name!r} must be a number; got {value!r}")
    if not (math.isfinite(value) and value >= 0):
        raise InputError(f"points of {name!r} must be 0 or more: they count errors; got {value}")
    return float(value)


def _checked(
    weights: Mapping[str, float | Mapping[str, float]],
) -> dict[str, float | Mapping[str, float]]:
    """The weights of categories in lower case."""
    made: dict[str, float | Mapping[str, float]] = {}
    for name, own in weights.items():
        if isinstance(own, Mapping):
            own = {kind.lower(): _points(f"{name}, {kind}", v) for kind, v in own.items()}
            made[name.lower()] = own
        else:
            made[name.lower()] = _points(name, own)
    return made


def check_spans(responses: Responses) -> None:
    """Refuse a span that ends before it begins, and one that has a place and no severity."""
    if not {"start", "end"} <= responses.columns:
        return
    nowhere = responses.query(
        'SELECT rid, "start", "end" FROM {r} WHERE "end" < "start" OR "start" < 0 '
        "ORDER BY rid LIMIT 1"
    )
    if nowhere:
        row, start, end = nowhere[0]
        raise InputError(
            f"row {row}: there is no span from {start:g} to {end:g}; start counts characters from "
            "0, and end is the place after the last one"
        )
    wrong = responses.query(
        'SELECT rid, "start", "end" FROM {r} WHERE severity IS NULL AND "end" > "start" '
        "ORDER BY rid LIMIT 1"
    )
    if wrong:
        row, start, end = wrong[0]
        raise InputError(
            f"row {row}: the span from {start:g} to {end:g} has no severity; an output free of "
            "errors is a row without start and end"
        )


def span_rows(
    responses: Responses,
    *,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, float | Mapping[str, float]] | None = None,
    standardize: Standardize = None,
) -> str:
    """The rows of the mean points per output and rater: a clean output counts with 0.

    ``standardize="rater"``: as z-scores, (points − the rater's mean) / the rater's standard
    deviation; a rater who gave every output the same points has none and is left out.
    """
    value = row_points(responses, severities, weights)
    rows = (
        f"SELECT system AS k, item, rater, min(rid) AS rid, sum({value}) AS u, 1.0 AS w "
        "FROM {r} GROUP BY system, item, rater, trial"
    )
    if standardize is None:
        return rows
    if standardize != "rater":
        raise InputError(f"standardize must be 'rater' or None; got {standardize!r}")
    if not responses.has_rater:
        raise InputError("standardize='rater' needs a column 'rater', which the table lacks")
    return (
        "SELECT k, item, rater, rid, (u - mean) / sd AS u, w FROM (SELECT *, "
        "avg(u) OVER (PARTITION BY rater) AS mean, stddev_samp(u) OVER (PARTITION BY rater) AS sd "
        f"FROM ({rows})) WHERE sd > 0"
    )


def unvarying(
    responses: Responses,
    *,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, float | Mapping[str, float]] | None = None,
) -> int:
    """How many raters gave every output the same points, so that they have no z-scores."""
    rows = span_rows(responses, severities=severities, weights=weights)
    return int(
        responses.value(
            "SELECT count(*) FROM (SELECT rater FROM "
            f"({rows}) GROUP BY rater HAVING coalesce(stddev_samp(u), 0) = 0)"
        )
    )


def as_scores(responses: Responses, rows: str, *, turned: bool = False) -> Responses:
    """The points of each output and rater as if they were scores, to compare systems by.

    ``turned``: with the opposite sign, so that more is better.
    """
    selected = rows.replace("{r}", responses.source)
    # 0 − 0 is 0, where −0 would be printed as such.
    score = "0 - u" if turned else "u"
    points = f"(SELECT k AS system, item, rater, rid, {score} AS score FROM ({selected}))"
    return replace(responses, source=points)


def categories(
    responses: Responses,
    *,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, float | Mapping[str, float]] | None = None,
) -> list[tuple[str, str | None, str, int, float]]:
    """How many spans of each category and severity each system has, and their points."""
    value = row_points(responses, severities, weights)
    rows = responses.query(
        f"SELECT system, category, severity, count(*), sum({value}) FROM {{r}} "
        "WHERE severity IS NOT NULL GROUP BY ALL ORDER BY ALL"
    )
    return [(s, c, severity, int(n), float(points)) for s, c, severity, n, points in rows]


def n_outputs(responses: Responses) -> dict[str, int]:
    """How many times an output of each system was marked, clean or not."""
    rows = responses.query(
        "SELECT system, count(*) FROM (SELECT system FROM {r} GROUP BY system, item, rater, trial) "
        "GROUP BY system"
    )
    return {system: int(n) for system, n in rows}
