"""Statistics of distinct patterns of answers per unit: the value, its parts and its interval.

Krippendorff's alpha, Fleiss' kappa, Gwet's AC and their like are functions of sums over units
(``PatternStatistic.features``), so leaving out an item, a rater or a single response only changes
those sums. That is what makes the two-way jackknife and the item bootstrap cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import OptionError
from jurybox.results import Result
from jurybox.stats.clusters import ALL_RATERS, THESE_RATERS, Generalize
from jurybox.stats.distributions import check_confidence
from jurybox.stats.shares import wilson
from jurybox.stats.two_way import (
    CELLS,
    LOGIT,
    Deleted,
    Made,
    bootstrap_interval,
    fisher,
    resample_items,
    two_way_interval,
)

__all__ = [
    "SAME",
    "Agreement",
    "PatternStatistic",
    "Patterns",
    "Sums",
    "agreement_of",
    "carried",
    "check_generalize",
    "unit_counts",
]

Array = NDArray[np.float64]
SAME = "every response is the same value"
ONE_UNIT = "there is only one unit, from which chance cannot be told"
RATERS = 5
"""From how many raters on an interval speaks for raters like them."""


class Patterns(Protocol):
    """Answers per unit as distinct patterns: how many raters gave each value."""

    @property
    def values(self) -> tuple[Any, ...]:
        """The distinct values in order: numbers, or words."""

    @property
    def patterns(self) -> NDArray[Any]:
        """Patterns × values: how many raters gave the value."""

    @property
    def signature(self) -> NDArray[Any]:
        """Rows of (signature, pattern): which patterns an item's units have."""

    @property
    def items(self) -> NDArray[Any]:
        """How many items have each signature."""

    @property
    def raters(self) -> NDArray[Any]:
        """Rows of (rater, pattern, value, count): the rater's own answers. Empty if unnamed."""

    @property
    def cells(self) -> NDArray[Any]:
        """Rows of (cell, pattern, value, count): the answers of one rater to one item.

        Cells with the same single answer share one row, whose cell is −1 and whose count says how
        many there are.
        """

    @property
    def n_raters(self) -> int | None:
        """How many raters there are; ``None`` if the table does not name them."""

    @property
    def n_grouped(self) -> int:
        """How many distinct numbers were taken in groups of neighbors; 0 if none were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement(Result):
    """How far raters agree."""

    label: ClassVar[str] = "agreement"

    statistic: str
    level: str | None = None
    criterion: str | None = None
    system: str | None = None
    n_units: int = 0
    """Units (outputs, or pairs) with at least two responses."""
    n_pairs: int | None = None
    """For a mean over pairs of raters: how many pairs."""
    n_resamples: int | None = None
    seed: int | None = None
    observed: float | None = None
    """The agreement seen, where the coefficient sets it against chance."""
    chance: float | None = None
    """The agreement expected by chance."""
    item_error: float | None = None
    """The standard error over items for these raters, by linearization (Gwet's)."""

    @property
    def name(self) -> str:
        """The statistic, and the system it is about."""
        return self.statistic if self.system is None else f"{self.statistic}, {self.system}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternStatistic:
    """A function of sums over units: ``features`` per pattern, ``value`` of their sums (or NaN)."""

    name: str
    features: Callable[[Array], Array]
    value: Callable[[Array], Array]
    parts: Callable[[Array], tuple[float, float]] | None = None
    """Observed and chance agreement, of the same sums."""
    level: str | None = None
    share: bool = False
    """Whether the value is a share, which lies between 0 and 1."""
    low: float = -1.0
    """No value for all items is less."""


def check_generalize(generalize: Generalize) -> None:
    """Refuse anything but the two claims there are."""
    if generalize not in ("raters+items", "items"):
        raise OptionError(f"generalize must be 'raters+items' or 'items'; got {generalize!r}")


def agreement_of(
    patterns: Patterns,
    statistic: PatternStatistic,
    *,
    generalize: Generalize = "raters+items",
    confidence: float,
    n_resamples: int,
    seed: int,
) -> Agreement:
    """The statistic with its interval: two-way from five raters on, else of resampled items."""
    check_confidence(confidence)
    check_generalize(generalize)
    base = {**_counted(patterns, statistic), "seed": seed}
    if base["n_units"] == 0:
        why = "there is only one rater" if patterns.n_raters == 1 else "no unit has two responses"
        return Agreement(estimate=None, undefined=why, **base)
    kinds, raters = carried(patterns)
    base["n_items"] = int(np.asarray(patterns.items)[kinds].sum())
    base["n_raters"] = len(raters) if len(patterns.raters) else patterns.n_raters
    sums = Sums(patterns, statistic)
    estimate = float(statistic.value(sums.total))
    no_number = _why_undefined(statistic, estimate, base)
    if no_number is not None:
        return Agreement(estimate=None, undefined=no_number, **base)
    if statistic.parts is not None:
        base["observed"], base["chance"] = statistic.parts(sums.total)
    per_unit = base["n_responses"] / base["n_units"]
    scale = LOGIT if statistic.share else fisher(per_unit, statistic.low)
    n_raters = base["n_raters"] or 0
    if n_raters >= RATERS and generalize == "raters+items":
        made = two_way_interval(
            estimate,
            item=sums.deleted(sums.without_items()),
            rater=sums.deleted(sums.without_rows(np.asarray(patterns.raters))),
            cell=sums.deleted(sums.without_rows(np.asarray(patterns.cells))),
            scale=scale,
            confidence=confidence,
            carrying=(base["n_items"], n_raters),
        )
        n, holds = min(base["n_items"], n_raters), ALL_RATERS
    else:
        base["n_resamples"] = n_resamples
        made = Made(None, "there is only one item")
        if base["n_items"] > 1:
            theta = sums.resampled(n_resamples, np.random.default_rng(seed))
            made = bootstrap_interval(
                estimate, theta, n_items=base["n_items"], scale=scale, confidence=confidence
            )
        n, holds = base["n_items"], THESE_RATERS
    if made.interval is None and statistic.share and n > 1:
        # A share without variance between clusters still has an interval: Wilson's.
        made = Made(wilson(estimate, n, confidence, holds), None, made.notes)
    return Agreement(
        estimate=estimate,
        interval=made.interval,
        undefined=made.why,
        notes=(*_grouped(patterns), *made.notes),
        item_error=sums.item_error(),
        **base,
    )


def _counted(patterns: Patterns, statistic: PatternStatistic) -> dict[str, Any]:
    """What a result says whether or not there is a number: the statistic and how much there is."""
    counts = np.asarray(patterns.patterns, dtype=np.float64)
    sizes = counts.sum(axis=1) if len(counts) else np.zeros(0)
    times = unit_counts(patterns)
    two = sizes > 1
    return {
        "statistic": statistic.name,
        "level": statistic.level,
        "n_units": int(times[two].sum()),
        "n_items": int(np.sum(patterns.items)),
        "n_raters": patterns.n_raters,
        "n_responses": int((times * sizes)[two].sum()),
        "n_dropped": int((times * sizes)[sizes == 1].sum()),
    }


def _why_undefined(
    statistic: PatternStatistic, estimate: float, counted: Mapping[str, Any]
) -> str | None:
    """Why there is no number, or none where there is one."""
    if np.isnan(estimate):
        return SAME
    if statistic.share and counted["n_responses"] == 2:
        return "there is only one pair of answers, which is no share"
    if not statistic.share and counted["n_units"] == 1:
        return ONE_UNIT
    return None


def _grouped(patterns: Patterns) -> tuple[str, ...]:
    if not patterns.n_grouped:
        return ()
    n, groups = f"{patterns.n_grouped:,}", len(patterns.values)
    return (f"the {n} distinct scores are taken in {groups} groups of neighbors, at their means",)


def carried(patterns: Patterns) -> tuple[NDArray[Any], NDArray[Any]]:
    """The signatures and the raters with a unit of two answers: agreement is about no others."""
    two = np.asarray(patterns.patterns).sum(axis=1) > 1
    found = []
    for rows in (np.asarray(patterns.signature), np.asarray(patterns.raters)):
        found.append(np.flatnonzero(np.bincount(rows[two[rows[:, 1]], 0])))
    return found[0], found[1]


def unit_counts(patterns: Patterns) -> Array:
    """How many units have each pattern."""
    signature = np.asarray(patterns.signature)
    items = np.asarray(patterns.items, dtype=np.float64)
    if not len(signature):
        return np.zeros(len(patterns.patterns))
    times = np.bincount(signature[:, 1], items[signature[:, 0]], len(patterns.patterns))
    return times.astype(np.float64)


class Sums:
    """The sums that a statistic is a function of, and how they change."""

    def __init__(self, patterns: Patterns, statistic: PatternStatistic) -> None:
        self.counts = np.asarray(patterns.patterns, dtype=np.float64)
        self.items = np.asarray(patterns.items, dtype=np.float64)
        self.statistic = statistic
        each = statistic.features(self.counts)
        self.total: Array = unit_counts(patterns) @ each
        rows = np.asarray(patterns.signature)
        # Column by column: bincount adds up much faster than add.at.
        self.by_item: Array = np.column_stack(
            [
                np.bincount(rows[:, 0], each[rows[:, 1], f], len(self.items))
                for f in range(len(self.total))
            ]
        )

    def deleted(self, changes: Iterator[tuple[Array, Array]]) -> Deleted:
        """The statistic without each cluster whose sums and number are given."""
        values, times = [], []
        for change, count in changes:
            values.append(self.statistic.value(self.total - change))
            times.append(count)
        return Deleted(np.concatenate(values), np.concatenate(times))

    def without_items(self) -> Iterator[tuple[Array, Array]]:
        """What the sums lose without each item, and how many items are alike."""
        step = max(1, CELLS // self.by_item.shape[1])
        for low in range(0, len(self.items), step):
            yield self.by_item[low : low + step], self.items[low : low + step]

    def without_rows(self, rows: NDArray[Any]) -> Iterator[tuple[Array, Array]]:
        """What the sums lose without each cluster of rows (cluster, pattern, value, count)."""
        n_values, width = self.counts.shape[1], len(self.total)
        # The change depends on the pattern and on the value that leaves it, and on nothing else.
        kinds, kind = np.unique(rows[:, 1] * n_values + rows[:, 2], return_inverse=True)
        before = self.counts[kinds // n_values]
        after = before.copy()
        after[np.arange(len(kinds)), kinds % n_values] -= 1
        features = self.statistic.features
        change = features(before) - features(after)
        alone = rows[:, 0] < 0
        step = max(1, CELLS // width)
        if alone.any():
            times = np.bincount(kind[alone], rows[alone, 3], len(kinds)).astype(np.float64)
            for low in range(0, len(kinds), step):
                yield change[low : low + step], times[low : low + step]
        several = rows[~alone]
        if not len(several):
            return
        _, cluster = np.unique(several[:, 0], return_inverse=True)
        order = np.argsort(cluster, kind="stable")
        cluster, kind, count = cluster[order], kind[~alone][order], several[order, 3]
        starts = np.flatnonzero(np.diff(cluster, prepend=-1))
        ends = np.append(starts[1:], len(cluster))
        for low in range(0, len(starts), step):
            first, last = starts[low], ends[min(low + step, len(starts)) - 1]
            own = cluster[first:last] - cluster[first]
            sums = np.zeros((int(own[-1]) + 1, width))
            for f in range(width):
                weights = change[kind[first:last], f] * count[first:last]
                sums[:, f] = np.bincount(own, weights, len(sums))
            yield sums, np.ones(len(sums))

    def resampled(self, n_resamples: int, rng: np.random.Generator) -> Array:
        """The statistic of resampled items."""
        return np.concatenate(
            [
                self.statistic.value(sums)
                for sums in resample_items(self.by_item, self.items, n_resamples, rng)
            ]
        )

    def item_error(self) -> float | None:
        r""":math:`\sqrt{n/(n-1) \sum_g \dot\theta_g^2}`, with the slope along each item's sums."""
        n, step = float(self.items.sum()), 1e-4
        if n < 2:
            return None
        up, down = (
            self.statistic.value(self.total + sign * step * self.by_item) for sign in (1, -1)
        )
        slope = (up - down) / (2 * step)
        error = float(np.sqrt(n / (n - 1) * (self.items * slope**2).sum()))
        return error if np.isfinite(error) else None
