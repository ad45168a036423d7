"""The documents say what is so: their studies load, their keys are all keys, their Python runs."""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import jurybox as jb
from jurybox.cli.app import run
from jurybox.cli.conditions import SIDES, TAKES
from jurybox.study.read import check_file
from jurybox.tally.shapes import SHAPES
from tests.documents import blocks, commands, is_printed

ROOT = Path(__file__).parent.parent
STUDY_FILE = (ROOT / "docs" / "study-file.md").read_text(encoding="utf-8")
STATISTICS = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")


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
    script = runpy.run_path(str(ROOT / "scripts" / "write_study_keys.py"))
    written = (ROOT / "docs" / "study-keys.md").read_text(encoding="utf-8")
    assert written == script["page"](), "run scripts/write_study_keys.py"


def test_every_part_of_the_study_file_is_on_the_page_of_keys() -> None:
    from jurybox.study.schema import json_schema

    script = runpy.run_path(str(ROOT / "scripts" / "write_study_keys.py"))
    inline = {"Anchors", "ScaleValue", "RandomPairs", "BaselinePairs"}
    assert set(json_schema()["$defs"]) == set(script["SECTIONS"].values()) | inline


def test_a_key_that_takes_certain_words_names_them() -> None:
    page = (ROOT / "docs" / "study-keys.md").read_text(encoding="utf-8")
    assert "Whether the main round waits for the target. One of `advise`, `block`. |" in page
    assert "How raters judge: rate, compare, rank, detect or mark. |" in page  # named once


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


def test_every_public_name_is_on_the_page_of_statistics() -> None:
    named = set(re.findall(r"`jb\.(\w+)", STATISTICS))
    assert named >= set(jb.__all__), set(jb.__all__) - named
    assert named <= {*jb.__all__}, named - {*jb.__all__}


def test_the_python_of_the_page_of_statistics_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", STATISTICS, flags=re.MULTILINE | re.DOTALL)
    (tmp_path / "page.py").write_text(code, encoding="utf-8")
    runpy.run_path(str(tmp_path / "page.py"))
    assert capsys.readouterr().out.strip()


def test_the_commands_of_the_page_of_the_gate_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    shutil.copy(ROOT / "examples" / "votes.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    ((command, lines),) = [
        each for block in blocks("gate") if block.language == "console" for each in commands(block)
    ]
    assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    assert is_printed(lines, capsys.readouterr().out)
    (script,) = re.findall(r"^```bash\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    assert in_bash(script).endswith("items).\nrelease\n")


def test_the_workflow_of_the_page_of_the_gate_runs_and_ends_where_nothing_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = [block for block in blocks("gate") if block.language == "yaml"]
    steps = YAML(typ="safe").load(block.body)["jobs"]["gate"]["steps"]
    install, gate, report = (step["run"] for step in steps if "run" in step)
    assert install == "pip install jurybox"
    assert steps[-1] == {"if": "always()", "run": report}
    shutil.copy(ROOT / "examples" / "votes.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    assert in_bash(gate).startswith("• Shown:")
    in_bash(report)
    assert (tmp_path / "summary.md").read_text(encoding="utf-8").startswith("# votes.csv")
    with pytest.raises(subprocess.CalledProcessError) as ended:
        in_bash(gate.replace("0.5", "0.65"))
    assert ended.value.returncode == 3


def in_bash(script: str) -> str:
    """What a script prints, as a step of a pipeline runs it."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_every_condition_and_threshold_is_on_the_page_of_the_gate() -> None:
    page = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    for option, names in TAKES.items():
        assert f"| `{' '.join([option, *names])}` |" in page
    for option in SIDES:
        assert f"| `{option} " in page


def test_the_figures_of_published_studies_are_those_of_the_data() -> None:
    def expected(study: str) -> Any:
        file = ROOT / "tests" / "data" / study / "EXPECTED.json"
        return json.loads(file.read_text(encoding="utf-8"))

    gengap, tifa, panda = map(expected, ("gengap_turing", "tifa_human", "pandalm_pairwise"))
    bleu = tifa["computed"]["corr"]["bleu"]
    f1 = {judge: panda["computed"][judge]["macro_f1"] for judge in ("gpt35", "pandalm7b")}
    scores = expected("wmt21_ted_mqm")["computed"]["ende"]["computed"]  # typos: ignore
    for figure in (
        f"the printed t of {gengap['published']['t_statistic_printed']:.2f}",
        f"t over people is {gengap['computed']['proper_one_sample_t']:.1f}",
        f"accuracy {gengap['computed']['accuracy']:.1%}",
        f"BLEU is {bleu['spearman']:.3f}, not {bleu['pearson']:.3f}",
        f"has {f1['pandalm7b'] / f1['gpt35']:.1%} of GPT-3.5's macro-F1",
        f"eTranslation's 1.96 is {scores['eTranslation']:.3f}",
    ):
        assert figure in STATISTICS, figure


def test_the_python_of_people_or_judge_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "people-or-judge.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    (tmp_path / "page.py").write_text(code, encoding="utf-8")
    found = runpy.run_path(str(tmp_path / "page.py"))
    shown = capsys.readouterr().out
    assert "j1, leniency" in shown
    # As the page says: too kind by 0.7, and worth more than the 60 items that people rated.
    assert found["both"].judge_alone - found["both"].people == pytest.approx(0.7, abs=0.3)
    assert found["both"].worth > 60
    # Every bias has its row, in both tables.
    from jurybox.stats.judges.biases import BIASES

    for name in BIASES.values():
        assert page.count(f"| {name} |") == 2, name
