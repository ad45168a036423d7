"""The table shapes, by hand: what is in them, and what is resolved away."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from jurybox.design.answers import Answer
from jurybox.errors import InputError
from jurybox.store import Shape, Store, Submission, Work
from jurybox.store.views import COLUMNS
from jurybox.study.model import RaterId, SystemId
from tests.store.planning import START, at, enroll, fill, latin_plan, make_plan, make_trial

X, Y = SystemId("x"), SystemId("y")
CARRIED = {
    *("trial", "rater_kind", "round", "study_version", "session", "position", "ms", "at"),
    *("status", "reason", "comment", "excluded_by"),
}


def send(store: Store, id: str, rater: str, trial: str, *answers: Answer, **values: Any) -> str:
    sent = Submission(
        id=id,
        rater=RaterId(rater),
        trial=cast(Any, trial),
        study_version=1,
        at=at(1),
        session="s1",
        position=4,
        ms=2000,
        answers=answers,
        **values,
    )
    return store.submit(sent, now=at(2)).status


def error_at(system: SystemId, **span: Any) -> Answer:
    return Answer(criterion="errors", field="translation", system=system, **span)


def rows(store: Store, shape: Shape, *names: str) -> list[tuple[Any, ...]]:
    table = store.table(shape)
    return list(zip(*(table[name] for name in names), strict=True))


def test_every_shape_has_the_columns_of_the_contract() -> None:
    promised = {
        "ratings": {"item", "system", "rater", "criterion", "score"},
        "votes": {
            *("item", "system_a", "system_b", "rater", "winner"),
            *("criterion", "strength", "confidence", "first"),
        },
        "rankings": {"item", "rater", "system", "rank", "criterion"},
        "detections": {"item", "system", "rater", "truth", "answer", "confidence"},
        "spans": {
            *("item", "system", "rater", "criterion", "field", "start", "end"),
            *("category", "severity"),
        },
    }
    for shape, names in promised.items():
        assert names | CARRIED <= set(COLUMNS[cast(Shape, shape)])
    assert {"trial", "rater", "kind", "correct", "at", "position"} <= set(COLUMNS["checks"])
    assert {"trial", "rater", "status", "reason", "comment"} <= set(COLUMNS["submissions"])


@pytest.mark.parametrize("shape", COLUMNS)
def test_an_empty_study_gives_every_shape_with_its_columns(store: Store, shape: Shape) -> None:
    assert store.table(shape) == {name: [] for name in COLUMNS[shape]}


def test_an_unknown_shape_is_refused(store: Store) -> None:
    with pytest.raises(InputError, match="'scores' is no table shape; there are ratings, votes"):
        store.table(cast(Shape, "scores"))


def test_ratings_and_votes_of_one_trial(store: Store) -> None:
    fill(store, make_plan([make_trial("t0", "i0")], ["t0-", "t0"], overlap=2))
    enroll(store, "ann", "bob")
    send(
        store, "1", "ann", "t0",
        Answer(criterion="preference", winner="b", first="b", strength=2, confidence=3,
               reason_given="clearer"),
        Answer(criterion="correctness", system=X, score=4),
        Answer(criterion="correctness", system=Y, score=0.5),
        order=(1, 0), comment="long trial",
    )  # fmt: skip
    store.mark_excluded(RaterId("ann"), "gold_below", "2 of 5 right", now=at(3))
    store.mark_excluded(RaterId("ann"), "faster_than", "0.9 s", now=at(4))
    vote = {name: values[0] for name, values in store.table("votes").items()}
    assert vote == {
        "item": "i0", "system_a": "x", "system_b": "y", "rater": "ann",
        "criterion": "preference", "winner": "b", "first": "b", "strength": 2.0,
        "confidence": 3.0, "trial": "t0", "rater_kind": "person", "round": "main",
        "study_version": 1, "session": "s1", "position": 4, "repeat": 0, "ms": 2000, "at": at(1),
        "status": "answered", "reason": None, "comment": "clearer", "excluded_by": "gold_below",
        "group": None,
    }  # fmt: skip
    assert rows(store, "ratings", "item", "system", "criterion", "score", "comment") == [
        ("i0", "x", "correctness", 4.0, "long trial"),
        ("i0", "y", "correctness", 0.5, "long trial"),
    ]
    store.unmark_excluded(RaterId("ann"), "gold_below", now=at(5))
    assert store.table("votes")["excluded_by"] == ["faster_than"]
    store.unmark_excluded(RaterId("ann"), "faster_than", now=at(5))
    assert store.table("votes")["excluded_by"] == [None]
    assert len(store.exclusions(history=True)) == 2


def test_rankings(store: Store) -> None:
    fill(store, make_plan([make_trial("t0", "i0", "x y z")], ["t0"]))
    enroll(store, "ann")
    ranks = {"x": 2.0, "y": 1.0, "z": 2.0}
    answers = [Answer(criterion="fit", system=SystemId(s), rank=r) for s, r in ranks.items()]
    send(store, "1", "ann", "t0", *answers)
    assert rows(store, "rankings", "item", "rater", "system", "rank", "criterion") == [
        ("i0", "ann", "x", 2.0, "fit"),
        ("i0", "ann", "y", 1.0, "fit"),
        ("i0", "ann", "z", 2.0, "fit"),
    ]


def test_detections_know_the_truth(store: Store) -> None:
    trials = [make_trial("t0", "i0", "camera"), make_trial("t1", "i1", "m")]
    fill(
        store,
        make_plan(trials, ["t0 t1"]),
        truth={"camera": "real", "m": "generated"},
    )
    enroll(store, "ann")
    for trial, system in (("t0", "camera"), ("t1", "m")):
        answer = Answer(criterion="origin", system=SystemId(system), answer="real", confidence=5)
        send(store, trial, "ann", trial, answer)
    assert rows(store, "detections", "item", "system", "truth", "answer", "confidence") == [
        ("i0", "camera", "real", "real", 5.0),
        ("i1", "m", "generated", "real", 5.0),
    ]


@pytest.mark.parametrize("wrapped", [False, True])
def test_the_truth_comes_from_the_version_of_the_study(store: Store, *, wrapped: bool) -> None:
    study = {"protocol": "detect", "real": ["camera"]}
    text = json.dumps({"format": 1, "study": study} if wrapped else study)
    version = store.save_version(text, "s", "m", kind="first", now=START)
    trials = [make_trial("t0", "i0", "camera"), make_trial("t1", "i1", "m")]
    store.save_plan(make_plan(trials, ["t0 t1"]), version=version, now=START)
    enroll(store, "ann")
    for trial in trials:
        answer = Answer(criterion="origin", system=trial.systems[0], answer="generated")
        send(store, trial.id, "ann", trial.id, answer)
    assert store.table("detections")["truth"] == ["real", "generated"]


def test_spans_and_an_output_free_of_errors(store: Store) -> None:
    trials = [make_trial("t0", "i0", "x"), make_trial("t1", "i0", "y")]
    fill(store, make_plan(trials, ["t0 t1"]))
    enroll(store, "ann")
    send(
        store, "1", "ann", "t0",
        error_at(X, start=0, end=4, category="accuracy", severity="major"),
        error_at(X, start=2, end=9, category="fluency", severity="minor"),
        Answer(criterion="overall", system=X, score=62),
    )  # fmt: skip
    send(store, "2", "ann", "t1", error_at(Y))
    assert rows(store, "spans", "system", "field", "start", "end", "category", "severity") == [
        ("x", "translation", 0, 4, "accuracy", "major"),
        ("x", "translation", 2, 9, "fluency", "minor"),
        ("y", "translation", None, None, None, None),
    ]
    assert rows(store, "ratings", "criterion", "score") == [("overall", 62.0)]


def test_checks_are_apart_from_the_responses(store: Store) -> None:
    trials = [
        make_trial("t0", "i0", "x"),
        make_trial("g", "k1", "x", "gold"),
        make_trial("a", "k2", "x", "attention"),
        make_trial("p", "k3", "x", "practice"),
    ]
    fill(store, make_plan(trials, ["t0 g a"]))
    enroll(store, "ann")
    score = Answer(criterion="q", system=X, score=1)
    for trial, correct in (("p", True), ("t0", None), ("g", False), ("a", True)):
        send(store, trial, "ann", trial, score, correct=correct)
    assert store.table("ratings")["trial"] == ["t0"]
    assert rows(store, "checks", "trial", "kind", "correct") == [
        ("p", "practice", True),
        ("g", "gold", False),
        ("a", "attention", True),
    ]
    # A gold answer that was changed counts as changed.
    send(store, "g2", "ann", "g", score, correct=True)
    assert rows(store, "checks", "trial", "correct") == [("p", True), ("a", True), ("g", True)]


def test_the_status_of_every_submission(store: Store) -> None:
    fill(store, make_plan([make_trial("t0", "i0", "x")], ["t0"]))
    enroll(store, "ann", "bob", "cem", "dan")
    score = Answer(criterion="q", system=X, score=1)
    send(store, "1", "ann", "t0", score)
    send(store, "2", "ann", "t0", score)
    send(store, "3", "bob", "t0", score)
    send(store, "4", "cem", "t0", status="skipped", reason="offensive")
    send(store, "5", "dan", "t0", status="unusable", reason="no reply")
    assert rows(store, "submissions", "id", "status", "reason") == [
        ("1", "superseded", None),
        ("2", "answered", None),
        ("3", "late", None),
        ("4", "skipped", "offensive"),
        ("5", "unusable", "no reply"),
    ]
    assert store.table("ratings")["rater"] == ["ann"]


def test_many_rows_of_many_raters_are_read_whole(store: Store) -> None:
    from sqlalchemy import insert

    from jurybox.store.tables import response_rows, submission_rows

    fill(store, latin_plan(200, 1, per_booklet=200))
    raters = enroll(store, *(f"r{n}" for n in range(10)))
    submission = {
        "content": "", "rater_kind": "person", "round": "main", "study_version": 1, "session": "",
        "shown_order": [0, 1], "repeat": 0, "timing": {}, "at": START, "received_at": START,
        "status": "answered",
    }  # fmt: skip
    sent = [
        {"seq": 200 * r + t + 1, "id": f"{r}-{t}", "rater": rater, "trial": f"t{t}", **submission}
        for r, rater in enumerate(raters)
        for t in range(200)
    ]
    answers = [
        {"submission": row["seq"], "number": n, "shape": "ratings", "criterion": f"c{n}",
         "system": "x", "score": float(n)}
        for row in sent
        for n in range(10)
    ]  # fmt: skip
    with store.database.engine.begin() as connection:
        connection.execute(insert(submission_rows), sent)
        connection.execute(insert(response_rows), answers)
    table = store.table("ratings")
    assert len(table["score"]) == 20_000
    assert sum(table["score"]) == 2_000 * 45


def test_work_is_what_the_submissions_add_up_to_and_some_columns_are_those_of_all(
    store: Store,
) -> None:
    trials = [
        make_trial("t1", "i1"),
        make_trial("t2", "i2"),
        make_trial("p1", "i3", kind="practice"),
    ]
    fill(store, make_plan(trials, ["t1 t2"]))
    enroll(store, "r1", "r2", "idle")
    for number, (rater, trial, session, ms) in enumerate(
        [
            *(("r1", "t1", "s1", 1500), ("r1", "t1", "s2", None), ("r1", "t2", "s2", 500)),
            *(("r1", "p1", "s1", 700), ("r2", "p1", "s1", 40)),
        ]
    ):
        answer = Answer(criterion="q", system=X, score=1.0)
        sent = Submission(
            id=str(number), rater=RaterId(rater), trial=cast(Any, trial), study_version=1, at=at(1),
            answers=(answer,), session=session, ms=ms,
        )  # fmt: skip
        store.submit(sent, now=at(2))
    whole = store.table("submissions", round=None, retests=True)
    some = store.table("submissions", round=None, retests=True, columns=("kind", "ms", "nothing"))
    assert some == {name: whole[name] for name in ("kind", "ms")}
    rows = list(zip(*(whole[n] for n in ("rater", "session", "ms", "trial", "kind")), strict=True))
    assert store.work() == {
        rater: Work(
            sessions=len({session for who, session, *_ in rows if who == rater}),
            ms=sum(ms or 0 for who, _, ms, *_ in rows if who == rater),
            trials=len({t for who, _, _, t, kind in rows if who == rater and kind != "practice"}),
        )
        for rater in ("r1", "r2")
    }
    assert store.work()[RaterId("r1")] == Work(sessions=2, ms=2700, trials=2)
