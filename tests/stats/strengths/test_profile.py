"""Bounds of systems that were never beaten, or never won."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jurybox.stats.clusters import ALL_RATERS, THIS_RATER
from jurybox.stats.strengths.bradley_terry import bradley_terry
from jurybox.stats.strengths.vote_fit import Settings
from jurybox.stats.strengths.vote_table import VoteTable, vote_table


def with_unbeaten(wins: int, even: int = 5000) -> VoteTable:
    """y and z beat each other equally often; x beat both of them ``wins`` times."""
    a = [1] * (2 * even) + [0] * (2 * wins)
    b = [2] * (2 * even) + [1, 2] * wins
    winner = [0, 1] * even + [0] * (2 * wins)
    return vote_table("xyz", a, b, winner)


def test_the_bound_by_hand() -> None:
    # The others' strengths are 0 and known nearly exactly, so θ is at least where six wins in a
    # row have the probability 5%: σ(θ)⁶ = 0.05.
    found = bradley_terry(with_unbeaten(3), Settings(ties="drop"))
    row = found.rows[0]
    p = 0.05 ** (1 / 6)
    assert (row.name, row.estimate, row.n_responses) == ("x", None, 6)
    assert row.interval is not None
    assert row.interval.low == pytest.approx(math.log(p / (1 - p)), abs=1e-3)
    assert row.interval.high == math.inf
    assert row.interval.method == "one-sided profile likelihood, votes taken as independent"
    assert "strengths are centered among y, z" in found.notes
    assert found.cores == (("y", "z"),)


def test_the_mirror_image_never_wins() -> None:
    votes = with_unbeaten(3)
    turned = vote_table("xyz", votes.b[votes.cell], votes.a[votes.cell], votes.winner[votes.cell])
    up = bradley_terry(votes, Settings(ties="drop")).rows[0].interval
    down = bradley_terry(turned, Settings(ties="drop")).rows[-1]
    assert down.name == "x"
    assert up is not None
    assert down.interval is not None
    assert down.interval.low == -math.inf
    assert down.interval.high == pytest.approx(-up.low, abs=1e-6)


def test_each_cluster_of_the_smaller_dimension_counts_as_one_vote() -> None:
    # 200 wins over y and z from 4 raters: as if 4 votes, σ(θ)⁴ = 0.05.
    rater = np.arange(10_000) % 50
    base = with_unbeaten(100)
    a, b, winner = (part[base.cell] for part in (base.a, base.b, base.winner))
    own = np.where(a == 0, np.arange(len(a)) % 4, np.resize(rater, len(a)))
    votes = vote_table("xyz", a, b, winner, rater=own, item=np.arange(len(a)))
    row = bradley_terry(votes, Settings(ties="drop")).rows[0]
    p = 0.05 ** (1 / 4)
    assert row.interval is not None
    assert row.interval.low == pytest.approx(math.log(p / (1 - p)), abs=0.02)
    assert row.interval.method.endswith("each of 4 raters counting as one vote")
    assert row.interval.generalizes_to == ALL_RATERS


def test_one_rater_leaves_the_items() -> None:
    base = with_unbeaten(10, even=50)
    votes = vote_table(
        "xyz",
        *(part[base.cell] for part in (base.a, base.b, base.winner)),
        rater=np.zeros(len(base.cell)),
        item=np.arange(len(base.cell)),
    )
    row = bradley_terry(votes).rows[0]
    assert row.interval is not None
    assert row.interval.generalizes_to == THIS_RATER


def test_a_chain_above_the_core_has_no_bound_of_its_own() -> None:
    # w beat only x, which beat the core: nothing places w at a distance from y and z.
    a = [1] * 10 + [0] * 4 + [3]
    b = [2] * 10 + [1] * 4 + [0]
    found = bradley_terry(vote_table("xyzw", a, b, [0, 1] * 5 + [0] * 5))
    assert found["w"].interval is None
    assert found["x"].interval is not None


def misses(p: float, studies: int, seed: int) -> tuple[float, float]:
    """How often the bound lies above the true strength: clustered, and with votes independent.

    Ten raters of one mind each: with probability p a rater prefers x in all 12 votes, else never.
    """
    rng = np.random.default_rng(seed)
    truth = math.log(p / (1 - p))
    a = np.concatenate([np.zeros(120, int), np.ones(400, int)])
    b = np.concatenate([np.tile([1, 2], 60), np.full(400, 2)])
    rater = np.concatenate([np.repeat(np.arange(10), 12), np.arange(400) % 10])
    found = []
    for _ in range(studies):
        likes = rng.random(10) < p
        if not likes.all():
            found.append((False, False))
            continue
        winner = np.concatenate([np.zeros(120, int), np.tile([0, 1], 200)])
        votes = vote_table("xyz", a, b, winner, rater=rater, item=np.arange(520))
        both, alone = (bradley_terry(votes, cluster=c).rows[0].interval for c in ("both", None))
        assert both is not None
        assert alone is not None
        found.append((both.low > truth, alone.low > truth))
    clustered, plain = np.mean(found, axis=0)
    return float(clustered), float(plain)


def test_the_bound_covers_where_votes_of_a_rater_are_alike() -> None:
    # P(x is never beaten) = p¹⁰. The bound of ten votes is p = 0.05^0.1 = 0.741: above it there is
    # no miss, below it there are p¹⁰ ≤ 5%. With 120 votes taken as independent there are p¹⁰.
    clustered, plain = misses(0.9, 60, 1)
    assert clustered == 0
    assert plain > 0.2
    clustered, _ = misses(0.73, 400, 2)
    assert clustered <= 0.08
