"""Agreement among raters: the public functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.api.opened import one_criterion, opened
from jurybox.analysis.options import Options
from jurybox.stats.agreement import Agreement, Level
from jurybox.stats.distributions import check_confidence
from jurybox.stats.kappa import Weights

__all__ = ["cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "percent_agreement"]


def _agreement(
    table: Any,
    statistic: measure.Statistic,
    *,
    criterion: str | None,
    options: Options,
    level: Level | None = None,
    weights: Weights = None,
) -> Agreement:
    check_confidence(options.confidence)
    with opened(table, None, criterion) as responses:
        name = one_criterion(responses)
        found = measure.agreement(responses, options, statistic, level=level, weights=weights)
        return replace(found, criterion=name)


def krippendorff_alpha(
    ratings: Any,
    *,
    level: Level,
    criterion: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Agreement:
    r"""How far raters agree beyond chance, for any number of raters and any missing responses.

    The usual choice. For two raters who answered everything, ``cohen_kappa`` is as good; where one
    answer is very common, look at ``percent_agreement`` beside it.

    Parameters
    ----------
    ratings
        ``item, rater, score`` (and ``system``, ``criterion``); votes and detections work too.
    level
        ``nominal``, ``ordinal``, ``interval`` or ``ratio``. There is no default: it is a decision
        about the scale.
    criterion
        Which criterion, if the table has several.
    confidence, n_resamples, seed
        Of the interval.

    Returns
    -------
    Agreement
        With five or more raters the interval speaks for raters and items like these (two-way
        jackknife); with fewer, for these raters (bootstrap of items).

    Notes
    -----
    .. math:: \alpha = 1 - \frac{D_o}{D_e}
        = 1 - (n - 1)\frac{\sum_{c<k} o_{ck}\delta^2_{ck}}{\sum_{c<k} n_c n_k \delta^2_{ck}}

    :math:`o_{ck}` counts coincidences of values c and k within units, :math:`n_c` the responses
    with value c, :math:`\delta` the distance of the level. The ordinal distance is Krippendorff's,
    which differs from Gwet's ordinal weights.

    *Degenerate input.* All responses equal: undefined (some packages say 1). No unit with two
    responses: undefined.

    *Checked against* the krippendorff package 0.9 and the four values in Krippendorff (2011).

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability, University of Pennsylvania.

    Examples
    --------
    >>> ratings = {
    ...     "item": [1, 1, 2, 2, 3, 3, 4, 4],
    ...     "rater": ["ada", "ben"] * 4,
    ...     "score": [1, 1, 2, 3, 3, 3, 1, 2],
    ... }
    >>> print(krippendorff_alpha(ratings, level="ordinal"))
    Krippendorff's alpha: 0.708 (−0.400 to 1.000)
      95% interval: bootstrap of items, 2,000 resamples
      holds for items like these, judged by these raters
      8 responses, 2 raters, 4 items
    """
    options = Options(confidence=confidence, n_resamples=n_resamples, seed=seed)
    return _agreement(ratings, "alpha", criterion=criterion, options=options, level=level)


def percent_agreement(
    ratings: Any,
    *,
    criterion: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Agreement:
    r"""How often two raters of the same output give the same answer.

    Easy to read and blind to chance: with two values, guessing alone gives one half.

    Notes
    -----
    .. math:: p_a = \frac1U \sum_u \frac{\sum_c n_{uc}(n_{uc} - 1)}{m_u(m_u - 1)}

    over the units u with :math:`m_u \ge 2` responses, :math:`n_{uc}` of them with value c.

    References
    ----------
    Fleiss (1971), doi:10.1037/h0031619, eq. 2.

    Examples
    --------
    >>> ratings = {"item": [1, 1, 2, 2], "rater": ["a", "b"] * 2, "score": [1, 1, 2, 3]}
    >>> percent_agreement(ratings).estimate
    0.5
    """
    options = Options(confidence=confidence, n_resamples=n_resamples, seed=seed)
    return _agreement(ratings, "percent", criterion=criterion, options=options)


def fleiss_kappa(
    ratings: Any,
    *,
    criterion: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Agreement:
    r"""Agreement beyond chance on nominal answers, where raters are interchangeable.

    For ordered values use ``krippendorff_alpha`` with their level: kappa takes 4 against 5 for as
    bad as 1 against 5.

    Notes
    -----
    .. math:: \kappa = \frac{p_a - p_e}{1 - p_e}, \qquad p_e = \sum_c \pi_c^2

    with :math:`\pi_c` the mean share of value c over units. Units may have different numbers of
    responses (Gwet's generalization).

    *Degenerate input.* All responses equal: undefined.

    *Checked against* statsmodels 0.14 and the 0.430 of Fleiss (1971).

    References
    ----------
    Fleiss (1971), doi:10.1037/h0031619; Gwet (2014), Handbook of inter-rater reliability, ch. 2.

    Examples
    --------
    >>> ratings = {
    ...     "item": [1, 1, 1, 2, 2, 2, 3, 3, 3],
    ...     "rater": ["a", "b", "c"] * 3,
    ...     "score": ["x", "x", "x", "y", "y", "x", "y", "y", "y"],
    ... }
    >>> round(fleiss_kappa(ratings).estimate, 3)
    0.55
    """
    options = Options(confidence=confidence, n_resamples=n_resamples, seed=seed)
    return _agreement(ratings, "fleiss", criterion=criterion, options=options)


def cohen_kappa(
    ratings: Any,
    *,
    weights: Weights = None,
    criterion: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Agreement:
    r"""Agreement of two raters beyond chance, each with their own habits.

    With more than two raters: the mean over all pairs with at least ten shared units.

    Parameters
    ----------
    ratings
        ``item, rater, score`` (and ``system``, ``criterion``); votes and detections work too.
    weights
        ``None``: a miss is a miss. ``"linear"``, ``"quadratic"``: misses count by the distance of
        the values, or its square.
    criterion, confidence, n_resamples, seed
        As in ``krippendorff_alpha``.

    Notes
    -----
    .. math:: \kappa = 1 - \frac{\sum w_{ck} p_{ck}}{\sum w_{ck} p_{c\cdot} p_{\cdot k}}

    *Degenerate input.* Both raters give one value throughout: undefined.

    *Checked against* statsmodels 0.14.

    References
    ----------
    Cohen (1960), doi:10.1177/001316446002000104; Cohen (1968), doi:10.1037/h0026256.

    Examples
    --------
    >>> ratings = {
    ...     "item": list(range(10)) * 2,
    ...     "rater": ["ada"] * 10 + ["ben"] * 10,
    ...     "score": [5, 4, 3, 5, 2, 4, 3, 5, 4, 3] + [5, 4, 2, 5, 2, 3, 3, 4, 4, 3],
    ... }
    >>> round(cohen_kappa(ratings).estimate, 4)
    0.5946
    """
    options = Options(confidence=confidence, n_resamples=n_resamples, seed=seed)
    return _agreement(ratings, "cohen", criterion=criterion, options=options, weights=weights)
