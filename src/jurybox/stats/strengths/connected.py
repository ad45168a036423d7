"""Which systems can be ranked together: the graph of who beat whom."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["groups", "reachable", "strong_components", "ties_run_away"]


def reachable(beat: NDArray[np.bool_], start: int) -> set[int]:
    """The systems that ``start`` beat, directly or through others, itself included."""
    seen = np.zeros(len(beat), dtype=np.bool_)
    fresh = np.array([start])
    while len(fresh):
        seen[fresh] = True
        fresh = np.flatnonzero(beat[fresh].any(axis=0) & ~seen)
    return {int(k) for k in np.flatnonzero(seen)}


def groups(beat: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """The sets of systems with a chain of votes between them, the largest first."""
    return _split(beat | beat.T)


def strong_components(beat: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """The sets of systems that each beat each other, directly or through others.

    Strengths are finite within such a set and only there (Ford 1957, doi:10.2307/2308513).
    """
    return _split(beat)


def _split(edges: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    found: list[tuple[int, ...]] = []
    left = set(range(len(edges)))
    back = edges.T
    while left:
        start = min(left)
        both = reachable(edges, start) & reachable(back, start) & left
        found.append(tuple(sorted(both)))
        left -= both
    return tuple(sorted(found, key=lambda part: (-len(part), part)))


def ties_run_away(wins: NDArray[Any], ties: NDArray[Any]) -> bool:
    r"""Whether Davidson's likelihood has no maximum because :math:`\nu` grows without bound.

    It grows along log strengths d (with log ν growing half as fast as one step of d) if every win
    goes at least one step down, :math:`d_i - d_j \ge 1`, and no tie spans more than one,
    :math:`|d_i - d_j| \le 1`. Such d exist if and only if the difference constraints have no
    negative cycle (Bellman–Ford). ``wins[i, j]`` counts wins of i over j; ``ties`` is symmetric.
    """
    k = len(wins)
    # d_j ≤ d_i + step[i, j]
    step = np.full((k, k), np.inf)
    step[(ties + ties.T) > 0] = 1.0
    step[wins > 0] = -1.0
    distance = np.zeros(k)
    for _ in range(k + 1):
        shorter = np.minimum(distance, (distance[:, None] + step).min(axis=0))
        if np.array_equal(shorter, distance):
            return True
        distance = shorter
    return False
