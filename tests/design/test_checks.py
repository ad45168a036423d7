"""Checks between a booklet's trials: whatever shows one item stands apart wherever it can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jurybox.design import balance, make_plan
from jurybox.design.checks import fewest_met, keep_apart, place_checks
from jurybox.design.plan import Plan
from tests.design.studies import KINDS, make_known, make_material, make_study

Shown = tuple[object, bool]
"""An item, and whether a check shows it."""


def fewest_of_all_orders(shown: Sequence[Shown]) -> int:
    """Over all orders, no check first or behind another: how often two of one item must meet."""
    numbers = Counter(shown)
    often = Counter(item for item, _ in shown)
    # Items that come once meet nobody, so that any of them is as good as another.
    names = {item: item if often[item] > 1 else None for item in often}
    kinds = list({(names[item], is_check): None for item, is_check in numbers})
    left = Counter[Any]()
    for (item, is_check), n in numbers.items():
        left[names[item], is_check] += n

    @cache
    def fewest(left: tuple[int, ...], last: object, may_check: bool) -> int:
        if not any(left):
            return 0
        found = len(shown)
        for i, (item, is_check) in enumerate(kinds):
            if left[i] and (may_check or not is_check) and found:
                rest = (*left[:i], left[i] - 1, *left[i + 1 :])
                met = item is not None and item == last
                found = min(found, met + fewest(rest, item, not is_check))
        return found

    return fewest(tuple(left[kind] for kind in kinds), None, False)


def met(shown: Sequence[Shown]) -> int:
    return sum(one == other for (one, _), (other, _) in pairwise(shown))


def test_the_fewest_by_hand() -> None:
    assert fewest_of_all_orders([("a", False), ("a", False), ("x", True)]) == 0  # a x a
    assert fewest_of_all_orders([("a", False), ("b", False), ("b", True)]) == 0  # b a b
    assert fewest_of_all_orders([("a", False), ("a", True)]) == 1
    # Every second place is a check, and both between a and b.
    assert fewest_of_all_orders([("a", False), ("b", False), ("a", True), ("b", True)]) == 1
    assert fewest_of_all_orders([("a", False)] * 3 + [("b", False)]) == 1  # a b a a


@st.composite
def booklets(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """The items of a booklet's trials and of its checks."""
    main = draw(st.lists(st.integers(0, 3), min_size=1, max_size=7))
    return main, draw(st.lists(st.integers(0, 5), max_size=len(main)))


@given(booklets(), st.integers(0, 99))
@example(([1, 0, 1, 0, 1, 0], [0, 1, 1, 2, 3, 4]), 0)
@example(([0, 1, 0, 1, 0, 1], [1]), 0)
def test_two_of_one_item_meet_only_where_no_order_parts_them(
    booklet: tuple[list[int], list[int]], seed: int
) -> None:
    main, checks = (np.array(items, dtype=np.int64) for items in booklet)
    rng = np.random.default_rng(seed)
    order = keep_apart(main, checks, rng)
    assert sorted(order.tolist()) == list(range(len(main)))
    behind = place_checks(main[order], checks, rng)
    assert sorted(behind.values()) == list(range(len(checks)))
    shown: list[Shown] = []
    for place, item in enumerate(main[order].tolist(), start=1):
        shown.append((item, False))
        if place in behind:
            shown.append((int(checks[behind[place]]), True))
    assert met(shown) == fewest_met(main[order], checks) == fewest_of_all_orders(shown)
    if fewest_met(main, checks) == 0:
        assert order.tolist() == list(range(len(main)))


def in_order(plan: Plan) -> list[list[Shown]]:
    slots = {slot.id: slot for slot in plan.slots}
    trials = [[plan.trial(slots[id].trial) for id in b.slots] for b in plan.booklets]
    return [[(trial.item, trial.kind != "main") for trial in content] for content in trials]


@st.composite
def crowded(draw: st.DrawFn) -> Plan:
    """A plan with few items and checks on them, in which Williams order promises nothing."""
    protocol = draw(st.sampled_from(["rate", "compare", "rank"]))
    n_items, n_systems = draw(st.integers(1, 3)), draw(st.integers(2, 4))
    overlap = draw(st.integers(1, 3))
    n_shown = {"rate": 1, "compare": 2, "rank": n_systems}[protocol]
    n_booklet = n_items * {"rate": n_systems, "compare": n_systems * (n_systems - 1) // 2}.get(
        protocol, 1
    )
    known = [
        make_known(kind, draw(st.integers(0, 3)), [f"system-{s}" for s in range(n_shown)])
        for kind in KINDS[: draw(st.integers(0, min(2, n_booklet)))]
    ]
    design = {"overlap": overlap, "raters": overlap, "seed": draw(st.integers(0, 99))}
    study = make_study(protocol, design=design, session={"minutes": 600})
    return make_plan(study, make_material(n_items, n_systems, known=known))


@given(crowded())
def test_a_plan_shows_two_of_one_item_side_by_side_only_where_it_must(plan: Plan) -> None:
    assert all(met(shown) == fewest_of_all_orders(shown) for shown in in_order(plan))
    assert balance(plan).items_met == sum(met(shown) for shown in in_order(plan))


@pytest.mark.parametrize("seed", range(10))
def test_a_check_may_part_the_trials_of_the_only_item(seed: int) -> None:
    known = [make_known("gold", 9, ["system-0"])]
    design = {"overlap": 2, "raters": 2, "seed": seed}
    plan = make_plan(make_study("rate", design=design), make_material(1, 2, known=known))
    assert balance(plan).item_distance == 2


@pytest.mark.parametrize("raters", [11, 13, 16, 20])
def test_who_follows_whom_comes_before_checks_in_short_booklets(raters: int) -> None:
    # Booklets of two or three trials hardly leave two checks on one of their items a place.
    known = [make_known(kind, 3, ["system-0"]) for kind in ("gold", "attention")]
    for seed in range(5):
        design = {"overlap": 2, "raters": raters, "seed": seed}
        study = make_study("rate", design=design)
        found = balance(make_plan(study, make_material(4, 5, known=known)))
        assert found.follow_difference is not None
        assert found.follow_difference <= 2
        assert not any(row.next[i] for i, row in enumerate(found.follows))
