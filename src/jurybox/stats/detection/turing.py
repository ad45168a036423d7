"""Telling real from generated: rates, the test of equal acceptance, sensitivity and bias."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from jurybox.errors import InputError
from jurybox.results import Interval, Result, ResultTable, format_count
from jurybox.stats.clusters import THESE_ITEMS, Spread, t_interval
from jurybox.stats.detection.acceptance import AcceptanceEquivalence
from jurybox.stats.detection.auc import Area
from jurybox.stats.distributions import check_confidence, normal_score, t_two_sided
from jurybox.stats.shares import Share, ShareDifference

__all__ = [
    "Counts",
    "OriginShare",
    "RaterDetection",
    "Sensitivity",
    "TuringTest",
    "group_sensitivity",
    "plain_sensitivity",
    "rater_detection",
    "sensitivity",
    "two_alternative",
]

ENOUGH = 10
"""Raters with fewer trials of a kind get no d′ of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """One rater's answers: how many of the generated and of the real were called generated."""

    hits: int
    generated: int
    false_alarms: int
    real: int
    rater: str = ""
    area: float | None = None
    """The area under the rater's own curve, where confidence was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginShare(Share):
    """How often outputs of one origin are called real, or generated, with both counts."""

    called_real: int
    called_generated: int

    @classmethod
    def of(cls, row: Share, *, called_real: int, called_generated: int) -> OriginShare:
        """The share with its two counts."""
        return row.as_kind(cls, called_real=called_real, called_generated=called_generated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity(Result):
    """How well raters tell generated from real: d′, with the bias c beside it."""

    label: ClassVar[str] = "d′"
    neutral: ClassVar[float | None] = 0.0

    bias: float | None = None
    """c; above zero, raters tend to answer "real"."""
    bias_interval: Interval | None = None
    """Where the mean c of raters like these lies; ``None`` where d′ has no interval either."""
    pooled: float | None = None
    """d′ of all answers thrown together, which is smaller when raters differ in bias."""
    pooled_bias: float | None = None
    system: str | None = None

    @property
    def name(self) -> str:
        """The statistic, and the system it is about."""
        return self.label if self.system is None else f"{self.label}, {self.system}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterDetection(Result):
    """One rater: d′ with the counts and rates that it comes from."""

    label: ClassVar[str] = "d′"
    neutral: ClassVar[float | None] = 0.0

    rater: str
    bias: float | None = None
    hits: int
    """Generated outputs called generated."""
    generated: int
    false_alarms: int
    """Real outputs called generated."""
    real: int
    fooling_rate: float | None = None
    false_rejection: float | None = None
    balanced_accuracy: float | None = None
    area: float | None = None
    """The area under the rater's own curve, where confidence was asked."""

    @property
    def name(self) -> str:
        """The rater."""
        return self.rater


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TuringTest(ResultTable):
    """How often generated outputs pass for real, per system, and whether raters can tell."""

    label: ClassVar[str] = "fooling rate"

    rows: tuple[OriginShare, ...]
    """The fooling rate of every generated system."""
    fooling: OriginShare | None = None
    """Of all generated outputs together."""
    false_rejection: OriginShare | None = None
    """How often a real output is called generated."""
    hits: tuple[OriginShare, ...] = ()
    """How often a generated output is called generated, per system."""
    hit: OriginShare | None = None
    """Of all generated outputs together."""
    balanced_accuracy: Share | None = None
    difference: ShareDifference | None = None
    """Of all generated outputs together: how much less often than real ones they pass for real."""
    differences: tuple[ShareDifference, ...] = ()
    """Fooling rate minus the acceptance rate of real outputs: zero if raters cannot tell."""
    equivalences: tuple[AcceptanceEquivalence, ...] = ()
    """Whether each difference lies within the margin, where one was stated."""
    sensitivity: Sensitivity | None = None
    sensitivities: tuple[Sensitivity, ...] = ()
    """d′ per system, each against the same real outputs."""
    area: Area | None = None
    """The area under the curve of the signed confidence."""
    areas: tuple[Area, ...] = ()
    raters: tuple[RaterDetection, ...] = ()
    margin: float | None = None
    cluster: str | None = "both"
    confidence: float = 0.95


def sensitivity(counts: Counts) -> tuple[float, float]:
    r"""Give d′ = z(H) − z(F) and c = −(z(H) + z(F))/2; ½ is added to counts, 1 to totals, always.

    References
    ----------
    Hautus (1995), doi:10.3758/BF03203619 (the correction).

    Examples
    --------
    >>> d, c = sensitivity(Counts(hits=8, generated=10, false_alarms=2, real=10))
    >>> round(d, 3), round(c, 3) + 0.0
    (1.496, 0.0)
    """
    hit = normal_score((counts.hits + 0.5) / (counts.generated + 1))
    alarm = normal_score((counts.false_alarms + 0.5) / (counts.real + 1))
    return hit - alarm, -(hit + alarm) / 2


def plain_sensitivity(counts: Counts) -> tuple[float, float] | None:
    """d′ and c without the correction, as published tables often have them.

    ``None`` where a rate is 0 or 1, whose normal score is infinite.

    >>> d, c = plain_sensitivity(Counts(hits=8, generated=10, false_alarms=2, real=10))
    >>> round(d, 3)
    1.683
    """
    if not 0 < counts.hits < counts.generated or not 0 < counts.false_alarms < counts.real:
        return None
    hit = normal_score(counts.hits / counts.generated)
    alarm = normal_score(counts.false_alarms / counts.real)
    return hit - alarm, -(hit + alarm) / 2


def two_alternative(right: int, trials: int) -> float | None:
    r"""d′ where a real and a generated output are shown together and the rater picks one.

    Such answers are votes, not detections; the better of two draws is found with

    .. math:: d' = \sqrt 2 \; z(p)

    where p is the share of right picks, with ½ added to the count and 1 to the trials. ``None``
    without trials.

    References
    ----------
    Macmillan and Creelman (2005), Detection theory, ch. 7.

    >>> round(two_alternative(84, 100), 2)
    1.39
    """
    if not 0 <= right <= trials:
        raise InputError(f"two_alternative: right must lie in 0 … trials; got {right} of {trials}")
    return math.sqrt(2) * normal_score((right + 0.5) / (trials + 1)) if trials else None


def rater_detection(counts: Counts) -> RaterDetection:
    """One rater's rates; d′ only with ten trials of either kind, no rate of a single one."""
    fooling = 1 - counts.hits / counts.generated if counts.generated > 1 else None
    rejected = counts.false_alarms / counts.real if counts.real > 1 else None
    accuracy = None
    if fooling is not None and rejected is not None:
        accuracy = (1 - fooling + 1 - rejected) / 2
    enough = min(counts.generated, counts.real) >= ENOUGH
    d, c = sensitivity(counts) if enough else (None, None)
    return RaterDetection(
        estimate=d,
        undefined="one rater's own d′ is given without an interval"
        if enough
        else f"fewer than {ENOUGH} real or {ENOUGH} generated outputs",
        n_raters=1,
        n_responses=counts.generated + counts.real,
        rater=counts.rater,
        bias=c,
        hits=counts.hits,
        generated=counts.generated,
        false_alarms=counts.false_alarms,
        real=counts.real,
        fooling_rate=fooling,
        false_rejection=rejected,
        balanced_accuracy=accuracy,
        area=counts.area if counts.generated * counts.real > 1 else None,
    )


def group_sensitivity(
    raters: Sequence[Counts],
    *,
    system: str | None = None,
    anonymous: bool = False,
    confidence: float = 0.95,
) -> Sensitivity:
    """The mean of the raters' own d′, with t over raters.

    Parameters
    ----------
    raters
        The counts of each; those with fewer than ten trials of a kind add to the pooled d′ only.
    system
        Whose outputs are the signal; ``None`` for all generated ones.
    anonymous
        Nobody knows which answers are whose: there is the pooled d′ alone.
    """
    check_confidence(confidence)
    own = [] if anonymous else [sensitivity(r) for r in raters if _enough(r)]
    total = Counts(
        hits=sum(r.hits for r in raters),
        generated=sum(r.generated for r in raters),
        false_alarms=sum(r.false_alarms for r in raters),
        real=sum(r.real for r in raters),
    )
    if not total.generated or not total.real:
        kind = "real" if total.generated else "generated"
        why = f"only {'generated' if total.generated else 'real'} outputs were shown, none {kind}"
        return Sensitivity(estimate=None, undefined=why, system=system)
    pooled, pooled_bias = sensitivity(total)
    base = Sensitivity(
        estimate=pooled,
        n_responses=total.generated + total.real,
        pooled=pooled,
        pooled_bias=pooled_bias,
        system=system,
    )
    if not own:
        of = "generated outputs" if system is None else "of one system"
        why = f"no rater answered {ENOUGH} real outputs and {ENOUGH} {of}"
        if anonymous:
            why = "the table names no raters"
        return replace(base, estimate=None, undefined=why)
    left_out = len(raters) - len(own)
    who = format_count(left_out, "rater")
    notes = (f"{who} with fewer than {ENOUGH} of a kind left out",) if left_out else ()
    base = replace(base, n_raters=len(own), notes=notes)
    if len(own) > 1 and all(_one_sided(r) for r in raters if _enough(r)):
        # Between such raters d′ varies with the number of trials alone.
        why = "every rater called all outputs of a kind the same: d′ follows the number of trials"
        d, c = (sum(each) / len(own) for each in zip(*own, strict=True))
        return replace(base, estimate=d, bias=c, undefined=why)
    return _over_raters(base, own, confidence)


def _enough(counts: Counts) -> bool:
    return min(counts.generated, counts.real) >= ENOUGH


def _one_sided(counts: Counts) -> bool:
    """Whether both rates are 0 or 1."""
    return counts.hits in (0, counts.generated) and counts.false_alarms in (0, counts.real)


def _over_raters(
    base: Sensitivity, own: Sequence[tuple[float, float]], confidence: float
) -> Sensitivity:
    """Mean ± t · sd/√n over the raters' own d′, and over their own c."""
    n = len(own)
    mean, spread = _mean([d for d, _ in own], "d′")
    bias, bias_spread = _mean([c for _, c in own], "c")
    why_not = None
    if n < 2:
        why_not = "only one rater has enough answers"
    elif spread is None:
        why_not = f"the {n} raters do not vary"
    return replace(
        base,
        estimate=mean,
        interval=t_interval(mean, spread, confidence),
        p=None if spread is None else t_two_sided(mean / spread.se, n - 1),
        undefined=why_not,
        bias=bias,
        bias_interval=t_interval(bias, bias_spread, confidence),
    )


def _mean(values: Sequence[float], name: str) -> tuple[float, Spread | None]:
    """The mean over raters with its variance; without one where the raters do not vary."""
    n = len(values)
    mean = sum(values) / n
    squares = sum((value - mean) ** 2 for value in values)
    if n < 2 or squares <= 0:
        return mean, None
    return mean, Spread(
        variance=squares / (n - 1) / n,
        df=n - 1,
        method=f"mean of the raters' own {name}, t({n - 1})",
        generalizes_to=THESE_ITEMS,
    )
