"""Marked spans reduced to points per output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from jurybox.errors import InputError
from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = ["MQM_SEVERITIES", "MQM_WEIGHTS", "as_scores", "categories", "span_rows"]

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


def span_rows(
    responses: Responses,
    *,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, float | Mapping[str, float]] | None = None,
) -> str:
    """The rows of the mean points per output and rater: a clean output counts with 0."""
    points = {k.lower(): v for k, v in (severities or MQM_SEVERITIES).items()}
    default = MQM_WEIGHTS if severities is None and weights is None else {}
    own = {k.lower(): v for k, v in (default if weights is None else weights).items()}
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
        raise InputError(
            f"severity must be one of {', '.join(points)}; got "
            + ", ".join(repr(each) for each in dict.fromkeys(unknown))
        )
    value = f"CASE {' '.join(cases)} ELSE 0.0 END" if cases else "0.0"
    return (
        f"SELECT system AS k, item, rater, min(rid) AS rid, sum({value}) AS u, 1.0 AS w "
        "FROM {r} GROUP BY system, item, rater, trial"
    )


def as_scores(responses: Responses, rows: str) -> Responses:
    """The points of each output and rater as if they were scores, to compare systems by."""
    selected = rows.replace("{r}", responses.source)
    points = f"(SELECT k AS system, item, rater, rid, u AS score FROM ({selected}))"
    return replace(responses, source=points)


def categories(responses: Responses) -> list[tuple[str, str | None, str, int]]:
    """How many spans of each category and severity each system has."""
    return [
        (row[0], row[1], row[2], int(row[3]))
        for row in responses.query(
            "SELECT system, category, severity, count(*) FROM {r} WHERE severity IS NOT NULL "
            "GROUP BY ALL ORDER BY ALL"
        )
    ]
