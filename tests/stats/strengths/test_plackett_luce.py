"""Plackett–Luce: whole and partial rankings, best-of-N, ties."""

from __future__ import annotations

import json
import math
import random
from itertools import pairwise, permutations
from typing import Any

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp
from scipy.stats import t

from jurybox.analysis.api import bradley_terry, plackett_luce
from jurybox.stats.strengths.choices import Choices, choices
from jurybox.stats.strengths.plackett_luce import PlackettLuce
from tests import reference

Ranking = tuple[str, str, dict[str, int]]  # item, rater, rank of every system shown


def table(rankings: list[Ranking]) -> dict[str, list[Any]]:
    rows = [(i, r, s, rank) for i, r, ranks in rankings for s, rank in ranks.items()]
    names = ("item", "rater", "system", "rank")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def simulated(n: int, seed: int, shown: int = 3) -> list[Ranking]:
    draw = random.Random(seed)
    strength = {f"s{k}": 0.5 * k for k in range(5)}
    found = []
    for i in range(n):
        left = draw.sample(sorted(strength), shown)
        order = []
        while left:
            pick = draw.choices(left, [math.exp(strength[s]) for s in left])[0]
            order.append(pick)
            left.remove(pick)
        found.append((f"i{i}", f"r{i % 8}", {s: k + 1 for k, s in enumerate(order)}))
    return found


def test_best_of_three_by_hand() -> None:
    # x picked 3 times, y twice, z once among all three: strengths are the logs of the shares.
    picks = ["x"] * 3 + ["y"] * 2 + ["z"]
    rankings = [
        (f"i{k}", f"r{k % 3}", {s: 1 if s == pick else 2 for s in "xyz"})
        for k, pick in enumerate(picks)
    ]
    found = plackett_luce(table(rankings))
    assert found["x"].estimate - found["y"].estimate == pytest.approx(math.log(3 / 2))
    assert found["y"].estimate - found["z"].estimate == pytest.approx(math.log(2))
    # log likelihood: 3 log ½ + 2 log ⅓ + log ⅙
    assert found.log_likelihood == pytest.approx(
        3 * math.log(1 / 2) + 2 * math.log(1 / 3) - math.log(6)
    )


@settings(max_examples=6)
@given(seed=st.integers(0, 1000))
def test_agrees_with_choix(seed: int) -> None:
    rankings = simulated(200, seed)
    found = plackett_luce(table(rankings))
    orders = [
        tuple(int(s[1]) for s, _ in sorted(ranks.items(), key=lambda entry: entry[1]))
        for _, _, ranks in rankings
    ]
    other = choix.ilsr_rankings(5, orders)
    for k, value in enumerate(other - other.mean()):
        assert found[f"s{k}"].estimate == pytest.approx(value, abs=1e-5)


def as_votes(rankings: list[Ranking]) -> dict[str, list[Any]]:
    names = ("item", "rater", "system_a", "system_b", "winner")
    votes: dict[str, list[Any]] = {name: [] for name in names}
    for item, rater, ranks in rankings:
        first, second = sorted(ranks, key=lambda s: ranks[s])
        winner = "tie" if ranks[first] == ranks[second] else "a"
        for name, value in zip(votes, (item, rater, first, second, winner), strict=True):
            votes[name].append(value)
    return votes


@pytest.mark.parametrize("cluster", ["both", "rater", "item", None])
def test_two_at_a_time_is_bradley_terry(cluster: Any) -> None:
    rankings = simulated(150, 4, shown=2)
    one = plackett_luce(table(rankings), cluster=cluster)
    two = bradley_terry(as_votes(rankings), cluster=cluster)
    for row in one:
        assert row.estimate == pytest.approx(two[row.name].estimate, abs=1e-7)
        assert row.interval is not None
        assert row.interval.low == pytest.approx(two[row.name].interval.low, abs=1e-6)
    for gap, other in zip(one.differences, two.differences, strict=True):
        assert (gap.system, gap.other) == (other.system, other.other)
        assert gap.p == pytest.approx(other.p, rel=1e-5)
        assert gap.win_probability == pytest.approx(other.win_probability, abs=1e-7)


def test_a_tie_of_two_alone_is_a_vote_dropped() -> None:
    rankings = simulated(150, 4, shown=2)
    rankings = [(i, r, dict.fromkeys(ranks, 1)) if k % 5 == 0 else (i, r, ranks)
                for k, (i, r, ranks) in enumerate(rankings)]  # fmt: skip
    one, two = plackett_luce(table(rankings)), bradley_terry(as_votes(rankings), ties="drop")
    for row in one:
        assert row.estimate == pytest.approx(two[row.name].estimate, abs=1e-7)
        assert row.n_responses == 120


def log_chance(order: dict[str, int], x: dict[str, float]) -> float:
    """The log of the sum of Luce's products over every order that the ranks allow."""
    total = 0.0
    for each in permutations(order):
        if any(order[a] > order[b] for a, b in pairwise(each)):
            continue
        product = 1.0
        for k, system in enumerate(each):
            product *= math.exp(x[system]) / sum(math.exp(x[s]) for s in each[k:])
        total += product
    return math.log(total)


def tied(n: int, seed: int) -> list[Ranking]:
    """Rankings of four with ties anywhere."""
    draw = random.Random(seed)
    return [
        (item, rater, {s: draw.choice([1, 1, 2, 2, 3]) + (rank > 3) for s, rank in ranks.items()})
        for item, rater, ranks in simulated(n, seed, shown=4)
    ]


def test_ties_by_hand() -> None:
    # x and y before z in either order, with weights 1: ⅓·½ + ⅓·½ = ⅓ each time, by symmetry.
    x = dict.fromkeys("xyz", 0.0)
    assert log_chance({"x": 1, "y": 1, "z": 2}, x) == pytest.approx(math.log(1 / 3))
    # With weights 2, 1, 1: 2/4 · 1/2 + 1/4 · 2/3 = 5/12.
    x["x"] = math.log(2)
    assert log_chance({"x": 1, "y": 1, "z": 2}, x) == pytest.approx(math.log(5 / 12))
    made = choices(np.array([[0, 1, 2]]), np.array([[1, 1, 2]]), 3)
    value, _, _ = made.evaluate(np.array([math.log(2), 0, 0]), np.ones(1))
    assert value == pytest.approx(math.log(5 / 12), abs=1e-13)


@settings(max_examples=5)
@given(seed=st.integers(0, 1000))
def test_ties_are_the_maximum_over_all_orders(seed: int) -> None:
    rankings = tied(60, seed)
    found = plackett_luce(table(rankings))
    names = sorted({s for _, _, ranks in rankings for s in ranks})

    def loss(free: Any) -> float:
        x = dict(zip(names, (0.0, *free), strict=True))
        return -sum(log_chance(ranks, x) for _, _, ranks in rankings)

    best = minimize(loss, np.zeros(len(names) - 1), method="BFGS", options={"gtol": 1e-7})
    other = np.array([0.0, *best.x])
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    for name, value in zip(names, other - other.mean(), strict=True):
        assert found[name].estimate == pytest.approx(value, abs=1e-4)


def test_the_covariance_is_the_two_way_sandwich() -> None:
    rankings = [(f"i{k // 8}", r, ranks) for k, (_, r, ranks) in enumerate(tied(48, 3))]
    found = plackett_luce(table(rankings))
    names = sorted({s for _, _, ranks in rankings for s in ranks})
    at = np.array([found[name].estimate for name in names])
    step = 1e-4

    def gradient(ranks: dict[str, int], x: Any) -> Any:
        def value(y: Any) -> float:
            return log_chance(ranks, dict(zip(names, y, strict=True)))

        moves = step * np.eye(len(names))
        return np.array([(value(x + move) - value(x - move)) / (2 * step) for move in moves])

    scores = np.array([gradient(ranks, at) for _, _, ranks in rankings])
    hessian = np.array(
        [
            sum(gradient(ranks, at + move) - gradient(ranks, at - move) for _, _, ranks in rankings)
            / (2 * step)
            for move in step * np.eye(len(names))
        ]
    )
    bread = np.linalg.pinv(-hessian, rcond=1e-4, hermitian=True)
    covariance = np.zeros_like(bread)
    for keys, sign in (((0,), 1), ((1,), 1), ((0, 1), -1)):
        sums: dict[Any, Any] = {}
        for ranking, score in zip(rankings, scores, strict=True):
            key = tuple(ranking[k] for k in keys)
            sums[key] = sums.get(key, 0) + score
        n = len(sums)
        meat = sum(np.outer(s, s) for s in sums.values())
        covariance += sign * n / (n - 1) * bread @ meat @ bread
    for k, name in enumerate(names):
        interval = found[name].interval
        assert interval is not None
        half = t.ppf(0.975, 5) * math.sqrt(covariance[k, k])
        assert (interval.high - interval.low) / 2 == pytest.approx(half, rel=1e-3)


def test_many_tied_at_once_are_exact() -> None:
    # Twenty equal systems, ten of them tied first: one of C(20, 10) equally likely sets.
    made = choices(np.arange(20)[None], np.repeat([1, 2], 10)[None], 20)
    value, gradient, _ = made.evaluate(np.zeros(20), np.ones(1))
    assert value == pytest.approx(-math.log(math.comb(20, 10)), abs=1e-10)
    assert gradient.sum() == pytest.approx(0, abs=1e-12)


def test_ties_above_the_last_place_are_named() -> None:
    rankings = simulated(60, 1)
    item, rater, ranks = rankings[0]
    rankings[0] = (item, rater, {s: 1 if k < 2 else 2 for k, s in enumerate(ranks)})
    found = plackett_luce(table(rankings))
    assert found.notes == (
        "1 ranking has ties above the last place: every order of tied systems is counted as "
        "possible",
    )
    assert (found.ties, found.n_tied, found.n_rankings) == ("all orders", 1, 60)


def test_all_tied_says_nothing() -> None:
    found = plackett_luce(table([("i", "r", {"x": 1, "y": 1}), ("j", "r", {"x": 2, "y": 2})]))
    assert found.undefined == "no ranking puts one system above another"
    assert all(row.estimate is None for row in found)


def test_always_first_has_no_number() -> None:
    rankings = [
        ("i", "r", {"x": 1, "y": 2, "z": 3}),
        ("j", "q", {"x": 1, "y": 3, "z": 2}),
    ]
    found = plackett_luce(table(rankings))
    assert found.rows[0].name == "x"
    assert found.rows[0].estimate is None
    assert found["y"].estimate == pytest.approx(0, abs=1e-9)


def test_gaps_between_ranks_do_not_matter() -> None:
    rankings = simulated(80, 2)
    wide = [(i, r, {s: 10 * rank - 3 for s, rank in ranks.items()}) for i, r, ranks in rankings]
    one, two = plackett_luce(table(rankings)), plackett_luce(table(wide))
    assert one.rows == two.rows


@settings(max_examples=6)
@given(seed=st.integers(0, 1000), data=st.data())
def test_names_and_the_order_of_rows_do_not_matter(seed: int, data: Any) -> None:
    rankings = tied(40, seed)
    names = sorted({s for _, _, ranks in rankings for s in ranks})
    renamed = dict(zip(names, data.draw(st.permutations(names)), strict=True))
    other = [(i, r, {renamed[s]: k for s, k in ranks.items()}) for i, r, ranks in rankings]
    one = plackett_luce(table(rankings))
    two = plackett_luce(table(data.draw(st.permutations(other))))
    for row in one:
        again = two[renamed[row.name]]
        assert again.estimate == pytest.approx(row.estimate, abs=1e-7)
        assert again.interval.high == pytest.approx(row.interval.high, abs=1e-6)  # type: ignore[union-attr]


def test_every_ranking_twice_by_twins_keeps_the_strengths() -> None:
    rankings = simulated(60, 5)
    one = plackett_luce(table(rankings), cluster="rater")
    twice = [*rankings, *((i, f"{r}x", ranks) for i, r, ranks in rankings)]
    two = plackett_luce(table(twice), cluster="rater")
    for row in one:
        assert two[row.name].estimate == pytest.approx(row.estimate, abs=1e-9)
        assert two[row.name].interval.high < row.interval.high  # type: ignore[union-attr]


def test_a_ranking_of_one_output_says_nothing() -> None:
    rankings = simulated(60, 6)
    more = [*rankings, ("i0", "lonely", {"s1": 1}), ("i1", "lonely", {"new": 1})]
    one, two = plackett_luce(table(rankings)), plackett_luce(table(more))
    assert one.n_rankings == two.n_rankings == 60
    assert [row.estimate for row in one] == [row.estimate for row in two][:5]
    assert two["new"].estimate is None
    assert two["new"].undefined == "new was never ranked above or below another system"


def test_one_output_each_is_no_ranking() -> None:
    found = plackett_luce(table([("i", "r", {"x": 1}), ("j", "r", {"y": 1})]))
    assert found.undefined == "there are no rankings"
    assert [row.estimate for row in found] == [None, None]


def test_systems_never_ranked_together_are_ranked_apart() -> None:
    rankings = [
        (f"{a}{k}", f"r{k % 4}", {a: 1 + (k % 3 == 0), b: 1 + (k % 3 > 0)})
        for a, b in ("pq", "xy")
        for k in range(12)
    ]
    found = plackett_luce(table(rankings))
    assert found.groups == (("p", "q"), ("x", "y"))
    assert [row.group for row in found.rows] == [1, 1, 2, 2]
    assert {(row.system, row.other) for row in found.differences} == {("p", "q"), ("x", "y")}
    assert "never compared with each other (p, q; x, y)" in found.notes[0]


def test_one_rater_and_one_item_speak_for_themselves() -> None:
    rankings = [(i, "r", ranks) for i, _, ranks in simulated(60, 7)]
    found = plackett_luce(table(rankings))
    assert all("this rater only" in row.interval.generalizes_to for row in found)  # type: ignore[union-attr]
    rankings = [("i", r, ranks) for r, (_, _, ranks) in enumerate(simulated(60, 7))]  # type: ignore[misc]
    found = plackett_luce(table(rankings))
    assert all("on this item only" in row.interval.generalizes_to for row in found)  # type: ignore[union-attr]


def test_strict_json_and_back() -> None:
    for rankings in (simulated(60, 8), [("i", "r", {"x": 1, "y": 2})]):
        found = plackett_luce(table(rankings))
        written = json.dumps(found.to_dict(), allow_nan=False)
        assert PlackettLuce.from_dict(json.loads(written)) == found


def test_differences_and_ranks_are_judged_jointly() -> None:
    found = plackett_luce(table(simulated(300, 9)))
    assert len(found.differences) == 10
    for gap in found.differences:
        assert gap.adjusted_by == "max-t over 10 comparisons"
        assert gap.simultaneous is not None
        assert gap.p_adjusted is not None
        assert (gap.p_adjusted < 0.05) == (gap.simultaneous.low > 0)
        assert gap.win_interval is not None
        assert 0 < gap.win_interval.low < gap.win_interval.high < 1
    # By hand: as many systems are ahead as lie below with a simultaneous interval above zero.
    told = {(g.system, g.other) for g in found.differences if g.simultaneous.low > 0}  # type: ignore[union-attr]
    for row in found.rows:
        assert row.rank_low == 1 + sum(other == row.system for _, other in told)
        assert row.rank_high == 5 - sum(system == row.system for system, _ in told)
    assert found.ranks_by == "max-t over 10 comparisons"


@pytest.mark.parametrize("way", [1, -1])
def test_a_system_never_beaten_has_the_bound_of_bradley_terry(way: int) -> None:
    rankings = simulated(120, 10, shown=2)
    for k in range(20):
        other = f"s{k % 5}"
        ranks = {"new": 1, other: 2} if way > 0 else {"new": 2, other: 1}
        rankings.append((f"i{k}", f"r{k % 8}x", ranks))
    one = plackett_luce(table(rankings))["new"]
    two = bradley_terry(as_votes(rankings))["new"]
    assert one.estimate is None
    assert one.interval is not None
    assert two.interval is not None
    assert one.interval.low == pytest.approx(two.interval.low, abs=1e-6)
    assert one.interval.high == pytest.approx(two.interval.high, abs=1e-6)
    assert math.isinf(one.interval.high if way > 0 else one.interval.low)
    assert one.interval.method.endswith("each of 8 raters counting as one ranking")
    assert one.n_responses == 20


def test_the_bound_by_hand() -> None:
    # Two equal systems x and y (10 : 10), and z picked before both 8 times by 8 raters on 8 items:
    # with x and y at 0, P(z first) = e^θ / (e^θ + 2), so that P⁸ = 0.05 at
    # e^θ = 2p/(1 − p), p = 0.05^(1/8).
    rankings: list[Ranking] = [
        (f"i{k}", f"r{k}", {"x": 1 + k % 2, "y": 2 - k % 2}) for k in range(20)
    ]
    rankings += [(f"j{k}", f"q{k}", {"z": 1, "x": 2, "y": 2}) for k in range(8)]
    found = plackett_luce(table(rankings))["z"]
    p = 0.05 ** (1 / 8)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(math.log(2 * p / (1 - p)), abs=1e-6)
    assert "was never beaten" in (found.undefined or "")


def test_baseball_as_published() -> None:
    """Agresti (2002), table 10.11: games of two teams are rankings of two."""
    expected = reference.expected("textbook")["agresti_baseball1987"]
    games: list[Ranking] = []
    for row in reference.rows_of("textbook/data/agresti_baseball1987.csv"):
        home, away = row["home_team"], row["away_team"]
        for winner, wins in ((home, row["home_wins"]), (away, row["away_wins"])):
            loser = away if winner == home else home
            games += [(f"{len(games)}.{n}", "r", {winner: 1, loser: 2}) for n in range(int(wins))]
    found = plackett_luce(table(games), cluster=None)
    gaps = {row.system: row.estimate - found["Baltimore"].estimate for row in found.rows}
    for team, value in expected["computed"]["model1"].items():
        assert gaps[team] == pytest.approx(value, abs=1e-6)
    printed = sorted(round(gap, 2) for team, gap in gaps.items() if team != "Baltimore")
    assert printed == expected["published"]["model1_sorted"]


@given(
    st.lists(st.floats(-30, 30), min_size=4, max_size=6),
    st.integers(2, 4),
)
def test_ties_of_very_unequal_systems_add_up_all_their_orders(x: list[float], n: int) -> None:
    # The integral is cut off where nothing is left of it; the orders are added up one by one here.
    n = min(n, len(x) - 1)
    made = choices(np.arange(len(x))[None], np.array([[1] * n + [2] * (len(x) - n)]), len(x))
    value, _, _ = made.evaluate(np.array(x), np.ones(1))
    rest = float(logsumexp(x[n:]))
    each = []
    for order in permutations(x[:n]):
        left = [float(logsumexp([*order[k:], rest])) for k in range(n)]
        each.append(sum(order) - sum(left))
    assert value == pytest.approx(float(logsumexp(each)), abs=1e-10)


@given(st.integers(0, 999), st.integers(2, 5))
def test_a_choice_made_in_several_rankings_is_worked_on_once(seed: int, wide: int) -> None:
    rng = np.random.default_rng(seed)
    shown = np.array([rng.permutation(6)[:wide] for _ in range(3)])[rng.integers(0, 3, 40)]
    shown[rng.random(shown.shape) < 0.1] = -1
    made = choices(shown, rng.integers(1, 4, shown.shape), 6)
    weight, x = rng.integers(1, 9, len(made.ranking)).astype(float), rng.normal(size=6)
    distinct, which = made.distinct()
    assert len({tuple(row) for row in _told(distinct)}) == len(distinct.ranking)
    assert (_told(distinct)[which] == _told(made)).all()
    summed: Any = np.bincount(which, weight, len(distinct.ranking))
    for part, whole in zip(distinct.evaluate(x, summed), made.evaluate(x, weight), strict=True):
        assert np.allclose(part, whole, rtol=0, atol=1e-10)  # type: ignore[arg-type]
    # The scores of the rankings add up to the gradient.
    scores = made.scores(x, len(shown))
    total = np.bincount(np.maximum(shown, 0).ravel(), scores.ravel(), 6)
    np.testing.assert_allclose(total, made.evaluate(x, np.ones(len(weight)))[1], atol=1e-10)


def _told(made: Choices) -> Any:
    return np.concatenate([made.shown, made.chosen, made.rest], axis=1)
