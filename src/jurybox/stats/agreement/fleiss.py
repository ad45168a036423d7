"""Percent agreement, and agreement beyond what chance would give: Fleiss' kappa."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.stats.agreement.patterns import Agreement, Patterns, PatternStatistic, agreement_of
from jurybox.stats.clusters import Generalize

__all__ = [
    "chance_statistic",
    "fleiss_from_patterns",
    "fleiss_statistic",
    "percent_from_patterns",
]

Array = NDArray[np.float64]


def percent_from_patterns(
    patterns: Patterns,
    *,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int,
) -> Agreement:
    r"""The chance that two raters of a unit give the same answer, averaged over units.

    .. math:: p_a = \frac1U \sum_u \frac{\sum_c n_{uc}(n_{uc} - 1)}{m_u (m_u - 1)}
    """
    same = np.eye(len(patterns.values))
    statistic = PatternStatistic(
        name="percent agreement",
        features=lambda counts: _pairwise(counts, same),
        value=lambda sums: _ratio(sums[..., :2]),
        share=True,
    )
    return agreement_of(
        patterns,
        statistic,
        generalize=generalize,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
    )


def _pairwise(counts: Array, weights: Array) -> Array:
    """Per unit the weighted share of agreeing pairs and 1, both 0 with fewer than two responses."""
    m = counts.sum(axis=1)
    two = m > 1
    agree = (counts * (counts @ weights - 1)).sum(axis=1) / np.where(two, m * (m - 1), 1)
    return np.column_stack([np.where(two, agree, 0.0), two.astype(np.float64)])


def _ratio(sums: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sums[..., 1] > 0.5, sums[..., 0] / sums[..., 1], np.nan)


def chance_statistic(
    name: str, weights: Array, chance: Any, *, level: str = "nominal", low: float = -1.0
) -> PatternStatistic:
    r"""A coefficient :math:`(p_a - p_e)/(1 - p_e)` of weighted agreement.

    ``chance`` gives :math:`p_e` of the shares :math:`\pi_c = \frac1U\sum_u n_{uc}/m_u`, which are
    means over all units with a response; :math:`p_a` is over those with two.
    """

    def features(counts: Array) -> Array:
        m = counts.sum(axis=1)
        some = m > 0
        shares = counts / np.where(some, m, 1)[:, None]
        return np.column_stack([_pairwise(counts, weights), some.astype(np.float64), shares])

    def parts(sums: Array) -> tuple[Array, Array]:
        with np.errstate(divide="ignore", invalid="ignore"):
            return _ratio(sums[..., :2]), np.asarray(chance(sums[..., 3:] / sums[..., 2:3]))

    def value(sums: Array) -> Array:
        observed, expected = parts(sums)
        # With one value left there is nothing to agree about, whatever chance is taken to be.
        varied = (sums[..., 3:] > 1e-9).sum(axis=-1) > 1
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(
                varied & (expected < 1 - 1e-12), (observed - expected) / (1 - expected), np.nan
            )

    def shown(sums: Array) -> tuple[float, float]:
        observed, expected = parts(sums)
        return float(observed), float(expected)

    return PatternStatistic(
        name=name, features=features, value=value, parts=shown, level=level, low=low
    )


def fleiss_from_patterns(
    patterns: Patterns,
    *,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int,
) -> Agreement:
    r"""Fleiss' kappa; with unequal numbers of raters per unit, generalized as in Gwet.

    .. math:: \kappa = \frac{p_a - p_e}{1 - p_e}, \qquad
        p_e = \sum_c \pi_c^2, \quad \pi_c = \frac1U \sum_u \frac{n_{uc}}{m_u}

    References
    ----------
    Fleiss (1971), doi:10.1037/h0031619; Gwet (2014), Handbook of inter-rater reliability, ch. 2.
    """
    return agreement_of(
        patterns,
        fleiss_statistic(patterns),
        generalize=generalize,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
    )


def fleiss_statistic(patterns: Patterns) -> PatternStatistic:
    """Fleiss' kappa of answers with these values."""
    return chance_statistic(
        "Fleiss' kappa", np.eye(len(patterns.values)), lambda pi: (pi**2).sum(axis=-1)
    )
