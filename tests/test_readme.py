"""The README shows what really happens: its files, its study and its printed output."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import jurybox as jb
from jurybox.cli.app import GROUPS, run
from jurybox.study.read import check_file
from jurybox.study.scales import NAMED
from tests.patience import PATIENCE

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(language: str = "") -> list[str]:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    return [body for named, body in blocks if named == language]


def test_the_votes_shown_are_the_first_of_the_file() -> None:
    shown = next(block for block in _blocks() if block.startswith("item,system_a"))
    votes = (ROOT / "examples" / "votes.csv").read_text()
    assert votes.startswith(shown)
    assert len(shown.splitlines()) == 4


def test_the_output_shown_is_what_the_command_prints() -> None:
    shown = next(block for block in _blocks() if block.startswith("$ jurybox analyze"))
    command, _, output = shown.partition("\n")
    done = subprocess.run(
        [sys.executable, "-c", "from jurybox.cli import main; main()", *command.split()[2:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
        env={"COLUMNS": "80", "PATH": "", "PYTHONIOENCODING": "utf-8"},
    )
    assert _trimmed(done.stdout) == _trimmed(output)


def _trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def test_the_smallest_study_is_five_lines_and_right(tmp_path: Path) -> None:
    (study,) = _blocks("yaml")
    assert len(study.splitlines()) == 5
    (tmp_path / "study.yaml").write_text(study, encoding="utf-8")
    read, problems = check_file(tmp_path / "study.yaml")
    assert read is not None
    assert problems == ()


def test_every_verb_is_named_and_every_scale_in_the_page_on_the_study_file() -> None:
    for group, verbs in GROUPS.items():
        row = next(line for line in README.splitlines() if line.startswith(f"| {group} |"))
        assert tuple(re.findall(r"`(\w+)`", row)) == verbs
    page = (ROOT / "docs" / "study-file.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w-]+)` \|", page, flags=re.MULTILINE)) >= set(NAMED)


@pytest.mark.parametrize("path", re.findall(r"\]\(([^)#:]+)\)", README))
def test_every_link_leads_to_a_file(path: str) -> None:
    assert (ROOT / path).is_file()


def test_the_python_shown_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = _blocks("python")
    (tmp_path / "readme.py").write_text(code, encoding="utf-8")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    assert run(["new", "pictures", "--template", "image-quality"]) == 0
    runpy.run_path("readme.py")
    assert "aurora wins" in capsys.readouterr().out


def test_every_public_function_is_named() -> None:
    named = set(re.findall(r"`(?:jb\.)?(\w+)`", README)) | set(re.findall(r"jb\.(\w+)", README))
    assert set(jb.__all__) - {"Study"} <= named
