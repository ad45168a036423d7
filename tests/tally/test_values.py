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
