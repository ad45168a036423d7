"""Nothing lost, nothing doubled: submits on both databases."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from jurybox.design.answers import Answer
from jurybox.design.plan import SlotId, TrialId
from jurybox.errors import InputError, RaterError, StoreError
from jurybox.store import Assignment, Store, Submission
from jurybox.study.model import RaterId
from tests.store.planning import (
    LEASE,
    START,
    answer_to,
    at,
    enroll,
    fill,
    make_plan,
    make_trial,
    skip_of,
)

ANN, BOB, CEM = RaterId("ann"), RaterId("bob"), RaterId("cem")


def claim(store: Store, rater: RaterId, now: float = 0) -> Assignment:
    return store.claim(rater, lease=LEASE, now=at(now))[0]


@pytest.fixture
def given(store: Store) -> Assignment:
    """Give ann's first assignment, in a study of one trial answered once."""
    fill(store, make_plan([make_trial("t0", "i0")], ["t0"]))
    enroll(store, "ann", "bob", "cem")
    return claim(store, ANN)


def statuses(store: Store) -> list[str]:
    return store.table("submissions")["status"]


def test_the_same_submission_again_gives_the_same_receipt(store: Store, given: Assignment) -> None:
    sent = answer_to(given)
    first = store.submit(sent, now=at(1))
    assert (first.status, first.duplicate) == ("answered", False)
    # The client sends it again later, after a restart that lost its clock and its session.
    again = store.submit(replace(sent, at=at(9), ms=99, session="other", position=5), now=at(9))
    assert (again.id, again.status, again.duplicate) == (first.id, "answered", True)
    assert statuses(store) == ["answered"]
    assert store.table("votes")["ms"] == [1500]


def test_one_id_for_two_answers_is_refused(store: Store, given: Assignment) -> None:
    sent = answer_to(given)
    store.submit(sent, now=at(1))
    other = replace(sent, answers=(Answer(criterion="preference", winner="b", first="a"),))
    with pytest.raises(StoreError, match=r"The submission id 'ann:t0/1' was used for another"):
        store.submit(other, now=at(2))
    with pytest.raises(StoreError, match="was used for another answer"):
        store.submit(replace(sent, rater=BOB), now=at(2))
    assert store.table("votes")["winner"] == ["a"]


def test_many_are_stored_in_order_and_each_like_one_alone(store: Store) -> None:
    fill(store, make_plan([make_trial("t0", "i0"), make_trial("t1", "i1")], ["t0 t1"]))
    enroll(store, "ann", "bob")
    first, second = store.claim(ANN, count=2, lease=LEASE, now=at(0))
    store.submit(answer_to(first), now=at(1))
    rival = answer_to(first, id="bob's", rater=BOB)
    receipts = store.submit_many([answer_to(first), skip_of(second), rival], now=at(2))
    assert [(r.id, r.status, r.duplicate) for r in receipts] == [
        (f"ann:{first.slot}", "answered", True),
        (f"ann:{second.slot}", "skipped", False),
        ("bob's", "late", False),
    ]
    assert statuses(store) == ["answered", "skipped", "late"]
    assert store.submit_many([], now=at(3)) == ()


def test_of_many_with_a_wrong_one_none_is_stored(store: Store, given: Assignment) -> None:
    store.save_draft(ANN, given.trial.id, {"preference": "a"}, now=at(0))
    wrong = answer_to(given, id="other", trial=TrialId("t9"), slot=None)
    with pytest.raises(RaterError, match="no trial 't9'"):
        store.submit_many([answer_to(given), wrong], now=at(1))
    assert statuses(store) == []
    assert store.load_draft(ANN, given.trial.id) is not None


def test_one_submission_from_many_connections_at_once_is_stored_once(
    database_url: str, store: Store, given: Assignment
) -> None:
    sent = answer_to(given)
    with Store.open(database_url) as second, ThreadPoolExecutor(8) as pool:
        stores = [store, second] * 8
        receipts = list(pool.map(lambda s: s.submit(sent, now=at(1)), stores))
    assert sorted(receipt.duplicate for receipt in receipts) == [False] + [True] * 15
    assert statuses(store) == ["answered"]


def test_two_tabs_of_one_rater_get_the_same_slots(database_url: str, store: Store) -> None:
    trials = [make_trial(f"t{n}", f"i{n}") for n in range(6)]
    fill(store, make_plan(trials, ["t0 t1 t2", "t3 t4 t5"]))
    enroll(store, "ann")
    with Store.open(database_url) as second, ThreadPoolExecutor(8) as pool:
        hands = pool.map(
            lambda s: s.claim(ANN, count=2, lease=LEASE, now=at(0)), [store, second] * 8
        )
    assert {tuple(a.slot for a in hand) for hand in hands} == {("t0/1", "t1/1")}


def test_a_change_of_mind_supersedes_and_uses_no_other_slot(
    store: Store, given: Assignment
) -> None:
    store.submit(answer_to(given), now=at(1))
    changed = Answer(criterion="preference", winner="tie", first="a")
    store.submit(answer_to(given, id="changed", answers=(changed,)), now=at(2))
    assert store.table("votes")["winner"] == ["tie"]
    assert statuses(store) == ["superseded", "answered"]
    assert (store.progress().answered, store.progress().planned) == (1, 1)
    newest, oldest = store.submissions(rater=ANN)
    assert (newest.submission.id, newest.status) == ("changed", "answered")
    assert (oldest.submission, oldest.status) == (answer_to(given), "superseded")


def test_an_answer_after_the_lease_takes_its_slot_when_it_is_free(
    store: Store, given: Assignment
) -> None:
    store.expire(now=at(31))
    assert store.submit(answer_to(given), now=at(90)).status == "answered"
    assert store.claim(BOB, lease=LEASE, now=at(120)) == ()


def test_an_answer_after_the_lease_is_late_when_another_answered(
    store: Store, given: Assignment
) -> None:
    store.update_rater(ANN, stopped_at=at(1))
    store.submit(answer_to(claim(store, BOB, now=2)), now=at(3))
    receipt = store.submit(answer_to(given), now=at(4))
    assert receipt.status == "late"
    assert store.submit(answer_to(given), now=at(5)).duplicate
    assert store.table("votes")["rater"] == ["bob"]
    assert statuses(store) == ["answered", "late"]
    progress = store.progress()
    assert (progress.answered, progress.trials[0].late, progress.raters[0].late) == (1, 1, 1)


def test_an_answer_after_the_lease_is_late_while_another_holds_the_slot(
    store: Store, given: Assignment
) -> None:
    store.update_rater(ANN, stopped_at=at(1))
    held = claim(store, BOB, now=2)
    assert store.submit(answer_to(given), now=at(3)).status == "late"
    assert store.submit(answer_to(held), now=at(4)).status == "answered"
    assert store.table("votes")["rater"] == ["bob"]


def test_a_late_answer_sent_again_counts_once_its_slot_is_free(
    store: Store, given: Assignment
) -> None:
    store.update_rater(ANN, stopped_at=at(1))
    held = claim(store, BOB, now=2)
    store.submit(answer_to(given), now=at(3))
    store.submit(skip_of(held), now=at(4))
    assert store.submit(answer_to(given, id="once more"), now=at(5)).status == "answered"
    assert statuses(store) == ["late", "skipped", "answered"]
    assert store.table("votes")["rater"] == ["ann"]


def test_a_skip_is_kept_and_never_becomes_a_number(store: Store, given: Assignment) -> None:
    store.submit(skip_of(given, comment="the picture is broken"), now=at(1))
    assert store.table("votes")["winner"] == []
    rows = store.table("submissions")
    assert (rows["status"], rows["reason"]) == (["skipped"], ["cannot decide"])
    assert rows["comment"] == ["the picture is broken"]
    assert store.progress().answered == 0
    store.submit(answer_to(claim(store, BOB, now=1)), now=at(2))
    assert store.table("votes")["rater"] == ["bob"]


def test_a_rater_may_answer_after_a_skip_and_skip_after_an_answer(
    store: Store, given: Assignment
) -> None:
    store.submit(skip_of(given), now=at(1))
    assert store.submit(answer_to(given, id="2"), now=at(2)).status == "answered"
    assert store.submit(skip_of(given, id="3", status="unusable"), now=at(3)).status == "unusable"
    assert statuses(store) == ["superseded", "superseded", "unusable"]
    assert store.table("votes")["rater"] == []
    assert claim(store, BOB, now=4).slot == given.slot  # the slot is in the pool again
    assert store.submit(answer_to(given, id="4"), now=at(5)).status == "late"
    assert statuses(store) == ["superseded", "superseded", "unusable", "late"]


def test_judges_answer_beside_the_people_once_per_order_and_repeat(
    store: Store, given: Assignment
) -> None:
    store.enroll(RaterId("j1"), kind="judge", now=START)
    judge = answer_to(given, rater=RaterId("j1"), rater_kind="judge", slot=None)
    for number, (order, repeat) in enumerate([((0, 1), 0), ((1, 0), 0), ((0, 1), 1), ((0, 1), 0)]):
        sent = replace(judge, id=f"j{number}", order=order, repeat=repeat)
        assert store.submit(sent, now=at(1)).status == "answered"
    assert statuses(store) == ["superseded", "answered", "answered", "answered"]
    assert store.table("votes")["repeat"] == [0, 1, 0]
    assert store.progress().answered == 0
    assert store.submit(answer_to(given), now=at(1)).status == "answered"


def test_without_a_slot_an_answer_takes_a_free_one_of_its_trial_and_order(store: Store) -> None:
    # As a sheet or an imported table does.
    fill(store, make_plan([make_trial("t0", "i0")], ["t0", "t0-"], overlap=2))
    enroll(store, "ann", "bob", "cem")
    for rater, order, status in (
        (ANN, (1, 0), "answered"),
        (BOB, (1, 0), "answered"),
        (CEM, (0, 1), "late"),
    ):
        sent = Submission(
            id=f"sheet {rater}",
            rater=rater,
            trial=TrialId("t0"),
            study_version=1,
            at=START,
            order=order,
            answers=(Answer(criterion="preference", winner="a", first="a"),),
        )
        assert store.submit(sent, now=at(0)).status == status
    assert store.table("submissions")["slot"] == ["t0/2", "t0/1", None]
    assert store.claim(CEM, lease=LEASE, now=at(0)) == ()


def test_without_a_slot_a_check_takes_none_of_another_booklet(store: Store) -> None:
    trials = [make_trial("t0", "i0"), make_trial("g", "k", kind="gold")]
    fill(store, make_plan(trials, ["g t0"]))
    enroll(store, "ann", "bob")
    given = claim(store, ANN)
    sent = answer_to(given, id="free", rater=BOB, slot=None, correct=True)
    assert store.submit(sent, now=at(0)).status == "answered"
    assert store.submit(answer_to(given, correct=False), now=at(0)).status == "answered"
    assert store.table("checks")["correct"] == [True, False]


def test_practice_is_stored_without_a_slot(store: Store) -> None:
    trials = [make_trial("t0", "i0"), make_trial("p", "k", kind="practice")]
    fill(store, make_plan(trials, ["t0"]))
    enroll(store, "ann")
    for number, correct in enumerate((False, True)):
        sent = answer_to(claim(store, ANN), id=f"p{number}", slot=None, correct=correct)
        store.submit(replace(sent, trial=TrialId("p"), round="practice"), now=at(0))
    assert store.table("votes")["trial"] == []
    checks = store.table("checks")  # of the main round, for which it was
    assert (checks["kind"], checks["correct"], checks["rater"]) == (["practice"], [True], ["ann"])
    assert checks["round"] == ["practice"]


def test_submit_removes_the_draft(store: Store, given: Assignment) -> None:
    trial = given.trial.id
    assert store.load_draft(ANN, trial) is None
    store.save_draft(ANN, trial, {"choice": "first"}, now=at(0))
    store.save_draft(ANN, trial, {"choice": "tie", "reason": "é"}, now=at(1))
    assert store.load_draft(ANN, trial) == {"choice": "tie", "reason": "é"}
    assert store.load_draft(BOB, trial) is None
    store.submit(answer_to(given), now=at(2))
    assert store.load_draft(ANN, trial) is None


def test_every_kind_of_value_comes_back_as_it_was_sent(store: Store, given: Assignment) -> None:
    answers = (
        Answer(criterion="q", system=given.trial.systems[0], score=-0.5, reason_given="≈ “ok”"),
        Answer(criterion="p", winner="both_bad", first="b", strength=2.0, confidence=3),
        Answer(criterion="r", system=given.trial.systems[1], rank=1.5),
        Answer(criterion="d", system=given.trial.systems[0], answer="real"),
        Answer(criterion="m", system=given.trial.systems[0], field="f", start=0, end=2,
               category="accuracy", severity="major"),
        Answer(criterion="m", system=given.trial.systems[1], field="f"),
    )  # fmt: skip
    sent = answer_to(given, answers=answers, timing={"shown": 1, "hidden": [2, 3]}, comment="\x07")
    store.submit(sent, now=at(1))
    (recorded,) = store.submissions(trial=given.trial.id)
    assert recorded.submission == sent
    assert recorded.received_at == at(1)


def test_words_that_no_database_can_hold_do_not_cost_the_answer(
    store: Store, given: Assignment
) -> None:
    vote = replace(answer_to(given).answers[0], reason_given="half \ud83d of a face")
    sent = answer_to(given, answers=(vote,), comment="nul \0 here", timing={"\0": "\ud83d"})
    assert store.submit(sent, now=at(1)).status == "answered"
    assert store.submit(sent, now=at(1)).duplicate
    assert store.table("votes")["comment"] == ["half ? of a face"]
    assert store.table("submissions")["comment"] == ["nul \ufffd here"]


def test_what_is_not_in_the_study_is_refused(store: Store, given: Assignment) -> None:
    with pytest.raises(RaterError, match="There is no rater 'eve'"):
        store.submit(answer_to(given, rater=RaterId("eve")), now=at(0))
    with pytest.raises(RaterError, match="There is no trial 'zzz'"):
        store.submit(answer_to(given, trial=TrialId("zzz")), now=at(0))
    with pytest.raises(RaterError, match="slot 'zzz' does not belong to the trial 't0'"):
        store.submit(answer_to(given, slot=SlotId("zzz")), now=at(0))
    with pytest.raises(StoreError, match="There is no version 8"):
        store.submit(answer_to(given, study_version=8), now=at(0))
    assert statuses(store) == []


def test_a_submission_that_makes_no_sense_cannot_be_made(given: Assignment) -> None:
    with pytest.raises(InputError, match="the id is empty"):
        answer_to(given, id="")
    with pytest.raises(InputError, match=r"id must not contain control characters, got 'a.x00'"):
        answer_to(given, id="a\0")
    with pytest.raises(InputError, match="`at` has no time zone"):
        answer_to(given, at=datetime(2026, 1, 1))  # noqa: DTZ001 - the mistake under test
    with pytest.raises(InputError, match="status 'answered' with 0 answers"):
        answer_to(given, answers=())
    with pytest.raises(InputError, match="status 'skipped' with 1 answers"):
        answer_to(given, status="skipped")
    for value in (math.nan, math.inf):
        with pytest.raises(InputError, match=f"score of 'q' is {value}; leave out"):
            answer_to(given, answers=(Answer(criterion="q", score=value),))


@pytest.mark.parametrize("change", ["UPDATE {} SET {} = {}", "DELETE FROM {}"])
@pytest.mark.parametrize(
    ("table", "column"),
    [("submission_rows", "id"), ("response_rows", "winner"), ("events", "kind")],
)
def test_the_database_itself_refuses_to_change_what_was_sent(
    store: Store, given: Assignment, table: str, column: str, change: str
) -> None:
    store.submit(answer_to(given), now=at(0))
    store.event("looked", now=at(0))
    statement = change.format(table, column, "'other'")
    with (
        pytest.raises(DatabaseError, match=f"{table} is append-only"),
        store.database.engine.begin() as connection,
    ):
        connection.execute(text(statement))


def test_an_imported_repeat_takes_no_slot_of_somebody_elses_booklet(store: Store) -> None:
    fill(store, make_plan([make_trial("t1", "i1"), make_trial("t2", "i2")], ["t1 t2 t1"]))
    ann, bob = enroll(store, "ann", "bob")
    (first,) = store.claim(ann, lease=LEASE, now=at(0))
    store.submit(answer_to(first), now=at(1))
    elsewhere = answer_to(first, id="b0", rater=bob, slot=None)
    # Every slot of t1 is taken, so bob's answer is one too many; his repeat is no further rater.
    assert store.submit(elsewhere, now=at(2)).status == "late"
    again = replace(elsewhere, id="b1", repeat=1)
    assert store.submit(again, now=at(2)).status == "answered"
    while hand := store.claim(ann, lease=LEASE, now=at(3)):
        assert store.submit(answer_to(hand[0]), now=at(3)).status == "answered"
    votes = store.table("votes", retests=True)
    assert list(zip(votes["rater"], votes["trial"], votes["repeat"], strict=True)) == [
        ("ann", "t1", 0),
        ("bob", "t1", 1),
        ("ann", "t2", 0),
        ("ann", "t1", 1),
    ]
