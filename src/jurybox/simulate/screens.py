"""Which outputs share a screen in a simulated study: laid out by the planner's own rules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from jurybox.design.blocks import Blocks
from jurybox.design.pairs import random_cells
from jurybox.errors import InputError
from jurybox.study.model import ItemId, SystemId

__all__ = ["Laid", "Meeting", "Screens"]

Numbers = NDArray[np.int64]
Meeting = Literal["all", "cyclic", "baseline"]
Kind = Literal["apart", "pairs", "blocks"]

PERIOD = 120
"""Blocks of so many items are made one by one; later items have them again."""


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """The screens of a study."""

    item: Numbers
    shown: Numbers
    """Screens × the most outputs on one, systems in order; −1 where there are fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Screens:
    """How the outputs of an item are put on screens."""

    kind: Kind
    """``apart``: every output once, in blocks as equal as can be (rate, mark, detect). ``pairs``:
    two at a time (compare). ``blocks``: every output at least once in full blocks (rank)."""
    outputs: int | None = 1
    """How many stand on a screen; ``None``: all. Of pairs it says nothing."""
    pairs: Meeting = "all"
    """Which pairs meet: all, neighbors in a ring, or the first system with each other one."""
    per_item: float | None = None
    """How many pairs an item has on average where they are drawn at random; ``None``: all."""

    def __post_init__(self) -> None:
        if self.outputs is not None and self.outputs < 1:
            raise InputError(f"at least one output stands on a screen; got {self.outputs}")
        if self.per_item is not None and not self.per_item > 0:
            raise InputError(f"an item must have a part in pairs; got {self.per_item:g} an item")

    def on_screen(self, systems: int) -> int:
        """The most outputs on one screen."""
        if self.kind == "pairs":
            return 2
        return systems if self.outputs is None else min(self.outputs, systems)

    def meeting(self, systems: int) -> tuple[tuple[int, int], ...]:
        """The pairs of systems that are shown together, sooner or later."""
        every = tuple(combinations(range(systems), 2))
        if self.kind != "pairs" or self.pairs == "all":
            return every
        if self.pairs == "baseline":
            return every[: systems - 1]
        return tuple((i, j) for i, j in every if j - i in (1, systems - 1))

    def count(self, systems: int, items: int) -> int:
        """How many screens so many items make."""
        if self.kind == "pairs":
            most = items * len(self.meeting(systems))
            if self.per_item is None:
                return most
            # As many as join all systems, however few items there are.
            return min(most, max(systems - 1, round(items * self.per_item)))
        return items * -(-systems // self.on_screen(systems))

    def lay(self, systems: int, items: int) -> Laid:
        """The screens of so many items; the same every time."""
        if self.kind != "pairs":
            return _blocks(self.kind, systems, self.on_screen(systems), items)
        meeting = self.meeting(systems)
        if self.per_item is None:
            item = np.repeat(np.arange(items), len(meeting))
            return Laid(item, np.tile(np.asarray(meeting), (items, 1)))
        return _drawn_pairs(meeting, items, self.count(systems, items))


@lru_cache(maxsize=64)
def _blocks(kind: Kind, systems: int, size: int, items: int) -> Laid:
    names = [SystemId(str(system)) for system in range(systems)]
    number = {name: system for system, name in enumerate(names)}
    make = Blocks(names, size, np.random.default_rng(0))
    split = make.partition if kind == "apart" else make.cover
    # Where every item has the same blocks, one item shows them all.
    same = size == 1 or size >= systems
    period = [split(names) for _ in range(1 if same else min(items, PERIOD))]
    shown = np.full((len(period), len(period[0]), size), -1, dtype=np.int64)
    for row, blocks in enumerate(period):
        for place, block in enumerate(blocks):
            shown[row, place, : len(block)] = [number[name] for name in block]
    whole = shown[np.arange(items) % len(period)]
    item = np.repeat(np.arange(items), whole.shape[1])
    return Laid(item, whole.reshape(-1, size))


@lru_cache(maxsize=64)
def _drawn_pairs(meeting: tuple[tuple[int, int], ...], items: int, count: int) -> Laid:
    pairs = [(SystemId(str(one)), SystemId(str(two))) for one, two in meeting]
    named = [ItemId(str(item)) for item in range(items)]
    cells = islice(random_cells(named, pairs, np.random.default_rng(0)), count)
    rows = [(int(item), int(one), int(two)) for item, (one, two) in cells]
    table = np.asarray(rows, dtype=np.int64)
    return Laid(table[:, 0], table[:, 1:])
