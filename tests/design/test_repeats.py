"""Planned repeats: the share is exact, they are far apart, and half of them are turned round."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from jurybox.design import balance, extend_plan, make_plan
from jurybox.design.plan import Plan, Slot
from jurybox.design.repeats import SOONER
from jurybox.design.timing import expected_seconds
from jurybox.errors import DesignError
from jurybox.study.model import Study
from tests.design.studies import Case, cases, make_known, make_material, make_study

shares = st.sampled_from([0.05, 0.1, 0.25, 0.5, 1.0])


def with_repeats(study: Study, share: float) -> Study:
    design = study.design.model_copy(update={"repeats": share})
    return study.model_copy(update={"design": design})


def planned(case: Case, share: float) -> Plan:
    """The plan with repeats; a share that leaves a repeat no place is no example to look at."""
    assume(int(share * case.n_trials * case.overlap + 0.5) > 0)
    try:
        return make_plan(with_repeats(case.study, share), case.material)
    except DesignError as error:
        said = str(error)
    found = re.search(r"on (\d+) items? a trial would come again beside", said)
    assert found, said
    # Only where there is hardly a choice.
    assert int(found[1]) <= 2
    reject()


def booklets_of(plan: Plan) -> list[list[Slot]]:
    slots = {slot.id: slot for slot in plan.slots}
    return [[slots[id] for id in booklet.slots] for booklet in plan.booklets]


def is_main(plan: Plan, slot: Slot) -> bool:
    return plan.trial(slot.trial).kind == "main"


@given(cases(), shares)
def test_the_share_is_exact_and_comes_on_top_of_the_overlap(case: Case, share: float) -> None:
    n_slots = case.n_trials * case.overlap
    plan = planned(case, share)
    again = [slot for slot in plan.slots if slot.repeat]
    assert len(again) == int(share * n_slots + 0.5)
    assert {slot.repeat for slot in again} == {1}
    times = Counter(slot.trial for slot in plan.slots if not slot.repeat and is_main(plan, slot))
    assert set(times.values()) == {case.overlap}
    assert balance(plan).n_slots == n_slots
    ids = [slot.id for slot in plan.slots]
    assert len(ids) == len(set(ids))
    for content in booklets_of(plan):
        assert [slot.position for slot in content] == list(range(len(content)))
        main = sum(not slot.repeat and is_main(plan, slot) for slot in content)
        assert abs(sum(slot.repeat for slot in content) - share * main) <= 1


@given(cases(), shares)
def test_a_repeat_comes_to_the_same_rater_at_least_half_a_booklet_later(
    case: Case, share: float
) -> None:
    plan = planned(case, share)
    for content in booklets_of(plan):
        first = {slot.trial: slot for slot in content if not slot.repeat}
        shown = [slot for slot in content if is_main(plan, slot)]
        place = {slot.id: number for number, slot in enumerate(shown)}
        again = [slot for slot in content if slot.repeat]
        for slot in again:
            assert is_main(plan, slot)
            # Two places sooner only where half a booklet leaves hardly a choice.
            n_items = len({plan.trial(one.trial).item for one in shown})
            sooner = SOONER if share > 0.5 or n_items <= 4 else 0
            assert 2 * (place[slot.id] - place[first[slot.trial].id] + sooner) >= len(shown)
            # With room for it the checks count too: half of everything that the rater sees.
            if not sooner and 2 * (len(shown) - len(again)) >= len(content):
                assert 2 * (slot.position - first[slot.trial].position) >= len(content)


@given(cases(("compare", "rank")), shares)
def test_half_of_the_repeats_are_turned_round(case: Case, share: float) -> None:
    plan = planned(case, share)
    turned: defaultdict[object, int] = defaultdict(int)
    for content in booklets_of(plan):
        first = {slot.trial: slot.order for slot in content if not slot.repeat}
        for slot in content:
            if slot.repeat:
                assert slot.order in {first[slot.trial], first[slot.trial][::-1]}
                sign = 1 if slot.order == first[slot.trial] else -1
                turned[slot.booklet] += sign
                turned["all"] += sign
    assert max(map(abs, turned.values())) <= 1


def test_repeats_leave_the_rest_of_the_plan_as_it_is_and_systems_even() -> None:
    # 20 items × 3 systems × 2 raters = 120 slots in 4 booklets of 30; a tenth is 12 repeats, 3 in
    # each booklet, 4 of each system.
    study = make_study("rate", design={"overlap": 2, "raters": 4, "seed": 3})
    material = make_material(20, 3)
    plain, plan = (make_plan(s, material) for s in (study, with_repeats(study, 0.1)))
    assert [s.id for s in plan.slots if not s.repeat] == [s.id for s in plain.slots]
    assert [sum(slot.repeat for slot in content) for content in booklets_of(plan)] == [3] * 4
    systems = Counter(plan.trial(slot.trial).systems for slot in plan.slots if slot.repeat)
    assert set(systems.values()) == {4}
    assert make_plan(with_repeats(study, 0.1), material) == plan


@pytest.mark.parametrize(
    ("n_items", "n_systems", "design"),
    [
        (12, 3, {"overlap": 1, "raters": 1, "repeats": 0.2}),
        # Booklets of 13 or 14 and one repeat: the last early trials can only come at the end.
        (12, 5, {"overlap": 2, "raters": 9, "repeats": 0.1}),
        (14, 5, {"overlap": 5, "raters": 5, "repeats": 0.1}),
    ],
)
def test_a_repeat_does_not_stand_beside_another_trial_of_its_item(
    n_items: int, n_systems: int, design: dict[str, Any]
) -> None:
    material = make_material(n_items, n_systems)
    for seed in range(10):
        plan = make_plan(make_study("rate", design={**design, "seed": seed}), material)
        for content in booklets_of(plan):
            items = [plan.trial(slot.trial).item for slot in content]
            assert all(one != other for one, other in pairwise(items))


@given(cases(), shares)
def test_no_repeat_makes_neighbors_of_one_item(case: Case, share: float) -> None:
    plan = planned(case, share)
    for content in booklets_of(plan):
        shown = [plan.trial(slot.trial).item for slot in content if is_main(plan, slot)]
        once = [
            plan.trial(slot.trial).item
            for slot in content
            if is_main(plan, slot) and not slot.repeat
        ]
        met, before = (sum(a == b for a, b in pairwise(items)) for items in (shown, once))
        assert met <= before


@pytest.mark.parametrize("protocol", ["rate", "compare"])
@pytest.mark.parametrize("share", [0.3, 0.5, 0.8])
def test_many_repeats_find_their_places(protocol: str, share: float) -> None:
    for seed in range(20):
        design = {"overlap": 2, "raters": 4, "repeats": share, "seed": seed}
        plan = make_plan(make_study(protocol, design=design), make_material(8, 3))
        for content in booklets_of(plan):
            items = [plan.trial(slot.trial).item for slot in content]
            assert all(one != other for one, other in pairwise(items))


def test_repeats_without_a_place_off_their_item_are_refused() -> None:
    study = make_study("rate", design={"overlap": 1, "raters": 1, "repeats": 0.5})
    with pytest.raises(DesignError, match="in a booklet of 2 trials on 1 item a trial would come"):
        make_plan(study, make_material(1, 2))


@pytest.mark.parametrize(("n_items", "n_systems"), [(2, 3), (4, 3), (6, 3)])
def test_everything_comes_again_whatever_the_seed(n_items: int, n_systems: int) -> None:
    # Half a booklet later the last trial meets the first one come again, and in some orders both
    # show one item; then repeats come up to two places sooner.
    for seed in range(15):
        design = {"overlap": 1, "raters": 1, "repeats": 1.0, "seed": seed}
        plan = make_plan(make_study("rate", design=design), make_material(n_items, n_systems))
        items = [plan.trial(slot.trial).item for slot in plan.slots]
        assert all(one != other for one, other in pairwise(items))
        assert len(items) == 2 * n_items * n_systems


def test_repeats_make_room_within_the_session() -> None:
    # 40 trials of 60 s are 40 minutes; with a quarter of them repeated 50, so one booklet more.
    session: dict[str, Any] = {"minutes": 40, "seconds_per_trial": 60}
    study = make_study("rate", design={"overlap": 1}, session=session)
    material = make_material(20, 2)
    assert len(make_plan(study, material).booklets) == 1
    plan = make_plan(with_repeats(study, 0.25), material)
    assert [len(content) for content in booklets_of(plan)] == [25, 25]


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5])
def test_repeats_of_the_longer_trials_make_no_booklet_longer_than_the_session(share: float) -> None:
    # Every third item has three times the words of another, and any trial may come again.
    for n_items, minutes in product(range(12, 36, 4), (4, 5.5, 7)):
        session = {"minutes": minutes}
        design = {"overlap": 2, "repeats": share, "seed": n_items}
        study = make_study("rate", design=design, session=session)
        material = make_material(n_items, 2, words=20)
        plan = make_plan(study, material)
        seconds = {trial.id: expected_seconds(study, material, trial) for trial in plan.trials}
        for content in booklets_of(plan):
            assert sum(seconds[slot.trial] for slot in content) <= 60 * minutes + 1e-6


def test_checks_stay_between_and_are_never_repeated() -> None:
    known = [make_known("gold", 100 + n, ["system-0"]) for n in range(3)]
    study = make_study("rate", design={"overlap": 2, "raters": 2, "repeats": 0.5})
    plan = make_plan(study, make_material(8, 2, known=known))
    for content in booklets_of(plan):
        kinds = [plan.trial(slot.trial).kind for slot in content]
        assert kinds.count("gold") == 3
        assert kinds[0] == "main"
        assert not any(a == b == "gold" for a, b in pairwise(kinds))


def test_an_extension_repeats_its_own_trials_and_keeps_the_old_ones() -> None:
    study = make_study("rate", design={"overlap": 2, "repeats": 0.2, "raters": 2})
    old = make_plan(study, make_material(10, 1))
    new = extend_plan(old, study, make_material(20, 1))
    assert new.slots[: len(old.slots)] == old.slots
    added = new.slots[len(old.slots) :]
    assert sum(slot.repeat for slot in added) == 4  # a fifth of 10 items × 2 raters
    assert extend_plan(new, study, make_material(20, 1)) == new
    assert extend_plan(old, study, make_material(11, 1)).overlap == 2  # too few to repeat any


def test_a_calibration_round_has_no_repeats() -> None:
    study = make_study(
        "rate",
        design={"overlap": 2, "repeats": 0.2, "raters": 3},
        quality={"calibration": {"items": 4}},
    )
    plan = make_plan(study, make_material(10, 1), round="calibration")
    assert not any(slot.repeat for slot in plan.slots)


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_a_share_of_nothing_plans_nothing(share: float) -> None:
    study = make_study("compare", design={"overlap": 2, "raters": 2, "repeats": share})
    plan = make_plan(study, make_material(5, 2))
    assert sum(slot.repeat for slot in plan.slots) == (3 if share else 0)
