"""Numbers shared out evenly with respect to two nested groupings."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jurybox.design.even import Ints, spread

Levels = list[list[int]]


def largest_difference(levels: Levels, numbers: list[int], n: int) -> int:
    """Over all groups of all levels and the group of everything; plain counting."""
    worst = 0
    for depth in range(len(levels) + 1):
        groups: defaultdict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
        for thing, number in enumerate(numbers):
            groups[tuple(level[thing] for level in levels[depth:])][number] += 1
        for counts in groups.values():
            values = [counts[number] for number in range(n)]
            worst = max(worst, max(values) - min(values))
    return worst


@st.composite
def families(draw: st.DrawFn) -> tuple[Levels, Levels]:
    size = draw(st.integers(1, 120))

    def family() -> Levels:
        widest = draw(st.integers(1, 40))
        fine = draw(st.lists(st.integers(0, widest), min_size=size, max_size=size))
        coarse = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
        return [fine, coarse][: draw(st.integers(1, 2))]

    return family(), family()


def as_arrays(levels: Levels) -> list[Ints]:
    return [np.array(level) for level in levels]


@given(families(), st.integers(1, 20), st.integers(0, 2**32))
def test_every_group_of_both_families_is_even(
    both: tuple[Levels, Levels], n: int, seed: int
) -> None:
    first, second = both
    rng = np.random.default_rng(seed)
    numbers = spread(as_arrays(first), as_arrays(second), n=n, rng=rng).tolist()
    assert set(numbers) <= set(range(n))
    assert largest_difference(first, numbers, n) <= 1
    assert largest_difference(second, numbers, n) <= 1


def test_a_table_by_hand() -> None:
    # A 3 × 3 table, one thing per cell, three numbers: even rows and even columns are exactly the
    # Latin squares of order 3.
    row, column = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
    square = spread([row], [column], n=3, rng=np.random.default_rng(1)).reshape(3, 3)
    assert all(sorted(line) == [0, 1, 2] for line in (*square.tolist(), *square.T.tolist()))


def test_nothing_to_share_out() -> None:
    empty = np.zeros(0, dtype=np.int64)
    assert spread([empty], [empty], n=4, rng=np.random.default_rng(0)).tolist() == []


def test_the_choice_is_random_but_seeded() -> None:
    group = np.zeros(40, dtype=np.int64)
    made = [
        tuple(spread([group], [group], n=2, rng=np.random.default_rng(seed)).tolist())
        for seed in (1, 1, 2, 3, 4)
    ]
    assert made[0] == made[1]
    assert len(set(made)) == 4


def test_no_thing_is_favored() -> None:
    # Each of 6 things gets each of 3 numbers in a third of 600 draws: 200 ± 4·√(600·⅓·⅔) = ± 46.
    group = np.array([0, 0, 0, 1, 1, 1])
    counts = np.zeros((6, 3))
    for seed in range(600):
        numbers = spread([group], [group], n=3, rng=np.random.default_rng(seed))
        counts[np.arange(6), numbers] += 1
    assert np.abs(counts - 200).max() < 46
