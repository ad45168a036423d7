"""The rule behind every giveaway, against hand arithmetic and a slow oracle."""

from __future__ import annotations

import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox.design.set_checks.telling import beside_others, tell_apart, to_bins

Output = tuple[int, int, int]
"""Item, class, bin."""


def share_right(outputs: list[Output], wanted: int) -> Fraction:
    """The share right by the words of the definition, in exact fractions."""

    def share_in(others: list[Output], bin_: int) -> Fraction:
        return Fraction(sum(b == bin_ for _, _, b in others), max(1, len(others)))

    credit: dict[bool, list[Fraction]] = {True: [], False: []}
    for item, class_, bin_ in outputs:
        others = [output for output in outputs if output[0] != item]
        own = share_in([o for o in others if o[1] == wanted], bin_)
        rest = share_in([o for o in others if o[1] != wanted], bin_)
        says_wanted = Fraction(1, 2) if own == rest else Fraction(int(own > rest))
        is_wanted = class_ == wanted
        credit[is_wanted].append(says_wanted if is_wanted else 1 - says_wanted)
    return sum((sum(each, Fraction()) / len(each) for each in credit.values()), Fraction()) / 2


def told(outputs: list[Output], *, seed: int = 0, tests: int = 1) -> tuple[float, int]:
    items, classes, bins = (np.array(column, np.int64) for column in zip(*outputs, strict=True))
    found = tell_apart(bins, items, classes, tests=tests, seed=seed)
    return found.right, found.easiest


def test_by_hand() -> None:
    # Items 0, 1, 2 of two systems; the bins of system 0 are 0, 0, 1, those of system 1 are 1, 1, 1.
    # Item 0 left out, system 0 has bins {0, 1} and system 1 {1, 1}: bin 0 says system 0, and bin 1
    # (½ against 1) system 1, so both outputs are right; item 1 likewise. Item 2 left out, system 0
    # has {0, 0} and system 1 {1, 1}: bin 1 says system 1, wrong for system 0's and right for the
    # other. Right: 2 of 3 and 3 of 3, whose mean is 5/6.
    outputs = [(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 1), (2, 0, 1), (2, 1, 1)]
    assert told(outputs)[0] == pytest.approx(5 / 6)


@st.composite
def sets(draw: st.DrawFn) -> list[Output]:
    """Outputs of two to four classes, some missing, each class and item numbered without a gap."""
    n_classes = draw(st.integers(2, 4))
    n_items = draw(st.integers(2, 6))
    cells = [(i, c) for i in range(n_items) for c in range(n_classes)]
    kept = draw(st.sets(st.sampled_from(cells), min_size=2))
    classes = sorted({c for _, c in kept})
    items = sorted({i for i, _ in kept})
    if len(classes) < 2:
        kept, classes, items = set(cells), list(range(n_classes)), list(range(n_items))
    return [(items.index(i), classes.index(c), draw(st.integers(0, 3))) for i, c in sorted(kept)]


@given(sets())
def test_against_the_slow_oracle(outputs: list[Output]) -> None:
    shares = [share_right(outputs, c) for c in range(max(c for _, c, _ in outputs) + 1)]
    right, easiest = told(outputs)
    assert right == pytest.approx(float(max(shares)))
    assert shares[easiest] == max(shares)


@given(sets(), st.randoms(use_true_random=False))
def test_names_of_bins_and_order_of_rows_do_not_matter(
    outputs: list[Output], random: object
) -> None:
    import random as library

    assert isinstance(random, library.Random)
    shuffled = [(i, c, 3 - b) for i, c, b in outputs]
    random.shuffle(shuffled)
    assert told(shuffled)[0] == pytest.approx(told(outputs)[0])


def test_what_never_differs_is_a_coin() -> None:
    assert told([(i, c, 0) for i in range(5) for c in range(3)])[0] == 0.5


def test_what_always_differs_is_certain() -> None:
    outputs = [(i, c, c) for i in range(8) for c in range(3)]
    items, classes, bins = (np.array(column, np.int64) for column in zip(*outputs, strict=True))
    found = tell_apart(bins, items, classes, tests=1, seed=0)
    assert (found.right, found.warns) == (1.0, True)
    # Of 59 shuffles of 8 items of 3 none is as sure: 1 of 60.
    assert found.p == pytest.approx(1 / 60)


def test_two_items_are_never_sure() -> None:
    # The systems of two items can be ordered in 4 ways, of which two are told as well.
    outputs = [(i, c, c) for i in range(2) for c in range(2)]
    items, classes, bins = (np.array(column, np.int64) for column in zip(*outputs, strict=True))
    found = tell_apart(bins, items, classes, tests=1, seed=0)
    assert found.right == 1
    assert found.p is not None
    assert found.p > 0.3
    assert not found.warns


def test_one_system_of_ten_that_stands_out_is_found() -> None:
    outputs = [(i, c, int(c == 7)) for i in range(10) for c in range(10)]
    assert told(outputs) == (1.0, 7)


def test_items_of_one_class_are_shuffled_as_wholes() -> None:
    # Detection: every item is real or generated, none is both.
    rng = np.random.default_rng(5)
    items = np.arange(40)
    classes = (items < 20).astype(np.int64)
    noise = [
        tell_apart(rng.integers(0, 2, 40), items, classes, tests=1, seed=k).warns
        for k in range(200)
    ]
    assert sum(noise) <= 10
    assert tell_apart(classes.copy(), items, classes, tests=1, seed=0).warns


def test_the_same_seed_gives_the_same() -> None:
    rng = np.random.default_rng(1)
    items, classes = np.repeat(np.arange(20), 2), np.tile(np.arange(2), 20)
    bins = (rng.random(40) < 0.3 + 0.4 * classes).astype(np.int64)
    one, two = (tell_apart(bins, items, classes, tests=3, seed=9) for _ in range(2))
    assert one == two
    assert one.p is not None


def test_large_sets_are_told_by_all_items() -> None:
    # 3 of 4 outputs of class 1 and 1 of 4 of class 0 have bin 1: 75% are right.
    items, classes = np.repeat(np.arange(4000), 2), np.tile(np.arange(2), 4000)
    bins = ((items % 4 == 0) ^ (classes == 1)).astype(np.int64)
    found = tell_apart(bins, items, classes, tests=10, seed=0)
    assert found.right == 0.75
    assert found.warns


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0, 2.5, 40.0])),
        min_size=1,
        max_size=12,
    )
)
def test_distances_from_the_median_of_the_item(rows: list[tuple[int, float]]) -> None:
    known = sorted({item for item, _ in rows})
    items = np.array([known.index(item) for item, _ in rows])
    values = np.array([value for _, value in rows])
    found = beside_others(values, items)
    if found is None:
        assert len(known) == len(rows)
        return
    for distance, item, value in zip(found, items, values, strict=True):
        median = statistics.median(values[items == item].tolist())
        assert distance == np.round(10 * (value - median) / max(abs(median), 1))


def test_a_difference_that_nobody_notices_is_none() -> None:
    # 104 and 96 are 4% from their median of 100; 120 and 80 are 20%, two tenths.
    values, items = np.array([104.0, 96.0, 120.0, 80.0]), np.array([0, 0, 1, 1])
    found = beside_others(values, items)
    assert found is not None
    assert found.tolist() == [0, 0, 2, -2]


def test_bins_hold_about_as_many_each() -> None:
    codes = to_bins(list(np.random.default_rng(0).random(200)), 100, 2)
    assert np.bincount(codes).tolist() == [20] * 10
    # 12 items make two bins of numbers; few values, and words, stay what they are.
    assert set(to_bins([float(k) for k in range(24)], 12, 2)) == {0, 1}
    assert to_bins([5.0, 1.0, 5.0], 3, 2).tolist() == [1, 0, 1]
    assert to_bins(["b", "a", "c", "a"], 2, 2).tolist() == [1, 0, 2, 0]
