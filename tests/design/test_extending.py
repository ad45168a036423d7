"""A plan that grows: what was planned stays as it was."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from jurybox.design import extend_plan, make_plan
from jurybox.design.plan import Plan
from jurybox.errors import DesignError
from jurybox.study.material import Material
from jurybox.study.model import Study
from jurybox.study.settings import RandomPairs
from tests.design.studies import Case, cases, make_known, make_material, make_study


def redesign(study: Study, **changes: Any) -> Study:
    return study.model_copy(update={"design": study.design.model_copy(update=changes)})


def grown(case: Case, items: int, systems: int) -> Material:
    n_systems = len(case.material.systems) + systems
    known = tuple(case.material.known.values())
    return make_material(len(case.material.items) + items, n_systems, known=known)


@given(cases(), st.integers(0, 4), st.integers(0, 2), st.integers(0, 2))
def test_new_items_systems_and_overlap_leave_the_old_plan_alone(
    case: Case, items: int, systems: int, overlap: int
) -> None:
    old = make_plan(case.study, case.material)
    study = redesign(case.study, overlap=case.overlap + overlap, raters=None)
    material = grown(case, items, systems)
    if isinstance(study.design.pairs, RandomPairs):
        more = RandomPairs(random=study.design.pairs.random + systems + items)
        study = redesign(study, pairs=more)
    study = study.model_copy(update={"session": study.session.model_copy(update={"minutes": 600})})
    try:
        new = extend_plan(old, study, material)
    except DesignError as error:
        # Two outputs on a screen and few new items may not join all systems, which is refused.
        assume("never compared with each other" not in str(error))
        raise
    assert new.trials[: len(old.trials)] == old.trials
    assert new.slots[: len(old.slots)] == old.slots
    assert new.booklets[: len(old.booklets)] == old.booklets
    assert_exact(new, study.design.overlap)
    fresh = {booklet.id for booklet in new.booklets[len(old.booklets) :]}
    assert {slot.booklet for slot in new.slots[len(old.slots) :]} == fresh
    ids = [*(t.id for t in new.trials), *(s.id for s in new.slots), *(b.id for b in new.booklets)]
    assert len(ids) == len(set(ids))


def assert_exact(plan: Plan, overlap: int) -> None:
    used: dict[str, list[str]] = {t.id: [] for t in plan.trials if t.kind == "main"}
    for slot in plan.slots:
        if slot.trial in used:
            used[slot.trial].append(slot.booklet)
    assert all(len(booklets) == len(set(booklets)) == overlap for booklets in used.values())


def shown(plan: Plan) -> Counter[tuple[str, str]]:
    return Counter((t.item, s) for t in plan.trials if t.kind == "main" for s in t.systems)


@pytest.mark.parametrize("protocol", ["rate", "compare", "rank"])
def test_every_output_of_a_new_system_is_shown(protocol: str) -> None:
    study = make_study(protocol, design={"overlap": 2})
    old = make_plan(study, make_material(5, 3))
    material = make_material(6, 4)
    new = extend_plan(old, study, material)
    assert set(shown(new)) == set(material.outputs)


def test_blocks_take_a_new_system_in_beside_old_ones() -> None:
    study = make_study("rank", design={"overlap": 2, "outputs_per_trial": 3})
    old = make_plan(study, make_material(5, 3))
    new = extend_plan(old, study, make_material(5, 4))
    added = new.trials[len(old.trials) :]
    assert len(added) == 5
    assert all(len(trial.systems) == 3 and "system-3" in trial.systems for trial in added)


def test_nothing_new_is_the_same_plan() -> None:
    study = make_study("compare", design={"overlap": 2})
    material = make_material(5, 3)
    plan = make_plan(study, material)
    assert extend_plan(plan, study, material) is plan


def test_chosen_items_stay_when_more_are_asked_for() -> None:
    study = make_study("rate", design={"overlap": 1, "items": 4, "stratify": "topic"})
    old = make_plan(study, make_material(10, 2))
    new = extend_plan(old, redesign(study, items=7), make_material(12, 2))
    before, after = ({trial.item for trial in plan.trials} for plan in (old, new))
    assert before < after
    assert len(after) == 7


def test_new_raters_share_what_is_new() -> None:
    study = make_study("rate", design={"overlap": 2, "raters": 4})
    old = make_plan(study, make_material(6, 2))
    new = extend_plan(old, redesign(study, raters=7), make_material(9, 2))
    assert len(new.booklets) == 7


def test_checks_are_in_the_new_booklets_too() -> None:
    study = make_study("rate", design={"overlap": 2})
    known = [make_known("gold", 0, ["system-0"]), make_known("practice", 1, ["system-0"])]
    old = make_plan(study, make_material(6, 2, known=known))
    new = extend_plan(old, study, make_material(9, 2, known=known))
    (gold,) = [trial.id for trial in new.trials if trial.kind == "gold"]
    assert sum(slot.trial == gold for slot in new.slots) == len(new.booklets)
    assert new.practice == old.practice


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"overlap": 1}, "design.overlap is 1 and the plan has 2 slots"),
        ({"seed": 9}, "design.seed is 9 and the plan was made with 0; set it back to 0"),
        ({"core": 6}, "design.core asks for 6 items and the plan gave 5 to everybody"),
    ],
)
def test_what_cannot_extend_says_what_to_do(changes: dict[str, Any], sentence: str) -> None:
    study = make_study("rate", design={"overlap": 2})
    material = make_material(5, 3)
    plan = make_plan(study, material)
    with pytest.raises(DesignError, match=sentence):
        extend_plan(plan, redesign(study, **changes), material)
