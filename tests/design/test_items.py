"""Choosing items: strata, equal or in proportion; the real share; systems that missed items."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox.design import extend_plan, make_plan
from jurybox.design.plan import Plan
from jurybox.errors import DesignError
from jurybox.study.material import Material
from jurybox.study.model import Study
from tests.design.studies import make_material, make_study


def in_strata(sizes: dict[tuple[str, str], int], n_systems: int = 1) -> Material:
    """Material with so many items of each topic and length."""
    strata = [stratum for stratum, size in sizes.items() for _ in range(size)]
    plain = make_material(len(strata), n_systems)
    items = {
        item.id: replace(item, fields={**item.fields, "topic": topic, "length": length})
        for item, (topic, length) in zip(plain.items.values(), strata, strict=True)
    }
    return replace(plain, items=items)


def counts_of(plan: Plan, material: Material) -> Counter[tuple[str, str]]:
    chosen = {trial.item for trial in plan.trials}
    fields = [material.item_fields(item) for item in chosen]
    return Counter((row["topic"], row["length"]) for row in fields)


def equal(n: int, **design: Any) -> Study:
    asked = {"items": n, "stratify": ["topic", "length"], "allocation": "equal", "overlap": 1}
    return make_study("rate", design={**asked, **design})


strata = st.tuples(st.sampled_from("abc"), st.sampled_from("xy"))


@given(st.dictionaries(strata, st.integers(1, 9), min_size=1), st.data())
def test_equal_allocation_takes_as_many_of_each_stratum_or_says_which_is_too_small(
    sizes: dict[tuple[str, str], int], data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, sum(sizes.values())))
    material = in_strata(sizes)
    # Every stratum gives n // S items, and n % S of them one more.
    least, more = divmod(n, len(sizes))
    possible = min(sizes.values()) >= least and sum(v > least for v in sizes.values()) >= more
    if possible:
        counts = counts_of(make_plan(equal(n), material), material)
        assert sorted(counts.values()) == sorted(
            ([least] * (len(sizes) - more) if least else []) + [least + 1] * more
        )
        return
    with pytest.raises(DesignError) as caught:
        make_plan(equal(n), material)
    said = str(caught.value)
    smallest = min(sizes.values())
    named = [
        s for s, v in sizes.items() if v == smallest and f"topic '{s[0]}', length '{s[1]}'" in said
    ]
    assert named
    assert f"has {smallest};" in said
    most = int(said.split("ask for at most ")[1].split(" ")[0])
    assert sum(counts_of(make_plan(equal(most), material), material).values()) == most


def test_equal_allocation_names_the_stratum_and_the_numbers() -> None:
    material = in_strata({("law", "long"): 2, ("art", "long"): 9, ("art", "short"): 9})
    with pytest.raises(DesignError) as caught:
        make_plan(equal(12), material)
    assert str(caught.value) == (
        "design.allocation is equal, so 12 items from 3 strata are 4 of each, and the stratum "
        "topic 'law', length 'long' has 2; add to it, ask for at most 8 (design.items), or leave "
        "the allocation proportional."
    )


def test_a_larger_study_fills_the_strata_up_without_giving_an_item_back() -> None:
    material = in_strata({("a", "x"): 10, ("b", "x"): 10, ("c", "x"): 4})
    old = make_plan(equal(6), material)
    new = extend_plan(old, equal(12), material)
    assert {trial.item for trial in old.trials} < {trial.item for trial in new.trials}
    assert set(counts_of(new, material).values()) == {4}


def test_a_calibration_round_that_is_too_large_names_its_own_key() -> None:
    study = make_study("rate", quality={"calibration": {"items": 5}}, design={"raters": 3})
    sentence = r"quality.calibration.items asks for 5 items and there are 4; add 1 or ask for at"
    with pytest.raises(DesignError, match=sentence):
        make_plan(study, make_material(4, 2), round="calibration")
    detect = make_study("detect", quality={"calibration": {"items": 30}}, design={"raters": 30})
    with pytest.raises(DesignError, match=r"quality.calibration.items asks for 30 outputs, 15 of"):
        make_plan(detect, make_material(4, 2), round="calibration")


@given(st.integers(2, 40), st.floats(0.05, 0.95), st.integers(2, 4), st.integers(0, 99))
def test_the_real_share_is_exact_up_to_rounding_or_refused_with_the_numbers(
    n: int, share: float, n_systems: int, seed: int
) -> None:
    n_items = 20
    design = {"items": n, "real_share": share, "overlap": 1, "seed": seed}
    study = make_study("detect", design=design)
    material = make_material(n_items, n_systems)
    real = round(n * share)
    if real > n_items or real == 0 or real == n or n - real > n_items * (n_systems - 1):
        with pytest.raises(DesignError, match=f"design.items asks for {n} outputs"):
            make_plan(study, material)
        return
    plan = make_plan(study, material)
    shown: Counter[str] = Counter(trial.systems[0] for trial in plan.trials)
    assert shown["system-0"] == real
    assert sum(shown.values()) == n
    generated = [shown[f"system-{s}"] for s in range(1, n_systems)]
    assert max(generated) - min(generated) <= 1


def test_outputs_to_detect_are_taken_equally_from_the_strata_too() -> None:
    material = in_strata({("a", "x"): 12, ("b", "x"): 12, ("c", "x"): 40}, n_systems=2)
    design = {"items": 24, "stratify": "topic", "allocation": "equal", "overlap": 1}
    plan = make_plan(make_study("detect", design=design), material)
    for kind in ("system-0", "system-1"):
        shown = [trial.item for trial in plan.trials if trial.systems == (kind,)]
        assert Counter(material.item_fields(i)["topic"] for i in shown) == {"a": 4, "b": 4, "c": 4}
    few = in_strata({("a", "x"): 1, ("b", "x"): 30}, n_systems=2)
    with pytest.raises(DesignError, match=r"the stratum topic 'a' can give [01] outputs where"):
        make_plan(make_study("detect", design=design), few)


def without(material: Material, *cells: tuple[int, int]) -> Material:
    missing = {(f"item-{item}", f"system-{system}") for item, system in cells}
    outputs = {cell: out for cell, out in material.outputs.items() if cell not in missing}
    return replace(material, outputs=outputs)


def test_where_systems_answered_different_items_a_trial_shows_what_there_is() -> None:
    material = without(make_material(3, 3), (0, 0), (1, 1), (1, 2), (2, 2))
    design = {"same_items": False, "overlap": 1}
    shown = {
        protocol: sorted(
            (trial.item[-1], "".join(system[-1] for system in trial.systems))
            for trial in make_plan(make_study(protocol, design=design), material).trials
        )
        for protocol in ("rate", "compare", "rank")
    }
    assert shown["rate"] == [("0", "1"), ("0", "2"), ("1", "0"), ("2", "0"), ("2", "1")]
    assert shown["compare"] == [("0", "12"), ("2", "01")]
    assert shown["rank"] == [("0", "12"), ("2", "01")]


def test_items_that_cannot_be_shown_are_not_counted_as_available() -> None:
    material = without(make_material(4, 2), (0, 0), (1, 1))
    study = make_study("compare", design={"same_items": False, "items": 3, "overlap": 1})
    sentence = "design.items asks for 3 items and there are 2 with the outputs that a trial needs"
    with pytest.raises(DesignError, match=sentence):
        make_plan(study, material)
    cyclic = {"same_items": False, "pairs": {"baseline": "system-0"}, "overlap": 1, "items": 2}
    few = without(make_material(2, 3), (0, 0))
    with pytest.raises(DesignError, match="asks for 2 items and there is 1 with the outputs"):
        make_plan(make_study("compare", design=cyclic), few)
