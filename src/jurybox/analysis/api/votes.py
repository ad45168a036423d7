"""Votes: the public functions."""

from __future__ import annotations

from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.api.opened import one_criterion, opened
from jurybox.analysis.options import Options
from jurybox.stats.bradley_terry import BradleyTerry, Ties
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.win_rates import WinRates

__all__ = ["bradley_terry", "win_rates"]


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
    with opened(votes, "votes", criterion) as responses:
        return measure.win_rates(responses, options, criterion=one_criterion(responses))


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
    with opened(votes, "votes", criterion) as responses:
        one_criterion(responses)
        return measure.strengths(responses, options, ties=ties)
