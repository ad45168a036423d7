"""The documents say what is so: their studies load, their keys are all keys, their Python runs."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import jurybox as jb
from jurybox.study.read import check_file
from jurybox.tally.shapes import SHAPES

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
