"""Ratings and spans: the public functions."""

from __future__ import annotations

from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.api.opened import numbers_of, opened
from jurybox.analysis.context import adjusted
from jurybox.analysis.options import Options
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.means import Difference, Differences, MeanScore, MeanScores

__all__ = ["compare_systems", "mean_scores"]


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
    with opened(ratings, "ratings", criterion) as responses:
        rows: list[MeanScore] = []
        for name in responses.criteria:
            part = numbers_of(responses.of_criterion(name), name)
            rows += measure.means(part, options, criterion=name)
    return MeanScores(rows=tuple(rows), cluster=cluster, confidence=confidence)


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
    with opened(ratings, "ratings", criterion) as responses:
        rows: list[Difference] = []
        for name in responses.criteria:
            part = numbers_of(responses.of_criterion(name), name)
            rows += adjusted(measure.differences(part, options, criterion=name))
    why = None if rows else "there is only one system"
    return Differences(rows=tuple(rows), undefined=why, cluster=cluster, confidence=confidence)
