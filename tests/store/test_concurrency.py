"""Exactly k with many processes at once, and a process that is killed at the worst moment."""

from __future__ import annotations

import signal
from collections import Counter
from functools import partial

import pytest

from jurybox.store import Store
from jurybox.study.model import RaterId
from tests.patience import PATIENCE
from tests.store.planning import LEASE, answer_to, at, enroll, fill, latin_plan
from tests.store.workers import PROCESSES, rate_until_done, submit_and_die


def test_exactly_k_under_eight_claimers_in_as_many_processes(
    database_url: str, store: Store
) -> None:
    plan = latin_plan(20, 4, per_booklet=10)
    fill(store, plan)
    processes = [
        PROCESSES.Process(target=rate_until_done, args=(database_url, n)) for n in range(8)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=PATIENCE)
    assert [process.exitcode for process in processes] == [0] * 8

    votes = store.table("votes")
    answered = Counter(votes["trial"])
    assert answered == {trial.id: 4 for trial in plan.trials}
    pairs = Counter(zip(votes["rater"], votes["trial"], strict=True))
    assert set(pairs.values()) == {1}  # no trial twice for a rater, skipped ones included
    log = store.table("submissions")
    seen = Counter(zip(log["rater"], log["trial"], strict=True))
    assert set(seen.values()) == {1}
    filled = [
        slot
        for slot, status in zip(log["slot"], log["status"], strict=True)
        if status == "answered"
    ]
    assert sorted(filled) == sorted(slot.id for slot in plan.slots)  # each slot once
    assert len(set(votes["rater"])) > 8
    assert "late" not in log["status"]


@pytest.mark.parametrize("committed", [True, False], ids=["after-commit", "before-commit"])
def test_a_process_killed_around_the_commit_loses_and_doubles_nothing(
    database_url: str, store: Store, *, committed: bool
) -> None:
    fill(store, latin_plan(2, 1, per_booklet=2))
    (ann,) = enroll(store, "ann")
    (given,) = store.claim(ann, lease=LEASE, now=at(0))
    sent = answer_to(given)
    process = PROCESSES.Process(
        target=partial(submit_and_die, committed=committed), args=(database_url, sent)
    )
    process.start()
    process.join(timeout=PATIENCE)
    assert process.exitcode == -signal.SIGKILL

    assert store.table("votes")["trial"] == (["t0"] if committed else [])
    receipt = store.submit(sent, now=at(1))  # the client saw no reply and sends it again
    assert (receipt.status, receipt.duplicate) == ("answered", committed)
    assert store.table("votes")["trial"] == ["t0"]
    assert store.progress().answered == 1
    assert [a.slot for a in store.claim(RaterId("ann"), lease=LEASE, now=at(1))] == ["t1/1"]
