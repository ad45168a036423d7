"""The public statistics: any table in one of the shapes in, a frozen result out.

Every function takes the table first and everything else by keyword. A table is a path or glob (CSV,
TSV, JSONL, Parquet), a pandas, Polars or PyArrow table, a DuckDB relation, or a mapping of columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.context import adjusted
from jurybox.analysis.measure import Options
from jurybox.analysis.run import analyze
from jurybox.errors import InputError
from jurybox.stats.agreement import Agreement, Level
from jurybox.stats.bradley_terry import BradleyTerry, Ties
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.detection import TuringTest
from jurybox.stats.distributions import check_confidence
from jurybox.stats.kappa import Weights
from jurybox.stats.means import Difference, Differences, MeanScore, MeanScores
from jurybox.stats.plackett_luce import PlackettLuce
from jurybox.stats.shares import WinRates
from jurybox.tally.ratings import are_numbers
from jurybox.tally.responses import Responses, read
from jurybox.tally.shapes import ShapeName

__all__ = [
    "analyze",
    "bradley_terry",
    "cohen_kappa",
    "compare_systems",
    "fleiss_kappa",
    "krippendorff_alpha",
    "mean_scores",
    "percent_agreement",
    "plackett_luce",
    "span_scores",
    "turing_test",
    "win_rates",
]


@contextmanager
def _opened(table: Any, shape: ShapeName | None, criterion: str | None) -> Iterator[Responses]:
    responses = read(table, shape=shape)
    try:
        if criterion is not None:
            known = responses.criteria
            if criterion not in known:
                raise InputError(
                    f"there is no criterion {criterion!r}; there are {', '.join(known)}"
                )
            responses = responses.of_criterion(criterion)
        yield responses
    finally:
        responses.close()


def _one_criterion(responses: Responses) -> str:
    criteria = responses.criteria
    if len(criteria) > 1:
        raise InputError(
            f"the table has several criteria ({', '.join(criteria)}): choose one with criterion="
        )
    return criteria[0]


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
    with _opened(table, None, criterion) as responses:
        name = _one_criterion(responses)
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


def mean_scores(
    ratings: Any,
    *,
    criterion: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> MeanScores:
    r"""The mean score of every system on every criterion, highest first.

    Intervals of two systems may overlap although the systems differ: compare them with
    ``compare_systems``.

    Parameters
    ----------
    ratings
        ``item, system, rater, criterion, score``.
    criterion
        Only this criterion.
    confidence, cluster, generalize
        Of the intervals: clustered by rater and item unless asked otherwise.

    Returns
    -------
    MeanScores
        One row per system and criterion.

    Notes
    -----
    .. math:: \bar y \pm t_{\min G - 1}\sqrt{V_\text{item} + V_\text{rater}
        - V_{\text{item}\cap\text{rater}}}

    *Degenerate input.* One rater: the interval speaks for this rater only. All scores equal: no
    interval.

    *Checked against* statsmodels 0.14 (two-way clustered covariance of a constant).

    References
    ----------
    Cameron, Gelbach and Miller (2011), doi:10.1198/jbes.2010.07136.

    Examples
    --------
    >>> ratings = {
    ...     "item": [1, 1, 2, 2, 3, 3] * 2,
    ...     "system": ["new"] * 6 + ["old"] * 6,
    ...     "rater": ["ada", "ben"] * 6,
    ...     "score": [5, 4, 4, 4, 5, 3, 3, 2, 4, 3, 3, 3],
    ... }
    >>> [(row.system, round(row.estimate, 2)) for row in mean_scores(ratings)]
    [('new', 4.17), ('old', 3.0)]
    """
    options = Options(confidence=confidence, cluster=cluster, generalize=generalize)
    with _opened(ratings, "ratings", criterion) as responses:
        rows: list[MeanScore] = []
        for name in responses.criteria:
            part = _numbers(responses.of_criterion(name), name)
            rows += measure.means(part, options, criterion=name)
    return MeanScores(rows=tuple(rows), cluster=cluster, confidence=confidence)


def _numbers(part: Responses, criterion: str) -> Responses:
    if not are_numbers(part):
        raise InputError(f"the answers to {criterion!r} are words: they have no mean")
    return part


def compare_systems(
    ratings: Any,
    *,
    criterion: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> Differences:
    r"""How much higher one system scores than another on the same items, for every two systems.

    Parameters
    ----------
    ratings
        ``item, system, rater, criterion, score``.
    criterion, confidence, cluster, generalize
        As in ``mean_scores``.

    Returns
    -------
    Differences
        One row per pair and criterion, the higher system first; ``p`` of the two-way clustered t,
        ``p_adjusted`` by Holm over the pairs of a criterion.

    Notes
    -----
    .. math:: \hat\delta = \frac1I\sum_i(\bar y_{si} - \bar y_{ti})

    over the items i that both systems have.

    *Degenerate input.* No shared item, or no rater who judged both: undefined, because items or
    raters could then be the whole difference. No variation: no interval and no p.

    *Checked against* statsmodels 0.14 (ordinary least squares with item intercepts, clustered).

    References
    ----------
    Cameron, Gelbach and Miller (2011), doi:10.1198/jbes.2010.07136; Holm (1979).

    Examples
    --------
    >>> ratings = {
    ...     "item": [1, 1, 2, 2, 3, 3] * 2,
    ...     "system": ["new"] * 6 + ["old"] * 6,
    ...     "rater": ["ada", "ben"] * 6,
    ...     "score": [5, 4, 4, 4, 5, 3, 3, 2, 4, 3, 3, 3],
    ... }
    >>> found = compare_systems(ratings)
    >>> found.rows[0].name, round(found.rows[0].estimate, 3)
    ('new − old', 1.167)
    """
    options = Options(confidence=confidence, cluster=cluster, generalize=generalize)
    with _opened(ratings, "ratings", criterion) as responses:
        rows: list[Difference] = []
        for name in responses.criteria:
            part = _numbers(responses.of_criterion(name), name)
            rows += adjusted(measure.differences(part, options, criterion=name))
    why = None if rows else "there is only one system"
    return Differences(rows=tuple(rows), undefined=why, cluster=cluster, confidence=confidence)


def win_rates(
    votes: Any,
    *,
    criterion: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> WinRates:
    r"""How often each system wins its votes, and each against each; ties count half.

    A win rate depends on the opponents a system happened to meet; ``bradley_terry`` takes that out.

    Parameters
    ----------
    votes
        ``item, system_a, system_b, rater, winner`` with winner ``a``, ``b``, ``tie``, ``both_bad``
        (a tie).
    criterion, confidence, cluster, generalize
        As in ``mean_scores``.

    Returns
    -------
    WinRates
        One row per system; ``pairs`` has one per pair, with ``p`` against 50% and Holm's.

    Notes
    -----
    .. math:: \operatorname{logit} p \pm t_{\min G - 1}\, \frac{\sqrt V}{p(1 - p)}

    *Degenerate input.* All won or all lost: Wilson's interval with n = the clusters of the smaller
    dimension. Votes of a system against itself are left out and counted.

    References
    ----------
    Wilson (1927), doi:10.1080/01621459.1927.10502953.

    Examples
    --------
    >>> votes = {
    ...     "item": [1, 1, 2, 2, 3, 3],
    ...     "system_a": ["new"] * 6,
    ...     "system_b": ["old"] * 6,
    ...     "rater": ["ada", "ben"] * 3,
    ...     "winner": ["a", "a", "tie", "b", "a", "a"],
    ... }
    >>> [(row.system, row.estimate) for row in win_rates(votes)]
    [('new', 0.75), ('old', 0.25)]
    """
    options = Options(confidence=confidence, cluster=cluster, generalize=generalize)
    with _opened(votes, "votes", criterion) as responses:
        return measure.win_rates(responses, options, criterion=_one_criterion(responses))


def bradley_terry(
    votes: Any,
    *,
    ties: Ties = "davidson",
    criterion: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> BradleyTerry:
    r"""Strengths of systems from votes, on a log scale centered at 0, strongest first.

    Parameters
    ----------
    votes
        ``item, system_a, system_b, rater, winner``.
    ties
        ``"davidson"``: ties have a parameter of their own. ``"half"``: a tie is half a win for
        both. ``"drop"``: ties are left out.
    criterion, confidence, cluster, generalize
        As in ``mean_scores``.

    Returns
    -------
    BradleyTerry
        One row per system, and ``differences`` of every two with p and Holm's.

    Notes
    -----
    .. math:: P(i \succ j) = \frac{e^{\beta_i}}{e^{\beta_i} + e^{\beta_j}
        + \nu e^{(\beta_i + \beta_j)/2}}

    *Degenerate input.* Groups never compared with each other are named and ranked apart. A system
    that was never beaten, or never won, has no finite strength and says so. All ties: undefined.

    *Checked against* evalica 0.4 and choix 0.4 (ties as half), Davidson (1970) example 2, Agresti
    (2002) table 10.11.

    References
    ----------
    Bradley and Terry (1952), doi:10.1093/biomet/39.3-4.324; Davidson (1970),
    doi:10.1080/01621459.1970.10481082.

    Examples
    --------
    >>> votes = {
    ...     "item": [1, 2, 3, 4, 5, 6],
    ...     "system_a": ["a", "a", "a", "b", "b", "c"],
    ...     "system_b": ["b", "b", "c", "c", "c", "a"],
    ...     "rater": ["ada", "ben", "cy"] * 2,
    ...     "winner": ["a", "b", "a", "a", "b", "a"],
    ... }
    >>> [(row.system, round(row.estimate, 2) + 0.0) for row in bradley_terry(votes)]
    [('a', 0.0), ('b', 0.0), ('c', 0.0)]
    """
    options = Options(confidence=confidence, cluster=cluster, generalize=generalize)
    with _opened(votes, "votes", criterion) as responses:
        _one_criterion(responses)
        return measure.strengths(responses, options, ties=ties)


def plackett_luce(
    rankings: Any,
    *,
    criterion: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> PlackettLuce:
    r"""Strengths of systems from rankings, whole or partial, or from best-of-N choices.

    Parameters
    ----------
    rankings
        ``item, rater, system, rank``, one row per output shown. Best-of-N: rank 1 for the pick,
        2 for all others.
    criterion, confidence, cluster, generalize
        As in ``mean_scores``.

    Returns
    -------
    PlackettLuce
        One row per system, and ``differences`` of every two with p and Holm's.

    Notes
    -----
    .. math:: P(i_1 \succ i_2 \succ \dots) = \prod_k
        \frac{e^{\beta_{i_k}}}{\sum_{j \ge k} e^{\beta_{i_j}}}

    *Degenerate input.* As in ``bradley_terry``.

    *Checked against* choix 0.4.

    References
    ----------
    Plackett (1975), doi:10.2307/2346567; Luce (1959), Individual choice behavior.

    Examples
    --------
    >>> rankings = {
    ...     "item": [1, 1, 1, 2, 2, 2, 3, 3, 3],
    ...     "rater": ["ada"] * 3 + ["ben"] * 3 + ["cy"] * 3,
    ...     "system": ["x", "y", "z"] * 3,
    ...     "rank": [1, 2, 3, 2, 3, 1, 1, 3, 2],
    ... }
    >>> [row.system for row in plackett_luce(rankings)]
    ['x', 'z', 'y']
    """
    options = Options(confidence=confidence, cluster=cluster, generalize=generalize)
    with _opened(rankings, "rankings", criterion) as responses:
        _one_criterion(responses)
        return measure.strengths_of_rankings(responses, options)


def turing_test(
    detections: Any,
    *,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> TuringTest:
    r"""How often generated outputs pass for real, and whether raters can tell them from real ones.

    Parameters
    ----------
    detections
        ``item, system, rater, truth, answer``; truth and answer are ``real`` or ``generated``.
    confidence, cluster, generalize
        As in ``mean_scores``.

    Returns
    -------
    TuringTest
        The fooling rate of every generated system, the false-rejection rate of real outputs, the
        difference of the two acceptance rates with p, balanced accuracy, and d′.

    Notes
    -----
    Raters cannot tell if :math:`P(\text{"real"} \mid \text{generated})
    = P(\text{"real"} \mid \text{real})`, at whatever level. A difference that is not significant
    does not show that they cannot. :math:`d' = z(H) - z(F)` with generated as the signal, the mean
    of the raters' own.

    *Degenerate input.* Only real or only generated outputs: the difference and d′ are undefined.

    References
    ----------
    Macmillan and Creelman (2005), Detection theory; Hautus (1995), doi:10.3758/BF03203619.

    Examples
    --------
    >>> detections = {
    ...     "item": [1, 2, 3, 4] * 2,
    ...     "system": ["photo", "photo", "model", "model"] * 2,
    ...     "rater": ["ada"] * 4 + ["ben"] * 4,
    ...     "truth": ["real", "real", "generated", "generated"] * 2,
    ...     "answer": ["real", "real", "real", "generated", "real", "real"] + ["generated"] * 2,
    ... }
    >>> found = turing_test(detections)
    >>> found["model"].estimate, found.false_rejection.estimate
    (0.25, 0)
    """
    options = Options(confidence=confidence, cluster=cluster, generalize=generalize)
    check_confidence(confidence)
    with _opened(detections, "detections", None) as responses:
        return measure.turing(responses, options)


def span_scores(
    spans: Any,
    *,
    severities: Mapping[str, float] | None = None,
    weights: Mapping[str, Any] | None = None,
    criterion: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
) -> MeanScores:
    r"""Error points per output of every system, fewest first (MQM); clean outputs count with 0.

    Parameters
    ----------
    spans
        ``item, system, rater, category, severity``, one row per span; an output marked free of
        errors is a row without a severity.
    severities
        Points per severity; by default MQM's: major 5, minor 1, neutral 0.
    weights
        Points of single categories: a number, or a number per severity. By default (with the
        default severities) minor fluency/punctuation 0.1 and non-translation 25.
    criterion, confidence, cluster
        As in ``mean_scores``.

    Returns
    -------
    MeanScores
        One row per system. More points are worse.

    Notes
    -----
    .. math:: \frac{1}{n}\sum_{\text{output, rater}} \; \sum_{\text{spans}} w

    *Degenerate input.* A severity without points is an error that lists the values.

    *Checked against* the published WMT 2021 TED en–de scores.

    References
    ----------
    Freitag et al. (2021), arXiv:2104.14478.

    Examples
    --------
    >>> spans = {
    ...     "item": [1, 1, 2],
    ...     "system": ["mt", "mt", "mt"],
    ...     "rater": ["ada", "ada", "ada"],
    ...     "category": ["accuracy", "fluency/punctuation", None],
    ...     "severity": ["major", "minor", None],
    ... }
    >>> span_scores(spans).rows[0].estimate
    2.55
    """
    options = Options(confidence=confidence, cluster=cluster)
    check_confidence(confidence)
    with _opened(spans, "spans", criterion) as responses:
        name = _one_criterion(responses)
        rows = measure.points(
            responses, options, criterion=name, severities=severities, weights=weights
        )
    return MeanScores(rows=tuple(rows), cluster=cluster, confidence=confidence)
