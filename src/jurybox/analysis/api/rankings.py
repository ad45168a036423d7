"""Rankings: the public functions."""

from __future__ import annotations

from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.api.opened import one_criterion, opened
from jurybox.analysis.options import Options
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.plackett_luce import PlackettLuce

__all__ = ["plackett_luce"]


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
    with opened(rankings, "rankings", criterion) as responses:
        one_criterion(responses)
        return measure.strengths_of_rankings(responses, options)
