"""A drawn study judged as its responses would be: the same sums, the same statistics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.simulate.drawn import Drawn
from jurybox.simulate.scenario import Scenario
from jurybox.stats.detection.acceptance import acceptance_gaps, in_one_family
from jurybox.stats.differences import Difference, difference, together
from jurybox.stats.multiple import Comparison
from jurybox.stats.share_family import share_family, share_family_by_holm
from jurybox.stats.shares import Share, share
from jurybox.stats.simultaneous import joint_variances
from jurybox.stats.strengths.bradley_terry import bradley_terry
from jurybox.stats.strengths.plackett_luce import plackett_luce
from jurybox.stats.strengths.results import StrengthDifference, Strengths
from jurybox.stats.strengths.vote_table import VoteTable, vote_table
from jurybox.stats.win_rates import exact_share
from jurybox.tally.rankings import ClusterOrders, Orders
from jurybox.tally.ratios import RatioSums, added_up
from jurybox.tally.within import Scores, within

__all__ = ["found", "judge"]

Numbers = NDArray[np.int64]
KINDS = ("item", "rater", "cell")


def judge(scenario: Scenario, drawn: Drawn) -> tuple[Comparison, ...]:
    """Every comparison of the scenario, in the order of its contrasts, with p and intervals."""
    if scenario.protocol in ("rate", "mark"):
        return _scores(scenario, drawn)
    if scenario.strengths:
        return _strengths(scenario, drawn)
    return _votes(scenario, drawn) if scenario.is_preference else _real(scenario, drawn)


def found(scenario: Scenario, row: Comparison) -> bool:
    """Whether a comparison tells its two systems apart, in the planted direction."""
    p = row.claimed_p
    if p is None or row.estimate is None:
        return False
    is_share = scenario.is_preference and not scenario.strengths
    away = row.estimate - (0.5 if is_share else 0.0)
    return p < 1 - scenario.confidence and (away > 0) == (scenario.effect >= 0)


def _scores(scenario: Scenario, drawn: Drawn) -> tuple[Difference, ...]:
    n = int(drawn.about.max()) + 1
    made = within(
        Scores(drawn.about, drawn.item, drawn.rater, drawn.value, 1, n),
        KINDS,
        cross=scenario.n_compared > 1,
    )
    names = [(int(one), int(two)) for _, one, two in made.pairs]
    reduced = RatioSums(tuple(names), made.value, made.u, made.w, made.n, made.by)
    seen = np.zeros((int(drawn.rater.max()) + 1, n), dtype=np.bool_)
    seen[drawn.rater, drawn.about] = True
    places = [names.index(pair) for pair in scenario.contrasts]
    rows = [
        difference(reduced, at, systems=(str(one), str(two)), confidence=scenario.confidence)
        if (seen[:, one] & seen[:, two]).any()
        else Difference(
            estimate=None,
            undefined="no rater judged both systems",
            system=str(one),
            other=str(two),
        )
        for at, (one, two) in zip(places, scenario.contrasts, strict=True)
    ]
    if len(rows) == 1:
        return tuple(rows)
    index = np.ix_(places, places)
    joint = {kind: part[index] for kind, part in joint_variances(reduced).items()}
    return tuple(together(rows, joint, confidence=scenario.confidence))


def _votes(scenario: Scenario, drawn: Drawn) -> tuple[Share, ...]:
    # Two systems that no look shows together have no win rate, and no part in the family.
    met, about = np.unique(drawn.about, return_inverse=True)
    made = iter(_shares_of(scenario, replace(drawn, about=about.reshape(-1)), len(met)))
    why = "the two never meet"
    return tuple(
        next(made) if number in met else Share(estimate=None, undefined=why, what="win rate")
        for number in range(scenario.n_compared)
    )


def _shares_of(scenario: Scenario, drawn: Drawn, size: int) -> tuple[Share, ...]:
    """The win rates of comparisons all of which have votes."""
    if not size:
        return ()
    reduced = _shares(drawn, drawn.about, size)
    how: dict[str, Any] = {"confidence": scenario.confidence}
    rows = [share(reduced, k, what="win rate", against=0.5, **how) for k in range(size)]
    if scenario.protocol == "compare" and _alone(drawn):
        # No two votes share a rater or an item, and none is a tie: the exact test.
        n = np.bincount(drawn.about, minlength=size).tolist()
        wins = [round((row.estimate or 0.0) * n[k]) for k, row in enumerate(rows)]
        rows = [
            exact_share(row, wins[k], n[k], scenario.confidence) if n[k] > 1 else row
            for k, row in enumerate(rows)
        ]
        return tuple(rows) if size == 1 else share_family_by_holm(rows)
    return tuple(rows) if size == 1 else share_family(rows, reduced, **how)


def _strengths(scenario: Scenario, drawn: Drawn) -> tuple[StrengthDifference, ...]:
    names = tuple(str(system) for system in range(scenario.systems))
    how: dict[str, Any] = {"confidence": scenario.confidence}
    fitted: Strengths
    if scenario.protocol == "rank":
        fitted = plackett_luce(_orders(names, drawn), **how)
    else:
        fitted = bradley_terry(_vote_table(names, drawn), **how)
    known = {(row.system, row.other): row for row in fitted.differences}
    rows = []
    for pair in scenario.contrasts:
        first, second = (names[system] for system in pair)
        row = known.get((first, second))
        if row is None and (second, first) in known:
            row = _turned(known[second, first])
        why = "the two have no chain of wins in both directions"
        rows.append(
            row or StrengthDifference(estimate=None, undefined=why, system=first, other=second)
        )
    return tuple(rows)


def _vote_table(names: tuple[str, ...], drawn: Drawn) -> VoteTable:
    one, two = drawn.looks.shown.T
    # A vote for the first is winner 0, for the second 1, a tie 2.
    before = np.sign(np.diff(_place(drawn), axis=1)[:, 0])
    winner = np.select([before > 0, before < 0], [0, 1], 2)
    return vote_table(names, one, two, winner, item=drawn.looks.item, rater=drawn.looks.rater)


def _orders(names: tuple[str, ...], drawn: Drawn) -> Orders:
    """The distinct orders; a cluster has a row for each time it gave one."""
    looks = drawn.looks
    place = np.where(looks.shown >= 0, _place(drawn), -1)
    both = np.concatenate([looks.shown, place], axis=1)
    base = int(both.max(initial=0)) + 2
    if base ** both.shape[1] < 1 << 62:
        # One number for a row is sorted many times faster than the row.
        code = (both + 1) @ base ** np.arange(both.shape[1])[::-1]
        _, first, pattern = np.unique(code, return_index=True, return_inverse=True)
        distinct = both[first]
    else:
        distinct, pattern = np.unique(both, axis=0, return_inverse=True)
        pattern = pattern.reshape(-1)
    by = {}
    for kind, cluster in zip(KINDS, _clusters(looks.item, looks.rater), strict=True):
        order = np.argsort(cluster, kind="stable")
        by[kind] = ClusterOrders(cluster[order], pattern[order], np.ones(len(order)))
    shown, places = np.split(distinct, 2, axis=1)
    return Orders(names, shown, places, np.bincount(pattern).astype(np.float64), by)


def _place(drawn: Drawn) -> Numbers:
    if drawn.place is None:
        raise TypeError("outputs are put in order in compare and rank only")
    return drawn.place


def _turned(row: StrengthDifference) -> StrengthDifference:
    """The same two seen from the other system."""
    from jurybox.analysis.measure.turn import mirror

    chance = row.win_probability
    return replace(
        row,
        estimate=None if row.estimate is None else -row.estimate,
        interval=mirror(row.interval),
        these_raters=mirror(row.these_raters),
        simultaneous=mirror(row.simultaneous),
        system=row.other,
        other=row.system,
        win_probability=None if chance is None else 1 - chance,
        win_interval=mirror(row.win_interval, 0.5),
    )


def _alone(drawn: Drawn) -> bool:
    decided = len(drawn.value) > 0 and not (drawn.value == 0.5).any()
    return decided and all(np.bincount(part).max() <= 1 for part in (drawn.item, drawn.rater))


def _real(scenario: Scenario, drawn: Drawn) -> tuple[Comparison, ...]:
    real = drawn.about == scenario.systems
    n = scenario.n_compared
    # One ratio for each generated system, and one for the real outputs.
    reduced = _shares(drawn, np.where(real, n, drawn.about), n + 1)
    how: dict[str, Any] = {"confidence": scenario.confidence}
    names = [str(system) for system in range(n)]
    gaps = acceptance_gaps(reduced, range(n), n, systems=names, **how)
    return tuple(in_one_family(reduced, gaps, n, **how))


def _shares(drawn: Drawn, k: Numbers, n: int) -> RatioSums:
    """The sums of n shares; k says of which one each response is."""
    return added_up(range(n), k, drawn.value, drawn.item, drawn.rater, cross=True)


def _clusters(item: Numbers, rater: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The item, the rater, and both together, in the order of ``KINDS``."""
    return item, rater, item * (int(rater.max()) + 1) + rater
