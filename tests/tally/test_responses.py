"""Which shape a table has, which rows count, and the sentence for what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from jurybox.errors import InputError
from jurybox.tally.keep import Skipped
from jurybox.tally.reading import read

Columns = dict[str, list[Any]]

VOTES: Columns = {
    "item": ["q1", "q2"],
    "system_a": ["new", "new"],
    "system_b": ["old", "old"],
    "rater": ["ada", "ada"],
    "winner": ["a", "b"],
}
RATINGS: Columns = {
    "item": ["q1", "q2"],
    "system": ["new", "new"],
    "rater": ["ada", "ada"],
    "score": [1, 0.5],
}


@pytest.mark.parametrize(
    ("table", "shape"),
    [
        (VOTES, "votes"),
        (RATINGS, "ratings"),
        ({"item": [1], "rater": ["r"], "system": ["s"], "rank": [1]}, "rankings"),
        ({"item": [1], "rater": ["r"], "truth": ["real"], "answer": ["generated"]}, "detections"),
        ({"item": [1], "rater": ["r"], "system": ["s"], "severity": ["minor"]}, "spans"),
    ],
)
def test_a_shape_is_recognized_by_its_columns(table: Columns, shape: str) -> None:
    responses = read(table)
    assert responses.shape.name == shape
    assert f"taken as {shape}" in responses.took[0]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            {**{k: v for k, v in VOTES.items() if k != "system_b"}, "system-b": ["old", "old"]},
            "votes need the column 'system_b' (did you mean 'system-b'?)",
        ),
        (
            {"item": [1], "rater": ["r"], "system": ["s"], "scores": [3]},
            "none of the table shapes; as ratings it may be read by --map score=scores",
        ),
        ({"question": ["x"]}, "the columns question fit none of the table shapes"),
        ({"item": [1], "rank": [1]}, "rankings need the columns 'rater', 'system'"),
        ({"frage": [1], "score": [1]}, "has frage, score; say which is meant by --map item=…"),
    ],
)
def test_a_missing_column_is_named_with_its_nearest_spelling(table: Columns, said: str) -> None:
    import pandas as pd

    with pytest.raises(InputError) as caught:
        read(pd.DataFrame(table))
    assert said in str(caught.value)


def test_an_unknown_winner_lists_the_values() -> None:
    with pytest.raises(InputError) as caught:
        read({**VOTES, "winner": ["left", "model_b"]})
    assert str(caught.value) == (
        "the table, row 1: winner must be one of a, b, tie, both_bad; got 'left', 'model_b'; "
        "say what each means by --values winner:left=a,model_b=b"
    )


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({**VOTES, "first": ["a", "left"]}, "first must be one of a, b; got 'left'"),
        (
            {**RATINGS, "score": [1, "good"]},
            "row 2: the scores of 'overall' must all be numbers or",
        ),
        ({**RATINGS, "score": [1, float("inf")]}, "row 2: the scores of 'overall' must all be"),
        ({**RATINGS, "status": ["answered", "done"]}, "status must be one of answered, skipped"),
        ({**RATINGS, "rater": ["ada", None]}, "1 row has no rater (the first is row 2)"),
        ({**RATINGS, "system": [None, None]}, "2 rows have no system (the first is row 1)"),
        ({**RATINGS, "score": [None, float("nan")]}, "no row has a score"),
        ({**RATINGS, "round": ["pilot", "calibration"]}, "rounds are analyzed apart"),
        (
            {"item": [1], "rater": ["r"], "system": ["s"], "rank": ["first"]},
            "row 1: rank must be a number, 1 for the best; got 'first'",
        ),
        (
            {"item": [1], "rater": ["r"], "truth": ["photo"], "answer": ["real"]},
            "truth must be one of real, generated; got 'photo'",
        ),
    ],
)
def test_what_is_wrong_is_said(table: Columns, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read(table)
    assert said in str(caught.value)


def test_two_answers_of_a_rater_to_one_question_are_refused() -> None:
    twice = {**VOTES, "item": ["q1", "q1"]}
    with pytest.raises(InputError, match=r"rater ada answered 'preference' on q1 more than once"):
        read(twice)
    # The two systems may be named in either order.
    turned = {**twice, "system_a": ["new", "old"], "system_b": ["old", "new"]}
    with pytest.raises(InputError, match=r"rows 1 and 2; 1 such case\)"):
        read(turned)
    # Different trials are a planned repeat.
    assert read({**twice, "trial": ["t1", "t2"]}).count() == (2, 1, 1)
    # Two criteria are two questions.
    assert read({**twice, "criterion": ["x", "y"]}).criteria == ("x", "y")


def test_a_judge_may_answer_once_per_order() -> None:
    table = {
        **VOTES,
        "item": ["q1", "q1"],
        "rater_kind": ["judge", "judge"],
        "first": ["a", "b"],
    }
    assert read(table).count()[0] == 2
    with pytest.raises(InputError, match="more than once"):
        read({**table, "rater_kind": ["person", "person"]})


def test_only_answered_rows_count_and_skips_are_counted_by_system() -> None:
    table = {
        "item": list("abcdef"),
        "system": ["x", "x", "y", "y", "y", "y"],
        "rater": ["r"] * 6,
        "score": [1, None, None, 2, 3, 4],
        "status": ["answered", "skipped", "unusable", "superseded", "late", "answered"],
    }
    responses = read(table)
    assert responses.count()[0] == 2
    assert responses.skipped == (
        Skipped(system="x", status="skipped", n=1),
        Skipped(system="y", status="unusable", n=1),
    )


def test_excluded_rows_are_left_out_and_withdrawn_ones_always() -> None:
    table = {**RATINGS, "item": [1, 2], "excluded_by": ["gold_below", "withdrawn"]}
    more = {name: [*values, values[0]] for name, values in table.items()}
    more["item"], more["excluded_by"] = [1, 2, 3], ["gold_below", "withdrawn", None]
    assert read(more).count()[0] == 1
    assert read(more, keep_excluded=True).count()[0] == 2


def test_rounds_and_judges_are_kept_apart() -> None:
    table = {
        "item": list("abc"),
        "system": ["x"] * 3,
        "rater": ["r", "r", "gpt"],
        "rater_kind": ["person", "person", "judge"],
        "round": ["main", "pilot", "main"],
        "score": [1, 2, 3],
    }
    responses = read(table)
    assert responses.query("SELECT item FROM {r}") == [("a",)]
    assert "1 row of other rounds (pilot) left out" in responses.took
    assert "1 row of judges left out of people's figures" in responses.took
    assert read(table, judges=True).query("SELECT item FROM {r}") == [("c",)]


def test_missing_scores_are_dropped_and_counted() -> None:
    responses = read({**RATINGS, "score": [1, None]})
    assert responses.n_dropped == 1
    assert "1 row without a score left out" in responses.took


def test_quotes_in_names_are_only_names() -> None:
    table = {**RATINGS, "rater": ["o'hara", "o'hara"], "criterion": ["it's", "it's"]}
    responses = read(table)
    assert responses.of_criterion("it's").count()[0] == 2
    assert responses.without(["o'hara"]).count()[0] == 0
    assert responses.of_system("x' OR 'a'='a").count()[0] == 0
