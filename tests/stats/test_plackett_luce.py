"""Plackett–Luce: whole and partial rankings, best-of-N, ties."""

from __future__ import annotations

import math
import random
from typing import Any

import choix
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurybox.analysis.api import plackett_luce

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


def test_two_at_a_time_is_bradley_terry() -> None:
    from jurybox.analysis.api import bradley_terry

    rankings = simulated(150, 4, shown=2)
    votes: dict[str, list[Any]] = {
        "item": [],
        "rater": [],
        "system_a": [],
        "system_b": [],
        "winner": [],
    }
    for item, rater, ranks in rankings:
        first, second = sorted(ranks, key=lambda s: ranks[s])
        for name, value in zip(votes, (item, rater, first, second, "a"), strict=True):
            votes[name].append(value)
    one, two = plackett_luce(table(rankings)), bradley_terry(votes)
    for row in one:
        assert row.estimate == pytest.approx(two[row.name].estimate, abs=1e-7)
        assert row.interval is not None
        assert row.interval.low == pytest.approx(two[row.name].interval.low, abs=1e-6)


def test_ties_above_the_last_place_are_named() -> None:
    rankings = simulated(60, 1)
    item, rater, ranks = rankings[0]
    rankings[0] = (item, rater, {s: 1 if k < 2 else 2 for k, s in enumerate(ranks)})
    found = plackett_luce(table(rankings))
    assert found.notes == ("1 ranking with ties above the last place: Breslow's approximation",)


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
