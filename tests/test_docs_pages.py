"""The pages that teach can be followed word by word (``documents.py`` says how)."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from importlib.metadata import version
from itertools import product
from random import Random
from typing import Any

import pytest

from jurybox.cli.app import run
from jurybox.report.formats import typeset
from jurybox.report.formats.known import FORMATS
from jurybox.simulate import looking
from jurybox.study.read import check_file
from jurybox.study.templates import write_template
from tests.documents import DOCS, NOT_RUN, ROOT, Reader, blocks, is_printed, quick_server, reader

__all__ = ["quick_server", "reader"]  # fixtures

TAUGHT = (
    *("tutorial", "rubric", "calibration", "sending", "crowds", "importing", "sampling"),
    *("protocols", "metrics", "clustered", "pitfalls", "report", "recipes", "trouble"),
)


ELSEWHERE = (
    *("analysis-json", "case-studies", "gate", "judges", "people-or-judge", "planning"),
    *("reading", "sizing", "statistics", "study-file", "paper"),
)
"""Pages whose blocks have tests of their own."""
UNTRIED = {
    ("tutorial", "sh"): 1,  # installs from a registry
    ("sending", "sh"): 2,  # opens tunnels
    ("report", "sh"): 2,  # comments on GitHub; installs a package
    ("report", "text"): 3,  # LaTeX, whose files are looked for, its fonts, and a warning
    ("crowds", "text"): 1,  # an address
    ("sampling", "text"): 1,  # a formula
}
"""Blocks that nobody runs, and why."""


def test_every_block_of_every_page_is_tried() -> None:
    found: dict[tuple[str, str], int] = {}
    for file in DOCS.glob("*.md"):
        fences = re.findall(r"^ *```(.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
        opened = [info for info in fences[::2] if info not in ("math", "text printed")]
        languages = [info.partition(" ")[0] for info in opened]
        assert "" not in languages, f"{file.name}: say what a block is written in"
        assert not languages or file.stem in (*TAUGHT, *ELSEWHERE), file.name
        for language in languages:
            if language in NOT_RUN and file.stem not in ELSEWHERE:
                found[file.stem, language] = found.get((file.stem, language), 0) + 1
    assert found == UNTRIED


@pytest.mark.parametrize("page", [page for page in TAUGHT if page not in ("tutorial", "clustered")])
def test_the_page_can_be_followed(page: str, reader: Reader) -> None:
    if page == "sending":  # Its reader has the study of the tutorial.
        write_template("ab-ties", reader.folder / "first")
    if page == "report":  # Its reader has the example.
        shutil.copy(ROOT / "examples" / "votes.csv", reader.folder)
    for block in blocks(page):
        reader.follow(block)
    if page == "report":  # What it puts into a paper is there.
        (put,) = (block.body for block in blocks(page) if r"\input" in block.body)
        names = re.findall(r"\{(.+?)\}", put)
        files = [name for name in names if name.startswith("paper/")]
        assert len(files) == 4
        for name in files:
            suffix = ".pdf" if "/charts/" in name else ".tex"
            assert (reader.folder / f"{name}{suffix}").is_file(), name


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


def test_the_version_to_cite_is_this_one() -> None:
    (cited,) = [block.body for block in blocks("paper")]
    assert f"version = {{{version('jurybox')}}}" in cited


def test_every_format_of_a_report_and_where_it_is_written_is_on_its_page() -> None:
    page = (DOCS / "report.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| `([a-z,]+)` \| `([\w./]+)`", page, re.MULTILINE)
    assert {name for names, _ in rows for name in names.split(",")} == set(FORMATS)
    assert {file.split("/")[0] for _, file in rows} == {
        *("report.html", "report.md", "report.pdf", "findings.json", "latex", "charts", "tables")
    }


def test_the_warning_of_a_script_that_no_font_shows_is_that_of_the_page(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (DOCS / "report.md").read_text(encoding="utf-8")
    compile_ = typeset._compile

    def without_thai(engine: Any, report: Any, folders: Any) -> Any:
        thai = frozenset(re.findall(r"[\u0e00-\u0e7f]", json.dumps(report, ensure_ascii=False)))
        return (None, thai) if thai else compile_(engine, report, folders)

    monkeypatch.setattr(typeset, "_compile", without_thai)
    votes = "item,system_a,system_b,rater,winner\nq1,ไทย,old,ada,a\nq2,ไทย,old,ben,b\n"
    (reader.folder / "thai.csv").write_text(votes, encoding="utf-8")
    assert run(["report", "thai.csv", "--format", "pdf"]) == 0
    assert capsys.readouterr().err in page


def test_a_page_that_shows_something_else_is_found() -> None:
    assert is_printed("a\n…\nd", "a  \nb\nc\nd\n")
    assert is_printed("…", "")
    assert not is_printed("a\nc", "a\nb\nc")
    assert not is_printed("a…", "b")


def test_the_shares_of_the_page_on_clusters_are_those_of_the_simulation(reader: Reader) -> None:
    (program,) = [block for block in blocks("clustered") if block.language == "python"]
    reader.follow(program)
    (printed,) = [block for block in blocks("clustered") if block.name == "printed"]
    reader.follow(printed)
    naive, by_item, by_both = (int(share) for share in re.findall(r"(\d+)%", reader.printed))
    # "Nearly half of the naive intervals miss", "better and still wrong", "what they say".
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


def pilot() -> str:
    """60 items by two systems, judged by three of eight people and by the judge j1."""
    draw = Random(7)
    lines = ["item,system,rater,rater_kind,criterion,score"]
    for item, system in product(range(60), ("aurora", "birch")):
        quality = draw.gauss(3.2 if system == "aurora" else 3, 0.6)
        raters = [(f"r{k}", "person") for k in draw.sample(range(8), 3)]
        for rater, kind in [*raters, ("j1", "judge")]:
            score = min(5, max(1, round(draw.gauss(quality, 0.5))))
            lines.append(f"q{item},{system},{rater},{kind},quality,{score}")
    return "\n".join(lines) + "\n"


def test_the_page_on_how_many_can_be_followed(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    (reader.folder / "pilot.csv").write_text(pilot(), encoding="utf-8")
    shown, *others = [block for block in blocks("sizing") if block.language != "math"]
    reader.follow(shown)
    # Of the others no figure is shown that is simulated: few studies are as good as many.
    monkeypatch.setattr(looking, "ROUGH", 10)
    many = {"$ jurybox plan pictures": " --studies 10", "$ jurybox plan --detect": " --studies 10"}
    for block in others:
        body = block.body.replace("--studies 200", "--studies 3")
        for command, few in many.items():
            body = body.replace(command, command.replace(" plan", f" plan{few}"))
        reader.follow(replace(block, body=body))
