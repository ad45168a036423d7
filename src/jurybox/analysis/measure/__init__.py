"""From responses to results: the tally that a statistic needs, then the statistic.

A room is imported when the first of its statistics is asked for: an analysis of votes does not wait
for those of rankings and spans.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from jurybox.analysis.measure.agreement import agreement
from jurybox.analysis.measure.turn import turn, turn_share

if TYPE_CHECKING:
    from jurybox.analysis.measure.calibration import calibrated
    from jurybox.analysis.measure.compared import compare, differences, many_systems
    from jurybox.analysis.measure.detections import turing
    from jurybox.analysis.measure.metrics import metric_correlations, scores_of_outputs
    from jurybox.analysis.measure.rankings import mean_ranks, share_first, strengths_of_rankings
    from jurybox.analysis.measure.raters import rater_qualities, retest, span_points
    from jurybox.analysis.measure.ratings import means, pass_rates, robust
    from jurybox.analysis.measure.spans import (
        agreement_of_spans,
        point_scores,
        points,
        scores_of_spans,
    )
    from jurybox.analysis.measure.votes import (
        elo,
        first_shown_rate,
        grades_given,
        mean_grades,
        outcome_rates,
        strengths,
        win_rates,
    )

__all__ = [
    "agreement",
    "agreement_of_spans",
    "calibrated",
    "compare",
    "differences",
    "elo",
    "first_shown_rate",
    "grades_given",
    "many_systems",
    "mean_grades",
    "mean_ranks",
    "means",
    "metric_correlations",
    "outcome_rates",
    "pass_rates",
    "point_scores",
    "points",
    "rater_qualities",
    "retest",
    "robust",
    "scores_of_outputs",
    "scores_of_spans",
    "share_first",
    "span_points",
    "strengths",
    "strengths_of_rankings",
    "turing",
    "turn",
    "turn_share",
    "win_rates",
]

_ROOMS = {
    "agreement_of_spans": "spans",
    "calibrated": "calibration",
    "compare": "compared",
    "differences": "compared",
    "elo": "votes",
    "first_shown_rate": "votes",
    "grades_given": "votes",
    "many_systems": "compared",
    "mean_grades": "votes",
    "mean_ranks": "rankings",
    "means": "ratings",
    "metric_correlations": "metrics",
    "outcome_rates": "votes",
    "pass_rates": "ratings",
    "point_scores": "spans",
    "points": "spans",
    "rater_qualities": "raters",
    "retest": "raters",
    "robust": "ratings",
    "scores_of_outputs": "metrics",
    "scores_of_spans": "spans",
    "share_first": "rankings",
    "span_points": "raters",
    "strengths": "votes",
    "strengths_of_rankings": "rankings",
    "turing": "detections",
    "win_rates": "votes",
}


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return getattr(import_module(f"jurybox.analysis.measure.{_ROOMS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
