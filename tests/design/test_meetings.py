"""Incomplete blocks: who shares a screen with whom."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox.design import balance, make_plan
from jurybox.design.blocks import Blocks
from jurybox.design.meetings import Cell, even_meetings
from jurybox.design.pairs import find_groups
from jurybox.study.model import ItemId, SystemId
from tests.design.studies import make_material, make_study


def names(n: int) -> tuple[SystemId, ...]:
    return tuple(SystemId(f"s{number}") for number in range(n))


def make_cells(n_items: int, n_systems: int, size: int, seed: int, how: str) -> list[Cell]:
    blocks = Blocks(names(n_systems), size, np.random.default_rng(seed))
    return [
        (ItemId(f"i{item}"), block)
        for item in range(n_items)
        for block in getattr(blocks, how)(names(n_systems))
    ]


def squares(cells: list[Cell]) -> int:
    met = Counter(pair for _, block in cells for pair in combinations(block, 2))
    return sum(n * n for n in met.values())


@given(
    st.integers(1, 20),
    st.integers(3, 9),
    st.integers(2, 8),
    st.integers(0, 99),
    st.sampled_from(["cover", "partition"]),
)
def test_exchanges_keep_what_is_shown_and_make_meetings_no_less_even(
    n_items: int, n_systems: int, size: int, seed: int, how: str
) -> None:
    before = make_cells(n_items, n_systems, min(size, n_systems), seed, how)
    after = even_meetings(before, names(n_systems), np.random.default_rng(seed))
    assert [(item, len(block)) for item, block in after] == [(i, len(b)) for i, b in before]
    for cells in (before, after):
        assert all(len(set(block)) == len(block) for _, block in cells)
        assert all(list(block) == sorted(block) for _, block in cells)
    shown = [Counter(s for _, block in cells for s in block) for cells in (before, after)]
    assert shown[0] == shown[1]
    covered = [{(item, s) for item, block in cells for s in block} for cells in (before, after)]
    assert covered[0] == covered[1]
    assert squares(after) <= squares(before)
    groups = [find_groups(names(n_systems), [b for _, b in cells]) for cells in (before, after)]
    assert len(groups[1]) <= len(groups[0])


@pytest.mark.parametrize(
    ("n_items", "n_systems", "size", "meetings"),
    [
        # λ = blocks · pairs in a block / pairs of systems.
        (7, 7, 3, 3),  # 21 blocks of 3: 21 · 3 / 21
        (15, 6, 2, 3),  # 45 blocks of 2: 45 / 15
        (20, 5, 4, 24),  # 40 blocks of 4: 40 · 6 / 10
        (12, 9, 3, 3),  # 36 blocks of 3: 36 · 3 / 36, three affine planes
    ],
)
def test_balanced_designs_are_found(n_items: int, n_systems: int, size: int, meetings: int) -> None:
    found = []
    for seed in range(3):
        design = {"outputs_per_trial": size, "overlap": 1, "seed": seed}
        plan = make_plan(make_study("rank", design=design), make_material(n_items, n_systems))
        report = balance(plan)
        counts = {pair.slots for pair in report.pairs}
        assert report.meet_difference == max(counts) - min(counts)
        assert report.meet_difference is not None
        assert report.meet_difference <= 2
        found.append(counts == {meetings})
    assert any(found)


@pytest.mark.parametrize(
    ("n_items", "n_systems", "size", "meetings"),
    [
        # Five systems on a screen of three and one of two can be parted in ten ways, and all ten
        # together are balanced: of 3 + 1 meetings each, λ = 4 · items / 10.
        (10, 5, 3, 4),
        (20, 5, 3, 8),
        (60, 5, 3, 24),
        # On at most four places they are parted likewise, three and two.
        (20, 5, 4, 8),
    ],
)
def test_screens_of_unequal_size_are_balanced_too(
    n_items: int, n_systems: int, size: int, meetings: int
) -> None:
    for seed in range(6):
        design = {"outputs_per_trial": size, "overlap": 1, "seed": seed}
        plan = make_plan(make_study("rate", design=design), make_material(n_items, n_systems))
        assert {pair.slots for pair in balance(plan).pairs} == {meetings}


def test_blocks_of_an_older_plan_count() -> None:
    # Six items met (s0, s1) and (s2, s3); one more item should part them.
    old = [(ItemId(f"o{i}"), names(4)[half]) for i in range(6) for half in (slice(2), slice(2, 4))]
    new: list[Cell] = [(ItemId("n"), names(4)[:2]), (ItemId("n"), names(4)[2:])]
    made = even_meetings(new, names(4), np.random.default_rng(0), old=old)
    assert {block for _, block in made}.isdisjoint({names(4)[:2], names(4)[2:]})
