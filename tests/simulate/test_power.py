"""Power by simulation: the same statistics as the analysis, and the power that theory says."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import jurybox as jb
from jurybox.errors import InputError
from jurybox.simulate.drawn import Drawer, Drawn
from jurybox.simulate.judged import judge
from jurybox.simulate.power import power, workers
from jurybox.simulate.scenario import Scenario, default_scatter
from jurybox.stats.power.crossed import Crossed
from jurybox.stats.power.pilot import Scatter

SIZE = Crossed(items=30, raters=8, overlap=3)


def scenario(protocol: Any, effect: float, **settings: Any) -> Scenario:
    scatter = settings.pop("scatter", default_scatter(protocol, 4.0))
    return Scenario(protocol=protocol, effect=effect, scatter=scatter, **settings)


def drawn(asked: Scenario, size: Crossed = SIZE, seed: int = 0) -> Drawn:
    return Drawer(asked, size).draw(np.random.default_rng(seed))


def check(row: Any, public: Any, turned: Any = lambda value: -value) -> None:
    """The same estimate, p and intervals, whichever of the two systems comes first."""
    estimate, p = row.estimate, row.p
    same = (row.system, row.other) == (public.system, public.other)
    assert (estimate if same else turned(estimate)) == pytest.approx(public.estimate, abs=1e-9)
    assert p == pytest.approx(public.p, abs=1e-9)
    for name in ("interval", "simultaneous"):
        mine, theirs = getattr(row, name), getattr(public, name)
        assert (mine is None) == (theirs is None)
        if mine is not None:
            ends = (mine.low, mine.high) if same else (turned(mine.high), turned(mine.low))
            assert ends == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    if row.p_adjusted is not None:
        assert row.p_adjusted == pytest.approx(public.p_adjusted, abs=1e-9)


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("systems", [2, 4])
def test_scores_are_judged_as_compare_systems_judges_them(systems: int, together: bool) -> None:
    asked = scenario("rate", 0.3, systems=systems, together=together, compared="all")
    made = drawn(asked)
    table = {
        "item": made.item, "system": made.about.astype(str), "rater": made.rater,
        "score": made.value,
    }  # fmt: skip
    public = {frozenset((r.system, r.other)): r for r in jb.compare_systems(table).rows}
    rows = judge(asked, made)
    assert len(rows) == len(public) == math.comb(systems, 2)
    for row in rows:
        check(row, public[frozenset((row.system, row.other))])  # type: ignore[attr-defined]


def test_scores_against_a_baseline_are_a_family_of_their_own() -> None:
    asked = scenario("rate", 0.3, systems=4, compared="baseline")
    made = drawn(asked)
    table = {
        "item": made.item, "system": made.about.astype(str), "rater": made.rater,
        "score": made.value,
    }  # fmt: skip
    public = {r.system: r for r in jb.compare_systems(table, baseline="0").rows}
    rows = judge(asked, made)
    assert [r.other for r in rows] == list(public)  # type: ignore[attr-defined]
    for row in rows:
        check(row, public[row.other])  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("systems", "size", "ties"),
    [
        (2, SIZE, 0.2),
        (4, SIZE, 0.2),
        # Every item and every rater once, and no ties: the exact test.
        (2, Crossed(items=40, raters=40, overlap=1), 0.0),
    ],
)
def test_votes_are_judged_as_win_rates_judges_them(
    systems: int, size: Crossed, ties: float
) -> None:
    asked = scenario("compare", 0.1, systems=systems, compared="all", ties=ties)
    made = drawn(asked, size)
    pairs = list(combinations(range(systems), 2))
    table = {
        "item": made.item,
        "rater": made.rater,
        "system_a": [str(pairs[k][0]) for k in made.about],
        "system_b": [str(pairs[k][1]) for k in made.about],
        "winner": [{1.0: "a", 0.0: "b", 0.5: "tie"}[v] for v in made.value],
    }
    public = {frozenset((r.system, r.other)): r for r in jb.win_rates(table).pairs}
    rows = judge(asked, made)
    assert len(rows) == len(public) == len(pairs)
    for row, (one, two) in zip(rows, pairs, strict=True):
        named = replace(row, system=str(one), other=str(two))  # type: ignore[call-arg]
        check(named, public[frozenset((str(one), str(two)))], lambda value: 1 - value)
    if ties == 0.0:
        assert rows[0].interval is not None
        assert "exact" in rows[0].interval.method


@pytest.mark.parametrize("compared", ["all", "baseline"])
def test_strengths_are_judged_as_bradley_terry_judges_them(compared: Any) -> None:
    asked = scenario("compare", 0.15, systems=4, compared=compared, strengths=True)
    made = drawn(asked)
    pairs = asked.contrasts
    table = {
        "item": made.item,
        "rater": made.rater,
        "system_a": [str(pairs[k][0]) for k in made.about],
        "system_b": [str(pairs[k][1]) for k in made.about],
        "winner": [{1.0: "a", 0.0: "b", 0.5: "tie"}[v] for v in made.value],
    }
    found = jb.bradley_terry(table).differences
    public = {frozenset((row.system, row.other)): row for row in found}
    rows = judge(asked, made)
    assert [(r.system, r.other) for r in rows] == [(str(a), str(b)) for a, b in pairs]  # type: ignore[attr-defined]
    for row in rows:
        check(row, public[frozenset((row.system, row.other))])  # type: ignore[attr-defined]


def test_strengths_borrow_from_all_pairs() -> None:
    size = Crossed(items=20, raters=12, overlap=2)
    asked = scenario("compare", 0.12, systems=4, compared="all")
    own = power(asked, size, studies=120)
    borrowed = power(replace(asked, strengths=True), size, studies=120)
    assert borrowed.estimate > own.estimate


@pytest.mark.parametrize(("systems", "raters"), [(1, 8), (2, 8), (3, 8)])
def test_detections_are_judged_as_turing_test_judges_them(systems: int, raters: int) -> None:
    asked = scenario("detect", -0.1, systems=systems, compared="all")
    made = drawn(asked, replace(SIZE, raters=raters))
    names = [*(str(k) for k in range(systems)), "photograph"]
    table = {
        "item": made.item,
        "rater": made.rater,
        "system": [names[k] for k in made.about],
        "truth": ["real" if k == systems else "generated" for k in made.about],
        "answer": ["real" if v else "generated" for v in made.value],
    }
    public = {row.system: row for row in jb.turing_test(table).differences}
    rows = judge(asked, made)
    assert len(rows) == len(public) == systems
    for row in rows:
        check(row, public[row.system])  # type: ignore[attr-defined]


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


@pytest.mark.parametrize(
    ("asked", "truth"),
    [
        (scenario("rate", 0.3), 0.3),
        (scenario("compare", 0.1), 0.6),
        (scenario("compare", -0.2, ties=0.4), 0.3),
        (scenario("detect", -0.15, systems=1), -0.15),
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


@pytest.mark.parametrize("effect", [0.0, 0.3, 0.5])
def test_without_rater_effects_power_is_that_of_a_paired_t(effect: float) -> None:
    """Forty raters, one item each: the two-way clustered t is the paired t with 39 df."""
    from statsmodels.stats.power import TTestPower

    scatter = Scatter(item=1.0, item_system=0.4, rater_system=0.0, noise=0.6)
    asked = scenario("rate", effect, scatter=scatter, together=True)
    found = power(asked, Crossed(items=40, raters=40, overlap=1), studies=800, seed=2)
    sd = math.sqrt(2 * (0.4**2 + 0.6**2))
    if effect == 0:
        # Only one of the two directions counts as found.
        expected = 0.025
    else:
        expected = TTestPower().power(effect / sd, nobs=40, alpha=0.05)
    assert found.estimate == pytest.approx(
        expected, abs=4 * math.sqrt(expected * (1 - expected) / 800)
    )


@pytest.mark.parametrize(
    "asked",
    [
        scenario("rate", 0.0, systems=3, compared="all"),
        scenario("compare", 0.0, systems=3, compared="all"),
        scenario("detect", 0.0, systems=2, compared="all"),
        scenario("rate", 0.0),
        scenario("compare", 0.0),
        scenario("detect", 0.0, systems=1),
    ],
)
def test_a_difference_that_is_not_there_is_rarely_found(asked: Scenario) -> None:
    size = Crossed(items=40, raters=12, overlap=3)
    drawer = Drawer(asked, size)
    wrong = 0
    for n in range(300):
        rows = judge(asked, drawer.draw(np.random.default_rng((3, n))))
        ps = [row.p if row.p_adjusted is None else row.p_adjusted for row in rows]
        wrong += any(p is not None and p < 0.05 for p in ps)
    # 5% of 300 are 15; with its Monte Carlo error of three standard errors 27.
    assert wrong / 300 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)


def test_more_items_raters_and_a_larger_difference_are_found_more_often() -> None:
    asked = scenario("rate", 0.3)
    base = power(asked, Crossed(items=40, raters=10, overlap=2), studies=200)
    for more in (
        power(asked, Crossed(items=120, raters=10, overlap=2), studies=200),
        power(asked, Crossed(items=40, raters=30, overlap=2), studies=200),
        power(replace(asked, effect=0.6), Crossed(items=40, raters=10, overlap=2), studies=200),
    ):
        assert more.estimate > base.estimate + base.error


def test_processes_find_what_one_finds_and_say_how_far_they_are() -> None:
    asked = scenario("compare", 0.1)
    told: list[tuple[int, int]] = []
    alone = power(asked, SIZE, studies=60, seed=4, progress=lambda *far: told.append(far))
    assert told == [(25, 60), (50, 60), (60, 60)]
    with workers() as pool:
        assert power(asked, SIZE, studies=60, seed=4, pool=pool) == alone
    assert power(asked, SIZE, studies=60, seed=5) != alone
    assert alone.interval.low < alone.estimate < alone.interval.high


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"protocol": "compare", "effect": 0.6}, "win rate of 1.1"),
        ({"protocol": "detect", "effect": 0.4}, "taken for real of 1.1"),
        ({"protocol": "rate", "effect": math.nan}, "must be a number"),
        ({"protocol": "rate", "effect": 0.1, "systems": 1}, "at least 2 systems"),
        ({"protocol": "detect", "effect": 0.1, "systems": 0}, "at least 1 systems"),
        ({"protocol": "compare", "effect": 0.1, "ties": 1.0}, "share of ties"),
        ({"protocol": "compare", "effect": 0.1, "strengths": True}, "family of votes"),
        ({"protocol": "rate", "effect": 0.1, "strengths": True}, "family of votes"),
        ({"protocol": "detect", "effect": 0.1, "real_share": 0.0}, "real share"),
    ],
)
def test_what_cannot_be_is_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        scenario(settings.pop("protocol"), settings.pop("effect"), **settings)


def test_more_scatter_than_two_answers_can_have_is_refused() -> None:
    asked = scenario("detect", -0.1, scatter=Scatter(item_system=0.6, rater_system=0, noise=0))
    with pytest.raises(InputError, match="more than answers of two kinds"):
        power(asked, SIZE, studies=1)


def test_no_study_and_one_item_are_refused() -> None:
    with pytest.raises(InputError, match="at least one study"):
        power(scenario("rate", 0.3), SIZE, studies=0)
    with pytest.raises(InputError, match="two items and two raters"):
        power(scenario("rate", 0.3), Crossed(items=1, raters=8, overlap=3), studies=1)
