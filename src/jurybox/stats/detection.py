"""Telling real from generated: sensitivity and bias of raters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from jurybox.results import Result, ResultTable, format_count
from jurybox.stats.clusters import Spread, t_interval
from jurybox.stats.distributions import check_confidence, normal_score, t_two_sided
from jurybox.stats.shares import Share, ShareDifference

__all__ = ["Counts", "Sensitivity", "TuringTest", "group_sensitivity", "sensitivity"]

ENOUGH = 10
"""Raters with fewer trials of a kind get no d′ of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """One rater's answers: how many of the generated and of the real were called generated."""

    hits: int
    generated: int
    false_alarms: int
    real: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity(Result):
    """How well raters tell generated from real: d′, with the bias c beside it."""

    label: ClassVar[str] = "d′"
    neutral: ClassVar[float | None] = 0.0

    bias: float | None = None
    """c; above zero, raters tend to answer "real"."""
    pooled: float | None = None
    """d′ of all answers thrown together, which is smaller when raters differ in bias."""
    system: str | None = None

    @property
    def name(self) -> str:
        """The statistic, and the system it is about."""
        return self.label if self.system is None else f"{self.label}, {self.system}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TuringTest(ResultTable):
    """How often generated outputs pass for real, per system, and whether raters can tell."""

    label: ClassVar[str] = "fooling rate"

    rows: tuple[Share, ...]
    false_rejection: Share | None = None
    """How often a real output is called generated."""
    hits: tuple[Share, ...] = ()
    """How often a generated output is called generated, per system."""
    balanced_accuracy: Share | None = None
    differences: tuple[ShareDifference, ...] = ()
    """Fooling rate minus the acceptance rate of real outputs: zero if raters cannot tell."""
    sensitivity: Sensitivity | None = None
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


def group_sensitivity(raters: Sequence[Counts], *, confidence: float = 0.95) -> Sensitivity:
    """The mean of the raters' own d′, with t over raters."""
    check_confidence(confidence)
    own = [sensitivity(r) for r in raters if min(r.generated, r.real) >= ENOUGH]
    total = Counts(
        hits=sum(r.hits for r in raters),
        generated=sum(r.generated for r in raters),
        false_alarms=sum(r.false_alarms for r in raters),
        real=sum(r.real for r in raters),
    )
    if not total.generated or not total.real:
        kind = "real" if total.generated else "generated"
        why = f"only {'generated' if total.generated else 'real'} outputs were shown, none {kind}"
        return Sensitivity(estimate=None, undefined=why)
    pooled = sensitivity(total)[0]
    left_out = len(raters) - len(own)
    n = sum(r.generated + r.real for r in raters)
    if not own:
        why = f"no rater answered {ENOUGH} real and {ENOUGH} generated outputs"
        return Sensitivity(estimate=None, undefined=why, pooled=pooled, n_responses=n)
    mean = sum(d for d, _ in own) / len(own)
    bias = sum(c for _, c in own) / len(own)
    squares = sum((d - mean) ** 2 for d, _ in own)
    spread, why_not, p = None, None, None
    if len(own) < 2:
        why_not = "only one rater has enough answers"
    elif squares <= 0:
        why_not = f"the {len(own)} raters do not vary"
    else:
        df = len(own) - 1
        spread = Spread(
            variance=squares / df / len(own),
            df=df,
            method=f"mean of the raters' own d′, t({df})",
            generalizes_to="raters like these, on these items",
        )
        p = t_two_sided(mean / spread.se, df)
    who = format_count(left_out, "rater")
    notes = (f"{who} with fewer than {ENOUGH} of a kind left out",) if left_out else ()
    return Sensitivity(
        estimate=mean,
        interval=t_interval(mean, spread, confidence),
        p=p,
        n_raters=len(own),
        n_responses=n,
        undefined=why_not,
        notes=notes,
        bias=bias,
        pooled=pooled,
    )
