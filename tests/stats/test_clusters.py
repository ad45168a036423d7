"""Two-way clustered variances: by hand, by a slow oracle, by statsmodels; who may claim what."""

from __future__ import annotations

import math
import random
import re
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from jurybox.analysis.api import compare_systems, mean_scores
from jurybox.errors import InputError
from jurybox.stats.clusters import (
    Claims,
    Cluster,
    Generalize,
    OneWay,
    claims,
    main_variances,
)
from jurybox.stats.distributions import t_quantile

Rows = list[tuple[str, str, str, float]]  # item, system, rater, score


def table(rows: Rows) -> dict[str, list[Any]]:
    return dict(
        zip(("item", "system", "rater", "score"), map(list, zip(*rows, strict=True)), strict=True)
    )


def crossed(
    n_items: int, n_raters: int, seed: int, *, share: float = 1.0, systems: str = "AB"
) -> Rows:
    """Ratings with strong rater and item effects; ``share`` of the cells is there."""
    draw = random.Random(seed)
    item = {f"i{i}": draw.gauss(0, 1) for i in range(n_items)}
    rater = {f"r{r}": draw.gauss(0, 1) for r in range(n_raters)}
    return [
        (i, s, r, item[i] + rater[r] + (s == "B") * 0.5 + draw.gauss(0, 1))
        for i in item
        for s in systems
        for r in rater
        if draw.random() < share
    ]


def clustered(influence: dict[tuple[str, str], float], factor: float = 1.0) -> tuple[float, int]:
    """The two-way variance of a statistic from each (item, rater)'s influence; slow and plain.

    ``factor`` multiplies what comes of raters.
    """
    total = 0.0
    counts = []
    for kind, sign in (("item", 1), ("rater", 1), ("cell", -1)):
        sums: dict[Any, float] = defaultdict(float)
        for cell, value in influence.items():
            sums[{"item": cell[0], "rater": cell[1], "cell": cell}[kind]] += value
        g = len(sums)
        counts.append(g)
        own = 1.0 if kind == "item" else factor
        total += own * sign * g / (g - 1) * sum(value**2 for value in sums.values())
    return total, min(counts[:2])


def half_width(variance: float, smallest: int) -> float:
    return t_quantile(0.95, smallest - 1) * math.sqrt(variance)


def test_a_mean_by_hand() -> None:
    # Scores 1, 2 / 3, 6 (items × raters); mean 3; residuals −2, −1 / 0, 3; n = 4.
    # V_item = 2/1 · ((−3)² + 3²)/16 = 2.25; V_rater = 2/1 · ((−2)² + 2²)/16 = 1;
    # V_cell = 4/3 · (4 + 1 + 0 + 9)/16 = 7/6; V = 2.25 + 1 − 7/6 = 25/12; t(1) = 12.7062.
    rows: Rows = [("1", "A", "x", 1), ("1", "A", "y", 2), ("2", "A", "x", 3), ("2", "A", "y", 6)]
    found = mean_scores(table(rows)).rows[0]
    assert found.estimate == 3
    assert found.interval is not None
    half = 12.706204736 * math.sqrt(25 / 12)
    assert (found.interval.low, found.interval.high) == pytest.approx((3 - half, 3 + half))
    # For these two raters alone only the items vary: V_item = 2.25, t(1).
    assert found.these_raters is not None
    assert found.these_raters.high == pytest.approx(3 + 12.706204736 * 1.5)


def test_a_difference_by_hand() -> None:
    # Within items A − B: item 1: 2 − 1 = 1, item 2: 4 − 1 = 3; δ = 2, item means of both 1.5, 2.5.
    # One rater each: rater sums are the same as cell sums; one rater only, so items carry it:
    # V = 2/1 · ((1 − 2)² + (3 − 2)²)/2² = 1; t(1).
    rows: Rows = [("1", "A", "x", 2), ("1", "B", "x", 1), ("2", "A", "x", 4), ("2", "B", "x", 1)]
    found = compare_systems(table(rows)).rows[0]
    assert (found.estimate, found.n_raters) == (2, 1)
    assert found.interval is not None
    assert found.interval.high == pytest.approx(2 + 12.706204736)
    assert found.interval.generalizes_to == "items like these, judged by this rater only"
    # p = P(|T₁| ≥ 2) = 1 − 2/π · arctan 2
    assert found.p == pytest.approx(1 - 2 / math.pi * math.atan(2))


@pytest.mark.parametrize("share", [1.0, 0.6])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_mean_agrees_with_a_slow_oracle(share: float, seed: int) -> None:
    rows = crossed(9, 6, seed, share=share)
    found = mean_scores(table(rows))
    for system in "AB":
        scores = {(i, r): y for i, s, r, y in rows if s == system}
        mean = sum(scores.values()) / len(scores)
        variance, smallest = clustered({c: (y - mean) / len(scores) for c, y in scores.items()})
        row = found[system]
        assert row.estimate == pytest.approx(mean, abs=1e-12)
        assert row.interval.high - mean == pytest.approx(half_width(variance, smallest), rel=1e-9)


@pytest.mark.parametrize("share", [1.0, 0.6])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_difference_agrees_with_a_slow_oracle(share: float, seed: int) -> None:
    rows = crossed(9, 6, seed, share=share)
    found = compare_systems(table(rows)).rows[0]
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    for i, s, _, y in rows:
        scores[i, s].append(y)
    means = {key: sum(ys) / len(ys) for key, ys in scores.items()}
    items = [i for i in {row[0] for row in rows} if (i, "A") in means and (i, "B") in means]
    delta = sum(means[i, "B"] - means[i, "A"] for i in items) / len(items)
    influence: dict[tuple[str, str], float] = defaultdict(float)
    weight: dict[tuple[str, str], float] = defaultdict(float)
    n = 0
    for i, s, r, y in rows:
        if i in items:
            level = (means[i, "A"] + means[i, "B"]) / 2
            sign = 1 if s == "B" else -1
            residual = y - level - sign * delta / 2
            influence[i, r] += sign * residual / len(scores[i, s]) / len(items)
            weight[i, r] += 0.5 / len(scores[i, s])
            n += 1
    # How far raters judged one system only of an item, whose level they are then part of.
    alone = 2 - sum(w**2 for w in weight.values()) * n / len(items) ** 2
    assert share < 1 or alone == pytest.approx(0, abs=1e-12)
    factor = (1 - min(1.0, max(0.0, alone)) * len(items) / n) ** -2
    variance, smallest = clustered(influence, factor)
    assert (found.system, found.other) == (("B", "A") if delta > 0 else ("A", "B"))
    assert found.estimate == pytest.approx(abs(delta), abs=1e-12)
    assert found.interval is not None
    width = found.interval.high - found.interval.low
    assert width / 2 == pytest.approx(half_width(variance, smallest), rel=1e-9)


def test_a_mean_agrees_with_statsmodels() -> None:
    rows = [row for row in crossed(15, 8, 5, share=0.7) if row[1] == "A"]
    y = np.array([row[3] for row in rows])
    groups = np.column_stack(
        [np.unique([row[k] for row in rows], return_inverse=True)[1] for k in (0, 2)]
    )
    fit = sm.OLS(y, np.ones(len(y))).fit(cov_type="cluster", cov_kwds={"groups": groups})
    found = mean_scores(table(rows)).rows[0]
    assert found.interval is not None
    half = found.interval.high - (found.estimate or 0)
    assert half / t_quantile(0.95, 7) == pytest.approx(math.sqrt(fit.cov_params()[0, 0]), rel=1e-9)


def test_a_difference_agrees_with_statsmodels_and_item_intercepts() -> None:
    rows = crossed(12, 6, 6)
    items = sorted({row[0] for row in rows})
    x = np.array([[row[1] == "B", *(row[0] == i for i in items)] for row in rows], dtype=float)
    y = np.array([row[3] for row in rows])
    groups = np.column_stack(
        [np.unique([row[k] for row in rows], return_inverse=True)[1] for k in (0, 2)]
    )
    fit = sm.OLS(y, x).fit(cov_type="cluster", cov_kwds={"groups": groups})
    # statsmodels also multiplies by (n − 1)/(n − k) for the k coefficients of the regression.
    se = math.sqrt(fit.cov_params()[0, 0]) / math.sqrt((len(y) - 1) / (len(y) - x.shape[1]))
    found = compare_systems(table(rows)).rows[0]
    assert found.interval is not None
    assert abs(found.estimate or 0) == pytest.approx(abs(float(fit.params[0])))
    half = (found.interval.high - found.interval.low) / 2
    assert half / t_quantile(0.95, 5) == pytest.approx(se, rel=1e-9)


@settings(max_examples=8)
@given(seed=st.integers(0, 10_000))
def test_names_and_order_of_rows_do_not_matter(seed: int) -> None:
    rows = crossed(6, 5, seed, share=0.8)
    draw = random.Random(seed)
    other = {name: f"x{k}" for k, name in enumerate(draw.sample([f"i{i}" for i in range(6)], 6))}
    who = {name: f"p{k}" for k, name in enumerate(draw.sample([f"r{i}" for i in range(5)], 5))}
    moved = [(other[i], s, who[r], y) for i, s, r, y in rows]
    draw.shuffle(moved)
    before, after = mean_scores(table(rows)), mean_scores(table(moved))
    for system in {row[1] for row in rows}:
        one, two = before[system].interval, after[system].interval
        assert (one.low, one.high) == pytest.approx((two.low, two.high), rel=1e-9)


@settings(max_examples=8)
@given(shift=st.floats(-1e6, 1e6), scale=st.floats(0.01, 100))
def test_a_shifted_and_stretched_scale_shifts_and_stretches_the_interval(
    shift: float, scale: float
) -> None:
    rows = crossed(6, 5, 1)
    before = mean_scores(table(rows))["A"].interval
    moved = mean_scores(table([(i, s, r, shift + scale * y) for i, s, r, y in rows]))["A"].interval
    assert moved.high - moved.low == pytest.approx(scale * (before.high - before.low), rel=1e-5)


def one(variance: float, clusters: int) -> OneWay:
    return OneWay(variance=variance, clusters=clusters)


def test_one_rater_claims_items_only() -> None:
    found = claims({"item": one(1.0, 8), "rater": one(0, 1), "cell": one(1.0, 8)})
    assert found.main is not None
    assert (found.main.df, found.main.variance) == (7, 1.0)
    assert found.notes == ("holds for this rater only",)


def test_one_item_claims_raters_only() -> None:
    found = claims({"item": one(0, 1), "rater": one(1.0, 8), "cell": one(1.0, 8)})
    assert found.main is not None
    assert found.main.generalizes_to == "raters like these, on this item only"


def test_one_rater_and_one_item_claim_nothing() -> None:
    found = claims({"item": one(0, 1), "rater": one(0, 1), "cell": one(0, 1)})
    assert (found.main, found.undefined) == (None, "there is only one rater and one item")


@pytest.mark.parametrize(("raters", "both"), [(2, True), (4, True), (5, False), (12, False)])
def test_two_to_four_raters_get_both_claims(raters: int, both: bool) -> None:
    found = claims({"item": one(1.0, 50), "rater": one(2.0, raters), "cell": one(0.5, 99)})
    assert found.main is not None
    assert (found.main.variance, found.main.df) == (2.5, raters - 1)
    assert (found.these_raters is not None) is both
    assert any("raters carry the interval" in note for note in found.notes) is (raters < 10)


def test_a_variance_that_is_not_positive_gives_way_to_the_larger_one() -> None:
    found = claims({"item": one(1.0, 50), "rater": one(2.0, 20), "cell": one(3.5, 99)})
    assert found.main is not None
    assert found.main.variance == 2.0
    assert "larger one-way variance (by rater)" in found.notes[0]


def test_no_variation_is_said() -> None:
    found = claims({"item": one(0, 50), "rater": one(0, 20), "cell": one(0, 99)})
    assert (found.main, found.undefined) == (None, "neither raters nor items vary")
    assert found.smallest == 20


def test_what_was_asked_for_is_what_is_claimed() -> None:
    known = {"item": one(1.0, 50), "rater": one(2.0, 20), "cell": one(0.5, 99), "row": one(0.1, 99)}
    asked = {"rater": 2.0, "item": 1.0, None: 0.1}
    for cluster, variance in asked.items():
        found = claims(known, cluster=cluster)  # type: ignore[arg-type]  # keys of a plain dict
        assert found.main is not None
        assert found.main.variance == variance
    narrow = claims(known, generalize="items").main
    assert narrow is not None
    assert narrow.generalizes_to == "items like these, judged by these raters"


def test_unknown_choices_are_refused() -> None:
    with pytest.raises(InputError, match="cluster must be 'both', 'rater', 'item' or None"):
        mean_scores(table(crossed(3, 3, 1)), cluster="raters")  # type: ignore[arg-type]  # wrong
    with pytest.raises(InputError, match=r"generalize must be 'raters\+items' or 'items'"):
        mean_scores(table(crossed(3, 3, 1)), generalize="all")  # type: ignore[arg-type]  # wrong
    with pytest.raises(InputError, match="confidence must lie between 0 and 1"):
        mean_scores(table(crossed(3, 3, 1)), confidence=95)
    rows = table(crossed(3, 3, 1))
    del rows["rater"]
    with pytest.raises(InputError, match="cluster='rater' needs a column 'rater'"):
        mean_scores(rows, cluster="rater")


@pytest.mark.parametrize("cluster", ["rater", "item"])
def test_clusters_that_were_asked_for_by_name_must_be_there(cluster: Any) -> None:
    with pytest.raises(InputError, match=f"needs a column '{cluster}'"):
        claims({"row": OneWay(variance=1.0, clusters=9)}, cluster=cluster)


@given(
    variances=st.lists(
        st.tuples(*[st.sampled_from([0.0, 0.1, 0.3, 1.0, 4.5])] * 4), min_size=1, max_size=5
    ),
    items=st.integers(1, 12),
    raters=st.integers(1, 12),
    named=st.sampled_from(
        [("row",), ("item", "row"), ("rater", "row"), ("item", "rater", "cell", "row")]
    ),
    cluster=st.sampled_from(["both", "rater", "item", None]),
    generalize=st.sampled_from(["raters+items", "items"]),
)
def test_many_variances_at_once_are_those_of_single_claims(
    variances: list[tuple[float, ...]],
    items: int,
    raters: int,
    named: tuple[str, ...],
    cluster: Cluster,
    generalize: Generalize,
) -> None:
    sizes = {"item": items, "rater": raters, "cell": items * raters, "row": items * raters + 1}
    # One cluster has no variance of its own, as ``_one_way`` says.
    parts = {
        kind: (np.array([row[k] if sizes[kind] > 1 else 0.0 for row in variances]), sizes[kind])
        for k, kind in enumerate(("item", "rater", "cell", "row"))
        if kind in named
    }
    asked: Any = {"cluster": cluster, "generalize": generalize}

    def single(n: int) -> Claims:
        found = {
            kind: OneWay(variance=float(values[n]), clusters=g)
            for kind, (values, g) in parts.items()
        }
        return claims(found, **asked)

    try:
        expected = [single(n).main for n in range(len(variances))]
    except InputError as error:
        with pytest.raises(InputError, match=re.escape(str(error))):
            main_variances(parts, **asked)
        return
    found, df = main_variances(parts, **asked)
    assert found.tolist() == [0.0 if main is None else main.variance for main in expected]
    assert {main.df for main in expected if main is not None} <= {df}


def test_items_whose_differences_cancel_have_no_interval_of_rounding_noise() -> None:
    # On every item the three raters' differences are −0.2, 0 and 0.2, whose sum is 0 but for
    # rounding: items do not vary, so that these raters alone have no interval, and none of width 0.
    rows = [
        (f"i{i}", system, f"r{r}", score)
        for i in range(6)
        for r, both in enumerate([(0.1, 0.3), (0.2, 0.2), (0.3, 0.1)])
        for system, score in zip("AB", both, strict=True)
    ]
    (row,) = compare_systems(table(rows)).rows
    assert row.estimate == pytest.approx(0, abs=1e-15)
    assert row.these_raters is None
    assert row.interval is not None
    # Raters: V = 3/2 · 2 · (0.2/3)²; by cell 18/17 · 12 · (0.2/18)²; items none. With t(2).
    least = 3 / 2 * 2 * (0.2 / 3) ** 2
    variance = least - 18 / 17 * 12 * (0.2 / 18) ** 2
    assert variance > least / 4
    assert row.interval.high == pytest.approx(t_quantile(0.95, 2) * math.sqrt(variance))
