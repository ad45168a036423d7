"""Votes: the public functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from jurybox.analysis import measure
from jurybox.analysis.api.opened import one_criterion, opened
from jurybox.analysis.options import Options
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.strengths.bradley_terry import BradleyTerry, Settings, Ties
from jurybox.stats.strengths.elo import Elo
from jurybox.stats.win_rates import WinRates

__all__ = ["bradley_terry", "elo", "win_rates"]

VOTE = ("system_a", "system_b", "winner")


def win_rates(
    votes: Any,
    *,
    ties: Literal["half", "drop", "outcome"] = "half",
    criterion: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> WinRates:
    r"""How often each system wins its votes, over all and against each other system.

    A win rate depends on the opponents a system happened to meet; ``bradley_terry`` takes that out.

    Parameters
    ----------
    votes
        ``item, system_a, system_b, rater, winner`` with winner ``a``, ``b``, ``tie``, ``both_bad``
        (a tie).
    ties
        ``"half"``: a tie is half a win for both. ``"drop"``: ties are left out. ``"outcome"``: a
        tie is a third outcome; ``rows`` are shares of wins, with ``tie_rates`` and ``loss_rates``
        beside them.
    criterion, confidence, cluster, generalize
        As in ``mean_scores``.

    Returns
    -------
    WinRates
        One row per system. ``pairs`` has one per pair, with ``p`` against 50% (with
        ``"outcome"``: of as many wins as losses) and, for all pairs at once, ``p_adjusted`` and
        ``simultaneous`` from one max-t distribution. ``both_bad`` and ``both_bad_pairs`` say how
        often both were called bad. ``cycles`` lists circles A > B > C > A of which every edge
        holds after the correction.

    Notes
    -----
    .. math:: \operatorname{logit} p \pm t_{\min G - 1}\, \frac{\sqrt V}{p(1 - p)}

    with p the share, V its variance clustered by item and rater, G the clusters. With ties dropped
    (or none) and no rater and no item giving more than one vote, votes are independent: then the
    interval is Clopper and Pearson's, p is twice the smaller binomial tail, and pairs are adjusted
    by Holm.

    *Degenerate input.* All won or all lost: Wilson's interval with n = the clusters of the smaller
    dimension. One vote: undefined, as it is 0% or 100%. Votes of a system against itself are left
    out and counted.

    *Checked against* PandaLM's votes, evalica 0.4 and SciPy's ``binomtest``.

    References
    ----------
    Wilson (1927), doi:10.1080/01621459.1927.10502953; Clopper and Pearson (1934),
    doi:10.1093/biomet/26.4.404; Hothorn, Bretz and Westfall (2008), doi:10.1002/bimj.200810425.

    Examples
    --------
    >>> import jurybox as jb
    >>> votes = {
    ...     "item": [1, 1, 2, 2, 3, 3],
    ...     "system_a": ["new"] * 6,
    ...     "system_b": ["old"] * 6,
    ...     "rater": ["ada", "ben"] * 3,
    ...     "winner": ["a", "a", "tie", "b", "a", "a"],
    ... }
    >>> print(jb.win_rates(votes))  # six votes by two raters say next to nothing about others
    win rate
           estimate  95% interval  for these raters      p  n
      new     75.0%  0.0 to 100.0       0.4 to 99.9  0.709  6
      old     25.0%  0.0 to 100.0       0.1 to 99.6  0.709  6
      intervals hold for raters and items like these, or for these raters alone
      note: only 2 raters carry the interval: more raters would narrow it
    >>> jb.win_rates(votes, ties="drop")["new"].estimate
    0.8
    """
    options = Options(confidence=confidence, cluster=cluster, generalize=generalize)
    with opened(votes, "votes", criterion, options.reads(*VOTE)) as responses:
        return measure.win_rates(responses, options, criterion=one_criterion(responses), ties=ties)


def bradley_terry(
    votes: Any,
    *,
    ties: Ties = "davidson",
    position: bool = False,
    covariates: Sequence[str] = (),
    graded: bool = False,
    both_bad: Literal["tie", "drop"] = "tie",
    criterion: str | None = None,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
    seed: int = 0,
    pairs: bool | None = None,
) -> BradleyTerry:
    r"""Strengths of systems from votes, on a log scale centered at 0, strongest first.

    Use it to rank systems that met different opponents. Without a reason to choose, leave ``ties``
    as it is: Davidson's model gives ties a parameter and loses nothing.

    Parameters
    ----------
    votes
        ``item, system_a, system_b, rater, winner``, with ``first`` (``a`` or ``b``) for
        ``position``, ``strength`` for ``graded``, and the columns of ``covariates``.
    ties
        ``"davidson"``, ``"rao_kupper"``: ties have a parameter of their own. ``"half"``: a tie is
        half a win for both. ``"drop"``: ties are left out.
    position
        Also estimate how much the output that is shown first gains by its place. The strengths are
        then those without that gain.
    covariates
        Also estimate how much each of these properties adds. ``("length",)`` reads the columns
        ``length_a`` and ``length_b`` and takes their difference; where these are missing, one
        column ``length`` that is the difference of a and b already. A difference is 0 where both
        outputs are alike, so the strengths are those at equal length.
    graded
        Weigh each vote with a winner by ``strength`` ÷ largest strength; a tie weighs 1.
    both_bad
        ``"tie"``: a vote that calls both bad is a tie. ``"drop"``: it is left out. It is never a
        loss for both.
    criterion, confidence, cluster, generalize
        As in ``mean_scores``.
    seed
        The seed of the max-t distribution.
    pairs
        Whether ``differences`` lists every two systems; by default where there are at most 1,000.
        Ranks are judged by all of them either way.

    Returns
    -------
    BradleyTerry
        One row per system, with the ranks it may hold (``rank_low`` to ``rank_high``, for all
        systems at once). ``differences`` of every two, each with ``p``, ``p_adjusted``,
        ``simultaneous``, and ``win_probability`` with ``win_interval``: how often the first beats
        the second by the fit, a tie counting half. ``coefficients`` for position and covariates,
        ``tie_parameter`` (ν or θ), and ``fit``, the goodness of fit with
        the pairs that fit worst.

    Notes
    -----
    With strengths :math:`\pi = e^\beta`, Davidson's and Rao and Kupper's models are

    .. math::
        P(i \succ j) = \frac{\pi_i}{\pi_i + \pi_j + \nu\sqrt{\pi_i\pi_j}}, \qquad
        P(i \succ j) = \frac{\pi_i}{\pi_i + \theta\pi_j},

    the rest being the probability of a tie. Position and covariates add :math:`x'\gamma` to
    :math:`\beta_i - \beta_j`. The maximum is found by Newton's method on the distinct votes. The
    covariance is :math:`H^{-1} M H^{-1}` with :math:`M = \sum_g s_g s_g'` over the scores of
    clusters, clustered both ways as everywhere; ``"half"`` and ``graded`` are quasi-likelihoods,
    for which nothing else would be right.

    Rank sets come from the differences of every two strengths with a max-t critical value, so that
    all of them hold jointly; marginal intervals that overlap say nothing about ranks. With more
    systems than clusters there is no joint test: p is adjusted by Holm, and there are no rank sets.

    *Degenerate input.* Groups never compared with each other are named and ranked apart. A system
    that was never beaten, or never won, has no finite strength: it is ranked first or last, and its
    interval is a one-sided profile bound relative to the others, which are centered among
    themselves, each rater or item (whichever are fewer) counting as one vote. All ties: undefined.
    No ties: ν is 0 (θ is 1). A tie parameter or coefficient without bound is named.

    *Checked against* Davidson (1970) example 2, Agresti (2002) table 10.11 with and without home
    advantage, PandaLM's votes, evalica 0.4 and choix 0.4.

    References
    ----------
    Bradley and Terry (1952), doi:10.1093/biomet/39.3-4.324; Davidson (1970),
    doi:10.1080/01621459.1970.10481082; Rao and Kupper (1967), doi:10.1080/01621459.1967.10482901;
    Ford (1957), doi:10.2307/2308513 (who has a finite strength); Mogstad, Romano, Shaikh and
    Wilhelm (2024), doi:10.1093/restud/rdad006 (ranks); Rao and Scott (1981),
    doi:10.1080/01621459.1981.10477633 (fit).

    Examples
    --------
    >>> import jurybox as jb
    >>> votes = {
    ...     "item": [1, 2, 3, 4, 5, 6] * 3,
    ...     "system_a": ["new", "new", "base"] * 6,
    ...     "system_b": ["old", "base", "old"] * 6,
    ...     "rater": ["ada"] * 6 + ["ben"] * 6 + ["cy"] * 6,
    ...     "winner": [*"aabaaa", *"aaabaa", "a", "b", "a", "a", "tie", "a"],
    ... }
    >>> for row in jb.bradley_terry(votes):
    ...     print(f"{row.system}: {row.short()}, rank {row.rank_low} to {row.rank_high}")
    new: 1.0 (−1.0 to 3.1), rank 1 to 3
    base: 0.2 (−2.5 to 2.8), rank 1 to 3
    old: −1.21 (−2.75 to 0.33), rank 1 to 3
    >>> found = jb.bradley_terry({**votes, "first": ["a", "b"] * 9}, position=True)
    >>> print("shown first adds", found.coefficients[0].short())
    shown first adds 0.2 (−2.2 to 2.5)
    """
    options = Options(confidence=confidence, cluster=cluster, generalize=generalize, seed=seed)
    named = (covariates,) if isinstance(covariates, str) else tuple(covariates)
    settings = Settings(
        ties=ties, both_bad=both_bad, graded=graded, position=position, covariates=named
    )
    more = [*(["first"] if position else []), *(["strength"] if graded else [])]
    needs = options.reads(*VOTE, *more)
    # Without clusters and numbers of single votes their counts say everything.
    counts = options.cluster is None and not graded and not settings.covariates
    with opened(
        votes, "votes", criterion, needs, settings.covariates, as_counts=counts
    ) as responses:
        one_criterion(responses)
        return measure.strengths(responses, options, settings=settings, pairs=pairs)


def elo(
    votes: Any,
    *,
    k: float = 4.0,
    scale: float = 400.0,
    base: float = 10.0,
    initial: float = 1000.0,
    n_shuffles: int = 100,
    criterion: str | None = None,
    seed: int = 0,
) -> Elo:
    r"""Elo ratings, for continuity with earlier reports only.

    An Elo rating depends on the order of the votes and has no interval. ``bradley_terry`` estimates
    the same thing without either fault; report that.

    Parameters
    ----------
    votes
        ``system_a, system_b, winner``; a ``both_bad`` is a tie.
    k, scale, base, initial
        The step of a vote, the scale and base of its odds, and where every system begins.
    n_shuffles
        Over how many random orders of the votes the median is taken.
    criterion
        Of several criteria the one that is meant.
    seed
        The seed of the shuffles.

    Returns
    -------
    Elo
        One row per system, highest first, without intervals.

    Notes
    -----
    .. math:: R_a \leftarrow R_a + k\,(s_a - E_a), \qquad
        E_a = \frac{1}{1 + \text{base}^{(R_b - R_a)/\text{scale}}},

    with :math:`s_a` 1 for a win, ½ for a tie and 0 for a loss. Of many votes each shuffle takes
    only as many as Elo remembers, and the result says so.

    *Degenerate input.* No votes: undefined. Votes of a system against itself are left out.

    *Checked against* evalica 0.4, votes in the order of the file.

    References
    ----------
    Elo (1978), The rating of chessplayers, past and present.

    Examples
    --------
    >>> import jurybox as jb
    >>> votes = {
    ...     "system_a": ["new"] * 4,
    ...     "system_b": ["old"] * 4,
    ...     "winner": ["a", "a", "tie", "a"],
    ... }
    >>> [(row.system, round(row.estimate)) for row in jb.elo(votes)]
    [('new', 1006), ('old', 994)]
    """
    with opened(votes, "votes", criterion, frozenset(VOTE)) as responses:
        one_criterion(responses)
        return measure.elo(
            responses,
            k=k,
            scale=scale,
            base=base,
            initial=initial,
            n_shuffles=n_shuffles,
            seed=seed,
        )
