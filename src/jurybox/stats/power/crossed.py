r"""What items × raters × overlap are worth: the standard error of a difference of two systems.

A score is the sum of what the system, the item, the rater and every two of them add. With the same
items and the same raters for both systems, what the item, the rater and their pairing add cancels.
There remain what an item does to one system, what a rater has for one system, and noise:

.. math::
    se^2 = 2\left(\frac{\sigma^2_{is}}{m} + \frac{\sigma^2_{rs}}{R}
        + \frac{\sigma^2_e}{m k}\right)

for m items, R raters who share the work evenly (at most m k have any), and k of them per output.
More items never make up for few raters: the middle term stays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from jurybox.errors import OptionError

__all__ = ["Components", "Crossed", "design_effect", "difference_se", "independent_answers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """How far scores of one system spread around its mean, as standard deviations in points.

    Those of a single system: a difference of two systems has twice the variance.
    """

    item_system: float
    """Between items, in what they do to one system and not to the others."""
    rater_system: float
    """Between raters, in their taste for one system."""
    noise: float
    """What is left: the same rater, item and system, another day."""

    def __post_init__(self) -> None:
        for name in ("item_system", "rater_system", "noise"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise OptionError(
                    f"components: {name} is a standard deviation in points, 0 or more; got {value}"
                )
        if self.item_system == self.rater_system == self.noise == 0:
            raise OptionError("components: at least one standard deviation must be above 0")

    @property
    def variance(self) -> float:
        """Of one score of one system around its mean."""
        return self.item_system**2 + self.rater_system**2 + self.noise**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossed:
    """The size of a design: items × raters, each output judged by ``overlap`` of the raters."""

    items: int
    raters: int
    overlap: int

    def __post_init__(self) -> None:
        for name in ("items", "raters", "overlap"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name} must be at least 1; got {getattr(self, name)}")
        if self.overlap > self.raters:
            raise OptionError(
                f"overlap must not exceed raters: {self.overlap} of {self.raters} raters cannot "
                "judge one output; take more raters or a smaller overlap"
            )

    @property
    def working(self) -> int:
        """The raters who have anything to judge."""
        return min(self.raters, self.items * self.overlap)

    @property
    def df(self) -> int:
        """The degrees of freedom of the two-way clustered t: the smaller count minus one."""
        return min(self.items, self.working) - 1


def difference_se(items: int, raters: int, overlap: int, components: Components) -> float:
    r"""The standard error of the difference between two systems' mean scores.

    .. math::
        se = \sqrt{2\left(\sigma^2_{is}/m + \sigma^2_{rs}/R + \sigma^2_e/(mk)\right)}

    *Degenerate input.* No item, no rater, or more raters per output than there are raters: refused
    with what to change.

    *Checked against* the spread of simulated differences.

    References
    ----------
    Brennan (2001), Generalizability Theory, doi:10.1007/978-1-4757-3456-0: the
    crossed design of three facets, here systems, items and raters.

    Examples
    --------
    Fifty items, each output judged by 3 of 10 raters:

    >>> parts = Components(item_system=0.5, rater_system=0.2, noise=0.8)
    >>> round(difference_se(50, 10, 3, parts), 4)
    0.1629
    """
    size = Crossed(items=items, raters=raters, overlap=overlap)
    items_ = components.item_system**2 / size.items
    raters_ = components.rater_system**2 / size.working
    noise = components.noise**2 / (size.items * size.overlap)
    return math.sqrt(2 * (items_ + raters_ + noise))


def independent_answers(items: int, raters: int, overlap: int, components: Components) -> float:
    r"""How many independent answers per system would give the same standard error.

    .. math:: n = \frac{2(\sigma^2_{is} + \sigma^2_{rs} + \sigma^2_e)}{se^2}

    Of m k answers given: their ratio is the design effect.

    >>> parts = Components(item_system=0.5, rater_system=0.2, noise=0.8)
    >>> round(independent_answers(50, 10, 3, parts), 1)
    70.1
    """
    return 2 * components.variance / difference_se(items, raters, overlap, components) ** 2


def design_effect(per_rater: float, correlation: float) -> float:
    r"""How many times larger a variance is because answers repeat within raters.

    .. math:: 1 + (a - 1)\rho

    for a answers of each rater, any two of which correlate by ρ.

    References
    ----------
    Kish (1965), Survey Sampling, chapter 5.

    Examples
    --------
    >>> round(design_effect(20, 0.05), 2)
    1.95
    """
    if not (math.isfinite(per_rater) and per_rater >= 1):
        raise OptionError(f"per_rater must be 1 answer or more; got {per_rater}")
    if not 0 <= correlation < 1:
        raise OptionError(
            "correlation of two answers of one rater must be 0 or more and below 1; "
            f"got {correlation}"
        )
    return 1 + (per_rater - 1) * correlation
