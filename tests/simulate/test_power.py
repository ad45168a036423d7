"""Power by simulation: the same statistics as the analysis, and the power that theory says."""

from __future__ import annotations

import math
from collections import Counter
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
from jurybox.simulate.screens import Screens
from jurybox.stats.power.crossed import Crossed
from jurybox.stats.power.pilot import Scatter

SIZE = Crossed(items=30, raters=8, overlap=3)


def scenario(protocol: Any, effect: float, **settings: Any) -> Scenario:
    span = 5.0 if protocol == "mark" else 4.0
    scatter = settings.pop("scatter", default_scatter(protocol, span))
    return Scenario(protocol=protocol, effect=effect, scatter=scatter, **settings)


def rated(outputs: int | None) -> Screens:
    return Screens(kind="apart", outputs=outputs)


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


@pytest.mark.parametrize(("systems", "outputs"), [(2, 1), (2, None), (4, 1), (4, 3), (4, None)])
def test_scores_are_judged_as_compare_systems_judges_them(
    systems: int, outputs: int | None
) -> None:
    asked = scenario("rate", 0.3, systems=systems, screens=rated(outputs), compared="all")
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


def marked(made: Drawn, error: float) -> dict[str, Any]:
    """The table of marked spans that a study like this would have: as many as errors."""
    times = np.round(made.value / error).astype(int)
    row = np.repeat(np.arange(len(times)), np.maximum(times, 1))
    return {
        "item": made.item[row],
        "rater": made.rater[row],
        "system": made.about[row].astype(str),
        "severity": ["error" if n else None for n in times[row]],
    }


@pytest.mark.parametrize("outputs", [1, 2])
def test_marks_are_judged_as_span_scores_judges_them(outputs: int) -> None:
    asked = scenario("mark", -1.0, systems=3, compared="all", screens=rated(outputs))
    error = Drawer(asked, SIZE).latent.error
    made = drawn(asked)
    table = marked(made, error)
    public = {
        frozenset((r.system, r.other)): r
        for r in jb.span_scores(table, severities={"error": error}).differences
    }
    rows = judge(asked, made)
    assert len(rows) == len(public) == 3
    for row in rows:
        check(row, public[frozenset((row.system, row.other))])  # type: ignore[attr-defined]


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


def _of_table(made: Drawn) -> list[float]:
    """The variances of one system between items, between raters, and in all."""
    table = np.zeros((200, 200))
    here = made.about == 1
    table[made.item[here], made.rater[here]] = made.value[here]
    return [table.mean(axis=1).var(), table.mean(axis=0).var(), table.var()]


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


@pytest.mark.parametrize(
    ("compared", "screens"),
    [
        ("all", None),
        ("baseline", None),
        ("all", Screens(kind="pairs", pairs="cyclic")),
        ("all", Screens(kind="pairs", per_item=1.5)),
    ],
)
def test_strengths_are_judged_as_bradley_terry_judges_them(
    compared: Any, screens: Screens | None
) -> None:
    asked = scenario("compare", 0.15, systems=4, compared=compared, strengths=True, screens=screens)
    made = drawn(asked)
    one, two = np.asarray(made.place).T
    table = {
        "item": made.looks.item,
        "rater": made.looks.rater,
        "system_a": made.looks.shown[:, 0].astype(str),
        "system_b": made.looks.shown[:, 1].astype(str),
        "winner": np.select([one < two, one > two], ["a", "b"], "tie"),
    }
    found = jb.bradley_terry(table).differences
    check_strengths(asked, made, found)


def check_strengths(asked: Scenario, made: Drawn, found: Any) -> None:
    public = {frozenset((row.system, row.other)): row for row in found}
    rows = judge(asked, made)
    named = [(str(one), str(two)) for one, two in asked.contrasts]
    assert [(r.system, r.other) for r in rows] == named  # type: ignore[attr-defined]
    for row in rows:
        check(row, public[frozenset((row.system, row.other))])  # type: ignore[attr-defined]


def ranked(made: Drawn) -> dict[str, Any]:
    """The table of rankings that a study like this would have."""
    looks = made.looks
    look, place = np.nonzero(looks.shown >= 0)
    return {
        "trial": look,
        "item": looks.item[look],
        "rater": looks.rater[look],
        "system": looks.shown[look, place].astype(str),
        "rank": np.asarray(made.place)[look, place],
    }


RANKED = [
    {},
    {"ties": 0.2},
    {"best": True},
    {"screens": Screens(kind="blocks", outputs=3)},
    {"screens": Screens(kind="blocks", outputs=3), "best": True},
]


@pytest.mark.parametrize("settings", RANKED)
def test_rankings_are_judged_as_analyze_judges_them(settings: dict[str, Any]) -> None:
    asked = scenario("rank", 0.15, **{"systems": 5, "compared": "all", "ties": 0.0, **settings})
    made = drawn(asked)
    found = jb.analyze(ranked(made)).findings
    public = {frozenset(f.systems): f.result for f in found if f.id.startswith("win_rate/")}
    rows = judge(asked, made)
    assert len(rows) == len(public) == 10
    for row, (one, two) in zip(rows, asked.contrasts, strict=True):
        named = replace(row, system=str(one), other=str(two))  # type: ignore[call-arg]
        check(named, public[frozenset((str(one), str(two)))], lambda value: 1 - value)


@pytest.mark.parametrize("settings", RANKED)
def test_rankings_are_judged_as_plackett_luce_judges_them(settings: dict[str, Any]) -> None:
    asked = scenario("rank", 0.15, **{"systems": 5, "compared": "all", "ties": 0.0, **settings})
    asked = replace(asked, strengths=True)
    made = drawn(asked)
    check_strengths(asked, made, jb.plackett_luce(ranked(made)).differences)


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


def test_fewer_pairs_cost_power() -> None:
    size = Crossed(items=60, raters=12, overlap=2)
    every = scenario("compare", 0.12, systems=5)
    third = replace(every, screens=Screens(kind="pairs", per_item=10 / 3))
    assert power(third, size, studies=150).estimate < power(every, size, studies=150).estimate - 0.1


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


@pytest.mark.parametrize("effect", [0.0, 0.3, 0.5])
def test_without_rater_effects_power_is_that_of_a_paired_t(effect: float) -> None:
    """Forty raters, one item each: the two-way clustered t is the paired t with 39 df."""
    from statsmodels.stats.power import TTestPower

    scatter = Scatter(item=1.0, item_system=0.4, rater_system=0.0, noise=0.6)
    asked = scenario("rate", effect, scatter=scatter, screens=rated(None))
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
        scenario("rank", 0.0, systems=3, compared="all"),
        scenario("mark", 0.0, systems=3, compared="all"),
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
    # Wilson's interval of 25 of 25: 0.867 to 1.
    sure = power(scenario("rate", 3.0), SIZE, studies=25)
    assert sure.short() == "100.0% ± 6.7%"


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
        ({"protocol": "rank", "effect": -0.5}, "win rate of 0:"),
        ({"protocol": "mark", "effect": -6.0}, "6 error points fewer, and outputs are assumed"),
        ({"protocol": "mark", "effect": 1.0, "points": 0.0}, "error points on average"),
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
