r"""Whether raters are right as often as they say they are.

An answer states the probability x that it is right, and turns out right (y = 1) or wrong (y = 0).
Means of answers are ratios of sums (see ``clusters``); what depends on the distinct stated
probabilities alone is computed from counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError, OptionError
from jurybox.results import Result, format_number
from jurybox.stats.clusters import Cluster, Generalize, Sums, claims, ratio_variances
from jurybox.stats.distributions import t_two_sided
from jurybox.stats.means import mean
from jurybox.stats.shares import Share

__all__ = [
    "Brier",
    "Calibration",
    "ExpectedError",
    "RaterCalibration",
    "ReliabilityBin",
    "Slope",
    "bin_of",
    "brier_parts",
    "calibration_error",
    "mean_against",
]

Array = NDArray[np.float64]
FEW = 20
"""Up to so many distinct stated probabilities each has a bin of its own."""
CAVEAT = (
    "the null counts answers as independent of one another; where raters err together, its p is "
    "too small"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope(Result):
    """How much more often raters are right per unit of stated probability; 1 if calibrated."""

    label: ClassVar[str] = "calibration slope"
    neutral: ClassVar[float | None] = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Brier(Result):
    """The mean squared difference between the stated probability and what came out."""

    label: ClassVar[str] = "Brier score"

    reliability: float | None = None
    """How far stated probabilities are off the shares right; 0 is perfect."""
    resolution: float | None = None
    """How far the shares right at different stated probabilities lie apart; more is better."""
    uncertainty: float | None = None
    """What the share right alone leaves open; reliability − resolution + this is the score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedError(Result):
    """The expected calibration error beside what chance alone makes of it."""

    label: ClassVar[str] = "expected calibration error"
    has_interval: ClassVar[bool] = False

    under_null: float | None = None
    """Its mean were the raters perfectly calibrated: never 0."""
    n_resamples: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin(Share):
    """How often raters are right who state about the same probability."""

    stated: float
    """The mean stated probability."""
    low: float
    """The bin holds stated probabilities from here …"""
    high: float
    """… to here, this end included only where it is 1 or the same as ``low``."""

    @property
    def name(self) -> str:
        """The stated probability, or the two ends of the bin."""
        low, high = 100 * self.low, 100 * self.high
        return f"{low:g}%" if low == high else f"{low:g} to {high:g}%"


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterCalibration(Result):
    """One rater: the share right minus the mean stated probability."""

    label: ClassVar[str] = "calibration in the large"
    as_percent: ClassVar[bool] = True
    neutral: ClassVar[float | None] = 0.0

    rater: str
    stated: float
    right: float
    brier: float

    @property
    def name(self) -> str:
        """The rater."""
        return self.rater

    def format(self, value: float | None) -> str:
        """In percentage points: a percentage would read as a ratio of the two shares."""
        return "–" if value is None else f"{format_number(100 * value, 1)} points"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration(Result):
    """Calibration in the large: the share right minus the mean stated probability.

    Below zero, raters are surer than they are right.
    """

    label: ClassVar[str] = "calibration in the large"
    as_percent: ClassVar[bool] = True
    neutral: ClassVar[float | None] = 0.0

    stated: float | None = None
    """The mean stated probability."""
    right: float | None = None
    """The share of right answers."""
    slope: Slope | None = None
    brier: Brier | None = None
    error: ExpectedError | None = None
    bins: tuple[ReliabilityBin, ...] = ()
    """What a reliability diagram draws."""
    raters: tuple[RaterCalibration, ...] = ()

    def format(self, value: float | None) -> str:
        """In percentage points: a percentage would read as a ratio of the two shares."""
        return "–" if value is None else f"{format_number(100 * value, 1)} points"


def mean_against(
    sums: Sums,
    k: int,
    null: float,
    *,
    confidence: float = 0.95,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
) -> Result:
    r"""The k-th ratio with its clustered interval, tested against ``null``.

    With :math:`u = (x - \bar x)(y - \bar y)` and :math:`w = (x - \bar x)^2` the ratio is the slope
    of the regression of y on x, and its clustered variance the regression's sandwich.
    """
    how: dict[str, Any] = {"cluster": cluster, "generalize": generalize}
    found = mean(sums, k, confidence=confidence, **how)
    claim = claims(ratio_variances(sums, k), **how).main
    if claim is None or found.estimate is None:
        return found
    return replace(found, p=t_two_sided((found.estimate - null) / claim.se, claim.df))


def brier_parts(
    stated: Sequence[float], n: Sequence[int], right: Sequence[int]
) -> tuple[float, float, float]:
    r"""Reliability, resolution and uncertainty of the Brier score, from counts.

    .. math::
        \text{BS} = \underbrace{\tfrac1N \sum_v n_v (x_v - \bar y_v)^2}_\text{reliability}
        - \underbrace{\tfrac1N \sum_v n_v (\bar y_v - \bar y)^2}_\text{resolution}
        + \underbrace{\bar y (1 - \bar y)}_\text{uncertainty}

    over the distinct stated probabilities :math:`x_v`, where the sum is exact.

    References
    ----------
    Murphy (1973), doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2.

    Examples
    --------
    Two of four right at 0.5, four of four at 1: reliability 0, resolution
    (4·(½ − ¾)² + 4·(1 − ¾)²)/8, uncertainty ¾ · ¼.

    >>> brier_parts([0.5, 1], [4, 4], [2, 4])
    (0.0, 0.0625, 0.1875)
    """
    x, times, hits = _checked(stated, n, right)
    total = times.sum()
    share = hits / times
    overall = hits.sum() / total
    return (
        float((times * (x - share) ** 2).sum() / total),
        float((times * (share - overall) ** 2).sum() / total),
        float(overall * (1 - overall)),
    )


def _checked(
    stated: Sequence[float], n: Sequence[int], right: Sequence[int]
) -> tuple[Array, Array, Array]:
    x, times, hits = (np.asarray(each, dtype=np.float64) for each in (stated, n, right))
    if not len(x) or not x.shape == times.shape == hits.shape:
        raise InputError(
            f"calibration: stated, n and right need the same length, at least 1; got {len(x)}, "
            f"{len(times)} and {len(hits)}"
        )
    if (x < 0).any() or (x > 1).any():
        raise InputError("calibration: a stated probability must lie between 0 and 1")
    if (times < 1).any() or (hits < 0).any() or (hits > times).any():
        raise InputError("calibration: right must lie between 0 and n, and n be at least 1")
    return x, times, hits


def bin_of(stated: Sequence[float], bins: int | None = None) -> tuple[list[int], int | None]:
    """The bin of each distinct stated probability, and how many equal bins [0, 1] was cut into.

    By default every stated probability has a bin of its own (and the second value is ``None``);
    from 21 distinct ones on there are ten bins of equal width. The last bin includes 1.

    >>> bin_of([0.5, 0.75, 1.0])
    ([0, 1, 2], None)
    >>> bin_of([0.5, 0.75, 1.0], bins=4)
    ([2, 3, 3], 4)
    """
    if bins is not None and bins < 1:
        raise OptionError(f"bins must be at least 1; got {bins}")
    if bins is None and len(stated) <= FEW:
        return list(range(len(stated))), None
    width = 10 if bins is None else bins
    # A probability at the edge of a bin lies in it, however x · width is rounded (0.29 · 100).
    return [min(width - 1, int(x * width + 1e-9)) for x in stated], width


def calibration_error(
    stated: Sequence[float],
    n: Sequence[int],
    right: Sequence[int],
    *,
    bins: int | None = None,
    n_resamples: int = 2000,
    seed: int,
) -> ExpectedError:
    r"""The expected calibration error, its mean under perfect calibration, and p from that null.

    .. math:: \text{ECE} = \sum_b \frac{n_b}{N} \left| \bar y_b - \bar x_b \right|

    Notes
    -----
    A sum of absolute values is never zero by chance, so the number alone says nothing: beside it
    stand its mean and the share of draws at or beyond it when the number right at each stated
    probability is binomial with that probability. There is no percentile interval, which would sit
    above the truth.

    References
    ----------
    Bröcker and Smith (2007), doi:10.1175/WAF993.1 (consistency resampling).
    """
    x, times, hits = _checked(stated, n, right)
    if n_resamples < 1:
        raise OptionError(f"n_resamples must be at least 1; got {n_resamples}")
    where, _ = bin_of(list(x), bins)
    member = np.zeros((len(x), max(where) + 1))
    member[np.arange(len(x)), where] = 1.0
    expected = (x * times) @ member

    def error(found: Array) -> Array:
        return np.asarray(np.abs(found @ member - expected).sum(axis=-1) / times.sum())

    estimate = float(error(hits))
    rng = np.random.default_rng(seed)
    drawn = error(rng.binomial(times.astype(np.int64), x, size=(n_resamples, len(x))).astype(float))
    # What rounding makes of draws that equal the estimate is still at or beyond it.
    beyond = int((drawn >= estimate - 1e-12).sum())
    return ExpectedError(
        estimate=estimate,
        p=(1 + beyond) / (n_resamples + 1),
        n_responses=int(times.sum()),
        undefined="compared with its null, an error that is never negative has no interval",
        notes=(CAVEAT,),
        under_null=float(drawn.mean()),
        n_resamples=n_resamples,
        seed=seed,
    )
