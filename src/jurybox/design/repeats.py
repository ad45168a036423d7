"""Planned repeats: trials that the same rater sees twice, far apart, for test–retest.

A booklet of m trials gets r repeats, so that over all booklets the share asked for is exact up to
rounding. The originals stand in the first half of the booklet and their repeats come at least half
of it later, never beside another trial of their item; where both cannot be had, up to two places
sooner. Half of the repeats show the outputs in the same order as before, the others in reverse: who
remembers an answer and who always takes the left side then differ.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from itertools import product

import numpy as np

from jurybox.design.plan import Trial
from jurybox.errors import DesignError
from jurybox.study.breach import counted

__all__ = ["Repeats", "Showing"]

ATTEMPTS = 60
"""Other choices of what is repeated and where, before a repeat may come a place sooner."""
SOONER = 2
"""Places, before a share is refused. Everything again, half a booklet later, leaves but one order;
where its first and its last trial show one item, a place or two make others."""

Showing = tuple[Trial, tuple[int, ...]]
"""A trial and the order in which its outputs are shown."""


class Repeats:
    """Adds its repeats to one booklet after another; ``loads`` are the trials of each.

    Raises ``DesignError`` where the share is so small that nothing would come twice, unless
    ``may_be_none``, as in the few booklets that extend a plan; and where so much comes twice on so
    few items that a repeat would stand beside another trial of its item.
    """

    def __init__(
        self,
        share: float,
        loads: Sequence[int],
        rng: np.random.Generator,
        *,
        may_be_none: bool = False,
    ) -> None:
        # Rounding the running total keeps every booklet and the sum within 1 of the share.
        totals = np.floor(share * np.cumsum([0, *loads]) + 0.5).astype(int)
        if share and not totals[-1] and not may_be_none:
            n = sum(loads)
            raise DesignError(
                f"design.repeats is {share:g} and {n} answers are planned, so no trial would be "
                f"repeated; set it to {1 / n:.2g} or more, or remove it."
            )
        self._share = share
        self._counts = np.diff(totals).tolist()
        self._rng = rng
        self._next = 0
        self._flips = int(rng.integers(2))
        self._systems: Counter[object] = Counter()

    def add(self, shown: Sequence[Showing], *, n_checks: int) -> list[Showing]:
        """The next booklet with its repeats; ``n_checks`` more trials will come in between."""
        n = self._counts[self._next]
        self._next += 1
        if not n:
            return list(shown)
        size = len(shown) + n
        # Checks that fall outside a repeat's stretch lengthen the booklet but not the stretch.
        half = min(-(-(size + n_checks) // 2), size - n)
        # Far apart comes before each system equally often, which later booklets make up for.
        for sooner, evenly, attempt in product(range(SOONER + 1), (True, False), range(ATTEMPTS)):
            apart = max(half - sooner, 1)
            originals = self._choose(shown, n, apart, evenly=evenly, any_place=attempt % 2 == 1)
            result = self._place(shown, originals, apart, anywhere=attempt > 0)
            if result is not None:
                self._systems.update(shown[place][0].systems for place in originals)
                self._flips = (self._flips + n) % 2
                return result
        n_trials = counted(len(shown), "trial")
        n_items = counted(len({trial.item for trial, _ in shown}), "item")
        raise DesignError(
            f"design.repeats is {self._share:g}, and in a booklet of {n_trials} on {n_items} a "
            "trial would come again beside another trial of its item; ask for a smaller share, or "
            "for more items in a booklet (fewer design.raters)."
        )

    def _choose(
        self, shown: Sequence[Showing], n: int, apart: int, *, evenly: bool, any_place: bool
    ) -> list[int]:
        """The places of the trials to repeat, ``evenly`` if systems are to come equally often.

        Of one system, trials whose repeat could only stand beside another trial of its item come
        last; with ``any_place`` they do not, since other repeats may come between.
        """
        early = self._rng.permutation(min(len(shown) + n - apart, len(shown))).tolist()
        cornered = {
            place
            for place in early
            if not any_place
            and _find_free(shown, min(place + apart, len(shown)), shown[place][0].item) is None
        }
        keys: list[tuple[int, int, int]] = []
        mine: Counter[object] = Counter()
        for place in sorted(early, key=cornered.__contains__):
            systems = shown[place][0].systems
            times = self._systems[systems] + mine[systems] if evenly else 0
            keys.append((times, len(keys), place))
            mine[systems] += 1
        return sorted(place for *_, place in sorted(keys)[:n])

    def _place(
        self, shown: Sequence[Showing], originals: list[int], apart: int, *, anywhere: bool
    ) -> list[Showing] | None:
        """Put each repeat so many places behind its original, or at the next place off its item.

        ``anywhere`` behind that place, at random. A repeat without such a place waits for the next
        one to make it; ``None`` where all of them wait. A trial put between two of other items
        makes no neighbors for those placed before.
        """
        flips = self._rng.permutation(self._flips + np.arange(len(originals))) % 2
        result = list(shown)
        waiting = deque(zip(originals, flips.tolist(), strict=True))
        tried = 0
        while tried < len(waiting):
            original, flip = waiting.popleft()
            trial, order = shown[original]
            first = max(original + apart, originals[-1] + 1)
            place = None
            if anywhere and first <= len(result):
                later = int(self._rng.integers(first, len(result) + 1))
                place = _find_free(result, later, trial.item)
            if place is None:
                place = _find_free(result, first, trial.item)
            if place is None:
                waiting.append((original, flip))
                tried += 1
            else:
                result.insert(place, (trial, order[::-1] if flip else order))
                tried = 0
        return None if waiting else result


def _find_free(shown: Sequence[Showing], first: int, item: str) -> int | None:
    """The first place from ``first`` on that is not beside a trial of the item."""
    for place in range(first, len(shown) + 1):
        if all(trial.item != item for trial, _ in shown[place - 1 : place + 1]):
            return place
    return None
