"""People and a judge together: the formulas, other software, coverage, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from bench.simulated_judges import asked_once
from jurybox.stats.judges.prediction_powered import (
    CombinedEstimates,
    CombinedShare,
    combine,
    parts_of,
)
from tests.stats.judges.studies import part_rated

TOLD: Any = {"judge": "j1", "target": "mean", "system": "a"}


def combined(found: Any, **options: Any) -> Any:
    """The only system's mean."""
    part = parts_of(found, found.given(0), np.ones(len(found.unit_item), dtype=np.bool_))
    assert not isinstance(part, str), part
    return combine([part], **{**TOLD, **options})


def one_answer_each(y: Any, f: Any, **settings: Any) -> Any:
    """Units of one item each; the first len(y) have one answer, each of another person."""
    n, total = len(y), len(f)
    return asked_once(
        settings.get("shape", "ratings"),
        systems=("a",),
        unit_item=np.arange(total),
        system=np.zeros(total, dtype=np.int64),
        answers=(np.arange(n), settings.get("rater", np.arange(n)), np.asarray(y, dtype=float)),
        reply=np.asarray(f, dtype=float),
    )


def test_independent_units_have_the_closed_form() -> None:
    rng = np.random.default_rng(1)
    f = rng.normal(0, 1, 200)
    y = 0.7 * f[:40] + rng.normal(0, 0.6, 40)
    made = combined(one_answer_each(y, f), cluster="item")
    rated, others = f[:40], f[40:]
    # λ = cov(y, f) / (var(f rated) + n/N · var(f others)), as ppi++ with both variances.
    cov = np.mean((y - y.mean()) * (rated - rated.mean()))
    weight = cov / (rated.var() + 40 / 160 * others.var())
    estimate = y.mean() + weight * (others.mean() - rated.mean())
    se = np.sqrt((y - weight * rated).var() / 40 + weight**2 * others.var() / 160)
    assert made.weight == pytest.approx(weight)
    assert made.estimate == pytest.approx(estimate)
    half = (made.interval.high - made.interval.low) / 2
    assert half == pytest.approx(t.ppf(0.975, 39) * se * np.sqrt(40 / 39))
    # Worth: 40 · V(0)/V(λ), which is 40 / (1 − r²) with r² = cov² / (var y · (…)).
    r2 = cov**2 / (y.var() * (rated.var() + 0.25 * others.var()))
    assert made.worth == pytest.approx(40 / (1 - r2))
    assert made.worth_low < made.worth < made.worth_high
    # Alone: plain means with their own t intervals.
    assert made.people == pytest.approx(y.mean())
    own = t.ppf(0.975, 39) * y.std(ddof=1) / np.sqrt(40)
    assert (made.people_high - made.people_low) / 2 == pytest.approx(own)
    assert made.judge_alone == pytest.approx(f.mean())
    own = t.ppf(0.975, 199) * f.std(ddof=1) / np.sqrt(200)
    assert (made.judge_high - made.judge_low) / 2 == pytest.approx(own)


def test_ppi_python_gives_the_same() -> None:
    k = np.arange(120)
    f = np.round(3 + np.sin(1.7 * k) + 0.5 * np.cos(0.31 * k * k), 2)
    y = np.round(0.5 + 0.7 * f[:30] + 0.6 * np.sin(2.9 * k[:30] + 1), 2)
    made = combined(one_answer_each(y, f), cluster="item")
    # ppi_python 0.2.3: ppi_mean_pointestimate and ppi_mean_ci(y, f[:30], f[30:], alpha=0.05, lam=…)
    # with lam=0.5: 2.62916667, 2.45397477 to 2.80435857; lam=1: 2.58866667, 2.34507239 to
    # 2.83226094. Its own λ takes one variance of all f, so that the two are compared at one λ.
    slope = (2.58866667 - 2.62916667) / 0.5
    assert made.estimate == pytest.approx(2.62916667 + slope * (made.weight - 0.5), abs=1e-7)
    # The variance is quadratic in λ: that of people alone at 0, theirs at ½ and 1.
    none = y.var() / 30
    half, one = (
        ((high - low) / (2 * 1.959964)) ** 2
        for low, high in ((2.45397477, 2.80435857), (2.34507239, 2.83226094))
    )
    square = 2 * one - 4 * half + 2 * none
    at = none + (one - none - square) * made.weight + square * made.weight**2
    width = (made.interval.high - made.interval.low) / 2
    # Theirs is z · se; ours t and n/(n − 1).
    assert width == pytest.approx(t.ppf(0.975, 29) * np.sqrt(at * 30 / 29), rel=1e-5)


def test_raters_and_items_are_clusters_and_the_judge_none() -> None:
    found = part_rated(np.random.default_rng(2), raters=6)
    made = combined(found)
    given_ = found.given(0)
    rated = found.answered
    n, more = int(rated.sum()), int((~rated).sum())
    people = np.mean([found.value[found.unit == u].mean() for u in np.flatnonzero(rated)])
    item: dict[int, float] = {}
    rater: dict[int, float] = {}
    cell = 0.0
    for unit, who, value in zip(found.unit, found.rater, found.value, strict=True):
        move = value - people - made.weight * (given_[unit] - given_[rated].mean())
        move /= n * int((found.unit == unit).sum())
        item[unit] = item.get(unit, 0.0) + move
        rater[who] = rater.get(who, 0.0) + move
        cell += move**2
    for unit in np.flatnonzero(~rated).tolist():
        item[unit] = made.weight * (given_[unit] - given_[~rated].mean()) / more
    variance = n / (n - 1) * sum(move**2 for move in item.values())
    variance += 6 / 5 * sum(move**2 for move in rater.values())
    cells = len(found.value)
    variance -= cells / (cells - 1) * cell
    half = (made.interval.high - made.interval.low) / 2
    assert half == pytest.approx(t.ppf(0.975, 5) * np.sqrt(variance))
    assert made.interval.method.endswith("t(5)")
    assert (made.n_items, made.n_raters, made.n_judged_items) == (60, 6, 400)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**20),
    shift=st.floats(-50, 50),
    level=st.floats(-50, 50),
)
def test_a_judge_that_is_too_kind_moves_nothing(seed: int, shift: float, level: float) -> None:
    found = part_rated(np.random.default_rng(seed), items=120, rated=40)
    made = combined(found)
    kind = combined(replace(found, reply=found.reply + shift))
    assert kind.estimate == pytest.approx(made.estimate, abs=1e-8)
    assert kind.weight == pytest.approx(made.weight, abs=1e-8)
    moved = combined(replace(found, value=found.value + level))
    assert moved.estimate == pytest.approx(made.estimate + level, abs=1e-8)
    assert 0 <= made.weight <= 1
    assert made.worth >= made.n_items - 1e-9


def test_a_judge_against_people_is_left_out() -> None:
    found = part_rated(np.random.default_rng(3))
    made = combined(replace(found, reply=-found.reply))
    assert made.weight == 0
    assert made.estimate == made.people
    assert (made.interval.low, made.interval.high) == (made.people_low, made.people_high)
    assert made.worth == pytest.approx(60)


def covers(raters: int, studies: int, cluster: str = "both") -> float:
    hits = 0
    for seed in range(studies):
        found = part_rated(np.random.default_rng([seed, raters]), raters=raters)
        made = combined(found, cluster=cluster)
        hits += made.interval.low <= 0 <= made.interval.high
    return hits / studies


def test_raters_must_be_clusters() -> None:
    # 300 studies: one standard error is 1.3 points at 95%.
    assert covers(10, 300) >= 0.92
    assert covers(10, 300, "item") < 0.85


@pytest.mark.full
@pytest.mark.parametrize("raters", [5, 10, 20])
def test_coverage_with_raters_as_clusters(raters: int) -> None:
    found = covers(raters, 2000)
    # One standard error is 0.5 points.
    assert 0.93 <= found <= 0.97
    assert covers(raters, 2000, "item") < found - 0.08


def test_what_both_together_are_worth_is_covered() -> None:
    # People's mean of a unit: quality 1, and noise 0.7²/3 and shifts 0.5²/3 · (1 − 2/9) of three of
    # ten raters; the judge 0.64 + 0.49. ρ² = 0.8² / ((1 + …) (0.64 + 0.49)), 340 of 400 unrated.
    unit = 1 + 0.49 / 3 + 0.25 / 3 * (1 - 2 / 9)
    rho2 = 0.64 / (unit * (0.64 + 0.49))
    truth = 60 / (1 - rho2 * 340 / 400)
    hits, mean = 0, 0.0
    for seed in range(200):
        made = combined(part_rated(np.random.default_rng([seed, 7])))
        hits += made.worth_low <= truth <= made.worth_high
        mean += made.worth / 200
    assert mean == pytest.approx(truth, rel=0.05)
    # One standard error is 1.5 points.
    assert hits / 200 >= 0.915


class TestRefused:
    def test_few_items_or_raters(self) -> None:
        few = part_rated(np.random.default_rng(1), rated=29)
        made = combined(few)
        assert made.estimate is None
        assert made.undefined == (
            "people rated 29 items with 10 raters; it takes 30 items and 5 raters"
        )
        four = combined(part_rated(np.random.default_rng(1), raters=4))
        assert "60 items with 4 raters" in four.undefined
        assert combined(part_rated(np.random.default_rng(1), rated=30, raters=5)).estimate

    def test_nothing_to_add_and_nothing_in_common(self) -> None:
        found = part_rated(np.random.default_rng(1), items=60, rated=60)
        assert "nothing to add" in combined(found).undefined
        nobody = np.full(60, np.nan)
        assert "in common" in str(parts_of(found, nobody, np.ones(60, dtype=np.bool_)))

    def test_one_answer_to_everything(self) -> None:
        found = part_rated(np.random.default_rng(1))
        made = combined(replace(found, reply=np.full(400, 3.0)))
        assert "one answer to everything" in made.undefined

    def test_a_part_that_is_not_random(self) -> None:
        rng = np.random.default_rng(1)
        f = np.sort(rng.normal(0, 1, 200))
        made = combined(one_answer_each(f[:40] + rng.normal(0, 0.5, 40), f))
        assert made.estimate is None
        assert "people's part is not a random one" in made.undefined
        assert made.people is not None


def votes(y: Any, f: Any) -> Any:
    found = one_answer_each(y, f, shape="votes", rater=np.arange(len(y)) % 8)
    made = combined(found, is_share=True, target="win rate", other="b")
    assert isinstance(made, CombinedShare)
    return made


def test_a_win_rate_stays_a_share() -> None:
    rng = np.random.default_rng(4)
    good = rng.normal(1.5, 1, 300)
    f = (good + rng.normal(0, 0.7, 300) > 0).astype(float)
    y = (good[:60] + rng.normal(0, 0.7, 60) > 0).astype(float)
    made = votes(y, f)
    assert 0 < made.interval.low < made.estimate < made.interval.high < 1
    assert made.interval.method.startswith("logit")
    # Everybody alike: Wilson's interval with the 8 raters, z²/(n + z²) from the end.
    same = votes(np.ones(60), f)
    assert (same.estimate, same.weight) == (1.0, 0.0)
    assert same.interval.low == pytest.approx(1 - 3.8415 / 11.8415, abs=1e-4)
    assert same.worth is None


def test_the_table_is_read_back() -> None:
    table = CombinedEstimates(rows=(combined(part_rated(np.random.default_rng(1))),))
    assert CombinedEstimates.from_dict(table.to_dict()) == table
    assert "mean, a (j1)" in str(table)
