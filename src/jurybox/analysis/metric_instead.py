"""Which metric could stand in for people here, and for what not: a sentence each."""

from __future__ import annotations

from jurybox.analysis.context import Context
from jurybox.analysis.finding import Finding, Together
from jurybox.analysis.metric_scores import Scored
from jurybox.analysis.sentences import points
from jurybox.formats import format_confidence, format_count, format_percent
from jurybox.results import format_interval
from jurybox.stats.metrics.against_people import FEW_SYSTEMS
from jurybox.stats.metrics.results import Correlation, MetricCorrelations
from jurybox.stats.metrics.stand_in import StandIn, stand_in
from jurybox.tally.metrics import MetricTable

__all__ = ["instead_findings"]

OF_SETS = "it measures whole sets and no single output"
OF_THEM = "they measure whole sets and no single output"


def instead_findings(
    context: Context, people: Scored, metrics: MetricTable, found: MetricCorrelations
) -> dict[str, Finding]:
    """Every metric by its name beside a rater, within items and across systems."""
    judged = people.judged
    across = {row.metric: row for row in found.rows if row.statistic == "pairwise_accuracy"}
    rows = [
        stand_in(judged, values, name, criterion=people.criterion, confidence=context.confidence)
        for name, values in metrics.lay_out(judged.items, judged.systems).items()
    ]
    rows += [
        StandIn(estimate=None, undefined=OF_SETS, metric=name, criterion=people.criterion)
        for name in metrics.set_level
    ]
    return {row.metric: _finding(row, across[row.metric], people) for row in rows}


def _finding(row: StandIn, across: Correlation, people: Scored) -> Finding:
    further = _across_systems(across)
    return Finding(
        id=f"metric_instead/{row.criterion}/{row.metric}",
        sentence=f"{_within_items(row, people)}; {further}.",
        result=row,
        standing="exploratory",
        criterion=row.criterion,
        together=_together(row, people, further),
    )


def _together(row: StandIn, people: Scored, further: str) -> Together | None:
    """How metrics without a number are said to have none; where each stands is its own."""
    if row.estimate is not None:
        return None
    before, could = "Whether ", f"could stand in for a rater in {people.task} is open"
    why = row.undefined
    if why == OF_SETS:
        before, could = "", f"cannot stand in for a rater in {people.task}"
        why = OF_THEM
    return Together(before=before, of=row.metric, after=f" {could}: {why}", further=further)


def _within_items(row: StandIn, people: Scored) -> str:
    task = people.task
    if row.undefined == OF_SETS:
        return f"{row.metric} cannot stand in for a rater in {task}: {OF_SETS}"
    if row.estimate is None:
        return f"Whether {row.metric} could stand in for a rater in {task} is open: {row.undefined}"
    return (
        f"{row.metric} {_verdict(row)} for one rater in {task}: where the other raters "
        f"{people.preferred}, it does too in {format_percent(row.accuracy)}, against a rater's "
        f"{format_percent(row.ceiling)}: {_gap(row)}"
    )


def _verdict(row: StandIn) -> str:
    if row.interval is not None and row.interval.low >= 0:
        return "could stand in"
    if row.interval is not None and row.interval.high < 0:
        return "could not stand in"
    return "may or may not be fit to stand in"


def _gap(row: StandIn) -> str:
    size = abs(row.estimate or 0.0)
    words = (
        "the same" if not size else f"{points(size)} {'more' if row.estimate == size else 'less'}"
    )
    counted = (format_count(row.n_pairs, "pair"), format_count(row.n_raters or 0, "rater"))
    parts = [*counted, format_count(row.n_items or 0, "item")]
    if row.interval is None:
        return f"{words} (no interval: {row.undefined}; {', '.join(parts)})"
    confidence = format_confidence(row.interval.confidence)
    bounds = format_interval(row.interval, percent=True)
    return f"{words} ({confidence} interval of the difference {bounds}; {', '.join(parts)})"


def _across_systems(row: Correlation) -> str:
    n = row.n_systems or 0
    if n < FEW_SYSTEMS or row.estimate is None:
        return (
            f"whether it could choose between systems does not follow from {n}, of which at least "
            f"{FEW_SYSTEMS} are needed"
        )
    share = format_percent(row.estimate)
    said = f"of every two of the {n} systems it prefers the one that people prefer in {share}"
    if row.interval is None:
        return f"{said} (no interval: {row.undefined})"
    confidence = format_confidence(row.interval.confidence)
    by_chance = "" if row.interval.low > 0.5 else ", so that chance may do as well"
    bounds = format_interval(row.interval, percent=True)
    return f"{said} ({confidence} interval {bounds}){by_chance}"
