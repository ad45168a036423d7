"""Whatever raters do, in whatever order: never more than k, no trial twice, nothing changed."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from jurybox.design.answers import Answer
from jurybox.store import Assignment, Store, Submission
from jurybox.study.model import RaterId
from tests.databases import ensure_database
from tests.store.planning import LEASE, answer_to, at, fill, make_plan, make_trial, skip_of

RATERS = [RaterId(f"r{n}") for n in range(4)]
OVERLAP = 2
TRIALS = [make_trial(f"{i}-{s}", i, s) for i in ("p", "q", "u") for s in ("real", "m")]
# Each trial twice; no booklet shows an item twice, as in every detect plan.
BOOKLETS = ["p-real q-m g u-real", "p-m q-real u-m", "u-real p-m q-m", "q-real g u-m p-real"]


class AnyOrder(RuleBasedStateMachine):
    """Raters claim, answer, skip, change their minds, leave, return, withdraw and are late."""

    given = Bundle("given")
    """Assignments that were handed out, whatever became of them."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = Store.open(ensure_database(Path(self.folder.name) / "study.db"))
        gold = make_trial("g", "k", "known", "gold")
        plan = make_plan([*TRIALS, gold], BOOKLETS, overlap=OVERLAP)
        fill(self.store, plan, truth={"real": "real", "m": "generated"})
        self.items: dict[str, str] = {trial.id: trial.item for trial in TRIALS}
        self.minute = 0.0
        self.ids = 0
        self.enrolled: list[RaterId] = []
        self.withdrawn: set[RaterId] = set()
        self.sent: set[tuple[str, str]] = set()
        """Rater and trial of every submission."""
        self.log: list[tuple[Any, ...]] = []

    def teardown(self) -> None:
        self.complete()
        self.store.close()
        self.folder.cleanup()

    @initialize()
    def first_rater(self) -> None:
        self.enroll(RATERS[0])

    def enroll(self, rater: RaterId) -> None:
        self.store.enroll(rater, token_hash=rater, now=at(self.minute))
        self.enrolled.append(rater)

    @precondition(lambda self: len(self.enrolled) < len(RATERS))
    @rule()
    def another_rater(self) -> None:
        self.enroll(RATERS[len(self.enrolled)])

    @rule(target=given, who=st.integers(0, 3), count=st.integers(1, 3))
    def claim(self, who: int, count: int) -> Any:
        rater = self.enrolled[who % len(self.enrolled)]
        hand = self.store.claim(rater, count=count, lease=LEASE, now=at(self.minute))
        assert len(hand) <= count
        for assignment in hand:
            assert assignment.rater == rater
            assert (rater, assignment.trial.id) not in self.sent
            assert assignment.leased_until == at(self.minute) + LEASE
        items = Counter(str(a.trial.item) for a in hand)
        items.update({self.items[t] for r, t in self.sent if r == rater and t in self.items})
        assert set(items.values()) <= {1}  # detect: one output of an item for a rater
        return multiple(*hand)

    def submit(self, sent: Submission) -> str:
        self.sent.add((sent.rater, sent.trial))
        return self.store.submit(sent, now=at(self.minute)).status

    def new_id(self) -> str:
        self.ids += 1
        return f"s{self.ids}"

    @rule(assignment=given, answer=st.sampled_from(["real", "generated"]))
    def answer(self, assignment: Assignment, answer: Any) -> None:
        values = (Answer(criterion="origin", system=assignment.trial.systems[0], answer=answer),)
        sent = answer_to(assignment, id=self.new_id(), answers=values)
        before = self.answered_by(assignment)
        status = self.submit(sent)
        assert status in ("answered", "late")
        if assignment.rater in self.withdrawn:
            assert status == "late"
        elif before:
            assert status == "answered"  # a change of mind is never late
        again = self.store.submit(replace(sent, at=at(self.minute + 1)), now=at(self.minute))
        assert (again.status, again.duplicate) == (status, True)

    def answered_by(self, assignment: Assignment) -> bool:
        table = self.store.table("detections")
        rows = zip(table["rater"], table["trial"], strict=True)
        return (assignment.rater, assignment.trial.id) in rows

    @rule(assignment=consumes(given), status=st.sampled_from(["skipped", "unusable"]))
    def skip(self, assignment: Assignment, status: str) -> None:
        assert self.submit(skip_of(assignment, id=self.new_id(), status=status)) == status

    @rule(minutes=st.sampled_from([1, 10, 31]))
    def wait(self, minutes: float) -> None:
        self.minute += minutes

    @rule()
    def expire(self) -> None:
        self.store.expire(now=at(self.minute))

    @rule(who=st.integers(0, 3))
    def take_a_break(self, who: int) -> None:
        self.store.release(self.enrolled[who % len(self.enrolled)], now=at(self.minute))

    @rule(who=st.integers(0, 3))
    def stop(self, who: int) -> None:
        self.store.update_rater(self.enrolled[who % len(self.enrolled)], stopped_at=at(self.minute))

    @rule(who=st.integers(0, 3))
    def withdraw(self, who: int) -> None:
        rater = self.enrolled[who % len(self.enrolled)]
        self.store.update_rater(rater, withdrawn_at=at(self.minute))
        self.withdrawn.add(rater)

    @rule(who=st.integers(0, 3))
    def come_back(self, who: int) -> None:
        rater = self.enrolled[who % len(self.enrolled)]
        self.store.update_rater(rater, stopped_at=None, now=at(self.minute))

    @invariant()
    def never_more_than_k(self) -> None:
        counted = self.counted()
        assert all(n <= OVERLAP for n in counted.values())
        table = self.store.table("detections")
        pairs = Counter(zip(table["rater"], table["trial"], strict=True))
        assert all(n == 1 for n in pairs.values())
        assert self.store.progress().answered == counted.total()

    def counted(self) -> Counter[str]:
        """Count the answers of raters who have not withdrawn, by trial."""
        table = self.store.table("detections")
        columns = (table["trial"], table["rater"], table["excluded_by"])
        rows = list(zip(*columns, strict=True))
        assert all((rule == "withdrawn") == (r in self.withdrawn) for _, r, rule in rows)
        return Counter(trial for trial, rater, _ in rows if rater not in self.withdrawn)

    @invariant()
    def what_was_sent_stays(self) -> None:
        table = self.store.table("submissions")
        kept = ("id", "rater", "trial", "slot", "at", "received_at", "reason")
        log = list(zip(*(table[name] for name in kept), strict=True))
        assert log[: len(self.log)] == self.log
        assert len(log) == self.ids
        self.log = log

    def complete(self) -> None:
        """Whatever happened, fresh raters bring every trial to exactly k."""
        self.minute += 60
        for rater in self.enrolled:
            self.store.update_rater(rater, stopped_at=at(self.minute))
        for number in range(20):
            rater = RaterId(f"fresh{number}")
            self.enroll(rater)
            while hand := self.store.claim(rater, lease=LEASE, now=at(self.minute)):
                assert (rater, hand[0].trial.id) not in self.sent
                self.submit(answer_to(hand[0], id=self.new_id(), answers=(
                    Answer(criterion="origin", system=hand[0].trial.systems[0], answer="real"),
                )))  # fmt: skip
            self.store.update_rater(rater, stopped_at=at(self.minute))
        assert self.counted() == {trial.id: OVERLAP for trial in TRIALS}


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(max_examples=8, stateful_step_count=20)


class AnyOrderForLong(AnyOrder):
    """The same, with more orders."""


TestAnyOrderForLong = pytest.mark.full(AnyOrderForLong.TestCase)
TestAnyOrderForLong.settings = settings(max_examples=60, stateful_step_count=20)
