"""Win rates: three ways to count ties, exact shares, both bad, circles."""

from __future__ import annotations

import random
from typing import Any

import pytest
from scipy import stats

from jurybox.analysis.api import win_rates
from jurybox.errors import InputError
from jurybox.results import ResultTable
from jurybox.stats.shares import Share
from jurybox.stats.win_rates import find_cycles


def table(winners: list[str], *, raters: int = 3, a: str = "new", b: str = "old") -> dict[str, Any]:
    n = len(winners)
    return {
        "item": [f"q{i // raters}" for i in range(n)],
        "rater": [f"r{i % raters}" for i in range(n)],
        "system_a": [a] * n,
        "system_b": [b] * n,
        "winner": winners,
    }


MIXED = ["a", "a", "tie", "b", "a", "both_bad", "a", "a", "tie", "b", "a", "a"]


def test_ties_half_dropped_or_an_outcome_by_hand() -> None:
    # 7 wins, 2 losses, 2 ties, 1 both bad, 12 votes.
    half = win_rates(table(MIXED))
    assert half["new"].estimate == pytest.approx((7 + 1.5) / 12)
    drop = win_rates(table(MIXED), ties="drop")
    assert drop["new"].estimate == pytest.approx(7 / 9)
    assert drop["new"].n_responses == 9
    assert drop.notes == ("ties are left out",)
    split = win_rates(table(MIXED), ties="outcome")
    assert split["new"].estimate == pytest.approx(7 / 12)
    assert split["old"].estimate == pytest.approx(2 / 12)
    assert [row.estimate for row in split.tie_rates] == [pytest.approx(3 / 12)] * 2
    assert [row.estimate for row in split.loss_rates] == [
        pytest.approx(2 / 12),
        pytest.approx(7 / 12),
    ]
    (pair,) = split.pairs
    assert pair.system == "new"
    assert pair.estimate == pytest.approx(7 / 12)
    assert pair.p == half.pairs[0].p
    for found in (half, drop, split):
        assert ResultTable.from_dict(found.to_dict()) == found


def test_both_bad_has_its_rate_per_system_and_pair() -> None:
    found = win_rates(table(MIXED))
    assert [row.system for row in found.both_bad] == ["new", "old"]
    assert [row.estimate for row in found.both_bad] == pytest.approx([1 / 12, 1 / 12])
    (pair,) = found.both_bad_pairs
    assert (pair.system, pair.other) == ("new", "old")
    assert pair.estimate == pytest.approx(1 / 12)
    assert win_rates(table(["a", "b", "tie"])).both_bad == ()


def test_independent_votes_without_ties_are_exact() -> None:
    votes = table(["a"] * 9 + ["b"] * 3 + ["tie"] * 2, raters=14)
    votes["item"] = list(range(14))
    found = win_rates(votes, ties="drop")
    known = stats.binomtest(9, 12)
    for row in (found["new"], found.pairs[0]):
        assert row.p == pytest.approx(known.pvalue)
        assert row.interval is not None
        assert row.interval.low == pytest.approx(known.proportion_ci(0.95).low)
        assert row.interval.method.startswith("exact binomial")
    # Half a win is no success: with ties counted half the interval is not exact.
    assert "exact" not in win_rates(votes)["new"].interval.method
    # One rater gives two votes: not exact.
    votes["rater"] = ["r0", "r0", *(f"r{i}" for i in range(2, 14))]
    assert "exact" not in win_rates(votes, ties="drop")["new"].interval.method


def test_pairs_are_one_family() -> None:
    draw = random.Random(3)
    rows = [
        (f"q{i}", f"r{j}", one, two, "a" if draw.random() < share else "b")
        for one, two, share in (("x", "y", 0.6), ("y", "z", 0.65), ("x", "z", 0.8))
        for i in range(12)
        for j in range(8)
    ]
    names = ("item", "rater", "system_a", "system_b", "winner")
    found = win_rates(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    for row in found.pairs:
        assert row.adjusted_by == "max-t over 3 comparisons"
        assert row.simultaneous is not None
        assert row.p_adjusted is not None
        assert row.p is not None
        assert row.p_adjusted >= row.p
        assert (row.simultaneous.low > 0.5) is (row.p_adjusted < 0.05)
        assert 0 < row.simultaneous.low < row.simultaneous.high < 1


def edge(one: str, two: str, share: float = 0.7, p: float = 0.01) -> Share:
    return Share(estimate=share, what="win rate", system=one, other=two, p_adjusted=p)


def test_a_circle_counts_only_if_every_edge_survives() -> None:
    found = find_cycles([edge("a", "b", 0.8), edge("b", "c"), edge("a", "c", 0.4)])
    (cycle,) = found
    assert cycle.systems == ("a", "b", "c")
    assert cycle.estimate == pytest.approx(0.6)
    assert cycle.p == 0.01
    assert cycle.short() == "60.0% at the least, p = 0.010 after correction"
    assert find_cycles([edge("a", "b"), edge("b", "c"), edge("c", "a", p=0.06)]) == ()


def test_a_longer_circle_is_found_where_there_is_no_shorter() -> None:
    found = find_cycles([edge("a", "b"), edge("b", "c"), edge("c", "d"), edge("d", "a")])
    assert [cycle.name for cycle in found] == ["a > b > c > d > a"]


def test_traps_have_sentences() -> None:
    assert win_rates(table(["tie"] * 6), ties="drop").undefined == "every vote is a tie"
    same = win_rates(table(["a"], a="x", b="x"))
    assert same.undefined == "every vote compares a system with itself"
    with pytest.raises(InputError, match="ties must be 'half', 'drop' or 'outcome'; got 'third'"):
        win_rates(table(["a"]), ties="third")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(InputError, match="winner must be one of a, b, tie, both_bad; got 'left'"):
        win_rates(table(["a", "left"]))
