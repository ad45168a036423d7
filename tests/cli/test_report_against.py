"""``jurybox report --against``: a section in every format, of tables and of studies."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from jurybox.cli.app import run
from jurybox.study import Study

HOSTILE = '=1+1 <b onclick="x">|*'


def write_votes(path: Path, wins: int, new: str = "new") -> Path:
    """`new` wins `wins` of 4 votes, in turn."""
    name = '"' + new.replace('"', '""') + '"'
    rows = [
        f"i{i},{name},old,r{r},{'a' if (7 * i + 3 * r) % 4 < wins else 'b'}"
        for i in range(12)
        for r in range(6)
    ]
    path.write_text("\n".join(["item,system_a,system_b,rater,winner", *rows]) + "\n")
    return path


def test_every_format_says_what_moved_and_hostile_names_stay_text(tmp_path: Path) -> None:
    old = write_votes(tmp_path / "<i>may.csv", 1, HOSTILE)
    new = write_votes(tmp_path / "june.csv", 3, HOSTILE)
    assert run(["report", "--against", str(old), str(new), "--format", "html,md,json,csv"]) == 0
    folder = tmp_path / "june-report"
    page = (folder / "report.md").read_text()
    section = page[page.index("## Compared with another round") :].partition("\n## ")[0]
    # A quarter, then three quarters.
    assert "rose by 50.0 points: 25.0% in \\<i\\>may.csv, 75.0% now" in section
    assert "the same 12 items are in both rounds (paired)" in section
    assert "the same 6 raters are in both rounds (paired)" in section
    html = (folder / "report.html").read_text()
    assert "Compared with another round" in html
    assert "<b onclick" not in html
    assert "<i>may" not in html
    data = json.loads((folder / "findings.json").read_text())
    (found,) = [f for f in data["findings"] if f["id"].startswith("against/win rate")]
    assert found["result"]["kind"] == "MovedShare"
    assert found["result"]["estimate"] == pytest.approx(0.5)
    assert data["headline"] != found["id"]
    with (folder / "tables" / "against-shares.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["system"].startswith("'=1+1")
    assert float(row["difference"]) == pytest.approx(0.5)


def test_two_studies_are_compared(tmp_path: Path) -> None:
    for name, wins in (("may", 1), ("june", 3)):
        folder = tmp_path / name
        folder.mkdir()
        outputs = [f"i{k},{s},text {k}" for k in range(12) for s in ("new", "old")]
        (folder / "outputs.csv").write_text("\n".join(["item,system,answer", *outputs]) + "\n")
        Study(
            title=name,
            protocol="compare",
            outputs="outputs.csv",
            show={"answer": "text"},
            design={"overlap": 6},
        ).save(folder)
        assert run(["plan", str(folder)]) == 0
        votes = write_votes(folder / "votes.csv", wins)
        assert run(["import", str(folder), str(votes)]) == 0
    old, new = tmp_path / "may" / "study.yaml", tmp_path / "june"
    assert run(["report", "--against", str(old), str(new), "--format", "md"]) == 0
    page = (new / "report" / "report.md").read_text()
    assert "25.0% in may, 75.0% now" in page


def write_study(folder: Path, scale: list[int], mark: int) -> Path:
    folder.mkdir()
    outputs = [f"i{k},{s},text {k}" for k in range(12) for s in ("new", "old")]
    (folder / "outputs.csv").write_text("\n".join(["item,system,answer", *outputs]) + "\n")
    criterion = {"question": "How good?", "scale": {v: f"like {v}" for v in scale}, "pass": mark}
    Study(
        title=folder.name,
        protocol="rate",
        outputs="outputs.csv",
        show={"answer": "text"},
        criteria={"quality": criterion},
        design={"overlap": 3},
    ).save(folder)
    assert run(["plan", str(folder)]) == 0
    rows = [
        f"i{k},{s},r{r},quality,{scale[(5 * k + 3 * r + len(s)) % len(scale)]}"
        for k in range(12)
        for s in ("new", "old")
        for r in range(3)
    ]
    table = folder / "ratings.csv"
    table.write_text("\n".join(["item,system,rater,criterion,score", *rows]) + "\n")
    assert run(["import", str(folder), str(table)]) == 0
    return folder


def section_of(page: Path) -> str:
    text = page.read_text()
    start = text.index("## Compared with another round")
    return text[start:].partition("\n## ")[0]


def test_another_scale_is_not_compared_and_another_mark_is_said(tmp_path: Path) -> None:
    may = write_study(tmp_path / "may", [1, 2, 3, 4, 5], 3)
    june = write_study(tmp_path / "june", [1, 2, 3, 4, 5], 4)
    july = write_study(tmp_path / "july", [1, 2, 3, 4, 5, 6, 7], 4)
    assert run(["report", "--against", str(may), str(june), "--format", "md"]) == 0
    page = june / "report" / "report.md"
    assert "| quality | pass rate | new |" in section_of(page)
    told = "quality: the pass mark is 3 in may and 4 here, and the pass rates of both rounds"
    assert told in page.read_text()
    assert run(["report", "--against", str(june), str(july), "--format", "md"]) == 0
    said = section_of(july / "report" / "report.md")
    scales = "1, 2, 3, 4, 5 in june and 1, 2, 3, 4, 5, 6, 7 here."
    assert f"quality cannot be compared with june: its scale is {scales}" in said
    assert "|" not in said
    # Scores of a bare table are held against the scale that is known.
    assert run(["report", "--against", str(july / "ratings.csv"), str(june), "--format", "md"]) == 0
    said = section_of(page)
    assert "scores go from 1 to 7 in ratings.csv, and its scale is 1 to 5 here" in said


def test_an_old_round_that_is_not_there_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = write_votes(tmp_path / "june.csv", 3)
    assert run(["report", "--against", str(tmp_path / "none.csv"), str(new)]) == 1
    shown = capsys.readouterr().err
    assert "none.csv" in shown
    assert "Traceback" not in shown


def test_rounds_with_nothing_in_common_say_so(tmp_path: Path) -> None:
    new = write_votes(tmp_path / "june.csv", 3)
    old = tmp_path / "may.csv"
    rows = [f"i{i},a,r{r},{(i + r) % 5}" for i in range(5) for r in range(3)]
    old.write_text("item,system,rater,score\n" + "\n".join(rows) + "\n")
    assert run(["report", "--against", str(old), str(new), "--format", "md"]) == 0
    page = (tmp_path / "june-report" / "report.md").read_text()
    assert "may.csv has no votes, so nothing of them is compared" in page
    said = section_of(tmp_path / "june-report" / "report.md")
    assert "- Nothing can be compared with may.csv: may.csv has no votes" in said
    assert "shown to have moved" not in said


def test_a_round_without_responses_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full = write_study(tmp_path / "june", [1, 2, 3, 4, 5], 3)
    empty = tmp_path / "may"
    empty.mkdir()
    for name in ("study.yaml", "outputs.csv"):
        (empty / name).write_bytes((full / name).read_bytes())
    assert run(["plan", str(empty)]) == 0
    capsys.readouterr()
    assert run(["report", str(full), "--against", str(empty), "--format", "md"]) == 1
    assert f"--against {empty}: 'june' has no answered trials yet" in capsys.readouterr().err
    assert run(["report", str(empty), "--against", str(full), "--format", "md"]) == 0
    said = f"warning: no response counts here, so nothing is compared with {full}"
    assert said in capsys.readouterr().err
