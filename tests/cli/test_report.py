"""`jurybox report`, for a study directory and for a table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jurybox.cli.app import run
from jurybox.study import Study

VOTES = "item,system_a,system_b,rater,winner\n" + "".join(
    f"i{item},new,old,r{rater},{'b' if (item + rater) % 4 == 0 else 'a'}\n"
    for item in range(12)
    for rater in range(5)
)


def test_a_table_is_reported_beside_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "votes.csv"
    table.write_text(VOTES)
    assert run(["report", str(table)]) == 0
    said, *paths = capsys.readouterr().out.splitlines()
    folder = tmp_path / "votes-report"
    assert [Path(path.strip()) for path in paths] == [
        folder / "report.html",
        folder / "report.md",
        folder / "findings.json",
    ]
    assert "new" in said
    assert said in (folder / "report.md").read_text().replace("\\", "")
    assert json.loads((folder / "findings.json").read_text())["n_responses"] == 60


def test_formats_and_directory_can_be_chosen(tmp_path: Path) -> None:
    table = tmp_path / "votes.csv"
    table.write_text(VOTES)
    out = tmp_path / "elsewhere"
    assert run(["report", str(table), "--out", str(out), "--format", "csv, json"]) == 0
    assert {path.name for path in out.iterdir()} == {"tables", "findings.json"}
    assert list((out / "tables").glob("*.csv"))


def test_an_unknown_format_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "votes.csv").write_text(VOTES)
    assert run(["report", str(tmp_path / "votes.csv"), "--format", "pdf"]) == 1
    assert "must be among html, md, json, csv, got pdf" in capsys.readouterr().err


def test_a_study_that_nobody_answered_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "outputs.csv").write_text(
        "item,system,answer\n" + "".join(f"i{k},{s},text {k}\n" for k in range(4) for s in "ab")
    )
    Study(
        title="Nobody yet",
        protocol="rate",
        outputs="outputs.csv",
        show={"answer": "text"},
        design={"overlap": 2},
    ).save(tmp_path)
    assert run(["report", str(tmp_path)]) == 1
    assert "no responses yet" in capsys.readouterr().err
    assert run(["plan", str(tmp_path)]) == 0
    capsys.readouterr()
    assert run(["report", str(tmp_path / "study.yaml")]) == 0
    said = capsys.readouterr().out.splitlines()[0]
    assert said == "There are no responses yet, so nothing can be said."
    page = (tmp_path / "report" / "report.html").read_text()
    assert said in page
    assert "What was asked" in page
    assert "Excellent" in page


def test_nothing_there_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", str(tmp_path / "none.csv")]) == 1
    assert run(["report", str(tmp_path)]) == 1
    shown = capsys.readouterr().err
    assert "none.csv" in shown
    assert "there is no study.yaml here" in shown
    assert "Traceback" not in shown
