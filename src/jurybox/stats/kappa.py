"""Cohen's kappa of every two raters, and its mean."""

from __future__ import annotations

from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError
from jurybox.results import Interval, format_count
from jurybox.stats.agreement import SAME, Agreement
from jurybox.stats.clusters import ALL_RATERS, THESE_RATERS
from jurybox.stats.distributions import check_confidence, t_quantile

__all__ = ["RaterPairs", "Weights", "cohen_from_pairs"]

Array = NDArray[np.float64]
Weights = Literal["linear", "quadratic"] | None


class RaterPairs(Protocol):
    """What every two raters said of the units both answered."""

    @property
    def values(self) -> tuple[Any, ...]:
        """The distinct values in order: numbers, or words."""

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


def cohen_from_pairs(
    pairs: RaterPairs,
    *,
    weights: Weights = None,
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
    weight = _weights(pairs.values, weights)
    name = "Cohen's kappa" if weights is None else f"Cohen's kappa, {weights} weights"
    rows = np.asarray(pairs.rows)
    size, n_pairs = len(pairs.values), len(pairs.pairs)
    tables = _tables(_flat(rows, size), rows[:, 4], (n_pairs, size, size))
    shared = tables.sum(axis=(1, 2))
    base: dict[str, Any] = {
        "statistic": name,
        "level": "nominal" if weights is None else "interval",
        "n_items": pairs.n_items,
        "n_raters": pairs.n_raters,
        "n_units": int(shared.sum()) if n_pairs == 1 else 0,
        "seed": seed,
    }
    if not len(rows):
        why = "there is only one rater" if pairs.n_raters == 1 else "no unit has two responses"
        return Agreement(estimate=None, undefined=why, **base)
    use = shared >= (10 if pairs.n_raters > 2 else 1)
    if not use.any():
        why = "no two raters share ten units"
        return Agreement(estimate=None, undefined=why, **base)
    kappas = _kappa(tables, weight)
    use &= ~np.isnan(kappas)
    if not use.any():
        return Agreement(estimate=None, undefined=SAME, **base)
    estimate = float(kappas[use].mean())
    base["n_pairs"] = int(use.sum())
    base["n_responses"] = int(shared[use].sum())
    notes: tuple[str, ...] = ()
    if pairs.n_raters > 2:
        counted = format_count(int(use.sum()), "pair")
        notes = (f"the mean over {counted} of raters with at least ten shared units",)
    if pairs.n_raters >= 5:
        interval, why_not = _jackknife(pairs, tables, use, weight, confidence)
    else:
        base["n_resamples"] = n_resamples
        rng = np.random.default_rng(seed)
        interval, why_not = _bootstrap(pairs, use, weight, confidence, n_resamples, rng)
    return Agreement(estimate=estimate, interval=interval, undefined=why_not, notes=notes, **base)


def _weights(values: tuple[Any, ...], weights: Weights) -> Array:
    if weights not in (None, "linear", "quadratic"):
        raise InputError(f"weights must be None, 'linear' or 'quadratic'; got {weights!r}")
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
        return np.where(chance > 1e-9, 1 - n * observed / chance, np.nan)


def _jackknife(
    pairs: RaterPairs, tables: Array, use: NDArray[np.bool_], weight: Array, confidence: float
) -> tuple[Interval | None, str | None]:
    """Leave out each item, each rater, and each rater's answers to an item."""
    if pairs.n_items < 2:
        return None, "there is only one item"
    kappas = _kappa(tables, weight)
    rows = np.asarray(pairs.rows)
    rows = rows[use[rows[:, 1]]]
    ends, n_pairs = np.asarray(pairs.pairs), int(use.sum())
    estimate = float(kappas[use].mean())
    groups, inverse = np.unique(rows[:, :2], axis=0, return_inverse=True)
    inverse = inverse.ravel()
    change = np.zeros(len(groups))
    size = tables.shape[1]
    step = max(1, 2_000_000 // (size * size))
    for low in range(0, len(groups), step):
        here = (inverse >= low) & (inverse < low + step)
        part = groups[low : low + step]
        less = tables[part[:, 1]].copy()
        np.add.at(less, (inverse[here] - low, rows[here, 2], rows[here, 3]), -rows[here, 4])
        change[low : low + step] = _kappa(less, weight) - kappas[part[:, 1]]
    without_rater = [
        kappas[use & (ends != r).all(axis=1)].mean() if (use & (ends != r).all(axis=1)).any() else 0
        for r in np.unique(ends[use])
    ]
    per_item = np.bincount(np.unique(groups[:, 0], return_inverse=True)[1], change) / n_pairs
    cells = np.concatenate(
        [np.column_stack([groups[:, 0], ends[groups[:, 1], side]]) for side in (0, 1)]
    )
    both = np.concatenate([change, change])
    per_cell = np.bincount(np.unique(cells, axis=0, return_inverse=True)[1].ravel(), both) / n_pairs
    if np.isnan(per_item).any():
        return None, "leaving single items out leaves too little to compute it"
    item, rater, cell = (
        _spread(values) for values in (per_item, np.array(without_rater), per_cell)
    )
    variance = item + rater - cell
    variance = variance if variance > 1e-9 * max(item, rater) else max(item, rater)
    if variance <= 1e-20:
        return None, "neither raters nor items vary"
    df = min(pairs.n_items, len(without_rater)) - 1
    half = t_quantile(confidence, df) * variance**0.5
    return Interval(
        low=estimate - half,
        high=min(1.0, estimate + half),
        confidence=confidence,
        method=f"two-way jackknife, t({df})",
        generalizes_to=ALL_RATERS,
    ), None


def _spread(values: Array) -> float:
    """(G − 1)/G · Σ (θ₍g₎ − mean)²."""
    n = len(values)
    return float((n - 1) / n * ((values - values.mean()) ** 2).sum())


def _bootstrap(
    pairs: RaterPairs,
    use: NDArray[np.bool_],
    weight: Array,
    confidence: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[Interval | None, str | None]:
    """Percentiles over resampled items: a claim about these raters only."""
    rows = np.asarray(pairs.rows)
    _, item = np.unique(rows[:, 0], return_inverse=True)
    n, size = int(item.max()) + 1, len(pairs.values)
    if n < 2:
        return None, "there is only one item"
    flat, shape = _flat(rows, size), (len(pairs.pairs), size, size)
    found = []
    for _ in range(n_resamples):
        times = np.bincount(rng.integers(0, n, n), minlength=n)
        tables = _tables(flat, rows[:, 4] * times[item], shape)
        found.append(_kappa(tables, weight)[use].mean())
    theta = np.array(found)
    ok = theta[~np.isnan(theta)]
    if len(ok) < 0.95 * n_resamples:
        return None, "in more than 5% of the resamples it does not exist"
    low, high = np.quantile(ok, [0.5 - confidence / 2, 0.5 + confidence / 2])
    if high - low < 1e-12:
        return None, "resampling items never changes it"
    return Interval(
        low=float(low),
        high=float(high),
        confidence=confidence,
        method=f"bootstrap of items, {n_resamples:,} resamples",
        generalizes_to=THESE_RATERS,
    ), None
