"""`jurybox import`: tables from elsewhere, checked against the study, stored once."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from jurybox.cli.app import run
from jurybox.store import Store
from tests.cli.importing import Capture, compare, rate, rating, refused, table, take, write
from tests.study.examples import write_example

__all__ = ["compare", "rate"]  # fixtures


def test_rows_without_a_plan_become_trials_of_their_own(rate: Path, capsys: Capture) -> None:
    file = write(
        rate / "old.csv",
        [
            rating(),
            rating(criterion="consistency", score="2"),
            rating("bob", score=1),
            rating("bob", item="e2", score=0),
        ],
    )
    done = take(capsys, rate, file)
    assert done == {
        "rows": 4, "submissions": 3, "answered": 3, "late": 0, "duplicates": 0, "new_trials": 2
    }  # fmt: skip
    assert table(rate, "ratings", "rater", "item", "system", "criterion", "score") == [
        ("ann", "e1", "brush", "realism", 0.5),
        ("ann", "e1", "brush", "consistency", 2.0),
        ("bob", "e1", "brush", "realism", 1.0),
        ("bob", "e2", "brush", "realism", 0.0),
    ]


def test_the_same_rows_again_are_stored_once_and_a_changed_one_supersedes(
    rate: Path, capsys: Capture
) -> None:
    file = write(rate / "old.csv", [rating(), rating("bob")])
    take(capsys, rate, file)
    again = take(capsys, rate, file)
    assert (again["answered"], again["duplicates"], again["new_trials"]) == (0, 2, 0)
    write(rate / "old.csv", [rating(), rating("bob", score=2)])
    assert take(capsys, rate, file)["duplicates"] == 1
    assert table(rate, "ratings", "rater", "score") == [("ann", 0.5), ("bob", 2.0)]
    assert table(rate, "submissions", "rater", "status") == [
        ("ann", "answered"),
        ("bob", "superseded"),
        ("bob", "answered"),
    ]


def test_planned_trials_are_matched_and_their_slots_used(rate: Path, capsys: Capture) -> None:
    assert run(["plan", str(rate)]) == 0
    capsys.readouterr()
    file = write(rate / "old.csv", [rating(f"r{n}") for n in range(4)])
    done = take(capsys, rate, file)
    # The plan asks for three answers to each trial; the fourth is kept as late.
    assert (done["new_trials"], done["answered"], done["late"]) == (0, 3, 1)
    with Store.open(rate) as store:
        progress = store.progress()
    answered = {trial.trial: trial.answered for trial in progress.trials}
    assert sorted(answered.values()) == [0, 0, 0, 0, 0, 3]
    assert run(["import", str(rate), str(write(rate / "more.csv", [rating("zoe")]))]) == 0
    assert "1 answer late, to trials" in capsys.readouterr().out


def test_votes_and_ratings_of_one_trial_are_imported_together(
    compare: Path, capsys: Capture
) -> None:
    vote = {"rater": "ann", "item": "q1", "criterion": "preference"}
    votes = [
        {**vote, "system_a": "new", "system_b": "old", "winner": "a", "first": "b"},
        # Named the other way round: turned to the study's order.
        {**vote, "rater": "bob", "system_a": "old", "system_b": "new", "winner": "a", "first": "a"},
    ]
    scores = [
        {"rater": "ann", "item": "q1", "system": s, "criterion": "correctness", "score": n}
        for s, n in (("new", 5), ("old", 2))
    ]
    take(capsys, compare, write(compare / "r.csv", scores), write(compare / "v.csv", votes))
    assert table(compare, "votes", "rater", "system_a", "system_b", "winner", "first") == [
        ("ann", "new", "old", "a", "b"),
        ("bob", "new", "old", "b", "b"),
    ]
    assert table(compare, "ratings", "rater", "system", "score", "trial") == [
        ("ann", "new", 5.0, table(compare, "votes", "trial")[0][0]),
        ("ann", "old", 2.0, table(compare, "votes", "trial")[0][0]),
    ]


def test_rankings_detections_and_spans(tmp_path: Path, capsys: Capture) -> None:
    rank = write_example("rank", tmp_path / "rank", items=2)
    ranks = {"ada": 1, "bert": 2, "cleo": 2, "dora": 4}
    rows = [{"item": "p1", "rater": "ann", "system": s, "rank": r} for s, r in ranks.items()]
    take(capsys, rank, write(rank / "r.csv", rows))
    assert table(rank, "rankings", "system", "rank", "criterion") == [
        (s, float(r), "fit") for s, r in ranks.items()
    ]

    detect = write_example("detect", tmp_path / "detect", items=2)
    seen = {"rater": "ann", "answer": "real", "confidence": 4}
    rows = [
        {**seen, "item": "photo1", "system": "real", "truth": "real"},
        {**seen, "item": "scene1", "system": "model-x", "truth": "generated"},
    ]
    take(capsys, detect, write(detect / "d.csv", rows))
    assert table(detect, "detections", "item", "truth", "answer", "confidence") == [
        ("photo1", "real", "real", 4.0),
        ("scene1", "generated", "real", 4.0),
    ]

    mark = write_example("mark", tmp_path / "mark", items=2)
    blank = {"start": "", "end": "", "category": "", "severity": ""}
    span = {"start": 4, "end": 7, "category": "accuracy", "severity": "major"}
    rows = [
        {"rater": "ann", "item": "s1", "system": "alpha", **span},
        {"rater": "ann", "item": "s1", "system": "beta", **blank},
    ]
    take(capsys, mark, write(mark / "m.csv", rows))
    assert table(mark, "spans", "system", "field", "start", "end", "severity") == [
        ("alpha", "translation", 4, 7, "major"),
        ("beta", "translation", None, None, None),
    ]


def test_judges_are_told_apart(compare: Path, capsys: Capture) -> None:
    vote = {"rater": "gpt", "item": "q1", "system_a": "new", "system_b": "old", "winner": "a"}
    rows = [{**vote, "first": "a"}, {**vote, "first": "b", "winner": "b"}]
    take(capsys, compare, write(compare / "v.csv", rows), "--judge")
    assert table(compare, "votes", "rater_kind", "first", "winner") == [
        ("judge", "a", "a"),
        ("judge", "b", "b"),
    ]


def test_the_place_of_an_output_on_its_screen_is_kept(rate: Path, capsys: Capture) -> None:
    places = {"magic": 1, "plain": 2, "brush": 3}
    rows = [rating(system=s, place=p) for s, p in places.items()]
    rows += [rating(system=s, place=p, criterion="consistency") for s, p in places.items()]
    # Alone on its screen, and somewhere nobody knows.
    rows += [
        rating(item="e2", system="brush", place=1),
        rating("bob", item="e2", system="plain", place=""),
    ]
    done = take(capsys, rate, write(rate / "old.csv", rows))
    assert (done["submissions"], done["new_trials"]) == (3, 3)
    named = ("rater", "system", "criterion", "place")
    stored = table(rate, "ratings", *named)
    assert sorted(stored, key=str) == sorted(
        (
            *(("ann", s, c, p) for s, p in places.items() for c in ("realism", "consistency")),
            ("ann", "brush", "realism", 1),
            ("bob", "plain", "realism", None),
        ),
        key=str,
    )
    assert run(["export", str(rate), "-o", str(rate / "out"), "-s", "ratings"]) == 0
    capsys.readouterr()
    other = write_example("rate", rate.parent / "other", items=2)
    take(capsys, other, rate / "out" / "ratings.csv")
    assert sorted(table(other, "ratings", *named), key=str) == sorted(stored, key=str)


def test_the_places_of_rankings_and_of_both_sides_are_kept(
    tmp_path: Path, compare: Path, capsys: Capture
) -> None:
    rank = write_example("rank", tmp_path / "rank", items=2)
    ranks = {"ada": (1, 3), "bert": (2, 1), "cleo": (2, 4), "dora": (4, 2)}
    rows = [
        {"item": "p1", "rater": "ann", "system": s, "rank": r, "place": p}
        for s, (r, p) in ranks.items()
    ]
    take(capsys, rank, write(rank / "r.csv", rows))
    assert table(rank, "rankings", "system", "place") == [(s, p) for s, (_, p) in ranks.items()]

    # A judge saw both orders: the sides of each are told apart by their places.
    vote = {"rater": "gpt", "item": "q1", "system_a": "new", "system_b": "old", "winner": "a"}
    score = {"rater": "gpt", "item": "q1", "criterion": "correctness"}
    scores = [
        {**score, "system": s, "score": n, "place": p}
        for s, n, p in (("new", 5, 1), ("old", 2, 2), ("new", 4, 2), ("old", 3, 1))
    ]
    votes = [{**vote, "first": "a"}, {**vote, "first": "b"}]
    files = write(compare / "v.csv", votes), write(compare / "r.csv", scores)
    assert take(capsys, compare, *files, "--judge")["submissions"] == 2
    assert table(compare, "ratings", "system", "score", "place") == [
        *(("new", 5.0, 1), ("old", 2.0, 2)),
        *(("new", 4.0, 2), ("old", 3.0, 1)),
    ]


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_what_was_exported_can_be_imported_elsewhere(
    rate: Path, tmp_path: Path, capsys: Capture, format: str
) -> None:
    file = write(rate / "old.csv", [rating(at="2026-03-01T09:00:00Z", ms=1200), rating("bob")])
    take(capsys, rate, file)
    assert run(["export", str(rate), "-o", str(tmp_path), "-f", format, "-s", "ratings"]) == 0
    capsys.readouterr()
    other = write_example("rate", tmp_path / "other", items=2)
    take(capsys, other, tmp_path / f"ratings.{format}")
    names = ("rater", "item", "system", "criterion", "score", "ms", "at")
    assert table(other, "ratings", *names) == table(rate, "ratings", *names)


def test_a_terminal_sees_how_far_it_is(
    rate: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    file = write(rate / "old.csv", [rating()])
    assert run(["import", str(rate), str(file)]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("FORCE_COLOR", "1")  # what a terminal is to rich
    assert run(["import", str(rate), str(file)]) == 0
    shown = capsys.readouterr()
    assert "Storing" in shown.err
    assert "1/1" in shown.err
    assert "Storing" not in shown.out


def test_planned_repeats_survive_export_and_import(compare: Path, capsys: Capture) -> None:
    row = {"rater": "ann", "item": "q1", "system_a": "new", "system_b": "old", "confidence": 2}
    rows = [{**row, "winner": "a", "repeat": 0}, {**row, "winner": "b", "repeat": 1}]
    take(capsys, compare, write(compare / "votes.csv", rows))
    assert table(compare, "votes", "winner") == [("a",)]
    assert run(["export", str(compare), "--shape", "votes", "--out", str(compare / "out")]) == 0
    with (compare / "out" / "votes.csv").open(newline="") as file:
        found = [(each["winner"], each["repeat"]) for each in csv.DictReader(file)]
    assert found == [("a", "0"), ("b", "1")]
    again = write_example("compare", compare.parent / "again", items=2)
    capsys.readouterr()
    take(capsys, again, compare / "out" / "votes.csv")
    with Store.open(again) as store:
        assert store.table("votes", retests=True)["repeat"] == [0, 1]


def test_the_group_of_a_rater_is_imported_and_is_one(rate: Path, capsys: Capture) -> None:
    rows = [rating(group="expert"), rating("ben", group="crowd"), rating("cy", group="")]
    take(capsys, rate, write(rate / "in.csv", rows))
    assert table(rate, "ratings", "rater", "group") == [
        ("ann", "expert"),
        ("ben", "crowd"),
        ("cy", None),
    ]
    wrong = [rating(group="expert"), rating(item="e2", group="crowd")]
    said = refused(capsys, rate, write(rate / "wrong.csv", wrong))
    assert "rater 'ann' is of group 'expert' in an earlier row and here of 'crowd'." in said[0]
    with (rate / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("\naccess: {invited: true}\nraters: {groups: [expert, crowd]}\n")
    said = refused(capsys, rate, write(rate / "wrong.csv", [rating(group="exprt")]))
    assert "the study has no group 'exprt'; it has expert, crowd." in said[0]


def test_imported_answers_take_slots_of_their_group(rate: Path, capsys: Capture) -> None:
    with (rate / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("\naccess: {invited: true}\nraters: {groups: [expert, crowd], each: true}\n")
    assert run(["plan", str(rate)]) == 0
    capsys.readouterr()
    said = refused(capsys, rate, write(rate / "wrong.csv", [rating("ben")]))
    assert (
        "every trial is answered in each group (raters.each); give the rater's `group`." in said[0]
    )
    with Store.open(rate) as store:
        plan = store.load_plan()
        assert plan is not None
        assert store.raters() == ()  # nothing was stored, not even the rater
    groups = {booklet.id: booklet.group for booklet in plan.booklets}
    slots = {slot.id: slot for slot in plan.slots}
    rows = [
        rating("ben", group="crowd"),
        rating("ann", group="expert"),
        rating("bo", group="crowd"),
    ]
    take(capsys, rate, write(rate / "in.csv", rows))
    take(capsys, rate, write(rate / "more.csv", [rating("ben", item="e2", score=1)]))
    with Store.open(rate) as store:
        took = [
            (one.submission.rater, groups[slots[one.submission.slot].booklet])
            for one in reversed(store.submissions())
            if one.submission.slot is not None
        ]
    assert took == [("ben", "crowd"), ("ann", "expert"), ("bo", "crowd"), ("ben", "crowd")]
