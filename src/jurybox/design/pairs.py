"""Which pairs of systems are compared, and whether they hang together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import gcd
from typing import TYPE_CHECKING

import numpy as np

from jurybox.errors import DesignError
from jurybox.study.model import ItemId, SystemId
from jurybox.study.settings import RandomPairs

if TYPE_CHECKING:
    from jurybox.study import Study

__all__ = ["Pair", "check_connected", "find_groups", "find_pairs", "random_cells"]

Pair = tuple[SystemId, SystemId]
MOST_PAIRS = 1_000_000
"""More pairs, of 1,415 systems or more, only take time and memory: nobody has so many judged."""


def find_pairs(study: Study, systems: Sequence[SystemId]) -> tuple[Pair, ...]:
    """The pairs of systems that ``design.pairs`` asks for, each in the order of ``systems``."""
    if len(systems) < 2:
        raise DesignError(
            f"To compare, two systems are needed and there is {len(systems)}"
            f"{f' ({systems[0]})' if systems else ''}; add the outputs of another system."
        )
    rule = study.design.pairs
    m = len(systems)
    if rule == "all" or isinstance(rule, RandomPairs):
        if m * (m - 1) // 2 > MOST_PAIRS:
            raise DesignError(
                f"{m:,} systems make {m * (m - 1) // 2:,} pairs, and at most {MOST_PAIRS:,} can be "
                "planned; compare each with one (design.pairs: {baseline: NAME}), or fewer systems."
            )
        return tuple(combinations(systems, 2))
    if rule == "cyclic":
        ring = {tuple(sorted((i, (i + 1) % m))) for i in range(m)}
        return tuple((systems[i], systems[j]) for i, j in sorted(ring))
    if rule.baseline not in systems:
        raise DesignError(
            f"design.pairs.baseline names '{rule.baseline}', which is no system of this study; "
            f"there are {', '.join(systems)}."
        )
    at = [str(system) for system in systems].index(rule.baseline)
    one = systems[at]
    return tuple(
        (each, one) if k < at else (one, each) for k, each in enumerate(systems) if k != at
    )


def random_cells(
    items: Sequence[ItemId],
    pairs: Sequence[Pair],
    rng: np.random.Generator,
    *,
    old: Iterable[Pair] = (),
) -> Iterator[tuple[ItemId, Pair]]:
    """Every item with every pair, in a random order whose beginnings are even and connected.

    However many are taken, pairs are used equally often up to 1, and so are items; the first pairs
    join all systems, one new system at a time, to those that ``old`` pairs have joined already.
    """
    order = _connected_order(pairs, Counter(system for pair in old for system in pair), rng)
    shuffled = [items[i] for i in rng.permutation(len(items))]
    n_pairs, n_items = len(order), len(shuffled)
    period = n_pairs * n_items // gcd(n_pairs, n_items)
    for t in range(n_pairs * n_items):
        # A period walks one diagonal of the item × pair table; the next starts one item later.
        yield shuffled[(t + t // period) % n_items], order[t % n_pairs]


def _connected_order(
    pairs: Sequence[Pair], used: Counter[SystemId], rng: np.random.Generator
) -> list[Pair]:
    """The pairs, first a random tree over all systems, then those whose systems were used least."""
    left = [pairs[i] for i in rng.permutation(len(pairs))]
    reached = set(used)
    order: list[Pair] = []
    while left:
        joining = [p for p in left if not reached or (p[0] in reached) != (p[1] in reached)]
        pair = min(
            joining or left, key=lambda p: (used[p[0]] + used[p[1]], max(used[p[0]], used[p[1]]))
        )
        left.remove(pair)
        order.append(pair)
        reached |= set(pair)
        for system in pair:
            used[system] += 1
    return order


def find_groups(
    systems: Sequence[SystemId], shown_together: Iterable[Sequence[SystemId]]
) -> tuple[tuple[SystemId, ...], ...]:
    """The systems in groups that are linked by being shown together, directly or through others."""
    root = {system: system for system in systems}

    def find(system: SystemId) -> SystemId:
        while root[system] != system:
            root[system] = root[root[system]]
            system = root[system]
        return system

    for shown in shown_together:
        for system in shown[1:]:
            root[find(system)] = find(shown[0])
    groups: dict[SystemId, list[SystemId]] = {}
    for system in systems:
        groups.setdefault(find(system), []).append(system)
    return tuple(tuple(group) for group in groups.values())


def check_connected(
    systems: Sequence[SystemId], shown_together: Iterable[Sequence[SystemId]]
) -> None:
    """Refuse a plan in which some systems can never be compared with others, even indirectly."""
    groups = find_groups(systems, set(map(tuple, shown_together)))
    if len(groups) > 1:
        named = "; ".join(", ".join(group) for group in groups)
        raise DesignError(
            f"The comparisons fall into {len(groups)} groups that are never compared with each "
            f"other ({named}); use design.pairs: all or a larger number of random pairs, put more "
            "outputs on a screen, or give the systems outputs on more of the same items."
        )
