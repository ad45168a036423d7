"""`jurybox plan`: what it keeps, what it prints, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jurybox.cli.app import run
from jurybox.design import balance
from jurybox.store import Store
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
    assert "criteria.realism.scale.values.3" in said
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
    rewrite(directory, "overlap: 3,", "overlap: 3, raters: 3,")
    rewrite(directory, "protocol: rate", "protocol: rate\nsession: {minutes: 2}")
    assert run(["plan", str(directory)]) == 0
    assert "longer than the session of 2 minutes" in capsys.readouterr().out


def test_each_round_has_its_own_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = write_example("rate", tmp_path / "s")
    planned(directory, capsys)
    assert planned(directory, capsys, "--round", "pilot")["outcome"] == "made"
    with Store.open(directory / "study.db") as store:
        main, pilot = store.load_plan("main"), store.load_plan("pilot")
    assert main is not None
    assert pilot is not None
    assert {t.id for t in main.trials}.isdisjoint(t.id for t in pilot.trials)
