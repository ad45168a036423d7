"""What automatic metrics say beside people: how far each follows them, and at which level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import ClassVar

from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import CellKind, Chapter, Column, Finding, Table
from jurybox.analysis.measure.metrics import metric_correlations
from jurybox.analysis.metric_instead import instead_findings
from jurybox.analysis.metric_values import points_table, value_table
from jurybox.analysis.sentences import evidence, word_for
from jurybox.results import format_count, format_interval, format_number, format_percent
from jurybox.stats.metrics.results import (
    Correlation,
    Level,
    MetricComparison,
    MetricCorrelations,
    Statistic,
)
from jurybox.tally.metrics import MetricTable, judged_outputs
from jurybox.tally.ratings import are_numbers, first_scores
from jurybox.tally.responses import Responses

__all__ = [
    "CORRELATION_WORDS",
    "correlation_words",
    "for_other_systems",
    "metric_chapter",
    "unmatched_chapter",
]

CORRELATION_WORDS = (
    (0.3, "very weakly"),
    (0.5, "weakly"),
    (0.7, "moderately"),
    (float("inf"), "strongly"),
)
"""Words for the size of a rank correlation."""
SHOWN: tuple[tuple[str, str, Level, Statistic], ...] = (
    ("within_items", "Pairs right within items", "item", "acc_eq"),
    ("spearman", "Spearman's ρ", "output", "spearman"),
    ("pearson", "Pearson's r", "output", "pearson"),
    ("kendall", "Kendall's τ-b", "output", "kendall"),
    ("systems", "System pairs right", "system", "pairwise_accuracy"),
    ("soft", "Soft accuracy", "system", "soft_pairwise_accuracy"),
)
NAMES = {statistic: heading for _, heading, _, statistic in SHOWN}
AS_SHARE = ("acc_eq", "pairwise_accuracy", "soft_pairwise_accuracy")


def metric_chapter(context: Context, responses: Responses, metrics: MetricTable) -> Chapter:
    """Every metric against every criterion whose scores are numbers."""
    findings: list[Finding] = []
    tables: list[Table] = [value_table(context, metrics)]
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        if not are_numbers(part):
            continue
        part = first_scores(part)
        found = metric_correlations(part, metrics, context.options, criterion=criterion)
        by = {(row.metric, row.level, row.statistic): row for row in found.rows}
        names = list(dict.fromkeys(row.metric for row in found.rows))
        findings += [_finding(one, by, stated=metrics.lower_is_better) for one in _first(found)]
        judged = judged_outputs(part)
        findings += instead_findings(context, judged, metrics, found)
        findings += [_better(row) for row in found.comparisons if _is_told(context, row)]
        tables.append(_table(context, criterion, names, by))
        tables.append(points_table(context, criterion, judged, metrics))
        if found.comparisons:
            tables.append(_pairs(context, criterion, found.comparisons))
    return Chapter(findings=tuple(findings), tables=tuple(tables), took=metrics.took)


def unmatched_chapter(context: Context, responses: Responses, metrics: MetricTable) -> Chapter:
    """What was measured, where people gave nothing that it could be compared with."""
    nouns = responses.shape.name
    why = f"that needs a score of each output, and {nouns} give none"
    if nouns in ("votes", "rankings"):
        why = "that needs the column 'item'"
    return Chapter(
        tables=(value_table(context, metrics),),
        took=metrics.took,
        warnings=(
            f"metrics are listed and not compared with people: {why}; compare their order with "
            "that of the systems by eye, or ask for ratings",
        ),
    )


Rows = dict[tuple[str, Level, Statistic], Correlation]


def _first(found: MetricCorrelations) -> list[Correlation]:
    """The first row of every metric."""
    return list({row.metric: row for row in reversed(found.rows)}.values())[::-1]


def _finding(one: Correlation, by: Rows, *, stated: Sequence[str]) -> Finding:
    """One sentence: over outputs, within items, across systems.

    ``one``: any row of the metric; ``stated``: the metrics of which less is said to be better.
    """
    metric, criterion = one.metric, one.criterion or ""
    row = by.get((metric, "output", "spearman"))
    within = by.get((metric, "item", "acc_eq"))
    across = by.get((metric, "system", "pairwise_accuracy"))
    parts = []
    if row is not None:
        parts.append(_over_outputs(row, criterion, turned=metric in stated))
    if within is not None and within.estimate is not None:
        share = format_percent(within.estimate)
        said = evidence(_percent(within), noun=None)
        parts.append(f"of two outputs of one item it orders {share} as people do {said}")
    if across is not None:
        parts += _across_systems(across, criterion, alone=row is None, turned=metric in stated)
    leading = next(
        (r for r in (within, row, across) if r is not None and r.estimate is not None), one
    )
    return Finding(
        id=f"metric/{criterion}/{metric}",
        sentence=f"{'; '.join(parts)}.",
        result=leading,
        told=leading.estimate is not None,
        criterion=criterion,
    )


def _over_outputs(row: Correlation, criterion: str, *, turned: bool) -> str:
    if row.estimate is None:
        return f"{row.metric} has no correlation with {criterion}: {row.undefined}"
    said = f"ρ = {row.format(row.estimate)} {evidence(row, noun='rating')}"
    words = f"{correlation_words(row)} over all outputs: {said}"
    if row.interval is None or row.interval.high >= 0:
        return f"{row.metric} follows people's scores of {criterion} {words}"
    if turned:
        return f"{row.metric} follows people's scores of {criterion} in reverse, {words}"
    # Nobody said that more of it is better, so that falling may be what it should do.
    return f"{row.metric} falls as people's scores of {criterion} rise, {words}"


def _across_systems(row: Correlation, criterion: str, *, alone: bool, turned: bool) -> list[str]:
    """Pairs of systems ordered alike; ``alone``: the metric has values of whole sets only."""
    if row.estimate is None:
        why = f"{row.metric} cannot be compared with {criterion}: {row.undefined}"
        return [why] if alone else []
    pairs = (row.n_systems or 0) * ((row.n_systems or 0) - 1) // 2
    right = round(row.estimate * pairs)
    counted = format_count(pairs, "pair")
    said = f"of {counted} of systems it orders {right} as people do"
    if alone:
        said = f"{row.metric} orders {right} of {counted} of systems as people's scores of "
        said += criterion + " do"
    if row.other_systems is not None:
        said += f" ({for_other_systems(row)})"
    if not turned and 2 * right < pairs:
        said += f", more being taken as better (else --lower-is-better {row.metric})"
    return [said]


def for_other_systems(row: Correlation) -> str:
    """The interval that speaks for systems like these, which there is from ten systems on."""
    ends = row.other_systems
    if ends is None:
        return ""
    percent = format_number(100 * ends.confidence, 0)
    shown = format_interval(ends, percent=row.statistic in AS_SHARE)
    return f"{percent}% interval for systems like these {shown}"


def correlation_words(row: Correlation) -> str:
    """The words at both ends of the interval, which may lie on both sides of zero."""
    if row.interval is None:
        return word_for(abs(row.estimate or 0.0), CORRELATION_WORDS)
    low, high = row.interval.low, row.interval.high
    if low <= 0 <= high:
        largest = word_for(max(-low, high), CORRELATION_WORDS)
        return f"not at all or at most {largest}"
    ends = sorted(abs(end) for end in (low, high))
    first, second = (word_for(end, CORRELATION_WORDS) for end in ends)
    return first if first == second else f"{first} to {second}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Accuracy(Correlation):
    """A share of pairs, which is printed in percent."""

    as_percent: ClassVar[bool] = True


def _percent(row: Correlation) -> _Accuracy:
    return _Accuracy(**{each.name: getattr(row, each.name) for each in fields(row)})


def _is_told(context: Context, row: MetricComparison) -> bool:
    p = row.p if row.p_adjusted is None else row.p_adjusted
    return row.statistic == "acc_eq" and p is not None and p < 1 - context.confidence


def _better(row: MetricComparison) -> Finding:
    first, second = row.metric, row.other
    gap, ends = 100 * (row.estimate or 0.0), row.interval
    if ends is not None:
        ends = replace(ends, low=100 * ends.low, high=100 * ends.high)
    if gap < 0:
        first, second, gap = second, first, -gap
        ends = None if ends is None else replace(ends, low=-ends.high, high=-ends.low)
    p = row.p if row.p_adjusted is None else row.p_adjusted
    said = evidence(replace(row, estimate=gap, interval=ends), noun=None, p=p,
                    adjusted=row.p_adjusted is not None)  # fmt: skip
    return Finding(
        id=f"metric_pair/{row.criterion}/{row.metric}/{row.other}",
        sentence=f"{first} orders outputs of one item more often as people do than {second}: by "
        f"{format_number(gap, 1)} percentage points {said}.",
        result=row,
        standing="exploratory",
        criterion=row.criterion,
    )


OF_SETS = (
    " A metric with one value for a whole set has none for an output, so that it is seen across "
    "systems alone, and without an interval: resampling items does not move it."
)
"""Why cells of a metric without items are empty."""


def _table(context: Context, criterion: str, names: Sequence[str], by: Rows) -> Table:
    shown = [each for each in SHOWN if any((name, *each[2:]) in by for name in names)]
    columns = [Column(name="metric", heading="Metric")]
    for name, heading, _, statistic in shown:
        kind: CellKind = "percent" if statistic in AS_SHARE else "number"
        columns.append(Column(name=name, heading=heading, kind=kind))
        columns.append(interval_column(context, f"{name}_interval"))
    rows = []
    for name in names:
        cells: list[object] = [name]
        for _, _, level, statistic in shown:
            row = by.get((name, level, statistic))
            cells += [None if row is None else row.estimate]
            cells += [None if row is None else bounds(row.interval)]
        rows.append(tuple(cells))
    return Table(
        id=f"metrics/{criterion}",
        title=f"Metrics against people: {criterion}",
        columns=tuple(columns),
        rows=tuple(rows),
        caption="Within items: of two outputs of one item, how often the metric orders them as "
        "people do, small differences of the metric counting as ties. Over all outputs: the "
        "correlation with the mean score. Across systems: pairs of systems ordered alike, items "
        "resampled and systems fixed." + (OF_SETS if any(_is_of_set(n, by) for n in names) else ""),
    )


def _is_of_set(name: str, by: Rows) -> bool:
    """Whether a metric is set beside people across systems alone."""
    return {level for metric, level, _ in by if metric == name} == {"system"}


def _pairs(context: Context, criterion: str, rows: Sequence[MetricComparison]) -> Table:
    adjusted = any(row.p_adjusted is not None for row in rows)
    told = [each[2:] for each in SHOWN]
    return Table(
        id=f"metric_pairs/{criterion}",
        title=f"Metrics compared: {criterion}",
        columns=(
            Column(name="metric", heading="Metric"),
            Column(name="other", heading="Other"),
            Column(name="level", heading="Level"),
            Column(name="statistic", heading="Statistic"),
            Column(name="difference", heading="Difference", kind="number"),
            interval_column(context),
            Column(name="p", heading="p", kind="p"),
            Column(name="p_adjusted", heading="p (Holm)", kind="p"),
        ),
        rows=tuple(
            (
                row.metric,
                row.other,
                row.level,
                NAMES[row.statistic],
                row.estimate,
                bounds(row.interval),
                row.p,
                row.p_adjusted,
            )
            # In the order of the columns beside people: what the sentences speak of comes first.
            for row in sorted(rows, key=lambda row: told.index((row.level, row.statistic)))
        ),
        caption="p by a paired permutation of items."
        + (" p (Holm) holds for all pairs of metrics of one statistic together." * adjusted),
    )
