"""Sums of scores by cluster: every way of adding them up gives the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jurybox.stats.strengths import vote_clusters
from jurybox.stats.strengths.bradley_terry import bradley_terry
from jurybox.stats.strengths.vote_clusters import add_up, clusters_of, scores_of
from jurybox.stats.strengths.vote_fit import CoreFit, Settings, fit_core
from jurybox.stats.strengths.vote_table import VoteTable, vote_table

KINDS = ("item", "rater", "cell")


def simulated(n: int = 900, seed: int = 1, **more: Any) -> VoteTable:
    rng = np.random.default_rng(seed)
    beta = np.array([0.6, 0.2, -0.2, -0.6])
    a = rng.integers(0, 4, n)
    b = (a + rng.integers(1, 4, n)) % 4
    first = rng.choice([-1, 1], n)
    item, rater = rng.integers(0, 40, n), rng.integers(0, 12, n)
    taste = rng.normal(0, 0.5, (12, 4))
    gap = beta[a] - beta[b] + taste[rater, a] - taste[rater, b] + 0.4 * first
    won = rng.random(n) < 1 / (1 + np.exp(-gap))
    winner = np.where(rng.random(n) < 0.2, 2, np.where(won, 0, 1))
    return vote_table("wxyz", a, b, winner, item=item, rater=rater, first=first, **more)


def fitted(votes: VoteTable, settings: Settings) -> CoreFit:
    fit = fit_core(votes, (0, 1, 2, 3), settings)
    assert isinstance(fit, CoreFit)
    return fit


def plain(votes: VoteTable, fit: CoreFit, kind: str) -> np.ndarray[Any, Any]:
    """Σ_g s_g s_g′ from single votes, one at a time."""
    scores = scores_of(fit)
    sums: dict[int, Any] = {}
    for cluster, cell in zip(votes.clusters[kind], votes.cell, strict=True):
        own = np.zeros(scores.parameters)
        own[scores.a[cell]] += scores.along[cell]
        own[scores.b[cell]] -= scores.along[cell]
        own[scores.size :] = scores.fixed[cell]
        sums[int(cluster)] = sums.get(int(cluster), 0) + own
    return np.asarray(sum(np.outer(s, s) for s in sums.values()))


@pytest.mark.parametrize("ties", ["davidson", "rao_kupper", "half", "drop"])
@pytest.mark.parametrize("way", ["dense", "pairs", "blocks"])
def test_every_way_of_adding_up_agrees_with_single_votes(
    ties: Any, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way != "dense":
        monkeypatch.setattr(vote_clusters, "DENSE", 0)
        monkeypatch.setattr(vote_clusters, "CLOSE", 1e9 if way == "pairs" else 0)
        monkeypatch.setattr(vote_clusters, "CHUNK", 5)
        monkeypatch.setattr(vote_clusters, "SLICE", 7)
    votes = simulated()
    fit = fitted(votes, Settings(ties=ties, position=True))
    project = np.random.default_rng(2).normal(size=(len(votes.count), 2))
    project[fit.votes.row < 0] = 0
    (found,) = add_up(votes, [scores_of(fit)], KINDS, projections=[project])
    used = fit.votes.row[votes.cell] >= 0
    for kind in KINDS:
        assert found[kind].meat == pytest.approx(plain(votes, fit, kind), abs=1e-9)
        cluster = votes.clusters[kind]
        assert found[kind].clusters == len(set(cluster[used].tolist()))
        for c in range(2):
            sums = np.bincount(cluster, project[votes.cell, c])
            assert found[kind].squares[c] == pytest.approx(float(sums @ sums))


class Alone(VoteTable):
    """Votes of which it is known that a rater has one on an item."""

    @property
    def alone(self) -> bool:
        return True


@pytest.mark.parametrize("ties", ["davidson", "drop"])
def test_votes_that_are_known_to_be_alone_are_not_looked_at(ties: Any) -> None:
    votes = simulated()
    _, where = np.unique(votes.clusters["cell"], return_index=True)
    cell = votes.cell[where]
    count = np.bincount(cell, minlength=len(votes.count)).astype(float)
    clusters = {kind: part[where] for kind, part in votes.clusters.items()}
    parts = {name: getattr(votes, name) for name in VoteTable.__slots__}
    parts |= {"cell": cell, "count": count, "clusters": clusters}
    plainly, known = VoteTable(**parts), Alone(**parts)
    scores = [scores_of(fitted(plainly, Settings(ties=ties)))]
    project = np.where(scores[0].inside[:, None], np.random.default_rng(2).normal(size=(1, 2)), 0)
    (one,) = add_up(plainly, scores, KINDS, projections=[project])
    (two,) = add_up(known, scores, KINDS, projections=[project])
    for kind in KINDS:
        assert two[kind].clusters == one[kind].clusters
        assert two[kind].meat == pytest.approx(one[kind].meat, abs=1e-12)
        assert two[kind].squares == pytest.approx(one[kind].squares)


def test_a_kind_that_is_only_counted_is_not_added_up() -> None:
    votes = simulated()
    fit = fitted(votes, Settings())
    (found,) = add_up(votes, [scores_of(fit)], ("rater",), only_count=("item",))
    assert (found["item"].clusters, found["rater"].clusters) == (40, 12)
    assert not found["item"].meat.any()
    result = bradley_terry(votes, cluster="rater")
    assert (result.rows[0].n_items, result.rows[0].n_raters) == (40, 12)


def test_the_numbers_of_very_many_clusters_are_made_smaller() -> None:
    votes = simulated(200)
    fit = fitted(votes, Settings())
    far = {kind: numbers + 2**55 for kind, numbers in votes.clusters.items()}
    distant = VoteTable(**{n: getattr(votes, n) for n in votes.__slots__ if n != "clusters"},
                        clusters=far)  # fmt: skip
    (near,) = add_up(votes, [scores_of(fit)], KINDS)
    (found,) = add_up(distant, [scores_of(fit)], KINDS)
    for kind in KINDS:
        assert found[kind].meat == pytest.approx(near[kind].meat)
        assert found[kind].clusters == near[kind].clusters


def test_clusters_with_a_marked_vote_are_counted() -> None:
    votes = vote_table("xy", [0, 0, 0], [1, 1, 1], [0, 0, 1], item=[1, 2, 3], rater=[1, 1, 2])
    marked = {7: np.asarray(votes.winner == 0)}
    assert clusters_of(votes, marked, ("item", "rater")) == {7: {"item": 2, "rater": 1}}
