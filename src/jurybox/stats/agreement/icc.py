"""The intraclass correlation: which share of the variance of scores lies between outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import OptionError
from jurybox.results import Interval, Result, format_number
from jurybox.stats.agreement.patterns import SAME
from jurybox.stats.agreement.score_sums import Sums, after_units, unconnected
from jurybox.stats.clusters import ALL_RATERS, THESE_RATERS
from jurybox.stats.distributions import check_confidence

__all__ = ["FORMS", "IccForm", "Intraclass", "icc_from_sums"]

Array = NDArray[np.float64]
IccForm = Literal["ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)"]
FORMS: tuple[IccForm, ...] = (
    "ICC(1,1)",
    "ICC(2,1)",
    "ICC(3,1)",
    "ICC(1,k)",
    "ICC(2,k)",
    "ICC(3,k)",
)
NESTED = (
    "raters are nested in items: what a rater adds cannot be told from what an item adds, and only "
    "ICC(1,1) and ICC(1,k) exist"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Intraclass(Result):
    """An intraclass correlation with the variances it is made of."""

    label: ClassVar[str] = "intraclass correlation"

    form: str
    criterion: str | None = None
    k: float | None = None
    """Raters per unit; for unequal numbers their harmonic mean."""
    n_units: int = 0
    """Units with at least two responses."""
    is_complete: bool = True
    """Whether every rater scored every unit."""
    unit_variance: float | None = None
    rater_variance: float | None = None
    """The variance between raters; ``None`` in the one-way forms, where it is in the residual."""
    residual_variance: float | None = None

    @property
    def name(self) -> str:
        """The form."""
        return self.form


@dataclass(frozen=True, slots=True)
class _Model:
    """Mean squares as a complete design would have them, with their degrees of freedom."""

    unit: float
    rater: float | None
    residual: float
    k: float
    n: float
    df_unit: float
    df_rater: float
    df_residual: float

    @property
    def between(self) -> float:
        """The variance between units."""
        return (self.unit - self.residual) / self.k

    @property
    def raters(self) -> float | None:
        """The variance between raters."""
        return None if self.rater is None else (self.rater - self.residual) / self.n


def icc_from_sums(sums: Sums, *, form: IccForm, confidence: float = 0.95) -> Intraclass:
    r"""One of the six forms, complete or not, with its F (forms 1 and 3) or Satterthwaite interval.

    Complete designs: mean squares. Incomplete ones: variance components by Henderson's method 3,
    which fits raters after units and units after raters by least squares,

    .. math:: E\,R(r|u) &= (N - a)\sigma^2_r + (b - c)\sigma^2_e \\
        E\,R(u|r) &= (N - b)\sigma^2_u + (a - c)\sigma^2_e \\
        E\,SSE &= (N - a - b + c)\sigma^2_e

    for N scores of a units by b raters that fall into c groups without a shared unit. The intervals
    are then those of the complete formulas at the effective numbers :math:`k = (N - b)/(a - c)` of
    raters and :math:`n = (N - a)/(b - c)` of units.

    References
    ----------
    Shrout and Fleiss (1979), doi:10.1037/0033-2909.86.2.420; McGraw and Wong (1996),
    doi:10.1037/1082-989X.1.1.30, table 7; Henderson (1953), doi:10.2307/3001853.
    """
    check_confidence(confidence)
    if form not in FORMS:
        raise OptionError(f"form must be one of {', '.join(FORMS)}; got {form!r}")
    complete = sums.n_raters is not None and sums.n == sums.n_units * sums.n_raters
    base: dict[str, Any] = {
        "form": form,
        "n_items": sums.n_items,
        "n_raters": sums.n_raters,
        "n_responses": sums.n,
        "n_dropped": sums.n_dropped,
        "n_units": sums.n_units,
        "is_complete": complete,
        "k": sums.n_units / sums.unit_inverse if sums.n_units else None,
    }
    one_way = form.startswith("ICC(1")
    why = _refuse(sums, one_way=one_way)
    made = None if why else _one_way(sums) if one_way else _two_way(sums)
    if made is None:
        return Intraclass(estimate=None, undefined=why or NESTED, **base)
    estimate = _value(made, form, base["k"])
    if estimate is None:
        return Intraclass(estimate=None, undefined=_why_no_value(made), **base)
    interval = _interval(made, form, base["k"], confidence, complete=complete)
    return Intraclass(
        estimate=estimate,
        interval=interval,
        undefined=None if interval else _why_no_interval(made),
        p=_p(made) if interval else None,
        notes=_notes(sums, complete=complete, one_way=one_way),
        unit_variance=made.between,
        rater_variance=made.raters,
        residual_variance=made.residual,
        **base,
    )


def _refuse(sums: Sums, *, one_way: bool) -> str | None:
    if sums.n_units == 0:
        return "there is only one rater" if sums.n_raters == 1 else "no unit has two responses"
    if sums.n_units == 1:
        return "only one unit has two responses"
    if sums.square <= 0:
        return SAME
    if one_way:
        return None
    if sums.n_raters is None:
        return "raters are not named: only ICC(1,1) and ICC(1,k) exist"
    return NESTED if sums.is_nested else None


def _one_way(sums: Sums) -> _Model:
    a, n = sums.n_units, sums.n
    k = (n - sums.unit_sizes / n) / (a - 1)
    return _Model(
        unit=sums.unit_square / (a - 1),
        rater=None,
        residual=_positive((sums.square - sums.unit_square) / (n - a), sums.square),
        k=k,
        n=a,
        df_unit=a - 1,
        df_rater=0,
        df_residual=n - a,
    )


def _two_way(sums: Sums) -> _Model | None:
    """The model with raters; ``None`` if the design does not tell them from units."""
    a, b, n = sums.n_units, sums.n_raters or 0, sums.n
    # The scores are taken from their mean, so that the sum of squares for the mean is zero.
    raters, groups = sums.rater_square, 1
    if n != a * b:
        raters, groups = after_units(sums, b), unconnected(sums.pairs, b)
    df = n - a - b + groups
    if df < 1 or a <= groups or b <= groups:
        return None
    units = sums.unit_square + raters - sums.rater_square
    return _Model(
        unit=units / (a - groups),
        rater=raters / (b - groups),
        residual=_positive((sums.square - sums.unit_square - raters) / df, sums.square),
        k=(n - b) / (a - groups),
        n=(n - a) / (b - groups),
        df_unit=a - groups,
        df_rater=b - groups,
        df_residual=df,
    )


def _positive(value: float, square: float) -> float:
    """The residual variance; what is rounding noise, or below zero, is none."""
    return value if value > 1e-12 * square else 0.0


def _value(made: _Model, form: IccForm, k: float) -> float | None:
    noise = made.residual + (made.raters or 0.0) * form.startswith("ICC(2")
    total = made.between + noise / (k if form.endswith("k)") else 1)
    return made.between / total if total > 0 else None


def _p(made: _Model) -> float:
    from scipy.special import fdtrc

    return float(fdtrc(made.df_unit, made.df_residual, max(made.unit / made.residual, 0.0)))


def _why_no_value(made: _Model) -> str:
    if made.unit <= 1e-9 * made.residual:
        return "the means of units never differ"
    return "the means of units differ less than by chance, which leaves nothing to be a share of"


def _why_no_interval(made: _Model) -> str:
    if made.residual <= 0:
        return "raters never differ, which leaves no error to build on"
    return "the means of units never differ, which leaves no ratio to build on"


def _stepped_up(bound: float, k: float) -> float:
    """Spearman and Brown's bound of the mean of k raters, which has no end below −1/(k − 1).

    >>> _stepped_up(0.5, 2), _stepped_up(-0.6, 3)
    (0.6666666666666666, -inf)
    """
    below = 1 + bound * (k - 1)
    return bound * k / below if below > 1e-12 else -math.inf


def _interval(
    made: _Model, form: IccForm, k: float, confidence: float, *, complete: bool
) -> Interval | None:
    """Bounds of the single-rater form, by Spearman–Brown those of the mean of k raters."""
    if made.residual <= 0:
        return None
    two = form.startswith("ICC(2")
    low, high = _satterthwaite(made, confidence) if two else _exact(made, confidence)
    if high - low < 1e-9:
        return None
    if form.endswith("k)"):
        low, high = (_stepped_up(bound, k) for bound in (low, high))
        if math.isinf(high):
            return None
    method = "F with Satterthwaite's degrees of freedom" if two else "F"
    return Interval(
        low=low,
        high=high,
        confidence=confidence,
        method=method if complete else f"{method}, at effective numbers of an incomplete design",
        generalizes_to=THESE_RATERS if form.startswith("ICC(3") else ALL_RATERS,
    )


def _exact(made: _Model, confidence: float) -> tuple[float, float]:
    """From the distribution of the ratio of mean squares (Shrout and Fleiss, p. 424 and 426)."""
    from scipy.special import fdtri

    upper = 0.5 + confidence / 2
    ratio = made.unit / made.residual
    low = ratio / fdtri(made.df_unit, made.df_residual, upper)
    high = ratio * fdtri(made.df_residual, made.df_unit, upper)
    return float((low - 1) / (low + made.k - 1)), float((high - 1) / (high + made.k - 1))


def _satterthwaite(made: _Model, confidence: float) -> tuple[float, float]:
    """McGraw and Wong (1996), table 7, case 2A; their a and b are taken times n(1 − ρ).

    An estimate below 0 counts as 0 among the degrees of freedom: a variance cannot be negative, and
    weights of both signs would leave no degrees of freedom, or next to none.
    """
    from scipy.special import fdtri

    upper = 0.5 + confidence / 2
    k, n, rater = made.k, made.n, made.rater or 0.0
    rho = max(0.0, _value(made, "ICC(2,1)", k) or 0.0)
    a, b = k * rho, n * (1 - rho) + k * rho * (n - 1)
    v = (a * rater + b * made.residual) ** 2 / (
        (a * rater) ** 2 / made.df_rater + (b * made.residual) ** 2 / made.df_residual
    )
    noise = k * rater + (k * n - k - n) * made.residual
    f = float(fdtri(made.df_unit, v, upper))
    low = n * (made.unit - f * made.residual) / (f * noise + n * made.unit)
    f = float(fdtri(v, made.df_unit, upper))
    high = n * (f * made.unit - made.residual) / (noise + n * f * made.unit)
    return low, high


def _notes(sums: Sums, *, complete: bool, one_way: bool) -> tuple[str, ...]:
    said = []
    if not complete:
        mean = format_number(sums.n / sums.n_units, 1)
        how = "one-way analysis of variance" if one_way else "Henderson's method 3"
        said.append(
            f"incomplete ({mean} responses a unit): variance components by {how}, k is the "
            "harmonic mean of responses a unit"
        )
    if sums.n_units > sums.n_items:
        said.append("the interval takes outputs of one item for independent")
    return tuple(said)
