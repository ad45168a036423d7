"""The pull of the first place: by hand, against least squares, and covered by its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from jurybox.stats.places import as_share_pull, place_pull


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    unit: NDArray[np.int64]
    system: NDArray[np.int64]
    item: NDArray[np.int64]
    rater: NDArray[np.int64]
    screen: NDArray[np.int64]
    place: NDArray[np.float64]
    y: NDArray[np.float64]


def seen(rows: Sequence[tuple[int, int, int, float, float]], systems: int = 10) -> Seen:
    """Rows of item, rater, system, place and answer; a rater sees an item once."""
    item, rater, system, place, y = (np.asarray(column) for column in zip(*rows, strict=True))
    return Seen(
        unit=np.unique(item * systems + system, return_inverse=True)[1],
        system=system,
        item=item,
        rater=rater,
        screen=np.unique(item * 1000 + rater, return_inverse=True)[1],
        place=place.astype(np.float64),
        y=y.astype(np.float64),
    )


# Item 0: rater 0 sees A, B and scores 4, 2; rater 1 sees B, A and scores 3, 5. Item 1 likewise.
HAND = [
    *((0, 0, 0, 1, 4.0), (0, 0, 1, 2, 2.0), (0, 1, 1, 1, 3.0), (0, 1, 0, 2, 5.0)),
    *((1, 0, 1, 1, 5.0), (1, 0, 0, 2, 1.0), (1, 1, 0, 1, 3.0), (1, 1, 1, 2, 4.0)),
]


def test_by_hand() -> None:
    # First minus second on a screen is pull + A − B or pull + B − A. Item 0: 4 − 2 = 2 and
    # 3 − 5 = −2, mean 0. Item 1: 5 − 1 = 4 and 3 − 4 = −1, mean 1.5. Together 0.75.
    found = place_pull(seen(HAND), what="score")
    assert found.estimate == pytest.approx(0.75)
    assert (found.n_responses, found.n_raters, found.n_items) == (8, 2, 2)
    # Every x̃ is ±1/2, so Σx̃² = 2 and every weight ±1/4: half of a screen's difference, each of
    # 4 screens a quarter. Systems' means: A (4 + 5 + 1 + 3)/4 = 3.25, B (2 + 3 + 5 + 4)/4 = 3.5,
    # x̄ = 1/2 for both. A screen moves the estimate by 1/4 (d − (first's − second's mean) − 0.75):
    # (2 + 0.25 − 0.75)/4 = 0.375, (−2 − 0.25 − 0.75)/4 = −0.75, (4 − 0.25 − 0.75)/4 = 0.75,
    # (−1 + 0.25 − 0.75)/4 = −0.375.
    # V(item) = 2 (0.375² + 0.375²) = 0.5625; V(rater): 1.125 and −1.125, 2 · 2 · 1.125² = 5.0625;
    # V(cell) = 4/3 (2 · 0.375² + 2 · 0.75²) = 1.875. Together 3.75.
    assert found.interval is not None
    t = 12.7062047364  # 0.975 quantile with min(2, 2) − 1 = 1 degree of freedom
    assert found.interval.high - found.interval.low == pytest.approx(2 * t * 3.75**0.5)
    assert found.interval.method == "clustered by rater and item, t(1)"
    assert found.df == 1
    share = as_share_pull(found)
    assert share.format(share.estimate) == "75.0 points"


def drawn(
    rng: np.random.Generator,
    *,
    items: int,
    raters: int,
    k: int,
    pull: float,
    differs: float = 0.5,
    chosen: bool = False,
) -> Seen:
    """Draw k of the raters for every item; what the first place adds differs between them.

    ``chosen``: better outputs of an item stand nearer to the front.
    """
    systems = 3
    quality = rng.normal(0, 1, (items, systems)) + np.arange(systems)
    mild, own = rng.normal(0, 1, raters), rng.normal(pull, differs, raters)
    taste = rng.normal(0, 0.3, (raters, systems))
    rows = []
    for item in range(items):
        order = rng.permutation(systems)
        for number, rater in enumerate(rng.choice(raters, k, replace=False)):
            turned = np.roll(order, number)
            if chosen:
                turned = np.argsort(-quality[item] - rng.normal(0, 1, systems))
            for place, system in enumerate(turned):
                y = quality[item, system] + mild[rater] + taste[rater, system] + rng.normal()
                y += own[rater] * (place == 0)
                rows.append((item, int(rater), int(system), place + 1, y))
    return seen(rows)


def test_it_is_the_coefficient_of_least_squares_with_outputs_and_screens() -> None:
    data = drawn(np.random.default_rng(4), items=12, raters=5, k=3, pull=0.4)

    def levels(of: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.eye(int(of.max()) + 1)[of]

    x = (data.place == 1).astype(float)
    design = np.column_stack([x, levels(data.unit), levels(data.screen)])
    plain = np.linalg.lstsq(design, data.y, rcond=None)[0][0]
    found = place_pull(data, what="score")
    assert found.estimate == pytest.approx(plain, abs=1e-8)


def test_what_stands_first_because_it_is_good_has_no_pull() -> None:
    rng = np.random.default_rng(1)
    found = [
        place_pull(drawn(rng, items=40, raters=8, k=4, pull=0.0, chosen=True), what="score")
        for _ in range(40)
    ]
    estimates = np.asarray([each.estimate for each in found], dtype=float)
    error = float(estimates.std() / len(found) ** 0.5)
    assert abs(estimates.mean()) < 3 * error < 0.15
    # As they stand, the first places have more than half a point more than the last.
    data = drawn(rng, items=200, raters=8, k=4, pull=0.0, chosen=True)
    assert data.y[data.place == 1].mean() - data.y[data.place == 3].mean() > 0.5


@pytest.mark.parametrize(("raters", "k", "least"), [(3, 3, 0.93), (5, 2, 0.93), (12, 3, 0.92)])
def test_the_interval_covers_the_pull_of_raters_like_these(
    raters: int, k: int, least: float
) -> None:
    rng = np.random.default_rng(7)
    studies, covered = 300, 0
    for _ in range(studies):
        found = place_pull(drawn(rng, items=25, raters=raters, k=k, pull=0.3), what="score")
        assert found.interval is not None
        covered += found.interval.low <= 0.3 <= found.interval.high
    # At 95%, 300 studies cover in fewer than 92% less than once in a hundred times; few raters have
    # t with few degrees of freedom, which covers more.
    assert covered / studies >= least


@given(st.data())
def test_the_rows_may_come_in_any_order_and_scores_be_moved(data: st.DataObject) -> None:
    base = drawn(np.random.default_rng(2), items=6, raters=4, k=3, pull=0.5)
    order = data.draw(st.permutations(range(len(base.y))))
    shift, scale = data.draw(st.sampled_from([(0.0, 1.0), (100.0, 1.0), (-3.0, 2.5)]))
    moved: dict[str, Any] = {name: getattr(base, name)[order] for name in Seen.__slots__}
    moved["y"] = shift + scale * moved["y"]
    one, two = place_pull(base, what="score"), place_pull(Seen(**moved), what="score")
    assert one.estimate is not None
    assert two.estimate == pytest.approx(scale * one.estimate, abs=1e-9)
    assert one.interval is not None
    assert two.interval is not None
    assert two.interval.low == pytest.approx(scale * one.interval.low, abs=1e-9)
    assert two.p == pytest.approx(one.p)


def test_an_order_that_all_share_is_undefined() -> None:
    rows = [(i, r, s, s + 1, float(r + s)) for i in range(3) for r in range(3) for s in range(3)]
    found = place_pull(seen(rows), what="score")
    assert found.estimate is None
    assert found.interval is None
    assert found.p is None
    assert found.undefined is not None
    assert found.undefined.startswith("no output stands at the first place on one screen and at an")


def test_outputs_judged_once_are_undefined() -> None:
    rows = [(i, i, s, p + 1, 1.0) for i in range(3) for p, s in enumerate((0, 1))]
    assert place_pull(seen(rows), what="score").undefined is not None


def test_a_screen_with_one_answer_left_says_nothing() -> None:
    # Of each screen only one answer is there: the place and the screen are one.
    rows = [(0, 0, 0, 1, 5.0), (0, 1, 0, 2, 1.0), (1, 0, 0, 2, 1.0), (1, 1, 0, 1, 4.0)]
    found = place_pull(seen(rows), what="score")
    assert found.estimate is None
    assert found.undefined == (
        "the outputs and their screens leave nothing by which the first place could be told"
    )


def test_equal_answers_have_no_interval() -> None:
    found = place_pull(seen([(*row[:4], 3.0) for row in HAND]), what="score")
    assert found.estimate == pytest.approx(0, abs=1e-12)
    assert found.interval is None
    assert found.p is None
    assert found.undefined == "neither raters nor items vary"


@pytest.mark.parametrize(("place", "said"), [(0.0, "the table has 0"), (1.5, "the table has 1.5")])
def test_places_that_do_not_count_from_one_are_said(place: float, said: str) -> None:
    rows = [(i, r, s, place if p == 0 else 2.0, 1.0) for i, r, s, p, _ in HAND]
    rows += [(5, 0, 0, place, 2.0)]
    found = place_pull(seen(rows), what="score")
    assert found.estimate is None
    assert found.undefined is not None
    assert said in found.undefined


def test_one_screen_of_every_order_has_no_pull_if_systems_alone_decide() -> None:
    # All six orders of three outputs, whose scores are 1, 2, 3 wherever they stand.
    rows = [
        (0, r, s, p + 1, float(s + 1))
        for r, order in enumerate(permutations(range(3)))
        for p, s in enumerate(order)
    ]
    assert place_pull(seen(rows), what="score").estimate == pytest.approx(0, abs=1e-12)
