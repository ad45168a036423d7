"""Rankings: the public functions."""

from __future__ import annotations

from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.api.opened import one_criterion, opened
from jurybox.analysis.options import Options
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.strengths.plackett_luce import PlackettLuce

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

    A share of first places or a mean rank depends on the systems that a system was shown with;
    strengths take that out.

    Parameters
    ----------
    rankings
        ``item, rater, system, rank``, one row per output shown. Best-of-N: rank 1 for the pick,
        2 for all others. Only the order of ranks counts, so 1, 2, 4 is 1, 2, 3.
    criterion, confidence, cluster, generalize
        As in ``mean_scores``.

    Returns
    -------
    PlackettLuce
        One row per system, and ``differences`` of every two, which are one family.

    Notes
    -----
    .. math:: P(i_1 \succ i_2 \succ \dots) = \prod_k
        \frac{e^{\beta_{i_k}}}{\sum_{j \ge k} e^{\beta_{i_j}}}

    *Ties.* Tied systems are above those behind them, in an order that is not told: the likelihood
    adds up all their orders, exactly and for any number of them. A tie at the end is therefore no
    choice among its members, best-of-N is one choice among those shown, and rankings of two systems
    equal ``bradley_terry(votes, ties="drop")``. Breslow's and Efron's approximations are not used.

    *Degenerate input.* As in ``bradley_terry``. A ranking of one output says nothing and is not
    counted.

    *Checked against* choix 0.4 and Agresti (2002), table 10.11 (no ties); with ties against the sum
    over all orders, maximized by SciPy.

    References
    ----------
    Plackett (1975), doi:10.2307/2346567; Luce (1959), Individual choice behavior.

    Examples
    --------
    >>> import jurybox as jb
    >>> rankings = {
    ...     "item": [1, 1, 1, 2, 2, 2, 3, 3, 3],
    ...     "rater": ["ada"] * 3 + ["ben"] * 3 + ["cy"] * 3,
    ...     "system": ["x", "y", "z"] * 3,
    ...     "rank": [1, 2, 3, 2, 3, 1, 1, 3, 2],
    ... }
    >>> for row in jb.plackett_luce(rankings):
    ...     print(row.system, row.short())
    x 1.1 (−2.1 to 4.3)
    z −0.1 (−4.8 to 4.5)
    y −1.0 (−4.0 to 2.1)
    """
    options = Options(confidence=confidence, cluster=cluster, generalize=generalize)
    with opened(rankings, "rankings", criterion) as responses:
        one_criterion(responses)
        return measure.strengths_of_rankings(responses, options)
