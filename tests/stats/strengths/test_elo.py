"""Elo ratings: in the order of the file as evalica has them, and the median over shuffles."""

from __future__ import annotations

import numpy as np
import pytest

from jurybox.analysis.api import elo
from jurybox.errors import InputError
from jurybox.results import ResultTable
from jurybox.stats.strengths import elo as ratings
from jurybox.stats.strengths.elo import elo_in_order
from jurybox.stats.strengths.vote_table import vote_table
from tests import reference


@pytest.mark.parametrize("name", ["food", "simple"])
def test_in_the_order_of_the_file_as_evalica_has_it(name: str) -> None:
    rows = reference.rows_of(f"evalica_toy/data/{name}.csv")
    systems = sorted({row[side] for row in rows for side in ("left", "right")})
    outcomes = {"left": 0, "right": 1, "tie": 2}
    votes = [
        (systems.index(row["left"]), systems.index(row["right"]), outcomes[row["winner"]])
        for row in rows
    ]
    found = dict(zip(systems, elo_in_order(votes, len(systems)), strict=True))
    for system, value in reference.evalica_golden(name, "elo").items():
        assert found[system] == pytest.approx(value, abs=1e-8)


def test_one_vote_by_hand() -> None:
    # Equals expect ½: the winner gains k/2. A tie of equals changes nothing.
    assert elo_in_order([(0, 1, 0)], 2, k=32) == [1016, 984]
    assert elo_in_order([(0, 1, 2)], 2, k=32) == [1000, 1000]
    # Then b expects 1/(1 + 10^(32/400)) = 0.45408…, and gains 32 times the rest by winning.
    expected = 1 / (1 + 10 ** (32 / 400))
    assert elo_in_order([(0, 1, 0), (0, 1, 1)], 2, k=32)[1] == pytest.approx(
        984 + 32 * (1 - expected)
    )


def test_the_median_lies_between_shuffles_and_sums_to_the_start() -> None:
    rng = np.random.default_rng(1)
    a = rng.integers(0, 3, 200)
    b = (a + rng.integers(1, 3, 200)) % 3
    votes = vote_table("xyz", a, b, rng.integers(0, 3, 200))
    found = ratings.elo(votes, n_shuffles=25)
    plain = []
    for seed in range(200):
        order = np.random.default_rng(seed).permutation(200)
        rows = np.column_stack([a, b, votes.winner[votes.cell]])[order]
        plain.append(elo_in_order(rows.tolist(), 3))
    for k, system in enumerate("xyz"):
        assert found[system].estimate == pytest.approx(np.median(plain, axis=0)[k], abs=1.5)
    assert found["x"].interval is None
    assert "for continuity only" in found.notes[0]
    assert found == ratings.elo(votes, n_shuffles=25)
    assert ResultTable.from_dict(found.to_dict()) == found


def test_many_votes_are_not_all_replayed() -> None:
    votes = vote_table("xy", [0, 0], [1, 1], [0, 1], count=[60_000, 40_000])
    found = ratings.elo(votes, n_shuffles=30)
    # In the long run the rating hovers where it expects 60%: 400 · log10(1.5) = 70.4 apart.
    assert found["x"].estimate - found["y"].estimate == pytest.approx(70.4, abs=12)
    assert "takes 1,738 of the 100,000 votes at random" in found.notes[1]


def test_what_cannot_be_rated_says_so() -> None:
    found = elo({"system_a": ["x"], "system_b": ["x"], "winner": ["a"]})
    assert (found.rows, found.undefined) == ((), "there are no votes")
    with pytest.raises(InputError, match="k must be larger than 0; got 0"):
        elo({"system_a": ["x"], "system_b": ["y"], "winner": ["a"]}, k=0)
    with pytest.raises(InputError, match="base must be larger than 1"):
        elo({"system_a": ["x"], "system_b": ["y"], "winner": ["a"]}, base=1)
