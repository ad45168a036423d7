"""People on a share of the items and judges on all: what is planted in either is found."""

from __future__ import annotations

from typing import Any

import pytest

import jurybox as jb
from jurybox.report import html
from jurybox.simulate.judges import SimulatedJudge, run_judges
from jurybox.simulate.run import run
from jurybox.simulate.truth import Truth, expected_score
from jurybox.study.model import SystemId
from tests.simulate.conftest import NOW, SYSTEMS, Prepare
from tests.simulate.planting import plants
from tests.simulate.test_planted import analyzed

QUALITY = {"new": 0.55, "old": 0.5, "tiny": 0.45}
JUDGES = (
    SimulatedJudge(id="good", noise_sd=0.02, taste_sd=0.0),
    SimulatedJudge(id="long", family="hers", verbosity=0.1, noise_sd=0.02, taste_sd=0.0),
    SimulatedJudge(id="vain", family="ours", self_preference=0.1, noise_sd=0.02, taste_sd=0.0),
)
ITEMS, SHARE = 80, 0.4


def some_text(system: str, k: int) -> str:
    """Between 8 and 64 words."""
    return "word " * (8 << (k * 7 + 3 * len(system)) % 4)


def covers(row: Any, value: float) -> bool:
    return bool(row.interval.low <= value <= row.interval.high)


@plants("judge_biases", "prediction_powered")
def test_three_judges_and_twenty_people(prepare: Prepare) -> None:
    ready = prepare(
        "slide",
        items=ITEMS,
        text=some_text,
        design={"overlap": 3, "raters": 20, "people": SHARE, "seed": 1},
        session={"minutes": 240},
        systems={"new": {"family": "ours"}, "old": {"family": "hers"}, "tiny": {"family": "hers"}},
        judges={
            judge.id: {
                "model": judge.id,
                "endpoint": "http://127.0.0.1:1/v1",
                "family": judge.family,
            }
            for judge in JUDGES
        },
        analysis={"epsilon": 0.1},
    )
    truth = Truth(quality={"fit": QUALITY}, noise_sd=0.08)
    # One seed: judges see the same items as people.
    run(ready.study, ready.material, ready.plan, ready.store, truth, seed=3, now=NOW)
    run_judges(
        ready.study, ready.material, ready.plan, ready.store, truth, JUDGES, seed=3, now=NOW,
        repeats=2,
    )  # fmt: skip
    found = analyzed(ready)
    assert (found.n_raters, found.n_items) == (20, 32)
    results = {finding.id: finding.result for finding in found.findings}
    # Points of a scale from 0 to 100.
    assert covers(results["judge_bias/fit/long/verbosity"], 10)
    assert covers(results["judge_bias/fit/vain/self_preference"], 10)
    assert covers(results["judge_bias/fit/vain/self_preference/other judges"], 10)
    assert not covers(results["judge_bias/fit/long/verbosity"], 0)
    assert not covers(results["judge_bias/fit/vain/self_preference"], 0)
    for bias in ("verbosity", "leniency"):
        assert covers(results[f"judge_bias/fit/good/{bias}"], 0)
    # Everything that is asked of judges is reported, also where it cannot be told.
    for judge in ("good", "long", "vain"):
        assert {f"judge/fit/{judge}", f"alternative_annotator/fit/{judge}"} <= set(results)
    scale = ready.study.criteria["fit"].scale
    assert scale is not None
    planted = {name: expected_score(truth, scale, "fit", SystemId(name)) for name in SYSTEMS}
    table = ready.store.table("ratings")
    both = jb.prediction_powered(table, probability=SHARE)
    for row in both.rows:
        wanted = planted[row.system] - (planted[row.other] if row.other else 0)
        assert covers(row, wanted), row.name
        assert (row.n_items, row.n_judged_items) == (32, ITEMS)
        if row.judge == "good":
            assert row.worth is not None
            assert row.worth > 32
    combined = results["combined/fit/good"]
    same = [row for row in both.rows if (row.judge, row.other) == ("good", "old")]
    assert combined.estimate == pytest.approx(same[0].estimate)
    # However much the judges' own means are off.
    (vain,) = [
        row for row in both.rows if (row.judge, row.target, row.system) == ("vain", "mean", "new")
    ]
    assert (vain.judge_alone or 0) - planted["new"] > 5
    said = jb.judge_biases(table, families={"new": "ours", "old": "hers", "tiny": "hers"},
                           judge_families={"vain": "ours"})  # fmt: skip
    assert covers(said.of("vain", "self_preference"), 10)
    page = html(found, study=ready.study, versions={"jurybox": "0.1.0"})
    assert "human-rated items" in page
    assert "People and judges together: fit" in page
    assert "Biases of judges: fit" in page


def test_a_judge_that_was_tuned_on_them_is_not_combined(prepare: Prepare) -> None:
    ready = prepare(
        "slide",
        items=6,
        design={"overlap": 3, "raters": 6, "people": 0.5, "seed": 1},
        judges={"good": {"model": "m", "endpoint": "http://127.0.0.1:1/v1", "tuned": True}},
    )
    truth = Truth(quality={"fit": QUALITY})
    run(ready.study, ready.material, ready.plan, ready.store, truth, seed=3, now=NOW)
    run_judges(
        ready.study, ready.material, ready.plan, ready.store, truth, JUDGES[:1], seed=3, now=NOW
    )
    (said,) = [f.sentence for f in analyzed(ready).findings if f.id == "combined/fit/good"]
    assert said.startswith("good and people are not combined on fit: the judge was tuned on these")
