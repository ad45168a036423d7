"""Agreement among raters: the public functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jurybox.analysis.api.opened import one_criterion, opened
from jurybox.analysis.measure.agreement import Statistic, agreement
from jurybox.analysis.options import Options
from jurybox.stats.agreement.alpha import Level
from jurybox.stats.agreement.gwet import AgreementWeights
from jurybox.stats.agreement.kappa import Weights
from jurybox.stats.agreement.patterns import Agreement
from jurybox.stats.clusters import Generalize

__all__ = [
    "brennan_prediger",
    "cohen_kappa",
    "fleiss_kappa",
    "gwet_ac",
    "krippendorff_alpha",
    "percent_agreement",
]

NEEDS = frozenset(
    (
        *("item", "rater", "system", "system_a", "system_b"),
        *("score", "winner", "rank", "truth", "answer"),
    )
)
"""The columns that agreement is computed from, whatever the shape."""


def _agreement(
    table: Any,
    statistic: Statistic,
    *,
    criterion: str | None,
    options: Options,
    level: Level | None = None,
    weights: AgreementWeights = None,
    values: Sequence[Any] | None = None,
) -> Agreement:
    as_patterns = statistic != "cohen" and options.generalize == "items"
    with opened(table, None, criterion, NEEDS, as_patterns=as_patterns) as responses:
        name = one_criterion(responses)
        found = agreement(
            responses, options, statistic, level=level, weights=weights, values=values
        )
        return replace(found, criterion=name)


def krippendorff_alpha(
    ratings: Any,
    *,
    level: Level,
    criterion: str | None = None,
    generalize: Generalize = "raters+items",
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
    generalize
        ``"raters+items"``: with five and more raters the interval speaks for raters and items like
        these; ``"items"``: for these raters, on items like these.
    confidence, n_resamples, seed
        The confidence of the interval; how often it is resampled, and with which seed.

    Returns
    -------
    Agreement
        The interval is a two-way jackknife on Fisher's z with five or more raters; with fewer, or
        on request, a bootstrap of items, which speaks for these raters only. A simulation with
        crossed rater and item effects covers 93 to 98% from five raters on; with a value that fewer
        than one answer in eight gives, and 30 items, 88 to 93%.

    Notes
    -----
    .. math:: \alpha = 1 - \frac{D_o}{D_e}
        = 1 - (n - 1)\frac{\sum_{c<k} o_{ck}\delta^2_{ck}}{\sum_{c<k} n_c n_k \delta^2_{ck}}

    :math:`o_{ck}` counts coincidences of values c and k within units, :math:`n_c` the responses
    with value c, :math:`\delta` the distance of the level. The ordinal distance is Krippendorff's,
    which follows how often the values between two were given; Gwet's ordinal weights
    (``gwet_ac``), which irrCAC calls "ordinal" for alpha too, follow only their places.
    Of repeated answers of a rater to an output the first counts. A unit is an output; for votes an
    item with a pair of systems.

    *Degenerate input.* All responses equal: undefined (inspect_ai and evalica return 1.0). No unit
    with two responses, or one such unit: undefined. One item: no interval.

    *Checked against* the krippendorff package 0.9 and the four values in Krippendorff (2011).

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability, University of Pennsylvania;
    Hayes and Krippendorff (2007), doi:10.1080/19312450709336664.

    Examples
    --------
    >>> import jurybox as jb
    >>> ratings = {
    ...     "item": [1, 1, 2, 2, 3, 3, 4, 4],
    ...     "rater": ["ada", "ben"] * 4,
    ...     "score": [1, 1, 2, 3, 3, 3, 1, 2],
    ... }
    >>> print(jb.krippendorff_alpha(ratings, level="ordinal"))
    Krippendorff's alpha: 0.708 (−0.400 to 1.000)
      95% interval: bootstrap of items, 2,000 resamples, percentiles
      holds for items like these, judged by these raters
      8 responses, 2 raters, 4 items
    """
    options = Options(
        generalize=generalize, confidence=confidence, n_resamples=n_resamples, seed=seed
    )
    return _agreement(ratings, "alpha", criterion=criterion, options=options, level=level)


def percent_agreement(
    ratings: Any,
    *,
    criterion: str | None = None,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Agreement:
    r"""How often two raters of the same output give the same answer.

    Easy to read and blind to chance: with two values, guessing alone gives one half.

    Parameters
    ----------
    ratings
        ``item, rater, score`` (and ``system``, ``criterion``); votes and detections work too.
    criterion, generalize, confidence, n_resamples, seed
        As in ``krippendorff_alpha``.

    Returns
    -------
    Agreement
        With an interval between 0 and 1 (on the logit scale, or Wilson's where nothing varies).

    Notes
    -----
    .. math:: p_a = \frac1U \sum_u \frac{\sum_c n_{uc}(n_{uc} - 1)}{m_u(m_u - 1)}

    over the units u with :math:`m_u \ge 2` responses, :math:`n_{uc}` of them with value c.

    *Degenerate input.* No pair of answers, or a single one: undefined. Every pair agrees: 1, with
    Wilson's interval for as many clusters as there are raters or items, whichever are fewer.

    *Checked against* the tables of Fleiss (1971) and of the PandaLM and TIFA studies.

    References
    ----------
    Fleiss (1971), doi:10.1037/h0031619, eq. 2.

    Examples
    --------
    >>> import jurybox as jb
    >>> ratings = {"item": [1, 1, 2, 2], "rater": ["a", "b"] * 2, "score": [1, 1, 2, 3]}
    >>> jb.percent_agreement(ratings).short()
    '0.500 (0.000 to 1.000)'
    """
    options = Options(
        generalize=generalize, confidence=confidence, n_resamples=n_resamples, seed=seed
    )
    return _agreement(ratings, "percent", criterion=criterion, options=options)


def fleiss_kappa(
    ratings: Any,
    *,
    criterion: str | None = None,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Agreement:
    r"""Agreement beyond chance on nominal answers, where raters are interchangeable.

    For ordered values use ``krippendorff_alpha`` with their level: kappa takes 4 against 5 for as
    bad as 1 against 5.

    Parameters
    ----------
    ratings
        ``item, rater, score`` (and ``system``, ``criterion``); votes and detections work too.
    criterion, generalize, confidence, n_resamples, seed
        As in ``krippendorff_alpha``.

    Returns
    -------
    Agreement
        With ``observed`` and ``chance`` agreement and ``item_error``, Gwet's standard error.

    Notes
    -----
    .. math:: \kappa = \frac{p_a - p_e}{1 - p_e}, \qquad p_e = \sum_c \pi_c^2

    with :math:`\pi_c` the mean share of value c over units. Units may have different numbers of
    responses (Gwet's generalization).

    *Degenerate input.* All responses equal: undefined. No unit with two responses, or a single one:
    undefined.

    *Checked against* statsmodels 0.15 and the 0.430 of Fleiss (1971).

    References
    ----------
    Fleiss (1971), doi:10.1037/h0031619; Gwet (2014), Handbook of inter-rater reliability, ch. 2.

    Examples
    --------
    >>> import jurybox as jb
    >>> ratings = {
    ...     "item": [1, 1, 1, 2, 2, 2, 3, 3, 3],
    ...     "rater": ["a", "b", "c"] * 3,
    ...     "score": ["x", "x", "x", "y", "y", "x", "y", "y", "y"],
    ... }
    >>> print(jb.fleiss_kappa(ratings))  # three items are too few to resample
    Fleiss' kappa: 0.550 (no interval: in more than 5% of the resamples it does not exist)
      9 responses, 3 raters, 3 items
    """
    options = Options(
        generalize=generalize, confidence=confidence, n_resamples=n_resamples, seed=seed
    )
    return _agreement(ratings, "fleiss", criterion=criterion, options=options)


def cohen_kappa(
    ratings: Any,
    *,
    weights: Weights = None,
    criterion: str | None = None,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Agreement:
    r"""Agreement of two raters beyond chance, each with their own habits.

    With more than two raters: the mean over all pairs with at least ten shared units; the pairs
    themselves are in ``rater_pairs``. Where a value is rare, pairs have few answers to agree about
    and the mean is too low; ``krippendorff_alpha`` pools all raters.

    Parameters
    ----------
    ratings
        ``item, rater, score`` (and ``system``, ``criterion``); votes and detections work too.
    weights
        ``None``: a miss is a miss. ``"linear"``, ``"quadratic"``: misses count by the distance of
        the values, or its square.
    criterion, generalize, confidence, n_resamples, seed
        As in ``krippendorff_alpha``.

    Returns
    -------
    Agreement
        With ``n_pairs``, the pairs of raters that the mean is over.

    Notes
    -----
    .. math:: \kappa = 1 - \frac{\sum w_{ck} p_{ck}}{\sum w_{ck} p_{c\cdot} p_{\cdot k}}

    with :math:`p_{ck}` the share of shared units to which the two gave values c and k.

    *Degenerate input.* Both raters give one value throughout, or share one unit: undefined. No two
    of several raters share ten units: undefined.

    *Checked against* statsmodels 0.15 and the kappas of the PandaLM study.

    References
    ----------
    Cohen (1960), doi:10.1177/001316446002000104; Cohen (1968), doi:10.1037/h0026256.

    Examples
    --------
    >>> import jurybox as jb
    >>> ratings = {
    ...     "item": list(range(10)) * 2,
    ...     "rater": ["ada"] * 10 + ["ben"] * 10,
    ...     "score": [5, 4, 3, 5, 2, 4, 3, 5, 4, 3] + [5, 4, 2, 5, 2, 3, 3, 4, 4, 3],
    ... }
    >>> jb.cohen_kappa(ratings).short()
    '0.595 (0.178 to 0.867)'
    >>> jb.cohen_kappa(ratings, weights="quadratic").short()  # near misses count as near
    '0.857 (0.592 to 0.969)'
    """
    options = Options(
        generalize=generalize, confidence=confidence, n_resamples=n_resamples, seed=seed
    )
    return _agreement(ratings, "cohen", criterion=criterion, options=options, weights=weights)


def gwet_ac(
    ratings: Any,
    *,
    weights: AgreementWeights = None,
    values: Sequence[Any] | None = None,
    criterion: str | None = None,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Agreement:
    r"""Agreement beyond chance where one answer is very common: Gwet's AC1, or AC2 with weights.

    Kappa and alpha fall towards zero when nearly all answers are alike, although raters agree; AC
    does not. Read it beside them, not instead: it takes rare answers for hard ones.

    Parameters
    ----------
    ratings
        ``item, rater, score`` (and ``system``, ``criterion``); votes and detections work too.
    weights
        ``None``: AC1, a miss is a miss. AC2 otherwise: ``"linear"``, ``"quadratic"``: by the
        distance of two values, or its square; ``"ordinal"``: by the number of places between them.
    values
        All values of the scale. By default those that occur; chance depends on how many there are.
    criterion, generalize, confidence, n_resamples, seed
        As in ``krippendorff_alpha``.

    Returns
    -------
    Agreement
        With ``observed`` and ``chance`` agreement and ``item_error``, Gwet's standard error for
        these raters.

    Notes
    -----
    .. math:: AC = \frac{p_a - p_e}{1 - p_e}, \qquad
        p_a = \frac1U \sum_u \sum_{kl} \frac{w_{kl}\,n_{uk}(n_{ul} - [k = l])}{m_u(m_u - 1)}, \qquad
        p_e = \frac{\sum_{kl} w_{kl}}{q(q - 1)} \sum_k \pi_k (1 - \pi_k)

    for q values with mean shares :math:`\pi_k`. Weights are 1 on the diagonal and 0 elsewhere
    (AC1), :math:`1 - |k - l|/R` (linear) or :math:`1 - (k - l)^2/R^2` (quadratic) for a scale of
    range R, or :math:`1 - \binom{d + 1}{2}/\binom{q}{2}` for values d places apart (ordinal).
    These ordinal weights follow the places of values only; the ordinal distance of
    ``krippendorff_alpha`` follows how often the values between two were given.

    *Degenerate input.* All responses equal: undefined. No unit with two responses, or a single one:
    undefined.

    *Checked against* irrCAC 0.4.4 (R's irrCAC gives the same) on the table of Fleiss (1971).

    References
    ----------
    Gwet (2008), doi:10.1348/000711006X126600, eq. 6; Gwet (2014), Handbook of inter-rater
    reliability, ch. 3 and 4.

    Examples
    --------
    >>> import jurybox as jb
    >>> ratings = {
    ...     "item": list(range(10)) * 2,
    ...     "rater": ["ada"] * 10 + ["ben"] * 10,
    ...     "score": ["good"] * 9 + ["bad"] + ["good"] * 8 + ["bad", "good"],
    ... }
    >>> round(jb.gwet_ac(ratings).estimate, 3), round(jb.fleiss_kappa(ratings).estimate, 3)
    (0.756, -0.111)
    """
    options = Options(
        generalize=generalize, confidence=confidence, n_resamples=n_resamples, seed=seed
    )
    return _agreement(
        ratings, "gwet", criterion=criterion, options=options, weights=weights, values=values
    )


def brennan_prediger(
    ratings: Any,
    *,
    weights: AgreementWeights = None,
    values: Sequence[Any] | None = None,
    criterion: str | None = None,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Agreement:
    r"""Agreement beyond chance where chance gives every value of the scale alike.

    Also known as Randolph's free-marginal kappa. It depends on how many values the scale has; name
    them all if some do not occur.

    Parameters
    ----------
    ratings, weights, values
        As in ``gwet_ac``.
    criterion, generalize, confidence, n_resamples, seed
        As in ``krippendorff_alpha``.

    Returns
    -------
    Agreement
        With ``observed`` and ``chance`` agreement.

    Notes
    -----
    .. math:: \kappa_n = \frac{p_a - p_e}{1 - p_e}, \qquad p_e = \frac{1}{q^2}\sum_{kl} w_{kl}

    with :math:`p_a` and the weights of ``gwet_ac``; without weights :math:`p_e = 1/q`.

    *Degenerate input.* All responses equal: undefined. No unit with two responses, or a single one:
    undefined.

    *Checked against* the randolph kappa of statsmodels 0.15 on the table of Fleiss (1971), 0.4444.

    References
    ----------
    Brennan and Prediger (1981), doi:10.1177/001316448104100307, eq. 8.

    Examples
    --------
    >>> import jurybox as jb
    >>> ratings = {"item": [1, 1, 2, 2], "rater": ["a", "b"] * 2, "score": [1, 1, 2, 3]}
    >>> jb.brennan_prediger(ratings, values=[1, 2, 3, 4]).estimate  # (1/2 − 1/4)/(1 − 1/4)
    0.3333333333333333
    """
    options = Options(
        generalize=generalize, confidence=confidence, n_resamples=n_resamples, seed=seed
    )
    return _agreement(
        ratings,
        "brennan_prediger",
        criterion=criterion,
        options=options,
        weights=weights,
        values=values,
    )
