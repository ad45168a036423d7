"""Drawn studies have the screens, the raters and the scatter that were asked for."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from jurybox.simulate.drawn import Drawer, Drawn
from jurybox.simulate.judged import judge
from jurybox.simulate.power import power
from jurybox.simulate.scenario import Scenario
from jurybox.simulate.screens import Screens
from jurybox.stats.distributions import t_quantile
from jurybox.stats.power.crossed import Crossed, difference_se
from jurybox.stats.power.pilot import Scatter
from tests.simulate.scenarios import SIZE, drawn, rated, scenario


def _of_table(made: Drawn) -> list[float]:
    """The variances of one system between items, between raters, and in all."""
    table = np.zeros((200, 200))
    here = made.about == 1
    table[made.item[here], made.rater[here]] = made.value[here]
    return [table.mean(axis=1).var(), table.mean(axis=0).var(), table.var()]


def test_error_points_scatter_as_asked() -> None:
    scatter = Scatter(item=2.0, item_system=1.5, rater=2.0, rater_system=1.0, noise=5.0)
    asked = scenario("mark", 0.0, scatter=scatter, points=5.0, screens=rated(None))
    made = [
        Drawer(asked, Crossed(items=200, raters=200, overlap=200)).draw(np.random.default_rng(n))
        for n in range(12)
    ]
    assert np.mean([each.value.mean() for each in made]) == pytest.approx(5.0, abs=0.2)
    found = np.mean([_of_table(each) for each in made], axis=0)
    # Twelve tables of 200 items: the squares have a relative error of √(2/2400) = 3%, and more
    # since factors are skewed.
    expected = [
        scatter.item**2 + scatter.item_system**2, scatter.rater**2 + scatter.rater_system**2,
        scatter.variance,
    ]  # fmt: skip
    assert found == pytest.approx(expected, rel=0.15)


def test_two_on_a_screen_are_ranked_as_they_are_compared() -> None:
    pairs = {"systems": 3, "compared": "all"}
    two = scenario("rank", 0.1, **pairs, screens=Screens(kind="pairs"))
    votes = scenario("compare", 0.1, **pairs)
    assert judge(two, drawn(two)) == judge(votes, drawn(votes))


def test_blocks_are_full_cover_every_system_and_meet_evenly() -> None:
    laid = Screens(kind="blocks", outputs=3).lay(5, 60)
    assert laid.shown.shape == (120, 3)
    assert (laid.shown >= 0).all()
    for item in range(60):
        assert set(laid.shown[laid.item == item].ravel()) == set(range(5))
    met = [
        ((laid.shown == one).any(axis=1) & (laid.shown == two).any(axis=1)).sum()
        for one, two in combinations(range(5), 2)
    ]
    # 120 blocks of three pairs each, over ten pairs: 36.
    assert sum(met) == 360
    assert max(met) - min(met) <= 4


@pytest.mark.parametrize(
    ("pairs", "per_item", "expected"),
    [
        ("all", None, {(a, b): 20 for a, b in combinations(range(5), 2)}),
        ("cyclic", None, {(0, 1): 20, (1, 2): 20, (2, 3): 20, (3, 4): 20, (0, 4): 20}),
        ("baseline", None, {(0, b): 20 for b in range(1, 5)}),
        # Three pairs an item over ten pairs: six of each.
        ("all", 3.0, {(a, b): 6 for a, b in combinations(range(5), 2)}),
    ],
)
def test_pairs_meet_as_the_design_has_it(
    pairs: Any, per_item: float | None, expected: dict[tuple[int, int], int]
) -> None:
    screens = Screens(kind="pairs", pairs=pairs, per_item=per_item)
    laid = screens.lay(5, 20)
    found = Counter((int(one), int(two)) for one, two in laid.shown)
    assert found == expected
    assert set(screens.meeting(5)) == set(expected)
    assert len(laid.item) == screens.count(5, 20)
    assert set(laid.item.tolist()) == set(range(20))


def test_few_random_pairs_leave_some_win_rates_undefined() -> None:
    few = scenario(
        "compare", 0.1, systems=6, compared="all", screens=Screens(kind="pairs", per_item=0.2)
    )
    rows = judge(few, drawn(few))
    assert len(rows) == 15
    told = [row for row in rows if row.estimate is not None]
    # 30 items × 0.2 are six of fifteen pairs.
    assert len(told) == 6
    assert {row.undefined for row in rows if row.estimate is None} == {"the two never meet"}


def test_nobody_detects_two_outputs_of_one_item() -> None:
    for raters in (6, 12):
        made = drawn(
            scenario("detect", -0.1, systems=3, compared="all"), replace(SIZE, raters=raters)
        )
        seen = set(zip(made.item.tolist(), made.rater.tolist(), strict=True))
        assert len(seen) == len(made.item)


@pytest.mark.parametrize("protocol", ["rate", "compare", "detect"])
def test_raters_share_the_work_evenly_and_every_output_has_its_k(protocol: Any) -> None:
    made = drawn(scenario(protocol, 0.1, systems=2, compared="all"), replace(SIZE, items=32))
    for k in np.unique(made.about):
        here = made.about == k
        loads = np.bincount(made.rater[here], minlength=8)
        assert loads.max() - loads.min() <= 1
        assert set(np.bincount(made.item[here])[np.unique(made.item[here])]) == {3}


@pytest.mark.parametrize(("raters", "overlap"), [(8, 2), (9, 3), (20, 2)])
def test_raters_meet_other_raters_from_screen_to_screen(raters: int, overlap: int) -> None:
    made = drawn(scenario("rate", 0.1), Crossed(items=120, raters=raters, overlap=overlap))
    met: defaultdict[int, set[int]] = defaultdict(set)
    first = made.about == 0
    for item in range(120):
        here = made.rater[first & (made.item == item)].tolist()
        assert len(set(here)) == overlap
        for rater in here:
            met[rater] |= set(here) - {rater}
    # In turn without change, everybody would meet the same one or two for ever.
    assert min(map(len, met.values())) >= 4


@pytest.mark.parametrize("overlap", [2, 3, 5])
def test_intervals_are_as_wide_as_the_variances_that_are_planted(overlap: int) -> None:
    # Who always meets the same raters shares their leniency, which looks like a taste.
    asked, size = scenario("rate", 0.3), Crossed(items=300, raters=50, overlap=overlap)
    found = power(asked, size, studies=60)
    expected = t_quantile(0.95, size.df) * difference_se(300, 50, overlap, asked.scatter)
    assert found.half_width == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize(
    ("asked", "truth"),
    [
        (scenario("rate", 0.3), 0.3),
        (scenario("compare", 0.1), 0.6),
        (scenario("compare", -0.2, ties=0.4), 0.3),
        (scenario("detect", -0.15, systems=1), -0.15),
        (scenario("rank", 0.1, systems=3, ties=0.0), 0.6),
        (scenario("mark", -1.0), -1.0),
    ],
)
def test_the_planted_difference_is_what_studies_find_on_average(
    asked: Scenario, truth: float
) -> None:
    drawer = Drawer(asked, Crossed(items=60, raters=30, overlap=2))
    found = [
        judge(asked, drawer.draw(np.random.default_rng((5, n))))[0].estimate or 0.0
        for n in range(200)
    ]
    error = np.std(found) / math.sqrt(len(found))
    assert np.mean(found) == pytest.approx(truth, abs=4 * float(error))


@pytest.mark.parametrize("protocol", ["compare", "detect"])
def test_answers_scatter_between_items_and_raters_as_asked(protocol: Any) -> None:
    scatter = (
        Scatter(item_system=0.14, rater_system=0.1, noise=0.3)
        if protocol == "compare"
        else Scatter(item_system=0.2, rater=0.1, rater_system=0.1, noise=0.4)
    )
    asked = scenario(protocol, 0.0, scatter=scatter, systems=2, ties=0.2)
    drawer = Drawer(asked, Crossed(items=400, raters=400, overlap=400))
    made = drawer.draw(np.random.default_rng(1))
    kept = made.about == 0
    value = made.value[kept].reshape(400, 400)
    rater = np.argsort(made.rater[kept].reshape(400, 400), axis=1)
    value = np.take_along_axis(value, rater, axis=1)
    sides = 2 if protocol == "compare" else 1
    # The variance of 400 means has a relative error of √(2/400) = 7%.
    assert value.mean(axis=1).var() == pytest.approx(sides * scatter.item_system**2, rel=0.25)
    of_raters = scatter.rater_system**2 + scatter.rater**2
    assert value.mean(axis=0).var() == pytest.approx(sides * of_raters, rel=0.25)
