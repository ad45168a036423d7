"""A format that another package adds, as docs/report.md has it."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import jurybox as jb
from jurybox.cli.app import run
from jurybox.errors import InputError
from jurybox.report import write_report
from tests.documents import blocks

VOTES = Path(__file__).parents[2] / "examples" / "votes.csv"
FILES = {block.name: block.body for block in blocks("report") if block.name}
Install = Callable[[str, str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a module and what its ``pyproject.toml`` says of it where installed packages lie."""

    def installed(module: str, project: str) -> None:
        stated = tomllib.loads(project)["project"]
        (points,) = stated["entry-points"].items()
        place = tmp_path / "site"
        about = place / f"{stated['name'].replace('-', '_')}-{stated['version']}.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {stated['name']}\nVersion: {stated['version']}\n"
        )
        lines = [f"[{points[0]}]", *(f"{name} = {where}" for name, where in points[1].items())]
        (about / "entry_points.txt").write_text("\n".join(lines))
        (name,) = {where.partition(":")[0] for where in points[1].values()}
        (place / f"{name}.py").write_text(module)
        monkeypatch.syspath_prepend(str(place))

    return installed


def test_the_format_of_the_documentation_is_written(
    install: Install, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install(FILES["chat_message.py"], FILES["pyproject.toml"])
    out = tmp_path / "out"
    assert run(["report", str(VOTES), "--out", str(out), "--format", "chat,csv"]) == 0
    said, *rest = (out / "message.txt").read_text().splitlines()
    assert said == "*votes.csv*"
    assert rest[0] in capsys.readouterr().out
    assert rest[-1].startswith("• cedar and birch are not told apart")
    assert (out / "tables").is_dir()
    assert run(["report", str(VOTES), "--format", "chatt"]) == 2
    assert "svg, png, chat, got chatt" in capsys.readouterr().err


BROKEN = """
def away(report):
    yield "../message.txt", "out"

def number(report):
    yield "message.txt", 3

def wrong(report):
    yield "message.txt", report.pages
"""
PROJECT = """
[project]
name = "acme-formats"
version = "2"

[project.entry-points."jurybox.report_formats"]
"""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("away", ": '../message.txt' is no place in the report's folder"),
        ("number", ": message.txt must hold text or bytes, got 3"),
        ("wrong", ", cannot be written: AttributeError: 'Report' object has no attribute 'pages'"),
        ("absent", ", cannot be loaded: AttributeError: module 'acme' has no attribute 'absent'"),
    ],
)
def test_a_mistake_in_it_is_told_with_its_package(
    name: str, said: str, install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "acme", raising=False)
    install(BROKEN, f'{PROJECT}{name} = "acme:{name}"')
    with pytest.raises(InputError) as refused:
        write_report(jb.analyze(VOTES), tmp_path / "out", formats=[name])
    assert str(refused.value) == f"report format {name}, which acme-formats adds{said}"
    assert not (tmp_path / "message.txt").exists()
