"""The public statistics: any table in one of the shapes in, a frozen result out.

Every function takes the table first and everything else by keyword. A table is a path or glob (CSV,
TSV, JSONL, Parquet), a pandas, Polars or PyArrow table, a DuckDB relation, or a mapping of columns.
"""

from jurybox.analysis.api.agreement import (
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)
from jurybox.analysis.api.detections import calibration, turing_test
from jurybox.analysis.api.metrics import correlate_metrics
from jurybox.analysis.api.rankings import plackett_luce
from jurybox.analysis.api.ratings import compare_systems, mean_scores
from jurybox.analysis.api.spans import span_agreement, span_scores
from jurybox.analysis.api.votes import bradley_terry, elo, win_rates
from jurybox.analysis.run import analyze

__all__ = [
    "analyze",
    "bradley_terry",
    "calibration",
    "cohen_kappa",
    "compare_systems",
    "correlate_metrics",
    "elo",
    "fleiss_kappa",
    "krippendorff_alpha",
    "mean_scores",
    "percent_agreement",
    "plackett_luce",
    "span_agreement",
    "span_scores",
    "turing_test",
    "win_rates",
]
