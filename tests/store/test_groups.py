"""Rater groups in the store: who may take which booklet, and who has a place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text

from jurybox.design.plan import Plan
from jurybox.errors import StoreError
from jurybox.store import Store
from jurybox.store.migrate import VERSION_TABLE
from jurybox.store.views import VIEWS
from jurybox.study.model import RaterId
from tests.patience import PATIENCE
from tests.store.planning import LEASE, START, answer_to, at, enroll, fill, make_plan, make_trial
from tests.store.workers import PROCESSES, QUOTAS, take_places

TRIALS = [make_trial(f"t{n}", f"i{n}") for n in range(3)]


def grouped_plan(booklets: dict[str, str]) -> Plan:
    """Give a plan with a booklet for each content, which belongs to the group named before it."""
    plan = make_plan(TRIALS, list(booklets.values()), overlap=2)
    names = [name.rstrip("12") or None for name in booklets]
    return replace(
        plan,
        booklets=tuple(
            replace(booklet, group=name) for booklet, name in zip(plan.booklets, names, strict=True)
        ),
    )


def take(store: Store, rater: RaterId, group: str, minutes: float = 0, quota: int = 9) -> bool:
    return store.take_place(rater, group, quota=quota, lease=LEASE, now=at(minutes))


def claimed(store: Store, rater: RaterId, minutes: float = 0) -> list[str]:
    given = store.claim(rater, lease=LEASE, now=at(minutes), count=9)
    return [one.slot for one in given]


def test_a_plan_with_groups_comes_back_as_it_was(store: Store) -> None:
    plan = grouped_plan({"crowd1": "t0 t1", "crowd2": "t2", "expert": "t0- t1-"})
    fill(store, plan)
    assert store.load_plan() == plan
    moved = replace(plan, booklets=(replace(plan.booklets[0], group="expert"), *plan.booklets[1:]))
    with pytest.raises(StoreError, match="must keep the booklets it had"):
        store.extend_plan(moved, version=1, now=START)


def test_a_rater_takes_booklets_of_their_group_only(store: Store) -> None:
    fill(store, grouped_plan({"crowd1": "t0", "expert": "t0- t1", "crowd2": "t1-"}))
    ada, ben, cy = enroll(store, "ada", "ben", "cy")
    assert take(store, ada, "expert")
    assert take(store, ben, "crowd")
    assert claimed(store, ada) == ["t0/2", "t1/1"]
    assert claimed(store, ben) == ["t0/1"]
    assert claimed(store, cy) == []  # of no group: there is nothing for them


def test_booklets_of_no_group_are_for_anybody(store: Store) -> None:
    fill(store, grouped_plan({"": "t0", "1": "t1"}))
    ada, ben = enroll(store, "ada", "ben")
    assert take(store, ada, "expert")
    assert claimed(store, ada) == ["t0/1"]
    assert claimed(store, ben) == ["t1/1"]


def test_what_an_expert_leaves_goes_to_experts(store: Store) -> None:
    fill(store, grouped_plan({"expert1": "t0 t1", "crowd": "t2", "expert2": "t2-"}))
    ada, ben, cy = enroll(store, "ada", "ben", "cy")
    for rater, group in ((ada, "expert"), (ben, "crowd"), (cy, "expert")):
        assert take(store, rater, group)
    (first, second) = store.claim(ada, lease=LEASE, now=at(0), count=2)
    store.submit(answer_to(first), now=at(1))
    store.update_rater(ada, stopped_at=at(2))
    assert claimed(store, ben, 3) == ["t2/1"]
    assert claimed(store, cy, 3) == ["t2/2", second.slot]


def test_a_place_is_had_until_its_rater_leaves(store: Store) -> None:
    fill(store, grouped_plan({"expert1": "t0", "expert2": "t1"}))
    ada, ben, cy, dan = enroll(store, "ada", "ben", "cy", "dan")
    assert take(store, ada, "expert", quota=2)
    assert take(store, ben, "expert", quota=2)
    assert not take(store, cy, "expert", quota=2)
    assert take(store, ada, "expert", quota=2)  # asking again takes no second place
    assert store.places(lease=LEASE, now=at(0)) == {"expert": 2}
    assert store.rater(cy).group is None  # type: ignore[union-attr]
    store.update_rater(ben, stopped_at=at(1))
    assert take(store, cy, "expert", 1, quota=2)
    assert not take(store, ben, "expert", 1, quota=2)
    assert not take(store, dan, "expert", 1, quota=2)


def test_who_answered_nothing_and_fell_silent_leaves_the_place(store: Store) -> None:
    fill(store, grouped_plan({"expert1": "t0", "expert2": "t1"}))
    ada, ben, cy = enroll(store, "ada", "ben", "cy")
    assert take(store, ada, "expert", quota=1)
    (given,) = store.claim(ada, lease=LEASE, now=at(0))
    assert not take(store, ben, "expert", 29, quota=1)
    assert take(store, ben, "expert", 31, quota=1)
    assert not take(store, ada, "expert", 31, quota=1)
    (given,) = store.claim(ben, lease=LEASE, now=at(31))
    store.submit(answer_to(given), now=at(32))
    assert not take(store, cy, "expert", 500, quota=1)  # ben answered, and may come back
    store.update_rater(ben, finished_at=at(501))
    assert not take(store, cy, "expert", 600, quota=1)  # and keeps it after the last trial
    store.update_rater(ben, withdrawn_at=at(601))
    assert take(store, cy, "expert", 602, quota=1)


def test_a_rater_never_changes_groups(store: Store) -> None:
    fill(store, grouped_plan({"expert": "t0", "crowd": "t1"}))
    (ada,) = enroll(store, "ada")
    assert take(store, ada, "expert")
    assert take(store, ada, "crowd")
    assert store.rater(ada).group == "expert"  # type: ignore[union-attr]


def test_without_a_quota_everybody_has_a_place(store: Store) -> None:
    fill(store, grouped_plan({"expert": "t0"}))
    for rater in enroll(store, *"abcde"):
        assert store.take_place(rater, "expert", quota=None, lease=LEASE, now=at(0))
    assert store.places(lease=LEASE, now=at(0)) == {"expert": 5}


def test_responses_carry_the_group_and_progress_counts_it(store: Store) -> None:
    fill(store, grouped_plan({"expert": "t0 t1", "crowd": "t0-"}))
    ada, ben = enroll(store, "ada", "ben")
    take(store, ada, "expert")
    for rater in (ada, ben):
        for given in store.claim(rater, lease=LEASE, now=at(0), count=2):
            store.submit(answer_to(given), now=at(1))
    store.update_rater(ada, finished_at=at(2))
    votes, sent = store.table("votes"), store.table("submissions")
    assert votes["group"] == sent["group"] == ["expert", "expert"]
    found = {
        one.group: (one.n_raters, one.n_finished, one.answered, one.planned)
        for one in store.progress().groups
    }
    assert found == {"expert": (1, 1, 2, 2), "crowd": (0, 0, 0, 1)}
    assert [one.group for one in store.progress().raters] == ["expert", None]


def test_never_more_places_than_the_quota_in_eight_processes(
    database_url: str, store: Store
) -> None:
    fill(store, grouped_plan({"expert": "t0", "crowd": "t1"}))
    processes = [PROCESSES.Process(target=take_places, args=(database_url, n)) for n in range(8)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=PATIENCE)
    assert [process.exitcode for process in processes] == [0] * 8
    now = max(rater.active_at for rater in store.raters())
    for group, quota in QUOTAS.items():  # whoever came last may have given a place back
        for rater in enroll(store, *(f"{group}{n}" for n in range(quota))):
            store.take_place(rater, group, quota=quota, lease=LEASE, now=now)
    assert store.places(lease=LEASE, now=now) == QUOTAS
    refused = [rater for rater in store.raters() if rater.group is None]
    assert refused


def test_a_database_from_before_groups_is_brought_up_to_date(database_url: str) -> None:
    with Store.open(database_url) as store:
        fill(store, make_plan(TRIALS, ["t0 t1"]))
        enroll(store, "ada")
        with store.database.engine.begin() as connection:
            for view in reversed(VIEWS):
                connection.execute(text(f'DROP VIEW "{view}"'))
            for table in ("raters", "booklets"):
                connection.execute(text(f'ALTER TABLE {table} DROP COLUMN "group"'))
            connection.execute(text("ALTER TABLE raters DROP COLUMN key_hash"))
            connection.execute(text("ALTER TABLE response_rows DROP COLUMN place"))
            connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '0002'"))
    with Store.open(database_url) as store:
        plan = store.load_plan()
        assert plan is not None
        assert [booklet.group for booklet in plan.booklets] == [None]
        assert claimed(store, RaterId("ada")) == ["t0/1", "t1/1"]
