"""Values that no response can have are refused by row."""

from __future__ import annotations

import pytest

import jurybox as jb
from jurybox.errors import InputError


@pytest.mark.parametrize("rank", [0, -1])
def test_a_rank_below_one_is_refused(rank: int) -> None:
    table = {"item": ["q", "q"], "rater": ["r", "r"], "system": ["a", "b"], "rank": [1, rank]}
    with pytest.raises(InputError, match="row 2: rank must be a number, 1 for the best"):
        jb.plackett_luce(table)


def test_a_kind_of_rater_that_is_not_known_does_not_count_among_people() -> None:
    table = {
        "item": ["q"] * 3,
        "system": ["s"] * 3,
        "rater": ["ada", "ben", "gpt"],
        "rater_kind": ["Person", None, "LLM"],
        "score": [1, 2, 5],
    }
    said = "row 3: rater_kind must be one of person, judge; got 'llm'; .*rater_kind:llm=judge"
    with pytest.raises(InputError, match=said):
        jb.mean_scores(table)
    judged = jb.mapped(table, values={"rater_kind": {"LLM": "judge", "Person": "person"}})
    assert jb.mean_scores(judged)["s"].estimate == 1.5


def test_a_score_beyond_all_scales_is_refused() -> None:
    table = {
        "item": ["q1", "q2"],
        "system": ["a", "a"],
        "rater": ["r", "s"],
        "criterion": ["c", "c"],
        "score": [1.0, 1e308],
    }
    with pytest.raises(InputError, match="row 2: a score must lie between"):
        jb.mean_scores(table)
