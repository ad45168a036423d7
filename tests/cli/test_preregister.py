"""``jurybox preregister``, and what the report says of it afterwards."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from jurybox.cli.app import run
from jurybox.report.preregistration import read_preregistration
from jurybox.study import Study


@pytest.fixture
def study(tmp_path: Path) -> Path:
    outputs = [f"i{k},{s},text {k} of {s}" for k in range(6) for s in ("new", "old")]
    (tmp_path / "outputs.csv").write_text("\n".join(["item,system,answer", *outputs]) + "\n")
    Study(
        title="Which *answer* <b>?",
        protocol="compare",
        outputs="outputs.csv",
        show={"answer": "text"},
        design={"overlap": 3, "seed": 7},
        quality={"exclude": {"faster_than": 2}},
        analysis={"primary": {"win_rate": ["new", "old"]}},
    ).save(tmp_path)
    return tmp_path


def answer(study: Path, raters: int = 3) -> None:
    rows = [
        f"i{k},new,old,r{r},{'b' if (k + r) % 4 == 0 else 'a'}"
        for k in range(6)
        for r in range(raters)
    ]
    table = study / "votes.csv"
    table.write_text("\n".join(["item,system_a,system_b,rater,winner", *rows]) + "\n")
    assert run(["import", str(study), str(table)]) == 0


def report(study: Path) -> str:
    assert run(["report", str(study), "--format", "md,json,csv,html"]) == 0
    page = (study / "report" / "report.md").read_text()
    assert "Preregistration" in (study / "report" / "report.html").read_text()
    data = json.loads((study / "report" / "findings.json").read_text())
    assert [t["id"] for t in data["tables"]].count("preregistration") == 1
    assert (study / "report" / "tables" / "preregistration.csv").is_file()
    return page[page.index("## Preregistration") :].partition("\n## ")[0]


def test_a_study_is_fixed_before_its_data(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["preregister", str(study), "--detect", "0.2"]) == 0
    made = read_preregistration(study / "preregistration.json")
    assert made.digest in capsys.readouterr().out
    # 6 items × 1 pair × 3 raters.
    assert (made.n_items, made.n_trials, made.overlap, made.n_answers) == (6, 6, 3, 18)
    assert made.seed == 7
    assert made.power is not None
    assert 0 < made.power.power < 1
    page = (study / "preregistration.md").read_text()
    assert "# Preregistration: Which \\*answer\\* \\<b\\>?" in page
    assert "primary comparison: win rate of new against old" in page
    assert "faster\\_than: a median of less than 2.0 s per trial." in page
    assert made.plan_hash in page
    assert re.search(r"^Fixed on \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, before any answer", page, re.M)
    assert not (study / "study.db").exists()


def test_a_difference_of_nothing_cannot_be_planned_for(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["preregister", str(study), "--detect", "0"]) == 1
    assert "a difference of 0 cannot be found" in capsys.readouterr().err
    assert not (study / "preregistration.json").exists()


def test_what_only_judges_answer_does_not_count(study: Path) -> None:
    text = (study / "study.yaml").read_text()
    judges = "judges: {j1: {model: m, endpoint: 'http://127.0.0.1:1/v1'}}\n"
    shared = text.replace("{seed: 7}", "{seed: 7, people: 0.5}")
    (study / "study.yaml").write_text(shared + judges)
    assert run(["preregister", str(study)]) == 0
    made = read_preregistration(study / "preregistration.json")
    # Half of the 6 items × 1 pair × 3 raters.
    assert (made.n_items, made.n_trials, made.n_answers) == (3, 3, 9)


def test_the_plan_that_would_be_made_is_the_plan_that_is_made(study: Path) -> None:
    assert run(["preregister", str(study)]) == 0
    assert run(["plan", str(study)]) == 0
    answer(study)
    said = report(study)
    assert "Study and data match it." in said


def test_a_plan_in_the_store_is_the_one_that_is_fixed(study: Path, tmp_path: Path) -> None:
    assert run(["preregister", str(study), "--out", str(tmp_path / "before")]) == 0
    assert run(["plan", str(study)]) == 0
    assert run(["preregister", str(study)]) == 0
    before = read_preregistration(tmp_path / "before" / "preregistration.json")
    after = read_preregistration(study / "preregistration.json")
    assert before.plan_hash == after.plan_hash


def test_after_the_first_answer_it_is_refused(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", str(study)]) == 0
    answer(study)
    capsys.readouterr()
    assert run(["preregister", str(study)]) == 1
    assert "18 answers came already" in capsys.readouterr().err
    assert not (study / "preregistration.json").exists()


def test_it_is_written_once(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["preregister", str(study)]) == 0
    first = (study / "preregistration.json").read_text()
    assert run(["preregister", str(study)]) == 1
    said = capsys.readouterr().err
    assert re.search(r"preregistration of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC already", said)
    assert (study / "preregistration.json").read_text() == first


def test_before_the_first_answer_nothing_has_gone_otherwise(study: Path) -> None:
    assert run(["preregister", str(study)]) == 0
    assert run(["plan", str(study)]) == 0
    said = report(study)
    assert "The study matches it." in said
    assert "| Answers | 18 | no answer yet |" in said


def test_the_report_says_what_differs(study: Path) -> None:
    assert run(["preregister", str(study)]) == 0
    text = (study / "study.yaml").read_text()
    (study / "study.yaml").write_text(text.replace("faster_than: 2", "faster_than: 1"))
    assert run(["plan", str(study)]) == 0
    answer(study, raters=2)
    said = report(study)
    assert "3 parts of 10 do not match it: Study, quality.exclude.faster\\_than, Answers." in said
    assert "quality.exclude.faster\\_than" in said
    # 12 of 18 answers came.
    assert "| Answers | 18 | 12 |" in said
    assert "| Seed | 7 | as preregistered |" in said


def test_answers_older_than_the_preregistration_are_said(study: Path) -> None:
    assert run(["preregister", str(study)]) == 0
    path = study / "preregistration.json"
    assert run(["plan", str(study)]) == 0
    answer(study)
    from dataclasses import replace

    later = replace(read_preregistration(path), at="2199-01-01T00:00:00+00:00")
    path.write_text(json.dumps(later.to_dict()))
    told = report(study)
    assert "Preregistered on 2199-01-01 00:00:00 UTC, digest" in told
    assert "after 2199-01-01 00:00:00 UTC" in told
    assert " UTC, before the preregistration" in told


@pytest.mark.parametrize("how", ["digest", "rules", "nonsense", "empty", "list"])
def test_a_changed_file_is_noticed(study: Path, how: str) -> None:
    assert run(["preregister", str(study)]) == 0
    path = study / "preregistration.json"
    data = json.loads(path.read_text())
    if how == "rules":
        data["snapshot"]["study"]["quality"]["exclude"]["faster_than"] = 1
    if how == "digest":
        data["digest"] = "0" * 64
    text = {"nonsense": "{", "empty": "", "list": "[]"}.get(how) or json.dumps(data)
    path.write_text("" if how == "empty" else text)
    assert run(["plan", str(study)]) == 0
    answer(study)
    said = report(study)
    changed = "was changed after it was written" if how in ("rules", "digest") else "can be read"
    assert changed in said
    assert "cannot be relied on" in said
