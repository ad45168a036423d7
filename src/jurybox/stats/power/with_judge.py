r"""How many items people still have to rate beside a judge, for an interval of a wanted width.

Of M items that the judge rates people rate n, whose answers have a standard deviation σ and
correlate with the judge's by ρ; R raters have own shifts of σ_r. The combined mean has

.. math:: V = \frac{\sigma^2}{n} \Bigl(1 - \rho^2\,\frac{M - n}{M}\Bigr) + \frac{\sigma_r^2}{R}

and the interval :math:`\pm t_{\min(n, R) - 1} \sqrt V`. The judge takes a part of the first term
away and none of the second: a judge never replaces raters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from jurybox.errors import OptionError
from jurybox.results import format_number
from jurybox.stats.distributions import t_quantile
from jurybox.stats.judges.prediction_powered import LEAST_ITEMS, LEAST_RATERS
from jurybox.stats.power.size import Ask

__all__ = ["BesideJudge", "with_judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideJudge:
    """What people and a judge are like, and how much of both there is."""

    sd: float
    """Of people's answer to an item, raters' own shifts apart."""
    correlation: float
    """Of people's answers and the judge's, over items."""
    raters: int
    judged: int
    """The items that the judge rates."""
    rater_sd: float = 0.0
    """Of raters' own shifts."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.sd) and self.sd > 0):
            raise OptionError(f"sd must be above 0, in points or as a share; got {self.sd}")
        if not (math.isfinite(self.rater_sd) and self.rater_sd >= 0):
            raise OptionError(f"rater_sd must be 0 or more; got {self.rater_sd}")
        if not -1 < self.correlation < 1:
            raise OptionError(f"correlation must lie between -1 and 1; got {self.correlation}")
        if self.raters < LEAST_RATERS:
            raise OptionError(
                f"raters must be at least {LEAST_RATERS}, below which people and a judge are not "
                f"combined; got {self.raters}"
            )
        if self.judged <= LEAST_ITEMS:
            raise OptionError(
                f"judged must be more than {LEAST_ITEMS}, the fewest items that people rate; got "
                f"{self.judged}"
            )

    def half_width(self, n: int, confidence: float) -> float:
        """Of the combined mean with n items of people; a judge against them is left out."""
        left = 1 - max(0.0, self.correlation) ** 2 * (self.judged - n) / self.judged
        spread = math.sqrt(self.sd**2 / n * left + self.rater_sd**2 / self.raters)
        return t_quantile(confidence, min(n, self.raters) - 1) * spread

    def fewest(self, half_width: float, confidence: float) -> int | None:
        """The fewest items of people that reach a width; ``None`` where all do not."""
        if self.half_width(self.judged, confidence) > half_width:
            return None
        low, high = LEAST_ITEMS - 1, self.judged
        while high - low > 1:
            middle = (low + high) // 2
            enough = self.half_width(middle, confidence) <= half_width
            low, high = (low, middle) if enough else (middle, high)
        return high


def with_judge(plan: BesideJudge, *, half_width: float | None, confidence: float) -> Ask:
    """The width of a combined interval of people and a judge."""
    judged = plan.judged
    notes = [
        "People's items are drawn at random from the judge's (design.people), and the judge is not "
        "tuned on their answers.",
        "A judge never replaces raters: what raters differ by stays, however many items it rates.",
    ]
    if half_width is not None and half_width > 0:
        _refuse_too_narrow(plan, half_width, confidence)
        alone = replace(plan, correlation=0.0).fewest(half_width, confidence)
        said = f"{alone:,} items" if alone is not None else f"more than the {judged:,} there are"
        notes.insert(0, f"Without the judge it takes {said}.")
    return Ask(
        question="with_judge",
        goal="half_width",
        unit="items",
        counted=lambda n: f"{n:,} items rated by people, of {judged:,} rated by the judge,",
        claim=lambda x: f"give a mean, at a correlation of {format_number(x, 2)}, an interval",
        effect=plan.correlation,
        effect_name="correlation",
        reach=lambda n, _: plan.half_width(min(n, judged), confidence),
        fewest=LEAST_ITEMS,
        most=judged,
        widest=math.inf,
        method=f"prediction-powered mean of {plan.raters} raters",
        notes=tuple(notes),
    )


def _refuse_too_narrow(plan: BesideJudge, half_width: float, confidence: float) -> None:
    least = plan.half_width(plan.judged, confidence)
    if half_width >= least:
        return
    of_raters = t_quantile(confidence, min(plan.judged, plan.raters) - 1) * plan.rater_sd
    few = of_raters / math.sqrt(plan.raters) > half_width / 2
    instead = "take more raters" if few else "have the judge rate more items"
    raise OptionError(
        f"with_judge cannot reach a half-width of {half_width:g}: with people on all "
        f"{plan.judged:,} items it is {format_number(least)}; {instead}, or take a larger "
        "half-width"
    )
