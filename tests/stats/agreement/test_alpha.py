"""Agreement: alpha, percent agreement, Fleiss and Cohen, with their intervals."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats import inter_rater

from jurybox.analysis.api import cohen_kappa, fleiss_kappa, krippendorff_alpha, percent_agreement
from jurybox.stats.agreement.alpha import Level
from jurybox.stats.agreement.patterns import ONE_UNIT
from jurybox.stats.distributions import t_quantile
from jurybox.stats.two_way import variance_of_pairs
from tests.stats.agreement.rater_matrices import Matrix, fisher_z, noisy, table

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")


matrices = st.lists(
    st.lists(st.sampled_from([None, 0.0, 0.5, 1.0, 2.0]), min_size=6, max_size=6),
    min_size=2,
    max_size=4,
)


@given(matrix=matrices, level=st.sampled_from(LEVELS))
def test_alpha_agrees_with_the_krippendorff_package(matrix: Matrix, level: Level) -> None:
    values = [value for own in matrix for value in own if value is not None]
    if not values:
        return
    found = krippendorff_alpha(table(matrix), level=level, n_resamples=20)
    paired = [
        [own[u] for own in matrix if own[u] is not None]
        for u in range(6)
        if sum(own[u] is not None for own in matrix) > 1
    ]
    if not paired:
        assert found.estimate is None
        assert found.undefined in ("no unit has two responses", "there is only one rater")
    elif len({value for unit in paired for value in unit}) == 1:
        assert found.estimate is None
        assert found.undefined == "every response is the same value"
    elif len(paired) == 1:
        assert found.estimate is None
        assert found.undefined == ONE_UNIT
    else:
        data = np.array([[np.nan if v is None else v for v in own] for own in matrix])
        other = krippendorff.alpha(data, level_of_measurement=level)
        assert found.estimate == pytest.approx(other, abs=1e-9)
        assert (found.estimate or 0) <= 1
        if found.interval is not None:
            assert found.interval.low < found.interval.high


@settings(max_examples=6)
@given(seed=st.integers(0, 999))
def test_fleiss_and_cohen_agree_with_statsmodels(seed: int) -> None:
    matrix = noisy(3, 20, seed)
    counts, _ = inter_rater.aggregate_raters(np.array(matrix, dtype=int).T)
    assert fleiss_kappa(table(matrix), n_resamples=20).estimate == pytest.approx(
        inter_rater.fleiss_kappa(counts)
    )
    two = matrix[:2]
    square = np.zeros((5, 5))
    for one, other in zip(*two, strict=True):
        square[int(one or 0) - 1, int(other or 0) - 1] += 1
    plain = inter_rater.cohens_kappa(square, return_results=False)
    assert cohen_kappa(table(two), n_resamples=20).estimate == pytest.approx(plain)
    weighted = inter_rater.cohens_kappa(square, wt="quadratic", return_results=False)
    assert cohen_kappa(table(two), weights="quadratic", n_resamples=20).estimate == pytest.approx(
        weighted
    )
    linear = inter_rater.cohens_kappa(square, wt="linear", return_results=False)
    assert cohen_kappa(table(two), weights="linear", n_resamples=20).estimate == pytest.approx(
        linear
    )


def test_cohen_of_ten_pairs() -> None:
    # Observed agreement 7/10. Margins (2..5): first 1,3,3,3; second 2,3,3,2.
    # Chance: (1·2 + 3·3 + 3·3 + 3·2)/100 = 0.26. κ = (0.7 − 0.26)/(1 − 0.26) = 0.5946.
    first, second = [5, 4, 3, 5, 2, 4, 3, 5, 4, 3], [5, 4, 2, 5, 2, 3, 3, 4, 4, 3]
    found = cohen_kappa(table([[float(v) for v in first], [float(v) for v in second]]))
    assert found.estimate == pytest.approx(0.44 / 0.74)
    assert round(found.estimate or 0, 4) == 0.5946


def test_percent_agreement_by_hand() -> None:
    # Unit 1: 1, 1, 2: one of three pairs agrees; unit 2: 3, 3, 3: all; unit 3: one response.
    found = percent_agreement(table([[1, 3, 2], [1, 3, None], [2, 3, None]]))
    assert found.estimate == pytest.approx((1 / 3 + 1) / 2)
    assert (found.n_units, found.n_dropped) == (2, 1)


def plain_alpha(rows: list[tuple[str, str, float]], level: Level) -> float:
    units: dict[str, dict[str, float]] = defaultdict(dict)
    for unit, rater, value in rows:
        units[unit][rater] = value
    raters = sorted({row[1] for row in rows})
    data = np.array([[units[u].get(r, np.nan) for u in sorted(units)] for r in raters])
    return float(krippendorff.alpha(data, level_of_measurement=level))


def per_unit(rows: list[tuple[str, str, float]]) -> float:
    sizes = [count for count in Counter(row[0] for row in rows).values() if count > 1]
    return sum(sizes) / len(sizes)


def left_out(
    rows: list[tuple[str, str, float]], clusters: list[Any], level: Level, k: float
) -> tuple[float, float]:
    """Of z without each cluster: (G − 1)/G Σ (z₍g₎ − mean)² and (G − 1)(mean − z)."""
    whole = fisher_z(plain_alpha(rows, level), k)
    left = []
    for one in sorted(set(clusters)):
        kept = [row for row, cluster in zip(rows, clusters, strict=True) if cluster != one]
        left.append(fisher_z(plain_alpha(kept, level), k))
    return (len(left) - 1) * float(np.var(left)), (len(left) - 1) * float(np.mean(left) - whole)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_the_two_way_jackknife_agrees_with_leaving_out_one_by_one(level: Level) -> None:
    ratings = table(noisy(6, 12, 3, missing=0.15))
    rows = list(zip(ratings["item"], ratings["rater"], ratings["score"], strict=True))
    k = per_unit(rows)
    kinds = ([r[0] for r in rows], [r[1] for r in rows], [r[:2] for r in rows])
    item, rater, cell = (left_out(rows, kind, level, k) for kind in kinds)
    bias = item[1] + rater[1] - cell[1]
    total, df = variance_of_pairs(item[0], rater[0], cell[0], n_items=12, n_raters=6) or (0, 0)
    found = krippendorff_alpha(ratings, level=level)
    assert found.interval is not None
    assert found.interval.method == f"two-way jackknife, Fisher's z, t({df})"
    middle = fisher_z(plain_alpha(rows, level), k) - bias
    half = t_quantile(0.95, df) * total**0.5
    assert fisher_z(found.interval.low, k) == pytest.approx(middle - half, abs=1e-9)
    assert fisher_z(found.interval.high, k) == pytest.approx(middle + half, abs=1e-9)


def test_the_jackknife_leaves_out_whole_items_with_all_their_outputs() -> None:
    # Two systems per item: leaving out an item leaves out two units.
    one, two = noisy(5, 10, 1), noisy(5, 10, 2)
    rows = []
    for system, matrix in (("a", one), ("b", two)):
        ratings = table(matrix)
        rows += [
            (i, r, s, system)
            for i, r, s in zip(ratings["item"], ratings["rater"], ratings["score"], strict=True)
        ]
    names = ("item", "rater", "score", "system")
    found = krippendorff_alpha(
        dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), level="interval"
    )
    units = [(r[0] + r[3], r[1], r[2]) for r in rows]
    kinds = ([r[0] for r in rows], [r[1] for r in rows], [r[:2] for r in rows])
    item, rater, cell = (left_out(units, kind, "interval", 5.0)[0] for kind in kinds)
    assert found.n_items == 10
    assert found.n_units == 20
    assert found.interval is not None
    width = fisher_z(found.interval.high, 5) - fisher_z(found.interval.low, 5)
    variance, df = variance_of_pairs(item, rater, cell, n_items=10, n_raters=5) or (0, 0)
    half = t_quantile(0.95, df) * variance**0.5
    assert width / 2 == pytest.approx(half, rel=1e-9)


def test_few_raters_claim_no_more_than_themselves() -> None:
    found = krippendorff_alpha(table(noisy(3, 30, 1)), level="ordinal")
    assert found.interval is not None
    assert found.interval.generalizes_to == "items like these, judged by these raters"
    again = krippendorff_alpha(table(noisy(3, 30, 1)), level="ordinal")
    assert found == again
    other = krippendorff_alpha(table(noisy(3, 30, 1)), level="ordinal", seed=1)
    assert other.estimate == found.estimate
    assert other.interval != found.interval


@settings(max_examples=8)
@given(seed=st.integers(0, 999))
def test_names_of_raters_and_items_do_not_matter(seed: int) -> None:
    ratings = table(noisy(5, 8, seed, missing=0.1))
    moved = {
        "item": [f"{name[::-1]}!" for name in ratings["item"]],
        "rater": [{"r0": "zoe", "r1": "amy"}.get(name, name) for name in ratings["rater"]],
        "score": ratings["score"],
    }
    one = krippendorff_alpha(ratings, level="ordinal")
    two = krippendorff_alpha(moved, level="ordinal")
    assert one.estimate == pytest.approx(two.estimate)
    assert one.interval is not None
    assert two.interval is not None
    assert one.interval.low == pytest.approx(two.interval.low)


def test_copied_items_leave_alpha_nearly_alone() -> None:
    matrix = noisy(4, 40, 9)
    one = krippendorff_alpha(table(matrix), level="nominal", n_resamples=20)
    two = krippendorff_alpha(table([own * 2 for own in matrix]), level="nominal", n_resamples=20)
    assert one.estimate == pytest.approx(two.estimate, abs=0.005)
