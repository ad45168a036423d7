"""``jurybox preregister``, and what the report says of it afterwards."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from jurybox.cli.app import run
from jurybox.report.documents.preregistration import read_preregistration
from jurybox.study import Study

VOTE = "item,system_a,system_b,rater"


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
    table.write_text("\n".join([f"{VOTE},winner", *rows]) + "\n")
    assert run(["import", str(study), str(table)]) == 0


def report(study: Path, *options: str) -> str:
    assert run(["report", str(study), "--format", "md,json,csv,html", *options]) == 0
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
    written = json.loads((study / "preregistration.json").read_text())
    assert written.pop("digest") == made.digest
    rest = json.dumps(written, sort_keys=True, ensure_ascii=False)
    assert hashlib.sha256(rest.encode()).hexdigest() == made.digest
    # 6 items × 1 pair × 3 raters.
    assert (made.n_items, made.n_trials, made.overlap, made.n_answers) == (6, 6, 3, 18)
    assert made.seed == 7
    assert made.power is not None
    assert 0 < made.power.power < 1
    page = (study / "preregistration.md").read_text()
    assert "# Preregistration: Which \\*answer\\* \\<b\\>?" in page
    assert "primary comparison: win rate of new against old" in page
    assert "faster\\_than: a median of less than 2 s per trial." in page
    assert made.plan_hash in page
    assert re.search(r"^Fixed on \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, before any answer", page, re.M)
    assert not (study / "study.db").exists()


def test_a_difference_of_nothing_cannot_be_planned_for(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["preregister", str(study), "--detect", "0"]) == 2
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
    assert "is otherwise stands under" not in (study / "report" / "report.md").read_text()


def test_the_report_says_what_differs(study: Path) -> None:
    assert run(["preregister", str(study)]) == 0
    text = (study / "study.yaml").read_text()
    (study / "study.yaml").write_text(text.replace("faster_than: 2", "faster_than: 1"))
    assert run(["plan", str(study)]) == 0
    answer(study, raters=2)
    said = report(study)
    changed = "quality.exclude.faster\\_than"
    assert f"3 parts of 12 do not match it: Study ({changed}), Answers, Raters." in said
    assert f"| {changed} | – | {changed} changed from \\`2.0\\` to \\`1.0\\` |" in said
    # 12 of 18 answers came.
    assert "| Answers | 18 | 12 |" in said
    assert "| Raters | 3 | 2 |" in said
    assert "| Seed | 7 | as preregistered |" in said
    page = (study / "report" / "report.md").read_text()
    (stated,) = [line for line in page.splitlines() if line.startswith("| 3.3.1 |")]
    assert "; what is otherwise stands under Preregistration; whether it was deposited" in stated


YAML = "study.yaml"


@pytest.mark.parametrize(
    ("file", "was", "now", "told"),
    [
        (YAML, "title: Which", "title: What", "Study (title)"),
        (YAML, "faster_than: 2", "straight_line: 0.9", "Study (quality.exclude.faster\\_than, "
         "quality.exclude.straight\\_line)"),
        (YAML, "[new, old]", "[old, new]", "Study (analysis.primary.win\\_rate)"),
        (YAML, "new, old]}", "new, old]}, margin: 0.1", "Study (analysis.margin)"),
        (YAML, "new, old]}", "new, old]}, confidence: 0.9", "Study (analysis.confidence)"),
        (YAML, "seed: 7", "seed: 8", "Study (design.seed), Plan, Seed"),
        (YAML, "seed: 7", "seed: 7, overlap: 4", "Study (design.overlap), Plan"),
        ("outputs.csv", "text 3 of old", "text 9 of old", "Items and outputs (outputs.old)"),
        ("outputs.csv", "i5,new,text 5 of new\n", "i5,new,text 5 of new\ni6,new,t\ni6,old,u\n",
         "Items and outputs (items), Plan"),
        # What raters do not see, and where tables lie, is no deviation.
        (YAML, "title: ", "description: About the study.\ntitle: ", ""),
        (YAML, "outputs: outputs.csv", "outputs: others.csv", ""),
    ],
)  # fmt: skip
def test_each_deviation_is_said_and_no_other(
    study: Path, file: str, was: str, now: str, told: str
) -> None:
    assert run(["preregister", str(study)]) == 0
    text = (study / file).read_text()
    assert was in text
    (study / file).write_text(text.replace(was, now))
    if "others.csv" in now:
        (study / "outputs.csv").rename(study / "others.csv")
    assert run(["plan", str(study)]) == 0
    answer(study, raters=3)
    said = report(study)
    assert told or "Study and data match it." in said
    if told:
        parts = len(re.findall(r"(?:^|, )[A-Z]", told))
        do = "part of 12 does" if parts == 1 else "parts of 12 do"
        assert f"{parts} {do} not match it: {told}." in said


def test_what_was_otherwise_for_some_of_the_answers_is_said(study: Path) -> None:
    assert run(["preregister", str(study)]) == 0
    text = (study / YAML).read_text()
    # Half of the answers are to other words, which are taken back before the report.
    (study / YAML).write_text(text.replace("title: Which", "title: What"))
    assert run(["plan", str(study)]) == 0
    answer(study, raters=2)
    (study / YAML).write_text(text)
    assert run(["plan", str(study)]) == 0
    vote = [f"i{k},new,old,r2,a" for k in range(6)]
    (study / "rest.csv").write_text("\n".join([f"{VOTE},winner", *vote]) + "\n")
    assert run(["import", str(study), str(study / "rest.csv")]) == 0
    said = report(study)
    assert "1 part of 12 does not match it: Study (title)." in said
    assert "| title | – | in version 1 title changed from" in said


def test_what_nobody_sees_is_no_deviation_and_has_its_hash(study: Path) -> None:
    (study / "outputs.csv").write_text(
        (study / "outputs.csv").read_text().replace("\n", ",9\n").replace("answer,9", "answer,ms")
    )
    assert run(["preregister", str(study)]) == 0
    text = (study / "outputs.csv").read_text()
    (study / "outputs.csv").write_text(text.replace("text 3 of old,9", "text 3 of old,8"))
    assert run(["plan", str(study)]) == 0
    answer(study)
    said = report(study)
    assert "Study and data match it." in said
    found = re.search(r"\| Items and outputs .* no answer depends on \(now (\w{12})\)", said)
    assert found
    page = (study / "report" / "report.md").read_text()
    assert f"| Items, outputs and media | {found[1]}" in page
    # What is edited after the answers was not rated.
    (study / "outputs.csv").write_text(text.replace("text 3 of old,9", "text 3 of old,7"))
    report(study)
    assert f"media | {found[1]}" in (study / "report" / "report.md").read_text()


def test_known_answers_in_a_file_of_another_name_are_the_same(study: Path) -> None:
    text = (study / YAML).read_text()
    (study / "gold.csv").write_text("item,system_a,system_b,preference\ni0,new,old,a\n")
    (study / YAML).write_text(text.replace("quality: {", "quality: {gold: gold.csv, "))
    assert run(["preregister", str(study)]) == 0
    (study / "gold.csv").rename(study / "known.csv")
    text = (study / YAML).read_text()
    (study / YAML).write_text(text.replace("gold: gold.csv", "gold: known.csv"))
    assert run(["plan", str(study)]) == 0
    answer(study)
    assert "Study and data match it." in report(study)


def test_a_setting_given_to_the_report_is_a_deviation(study: Path) -> None:
    judges = "judges: {j1: {model: m, endpoint: 'http://127.0.0.1:1/v1'}}\n"
    (study / YAML).write_text((study / YAML).read_text() + judges)
    assert run(["preregister", str(study)]) == 0
    assert run(["plan", str(study)]) == 0
    answer(study)
    rows = [f"i{k},new,old,j1,judge,a" for k in range(6)]
    (study / "j.csv").write_text("\n".join([f"{VOTE},rater_kind,winner", *rows]) + "\n")
    assert run(["import", str(study), str(study / "j.csv")]) == 0
    assert "Study and data match it." in report(study)
    told = report(study, "--epsilon", "0.2")
    assert "1 part of 12 does not match it: Study (analysis.epsilon)." in told
    assert "analysis.epsilon was nothing in the study, and \\`0.2\\` for this report |" in told
    told = report(study, "--confidence", "0.9")
    assert "1 part of 12 does not match it: Study (analysis.confidence)." in told
    assert "Study and data match it." in report(study, "--confidence", "0.95")


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
