"""How often the intervals cover a known truth, simulated with rater and item effects.

    python bench/coverage.py --items 30 100 --raters 3 5 10 20 --studies 300

Every study draws raters and items anew, so the truth is the marginal value: what raters and items
like these would give on average. Agreement among fewer than five raters is judged against the value
for those raters, which is all that its interval claims. `plain` is the interval that ignores that
responses repeat within raters and items. ± is the Monte Carlo error (one standard error).
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval
from jurybox.stats.agreement import alpha_from_patterns
from jurybox.stats.bradley_terry import bradley_terry
from jurybox.stats.means import difference, mean
from jurybox.stats.shares import share
from jurybox.stats.vote_table import vote_table
from jurybox.tally.patterns import AnswerPatterns
from jurybox.tally.ratios import RatioMoments, RatioSums

Array = NDArray[np.float64]
ITEM, RATER, NOISE = 0.6, 0.5, 1.0
"""Standard deviations of the effects of items, of raters, and of single responses."""
TASTE = 0.4
"""Of every rater's, and every item's, own leaning towards a system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """One simulated study: the interval given, the plain one, and the truth for each."""

    given: Interval | None
    plain: Interval | None
    truth: float


def sums_of(u: Array, w: Array) -> RatioSums:
    """The sums of one ratio from items × raters."""

    def moments(u_g: Array, w_g: Array) -> RatioMoments:
        there = w_g > 0
        u_g, w_g = u_g[there], w_g[there]
        return RatioMoments(
            np.array([there.sum()]),
            *(np.array([float(s)]) for s in ((u_g**2).sum(), (u_g * w_g).sum(), (w_g**2).sum())),
        )

    by = {
        "item": moments(u.sum(axis=1), w.sum(axis=1)),
        "rater": moments(u.sum(axis=0), w.sum(axis=0)),
        "cell": moments(u.ravel(), w.ravel()),
    }
    by["row"] = by["cell"]
    return RatioSums(
        names=("x",),
        value=np.array([u.sum() / w.sum()]),
        u=np.array([u.sum()]),
        w=np.array([w.sum()]),
        n=np.array([int((w > 0).sum())]),
        by=by,
    )


def _effects(rng: np.random.Generator, items: int, raters: int) -> Array:
    return np.asarray(
        rng.normal(0, ITEM, (items, 1))
        + rng.normal(0, RATER, (1, raters))
        + rng.normal(0, NOISE, (items, raters)),
        dtype=np.float64,
    )


def mean_score(rng: np.random.Generator, items: int, raters: int) -> Study:
    """A mean score; truth 0."""
    sums = sums_of(_effects(rng, items, raters), np.ones((items, raters)))
    return Study(
        given=mean(sums, 0).interval, plain=mean(sums, 0, cluster=None).interval, truth=0.0
    )


def mean_difference(rng: np.random.Generator, items: int, raters: int) -> Study:
    """A difference of two systems with tastes of raters and items of their own; truth 0."""
    taste = rng.normal(0, TASTE, (items, 1)) + rng.normal(0, TASTE, (1, raters))
    gap = taste + rng.normal(0, NOISE * math.sqrt(2), (items, raters))
    # Within an item, level and raters drop out: u = gap / n, w = 1 / n with n raters per item.
    sums = sums_of(gap / raters, np.full((items, raters), 1 / raters))
    names = ("one", "two")
    return Study(
        given=difference(sums, 0, systems=names).interval,
        plain=difference(sums, 0, systems=names, cluster=None).interval,
        truth=0.0,
    )


def _shares(p: float) -> Callable[[np.random.Generator, int, int], Study]:
    def rate(rng: np.random.Generator, items: int, raters: int) -> Study:
        """A win or fooling rate: a threshold on a normal scale gives the marginal p exactly."""
        total = math.sqrt(2 * TASTE**2 + 1)
        cut = total * _normal_quantile(p)
        lean = rng.normal(0, TASTE, (items, 1)) + rng.normal(0, TASTE, (1, raters))
        yes = (lean + rng.normal(0, 1, (items, raters)) < cut).astype(np.float64)
        sums = sums_of(yes, np.ones((items, raters)))
        return Study(
            given=share(sums, 0, what="").interval,
            plain=share(sums, 0, what="", cluster=None).interval,
            truth=p,
        )

    return rate


def _normal_quantile(p: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(p))


def patterns_of(scores: Array) -> AnswerPatterns:
    """Patterns of a complete table, units × raters."""
    values, code = np.unique(scores, return_inverse=True)
    code = code.reshape(scores.shape)
    counts = np.stack([(code == v).sum(axis=1) for v in range(len(values))], axis=1)
    patterns, number, times = np.unique(counts, axis=0, return_inverse=True, return_counts=True)
    number = number.ravel()
    units, raters = scores.shape
    own = np.column_stack(
        [
            np.tile(np.arange(raters), units),
            np.repeat(number, raters),
            code.ravel(),
            np.ones(units * raters, dtype=np.int64),
        ]
    )
    cells = own.copy()
    cells[:, 0] = -1
    return AnswerPatterns(
        values=tuple(values.tolist()),
        patterns=patterns,
        signature=np.column_stack([np.arange(len(patterns)), np.arange(len(patterns))]),
        items=times,
        raters=own,
        cells=cells,
        n_raters=raters,
    )


def _alpha(effects: Array) -> float:
    """Alpha of rounded scores in a large population, items × raters."""
    scores = np.clip(np.round(3 + effects), 1, 5)
    within = scores.var(axis=1, ddof=1).mean()
    return float(1 - within / scores.var())


def _alpha_truth() -> float:
    return _alpha(_effects(np.random.default_rng(1), 6000, 300))


def alpha(truth: float) -> Callable[[np.random.Generator, int, int], Study]:
    """Krippendorff's alpha, interval level."""

    def study(rng: np.random.Generator, items: int, raters: int) -> Study:
        item = rng.normal(0, ITEM, (4000 if raters < 5 else items, 1))
        rater = rng.normal(0, RATER, (1, raters))
        noise = rng.normal(0, NOISE, (len(item), raters))
        scores = np.clip(np.round(3 + item + rater + noise), 1, 5)
        known = truth
        if raters < 5:
            # For these raters: the same people on very many items.
            within = scores.var(axis=1, ddof=1).mean()
            known = float(1 - within / scores.var(ddof=1))
        patterns = patterns_of(scores[:items])
        found = alpha_from_patterns(patterns, level="interval", n_resamples=400, seed=0)
        few = AnswerPatterns(
            **{name: getattr(patterns, name) for name in patterns.__slots__ if name != "n_raters"},
            n_raters=None,
        )
        plain = alpha_from_patterns(few, level="interval", n_resamples=400, seed=0)
        return Study(given=found.interval, plain=plain.interval, truth=known)

    return study


PAIRS = np.array([(i, j) for i in range(4) for j in range(i + 1, 4)])
BETA = np.array([0.6, 0.2, -0.2, -0.6])


def _strength_truth() -> float:
    """The strength that a Bradley–Terry fit tends to: the fit of the marginal chances."""
    rng = np.random.default_rng(1)
    lean = rng.normal(0, 2 * TASTE, 400_000)
    gaps = BETA[PAIRS[:, 0]] - BETA[PAIRS[:, 1]]
    chances = np.array([(1 / (1 + np.exp(-(gap + lean)))).mean() for gap in gaps])
    one, two = (np.tile(PAIRS[:, side], 2) for side in (0, 1))
    votes = vote_table(
        "abcd",
        one,
        two,
        np.repeat([0, 1], len(PAIRS)),
        count=1000 * np.concatenate([chances, 1 - chances]),
    )
    found = bradley_terry(votes, cluster=None)
    return float(found["a"].estimate)


def strength(truth: float) -> Callable[[np.random.Generator, int, int], Study]:
    """The strength of the best of four systems; every rater sees one pair of every item."""

    def study(rng: np.random.Generator, items: int, raters: int) -> Study:
        taste = rng.normal(0, TASTE, (items, 1, 4)) + rng.normal(0, TASTE, (1, raters, 4))
        value = BETA + taste
        pair = rng.integers(0, len(PAIRS), (items, raters))
        one = np.take_along_axis(value, PAIRS[pair][..., :1], axis=2)[..., 0]
        two = np.take_along_axis(value, PAIRS[pair][..., 1:], axis=2)[..., 0]
        won = rng.random((items, raters)) < 1 / (1 + np.exp(two - one))
        item, rater = np.divmod(np.arange(pair.size), raters)
        a, b = PAIRS[pair.ravel()].T
        votes = vote_table("abcd", a, b, 1 - won.ravel(), item=item, rater=rater)
        found = bradley_terry(votes)["a"]
        return Study(
            given=found.interval,
            plain=bradley_terry(votes, cluster=None)["a"].interval,
            truth=truth,
        )

    return study


def statistics() -> dict[str, Callable[[np.random.Generator, int, int], Study]]:
    """Every statistic that is simulated."""
    return {
        "mean score": mean_score,
        "difference": mean_difference,
        "share .5": _shares(0.5),
        "share .02": _shares(0.02),
        "strength": strength(_strength_truth()),
        "alpha": alpha(_alpha_truth()),
    }


def coverage(
    study: Callable[[np.random.Generator, int, int], Study],
    *,
    items: int,
    raters: int,
    studies: int,
    seed: int,
) -> dict[str, float]:
    """The shares of studies whose interval, and whose plain interval, covers; and the width."""
    rng = np.random.default_rng(seed)
    given, plain, width = [], [], []
    for _ in range(studies):
        made = study(rng, items, raters)
        if made.given is not None:
            given.append(made.given.low <= made.truth <= made.given.high)
            width.append(made.given.high - made.given.low)
        if made.plain is not None:
            plain.append(made.plain.low <= made.truth <= made.plain.high)
    return {
        "given": float(np.mean(given)),
        "plain": float(np.mean(plain)),
        "width": float(np.mean(width)),
        "error": math.sqrt(0.95 * 0.05 / len(given)),
        "none": studies - len(given),
    }


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, nargs="+", default=[30, 100])
    parser.add_argument("--raters", type=int, nargs="+", default=[3, 5, 10, 20])
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--only", nargs="+", help="some of the statistics")
    parser.add_argument("--seed", type=int, default=0)
    asked: Any = parser.parse_args(argv)
    error = math.sqrt(0.95 * 0.05 / asked.studies)
    print(f"{asked.studies} studies a cell; Monte Carlo error ±{100 * error:.1f} points\n")
    print(f"{'':12}{'items':>7}{'raters':>8}{'covers':>9}{'plain':>8}{'width':>8}{'none':>6}")
    for name, study in statistics().items():
        if asked.only and name not in asked.only:
            continue
        for items in asked.items:
            for raters in asked.raters:
                found = coverage(
                    study, items=items, raters=raters, studies=asked.studies, seed=asked.seed
                )
                print(
                    f"{name:12}{items:>7}{raters:>8}{found['given']:>9.1%}{found['plain']:>8.1%}"
                    f"{found['width']:>8.2f}{found['none']:>6.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main(sys.argv[1:])
