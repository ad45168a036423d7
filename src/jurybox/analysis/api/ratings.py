"""Ratings: the public functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.api.opened import numbers_of, opened
from jurybox.analysis.asked import Asked, check_baseline
from jurybox.analysis.gather import with_stated
from jurybox.analysis.options import Options
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.differences import Difference, Differences
from jurybox.stats.equivalence import check_margin
from jurybox.stats.means import MeanScore, MeanScores
from jurybox.stats.scale_ends import apart, on_scale
from jurybox.tally.ratings import first_scores

__all__ = ["compare_systems", "mean_scores"]


def mean_scores(
    ratings: Any,
    *,
    criterion: str | None = None,
    pass_mark: float | None = None,
    robustness: bool = False,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> MeanScores:
    r"""The mean score of every system on every criterion, highest first, and how its scores lie.

    Intervals of two systems may overlap although the systems differ: compare them with
    ``compare_systems``.

    Parameters
    ----------
    ratings
        ``item, system, rater, criterion, score``.
    criterion
        Only this criterion.
    pass_mark
        Also the share of responses at or above this score, with an interval.
    robustness
        Also the share of responses at the lowest value given, with an interval, and the standard
        deviation of the items' means (which contains what raters add to each mean: with one rater
        per output it is little else). Costs a large table two more passes.
    confidence
        The confidence of the intervals.
    cluster
        What answers are grouped by: ``"both"`` raters and items, ``"rater"``, ``"item"``, or
        ``None``, which takes every response as independent.
    generalize
        Whom the intervals speak for: ``"raters+items"`` like these, or ``"items"`` like these,
        judged by these raters.

    Returns
    -------
    MeanScores
        One row per system and criterion: mean with interval, ``median``, ``sd``, ``worst_tenth``
        (the 10th percentile) and ``histogram``; ``pass_rate``, ``at_worst`` and ``item_sd`` where
        asked for.

    Notes
    -----
    .. math:: \bar y \pm t_{\min G - 1}\sqrt{V_\text{item} + V_\text{rater}
        - V_{\text{item}\cap\text{rater}}}

    A table does not say where its scale ends: the interval of a mean near an end may reach beyond
    it, unless ``mapped`` states the ``scale``. Shares are judged on the logit
    scale and stay in [0, 1]. Percentiles lie between two scores in proportion (Hyndman and Fan's
    type 7). Where a rater judged an output more than once, the first answer counts and the others
    are retests (``rater_quality``); with ``cluster=None`` every response counts.

    *Degenerate input.* One rater: the interval speaks for this rater only. All scores equal: no
    interval.

    *Checked against* statsmodels 0.15 (two-way clustered covariance of a constant), NumPy
    (percentiles), and the opinion scores of Netflix's public dataset.

    References
    ----------
    Cameron, Gelbach and Miller (2011), doi:10.1198/jbes.2010.07136.

    Examples
    --------
    >>> import jurybox as jb
    >>> ratings = {
    ...     "item": [1, 1, 2, 2, 3, 3] * 2,
    ...     "system": ["new"] * 6 + ["old"] * 6,
    ...     "rater": ["ada", "ben"] * 6,
    ...     "score": [5, 4, 4, 4, 5, 3, 3, 2, 4, 3, 3, 3],
    ... }
    >>> found = jb.mean_scores(ratings, pass_mark=4)
    >>> print(found)  # the two raters speak for themselves, not for others
    mean score
           estimate  95% interval  for these raters  n
      new       4.2   −1.3 to 9.6        3.4 to 4.9  6
      old       3.0   −1.5 to 7.5        1.8 to 4.2  6
      intervals hold for raters and items like these, or for these raters alone
      note: only 2 raters carry the interval: more raters would narrow it
    >>> found["new"].pass_rate.short()
    '83.3% (0.0 to 100.0)'
    """
    options = Options(confidence=confidence, cluster=cluster, generalize=generalize)
    needs = options.reads("system", "score", *(("item",) if robustness else ()))
    with opened(ratings, "ratings", criterion, needs) as responses:
        rows: list[MeanScore] = []
        asked = with_stated(Asked(), [responses])
        for name in responses.criteria:
            part = first_scores(numbers_of(responses.of_criterion(name), name))
            found = measure.means(part, options, criterion=name)
            found = [on_scale(row, asked.ends(name)) for row in found]
            if robustness:
                found = measure.robust(part, options, found)
            if pass_mark is not None:
                passed = {
                    share.system: share
                    for share in measure.pass_rates(part, options, criterion=name, mark=pass_mark)
                }
                found = [replace(row, pass_rate=passed[row.system]) for row in found]
            rows += found
    return MeanScores(rows=tuple(rows), cluster=cluster, confidence=confidence, pass_mark=pass_mark)


def compare_systems(
    ratings: Any,
    *,
    criterion: str | None = None,
    baseline: str | None = None,
    margin: float | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
    seed: int = 0,
) -> Differences:
    r"""How much higher one system scores than another on the same items, for every two systems.

    Parameters
    ----------
    ratings
        ``item, system, rater, criterion, score``.
    criterion, confidence, cluster, generalize
        As in ``mean_scores``.
    baseline
        Compare every other system with this one, and no others with each other; a criterion on
        which it was not judged has no comparison.
    margin
        The difference that does not matter, in points, stated before the data: also test whether
        two systems are equivalent within it. There is no default.
    seed
        The seed of the draws behind simultaneous intervals and, where there are too many to
        count, sign flips.

    Returns
    -------
    Differences
        One row per pair and criterion, the higher system first (with a baseline, the other
        system): ``p`` and ``interval`` of the two-way clustered t; ``p_adjusted`` and
        ``simultaneous``, which hold for all pairs of the criterion at once; ``tests`` and
        ``effects`` on item means; ``equivalence``; ``more_data``. ``omnibus`` tests all systems of
        a criterion together, where there are three or more.

    Notes
    -----
    .. math:: \hat\delta = \frac1I\sum_i(\bar y_{si} - \bar y_{ti})

    over the items i that both systems have. The pairs of a criterion are one family: their adjusted
    p and simultaneous intervals come from one single-step max-t distribution with their joint
    clustered covariance, so the two never disagree (by Holm, without simultaneous intervals, where
    there is no such covariance or the family has more than 1,000 members). Of a rater's repeated
    answers to an output the first counts. Where raters judge one of the two systems on an item, the
    item's level holds their own response; the variance by rater makes up for that.

    ``tests`` are Wilcoxon's signed-rank test with Pratt's zeros and sign flips; ``effects`` the
    matched-pairs rank-biserial correlation, Cliff's delta within items, and the paired d by the
    average SD and by that of differences, with Hedges' correction. They take the raters as given
    and speak for "these raters, new items": with few raters their p is far too small for a claim
    about others. Two systems that share neither item nor rater get Mann–Whitney's test and Cliff's
    delta between items, and no difference.

    *Degenerate input.* No shared item, or no rater who judged both on such: undefined, as items or
    raters could then be the whole difference. No variation: no interval and no p. Fewer than six
    items: a note that a signed-rank p cannot reach 0.05.

    *Checked against* statsmodels 0.15 (ordinary least squares with item intercepts, clustered;
    ``ttost_paired``) and SciPy 1.17 (``wilcoxon``, ``permutation_test``, ``mannwhitneyu``,
    ``friedmanchisquare``).

    References
    ----------
    Cameron, Gelbach and Miller (2011), doi:10.1198/jbes.2010.07136; Hothorn, Bretz and Westfall
    (2008), doi:10.1002/bimj.200810425; Schuirmann (1987), doi:10.1007/BF01068419; Pratt (1959),
    doi:10.1080/01621459.1959.10501526; Skillings and Mack (1981),
    doi:10.1080/00401706.1981.10486261.

    Examples
    --------
    >>> import jurybox as jb
    >>> ratings = {
    ...     "item": [1, 1, 2, 2, 3, 3] * 2,
    ...     "system": ["new"] * 6 + ["old"] * 6,
    ...     "rater": ["ada", "ben"] * 6,
    ...     "score": [5, 4, 4, 4, 5, 3, 3, 2, 4, 3, 3, 3],
    ... }
    >>> found = jb.compare_systems(ratings, margin=2)
    >>> row = found.rows[0]
    >>> print(row.name, row.short(), row.equivalence.verdict())
    new − old 1.2 (−2.0 to 4.3) not inferior
    >>> [(test.test, test.p) for test in row.tests]
    [('Wilcoxon signed-rank', 0.25), ('sign flips', 0.25)]
    """
    check_margin(margin)
    options = Options(confidence=confidence, cluster=cluster, generalize=generalize, seed=seed)
    rows: list[Difference] = []
    tested = []
    with opened(ratings, "ratings", criterion) as responses:
        systems = responses.systems
        if baseline is not None:
            check_baseline(baseline, systems)
        asked = with_stated(Asked(), [responses])
        for name in responses.criteria:
            part = first_scores(numbers_of(responses.of_criterion(name), name))
            found = measure.compare({name: part}, options, baseline=baseline, margin=margin)
            rows += [on_scale(row, apart(asked.ends(name))) for row in found.together(options)]
            tested.append(measure.many_systems(part, options, criterion=name))
    return Differences(
        rows=tuple(rows),
        omnibus=tuple(each for each in tested if each is not None),
        undefined=None if rows else "there is only one system",
        cluster=cluster,
        confidence=confidence,
        baseline=baseline,
        margin=margin,
    )
