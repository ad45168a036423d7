"""Simulated studies with a known truth, as the sums that statistics are computed from.

Every study draws raters and items anew. Complete: every rater judges every item. Incomplete: every
output is judged by three raters drawn at random. The truth is the marginal value: what raters and
items like these would give on average.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from jurybox.results import Interval
from jurybox.stats.agreement.alpha import alpha_from_patterns
from jurybox.stats.agreement.fleiss import fleiss_from_patterns
from jurybox.stats.agreement.patterns import RATERS
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.differences import difference
from jurybox.stats.distributions import normal_score
from jurybox.stats.means import mean
from jurybox.stats.metrics.against_people import one_correlation
from jurybox.stats.shares import share
from jurybox.stats.strengths.bradley_terry import bradley_terry
from jurybox.stats.strengths.vote_table import vote_table
from jurybox.tally.metrics import JudgedOutputs
from jurybox.tally.patterns import AnswerPatterns
from jurybox.tally.ratios import RatioMoments, RatioSums

Array = NDArray[np.float64]
ITEM, RATER, NOISE = 0.6, 0.5, 1.0
"""Standard deviations of the effects of items, of raters, and of single responses."""
TASTE = 0.4
"""Of every rater's, and every item's, own leaning towards a system."""
PER_OUTPUT = 3
"""Raters of an output where not every rater judges every item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large a study is, and whether every rater judges every item."""

    items: int
    raters: int
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """One simulated study: the interval given, the plain one, and the truth."""

    given: Interval | None
    plain: Interval | None
    truth: float


def judged(rng: np.random.Generator, size: Size) -> Array:
    """Items × raters: 1 where the rater judges the item."""
    if size.complete or size.raters <= PER_OUTPUT:
        return np.ones((size.items, size.raters))
    drawn = np.argpartition(rng.random((size.items, size.raters)), PER_OUTPUT, axis=1)
    there = np.zeros((size.items, size.raters))
    np.put_along_axis(there, drawn[:, :PER_OUTPUT], 1.0, axis=1)
    return there


def sums_of(u: Array, w: Array, n: float | None = None) -> RatioSums:
    """The sums of one ratio from items × raters, of n responses; by default one a cell."""

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
        n=np.array([int((w > 0).sum() if n is None else n)]),
        by=by,
    )


def mean_score(rng: np.random.Generator, size: Size) -> Study:
    """A mean score; truth 0."""
    there = judged(rng, size)
    score = (
        rng.normal(0, ITEM, (size.items, 1))
        + rng.normal(0, RATER, (1, size.raters))
        + rng.normal(0, NOISE, there.shape)
    )
    sums = sums_of(score * there, there)
    given, plain = (mean(sums, 0, cluster=cluster).interval for cluster in BOTH_AND_NONE)
    return Study(given=given, plain=plain, truth=0.0)


BOTH_AND_NONE: tuple[Cluster, Cluster] = ("both", None)


def mean_difference(rng: np.random.Generator, size: Size) -> Study:
    """A difference of two systems with tastes of raters and items of their own; truth 0."""
    shape = (size.items, size.raters)
    level = rng.normal(0, ITEM, (size.items, 1)) + rng.normal(0, RATER, (1, size.raters))
    first = judged(rng, size)
    second = first if size.complete else judged(rng, size)
    sides = []
    for there in (first, second):
        taste = rng.normal(0, TASTE / math.sqrt(2), (size.items, 1))
        taste = taste + rng.normal(0, TASTE / math.sqrt(2), (1, size.raters))
        sides.append((level + taste + rng.normal(0, NOISE, shape)) * there)
    counts = [there.sum(axis=1, keepdims=True) for there in (first, second)]
    middle = sum(s.sum(axis=1, keepdims=True) / n for s, n in zip(sides, counts, strict=True)) / 2
    u = first * (sides[0] - middle) / counts[0] - second * (sides[1] - middle) / counts[1]
    w = first * 0.5 / counts[0] + second * 0.5 / counts[1]
    sums = sums_of(u, w, first.sum() + second.sum())
    given, plain = (
        difference(sums, 0, systems=("one", "two"), cluster=cluster).interval
        for cluster in BOTH_AND_NONE
    )
    return Study(given=given, plain=plain, truth=0.0)


@dataclass(frozen=True, slots=True)
class Rate:
    """A win or fooling rate: a threshold on a normal scale gives the marginal p exactly."""

    p: float

    def __call__(self, rng: np.random.Generator, size: Size) -> Study:
        there = judged(rng, size)
        cut = math.sqrt(2 * TASTE**2 + 1) * normal_score(self.p)
        lean = rng.normal(0, TASTE, (size.items, 1)) + rng.normal(0, TASTE, (1, size.raters))
        yes = (lean + rng.normal(0, 1, there.shape) < cut) * there
        sums = sums_of(yes, there)
        given, plain = (share(sums, 0, what="", cluster=c).interval for c in BOTH_AND_NONE)
        return Study(given=given, plain=plain, truth=self.p)


CUTS = np.array([-1.5, -0.5, 0.5, 1.5])
"""Where a latent judgment becomes another of the five scores."""


def five_point_scores(rng: np.random.Generator, items: int, lean: Array) -> Array:
    """Five-point scores, items × raters, of raters with these leanings."""
    latent = rng.normal(0, ITEM, (items, 1)) + lean + rng.normal(0, NOISE, (items, len(lean)))
    return np.searchsorted(CUTS, latent).astype(np.float64) + 1


def agreement_truth(statistic: Literal["alpha", "kappa"], lean: Array | None = None) -> float:
    """Agreement on any items, of raters with these leanings; by default of any raters.

    Given an item, raters answer independently: the chance that two agree, and the mean square of
    their difference, are integrals over items, exact here by Gauss and Hermite.
    """
    noise = NOISE
    if lean is None:
        lean, noise = np.zeros(2), math.hypot(RATER, NOISE)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    below = ndtr((CUTS - (ITEM * nodes[:, None] + lean)[..., None]) / noise)
    ends = np.zeros((*below.shape[:2], 1))
    # Nodes × raters × scores.
    chance_of = np.diff(np.concatenate([ends, below, ends + 1], axis=2), axis=2)
    together = np.einsum(
        "q,qak,qbl->abkl", weights / weights.sum(), chance_of, chance_of, optimize=True
    )
    pairs = ~np.eye(len(lean), dtype=bool)
    of_pair = together[pairs].mean(axis=0)
    margin = of_pair.sum(axis=0)
    value = np.arange(5.0)
    if statistic == "alpha":
        apart = np.subtract.outer(value, value) ** 2
        return float(1 - (of_pair * apart).sum() / (np.outer(margin, margin) * apart).sum())
    by_chance = float((margin**2).sum())
    return (float(np.trace(of_pair)) - by_chance) / (1 - by_chance)


def patterns_of(scores: Array, there: Array) -> AnswerPatterns:
    """Patterns of items × raters."""
    values, code = np.unique(scores, return_inverse=True)
    code, mask, v = code.reshape(scores.shape), there > 0, len(np.unique(scores))
    counts = np.stack([((code == k) & mask).sum(axis=1) for k in range(v)], axis=1)
    # One number per pattern: the digits are its counts.
    key = counts @ (scores.shape[1] + 1) ** np.arange(v)
    _, first, number, times = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    item, rater = np.nonzero(mask)
    own = number.ravel()[item] * v + code[mask]
    cells, n_cells = np.unique(own, return_counts=True)
    width = len(first) * v
    raters, n_raters = np.unique(rater * width + own, return_counts=True)
    return AnswerPatterns(
        values=tuple(values.tolist()),
        patterns=counts[first],
        signature=np.column_stack([np.arange(len(first)), np.arange(len(first))]),
        items=times,
        raters=np.column_stack([raters // width, raters % width // v, raters % v, n_raters]),
        cells=np.column_stack([np.full(len(cells), -1), cells // v, cells % v, n_cells]),
        n_raters=scores.shape[1],
    )


@dataclass(frozen=True, slots=True)
class Agree:
    """An agreement of five-point scores: Krippendorff's alpha, or Fleiss' kappa."""

    statistic: Literal["alpha", "kappa"]

    def __call__(self, rng: np.random.Generator, size: Size) -> Study:
        lean = rng.normal(0, RATER, size.raters)
        patterns = patterns_of(five_point_scores(rng, size.items, lean), judged(rng, size))
        # Fewer than five raters: the interval claims the value for these raters, on any items.
        few = size.raters < RATERS
        return Study(
            given=self._interval(patterns, "raters+items"),
            plain=self._interval(patterns, "items"),
            truth=agreement_truth(self.statistic, lean if few else None),
        )

    def _interval(self, patterns: AnswerPatterns, generalize: Generalize) -> Interval | None:
        drawn: dict[str, Any] = {"n_resamples": 400, "seed": 0, "generalize": generalize}
        if self.statistic == "alpha":
            return alpha_from_patterns(patterns, level="interval", **drawn).interval
        return fleiss_from_patterns(patterns, **drawn).interval


METRIC_NOISE = 0.6


@dataclass(frozen=True, slots=True)
class Follow:
    """The correlation of a metric with the mean score of an output."""

    statistic: Literal["pearson", "spearman"]

    def __call__(self, rng: np.random.Generator, size: Size) -> Study:
        there = judged(rng, size)
        quality = rng.normal(0, ITEM, (size.items, 1))
        metric = quality + rng.normal(0, METRIC_NOISE, quality.shape)
        score = quality + rng.normal(0, RATER, (1, size.raters)) + rng.normal(0, NOISE, there.shape)
        item, rater = np.nonzero(there)
        rows = np.column_stack([item, np.zeros_like(item), rater])
        judged_outputs = JudgedOutputs(
            items=(),
            systems=("x",),
            total=(score * there).sum(axis=1, keepdims=True),
            count=there.sum(axis=1, keepdims=True),
            rows=rows,
            scores=score[there > 0],
            n_raters=size.raters,
        )
        found = one_correlation(judged_outputs, metric, self.statistic)
        r, n = found.estimate or 0.0, size.items
        half = 1.959964 / math.sqrt(n - 3)
        plain = Interval(
            low=math.tanh(math.atanh(r) - half),
            high=math.tanh(math.atanh(r) + half),
            confidence=0.95,
            method="Fisher's z",
        )
        return Study(given=found.interval, plain=plain, truth=self._truth(size))

    def _truth(self, size: Size) -> float:
        """Pearson's r of two normal variables; Spearman's is (6/π) asin(r/2)."""
        incomplete = not size.complete and size.raters > PER_OUTPUT
        per_output = PER_OUTPUT if incomplete else size.raters
        of_mean = ITEM**2 + NOISE**2 / per_output
        if incomplete:
            of_mean += RATER**2 * (1 / PER_OUTPUT - 1 / size.raters)
        r = ITEM**2 / math.sqrt((ITEM**2 + METRIC_NOISE**2) * of_mean)
        return r if self.statistic == "pearson" else 6 / math.pi * math.asin(r / 2)


PAIRS = np.array([(i, j) for i in range(4) for j in range(i + 1, 4)])
BETA = np.array([0.6, 0.2, -0.2, -0.6])
SYSTEMS = tuple("abcd")


def strength(rng: np.random.Generator, size: Size) -> Study:
    """The strength of the best of four systems; a rater sees one pair of an item."""
    item, rater = np.nonzero(judged(rng, size))
    taste = (
        rng.normal(0, TASTE, (size.items, 4))[item] + rng.normal(0, TASTE, (size.raters, 4))[rater]
    )
    value = BETA + taste
    pair = PAIRS[rng.integers(0, len(PAIRS), len(item))]
    each = np.arange(len(item))
    gap = value[each, pair[:, 0]] - value[each, pair[:, 1]]
    lost = rng.random(len(item)) >= 1 / (1 + np.exp(-gap))
    votes = vote_table(SYSTEMS, pair[:, 0], pair[:, 1], lost, item=item, rater=rater)
    given, plain = (bradley_terry(votes, cluster=c)["a"].interval for c in BOTH_AND_NONE)
    return Study(given=given, plain=plain, truth=strength_truth())


@lru_cache(maxsize=1)
def strength_truth() -> float:
    """The strength that a fit tends to: the fit of the marginal chances."""
    lean = np.random.default_rng(1).normal(0, 2 * TASTE, 400_000)
    gaps = BETA[PAIRS[:, 0]] - BETA[PAIRS[:, 1]]
    chances = np.array([(1 / (1 + np.exp(-(gap + lean)))).mean() for gap in gaps])
    counts = np.concatenate([chances, 1 - chances]) * 1e6
    winner = np.repeat([0, 1], len(PAIRS))
    a, b = np.tile(PAIRS[:, 0], 2), np.tile(PAIRS[:, 1], 2)
    votes = vote_table(SYSTEMS, a, b, winner, count=counts)
    return float(bradley_terry(votes, cluster=None)["a"].estimate)
