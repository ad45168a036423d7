"""``jurybox guidelines``: the guide beside the study, or where it is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

from jurybox.cli.app import run
from tests.study.examples import write_example


def test_both_forms_are_written_beside_the_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_example("rate", tmp_path)
    assert run(["guidelines", str(tmp_path)]) == 0
    told = capsys.readouterr().out.split()
    assert [Path(path).name for path in told] == ["guide.md", "guide.html"]
    assert (tmp_path / "guide.md").read_text(encoding="utf-8").startswith("# Text-guided editing\n")
    assert (tmp_path / "guide.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_one_form_goes_where_it_is_wanted(tmp_path: Path) -> None:
    write_example("compare", tmp_path / "study")
    target = tmp_path / "out" / "guides"
    arguments = ["guidelines", str(tmp_path / "study" / "study.yaml")]
    assert run([*arguments, "--out", str(target), "--format", "html"]) == 0
    assert [path.name for path in target.iterdir()] == ["guide.html"]


def test_a_study_with_a_mistake_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_example("rate", tmp_path)
    (tmp_path / "edits.jsonl").unlink()
    assert run(["guidelines", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert "edits.jsonl" in told
    assert "Traceback" not in told
    assert not (tmp_path / "guide.md").exists()
