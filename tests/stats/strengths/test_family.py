"""Every two strengths at once: max-t over pairs, and rank sets."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from jurybox.results import ResultTable
from jurybox.stats.simultaneous import judged, max_t
from jurybox.stats.strengths.bradley_terry import BradleyTerry, bradley_terry
from jurybox.stats.strengths.family import _maxima
from jurybox.stats.strengths.vote_fit import Settings
from jurybox.stats.strengths.vote_table import VoteTable, vote_table


def votes_of(beta: list[float], n: int, seed: int, *, raters: int = 30) -> VoteTable:
    rng = np.random.default_rng(seed)
    k = len(beta)
    a = rng.integers(0, k, n)
    b = (a + rng.integers(1, k, n)) % k
    gap = np.array(beta)[a] - np.array(beta)[b]
    winner = (rng.random(n) > 1 / (1 + np.exp(-gap))).astype(int)
    names = [f"s{i}" for i in range(k)]
    item, rater = rng.integers(0, 60, n), rng.integers(0, raters, n)
    return vote_table(names, a, b, winner, item=item, rater=rater)


def test_draws_by_strengths_agree_with_draws_by_differences() -> None:
    rng = np.random.default_rng(1)
    root = rng.normal(size=(5, 5))
    covariance = root @ root.T
    contrasts = [np.eye(5)[i] - np.eye(5)[j] for i in range(5) for j in range(i + 1, 5)]
    full = np.array(contrasts) @ covariance @ np.array(contrasts).T
    scale = np.sqrt(np.diag(full))
    ts = [2.0, 3.0, 1.0, 0.5, 2.5, 4.0, 0.1, 1.5, 2.2, 2.8]
    known = max_t(ts, full / np.outer(scale, scale), df=25)
    center = np.eye(5) - 1 / 5
    (drawn,) = _maxima([center @ covariance @ center], 10, 0)
    found = judged(ts, [(drawn, 25)], confidence=0.95)
    assert found.critical == pytest.approx(known.critical, abs=0.02)
    assert found.p_adjusted == pytest.approx(known.p_adjusted, abs=0.01)


def test_a_difference_that_does_not_vary_takes_no_part() -> None:
    # Two systems that always move together: their difference has a variance of 0 and no t, so
    # the largest |t| is that of the three systems that are left.
    rng = np.random.default_rng(2)
    root = rng.normal(size=(3, 3))
    three = root @ root.T
    twice = three[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    both = [np.quantile(_maxima([each], 6, 0), 0.95) for each in (twice, three)]
    assert np.isfinite(both).all()
    assert both[0] == pytest.approx(both[1], abs=0.05)


def test_intervals_p_and_ranks_never_disagree() -> None:
    found = bradley_terry(votes_of([0.9, 0.3, 0.1, -0.5, -0.8], 1500, 2))
    better = {name: set() for name in (row.name for row in found)}  # type: ignore[var-annotated]
    for row in found.differences:
        assert row.simultaneous is not None
        assert row.p_adjusted is not None
        assert row.interval is not None
        outside = row.simultaneous.low > 0 or row.simultaneous.high < 0
        assert outside is (row.p_adjusted < 0.05)
        assert row.simultaneous.low < row.interval.low
        assert row.simultaneous.method.endswith("max-t over 10 comparisons")
        assert row.adjusted_by == "max-t over 10 comparisons"
        assert row.win_interval is not None
        assert row.win_probability is not None
        assert row.win_interval.low < row.win_probability < row.win_interval.high
        assert (row.win_interval.low > 0.5) is (row.interval.low > 0)
        if outside:
            better[row.system].add(row.other)
    for own in found.rows:
        ahead = sum(own.system in worse for worse in better.values())
        assert (own.rank_low, own.rank_high) == (1 + ahead, 5 - len(better[own.system]))
    assert found.ranks_by == "max-t over 10 comparisons"


def test_few_raters_leave_no_noise_of_the_draws_in_what_is_printed() -> None:
    # Four raters: with the scale of t drawn, too, the half width had a spread of 0.6%.
    votes = votes_of([0.5, 0.0, 0.0, -0.5], 800, 1, raters=4)
    widths = []
    for seed in range(8):
        interval = bradley_terry(votes, seed=seed).differences[0].simultaneous
        assert interval is not None
        widths.append(interval.high - interval.low)
    assert np.std(widths) / np.mean(widths) < 0.003


def test_groups_apart_are_together_as_sure_as_independent_families() -> None:
    # Two groups of two systems with t of 3 and 1,000 degrees of freedom: P(both below c) is the
    # product of the two.
    rng = np.random.default_rng(3)
    drawn = [(np.abs(rng.standard_normal(40_000)), df) for df in (3, 1000)]
    found = judged([3.0, 2.5], drawn, confidence=0.95)
    below = [1 - 2 * stats.t.sf(found.critical, df) for df in (3, 1000)]
    assert below[0] * below[1] == pytest.approx(0.95, abs=0.001)


def test_rank_sets_hold_jointly() -> None:
    # Four systems, two of them equal: in at least 95% of studies every true rank lies in its set
    # (for the equal ones both ranks do).
    truth = {"s0": {1}, "s1": {2, 3}, "s2": {2, 3}, "s3": {4}}
    held = []
    for seed in range(150):
        found = bradley_terry(votes_of([0.5, 0.0, 0.0, -0.5], 400, seed), cluster=None)
        held.append(
            all(
                (row.rank_low or 9) <= min(truth[row.system])
                and max(truth[row.system]) <= (row.rank_high or 0)
                for row in found.rows
            )
        )
    assert np.mean(held) >= 0.92


def test_no_standard_error_of_a_family_is_below_the_larger_one_way_one() -> None:
    # With few raters and items a two-way variance often comes out below a part of itself. All
    # simultaneous intervals are c times the larger of the three standard errors.
    votes = votes_of([0.0, 0.0, 0.0, 0.0], 120, 3, raters=5)
    found = bradley_terry(votes)
    errors: dict[tuple[str, str], list[float]] = {}
    for cluster in ("both", "item", "rater"):
        for row in bradley_terry(votes, cluster=cluster).differences:
            assert row.interval is not None
            df = {"both": 4, "item": len(np.unique(votes.clusters["item"])) - 1, "rater": 4}
            half = (row.interval.high - row.interval.low) / 2
            errors.setdefault((row.system, row.other), []).append(
                half / float(stats.t.ppf(0.975, df[cluster]))
            )
    halves = [
        (row.simultaneous.high - row.simultaneous.low) / 2
        for row in found.differences
        if row.simultaneous is not None
    ]
    assert any(own < 0.99 * max(others) for own, *others in errors.values())
    ratio = [half / max(each) for half, each in zip(halves, errors.values(), strict=True)]
    assert ratio == pytest.approx([ratio[0]] * 6)


def test_two_systems_are_ranked_by_their_own_p() -> None:
    found = bradley_terry(votes_of([1.0, -1.0], 400, 1))
    (row,) = found.differences
    assert (row.p_adjusted, row.simultaneous, row.adjusted_by) == (None, None, None)
    assert [(r.rank_low, r.rank_high) for r in found.rows] == [(1, 1), (2, 2)]
    even = bradley_terry(votes_of([0.0, 0.0], 400, 1))
    assert [(r.rank_low, r.rank_high) for r in even.rows] == [(1, 2), (1, 2)]


def test_groups_are_ranked_apart_in_one_family() -> None:
    one, two = votes_of([1.0, 0.0, -1.0], 600, 1), votes_of([0.8, -0.8], 400, 2)
    votes = vote_table(
        ["a", "b", "c", "p", "q"],
        np.concatenate([one.a[one.cell], two.a[two.cell] + 3]),
        np.concatenate([one.b[one.cell], two.b[two.cell] + 3]),
        np.concatenate([one.winner[one.cell], two.winner[two.cell]]),
        rater=np.concatenate([one.clusters["rater"], two.clusters["rater"]]),
    )
    found = bradley_terry(votes, Settings(ties="drop"))
    assert {row.adjusted_by for row in found.differences} == {"max-t over 4 comparisons"}
    assert (found["p"].rank_low, found["p"].rank_high) == (1, 1)
    assert (found["c"].rank_low, found["c"].rank_high) == (3, 3)


def test_a_system_without_a_number_may_hold_any_rank() -> None:
    a = [1, 2] * 60 + [0] * 8
    b = [2, 1] * 60 + [1] * 8
    found = bradley_terry(vote_table("xyz", a, b, [0, 0] * 60 + [0] * 8))
    assert (found["x"].rank_low, found["x"].rank_high) == (1, 3)
    assert [found[s].rank_high for s in "yz"] == [3, 3]


def test_a_hundred_systems_have_their_ranks_and_survive_json() -> None:
    beta = np.linspace(1, -1, 100).tolist()
    found = bradley_terry(votes_of(beta, 60_000, 1, raters=400), cluster="rater", pairs=True)
    assert len(found.differences) == 4950
    assert found.rows[0].rank_high is not None
    assert found.rows[0].rank_high < 60
    small = bradley_terry(votes_of([0.5, 0.0, -0.5], 300, 1))
    assert ResultTable.from_dict(small.to_dict()) == small
    assert isinstance(small, BradleyTerry)


def test_the_same_seed_gives_the_same_result() -> None:
    votes = votes_of([0.5, 0.0, -0.5], 300, 1)
    assert bradley_terry(votes, seed=4) == bradley_terry(votes, seed=4)
