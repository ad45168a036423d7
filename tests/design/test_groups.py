"""Rater groups in the plan: each group's part is exact and even by itself, and grows by itself."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurybox.design import balance, extend_plan, make_plan
from jurybox.design.groups import groups_in, part_of_group, parts_of
from jurybox.design.guarantees import refuse_uneven
from jurybox.design.plan import Plan
from jurybox.errors import DesignError
from tests.design.studies import make_known, make_material, make_study

INVITED = {"invited": True}


def grouped(protocol: str, groups: Any, *, each: bool = True, **design: Any) -> Any:
    return make_study(
        protocol, design=design, raters={"groups": groups, "each": each}, access=INVITED
    )


def counts(plan: Plan, group: str | None = None) -> Counter[Any]:
    part = plan if group is None else part_of_group(plan, group)
    main = {trial.id for trial in plan.trials if trial.kind == "main"}
    return Counter(slot.trial for slot in part.slots if slot.trial in main)


@st.composite
def cases(draw: st.DrawFn) -> Any:
    protocol = draw(st.sampled_from(["rate", "compare", "rank"]))
    overlaps = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    groups = {}
    for number, overlap in enumerate(overlaps):
        quota = draw(st.none() | st.integers(overlap, overlap + 4))
        groups[f"group-{number}"] = {"overlap": overlap, "quota": quota}
    seed = draw(st.integers(0, 99))
    return (
        grouped(protocol, groups, seed=seed),
        make_material(draw(st.integers(8, 14)), draw(st.integers(2, 4))),
    )


@given(cases())
def test_each_group_has_its_own_overlap_and_balance(case: Any) -> None:
    study, material = case
    plan = make_plan(study, material)
    groups = study.raters.groups
    assert groups_in(plan) == tuple(groups)
    assert plan.overlap == sum(group.overlap for group in groups.values())
    for name, group in groups.items():
        part = part_of_group(plan, name)
        main = [trial.id for trial in part.trials if trial.kind == "main"]
        assert counts(plan, name) == dict.fromkeys(main, group.overlap)
        assert set(counts(plan, name)) == set(counts(plan))
        for booklet in part.booklets:
            shown = [slot.trial for slot in part.slots if slot.booklet == booklet.id]
            assert len(set(shown)) == len(shown)
        if group.quota is not None:
            assert len(part.booklets) == group.quota
        found = balance(part)
        assert found.load_difference <= 1
        assert (found.trial_difference or 0) <= 1
        if {len(slot.order) for slot in part.slots} == {2}:
            assert found.pair_difference in {0, 1}
        refuse_uneven(part)
    assert len({slot.id for slot in plan.slots}) == len(plan.slots)
    assert make_plan(study, material) == plan


def test_booklets_are_compared_within_their_group() -> None:
    # 24 answers in 2 booklets of experts, 48 in 8 of the crowd: 12 and 6 trials, even in each.
    study = grouped("rate", {"expert": {"quota": 2, "overlap": 1}, "crowd": 8}, overlap=2)
    found = balance(make_plan(study, make_material(8, 3)))
    assert [(g.group, g.overlap, g.n_slots, g.n_booklets) for g in found.groups] == [
        ("expert", 1, 24, 2),
        ("crowd", 2, 48, 8),
    ]
    assert set(found.loads) == {12, 6}
    assert found.load_difference == 0


def test_without_each_booklets_are_for_anybody_and_quotas_count_them() -> None:
    material = make_material(10, 2)
    plan = make_plan(grouped("rate", {"a": 2, "b": 5}, each=False), material)
    assert groups_in(plan) == ()
    assert len(plan.booklets) == 7
    free = make_plan(grouped("rate", {"a": 2, "b": {}}, each=False), material)
    alone = make_plan(make_study("rate"), material)
    assert free == alone


def test_a_plan_without_groups_is_what_it_was_and_every_group_has_the_checks() -> None:
    systems = ["system-0", "system-1"]
    known = [make_known("gold", 100, systems), make_known("practice", 101, systems)]
    material = make_material(9, 2, known=known)
    plan = make_plan(grouped("compare", {"a": 3, "b": 4}, overlap=2), material)
    gold = {trial.id for trial in plan.trials if trial.kind == "gold"}
    for booklet in plan.booklets:
        held = {slot.trial for slot in plan.slots if slot.booklet == booklet.id}
        assert gold <= held
    assert len(plan.practice) == 1


def test_a_new_group_and_a_larger_overlap_add_to_the_plan() -> None:
    material = make_material(8, 2)
    before = make_plan(grouped("rate", {"a": {"overlap": 2}}), material)
    wider = grouped("rate", {"a": {"overlap": 3}, "b": {"overlap": 1, "quota": 4}})
    after = extend_plan(before, wider, material)
    assert after.booklets[: len(before.booklets)] == before.booklets
    assert after.slots[: len(before.slots)] == before.slots
    assert set(counts(after, "a").values()) == {3}
    assert set(counts(after, "b").values()) == {1}
    assert len(part_of_group(after, "b").booklets) == 4
    assert extend_plan(after, wider, material) == after


def test_new_items_are_answered_in_each_group() -> None:
    study = grouped("rate", {"a": {"quota": 4, "overlap": 2}, "b": {"quota": 3, "overlap": 1}})
    before = make_plan(study, make_material(8, 2))
    after = extend_plan(before, study, make_material(10, 2))
    assert set(counts(after, "a").values()) == {2}
    assert set(counts(after, "b").values()) == {1}
    assert len(counts(after)) == 20
    larger = grouped("rate", {"a": {"quota": 40, "overlap": 2}, "b": {"quota": 3, "overlap": 1}})
    grown = extend_plan(before, larger, make_material(9, 2))
    assert set(counts(grown, "a").values()) == {2}


@pytest.mark.parametrize(
    ("study", "sentence"),
    [
        (
            grouped("rate", {"a": {"quota": 40, "overlap": 1}}),
            "raters.groups.a.quota is 40 and only 6 answers are planned",
        ),
        (
            grouped("rate", {"a": 40, "b": 40}, each=False, overlap=1),
            "the quotas of raters.groups are 80 and only 6 answers are planned",
        ),
        (
            grouped("detect", {"a": {"quota": 2, "overlap": 2}}),
            "raters.groups.a.quota is 2, and 4 raters are needed so that nobody sees two outputs",
        ),
    ],
)
def test_too_many_or_too_few_raters_are_a_sentence(study: Any, sentence: str) -> None:
    with pytest.raises(DesignError, match=sentence):
        make_plan(study, make_material(3, 2))


def test_parts_take_their_overlap_from_the_group_or_the_design() -> None:
    study = grouped("rate", {"a": {"overlap": 1}, "b": 9}, overlap=4)
    assert [(p.group, p.overlap, p.raters) for p in parts_of(study)] == [
        ("a", 1, None),
        ("b", 4, 9),
    ]


@settings(max_examples=25)
@given(st.sampled_from(["rate", "compare", "rank", "mark", "detect"]), st.data())
def test_groups_a_core_repeats_and_checks_go_together(protocol: str, data: st.DataObject) -> None:
    overlaps = data.draw(st.lists(st.integers(1, 3), min_size=2, max_size=2), label="overlaps")
    # Detect needs a booklet for each output of an item, and twice that with a core.
    groups = {
        f"group-{n}": {"overlap": overlap, "quota": 3 * overlap + data.draw(st.integers(2, 4))}
        for n, overlap in enumerate(overlaps)
    }
    core, n_items = data.draw(st.integers(1, 4), label="core"), data.draw(st.integers(8, 12))
    design: dict[str, Any] = {
        "core": core,
        "repeats": 0.2,
        "seed": data.draw(st.integers(0, 99), label="seed"),
    }
    shown = {"compare": 2, "rank": 3}.get(protocol, 1)
    known = [make_known("gold", 100, [f"system-{s}" for s in range(shown)])]
    study = grouped(protocol, groups, **design)
    study = study.model_copy(
        update={"session": study.session.model_copy(update={"minutes": 600.0})}
    )
    material = make_material(n_items, 3, known=known)
    plan = make_plan(study, material)
    assert make_plan(study, material) == plan
    main = {trial.id: trial for trial in plan.trials if trial.kind == "main"}
    for name, group in groups.items():
        part = part_of_group(plan, name)
        assert len(part.booklets) == group["quota"]
        refuse_uneven(part)
        times = Counter(s.trial for s in part.slots if s.trial in main and not s.repeat)
        # A trial is answered by so many of the group as asked, or by all of them.
        assert set(times) == set(main)
        assert set(times.values()) <= {group["overlap"], group["quota"]}
        everybody = {main[id].item for id, n in times.items() if n == group["quota"]}
        assert len(everybody) >= min(core, n_items) if protocol != "detect" else everybody
        slots = {slot.id: slot for slot in part.slots}
        for booklet in part.booklets:
            content = [slots[id] for id in booklet.slots]
            first = {s.trial: s.position for s in content if not s.repeat}
            assert len(first) == sum(not s.repeat for s in content)
            again = [s for s in content if s.repeat]
            # Far apart: nearly half a booklet.
            assert all(2 * (s.position - first[s.trial]) >= len(first) - 4 for s in again)
            gold = [s.position for s in content if s.trial not in main]
            assert len(gold) == 1
            assert gold[0] > 0
            if protocol == "detect":
                items = [main[s.trial].item for s in content if not s.repeat and s.trial in main]
                assert len(items) == len(set(items))
