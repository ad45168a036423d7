"""Plans: exact overlap and every promised balance, over many random studies."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox.design import balance, expected_seconds, make_plan
from jurybox.design.pairs import find_groups
from jurybox.design.plan import Plan, Slot, Trial
from jurybox.errors import DesignError
from jurybox.study.model import Design
from tests.design.studies import Case, cases, make_known, make_material, make_study


def main_slots(plan: Plan) -> list[tuple[Slot, Trial]]:
    pairs = [(slot, plan.trial(slot.trial)) for slot in plan.slots]
    return [(slot, trial) for slot, trial in pairs if trial.kind == "main"]


def in_order(plan: Plan) -> list[list[tuple[Slot, Trial]]]:
    slots = {slot.id: slot for slot in plan.slots}
    return [
        [(slots[id], plan.trial(slots[id].trial)) for id in booklet.slots]
        for booklet in plan.booklets
    ]


def difference(counts: Iterable[int]) -> int:
    values = list(counts)
    return max(values) - min(values)


@given(cases())
def test_every_trial_is_planned_exactly_overlap_times_in_different_booklets(case: Case) -> None:
    plan = make_plan(case.study, case.material)
    booklets: defaultdict[str, list[str]] = defaultdict(list)
    for slot, trial in main_slots(plan):
        booklets[trial.id].append(slot.booklet)
    assert len(booklets) == case.n_trials
    assert {trial.id for trial in plan.trials if trial.kind == "main"} == set(booklets)
    for used in booklets.values():
        assert len(used) == len(set(used)) == case.overlap


@given(cases())
def test_loads_are_even_and_positions_count_up(case: Case) -> None:
    plan = make_plan(case.study, case.material)
    loads = Counter(slot.booklet for slot, _ in main_slots(plan))
    assert difference(loads[booklet.id] for booklet in plan.booklets) <= 1
    if case.study.design.raters is not None:
        assert len(plan.booklets) == case.study.design.raters
    for booklet, content in zip(plan.booklets, in_order(plan), strict=True):
        assert content
        assert [slot.position for slot, _ in content] == list(range(len(content)))
        assert {slot.booklet for slot, _ in content} == {booklet.id}
    assert sorted(slot.id for slot in plan.slots) == sorted(
        id for booklet in plan.booklets for id in booklet.slots
    )


@given(cases())
def test_ids_are_unique_and_say_nothing(case: Case) -> None:
    plan = make_plan(case.study, case.material)
    ids = [
        *(trial.id for trial in plan.trials),
        *(slot.id for slot in plan.slots),
        *(booklet.id for booklet in plan.booklets),
    ]
    assert len(ids) == len(set(ids))
    assert all(len(id) == 12 and id.isalnum() and id.islower() for id in ids)


@given(cases())
def test_same_seed_same_plan_other_seed_other_plan(case: Case) -> None:
    plan = make_plan(case.study, case.material)
    assert plan == make_plan(case.study, case.material)
    other = case.study.design.model_copy(update={"seed": case.study.design.seed + 1})
    moved = make_plan(case.study.model_copy(update={"design": other}), case.material)
    assert {slot.id for slot in moved.slots}.isdisjoint(slot.id for slot in plan.slots)


@given(cases(("compare",)))
def test_sides_are_even_in_every_trial_pair_and_booklet(case: Case) -> None:
    plan = make_plan(case.study, case.material)
    signs: defaultdict[object, int] = defaultdict(int)
    for slot, trial in main_slots(plan):
        sign = 1 if slot.order == (0, 1) else -1
        groups = (slot.trial, trial.systems, slot.booklet, (slot.booklet, trial.systems), "all")
        for group in groups:
            signs[group] += sign
    assert max(map(abs, signs.values())) <= 1


def place_counts(
    slots: Iterable[tuple[Slot, Trial]], *, by: str
) -> dict[tuple[object, ...], list[int]]:
    """Per group, number of outputs and system, how often it stands at each place."""
    counts: dict[tuple[object, ...], list[int]] = {}
    for slot, trial in slots:
        group = {"trial": slot.trial, "booklet": slot.booklet, "all": ""}[by]
        for place, index in enumerate(slot.order):
            key = (group, len(trial.systems), trial.systems[index])
            counts.setdefault(key, [0] * len(trial.systems))[place] += 1
    return counts


@given(cases(("rate", "rank")))
def test_each_system_stands_at_each_place_equally_often(case: Case) -> None:
    plan = make_plan(case.study, case.material)
    slots = [(slot, trial) for slot, trial in main_slots(plan) if len(trial.systems) > 2]
    for slot, trial in main_slots(plan):
        assert sorted(slot.order) == list(range(len(trial.systems)))
    for by in ("trial", "all"):
        assert all(difference(c) <= 1 for c in place_counts(slots, by=by).values()), by
    if len({trial.systems for _, trial in slots}) == 1:
        bound = 1 if len(slots[0][1].systems) % 2 == 0 else 2
        within = place_counts(slots, by="booklet").values()
        assert all(difference(counts) <= bound for counts in within)


def test_neighbors_on_a_screen_are_even_as_in_a_williams_square() -> None:
    # 4 systems, 8 trials, 3 slots each: 24 orders = 6 whole squares; each of the 12 ordered pairs
    # of neighbors occurs 24 · 3 / 12 = 6 times.
    study = make_study("rank", design={"overlap": 3, "raters": 6})
    plan = make_plan(study, make_material(8, 4))
    follows = Counter(pair for slot in plan.slots for pair in pairwise(slot.order))
    assert set(follows.values()) == {6}
    assert len(follows) == 12


def test_an_odd_number_of_outputs_is_shown_in_mirrored_squares_too() -> None:
    # 3 systems, 12 trials, 2 slots: 24 orders, half of them mirrored; 6 ordered pairs of neighbors,
    # 24 · 2 / 6 = 8 times each.
    study = make_study("rank", design={"overlap": 2, "raters": 4})
    plan = make_plan(study, make_material(12, 3))
    follows = Counter(pair for slot in plan.slots for pair in pairwise(slot.order))
    assert follows == dict.fromkeys(follows, 8)
    assert len(follows) == 6


@given(cases())
def test_raters_see_systems_and_items_equally_often(case: Case) -> None:
    plan = make_plan(case.study, case.material)
    shown: defaultdict[object, Counter[str]] = defaultdict(Counter)
    for slot, trial in main_slots(plan):
        shown["systems", trial.systems][slot.booklet] += 1
        shown["item", trial.item][slot.booklet] += 1
        if case.study.protocol == "detect":
            shown["real", trial.systems[0] in case.study.real][slot.booklet] += 1
    for group, counts in shown.items():
        assert difference(counts[booklet.id] for booklet in plan.booklets) <= 1, group


@given(cases(("compare", "rank")))
def test_all_systems_hang_together(case: Case) -> None:
    plan = make_plan(case.study, case.material)
    together = {trial.systems for _, trial in main_slots(plan)}
    assert len(find_groups(case.material.systems, sorted(together))) == 1
    for systems in together:
        assert list(systems) == [s for s in case.material.systems if s in systems]


@given(cases(("detect",)))
def test_nobody_sees_two_outputs_of_an_item_to_detect(case: Case) -> None:
    plan = make_plan(case.study, case.material)
    for content in in_order(plan):
        items = [trial.item for _, trial in content]
        assert len(items) == len(set(items))
    trials = [trial for trial in plan.trials if trial.kind == "main"]
    real = [trial for trial in trials if trial.systems[0] in case.study.real]
    assert len(real) == len(trials) / 2
    per_system = Counter(t.systems[0] for t in trials if t not in real)
    generated = [s for s in case.material.systems if s not in case.study.real]
    assert difference(per_system[system] for system in generated) <= 1


def test_few_raters_see_generated_outputs_of_different_items() -> None:
    # 12 items, a real and two generated systems, 12 outputs: 6 real, 3 + 3 generated. Ten raters
    # could not be kept apart on the same items with overlap 5: 3 systems · 5 = 15.
    for raters, n_items in ((10, 6), (None, 3)):
        study = make_study("detect", design={"items": 12, "overlap": 5, "raters": raters})
        plan = make_plan(study, make_material(12, 3))
        items = {trial.item for trial in plan.trials if trial.systems[0] != "system-0"}
        assert len(items) == n_items


@given(cases())
def test_checks_are_in_every_booklet_never_first_never_adjacent(case: Case) -> None:
    plan = make_plan(case.study, case.material)
    checks = {trial.id for trial in plan.trials if trial.kind in {"gold", "attention"}}
    known = [known for known in case.material.known.values() if known.kind != "practice"]
    assert len(checks) == len(known)
    for content in in_order(plan):
        kinds = [trial.kind for _, trial in content]
        assert kinds[0] == "main"
        assert all("main" in pair for pair in pairwise(kinds))
        assert sorted(t.id for _, t in content if t.kind != "main") == sorted(checks)
    practice = [trial for trial in plan.trials if trial.kind == "practice"]
    assert plan.practice == tuple(trial.id for trial in practice)
    assert all(trial.round == "practice" for trial in practice)
    assert not {slot.trial for slot in plan.slots} & set(plan.practice)


@given(cases())
def test_trials_of_one_item_are_apart_where_that_can_be(case: Case) -> None:
    plan = make_plan(case.study, case.material)
    for content in in_order(plan):
        items = [trial.item for _, trial in content if trial.kind == "main"]
        most = max(Counter(items).values())
        # They can be parted iff the most frequent item fills at most every other place.
        if most <= (len(items) + 1) // 2:
            assert all(one != other for one, other in pairwise(items))


@given(cases())
def test_no_booklet_is_longer_than_the_session(case: Case) -> None:
    plan = make_plan(case.study, case.material)
    seconds = {t.id: expected_seconds(case.study, case.material, t) for t in plan.trials}
    practice = sum(seconds[id] for id in plan.practice)
    for content in in_order(plan):
        spent = practice + sum(seconds[trial.id] for _, trial in content)
        assert spent <= 60 * case.study.session.minutes + 1e-6


@given(cases(), st.data())
def test_balance_reports_what_is_there(case: Case, data: st.DataObject) -> None:
    plan = make_plan(case.study, case.material)
    # After drop-outs the plan is no longer even, and the report must say so.
    lost = data.draw(st.sets(st.sampled_from([b.id for b in plan.booklets])), label="lost")
    kept = Plan(
        seed=plan.seed,
        overlap=plan.overlap,
        trials=plan.trials,
        slots=tuple(slot for slot in plan.slots if slot.booklet not in lost),
        booklets=tuple(booklet for booklet in plan.booklets if booklet.id not in lost),
    )
    found = balance(kept)
    slots = main_slots(kept)
    assert found.n_slots == len(slots) == sum(found.loads)
    assert sum(sum(row.places) for row in found.places) == sum(len(t.systems) for _, t in slots)
    several = [(slot, trial) for slot, trial in slots if len(trial.systems) > 1]
    for name, by in (("place_difference", "all"), ("trial_difference", "trial")):
        expected = [difference(c) for c in place_counts(several, by=by).values()]
        assert getattr(found, name) == max(expected, default=None)
    together = Counter(pair for _, trial in slots for pair in combinations(trial.systems, 2))
    assert {row.systems: row.slots for row in found.pairs} == together


def test_raters_too_few_for_the_session_are_refused_with_how_many_would_do() -> None:
    # 30 items of 60 s for each of 2 raters are 30 minutes; three booklets of 20 trials take 20.
    material = make_material(30, 2)
    session = {"minutes": 20, "seconds_per_trial": 60}
    few = make_study("compare", design={"overlap": 2, "raters": 2}, session=session)
    with pytest.raises(DesignError, match=r"with 2 raters a booklet takes up to 30\.0; ask for"):
        make_plan(few, material)
    enough = make_study("compare", design={"overlap": 2, "raters": 3}, session=session)
    plan = make_plan(enough, material)
    assert [len(booklet.slots) for booklet in plan.booklets] == [20, 20, 20]


@given(cases(("rank",)))
def test_blocks_show_each_output_and_each_system_equally_often(case: Case) -> None:
    plan = make_plan(case.study, case.material)
    shown = Counter(
        (trial.item, system)
        for trial in plan.trials
        if trial.kind == "main"
        for system in trial.systems
    )
    assert set(shown) == set(case.material.outputs)
    per_system = Counter[str]()
    for (_, system), count in shown.items():
        per_system[system] += count
    assert difference(per_system.values()) <= 1


def test_seven_triples_of_seven_systems_are_nearly_a_fano_plane() -> None:
    # 3 of 7 systems on a screen, 3 blocks per item (2 systems twice): 21 items make 63 blocks with
    # 189 pairs over 21 pairs of systems: 9 each if perfectly even.
    study = make_study("rank", design={"outputs_per_trial": 3, "overlap": 1, "raters": 7})
    found = balance(make_plan(study, make_material(21, 7)))
    counts = [pair.slots for pair in found.pairs]
    assert sum(counts) == 189
    assert difference(counts) <= 2


@given(st.integers(2, 40), st.data())
def test_items_are_chosen_in_proportion_to_their_strata(n_items: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, n_items), label="n")
    study = make_study("rate", design={"items": n, "stratify": "topic", "overlap": 1})
    material = make_material(n_items, 1)
    plan = make_plan(study, material)
    chosen = {trial.item for trial in plan.trials}
    assert len(chosen) == n
    topics = Counter(material.items[item].fields["topic"] for item in chosen)
    sizes = Counter(item.fields["topic"] for item in material.items.values())
    # Two strata: Webster rounds each one's share to the nearest whole number.
    for topic, size in sizes.items():
        assert abs(topics[topic] - n * size / n_items) <= 0.5 + 1e-9


def test_known_trials_keep_their_own_outputs() -> None:
    known = [make_known("gold", 1, ["system-1", "system-0"])]
    study = make_study("compare", design={"overlap": 2})
    plan = make_plan(study, make_material(4, 2, known=known))
    (gold,) = [trial for trial in plan.trials if trial.kind == "gold"]
    assert (gold.item, gold.systems) == ("item-1", ("system-1", "system-0"))
    assert sum(slot.trial == gold.id for slot in plan.slots) == len(plan.booklets)


def test_everybody_answers_every_calibration_trial() -> None:
    study = make_study(
        "rate", design={"overlap": 2, "raters": 5}, quality={"calibration": {"items": 3}}
    )
    plan = make_plan(study, make_material(10, 2), round="calibration")
    assert len(plan.booklets) == plan.overlap == 5
    assert len({trial.item for trial in plan.trials}) == 3
    assert {len(booklet.slots) for booklet in plan.booklets} == {6}
    assert {trial.round for trial in plan.trials} == {"calibration"}


IMPOSSIBLE: list[tuple[str, dict[str, object], tuple[int, int], str]] = [
    ("rate", {"overlap": 4, "raters": 3}, (5, 2), "design.overlap is 4 and design.raters is 3"),
    ("rate", {"items": 3}, (2, 2), "asks for 3 items and there are 2; add 1"),
    ("rate", {}, (0, 2), "no item to show"),
    ("rate", {"overlap": 1, "raters": 9}, (2, 2), "raters is 9 and only 4 answers are planned"),
    ("rate", {"repeats": 0.01}, (2, 2), "design.repeats is 0.01 and 12 answers are planned, so no"),
    ("rate", {"core": 3}, (2, 2), "design.core asks for 3 items for everybody and the plan has 2;"),
    ("rate", {"stratify": "color"}, (2, 2), "no item has the field 'color'; there are question"),
    ("compare", {}, (5, 1), "two systems are needed and there is 1 (system-0)"),
    ("compare", {"pairs": {"random": 2}}, (5, 4), "4 systems hang together with 3 or more"),
    ("compare", {"pairs": {"random": 99}}, (5, 3), "there are 15; use design.pairs: all"),
    ("compare", {"pairs": {"baseline": "old"}}, (5, 2), "there are system-0, system-1"),
    ("rank", {}, (5, 1), "at least two systems are needed and there is 1"),
    ("rank", {"outputs_per_trial": 5}, (5, 3), "is 5 and there are 3 systems"),
    ("rate", {"outputs_per_trial": 5}, (5, 3), "rate needs between 1 and 3 outputs on a screen"),
    ("detect", {"items": 30}, (10, 3), "15 of them real (real_share 0.5), and there are 10 real"),
    ("detect", {"real_share": 0}, (10, 3), "with only generated outputs"),
    ("detect", {"overlap": 3, "raters": 4}, (2, 2), "6 are needed so that nobody sees two outputs"),
    ("detect", {}, (5, 1), "no system is generated"),
    ("rate", {"items": 2}, (1, 2), "asks for 2 items and there is 1; add 1"),
    ("rate", {"core": 1, "items": 1}, (0, 2), "no item to show"),
    ("rate", {"overlap": 1, "raters": 2}, (1, 1), "and only 1 answer is planned, so some"),
    ("rate", {"outputs_per_trial": 3}, (5, 1), "is 3 and there is 1 system;"),
    ("compare", {"pairs": {"random": 1}}, (5, 4), "asks for 1 random pair; 4 systems hang"),
    ("compare", {"pairs": {"random": 2}}, (1, 2), "for 2 random pairs of outputs and there is 1;"),
    ("detect", {"items": 1}, (5, 2), "asks for 1 output, none of them real"),
    (
        "detect",
        {"items": 4},
        (1, 2),
        "for 4 outputs, 2 of them real (real_share 0.5), and there is",
    ),
]
ONE_OF_MANY = re.compile(r"\b1 (\w+ )?(items|outputs|pairs|raters|trials|systems|answers|ones)\b")


@pytest.mark.parametrize(("protocol", "design", "size", "sentence"), IMPOSSIBLE)
def test_an_impossible_request_says_what_to_change(
    protocol: str, design: dict[str, object], size: tuple[int, int], sentence: str
) -> None:
    # The study's own rules catch some of these earlier; a plan must not rely on that.
    study = make_study(protocol).model_copy(update={"design": Design.model_validate(design)})
    with pytest.raises(DesignError) as caught:
        make_plan(study, make_material(*size))
    assert sentence in str(caught.value)
    assert not ONE_OF_MANY.search(str(caught.value))


def test_a_calibration_that_asks_for_too_much_is_refused() -> None:
    study = make_study("rate", quality={"calibration": {"items": 9}})
    with pytest.raises(DesignError, match=r"calibration\.items asks for 9 items and there"):
        make_plan(study, make_material(5, 2), round="calibration")


def test_more_slots_than_memory_holds_are_refused_at_once() -> None:
    # 2 items × 3 systems × a million raters.
    study = make_study("rate", design={"overlap": 1_000_000})
    with pytest.raises(DesignError, match=r"6,000,000 slots; a plan has at most 5,000,000"):
        make_plan(study, make_material(2, 3))


def test_more_pairs_than_anybody_judges_are_refused_at_once() -> None:
    study = make_study("compare")
    with pytest.raises(DesignError, match=r"1,415 systems make 1,000,405 pairs, and at most"):
        make_plan(study, make_material(1, 1415))


@pytest.mark.parametrize("seed", range(20))
def test_a_check_comes_beside_a_trial_of_its_own_item_only_where_it_must(seed: int) -> None:
    # Twelve trials and six checks on items of their own: two places for each check, which another
    # check may fill where both are beside its item.
    systems = ["system-0", "system-1", "system-2"]
    known = [make_known("gold", number, systems) for number in range(6)]
    study = make_study("rank", design={"overlap": 2, "raters": 2, "seed": seed})
    plan = make_plan(study, make_material(12, 3, known=known))
    for content in in_order(plan):
        assert all(one.item != other.item for (_, one), (_, other) in pairwise(content))
    # One item: every check must come beside it.
    study = make_study("rank", design={"overlap": 2, "raters": 2, "seed": seed})
    assert make_plan(study, make_material(1, 3, known=known[:1])).booklets


def test_detect_without_an_item_beside_its_checks_is_refused() -> None:
    material = make_material(1, 2, known=[make_known("practice", 0, ["system-0"])])
    with pytest.raises(DesignError, match=r"No real output is left to show: .* add items, or"):
        make_plan(make_study("detect"), material)


def test_too_many_checks_for_short_booklets_are_refused() -> None:
    known = [make_known("gold", number, ["system-0"]) for number in range(3)]
    study = make_study("rate", design={"overlap": 1, "raters": 4})
    with pytest.raises(DesignError, match="2 trials and 3 gold and attention checks"):
        make_plan(study, make_material(4, 2, known=known))


def test_a_session_shorter_than_a_trial_is_refused() -> None:
    study = make_study("rate", session={"minutes": 0.01})
    with pytest.raises(DesignError, match=r"raise session\.minutes"):
        make_plan(study, make_material(4, 2))


def test_systems_that_never_meet_are_named() -> None:
    material = make_material(4, 4)
    # Two systems have outputs on the even items only, the others on the odd items only.
    outputs = {
        (item, system): output
        for (item, system), output in material.outputs.items()
        if int(item[-1]) % 2 == int(system[-1]) // 2
    }
    apart = type(material)(items=material.items, systems=material.systems, outputs=outputs)
    with pytest.raises(DesignError, match=r"2 groups .*\(system-0, system-1; system-2, system-3\)"):
        make_plan(make_study("compare"), apart)


def test_calibration_must_be_asked_for() -> None:
    with pytest.raises(DesignError, match="no calibration round"):
        make_plan(make_study("rate"), make_material(4, 2), round="calibration")


def systems_of(trials: Sequence[Trial]) -> set[tuple[str, ...]]:
    return {trial.systems for trial in trials}


def test_cyclic_pairs_form_a_ring() -> None:
    plan = make_plan(make_study("compare", design={"pairs": "cyclic"}), make_material(3, 5))
    meets = Counter(system for pair in systems_of(plan.trials) for system in pair)
    assert len(systems_of(plan.trials)) == 5
    assert set(meets.values()) == {2}


def test_a_baseline_meets_everybody_else() -> None:
    study = make_study("compare", design={"pairs": {"baseline": "system-2"}})
    plan = make_plan(study, make_material(3, 4))
    assert systems_of(plan.trials) == {
        ("system-0", "system-2"),
        ("system-1", "system-2"),
        ("system-2", "system-3"),
    }


@given(st.integers(1, 10), st.integers(2, 5), st.data())
def test_random_pairs_use_pairs_and_items_evenly(
    n_items: int, n_systems: int, data: st.DataObject
) -> None:
    most = n_items * n_systems * (n_systems - 1) // 2
    if most < n_systems - 1:
        return
    n = data.draw(st.integers(n_systems - 1, most), label="n")
    study = make_study("compare", design={"pairs": {"random": n}, "overlap": 1})
    material = make_material(n_items, n_systems)
    plan = make_plan(study, material)
    assert len({(trial.item, trial.systems) for trial in plan.trials}) == n
    pairs = Counter(trial.systems for trial in plan.trials)
    items = Counter(trial.item for trial in plan.trials)
    assert difference(pairs[p] for p in combinations(material.systems, 2)) <= 1
    assert difference(items[item] for item in material.items) <= 1


def test_a_plan_that_would_fill_the_memory_is_refused() -> None:
    study = make_study("rate", design={"overlap": 999_999_999})
    with pytest.raises(DesignError, match=r"999,999,999 raters would be [\d,]+ slots"):
        make_plan(study, make_material(4, 2))
