"""Who gets which slot, on both databases."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from jurybox.design.plan import Plan
from jurybox.errors import InputError, RaterError
from jurybox.store import Assignment, Store
from jurybox.study.model import RaterId
from tests.store.planning import (
    LEASE,
    answer_to,
    at,
    enroll,
    fill,
    latin_plan,
    make_plan,
    make_trial,
    skip_of,
)


def claim(store: Store, rater: str, *, now: float = 0, count: int = 1) -> tuple[Assignment, ...]:
    return store.claim(RaterId(rater), count=count, lease=LEASE, now=at(now))


def work_through(store: Store, rater: str, *, now: float = 0, most: int = 100) -> list[str]:
    """Answer whatever is given; the slots in the order in which they were given."""
    done: list[str] = []
    while len(done) < most and (given := claim(store, rater, now=now)):
        store.submit(answer_to(given[0]), now=at(now))
        done.append(given[0].slot)
    return done


def two_booklets() -> Plan:
    trials = [make_trial(f"t{n}", f"i{n}") for n in range(4)]
    return make_plan(trials, ["t0 t1 t2 t3", "t0- t1- t2- t3-"], overlap=2)


def test_a_rater_takes_the_next_free_booklet_and_works_through_it_in_order(store: Store) -> None:
    fill(store, two_booklets())
    enroll(store, "ann", "bob", "cem")
    assert work_through(store, "ann", most=2) == ["t0/1", "t1/1"]
    assert work_through(store, "bob") == ["t0/2", "t1/2", "t2/2", "t3/2"]
    assert work_through(store, "ann") == ["t2/1", "t3/1"]
    assert work_through(store, "cem") == []


def test_what_a_rater_holds_comes_first_and_its_lease_begins_anew(store: Store) -> None:
    fill(store, two_booklets())
    enroll(store, "ann")
    first = claim(store, "ann", count=2)
    again = claim(store, "ann", count=3, now=20)
    assert [a.slot for a in first] == ["t0/1", "t1/1"]
    assert [a.slot for a in again] == ["t0/1", "t1/1", "t2/1"]
    assert [a.position for a in again] == [0, 1, 2]
    assert all(a.leased_until == at(20) + LEASE for a in again)
    assert [a.slot for a in claim(store, "ann", now=40)] == ["t0/1"]


def test_an_assignment_says_what_to_show(store: Store) -> None:
    plan = two_booklets()
    fill(store, plan)
    enroll(store, "ann", "bob")
    claim(store, "ann")
    (given,) = claim(store, "bob")
    assert given.trial == plan.trials[0]
    assert given.order == (1, 0)
    assert given.rater == "bob"


def test_an_expired_lease_returns_to_its_rater_with_its_position(store: Store) -> None:
    fill(store, two_booklets())
    enroll(store, "ann")
    claim(store, "ann", count=2)
    assert store.expire(now=at(29)) == 0
    assert store.expire(now=at(30)) == 2
    assert store.expire(now=at(30)) == 0
    assert store.progress().leased == 0
    back = claim(store, "ann", count=3, now=40)
    assert [(a.slot, a.position) for a in back] == [("t0/1", 0), ("t1/1", 1), ("t2/1", 2)]


def test_a_lease_runs_out_even_if_nobody_calls_expire(store: Store) -> None:
    fill(store, two_booklets())
    enroll(store, "ann", "bob", "cem")
    work_through(store, "ann", most=1)
    claim(store, "ann", count=2)
    work_through(store, "bob")
    assert claim(store, "cem", now=29) == ()
    assert work_through(store, "cem", now=30) == ["t1/1", "t2/1", "t3/1"]


def test_released_slots_come_back_to_their_rater_after_the_break(store: Store) -> None:
    fill(store, two_booklets())
    enroll(store, "ann", "bob", "cem")
    claim(store, "ann", count=2)
    assert store.release(RaterId("ann"), now=at(5)) == 2
    work_through(store, "bob", now=5)
    assert claim(store, "cem", now=6) == ()  # a break is no reason to give her slots away
    assert [a.slot for a in claim(store, "ann", count=2, now=10)] == ["t0/1", "t1/1"]


def test_slots_of_a_drop_out_go_to_the_pool_with_their_order_unchanged(store: Store) -> None:
    fill(store, two_booklets())
    enroll(store, "ann", "bob", "cem")
    work_through(store, "ann", most=3)
    work_through(store, "bob", most=1)
    store.update_rater(RaterId("bob"), stopped_at=at(1))
    given = claim(store, "cem", count=9, now=1)
    assert [(a.slot, a.order) for a in given] == [
        ("t1/2", (1, 0)),
        ("t2/2", (1, 0)),
        ("t3/2", (1, 0)),
    ]
    assert claim(store, "bob", now=1) == ()
    # Ann finishes her own booklet; what is left in the pool she has seen already.
    assert work_through(store, "ann", now=1) == ["t3/1"]


def test_a_drop_out_who_comes_back_gets_what_is_still_free(store: Store) -> None:
    fill(store, two_booklets())
    enroll(store, "ann", "bob", "cem")
    work_through(store, "ann", most=1)
    claim(store, "ann", count=2)
    work_through(store, "bob")
    assert [a.slot for a in claim(store, "cem", now=60)] == ["t1/1"]
    assert [a.slot for a in claim(store, "ann", count=9, now=61)] == ["t2/1", "t3/1"]


def test_a_booklet_abandoned_before_the_first_answer_is_taken_whole(store: Store) -> None:
    fill(store, two_booklets())
    enroll(store, "ann", "bob", "cem")
    claim(store, "ann", count=2)
    assert work_through(store, "bob", now=60) == ["t0/1", "t1/1", "t2/1", "t3/1"]
    # Ann lost her booklet; she begins anew, with the next one.
    assert work_through(store, "ann", now=61) == ["t0/2", "t1/2", "t2/2", "t3/2"]
    assert work_through(store, "cem", now=61) == []


def test_a_lost_booklet_is_not_given_back_piece_by_piece(store: Store) -> None:
    fill(store, two_booklets())
    enroll(store, "ann", "bob")
    claim(store, "ann", count=2)
    assert [a.slot for a in claim(store, "bob", now=60)] == ["t0/1"]
    # t1/1 was Ann's and is free, but its booklet is Bob's now.
    assert [a.slot for a in claim(store, "ann", count=2, now=61)] == ["t0/2", "t1/2"]


def test_a_slot_drawn_from_the_pool_returns_to_who_drew_it(store: Store) -> None:
    fill(store, make_plan([make_trial("t0", "i0"), make_trial("t1", "i1")], ["t0 t1"]))
    enroll(store, "ann", "bob")
    work_through(store, "ann", most=1)
    store.update_rater(RaterId("ann"), stopped_at=at(0))
    (drawn,) = claim(store, "bob")
    store.release(RaterId("bob"), now=at(1))
    (again,) = claim(store, "bob", now=2)
    assert (again.slot, again.position) == (drawn.slot, drawn.position) == ("t1/1", 0)
    assert [a.slot for a in claim(store, "bob", now=90)] == ["t1/1"]


def test_a_live_lease_keeps_a_booklet_from_being_abandoned(store: Store) -> None:
    trials = [make_trial(f"t{n}", f"i{n}") for n in range(3)]
    fill(store, make_plan(trials, ["t0 t1 t2"]))
    enroll(store, "ann", "bob")
    work_through(store, "ann", most=1)
    store.claim(RaterId("ann"), lease=timedelta(hours=2), now=at(0))
    assert claim(store, "bob", now=100) == ()  # t2 is free, and still Ann's
    assert work_through(store, "bob", now=121) == ["t1/1", "t2/1"]


def test_drafts_keep_a_booklet_from_being_abandoned(store: Store) -> None:
    fill(store, two_booklets())
    enroll(store, "ann", "bob", "cem")
    work_through(store, "ann", most=1)
    (given,) = claim(store, "ann")
    work_through(store, "bob")
    store.save_draft(RaterId("ann"), given.trial.id, {"choice": "first"}, now=at(29))
    assert claim(store, "cem", now=31) == ()
    assert [a.slot for a in claim(store, "cem", now=59)] == ["t1/1"]


def test_the_pool_gives_the_slot_that_keeps_the_sides_even(store: Store) -> None:
    # x is always the canonical first. Dan's booklet showed x first twice, so of the pooled slots
    # t2 (x first), t3 (x second), t4 (x second), t5 (x first) he should get t3, t4, t2, t5:
    # lean of "x first" is n(x,0) - mean = 2 - 1 = +1 for each output, of "y first" -1 each;
    # after t3 and t4 both are 0 and the order of the plan decides.
    trials = [make_trial(f"t{n}", f"i{n}") for n in range(6)]
    fill(store, make_plan(trials, ["t2 t3- t4- t5", "t0 t1"]))
    enroll(store, "ann", "dan")
    claim(store, "ann")
    assert work_through(store, "dan") == ["t0/1", "t1/1"]
    store.submit(skip_of(claim(store, "ann")[0]), now=at(1))
    store.update_rater(RaterId("ann"), stopped_at=at(1))
    assert work_through(store, "dan", now=2) == ["t3/1", "t4/1", "t2/1", "t5/1"]


def test_a_finished_rater_leaves_the_rest_of_the_booklet_to_the_pool(store: Store) -> None:
    fill(store, make_plan([make_trial("t0", "i0"), make_trial("t1", "i1")], ["t0 t1"]))
    enroll(store, "ann", "bob")
    work_through(store, "ann", most=1)
    assert claim(store, "bob") == ()
    store.update_rater(RaterId("ann"), finished_at=at(1))
    assert work_through(store, "bob", now=1) == ["t1/1"]


def test_a_skipped_slot_goes_to_another_rater_and_never_to_the_same(store: Store) -> None:
    fill(store, make_plan([make_trial("t0", "i0"), make_trial("t1", "i1")], ["t0 t1"]))
    enroll(store, "ann", "bob")
    receipt = store.submit(skip_of(claim(store, "ann")[0]), now=at(0))
    assert receipt.status == "skipped"
    assert work_through(store, "ann", most=1) == ["t1/1"]
    assert claim(store, "ann") == ()
    assert work_through(store, "bob") == ["t0/1"]
    assert store.progress().answered == 2


def test_gold_belongs_to_its_booklet(store: Store) -> None:
    trials = [make_trial("t0", "i0"), make_trial("t1", "i1"), make_trial("g", "k", kind="gold")]
    fill(store, make_plan(trials, ["t0 g t1"]))
    enroll(store, "ann", "bob")
    work_through(store, "ann", most=1)
    store.update_rater(RaterId("ann"), stopped_at=at(0))
    assert work_through(store, "bob") == ["t1/1"]


def test_detect_never_shows_two_outputs_of_one_item_to_one_rater(store: Store) -> None:
    # Items p and q, each as a photograph and as a picture of model m, in four booklets.
    trials = [make_trial(f"{i}-{s}", i, s) for i in ("p", "q") for s in ("real", "m")]
    plan = make_plan(trials, ["p-real q-m", "p-m q-real"])
    fill(store, plan, truth={"real": "real", "m": "generated"})
    enroll(store, "ann", "bob", "cem")
    assert work_through(store, "ann") == ["p-real/1", "q-m/1"]
    store.submit(skip_of(claim(store, "bob")[0]), now=at(0))
    store.update_rater(RaterId("bob"), stopped_at=at(0))
    assert work_through(store, "ann") == []
    given = claim(store, "cem", count=3)
    assert [a.slot for a in given] == ["p-m/1", "q-real/1"]


def test_detect_draws_one_output_of_an_item_from_the_pool(store: Store) -> None:
    trials = [make_trial(f"{i}-{s}", i, s) for i in ("p", "q") for s in ("real", "m")]
    plan = make_plan(trials, ["p-real q-m", "p-m q-real"])
    fill(store, plan, truth={"real": "real", "m": "generated"})
    enroll(store, "ann", "bob", "cem")
    for rater in ("ann", "bob"):
        store.submit(skip_of(claim(store, rater)[0]), now=at(0))
        store.update_rater(RaterId(rater), stopped_at=at(0))
    # In the pool: p-real, q-m, p-m, q-real; the rater may see one of p and one of q.
    assert work_through(store, "cem") == ["p-real/1", "q-m/1"]


def test_other_protocols_may_show_an_item_again(store: Store) -> None:
    trials = [make_trial(f"t-{s}", "i", s) for s in ("x", "y")]
    fill(store, make_plan(trials, ["t-x", "t-y"]))
    enroll(store, "ann", "bob", "cem")
    for rater in ("ann", "bob"):
        store.submit(skip_of(claim(store, rater)[0]), now=at(0))
        store.update_rater(RaterId(rater), stopped_at=at(0))
    assert work_through(store, "cem") == ["t-x/1", "t-y/1"]


def test_a_planned_repeat_comes_to_the_same_rater_and_is_not_an_extra_answer(store: Store) -> None:
    trials = [make_trial("t0", "i0"), make_trial("t1", "i1")]
    fill(store, make_plan(trials, ["t0 t1 t0-"]))
    enroll(store, "ann", "bob")
    assert work_through(store, "ann") == ["t0/1", "t1/1", "t0/2"]
    assert store.table("votes")["trial"] == ["t0", "t1"]
    assert store.table("votes", retests=True)["repeat"] == [0, 0, 1]
    assert store.progress().planned == store.progress().answered == 2
    assert claim(store, "bob") == ()


def test_rounds_are_claimed_apart(store: Store) -> None:
    fill(store, make_plan([make_trial("t0", "i0")], ["t0"]))
    pilot = make_plan([make_trial("p0", "i0", round="pilot")], ["p0"], round="pilot")
    store.save_plan(pilot, version=1, now=at(0))
    enroll(store, "ann")
    (given,) = store.claim(RaterId("ann"), lease=LEASE, now=at(0), round="pilot")
    assert given.trial.id == "p0"
    store.submit(answer_to(given), now=at(0))
    assert [a.slot for a in claim(store, "ann", count=3)] == ["t0/1"]
    assert store.table("votes")["trial"] == []
    assert store.table("votes", round="pilot")["trial"] == ["p0"]
    assert store.load_plan("pilot") == pilot


def test_whoever_stopped_withdrew_or_is_paused_gets_nothing(store: Store) -> None:
    fill(store, two_booklets())
    ann, bob, cem = enroll(store, "ann", "bob", "cem")
    store.update_rater(ann, paused=True)
    store.update_rater(bob, stopped_at=at(0))
    store.update_rater(cem, withdrawn_at=at(0))
    assert [claim(store, rater) for rater in (ann, bob, cem)] == [(), (), ()]
    store.update_rater(ann, paused=False)
    store.update_rater(bob, stopped_at=None)
    assert claim(store, ann)[0].slot == "t0/1"
    assert claim(store, bob)[0].slot == "t0/2"
    assert claim(store, cem) == ()


def test_without_a_plan_there_is_nothing_to_claim(store: Store) -> None:
    enroll(store, "ann")
    assert claim(store, "ann") == ()


def test_wrong_claims_are_refused_with_a_sentence(store: Store) -> None:
    with pytest.raises(RaterError, match="There is no rater 'eve' in this study"):
        claim(store, "eve")
    with pytest.raises(InputError, match="count must be at least 1, got 0"):
        claim(store, "eve", count=0)
    with pytest.raises(InputError, match="a lease must last"):
        store.claim(RaterId("eve"), lease=timedelta(0), now=at(0))


def test_complete_booklets_give_every_trial_its_overlap(store: Store) -> None:
    plan = latin_plan(6, 3, per_booklet=3)
    fill(store, plan)
    for n in range(6):
        enroll(store, f"r{n}")
        assert len(work_through(store, f"r{n}")) == 3
    assert set(Counter(store.table("votes")["trial"]).values()) == {3}
    first = Counter(store.table("votes")["first"])
    assert abs(first["a"] - first["b"]) <= 1
