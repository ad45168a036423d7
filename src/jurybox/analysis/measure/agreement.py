"""Agreement among raters."""

from __future__ import annotations

from typing import Any, Literal

from jurybox.analysis.options import Options
from jurybox.stats.agreement import (
    Agreement,
    Level,
    alpha_from_patterns,
    fleiss_from_patterns,
    percent_from_patterns,
)
from jurybox.stats.kappa import Weights, cohen_from_pairs
from jurybox.tally.patterns import answer_patterns, pair_answers
from jurybox.tally.responses import Responses

__all__ = ["Statistic", "agreement"]

Statistic = Literal["alpha", "percent", "fleiss", "cohen"]


def agreement(
    responses: Responses,
    options: Options,
    statistic: Statistic,
    *,
    level: Level | None = None,
    weights: Weights = None,
) -> Agreement:
    """Agreement among raters on the units of the responses."""
    drawn: dict[str, Any] = {
        "confidence": options.confidence,
        "n_resamples": options.n_resamples,
        "seed": options.seed,
    }
    if statistic == "cohen":
        return cohen_from_pairs(pair_answers(responses), weights=weights, **drawn)
    patterns = answer_patterns(responses)
    if statistic == "percent":
        return percent_from_patterns(patterns, **drawn)
    if statistic == "fleiss":
        return fleiss_from_patterns(patterns, **drawn)
    return alpha_from_patterns(patterns, level=level or "nominal", **drawn)
