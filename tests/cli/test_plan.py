"""`jurybox plan`: what it keeps, what it prints, what it refuses."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from jurybox.cli.app import run
from jurybox.cli.ready import ready_study
from jurybox.design import balance
from jurybox.design.answers import ShownAnswer, turn_back
from jurybox.design.plan import Round
from jurybox.screen.media import media_uses
from jurybox.store import Store, Submission
from jurybox.study import load_material, load_study
from jurybox.study.model import RaterId
from tests.study.examples import EXAMPLES, write_example


def planned(directory: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    assert run(["plan", str(directory), "--json", *options]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_planned_and_kept(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example(name, tmp_path / name)
    first = planned(directory, capsys)
    assert first["outcome"] == "made"
    with Store.open(directory / "study.db") as store:
        plan = store.load_plan()
        assert [version.kind for version in store.versions()] == ["first"]
    assert plan is not None
    found = balance(plan)
    assert first["balance"] == json.loads(json.dumps(found.to_dict()))
    again = planned(directory, capsys)
    assert again == {**first, "outcome": "unchanged"}


def test_the_figures_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = write_example("compare", tmp_path / "s")
    assert run(["plan", str(directory / "study.yaml")]) == 0
    shown = capsys.readouterr().out
    # 6 items, one pair, overlap 3.
    assert "Planned: 6 trials × 3 raters = 18 slots in 3 booklets." in shown
    assert "with 2 checks" in shown
    assert "│ new – old │    18 │               9 │                9 │" in shown
    assert run(["plan", str(directory)]) == 0
    assert "Already planned, and nothing changed" in capsys.readouterr().out


def test_one_is_said_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = write_example("compare", tmp_path / "s")
    (gold,) = directory.glob("gold.*")
    gold.write_text("".join(gold.read_text().splitlines(keepends=True)[:2]))
    assert run(["plan", "--dry-run", str(directory)]) == 0
    assert "with 1 check;" in capsys.readouterr().out


def test_a_dry_run_keeps_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = write_example("rank", tmp_path / "s")
    dry = planned(directory, capsys, "--dry-run")
    assert dry["outcome"] == "dry"
    assert not (directory / "study.db").exists()
    assert planned(directory, capsys)["balance"] == dry["balance"]


def rewrite(directory: Path, old: str, new: str) -> None:
    file = directory / "study.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_new_items_and_overlap_extend_the_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("compare", tmp_path / "s")
    before = planned(directory, capsys)
    with Store.open(directory / "study.db") as store:
        old = store.load_plan()
    write_example("compare", directory, items=8)
    rewrite(directory, "overlap: 3", "overlap: 4")
    after = planned(directory, capsys)
    assert after["outcome"] == "extended"
    assert (before["balance"]["n_slots"], after["balance"]["n_slots"]) == (18, 32)
    with Store.open(directory / "study.db") as store:
        new = store.load_plan()
        assert [version.kind for version in store.versions()] == ["first", "extending"]
    assert old is not None
    assert new is not None
    assert set(old.slots) < set(new.slots)
    assert set(old.booklets) < set(new.booklets)


def test_a_change_of_words_keeps_the_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("rate", tmp_path / "s")
    planned(directory, capsys)
    rewrite(directory, "Does it look like a photograph?", "Does it look real?")
    assert run(["plan", str(directory)]) == 0
    shown = capsys.readouterr().out
    assert "criteria.realism.question changed" in shown
    assert "The study changed, the plan stays" in shown
    with Store.open(directory / "study.db") as store:
        assert [version.kind for version in store.versions()] == ["first", "recorded"]


def test_a_change_of_meaning_is_refused_with_every_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("rate", tmp_path / "s")
    planned(directory, capsys)
    rewrite(directory, "seed: 7", "seed: 8")
    rewrite(directory, "2: Flawless", "3: Flawless")
    assert run(["plan", str(directory)]) == 1
    said = capsys.readouterr().err
    assert "design.seed changed from `7` to `8`" in said
    assert "criteria.realism.scale changed from 0, 0.5, 1 and 2 to 0, 0.5, 1 and 3" in said
    assert "Nothing has been answered yet: delete study.db and plan again." in said
    with Store.open(directory / "study.db") as store:
        assert len(store.versions()) == 1


def test_an_impossible_plan_is_a_sentence_and_leaves_no_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("rank", tmp_path / "s")
    rewrite(directory, "outputs_per_trial: 4", "outputs_per_trial: 9")
    assert run(["plan", str(directory)]) == 1
    assert "design.outputs_per_trial is 9 and there are 4 systems" in capsys.readouterr().err
    with Store.open(directory / "study.db") as store:
        assert store.versions() == ()


def test_booklets_longer_than_the_session_are_said_to_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("rate", tmp_path / "s")
    rewrite(
        directory,
        "protocol: rate",
        "protocol: rate\nsession: {minutes: 2}\nquality: {calibration: {items: 4}}",
    )
    # A calibration is as long as its items, however many raters there are.
    assert run(["plan", str(directory), "--round", "calibration"]) == 0
    assert "longer than the session of 2 minutes" in capsys.readouterr().out
    rewrite(directory, "overlap: 3,", "overlap: 3, raters: 3,")
    assert run(["plan", str(directory)]) == 1
    assert "session.minutes is 2, and with 3 raters" in capsys.readouterr().err


def test_each_round_has_its_own_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = write_example("rate", tmp_path / "s")
    planned(directory, capsys)
    assert planned(directory, capsys, "--round", "pilot")["outcome"] == "made"
    with Store.open(directory / "study.db") as store:
        main, pilot = store.load_plan("main"), store.load_plan("pilot")
    assert main is not None
    assert pilot is not None
    assert {t.id for t in main.trials}.isdisjoint(t.id for t in pilot.trials)


def answer(directory: Path, round: Round, *, count: int, ms: int) -> None:
    """Let one rater answer the first so many trials of the round, each in so many milliseconds."""
    study = load_study(directory)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    shown = [ShownAnswer(criterion=name, place=0, score=1) for name in ("consistency", "realism")]
    with Store.open(directory / "study.db") as store:
        store.enroll(RaterId("ada"), token_hash="x", details={}, now=now)
        for _ in range(count):
            (held,) = store.claim(RaterId("ada"), lease=timedelta(hours=1), now=now, round=round)
            sent = Submission(
                id=f"{held.slot}",
                rater=RaterId("ada"),
                trial=held.trial.id,
                slot=held.slot,
                round=round,
                study_version=1,
                session="s",
                position=held.position,
                order=held.order,
                at=now,
                ms=ms,
                answers=turn_back(study, held.trial, held.order, shown),
            )
            store.submit(sent, now=now)


def test_a_running_study_shows_how_even_the_answers_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("rate", tmp_path / "s")
    assert planned(directory, capsys)["answered"] is None
    answer(directory, "main", count=5, ms=9000)
    # One rater gave 5 of 54 answers: all in one booklet of their own.
    data = planned(directory, capsys)
    assert data["answered"]["n_slots"] == 5
    assert data["answered"]["loads"] == [5]
    assert data["balance"]["n_slots"] == 54
    steps = sum(sum(row["next"]) for row in data["answered"]["follows"])
    assert steps == 4
    assert run(["plan", str(directory)]) == 0
    said = capsys.readouterr().out
    assert "Answered so far: 5 of 54 slots, by 1 rater." in said
    assert "│ planned │ answered │" in said.replace("┃", "│")


def test_times_come_from_a_pilot_that_has_enough_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("rate", tmp_path / "s")
    planned(directory, capsys, "--round", "pilot")
    answer(directory, "pilot", count=9, ms=200_000)
    assert planned(directory, capsys, "--dry-run")["pilot_seconds"] is None
    answer(directory, "pilot", count=1, ms=200_000)
    # 18 trials × 3 raters at 200 s are 3 hours: 5 booklets of 40 minutes, 11 trials in the longest.
    data = planned(directory, capsys)
    assert data["pilot_seconds"] == 200
    assert len(data["minutes"]) == 5
    assert max(data["minutes"]) == pytest.approx(11 * 200 / 60)
    assert run(["plan", str(directory)]) == 0
    assert "Times are those of the pilot, whose median trial took 200.0 s." in (
        capsys.readouterr().out
    )
    # The pilot's own booklets do not change by its answers, and what the study says wins.
    assert planned(directory, capsys, "--round", "pilot")["pilot_seconds"] is None
    rewrite(directory, "protocol: rate", "protocol: rate\nsession: {seconds_per_trial: 20}")
    assert planned(directory, capsys)["pilot_seconds"] is None


def test_who_follows_whom_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = write_example("rate", tmp_path / "s")
    assert run(["plan", "--dry-run", str(directory)]) == 0
    said = capsys.readouterr().out
    assert "Which system follows which" in said
    assert "systems, in how often one follows another" in said
    assert "other trials are between two trials of one item." in said


def test_trials_of_one_item_that_meet_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Three systems on the only item: two steps in each of three booklets.
    directory = write_example("rate", tmp_path / "s")
    rewrite(directory, "design: {overlap: 3,", "design: {overlap: 3, items: 1, raters: 3,")
    assert run(["plan", "--dry-run", str(directory)]) == 0
    said = capsys.readouterr().out
    assert "Two trials of one item come directly after each other 6 times." in said


def test_media_are_cleaned_for_the_plan(tmp_path: Path) -> None:
    directory = write_example("rate", tmp_path / "s")
    study = load_study(directory)
    media = {use.path for use in media_uses(study, load_material(study))}
    told: list[tuple[int, int]] = []
    now = datetime(2026, 3, 1, tzinfo=UTC)
    with Store.open(directory / "study.db") as store:
        for _ in range(2):  # the second time it is planned already, and cleaned for it
            ready_study(directory, store, now=now, cleaning=lambda *done: told.append(done))
    assert told == [(number, len(media)) for number in range(1, len(media) + 1)]


def test_a_medium_that_cannot_be_cleaned_is_refused_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("rate", tmp_path / "s")
    study = load_study(directory)
    path = next(use.path for use in media_uses(study, load_material(study)))
    path.write_bytes(path.read_bytes()[:-40])  # its end is missing
    assert run(["plan", str(directory)]) != 0
    assert str(path.relative_to(directory.resolve())) in capsys.readouterr().err
    with Store.open(directory / "study.db") as store:
        assert store.load_plan() is None
