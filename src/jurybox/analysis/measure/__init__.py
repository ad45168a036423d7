"""From responses to results: the tally that a statistic needs, then the statistic."""

from jurybox.analysis.measure.agreement import Statistic, agreement
from jurybox.analysis.measure.calibration import calibrated
from jurybox.analysis.measure.detections import turing
from jurybox.analysis.measure.metrics import metric_correlations
from jurybox.analysis.measure.rankings import mean_ranks, share_first, strengths_of_rankings
from jurybox.analysis.measure.ratings import differences, means, pass_rates
from jurybox.analysis.measure.spans import point_differences, points
from jurybox.analysis.measure.turn import turn, turn_share
from jurybox.analysis.measure.votes import first_shown_rate, outcome_rates, strengths, win_rates

__all__ = [
    "Statistic",
    "agreement",
    "calibrated",
    "differences",
    "first_shown_rate",
    "mean_ranks",
    "means",
    "metric_correlations",
    "outcome_rates",
    "pass_rates",
    "point_differences",
    "points",
    "share_first",
    "strengths",
    "strengths_of_rankings",
    "turing",
    "turn",
    "turn_share",
    "win_rates",
]
