"""Automatic metrics against votes and rankings: across systems, as no output has a score.

Matrices are items × pairs of systems, or items × systems; an output without a value is NaN.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.stats.distributions import check_confidence
from jurybox.stats.metrics.across_systems import (
    DrawnSystems,
    resampled,
    soft_accuracy_of_gaps,
    system_means,
)
from jurybox.stats.metrics.against_people import FEW_SYSTEMS, PER_ITEM
from jurybox.stats.metrics.correlation import level_ties
from jurybox.stats.metrics.replicates import Replicates
from jurybox.stats.metrics.results import Correlation, Statistic

__all__ = ["Compared", "against_votes", "fitted_strengths"]

Array = NDArray[np.float64]
NEVER_MET = "no two systems with a value of the metric were compared by anybody"
NO_STRENGTHS = "the strengths are not finite: a system won or lost all its comparisons"
STEPS, CLOSE, FARTHEST = 2_000, 1e-9, 30.0
"""Most steps of a fit, the change of log strengths at which it ends, and the largest of them."""
NUMBERS = 4_000_000
"""Numbers of a block of replicates that are fitted at once."""


class Compared(Protocol):
    """Who was preferred to whom, item by item."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems."""

    @property
    def pairs(self) -> NDArray[np.int64]:
        """Pairs × 2: the numbers of the two systems."""

    @property
    def wins(self) -> Array:
        """Items × pairs: how often the first of the pair was preferred; ties count half."""

    @property
    def count(self) -> Array:
        """Items × pairs: how often the two were compared."""

    @property
    def n_raters(self) -> int | None:
        """How many raters there are; ``None`` if they are unnamed."""


def against_votes(
    compared: Compared,
    metrics: Mapping[str, Array],
    *,
    whole: bool = False,
    criterion: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int,
) -> list[Correlation]:
    r"""Every metric against whom people prefer, across systems.

    Parameters
    ----------
    compared
        Who was preferred to whom.
    metrics
        Per metric items × systems; NaN where it has no value.
    whole
        Whether a metric has one value for all outputs of a system.

    Notes
    -----
    *Pairwise accuracy*: of the pairs of systems that were compared, the share in which the mean of
    the metric is higher for the system preferred in more than half of the comparisons. *Soft*: one
    minus the mean distance of the two sides' p-values, both from differences within items. From
    five systems on also the correlations of the metric's means with Bradley–Terry strengths, ties
    counting half. A metric's mean is taken over the outputs that were compared. Items are
    resampled, and the systems and raters stay; from ten systems on both items and systems are
    resampled for ``other_systems``, too, with each system's strength as the resampled items give
    it.
    """
    check_confidence(confidence)
    there = _was_shown(compared)
    found: list[Correlation] = []
    for metric, values in metrics.items():
        x = np.where(there, values, np.nan)
        common: dict[str, Any] = {"metric": metric, "criterion": criterion, "level": "system"}
        found += _one(compared, x, common, confidence, n_resamples, seed, whole=whole)
    return found


def fitted_strengths(wins: Array) -> Array:
    r"""Bradley–Terry log strengths per replicate; NaN where they are not finite.

    ``wins[r, i, j]``: how often i was preferred to j. By the iteration of Newman (2023),

    .. math:: \pi_i \leftarrow \frac{\sum_j w_{ij} \pi_j / (\pi_i + \pi_j)}
        {\sum_j w_{ji} / (\pi_i + \pi_j)},

    with a mean log strength of 0. They are finite if every system beat every other, directly or
    through others (Ford 1957).

    References
    ----------
    Newman (2023), "Efficient computation of rankings from pairwise comparisons",
    https://jmlr.org/papers/v24/22-1086.html.

    >>> fitted_strengths(np.array([[[0.0, 3.0], [1.0, 0.0]]])).round(4).tolist()
    [[0.5493, -0.5493]]
    """
    n, k, _ = wins.shape
    found = np.full((n, k), np.nan)
    left = np.flatnonzero(_all_reach_all(wins > 0))
    log = np.zeros((len(left), k))
    for _ in range(STEPS):
        if not len(left):
            break
        power = np.exp(log)
        # One after another, as all at once may swing for ever.
        for i in range(k):
            both = power[:, i, None] + power
            ahead = (wins[left, i] * power / both).sum(axis=1)
            behind = (wins[left, :, i] / both).sum(axis=1)
            power[:, i] = ahead / behind
        new = np.log(power)
        new -= new.mean(axis=1, keepdims=True)
        done = np.abs(new - log).max(axis=1) < CLOSE
        found[left[done]] = new[done]
        going = ~done & (np.abs(new).max(axis=1) < FARTHEST)
        left, log = left[going], new[going]
    return found


def _all_reach_all(beat: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Per replicate, whether every system beat every other, directly or through others."""
    k = beat.shape[1]
    reach = (beat | np.eye(k, dtype=bool)).astype(np.float32)
    # Each step doubles the length of the chains.
    for _ in range(max(1, k - 1).bit_length()):
        reach = (reach @ reach > 0).astype(np.float32)
    return np.asarray(reach.all(axis=(1, 2)))


def _was_shown(compared: Compared) -> NDArray[np.bool_]:
    there = np.zeros((len(compared.count), len(compared.systems)), dtype=bool)
    for k, (one, two) in enumerate(compared.pairs):
        for system in (one, two):
            there[:, system] |= compared.count[:, k] > 0
    return there


def _one(
    compared: Compared,
    x: Array,
    common: dict[str, Any],
    confidence: float,
    n_resamples: int,
    seed: int,
    *,
    whole: bool,
) -> list[Correlation]:
    has = ~np.isnan(x)
    known = set(np.flatnonzero(has.any(axis=0)).tolist())
    use = [k for k, pair in enumerate(compared.pairs) if known.issuperset(pair.tolist())]
    # The two of a pair that was never compared say nothing of people.
    use = [k for k in use if compared.count[:, k].sum()]
    met = sorted({int(s) for k in use for s in compared.pairs[k]})
    statistics: list[Statistic] = ["pairwise_accuracy"]
    statistics += [] if whole else ["soft_pairwise_accuracy"]
    if len(met) >= FEW_SYSTEMS:
        statistics += ["pearson", "spearman", "kendall"]
    wins, count = compared.wins[:, use], compared.count[:, use]
    counts: dict[str, Any] = {
        "n_systems": len(met),
        "n_items": int((count > 0).any(axis=1).sum()),
        "n_raters": compared.n_raters,
        "n_responses": int(count.sum()),
        **common,
    }
    if not use:
        return [
            Correlation(estimate=None, undefined=NEVER_MET, statistic=s, **counts)
            for s in statistics
        ]
    place = {system: k for k, system in enumerate(met)}
    pairs = np.array([[place[int(s)] for s in compared.pairs[k]] for k in use])
    sides = _Sides(x[:, met], wins, count, pairs)
    rng = np.random.default_rng(seed)
    drawn = Replicates(statistics, len(met), seed)
    for weight in resampled(len(x), n_resamples, rng):
        drawn.add(*sides.measured(statistics, weight, drawn.systems(len(weight))))
    made, _ = sides.measured(statistics, np.ones((1, len(x))), None)
    rows = []
    for s in statistics:
        estimate = None if np.isnan(made[s][0]) else float(made[s][0])
        said = drawn.intervals(s, estimate, confidence)
        if estimate is None and s in PER_ITEM and sides.separated:
            said = {"undefined": NO_STRENGTHS}
        rows.append(Correlation(estimate=estimate, statistic=s, **said, **counts))
    return rows


class _Sides:
    """A metric and people's preferences over the same items."""

    def __init__(self, x: Array, wins: Array, count: Array, pairs: NDArray[np.int64]) -> None:
        self.x, self.wins, self.count = x, wins, count
        self.one, self.two = pairs[:, 0], pairs[:, 1]
        gaps = x[:, self.one] - x[:, self.two]
        self.metric_gaps = np.where(count > 0, gaps, np.nan)
        self.people_gaps = np.where(count > 0, 2 * wins - count, np.nan)

    @property
    def separated(self) -> bool:
        """Whether the strengths are not finite."""
        return bool(np.isnan(self._strengths(np.ones((1, len(self.x))))).any())

    def measured(
        self, statistics: Sequence[Statistic], weight: Array, systems: DrawnSystems | None
    ) -> tuple[dict[str, Array], dict[str, Array]]:
        """Each statistic per replicate of the items, and the same of the drawn systems."""
        means = system_means(self.x, weight)
        times = None if systems is None else systems.times(self.one, self.two)
        found: dict[str, Array] = {"pairwise_accuracy": self._accuracy(means, weight)}
        others: dict[str, Array] = {}
        if times is not None:
            others["pairwise_accuracy"] = self._accuracy(means, weight, times)
        if "soft_pairwise_accuracy" in statistics:
            found["soft_pairwise_accuracy"], also = soft_accuracy_of_gaps(
                self.metric_gaps, self.people_gaps, weight, times
            )
            if also is not None:
                others["soft_pairwise_accuracy"] = also
        if "spearman" in statistics:
            strengths = self._strengths(weight)
            # A replicate without all strengths has no correlation, rather than one of the others.
            whole = ~(np.isnan(means) | np.isnan(strengths)).any(axis=1)
            level = np.array([level_ties(row) for row in strengths[whole]])
            for s in ("pearson", "spearman", "kendall"):
                found[s] = np.full(len(means), np.nan)
                if whole.any():
                    found[s][whole] = PER_ITEM[s](means[whole], level)
                if systems is not None:
                    others[s] = np.full(len(means), np.nan)
                    part = DrawnSystems(systems.systems[whole])
                    if whole.any():
                        others[s][whole] = PER_ITEM[s](part.of(means[whole]), part.of(level))
        return found, others

    def _accuracy(self, means: Array, weight: Array, times: Array | None = None) -> Array:
        """Like ``across_systems.pairwise_accuracy``, over the pairs that met in the replicate."""
        lead = np.round(weight @ (2 * self.wins - self.count), 9)
        met = weight @ self.count > 0
        gap = means[:, self.one] - means[:, self.two]
        known = met & ~np.isnan(gap)
        same = (np.sign(np.nan_to_num(gap)) == np.sign(lead)) & known
        if times is None:
            times = np.ones_like(gap)
        n = (known * times).sum(axis=1)
        return np.where(n > 0, (same * times).sum(axis=1) / np.maximum(n, 1), np.nan)

    def _strengths(self, weight: Array) -> Array:
        k = self.x.shape[1]
        found = []
        step = max(1, NUMBERS // k**2)
        for start in range(0, len(weight), step):
            part = weight[start : start + step]
            won, lost = part @ self.wins, part @ (self.count - self.wins)
            wins = np.zeros((len(part), k, k))
            wins[:, self.one, self.two], wins[:, self.two, self.one] = won, lost
            found.append(fitted_strengths(wins))
        return np.concatenate(found)
