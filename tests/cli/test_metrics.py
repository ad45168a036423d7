"""``jurybox metrics``: texts against references, features against real ones, and back in again."""

from __future__ import annotations

import csv
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jurybox.analysis import overlap
from jurybox.cli.app import run
from jurybox.study import Study

ANSWERS = {
    ("i0", "new"): "a b c d",
    ("i0", "old"): "x y",
    ("i1", "new"): "the cat sat",
    ("i1", "old"): "the cat",
}
REFERENCES: dict[str, Any] = {"i0": "a b c e", "i1": "the cat sat"}


def make(folder: Path, references: dict[str, Any] = REFERENCES, **fields: str) -> Path:
    items = [{"item": item, "reference": text} for item, text in references.items()]
    (folder / "items.jsonl").write_text("\n".join(json.dumps(row) for row in items) + "\n")
    rows = [
        {"item": item, "system": system, "answer": text, **fields}
        for (item, system), text in ANSWERS.items()
    ]
    (folder / "outputs.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    Study(
        title="Answers",
        protocol="rate",
        items="items.jsonl",
        outputs="outputs.jsonl",
        show={"answer": "text", **dict.fromkeys(fields, "text")},
    ).save(folder)
    return folder


def values(path: Path) -> dict[tuple[str, str, str], float]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {(r["metric"], r["item"], r["system"]): float(r["value"]) for r in rows}


def test_bleu_chrf_and_rouge_are_those_counted_by_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make(tmp_path)
    asked = ["--bleu", "--chrf", "--rouge", "--reference", "reference"]
    assert run(["metrics", str(study), *asked]) == 0
    said = capsys.readouterr().out
    found = values(study / "metrics.csv")
    # Of a b c d against a b c e 3/4 words, 2/3 pairs, 1/2 triples and no four are shared; no four
    # of one count as half of one: (3/4 · 2/3 · 1/2 · 1/2)^¼ = 0.125^¼.
    assert found["sentence_bleu", "i0", "new"] == pytest.approx(100 * 0.125**0.25)
    assert found["sentence_bleu", "i1", "new"] == pytest.approx(100)
    # Both answers together: 6/7, 4/5, 2/3 and 0/1, which counts as a half.
    whole = 100 * (6 / 7 * 4 / 5 * 2 / 3 * 1 / 2) ** 0.25
    assert found["bleu", "", "new"] == pytest.approx(whole)
    # Characters without spaces: abcd and abce share 3/4, 2/3, 1/2, 0/1; five and six have none.
    assert found["sentence_chrf", "i0", "new"] == pytest.approx(100 * (3 / 4 + 2 / 3 + 1 / 2) / 4)
    # the cat: precision 1, recall 2/3, so F = 4/5; one of one pair and one of two: 2/3.
    assert found["rouge1", "i1", "old"] == pytest.approx(4 / 5)
    assert found["rouge2", "i1", "old"] == pytest.approx(2 / 3)
    assert found["rougeL", "i1", "old"] == pytest.approx(4 / 5)
    assert found["rouge1", "i0", "old"] == 0
    assert f"bleu  new  {whole:.3f}\n" in said
    assert "rouge1  old  0.400, mean of 2 outputs\n" in said


def test_analyze_reads_what_was_written_with_its_signatures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make(tmp_path)
    assert run(["metrics", str(study), "--bleu", "--rouge", "--reference", "reference"]) == 0
    rows = [f"{i},{s},r{r},{3 + (s == 'new')}" for i, s in ANSWERS for r in range(3)]
    (tmp_path / "ratings.csv").write_text("\n".join(["item,system,rater,score", *rows]) + "\n")
    capsys.readouterr()
    table = str(study / "metrics.csv")
    assert run(["analyze", str(tmp_path / "ratings.csv"), "--metrics", table, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    took = " ".join(found["took"])
    assert "bleu is nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2." in took
    assert "sentence_bleu is nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2." in took
    assert (
        "rouge1, rouge2 and rougeL are nrefs:1|case:lc|measure:f|stemmer:no|version:rouge-score 0."
        in took
    )
    assert any(t["id"] == "metric_values" for t in found["tables"])


def test_several_references_and_other_words(tmp_path: Path) -> None:
    study = make(tmp_path, {"i0": ["a b c e", "a b c d"], "i1": ["the cat sat", "a cat"]})
    asked = ["--bleu", "--tokenize", "char", "--rouge", "--reference", "reference"]
    assert run(["metrics", str(study), *asked, "--out", str(tmp_path / "m.csv")]) == 0
    found = values(tmp_path / "m.csv")
    assert found["sentence_bleu", "i0", "new"] == pytest.approx(100)
    assert found["rougeL", "i0", "new"] == 1
    assert "nrefs:2|case:mixed|eff:no|tok:char" in (tmp_path / "m.csv").read_text()


@pytest.mark.parametrize(
    ("references", "asked", "code", "said"),
    [
        (
            REFERENCES,
            [],
            2,
            "Say what to measure: --bleu, --chrf or --rouge with --reference FIELD",
        ),
        (REFERENCES, ["--bleu"], 2, "name the items' field with --reference FIELD"),
        (REFERENCES, ["--bleu", "--reference", "ref"], 1, "item 'i0' has no field 'ref'"),
        (
            {**REFERENCES, "i1": " "},
            ["--bleu", "--reference", "reference"],
            1,
            "the reference of item 'i1' is no text: ' '",
        ),
        (
            {**REFERENCES, "i1": ["a", "b"]},
            ["--chrf", "--reference", "reference"],
            1,
            "items have 1 and 2 references; give all as many",
        ),
        (
            {**REFERENCES, "i1": "猫が座った"},
            ["--rouge", "--reference", "reference"],
            1,
            "item 'i1': ROUGE knows Latin letters and digits only",
        ),
        (
            REFERENCES,
            ["--bleu", "--reference", "reference", "--tokenize", "words"],
            2,
            "--tokenize must be among 13a, intl, char, zh, none; got 'words'",
        ),
        (
            REFERENCES,
            ["--bleu", "--reference", "reference", "--field", "text"],
            1,
            "new on 'i0' has no text in the field 'text'",
        ),
        (REFERENCES, ["--features", "real.npy"], 2, "give both"),
        (REFERENCES, ["--features", "r.npy", "--features-of", "new"], 2, "takes SYSTEM=FILE"),
        (
            REFERENCES,
            ["--features", "r.npy", "--features-of", "tiny=t.npy"],
            1,
            "names 'tiny', and the study's systems are new, old",
        ),
    ],
)
def test_what_cannot_be_measured_is_said(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    references: dict[str, Any],
    asked: list[str],
    code: int,
    said: str,
) -> None:
    study = make(tmp_path, references)
    assert run(["metrics", str(study), *asked]) == code
    assert said in capsys.readouterr().err
    assert not (study / "metrics.csv").exists()


def test_one_of_several_texts_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = make(tmp_path, why="because")
    asked = ["metrics", str(study), "--chrf", "--reference", "reference"]
    assert run(asked) == 1
    assert "the outputs have answer, why; name one with --field" in capsys.readouterr().err
    assert run([*asked, "--field", "answer"]) == 0
    assert values(study / "metrics.csv")["sentence_chrf", "i1", "new"] == pytest.approx(100)


@pytest.mark.parametrize(("flag", "package"), [("--bleu", "sacrebleu"), ("--rouge", "rouge-score")])
def test_a_missing_package_is_one_sentence(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    flag: str,
    package: str,
) -> None:
    def missing(name: str) -> Any:
        if name.startswith(("sacrebleu", "rouge_score")):
            raise ImportError(name)
        return import_module(name)

    monkeypatch.setattr(overlap, "import_module", missing)
    assert run(["metrics", str(make(tmp_path)), flag, "--reference", "reference"]) == 1
    assert capsys.readouterr().err == (
        f"This metric needs the package {package}; install it with "
        "'pip install \"jurybox[metrics]\"'.\n"
    )


def test_features_become_rows_and_what_is_undefined_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make(tmp_path)
    real = np.random.default_rng(0).normal(size=(40, 2))
    np.save(tmp_path / "real.npy", real)
    np.save(tmp_path / "new.npy", real + np.array([3.0, 4.0]))
    np.save(tmp_path / "old.npy", real[:1])
    asked = ["--features", str(tmp_path / "real.npy")]
    for system in ("new", "old"):
        asked += ["--features-of", f"{system}={tmp_path / system}.npy"]
    assert run(["metrics", str(study), *asked]) == 0
    said = capsys.readouterr()
    assert "old, kid: undefined, because the generated set has one row" in said.err
    with (study / "metrics.csv").open(newline="") as file:
        rows = {row["metric"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["fid", "kid", "precision", "recall"]
    assert float(rows["fid"]["value"]) == pytest.approx(25)
    assert (rows["fid"]["better"], rows["recall"]["better"]) == ("lower", "higher")
    assert rows["fid"]["low"] == ""
    assert float(rows["kid"]["low"]) < float(rows["kid"]["value"]) < float(rows["kid"]["high"])
    assert rows["precision"]["signature"] == "features:2|real:40|k:3"
    assert "fid  new  25.000\n" in said.out
    # A table of one's own is never replaced, one of this verb is.
    assert run(["metrics", str(study), *asked]) == 0
    (study / "metrics.csv").write_text("item,system,mine\n")
    assert run(["metrics", str(study), *asked]) == 1
    assert "there is another table of this name; write to one with --out" in capsys.readouterr().err
    assert (study / "metrics.csv").read_text() == "item,system,mine\n"


def test_features_need_no_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("real.npy", np.random.default_rng(0).normal(size=(10, 2)))
    assert run(["metrics", "--features", "real.npy", "--features-of", "s=real.npy"]) == 0
    assert values(tmp_path / "metrics.csv")["precision", "", "s"] == 1
    np.save("one.npy", np.ones((1, 2)))
    assert run(["metrics", "--features", "real.npy", "--features-of", "s=one.npy"]) == 1
    assert "No metric has a value, so nothing is written." in capsys.readouterr().err


def test_report_sets_metrics_beside_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{i},{s},r{r},{3 + (s == 'new')}" for i, s in ANSWERS for r in range(3)]
    (tmp_path / "ratings.csv").write_text("\n".join(["item,system,rater,score", *rows]) + "\n")
    (tmp_path / "fid.csv").write_text("system,metric,value\nnew,fid,10\nold,fid,20\n")
    asked = ["report", str(tmp_path / "ratings.csv"), "--format", "md"]
    fid = ["--metrics", str(tmp_path / "fid.csv"), "--lower-is-better", "fid"]
    assert run([*asked, *fid]) == 0
    page = (tmp_path / "ratings-report" / "report.md").read_text()
    assert "| fid | new | 10.0 | – | lower |" in page
    assert "fid orders 1 of 1 pair of systems as people's scores of overall do." in page
    assert run([*asked, *fid[2:]]) == 2
    assert "name their table, --metrics" in capsys.readouterr().err
