"""The documents say what is so: their studies load, their keys are all keys, their Python runs."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from jurybox.study.read import check_file
from jurybox.tally.shapes import SHAPES

ROOT = Path(__file__).parent.parent
STUDY_FILE = (ROOT / "docs" / "study-file.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", STUDY_FILE, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(_blocks("yaml"))))
def test_every_study_shown_is_right(number: int, tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(_blocks("yaml")[number], encoding="utf-8")
    study, problems = check_file(tmp_path / "study.yaml")
    assert problems == ()
    assert study is not None


def test_every_protocol_is_shown() -> None:
    shown = {re.findall(r"^protocol: (\w+)", block, re.MULTILINE)[0] for block in _blocks("yaml")}
    assert shown == {"rate", "compare", "rank", "detect", "mark"}


def test_the_page_of_keys_is_current() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "write_reference.py"))
    written = (ROOT / "docs" / "study-keys.md").read_text(encoding="utf-8")
    assert written == script["page"](), "run scripts/write_reference.py"


def test_every_part_of_the_study_file_is_on_the_page_of_keys() -> None:
    from jurybox.study.schema import json_schema

    script = runpy.run_path(str(ROOT / "scripts" / "write_reference.py"))
    inline = {"Anchors", "ScaleValue", "RandomPairs", "BaselinePairs"}
    assert set(json_schema()["$defs"]) == set(script["SECTIONS"].values()) | inline


def test_every_shape_is_on_the_page_of_tables() -> None:
    page = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
    for name in SHAPES:
        assert f"| {name} |" in page


def test_the_python_shown_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = _blocks("python")
    (tmp_path / "page.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    runpy.run_path("page.py")
    assert (tmp_path / "which-answer" / "study.yaml").is_file()
