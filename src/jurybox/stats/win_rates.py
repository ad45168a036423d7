"""Win rates: how often each system wins, each against each, and circles among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval, Result, ResultTable, format_p
from jurybox.stats.clusters import ALL_RATERS
from jurybox.stats.shares import Share
from jurybox.stats.strengths.connected import strong_components
from jurybox.stats.tails import binomial_p, clopper_pearson

__all__ = ["Cycle", "WinRates", "exact_share", "find_cycles"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle(Result):
    """Systems of which each beats the next and the last the first, each edge beyond chance.

    ``estimate`` is the lowest win rate along the circle, ``p`` the largest adjusted p.
    """

    label: ClassVar[str] = "lowest win rate along the circle"
    has_interval: ClassVar[bool] = False
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


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
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


def exact_share(row: Share, wins: int, n: int, confidence: float) -> Share:
    """The row with the exact binomial interval and p, where votes are independent of each other."""
    low, high = clopper_pearson(wins, n, confidence)
    interval = Interval(
        low=low,
        high=high,
        confidence=confidence,
        method="exact binomial (Clopper–Pearson): no rater and no item gives more than one vote",
        generalizes_to=ALL_RATERS,
    )
    return replace(
        row, interval=interval, these_raters=None, p=binomial_p(wins, n), undefined=None, notes=()
    )


def find_cycles(pairs: Sequence[Share], *, confidence: float = 0.95) -> tuple[Cycle, ...]:
    """Circles of systems in which each beats the next beyond chance.

    An edge counts if its p, adjusted for all pairs, is below 1 − confidence. All circles of three
    are given; among systems that have none, the shortest circle.

    >>> edges = [("a", "b"), ("b", "c"), ("c", "a")]
    >>> rows = [
    ...     Share(estimate=0.7, what="win rate", system=s, other=t, p_adjusted=0.01)
    ...     for s, t in edges
    ... ]
    >>> [cycle.name for cycle in find_cycles(rows)]
    ['a > b > c > a']
    """
    edges: dict[tuple[str, str], Share] = {}
    for row in pairs:
        p = row.claimed_p
        if p is None or p >= 1 - confidence or row.estimate is None or row.estimate == 0.5:
            continue
        one, two = row.system or "", row.other or ""
        edges[(one, two) if row.estimate > 0.5 else (two, one)] = row
    names = sorted({name for edge in edges for name in edge})
    place = {name: k for k, name in enumerate(names)}
    beat = np.zeros((len(names), len(names)), dtype=np.bool_)
    for one, two in edges:
        beat[place[one], place[two]] = True
    found = []
    for part in strong_components(beat):
        if len(part) > 2:
            found += _circles(beat, part)
    return tuple(_cycle([names[k] for k in circle], edges) for circle in found)


def _circles(beat: NDArray[np.bool_], part: Sequence[int]) -> list[tuple[int, ...]]:
    """The circles of three, each begun at its first system; else one of the shortest."""
    three: list[tuple[int, ...]] = [
        (i, int(j), int(k))
        for i in part
        for j in np.flatnonzero(beat[i])
        for k in np.flatnonzero(beat[j] & beat[:, i])
        if i < j and i < k
    ]
    if three:
        return three
    best: tuple[int, ...] = ()
    for start in part:
        paths: dict[int, tuple[int, ...]] = {start: (start,)}
        queue = [start]
        while queue:
            here = queue.pop(0)
            for after in np.flatnonzero(beat[here]):
                if after == start and (not best or len(paths[here]) < len(best)):
                    best = paths[here]
                if int(after) not in paths:
                    paths[int(after)] = (*paths[here], int(after))
                    queue.append(int(after))
    return [best]


def _cycle(systems: Sequence[str], edges: dict[tuple[str, str], Share]) -> Cycle:
    rows = [edges[one, two] for one, two in zip(systems, [*systems[1:], systems[0]], strict=True)]
    shares = [row.estimate or 0.0 for row in rows]
    ps = [row.claimed_p for row in rows]
    return Cycle(
        estimate=min(max(share, 1 - share) for share in shares),
        p=max(p for p in ps if p is not None),
        n_responses=sum(row.n_responses or 0 for row in rows),
        systems=tuple(systems),
        criterion=rows[0].criterion,
    )
