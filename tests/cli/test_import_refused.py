"""What `jurybox import` refuses: each wrong row is named, and nothing is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jurybox.cli.app import run
from jurybox.store import Store
from tests.cli.importing import Capture, compare, rate, rating, refused, table, take, write
from tests.study.examples import write_example

__all__ = ["compare", "rate"]  # fixtures


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
    said = ["Name the table to import: jurybox import [STUDY] FILE."]
    assert refused(capsys, rate, code=2) == said
    said = refused(capsys, rate, file, "--shape", "grades", code=2)
    assert "--shape is one of ratings" in said[0]
    assert "votes.csv" in refused(capsys, rate, rate / "votes.csv")[0]
    assert "no such file" in refused(capsys, rate, rate / "votes.parquet")[0]
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 not really")
    assert "cannot be read" in refused(capsys, rate, tmp_path / "bad.parquet")[0]
    other = write(rate / "other.csv", [{"who": "ann", "what": 3}])
    assert "none of the table shapes" in refused(capsys, rate, other)[0]
    assert "there is no study.yaml here" in refused(capsys, tmp_path, file)[0]
    monkeypatch.chdir(rate)
    assert take(capsys, "old.csv")["rows"] == 1  # the study in the current directory
