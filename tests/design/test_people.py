"""People rate a random share of the items, and judges all of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurybox.design import balance, extend_plan, make_plan
from jurybox.design.people import people_share
from jurybox.design.plan import Plan
from jurybox.errors import DesignError
from jurybox.judges.calls import Calls
from jurybox.study.model import ItemId
from tests.design.studies import make_material, make_study

JUDGES = {"j1": {"model": "m", "endpoint": "http://127.0.0.1:1/v1"}}


def shared(share: float, protocol: str = "rate", **design: Any) -> Any:
    design = {"overlap": 2, "people": share, **design}
    return make_study(protocol, design=design, judges=JUDGES, session={"minutes": 60})


def slots_of(plan: Plan) -> dict[ItemId, set[int]]:
    """How many slots the trials of each item have."""
    times = Counter(slot.trial for slot in plan.slots)
    found: dict[ItemId, set[int]] = {}
    for trial in plan.trials:
        found.setdefault(trial.item, set()).add(times[trial.id])
    return found


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["rate", "compare"]),
    st.integers(2, 30),
    st.floats(0.05, 0.95),
    st.integers(0, 99),
)
def test_every_trial_is_planned_and_a_share_of_the_items_has_slots(
    protocol: str, n_items: int, share: float, seed: int
) -> None:
    study, material = shared(share, protocol, seed=seed), make_material(n_items, 3)
    plan = make_plan(study, material)
    of_items = slots_of(plan)
    assert len(of_items) == n_items
    # An item is rated whole, by the overlap, or not at all.
    assert all(times in ({2}, {0}) for times in of_items.values())
    rated = sum(times == {2} for times in of_items.values())
    assert rated == max(1, int(share * n_items + 0.5))
    assert people_share(plan) == rated / n_items
    assert balance(plan).load_difference <= 1
    assert make_plan(study, material) == plan


def test_items_are_drawn_with_one_probability_whatever_their_stratum() -> None:
    material = make_material(30, 1)
    times: Counter[ItemId] = Counter()
    for seed in range(60):
        plan = make_plan(shared(0.3, stratify=["topic"], seed=seed), material)
        rated = [item for item, slots in slots_of(plan).items() if slots == {2}]
        # Half of the items are of either topic.
        assert Counter(int(item.split("-")[1]) % 2 for item in rated) in (
            {0: 5, 1: 4},
            {0: 4, 1: 5},
        )
        times.update(rated)
    # Of 60 plans 18 on average, with a standard deviation of √(60 · 0.3 · 0.7) = 3.5.
    assert len(times) == 30
    assert 18 - 4 * 3.5 < min(times.values())
    assert max(times.values()) < 18 + 4 * 3.5


def test_judges_rate_all_items() -> None:
    study, material = shared(0.2, "compare"), make_material(10, 2)
    plan = make_plan(study, material)
    calls = Calls("j1", study.judges["j1"], study, material, plan)
    assert {trial.item for trial in calls.trials} == set(material.items)
    # Two orders of each of ten pairs; people get two of them.
    assert len(calls) == 20
    assert len({plan.trial(slot.trial).item for slot in plan.slots}) == 2


def test_more_items_keep_what_people_had() -> None:
    study = shared(0.25)
    old = make_plan(study, make_material(12, 2))
    before = slots_of(old)
    plan = extend_plan(old, study, make_material(20, 2))
    after = slots_of(plan)
    assert {item: after[item] for item in before} == before
    assert sum(times == {2} for times in after.values()) == 5
    # So few that none of them is for people: they are planned for the judges all the same.
    few = extend_plan(old, study, make_material(13, 2))
    assert len(slots_of(few)) == 13
    assert few.slots == old.slots
    assert extend_plan(few, study, make_material(13, 2)) == few


def test_a_core_is_of_people_s_items() -> None:
    study = shared(0.5, core=2, raters=4)
    of_items = slots_of(make_plan(study, make_material(12, 1)))
    assert (
        sorted(times for each in of_items.values() for times in each) == [0] * 6 + [2] * 4 + [4] * 2
    )
    with pytest.raises(DesignError, match="the plan has 3"):
        make_plan(shared(0.25, core=4), make_material(12, 1))


def test_a_calibration_is_for_everybody() -> None:
    study = make_study(
        "rate",
        design={"overlap": 2, "people": 0.5, "raters": 3},
        judges=JUDGES,
        quality={"calibration": {"items": 4}},
        session={"minutes": 60},
    )
    plan = make_plan(study, make_material(12, 1), round="calibration")
    assert all(times == {3} for times in slots_of(plan).values())
