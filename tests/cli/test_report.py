"""`jurybox report`, for a study directory and for a table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jurybox.cli.app import run
from jurybox.report.formats.known import FORMATS
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
    found = json.loads((folder / "findings.json").read_text())
    # A table has no title; its name tells one report from another.
    assert (found["title"], found["n_responses"]) == ("votes.csv", 60)


def test_whom_the_answer_holds_for_is_said_once(tmp_path: Path) -> None:
    table = tmp_path / "votes.csv"
    one = [line for line in VOTES.splitlines() if line.startswith("item,") or ",r0," in line]
    table.write_text("\n".join(one) + "\n")
    assert run(["report", str(table), "--format", "md"]) == 0
    text = (tmp_path / "votes-report" / "report.md").read_text()
    [note] = [line for line in text.splitlines() if line.startswith("95% interval: ")]
    assert " It holds for items like these, judged by this rater only." in note
    assert note.lower().count("holds for") == 1


def test_a_name_cannot_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "votes.csv"
    table.write_text(VOTES.replace("new", "\x1b[31mred\x1b]0;pwn\x07\u202e"))
    for command in (["report"], ["analyze"], ["analyze", "--all"], ["analyze", "--json"]):
        assert run([*command, str(table)]) == 0
        shown = capsys.readouterr().out
        assert not set(shown) & set("\x1b\x07\u202e")
        assert "\\u001b[31mred\\u001b]0;pwn\\u0007\\u202e" in "".join(shown.split())


def test_an_edited_study_is_reported_as_it_was_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = [f"i{k},{s},text {k}" for k in range(6) for s in ("new", "old")]
    (tmp_path / "outputs.csv").write_text("\n".join(["item,system,answer", *outputs]) + "\n")
    Study(
        title="Edited",
        protocol="compare",
        outputs="outputs.csv",
        show={"answer": "text"},
        quality={"exclude": {"faster_than": 2}},
        analysis={"primary": {"win_rate": ["new", "old"]}},
    ).save(tmp_path)
    votes = [
        f"i{k},new,old,r{rater},{'b' if (k + rater) % 4 == 0 else 'a'}"
        for k in range(6)
        for rater in range(3)
    ]
    (tmp_path / "votes.csv").write_text(
        "\n".join(["item,system_a,system_b,rater,winner", *votes]) + "\n"
    )
    assert run(["plan", str(tmp_path)]) == 0
    assert run(["import", str(tmp_path), str(tmp_path / "votes.csv")]) == 0
    text = (tmp_path / "study.yaml").read_text()
    assert "faster_than: 2" in text
    (tmp_path / "study.yaml").write_text(text.replace("faster_than: 2", "faster_than: 9"))
    assert run(["check", str(tmp_path)]) == 1
    capsys.readouterr()
    assert run(["report", str(tmp_path), "--format", "md"]) == 0
    page = (tmp_path / "report" / "report.md").read_text()
    assert page.count("the analysis follows version 1, the one kept with the answers") == 1
    assert page.index("Changed since raters answered") < page.index("Win rates")
    assert "less than 2 s" in page
    assert "less than 9 s" not in page
    # Nobody knows whether the table is older than the study.
    assert "before the data" not in page
    assert "All answers were imported" in page
    # Answers outlive the files that they are about.
    (tmp_path / "outputs.csv").unlink()
    capsys.readouterr()
    assert run(["report", str(tmp_path), "--format", "md"]) == 0
    shown = capsys.readouterr()
    assert "warning: what is there is shown: " in shown.err
    assert "`outputs.csv` does not exist" in shown.err
    # k + rater is 0 or 4 in 4 of the 18 votes, so that new wins 14 of 18.
    assert "new wins 77.8% (" in (tmp_path / "report" / "report.md").read_text()


def test_formats_and_directory_can_be_chosen(tmp_path: Path) -> None:
    table = tmp_path / "votes.csv"
    table.write_text(VOTES)
    out = tmp_path / "elsewhere"
    assert run(["report", str(table), "--out", str(out), "--format", "csv, json"]) == 0
    assert {path.name for path in out.iterdir()} == {"tables", "findings.json"}
    assert list((out / "tables").glob("*.csv"))


def test_what_no_font_shows_is_a_warning_and_no_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "votes.csv"
    table.write_text(VOTES.replace("new", "new\U00100000"))
    fonts = ["--font-path", str(tmp_path)]
    assert run(["report", str(table), "--format", "pdf", *fonts]) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith("warning: report.pdf: no font here shows signs and symbols (U+")
    assert (tmp_path / "votes-report" / "report.pdf").read_bytes().startswith(b"%PDF-")
    assert run(["report", str(table), "--format", "pdf", "--font-path", str(table)]) == 2
    assert "is no folder" in capsys.readouterr().err


def test_an_unknown_format_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "votes.csv").write_text(VOTES)
    assert run(["report", str(tmp_path / "votes.csv"), "--format", "odt"]) == 2
    assert f"must be among {', '.join(FORMATS)}, got odt" in capsys.readouterr().err


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
    # What only the author knows stands in a file beside the study, and then in each report.
    (tmp_path / "datasheet.yaml").write_text("2.4: Low German <b>")
    assert run(["report", str(tmp_path)]) == 0
    assert "Low German &lt;b&gt;" in (tmp_path / "report" / "report.html").read_text()
    (tmp_path / "datasheet.yaml").write_text("9.9: en")
    capsys.readouterr()
    assert run(["report", str(tmp_path)]) == 1
    assert "datasheet.yaml:1:1: 9.9 is not a question" in capsys.readouterr().err


def test_nothing_there_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", str(tmp_path / "none.csv")]) == 1
    assert run(["report", str(tmp_path)]) == 1
    shown = capsys.readouterr().err
    assert "none.csv" in shown
    assert "there is no study.yaml here" in shown
    assert "Traceback" not in shown


def test_a_mapped_table_and_another_tools_folder_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "forms.csv"
    path.write_text("q,l,r,who,choice\n" + "".join(f"q{i},x,y,ada,left\n" for i in range(9)))
    options = ["--map", "item=q", "--map", "system_a=l", "--map", "system_b=r", "--map"]
    options += ["rater=who", "--map", "winner=choice", "--values", "winner:left=a"]
    assert run(["report", str(path), *options, "--format", "md"]) == 0
    written = (tmp_path / "forms-report" / "report.md").read_text(encoding="utf-8")
    assert "winner: left → a" in written
    folder = Path(__file__).parents[1] / "data" / "imagenhub" / "data" / "Multi-Subject_IG"
    out = tmp_path / "out"
    assert run(["report", str(folder), "--out", str(out), "--format", "json"]) == 0
    assert "read as ImagenHub ratings" in (out / "findings.json").read_text(encoding="utf-8")
    capsys.readouterr()


def test_fonts_without_a_pdf_are_told_to_be_of_no_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "votes.csv"
    table.write_text(VOTES)
    assert run(["report", str(table), "--format", "md", "--font-path", str(tmp_path)]) == 0
    said = "warning: --font-path is for the PDF, which --format does not name\n"
    assert capsys.readouterr().err == said
