"""Power by simulation: that which theory says, larger where it must be."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from jurybox.errors import InputError
from jurybox.simulate.drawn import Drawer
from jurybox.simulate.judged import judge
from jurybox.simulate.power import power, workers
from jurybox.simulate.scenario import Scenario
from jurybox.simulate.screens import Screens
from jurybox.stats.power.crossed import Crossed
from jurybox.stats.power.pilot import Scatter
from tests.simulate.scenarios import SIZE, rated, scenario


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


def _seen_there(name: str) -> str | None:
    return os.environ.get(name)


def test_processes_keep_memory_and_read_no_more_than_they_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1")
    with workers() as pool:
        if pool is not None:
            # What somebody set stays, and the rest is for these processes alone.
            assert pool.submit(_seen_there, "MALLOC_TRIM_THRESHOLD_").result() == "1"
            assert pool.submit(_seen_there, "MALLOC_MMAP_THRESHOLD_").result() == str(2**25)
        assert "MALLOC_MMAP_THRESHOLD_" not in os.environ
    script = "import sys, jurybox.simulate.power; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert not {"sqlalchemy", "jurybox.store", "jurybox.analysis"} & set(done.stdout.split())


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
