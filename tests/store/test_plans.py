"""Plans come back as they were saved, and grow without touching what is there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jurybox.design.plan import Booklet, BookletId, Plan, Slot, SlotId
from jurybox.errors import StoreError
from jurybox.store import Store
from jurybox.study.model import RaterId
from tests.store.planning import (
    LEASE,
    START,
    answer_to,
    at,
    enroll,
    fill,
    latin_plan,
    make_plan,
    make_trial,
)

TRIALS = [
    make_trial("t1", "i1", "x y z"),
    make_trial("t0", "i0", "z x"),
    make_trial("g", "k", "x y", "gold"),
    make_trial("p1", "k1", "x", "practice"),
    make_trial("p0", "k0", "x", "practice"),
]


def test_a_plan_comes_back_as_it_was_saved(store: Store) -> None:
    plan = make_plan(TRIALS, ["t1- g t0", "t0 t1 g"], overlap=2)
    assert store.load_plan() is None
    fill(store, plan)
    assert store.load_plan() == plan
    assert plan.practice == ("p1", "p0")
    assert store.load_plan("pilot") is None


def test_saving_the_same_plan_again_is_harmless_and_another_one_refused(store: Store) -> None:
    plan = latin_plan(4, 2, per_booklet=2)
    fill(store, plan)
    fill(store, plan)
    with pytest.raises(StoreError, match="The round 'main' has a plan already"):
        store.save_plan(replace(plan, seed=8), version=1, now=START)
    assert store.load_plan() == plan


def test_a_trial_belongs_to_one_round(store: Store) -> None:
    plan = latin_plan(4, 2, per_booklet=2)
    fill(store, plan)
    with pytest.raises(StoreError, match="The trial 't0' is in the store already"):
        store.save_plan(replace(plan, round="pilot"), version=1, now=START)
    assert store.load_plan("pilot") is None


def grow(plan: Plan) -> Plan:
    """Add a trial, an overlap for t0, a practice trial, and a booklet that holds them."""
    booklet = BookletId("new")
    slots = (
        Slot(id=SlotId("n/1"), trial=TRIALS[0].id, order=(0, 1, 2), booklet=booklet, position=0),
        Slot(id=SlotId("t0/9"), trial=plan.trials[0].id, order=(0, 1), booklet=booklet, position=1),
    )
    return replace(
        plan,
        overlap=plan.overlap + 1,
        trials=(TRIALS[0], *plan.trials, TRIALS[3]),
        slots=(*plan.slots, *slots),
        booklets=(*plan.booklets, Booklet(id=booklet, slots=tuple(s.id for s in slots))),
        practice=(TRIALS[3].id,),
    )


def test_an_extended_plan_keeps_what_was_answered(store: Store) -> None:
    plan = make_plan([make_trial("t0", "i0")], ["t0"])
    fill(store, plan)
    enroll(store, "ann", "bob")
    store.submit(answer_to(store.claim(RaterId("ann"), lease=LEASE, now=at(0))[0]), now=at(0))
    version = store.save_version("{}", "s2", "m2", kind="extending", now=at(1))
    before = store.progress().planned
    store.extend_plan(grow(plan), version=version, now=at(1))
    assert store.progress().planned > before
    assert store.load_plan() == grow(plan)
    assert store.table("votes")["trial"] == ["t0"]
    given = store.claim(RaterId("bob"), count=3, lease=LEASE, now=at(2))
    assert [a.slot for a in given] == ["n/1", "t0/9"]
    # Ann answered t0 and has her booklet; the new one is for others.
    assert store.claim(RaterId("ann"), count=3, lease=LEASE, now=at(2)) == ()


def test_extending_refuses_to_lose_or_change_anything(store: Store) -> None:
    plan = latin_plan(4, 2, per_booklet=2)
    with pytest.raises(StoreError, match="has no plan that could be extended"):
        store.extend_plan(plan, version=1, now=START)
    fill(store, plan)
    turned = replace(plan.slots[0], order=(1, 0))
    changed = replace(plan.trials[1], systems=())
    for bad, sentence in (
        (replace(plan, trials=plan.trials[1:]), "the trial 't0' is gone"),
        (replace(plan, trials=(plan.trials[0], changed, *plan.trials[2:])), "'t1' is changed"),
        (replace(plan, slots=plan.slots[1:]), "the slot 't0/1' is gone"),
        (replace(plan, slots=(turned, *plan.slots[1:])), "the slot 't0/1' is changed"),
        (replace(plan, booklets=plan.booklets[::-1]), "must keep the booklets"),
    ):
        with pytest.raises(StoreError, match=sentence):
            store.extend_plan(bad, version=1, now=START)
    assert store.load_plan() == plan


def test_a_plan_needs_a_version_that_is_there(store: Store) -> None:
    with pytest.raises(StoreError, match="There is no version 1 of this study"):
        store.save_plan(latin_plan(4, 2, per_booklet=2), version=1, now=START)
    assert store.load_plan() is None


def test_extending_by_nothing_changes_nothing(store: Store) -> None:
    plan = latin_plan(4, 2, per_booklet=2)
    fill(store, plan)
    store.extend_plan(plan, version=1, now=START)
    assert store.load_plan() == plan


def test_a_large_plan_is_saved_in_one_piece(store: Store) -> None:
    plan = latin_plan(1200, 3, per_booklet=40)
    fill(store, plan)
    assert store.load_plan() == plan


def test_a_plan_is_read_once_until_it_grows(store: Store) -> None:
    plan = make_plan([make_trial("t0", "i0")], ["t0"])
    fill(store, plan)
    first = store.load_plan()
    assert store.load_plan() is first
    version = store.save_version("{}", "s2", "m2", kind="extending", now=at(1))
    store.extend_plan(grow(plan), version=version, now=at(1))
    assert store.load_plan() == grow(plan)
    assert store.load_plan() is store.load_plan()
