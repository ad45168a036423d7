"""Who follows whom on screens with one output: even over all booklets, items apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jurybox.design import make_plan
from jurybox.design.even import spread
from jurybox.design.plan import Plan, Trial
from jurybox.design.sequence import williams_sequences
from jurybox.design.trades import Content
from tests.design.studies import make_material, make_study


def in_order(plan: Plan) -> list[list[Trial]]:
    """Per booklet its main trials in the order of showing, without checks and repeats."""
    slots = {slot.id: slot for slot in plan.slots}
    return [
        [
            plan.trial(slots[id].trial)
            for id in booklet.slots
            if plan.trial(slots[id].trial).kind == "main" and not slots[id].repeat
        ]
        for booklet in plan.booklets
    ]


def follows(sequences: Iterable[Iterable[str]]) -> Counter[tuple[str, str]]:
    return Counter(pair for sequence in sequences for pair in pairwise(sequence))


def follow_difference(counts: Counter[tuple[str, str]], systems: Iterable[str]) -> int:
    """Over all ordered pairs of two systems, the largest count minus the smallest."""
    names = list(systems)
    values = [counts[one, other] for one in names for other in names if one != other]
    return max(values) - min(values)


def test_booklets_with_each_system_once_are_a_williams_square() -> None:
    # 4 systems on 4 items, one rater per trial, 4 booklets of 4: 12 steps, 12 ordered pairs.
    study = make_study("rate", design={"overlap": 1, "raters": 4})
    material = make_material(4, 4)
    plan = make_plan(study, material)
    counts = follows([t.systems[0] for t in trials] for trials in in_order(plan))
    assert set(counts.values()) == {1}
    assert len(counts) == 12
    assert all(
        sorted(t.systems for t in trials) == sorted((system,) for system in material.systems)
        for trials in in_order(plan)
    )


@st.composite
def regular(draw: st.DrawFn) -> tuple[int, int, int, int, int]:
    """Items, systems, overlap, booklets, seed; every booklet shows every system."""
    n_systems, overlap = draw(st.integers(2, 10)), draw(st.integers(1, 5))
    n_items = draw(st.integers(1, 30))
    raters = draw(st.integers(overlap, min(n_items * overlap, overlap + 40)))
    return n_items, n_systems, overlap, raters, draw(st.integers(0, 999))


def check_regular(case: tuple[int, int, int, int, int]) -> None:
    n_items, n_systems, overlap, raters, seed = case
    design = {"overlap": overlap, "raters": raters, "seed": seed}
    material = make_material(n_items, n_systems)
    study = make_study("rate", design=design, session={"minutes": 600})
    trials = in_order(make_plan(study, material))
    for content in trials:
        shown = Counter(trial.systems[0] for trial in content)
        assert max(shown.values()) - min(shown[s] for s in material.systems) <= 1
    check_between(trials)
    counts = follows([trial.systems[0] for trial in content] for content in trials)
    often = [(max(Counter(t.item for t in c).values()), len(c)) for c in trials]
    most = max(n / size for n, size in often)
    # Few items that fill a booklet leave no choice of order; they are kept apart first.
    if all(n <= max(1, 0.15 * size) for n, size in often):
        bound = 1 if n_systems % 2 == 0 else 2
        assert follow_difference(counts, material.systems) <= bound
        if n_systems > 2:
            assert not any(one == other for one, other in counts)
    if most <= 0.5:
        assert not any(a.item == b.item for content in trials for a, b in pairwise(content))


@given(regular())
# Counts were even at the first try, and one system stood behind itself.
@example((29, 3, 3, 27, 546))
def test_systems_follow_each_other_equally_often(case: tuple[int, int, int, int, int]) -> None:
    check_regular(case)


def check_between(trials: list[list[Trial]]) -> None:
    """Loads, items and systems are even over booklets, and no trial is in one twice."""
    assert np.ptp([len(content) for content in trials]) <= 1
    assert all(len({t.id for t in content}) == len(content) for content in trials)
    for name in ("item", "systems"):
        counts = [Counter(getattr(t, name) for t in content) for content in trials]
        for value in {value for each in counts for value in each}:
            assert np.ptp([each[value] for each in counts]) <= 1


@st.composite
def short(draw: st.DrawFn) -> tuple[int, int, int, int, int]:
    """The same with booklets that hold fewer trials than there are systems."""
    n_systems, overlap = draw(st.integers(3, 10)), draw(st.integers(1, 5))
    n_items = draw(st.integers(1, 20))
    most = n_items * overlap * n_systems
    fewest = max(overlap, n_items * overlap + 1)
    raters = draw(st.integers(fewest, min(most, fewest + 40)))
    return n_items, n_systems, overlap, raters, draw(st.integers(0, 999))


@given(short())
@example((4, 8, 2, 16, 0))
@example((2, 4, 3, 12, 0))
@example((15, 4, 2, 58, 3))
# Long trials were dealt to go with short ones, and shared booklets with no others.
@example((4, 4, 2, 16, 2))
def test_who_shares_a_short_booklet_is_chosen_so_that_it_is_even(
    case: tuple[int, int, int, int, int],
) -> None:
    check_regular(case)


@pytest.mark.full
@settings(max_examples=3000)
@given(short())
def test_who_shares_a_short_booklet_in_thousands_of_studies(
    case: tuple[int, int, int, int, int],
) -> None:
    check_regular(case)


def test_no_short_booklet_gets_longer_and_strata_stay_even() -> None:
    # Every second item takes ten times as long, and is of another stratum.
    slots = [(item, system) for item in range(12) for system in range(6)]
    items, systems = np.array(slots).T
    contents = [Content(s, i, i % 2, 10.0 if i % 2 else 1.0) for i, s in slots]
    rng = np.random.default_rng(0)
    booklets = spread((items,), (items % 2, systems), n=24, rng=rng)
    made = williams_sequences(systems, items, booklets, rng, contents=contents)

    def lengths(of: Iterable[Iterable[int]]) -> list[float]:
        return [sum(contents[slot].seconds for slot in content) for content in of]

    dealt = [np.flatnonzero(booklets == n) for n in range(24)]
    assert sorted(np.concatenate(made).tolist()) == list(range(72))
    assert any(set(new) != set(old) for new, old in zip(made, dealt, strict=True))
    assert max(lengths(made)) <= max(lengths(dealt))
    odd = [sum(contents[slot].stratum == 1 for slot in content) for content in made]
    assert sorted(odd) == sorted(sum(s % 2 for s in items[content]) for content in dealt)
    assert follow_difference(follows([str(s) for s in systems[m]] for m in made), "012345") <= 1


@pytest.mark.full
@settings(max_examples=3000)
@given(regular())
def test_systems_follow_each_other_equally_often_in_thousands_of_studies(
    case: tuple[int, int, int, int, int],
) -> None:
    check_regular(case)


def test_two_systems_do_not_simply_alternate() -> None:
    study = make_study("rate", design={"overlap": 2, "raters": 8})
    material = make_material(60, 2)
    plan = make_plan(study, material)
    counts = follows([trial.systems[0] for trial in trials] for trials in in_order(plan))
    # 8 booklets of 30: 232 steps; by chance half of them repeat the system, 116 ± 4·√(232/4) = 30.
    repeated = sum(n for (one, other), n in counts.items() if one == other)
    assert abs(repeated - 116) <= 30
    assert follow_difference(counts, material.systems) <= 1


@given(st.integers(4, 30), st.integers(2, 5), st.integers(1, 3), st.integers(0, 999))
def test_what_comes_next_cannot_be_told_in_detect(
    n_items: int, n_systems: int, overlap: int, seed: int
) -> None:
    study = make_study("detect", design={"overlap": overlap, "seed": seed})
    plan = make_plan(study, make_material(n_items, n_systems))
    sequences = [[t.systems[0] == "system-0" for t in trials] for trials in in_order(plan)]
    counts = Counter(pair for sequence in sequences for pair in pairwise(sequence))
    # Half of the trials are real. Who guesses the other kind each time, or the same kind each
    # time, must not do better than by chance: a fourth of the steps each, and some leeway.
    steps = sum(counts.values())
    if steps >= 60:
        for pair in ((True, True), (True, False), (False, True), (False, False)):
            assert abs(counts[pair] / steps - 0.25) < 0.12


@given(st.integers(2, 12), st.integers(3, 6), st.integers(0, 999))
def test_items_are_far_apart_where_everybody_sees_everything(
    n_items: int, n_systems: int, seed: int
) -> None:
    items, systems = np.divmod(np.arange(n_items * n_systems), n_systems)
    everything = np.tile(np.arange(n_items * n_systems), 3)
    rng = np.random.default_rng(seed)
    booklets = np.repeat(np.arange(3), n_items * n_systems)
    made = williams_sequences(systems[everything], items[everything], booklets, rng)
    assert sorted(np.concatenate(made).tolist()) == list(range(len(everything)))
    for number, sequence in enumerate(made):
        assert set(booklets[sequence].tolist()) == {number}
        last: dict[int, int] = {}
        gaps = []
        for place, item in enumerate(items[everything][sequence].tolist()):
            gaps += [place - last[item]] if item in last else []
            last[item] = place
        assert min(gaps) >= 2
        # Equally spaced trials of an item would be n_items apart.
        assert float(np.mean(gaps)) >= n_items / 2


def test_unequal_systems_are_followed_in_proportion() -> None:
    # System 0 has 24 trials, systems 1 and 2 have 18 each, in 4 booklets of 15.
    systems = np.array([0] * 24 + [1] * 18 + [2] * 18)
    rng = np.random.default_rng(1)
    made = williams_sequences(systems, np.arange(60), np.arange(60) % 4, rng)
    counts = follows([str(s) for s in systems[sequence]] for sequence in made)
    # 56 steps; weights 24·18 for four ordered pairs with system 0 and 18·18 for two without:
    # 56·432/2376 = 10.2 and 56·324/2376 = 7.6.
    for (one, other), n in counts.items():
        assert one != other
        assert abs(n - (10.2 if "0" in one + other else 7.6)) <= 1.5


def test_one_system_and_one_that_is_nearly_all_are_ordered_at_once() -> None:
    # Nothing can be even here, and the search must not look for it forever.
    rng = np.random.default_rng(0)
    booklets = np.arange(6000) % 3
    for systems in (np.zeros(6000, dtype=np.int64), (np.arange(6000) % 20 == 0).astype(int)):
        made = williams_sequences(systems, np.arange(6000), booklets, rng)
        assert sorted(np.concatenate(made).tolist()) == list(range(6000))
    systems = np.minimum(np.arange(6000) % 20, 2)
    made = williams_sequences(systems, np.arange(6000), booklets, rng)
    counts = follows([str(s) for s in systems[sequence]] for sequence in made)
    # System 2 has 18 of 20 trials, so the others, 600 of 6,000, stand between two of it.
    assert counts["2", "0"] + counts["2", "1"] >= 590
