"""The public statistics: any table in one of the shapes in, a frozen result out.

Every function takes the table first and everything else by keyword. A table is a path or glob (CSV,
TSV, JSON, JSONL, Parquet), a pandas, Polars or PyArrow table, a DuckDB relation, a mapping of
columns, another tool's export, or a table of other columns and words, as ``mapped`` gives it.
"""

from jurybox.analysis.api.agreement import (
    brennan_prediger,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    percent_agreement,
)
from jurybox.analysis.api.biases import judge_biases
from jurybox.analysis.api.combined import prediction_powered
from jurybox.analysis.api.concordance import icc, kendall_w, rater_pairs
from jurybox.analysis.api.detections import calibration, turing_test
from jurybox.analysis.api.features import feature_metrics
from jurybox.analysis.api.groups import compare_groups
from jurybox.analysis.api.judges import alternative_annotator_test, judge_agreement
from jurybox.analysis.api.metrics import correlate_metrics
from jurybox.analysis.api.ordinal import ordinal_model
from jurybox.analysis.api.rankings import plackett_luce
from jurybox.analysis.api.raters import rater_quality
from jurybox.analysis.api.ratings import compare_systems, mean_scores
from jurybox.analysis.api.sizes import sample_size
from jurybox.analysis.api.spans import span_agreement, span_scores
from jurybox.analysis.api.votes import bradley_terry, elo, win_rates
from jurybox.analysis.run import analyze
from jurybox.tally.mapping import mapped

__all__ = [
    "alternative_annotator_test",
    "analyze",
    "bradley_terry",
    "brennan_prediger",
    "calibration",
    "cohen_kappa",
    "compare_groups",
    "compare_systems",
    "correlate_metrics",
    "elo",
    "feature_metrics",
    "fleiss_kappa",
    "gwet_ac",
    "icc",
    "judge_agreement",
    "judge_biases",
    "kendall_w",
    "krippendorff_alpha",
    "mapped",
    "mean_scores",
    "ordinal_model",
    "percent_agreement",
    "plackett_luce",
    "prediction_powered",
    "rater_pairs",
    "rater_quality",
    "sample_size",
    "span_agreement",
    "span_scores",
    "turing_test",
    "win_rates",
]
