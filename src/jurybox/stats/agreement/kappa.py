"""Cohen's kappa of every two raters, and its mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError, OptionError
from jurybox.results import format_count
from jurybox.stats.agreement.patterns import ONE_UNIT, RATERS, SAME, Agreement, check_generalize
from jurybox.stats.clusters import Generalize
from jurybox.stats.distributions import check_confidence
from jurybox.stats.two_way import (
    Deleted,
    Made,
    bootstrap_interval,
    fisher,
    resample_items,
    two_way_interval,
)

__all__ = [
    "SHARED",
    "PairTables",
    "RaterPairs",
    "Weights",
    "cohen_from_pairs",
    "pair_kappas",
    "pair_tables",
]

Array = NDArray[np.float64]
Weights = Literal["linear", "quadratic"] | None
SHARED = 10
"""How many units two of many raters must share for a kappa of their own."""
DENSE = 20_000_000
"""Numbers up to which the tables of all items are kept while items are drawn."""


class RaterPairs(Protocol):
    """What every two raters said of the units both answered."""

    @property
    def values(self) -> tuple[Any, ...]:
        """The distinct values in order: numbers, or words."""

    @property
    def names(self) -> tuple[str, ...]:
        """The raters."""

    @property
    def pairs(self) -> NDArray[Any]:
        """Pairs × 2: the index of each rater."""

    @property
    def rows(self) -> NDArray[Any]:
        """Rows of (item, pair, value of the first, value of the second, count)."""

    @property
    def n_raters(self) -> int:
        """How many raters there are."""

    @property
    def n_items(self) -> int:
        """How many items there are."""

    @property
    def per_unit(self) -> float:
        """How many raters a unit has on average, of those with two and more."""

    @property
    def n_responses(self) -> int:
        """How many answers the units with two and more have."""


@dataclass(frozen=True, slots=True)
class PairTables:
    """Per pair of raters the values of the first by those of the second, and how items add up."""

    tables: Array
    """Pairs × values × values."""
    kappas: Array
    """NaN where chance leaves no disagreement."""
    item: NDArray[Any]
    pair: NDArray[Any]
    without: Array
    """Kappa of the pair without the item, for every item and pair that share a unit."""

    @property
    def shared(self) -> Array:
        """How many units each pair shares; adds up all tables."""
        return np.asarray(self.tables.sum(axis=(1, 2)), dtype=np.float64)


def cohen_from_pairs(
    pairs: RaterPairs,
    *,
    weights: str | None = None,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int,
) -> Agreement:
    r"""Cohen's kappa of two raters; of more, the mean over pairs with at least ten shared units.

    Notes
    -----
    .. math:: \kappa = 1 - \frac{\sum w_{ck} p_{ck}}{\sum w_{ck} p_{c\cdot} p_{\cdot k}}

    with :math:`w` 1 off the diagonal, or the distance of the two values (linear), or its square
    (quadratic). The distance is taken between values, not their positions: on 1–5 this is the same.

    References
    ----------
    Cohen (1960), doi:10.1177/001316446002000104; Cohen (1968), doi:10.1037/h0026256.
    """
    check_confidence(confidence)
    check_generalize(generalize)
    weight = distances(pairs.values, weights)
    rows = np.asarray(pairs.rows)
    name = "Cohen's kappa" if weights is None else f"Cohen's kappa with {weights} weights"
    base: dict[str, Any] = {
        "statistic": name,
        "level": "nominal" if weights is None else "interval",
        "n_items": pairs.n_items,
        "n_raters": pairs.n_raters,
        "seed": seed,
    }
    if not len(rows):
        why = "there is only one rater" if pairs.n_raters == 1 else "no unit has two responses"
        return Agreement(estimate=None, undefined=why, **base)
    made = pair_tables(pairs, weight)
    shared = made.shared
    base["n_units"] = int(shared.sum()) if len(pairs.pairs) == 1 else 0
    use = shared >= (SHARED if pairs.n_raters > 2 else 1)
    if not use.any():
        why = "no two raters share ten units"
        return Agreement(estimate=None, undefined=why, **base)
    constant = use & np.isnan(made.kappas)
    use &= ~constant
    if not use.any():
        return Agreement(estimate=None, undefined=SAME, **base)
    if int(shared.sum()) == 1:
        return Agreement(estimate=None, undefined=ONE_UNIT, **base)
    estimate = float(made.kappas[use].mean())
    base["n_pairs"] = int(use.sum())
    base["n_responses"] = pairs.n_responses if use.all() else None
    base["n_items"] = len(np.unique(made.item[use[made.pair]]))
    base["n_raters"] = n_raters = len(np.unique(np.asarray(pairs.pairs)[use]))
    if n_raters >= RATERS and generalize == "raters+items":
        item, rater, cell = _deleted(pairs, made, use)
        found = two_way_interval(
            estimate,
            item=item,
            rater=rater,
            cell=cell,
            scale=fisher(pairs.per_unit),
            confidence=confidence,
        )
    else:
        base["n_resamples"] = n_resamples
        found = _bootstrap(pairs, use, weight, estimate, confidence, n_resamples, seed)
    return Agreement(
        estimate=estimate,
        interval=found.interval,
        undefined=found.why,
        notes=(*_notes_on_pairs(pairs, use, constant), *found.notes),
        **base,
    )


def _notes_on_pairs(
    pairs: RaterPairs, use: NDArray[np.bool_], constant: NDArray[np.bool_]
) -> tuple[str, ...]:
    """Over which pairs of raters the mean is taken, and which have no kappa."""
    notes: tuple[str, ...] = ()
    if pairs.n_raters > 2:
        counted = format_count(int(use.sum()), "pair")
        notes = (f"the mean over {counted} of raters with at least ten shared units",)
    if constant.any():
        gone = format_count(int(constant.sum()), "further pair")
        verb = "has" if constant.sum() == 1 else "have"
        notes += (f"{gone} of raters {verb} no kappa and no part in it: both gave one answer only",)
    return notes


def distances(values: tuple[Any, ...], weights: str | None) -> Array:
    """How far two values are apart for kappa."""
    if weights not in (None, "linear", "quadratic"):
        raise OptionError(f"weights must be None, 'linear' or 'quadratic'; got {weights!r}")
    if weights is None:
        return 1 - np.eye(len(values))
    if any(isinstance(value, str) for value in values):
        raise InputError(f"weights={weights!r} need numbers; got words such as {values[0]!r}")
    numbers = np.array(values, dtype=np.float64)
    distance = np.abs(numbers[:, None] - numbers[None, :])
    return np.asarray(distance if weights == "linear" else distance**2, dtype=np.float64)


def _flat(rows: NDArray[Any], size: int) -> NDArray[Any]:
    return np.asarray((rows[:, 1] * size + rows[:, 2]) * size + rows[:, 3])


def _tables(flat: NDArray[Any], counts: NDArray[Any], shape: tuple[int, int, int]) -> Array:
    """Per pair the values of the first rater by those of the second."""
    cells = shape[0] * shape[1] * shape[2]
    return np.bincount(flat, counts, cells).astype(np.float64).reshape(shape)


def _kappa(tables: Array, weight: Array) -> Array:
    """Kappa of each table; NaN where chance leaves no disagreement."""
    n = tables.sum(axis=(-2, -1))
    chance = np.einsum("...c,...k,ck->...", tables.sum(axis=-1), tables.sum(axis=-2), weight)
    observed = (tables * weight).sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        # Against the farthest two values: distances may be of any size.
        some = chance > 1e-14 * n**2 * weight.max(initial=0)
        return np.where(some, 1 - n * observed / chance, np.nan)


def pair_tables(pairs: RaterPairs, weight: Array) -> PairTables:
    """The tables and kappas of all pairs, with each pair's kappa without each of its items."""
    rows = np.asarray(pairs.rows)
    size = len(pairs.values)
    tables = _tables(_flat(rows, size), rows[:, 4], (len(pairs.pairs), size, size))
    codes, inverse = np.unique(rows[:, 0] * len(pairs.pairs) + rows[:, 1], return_inverse=True)
    groups = np.column_stack(np.divmod(codes, len(pairs.pairs)))
    without = np.zeros(len(groups))
    step = max(1, 2_000_000 // (size * size))
    for low in range(0, len(groups), step):
        here = (inverse >= low) & (inverse < low + step)
        part = groups[low : low + step]
        less = tables[part[:, 1]].copy()
        np.add.at(less, (inverse[here] - low, rows[here, 2], rows[here, 3]), -rows[here, 4])
        without[low : low + step] = _kappa(less, weight)
    return PairTables(tables, _kappa(tables, weight), groups[:, 0], groups[:, 1], without)


def pair_kappas(pairs: RaterPairs, weights: str | None) -> Array:
    """Kappa of each pair of raters; NaN of one with fewer than ten shared units, or with none."""
    rows, size = np.asarray(pairs.rows), len(pairs.values)
    tables = _tables(_flat(rows, size), rows[:, 4], (len(pairs.pairs), size, size))
    kappas = _kappa(tables, distances(pairs.values, weights))
    return np.where(tables.sum(axis=(1, 2)) >= SHARED, kappas, np.nan)


def _deleted(
    pairs: RaterPairs, made: PairTables, use: NDArray[np.bool_]
) -> tuple[Deleted, Deleted, Deleted]:
    """The mean kappa without each item, each rater, and each rater's answers to an item."""
    ends, n = np.asarray(pairs.pairs), int(use.sum())
    mean = float(made.kappas[use].mean())
    kept = use[made.pair]
    item, pair = made.item[kept], made.pair[kept]
    change = made.without[kept] - made.kappas[pair]
    _, numbers = np.unique(item, return_inverse=True)
    per_item = np.bincount(numbers, change) / n
    raters = np.unique(ends[use])
    per_rater = []
    for rater in raters:
        others = use & (ends != rater).all(axis=1)
        per_rater.append(made.kappas[others].mean() if others.any() else np.nan)
    cells = np.concatenate([np.column_stack([item, ends[pair, side]]) for side in (0, 1)])
    _, numbers = np.unique(cells, axis=0, return_inverse=True)
    per_cell = np.bincount(numbers.ravel(), np.concatenate([change, change])) / n
    return (
        Deleted(mean + per_item, np.ones(len(per_item))),
        Deleted(np.array(per_rater), np.ones(len(raters))),
        Deleted(mean + per_cell, np.ones(len(per_cell))),
    )


def _bootstrap(
    pairs: RaterPairs,
    use: NDArray[np.bool_],
    weight: Array,
    estimate: float,
    confidence: float,
    n_resamples: int,
    seed: int,
) -> Made:
    """From resampled items: a claim about these raters only."""
    rows = np.asarray(pairs.rows)
    rows = rows[use[rows[:, 1]]]
    _, item = np.unique(rows[:, 0], return_inverse=True)
    n, size = int(item.max()) + 1, len(pairs.values)
    if n < 2:
        return Made(None, "there is only one item")
    rng = np.random.default_rng(seed)
    flat, shape = _flat(rows, size), (len(pairs.pairs), size, size)
    width = shape[0] * size * size
    found = []
    if n * width <= DENSE:
        counts = np.bincount(item * width + flat, rows[:, 4], n * width)
        by_item = counts.astype(np.float64).reshape(n, width)
        for sums in resample_items(by_item, np.ones(n), n_resamples, rng):
            tables = sums.reshape(-1, *shape)
            found.append(_kappa(tables, weight)[:, use].mean(axis=1))
    else:
        for _ in range(n_resamples):
            times = np.bincount(rng.integers(0, n, n), minlength=n)
            tables = _tables(flat, rows[:, 4] * times[item], shape)
            found.append(_kappa(tables, weight)[use].mean(keepdims=True))
    return bootstrap_interval(
        estimate,
        np.concatenate(found),
        n_items=n,
        scale=fisher(pairs.per_unit),
        confidence=confidence,
    )
