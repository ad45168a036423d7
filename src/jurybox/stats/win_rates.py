"""Win rates: how often each system wins, each against each, and circles among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jurybox.results import Result, ResultTable, format_p
from jurybox.stats.shares import Share

__all__ = ["Cycle", "WinRates"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle(Result):
    """Systems of which each beats the next and the last the first, each edge beyond chance.

    ``estimate`` is the lowest win rate along the circle, ``p`` the largest adjusted p.
    """

    label: ClassVar[str] = "lowest win rate along the circle"
    as_percent: ClassVar[bool] = True

    systems: tuple[str, ...]
    criterion: str | None = None

    @property
    def name(self) -> str:
        """The circle."""
        return " > ".join((*self.systems, self.systems[0]))

    def short(self) -> str:
        """The lowest win rate along the circle, with the largest p."""
        return f"{self.format(self.estimate)} at the least, {format_p(self.p)} after correction"


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRates(ResultTable):
    """How often each system wins, best first."""

    label: ClassVar[str] = "win rate"

    rows: tuple[Share, ...]
    pairs: tuple[Share, ...] = ()
    """How often the first of two systems beats the second, for every pair that was compared."""
    ties: str = "half"
    """``half``: a tie is half a win for both. ``drop``: ties are left out. ``outcome``: a tie is a
    third outcome, so that wins, ties and losses add up to one."""
    tie_rates: tuple[Share, ...] = ()
    """With ``ties="outcome"``: how often each system's votes end in a tie (both bad included)."""
    loss_rates: tuple[Share, ...] = ()
    """With ``ties="outcome"``: how often each system loses."""
    both_bad: tuple[Share, ...] = ()
    """How often the votes on each system call both bad; empty where no vote does."""
    both_bad_pairs: tuple[Share, ...] = ()
    """The same for every pair."""
    cycles: tuple[Cycle, ...] = ()
    """Circles A > B > C > A of which every edge survives the correction for all pairs."""
    confidence: float = 0.95
    cluster: str | None = "both"
    seed: int = 0
