"""Gold and attention checks between a booklet's trials, and whatever shows one item apart.

Raters cannot tell a check from another trial, so it counts like one: beside a trial of its own item
it makes two of one item side by side, and between two trials of another item it parts these. Where
the checks stand best is an assignment of checks to the places behind the trials (Kuhn 1955).

References
----------
H. W. Kuhn (1955), The Hungarian method for the assignment problem, doi:10.1002/nav.3800020109.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jurybox.design.even import Ints
from jurybox.errors import DesignError
from jurybox.study.breach import counted

__all__ = ["fewest_met", "keep_apart", "place_checks"]

TURNS = 300
"""Stretches of a booklet that are turned around before two of one item may stand side by side."""


def place_checks(main: Ints, checks: Ints, rng: np.random.Generator) -> dict[int, int]:
    """Which check comes behind which main trial, counted from 1: none first, no two in a row.

    ``main`` and ``checks`` are the items of a booklet's trials, in their order, and of its checks.
    One check falls at random into each of as many equal stretches as there are checks; or anywhere,
    where fewer of one item stand side by side then.
    """
    n, n_checks = len(main), len(checks)
    if n_checks > n:
        raise DesignError(
            f"A booklet has {counted(n, 'trial')} and {n_checks} gold and attention checks, which "
            "must not stand first or side by side; use fewer checks, or fewer raters so that "
            "booklets are longer."
        )
    more = _more_met(main, checks)
    # Of places that are equally good one at random: the draws together weigh less than a neighbor.
    weights = more + rng.random(more.shape) / (n_checks + 1)
    placed = _assign(weights, np.arange(n_checks) * n // max(n_checks, 1))
    anywhere = _assign(weights, np.arange(n))
    best = min((placed, anywhere), key=lambda places: int(more[np.arange(n_checks), places].sum()))
    return {place + 1: check for check, place in enumerate(best.tolist())}


def fewest_met(main: Ints, checks: Ints) -> int:
    """How often two of one item stand side by side when the checks stand as well as they can."""
    # Imported here: who only reads a plan does not wait for it.
    from scipy.optimize import linear_sum_assignment

    met = int((main[1:] == main[:-1]).sum())
    more = _more_met(main, checks)
    return met + int(more[linear_sum_assignment(more)].sum())


def keep_apart(main: Ints, checks: Ints, rng: np.random.Generator) -> Ints:
    """An order of the trials in which no two of one item stand side by side, if that can be.

    The order that they have, if it can do no harm; else one that fills every other place with the
    most frequent items, in which then stretches are turned around, at random, for the checks.
    """
    order, left = np.arange(len(main)), fewest_met(main, checks)
    least = _least_anyhow(np.concatenate([main, checks]))
    if left <= least:
        return order
    for turn in range(TURNS):
        changed = _turn_around(order, rng) if turn else _interleave(main, rng)
        met = fewest_met(main[changed], checks)
        if met <= left:
            order, left = changed, met
        if left <= least:
            break
    return order


def _more_met(main: Ints, checks: Ints) -> Ints:
    """Per check and trial, how many neighbors of one item there are more with it behind that."""
    behind = np.append(main[1:], -1)
    own = checks[:, None]
    more: Ints = (own == main).astype(np.int64) + (own == behind) - (main == behind)
    return more


def _assign(weights: npt.NDArray[np.float64], starts: Ints) -> Ints:
    """The place of each check, of least weight in all, at most one from each start to the next."""
    # Imported here: who only reads a plan does not wait for it.
    from scipy.optimize import linear_sum_assignment

    least = np.minimum.reduceat(weights, starts, axis=1) if len(weights) else weights
    _, stretch = linear_sum_assignment(least)
    ends = np.append(starts[1:], weights.shape[1])
    return np.array(
        [
            starts[s] + int(np.argmin(row[starts[s] : ends[s]]))
            for row, s in zip(weights, stretch, strict=True)
        ],
        dtype=np.int64,
    )


def _least_anyhow(items: Ints) -> int:
    """How many neighbors of one item no order can part: one has more than half of the places."""
    most = int(np.unique(items, return_counts=True)[1].max(initial=0))
    return max(0, 2 * most - len(items) - 1)


def _turn_around(order: Ints, rng: np.random.Generator) -> Ints:
    low, high = np.sort(rng.integers(len(order) + 1, size=2))
    return np.concatenate([order[:low], order[low:high][::-1], order[high:]])


def _interleave(main: Ints, rng: np.random.Generator) -> Ints:
    """The trials at every other place, then between them, the most frequent item first.

    Two of an item meet only if it has more than half of the places, and then as rarely as can be,
    since the first of these places is the last of the booklet's or comes an even way before it.
    """
    _, item, counts = np.unique(main, return_inverse=True, return_counts=True)
    by_frequency = np.lexsort((rng.permutation(len(counts))[item], -counts[item]))
    size = len(main)
    places = [*range((size - 1) % 2, size, 2), *range(size % 2, size, 2)]
    order = np.empty_like(by_frequency)
    order[places] = by_frequency
    return order
