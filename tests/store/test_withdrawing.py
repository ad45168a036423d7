"""Whoever withdraws leaves no gap: what they answered is kept, left out, and collected anew."""

from __future__ import annotations

from sqlalchemy import text

from jurybox.store import Assignment, Store
from jurybox.store.migrate import VERSION_TABLE
from jurybox.store.views import VIEWS
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


def work(store: Store, rater: str, *, minute: float, most: int = 100) -> list[Assignment]:
    """Answer whatever the rater is given, one after the other."""
    (name,) = enroll(store, rater)
    done: list[Assignment] = []
    while len(done) < most and (hand := store.claim(name, lease=LEASE, now=at(minute))):
        assert store.submit(answer_to(hand[0]), now=at(minute)).status == "answered"
        done += hand
    return done


def test_the_next_rater_gets_what_was_withdrawn(store: Store) -> None:
    fill(store, latin_plan(18, 1, per_booklet=18))
    first = work(store, "w1", minute=0)
    assert store.progress().answered == 18
    store.update_rater(first[0].rater, withdrawn_at=at(1))
    left = store.progress()
    assert (left.answered, left.planned, left.n_excluded) == (0, 18, 0)
    assert {trial.answered for trial in left.trials} == {0}
    assert {system.answered for system in left.systems} == {0}
    second = work(store, "w2", minute=2)
    assert [(a.slot, a.order) for a in second] == [(a.slot, a.order) for a in first]
    assert store.progress().answered == 18
    votes = store.table("votes")
    by_rater = list(zip(votes["rater"], votes["excluded_by"], strict=True))
    assert sorted(by_rater, key=str) == [("w1", "withdrawn")] * 18 + [("w2", None)] * 18
    assert work(store, "w3", minute=2) == []


def test_the_whole_booklet_goes_on_with_its_checks(store: Store) -> None:
    trials = [make_trial("t0", "i0"), make_trial("g", "k", kind="gold"), make_trial("t1", "i1")]
    fill(store, make_plan(trials, ["t0 g t1-"]))
    first = work(store, "w1", minute=0)
    store.update_rater(first[0].rater, withdrawn_at=at(1))
    assert [a.trial.id for a in work(store, "w2", minute=2)] == ["t0", "g", "t1"]


def test_a_slot_from_the_pool_goes_back_to_it(store: Store) -> None:
    fill(store, make_plan([make_trial(f"t{n}", f"i{n}") for n in range(2)], ["t0 t1-"]))
    (ann,) = {a.rater for a in work(store, "ann", minute=0, most=1)}
    store.update_rater(ann, stopped_at=at(1))
    (drawn,) = work(store, "bob", minute=1)
    assert (drawn.slot, drawn.order) == ("t1/1", (1, 0))
    store.update_rater(drawn.rater, withdrawn_at=at(2))
    (again,) = work(store, "cem", minute=2)
    assert (again.slot, again.order) == (drawn.slot, drawn.order)
    assert store.progress().answered == 2


def test_what_arrives_after_a_withdrawal_is_late(store: Store) -> None:
    fill(store, latin_plan(3, 1, per_booklet=3))
    (ann,) = enroll(store, "ann")
    one, two, three = store.claim(ann, count=3, lease=LEASE, now=at(0))
    store.submit(answer_to(one), now=at(0))
    store.update_rater(ann, withdrawn_at=at(1))
    assert store.submit(answer_to(two), now=at(1)).status == "late"
    assert store.submit(answer_to(one, id="changed"), now=at(1)).status == "late"
    assert store.submit(skip_of(three), now=at(1)).status == "skipped"
    again = store.submit(answer_to(one), now=at(1))
    assert (again.status, again.duplicate) == ("answered", True)
    assert store.progress().answered == 0
    assert set(store.table("submissions")["excluded_by"]) == {"withdrawn"}
    assert len(store.submissions(ann)) == 4
    assert len(work(store, "bob", minute=2)) == 3


def test_withdrawing_twice_takes_nothing_from_others(store: Store) -> None:
    fill(store, latin_plan(2, 1, per_booklet=2))
    first = work(store, "w1", minute=0)
    store.update_rater(first[0].rater, withdrawn_at=at(1))
    work(store, "w2", minute=2)
    store.update_rater(first[0].rater, withdrawn_at=at(3))
    assert store.progress().answered == 2
    assert len(store.exclusions()) == 1


def test_an_excluded_rater_keeps_the_slots_and_is_counted(store: Store) -> None:
    fill(store, latin_plan(4, 1, per_booklet=2))
    (ann,) = {a.rater for a in work(store, "ann", minute=0)}
    store.mark_excluded(ann, "gold_below", "gold 0 of 2 right", now=at(1))
    store.mark_excluded(ann, "faster_than", "median 0.2 s", now=at(1))
    assert (store.progress().answered, store.progress().n_excluded) == (2, 2)
    assert len(work(store, "bob", minute=2)) == 2
    assert (store.progress().answered, store.progress().n_excluded) == (4, 2)
    store.unmark_excluded(ann, "gold_below", now=at(3))
    store.unmark_excluded(ann, "faster_than", now=at(3))
    assert store.progress().n_excluded == 0


def test_withdrawn_is_named_before_the_rule_that_came_first(store: Store) -> None:
    fill(store, latin_plan(1, 1, per_booklet=1))
    (given,) = work(store, "ann", minute=0)
    store.mark_excluded(given.rater, "gold_below", "gold 0 of 2 right", now=at(1))
    store.update_rater(given.rater, withdrawn_at=at(2))
    store.mark_excluded(given.rater, "faster_than", "median 0.2 s", now=at(3))
    assert store.table("votes")["excluded_by"] == ["withdrawn"]


def test_a_store_from_before_frees_what_was_withdrawn(database_url: str) -> None:
    with Store.open(database_url) as store:
        fill(store, latin_plan(2, 1, per_booklet=2))
        (ann,) = {a.rater for a in work(store, "ann", minute=0)}
        store.update_rater(ann, withdrawn_at=at(1))
        with store.database.engine.begin() as connection:  # as revision 0001 left it
            connection.execute(text("UPDATE assignments SET outcome = 'answered'"))
            connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '0001'"))
            for view in reversed(VIEWS):
                connection.execute(text(f'DROP VIEW "{view}"'))
            connection.execute(text("ALTER TABLE raters DROP COLUMN key_hash"))
            for table in ("raters", "booklets"):
                connection.execute(text(f'ALTER TABLE {table} DROP COLUMN "group"'))
            connection.execute(text("ALTER TABLE response_rows DROP COLUMN place"))
    with Store.open(database_url) as store:
        assert store.progress().answered == 0
        assert len(work(store, "bob", minute=2)) == 2
