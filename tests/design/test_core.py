"""A shared core: items in every booklet, whatever the overlap of the others."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from jurybox.design import balance, extend_plan, make_plan
from jurybox.design.plan import Plan
from jurybox.errors import DesignError
from jurybox.study.model import ItemId
from jurybox.study.settings import Design
from tests.design.studies import make_material, make_study
from tests.design.test_repeats import booklets_of


def everywhere(plan: Plan) -> set[ItemId]:
    """The items all of whose trials stand in every booklet."""
    times = Counter(slot.trial for slot in plan.slots if not slot.repeat)
    short = {t.item for t in plan.trials if times[t.id] < len(plan.booklets)}
    return {trial.item for trial in plan.trials} - short


@given(
    st.sampled_from(["rate", "compare", "rank"]),
    st.integers(1, 10),
    st.integers(2, 4),
    st.data(),
)
def test_core_items_are_in_every_booklet_and_the_others_keep_their_overlap(
    protocol: str, n_items: int, n_systems: int, data: st.DataObject
) -> None:
    overlap, core = data.draw(st.integers(1, 4)), data.draw(st.integers(1, n_items))
    raters = data.draw(st.none() | st.integers(overlap, 9))
    design = {"overlap": overlap, "core": core, "raters": raters, "seed": data.draw(st.integers())}
    design["seed"] = abs(design["seed"] or 0) % 1000
    study = make_study(protocol, design=design, session={"minutes": 30})
    plan = make_plan(study, make_material(n_items, n_systems))
    times = Counter(slot.trial for slot in plan.slots)
    shared = {t.item for t in plan.trials if times[t.id] == len(plan.booklets)}
    assert len(shared) >= core
    if len(plan.booklets) > overlap:
        assert len(shared) == core
    assert {times[t.id] for t in plan.trials} <= {overlap, len(plan.booklets)}
    found = balance(plan)
    assert found.load_difference <= 1
    for content in booklets_of(plan):
        assert len({slot.trial for slot in content}) == len(content)
    assert found.trial_difference in {None, 0, 1}
    if protocol == "compare":
        assert found.pair_difference in {0, 1}
        assert found.booklet_difference in {0, 1}
    assert make_plan(study, make_material(n_items, n_systems)) == plan


def test_a_core_is_drawn_from_every_stratum() -> None:
    # Topics alternate over the items, so four core items are two of each.
    study = make_study("rate", design={"overlap": 2, "core": 4, "raters": 6, "stratify": "topic"})
    material = make_material(20, 2)
    core = everywhere(make_plan(study, material))
    topics = Counter(material.item_fields(item)["topic"] for item in core)
    assert sorted(topics.values()) == [2, 2]


def test_in_detect_core_outputs_keep_the_real_share_and_stand_alone() -> None:
    study = make_study("detect", design={"overlap": 2, "core": 4, "items": 12, "raters": 8})
    plan = make_plan(study, make_material(20, 2))
    times = Counter(slot.trial for slot in plan.slots)
    core = [trial for trial in plan.trials if times[trial.id] == 8]
    assert sorted(trial.systems[0] for trial in core) == ["system-0"] * 2 + ["system-1"] * 2
    for content in booklets_of(plan):
        items = [plan.trial(slot.trial).item for slot in content]
        assert len(items) == len(set(items))


def shown_in_detect(plan: Plan) -> tuple[Counter[str], Counter[str]]:
    """Per system, how many outputs are shown and how many of them to everybody."""
    times = Counter(slot.trial for slot in plan.slots)
    for content in booklets_of(plan):
        items = [plan.trial(slot.trial).item for slot in content]
        assert len(items) == len(set(items))
    core = [trial for trial in plan.trials if times[trial.id] == len(plan.booklets)]
    one = Counter(trial.item for trial in plan.trials)
    assert all(one[trial.item] == 1 for trial in core)
    return (
        Counter(trial.systems[0] for trial in plan.trials),
        Counter(trial.systems[0] for trial in core),
    )


def test_in_detect_a_core_has_one_output_of_each_of_its_items() -> None:
    # Two generated systems: of 24 outputs on 30 items 12 are real and 6 of each of the two, on the
    # same items but for the core's, of which each has one system alone.
    study = make_study("detect", design={"overlap": 2, "core": 4, "items": 24, "raters": 9})
    shown, core = shown_in_detect(make_plan(study, make_material(30, 3)))
    assert shown == {"system-0": 12, "system-1": 6, "system-2": 6}
    assert core == {"system-0": 2, "system-1": 1, "system-2": 1}


def test_in_detect_as_many_outputs_are_shown_as_the_core_allows() -> None:
    # 6 items, real and generated: one shows a generated output to everybody, so 5 real ones remain
    # and, as half of all, 5 generated ones.
    study = make_study("detect", design={"overlap": 1, "core": 1, "raters": 4})
    shown, core = shown_in_detect(make_plan(study, make_material(6, 2)))
    assert core == {"system-1": 1}
    assert shown == {"system-0": 5, "system-1": 5}


def test_in_detect_too_many_outputs_beside_a_core_are_refused_with_how_many_fit() -> None:
    design = {"overlap": 1, "core": 4, "raters": 8}
    # 2 real and 2 generated items stand alone; the other 6 show a real and a generated output each:
    # 4 + 12 = 16 outputs.
    study = make_study("detect", design={**design, "items": 20})
    with pytest.raises(DesignError, match=r"set design\.items to 16 or less"):
        make_plan(study, make_material(10, 2))
    study = make_study("detect", design={**design, "items": 16})
    shown, core = shown_in_detect(make_plan(study, make_material(10, 2)))
    assert sum(shown.values()) == 16
    assert core == {"system-0": 2, "system-1": 2}


@pytest.mark.parametrize(
    ("design", "sentence"),
    [
        ({"core": 4, "items": 2}, "for 4 outputs for everybody, and 2 outputs can be shown in all"),
        ({"core": 7}, "design.core asks for 7 outputs, 4 of them real, each the only one of its"),
    ],
)
def test_in_detect_a_core_larger_than_what_there_is(design: dict[str, int], sentence: str) -> None:
    # The study's own rules catch one of these earlier; a plan must not rely on that.
    chosen = Design.model_validate({"overlap": 1, **design})
    study = make_study("detect").model_copy(update={"design": chosen})
    with pytest.raises(DesignError, match=sentence):
        make_plan(study, make_material(6, 2))


@given(
    st.integers(2, 14),
    st.integers(2, 4),
    st.integers(1, 8),
    st.integers(1, 3),
    st.none() | st.integers(2, 30),
    st.none() | st.integers(1, 16),
)
def test_in_detect_a_core_holds_or_is_refused(
    n_items: int, n_systems: int, core: int, overlap: int, n: int | None, raters: int | None
) -> None:
    design = {"overlap": overlap, "core": core, "items": n, "raters": raters}
    assume((raters is None or raters >= overlap) and (n is None or n >= core))
    study = make_study("detect", design=design)
    try:
        plan = make_plan(study, make_material(n_items, n_systems))
    except DesignError as error:
        fits = re.search(r"set design\.items to (\d+) or less", str(error))
    else:
        shown, everybody = shown_in_detect(plan)
        assert sum(everybody.values()) >= core
        assert n is None or sum(shown.values()) == n
        return
    if fits:  # what the sentence says is true
        fewer = study.design.model_copy(update={"items": int(fits[1])})
        try:
            plan = make_plan(
                study.model_copy(update={"design": fewer}), make_material(n_items, n_systems)
            )
        except DesignError as error:
            said = str(error)
        else:
            shown_in_detect(plan)
            return
        assert "design.raters" in said  # how many people they need is another question


def test_in_detect_an_extension_leaves_the_core_alone() -> None:
    study = make_study("detect", design={"overlap": 2, "core": 4, "items": 12, "raters": 9})
    material = make_material(30, 3)
    old = make_plan(study, material)
    more = study.model_copy(update={"design": study.design.model_copy(update={"items": 20})})
    new = extend_plan(old, more, material)
    shown, core = shown_in_detect(new)
    assert sum(shown.values()) == 20
    assert core == {"system-0": 2, "system-1": 1, "system-2": 1}
    assert everywhere(new) == everywhere(old)


def test_a_core_that_fills_the_session_is_refused_with_the_figures() -> None:
    # 10 items × 2 systems at 60 s are 20 minutes.
    study = make_study(
        "rate",
        design={"overlap": 2, "core": 10},
        session={"minutes": 15, "seconds_per_trial": 60},
    )
    sentence = r"10 items \(20 trials\) into every booklet, which take 20.0 minutes, and session"
    with pytest.raises(DesignError, match=sentence):
        make_plan(study, make_material(30, 2))


def test_new_raters_of_an_extended_plan_get_the_same_core() -> None:
    study = make_study("compare", design={"overlap": 2, "core": 3, "raters": 5, "seed": 1})
    old = make_plan(study, make_material(10, 2))
    new = extend_plan(old, study, make_material(14, 2))
    assert everywhere(new) == everywhere(old)
    times: defaultdict[bool, Counter[str]] = defaultdict(Counter)
    for slot in new.slots:
        times[new.trial(slot.trial).item in everywhere(old)][slot.trial] += 1
    assert set(times[False].values()) == {2}
    assert set(times[True].values()) == {len(new.booklets)}
    assert extend_plan(new, study, make_material(14, 2)) == new


def test_a_larger_overlap_than_booklets_extends_a_plan_that_is_all_core() -> None:
    study = make_study("rate", design={"overlap": 2, "core": 4})
    old = make_plan(study, make_material(4, 2))
    assert len(old.booklets) == 2
    more = study.model_copy(update={"design": study.design.model_copy(update={"overlap": 5})})
    new = extend_plan(old, more, make_material(4, 2))
    assert len(new.booklets) == 5
    assert len(everywhere(new)) == 4


def test_in_detect_a_new_output_of_a_core_item_needs_a_new_round() -> None:
    study = make_study("detect", design={"overlap": 1, "core": 2, "items": 4, "raters": 4})
    old = make_plan(study, make_material(4, 2))
    more = study.model_copy(update={"design": study.design.model_copy(update={"items": 8})})
    with pytest.raises(DesignError, match="Everybody has one output of each item of the"):
        extend_plan(old, more, make_material(4, 2))


def test_core_trials_can_be_repeated_too() -> None:
    study = make_study("rate", design={"overlap": 1, "core": 5, "raters": 3, "repeats": 0.4})
    plan = make_plan(study, make_material(5, 1))
    assert sum(slot.repeat for slot in plan.slots) == 6
    assert len(everywhere(plan)) == 5


@pytest.mark.parametrize("core", [2, 12])
def test_the_core_is_the_same_for_every_rater_group(core: int) -> None:
    groups = {"expert": {"overlap": 2, "quota": 3}, "crowd": {"overlap": 3, "quota": 5}}
    design = {"overlap": 2, "core": core, "repeats": 0.2, "seed": 1}
    study = make_study(
        "rate",
        design=design,
        access={"invited": True},
        raters={"groups": groups, "each": True},
    )
    plan = make_plan(study, make_material(12, 2))
    times = Counter(slot.trial for slot in plan.slots if not slot.repeat)
    # Of 24 trials, those of the core are in all 3 + 5 booklets, the others in 2 + 3.
    others = {5: 24 - 2 * core} if core < 12 else {}
    assert Counter(times.values()) == {8: 2 * core, **others}
    larger = extend_plan(plan, study, make_material(16, 2))
    assert everywhere(larger) == everywhere(plan)
    assert len(everywhere(larger)) == core
