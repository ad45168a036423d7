"""Saving a study: what is read back is equal, and people can read it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from jurybox.study import Study, load_study
from tests.study.examples import EXAMPLES, STUDIES
from tests.study.studies_strategy import studies


@given(studies())
def test_a_saved_study_reads_back_equal(data: dict[str, Any]) -> None:
    study = Study(**data)
    with tempfile.TemporaryDirectory() as folder:
        path = study.save(folder)
        again = load_study(path)
        assert again == study
        assert again.hash() == study.hash()
        assert again.to_yaml() == study.to_yaml()


@pytest.mark.parametrize("path", sorted(STUDIES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_written_study_reads_back_equal(path: Path, tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(path.read_text())
    for name in ("hints.md",):
        (tmp_path / name).write_text("words")
    study = load_study(tmp_path)
    study.save(tmp_path / "again")
    assert load_study(tmp_path / "again") == study


def test_short_forms_are_used_and_defaults_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(EXAMPLES["smallest"])
    assert load_study(tmp_path).to_yaml() == EXAMPLES["smallest"]
    study = Study(
        title="t", protocol="detect", outputs="o.csv", show={"o": {"as": "image", "zoom": True}},
        real="r", criteria={"origin": {"question": "?", "confidence": 5, "direction": "higher"}},
    )  # fmt: skip
    assert study.to_yaml() == (
        "title: t\n"
        "protocol: detect\n"
        "outputs: o.csv\n"
        "real: [r]\n"
        "show: {o: image}\n"
        "criteria:\n"
        '  origin: {question: "?", confidence: 5}\n'
    )


def test_saving_makes_the_folder_and_tells_the_study_where_it_lives(tmp_path: Path) -> None:
    study = Study(title="t", protocol="rate", outputs="o.csv", show={"o": "text"})
    assert study.directory is None
    path = study.save(tmp_path / "a" / "b")
    assert path == tmp_path / "a" / "b" / "study.yaml"
    assert study.directory == (tmp_path / "a" / "b").resolve()
