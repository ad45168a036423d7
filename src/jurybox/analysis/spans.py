"""What marked spans say: error points per output, where they come from, who marks the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.claims import with_claims
from jurybox.analysis.context import Context, best_compared, bounds, interval_column, lead
from jurybox.analysis.differences import difference_table, more_data_finding
from jurybox.analysis.families import compared, is_primary, not_there, with_criterion
from jurybox.analysis.finding import Chapter, Column, Finding, Table
from jurybox.analysis.margins import equivalence_finding, equivalence_tables
from jurybox.analysis.measure.spans import Weights
from jurybox.analysis.sentences import claimed_p, does, evidence, said_of, told_apart, undecided
from jurybox.formats import joined
from jurybox.results import format_count
from jurybox.stats.agreement.spans import SpanAgreement
from jurybox.stats.differences import Difference
from jurybox.stats.means import MeanScore
from jurybox.stats.spans import SpanScores
from jurybox.tally.responses import Responses
from jurybox.tally.spans import MQM_SEVERITIES, MQM_WEIGHTS

__all__ = ["costs", "span_chapter"]

BELOW = "Below 0 the first of two has fewer error points, which is better."


def costs(
    severities: Mapping[str, float] | None,
    weights: Mapping[str, float | Mapping[str, float]] | None,
) -> str:
    """What an error of each severity counts, and the categories that count otherwise.

    >>> costs({"minor": 1, "major": 5}, {"fluency/punctuation": {"minor": 0.1}, "other": 9})
    'An error counts 1 if minor and 5 if major; of fluency/punctuation 0.1 if minor; of other 9.'
    """
    if severities is None and weights is None:
        severities, weights = MQM_SEVERITIES, MQM_WEIGHTS
    parts = [f"An error counts {_by_severity(severities or MQM_SEVERITIES)}"]
    parts += [
        f"of {name} {_by_severity(own) if isinstance(own, Mapping) else f'{own:g}'}"
        for name, own in (weights or {}).items()
    ]
    return "; ".join(parts) + "."


def _by_severity(points: Mapping[str, float]) -> str:
    return joined([f"{n:g} if {name}" for name, n in points.items()])


def span_chapter(context: Context, responses: Responses) -> Chapter:
    """Mean error points per output of every system, fewest first, and every two compared.

    Where raters also score every output on a slider (ESA), that score is the result: the chapter
    then claims nothing, and its tables show where the score comes from.
    """
    findings: list[Finding] = []
    tables: list[Table] = []
    scored = context.asked.scored_outputs
    context = _of_points(context, responses.criteria)
    parts = {name: responses.of_criterion(name) for name in responses.criteria}
    points = {
        name: measure.point_scores(part, weights=weights_of(context, name))
        for name, part in parts.items()
    }
    context = with_criterion(context, points)
    gaps = [_as_asked(context, gap) for gap in compared(context, points, details=False)]
    for criterion, part in parts.items():
        weights = weights_of(context, criterion)
        asked: dict[str, Any] = {"criterion": criterion, "weights": weights}
        mine = [gap for gap in gaps if gap.criterion == criterion]
        found = measure.scores_of_spans(part, context.options, **asked, gaps=mine)
        same = measure.agreement_of_spans(
            part, context.options, criterion=criterion, severities=weights.severities
        )
        told = _gap_findings(context, mine)
        first = _leading(context, told, [row.system for row in found.rows])
        findings += lead([*told, *(_finding(row) for row in found.rows)], first)
        ahead = next(iter(lead(told, first)), None)
        if ahead is not None and isinstance(ahead.result, Difference):
            more = more_data_finding(ahead.result)
            findings += [] if more is None else [more]
        findings.append(_agreement_finding(same))
        scored_by = costs(weights.severities, weights.weights)
        made = _table(context, criterion, found)
        caption = f"{scored_by} {made.caption}"
        tables.append(replace(made, caption=caption, methods={"error points": scored_by}))
        if found.differences:
            shown = difference_table(context, criterion, found.differences)
            tables.append(replace(shown, caption=f"{BELOW} {shown.caption}"))
            tables += equivalence_tables(context, criterion, found.differences)
        tables += _z_scores(context, part, criterion, asked)
        tables += [_categories(criterion, found)] if found.counts else []
        tables += [_agreement_table(context, criterion, same)] if same.n_pairs else []
    if not scored:
        # The primary contrast is the answer, whichever criterion it is on.
        primary = next((f for f in findings if f.standing == "primary"), None)
        return Chapter(
            findings=lead(findings, primary),
            tables=tuple(tables),
            warnings=tuple(not_there(context, points, gaps)),
        )
    said = (
        f"raters marked errors and then scored every output: {joined(scored)} is the result, "
        "and marked spans show where it comes from"
    )
    return Chapter(tables=tuple(tables), took=(said,))


def _of_points(context: Context, criteria: Sequence[str]) -> Context:
    """The context for points of errors: fewer are better.

    Where raters score every output too, what the study asks first is asked of these scores.
    """
    asked = context.asked
    known = {name: replace(asked.criterion(name), higher=False) for name in criteria}
    asked = replace(asked, criteria={**asked.criteria, **known})
    if "ratings" in asked.shapes:
        asked = replace(asked, primary=None, margin=None)
    return replace(context, asked=asked)


def weights_of(context: Context, criterion: str) -> Weights:
    """What an error costs, as far as the study says it."""
    asked = context.asked.criterion(criterion)
    return Weights(severities=asked.severities, weights=asked.weights)


def _as_asked(context: Context, gap: Difference) -> Difference:
    """What the study asked about as it asked, else the better system first."""
    if is_primary(context, gap) or context.asked.baseline == gap.other or gap.estimate is None:
        return gap
    return measure.turn(gap) if gap.estimate > 0 else gap


def _leading(
    context: Context, told: Sequence[Finding], best: Sequence[str | None]
) -> Finding | None:
    """The primary contrast, else that of the two best systems."""
    if told and told[0].standing == "primary":
        return told[0]
    return best_compared(context, told, [name for name in best if name is not None])


def _gap_findings(context: Context, gaps: Sequence[Difference]) -> list[Finding]:
    found = []
    for gap in gaps:
        found.append(_gap_finding(context, gap))
        within = equivalence_finding(context, gap)
        found += [] if within is None else [within]
    return found


def _z_scores(
    context: Context, part: Responses, criterion: str, asked: dict[str, Any]
) -> list[Table]:
    """The mean z-score of every system, where several raters make it differ from the points.

    Of a single system it would be 0.
    """
    if not part.has_rater or part.count()[1] < 2 or len(part.systems) < 2:
        return []
    found = measure.points(part, context.options, **asked, standardize="rater")
    if not found:
        return []
    made = Table(
        id=f"z_scores/{criterion}",
        title=f"Error points as z-scores: {criterion}",
        columns=(
            Column(name="system", heading="System"),
            Column(name="z", heading="z-score", kind="number"),
            interval_column(context),
            Column(name="outputs", heading="Marked outputs", kind="count"),
        ),
        rows=tuple((r.system, r.estimate, bounds(r.interval), r.n_responses) for r in found),
        caption="In standard deviations of each rater's own points, about that rater's mean.",
    )
    return [with_claims(made, {"interval": found})]


def _gap_finding(context: Context, gap: Difference) -> Finding:
    primary = is_primary(context, gap)
    p, adjusted = claimed_p(gap, primary=primary)
    told = told_apart(gap, null=0.0, p=p, confidence=context.confidence)
    said = evidence(gap, noun="marked output", p=p, adjusted=adjusted)
    size = gap.format(abs(gap.estimate or 0.0))
    if gap.estimate is None:
        sentence = f"{gap.system} and {gap.other} cannot be compared: {gap.undefined}."
    elif told:
        way = "fewer" if gap.estimate < 0 else "more"
        sentence = f"{gap.system} has {size} error points {way} per output than {gap.other} {said}."
    else:
        begin = undecided(gap, gap.system, gap.other)
        size = gap.format(gap.estimate)
        sentence = f"{begin}: the difference is {size} error points per output {said}."
    return Finding(
        id=f"difference/{gap.criterion}/{gap.system}/{gap.other}",
        sentence=sentence,
        result=gap,
        standing="primary" if primary else "secondary",
        told=told,
        criterion=gap.criterion,
        systems=(gap.system, gap.other),
    )


def _finding(row: MeanScore) -> Finding:
    # What is counted is outputs as one rater marked them, not spans.
    return Finding(
        id=f"points/{row.criterion}/{row.system}",
        sentence=f"{does(row.system, 'has')} {row.format(row.estimate)} error points per output "
        f"{evidence(row, noun='marked output')}.",
        result=row,
        criterion=row.criterion,
        systems=(row.system,),
        figure=SpanScores.label,
    )


def _agreement_finding(found: SpanAgreement) -> Finding:
    if found.estimate is None:
        sentence = f"How far raters mark the same characters is unknown: {found.undefined}."
    else:
        said = said_of(found, noun=None).removesuffix(")")
        empty = f"{found.n_empty:,} of which marked nothing and count as agreement"
        pairs = format_count(found.n_pairs, "pair") + (f", {empty}" if found.n_empty else "")
        sentence = (
            f"Two raters of an output mark the same characters with a mean F1 of "
            f"{found.format(found.estimate)} {said}; {pairs})."
        )
    return Finding(
        id=f"span_agreement/{found.criterion}",
        sentence=sentence,
        result=found,
        standing="quality",
        told=found.estimate is not None,
        criterion=found.criterion,
    )


def _table(context: Context, criterion: str, found: SpanScores) -> Table:
    columns = [
        Column(name="system", heading="System"),
        Column(name="points", heading="Error points", kind="number"),
        interval_column(context),
        Column(name="outputs", heading="Marked outputs", kind="count"),
    ]
    grouped = len(found.groups) > 1
    group = {name: str(k) for k, names in enumerate(found.groups, start=1) for name in names}
    columns += [Column(name="group", heading="Group")] if grouped else []
    rows = []
    for r in found.rows:
        cells: list[Any] = [r.system, r.estimate, bounds(r.interval), r.n_responses]
        cells += [group[r.system]] if grouped else []
        rows.append(tuple(cells))
    caption = "Fewer points are better. An output marked free of errors counts with 0."
    if grouped:
        caption += " Every system of a group is told from every system of the later groups."
    made = Table(
        id=f"points/{criterion}",
        title=f"Error points per output: {criterion}",
        columns=tuple(columns),
        rows=tuple(rows),
        caption=caption,
    )
    return with_claims(made, {"interval": found.rows})


def _categories(criterion: str, found: SpanScores) -> Table:
    return Table(
        id=f"spans/{criterion}",
        title=f"Marked spans: {criterion}",
        columns=(
            Column(name="system", heading="System"),
            Column(name="category", heading="Category"),
            Column(name="severity", heading="Severity"),
            Column(name="spans", heading="Spans", kind="count"),
            Column(name="points", heading="Points per output", kind="number"),
        ),
        rows=tuple(
            (c.system, c.category or "–", c.severity, c.spans, c.estimate) for c in found.counts
        ),
    )


def _agreement_table(context: Context, criterion: str, found: SpanAgreement) -> Table:
    return Table(
        id=f"agreement/{criterion}/spans",
        title=f"Same characters marked: {criterion}",
        columns=(
            Column(name="f1", heading="Mean F1", kind="number"),
            interval_column(context),
            Column(name="among_marked", heading="Where one marked something", kind="number"),
            Column(name="pairs", heading="Pairs", kind="count"),
            Column(name="empty", heading="Both marked nothing", kind="count"),
        ),
        rows=(
            (
                found.estimate,
                bounds(found.interval),
                found.among_marked,
                found.n_pairs,
                found.n_empty,
            ),
        ),
        caption="A pair is two raters of one output. A character marked by both with different "
        f"severities counts {found.partial:g}.",
    )
