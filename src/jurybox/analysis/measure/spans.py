"""Spans: error points per output, and how far raters mark the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jurybox.analysis.measure.compared import compare
from jurybox.analysis.measure.reduced import mean_rows
from jurybox.analysis.measure.turn import turn
from jurybox.analysis.options import Options
from jurybox.formats import joined
from jurybox.results import format_count
from jurybox.stats.agreement.spans import SpanAgreement, span_agreement
from jurybox.stats.differences import Difference
from jurybox.stats.means import MeanScore
from jurybox.stats.scale_ends import FROM_NOTHING, on_scale
from jurybox.stats.spans import SpanCount, SpanScores, significance_groups
from jurybox.tally import span_pairs, spans
from jurybox.tally.responses import Responses

__all__ = [
    "Weights",
    "agreement_of_spans",
    "point_differences",
    "point_scores",
    "points",
    "scores_of_spans",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What a span costs: points per severity, and of single categories; ``None``: MQM's."""

    severities: Mapping[str, float] | None = None
    weights: Mapping[str, Any] | None = None

    @property
    def given(self) -> dict[str, Any]:
        """As keywords of the tally."""
        return {"severities": self.severities, "weights": self.weights}


MQM = Weights()


def points(
    responses: Responses,
    options: Options,
    *,
    criterion: str,
    weights: Weights = MQM,
    standardize: spans.Standardize = None,
) -> list[MeanScore]:
    """The mean error points per output, fewest first."""
    rows = spans.span_rows(responses, **weights.given, standardize=standardize)
    found = mean_rows(responses, rows, options, criterion)[::-1]
    return [on_scale(row, None if standardize else FROM_NOTHING) for row in found]


def point_scores(
    responses: Responses, *, weights: Weights = MQM, standardize: spans.Standardize = None
) -> Responses:
    """The points of each output and rater as if they were scores, to compare systems by."""
    rows = spans.span_rows(responses, **weights.given, standardize=standardize)
    return spans.as_scores(responses, rows)


def point_differences(
    responses: Responses,
    options: Options,
    *,
    criterion: str,
    weights: Weights = MQM,
    standardize: spans.Standardize = None,
) -> list[Difference]:
    """Every two systems within items as one family, the one with fewer points first."""
    scores = point_scores(responses, weights=weights, standardize=standardize)
    found = compare({criterion: scores}, options, lower_is_better=[criterion], details=False)
    return [turn(row) for row in found.together(options)]


def scores_of_spans(
    responses: Responses,
    options: Options,
    *,
    criterion: str,
    weights: Weights = MQM,
    standardize: spans.Standardize = None,
    gaps: Sequence[Difference] | None = None,
) -> SpanScores:
    """Points per output, every two systems compared, and what the points come from.

    ``gaps``: the comparisons, where these were made already.
    """
    spans.check_spans(responses)
    how: dict[str, Any] = {
        "criterion": criterion,
        "weights": weights,
        "standardize": standardize,
    }
    rows = points(responses, options, **how)
    if gaps is None:
        gaps = point_differences(responses, options, **how)
    notes: tuple[str, ...] = ("points count errors: more is worse",)
    if standardize is not None:
        notes = ("in standard deviations of each rater: more is worse",)
        flat = spans.unvarying(responses, **weights.given)
        who = format_count(flat, "rater")
        gave = "gave every output the same points: no z-scores, left out"
        notes += (f"{who} {gave}",) if flat else ()
    return SpanScores(
        rows=tuple(rows),
        undefined=None if rows else "no rater has z-scores",
        notes=notes,
        differences=tuple(gaps),
        groups=_groups(rows, gaps, options),
        counts=_counts(responses, weights),
        standardize=standardize,
        cluster=options.cluster,
        confidence=options.confidence,
    )


def _groups(
    rows: Sequence[MeanScore], gaps: Sequence[Difference], options: Options
) -> tuple[tuple[str, ...], ...]:
    told = set()
    for gap in gaps:
        p = gap.claimed_p
        if p is not None and p < 1 - options.confidence:
            told.add((gap.system, gap.other))
    return significance_groups([row.system for row in rows], told)


def _counts(responses: Responses, weights: Weights) -> tuple[SpanCount, ...]:
    outputs = spans.n_outputs(responses)
    return tuple(
        SpanCount(
            estimate=total / outputs[system],
            undefined="a part of the points is given without an interval",
            n_responses=outputs[system],
            system=system,
            category=category,
            severity=severity,
            spans=n,
        )
        for system, category, severity, n, total in spans.categories(responses, **weights.given)
    )


def agreement_of_spans(
    responses: Responses,
    options: Options,
    *,
    criterion: str,
    severities: Mapping[str, float] | None = None,
    partial: float = 0.5,
) -> SpanAgreement:
    """The mean character F1 between every two raters of the same output."""
    spans.check_spans(responses)
    why = span_pairs.why_no_pairs(responses)
    if why is not None:
        return SpanAgreement(
            estimate=None, undefined=why, criterion=criterion, partial=partial, seed=options.seed
        )
    pairs = span_pairs.span_pairs(
        responses, severities=spans.severity_points(severities), partial=partial
    )
    found = span_agreement(
        pairs,
        criterion=criterion,
        partial=partial,
        confidence=options.confidence,
        n_resamples=options.n_resamples,
        seed=options.seed,
    )
    notes = list(found.notes)
    unknown = span_pairs.unranked(responses, severities=spans.severity_points(severities))
    if unknown:
        notes.append(
            f"{joined(unknown)} {'has' if len(unknown) == 1 else 'have'} no points: where a "
            "rater's spans overlap, any other severity lies on top"
        )
    unplaced = span_pairs.n_unplaced(responses)
    if unplaced:
        notes.append(f"{format_count(unplaced, 'marking')} with a span that has no place left out")
    return replace(found, n_dropped=unplaced, notes=tuple(notes))
