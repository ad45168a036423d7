"""Metrics against people: every metric at every level, and every two metrics compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jurybox.analysis.measure.spans import MQM, Weights
from jurybox.analysis.options import Options
from jurybox.errors import InputError
from jurybox.stats.metrics.against_people import correlations, set_level
from jurybox.stats.metrics.compared import compare_metrics
from jurybox.stats.metrics.judged import People
from jurybox.stats.metrics.results import MetricCorrelations
from jurybox.tally import ratios
from jurybox.tally.metrics import JudgedOutputs, MetricTable
from jurybox.tally.ratings import first_scores
from jurybox.tally.responses import Responses
from jurybox.tally.spans import as_scores, span_rows

__all__ = ["metric_correlations", "scores_of_outputs"]

TURNED = "of this metric lower is better, so that its values count with the opposite sign"


def scores_of_outputs(part: Responses, weights: Weights = MQM) -> Responses:
    """One criterion's responses as scores of outputs, of which more is better.

    Spans: their points, turned; detections: whether a generated output is called real.
    """
    if part.shape.name == "spans":
        return as_scores(part, span_rows(part, **weights.given), turned=True)
    if part.shape.name == "detections":
        generated = part.where("truth = 'generated'")
        return as_scores(generated, ratios.binary("answer = 'real'"))
    if part.shape.name == "ratings":
        return first_scores(part)
    raise InputError(
        f"{part.shape.name} give no output a score of its own: compare the order of the systems by "
        "jb.analyze(table, metrics=metrics)"
    )


def metric_correlations(
    judged: JudgedOutputs, metrics: MetricTable, options: Options, *, criterion: str
) -> MetricCorrelations:
    """Correlations and accuracies of each metric with one criterion, and tests between metrics."""
    laid_out = metrics.lay_out(judged.items, judged.systems)
    for metric, matrix in laid_out.items():
        if not (matrix == matrix).any():
            one = next(iter(metrics.values[metric]))
            raise InputError(
                f"no output has both a score and a value of {metric!r}: the metric names items "
                f"such as {one[0]!r} ({one[1]}), people's answers such as {judged.items[0]!r} "
                f"({judged.systems[0]})"
            )
    settings: dict[str, Any] = {
        "criterion": criterion,
        "confidence": options.confidence,
        "n_resamples": options.n_resamples,
        "seed": options.seed,
    }
    rows = correlations(judged, laid_out, **settings)
    for metric, values in metrics.set_level.items():
        by_system = [values.get(system) for system in judged.systems]
        if not set(values) & set(judged.systems):
            raise InputError(
                f"no system has both a score and a value of {metric!r}: the metric names systems "
                f"such as {next(iter(values))!r}, people's answers such as {judged.systems[0]!r}"
            )
        rows += set_level(judged, metric, by_system, **settings)
    rows = [
        replace(row, notes=(*row.notes, TURNED)) if row.metric in metrics.lower_is_better else row
        for row in rows
    ]
    compared = compare_metrics(People(judged, options.seed).means, laid_out, **settings)
    return MetricCorrelations(
        rows=tuple(rows), comparisons=tuple(compared), confidence=options.confidence
    )
