"""The parts of a study's material within which judges are looked at, and a study that has some."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jurybox as jb
from jurybox.analysis.strata import strata_of
from jurybox.cli.app import run
from jurybox.study.material import load_material
from tests.judges.studies import make_study

FIT = {"fit": {"question": "Fit?", "scale": "acr"}}


def study(folder: Path, *, items: int = 4, **more: Any) -> None:
    """Items of two categories; every answer is as long as its number says."""
    rows = [
        {"item": f"i{n}", "question": "?", "category": "code" if n % 2 else "chat", "hard": n % 3}
        for n in range(items)
    ]
    texts = {(n, s): "x" * 2 ** (n % 4) for n in range(items) for s in ("ada", "bob")}
    make_study(folder, protocol="rate", criteria=FIT, items=items, texts=texts, **more)
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_items_have_a_category_and_outputs_a_length(tmp_path: Path) -> None:
    study(tmp_path)
    loaded = jb.load_study(tmp_path)
    found = strata_of(loaded, load_material(loaded))
    assert found.categories == {
        "category": {"i0": "chat", "i1": "code", "i2": "chat", "i3": "code"}
    }
    assert {cell: found.lengths[cell] for cell in (("i0", "ada"), ("i3", "bob"))} == {
        ("i0", "ada"): 1.0,
        ("i3", "bob"): 8.0,
    }


def test_named_strata_stand_for_the_category(tmp_path: Path) -> None:
    study(tmp_path)
    spec = json.loads((tmp_path / "study.yaml").read_text())
    spec["design"]["stratify"] = ["hard"]
    (tmp_path / "study.yaml").write_text(json.dumps(spec))
    loaded = jb.load_study(tmp_path)
    assert list(strata_of(loaded, load_material(loaded)).categories) == ["hard"]


def test_a_judge_that_fails_on_code_is_found_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study(tmp_path, items=24, design={"overlap": 3, "seed": 1})
    rng = np.random.default_rng(1)
    rows = ["item,system,rater,rater_kind,criterion,score"]
    for n in range(24):
        for system in ("ada", "bob"):
            truth = int(rng.integers(1, 6))
            people = {f"r{k}": min(5, max(1, truth + int(rng.integers(-1, 2)))) for k in range(3)}
            # The judge is as good as the truth in chat, and upside down in code.
            scores = {**people, "j": 6 - truth if n % 2 else truth}
            rows += [
                f"i{n},{system},{who},{'judge' if who == 'j' else 'person'},fit,{score}"
                for who, score in scores.items()
            ]
    (tmp_path / "rows.csv").write_text("\n".join(rows) + "\n")
    assert run(["import", str(tmp_path), str(tmp_path / "rows.csv")]) == 0
    assert run(["analyze", str(tmp_path)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "Exploratory: j falls behind people on fit where category: code" in printed
    assert "by Benjamini–Hochberg over 6 looks at where judges differ)" in printed
    table = jb.analyze(tmp_path).table("judge_strata/fit")
    assert table is not None
    # The lengths are 1, 2, 4 and 8 letters, equally often: the thirds are 1 and 2, 4, and 8.
    assert [(row[1], row[-3]) for row in table.rows] == [
        ("category: chat", 24),
        ("category: code", 24),
        ("length: short", 24),
        ("length: middle", 12),
        ("length: long", 12),
    ]
