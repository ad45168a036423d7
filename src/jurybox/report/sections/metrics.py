"""The section on automatic metrics: what was measured, beside people, and instead of whom."""

from __future__ import annotations

from typing import Any

from jurybox.analysis.finding import Analysis, Finding, Table, format_cells
from jurybox.formats import in_words
from jurybox.report.blocks import Block, Heading, Points, Section, Shown, Words
from jurybox.report.charts.values import Panel, Scatter
from jurybox.report.said import words

__all__ = ["OF_METRICS", "is_of_metrics", "metric_section"]

VALUES, POINTS, BESIDE, PAIRS = "metric_values", "metric_points", "metrics", "metric_pairs"
OF_METRICS = (VALUES, POINTS, BESIDE, PAIRS)
"""The kinds of tables."""
INSTEAD, PAIR = "metric_instead", "metric_pair"
SAID = ("metric", INSTEAD, PAIR)
"""The kinds of findings: how far each follows people, instead of whom, and which of two more."""
PANELS = 6
"""Metrics that are drawn."""
SENTENCES = 3
"""Metrics of which each is said in words, where there are many; the table has them all."""


def is_of_metrics(finding: Finding) -> bool:
    """Whether the finding is about automatic metrics."""
    return finding.kind in SAID


def metric_section(analysis: Analysis) -> Section | None:
    """The values, then criterion by criterion scatter, sentences and tables; ``None`` without."""
    values = analysis.table(VALUES)
    if values is None:
        return None
    found = [finding for finding in analysis.findings if is_of_metrics(finding)]
    criteria = list(dict.fromkeys(finding.criterion or "" for finding in found))
    blocks: list[Block] = [Shown(table=values)]
    if not found:
        blocks.append(Words(text=_unmatched(analysis)))
    for criterion in criteria:
        if len(criteria) > 1:
            blocks.append(Heading(text=criterion))
        points, beside, pairs = (
            analysis.table(f"{kind}/{criterion}") for kind in (POINTS, BESIDE, PAIRS)
        )
        lower = {row[0] for row in values.rows if row[-1] == "lower"}
        if points is not None and beside is not None:
            blocks.append(_scatter(points, beside, lower, analysis.systems))
        if beside is not None:
            blocks.append(Shown(table=beside, drawn=points is not None))
        for kind in SAID:
            own = [f for f in found if f.kind == kind and f.criterion == criterion]
            said = _instead(own) if kind == INSTEAD else _first_said(own)
            blocks += [Points(items=said)] if said else []
        blocks += [] if pairs is None else [Shown(table=pairs)]
    return Section(id="metrics", title="Automatic metrics", blocks=tuple(blocks))


def _unmatched(analysis: Analysis) -> str:
    """That metrics are not compared with people, with the reason where a reader would expect it."""
    why = analysis.facts.metrics_alone
    because = "" if why is None else f": {why.rstrip('.')}"
    return f"Metrics are listed and not compared with people{because}."


def _first_said(findings: list[Finding]) -> tuple[str, ...]:
    """The sentences of the metrics that follow people most, or differ most, and where others are.

    The one that follows people most stands first.
    """
    if len(findings) <= 2 * SENTENCES:
        return tuple(map(words.with_reason, findings))
    first = findings
    if findings[0].kind == PAIR:
        first = sorted(findings, key=lambda f: -abs(f.result.estimate or 0.0))
    said = [words.with_reason(finding) for finding in findings if finding in first[:SENTENCES]]
    return (*said, f"{len(findings) - SENTENCES:,} more are in the table and in findings.json.")


def _instead(findings: list[Finding]) -> tuple[str, ...]:
    """Which metric could stand in for a rater; what is the same of several is said once."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        alike = finding.together
        key = finding.id if alike is None else f"{alike.before}{alike.after}"
        groups.setdefault(key, []).append(finding)
    said = [
        words.with_reason(own[0]) if len(own) == 1 else _unknown_alike(own, of=len(findings))
        for own in groups.values()
    ]
    known = [k for k, own in enumerate(groups.values()) if len(own) == 1]
    left_out = known[SENTENCES:] if len(said) > 2 * SENTENCES else []
    more = (f"{len(left_out):,} more are in findings.json.",) if left_out else ()
    return (*(sentence for k, sentence in enumerate(said) if k not in left_out), *more)


def _unknown_alike(findings: list[Finding], *, of: int) -> str:
    """One sentence for metrics of which the same is said, and where each stands across systems."""
    alike = [finding.together for finding in findings if finding.together is not None]
    metrics, first = [each.of for each in alike], alike[0]
    if not first.before:
        said = first.said(metrics)
    else:
        all_of = f"any of {'the ' if len(metrics) == of else ''}{len(metrics)} metrics"
        named = in_words(metrics) if len(metrics) <= SENTENCES else all_of
        said = f"{first.before}{named}{first.after}"
        if len({each.further for each in alike}) == 1:
            return f"{said}; {first.further}."
    return (
        f"{said}. How often each prefers the same of two systems as people do is in the table, "
        "under “System pairs right”."
    )


def _scatter(points: Table, beside: Table, lower: set[str], systems: tuple[str, ...]) -> Scatter:
    by_metric: dict[str, list[tuple[Any, ...]]] = {}
    for row in points.rows:
        by_metric.setdefault(row[0], []).append(row)
    places = {row[0]: place for place, row in enumerate(beside.rows)}
    drawn = _closest(sorted(by_metric, key=lambda name: places.get(name, len(places))), beside)
    of = ""
    if len(drawn) < len(by_metric):
        of = f" (the {PANELS} of {len(by_metric)} that follow people most)"
    return Scatter(
        title=f"{beside.title}{of}",
        axis=f"{points.columns[-1].axis}; horizontal: the metric",
        systems=systems,
        panels=tuple(
            Panel(
                title=f"{metric}, less is better" if metric in lower else metric,
                said=_said(beside, metric),
                points=tuple(
                    (value, score, systems.index(system) if system in systems else None)
                    for _, _, system, value, score in by_metric[metric]
                ),
            )
            for metric in drawn
        ),
    )


def _closest(metrics: list[str], beside: Table) -> list[str]:
    """The metrics that are drawn: those with the strongest rank correlation, as in the table."""
    names = beside.names
    if "spearman" not in names:
        return metrics[:PANELS]
    size = {row[0]: abs(row[names.index("spearman")] or 0.0) for row in beside.rows}
    best = sorted(metrics, key=lambda metric: -size.get(metric, 0.0))[:PANELS]
    return [metric for metric in metrics if metric in best]


def _said(beside: Table, metric: str) -> str:
    """The correlation with its interval; of whole sets, the pairs of systems ordered alike."""
    row = next(row for row in beside.rows if row[0] == metric)
    cells = dict(zip(beside.names, format_cells(beside, row), strict=True))
    if cells.get("spearman", "–") != "–":
        ends = cells["spearman_interval"]
        return f"ρ = {cells['spearman']}" + (f" ({ends})" if ends != "–" else "")
    share = cells.get("systems", "–")
    return "no correlation" if share == "–" else f"system pairs right: {share}"
