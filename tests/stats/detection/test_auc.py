"""The area under the curve, and its interval clustered by rater and item."""

from __future__ import annotations

import math
import random
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from jurybox.analysis.api import turing_test
from jurybox.errors import InputError
from jurybox.stats.clusters import Spread
from jurybox.stats.detection.auc import area
from jurybox.stats.distributions import t_quantile
from jurybox.stats.logits import logit_ends

Rows = list[tuple[str, str, str, str, str, float]]


def table(rows: Rows) -> dict[str, list[Any]]:
    names = ("item", "system", "rater", "truth", "answer", "confidence")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def simulated(seed: int, raters: int = 8, items: int = 20) -> Rows:
    draw = random.Random(seed)
    taste = [draw.gauss(0, 0.5) for _ in range(raters)]
    rows: Rows = []
    for i in range(items):
        truth = "real" if i % 2 else "generated"
        system = "camera" if truth == "real" else f"m{i % 4}"
        hard = draw.gauss(0, 0.5)
        for r in range(raters):
            latent = (0.7 if truth == "generated" else -0.7) + taste[r] + hard + draw.gauss(0, 1)
            answer = "generated" if latent > 0 else "real"
            rows.append((f"i{i}", system, f"r{r}", truth, answer, min(5, 1 + int(2 * abs(latent)))))
    return rows


def signed(row: tuple[str, str, str, str, str, float]) -> float:
    return row[5] if row[4] == "generated" else -row[5]


def direct(rows: Rows) -> float:
    """Every generated output against every real one."""
    kinds = [[signed(row) for row in rows if row[3] == kind] for kind in ("generated", "real")]
    won = [1.0 if g > r else 0.5 if g == r else 0.0 for g, r in product(*kinds)]
    return sum(won) / len(won)


def direct_variance(rows: Rows, key: Any) -> float:
    """G/(G − 1) Σ ψ², with placements by comparing every output with every other."""
    generated = [signed(row) for row in rows if row[3] == "generated"]
    real = [signed(row) for row in rows if row[3] == "real"]
    a = direct(rows)
    moved: dict[Any, float] = {}
    for row in rows:
        s, of = signed(row), real if row[3] == "generated" else generated
        sign = 1 if row[3] == "generated" else -1
        place = sum(1.0 if sign * (s - o) > 0 else 0.5 if s == o else 0.0 for o in of) / len(of)
        n = len(generated) if row[3] == "generated" else len(real)
        moved[key(row)] = moved.get(key(row), 0.0) + (place - a) / n
    g = len(moved)
    return g / (g - 1) * sum(each**2 for each in moved.values())


def test_the_area_and_its_two_way_interval_against_all_pairs() -> None:
    rows = simulated(1)
    found = turing_test(table(rows)).area
    assert found is not None
    assert found.interval is not None
    assert found.estimate == pytest.approx(direct(rows), abs=1e-12)
    keys = (lambda r: r[0], lambda r: r[2], lambda r: (r[0], r[2]))
    item, rater, cell = (direct_variance(rows, key) for key in keys)
    a, se = direct(rows), math.sqrt(item + rater - cell)
    spread = Spread(variance=se**2, df=7, method="", generalizes_to="")
    ends = logit_ends(a, spread, t_quantile(0.95, 7))
    assert (found.interval.low, found.interval.high) == pytest.approx(ends, abs=1e-10)
    assert found.interval.method == "logit, clustered by rater and item, t(7)"


def test_the_area_is_mann_whitneys_u() -> None:
    rows = simulated(2)
    found = turing_test(table(rows)).area
    kinds = [[signed(row) for row in rows if row[3] == kind] for kind in ("generated", "real")]
    u = mannwhitneyu(*kinds).statistic
    assert found is not None
    assert found.estimate == pytest.approx(u / (len(kinds[0]) * len(kinds[1])))


def test_areas_per_system_and_per_rater() -> None:
    rows = simulated(3)
    found = turing_test(table(rows))
    for each in found.areas:
        part = [row for row in rows if row[3] == "real" or row[1] == each.system]
        assert each.estimate == pytest.approx(direct(part), abs=1e-12)
    for rater in found.raters:
        assert rater.area == pytest.approx(direct([r for r in rows if r[2] == rater.rater]))


def test_perfect_order_keeps_an_interval() -> None:
    rows: Rows = [
        (f"i{i}", kind, f"r{r}", kind, kind, 1 + i % 3)
        for i in range(6)
        for r in range(6)
        for kind in (("real", "generated")[i % 2],)
    ]
    found = turing_test(table(rows)).area
    assert found is not None
    assert found.interval is not None
    assert found.estimate == 1
    assert found.interval.low < 1


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("sure", "the confidence is in words, which have no order of their own"),
        (None, "no answer has a confidence"),
        (-1, "a confidence lies below 0, so its sign cannot tell real from generated"),
        (3, "every answer has the same confidence, which orders nothing beyond the answers"),
    ],
)
def test_confidence_that_has_no_order(value: Any, why: str) -> None:
    made = table(simulated(1))
    made["confidence"] = [value] * len(made["item"])
    found = turing_test(made)
    assert found.area is not None
    assert (found.area.estimate, found.area.undefined) == (None, why)
    del made["confidence"]
    found = turing_test(made)
    assert found.area is not None
    assert found.area.undefined == "no confidence was asked"


counts = st.lists(st.integers(0, 6), min_size=1, max_size=6)


@given(counts, st.data())
def test_swapping_the_kinds_mirrors_the_area(g: list[int], data: st.DataObject) -> None:
    r = data.draw(st.lists(st.integers(0, 6), min_size=len(g), max_size=len(g)))
    one, two = area(g, r), area(r, g)
    if one is None or two is None:
        assert not sum(g) or not sum(r)
        return
    assert one + two == pytest.approx(1)
    assert 0 <= one <= 1
    pairs = np.array([[x > y or (x == y) / 2 for y in range(len(g))] for x in range(len(g))])
    slow = np.asarray(g) @ pairs.astype(float) @ np.asarray(r) / (sum(g) * sum(r))
    assert one == pytest.approx(slow)


def test_counts_of_different_length_are_refused() -> None:
    with pytest.raises(InputError, match="as many counts"):
        area([1, 2], [1])
