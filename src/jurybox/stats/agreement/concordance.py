"""How far rankings agree: Kendall's W, and the mean tau and Spearman correlation of raters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval, Result, format_count
from jurybox.stats.agreement.patterns import RATERS, check_generalize
from jurybox.stats.agreement.ranked_blocks import Blocks, Ranked, complete_blocks, row_midranks
from jurybox.stats.clusters import Generalize
from jurybox.stats.distributions import check_confidence
from jurybox.stats.grouped import sum_by
from jurybox.stats.two_way import (
    Deleted,
    Made,
    Scale,
    bootstrap_interval,
    fisher,
    item_interval,
    resample_items,
    two_way_interval,
)

__all__ = ["Concordance", "kendall_from_rows"]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
PERMUTED = 5_000
"""Ranks up to which p comes from permutations."""
SIGNS = 20_000_000
"""Comparisons of two things by a rater, up to which tau is computed."""
THINGS = 2_000
"""Items in a single block up to which they are left out one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Concordance(Result):
    """How far raters rank alike."""

    label: ClassVar[str] = "Kendall's W"

    criterion: str | None = None
    tau: float | None = None
    """Mean Kendall tau-b of every two raters of the same things."""
    spearman: float | None = None
    """Mean Spearman correlation of every two raters of the same things."""
    n_units: int = 0
    """Sets of an item's things ranked by two raters; 1 where the items are what is ranked."""
    p_method: str | None = None
    n_resamples: int | None = None
    seed: int | None = None


def kendall_from_rows(
    rows: Ranked,
    *,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int,
) -> Concordance:
    r"""Kendall's W of the rankings of the same things of an item, averaged over such sets.

    .. math:: W = \frac{12 \sum_j (R_j - \bar R)^2}{m^2 (n^3 - n) - m \sum_r T_r}, \qquad
        T_r = \sum (t^3 - t)

    of m raters who rank the same n things, :math:`R_j` the sum of the ranks of thing j, and t the
    sizes of the ties in rater r's ranking. W is :math:`(1 + (m - 1)\bar\rho)/m` with the mean
    Spearman correlation :math:`\bar\rho`, which does not depend on m; the interval is made for
    :math:`\bar\rho` and taken back. Sets of one item are one cluster.

    References
    ----------
    Kendall and Babington Smith (1939), doi:10.1214/aoms/1177732186; Siegel and Castellan (1988),
    Nonparametric statistics, ch. 9.
    """
    check_confidence(confidence)
    check_generalize(generalize)
    groups, n_dropped = complete_blocks(rows)
    base: dict[str, Any] = {
        "n_items": rows.n_items,
        "n_raters": rows.n_raters,
        "n_dropped": n_dropped,
        "seed": seed,
    }
    found = [_Found.of(group) for group in groups]
    w = np.concatenate([each.w for each in found]) if found else np.zeros(0)
    if not len(w) or np.isnan(w).all():
        why = _why_not(rows, ranked=bool(len(w)))
        return Concordance(estimate=None, undefined=why, **base)
    inverse = np.concatenate([1 / each.m for each in found])
    ok = ~np.isnan(w)
    estimate = float(w[ok].mean())
    p, how = _p(groups, estimate, n_resamples, np.random.default_rng(seed))
    made = _interval(rows, groups, found, w, inverse, generalize, confidence, n_resamples, seed)
    base |= {
        "n_units": int(ok.sum()),
        "n_responses": int(sum(len(g.ranks) for g in groups)),
        "n_resamples": n_resamples,
        "tau": _mean_over_blocks([_tau(group) for group in groups]),
        "spearman": _mean_over_blocks([_pairs_mean(g.ranks - (g.n + 1) / 2, g) for g in groups]),
    }
    notes = made.notes
    if n_dropped:
        noun = format_count(n_dropped, "ranking")
        notes = (f"{noun} left out: two raters of an item must rank the same things", *notes)
    return Concordance(
        estimate=estimate,
        interval=made.interval,
        undefined=made.why,
        p=p,
        p_method=how,
        notes=notes,
        **base,
    )


def _why_not(rows: Ranked, *, ranked: bool) -> str:
    if rows.n_raters == 1:
        return "there is only one rater"
    if ranked:
        return "every ranking is all ties"
    # Every item once for each of its raters.
    met = np.unique(np.column_stack([rows.item, rows.rater]), axis=0)[:, 0]
    if len(np.unique(met)) == len(met):
        return "no item has two rankings"
    return "no two raters of an item ranked the same two or more things"


@dataclass(frozen=True, slots=True)
class _Found:
    """W of blocks, and without each of their rankings."""

    w: Array
    m: Array
    without: Array

    @classmethod
    def of(cls, group: Blocks) -> _Found:
        sums, m = group.sums(), group.raters()
        ties = np.bincount(group.block, group.ties)
        own = group.block
        without = group.w(sums[own] - group.ranks, m[own] - 1, ties[own] - group.ties)
        return cls(group.w(sums, m, ties), m, without)


def _interval(
    rows: Ranked,
    groups: list[Blocks],
    found: list[_Found],
    w: Array,
    inverse: Array,
    generalize: Generalize,
    confidence: float,
    n_resamples: int,
    seed: int,
) -> Made:
    """The interval of the mean correlation, taken back to W at these numbers of raters."""
    ok = ~np.isnan(w)
    h = float(inverse[ok].mean())
    rho = (float(w[ok].mean()) - h) / (1 - h)
    scale: Scale = fisher(1 / h)
    known, of_item = np.unique(_items(groups)[ok], return_inverse=True)
    n = len(known)
    if rows.is_one_block:
        made = _without_things(groups[0], rho, scale, confidence)
    elif rows.n_raters >= RATERS and generalize == "raters+items":
        item, rater, cell = _deleted(groups, found, w, inverse)
        made = two_way_interval(
            rho, item=item, rater=rater, cell=cell, scale=scale, confidence=confidence
        )
    elif n < 2:
        made = Made(None, "there is only one item")
    else:
        each = sum_by(of_item, np.column_stack([w[ok], inverse[ok], np.ones(len(of_item))]), n)
        rng = np.random.default_rng(seed)
        drawn = np.concatenate(list(resample_items(each, np.ones(n), n_resamples, rng)))
        theta = (drawn[:, 0] - drawn[:, 1]) / (drawn[:, 2] - drawn[:, 1])
        made = bootstrap_interval(rho, theta, n_items=n, scale=scale, confidence=confidence)
    if made.interval is None:
        return made
    low, high = (h + (1 - h) * bound for bound in (made.interval.low, made.interval.high))
    back = Interval(
        low=max(0.0, low),
        high=min(1.0, high),
        confidence=confidence,
        method=made.interval.method,
        generalizes_to=made.interval.generalizes_to,
    )
    return Made(back, None, made.notes)


def _deleted(
    groups: list[Blocks], found: list[_Found], w: Array, inverse: Array
) -> tuple[Deleted, Deleted, Deleted]:
    """The mean correlation without each item, each rater, and each rater on each item."""
    ok = ~np.isnan(w)
    totals = np.column_stack([w[ok], inverse[ok], np.ones(int(ok.sum()))])

    def rho(w_sum: NDArray[Any], h_sum: NDArray[Any], n: NDArray[Any]) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(n > 0, (w_sum - h_sum) / (n - h_sum), np.nan)

    def without(cluster: NDArray[Any], change: Array) -> Deleted:
        known, number = np.unique(cluster, return_inverse=True)
        theta = rho(*(totals.sum(axis=0) + sum_by(number, change, len(known))).T)
        return Deleted(theta, np.ones(len(theta)))

    parts = list(_changes(groups, found))
    rater, item, change = (np.concatenate([each[k] for each in parts]) for k in range(3))
    return (
        without(_items(groups)[ok], -totals),
        without(rater, change),
        without(item * (rater.max() + 1) + rater, change),
    )


def _items(groups: list[Blocks]) -> Ints:
    """The item of each block, in the order of the blocks' W."""
    return np.concatenate([group.item for group in groups])


def _changes(groups: list[Blocks], found: list[_Found]) -> Iterator[tuple[Ints, Ints, Array]]:
    """Per ranking its rater, its item, and how the sums of W, 1/m and blocks change without it."""
    for group, each in zip(groups, found, strict=True):
        w, m = each.w[group.block], each.m[group.block]
        there, stays = ~np.isnan(w), ~np.isnan(each.without)
        new_w = np.where(stays, each.without, 0.0)
        new_h = np.where(stays, 1 / np.maximum(m - 1, 1), 0.0)
        old_w, old_h = np.where(there, w, 0.0), np.where(there, 1 / m, 0.0)
        change = np.column_stack([new_w - old_w, new_h - old_h, stays * 1.0 - there * 1.0])
        yield group.rater, group.item[group.block], change


def _without_things(group: Blocks, rho: float, scale: Scale, confidence: float) -> Made:
    """Leave out the things that are ranked, which are the items; the raters stay."""
    n, m = group.n, float(len(group.ranks))
    if n > THINGS:
        return Made(None, f"with more than {THINGS:,} items none is left out")
    if n < 3:
        return Made(None, "there are fewer than three items")
    theta = np.empty(n)
    for thing in range(n):
        ranks, ties = row_midranks(np.delete(group.ranks, thing, axis=1))
        less = Blocks(ranks, group.block, group.rater, ties, group.item)
        w = less.w(less.sums(), np.array([m]), np.array([ties.sum()]))[0]
        theta[thing] = (w - 1 / m) / (1 - 1 / m)
    return item_interval(rho, Deleted(theta, np.ones(n)), scale=scale, confidence=confidence)


def _mean_over_blocks(parts: list[Array | None]) -> float | None:
    if any(part is None for part in parts):
        return None
    every = np.concatenate([part for part in parts if part is not None])
    every = every[~np.isnan(every)]
    return float(every.mean()) if len(every) else None


def _pairs_mean(rows: Array, group: Blocks) -> Array:
    """Per block the mean over pairs of raters of the cosine of their rows."""
    length = np.sqrt((rows**2).sum(axis=1))
    some = length > 1e-12
    unit = rows[some] / length[some, None]
    total = sum_by(group.block[some], unit, group.n_blocks)
    m = np.bincount(group.block[some], minlength=group.n_blocks).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(m > 1, ((total**2).sum(axis=1) - m) / (m * (m - 1)), np.nan)


def _tau(group: Blocks) -> Array | None:
    """Mean tau-b per block: the cosine of who is above whom."""
    one, two = np.triu_indices(group.n, 1)
    if len(group.ranks) * len(one) > SIGNS:
        return None
    return _pairs_mean(np.sign(group.ranks[:, one] - group.ranks[:, two]), group)


def _p(
    groups: list[Blocks], estimate: float, n_resamples: int, rng: np.random.Generator
) -> tuple[float | None, str]:
    """Against raters who rank at random, each for themselves."""
    if sum(group.ranks.size for group in groups) <= PERMUTED:
        above = 0
        for _ in range(n_resamples):
            drawn = [
                group.w(
                    sum_by(group.block, rng.permuted(group.ranks, axis=1), group.n_blocks),
                    group.raters(),
                    np.bincount(group.block, group.ties),
                )
                for group in groups
            ]
            above += float(np.nanmean(np.concatenate(drawn))) >= estimate - 1e-12
        return (above + 1) / (n_resamples + 1), f"permutation of ranks, {n_resamples:,} resamples"
    from scipy.special import chdtrc

    # Friedman's statistic has mean n − 1 and variance 2(n − 1)(m − 1)/m: a scaled chi-square.
    total = mean = variance = 0.0
    for group in groups:
        m, each = group.raters(), _Found.of(group).w
        ok = ~np.isnan(each)
        total += float((m * (group.n - 1) * np.where(ok, each, 0.0)).sum())
        mean += float(ok.sum()) * (group.n - 1)
        variance += float((2 * (group.n - 1) * (m - 1) / m)[ok].sum())
    scale = variance / (2 * mean)
    return float(chdtrc(mean / scale, total / scale)), "chi-square with the moments of random ranks"
