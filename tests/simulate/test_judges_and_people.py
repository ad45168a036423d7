"""People on a share of the items and judges on all: what is planted in either is found."""

from __future__ import annotations

import re
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


@pytest.mark.parametrize(
    ("form", "criterion", "targets"),
    [
        ("rank", "order", {"win rate", "ranked first"}),
        ("best", "pick", {"win rate", "ranked first"}),
        ("mark", "errors", {"mean", "difference"}),
        ("detect", "origin", {"taken for real"}),
    ],
)
def test_every_protocol_has_a_combined_estimate(
    prepare: Prepare, form: str, criterion: str, targets: set[str]
) -> None:
    ready = prepare(
        form,
        items=160 if form == "detect" else ITEMS,  # where each has one output to be seen
        text=some_text,
        design={"overlap": 3, "raters": 8, "people": 0.5, "seed": 1},
        session={"minutes": 240},
        judges={"good": {"model": "m", "endpoint": "http://127.0.0.1:1/v1"}},
    )
    truth = Truth(quality={name: QUALITY for name in ready.study.criteria})
    run(ready.study, ready.material, ready.plan, ready.store, truth, seed=3, now=NOW)
    run_judges(
        ready.study, ready.material, ready.plan, ready.store, truth, JUDGES[:1], seed=3, now=NOW
    )
    found = analyzed(ready)
    (told,) = [f for f in found.findings if f.id == f"combined/{criterion}/good"]
    assert re.match(r"From \d+ items that people rated and \d+ that good did, ", told.sentence)
    table = found.table(f"combined/{criterion}")
    assert table is not None
    about = {str(row[table.names.index("about")]).split(",")[0] for row in table.rows}
    assert about == {"ranked above" if name == "win rate" else name for name in targets} or (
        form == "mark" and about == targets
    )
    shape = {"mark": "spans", "detect": "detections"}.get(form, "rankings")
    costs = {"severities": {"minor": 1.0, "major": 5.0}} if form == "mark" else {}
    both = jb.prediction_powered(ready.store.table(shape), probability=0.5, **costs)  # type: ignore[arg-type]
    assert {row.target for row in both.rows} == targets
    for row in both.rows:
        assert row.interval is not None
        assert row.people is not None
        assert row.judge_alone is not None
        assert row.interval.low <= (row.estimate or 0) <= row.interval.high
        if form != "detect":
            assert (row.n_items, row.n_judged_items) == (40, ITEMS)


def test_how_often_a_system_is_taken_for_real_by_hand() -> None:
    table: dict[str, list[Any]] = {
        name: [] for name in ("item", "system", "truth", "rater", "rater_kind", "answer")
    }
    for item in range(120):
        raters = ["j1", *(f"p{k}" for k in range(5 if item % 3 == 0 else 0))]
        for k, rater in enumerate(raters):
            real = (item + (k > 2)) % 4 == 0
            row = (item, "new", "generated", rater, "judge" if rater == "j1" else "person",
                   "real" if real else "generated")  # fmt: skip
            for column, value in zip(table, row, strict=True):
                table[column].append(value)
    (made,) = jb.prediction_powered(table, probability=1 / 3).rows
    # Of 40 items every fourth is called real by the judge and by two people, and every fourth item
    # before one by the other three.
    assert made.people == pytest.approx((2 / 5 + 3 / 5) / 4)
    assert made.judge_alone == pytest.approx(1 / 4)
    assert (made.target, made.as_percent) == ("taken for real", True)
