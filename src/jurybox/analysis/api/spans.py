"""Spans: the public functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.api.opened import one_criterion, opened
from jurybox.analysis.options import Options
from jurybox.stats.clusters import Cluster
from jurybox.stats.distributions import check_confidence
from jurybox.stats.means import MeanScores

__all__ = ["span_scores"]


def span_scores(
    spans: Any,
    *,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, Any] | None = None,
    criterion: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
) -> MeanScores:
    r"""Error points per output of every system, fewest first (MQM); clean outputs count with 0.

    Parameters
    ----------
    spans
        ``item, system, rater, category, severity``, one row per span; an output marked free of
        errors is a row without a severity.
    severities
        Points per severity; by default MQM's: major 5, minor 1, neutral 0.
    weights
        Points of single categories: a number, or a number per severity. By default (with the
        default severities) minor fluency/punctuation 0.1 and non-translation 25.
    criterion, confidence, cluster
        As in ``mean_scores``.

    Returns
    -------
    MeanScores
        One row per system. More points are worse.

    Notes
    -----
    .. math:: \frac{1}{n}\sum_{\text{output, rater}} \; \sum_{\text{spans}} w

    *Degenerate input.* A severity without points is an error that lists the values.

    *Checked against* the published WMT 2021 TED en–de scores.

    References
    ----------
    Freitag et al. (2021), arXiv:2104.14478.

    Examples
    --------
    >>> spans = {
    ...     "item": [1, 1, 2],
    ...     "system": ["mt", "mt", "mt"],
    ...     "rater": ["ada", "ada", "ada"],
    ...     "category": ["accuracy", "fluency/punctuation", None],
    ...     "severity": ["major", "minor", None],
    ... }
    >>> span_scores(spans).rows[0].estimate
    2.55
    """
    options = Options(confidence=confidence, cluster=cluster)
    check_confidence(confidence)
    with opened(spans, "spans", criterion) as responses:
        name = one_criterion(responses)
        rows = measure.points(
            responses, options, criterion=name, severities=severities, weights=weights
        )
    return MeanScores(rows=tuple(rows), cluster=cluster, confidence=confidence)
