"""Judges with planted quality beside simulated people: who may be trusted, and who not."""

from __future__ import annotations

from typing import Any

import pytest

import jurybox as jb
from jurybox.analysis import Analysis
from jurybox.design.plan import Trial
from jurybox.report import html
from jurybox.simulate.judges import SimulatedJudge, run_judges
from jurybox.simulate.run import run
from jurybox.simulate.truth import Truth
from jurybox.store.values import Submission
from jurybox.study.model import RaterId
from tests.simulate.conftest import NOW, Prepare, Ready
from tests.simulate.planting import plants
from tests.simulate.test_planted import analyzed

SIX: Any = {"overlap": 6, "raters": 6}
QUALITY = {"new": 0.75, "old": 0.5, "tiny": 0.25}
GOOD = SimulatedJudge(id="good", noise_sd=0.0, taste_sd=0.0)
NOISY = SimulatedJudge(id="noisy", noise_sd=2.0, taste_sd=0.5, found=0.1)
BIASED = SimulatedJudge(id="biased", position_bias=0.6, taste_sd=0.0, noise_sd=0.02)


def planted(
    prepare: Prepare,
    form: str,
    *,
    items: int = 32,
    repeats: int = 1,
    judge_seed: int = 5,
    **parts: Any,
) -> Ready:
    """Six people and three judges: one that sees the truth, one lost in noise, one biased.

    With the people's seed, which is 3, judges see the same items and errors.
    """
    ready = prepare(form, items=items, design=SIX, session={"minutes": 240}, **parts)
    quality = {name: QUALITY for name in ready.study.criteria}
    truth = Truth(quality=quality, bad_below=-1)
    run(ready.study, ready.material, ready.plan, ready.store, truth, seed=3, now=NOW)
    run_judges(
        ready.study, ready.material, ready.plan, ready.store, truth, (GOOD, NOISY, BIASED),
        seed=judge_seed, now=NOW, repeats=repeats,
    )  # fmt: skip
    return ready


def mains(ready: Ready) -> list[Trial]:
    return [trial for trial in ready.plan.trials if trial.kind == "main"]


def unusable(ready: Ready, judge: str, trial: Trial, repeat: int = 0) -> Submission:
    version = ready.store.latest_version()
    assert version is not None
    return Submission(
        id=f"{judge}/lost/{trial.id}/{repeat}", rater=RaterId(judge), rater_kind="judge",
        trial=trial.id, round=trial.round, study_version=version.number, repeat=repeat, at=NOW,
        order=tuple(range(len(trial.systems))), answers=(), status="unusable", reason="no JSON",
    )  # fmt: skip


def judged(found: Analysis, id: str) -> Any:
    (one,) = [finding.result for finding in found.findings if finding.id == id]
    return one


@plants("judge_agreement", "alternative_annotator_test")
def test_who_sees_the_truth_may_be_trusted_and_who_is_lost_in_noise_not(prepare: Prepare) -> None:
    ready = planted(prepare, "rate", analysis={"epsilon": 0.2, "panel": "weighted"})
    found = analyzed(ready)
    assert found.n_raters == 6
    good, noisy = (judged(found, f"judge/fit/{name}") for name in ("good", "noisy"))
    # Who sees the truth agrees with a person as another person does; noise agrees with nobody.
    assert good.difference_low < 0 < good.difference_high
    assert noisy.difference_high < 0
    tests = {name: judged(found, f"alternative_annotator/fit/{name}") for name in ("good", "noisy")}
    assert (tests["good"].passes, tests["noisy"].passes) == (True, False)
    assert tests["good"].epsilon == 0.2
    assert len(tests["good"].raters) == 6
    panel = judged(found, "judge/fit/panel (weighted)")
    assert panel.panel_of == ("biased", "good", "noisy")
    assert panel.estimate > noisy.estimate
    # The public functions say the same of the same rows.
    table = ready.store.table("ratings")
    again = jb.judge_agreement(table, level="ordinal").of("good", "weighted_kappa")
    assert again.estimate == pytest.approx(good.estimate)
    assert jb.alternative_annotator_test(table, epsilon=0.2)["good"].ps == tests["good"].ps
    page = html(found, study=ready.study, versions={"jurybox": "0.1.0"})
    assert "Judges beside people" in page
    assert "The panel (weighted) of biased, good and noisy agrees" in page


@pytest.mark.parametrize(
    ("form", "criterion", "statistics"),
    [
        ("rank", "order", ("tau",)),
        ("best", "pick", ("percent", "kappa")),
        ("mark", "errors", ("weighted_kappa", "pearson", "f1")),
    ],
)
def test_rankings_choices_and_marks_of_judges_are_set_beside_peoples(
    prepare: Prepare, form: str, criterion: str, statistics: tuple[Any, ...]
) -> None:
    # Errors are found in texts of some length.
    text = {"text": lambda system, k: f"{system} says {k} in a sentence. " * 6}
    parts: Any = {**(text if form == "mark" else {}), "analysis": {"epsilon": 0.2}}
    ready = planted(prepare, form, judge_seed=3, **parts)
    found = analyzed(ready)
    table = ready.store.table("spans" if form == "mark" else "rankings")
    again = jb.judge_agreement(
        table, severities={"minor": 1, "major": 5} if form == "mark" else None
    )
    for statistic in statistics:
        good, noisy = (again.of(name, statistic) for name in ("good", "noisy"))
        assert good.difference_high is not None
        assert good.difference_high > 0
        # Nearly all choices are of one system, so that people's own kappa is hardly above 0.
        assert noisy.difference_high is not None
        assert noisy.difference_high < (0.05 if statistic == "kappa" else 0)
        # One unit an item, or an output; two orders, or none, are one answer.
        assert good.n_units == (96 if form == "mark" else 32)
        assert found.table(f"judges/{criterion}/{statistic}") is not None
    leads = judged(found, f"judge/{criterion}/good")
    assert leads.estimate == pytest.approx(again.of("good", statistics[0]).estimate)
    tests = {w: judged(found, f"alternative_annotator/{criterion}/{w}") for w in ("good", "noisy")}
    assert tests["good"].estimate > tests["noisy"].estimate == 0
    seen = found.table(f"by_rater_kind/{criterion}")
    assert seen is not None
    assert {row[1] for row in seen.rows} == {"people", "good", "noisy", "biased"}
    if form != "mark":
        first = judged(found, f"judge_bias/{criterion}/biased/first_shown")
        assert first.interval.low > 0
    page = html(found, study=ready.study, versions={"jurybox": "0.1.0"})
    assert "Judges beside people" in page


def test_two_orders_take_the_side_out_of_a_biased_judge(prepare: Prepare) -> None:
    ready = planted(prepare, "compare", items=12, repeats=2)
    found = jb.judge_agreement(ready.store.table("votes"))
    rows = {name: found.of(name, "percent") for name in ("good", "noisy", "biased")}
    # Repeats and orders are no further units: 12 items × 3 pairs.
    assert {row.n_units for row in rows.values()} == {36}
    # It calls what is shown first in both orders, so that most of its answers are ties.
    ties = {name: dict(zip(row.judge_values, row.confusion, strict=True)).get("tie", ())
            for name, row in rows.items()}  # fmt: skip
    assert sum(ties["biased"]) > 2 * sum(ties["good"])
    assert rows["good"].estimate > rows["biased"].estimate  # type: ignore[operator]


def test_unusable_replies_of_a_study_are_counted_and_named(prepare: Prepare) -> None:
    ready = planted(prepare, "rate", items=6)
    trials = mains(ready)
    ready.store.enroll(RaterId("broken"), kind="judge", details={}, now=NOW)
    lost = [unusable(ready, "broken", trial) for trial in trials[:4]]
    lost += [unusable(ready, "good", trial, repeat=7) for trial in trials[:2]]
    ready.store.submit_many(lost, now=NOW)
    found = analyzed(ready)
    good = judged(found, "judge/fit/good")
    assert (good.n_unusable, good.n_replies) == (2, len(trials) + 2)
    said = next(f.sentence for f in found.findings if f.id == "judge/fit/good")
    assert f"2 of its {len(trials) + 2} replies were unusable and count nowhere." in said
    # A judge of whom nothing could be used has no row in the table and is named all the same.
    broken = next(f for f in found.findings if f.id == "judge/fit/broken")
    assert not broken.told
    assert "4 of its 4 replies were unusable and count nowhere." in broken.sentence


def test_judges_that_all_failed_are_named(prepare: Prepare) -> None:
    ready = prepare("rate", items=3)
    run(ready.study, ready.material, ready.plan, ready.store, ready.truth(), seed=3, now=NOW)
    ready.store.enroll(RaterId("broken"), kind="judge", details={}, now=NOW)
    ready.store.submit_many([unusable(ready, "broken", trial) for trial in mains(ready)], now=NOW)
    n = len(mains(ready))
    assert f"broken: {n} replies, none of which could be used" in analyzed(ready).warnings


def test_judges_without_people_are_not_said_to_have_failed(prepare: Prepare) -> None:
    ready = prepare("compare", items=3)
    run_judges(
        ready.study, ready.material, ready.plan, ready.store, ready.truth(), (GOOD,),
        seed=5, now=NOW,
    )  # fmt: skip
    found = analyzed(ready)
    assert found.n_responses == 2 * len(mains(ready))  # both orders
    assert not [warning for warning in found.warnings if "could be used" in warning]
