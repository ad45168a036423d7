"""`jurybox sheets`: out and back from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from jurybox.cli.app import run
from jurybox.store import Store
from tests.store.sheet_filling import fill
from tests.study.examples import write_example


def test_sheets_go_out_and_come_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = write_example("rate", tmp_path / "study")
    assert run(["sheets", "write", str(directory), "--names", "ana, ben"]) == 0
    shown = capsys.readouterr().out
    assert f"{directory / 'sheets' / 'ana.zip'}: 18 trials for ana" in shown
    fill(directory / "sheets" / "ana.zip", lambda row: {"consistency": 1, "realism": 0.5})
    fill(directory / "sheets" / "ben.zip", lambda row: {"consistency": 2, "realism": 0.5})
    monkeypatch.chdir(directory)
    assert run(["sheets", "read", "sheets/ana.xlsx", "sheets/ben.xlsx"]) == 0
    shown = capsys.readouterr().out
    assert "sheets/ana.xlsx: 18 trials stored for ana, 0 empty" in shown
    # 18 ones and 18 twos.
    assert "consistency: mean 1.50, n 36" in shown
    assert "brush" not in shown
    assert run(["sheets", "read", str(directory), "sheets/ana.xlsx"]) == 0
    assert "0 trials stored for ana, 18 known already" in capsys.readouterr().out
    with Store.open(directory / "study.db") as store:
        assert len(store.table("ratings")["item"]) == 72


def test_a_wrong_sheet_fails_and_a_right_one_beside_it_is_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("smallest", tmp_path / "study")
    out = tmp_path / "out"
    options = ["--raters", "2", "--format", "csv", "--out", str(out)]
    assert run(["sheets", "write", str(directory), *options]) == 0
    good = fill(out / "sheet-1.zip", lambda row: {"preference": "A"})
    wrong = fill(out / "sheet-2.zip", lambda row: {"preference": "C"})
    capsys.readouterr()
    assert run(["sheets", "read", str(directory), str(wrong), str(good)]) == 1
    shown = capsys.readouterr()
    assert f"{good}: 6 trials stored for sheet-1, 0 empty" in shown.out
    assert "preference: decided 6" in shown.out
    assert shown.err.count("column preference: cannot be 'C'; allowed are A, B, tie.") == 6
    assert f"{wrong}: nothing of this sheet was stored." in shown.err
    with Store.open(directory / "study.db") as store:
        assert {sent.submission.rater for sent in store.submissions()} == {"sheet-1"}


def test_a_pass_mark_gives_a_pass_rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = write_example("rate", tmp_path / "study")
    file = directory / "study.yaml"
    text = file.read_text("utf-8").replace("2: Flawless}", "2: Flawless}, pass: 1")
    file.write_text(text, "utf-8")
    assert run(["sheets", "write", str(directory), "--names", "ana", "--format", "csv"]) == 0
    rows = iter(range(18))
    filled = fill(
        directory / "sheets" / "ana.zip",
        # Every third row passes.
        lambda row: {"consistency": 1, "realism": 1 if next(rows) % 3 == 0 else 0.5},
    )
    capsys.readouterr()
    assert run(["sheets", "read", str(directory), str(filled)]) == 0
    # (6 · 1 + 12 · 0.5) / 18 = 0.67
    assert "realism: mean 0.67, n 18, pass rate 33.3%" in capsys.readouterr().out


def test_the_summary_is_of_the_main_trials(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("compare", tmp_path / "study")
    assert run(["sheets", "write", str(directory), "--names", "ana", "--format", "csv"]) == 0
    assert "8 trials for ana" in capsys.readouterr().out
    cells = {"preference": "A", "preference confidence": 2, "correctness A": 5, "correctness B": 1}
    filled = fill(directory / "sheets" / "ana.zip", lambda row: cells)
    assert run(["sheets", "read", str(directory), str(filled)]) == 0
    shown = capsys.readouterr().out
    # Two of the eight are gold.
    assert "preference: decided 6\n" in shown
    assert "correctness: mean 3.00, n 12\n" in shown


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["write", "{study}"], 2, "either how many sheets (--raters 3) or for whom"),
        (["write", "{study}", "--raters", "1", "--names", "ana"], 2, "either how many sheets"),
        (["write", "{study}", "--names", " , "], 2, "--names holds no name"),
        (["read", "{study}", "x.csv"], 1, "this study has no responses yet"),
        (["read", "{study}"], 2, "Name the filled-in sheets"),
        (["read", "x.csv"], 1, "there is no study.yaml here"),
    ],
)
def test_wrong_usage_is_a_sentence(
    arguments: list[str],
    code: int,
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    directory = write_example("smallest", tmp_path / "study")
    monkeypatch.chdir(tmp_path)
    filled_in = [argument.replace("{study}", str(directory)) for argument in arguments]
    assert run(["sheets", *filled_in]) == code
    assert sentence in capsys.readouterr().err
