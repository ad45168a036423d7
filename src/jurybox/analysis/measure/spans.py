"""Spans: error points per output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jurybox.analysis.measure.ratings import differences
from jurybox.analysis.measure.reduced import mean_rows
from jurybox.analysis.options import Options
from jurybox.stats.means import Difference, MeanScore
from jurybox.tally import spans
from jurybox.tally.responses import Responses

__all__ = ["point_differences", "points"]


def points(
    responses: Responses,
    options: Options,
    *,
    criterion: str,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, Any] | None = None,
) -> list[MeanScore]:
    """The mean error points per output, fewest first."""
    rows = spans.span_rows(responses, severities=severities, weights=weights)
    return mean_rows(responses, rows, options, criterion)[::-1]


def point_differences(
    responses: Responses,
    options: Options,
    *,
    criterion: str,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, Any] | None = None,
) -> list[Difference]:
    """Every two systems compared by their error points within items."""
    rows = spans.span_rows(responses, severities=severities, weights=weights)
    return differences(spans.as_scores(responses, rows), options, criterion=criterion)
