"""Many submissions in one transaction are stored exactly as the same ones sent one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from jurybox.design.answers import Answer
from jurybox.design.plan import TrialId
from jurybox.errors import StoreError
from jurybox.store import Receipt, Store, Submission
from jurybox.store.submitting import AT_ONCE
from jurybox.store.tables import assignments
from jurybox.study.model import RaterId
from tests.store.planning import LEASE, answer_to, at, enroll, fill, latin_plan, skip_of

Send = Callable[[Store, list[Submission]], tuple[Receipt, ...]]


def one_by_one(store: Store, sent: list[Submission]) -> tuple[Receipt, ...]:
    return tuple(store.submit(one, now=at(1)) for one in sent)


def at_once(store: Store, sent: list[Submission]) -> tuple[Receipt, ...]:
    return store.submit_many(sent, now=at(1))


def prepare(store: Store) -> list[Submission]:
    """Three trials answered twice, and submissions that get into each other's way."""
    fill(store, latin_plan(3, 2, per_booklet=3))
    enroll(store, "ann", "bob", "cem", "dee", "llm")
    store.save_draft(RaterId("ann"), TrialId("t0"), {"preference": "a"}, now=at(0))
    first, second = store.claim(RaterId("ann"), count=2, lease=LEASE, now=at(0))

    def imported(id: str, rater: str, trial: str, winner: Any = "a", **more: Any) -> Submission:
        vote = Answer(criterion="preference", winner=winner, first="a")
        return answer_to(
            first,
            id=id,
            rater=RaterId(rater),
            trial=TrialId(trial),
            answers=(vote,),
            **{"slot": None, "position": None, "order": (0, 1), **more},
        )

    return [
        answer_to(first),
        skip_of(second),  # free again
        imported("b1", "bob", "t1"),
        imported("c1", "cem", "t1"),
        imported("d1", "dee", "t1"),  # both slots are taken by now
        imported("b1", "bob", "t1"),  # again
        imported("b2", "bob", "t1", "b"),  # another mind, the same slot
        imported("b3", "bob", "t2"),
        skip_of(first, id="a2"),  # gives back what was answered
        imported("c2", "cem", "t0"),
        imported("d2", "dee", "t0"),
        imported("d3", "dee", "t2", position=7),
        imported("d4", "dee", "t2", order=()),
        imported("j1", "llm", "t2", rater_kind="judge"),
    ]


def kept(store: Store) -> dict[str, Any]:
    with store.database.engine.connect() as connection:
        held = connection.execute(select(assignments).order_by(assignments.c.id)).all()
    return {
        "submissions": store.table("submissions"),
        "votes": store.table("votes"),
        "assignments": [tuple(row) for row in held],
        "draft": store.load_draft(RaterId("ann"), TrialId("t0")),
        "active": {rater.id: rater.active_at for rater in store.raters()},
    }


@pytest.fixture
def other(tmp_path: Path) -> Any:
    with Store.open(tmp_path / "other.db") as store:
        yield store


def test_at_once_is_as_one_by_one(store: Store, other: Store) -> None:
    receipts = at_once(store, prepare(store))
    assert receipts == one_by_one(other, prepare(other))
    assert kept(store) == kept(other)
    assert [(r.id, r.status) for r in receipts if r.status != "answered"] == [
        ("ann:t1/1", "skipped"), ("d1", "late"), ("a2", "skipped"),
    ]  # fmt: skip
    assert [r.id for r in receipts if r.duplicate] == ["b1"]
    # In force: bob's second mind of t1, and nothing of ann, who took her answer back.
    votes = store.table("votes")
    said = dict(zip(zip(votes["rater"], votes["trial"], strict=True), votes["winner"], strict=True))
    assert said["bob", "t1"] == "b"
    assert "ann" not in votes["rater"]


@pytest.mark.parametrize("send", [one_by_one, at_once])
def test_one_id_for_two_answers_of_one_table_is_refused(store: Store, send: Send) -> None:
    sent = prepare(store)
    other = replace(sent[2], trial=TrialId("t2"))
    with pytest.raises(StoreError, match="'b1' was used for another answer"):
        send(store, [sent[2], other])


def test_more_than_are_looked_up_together(store: Store) -> None:
    n = AT_ONCE + 1
    fill(store, latin_plan(n, 1, per_booklet=n))
    enroll(store, "ann", "bob")
    given = store.claim(RaterId("ann"), count=1, lease=LEASE, now=at(0))[0]
    sent = [
        answer_to(given, id=f"{n}", rater=RaterId("bob"), trial=TrialId(f"t{n}"), slot=None,
                  position=None)
        for n in range(n)
    ]  # fmt: skip
    receipts = store.submit_many([*sent, sent[0]], now=at(1))
    # The first trial is leased to ann; what was sent twice is known across the bound.
    assert [r.status for r in receipts] == ["late", *["answered"] * AT_ONCE, "late"]
    assert [r.duplicate for r in receipts] == [*[False] * n, True]
    with store.database.engine.connect() as connection:
        positions = connection.scalars(
            select(assignments.c.position)
            .where(assignments.c.rater == "bob")
            .order_by(assignments.c.id)
        ).all()
    assert positions == list(range(AT_ONCE))
