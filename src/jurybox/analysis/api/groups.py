"""Rater groups: the public function."""

from __future__ import annotations

from typing import Any

from jurybox.analysis.api.opened import numbers_of, opened
from jurybox.analysis.looks import looked_for
from jurybox.analysis.measure.groups import figure_of, group_differences
from jurybox.analysis.options import Options
from jurybox.errors import InputError
from jurybox.results import format_count
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.groups import GroupDifference, GroupDifferences
from jurybox.tally.groups import grouped
from jurybox.tally.ratings import first_scores
from jurybox.tally.responses import Responses

__all__ = ["compare_groups"]


def compare_groups(
    responses: Any,
    *,
    by: str = "group",
    criterion: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> GroupDifferences:
    r"""Whether groups of raters judge differently: each pair of groups on every system.

    Use it to look whether experts and crowd, or speakers of two languages, agree on the figures.
    It is a look, not a claim: p is adjusted by Benjamini and Hochberg over all comparisons. Which
    system is better is asked of all raters together, with ``compare_systems`` or ``win_rates``.

    Parameters
    ----------
    responses
        Ratings (mean scores), votes (win rates of pairs), rankings (shares ranked first),
        detections (shares of answers “real”) or spans (error points, by MQM's weights).
    by
        The column that tells a rater's group.
    criterion
        Only this criterion.
    confidence, cluster, generalize
        As in ``mean_scores``.

    Returns
    -------
    GroupDifferences
        One row per criterion, system (or pair) and two groups: the difference on the items that
        both judged, with interval, p and adjusted p; ``means`` are the groups' own figures there.

    Notes
    -----
    With the mean over the I shared items of what a group's raters give each of them,

    .. math::
        \hat\delta = \frac1I \sum_i (\bar y_{gi} - \bar y_{hi}), \qquad
        V = V_\text{item} + (V_g + V_h)_\text{rater} - (V_g + V_h)_\text{item × rater}

    Items move both means at once; the raters of the groups are two independent sets, each with its
    own G/(G − 1). t has the smallest number of clusters, raters of either group or items, − 1
    degrees of freedom.

    *Degenerate input.* A group of one rater: the interval speaks for these raters only. No shared
    item: undefined, with the reason. Nothing varies: no interval. A rater in two groups, or fewer
    than two groups, is refused.

    *Checked against* statsmodels 0.15 (weighted least squares with clustered covariances) and
    Welch's t test of SciPy on raters' means (``cluster="rater"``).

    References
    ----------
    Cameron, Gelbach and Miller (2011), doi:10.1198/jbes.2010.07136; Benjamini and Hochberg (1995),
    doi:10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    >>> import jurybox as jb
    >>> ratings = {
    ...     "item": [1, 2, 3] * 4,
    ...     "rater": ["ada"] * 3 + ["ben"] * 3 + ["cy"] * 3 + ["dan"] * 3,
    ...     "score": [5, 4, 4, 4, 4, 5, 3, 3, 2, 3, 4, 3],
    ...     "language": ["en"] * 6 + ["de"] * 6,
    ... }
    >>> (row,) = jb.compare_groups(ratings, by="language")
    >>> print(row.group, row.other, [round(mean, 2) for mean in row.means], row.notes)
    de en [3.0, 4.33] ('de has only 2 raters', 'en has only 2 raters')
    """
    options = Options(confidence=confidence, cluster=cluster, generalize=generalize)
    with opened(responses, None, criterion, by=by) as found:
        _check(found, by)
        rows: list[GroupDifference] = []
        for name in found.criteria:
            part = found.of_criterion(name)
            if part.shape.name == "ratings":
                part = first_scores(numbers_of(part, name))
            rows += group_differences(part, options, figure_of(part), criterion=name)
    rows = looked_for(rows, "comparisons of groups")
    return GroupDifferences(rows=tuple(rows), cluster=cluster, confidence=confidence)


def _check(responses: Responses, by: str) -> None:
    """Refuse what cannot be compared."""
    known = grouped(responses)
    if not responses.has_rater or not responses.has_item:
        raise InputError("groups of raters are compared on items: the table needs item and rater")
    if known is None or len(known.names) < 2:
        names = "none" if known is None else known.names[0]
        raise InputError(f"compare_groups needs two groups of raters; by={by!r} has {names}")
    if known.n_several:
        raters = format_count(known.n_several, "rater")
        raise InputError(
            f"by={by!r}: {raters} answered in several groups, and a rater belongs to one"
        )
