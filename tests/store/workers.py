"""What the processes of the concurrency tests do; importable, because they are other processes."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import event

from jurybox.store import Store, Submission
from jurybox.study.model import RaterId
from tests.store.planning import answer_to, skip_of

LEASE = timedelta(minutes=5)

# They share nothing, and come from one process that has imported what each of them needs.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])


def rate_until_done(url: str, worker: int) -> None:
    """Be one rater after the other until every slot is answered: some leave early, some skip."""
    rng = random.Random(worker)
    with Store.open(url) as store:
        for number in range(200):
            rater = RaterId(f"w{worker}r{number}")
            store.enroll(rater, token_hash=rater, now=datetime.now(UTC))
            _rate(store, rater, rng)
            store.update_rater(rater, stopped_at=datetime.now(UTC))
            progress = store.progress()
            if progress.answered == progress.planned:
                return


def _rate(store: Store, rater: RaterId, rng: random.Random) -> None:
    for _ in range(rng.randint(1, 12)):
        now = datetime.now(UTC)
        given = store.claim(rater, count=rng.choice([1, 2, 3]), lease=LEASE, now=now)
        if not given:
            return
        make = skip_of if rng.random() < 0.1 else answer_to
        sent = make(given[0], id=f"{rater} {given[0].slot}", at=now)
        store.submit(sent, now=now)
        if rng.random() < 0.2:
            store.submit(sent, now=now)  # the network lost the receipt
        if rng.random() < 0.1:
            store.release(rater, now=now)
        if rng.random() < 0.1:
            store.expire(now=now)


def submit_and_die(url: str, sent: Submission, *, committed: bool) -> None:
    """Submit, and be killed just before the commit or between the commit and the reply."""
    store = Store.open(url)

    def die(_connection: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    if not committed:
        event.listen(store.database.engine, "commit", die)
    store.submit(sent, now=datetime.now(UTC))
    die(None)


def take_places(url: str, worker: int) -> None:
    """Ask for a place for one rater after the other; who gets one answers a trial or leaves."""
    rng = random.Random(worker)
    with Store.open(url) as store:
        for number in range(12):
            rater = RaterId(f"w{worker}r{number}")
            now = datetime.now(UTC)
            store.enroll(rater, token_hash=rater, now=now)
            group = rng.choice(["expert", "crowd"])
            quota = QUOTAS[group]
            if not store.take_place(rater, group, quota=quota, lease=LEASE, now=now):
                continue
            taken = store.places(lease=LEASE, now=now)
            if any(taken[name] > QUOTAS[name] for name in taken):
                raise AssertionError(taken)
            if rng.random() < 0.5:
                store.update_rater(rater, stopped_at=datetime.now(UTC))


QUOTAS = {"expert": 3, "crowd": 5}
