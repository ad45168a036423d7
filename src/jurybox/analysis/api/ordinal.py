"""The ordinal mixed model: the public function."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jurybox.analysis.api.opened import one_criterion, opened
from jurybox.errors import InputError
from jurybox.stats.ordinal_mixed.model import ordinal_model as model_of
from jurybox.stats.ordinal_mixed.results import OrdinalModel
from jurybox.tally.ratings import are_numbers, first_scores
from jurybox.tally.score_cells import score_cells

__all__ = ["ordinal_model"]


def ordinal_model(
    ratings: Any,
    *,
    criterion: str | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> OrdinalModel:
    r"""By how much the odds of a higher score differ between systems: a cumulative logit model.

    Only the order of the scores counts, so steps of unequal size do no harm, and raters and items
    have random effects of their own. It rests on more assumptions than ``compare_systems``: that a
    system moves the odds of every step alike, and that effects are normal. Take it beside that
    comparison, not in its place; of a difference in points it says nothing.

    Parameters
    ----------
    ratings
        ``item, system, rater, criterion, score``.
    criterion
        Which criterion, if the table has several.
    confidence
        The confidence of the intervals.
    seed
        The seed of the draws behind simultaneous intervals.

    Returns
    -------
    OrdinalModel
        One row per system, the highest first: log odds with mean zero. ``differences`` of every two
        systems are one family with simultaneous intervals; ``thresholds``; ``components``, the
        standard deviations between raters and between items; ``formula``, the model that was fitted
        in the end, and ``left_out``, what it had to do without.

    Notes
    -----
    For a score y of system s on item i by rater r, with thresholds :math:`\theta_j`,

    .. math:: \operatorname{logit} P(y \le j) = \theta_j - (\beta_s + u_{rs} + v_{is}), \qquad
        u_r \sim N(0, \Sigma_R), \quad v_i \sim N(0, \Sigma_I).

    :math:`e^{\beta_s - \beta_t}` is the ratio of the odds of a higher score, for the same rater and
    item: averaged over raters and items odds differ less. The likelihood integrates u and v out by
    Laplace's approximation.

    *Terms.* The full model is ``score ~ system + (0 + system | rater) + (0 + system | item)``: any
    covariance of the systems, which is the same as intercepts with correlated slopes, whichever
    system is the baseline. Where its fit is singular it becomes ``(1 | rater) +
    (1 | rater:system)``, slopes of one variance and uncorrelated; then parts go one by one whose
    variance is estimated as zero. What the design cannot show (a slope of items judged once, a
    covariance of more systems than raters, or of more than eight) is not tried.

    *Intervals* are Wald's, from the observed information of all parameters, and speak for raters
    and items like these: t has min G − 1 degrees of freedom, with G raters and items. (Simulated
    with 3 and 5 raters, t covers 95 to 99.5%; normal quantiles, which other software takes, 78 to
    92.5%.) There is no narrower claim for these raters alone; ``compare_systems`` has one.

    *Degenerate input.* One system, one value, systems that no rater or no item joins: undefined. A
    system with no score below those of the others (always at the top, say) has log odds without an
    upper bound: it is set above them, and the others are fitted without it. Raters or items that
    all but decide the scores: undefined. One rater or one item: its term is left out, and the
    interval says so. More than 30 values, words, or no column of raters or items: refused.

    *Checked against* R's ordinal 2022.11-16 (``clmm``), recorded, and without random effects
    statsmodels 0.15 (``OrderedModel``).

    References
    ----------
    McCullagh (1980), doi:10.1111/j.2517-6161.1980.tb01109.x; Pinheiro and Chao (2006),
    doi:10.1198/106186006X96962; Barr, Levy, Scheepers and Tily (2013),
    doi:10.1016/j.jml.2012.11.001; Matuschek, Kliegl, Vasishth, Baayen and Bates (2017),
    doi:10.1016/j.jml.2017.01.001.

    Examples
    --------
    >>> import jurybox as jb
    >>> ratings = {
    ...     "item": [1, 2, 3, 4] * 6,
    ...     "system": (["new"] * 4 + ["old"] * 4) * 3,
    ...     "rater": ["ada"] * 8 + ["ben"] * 8 + ["cy"] * 8,
    ...     "score": [5, 4, 4, 2, 3, 3, 4, 1, 4, 5, 3, 3, 4, 2, 3, 1, 5, 3, 2, 3, 2, 3, 2, 2],
    ... }
    >>> found = jb.ordinal_model(ratings)
    >>> found.formula
    'score ~ system + (1 | item)'
    """
    with opened(ratings, "ratings", criterion) as responses:
        name = one_criterion(responses)
        if not (responses.has_item and responses.has_rater):
            raise InputError("the ordinal model needs the item and the rater of every response")
        if not are_numbers(responses):
            raise InputError(f"the answers to {name!r} are words: they have no order")
        cells = score_cells(first_scores(responses))
    return replace(model_of(cells, confidence=confidence, seed=seed), criterion=name)
