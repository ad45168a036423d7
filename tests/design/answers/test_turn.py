"""Answers by place become answers by system, and the order of showing leaves no trace."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox.design.answers import Answer, ShownAnswer, parse_shown, show_again, turn_back
from jurybox.errors import RaterError
from jurybox.study.model import SystemId
from tests.design.answers import asked
from tests.design.answers.asked import STUDIES, make_trial, sent

TEXTS = dict.fromkeys(range(4), asked.TEXT)


@pytest.mark.parametrize("name", STUDIES)
@given(st.data())
def test_what_is_turned_back_can_be_shown_again(name: str, data: st.DataObject) -> None:
    n = data.draw(asked.n_outputs(name))
    order = data.draw(st.permutations(range(n)))
    shown = data.draw(asked.answers(name, n))
    study, trial = STUDIES[name], make_trial(n)
    stored = turn_back(study, trial, order, shown, texts=TEXTS)
    assert show_again(study, trial, order, stored) == shown
    assert turn_back(study, trial, order, show_again(study, trial, order, stored)) == stored


@pytest.mark.parametrize("name", STUDIES)
@given(st.data())
def test_the_same_opinion_is_stored_alike_whatever_the_order(
    name: str, data: st.DataObject
) -> None:
    n = data.draw(asked.n_outputs(name))
    study, trial = STUDIES[name], make_trial(n)
    straight = turn_back(study, trial, range(n), data.draw(asked.answers(name, n)), texts=TEXTS)
    for order in permutations(range(n)):
        again = turn_back(
            study, trial, order, show_again(study, trial, order, straight), texts=TEXTS
        )
        assert [_without_first(a) for a in again] == [_without_first(a) for a in straight]


def _without_first(answer: Answer) -> dict[str, Any]:
    return {name: getattr(answer, name) for name in Answer.__dataclass_fields__ if name != "first"}


def test_a_score_goes_to_the_system_at_its_place() -> None:
    # Shown: east, north, south. The first output shown gets 2, the second 0, the third 0.5.
    scores = [2.0, 0.0, 0.5]
    shown = [
        sent(criterion="realism", place=place, score=score, confidence=2.0)
        for place, score in enumerate(scores)
    ]
    shown += [sent(criterion="overall", place=place, score=50.0) for place in range(3)]
    stored = turn_back(STUDIES["rate"], make_trial(3), (2, 0, 1), shown)
    realism = {a.system: a.score for a in stored if a.criterion == "realism"}
    assert realism == {"north": 0.0, "south": 0.5, "east": 2.0}
    assert [a.system for a in stored] == ["north", "south", "east"] * 2


@pytest.mark.parametrize(
    ("order", "choice", "winner", "first"),
    [
        ((0, 1), "first", "a", "a"),
        ((0, 1), "second", "b", "a"),
        ((1, 0), "first", "b", "b"),
        ((1, 0), "second", "a", "b"),
        ((1, 0), "tie", "tie", "b"),
        ((0, 1), "both_bad", "both_bad", "a"),
    ],
)
def test_the_winner_is_named_by_system(
    order: tuple[int, int], choice: str, winner: str, first: str
) -> None:
    shown = [
        sent(criterion="preference", choice=choice, confidence=1.0),
        sent(criterion="correctness", place=0, score=4.0),
        sent(criterion="correctness", place=1, score=2.0),
    ]
    vote, *sides = turn_back(STUDIES["compare"], make_trial(2), order, shown)
    assert (vote.winner, vote.first, vote.system) == (winner, first, None)
    assert {side.system: side.score for side in sides} == {
        ("north", "south")[order[0]]: 4.0,
        ("north", "south")[order[1]]: 2.0,
    }


@pytest.mark.parametrize(
    ("order", "score", "winner", "strength"),
    [
        ((0, 1), -2, "a", 2),
        ((0, 1), 3, "b", 3),
        ((1, 0), -2, "b", 2),
        ((1, 0), 1, "a", 1),
        ((1, 0), 0, "tie", 0),
    ],
)
def test_the_sign_of_a_grade_names_the_winner(
    order: tuple[int, int], score: float, winner: str, strength: float
) -> None:
    shown = [sent(criterion="preference", score=float(score), reason="It is shorter.")]
    (vote,) = turn_back(STUDIES["graded"], make_trial(2), order, shown)
    assert (vote.winner, vote.strength, vote.score) == (winner, strength, None)
    assert vote.reason_given == "It is shorter."


def test_ranks_go_to_the_systems_at_their_places() -> None:
    # Shown: south, west, north, east with ranks 1, 2, 2, 4.
    shown = [sent(criterion="fit", ranks=(1.0, 2.0, 2.0, 4.0))]
    stored = turn_back(STUDIES["rank"], make_trial(4), (1, 3, 0, 2), shown)
    assert {a.system: a.rank for a in stored} == {"north": 2, "south": 1, "east": 4, "west": 2}


def test_an_output_free_of_errors_is_a_row_without_a_span() -> None:
    shown = [sent(criterion="errors", spans=[]), sent(criterion="overall", score=90.0)]
    errors, overall = turn_back(STUDIES["mark"], make_trial(1), (0,), shown, texts=TEXTS)
    assert errors == Answer(criterion="errors", system=SystemId("north"), field="answer")
    assert overall.score == 90


def test_a_lone_output_needs_no_place() -> None:
    shown = [sent(criterion="origin", answer="real", confidence=4.0)]
    (stored,) = turn_back(STUDIES["detect"], make_trial(1), (0,), shown)
    assert (stored.system, stored.answer, stored.confidence) == ("north", "real", 4)


def one(**values: Any) -> list[dict[str, Any]]:
    return [values]


GOOD_SIDES = [
    {"criterion": "correctness", "place": 0, "score": 3},
    {"criterion": "correctness", "place": 1, "score": 3},
]
WRONG: list[tuple[str, int, list[dict[str, Any]], str]] = [
    (
        "rate",
        2,
        [{"criterion": "realism", "place": 1, "score": 1, "confidence": 2}],
        "'realism' of output 2 cannot be 1; allowed are 0, 0.5, 2. "
        "'realism' of output 1 is not answered. 'overall' of output 1 is not answered. "
        "'overall' of output 2 is not answered.",
    ),
    (
        "compare",
        2,
        [*one(criterion="preference", choice="first"), *GOOD_SIDES],
        "'preference' has no confidence; allowed are 1, 2, 3.",
    ),
    (
        "compare",
        2,
        [*one(criterion="preference", choice="a", confidence=1), *GOOD_SIDES],
        "'preference' cannot be 'a'; allowed are first, second, tie, both_bad.",
    ),
    (
        "compare",
        2,
        [*one(criterion="preference", choice="tie", confidence=7), *GOOD_SIDES],
        "'preference' cannot have confidence 7; allowed are 1, 2, 3.",
    ),
    (
        "compare",
        2,
        [*one(criterion="preference", choice="tie", confidence=1), *GOOD_SIDES, GOOD_SIDES[1]],
        "'correctness' of output 2 is answered 2 times; once is right.",
    ),
    (
        "forced",
        2,
        one(criterion="preference", choice="tie"),
        "'preference' cannot be 'tie'; allowed are first, second.",
    ),
    (
        "forced",
        2,
        one(criterion="preference", choice="first", confidence=1),
        "'preference' does not ask for confidence, got 1.",
    ),
    (
        "forced",
        2,
        one(criterion="preference", choice="first", reason="so"),
        "'preference' does not ask for a reason.",
    ),
    (
        "forced",
        2,
        one(criterion="preference", score=1),
        "'preference' is answered by choice, not by score. "
        "'preference' has no choice; allowed are first, second.",
    ),
    (
        "forced",
        2,
        one(criterion="preference", choice="first", place=0),
        "'preference' of output 1 is asked once per trial, without a place, got place 0. "
        "'preference' is not answered.",
    ),
    (
        "forced",
        2,
        [{"criterion": "taste", "choice": "first"}, {"criterion": "preference", "choice": "first"}],
        "'taste' is no criterion of this study; there are preference.",
    ),
    (
        "graded",
        2,
        one(criterion="preference", score=4, reason="so"),
        "'preference' cannot be 4; allowed are -3, -2, -1, 0, 1, 2, 3.",
    ),
    (
        "graded",
        2,
        one(criterion="preference", score=1, reason="  "),
        "'preference' has no reason; a sentence is required.",
    ),
    (
        "rank",
        3,
        one(criterion="fit", ranks=[1, 2]),
        "'fit' has 2 ranks (1, 2) for 3 outputs; each output has one.",
    ),
    ("rank", 3, one(criterion="fit", ranks=[1, 2, 4]), "'fit' cannot be 1, 2, 4; ranks start at 1"),
    ("rank", 3, one(criterion="fit", ranks=[1, 1, 2]), "'fit' cannot be 1, 1, 2; ranks start at 1"),
    ("rank", 3, one(criterion="fit", ranks=[2, 2, 3]), "'fit' cannot be 2, 2, 3; ranks start at 1"),
    (
        "strict",
        3,
        one(criterion="fit", ranks=[1, 2, 2]),
        "'fit' cannot be 1, 2, 2; two outputs may not share a rank here.",
    ),
    ("best", 3, one(criterion="fit", ranks=[1, 1, 2]), "exactly one output is 1 (the best)"),
    ("best", 3, one(criterion="fit", ranks=[2, 2, 2]), "exactly one output is 1 (the best)"),
    ("best", 3, one(criterion="fit"), "has no ranks; allowed are 1 for the best and 2"),
    (
        "detect",
        1,
        one(criterion="origin", answer="fake", confidence=3),
        "'origin' cannot be 'fake'; allowed are real, generated.",
    ),
    (
        "detect",
        1,
        one(criterion="origin", answer="real", confidence=3, place=1),
        "'origin' is asked per output: place must be 0 to 0, got 1.",
    ),
]


@pytest.mark.parametrize(("name", "n", "shown", "sentence"), WRONG)
def test_a_wrong_answer_names_criterion_value_and_what_is_allowed(
    name: str, n: int, shown: list[dict[str, Any]], sentence: str
) -> None:
    with pytest.raises(RaterError) as caught:
        turn_back(STUDIES[name], make_trial(n), range(n), parse_shown(shown))
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("span", "sentence"),
    [
        ((3, 3, "accuracy", "major"), "has span 3–3; a span starts at 0 or later and ends behind"),
        ((-1, 3, "accuracy", "major"), "has span -1–3; a span starts at 0 or later"),
        ((3, 99, "accuracy", "major"), "has span 3–99, and the text has 20 characters."),
        ((3, 9, "tone", "major"), "of category 'tone'; allowed are accuracy, fluency."),
        ((3, 9, "accuracy", "huge"), "of severity 'huge'; allowed are minor, major."),
    ],
)
def test_a_wrong_span_is_named(span: tuple[int, int, str, str], sentence: str) -> None:
    start, end, category, severity = span
    marked = {"start": start, "end": end, "category": category, "severity": severity}
    shown = [
        sent(criterion="errors", spans=[marked]),
        sent(criterion="overall", score=3.0),
    ]
    with pytest.raises(RaterError) as caught:
        turn_back(STUDIES["mark"], make_trial(1), (0,), shown, texts=TEXTS)
    assert sentence in str(caught.value)


def test_positions_count_code_points() -> None:
    # The smiley is one code point, so the last of the 20 characters ends at 20.
    assert len(asked.TEXT) == 20
    marked = {"start": 8, "end": 20, "category": "accuracy", "severity": "minor"}
    shown = [sent(criterion="errors", spans=[marked]), sent(criterion="overall", score=3.0)]
    stored, _ = turn_back(STUDIES["mark"], make_trial(1), (0,), shown, texts=TEXTS)
    assert asked.TEXT[stored.start : stored.end] == "🙂 nach Haus."


def test_the_same_span_twice_is_wrong() -> None:
    marked = {"start": 3, "end": 9, "category": "accuracy", "severity": "minor"}
    shown = [sent(criterion="errors", spans=[marked] * 2), sent(criterion="overall", score=3.0)]
    with pytest.raises(RaterError, match="has span 3–9 2 times; once is right"):
        turn_back(STUDIES["mark"], make_trial(1), (0,), shown)


@pytest.mark.parametrize("order", [(0,), (0, 0), (1, 2), (0, 1, 2)])
def test_an_order_that_is_none_is_refused(order: tuple[int, ...]) -> None:
    shown = [sent(criterion="preference", choice="first")]
    with pytest.raises(RaterError, match="does not show each of its 2 outputs once"):
        turn_back(STUDIES["forced"], make_trial(2), order, shown)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("first", "answers: input should be a valid tuple"),
        ([{"choice": "first"}], "answers[0].criterion: field required"),
        ([{"criterion": "x", "score": "3"}], "answers[0].score: input should be a valid number"),
        ([{"criterion": "x", "score": True}], "answers[0].score: input should be a valid number"),
        ([{"criterion": "x", "score": float("nan")}], "should be a finite number"),
        ([{"criterion": "x", "system": "new"}], "answers[0].system: extra inputs"),
        ([{"criterion": "x", "spans": [{"start": 1.5}]}], "answers[0].spans[0].start"),
    ],
)
def test_malformed_answers_are_a_sentence(data: Any, sentence: str) -> None:
    with pytest.raises(RaterError) as caught:
        parse_shown(data)
    assert sentence in str(caught.value)


def test_a_whole_number_is_a_score() -> None:
    assert parse_shown([{"criterion": "x", "score": 3}]) == (ShownAnswer(criterion="x", score=3.0),)
