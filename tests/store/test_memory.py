"""Versions, settings, raters, marks, events and progress."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone
from typing import Any

import pytest

from jurybox.errors import InputError, RaterError
from jurybox.store import RaterProgress, Store, SystemProgress, TrialProgress
from jurybox.study.model import RaterId
from tests.store.planning import LEASE, START, answer_to, at, enroll, fill, make_plan, make_trial

ANN = RaterId("ann")


def test_versions_are_numbered_and_the_latest_is_not_saved_twice(store: Store) -> None:
    assert store.latest_version() is None
    for text, number in (("a", 1), ("a", 1), ("b", 2), ("b", 2), ("a", 3)):
        assert store.save_version(text, f"hash {text}", "m", kind="recorded", now=START) == number
    assert [version.study_json for version in store.versions()] == ["a", "b", "a"]
    latest = store.latest_version()
    assert latest is not None
    assert (latest.number, latest.study_hash, latest.kind, latest.at) == (
        *(3, "hash a", "recorded"),
        START,
    )


def test_settings_are_written_over(store: Store) -> None:
    assert store.setting("link") is None
    store.set_setting("link", "one")
    store.set_setting("link", "zwei ≠ 2")
    assert store.setting("link") == "zwei ≠ 2"


def test_a_setting_that_two_give_at_once_is_the_first_ones(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.keep_setting("token", "one") == "one"
    monkeypatch.setattr(Store, "setting", lambda *_: None)  # looked a moment before the other
    assert store.keep_setting("token", "two") == "one"


def test_times_come_back_as_the_same_moment_in_utc(store: Store) -> None:
    there = timezone(timedelta(hours=5, minutes=30))
    rater = store.enroll(ANN, now=START.astimezone(there))
    assert rater.enrolled_at == START
    assert rater.enrolled_at.tzinfo is UTC
    store.event("seen", now=START + timedelta(microseconds=1))
    assert store.events()[0].at - START == timedelta(microseconds=1)


def test_a_time_without_a_zone_is_a_bug_that_is_not_stored(store: Store) -> None:
    with pytest.raises(Exception, match="has no time zone"):
        store.event("seen", now=START.replace(tzinfo=None))
    assert store.events() == ()


def test_a_rater_is_enrolled_once(store: Store) -> None:
    details = {"prolific": "5f"}
    first = store.enroll(ANN, token_hash="h", details=details, now=START)
    assert store.enroll(ANN, token_hash="h", details={}, now=at(9)) == first
    assert (first.details, first.kind, first.enrolled_at) == (details, "person", START)
    assert "'h'" not in repr(first)
    with pytest.raises(RaterError, match="The id 'ann' is taken; choose another one"):
        store.enroll(ANN, token_hash="other", now=START)
    with pytest.raises(RaterError, match="The id 'ann' is taken"):
        store.enroll(ANN, token_hash="h", kind="judge", now=START)
    assert store.rater(ANN) == store.rater_by_token("h") == first
    assert store.rater(RaterId("bob")) is None
    assert store.rater_by_token("other") is None
    store.enroll(RaterId("j"), kind="judge", now=START)
    store.enroll(RaterId("k"), kind="judge", now=START)  # no token, no clash
    assert [rater.id for rater in store.raters()] == ["ann", "j", "k"]


@pytest.mark.parametrize("id", ["", "  ", "a\0b", "a\nb", "\ud800"])
def test_an_id_that_cannot_be_shown_is_refused(store: Store, id: str) -> None:
    with pytest.raises((RaterError, InputError), match="A rater"):
        store.enroll(RaterId(id), token_hash="h", now=START)


def test_what_is_known_of_a_rater_changes_by_name(store: Store) -> None:
    store.enroll(ANN, token_hash="h", now=START)
    store.update_rater(ANN, consented_at=at(1), survey={"age": "30–39"})
    changed = store.update_rater(ANN, practice={"right": 4, "tries": 1})
    assert changed.consented_at == at(1)
    assert changed.survey == {"age": "30–39"}
    assert changed.practice == {"right": 4, "tries": 1}
    assert changed == store.rater(ANN)
    with pytest.raises(RaterError, match="There is no rater 'bob'"):
        store.update_rater(RaterId("bob"), paused=True)


def test_who_withdraws_is_marked_for_good(store: Store) -> None:
    store.enroll(ANN, token_hash="h", now=START)
    store.update_rater(ANN, withdrawn_at=at(1))
    (mark,) = store.exclusions()
    assert (mark.rater, mark.rule, mark.marked_at) == (ANN, "withdrawn", at(1))
    back: Any = {"withdrawn_at": None}
    with pytest.raises(RaterError, match="'ann' has withdrawn, which is final"):
        store.update_rater(ANN, now=at(2), **back)
    with pytest.raises(RaterError, match="'ann' has withdrawn, which is final"):
        store.unmark_excluded(ANN, "withdrawn", now=at(2))
    assert store.exclusions() == (mark,)


def test_marks_are_set_once_and_their_history_is_kept(store: Store) -> None:
    store.enroll(ANN, token_hash="h", now=START)
    store.mark_excluded(ANN, "gold_below", "2 of 5 right", now=at(1))
    store.mark_excluded(ANN, "gold_below", "2 of 6 right", now=at(2))
    assert [mark.sentence for mark in store.exclusions()] == ["2 of 5 right"]
    store.unmark_excluded(ANN, "gold_below", now=at(3))
    store.unmark_excluded(ANN, "never marked", now=at(3))
    store.mark_excluded(ANN, "gold_below", "again", now=at(4))
    history = [(m.sentence, m.unmarked_at) for m in store.exclusions(history=True)]
    assert history == [("2 of 5 right", at(3)), ("again", None)]
    with pytest.raises(RaterError, match="There is no rater 'bob'"):
        store.mark_excluded(RaterId("bob"), "r", "s", now=START)


def test_events_are_found_by_kind_rater_and_number(store: Store) -> None:
    first = store.event("opened", rater=ANN, detail={"n": 1}, now=START)
    store.event("opened", rater=RaterId("bob"), now=at(1))
    store.event("problem", rater=ANN, now=at(2))
    assert [e.detail for e in store.events("opened", rater=ANN)] == [{"n": 1}]
    assert [e.kind for e in store.events(rater=ANN)] == ["opened", "problem"]
    assert len(store.events(after=first)) == 2


def test_progress_counts_by_trial_rater_and_system(store: Store) -> None:
    trials = [make_trial("t0", "i0"), make_trial("t1", "i1", "x z")]
    gold = make_trial("g", "k", kind="gold")
    plan = make_plan([*trials, gold], ["t0 g t1", "t1 t0 g"], overlap=2)
    fill(store, plan)
    enroll(store, "ann", "bob")
    for _ in range(2):  # t0 and the gold trial
        store.submit(answer_to(store.claim(ANN, lease=LEASE, now=at(0))[0]), now=at(1))
    store.claim(RaterId("bob"), lease=LEASE, now=at(0))
    progress = store.progress(now=at(2))
    assert (progress.planned, progress.answered, progress.leased) == (4, 1, 1)
    assert store.progress(now=at(31)).leased == 0
    none = {"leased": 0, "skipped": 0, "late": 0}
    assert progress.trials == (
        TrialProgress(trial=trials[0].id, item=trials[0].item, planned=2, answered=1, **none),
        TrialProgress(trial=trials[1].id, item=trials[1].item, planned=2, answered=0,
                      **{**none, "leased": 1}),
    )  # fmt: skip
    ann, bob = progress.raters
    assert ann == RaterProgress(
        rater=ANN, kind="person", booklet=plan.booklets[0].id, planned=2, answered=1,
        active_at=at(1), group=None, **none,
    )  # fmt: skip
    assert (bob.answered, bob.leased) == (0, 1)
    # Shown: x in all four slots, y and z in two each; answered is t0 once.
    assert [(s.system, s.planned, s.answered) for s in progress.systems] == [
        ("x", 4, 1),
        ("y", 2, 1),
        ("z", 2, 0),
    ]
    assert isinstance(progress.systems[0], SystemProgress)
    assert progress.recent == ((at(1), 1),)  # the minute, and the answer to a main trial in it
    assert store.progress().recent == ()
