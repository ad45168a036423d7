"""`jurybox simulate`: the whole study before its launch, and whether it finds what is planted."""

from __future__ import annotations

import json
import re
from collections import Counter
from math import comb
from pathlib import Path
from typing import Any

import pytest

from jurybox.cli.app import run
from jurybox.design import make_plan
from jurybox.simulate.rehearsal import plant, planted_contrast
from jurybox.store import Store
from jurybox.study import load_material, load_study
from jurybox.study.templates import write_template
from tests.study.examples import EXAMPLES, write_example


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes take longer to begin than these few studies take."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})


def simulated(directory: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    assert run(["simulate", str(directory), "--json", *options]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def refused(
    directory: Path, capsys: pytest.CaptureFixture[str], *options: str, code: int = 1
) -> str:
    assert run(["simulate", str(directory), *options]) == code
    return capsys.readouterr().err


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_simulated_without_a_trace(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example(name, tmp_path / name)
    before = sorted(directory.rglob("*"))
    found = simulated(directory, capsys)
    assert found["n_answers"] > 0
    assert set(found["raters"]) == {"careful"}
    assert len(found["systems"]) == (1 if name == "detect" else 2)
    assert sorted(directory.rglob("*")) == before


@pytest.mark.parametrize("name", EXAMPLES)
def test_of_many_studies_the_same_is_found_as_of_each_alone(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example(name, tmp_path / name)
    # Only the first of many is analyzed as a whole.
    raters = ("--raters", "careful=6,coin_flipper=1,straight_liner=1")
    _, second = simulated(directory, capsys, *raters, "--studies", "2", "--seed", "4")["studies"]
    assert [second] == simulated(directory, capsys, *raters, "--seed", "5")["studies"]
    assert second["estimate"] is not None


def test_practice_and_checks_are_not_counted_among_the_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_template("text-coherence", tmp_path / "s")
    assert run(["simulate", str(directory)]) == 0
    said = capsys.readouterr().out.partition("\n")[0]
    plan = make_plan(study := load_study(directory), load_material(study))
    kinds = Counter(plan.trial(slot.trial).kind for slot in plan.slots)
    n_raters, n_main = len(plan.booklets), kinds.pop("main")
    besides = f"{kinds.total()} to check trials and " if kinds else ""
    practice = n_raters * len(plan.practice)
    assert said == (
        f"Simulated: {n_raters} careful raters, {n_main} answers, beside {besides}{practice} to "
        "practice trials."
    )


def test_a_study_that_is_running_is_not_touched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("compare", tmp_path / "s")
    assert run(["plan", str(directory)]) == 0
    capsys.readouterr()
    before = (directory / "study.db").read_bytes()
    simulated(directory, capsys)
    assert (directory / "study.db").read_bytes() == before


def test_what_is_large_is_found_and_what_is_not_there_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("rate", tmp_path / "s")
    first, second, *_ = load_material(load_study(directory)).systems
    options = ("--raters", "careful=8", "--studies", "3")
    large = simulated(directory, capsys, "--systems", f"{first}=+0.4,{second}=-0.3", *options)
    assert large["systems"] == [first, second]
    assert large["planted"] > 0.5
    assert sum(one["found"] for one in large["studies"]) >= 2
    none = simulated(directory, capsys, "--systems", f"{first}=0", *options)
    assert none["planted"] == pytest.approx(0)
    assert sum(one["found"] for one in none["studies"]) <= 1
    again = simulated(directory, capsys, "--systems", f"{first}=0", *options[:2])
    assert again["studies"] == none["studies"][:1]
    other = simulated(directory, capsys, "--systems", f"{first}=0", *options[:2], "--seed", "9")
    assert other["studies"][0] != none["studies"][0]


def test_it_is_said_in_sentences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = write_example("compare", tmp_path / "s")
    out = tmp_path / "kept"
    # All but one in 250 votes of careful raters are for the new one, so that 15 of them find it.
    options = ["--systems", "new=0.6", "--raters", "careful=5,coin_flipper=1", "--studies", "3"]
    assert run(["simulate", str(directory), *options, "--out", str(out), "--analyze"]) == 0
    shown = capsys.readouterr().out
    assert "5 careful, 1 coin-flipper raters" in shown
    assert "Planted: new wins" in shown
    assert "Found: new" in shown
    assert "This study finds it, and its interval" in shown
    assert "Of 3 simulated studies" in shown
    assert "95% Monte Carlo interval" in shown
    assert "preference" in shown.partition("Kept in")[2]
    # What is kept can be read by the verb that is named.
    assert f"jurybox report {directory} --database {out}/study.db" in shown
    kept = ["--database", f"{out}/study.db", "--out", str(tmp_path / "report")]
    assert run(["report", str(directory), *kept]) == 0
    with Store.open(out / "study.db") as store:
        assert store.progress().answered > 0
        assert {rater.details["simulated"] for rater in store.raters()} == {True}


@pytest.mark.parametrize("name", ["rate", "detect"])
def test_without_a_word_a_twentieth_of_the_scale_is_planted(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example(name, tmp_path / name)
    study = load_study(directory)
    systems = load_material(study).systems
    found = simulated(directory, capsys)
    first = found["systems"][0]
    sign = -1 if name == "detect" else 1
    truth = plant(study, systems, {first: sign * 0.05})
    assert found["planted"] == planted_contrast(study, systems, truth).truth
    assert found["planted"] * sign > 0


def test_too_many_and_too_few_raters_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("compare", tmp_path / "s")
    file = directory / "study.yaml"
    file.write_text(file.read_text().replace("design: {", "design: {raters: 4, "))
    assert run(["simulate", str(directory)]) == 0
    exact = capsys.readouterr().out
    assert "found nothing" not in exact
    assert "not given" not in exact
    assert run(["simulate", str(directory), "--raters", "careful=6"]) == 0
    assert "\n2 raters found nothing left to answer" in capsys.readouterr().out
    assert run(["simulate", str(directory), "--raters", "careful=1"]) == 0
    assert "Simulated: 1 careful rater, " in capsys.readouterr().out
    # The slots are shared out evenly over four booklets: a quarter is missing.
    assert run(["simulate", str(directory), "--raters", "careful=3"]) == 0
    n_slots = 6 * 3 * comb(len(load_material(load_study(directory)).systems), 2)
    left = int(re.findall(r"\n(\d+) planned answers? not given", capsys.readouterr().out)[0])
    assert abs(left - n_slots / 4) < 1


def test_who_passes_less_often_is_not_said_to_pass_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("detect", tmp_path / "s")
    assert run(["simulate", str(directory)]) == 0
    said = capsys.readouterr().out
    assert "percentage points less often than real outputs." in said
    assert "real −" not in said


def test_careful_raters_recognize_the_hidden_reference_of_a_listening_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_template("mushra", tmp_path / "s")
    who = ("--raters", "careful=10,straight_liner=1")
    assert run(["simulate", str(directory), *who]) == 0
    said = capsys.readouterr().out
    # The rule leaves out who gives the middle of the scale throughout, and nobody else.
    assert "\n1 rater left out by the study's rules.\n" in said
    assert "\nPlanted: aurora − birch = " in said
    assert "original is the hidden reference" in refused(
        directory, capsys, "--systems", "original=0.1"
    )


def test_what_cannot_be_simulated_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("compare", tmp_path / "s")
    assert "there is no system 'nwe'" in refused(directory, capsys, "--systems", "nwe=0.1")
    assert "as new=+0.05" in refused(directory, capsys, "--systems", "new", code=2)
    assert "as new=+0.05" in refused(directory, capsys, "--systems", "new=much", code=2)
    assert "at most the whole scale" in refused(directory, capsys, "--systems", "new=5", code=2)
    assert "at most the whole scale" in refused(directory, capsys, "--systems", "new=nan", code=2)
    assert "the kinds are careful" in refused(directory, capsys, "--raters", "careless=3", code=2)
    assert "the kinds are careful" in refused(directory, capsys, "--raters", "careful=²", code=2)
    assert "counts nobody" in refused(directory, capsys, "--raters", "careful=0", code=2)
    assert "counts nobody" in refused(directory, capsys, "--raters", "", code=2)
    file = directory / "study.yaml"
    assert "cannot be made a directory" in refused(directory, capsys, "--out", str(file))
    assert "cannot be made a directory" in refused(directory, capsys, "--out", str(file / "x"))
    assert "is not empty" in refused(directory, capsys, "--out", str(directory))
    assert "no study.yaml" in refused(tmp_path, capsys)
    alone = write_template("text-coherence", tmp_path / "alone")
    for other in ("birch", "cedar"):
        (alone / f"texts/{other}.jsonl").unlink()
    named = (alone / "study.yaml").read_text(encoding="utf-8")
    one = named.replace("[aurora, birch, cedar]", "[aurora]")
    (alone / "study.yaml").write_text(one, encoding="utf-8")
    assert "the study has one system, aurora: " in refused(alone, capsys)
