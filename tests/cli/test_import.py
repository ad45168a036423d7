"""`jurybox import`: tables from elsewhere, checked against the study, stored once."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from jurybox.cli.app import run
from jurybox.store import Store
from tests.study.examples import write_example

Capture = pytest.CaptureFixture[str]


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def take(capsys: Capture, *arguments: object) -> dict[str, int]:
    assert run(["import", *map(str, arguments), "--json"]) == 0
    done: dict[str, int] = json.loads(capsys.readouterr().out)
    return done


def refused(capsys: Capture, *arguments: object) -> list[str]:
    assert run(["import", *map(str, arguments)]) == 1
    return capsys.readouterr().err.splitlines()


def table(directory: Path, shape: Any, *names: str) -> list[tuple[Any, ...]]:
    with Store.open(directory) as store:
        columns = store.table(shape)
    return list(zip(*(columns[name] for name in names), strict=True))


def rating(rater: str = "ann", **values: Any) -> dict[str, Any]:
    row = {"item": "e1", "system": "brush", "criterion": "realism", "score": 0.5}
    return {"rater": rater, **row, **values}


@pytest.fixture
def rate(tmp_path: Path) -> Path:
    return write_example("rate", tmp_path / "rate", items=2)


@pytest.fixture
def compare(tmp_path: Path) -> Path:
    return write_example("compare", tmp_path / "compare", items=2)


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


@pytest.mark.parametrize(
    ("places", "sentence"),
    [
        ((0, 1), "place is 0; the first place of a screen is 1."),
        ((1.5, 1), "place is 1.5; a whole number is needed."),
        (("top", 1), "place is 'top'; a number is needed."),
        (
            (1, 3),
            "place is wrong (plain at 3): a screen of one output has the place 1; give every "
            "output of the screen its place, or leave `place` empty.",
        ),
    ],
)
def test_a_place_that_cannot_be_is_a_sentence(
    rate: Path, capsys: Capture, places: tuple[Any, Any], sentence: str
) -> None:
    rows = [rating(system=s, place=p) for s, p in zip(("brush", "plain"), places, strict=True)]
    assert sentence in "".join(refused(capsys, rate, write(rate / "old.csv", rows)))
    assert table(rate, "ratings", "rater") == []


def test_places_that_deny_who_was_first_are_refused(compare: Path, capsys: Capture) -> None:
    vote = {"rater": "ann", "item": "q1", "system_a": "new", "system_b": "old", "winner": "a"}
    score = {"rater": "ann", "item": "q1", "criterion": "correctness", "system": "new"}
    files = (
        write(compare / "v.csv", [{**vote, "first": "a"}]),
        write(compare / "r.csv", [{**score, "score": 5, "place": 2}]),
    )
    said = "".join(refused(capsys, compare, *files))
    assert "place is wrong (new at 2, and `first` is new): a screen of 2 outputs has" in said


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


WRONG = [
    (rating(item="e9"), "the study has no item 'e9'."),
    (rating(system="pencil"), "the study has no system 'pencil'; there are brush, magic, plain."),
    (rating(criterion="beauty"), "no criterion 'beauty'; there are consistency, realism."),
    (rating(criterion=""), "criterion is missing; there are consistency, realism."),
    (rating(score=3), "score is 3; allowed are 0, 0.5, 1, 2."),
    (rating(score="good"), "score is 'good'; a number is needed."),
    (rating(score="nan"), "score is 'nan'; a number is needed."),
    (rating(score=""), "score is missing; leave out rows that were not answered."),
    (rating(""), "rater is missing."),
]


def test_every_problem_is_listed_and_nothing_is_stored(rate: Path, capsys: Capture) -> None:
    file = write(rate / "old.csv", [rating(), *(row for row, _ in WRONG)])
    lines = refused(capsys, rate, file)
    for number, (line, (_, sentence)) in enumerate(zip(lines, WRONG, strict=True), start=3):
        assert line.startswith(f"{file}:{number}: ")
        assert line.endswith(sentence)
    assert not (rate / "study.db").exists()


def test_rows_that_contradict_each_other_are_refused(rate: Path, capsys: Capture) -> None:
    same = "which is by the same rater about the same"
    file = write(rate / "old.csv", [rating(), rating("bob"), rating(score=2), rating()])
    more = write(rate / "more.csv", [rating("bob", score=1)])
    more_line, *lines = refused(capsys, rate, file, more)
    assert [line.removeprefix(f"{file}:") for line in lines] == [
        f"4: contradicts row 2, {same}: score is 2 here and 0.5 there.",
        "5: says again what row 2 says; keep one of them.",
    ]
    told = f"contradicts row 3 of {file}, {same}: score is 1 here and 0.5 there."
    assert more_line == f"{more}:2: {told}"
    assert table(rate, "submissions", "id") == []


def test_votes_contradict_each_other_whichever_side_is_named_first(
    compare: Path, capsys: Capture
) -> None:
    vote = {"rater": "ann", "item": "q1", "winner": "a", "confidence": 2}
    rows = [
        {**vote, "system_a": "new", "system_b": "old"},
        {**vote, "system_a": "old", "system_b": "new", "confidence": ""},
    ]
    (line,) = refused(capsys, compare, write(compare / "v.csv", rows))
    said = "winner is old here and new there; confidence is empty here and 2 there."
    assert line.endswith(said)


def test_a_shape_that_the_study_does_not_have_is_named_once(
    rate: Path, compare: Path, capsys: Capture
) -> None:
    vote = {"rater": "ann", "item": "e1", "system_a": "brush", "system_b": "magic", "winner": "a"}
    file = write(rate / "v.csv", [vote, {**vote, "rater": "bob"}])
    said = f"{file}: a rate study has no votes; it takes ratings."
    assert refused(capsys, rate, file) == [said]
    rank = {"rater": "ann", "item": "q1", "system": "new", "rank": 1}
    file = write(compare / "r.csv", [rank])
    said = f"{file}: a compare study has no rankings; it takes ratings and votes."
    assert refused(capsys, compare, file) == [said]


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


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"winner": "c"}, "winner cannot be 'c'; allowed are a, b, tie, both_bad."),
        ({"winner": ""}, "winner is missing; allowed are a, b, tie, both_bad."),
        ({"system_b": "new"}, "'new' is compared with itself."),
        ({"first": "x"}, "first cannot be 'x'; allowed are a, b."),
        ({"strength": 2}, "'preference' is not graded; leave strength empty."),
        ({"confidence": 9}, "confidence is 9; allowed are 1, 2, 3."),
        ({"criterion": "correctness"}, "the criterion 'correctness' is not answered by votes."),
        ({"status": "skipped"}, "status is 'skipped'; only answered rows can be imported."),
        ({"ms": 1.5}, "ms is 1.5; a whole number is needed."),
        ({"at": "noon"}, "at is 'noon'; a time like 2026-03-01T09:00:00Z is needed."),
        ({"rater_kind": "cat"}, "rater_kind cannot be 'cat'; allowed are person, judge."),
    ],
)
def test_a_wrong_vote_is_a_sentence(
    compare: Path, capsys: Capture, values: dict[str, Any], sentence: str
) -> None:
    vote = {"rater": "ann", "item": "q1", "system_a": "new", "system_b": "old", "winner": "a"}
    (line,) = refused(capsys, compare, write(compare / "v.csv", [{**vote, **values}]))
    assert line.endswith(sentence)


@pytest.mark.parametrize(
    ("ranks", "sentence"),
    [
        ({"ada": 1}, "'fit' ranks 1 of the 1 outputs of its trial."),
        ({"ada": 0, "bert": 1}, "rank is 0; ranks begin at 1."),
    ],
)
def test_ranks_that_are_no_ranking_are_refused(
    tmp_path: Path, capsys: Capture, ranks: dict[str, float], sentence: str
) -> None:
    rank = write_example("rank", tmp_path / "rank", items=1)
    rows = [{"item": "p1", "rater": "ann", "system": s, "rank": r} for s, r in ranks.items()]
    lines = refused(capsys, rank, write(rank / "r.csv", rows))
    assert lines[0].endswith(sentence)


def test_a_part_of_a_planned_ranking_is_refused(tmp_path: Path, capsys: Capture) -> None:
    rank = write_example("rank", tmp_path / "rank", items=1)
    assert run(["plan", str(rank)]) == 0
    with Store.open(rank) as store:
        plan = store.load_plan()
    assert plan is not None
    rows = [
        {"item": "p1", "rater": "ann", "system": s, "rank": 1, "trial": plan.trials[0].id}
        for s in ("ada", "bert")
    ]
    capsys.readouterr()
    (line,) = refused(capsys, rank, write(rank / "r.csv", rows))
    assert line.endswith("'fit' ranks 2 of the 4 outputs of its trial.")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"start": 7, "end": 4}, "a span needs 0 ≤ start < end, got 7 and 4."),
        ({"end": 999}, "but the text has 44 characters."),
        ({"category": "style"}, "category cannot be 'style'; allowed are accuracy, fluency"),
        ({"severity": ""}, "severity is missing; allowed are minor, major."),
        ({"field": "source"}, "field is 'source'; 'errors' marks 'translation'."),
    ],
)
def test_a_wrong_span_is_a_sentence(
    tmp_path: Path, capsys: Capture, values: dict[str, Any], sentence: str
) -> None:
    mark = write_example("mark", tmp_path / "mark", items=1)
    span = {"start": 4, "end": 7, "category": "accuracy", "severity": "major"}
    row = {"rater": "ann", "item": "s1", "system": "alpha", **span, **values}
    (line,) = refused(capsys, mark, write(mark / "m.csv", [row]))
    assert sentence in line


def test_a_truth_that_the_study_denies_is_refused(tmp_path: Path, capsys: Capture) -> None:
    detect = write_example("detect", tmp_path / "detect", items=1)
    row = {"rater": "ann", "item": "photo1", "system": "real", "answer": "real"}
    file = write(detect / "d.csv", [{**row, "truth": "generated"}])
    (line,) = refused(capsys, detect, file)
    assert line.endswith("truth is 'generated', but the study says that 'real' is real.")


def test_wrong_usage_is_a_sentence(
    rate: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(rate / "old.csv", [rating()])
    assert refused(capsys, rate) == ["Name the table to import: jurybox import [STUDY] FILE."]
    assert "--shape is one of ratings" in refused(capsys, rate, file, "--shape", "grades")[0]
    assert "votes.csv" in refused(capsys, rate, rate / "votes.csv")[0]
    assert "no such file" in refused(capsys, rate, rate / "votes.parquet")[0]
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 not really")
    assert "cannot be read" in refused(capsys, rate, tmp_path / "bad.parquet")[0]
    other = write(rate / "other.csv", [{"who": "ann", "what": 3}])
    assert "none of the table shapes" in refused(capsys, rate, other)[0]
    assert "there is no study.yaml here" in refused(capsys, tmp_path, file)[0]
    monkeypatch.chdir(rate)
    assert take(capsys, "old.csv")["rows"] == 1  # the study in the current directory


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
