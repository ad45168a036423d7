"""Whether one strength per system is enough to describe who beat whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jurybox.results import Result

__all__ = ["GoodnessOfFit", "PairResidual"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResidual(Result):
    """How far a pair's votes lie from what the strengths expect, in standard errors."""

    label: ClassVar[str] = "standardized residual"
    neutral: ClassVar[float | None] = 0.0

    system: str
    other: str
    observed: float
    """How often the first won, a tie counting half."""
    expected: float
    """How often the strengths say it should have."""

    @property
    def name(self) -> str:
        """The two systems."""
        return f"{self.system} over {self.other}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoodnessOfFit(Result):
    """Pearson's X² of the fit against one probability per pair, with its p.

    ``estimate`` is X² ÷ dispersion; p is small where strengths alone do not describe the votes.
    """

    label: ClassVar[str] = "goodness of fit, scaled X²"

    pearson: float | None = None
    deviance: float | None = None
    """Twice the log likelihood that the saturated model has more; ``None`` without a likelihood."""
    df: int | None = None
    dispersion: float | None = None
    """How much more the votes of a pair vary than independent ones, from the clusters; 1 or more"""
    residuals: tuple[PairResidual, ...] = ()
    """Every pair, the largest residual first."""
