"""Derived criteria are computed per response, and partly missing is missing."""

from __future__ import annotations

import pytest

from jurybox.errors import InputError
from jurybox.tally.derived import Rule, add_derived
from jurybox.tally.reading import read
from jurybox.tally.responses import Responses


@pytest.fixture
def responses() -> Responses:
    # ada: SC 1, PR 0.25 of output 1; SC 2 of output 2, PR missing. ben: 0 and 2.
    return read(
        {
            "item": [1, 1, 2, 1, 1],
            "system": ["x"] * 5,
            "rater": ["ada", "ada", "ada", "ben", "ben"],
            "criterion": ["SC", "PR", "SC", "SC", "PR"],
            "score": [1, 0.25, 2, 0, 2],
        }
    )


def test_the_geometric_mean_of_one_rater_and_output(responses: Responses) -> None:
    made = add_derived(responses, "overall", "geometric_mean", {"SC": 1, "PR": 1})
    assert made == (2, 1)
    rows = responses.of_criterion("overall").query("SELECT rater, score FROM {r} ORDER BY rater")
    # √(1 · 0.25) = 0.5; √(0 · 2) = 0.
    assert rows == [("ada", 0.5), ("ben", 0.0)]
    assert responses.criteria == ("SC", "PR", "overall")


def test_the_weighted_mean(responses: Responses) -> None:
    add_derived(responses, "overall", "weighted_mean", {"SC": 3, "PR": 1})
    rows = responses.of_criterion("overall").query("SELECT score FROM {r} ORDER BY rater")
    # (3 · 1 + 0.25)/4 = 0.8125; (0 + 2)/4 = 0.5.
    assert rows == [(0.8125,), (0.5,)]


def test_the_plain_mean(responses: Responses) -> None:
    add_derived(responses, "overall", "mean", {"SC": 1, "PR": 1})
    rows = responses.of_criterion("overall").query("SELECT score FROM {r} ORDER BY rater")
    assert rows == [(0.625,), (1.0,)]


@pytest.mark.parametrize("rule", ["mean", "geometric_mean"])
def test_the_same_parts_in_another_order_are_equal(rule: Rule) -> None:
    # (0.9 + 0.6 + 0.7)/3 and (0.7 + 0.6 + 0.9)/3 differ in the last bit as they are added up.
    parts = {"p": (0.9, 0.7), "q": (0.6, 0.6), "s": (0.7, 0.9)}
    both = read(
        {
            "item": [1] * 6,
            "system": ["a", "b"] * 3,
            "rater": ["ada"] * 6,
            "criterion": [part for part in parts for _ in "ab"],
            "score": [score for scores in parts.values() for score in scores],
        }
    )
    add_derived(both, "all", rule, dict.fromkeys(parts, 1.0))
    (one,), (two,) = both.of_criterion("all").query("SELECT score FROM {r} ORDER BY system")
    assert one == two
    assert one == pytest.approx(2.2 / 3 if rule == "mean" else (0.9 * 0.6 * 0.7) ** (1 / 3))


def test_a_geometric_mean_of_negative_scores_is_refused() -> None:
    responses = read({"item": [1], "system": ["x"], "rater": ["r"], "score": [-1]})
    with pytest.raises(InputError, match="needs scores from 0 up; got -1"):
        add_derived(responses, "g", "geometric_mean", {"overall": 1})


def test_scores_that_nobody_can_put_together_are_refused() -> None:
    # Two responses to one output, without raters: SC 1 with PR 4, SC 4 with PR 1. Both have the
    # geometric mean 2; that of all four scores taken for one response would be 4.
    responses = read(
        {
            "item": [1] * 4,
            "system": ["x"] * 4,
            "criterion": ["SC", "PR"] * 2,
            "score": [1, 4, 4, 1],
        }
    )
    with pytest.raises(InputError, match="x on 1 has several scores of one criterion"):
        add_derived(responses, "overall", "geometric_mean", {"SC": 1, "PR": 1})


def test_what_is_derived_belongs_to_the_same_group_and_category() -> None:
    responses = read(
        {
            "item": [1, 1, 1, 1],
            "system": ["x"] * 4,
            "rater": ["ada", "ada", "ben", "ben"],
            "criterion": ["SC", "PR"] * 2,
            "score": [1, 2, 0, 2],
            "group": ["expert", "expert", "crowd", "crowd"],
            "category": ["tree"] * 4,
        }
    )
    add_derived(responses, "overall", "mean", {"SC": 1, "PR": 1})
    rows = responses.of_criterion("overall").query(
        "SELECT rater, rater_group, item_category FROM {r} ORDER BY rater"
    )
    assert rows == [("ada", "expert", "tree"), ("ben", "crowd", "tree")]
