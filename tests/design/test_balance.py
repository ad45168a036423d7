"""The balance table against plain counting, of plans and of what drop-outs left of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox.design import balance, make_plan
from jurybox.design.balance import answered_part
from jurybox.design.guarantees import follow_bound, refuse_uneven
from jurybox.design.plan import Plan, Slot, SlotId, Trial
from jurybox.errors import DesignError
from jurybox.study.model import RaterId
from tests.design.studies import Case, cases, make_material, make_study

Shown = list[tuple[Slot, Trial]]


def difference(counts: Iterable[int]) -> int:
    values = list(counts)
    return max(values) - min(values) if values else 0


def in_booklets(plan: Plan) -> list[Shown]:
    """Per booklet its main slots and their trials, in the order of showing."""
    slots = {slot.id: slot for slot in plan.slots}
    found = [
        [(slots[id], plan.trial(slots[id].trial)) for id in booklet.slots]
        for booklet in plan.booklets
    ]
    return [[(s, t) for s, t in pairs if t.kind == "main" and not s.repeat] for pairs in found]


def worst(shown: Shown, group: Callable[[Slot, Trial, str], object]) -> int | None:
    """The largest difference between the places of a group of outputs on screens of one size."""
    counts: defaultdict[tuple[int, object], Counter[int]] = defaultdict(Counter)
    for slot, trial in shown:
        for place, index in enumerate(slot.order):
            if len(trial.systems) > 1:
                key = (len(trial.systems), group(slot, trial, trial.systems[index]))
                counts[key][place] += 1
    return max((difference(c[p] for p in range(n)) for (n, _), c in counts.items()), default=None)


def count_by_hand(plan: Plan) -> dict[str, Any]:
    """The figures of the balance table, by loops over slots."""
    booklets = in_booklets(plan)
    shown = [pair for content in booklets for pair in content]
    main = [trial for trial in plan.trials if trial.kind == "main"]
    sizes = {len(trial.systems) for _, trial in shown}
    systems = sorted({system for _, trial in shown for system in trial.systems})
    loads = tuple(len(content) for content in booklets)
    per_booklet = [Counter(s for _, t in content for s in t.systems) for content in booklets]
    pairs: Counter[tuple[str, str]] = Counter()
    firsts: Counter[tuple[str, str]] = Counter()
    for slot, trial in shown:
        order = [trial.systems[i] for i in slot.order]
        for one, other in combinations(trial.systems, 2):
            pairs[one, other] += 1
            firsts[one, other] += order.index(one) < order.index(other)
    every = combinations(sorted({s for t in main for s in t.systems}), 2)
    is_paired = all(len(trial.systems) == 2 for trial in main)
    wanted = {t.systems for t in main} if is_paired else set(every)
    follows = Counter(
        (one.systems[0], other.systems[0])
        for content in booklets
        for (_, one), (_, other) in pairwise(content)
    )
    slots = {slot.id: slot for slot in plan.slots}
    gaps = [
        there - here
        for items in ([plan.trial(slots[i].trial).item for i in b.slots] for b in plan.booklets)
        for (here, one), (there, other) in combinations(enumerate(items), 2)
        if one == other
    ]
    sides = [sum(1 if s.order == (0, 1) else -1 for s, _ in content) for content in booklets]
    return {
        "n_trials": len({trial.id for _, trial in shown}),
        "n_slots": len(shown),
        "loads": loads,
        "load_difference": difference(loads),
        "system_difference": max(
            (difference(counts[s] for counts in per_booklet) for s in systems), default=0
        ),
        "place_difference": worst(shown, lambda slot, trial, system: system),
        "trial_difference": worst(shown, lambda slot, trial, system: (trial.id, system)),
        "booklet_difference": (
            max(map(abs, sides))
            if sizes == {2}
            else worst(shown, lambda slot, trial, system: (slot.booklet, system))
        ),
        "pair_difference": max(
            (abs(2 * firsts[pair] - n) for pair, n in pairs.items()), default=None
        ),
        "meet_difference": (
            difference(pairs[one, other] for one, other in wanted)
            if any(len(trial.systems) > 1 for trial in main)
            else None
        ),
        "follow_difference": (
            difference(follows[a, b] for a in systems for b in systems if a != b)
            if sizes == {1} and len(systems) > 1
            else None
        ),
        "item_distance": min(gaps, default=None),
        "items_met": gaps.count(1),
    }


def check_counts(plan: Plan) -> None:
    found = balance(plan)
    by_hand = count_by_hand(plan)
    assert {name: getattr(found, name) for name in by_hand} == by_hand
    shown = [pair for content in in_booklets(plan) for pair in content]
    places = Counter((t.systems[i], p) for s, t in shown for p, i in enumerate(s.order))
    assert {(r.system, p): n for r in found.places for p, n in enumerate(r.places) if n} == places
    pairs = Counter(pair for _, trial in shown for pair in combinations(trial.systems, 2))
    assert {row.systems: row.slots for row in found.pairs} == pairs
    if found.follows:
        systems = [row.system for row in found.places]
        follows = Counter(
            (one.systems[0], other.systems[0])
            for content in in_booklets(plan)
            for (_, one), (_, other) in pairwise(content)
        )
        for row in found.follows:
            assert row.next == tuple(follows[row.system, system] for system in systems)


@given(cases(("rate", "mark", "compare", "rank", "detect")))
def test_a_plan_is_reported_as_it_is(case: Case) -> None:
    check_counts(make_plan(case.study, case.material))


def drop(plan: Plan, data: st.DataObject) -> Plan:
    """What is left when raters leave early, skip trials, and others take over some of theirs."""
    random = data.draw(st.randoms(use_true_random=False), label="drop-outs")
    raters = {booklet.id: RaterId(f"rater-{n}") for n, booklet in enumerate(plan.booklets)}
    helper = RaterId("helper")
    taken: dict[SlotId, tuple[RaterId, int]] = {}
    for booklet in plan.booklets:
        stops = random.randrange(len(booklet.slots) + 1)
        for place, id in enumerate(booklet.slots):
            if place < stops and random.random() < 0.9:
                taken[id] = (raters[booklet.id], place)
            elif random.random() < 0.2:
                taken[id] = (helper, len(taken))
    return answered_part(plan, taken)


@given(cases(("rate", "mark", "compare", "rank", "detect")), st.data())
def test_what_drop_outs_leave_is_reported_as_it_is(case: Case, data: st.DataObject) -> None:
    plan = make_plan(case.study, case.material)
    left = drop(plan, data)
    assert {slot.id for slot in left.slots} <= {slot.id for slot in plan.slots}
    assert sum(len(booklet.slots) for booklet in left.booklets) == len(left.slots)
    check_counts(left)


def test_what_is_left_of_a_small_plan_by_hand() -> None:
    # Two raters answer 4 trials (2 items × 2 systems) each; the second answers the first two only.
    study = make_study("rate", design={"overlap": 2, "raters": 2})
    plan = make_plan(study, make_material(2, 2))
    first, second = plan.booklets
    taken = {id: (RaterId("ann"), place) for place, id in enumerate(first.slots)}
    taken |= {id: (RaterId("bo"), place) for place, id in enumerate(second.slots[:2])}
    found = balance(answered_part(plan, taken))
    assert (found.n_slots, found.loads, found.load_difference) == (6, (4, 2), 2)
    assert balance(answered_part(plan, {})).n_slots == 0


@given(cases(("rate", "mark", "compare", "rank", "detect")))
def test_no_plan_that_is_made_is_refused(case: Case) -> None:
    # make_plan refuses what is uneven, so it is enough that it returns.
    refuse_uneven(make_plan(case.study, case.material))


def turned(plan: Plan) -> Plan:
    """The same plan with every second output first."""
    return replace(plan, slots=tuple(replace(slot, order=(0, 1)) for slot in plan.slots))


def moved(plan: Plan) -> Plan:
    """The same plan with the last slot of the second booklet at the end of the first."""
    first, second, *others = plan.booklets
    last = second.slots[-1]
    slots = [
        replace(s, booklet=first.id, position=len(first.slots)) if s.id == last else s
        for s in plan.slots
    ]
    booklets = (
        replace(first, slots=(*first.slots, last)),
        replace(second, slots=second.slots[:-1]),
        *others,
    )
    return replace(plan, slots=tuple(slots), booklets=booklets)


def sorted_by_system(plan: Plan) -> Plan:
    """The same plan with each booklet's trials sorted by system."""
    system = {slot.id: plan.trial(slot.trial).systems[0] for slot in plan.slots}
    booklets = tuple(
        replace(b, slots=tuple(sorted(b.slots, key=system.__getitem__))) for b in plan.booklets
    )
    place = {id: n for booklet in booklets for n, id in enumerate(booklet.slots)}
    slots = tuple(replace(slot, position=place[slot.id]) for slot in plan.slots)
    return replace(plan, slots=slots, booklets=booklets)


def test_an_uneven_plan_is_refused_with_the_count() -> None:
    pairs = make_plan(make_study("compare", design={"overlap": 2}), make_material(6, 2))
    with pytest.raises(DesignError, match="within the slots of a trial differ by 2, and 1 can be"):
        refuse_uneven(turned(pairs))
    rated = make_plan(make_study("rate", design={"overlap": 2, "raters": 4}), make_material(12, 4))
    with pytest.raises(DesignError, match=r"twice in one booklet|booklets differ by 2"):
        refuse_uneven(moved(rated))
    with pytest.raises(DesignError, match="who follows whom differ by"):
        refuse_uneven(sorted_by_system(rated))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("protocol", ["rank", "rate"])
def test_systems_are_listed_in_the_order_of_the_study(protocol: str, seed: int) -> None:
    # Twelve systems, so that the order of the study is not that of the alphabet.
    material = make_material(30, 12)
    design = {"overlap": 2, "outputs_per_trial": 4, "seed": seed}
    found = balance(make_plan(make_study(protocol, design=design), material))
    names = list(material.systems)
    assert [row.system for row in found.places] == names
    pairs = [tuple(map(names.index, pair.systems)) for pair in found.pairs]
    assert pairs == sorted(pairs)
    assert all(one < other for one, other in pairs)


def test_a_ring_is_listed_as_it_appears() -> None:
    ring = make_plan(make_study("compare", design={"pairs": "cyclic"}), make_material(6, 5))
    assert {row.system for row in balance(ring).places} == set(make_material(6, 5).systems)


def test_where_nothing_is_promised_about_who_follows_whom() -> None:
    def bound(n_items: int, n_systems: int, **design: int) -> int | None:
        study = make_study("rate", design=design)
        return follow_bound(make_plan(study, make_material(n_items, n_systems)))

    assert bound(12, 4, overlap=2, raters=4) == 1
    assert bound(12, 5, overlap=2, raters=4) == 2
    # 12 booklets of 2 trials each show 2 of 4 systems, on different items.
    assert bound(6, 4, overlap=1, raters=12) == 1
    # 2 items fill half of a booklet each, of all systems or of some.
    assert bound(2, 4, overlap=2, raters=2) is None
    assert bound(2, 8, overlap=1, raters=4) is None
