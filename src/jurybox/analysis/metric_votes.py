"""What automatic metrics say beside votes and rankings: whether they order the systems alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import CellKind, Chapter, Column, Finding, Table
from jurybox.analysis.measure.metrics import TURNED
from jurybox.analysis.metric_values import value_table
from jurybox.analysis.metrics import correlation_words, for_other_systems
from jurybox.analysis.sentences import counted
from jurybox.errors import InputError
from jurybox.formats import format_confidence
from jurybox.results import format_count, format_interval, format_number
from jurybox.stats.metrics.against_people import FEW_SYSTEMS
from jurybox.stats.metrics.against_votes import against_votes, fitted_strengths
from jurybox.stats.metrics.results import Correlation, Statistic
from jurybox.tally.metrics import ComparedOutputs, MetricTable, compared_outputs
from jurybox.tally.rankings import above_rows
from jurybox.tally.responses import Responses
from jurybox.tally.vote_rows import pair_rows

__all__ = ["compared_chapter"]

ROWS = {"votes": pair_rows, "rankings": above_rows}
SHOWN: tuple[tuple[str, str, Statistic, CellKind], ...] = (
    ("systems", "System pairs right", "pairwise_accuracy", "percent"),
    ("soft", "Soft accuracy", "soft_pairwise_accuracy", "percent"),
    ("spearman", "Spearman's ρ", "spearman", "number"),
    ("pearson", "Pearson's r", "pearson", "number"),
    ("kendall", "Kendall's τ-b", "kendall", "number"),
)
Rows = dict[tuple[str, Statistic], Correlation]


def compared_chapter(context: Context, responses: Responses, metrics: MetricTable) -> Chapter:
    """Every metric against the votes or rankings on every criterion, across systems."""
    noun = responses.shape.name.removesuffix("s")
    findings: list[Finding] = []
    tables: list[Table] = [value_table(context, metrics)]
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        compared = compared_outputs(part, ROWS[responses.shape.name]())
        if not len(compared.pairs):
            continue
        by = _measured(context, compared, metrics, criterion)
        names = list(dict.fromkeys(metric for metric, _ in by))
        stated = metrics.lower_is_better
        findings += [_finding(name, by, noun, turned=name in stated) for name in names]
        tables.append(_table(context, criterion, names, by))
        points = _points(criterion, compared, metrics)
        tables += [] if points is None else [points]
    return Chapter(findings=tuple(findings), tables=tuple(tables), took=metrics.took)


def _measured(
    context: Context, compared: ComparedOutputs, metrics: MetricTable, criterion: str
) -> Rows:
    options = context.options
    settings: dict[str, Any] = {
        "criterion": criterion,
        "confidence": options.confidence,
        "n_resamples": options.n_resamples,
        "seed": options.seed,
    }
    laid_out = metrics.lay_out(compared.items, compared.systems)
    for metric, matrix in laid_out.items():
        if np.isnan(matrix).all():
            item, system = next(iter(metrics.values[metric]))
            raise InputError(
                f"no compared output has a value of {metric!r}: the metric names items such as "
                f"{item!r} ({system}), the responses such as {compared.items[0]!r} "
                f"({compared.systems[0]})"
            )
    rows = against_votes(compared, laid_out, **settings)
    whole = {}
    for metric, values in metrics.set_level.items():
        if not set(values) & set(compared.systems):
            raise InputError(
                f"no compared system has a value of {metric!r}: the metric names systems such as "
                f"{next(iter(values))!r}, the responses such as {compared.systems[0]!r}"
            )
        row = [values.get(system, np.nan) for system in compared.systems]
        whole[metric] = np.tile(np.array(row), (len(compared.items), 1))
    rows += against_votes(compared, whole, whole=True, **settings)
    turned = metrics.lower_is_better
    rows = [
        replace(row, notes=(*row.notes, TURNED)) if row.metric in turned else row for row in rows
    ]
    return {(row.metric, row.statistic): row for row in rows}


def _finding(metric: str, by: Rows, noun: str, *, turned: bool) -> Finding:
    """One sentence: the strengths of the systems, where they are many enough, and their pairs."""
    right, along = by[metric, "pairwise_accuracy"], by.get((metric, "spearman"))
    about = right.criterion
    n = format_count(right.n_systems or 0, "system")
    if right.estimate is None:
        sentence = f"{metric} cannot be compared with people's {noun}s on {about}: "
        sentence += f"{right.undefined}."
    elif along is None or along.estimate is None:
        why = f"{n} are too few for a correlation, which needs {FEW_SYSTEMS}"
        if along is not None:
            why = f"there is no correlation with their strengths: {along.undefined}"
        sentence = f"{metric} {_pairs_right(right, noun, turned=turned)} {_said(right, noun)}; "
        sentence += f"{why}."
    else:
        follows = f"ρ = {along.format(along.estimate)} {_said(along, noun)}"
        way = f"follows the strengths of {n} on {about}"
        if along.interval is not None and along.interval.high < 0:
            way = f"falls as the strengths of {n} on {about} rise,"
        sentence = f"{metric} {way} {correlation_words(along)}: {follows}; it "
        sentence += f"{_pairs_right(right, noun, turned=turned)} {_said(right, None)}."
    return Finding(
        id=f"metric/{about}/{metric}",
        sentence=sentence,
        result=right if along is None or along.estimate is None else along,
        told=right.estimate is not None,
        criterion=about,
    )


def _pairs_right(row: Correlation, noun: str, *, turned: bool) -> str:
    share = format_number(100 * (row.estimate or 0.0), 1)
    said = f"orders {share}% of the pairs of systems that were compared as people's {noun}s do"
    if not turned and (row.estimate or 0.0) < 0.5:
        said += f", more being taken as better (else --lower-is-better {row.metric})"
    return said


def _said(row: Correlation, noun: str | None) -> str:
    """The interval, which speaks for these systems and raters, and the counts."""
    parts = []
    if row.interval is None:
        parts.append(f"no interval: {row.undefined}")
    else:
        percent = format_confidence(row.interval.confidence)
        share = row.statistic not in ("pearson", "spearman", "kendall")
        shown = format_interval(row.interval, percent=share)
        parts.append(f"{percent} interval for these systems and raters {shown}")
    if row.other_systems is not None:
        parts.append(for_other_systems(row))
    if noun is not None:
        # Of a ranking every two systems are a comparison.
        parts.append(counted(row, "comparison" if noun == "ranking" else noun))
    return f"({'; '.join(parts)})"


def _table(context: Context, criterion: str, names: list[str], by: Rows) -> Table:
    shown = [each for each in SHOWN if any((name, each[2]) in by for name in names)]
    columns = [Column(name="metric", heading="Metric")]
    for name, heading, _, kind in shown:
        columns.append(Column(name=name, heading=heading, kind=kind))
        columns.append(interval_column(context, f"{name}_interval"))
    columns.append(Column(name="n_systems", heading="Systems", kind="count"))
    rows = []
    for name in names:
        cells: list[Any] = [name]
        for _, _, statistic, _ in shown:
            row = by.get((name, statistic))
            cells += [None, None] if row is None else [row.estimate, bounds(row.interval)]
        rows.append((*cells, by[name, "pairwise_accuracy"].n_systems))
    caption = (
        "System pairs right: of the pairs of systems that were compared, how often the metric's "
        "mean is higher for the one that people prefer; soft accuracy also weighs how clearly both "
        "sides prefer it. "
    )
    if len(shown) > 2:
        caption += "Correlations are with Bradley–Terry strengths, ties counting half. "
    caption += "Items are resampled, and the systems and raters stay."
    return Table(
        id=f"metrics/{criterion}",
        title=f"Metrics against people: {criterion}",
        columns=tuple(columns),
        rows=tuple(rows),
        caption=caption,
    )


def _points(criterion: str, compared: ComparedOutputs, metrics: MetricTable) -> Table | None:
    """Every system by a metric's mean and its strength; ``None`` where strengths are not finite."""
    k = len(compared.systems)
    wins = np.zeros((1, k, k))
    one, two = compared.pairs[:, 0], compared.pairs[:, 1]
    wins[0, one, two] = compared.wins.sum(axis=0)
    wins[0, two, one] = (compared.count - compared.wins).sum(axis=0)
    (strengths,) = fitted_strengths(wins)
    if np.isnan(strengths).any():
        return None
    laid_out = metrics.lay_out(compared.items, compared.systems)
    rows: list[tuple[Any, ...]] = []
    for metric in (*laid_out, *metrics.set_level):
        sign = -1.0 if metric in metrics.lower_is_better else 1.0
        for place, system in enumerate(compared.systems):
            if metric in laid_out:
                known = laid_out[metric][:, place]
                known = known[~np.isnan(known)]
                value = float(known.mean()) if len(known) else None
            else:
                value = metrics.set_level[metric].get(system)
            if value is not None:
                rows.append((metric, None, system, sign * value, float(strengths[place])))
    return Table(
        id=f"metric_points/{criterion}",
        title=f"Metrics and strengths: {criterion}",
        columns=(
            Column(name="metric", heading="Metric"),
            Column(name="item", heading="Item"),
            Column(name="system", heading="System"),
            Column(name="value", heading="Value", kind="number"),
            Column(
                name="score",
                heading="Strength",
                kind="number",
                axis="the system's strength by people",
            ),
        ),
        rows=tuple(rows),
        caption="Each system's mean of the metric, and its Bradley–Terry strength, ties counting "
        "half.",
    )
