"""Planned repeats from the plan to the analysis: they enter test–retest and nothing else."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import Any

import pytest

from jurybox.analysis import analyze
from jurybox.store import Store, Submission
from jurybox.study.model import RaterId
from tests.simulate.conftest import NOW, Prepare, Ready
from tests.simulate.test_run import SHAPE, simulate

DESIGN = {"overlap": 2, "raters": 4, "repeats": 0.2, "seed": 5}


def figures(analysis: Any) -> dict[str, Any]:
    """Every finding but those about repeats."""
    return {f.id: asdict(f) for f in analysis.findings if not f.id.startswith("retest/")}


def check_retests(ready: Ready, form: str) -> None:
    shape = SHAPE[form]
    table = ready.store.table(shape, retests=True)
    again = {
        (rater, trial)
        for rater, trial, repeat in zip(
            table["rater"], table["trial"], table["repeat"], strict=True
        )
        if repeat
    }
    planned = [slot for slot in ready.plan.slots if slot.repeat]
    assert len(again) == len(planned)
    first = ready.store.table(shape)
    assert set(first["repeat"]) == {0}
    assert again <= set(zip(first["rater"], first["trial"], strict=True))
    # The headline is that of the first answers alone, figure by figure.
    whole, alone = (analyze(table, study=ready.study) for table in (ready.store, first))
    assert whole.n_responses == alone.n_responses
    mine, theirs = figures(whole), figures(alone)
    shared = [id for id in mine if id in theirs and mine[id]["result"] is not None]
    assert shared
    for id in shared:
        one, other = (dict(each[id]["result"]) for each in (mine, theirs))
        if id.startswith("order/"):
            # A study holds ratings beside its votes, which add looks to this family.
            for name in ("p_adjusted", "adjusted_by"):
                assert (one.pop(name) is None) == (other.pop(name) is None)
        assert one == other, id
    n = {f.result.n_responses for f in whole.findings if f.id.startswith("retest/")}
    shown = len(ready.plan.trial(planned[0].trial).systems) if form == "rank" else 1
    assert n == {len(planned) * shown}
    assert not any(finding.id.startswith("retest/") for finding in alone.findings)
    assert any("taken for test–retest alone" in sentence for sentence in whole.took)


@pytest.mark.parametrize("form", ["rate", "compare", "graded", "rank", "detect"])
def test_raters_meet_trials_again_and_only_test_retest_takes_it(
    prepare: Prepare, form: str
) -> None:
    raters = 8 if form == "detect" else 4  # nobody sees two outputs of an item to detect
    ready = prepare(form, items=10, design={**DESIGN, "raters": raters})
    simulate(ready)
    progress = ready.store.progress()
    assert progress.answered == progress.planned == sum(not s.repeat for s in ready.plan.slots)
    assert {trial.answered for trial in progress.trials} == {2}
    check_retests(ready, form)


def test_on_both_databases(prepare: Prepare, database_url: str) -> None:
    ready = prepare("compare", items=10, design=DESIGN, database=database_url)
    assert ready.store.load_plan() == ready.plan
    simulate(ready)
    check_retests(ready, "compare")


def test_spans_are_repeated_without_counting_twice(prepare: Prepare) -> None:
    ready = prepare("mark", items=8, design=DESIGN)
    simulate(ready)
    assert 1 in ready.store.table("spans", retests=True)["repeat"]
    first = analyze(ready.store.table("spans"))
    assert analyze(ready.store, study=ready.study).n_responses == first.n_responses


def test_a_shared_core_is_answered_by_everybody_and_analyzed(prepare: Prepare) -> None:
    design = {"overlap": 2, "raters": 6, "core": 2, "seed": 5}
    ready = prepare("rate", items=8, design=design)
    simulate(ready)
    progress = ready.store.progress()
    assert progress.answered == progress.planned
    assert sorted({trial.answered for trial in progress.trials}) == [2, 6]
    found = analyze(ready.store, study=ready.study)
    assert found.n_responses == 3 * (2 * 6 + 6 * 2)
    assert found.collected is not None
    assert found.collected.raters_per_trial == (2, 2.0, 6)
    assert any(finding.id.startswith("agreement/") for finding in found.findings)


def test_what_was_skipped_is_not_asked_again(prepare: Prepare) -> None:
    ready = prepare("rate", items=10, design={**DESIGN, "overlap": 1, "raters": 1})
    store: Store = ready.store
    rater = RaterId("ann")
    store.enroll(rater, details={}, now=NOW)
    seen = []
    while held := store.claim(rater, lease=timedelta(minutes=5), now=NOW):
        (given,) = held
        seen.append((given.trial.id, given.repeat))
        sent = Submission(
            id=f"s{len(seen)}", rater=rater, trial=given.trial.id, slot=given.slot,
            study_version=1, order=given.order, at=NOW, status="skipped", reason="other",
        )  # fmt: skip
        store.submit(sent, now=NOW)
    assert {repeat for _, repeat in seen} == {0}
    assert len(seen) == 30
