"""Agreement among raters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from jurybox.analysis.options import Options
from jurybox.stats.agreement.alpha import Level, alpha_from_patterns, alpha_statistic
from jurybox.stats.agreement.fleiss import (
    fleiss_from_patterns,
    fleiss_statistic,
    percent_from_patterns,
)
from jurybox.stats.agreement.gwet import (
    AgreementWeights,
    brennan_prediger_from_patterns,
    gwet_from_patterns,
)
from jurybox.stats.agreement.kappa import Weights, cohen_from_pairs, pair_kappas
from jurybox.stats.agreement.mean_agreement import mean_agreement
from jurybox.stats.agreement.patterns import Agreement, Patterns, PatternStatistic
from jurybox.stats.agreement.rater_pairs import PairStatistic, RaterPairTable, agreement_of_pairs
from jurybox.tally.patterns import AnswerPatterns, answer_patterns, system_patterns
from jurybox.tally.rater_pairs import pair_answers, pair_counts
from jurybox.tally.responses import Responses

if TYPE_CHECKING:
    from jurybox.stats.agreement.concordance import Concordance
    from jurybox.stats.agreement.icc import IccForm, Intraclass

__all__ = [
    "Statistic",
    "agreement",
    "concordance",
    "intraclass",
    "kappas_of_raters",
    "means_within_systems",
    "pairs_of_raters",
    "patterns_of",
]

Statistic = Literal["alpha", "percent", "fleiss", "cohen", "gwet", "brennan_prediger"]


def patterns_of(responses: Responses, options: Options) -> AnswerPatterns:
    """The patterns of answers that every statistic but Cohen's kappa is computed from."""
    return answer_patterns(responses, raters=options.generalize == "raters+items")


def agreement(
    responses: Responses,
    options: Options,
    statistic: Statistic,
    *,
    level: Level | None = None,
    weights: AgreementWeights = None,
    values: Sequence[Any] | None = None,
    patterns: AnswerPatterns | None = None,
) -> Agreement:
    """Agreement among raters on the units of the responses.

    ``patterns``: those of the responses, where they are known already.
    """
    drawn: dict[str, Any] = {
        "generalize": options.generalize,
        "confidence": options.confidence,
        "n_resamples": options.n_resamples,
        "seed": options.seed,
    }
    if statistic == "cohen" and responses.stated.has_anonymous:
        return Agreement(
            estimate=None, undefined="the raters are anonymous", statistic="Cohen's kappa"
        )
    if statistic == "cohen":
        return cohen_from_pairs(pair_answers(responses), weights=weights, **drawn)
    made = patterns_of(responses, options) if patterns is None else patterns
    if statistic == "percent":
        return percent_from_patterns(made, **drawn)
    if statistic == "fleiss":
        return fleiss_from_patterns(made, **drawn)
    if statistic == "gwet":
        return gwet_from_patterns(made, weights=weights, values=values, **drawn)
    if statistic == "brennan_prediger":
        return brennan_prediger_from_patterns(made, weights=weights, values=values, **drawn)
    return alpha_from_patterns(made, level=level or "nominal", **drawn)


def means_within_systems(
    responses: Responses, options: Options, *, level: Level
) -> tuple[Agreement | None, Agreement | None]:
    """Alpha and Fleiss' kappa of each system's outputs, averaged over systems; or ``None``."""
    systems = system_patterns(responses, raters=options.generalize == "raters+items")

    def mean(statistic_of: Callable[[Patterns], PatternStatistic]) -> Agreement | None:
        return mean_agreement(
            systems,
            statistic_of,
            generalize=options.generalize,
            confidence=options.confidence,
            n_resamples=options.n_resamples,
            seed=options.seed,
        )

    return mean(lambda patterns: alpha_statistic(patterns, level)), mean(fleiss_statistic)


def intraclass(responses: Responses, options: Options, form: IccForm) -> Intraclass:
    """An intraclass correlation of the scores."""
    from jurybox.stats.agreement.icc import icc_from_sums
    from jurybox.tally.components import score_sums

    return icc_from_sums(score_sums(responses), form=form, confidence=options.confidence)


def concordance(responses: Responses, options: Options) -> Concordance:
    """Kendall's W of rankings, or of scores taken as such."""
    from jurybox.stats.agreement.concordance import kendall_from_rows
    from jurybox.tally.concordance import ranked_rows

    return kendall_from_rows(
        ranked_rows(responses),
        generalize=options.generalize,
        confidence=options.confidence,
        n_resamples=options.n_resamples,
        seed=options.seed,
    )


def pairs_of_raters(
    responses: Responses,
    options: Options,
    statistic: PairStatistic = "cohen",
    *,
    weights: Weights = None,
) -> RaterPairTable:
    """How far every two raters agree."""
    if responses.stated.has_anonymous:
        return RaterPairTable(rows=(), undefined="the raters are anonymous")
    return agreement_of_pairs(
        pair_answers(responses), statistic=statistic, weights=weights, confidence=options.confidence
    )


def kappas_of_raters(
    responses: Responses, *, weights: Weights, most: int
) -> NDArray[np.float64] | None:
    """Cohen's kappa of every two raters who share a unit, NaN of fewer than ten.

    ``None`` where the raters are anonymous, and where there are more than ``most`` pairs of
    answers.
    """
    if responses.stated.has_anonymous:
        return None
    found = pair_counts(responses, most=most)
    return None if found is None else pair_kappas(found, weights)
