"""The cheapest size, and the smallest difference that a budget sees."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from jurybox.errors import DesignError, InputError
from jurybox.simulate.drawn import Drawer
from jurybox.simulate.looking import Looking, Search
from jurybox.simulate.power import Count, counted, power
from jurybox.simulate.scenario import Scenario, default_scatter
from jurybox.simulate.screens import Screens
from jurybox.simulate.search import cheapest, smallest
from jurybox.simulate.sizes import Limits, Work, formula_power
from jurybox.stats.power.crossed import Crossed
from jurybox.stats.power.pilot import Scatter

TOGETHER = Screens(kind="apart", outputs=None)
RATE = Scenario(protocol="rate", effect=0.4, scatter=default_scatter("rate", 4.0), screens=TOGETHER)
DETECT = replace(RATE, protocol="detect", effect=-0.1, screens=None)
WORK = Work(seconds=30, pay=12)


def pairs(meet: Any, per_item: float | None = None) -> Screens:
    return Screens(kind="pairs", pairs=meet, per_item=per_item)


def test_hours_and_cost_are_counted_by_hand() -> None:
    # 50 items × 1 trial × 3 raters × 30 s = 75 minutes; 10 raters × 5 minutes = 50 minutes.
    size = Crossed(items=50, raters=10, overlap=3)
    assert WORK.hours(RATE, size) == pytest.approx(125 / 60)
    # 15 trials of half a minute each, and the start: 12.5 minutes of a rater.
    assert Work(seconds=30, session=12.5).fits(RATE, size)
    assert not Work(seconds=30, session=12.4).fits(RATE, size)


@pytest.mark.parametrize(
    ("scenario", "trials"),
    [
        (RATE, 10),
        (replace(RATE, screens=None, systems=3), 30),
        (replace(RATE, screens=replace(TOGETHER, outputs=3), systems=5), 20),
        (replace(RATE, protocol="compare", screens=None, systems=4), 60),
        # A comparison with one system does not make the others meet less often.
        (replace(RATE, protocol="compare", screens=None, systems=4, compared="baseline"), 60),
        (replace(RATE, protocol="compare", screens=pairs("baseline"), systems=4), 30),
        (replace(RATE, protocol="compare", screens=pairs("cyclic"), systems=5), 50),
        (replace(RATE, protocol="compare", screens=pairs("all", 2.5), systems=5), 25),
        # Five systems hang together by four pairs or more.
        (replace(RATE, protocol="compare", screens=pairs("all", 0.1), systems=5), 4),
        (replace(RATE, protocol="rank", screens=None, systems=5), 10),
        (replace(RATE, protocol="rank", screens=Screens(kind="blocks", outputs=2), systems=5), 30),
        # Two generated systems on 10 items each, and as many real outputs.
        (replace(RATE, protocol="detect", screens=None, effect=-0.1, systems=2), 40),
        (
            replace(RATE, protocol="detect", screens=None, effect=-0.1, systems=2, real_share=0.2),
            25,
        ),
    ],
)
def test_trials_of_ten_items(scenario: Scenario, trials: int) -> None:
    assert scenario.trials(10) == trials


@pytest.mark.parametrize("protocol", ["rate", "compare", "detect", "rank", "mark"])
def test_the_closed_form_is_near_the_simulation(protocol: Any) -> None:
    effect = {"rate": 0.3, "compare": 0.1, "detect": -0.12, "rank": 0.1, "mark": -1.0}[protocol]
    asked = Scenario(
        protocol=protocol,
        effect=effect,
        scatter=default_scatter(protocol, 5.0 if protocol == "mark" else 4.0),
        systems=1 if protocol == "detect" else 2,
    )
    size = Crossed(items=120, raters=25, overlap=2)
    seen = power(asked, size, studies=400)
    assert formula_power(asked, size) == pytest.approx(seen.estimate, abs=0.1)


def test_the_recommended_size_reaches_the_power_and_is_the_cheapest_that_does() -> None:
    found = cheapest(RATE, WORK, Search(studies=200))
    best = found.best
    assert best.power is not None
    assert best.power.estimate >= 0.8
    assert best.cost == pytest.approx(12 * best.hours)
    # The closed form is wrong by another factor for every overlap: each was moved by its own.
    assert all(row.power and row.power.estimate >= 0.8 for row in found.rows)
    assert best.hours == min(row.hours for row in found.rows)
    assert {row.size.overlap for row in found.rows} == {1, 2, 3, 5}
    assert all(WORK.fits(RATE, row.size) for row in found.rows)
    items = [row.size.items for row in found.curve]
    assert items == sorted(items)
    powers = [row.power.estimate for row in found.curve if row.power]
    assert powers[0] < powers[-1]
    assert best in found.curve
    assert cheapest(RATE, WORK, Search(studies=200)) == found


def test_it_is_as_cheap_as_the_best_of_all_sizes_that_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    designs = [(raters, overlap) for raters in (8, 12) for overlap in (1, 2)]
    monkeypatch.setattr(Limits, "designs", lambda limits: iter(
        each for each in designs if limits.overlap in (None, each[1])
    ))  # fmt: skip
    asked, studies = replace(RATE, effect=0.6), 200
    found = cheapest(asked, WORK, Search(studies=studies))
    reaching = []
    for raters, overlap in designs:
        # From too few items to more than enough, a tenth apart.
        for items in (14, 16, 18, 20, 22, 24, 26, 28, 31, 34, 37, 41, 45, 50):
            size = Crossed(items=items, raters=raters, overlap=overlap)
            if power(asked, size, studies=studies, seed=1).estimate >= 0.8:
                reaching.append(WORK.hours(asked, size))
                break
    # Of four that are each the first to reach it, the cheapest was lucky.
    assert found.best.hours == pytest.approx(min(reaching), rel=0.15)


def test_few_studies_are_simulated_of_sizes_that_are_not_the_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[int] = []

    def counting(*given: Any, studies: int, known: Count | None = None, **rest: Any) -> Count:
        made.append(studies - (known.studies if known else 0))
        return counted(*given, studies=studies, known=known, **rest)

    monkeypatch.setattr("jurybox.simulate.looking.counted", counting)
    found = cheapest(replace(RATE, effect=0.6), WORK, Search(studies=1000))
    assert found.best.power is not None
    assert found.best.power.n_studies == 1000
    # Nine sizes are printed; each simulated 1,000 times, on the way there too, would be 20,000.
    assert sum(made) < 6000
    others = [row.power.n_studies for row in (*found.rows, *found.curve) if row.power]
    assert sorted(others)[:-2] == [200] * 7


def test_a_huge_study_is_simulated_less_often_but_often_enough() -> None:
    how = Search(studies=100, limits=Limits(overlap=1, raters=500))
    found = cheapest(replace(RATE, effect=0.06), WORK, how)
    assert found.best.size.items > 2000
    assert found.best.power is not None
    assert found.best.power.n_studies == 100
    look = Looking(RATE, WORK, Search(studies=1000))
    small, huge = (Crossed(items=n, raters=500, overlap=1) for n in (6000, 10**6))
    assert look.studies(RATE, small, sure=True) == 1000
    assert look.studies(RATE, huge, sure=True) == 400
    assert look.studies(RATE, huge, sure=False) == 80


def test_larger_studies_share_the_draws_of_smaller_ones() -> None:
    # Without what raters add, the first ten items have the same scores.
    alone = replace(RATE, scatter=replace(RATE.scatter, rater=0.0, rater_system=0.0))
    small, large = (
        Drawer(alone, Crossed(items=n, raters=9, overlap=1)).draw(np.random.default_rng(3))
        for n in (10, 12)
    )
    assert large.value[:20].tolist() == small.value.tolist()


def test_what_is_fixed_stays_fixed() -> None:
    found = cheapest(RATE, WORK, Search(limits=Limits(overlap=3, raters=20), studies=100))
    assert {(row.size.raters, row.size.overlap) for row in found.rows} == {(20, 3)}


def test_a_larger_difference_is_cheaper() -> None:
    near, far = (
        cheapest(replace(RATE, effect=d), WORK, Search(studies=100)).best for d in (0.3, 0.6)
    )
    assert far.hours < near.hours


@pytest.mark.full
def test_a_budget_sees_what_the_same_budget_was_needed_for() -> None:
    limits = Limits(overlap=3)
    needed = cheapest(RATE, WORK, Search(limits=limits, studies=300)).best
    seen = smallest(RATE, WORK, Search(limits=limits, studies=300), hours=needed.hours)
    assert seen.best.hours <= needed.hours
    # Sizes and differences lie 5% apart, and 300 studies have an error of 2%.
    assert seen.best.effect == pytest.approx(0.4, rel=0.15)
    assert seen.best.power is not None
    assert seen.best.power.estimate >= 0.8
    effects = [row.effect for row in seen.curve]
    assert effects == sorted(effects)


def test_more_hours_see_less() -> None:
    few, many = (smallest(RATE, WORK, Search(studies=100), hours=h).best.effect for h in (3, 12))
    assert many < few


def test_a_budget_keeps_to_the_items_there_are() -> None:
    found = smallest(RATE, WORK, Search(limits=Limits(items=40), studies=50), hours=50)
    assert {row.size.items for row in found.rows} == {40}


def test_every_overlap_has_the_smallest_difference_that_it_finds() -> None:
    found = smallest(RATE, WORK, Search(studies=100), hours=8)
    assert all(row.power and row.power.estimate >= 0.8 for row in found.rows)
    assert found.best.effect == min(row.effect for row in found.rows)


def test_what_no_size_finds_says_what_to_change() -> None:
    # Five raters with a taste of 0.2 each: their difference alone scatters by √(2 · 0.2² / 5).
    with pytest.raises(
        DesignError, match=r"largest sees is about 0\.47; take more raters or a lar"
    ):
        cheapest(replace(RATE, effect=0.01), WORK, Search(limits=Limits(raters=5)))
    with pytest.raises(DesignError, match="larger difference, or allow longer sessions"):
        cheapest(replace(RATE, effect=0.0001), WORK)
    with pytest.raises(DesignError, match="add items, or allow longer sessions"):
        cheapest(replace(RATE, effect=0.0001), WORK, Search(limits=Limits(items=50)))
    with pytest.raises(DesignError, match="take more hours"):
        smallest(RATE, WORK, hours=0.01)


@pytest.mark.parametrize("effect", [0.0, math.nan])
def test_no_difference_cannot_be_looked_for(effect: float) -> None:
    with pytest.raises(InputError, match=r"difference"):
        cheapest(replace(RATE, effect=effect), WORK)


@pytest.mark.parametrize("target", [0.2, 1.0])
def test_power_lies_between_a_half_and_one(target: float) -> None:
    with pytest.raises(InputError, match="usually"):
        cheapest(RATE, WORK, Search(target=target))
    with pytest.raises(InputError, match="usually"):
        smallest(RATE, WORK, Search(target=target), hours=10)


@pytest.mark.parametrize(
    "settings", [{"seconds": 0}, {"seconds": 5, "pay": 0}, {"seconds": 5, "session": 5}]
)
def test_work_that_cannot_be(settings: dict[str, float]) -> None:
    with pytest.raises(InputError, match=r"above 0|leaves nothing"):
        Work(**settings)


def test_a_budget_of_votes_never_asks_for_more_than_all_of_them() -> None:
    wide = Scenario(
        protocol="compare",
        effect=0.1,
        scatter=Scatter(item_system=0.2, rater_system=0.1, noise=0.22),
    )
    how = Search(limits=Limits(raters=3), studies=50)
    found = smallest(wide, Work(seconds=60), how, hours=0.6)
    assert found.best.effect == pytest.approx(0.495)
    assert found.best.power is not None
    assert found.best.power.estimate < 0.8
    more = replace(how, limits=Limits(raters=6))
    found = smallest(wide, Work(seconds=60), more, hours=2)
    assert all(abs(row.effect) < 0.5 for row in (*found.rows, *found.curve))
