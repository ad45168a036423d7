"""The pages that teach can be followed word by word (``documents.py`` says how)."""

from __future__ import annotations

import re

import pytest

from jurybox.cli.app import run
from jurybox.study.read import check_file
from jurybox.study.templates import write_template
from tests.documents import DOCS, Reader, blocks, is_printed, quick_server, reader

__all__ = ["quick_server", "reader"]  # fixtures

TAUGHT = (
    *("tutorial", "rubric", "calibration", "sending", "crowds", "importing", "sampling"),
    *("protocols", "metrics", "clustered", "pitfalls"),
)


@pytest.mark.parametrize("page", [page for page in TAUGHT if page not in ("tutorial", "clustered")])
def test_the_page_can_be_followed(page: str, reader: Reader) -> None:
    if page == "sending":  # Its reader has the study of the tutorial.
        write_template("ab-ties", reader.folder / "first")
    for block in blocks(page):
        reader.follow(block)


def test_the_tutorial_can_be_followed(reader: Reader) -> None:
    wrong = {"choices: [": "choice: [", "overlap: 3 ": "overlap: three "}
    said = "change `choices` to `choice`, and `overlap: 3` to `overlap: three`"
    assert said in (DOCS / "tutorial.md").read_text(encoding="utf-8")
    for block in blocks("tutorial"):
        file = reader.folder / "first" / "study.yaml"
        if block.name == "refused":
            kept = file.read_text(encoding="utf-8")
            broken = kept
            for right, typed in wrong.items():
                assert right in broken
                broken = broken.replace(right, typed, 1)
            file.write_text(broken, encoding="utf-8")
            reader.follow(block)
            file.write_text(kept, encoding="utf-8")
        else:
            reader.follow(block)
    assert (reader.folder / "report" / "report.html").is_file()


def test_a_page_that_shows_something_else_is_found() -> None:
    assert is_printed("a\n…\nd", "a  \nb\nc\nd\n")
    assert is_printed("…", "")
    assert not is_printed("a\nc", "a\nb\nc")
    assert not is_printed("a…", "b")


def test_the_shares_of_the_page_on_clusters_are_those_of_the_simulation(reader: Reader) -> None:
    (program,) = blocks("clustered")
    reader.follow(program)
    naive, by_item, by_both = (int(share) for share in re.findall(r"(\d+)%", reader.printed))
    # "About half of the naive intervals miss", "better and still wrong", "what they say".
    assert 35 <= naive <= 65
    assert naive < by_item < 93 <= by_both


def test_the_table_of_the_page_on_clusters_is_that_of_the_coverage() -> None:
    page = (DOCS / "clustered.md").read_text(encoding="utf-8")
    coverage = (DOCS / "coverage.md").read_text(encoding="utf-8")
    means = coverage.partition("## Mean score\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([\d,]+) \| (\d+) \| ([\d.]+%) \| ([\d.]+%) \|$", page, re.MULTILINE)
    assert len(rows) == 5
    for items, raters, both, plain in rows:
        assert f"| {items} | {raters} | {both} | {plain} |" in means


def test_the_settings_of_the_page_on_planning_are_right(reader: Reader) -> None:
    shown = [block.body for block in blocks("planning") if block.language == "yaml"]
    assert len(shown) == 3
    base = (
        "title: Which?\nprotocol: compare\nitems: items.csv\noutputs: outputs.csv\n"
        "show: {answer: text}\n"
    )
    for number, setting in enumerate(shown):
        file = reader.folder / str(number) / "study.yaml"
        file.parent.mkdir()
        file.write_text(base + setting, encoding="utf-8")
        study, problems = check_file(file)
        assert problems == ()
        assert study is not None


def test_the_commands_of_the_page_on_how_many_that_need_no_files_run(
    reader: Reader, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (DOCS / "sizing.md").read_text(encoding="utf-8")
    lines = re.findall(r"^jurybox (plan --(?:detect|with-judge) [^\n#]+)", page, re.MULTILINE)
    alone = [line for line in lines if "--pilot" not in line]
    assert len(alone) == 2
    (shown,) = (block for block in blocks("sizing") if block.language == "console")
    reader.follow(shown)
    for line in alone:
        assert run([*line.split(), "--studies", "20"] if "--detect" in line else line.split()) == 0
        assert "items" in capsys.readouterr().out
