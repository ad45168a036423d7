"""``jurybox new``: studies from templates and tables, and sentences for what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jurybox.cli.app import run
from jurybox.study import load_material, load_study
from jurybox.study.templates import list_templates


def test_the_list_shows_every_template(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", "--list"]) == 0
    shown = capsys.readouterr().out
    assert all(template.name in shown for template in list_templates())


def test_the_list_is_data_for_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", "--list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == [template.name for template in list_templates()]
    assert rows[0].keys() == {"name", "protocol", "medium", "summary", "three_point"}


def test_a_template_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "new"
    arguments = ["new", str(target), "--template", "imagenhub/text-to-image", "--three-point"]
    assert run(arguments) == 0
    assert "three points" in capsys.readouterr().out
    assert list(load_study(target).criteria) == ["consistency", "quality"]


def test_the_next_command_can_be_pasted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", str(tmp_path / "my study"), "--template", "likert"]) == 0
    assert f"Next: jurybox check '{tmp_path}/my study'\n" in capsys.readouterr().out


def test_a_table_becomes_a_study_and_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "outputs.csv"
    table.write_text(
        "item,system,question,answer\n"
        "1,old,What is new?,Nothing.\n1,new,What is new?,A lot.\n"
        "2,old,And here?,Little.\n2,new,And here?,Something.\n"
    )
    assert run(["new", str(tmp_path / "new"), "--from", str(table)]) == 0
    told = capsys.readouterr().out
    assert "`item`" in told
    assert "`system`" in told
    assert "(criteria, instructions)" in told
    study = load_study(tmp_path / "new")
    assert load_material(study).systems == ("new", "old")


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["new"], 2, "directory"),
        (["new", "DIR"], 2, "--template NAME"),
        (["new", "DIR", "--template", "mos", "--from", "x.csv"], 2, "either"),
        (["new", "DIR", "--from", "x.csv"], 1, "x.csv does not exist"),
        (["new", "DIR", "--template", "moss"], 2, "did you mean 'mos'?"),
        (["new", "DIR", "--template", "mos", "--three-point"], 2, "no three-point form"),
        (["new", ".", "--template", "mos"], 1, "is not empty"),
        (["new", "--json"], 2, "--list"),
    ],
)
def test_wrong_usage_is_a_sentence_and_writes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").touch()
    assert run(arguments) == code
    told = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert sentence in told
    assert "Traceback" not in told
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
