"""`jurybox plan --with-judge`: how many items people must still rate."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from jurybox.cli.app import run

NUMBERS = "--correlation .7 --sd 1 --judged 1000 --raters 20 --rater-sd .3".split()


@pytest.fixture
def pilot(tmp_path: Path) -> Path:
    """Scores of 300 outputs by two judges and of 60 of them by two of eight people each."""
    rng = np.random.default_rng(1)
    shift = rng.normal(0, 0.15, 8)
    path = tmp_path / "pilot.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["item", "system", "rater", "rater_kind", "score"])
        for item in range(300):
            good = rng.normal(3, 1)
            for judge, noise in (("j1", 0.6), ("j2", 2.0)):
                rows.writerow([item, "new", judge, "judge", round(good + rng.normal(0, noise), 2)])
            if item % 5 == 0:
                for who in rng.permutation(8)[:2]:
                    score = good + shift[who] + rng.normal(0, 0.7)
                    rows.writerow([item, "new", f"p{who}", "person", round(score, 2)])
    return path


def test_numbers_that_are_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "--with-judge", "--half-width", "0.2", *NUMBERS]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("124 items rated by people, of 1,000 rated by the judge, give a mean")
    assert "Without the judge it takes 216 items." in shown


def test_quality_from_responses(pilot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needed = {}
    for judge in ("j1", "j2"):
        line = f"plan --with-judge --half-width 0.25 --pilot {pilot} --judge {judge} --json"
        assert run(line.split()) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["rated"] == 60
        assert found["still_needed"] == max(0, found["found"]["n"] - 60)
        needed[judge] = found
    # The better judge spares people more.
    assert needed["j1"]["found"]["effect"] > needed["j2"]["found"]["effect"]
    assert needed["j1"]["found"]["n"] < needed["j2"]["found"]["n"]
    line = f"plan --with-judge --half-width 0.25 --pilot {pilot} --judge j1"
    assert run(line.split()) == 0
    shown = capsys.readouterr().out
    assert f"j1 on the mean of new, from {pilot}: correlation 0." in shown
    assert "People have rated 60 items: " in shown
    # Numbers that are given stand in for measured ones.
    line = f"plan --with-judge --half-width 0.25 --pilot {pilot} --judge j2 --correlation 0.9"
    assert run([*line.split(), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["found"]["effect"] == 0.9


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("--with-judge", 2, "--with-judge needs --half-width"),
        ("--half-width 0.1", 2, "--half-width belongs to the question --with-judge"),
        (
            "--with-judge --half-width 0.1",
            1,
            "needs to know how good the judge is: name a study with",
        ),
        ("--with-judge --half-width 0.1 --detect 0.1", 2, "--detect does not go with --with-judge"),
        (
            "--with-judge --half-width 0.1 --dry-run",
            2,
            "--dry-run belongs to planning who sees what",
        ),
        (
            "--with-judge --half-width 0.01 NUMBERS",
            2,
            "with-judge cannot reach a half-width of 0.01",
        ),
        ("--with-judge --half-width 0.4 --pilot PILOT", 1, "--judge: choose one of j1, j2"),
        (
            "--with-judge --half-width 0.4 --pilot PILOT --judge me",
            1,
            "--judge 'me': choose one of",
        ),
    ],
)
def test_sentences(
    line: str,
    code: int,
    said: str,
    pilot: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(pilot.parent)
    words = line.replace("PILOT", str(pilot)).replace("NUMBERS", " ".join(NUMBERS)).split()
    assert run(["plan", *words]) == code
    assert said in capsys.readouterr().err


def test_one_of_several_criteria(
    pilot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head, *rows = pilot.read_text().splitlines()
    both = [f"{row},{criterion}" for row in rows for criterion in ("quality", "style")]
    two = tmp_path / "two.csv"
    two.write_text("\n".join([f"{head},criterion", *both]) + "\n")
    line = f"plan --with-judge --half-width 0.25 --pilot {two} --judge j1".split()
    assert run(line) == 1
    said = "the table has several criteria (quality, style): choose one with --criterion"
    assert said in capsys.readouterr().err
    assert run([*line, "--criterion", "style"]) == 0
    assert "People have rated 60 items" in capsys.readouterr().out


def test_too_few_to_measure(
    pilot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head, *rows = pilot.read_text().splitlines()
    few = tmp_path / "few.csv"
    few.write_text("\n".join([head, *(row for row in rows if int(row.split(",")[0]) < 50)]) + "\n")
    line = f"plan --with-judge --half-width 0.4 --pilot {few} --judge j1"
    assert run(line.split()) == 1
    assert "How good j1 is cannot be measured: people rated 10 items" in capsys.readouterr().err


def test_rankings_and_marks_say_how_good_a_judge_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(2)
    ranked = ["item,system,rater,rater_kind,rank"]
    marked = ["item,system,rater,rater_kind,severity"]
    for item in range(60):
        better = rng.random() < 0.7
        errors = rng.integers(0, 5)
        raters = [*(f"p{k}" for k in range(6 if item < 40 else 0)), "j1"]
        for rater in raters:
            kind = "judge" if rater == "j1" else "person"
            first = better if rng.random() < 0.8 else not better
            ranked += [f"q{item},new,{rater},{kind},{1 if first else 2}"]
            ranked += [f"q{item},old,{rater},{kind},{2 if first else 1}"]
            found = rng.binomial(errors, 0.8)
            marked += [f"q{item},new,{rater},{kind},minor"] * found
            marked += [f"q{item},new,{rater},{kind},"] if not found else []
    for name, lines, about in (
        ("ranked", ranked, "win rate of new and old"),
        ("marked", marked, "mean of new"),
    ):
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
        line = f"plan --with-judge --half-width 0.5 --pilot {tmp_path / name}.csv"
        assert run(line.split()) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert f"j1 on the {about}" in said
        assert "with people over 40 items" in said
