"""Agreement against a chance that does not follow the margins: Gwet's AC, Brennan–Prediger."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError, OptionError
from jurybox.stats.agreement.fleiss import chance_statistic
from jurybox.stats.agreement.patterns import Agreement, Patterns, agreement_of
from jurybox.stats.clusters import Generalize

__all__ = ["AgreementWeights", "brennan_prediger_from_patterns", "gwet_from_patterns"]

Array = NDArray[np.float64]
AgreementWeights = Literal["linear", "quadratic", "ordinal"] | None
WEIGHTS = (None, "linear", "quadratic", "ordinal")


@dataclass(frozen=True, slots=True)
class _Weighting:
    """How much two values agree, and what chance needs of the whole scale."""

    seen: Array
    """Between the values that occur."""
    total: float
    """Sum of the weights between all values of the scale."""
    size: int
    """How many values the scale has."""


def gwet_from_patterns(
    patterns: Patterns,
    *,
    weights: AgreementWeights = None,
    values: Sequence[Any] | None = None,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int,
) -> Agreement:
    r"""Gwet's AC1, or AC2 with weights, for any number of raters, any missing responses.

    .. math:: AC = \frac{p_a - p_e}{1 - p_e}, \qquad
        p_e = \frac{\sum_{kl} w_{kl}}{q(q - 1)} \sum_k \pi_k (1 - \pi_k)

    References
    ----------
    Gwet (2008), doi:10.1348/000711006X126600, eq. 6; Gwet (2014), Handbook of inter-rater
    reliability, ch. 3 and 4.
    """
    weighting = _weighting(patterns.values, weights, values)

    def chance(shares: Array) -> Array:
        scale = weighting.total / max(weighting.size * (weighting.size - 1), 1)
        return np.asarray(scale * (shares * (1 - shares)).sum(axis=-1))

    return _of(
        patterns,
        "Gwet's AC1" if weights is None else f"Gwet's AC2, {weights} weights",
        weighting,
        chance,
        weights=weights,
        generalize=generalize,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
    )


def brennan_prediger_from_patterns(
    patterns: Patterns,
    *,
    weights: AgreementWeights = None,
    values: Sequence[Any] | None = None,
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int,
) -> Agreement:
    r"""The Brennan–Prediger coefficient: by chance every value of the scale is as likely.

    .. math:: \kappa_n = \frac{p_a - p_e}{1 - p_e}, \qquad p_e = \frac{1}{q^2}\sum_{kl} w_{kl}

    Without weights :math:`p_e = 1/q`, which is also Randolph's free-marginal kappa.

    References
    ----------
    Brennan and Prediger (1981), doi:10.1177/001316448104100307, eq. 8.
    """
    weighting = _weighting(patterns.values, weights, values)

    def chance(shares: Array) -> Array:
        return np.full(shares.shape[:-1], weighting.total / max(weighting.size, 1) ** 2)

    return _of(
        patterns,
        "Brennan–Prediger" if weights is None else f"Brennan–Prediger, {weights} weights",
        weighting,
        chance,
        weights=weights,
        generalize=generalize,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
    )


def _of(
    patterns: Patterns,
    name: str,
    weighting: _Weighting,
    chance: Any,
    *,
    weights: AgreementWeights,
    **settings: Any,
) -> Agreement:
    level = {None: "nominal", "ordinal": "ordinal"}.get(weights, "interval")
    # Weights may make agreement by chance so likely that no disagreement is the worst.
    low = -1.0 if weights is None else -math.inf
    statistic = chance_statistic(name, weighting.seen, chance, level=level, low=low)
    return agreement_of(patterns, statistic, **settings)


def _weighting(
    seen: tuple[Any, ...], weights: AgreementWeights, values: Sequence[Any] | None
) -> _Weighting:
    if weights not in WEIGHTS:
        raise OptionError(
            f"weights must be None, 'linear', 'quadratic' or 'ordinal'; got {weights!r}"
        )
    scale = tuple(seen) if values is None else tuple(dict.fromkeys(values))
    unknown = [value for value in seen if value not in scale]
    if unknown:
        raise InputError(
            f"values lists the scale, but {unknown[0]!r} occurs and is not in it; add it"
        )
    whole = _weights(scale, weights)
    where = [scale.index(value) for value in seen]
    return _Weighting(whole[np.ix_(where, where)], float(whole.sum()), len(scale))


def _weights(scale: tuple[Any, ...], weights: AgreementWeights) -> Array:
    """How much two values agree: 1 on the diagonal."""
    if weights is None or len(scale) < 2:
        return np.eye(len(scale))
    words = [value for value in scale if isinstance(value, str)]
    if words:
        raise InputError(f"weights={weights!r} need numbers; got words such as {words[0]!r}")
    numbers = np.array(scale, dtype=np.float64)
    if weights == "ordinal":
        place = np.argsort(np.argsort(numbers)).astype(np.float64)
        steps = np.abs(place[:, None] - place[None, :]) + 1
        # Pairs of places from one value up to the other, among all there are.
        return np.asarray(1 - steps * (steps - 1) / (len(scale) * (len(scale) - 1)))
    apart = np.abs(numbers[:, None] - numbers[None, :]) / np.ptp(numbers)
    return np.asarray(1 - (apart if weights == "linear" else apart**2))
