"""Intraclass correlation, Kendall's W and pairs of raters: the public functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jurybox.analysis.api.opened import one_criterion, opened
from jurybox.analysis.measure.agreement import concordance, intraclass, pairs_of_raters
from jurybox.analysis.options import Options
from jurybox.stats.agreement.concordance import Concordance
from jurybox.stats.agreement.icc import IccForm, Intraclass
from jurybox.stats.agreement.kappa import Weights
from jurybox.stats.agreement.rater_pairs import PairStatistic, RaterPairTable
from jurybox.stats.clusters import Generalize

__all__ = ["icc", "kendall_w", "rater_pairs"]


def icc(
    ratings: Any,
    *,
    form: IccForm,
    criterion: str | None = None,
    confidence: float = 0.95,
) -> Intraclass:
    r"""Which share of the variance of scores lies between outputs, not between raters or in noise.

    For scores on an interval scale. Form 1: every output has raters of its own; form 2: the same
    raters, drawn from many; form 3: the same raters, and no others are meant (their leniency does
    not count). ``,1`` for a single score, ``,k`` for the mean of k raters.

    Parameters
    ----------
    ratings
        ``item, rater, score`` (and ``system``, ``criterion``).
    form
        ``"ICC(1,1)"``, ``"ICC(2,1)"``, ``"ICC(3,1)"``, ``"ICC(1,k)"``, ``"ICC(2,k)"`` or
        ``"ICC(3,k)"``. There is no default: it is a decision about the design.
    criterion
        Which criterion, if the table has several.
    confidence
        The confidence of the interval.

    Returns
    -------
    Intraclass
        With the variances between units, between raters and left over, and p against none between
        units.

    Notes
    -----
    With mean squares between units (B), raters (C), left over (E) and within units (W), of n units
    by k raters,

    .. math:: ICC(1,1) = \frac{B - W}{B + (k-1)W}, \quad
        ICC(2,1) = \frac{B - E}{B + (k-1)E + k(C - E)/n}, \quad
        ICC(3,1) = \frac{B - E}{B + (k-1)E}

    and for means of k by Spearman–Brown. Intervals are exact F intervals under normality (forms 1
    and 3) or Satterthwaite's (form 2). Incomplete tables: variance components, one-way by the
    analysis of variance, two-way by Henderson's method 3; k is then the harmonic mean of responses
    per unit, and the intervals are those formulas at effective numbers, an approximation that
    ``method`` names. Units with one response are left out and counted.

    *Degenerate input.* Raters nested in items (each saw one item): only forms 1 exist, the others
    are undefined with that reason. All scores equal, no unit or only one unit with two responses:
    undefined. Raters never differ: 1 without an interval.

    *Checked against* Shrout and Fleiss (1979), table 4, and pingouin 0.6.1, with intervals.

    References
    ----------
    Shrout and Fleiss (1979), doi:10.1037/0033-2909.86.2.420; McGraw and Wong (1996),
    doi:10.1037/1082-989X.1.1.30, tables 4 and 7; Henderson (1953), doi:10.2307/3001853.

    Examples
    --------
    >>> import jurybox as jb
    >>> ratings = {
    ...     "item": [1, 2, 3, 4, 5, 6] * 4,
    ...     "rater": [name for name in ("J1", "J2", "J3", "J4") for _ in range(6)],
    ...     "score": [9, 6, 8, 7, 10, 6, 2, 1, 4, 1, 5, 2, 5, 3, 6, 2, 6, 4, 8, 2, 8, 6, 9, 7],
    ... }
    >>> print(jb.icc(ratings, form="ICC(2,1)"))
    ICC(2,1): 0.290 (0.019 to 0.761)
      95% interval: F with Satterthwaite's degrees of freedom
      holds for raters and items like these
      24 responses, 4 raters, 6 items
    """
    options = Options(confidence=confidence)
    with opened(ratings, "ratings", criterion) as responses:
        return replace(intraclass(responses, options, form), criterion=one_criterion(responses))


def kendall_w(
    rankings: Any,
    *,
    criterion: str | None = None,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Concordance:
    r"""How far raters put things in the same order: 0 not at all, 1 the same order.

    For rankings of an item's systems. Ratings work too: an item's systems are then ordered by their
    scores; with one system, the items are.

    Parameters
    ----------
    rankings
        ``item, rater, system, rank``, or ratings.
    criterion, generalize, confidence, n_resamples, seed
        As in ``krippendorff_alpha``; ``n_resamples`` is also that of p.

    Returns
    -------
    Concordance
        W averaged over what was ranked together, with ``tau`` and ``spearman``, the mean
        correlations of every two raters, and p against raters who rank at random.

    Notes
    -----
    .. math:: W = \frac{12 \sum_j (R_j - \bar R)^2}{m^2(n^3 - n) - m\sum_r T_r}
        = \frac{1 + (m - 1)\bar\rho}{m}

    for m raters of n things with rank sums :math:`R_j` and ties :math:`T_r = \sum(t^3 - t)`. W
    depends on m, the mean correlation :math:`\bar\rho` does not: the interval is made for
    :math:`\bar\rho` (two-way jackknife with five and more raters, else a bootstrap of items; where
    items are what is ranked, a jackknife of items) and taken back. p is by permutation of each
    rater's ranks, of large tables by a chi-square with the moments of random ranks.

    *Degenerate input.* One rater, no two raters of an item who ranked the same things, or every
    ranking all ties: undefined. Where a trial shows some of an item's systems, those who ranked the
    same of them are compared; a ranking that nobody else gave of these is left out and counted, as
    is an item whose raters scored different systems. Scores that differ by rounding noise are ties.

    *Checked against* SciPy 1.17: Friedman's statistic is m(n − 1)W; the mean tau-b and Spearman
    correlation of all pairs.

    References
    ----------
    Kendall and Babington Smith (1939), doi:10.1214/aoms/1177732186; Siegel and Castellan (1988),
    Nonparametric statistics for the behavioral sciences, ch. 9.

    Examples
    --------
    >>> import jurybox as jb
    >>> rankings = {
    ...     "item": ["q"] * 9,
    ...     "rater": ["ada"] * 3 + ["ben"] * 3 + ["cy"] * 3,
    ...     "system": ["x", "y", "z"] * 3,
    ...     "rank": [1, 2, 3, 1, 3, 2, 1, 2, 3],
    ... }
    >>> print(jb.kendall_w(rankings))  # rank sums 3, 7, 8: W = 12 · 14 / (9 · 24)
    Kendall's W: 0.778 (no interval: there is only one item)
      3 responses, 3 raters, 1 item
    """
    options = Options(
        generalize=generalize,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
    )
    with opened(rankings, None, criterion) as responses:
        return replace(concordance(responses, options), criterion=one_criterion(responses))


def rater_pairs(
    ratings: Any,
    *,
    statistic: PairStatistic = "cohen",
    weights: Weights = None,
    criterion: str | None = None,
    confidence: float = 0.95,
) -> RaterPairTable:
    r"""How far each pair of raters agrees on the units that both answered.

    To see who stands apart; for a single figure take ``krippendorff_alpha``.

    Parameters
    ----------
    ratings
        ``item, rater, score`` (and ``system``, ``criterion``); votes and detections work too.
    statistic
        ``"cohen"``: Cohen's kappa; ``"percent"``: the share of equal answers.
    weights
        The weights of kappa, as in ``cohen_kappa``.
    criterion, confidence
        As in ``krippendorff_alpha``.

    Returns
    -------
    RaterPairTable
        A row per pair with ``kappa``, ``percent`` and ``n_units``, the units both answered.

    Notes
    -----
    Of the n units that two raters both answered, :math:`n_{kl}` are those to which the first gave
    the value k and the second l; :math:`p_k` and :math:`q_k` are the shares of k among the first's
    and the second's answers, and :math:`d_{kl}` the distance between two values (without weights 1,
    and 0 to itself):

    .. math:: p_o = \frac1n \sum_k n_{kk}, \qquad
        \kappa = 1 - \frac{\sum_{kl} d_{kl} n_{kl}}{n \sum_{kl} d_{kl} p_k q_l}

    Intervals leave out items one by one (on Fisher's z, or the logit scale), and hold for these two
    raters.

    *Degenerate input.* Fewer than ten shared units: the row is undefined and says how many. One
    rater, or no shared unit: no rows, with the reason.

    *Checked against* the kappas of the PandaLM study.

    References
    ----------
    Cohen (1960), doi:10.1177/001316446002000104.

    Examples
    --------
    >>> import jurybox as jb
    >>> ratings = {
    ...     "item": list(range(10)) * 2,
    ...     "rater": ["ada"] * 10 + ["ben"] * 10,
    ...     "score": [5, 4, 3, 5, 2, 4, 3, 5, 4, 3] + [5, 4, 2, 5, 2, 3, 3, 4, 4, 3],
    ... }
    >>> row = jb.rater_pairs(ratings)["ada and ben"]
    >>> round(row.kappa, 4), row.percent, row.n_units
    (0.5946, 0.7, 10)
    """
    options = Options(confidence=confidence)
    with opened(ratings, None, criterion) as responses:
        name = one_criterion(responses)
        found = pairs_of_raters(responses, options, statistic, weights=weights)
        rows = tuple(replace(row, criterion=name) for row in found.rows)
        return replace(found, rows=rows, criterion=name)
