"""Every public statistic finds what was planted in simulated raters; none is left out."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest

import jurybox as jb
from jurybox.analysis import Analysis
from jurybox.results import Result, ResultTable
from jurybox.simulate.run import run
from jurybox.simulate.truth import (
    Kind,
    Truth,
    draw_effect,
    expected_real_rate,
    expected_score,
    expected_win_rate,
)
from jurybox.study.model import SystemId
from jurybox.study.settings import Exclude
from tests.simulate import test_beside_people, test_judges_and_people, test_planted
from tests.simulate.conftest import NOW, SYSTEMS, Prepare, Ready
from tests.simulate.planting import CASES, plants
from tests.simulate.test_planted import CAREFUL, analyzed

NEW, OLD, TINY = map(SystemId, SYSTEMS)
GROUPS = ["experts", "crowd"]
ALIKE = {"new": 0.5, "old": 0.5, "tiny": 0.5}


def planted(
    ready: Ready, *, quality: dict[str, float], seed: int = 3, kinds: Any = None, **truth: Any
) -> Truth:
    """Let simulated raters answer; what was planted."""
    made = Truth(quality={name: quality for name in ready.study.criteria}, bad_below=-1, **truth)
    run(ready.study, ready.material, ready.plan, ready.store, made, seed=seed, now=NOW,
        raters=kinds)  # fmt: skip
    return made


def covers(found: Any, value: float) -> bool:
    return bool(found.interval.low <= value <= found.interval.high)


# Nothing is left out.


def kinds_of(kind: type) -> set[str]:
    return {kind.__name__}.union(*map(kinds_of, kind.__subclasses__()))


def statistics() -> list[str]:
    """The public functions that give a result, or an analysis made of them."""
    functions = {name: getattr(jb, name) for name in jb.__all__}
    results = kinds_of(Result) | kinds_of(ResultTable) | kinds_of(Analysis)
    return [
        name
        for name, function in functions.items()
        if inspect.isfunction(function) and function.__annotations__["return"] in results
    ]


def test_every_statistic_and_every_rule_has_a_planted_case() -> None:
    assert {"krippendorff_alpha", "bradley_terry", "turing_test", "analyze"} <= set(statistics())
    # Their cases are entered when they are read.
    assert test_planted.__name__
    assert test_beside_people.__name__
    assert test_judges_and_people.__name__
    asked = [*statistics(), *Exclude.model_fields]
    assert [name for name in asked if name not in CASES] == []
    assert sorted(set(CASES) - set(asked)) == []


# Agreement.

WITHIN: dict[str, Any] = {"rater_sd": 0.03, "taste_sd": 0.03}


def two_raters(truth: Truth, cuts: list[float]) -> tuple[float, np.ndarray[Any, Any]]:
    """How often two raters choose the same value, and how often each is chosen: a large draw."""
    rng = np.random.default_rng(1)
    n = 400_000
    between = math.hypot(truth.item_sd, truth.item_system_sd)
    within = math.sqrt(truth.rater_sd**2 + truth.taste_sd**2 + truth.noise_sd**2)
    outputs = 0.5 + between * rng.standard_normal(n)
    one, other = (np.digitize(outputs + within * rng.standard_normal(n), cuts) for _ in range(2))
    shares = np.bincount(np.concatenate([one, other]), minlength=len(cuts) + 1) / (2 * n)
    return float(np.mean(one == other)), shares


@plants(
    "percent_agreement", "fleiss_kappa", "cohen_kappa", "gwet_ac", "brennan_prediger",
    "krippendorff_alpha",
)  # fmt: skip
@pytest.mark.parametrize("noise", [0.05, 0.25])
def test_agreement_is_as_high_as_the_noise_allows(prepare: Prepare, noise: float) -> None:
    ready = prepare("rate", items=40, design={"overlap": 5, "raters": 8, "seed": 1})
    truth = planted(ready, quality=ALIKE, item_sd=0.2, noise_sd=noise, **WITHIN)
    same, shares = two_raters(truth, [0.25, 0.5, 0.75])
    by_chance = {
        "percent": 0.0,
        "kappa": float(np.sum(shares**2)),
        "gwet": float(np.sum(shares * (1 - shares))) / 3,
        "brennan": 1 / 4,
    }
    wanted = {name: (same - chance) / (1 - chance) for name, chance in by_chance.items()}
    ratings = ready.store.table("ratings")
    for found, name in (
        (jb.percent_agreement(ratings), "percent"),
        (jb.fleiss_kappa(ratings), "kappa"),
        (jb.cohen_kappa(ratings), "kappa"),
        (jb.krippendorff_alpha(ratings, level="nominal"), "kappa"),
        (jb.gwet_ac(ratings), "gwet"),
        (jb.brennan_prediger(ratings), "brennan"),
    ):
        assert found.estimate == pytest.approx(wanted[name], abs=0.08), name
        assert covers(found, wanted[name]), name


@plants("icc", "krippendorff_alpha")
def test_reliability_is_the_planted_share_of_variance(prepare: Prepare) -> None:
    ready = prepare("slide", items=40, design={"overlap": 5, "raters": 10, "seed": 1})
    truth = planted(
        ready, quality=ALIKE, item_sd=0.1, item_system_sd=0.05, rater_sd=0.06, taste_sd=0.0,
        noise_sd=0.08,
    )  # fmt: skip
    between = truth.item_sd**2 + truth.item_system_sd**2
    share = between / (between + truth.rater_sd**2 + truth.noise_sd**2)
    assert share == pytest.approx(0.5556, abs=1e-4)
    ratings = ready.store.table("ratings")
    for found in (
        jb.icc(ratings, form="ICC(2,1)"),
        jb.krippendorff_alpha(ratings, level="interval"),
    ):
        assert found.estimate == pytest.approx(share, abs=0.1)
        assert covers(found, share)


@plants("kendall_w")
def test_raters_rank_alike_where_systems_differ(prepare: Prepare) -> None:
    apart = {"new": 0.9, "old": 0.5, "tiny": 0.1}
    found = {}
    for name, quality in (("apart", apart), ("alike", ALIKE)):
        ready = prepare("rank", items=30, design={"overlap": 5, "raters": 10, "seed": 1})
        planted(ready, quality=quality, item_system_sd=0.0, taste_sd=0.0, tie_width=0.0)
        found[name] = jb.kendall_w(ready.store.table("rankings"))
    assert (found["apart"].estimate or 0) > 0.95
    # Rankings at random by five raters: W is 1/5 on average.
    assert found["alike"].estimate == pytest.approx(0.2, abs=0.07)


@plants("rater_pairs")
def test_a_coin_flipper_agrees_with_nobody(prepare: Prepare) -> None:
    kinds: list[Kind] = [*CAREFUL, "careful", "coin_flipper"]
    ready = prepare("rate", items=16, design={"overlap": 6, "raters": 6, "seed": 1})
    planted(ready, quality=ALIKE, kinds=kinds, item_sd=0.25, noise_sd=0.05, **WITHIN)
    rows = jb.rater_pairs(ready.store.table("ratings")).rows
    random = [row.estimate or 0 for row in rows if "rater-06" in (row.rater, row.other)]
    others = [row.estimate or 0 for row in rows if "rater-06" not in (row.rater, row.other)]
    assert (len(random), len(others)) == (5, 10)
    assert np.mean(random) == pytest.approx(0, abs=0.1)
    assert max(random) < 0.2 < 0.3 < min(others)


# Scores.


@plants("mean_scores", "compare_systems")
def test_means_and_differences_lie_in_their_intervals(prepare: Prepare) -> None:
    inside = []
    for seed in range(3):
        ready = prepare("rate", items=20, design={"overlap": 3, "raters": 8, "seed": seed})
        quality = {"new": 0.7, "old": 0.55, "tiny": 0.35}
        truth = planted(ready, quality=quality, seed=seed)
        ratings = ready.store.table("ratings")
        scale = ready.study.criteria["fit"].scale
        assert scale is not None
        wanted = {s: expected_score(truth, scale, "fit", SystemId(s)) for s in SYSTEMS}
        inside += [covers(row, wanted[row.system]) for row in jb.mean_scores(ratings).rows]
        for row in jb.compare_systems(ratings).rows:
            gap = wanted[row.system] - wanted[row.other]
            inside.append(covers(row, gap))
            assert row.estimate == pytest.approx(gap, abs=0.35)
    # 18 intervals of 95%: three or more misses have a chance of 6%.
    assert len(inside) == 18
    assert sum(inside) >= 16


@plants("compare_groups", "analyze")
def test_what_a_group_sees_more_is_found(prepare: Prepare) -> None:
    ready = prepare(
        "slide",
        items=15,
        design={"overlap": 3, "seed": 1},
        survey={"who": {"question": "Who?", "choices": GROUPS}},
        raters={"by": "who", "each": True, "groups": {g: {"quota": 6} for g in GROUPS}},
    )
    planted(ready, quality=ALIKE, groups={"experts": {"old": -0.2}}, rater_sd=0.04)
    ratings = ready.store.table("ratings")
    rows = {row.of: row for row in jb.compare_groups(ratings).rows}
    assert covers(rows["old"], -20 if rows["old"].group == "experts" else 20)
    assert (rows["old"].p or 0) < 0.05
    assert covers(rows["new"], 0)
    analysis = jb.analyze(ratings, by="group")
    told = [finding for finding in analysis.findings if finding.id.startswith("groups/")]
    assert any("old" in finding.sentence for finding in told)


@plants("feature_metrics")
def test_the_distance_between_sets_is_the_planted_one() -> None:
    rng = np.random.default_rng(5)
    real = rng.normal(size=(800, 4))
    quality = {"new": 0.9, "old": 0.5, "tiny": 0.1}
    # A worse system's outputs lie farther off, and all are half as various: the distance is
    # 4 (1 − q)² + 4 (1 − ½)².
    sets = {
        name: 0.5 * rng.normal(size=(800, 4)) + (1 - q) * np.ones(4) for name, q in quality.items()
    }
    found = jb.feature_metrics(real, sets)
    for name, q in quality.items():
        # A difference of means has a standard error of √(1.25 / 800) = 0.04, its square in four
        # dimensions one of at most 2 · 0.9 · 0.04 · 2 = 0.14, the spread adds 0.05: three of 0.15.
        assert found[f"{name}, fid"].estimate == pytest.approx(4 * (1 - q) ** 2 + 1, abs=0.45)
        assert found[f"{name}, recall"].estimate < found[f"{name}, precision"].estimate
    distances = [found[f"{name}, kid"].estimate for name in quality]
    assert distances == sorted(distances)


@plants("correlate_metrics")
def test_a_metric_that_knows_the_quality_correlates(prepare: Prepare) -> None:
    ready = prepare("slide", items=30, design={"overlap": 3, "raters": 6, "seed": 1})
    truth = planted(ready, quality=ALIKE, item_sd=0.0, item_system_sd=0.15, noise_sd=0.05)
    rng = np.random.default_rng(1)
    rows = []
    for item, system in ready.material.outputs:
        own = truth.item_system_sd * draw_effect(3, "item×system", "fit", item, system)
        for name, noise in (("knows", 0.03), ("guesses", 0.3), ("random", None)):
            value = rng.standard_normal() + (0 if noise is None else own / noise)
            rows.append({"item": item, "system": system, "metric": name, "value": value})
    metrics = {name: [row[name] for row in rows] for name in rows[0]}
    found = jb.correlate_metrics(ready.store.table("ratings"), metrics)
    r = {row.metric: row for row in found.rows if row.level == "output"}
    # Means of three raters lie off the quality by √((0.08² + 0.05² + 0.05²) / 3) = 0.062, so they
    # correlate with it by 0.15 / √(0.15² + 0.062²) = 0.925; a metric likewise. Of two normal
    # numbers Kendall's tau is 2/π · asin ρ.
    for name, noise in (("knows", 0.03), ("guesses", 0.3)):
        rho = 0.925 * 0.15 / math.hypot(0.15, noise)
        assert r[name].statistic == "kendall"
        assert r[name].estimate == pytest.approx(2 / math.pi * math.asin(rho), abs=0.12)
        assert covers(r[name], 2 / math.pi * math.asin(rho))
    assert covers(r["random"], 0)


@plants("hidden_reference_missed")
def test_who_does_not_know_the_reference_is_left_out(prepare: Prepare) -> None:
    kinds: list[Kind] = [*CAREFUL, "coin_flipper", "coin_flipper"]
    ready = prepare(
        "slide",
        items=20,
        systems={"new": {"hidden_reference": True}, "old": {}, "tiny": {}},
        design={"overlap": 3, "raters": 6, "seed": 1},
        quality={"exclude": {"hidden_reference_missed": 0.5}},
    )
    # Careful raters see the reference 2.5 standard deviations above 90% of the scale; by chance
    # nine of ten places of the slide are below.
    planted(ready, quality={"new": 1.4, "old": 0.5, "tiny": 0.3}, kinds=kinds)
    found = analyzed(ready).excluded
    assert {(each.rater, each.rule) for each in found} == {
        (f"rater-0{k}", "hidden_reference_missed") for k in (5, 6)
    }


# Votes and ranks.


@plants("win_rates", "bradley_terry", "elo")
def test_votes_find_the_planted_win_rates(prepare: Prepare) -> None:
    quality = {"new": 0.62, "old": 0.55, "tiny": 0.4}
    ready = prepare("graded", items=30, design={"overlap": 3, "raters": 9, "seed": 1})
    truth = planted(ready, quality=quality)
    votes = ready.store.table("votes")
    rates = jb.win_rates(votes)
    for row in rates.pairs:
        systems = SystemId(str(row.system)), SystemId(str(row.other))
        wanted = expected_win_rate(truth, "preference", *systems)
        assert covers(row, wanted)
    strengths = jb.bradley_terry(votes)
    assert [row.system for row in strengths.rows] == ["new", "old", "tiny"]
    # Latents of two outputs scatter by √2 · √(0.08² + 0.05² + 0.12²) = 0.216; a logistic curve
    # that is as steep as the normal one there has the scale 0.216 · √(2π) / 4 = 0.135.
    for a, b in (("new", "tiny"), ("new", "old")):
        gap = (strengths[a].estimate or 0) - (strengths[b].estimate or 0)
        assert gap == pytest.approx((quality[a] - quality[b]) / 0.135, abs=0.6)
    assert [row.system for row in jb.elo(votes).rows] == ["new", "old", "tiny"]


@plants("plackett_luce")
def test_plackett_luce_strengths_lie_in_their_intervals(prepare: Prepare) -> None:
    strengths = np.array([0.9, 0.3, -0.4, -0.8])  # centered
    inside, estimates = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        rows: dict[str, list[Any]] = {name: [] for name in ("item", "rater", "system", "rank")}
        for item in range(60):
            for k in range(3):
                # Gumbel noise makes the order of the sums a draw from Plackett and Luce's model.
                order = np.argsort(-(strengths + rng.gumbel(size=4)))
                for rank, system in enumerate(order.tolist(), start=1):
                    for name, value in zip(
                        rows, (item, (item + 4 * k) % 12, f"s{system}", rank), strict=True
                    ):
                        rows[name].append(value)
        found = jb.plackett_luce(rows)
        estimates.append([found[f"s{system}"].estimate for system in range(4)])
        inside += [covers(found[f"s{k}"], strengths[k]) for k in range(4)]
    # 32 intervals of 95%: fewer than 27 inside has a chance below 0.5%.
    assert sum(inside) >= 27
    assert np.mean(estimates, axis=0) == pytest.approx(strengths, abs=0.1)
    # And simulated raters, whose noise is normal: their best system is first, their worst last.
    ready = prepare("rank", items=20, design={"overlap": 3, "raters": 6, "seed": 1})
    planted(ready, quality={"new": 0.8, "old": 0.5, "tiny": 0.3})
    ranked = jb.plackett_luce(ready.store.table("rankings"))
    assert [row.system for row in ranked.rows] == ["new", "old", "tiny"]
    assert ranked["new"].interval is not None
    assert ranked["new"].interval.low > 0


# Ordered scores.


@plants("ordinal_model")
def test_the_odds_of_a_higher_score_are_the_planted_ones(prepare: Prepare) -> None:
    odds, inside, estimates = {"new": 0.9, "old": 0.0, "tiny": -0.9}, [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        latent = (
            np.array(list(odds.values()))
            + rng.normal(0, 1.0, (20, 1, 1))
            + rng.normal(0, 0.8, (1, 8, 1))
            + rng.normal(0, 0.4, (1, 8, 3))
            + rng.normal(0, 0.4, (20, 1, 3))
            + rng.logistic(size=(20, 8, 3))
        )
        # Steps of unequal size: only their order counts.
        scores = np.array([0, 1, 5, 50])[np.searchsorted([-2.0, 0.5, 1.5], latent)]
        places = np.indices(scores.shape).reshape(3, -1)
        found = jb.ordinal_model(
            {
                "item": places[0].tolist(),
                "rater": places[1].tolist(),
                "system": [list(odds)[k] for k in places[2]],
                "score": scores.ravel().tolist(),
            }
        )
        estimates.append([found[system].estimate for system in odds])
        inside += [covers(found[system], odds[system]) for system in odds]
    # 12 intervals of 95%: fewer than 10 inside has a chance of 2%.
    assert sum(inside) >= 10
    assert np.mean(estimates, axis=0) == pytest.approx(list(odds.values()), abs=0.25)
    # And simulated raters: their best system is first, their worst last.
    ready = prepare("rate", items=16, design={"overlap": 3, "raters": 6, "seed": 1})
    planted(ready, quality={"new": 0.8, "old": 0.5, "tiny": 0.2})
    ranked = jb.ordinal_model(ready.store.table("ratings"))
    assert [row.system for row in ranked.rows] == ["new", "old", "tiny"]


# Real or generated.


@plants("turing_test")
def test_fooling_rates_are_the_planted_ones(prepare: Prepare) -> None:
    ready = prepare("detect", items=60, design={"overlap": 3, "raters": 12, "seed": 1})
    truth = planted(ready, quality={"new": 0.5, "old": 0.6, "tiny": 0.3})
    found = jb.turing_test(ready.store.table("detections"))
    for system in (NEW, TINY):
        assert covers(found[system], expected_real_rate(truth, "origin", system))
    rejected = found.false_rejection
    assert rejected is not None
    assert 1 - (rejected.estimate or 0) == pytest.approx(
        expected_real_rate(truth, "origin", OLD), abs=0.1
    )


def expected_calibration(truth: Truth, shares: dict[str, float]) -> dict[str, float]:
    """What raters like these state and get right, from a large draw of their latents."""
    rng, n = np.random.default_rng(2), 400_000
    systems = rng.choice(list(shares), size=n, p=list(shares.values()))
    quality = np.array([truth.of("origin", SystemId(s)) for s in shares])
    latent = np.select([systems == s for s in shares], list(quality))
    latent = latent + truth.spread * rng.standard_normal(n)
    right = ((latent > 0.5) == (systems == "old")).astype(float)
    sure = np.minimum(truth.boldness * np.abs(latent - 0.5) / truth.spread / 3, 0.999)
    stated = 0.5 + np.floor(5 * sure) / 8
    values = np.unique(stated)
    weights = np.array([np.mean(stated == x) for x in values])
    means = np.array([np.mean(right[stated == x]) for x in values])
    return {
        "in_the_large": float(np.mean(right) - np.mean(stated)),
        "slope": float(np.cov(stated, right)[0, 1] / np.var(stated)),
        "brier": float(np.mean((stated - right) ** 2)),
        "reliability": float(np.sum(weights * (values - means) ** 2)),
        "resolution": float(np.sum(weights * (means - np.mean(right)) ** 2)),
        "uncertainty": float(np.mean(right) * (1 - np.mean(right))),
    }


@plants("calibration")
@pytest.mark.parametrize(("boldness", "sign"), [(2.5, -1), (0.4, 1)])
def test_planted_confidence_is_recovered(prepare: Prepare, boldness: float, sign: int) -> None:
    ready = prepare("detect", items=80, design={"overlap": 3, "raters": 12, "seed": 1})
    quality = {"new": 0.42, "old": 0.58, "tiny": 0.42}
    truth = planted(
        ready, quality=quality, boldness=boldness, item_sd=0.0, rater_sd=0.02, taste_sd=0.02
    )
    detections = ready.store.table("detections")
    shares = {s: detections["system"].count(s) / len(detections["system"]) for s in SYSTEMS}
    wanted = expected_calibration(truth, shares)
    values = {1 + k: 0.5 + k / 8 for k in range(5)}
    found = jb.calibration(detections, probability=values)
    # Too sure: right less often than stated.
    assert np.sign(wanted["in_the_large"]) == np.sign(found.estimate or 0) == sign
    assert covers(found, wanted["in_the_large"])
    assert not covers(found, 0)
    assert covers(found.slope, wanted["slope"])
    assert covers(found.brier, wanted["brier"])
    for part in ("reliability", "resolution", "uncertainty"):
        assert getattr(found.brier, part) == pytest.approx(wanted[part], abs=0.025), part


# Spans.


def long_text(system: str, k: int) -> str:
    return f"Sentence {k} of a text in which errors seldom lie upon each other. " * 12


@plants("span_agreement", "span_scores")
def test_raters_mark_the_same_as_often_as_they_find_it(prepare: Prepare) -> None:
    agreed = []
    for chance in (0.95, 0.7, 0.4):
        ready = prepare(
            "mark", items=16, text=long_text, design={"overlap": 3, "raters": 6, "seed": 1}
        )
        planted(ready, quality={"new": 0.7, "old": 0.5, "tiny": 0.2}, found=chance, item_sd=0.0,
                item_system_sd=0.0, rater_sd=0.0, taste_sd=0.0, noise_sd=0.0)  # fmt: skip
        spans = ready.store.table("spans")
        found = jb.span_agreement(spans)
        agreed.append(found.estimate or 0.0)
        # Two raters both mark an error with the chance squared; each marks as many as there are.
        assert found.estimate == pytest.approx(chance**2, abs=0.1)
        scores = jb.span_scores(spans, severities={"minor": 1, "major": 5})
        for row in scores.rows:
            errors = 5 * (1 - {"new": 0.7, "old": 0.5, "tiny": 0.2}[row.system])
            # Half of them cost 1 point and half 5.
            assert row.estimate == pytest.approx(3 * errors, rel=0.3)
    assert agreed == sorted(agreed, reverse=True)


# How many.


@plants("sample_size")
def test_the_number_of_votes_that_is_said_finds_the_rate() -> None:
    made = jb.sample_size("win_rate", rate=0.6)
    assert made.n == 210
    rng = np.random.default_rng(4)
    wins = rng.binomial(made.n, 0.6, size=4000)
    # The exact two-sided test at 5% rejects from 120 of 210 wins on (and up to 90).
    tail = [sum(math.comb(210, k) for k in range(c, 211)) / 2**210 for c in (119, 120)]
    assert 2 * tail[1] < 0.05 < 2 * tail[0]
    power = np.mean((wins >= 120) | (wins <= 90))
    # Standard error √(0.8 · 0.2 / 4000) = 0.006.
    assert power == pytest.approx(made.power, abs=0.02)
    assert power > 0.78
