"""Families of differences: jointly by max-t, by Holm where they must be, alone where they are."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jurybox as jb
from jurybox.results import Interval, Result, ResultTable
from jurybox.stats import differences
from jurybox.stats.differences import Difference, Differences, together
from jurybox.stats.simultaneous import max_t


def row(name: str, t: float | None, p: float | None = 0.03, df: int = 9) -> Difference:
    if t is None:
        return Difference(estimate=None, undefined="no item", system=name, other="b")
    interval = Interval(low=t - 2, high=t + 2, confidence=0.95, method="t(9)")
    return Difference(
        estimate=t, interval=interval, p=p, t=t, df=df, se=1.0, system=name, other="b"
    )


def test_a_family_shares_one_critical_value() -> None:
    rows = [row("x", 3.0), row("y", None), row("z", 1.0, df=7)]
    joint = {"row": np.array([[1.0, 0, 0.5], [0, 0, 0], [0.5, 0, 1.0]])}
    found = together(rows, joint, cluster=None)
    by_hand = max_t([3.0, 1.0], np.array([[1.0, 0.5], [0.5, 1.0]]), df=7)
    assert [r.p_adjusted for r in found] == [by_hand.p_adjusted[0], None, by_hand.p_adjusted[1]]
    assert found[0].simultaneous is not None
    assert found[0].simultaneous.low == pytest.approx(3 - by_hand.critical)
    assert found[0].simultaneous.method == "t(9), max-t over 2 comparisons"
    assert found[0].adjusted_by == "max-t over 2 comparisons"
    assert (found[1].simultaneous, found[1].adjusted_by) == (None, None)


def test_without_a_joint_covariance_it_is_holm_and_no_simultaneous_interval() -> None:
    found = together([row("x", 3.0, 0.01), row("y", 2.0, 0.04)], None)
    assert [r.p_adjusted for r in found] == [0.02, 0.04]
    assert found[0].adjusted_by == "Holm over 2 comparisons"
    assert all(r.simultaneous is None for r in found)
    # A comparison that does not vary has no place in a joint distribution.
    flat = {"row": np.array([[1.0, 0.0], [0.0, 0.0]])}
    assert together([row("x", 3.0), row("y", 2.0)], flat, cluster=None)[0].adjusted_by == (
        "Holm over 2 comparisons"
    )


def test_a_large_family_is_judged_by_holm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "MOST_TOGETHER", 2)
    rows = [row(name, 3.0, 0.01) for name in "xyz"]
    found = together(rows, {"row": np.eye(3)}, cluster=None)
    assert {r.adjusted_by for r in found} == {"Holm over 3 comparisons"}


@pytest.mark.parametrize("rows", [[], [row("x", 2.0)], [row("x", 2.0), row("y", None)]])
def test_a_family_of_one_stands_alone(rows: list[Difference]) -> None:
    assert together(rows, None) == rows


def ratings(seed: int, share: float = 1.0, systems: str = "ABC") -> dict[str, list[Any]]:
    draw = np.random.default_rng(seed)
    item, rater = draw.normal(size=9), draw.normal(size=6)
    rows = [
        (f"i{i}", s, f"r{r}", item[i] + rater[r] + 0.4 * k + draw.normal())
        for i in range(9)
        for k, s in enumerate(systems)
        for r in range(6)
        if draw.random() < share
    ]
    columns = zip(*rows, strict=True)
    return dict(zip(("item", "system", "rater", "score"), map(list, columns), strict=True))


def influences(table: dict[str, list[Any]], one: str, two: str) -> dict[tuple[str, str], float]:
    """What each (item, rater) adds to the within-item difference; slow and plain."""
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    rows = list(zip(*table.values(), strict=True))
    for i, s, _, y in rows:
        scores[i, s].append(y)
    mean = {key: sum(ys) / len(ys) for key, ys in scores.items()}
    items = [i for i in sorted({r[0] for r in rows}) if (i, one) in mean and (i, two) in mean]
    delta = sum(mean[i, one] - mean[i, two] for i in items) / len(items)
    found: dict[tuple[str, str], float] = defaultdict(float)
    for i, s, r, y in rows:
        if i in items and s in (one, two):
            sign = 1 if s == one else -1
            level = (mean[i, one] + mean[i, two]) / 2
            found[i, r] += sign * (y - level - sign * delta / 2) / len(scores[i, s]) / len(items)
    return found


BOTH = ((0, 1), (1, 1), (None, -1))


def own_level(table: dict[str, list[Any]], one: str, two: str) -> float:
    """What the variances of raters are multiplied by, for levels that hold their own responses."""
    rows = [row for row in zip(*table.values(), strict=True) if row[1] in (one, two)]
    n: dict[tuple[str, str], int] = defaultdict(int)
    for i, s, _, _ in rows:
        n[i, s] += 1
    rows = [row for row in rows if (row[0], one) in n and (row[0], two) in n]
    weight: dict[tuple[str, str], float] = defaultdict(float)
    for i, s, r, _ in rows:
        weight[i, r] += 0.5 / n[i, s]
    total = sum(weight.values())
    alone = 2 - sum(w**2 for w in weight.values()) * len(rows) / total**2
    return float((1 - min(1.0, max(0.0, alone)) * total / len(rows)) ** -2)


def covariance(
    a: dict[Any, float],
    b: dict[Any, float],
    kinds: tuple[tuple[int | None, int], ...] = BOTH,
    factor: float = 1.0,
) -> float:
    total = 0.0
    for kind, sign in kinds:
        sums: list[dict[Any, float]] = []
        for each in (a, b):
            made: dict[Any, float] = defaultdict(float)
            for cell, value in each.items():
                made[cell if kind is None else cell[kind]] += value
            sums.append(made)
        size = math.prod(math.sqrt(len(s) / (len(s) - 1)) for s in sums)
        size *= 1.0 if kind == 0 else factor
        total += sign * size * sum(v * sums[1].get(g, 0.0) for g, v in sums[0].items())
    return total


@pytest.mark.parametrize("share", [1.0, 0.7])
@pytest.mark.parametrize("seed", [1, 3])
def test_the_joint_correlation_agrees_with_a_slow_oracle(seed: int, share: float) -> None:
    table = ratings(seed, share)
    found = jb.compare_systems(table)
    pairs = list(combinations("ABC", 2))
    each = [influences(table, *pair) for pair in pairs]
    joint = np.array([[covariance(a, b) for b in each] for a in each])
    scale = np.sqrt(np.diag(joint))
    by_pair = {frozenset((r.system, r.other)): r for r in found.rows}
    rows = [by_pair[frozenset(pair)] for pair in pairs]
    factors = [own_level(table, *pair) for pair in pairs]
    variance = np.array([covariance(a, a, factor=f) for a, f in zip(each, factors, strict=True)])
    one_way = np.array(
        [
            max(covariance(a, a, ((k, 1),), f) for k in (0, 1))
            for a, f in zip(each, factors, strict=True)
        ]
    )
    # Below a quarter of the larger one-way variance, that one stands in.
    own = np.sqrt(np.where(variance < one_way / 4, one_way, variance))
    assert [r.se for r in rows] == pytest.approx(own.tolist())
    # In a family no standard error is below the larger one-way one.
    plain = [max(covariance(a, a, ((k, 1),)) for k in (0, 1)) for a in each]
    least = np.maximum(own, np.sqrt(plain))
    ts = [(r.estimate or 0) / se for r, se in zip(rows, least, strict=True)]
    correlation = np.clip(joint / np.outer(scale, scale), -1, 1)
    known = max_t(ts, correlation, df=5)
    assert [r.p_adjusted for r in rows] == pytest.approx(known.p_adjusted, abs=1e-9)
    for r, se in zip(rows, least, strict=True):
        assert r.simultaneous is not None
        half = (r.simultaneous.high - r.simultaneous.low) / 2
        assert half == pytest.approx(known.critical * se)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_simultaneous_intervals_and_adjusted_p_never_disagree(seed: int) -> None:
    for r in jb.compare_systems(ratings(seed, 0.8)):
        assert isinstance(r, Difference)
        if r.simultaneous is None or r.interval is None:
            assert r.p_adjusted is None
            continue
        assert (r.simultaneous.low > 0 or r.simultaneous.high < 0) == (r.p_adjusted < 0.05)  # type: ignore[operator]
        assert r.simultaneous.low <= r.interval.low + 1e-12
        assert (r.p_adjusted or 0) >= (r.p or 0) - 0.01


def test_a_comparison_with_everything_survives_json() -> None:
    found = jb.compare_systems(ratings(1), margin=2.0)
    assert len(found.rows[0].tests) == 2
    assert [e.effect for e in found.rows[0].effects] == [
        *("rank_biserial", "cliff_delta", "d_av", "d_z")
    ]
    again = Differences.from_dict(found.to_dict())
    assert again == found
    assert ResultTable.from_dict(found.to_dict()) == found
    assert Result.from_dict(found.rows[0].to_dict()) == found.rows[0]
    scores = jb.mean_scores(ratings(1), pass_mark=0.5, robustness=True)
    assert ResultTable.from_dict(scores.to_dict()) == scores
    assert hash(found) == hash(again)


def test_the_columns_of_a_table_hold_plain_values() -> None:
    columns = jb.compare_systems(ratings(1), margin=1.0).to_columns()
    assert {len(values) for values in columns.values()} == {3}
    plain = (int, float, str, type(None))
    assert all(isinstance(value, plain) for values in columns.values() for value in values)
    assert columns["low_simultaneous"][0] <= columns["low"][0]


def test_a_barely_positive_variance_tells_nothing_apart_in_a_family() -> None:
    # V = 0.04 + 0.04 − 0.0799 = 0.0001: alone t = 0.2/0.01 = 20, in the family 0.2/0.2 = 1.
    interval = Interval(low=0.17, high=0.23, confidence=0.95, method="t(9)")
    rows = [
        Difference(
            estimate=0.2, interval=interval, p=1e-8, t=20.0, df=9, se=0.01, system=s, other="b"
        )
        for s in "xy"
    ]
    joint = {"item": 0.04 * np.eye(2), "rater": 0.04 * np.eye(2), "cell": 0.0799 * np.eye(2)}
    for found in together(rows, joint):
        assert (found.p_adjusted or 0) > 0.3
        assert found.simultaneous is not None
        assert found.simultaneous.low < 0
    # For these raters the items alone decide, and there is nothing to subtract.
    narrow = together(rows, joint, generalize="items")
    assert (narrow[0].p_adjusted or 1) < 0.001
