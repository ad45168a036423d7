"""Agreement among raters from distinct patterns of answers per unit, with multiplicities.

Krippendorff's alpha, percent agreement and Fleiss' kappa are all functions of sums over units
(``Statistic.features``), so leaving out an item, a rater or a single response only changes those
sums. That is what makes the two-way jackknife and the item bootstrap cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError
from jurybox.results import Interval, Result
from jurybox.stats.clusters import ALL_RATERS, THESE_RATERS
from jurybox.stats.distributions import check_confidence, t_quantile

__all__ = [
    "Agreement",
    "Level",
    "Patterns",
    "alpha_from_patterns",
    "fleiss_from_patterns",
    "percent_from_patterns",
    "rater_agreement",
]

Array = NDArray[np.float64]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS = ("nominal", "ordinal", "interval", "ratio")
SAME = "every response is the same value"
CELLS = 4_000_000  # numbers held at once while clusters are left out one by one


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

    @property
    def name(self) -> str:
        """The statistic, and the system it is about."""
        return self.statistic if self.system is None else f"{self.statistic}, {self.system}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statistic:
    """A function of sums over units: ``features`` per pattern, ``value`` of their sums (or NaN)."""

    name: str
    features: Callable[[Array], Array]
    value: Callable[[Array], Array]


def alpha_from_patterns(
    patterns: Patterns,
    *,
    level: Level,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int,
) -> Agreement:
    r"""Krippendorff's alpha for any number of raters, any missing responses.

    Notes
    -----
    .. math:: \alpha = 1 - (n - 1)\,
        \frac{\sum_{c<k} o_{ck}\,\delta^2_{ck}}{\sum_{c<k} n_c n_k\,\delta^2_{ck}}

    with the coincidences :math:`o_{ck} = \sum_u n_{uc} n_{uk} / (m_u - 1)` over units of
    :math:`m_u \ge 2` responses. :math:`\delta^2` is 1 (nominal), :math:`(c-k)^2` (interval),
    :math:`((c-k)/(c+k))^2` (ratio) or, ordinal, the square of the number of responses between the
    two values, ends counted half (not Gwet's ordinal weights).

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability, sections C to E.
    """
    if level not in LEVELS:
        raise InputError(f"level must be one of {', '.join(LEVELS)}; got {level!r}")
    values = _numbers(patterns.values, level)
    size = len(patterns.values)

    def features(counts: Array) -> Array:
        m = counts.sum(axis=1)
        scale = np.where(m > 1, 1 / np.maximum(m - 1, 1), 0.0)
        outer = counts[:, :, None] * counts[:, None, :]
        outer[:, np.arange(size), np.arange(size)] -= counts
        return (outer * scale[:, None, None]).reshape(len(counts), -1)

    def value(sums: Array) -> Array:
        o = sums.reshape(*sums.shape[:-1], size, size)
        return _alpha(o, values, level)

    statistic = _Statistic(name="Krippendorff's alpha", features=features, value=value)
    return _agreement(
        patterns, statistic, level=level, confidence=confidence, n_resamples=n_resamples, seed=seed
    )


def _numbers(values: tuple[Any, ...], level: Level) -> Array:
    if level == "nominal":
        return np.arange(len(values), dtype=np.float64)
    words = [value for value in values if isinstance(value, str)]
    if words:
        raise InputError(f"level={level!r} needs numbers; got {words[0]!r}. Use level='nominal'")
    numbers = np.array(values, dtype=np.float64)
    if level == "ratio" and (numbers < 0).any():
        raise InputError(f"level='ratio' needs a scale without negative values; got {min(values)}")
    return numbers


def _alpha(o: Array, values: Array, level: Level) -> Array:
    """Alpha of each coincidence matrix; NaN where no two responses differ."""
    margins = o.sum(axis=-1)
    delta = _distances(margins, values, level)
    n = margins.sum(axis=-1)
    expected = (margins[..., :, None] * margins[..., None, :] * delta).sum(axis=(-2, -1))
    observed = (o * delta).sum(axis=(-2, -1))
    # Leaving a response out of a sum leaves rounding noise where the sum is exactly zero.
    some = expected > 1e-9 * np.maximum(n, 1) * delta.max(axis=(-2, -1), initial=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(some, 1 - (n - 1) * observed / expected, np.nan)


def _distances(margins: Array, values: Array, level: Level) -> Array:
    """δ² between every two values; the ordinal one depends on how often each occurs."""
    c, k = values[:, None], values[None, :]
    if level == "nominal":
        return np.asarray(c != k, dtype=np.float64)
    if level == "interval":
        return np.asarray((c - k) ** 2, dtype=np.float64)
    if level == "ratio":
        total = np.where(c + k == 0, 1.0, c + k)
        return np.asarray(((c - k) / total) ** 2, dtype=np.float64)
    up_to = np.cumsum(margins, axis=-1) - margins / 2
    return np.asarray((up_to[..., :, None] - up_to[..., None, :]) ** 2, dtype=np.float64)


def rater_agreement(patterns: Patterns, *, level: Level) -> dict[int, float | None]:
    r"""How far each rater agrees with the others, in units of alpha.

    .. math:: 1 - \frac{D_r}{D_e}

    with :math:`D_r` the mean distance of the rater's answers from the other answers to the same
    unit and :math:`D_e` that of any two answers. ``None`` where the rater shares no unit, or where
    all answers are alike. Keys are the numbers of the raters in ``patterns.raters``.
    """
    values = _numbers(patterns.values, level)
    counts = np.asarray(patterns.patterns, dtype=np.float64)
    sizes = counts.sum(axis=1)
    margins = _times(patterns)[sizes > 1] @ counts[sizes > 1]
    delta = _distances(margins, values, level)
    n = margins.sum()
    expected = float(margins @ delta @ margins) / (n * (n - 1)) if n > 1 else 0.0
    rows = np.asarray(patterns.raters)
    found: dict[int, float | None] = {}
    for rater in np.unique(rows[:, 0]):
        own = rows[(rows[:, 0] == rater) & (sizes[rows[:, 1]] > 1)]
        if not len(own) or expected <= 0:
            found[int(rater)] = None
            continue
        # A rater's own answer is at distance zero from itself, so it drops out of the sum.
        apart = (delta[own[:, 2]] * counts[own[:, 1]]).sum(axis=1) / (sizes[own[:, 1]] - 1)
        found[int(rater)] = 1 - float((apart * own[:, 3]).sum() / own[:, 3].sum()) / expected
    return found


def percent_from_patterns(
    patterns: Patterns, *, confidence: float = 0.95, n_resamples: int = 2000, seed: int
) -> Agreement:
    r"""The chance that two raters of a unit give the same answer, averaged over units.

    .. math:: p_a = \frac1U \sum_u \frac{\sum_c n_{uc}(n_{uc} - 1)}{m_u (m_u - 1)}
    """
    statistic = _Statistic(
        name="percent agreement", features=_pairwise, value=lambda sums: _ratio(sums[..., :2])
    )
    return _agreement(
        patterns, statistic, level=None, confidence=confidence, n_resamples=n_resamples, seed=seed
    )


def _pairwise(counts: Array) -> Array:
    """Per unit the share of agreeing pairs and 1, both 0 with fewer than two responses."""
    m = counts.sum(axis=1)
    two = m > 1
    agree = (counts * (counts - 1)).sum(axis=1) / np.where(two, m * (m - 1), 1)
    return np.column_stack([np.where(two, agree, 0.0), two.astype(np.float64)])


def _ratio(sums: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sums[..., 1] > 0.5, sums[..., 0] / sums[..., 1], np.nan)


def fleiss_from_patterns(
    patterns: Patterns, *, confidence: float = 0.95, n_resamples: int = 2000, seed: int
) -> Agreement:
    r"""Fleiss' kappa; with unequal numbers of raters per unit, generalized as in Gwet.

    .. math:: \kappa = \frac{p_a - p_e}{1 - p_e}, \qquad
        p_e = \sum_c \pi_c^2, \quad \pi_c = \frac1U \sum_u \frac{n_{uc}}{m_u}

    References
    ----------
    Fleiss (1971), doi:10.1037/h0031619; Gwet (2014), Handbook of inter-rater reliability, ch. 2.
    """

    def features(counts: Array) -> Array:
        m = counts.sum(axis=1)
        some = m > 0
        shares = counts / np.where(some, m, 1)[:, None]
        return np.column_stack([_pairwise(counts), some.astype(np.float64), shares])

    def value(sums: Array) -> Array:
        observed = _ratio(sums[..., :2])
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = ((sums[..., 3:] / sums[..., 2:3]) ** 2).sum(axis=-1)
            return np.where(chance < 1 - 1e-12, (observed - chance) / (1 - chance), np.nan)

    statistic = _Statistic(name="Fleiss' kappa", features=features, value=value)
    return _agreement(
        patterns,
        statistic,
        level="nominal",
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
    )


def _agreement(
    patterns: Patterns,
    statistic: _Statistic,
    *,
    level: str | None,
    confidence: float,
    n_resamples: int,
    seed: int,
) -> Agreement:
    check_confidence(confidence)
    counts = np.asarray(patterns.patterns, dtype=np.float64)
    times = _times(patterns)
    sizes = counts.sum(axis=1) if len(counts) else np.zeros(0)
    base: dict[str, Any] = {
        "statistic": statistic.name,
        "level": level,
        "n_units": int(times[sizes > 1].sum()),
        "n_items": int(np.sum(patterns.items)),
        "n_raters": patterns.n_raters,
        "n_responses": int((times * sizes)[sizes > 1].sum()),
        "n_dropped": int((times * sizes)[sizes == 1].sum()),
        "seed": seed,
    }
    if base["n_units"] == 0:
        if patterns.n_raters == 1:
            return Agreement(estimate=None, undefined="there is only one rater", **base)
        return Agreement(estimate=None, undefined="no unit has two responses", **base)
    total = times @ statistic.features(counts)
    estimate = float(statistic.value(total))
    if np.isnan(estimate):
        return Agreement(estimate=None, undefined=SAME, **base)
    if patterns.n_raters is not None and patterns.n_raters >= 5:
        interval, why, notes = _jackknife(patterns, statistic, total, estimate, confidence)
    else:
        base["n_resamples"] = n_resamples
        interval, why, notes = _bootstrap(patterns, statistic, confidence, n_resamples, seed)
    return Agreement(estimate=estimate, interval=interval, undefined=why, notes=notes, **base)


def _times(patterns: Patterns) -> Array:
    """How many units have each pattern."""
    signature = np.asarray(patterns.signature)
    items = np.asarray(patterns.items, dtype=np.float64)
    if not len(signature):
        return np.zeros(len(patterns.patterns))
    times = np.bincount(signature[:, 1], items[signature[:, 0]], len(patterns.patterns))
    return times.astype(np.float64)


Made = tuple[Interval | None, str | None, tuple[str, ...]]


def _jackknife(
    patterns: Patterns, statistic: _Statistic, total: Array, estimate: float, confidence: float
) -> Made:
    r"""The interval :math:`\hat\theta - b \pm t_{\min - 1}\sqrt V`, by leaving clusters out.

    Both the variance and the bias b are put together as item + rater − cell. The bias matters:
    pairs of responses that share an item or a rater are among those that chance is taken from,
    which makes alpha too small by about 1/items + 1/raters of what items and raters contribute.
    """
    n_items, n_raters = int(np.sum(patterns.items)), patterns.n_raters or 0
    if n_items < 2:
        return None, "there is only one item", ()
    found = []
    for deletions in (
        _without_items(patterns, statistic),
        _without_rows(patterns, statistic, np.asarray(patterns.raters)),
        _without_rows(patterns, statistic, np.asarray(patterns.cells)),
    ):
        left_out = _leave_out(deletions, statistic, total, estimate)
        if left_out is None:
            return None, "leaving single raters or items out leaves too little to compute it", ()
        found.append(left_out)
    item, rater, cell = found
    variance = item.variance + rater.variance - cell.variance
    largest = max(item.variance, rater.variance)
    notes: tuple[str, ...] = ()
    if variance <= 1e-9 * largest:
        variance = largest
        notes = ("the two-way variance is not positive: the larger one-way variance is used",)
    if variance <= 1e-20:
        return None, "neither raters nor items vary", ()
    df = min(n_items, n_raters) - 1
    half = t_quantile(confidence, df) * variance**0.5
    middle = estimate - (item.bias + rater.bias - cell.bias)
    if n_raters < 10:
        few = f"only {n_raters} raters carry the interval: more raters would narrow it"
        notes = (*notes, few)
    interval = Interval(
        low=min(estimate, middle - half),
        high=max(estimate, min(1.0, middle + half)),
        confidence=confidence,
        method=f"two-way jackknife, t({df})",
        generalizes_to=ALL_RATERS,
    )
    return interval, None, notes


@dataclass(frozen=True, slots=True, kw_only=True)
class _LeftOut:
    """What leaving out clusters of one kind, one by one, says of an estimate."""

    variance: float
    bias: float


def _leave_out(
    deletions: Iterator[tuple[Array, Array]], statistic: _Statistic, total: Array, estimate: float
) -> _LeftOut | None:
    """(G − 1)/G · Σ (θ₍g₎ − mean)² and (G − 1)(mean − θ).

    ``None`` if more than 5% of the clusters cannot be left out.
    """
    values, times = [], []
    for change, count in deletions:
        values.append(statistic.value(total - change))
        times.append(count)
    theta, n = np.concatenate(values), np.concatenate(times)
    ok = ~np.isnan(theta)
    if n[~ok].sum() > 0.05 * n.sum():
        return None
    theta, n = theta[ok], n[ok]
    g = float(n.sum())
    middle = float((theta * n).sum() / g)
    return _LeftOut(
        variance=float((g - 1) / g * (n * (theta - middle) ** 2).sum()),
        bias=(g - 1) * (middle - estimate),
    )


def _by_signature(patterns: Patterns, statistic: _Statistic) -> Array:
    """Signatures × features: what one item with the signature adds."""
    each = statistic.features(np.asarray(patterns.patterns, dtype=np.float64))
    rows = np.asarray(patterns.signature)
    sums = np.zeros((len(patterns.items), each.shape[1]))
    np.add.at(sums, rows[:, 0], each[rows[:, 1]])
    return sums


def _without_items(patterns: Patterns, statistic: _Statistic) -> Iterator[tuple[Array, Array]]:
    yield _by_signature(patterns, statistic), np.asarray(patterns.items, dtype=np.float64)


def _without_rows(
    patterns: Patterns, statistic: _Statistic, rows: NDArray[Any]
) -> Iterator[tuple[Array, Array]]:
    """What the sums lose without each cluster of rows (cluster, pattern, value, count)."""
    counts = np.asarray(patterns.patterns, dtype=np.float64)

    def change(part: NDArray[Any]) -> Array:
        before = counts[part[:, 1]]
        after = before.copy()
        after[np.arange(len(part)), part[:, 2]] -= 1
        return statistic.features(before) - statistic.features(after)

    width = max(1, statistic.features(counts[:1]).shape[1])
    step = max(1, CELLS // width)
    alone = rows[rows[:, 0] < 0]
    for low in range(0, len(alone), step):
        part = alone[low : low + step]
        yield change(part), part[:, 3].astype(np.float64)
    several = rows[rows[:, 0] >= 0]
    if not len(several):
        return
    _, cluster = np.unique(several[:, 0], return_inverse=True)
    for low in range(0, int(cluster.max()) + 1, step):
        here = (cluster >= low) & (cluster < low + step)
        sums = np.zeros((int(cluster[here].max()) - low + 1, width))
        # A rater has many rows: add them in blocks, so that memory stays small.
        index = np.flatnonzero(here)
        for start in range(0, len(index), step):
            block = index[start : start + step]
            part = several[block]
            np.add.at(sums, cluster[block] - low, change(part) * part[:, 3:4])
        yield sums, np.ones(len(sums))


def _bootstrap(
    patterns: Patterns, statistic: _Statistic, confidence: float, n_resamples: int, seed: int
) -> Made:
    """Percentiles over resampled items: a claim about these raters only."""
    items = np.asarray(patterns.items, dtype=np.float64)
    n = int(items.sum())
    if n < 2:
        return None, "there is only one item", ()
    sums = _by_signature(patterns, statistic)
    rng = np.random.default_rng(seed)
    step = max(1, CELLS // len(items))
    values = []
    for low in range(0, n_resamples, step):
        draws = rng.multinomial(n, items / items.sum(), size=min(step, n_resamples - low))
        values.append(statistic.value(draws @ sums))
    theta = np.concatenate(values)
    ok = theta[~np.isnan(theta)]
    if len(ok) < 0.95 * n_resamples:
        return None, "in more than 5% of the resamples it does not exist", ()
    low, high = np.quantile(ok, [0.5 - confidence / 2, 0.5 + confidence / 2])
    if high - low < 1e-12:
        return None, "resampling items never changes it", ()
    return (
        Interval(
            low=float(low),
            high=float(high),
            confidence=confidence,
            method=f"bootstrap of items, {n_resamples:,} resamples",
            generalizes_to=THESE_RATERS,
        ),
        None,
        (),
    )
