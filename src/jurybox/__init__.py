"""Human evaluation of generative models, from study.yaml to a table you can publish.

``import jurybox as jb`` gives the public functions below. They are loaded when first used
(PEP 562), so that importing jurybox costs nothing and ``jurybox analyze`` starts quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jurybox.analysis.api import (
        alternative_annotator_test,
        analyze,
        bradley_terry,
        brennan_prediger,
        calibration,
        cohen_kappa,
        compare_groups,
        compare_systems,
        correlate_metrics,
        elo,
        feature_metrics,
        fleiss_kappa,
        gwet_ac,
        icc,
        judge_agreement,
        judge_biases,
        kendall_w,
        krippendorff_alpha,
        mapped,
        mean_scores,
        ordinal_model,
        percent_agreement,
        plackett_luce,
        prediction_powered,
        rater_pairs,
        rater_quality,
        sample_size,
        span_agreement,
        span_scores,
        turing_test,
        win_rates,
    )
    from jurybox.study import Study, load_study
    from jurybox.web.notebook import preview

__all__ = [
    "Study",
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
    "load_study",
    "mapped",
    "mean_scores",
    "ordinal_model",
    "percent_agreement",
    "plackett_luce",
    "prediction_powered",
    "preview",
    "rater_pairs",
    "rater_quality",
    "sample_size",
    "span_agreement",
    "span_scores",
    "turing_test",
    "win_rates",
]

__version__ = "0.1.0"

_ROOMS = {
    "Study": "jurybox.study",
    "load_study": "jurybox.study",
    "preview": "jurybox.web.notebook",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'jurybox' has no attribute {name!r}")
    return getattr(import_module(_ROOMS.get(name, "jurybox.analysis.api")), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
