"""A study is analyzed by the version that its store keeps, and its answers are counted there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from jurybox.analysis import analyze
from jurybox.analysis.finding import Collected
from jurybox.cli.app import run
from jurybox.cli.ready import ready_study
from jurybox.design.answers import Answer
from jurybox.errors import AnalysisError
from jurybox.store import Store, Submission
from jurybox.study import RaterId, load_study

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
KEPT = "the analysis follows version 1, the one kept with the answers"

STUDY = """\
title: Which answer is good?
protocol: rate
outputs: outputs.csv
show: {answer: text}
criteria:
  quality: {question: How good is it?, scale: acr}
design: {overlap: 2}
quality:
  gold: gold.csv
  exclude: {faster_than: 2.5}
analysis:
  primary: {criterion: quality, mean: [new, old]}
"""


def answer(store: Store, rater: str, *, count: int, version: int = 1) -> None:
    """Let a rater answer so many trials: new is a 4, old a 2, and gold is right."""
    if store.rater(RaterId(rater)) is None:
        store.enroll(RaterId(rater), token_hash=None, details={}, now=NOW)
    for _ in range(count):
        [task] = store.claim(RaterId(rater), lease=timedelta(hours=1), now=NOW)
        [system] = task.trial.systems
        value = {"new": 4.0, "old": 2.0}.get(system, 1.0) + (len(task.trial.item + rater) % 2) / 2
        known = task.trial.kind != "main"
        store.submit(
            Submission(
                id=f"{rater}/{task.slot}",
                rater=RaterId(rater),
                trial=task.trial.id,
                slot=task.slot,
                study_version=version,
                at=NOW,
                answers=(Answer(criterion="quality", system=system, score=round(value)),),
                ms=5000,
                correct=True if known else None,
            ),
            now=NOW,
        )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"i{k},{system},text {k}" for k in range(4) for system in ("new", "old")]
    (tmp_path / "outputs.csv").write_text("\n".join(["item,system,answer", *rows]) + "\n")
    (tmp_path / "gold.csv").write_text("item,answer,quality\ng,a test,5\n")
    (tmp_path / "study.yaml").write_text(STUDY)
    return tmp_path


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    with Store.open(folder) as opened:
        ready_study(folder, opened, now=NOW)
        yield opened


def edit(folder: Path, *changes: tuple[str, str]) -> None:
    text = (folder / "study.yaml").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "study.yaml").write_text(text)


def collected(source: Any) -> Collected:
    found = analyze(source).collected
    assert found is not None
    return found


def answer_all(store: Store) -> None:
    for rater in ("ada", "ben"):
        answer(store, rater, count=8)


def test_a_refused_change_does_not_enter_the_analysis(folder: Path, store: Store) -> None:
    answer_all(store)
    before = analyze(folder)
    assert before.headline is not None
    assert before.headline.systems == ("new", "old")
    edit(folder, ("faster_than: 2.5", "faster_than: 60"), ("[new, old]", "[old, new]"))
    after = analyze(folder)
    assert after.headline == before.headline
    assert after.findings == before.findings
    rule, primary = [w for w in after.warnings if w not in before.warnings]
    assert rule.startswith("quality.exclude.faster_than changed from ")
    assert primary.startswith("analysis.primary.mean changed from new and old to old and new: ")
    assert all(sentence.endswith(f"; {KEPT}") for sentence in (rule, primary))
    assert after.collected is not None
    assert after.collected.changes == after.warnings[:2]


def test_the_store_of_an_edited_study_is_analyzed_alike(folder: Path, store: Store) -> None:
    answer_all(store)
    edit(folder, ("[new, old]", "[old, new]"))
    found = analyze(store, study=load_study(folder))
    assert found.headline is not None
    assert found.headline.systems == ("new", "old")
    assert KEPT in found.warnings[0]
    # The store knows its study: none need be given.
    assert analyze(store).headline == found.headline


def test_what_raters_were_shown_is_compared_too(folder: Path, store: Store) -> None:
    answer_all(store)
    text = (folder / "outputs.csv").read_text()
    (folder / "outputs.csv").write_text(text.replace("i0,new,text 0", "i0,new,a better text"))
    [change, *_] = analyze(folder).warnings
    assert change.startswith("1 output (i0) of new changed: changes what an answer means")
    (folder / "outputs.csv").unlink()
    [gone, *_] = analyze(folder).warnings
    assert gone == (
        f"the study's tables cannot be read and compared ('jurybox check' says why); {KEPT}"
    )


def test_free_changes_need_no_word_and_others_one(folder: Path, store: Store) -> None:
    answer_all(store)
    edit(folder, ("protocol: rate", "protocol: rate\ndescription: For the paper."))
    assert collected(folder).changes == ()
    edit(folder, ("How good is it?", "How good?"), ("overlap: 2", "overlap: 3"))
    assert collected(folder).changes == (
        f"2 changes to the study since then ('jurybox check' lists what); {KEPT}",
    )


def test_answers_are_counted_per_version(folder: Path, store: Store) -> None:
    answer(store, "ada", count=8)
    assert not any("version" in sentence for sentence in analyze(folder).took)
    edit(folder, ("How good is it?", "How good?"))
    version = ready_study(folder, store, now=NOW).version
    answer(store, "ben", count=3, version=version)
    found = analyze(folder)
    n = sum(row == version for row in store.table("ratings")["study_version"])
    said = f"the study has 2 versions with answers: {8 - n_gold(store, 'ada')} answers to version 1"
    assert found.took[0].startswith(said)
    assert found.took[0].endswith(f"{n} answers to version 2")


def n_gold(store: Store, rater: str) -> int:
    return store.table("checks")["rater"].count(rater)


def test_the_answers_are_counted_as_they_came(folder: Path, store: Store) -> None:
    answer(store, "ada", count=9)  # 8 trials of the plan and gold
    answer(store, "ben", count=4)
    found = collected(folder)
    trials = [8, sum(r == "ben" for r in store.table("ratings")["rater"])]
    assert found.n_planned == 8
    assert found.n_trials == 8
    assert found.n_answers == sum(trials)
    assert found.raters_per_trial is not None
    assert found.raters_per_trial[::2] == (1, 2)
    assert (found.n_imported, found.version) == (0, 1)
    assert dict(found.checked)["gold"] >= 1
    assert "practice" not in dict(found.checked)
    assert found.simulated == "no"
    assert json.loads(json.dumps(found.to_dict()))["n_answers"] == sum(trials)


def test_simulated_raters_are_not_taken_for_people(folder: Path, store: Store) -> None:
    # Enrolled without an answer, a person is no rater of the results.
    store.enroll(RaterId("zoe"), token_hash=None, details={}, now=NOW)
    store.enroll(RaterId("bot"), token_hash=None, details={"simulated": True}, now=NOW)
    answer(store, "bot", count=8)
    found = analyze(folder)
    assert found.collected is not None
    assert found.collected.simulated == "all"
    said = "all raters are simulated: this is a rehearsal, and says nothing of people"
    assert found.took[0] == said
    assert found.to_dict()["collected"]["simulated"] == "all"
    answer(store, "ada", count=8)
    mixed = analyze(folder)
    assert mixed.collected is not None
    assert mixed.collected.simulated == "some"
    assert "some raters are simulated, and their answers count beside people's" in mixed.took


def test_imported_answers_are_told_from_those_that_were_shown(folder: Path) -> None:
    rows = [
        f"i{k},{system},{rater},quality,{3 + (k + len(system + rater)) % 2}"
        for k in range(4)
        for system in ("new", "old")
        for rater in ("ada", "bo")
    ]
    table = folder / "ratings.csv"
    table.write_text("\n".join(["item,system,rater,criterion,score", *rows]) + "\n")
    assert run(["import", str(folder), str(table)]) == 0
    found = collected(folder)
    assert (found.n_answers, found.n_imported) == (16, 16)
    assert found.raters_per_trial == (2, 2.0, 2)
    assert found.checked == ()


def test_a_store_without_a_version_needs_the_study(tmp_path: Path) -> None:
    with Store.open(tmp_path / "study.db") as empty, pytest.raises(AnalysisError, match="study="):
        analyze(empty)
