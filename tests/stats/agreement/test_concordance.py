"""Kendall's W with mean tau and Spearman correlation."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import jurybox as jb
from jurybox.errors import InputError
from jurybox.results import Result
from jurybox.stats.agreement import concordance

Blocks = list[list[list[float]]]  # items × raters × systems


def table(blocks: Blocks, value: str = "score") -> dict[str, list[Any]]:
    rows = [
        (f"i{i:02}", f"r{r:02}", f"s{s}", x)
        for i, raters in enumerate(blocks)
        for r, own in enumerate(raters)
        for s, x in enumerate(own)
    ]
    names = ("item", "rater", "system", value)
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def noisy(items: int, raters: int, systems: int, seed: int, step: float = 1.0) -> Blocks:
    rng = np.random.default_rng(seed)
    blocks = []
    for _ in range(items):
        base = rng.normal(0, 1, systems)
        scores = [base + rng.normal(0, 1, systems) for _ in range(raters)]
        blocks.append([[float(round(x / step) * step) for x in own] for own in scores])
    return blocks


def test_w_by_hand() -> None:
    # Ranks 123, 132, 123: sums 3, 7, 8 around 6: 9 + 1 + 4 = 14; W = 12·14/(9·24) = 7/9.
    # Spearman: 1/2, 1, 1/2: mean 2/3 = (3W − 1)/2. Tau: 1/3, 1, 1/3: mean 5/9.
    found = jb.kendall_w(table([[[1, 2, 3], [1, 3, 2], [1, 2, 3]]], "rank"))
    assert found.estimate == pytest.approx(7 / 9)
    assert found.spearman == pytest.approx(2 / 3)
    assert found.tau == pytest.approx(5 / 9)
    assert (found.interval, found.undefined) == (None, "there is only one item")


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 9999), raters=st.sampled_from([2, 3, 6]))
def test_w_tau_and_spearman_agree_with_scipy(seed: int, raters: int) -> None:
    blocks = noisy(4, raters, 5, seed)
    found = jb.kendall_w(table(blocks), n_resamples=20)
    ws, taus, rhos = [], [], []
    for block in blocks:
        varied = [own for own in block if len(set(own)) > 1]
        if len(varied) < len(block):
            return  # SciPy has no correlation with a constant
        ws.append(stats.friedmanchisquare(*np.array(block).T).statistic / (raters * 4))
        pairs = list(itertools.combinations(block, 2))
        taus.append(np.mean([stats.kendalltau(a, b).statistic for a, b in pairs]))
        rhos.append(np.mean([stats.spearmanr(a, b).statistic for a, b in pairs]))
    assert found.estimate == pytest.approx(np.mean(ws))
    assert found.tau == pytest.approx(np.mean(taus))
    assert found.spearman == pytest.approx(np.mean(rhos))
    if found.interval is not None:
        assert 0 <= found.interval.low <= (found.estimate or 0) <= found.interval.high <= 1


def test_intervals_by_number_of_raters() -> None:
    many = jb.kendall_w(table(noisy(10, 6, 4, 1, 0.01)), n_resamples=100)
    assert many.interval is not None
    assert many.interval.method.startswith("two-way jackknife, Fisher's z, t(")
    assert many.interval.generalizes_to == "raters and items like these"
    few = jb.kendall_w(table(noisy(10, 3, 4, 1, 0.01)), n_resamples=100)
    assert few.interval is not None
    assert few.interval.method.startswith("bootstrap of items, 100 resamples")
    assert few.interval.generalizes_to == "items like these, judged by these raters"


def test_without_systems_the_items_are_ranked() -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(0, 1, (1, 12)) + rng.normal(0, 0.7, (4, 12))
    ratings = {
        "item": [f"i{i}" for _ in range(4) for i in range(12)],
        "rater": [f"r{r}" for r in range(4) for _ in range(12)],
        "score": [float(x) for x in scores.ravel()],
    }
    found = jb.kendall_w(ratings, n_resamples=200)
    friedman = stats.friedmanchisquare(*scores.T).statistic
    assert found.estimate == pytest.approx(friedman / (4 * 11))
    assert found.interval is not None
    assert found.interval.method == "jackknife of items, Fisher's z, t(11)"


def test_p_is_small_for_agreement_and_not_for_noise() -> None:
    assert (jb.kendall_w(table(noisy(8, 4, 5, 2, 0.01))).p or 1) < 0.01
    rng = np.random.default_rng(5)
    noise = [[list(rng.permutation(5).astype(float)) for _ in range(4)] for _ in range(8)]
    found = jb.kendall_w(table(noise))
    assert (found.p or 0) > 0.05
    assert found.p_method == "permutation of ranks, 2,000 resamples"


def test_the_two_ways_to_p_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    lean = np.linspace(0, 0.8, 5)
    blocks = [[list(lean + rng.normal(0, 1, 5)) for _ in range(4)] for _ in range(12)]
    drawn = jb.kendall_w(table(blocks), n_resamples=4000).p
    monkeypatch.setattr(concordance, "PERMUTED", 0)
    found = jb.kendall_w(table(blocks))
    assert found.p_method == "chi-square with the moments of random ranks"
    assert found.p == pytest.approx(drawn, abs=0.03)


def test_rankings_of_different_things_are_left_out() -> None:
    rankings = table([[[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [2, 1, 3]]], "rank")
    # Rater 1 did not rank system 2 of the second item.
    keep = [
        k
        for k in range(len(rankings["item"]))
        if (rankings["item"][k], rankings["rater"][k], rankings["system"][k])
        != ("i01", "r01", "s2")
    ]
    part = {name: [values[k] for k in keep] for name, values in rankings.items()}
    found = jb.kendall_w(part)
    assert (found.estimate, found.n_units, found.n_dropped) == (1, 1, 2)
    assert "must rank the same things" in found.notes[0]


def test_rounding_noise_is_a_tie() -> None:
    ratings = table([[[0.1 + 0.2, 0.3, 1.0], [0.3, 0.3, 1.0]], [[1, 2, 3], [1, 2, 3]]])
    assert jb.kendall_w(ratings).estimate == pytest.approx(1)


def test_degenerate_tables_say_why() -> None:
    for blocks, why in (
        ([[[1, 2, 3]]], "there is only one rater"),
        ([[[1, 1, 1], [2, 2, 2]]], "every ranking is all ties"),
    ):
        found = jb.kendall_w(table(blocks))  # type: ignore[arg-type]  # integers are numbers
        assert (found.estimate, found.interval, found.undefined) == (None, None, why)
    apart = {
        "item": ["a", "a", "b", "b"],
        "rater": ["x", "x", "y", "y"],
        "system": ["s", "t"] * 2,
        "rank": [1, 2, 2, 1],
    }
    assert jb.kendall_w(apart).undefined == "no item has two rankings"
    votes = {"item": [1], "rater": ["a"], "system_a": ["s"], "system_b": ["t"], "winner": ["a"]}
    with pytest.raises(InputError, match="needs rankings or ratings; got votes"):
        jb.kendall_w(votes)


def test_same_seed_same_result_and_json() -> None:
    rankings = table(noisy(6, 3, 4, 4))
    one, two = jb.kendall_w(rankings), jb.kendall_w(rankings)
    assert one == two
    assert Result.from_dict(one.to_dict()) == one


def test_a_large_score_ties_no_small_ones() -> None:
    # The rankings 1 < 2 < 1e10 and 2 < 1 < 1e10 differ: R = 3, 3, 6, so W = 12·6/(4·24).
    rows = {"item": [1] * 6, "rater": ["a"] * 3 + ["b"] * 3, "system": ["x", "y", "z"] * 2}
    found = jb.kendall_w({**rows, "score": [1, 2, 1e10, 2, 1, 1e10]}, n_resamples=20)
    assert found.estimate == pytest.approx(0.75)


def shown(*trials: tuple[str, str, str, str]) -> dict[str, list[Any]]:
    """Rankings as ``(item, trial, rater, systems from the first rank on)``."""
    rows = [
        (item, trial, rater, system, rank)
        for item, trial, rater, order in trials
        for rank, system in enumerate(order, start=1)
    ]
    names = ("item", "trial", "rater", "system", "rank")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def test_rankings_of_some_of_an_items_systems_are_compared_with_those_of_the_same() -> None:
    # Of one item two raters rank xyz alike (W = 1), and wxy the other way round (W = 0).
    found = jb.kendall_w(
        shown(
            ("i", "t1", "a", "xyz"),
            ("i", "t1", "b", "xyz"),
            ("i", "t2", "a", "wxy"),
            ("i", "t2", "b", "yxw"),
        )
    )
    assert (found.estimate, found.n_units, found.n_dropped) == (0.5, 2, 0)
    # Both are of one item, so that there is no second one to draw.
    assert found.undefined == "there is only one item"
    # Who ranked other systems is left out, and nobody's two rankings are mixed into one.
    apart = jb.kendall_w(shown(("i", "t1", "a", "xyz"), ("i", "t2", "b", "wxy")))
    assert apart.undefined == "no two raters of an item ranked the same two or more things"


def test_sets_of_one_item_are_one_cluster() -> None:
    # Every item twice, under two sets of systems that are ranked in the same way.
    once, draw = [], np.random.default_rng(4)
    for item in range(6):
        for rater in range(5):
            order = draw.permutation(list("abc"))
            once.append((f"i{item}", f"{item}", f"r{rater}", "".join(order)))
    other = [
        (item, f"{trial}'", rater, order.translate(str.maketrans("abc", "xyz")))
        for item, trial, rater, order in once
    ]
    one, two = jb.kendall_w(shown(*once)), jb.kendall_w(shown(*once, *other))
    assert one.interval is not None
    assert two.interval is not None
    assert two.estimate == pytest.approx(one.estimate)
    assert (two.interval.low, two.interval.high) == pytest.approx(
        (one.interval.low, one.interval.high)
    )
    few = [one for one in once if one[2] < "r3"], [one for one in other if one[2] < "r3"]
    less, both = jb.kendall_w(shown(*few[0])), jb.kendall_w(shown(*few[0], *few[1]))
    assert less.interval is not None
    assert both.interval is not None
    assert both.interval.low == pytest.approx(less.interval.low)
