"""Names become numbers of a dictionary, and come back as the names they were."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from jurybox.errors import InputError
from jurybox.tally import patterns, ratios, vote_rows, votes
from jurybox.tally.reading import read

Columns = dict[str, list[Any]]


def many_votes(n: int = 200) -> Columns:
    draw = random.Random(3)
    # Prefixes of each other, so that the order of names is put to the test.
    names = ("new", "new-2", "new10", "old")
    rows = [
        (
            f"i{draw.randrange(9)}",
            *draw.sample(names, 2),
            f"r{draw.randrange(6)}",
            draw.choice(["a", "b", "tie", "both_bad"]),
            f"t{k}",
        )
        for k in range(n)
    ]
    columns = "item system_a system_b rater winner trial".split()
    return dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))


def many_ratings(values: int) -> Columns:
    draw = random.Random(5)
    rows = [
        (f"i{i}", s, f"r{r}", draw.randrange(values) / 2)
        for i in range(12)
        for s in ("x", "y")
        for r in range(7)
        if draw.random() < 0.6
    ]
    columns = ("item", "system", "rater", "score")
    return dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))


def test_names_are_trimmed_and_those_that_are_then_equal_are_one() -> None:
    table = {
        "item": [" q1", "q2 ", "q1"],
        "system": ["new", " new ", "old"],
        "rater": ["ada"] * 3,
        "score": [1, 2, 3],
    }
    responses = read(table)
    assert responses.systems == ("new", "old")
    assert responses.count() == (3, 1, 2)
    assert responses.of_system("new").query("SELECT item FROM {r} ORDER BY rid") == [
        ("q1",),
        ("q2",),
    ]


def test_an_empty_name_is_a_missing_one() -> None:
    table = {"item": ["q1", "  "], "system": ["s", "s"], "rater": ["a", "a"], "score": [1, 2]}
    with pytest.raises(InputError, match=r"1 row has no item \(the first is row 2\)"):
        read(table)


def test_answers_are_read_in_any_case() -> None:
    table = {
        "item": [1, 2],
        "system_a": ["x", "x"],
        "system_b": ["y", "y"],
        "rater": [7, 7],
        "winner": [" A", "Tie"],
    }
    assert read(table).query("SELECT winner FROM {r} ORDER BY rid") == [("a",), ("tie",)]


@pytest.mark.parametrize("kind", ["int64", "int8", "float64", "float32", "object"])
def test_scores_of_any_type_are_the_same_numbers(kind: str) -> None:
    frame = pd.DataFrame(
        {"item": [1, 2, 3], "system": "s", "rater": "r", "score": pd.Series([1, 2, 3], dtype=kind)}
    )
    responses = read(frame)
    assert responses.query("SELECT score FROM {r} ORDER BY rid") == [(1.0,), (2.0,), (3.0,)]
    assert responses.systems == ("s",)


def test_a_word_is_what_was_written() -> None:
    frame = pd.DataFrame({"item": [1, 2], "rater": "r", "score": [4, 5]})
    assert read(frame).query("SELECT word FROM {r} ORDER BY rid") == [("4",), ("5",)]
    # A score of 0.1 in single precision is still 0.1.
    short = pd.DataFrame({"item": [1], "rater": "r", "score": np.array([0.1], dtype="float32")})
    assert read(short).query("SELECT score FROM {r}") == [(0.1,)]


def test_a_score_that_is_no_number_is_missing_in_every_type() -> None:
    frame = pd.DataFrame({"item": [1, 2], "rater": "r", "score": [float("nan"), 5.0]})
    responses = read(frame)
    assert responses.n_dropped == 1
    assert responses.count()[0] == 1


def test_a_cell_without_a_criterion_has_the_shapes_own() -> None:
    table = {"item": [1, 2], "rater": ["r", "r"], "score": [1, 2], "criterion": ["taste", None]}
    assert read(table).criteria == ("taste", "overall")


def test_systems_of_one_dictionary_are_ordered_by_name() -> None:
    found = votes.vote_cells(read(many_votes()))
    assert found.systems == ("new", "new-2", "new10", "old")
    rows = ratios.reduce(read(many_votes()), vote_rows.pair_rows())
    names = ratios.between(read(many_votes()), rows.names)
    assert names == [(one, two) for one in found.systems for two in found.systems if one < two]


def test_only_the_clusters_asked_for_are_added_up() -> None:
    found = votes.vote_cells(read(many_votes()))
    assert list(found.clustered(())) == []
    (block,) = found.clustered(("item", "rater"))
    assert list(block) == ["item", "rater"]
    rows = ratios.mean_of("score")
    ratings = read(many_ratings(5))
    assert list(ratios.reduce(ratings, rows, cells=False).by) == ["item", "rater"]
    assert list(ratios.reduce(ratings, rows, single=True).by) == ["item", "rater", "cell", "row"]


@pytest.mark.parametrize("values", [2, 5, 40])
def test_patterns_are_the_same_as_numbers_and_as_lists(
    values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = many_ratings(values)
    made = patterns.answer_patterns(read(table))
    monkeypatch.setattr(patterns, "BITS", 0)
    lists = patterns.answer_patterns(read(table))
    assert made.values == lists.values
    for name in ("patterns", "signature", "items", "raters", "cells"):
        assert (getattr(made, name) == getattr(lists, name)).all()


def test_the_first_of_repeated_answers_counts_and_is_looked_for_only_where_there_may_be_some() -> (
    None
):
    table = many_ratings(4)
    assert read(table).once
    n = len(table["item"])
    again = {name: [*values, *values] for name, values in table.items()}
    again["trial"] = [f"t{k}" for k in range(2 * n)]
    again["score"] = [*table["score"], *(99.0 for _ in range(n))]
    repeated = read(again)
    assert not repeated.once
    one, two = patterns.answer_patterns(read(table)), patterns.answer_patterns(repeated)
    assert one.values == two.values
    assert (one.patterns == two.patterns).all()
    assert (one.raters == two.raters).all()
