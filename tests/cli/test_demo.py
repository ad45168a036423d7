"""`jurybox demo`: planned, stored, analyzed, reported, and served."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2 as httpx
import pytest

from jurybox.cli.app import run
from jurybox.store import Store
from tests.patience import PATIENCE

RULES = {"gold_below", "faster_than", "straight_line"}
ENVIRONMENT = {"COLUMNS": "1000", "PATH": ""}
JURYBOX = (sys.executable, "-u", "-c", "from jurybox.cli import main; main()")


@dataclass(frozen=True, slots=True)
class Ran:
    folder: Path
    shown: str


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("demo") / "demo-study"
    done = subprocess.run(
        [*JURYBOX, "demo", str(folder), "--no-serve"],
        check=True, capture_output=True, text=True, timeout=PATIENCE,
        env=ENVIRONMENT,
    )  # fmt: skip
    assert done.stderr == ""
    return Ran(folder, done.stdout)


def test_one_row_per_system_says_whether_the_truth_is_covered(demo: Ran) -> None:
    rows = re.findall(
        r"│ (\w+) +│ +([\d.]+) │ +([\d.]+) │ ([\d.]+) to ([\d.]+) │ +([✓✗]) │", demo.shown
    )
    assert [row[0] for row in rows] == ["aurora", "basalt", "cirrus", "delta", "ember"]
    for _, truth, estimate, low, high, covers in rows:
        assert float(low) <= float(estimate) <= float(high)
        assert covers == ("✓" if float(low) <= float(truth) <= float(high) else "✗")
    assert rows[1][1] == rows[2][1]
    # Five intervals of 95%: two or more misses happen in one seed of fifty.
    assert sum(row[5] == "✓" for row in rows) >= 4


def test_three_sentences_come_from_the_data(demo: Ran) -> None:
    flagged, plain, open_ = re.findall(r"• (.+)", demo.shown)
    with Store.open(demo.folder, create=False) as store:
        raters = {rater.id for rater in store.raters()}
    each = re.findall(r"  – (rater-\d+) by ([\w ]+): (.+)\.", demo.shown)
    assert flagged == f"{len(each)} raters left out by rules stated before the data:"
    named = {rater for rater, _, _ in each}
    assert named <= raters
    # Planted: the fifth is a speeder, the ninth a straight-liner, the twelfth flips coins.
    assert named == {"rater-05", "rater-09", "rater-12"}
    # Whose line is straight at another height for each criterion.
    assert "straight_line" in next(rules for rater, rules, _ in each if rater == "rater-09")
    assert {rule for _, rules, _ in each for rule in rules.split(" and ")} <= RULES
    wider = re.search(r"([\d.]+) times as wide", plain)
    assert wider is not None
    assert float(wider[1]) > 1
    assert "not told apart" in open_


def test_the_report_is_written_and_its_headline_printed(demo: Ran) -> None:
    report = demo.folder / "report"
    page = (report / "report.html").read_text()
    data = json.loads((report / "findings.json").read_text())
    [headline] = [f for f in data["findings"] if f["id"] == data["headline"]]
    assert headline["sentence"] in demo.shown
    assert headline["sentence"] in re.sub("</?(em|span)[^>]*>", "", page)
    assert {"report.md", "tables"} <= {path.name for path in report.iterdir()}


def test_another_directory_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    assert run(["demo", str(tmp_path), "--no-serve"]) == 1
    assert "is not empty and holds no demo" in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_second_run_says_the_same_and_serves_three_links(demo: Ran, taken_port: int) -> None:
    report = demo.folder / "report" / "report.html"
    before = report.read_bytes()
    with subprocess.Popen(
        [*JURYBOX, "demo", str(demo.folder), "--port", str(taken_port)],
        stdout=subprocess.PIPE, text=True, env=ENVIRONMENT,
    ) as server:  # fmt: skip
        try:
            assert server.stdout is not None
            links: dict[str, str] = {}
            shown = ""
            while len(links) < 3 and (line := server.stdout.readline()):
                shown += line
                if match := re.match(r"  (\w+).* (http://\S+)", line):
                    links[match[1]] = match[2]
            assert set(links) == {"Rate", "Organizer", "Report"}
            for link in links.values():
                assert f":{taken_port}/" not in link
                # It listens before it says where.
                assert "<html" in httpx.get(link, timeout=PATIENCE).raise_for_status().text
            assert (demo.folder / "guest" / "study.db").is_file()
            assert demo.shown[demo.shown.index("┏") :] in shown
            assert report.read_bytes() == before
        finally:
            server.terminate()
            server.wait(PATIENCE)
