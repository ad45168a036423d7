"""Metrics as they were measured: each system's values, and outputs beside people's scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.analysis.context import Context, interval_column
from jurybox.analysis.finding import Column, Table
from jurybox.analysis.metric_scores import Scored
from jurybox.analysis.overlap import ENDS
from jurybox.formats import format_count
from jurybox.stats.distributions import t_quantile
from jurybox.stats.metrics.judged import People
from jurybox.stats.scale_ends import Ends
from jurybox.tally.metrics import JudgedOutputs, MetricTable

__all__ = ["DRAWN", "points_table", "value_table"]

Array = NDArray[np.float64]
DRAWN = 300
"""Outputs of which a metric's values are set beside people's scores one by one."""


def value_table(context: Context, metrics: MetricTable) -> Table:
    """Every metric of every system: its mean over outputs, or what holds for the whole set."""
    rows: list[tuple[Any, ...]] = []
    for metric, own in metrics.values.items():
        sign = -1.0 if metric in metrics.lower_is_better else 1.0
        by_system: dict[str, list[float]] = {}
        for (_, system), value in own.items():
            by_system.setdefault(system, []).append(sign * value)
        for system, values in by_system.items():
            ends = _mean_interval(np.array(values), context.confidence, ENDS.get(metric))
            mean = float(np.mean(values))
            rows.append((metric, system, mean, ends, len(values), _better(sign)))
    for metric, whole in metrics.set_level.items():
        sign = -1.0 if metric in metrics.lower_is_better else 1.0
        known = metrics.bounds.get(metric, {})
        rows += [
            (metric, system, sign * value, known.get(system), None, _better(sign))
            for system, value in whole.items()
        ]
    return Table(
        id="metric_values",
        title="Values by system",
        columns=(
            Column(name="metric", heading="Metric"),
            Column(name="system", heading="System"),
            Column(name="value", heading="Value", kind="number"),
            interval_column(context),
            Column(name="outputs", heading="Outputs", kind="count"),
            Column(name="better", heading="Better"),
        ),
        rows=tuple(rows),
        caption="Where outputs are counted, the mean over them, with an interval for outputs of "
        "items like these; else one value of the whole set, with the interval that was measured "
        "with it, if one was.",
    )


def _better(sign: float) -> str:
    return "lower" if sign < 0 else "higher"


def _mean_interval(
    values: Array, confidence: float, ends: Ends = None
) -> tuple[float, float] | None:
    """The t interval, ended where a mean of such values cannot lie any more."""
    n = len(values)
    if n < 2 or not np.ptp(values):
        return None
    half = t_quantile(confidence, n - 1) * float(values.std(ddof=1)) / n**0.5
    low, high = float(values.mean()) - half, float(values.mean()) + half
    if ends is None or not ends[0] <= values.min() <= values.max() <= ends[1]:
        # Another metric of this name, as shares of one instead of percent.
        return low, high
    return max(low, ends[0]), min(high, ends[1])


def points_table(context: Context, people: Scored, metrics: MetricTable) -> Table:
    """Outputs by a metric's value and people's mean score; of whole sets, systems."""
    judged = people.judged
    # Adding 0 makes −0 a plain 0.
    means = people.sign * People(judged, context.options.seed).means + 0.0
    rows = [*_outputs(context, means, judged, metrics)]
    for metric, whole in metrics.set_level.items():
        sign = -1.0 if metric in metrics.lower_is_better else 1.0
        for k, system in enumerate(judged.systems):
            scored = means[:, k][~np.isnan(means[:, k])]
            if system in whole and len(scored):
                rows.append((metric, None, system, sign * whole[system], float(scored.mean())))
    return Table(
        id=f"metric_points/{people.criterion}",
        title=f"Metrics and {people.given}",
        columns=(
            Column(name="metric", heading="Metric"),
            Column(name="item", heading="Item"),
            Column(name="system", heading="System"),
            Column(name="value", heading="Value", kind="number"),
            Column(name="score", heading=people.heading, kind=people.kind, axis=people.axis),
        ),
        rows=tuple(rows),
        caption="An output each; of a metric of whole sets a system each. Of more than "
        f"{format_count(DRAWN, 'output')} so many were drawn by the seed.",
    )


def _outputs(
    context: Context, means: Array, judged: JudgedOutputs, metrics: MetricTable
) -> Iterator[tuple[Any, ...]]:
    items, systems = judged.items, judged.systems
    rng = np.random.default_rng(context.options.seed)
    for metric, matrix in metrics.lay_out(items, systems).items():
        sign = -1.0 if metric in metrics.lower_is_better else 1.0
        i, k = np.nonzero(~np.isnan(matrix) & ~np.isnan(means))
        chosen = np.arange(len(i))
        if len(chosen) > DRAWN:
            chosen = np.sort(rng.choice(len(chosen), DRAWN, replace=False))
        for a, b in zip(i[chosen].tolist(), k[chosen].tolist(), strict=True):
            yield metric, items[a], systems[b], sign * float(matrix[a, b]), float(means[a, b])
