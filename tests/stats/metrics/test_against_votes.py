"""Metrics against votes: by hand, by another implementation, and what has no number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

import jurybox as jb
from jurybox.stats.metrics.against_votes import (
    NEVER_MET,
    NO_STRENGTHS,
    against_votes,
    fitted_strengths,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Votes:
    systems: tuple[str, ...]
    pairs: NDArray[np.int64]
    wins: Array
    count: Array
    n_raters: int | None = None


def _votes(n: int, wins: Array, count: Array) -> Votes:
    pairs = np.array([(i, j) for i in range(n) for j in range(i + 1, n)])
    return Votes(tuple("abcdefghij"[:n]), pairs, wins, count)


def _by_statistic(votes: Votes, metric: Array, **options: Any) -> dict[str, Any]:
    rows = against_votes(votes, {"m": metric}, seed=0, n_resamples=50, **options)
    return {row.statistic: row for row in rows}


def test_pairs_right_by_hand() -> None:
    # Pairs ab, ac, bc on two items. a beats b 3:1, a and c are level at 2:2, c beats b 2:0.
    wins = np.array([[2.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    count = np.array([[2.0, 2.0, 1.0], [2.0, 2.0, 1.0]])
    # Means 3, 1, 2: right on ab and on bc; c is not level with a. 2 of 3.
    found = _by_statistic(_votes(3, wins, count), np.array([[3.0, 1.0, 2.0]] * 2))
    assert set(found) == {"pairwise_accuracy", "soft_pairwise_accuracy"}
    row = found["pairwise_accuracy"]
    assert row.estimate == pytest.approx(2 / 3)
    assert (row.n_systems, row.n_items, row.n_responses) == (3, 2, 10)
    # Level with c: 3 of 3.
    assert _by_statistic(_votes(3, wins, count), np.array([[2.0, 1.0, 2.0]] * 2))[
        "pairwise_accuracy"
    ].estimate == pytest.approx(1.0)


def test_soft_accuracy_by_hand() -> None:
    # Pair ab on two items: people +2 and 0, so z = 2/√4 = 1; the metric +1 and +1, z = 2/√2 = √2.
    votes = _votes(2, np.array([[2.0], [1.0]]), np.array([[2.0], [2.0]]))
    found = _by_statistic(votes, np.array([[2.0, 1.0], [1.0, 0.0]]))
    distance = abs(stats.norm.sf(1.0) - stats.norm.sf(2**0.5))
    assert found["soft_pairwise_accuracy"].estimate == pytest.approx(1 - distance)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_strengths_are_those_of_the_fit_by_newton(seed: int) -> None:
    rng = np.random.default_rng(seed)
    wins = rng.integers(1, 9, (4, 4)).astype(float)
    np.fill_diagonal(wins, 0.0)
    table: dict[str, list[str]] = {"system_a": [], "system_b": [], "winner": []}
    for i in range(4):
        for j in range(4):
            table["system_a"] += ["abcd"[i]] * int(wins[i, j])
            table["system_b"] += ["abcd"[j]] * int(wins[i, j])
            table["winner"] += ["a"] * int(wins[i, j])
    known = {row.system: row.estimate for row in jb.bradley_terry(table).rows}
    (made,) = fitted_strengths(wins[None])
    assert made == pytest.approx([known[name] for name in "abcd"], abs=1e-6)


def test_correlations_are_with_the_strengths() -> None:
    rng = np.random.default_rng(3)
    count = np.full((40, 10), 2.0)
    metric = rng.normal(size=(40, 5)) - np.arange(5)
    odds = np.array([(j - i) / 2 for i in range(5) for j in range(i + 1, 5)])
    wins = rng.binomial(2, 1 / (1 + np.exp(-odds)), (40, 10)).astype(float)
    votes = _votes(5, wins, count)
    found = _by_statistic(votes, metric)
    whole = np.zeros((1, 5, 5))
    whole[0, votes.pairs[:, 0], votes.pairs[:, 1]] = wins.sum(axis=0)
    whole[0, votes.pairs[:, 1], votes.pairs[:, 0]] = (count - wins).sum(axis=0)
    (strengths,) = fitted_strengths(whole)
    means = metric.mean(axis=0)
    assert found["pearson"].estimate == pytest.approx(stats.pearsonr(means, strengths)[0])
    assert found["spearman"].estimate == pytest.approx(stats.spearmanr(means, strengths)[0])
    assert found["kendall"].estimate == pytest.approx(stats.kendalltau(means, strengths)[0])
    ends = found["pearson"].interval
    assert ends.low <= found["pearson"].estimate <= ends.high
    assert ends.generalizes_to == "items like these, judged by these raters, for these systems"


def test_from_ten_systems_on_an_interval_speaks_for_others() -> None:
    rng = np.random.default_rng(4)
    count = np.full((30, 45), 2.0)
    metric = rng.normal(size=(30, 10)) - np.arange(10) / 3
    odds = np.array([(j - i) / 4 for i in range(10) for j in range(i + 1, 10)])
    wins = rng.binomial(2, 1 / (1 + np.exp(-odds)), (30, 45)).astype(float)
    for row in _by_statistic(_votes(10, wins, count), metric).values():
        wide = row.other_systems
        assert wide is not None
        assert wide.generalizes_to.endswith("and systems like these")
        assert wide.low <= row.estimate <= wide.high


def test_a_system_that_always_wins_leaves_only_the_pairs() -> None:
    count = np.full((6, 10), 2.0)
    wins = np.ones((6, 10))
    wins[:, :4] = 2.0  # a wins against all others
    found = _by_statistic(_votes(5, wins, count), np.arange(30.0).reshape(6, 5))
    assert found["spearman"].estimate is None
    assert found["spearman"].undefined == NO_STRENGTHS
    assert found["pairwise_accuracy"].estimate == 0.0


def test_a_metric_of_whole_sets_has_no_soft_accuracy() -> None:
    votes = _votes(2, np.array([[2.0], [1.0]]), np.array([[2.0], [2.0]]))
    assert set(_by_statistic(votes, np.array([[1.0, 0.0]] * 2), whole=True)) == {
        "pairwise_accuracy"
    }


def test_systems_that_never_met_have_no_number() -> None:
    votes = _votes(2, np.zeros((1, 1)), np.zeros((1, 1)))
    for row in _by_statistic(votes, np.array([[1.0, 0.0]])).values():
        assert (row.estimate, row.undefined) == (None, NEVER_MET)


def test_outputs_that_nobody_compared_count_nowhere() -> None:
    # On the second item only b and c were compared; a's value there would turn its mean round.
    wins = np.array([[2.0, 2.0, 1.0], [0.0, 0.0, 0.0]])
    count = np.array([[2.0, 2.0, 1.0], [0.0, 0.0, 1.0]])
    metric = np.array([[3.0, 2.0, 1.0], [-99.0, 2.0, 1.0]])
    row = _by_statistic(_votes(3, wins, count), metric)["pairwise_accuracy"]
    assert row.estimate == pytest.approx(2 / 3)  # ab and ac; bc is level at 1:1
