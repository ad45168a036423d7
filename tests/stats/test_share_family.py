"""Win rates judged together: adjusted p and simultaneous intervals on the logit scale."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from jurybox.analysis.measure.pairs import pair_shares
from jurybox.analysis.options import Options
from jurybox.stats.distributions import to_logit
from jurybox.stats.shares import Share
from jurybox.tally import vote_rows
from jurybox.tally.reading import read

Vote = tuple[str, str, str, str, str]  # item, rater, system a, system b, winner


def simulated(seed: int, *, raters: int = 8, items: int = 15, systems: str = "wxyz") -> list[Vote]:
    draw = random.Random(seed)
    taste = {(r, s): draw.gauss(0, 0.6) for r in range(raters) for s in systems}
    found = []
    for i in range(items):
        for r in range(raters):
            a, b = draw.sample(systems, 2)
            gap = taste[r, a] - taste[r, b] + 0.4 * (systems.index(b) - systems.index(a))
            winner = "a" if draw.random() < 1 / (1 + math.exp(-gap)) else "b"
            found.append((f"i{i:02}", f"r{r}", a, b, "tie" if draw.random() < 0.1 else winner))
    return found


def pairs(rows: list[Vote], options: Options | None = None, **asked: Any) -> list[Share]:
    names = ("item", "rater", "system_a", "system_b", "winner")
    responses = read(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    try:
        return pair_shares(responses, vote_rows.pair_rows(), options or Options(), **asked)
    finally:
        responses.close()


@settings(max_examples=10)
@given(seed=st.integers(0, 500))
def test_interval_and_p_never_disagree(seed: int) -> None:
    found = pairs(simulated(seed))
    assert len(found) == 6
    for row in found:
        assert row.adjusted_by == "max-t over 6 comparisons"
        assert row.simultaneous is not None
        assert row.interval is not None
        assert row.p is not None
        assert row.p_adjusted is not None
        assert row.simultaneous.method.endswith("max-t over 6 comparisons")
        assert 0 <= row.simultaneous.low <= row.interval.low
        assert row.interval.high <= row.simultaneous.high <= 1
        assert row.p_adjusted >= row.p
        assert (row.p_adjusted < 0.05) == (not row.simultaneous.low <= 0.5 <= row.simultaneous.high)


def joint_by_hand(rows: list[Vote], names: list[tuple[str, str]]) -> Any:
    """The covariance of all pairs' win rates clustered by rater, rater by rater."""
    score = {"a": 1.0, "b": 0.0, "tie": 0.5}
    table = []
    for _, rater, a, b, winner in rows:
        pair = (a, b) if (a, b) in names else (b, a)
        won = score[winner] if pair == (a, b) else 1 - score[winner]
        table.append((rater, names.index(pair), won))
    n = [sum(1 for row in table if row[1] == k) for k in range(len(names))]
    theta = [sum(row[2] for row in table if row[1] == k) / n[k] for k in range(len(names))]
    raters = sorted({row[0] for row in table})
    moved, seen = np.zeros((len(raters), len(names))), np.zeros((len(raters), len(names)))
    for rater, k, won in table:
        moved[raters.index(rater), k] += (won - theta[k]) / n[k]
        seen[raters.index(rater), k] = 1
    many = seen.sum(axis=0)
    moved *= np.sqrt(many / (many - 1))
    return moved.T @ moved


def test_critical_value_is_that_of_the_pairs_own_correlation() -> None:
    rows = simulated(3, raters=10, items=20)
    found = pairs(rows, Options(cluster="rater"))
    names = [(row.system or "", row.other or "") for row in found]
    covariance = joint_by_hand(rows, names)
    scale = np.sqrt(np.diag(covariance))
    rng = np.random.default_rng(99)
    df = min(row.n_raters or 0 for row in found) - 1
    z = rng.multivariate_normal(np.zeros(6), covariance / np.outer(scale, scale), 200_000)
    t = np.abs(z).max(axis=1) / np.sqrt(rng.chisquare(df, len(z)) / df)
    for row, se in zip(found, scale, strict=True):
        p = row.estimate or 0.0
        s = se / (p * (1 - p))
        # The end away from one half; the one towards it goes on by |1 − 2p| s².
        far = to_logit(row.simultaneous.high) - to_logit(p)  # type: ignore[union-attr]
        assert far / s == pytest.approx(np.quantile(t, 0.95), abs=0.03)
        own = max(0.0, to_logit(p) - (2 * p - 1) * s**2) / s
        assert row.p_adjusted == pytest.approx((t >= own).mean(), abs=0.01)


def test_no_variance_of_a_family_is_below_the_larger_one_way_one() -> None:
    rows = simulated(3, raters=6, items=40)
    found = pairs(rows)
    errors = []
    for row in found:
        each = []
        for cluster in ("both", "item", "rater"):
            kept = pairs(rows, Options(cluster=cluster))
            own = next(r for r in kept if {r.system, r.other} == {row.system, row.other})
            assert own.interval is not None
            df = int(own.interval.method.rsplit("t(", 1)[1].rstrip(")"))
            # At the end away from ½ the interval is the plain logit p ± t · s.
            far = own.interval.high if (own.estimate or 0) > 0.5 else own.interval.low
            gap = abs(to_logit(far) - to_logit(own.estimate or 0.5))
            each.append(gap / float(stats.t.ppf(0.975, df)))
        errors.append(each)
    halves = []
    for row in found:
        assert row.simultaneous is not None
        halves.append(to_logit(row.simultaneous.high) - to_logit(row.estimate or 0.5))
    assert any(own < 0.99 * max(others) for own, *others in errors)
    ratio = [half / max(each) for half, each in zip(halves, errors, strict=True)]
    assert ratio == pytest.approx([ratio[0]] * len(found))


def test_a_pair_that_is_always_won_joins_with_wilson() -> None:
    rows = [row for row in simulated(5) if {row[2], row[3]} != {"w", "x"}]
    rows += [(f"i{k:02}", f"r{k % 8}", "w", "x", "a") for k in range(16)]
    found = {(row.system, row.other): row for row in pairs(rows)}
    row = found["w", "x"]
    assert row.estimate == 1
    assert row.simultaneous is not None
    assert row.interval is not None
    assert row.simultaneous.high == 1
    assert row.simultaneous.low < row.interval.low
    assert "Wilson with n = 8 clusters" in row.simultaneous.method
    # z = (1 − ½) / √(¼ / 8) = √8; the critical value c of the others' own family, or a larger one
    assert row.p_adjusted is not None
    assert (row.p_adjusted < 0.05) == (row.simultaneous.low > 0.5)


def test_the_asked_pair_stands_alone_and_first() -> None:
    found = pairs(simulated(1), alone=("z", "w"), wanted=lambda a, b: "w" in (a, b))
    assert [{row.system, row.other} for row in found[1:]] == [{"w", "x"}, {"w", "y"}]
    assert (found[0].system, found[0].other) == ("z", "w")
    assert (found[0].p_adjusted, found[0].simultaneous, found[0].adjusted_by) == (None, None, None)
    assert all(row.adjusted_by == "max-t over 2 comparisons" for row in found[1:])


def test_one_pair_is_no_family() -> None:
    (row,) = pairs(simulated(2, systems="xy"))
    assert (row.p_adjusted, row.simultaneous, row.adjusted_by) == (None, None, None)


def test_one_rater_on_one_item_has_no_p_and_no_family() -> None:
    found = pairs([("i", "r", "x", "y", "a"), ("i", "r", "y", "z", "a")])
    assert all(row.p is None and row.p_adjusted is None for row in found)


@pytest.mark.parametrize("cluster", ["both", "rater", "item", None])
def test_every_clustering_has_its_joint_distribution(cluster: Any) -> None:
    found = pairs(simulated(4), Options(cluster=cluster))
    assert all(row.adjusted_by == "max-t over 6 comparisons" for row in found)


def test_more_pairs_than_can_be_joined_are_adjusted_by_holm(monkeypatch: Any) -> None:
    monkeypatch.setattr("jurybox.analysis.measure.pairs.MOST_JOINT", 5)
    found = pairs(simulated(4))
    assert all(row.adjusted_by == "Holm over 6 comparisons" for row in found)
    assert all(row.simultaneous is None for row in found)
