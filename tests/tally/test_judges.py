"""Judges' rows beside people's: one answer per unit, however often and in whatever order asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from jurybox.errors import InputError
from jurybox.tally.judges import BesideJudges, beside_judges, judge_names
from jurybox.tally.reading import read
from jurybox.tally.responses import Responses


def table(names: str, *rows: tuple[Any, ...]) -> dict[str, list[Any]]:
    return dict(zip(names.split(), map(list, zip(*rows, strict=True)), strict=True))


@contextmanager
def opened(made: dict[str, list[Any]]) -> Iterator[Responses]:
    responses = read(made)
    try:
        yield responses
    finally:
        responses.close()


def beside(made: dict[str, list[Any]], criterion: str, *, nominal: bool = True) -> BesideJudges:
    with opened(made) as responses:
        part = responses.of_criterion(criterion)
        return beside_judges(part, criterion, nominal=nominal)


VOTES = "item system_a system_b rater rater_kind winner first repeat status"


def vote(item: str, rater: str, winner: Any, first: str = "a", repeat: int = 0, **more: Any) -> Any:
    kind = "judge" if rater.startswith("j") else "person"
    status = more.get("status", "answered")
    return (item, "new", "old", rater, kind, winner, first, repeat, status)


def words_of(found: BesideJudges, judge: int = 0) -> list[Any]:
    return [None if np.isnan(k) else found.values[int(k)] for k in found.given[judge]]


def test_two_orders_are_one_answer_and_contradiction_is_a_tie() -> None:
    made = table(
        VOTES,
        *(vote(item, "ada", "a") for item in ("q1", "q2", "q3")),
        vote("q1", "j", "a", "a"),
        vote("q1", "j", "a", "b"),
        vote("q2", "j", "a", "a"),
        vote("q2", "j", "b", "b"),
        vote("q3", "j", "b", "a"),
        vote("q3", "j", "tie", "b"),
    )
    found = beside(made, "preference")
    assert words_of(found) == ["a", "tie", "tie"]
    assert found.contradicted == (0,)
    assert found.values == ("a", "b", "tie") or found.values == ("a", "tie")


def test_of_repeats_the_first_usable_one_counts() -> None:
    made = table(
        VOTES,
        vote("q1", "ada", "a"),
        vote("q2", "ada", "a"),
        vote("q1", "j", "b", "a", 2),
        vote("q1", "j", "a", "a", 1),
        vote("q1", "j", None, "a", 0, status="unusable"),
        vote("q1", "j", "a", "b", 0),
        vote("q2", "j", None, "a", 0, status="unusable"),
        vote("q2", "j", None, "b", 0, status="unusable"),
    )
    found = beside(made, "preference")
    assert words_of(found) == ["a", None]
    assert found.unusable == (3,)
    assert found.replies == (6,)


def test_sides_are_turned_to_the_names_and_tell_the_orders() -> None:
    # The second order is written with the systems exchanged, and the same system wins.
    rows = [
        ("q1", "new", "old", "ada", "person", "a"),
        ("q1", "new", "old", "j", "judge", "a"),
        ("q1", "old", "new", "j", "judge", "b"),
        ("q2", "old", "new", "ada", "person", "a"),
        ("q2", "new", "old", "j", "judge", "a"),
        ("q2", "old", "new", "j", "judge", "a"),
    ]
    found = beside(table("item system_a system_b rater rater_kind winner", *rows), "preference")
    assert [found.values[int(k)] for k in found.answer] == ["a", "b"]
    assert words_of(found) == ["a", "tie"]
    assert found.systems == (("new", "old"), ("new", "old"))


RATINGS = "item system rater rater_kind criterion score place repeat trial"


def rating(item: str, system: str, rater: str, score: Any, place: int = 0, **more: Any) -> Any:
    kind = "judge" if rater.startswith("j") else "person"
    trial = more.get("trial", f"{item}-t")
    return (item, system, rater, kind, "fit", score, place, more.get("repeat", 0), trial)


def test_numbers_are_averaged_over_orders_not_over_repeats() -> None:
    made = table(
        RATINGS,
        rating("q1", "new", "ada", 4),
        rating("q1", "new", "j", 2, 0),
        rating("q1", "new", "j", 5, 0, repeat=1),
        rating("q1", "new", "j", 3, 1),
        rating("q1", "new", "j", 3, 1, repeat=1),
        rating("q2", "new", "ben", 4),
        rating("q2", "new", "j", 5, 0),
    )
    found = beside(made, "fit", nominal=False)
    assert found.n_values is None
    assert found.given.tolist() == [[2.5, 5.0]]
    assert found.raters == ("ada", "ben")
    assert found.items == ("q1", "q2")


def test_the_middle_of_three_outputs_stands_at_one_place_in_both_orders() -> None:
    made = table(
        RATINGS,
        rating("q1", "mid", "ada", 4, 1),
        rating("q1", "mid", "j", 2, 1),
        rating("q1", "mid", "j", 4, 1),
    )
    assert beside(made, "fit", nominal=False).given.tolist() == [[3.0]]


def test_of_a_unit_in_two_trials_the_first_counts() -> None:
    made = table(
        RATINGS,
        rating("q1", "new", "ada", 4),
        rating("q1", "new", "j", 2, trial="t1"),
        rating("q1", "new", "j", 5, trial="t2"),
    )
    assert beside(made, "fit", nominal=False).given.tolist() == [[2.0]]


def test_other_words_that_contradict_are_no_answer() -> None:
    made = table(
        RATINGS,
        rating("q1", "new", "ada", "good"),
        rating("q1", "new", "j", "good", 0),
        rating("q1", "new", "j", "bad", 1),
        rating("q2", "new", "ada", "bad"),
        rating("q2", "new", "j", "fair", 0),
    )
    found = beside(made, "fit")
    assert words_of(found) == [None, "fair"]
    assert found.contradicted == (1,)
    assert found.values == ("bad", "fair", "good")


def test_numbers_at_a_nominal_level_are_words() -> None:
    made = table(
        RATINGS,
        rating("q1", "new", "ada", 1),
        rating("q1", "new", "j", 3, 0),
        rating("q2", "new", "ada", 2),
        rating("q2", "new", "j", 1, 0),
    )
    found = beside(made, "fit", nominal=True)
    assert found.values == (1.0, 2.0, 3.0)
    assert words_of(found) == [3.0, 1.0]


def test_detections_are_told_apart_by_what_is_true() -> None:
    rows = [
        ("q1", "cam", "ada", "person", "real", "real"),
        ("q1", "gen", "ada", "person", "generated", "real"),
        ("q1", "cam", "j", "judge", "real", "generated"),
        ("q1", "gen", "j", "judge", "generated", "generated"),
    ]
    found = beside(table("item system rater rater_kind truth answer", *rows), "origin")
    assert words_of(found) == ["generated", "generated"]
    assert found.systems == (("cam",), ("gen",))


def test_judges_are_named_and_people_alone_have_none() -> None:
    made = table(VOTES, vote("q1", "ada", "a"), vote("q1", "j2", "a"), vote("q1", "j1", "b"))
    with opened(made) as responses:
        assert judge_names(responses) == ("j1", "j2")
        assert responses.count() == (1, 1, 1)
    with opened(table(VOTES, vote("q1", "ada", "a"))) as responses:
        assert judge_names(responses) == ()


def test_what_only_a_judge_saw_is_left_out() -> None:
    made = table(VOTES, vote("q1", "ada", "a"), vote("q1", "j", "a"), vote("q9", "j", "b"))
    found = beside(made, "preference")
    assert found.given.shape == (1, 1)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([vote("q1", "j", "a"), vote("q1", "j", "b")], "judge j answered one unit more than once"),
        ([vote("q1", "j", "left")], "must be one of a, b, tie, both_bad; got 'left'"),
    ],
)
def test_wrong_rows_of_judges_are_refused(rows: list[Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        beside(table(VOTES, vote("q1", "ada", "a"), *rows), "preference")


def test_a_judges_word_among_peoples_numbers_is_refused() -> None:
    made = table(RATINGS, rating("q1", "new", "ada", 4), rating("q1", "new", "j", "good"))
    with pytest.raises(InputError, match="must be a number, as people's are; got 'good'"):
        beside(made, "fit", nominal=False)
