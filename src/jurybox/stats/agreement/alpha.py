"""Krippendorff's alpha at any level, and what each rater has of it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError, OptionError
from jurybox.stats.agreement.patterns import (
    Agreement,
    Patterns,
    PatternStatistic,
    agreement_of,
    unit_counts,
)
from jurybox.stats.clusters import Generalize

__all__ = [
    "LEVELS",
    "Level",
    "alpha_from_patterns",
    "alpha_statistic",
    "rater_agreement",
    "value_distances",
]

Array = NDArray[np.float64]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS = ("nominal", "ordinal", "interval", "ratio")
MANY_VALUES = 50
"""Above this the ordinal distances are held fixed while clusters are left out: V² sums are many."""


def alpha_from_patterns(
    patterns: Patterns,
    *,
    level: Level,
    generalize: Generalize = "raters+items",
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
    return agreement_of(
        patterns,
        alpha_statistic(patterns, level),
        generalize=generalize,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
    )


def alpha_statistic(patterns: Patterns, level: Level) -> PatternStatistic:
    """Alpha of answers of this level; distances that are held fixed are those of the patterns."""
    if level not in LEVELS:
        raise OptionError(f"level must be one of {', '.join(LEVELS)}; got {level!r}")
    values = _numbers(patterns.values, level)
    if level == "ordinal" and len(values) <= MANY_VALUES:
        return _ordinal_alpha(values)
    return _fixed_alpha(_distances(_margins(patterns), values, level), level)


def _ordinal_alpha(values: Array) -> PatternStatistic:
    """Alpha whose distances change with the sums: the coincidence matrix is needed."""
    size = len(values)

    def features(counts: Array) -> Array:
        outer = counts[:, :, None] * counts[:, None, :]
        outer[:, np.arange(size), np.arange(size)] -= counts
        return (outer * _weight(counts)[:, None, None]).reshape(len(counts), -1)

    def value(sums: Array) -> Array:
        o = sums.reshape(*sums.shape[:-1], size, size)
        margins = o.sum(axis=-1)
        delta = _distances(margins, values, "ordinal")
        expected = (margins[..., :, None] * margins[..., None, :] * delta).sum(axis=(-2, -1))
        return _alpha(margins.sum(axis=-1), (o * delta).sum(axis=(-2, -1)), expected, delta)

    return PatternStatistic(
        name="Krippendorff's alpha", features=features, value=value, level="ordinal"
    )


def _fixed_alpha(delta: Array, level: Level) -> PatternStatistic:
    """Alpha of given distances: a unit adds its disagreement and its counts."""

    def features(counts: Array) -> Array:
        weight = _weight(counts)
        apart = ((counts @ delta) * counts).sum(axis=1) * weight
        return np.column_stack([apart, counts * (weight > 0)[:, None]])

    def value(sums: Array) -> Array:
        margins = sums[..., 1:]
        expected = ((margins @ delta) * margins).sum(axis=-1)
        return _alpha(margins.sum(axis=-1), sums[..., 0], expected, delta)

    return PatternStatistic(
        name="Krippendorff's alpha", features=features, value=value, level=level
    )


def _weight(counts: Array) -> Array:
    """1/(m − 1) of each unit; 0 with fewer than two responses."""
    m = counts.sum(axis=1)
    return np.where(m > 1, 1 / np.maximum(m - 1, 1), 0.0)


def _alpha(n: Array, observed: Array, expected: Array, delta: Array) -> Array:
    """Alpha; NaN where no two responses differ."""
    # Leaving a response out of a sum leaves rounding noise where the sum is exactly zero.
    some = expected > 1e-9 * np.maximum(n, 1) * delta.max(axis=(-2, -1), initial=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(some, 1 - (n - 1) * observed / expected, np.nan)


def _margins(patterns: Patterns) -> Array:
    """How often each value was given to units with two responses."""
    counts = np.asarray(patterns.patterns, dtype=np.float64)
    two = counts.sum(axis=1) > 1
    return np.asarray(unit_counts(patterns)[two] @ counts[two], dtype=np.float64)


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


def value_distances(margins: Array, values: tuple[Any, ...], level: Level) -> Array:
    """δ² between every two of the values, of which ``margins`` says how often each was given."""
    return _distances(margins, _numbers(values, level), level)


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
    margins = _margins(patterns)
    delta = _distances(margins, values, level)
    n = margins.sum()
    expected = float(margins @ delta @ margins) / (n * (n - 1)) if n > 1 else 0.0
    rows = np.asarray(patterns.raters)
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    raters, starts = np.unique(rows[:, 0], return_index=True)
    ends = np.append(starts[1:], len(rows))
    found: dict[int, float | None] = {}
    for rater, start, end in zip(raters, starts, ends[: len(raters)], strict=True):
        own = rows[start:end]
        own = own[sizes[own[:, 1]] > 1]
        if not len(own) or expected <= 0:
            found[int(rater)] = None
            continue
        # A rater's own answer is at distance zero from itself, so it drops out of the sum.
        apart = (delta[own[:, 2]] * counts[own[:, 1]]).sum(axis=1) / (sizes[own[:, 1]] - 1)
        found[int(rater)] = 1 - float((apart * own[:, 3]).sum() / own[:, 3].sum()) / expected
    return found
