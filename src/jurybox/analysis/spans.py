"""What marked spans say: error points per output, and where they come from."""

from __future__ import annotations

from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.context import Context, adjusted, bounds, interval_column, lead
from jurybox.analysis.differences import difference_table
from jurybox.analysis.finding import Chapter, Column, Finding, Table
from jurybox.analysis.sentences import claimed_p, evidence, told_apart
from jurybox.results import format_number
from jurybox.stats.means import Difference, MeanScore
from jurybox.tally import spans
from jurybox.tally.responses import Responses

__all__ = ["span_chapter", "span_headline"]


def span_chapter(context: Context, responses: Responses) -> Chapter:
    """Mean error points per output of every system, fewest first, and every two compared."""
    findings: list[Finding] = []
    tables: list[Table] = []
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        rows = measure.points(part, context.options, **_asked(context, criterion))
        gaps = _gaps(context, part, criterion)
        compared = [_gap_finding(context, gap) for gap in gaps]
        best = {row.system for row in rows[:2]}
        first = next((f for f in compared if set(f.systems) == best), None)
        findings += lead([*compared, *(_finding(row) for row in rows)], first)
        tables += [_table(context, criterion, rows)]
        if gaps:
            tables.append(difference_table(context, criterion, gaps))
        tables.append(_categories(part, criterion))
    return Chapter(findings=tuple(findings), tables=tuple(tables))


def _asked(context: Context, criterion: str) -> dict[str, Any]:
    asked = context.asked.criterion(criterion)
    return {
        "criterion": criterion,
        "severities": asked.severities,
        "weights": asked.weights,
    }


def _gaps(context: Context, part: Responses, criterion: str) -> list[Difference]:
    """Every two systems, the one with fewer points first."""
    gaps = measure.point_differences(part, context.options, **_asked(context, criterion))
    return adjusted([measure.turn(gap) for gap in gaps])


def span_headline(context: Context, responses: Responses) -> Finding | None:
    """The two systems with the fewest points."""
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        rows = measure.points(part, context.options, **_asked(context, criterion))
        best = {row.system for row in rows[:2]}
        for gap in _gaps(context, part, criterion):
            if {gap.system, gap.other} == best:
                return _gap_finding(context, gap)
        if rows:
            return _finding(rows[0])
    return None


def _gap_finding(context: Context, gap: Difference) -> Finding:
    p, adjusted = claimed_p(gap)
    told = told_apart(gap, null=0.0, p=p, confidence=context.confidence)
    said = evidence(gap, noun="marked output", p=p, adjusted=adjusted)
    size = format_number(abs(gap.estimate or 0.0))
    if gap.estimate is None:
        sentence = f"{gap.system} and {gap.other} cannot be compared: {gap.undefined}."
    elif told:
        way = "fewer" if gap.estimate < 0 else "more"
        sentence = f"{gap.system} has {size} error points {way} per output than {gap.other} {said}."
    else:
        sentence = (
            f"{gap.system} and {gap.other} are not told apart: the difference is "
            f"{format_number(gap.estimate)} error points per output {said}."
        )
    return Finding(
        id=f"difference/{gap.criterion}/{gap.system}/{gap.other}",
        sentence=sentence,
        result=gap,
        told=told,
        criterion=gap.criterion,
        systems=(gap.system, gap.other),
    )


def _finding(row: MeanScore) -> Finding:
    # What is counted is outputs as one rater marked them, not spans.
    return Finding(
        id=f"points/{row.criterion}/{row.system}",
        sentence=f"{row.system} has {format_number(row.estimate)} error points per output "
        f"{evidence(row, noun='marked output')}.",
        result=row,
        criterion=row.criterion,
        systems=(row.system,),
    )


def _table(context: Context, criterion: str, rows: list[MeanScore]) -> Table:
    return Table(
        id=f"points/{criterion}",
        title=f"Error points per output: {criterion}",
        columns=(
            Column(name="system", heading="System"),
            Column(name="points", heading="Points", kind="number"),
            interval_column(context),
            Column(name="outputs", heading="Marked outputs", kind="count"),
        ),
        rows=tuple((r.system, r.estimate, bounds(r.interval), r.n_responses) for r in rows),
        caption="Fewer points are better. An output marked free of errors counts with 0.",
    )


def _categories(part: Responses, criterion: str) -> Table:
    return Table(
        id=f"spans/{criterion}",
        title=f"Marked spans: {criterion}",
        columns=(
            Column(name="system", heading="System"),
            Column(name="category", heading="Category"),
            Column(name="severity", heading="Severity"),
            Column(name="spans", heading="Spans", kind="count"),
        ),
        rows=tuple((s, c or "–", v, n) for s, c, v, n in spans.categories(part)),
    )
