"""``jurybox analyze``: short, true, and quick to start."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from jurybox.cli.app import run

VOTES = """item,system_a,system_b,rater,winner
q1,new,old,ada,a
q1,new,old,ben,a
q1,new,old,cai,tie
q2,new,old,ada,a
q2,new,old,ben,b
q2,new,old,cai,a
q3,new,old,ada,a
q3,new,old,ben,a
q3,new,old,cai,a
"""

HEAVY = (
    *(
        "scipy.stats",
        "scipy.optimize",
        "sqlglot",
        "sqlalchemy",
        "pydantic",
        "pandas",
        "statsmodels",
    ),
    *("altair", "fastapi", "jinja2", "jurybox.study", "jurybox.store"),
)


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    return path


def test_a_small_table_fits_a_screen(votes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyze", str(votes)]) == 0
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert len(lines) <= 20
    assert lines[0] == "votes.csv: 9 rows taken as votes (item, rater, system_a, system_b, winner)"
    # new: 7 wins and one tie of 9 votes.
    (new,) = [line for line in lines if line.startswith("new ")]
    assert new.split()[1] == "83.3%"
    flat = " ".join(printed.split())
    assert "new and old are not told apart: new wins 83.3% (95% interval" in flat
    assert "for these raters alone" in flat
    assert "3 raters: intervals are honest but wide" in flat


def test_the_example_of_the_readme_fits_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    example = Path(__file__).parents[2] / "examples" / "votes.csv"
    assert run(["analyze", str(example)]) == 0
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) < 24  # the rows of a terminal, with the next prompt
    assert max(len(line) for line in printed.splitlines()) <= 80
    assert "What cannot be said" in printed


def test_json_is_strict_and_versioned(votes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyze", str(votes), "--json", "--confidence", "0.9"]) == 0
    data = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(name))
    assert (data["kind"], data["version"], data["confidence"]) == ("Analysis", 1, 0.9)
    assert data["findings"][0]["result"]["interval"]["confidence"] == 0.9


def test_several_tables_and_a_glob(votes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = votes.with_name("votes-2.csv")
    more.write_text(VOTES.replace("q", "p"))
    assert run(["analyze", str(votes), str(more), "--json"]) == 0
    several = json.loads(capsys.readouterr().out)
    assert run(["analyze", str(votes.with_name("votes*.csv")), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_responses"] == several["n_responses"] == 18


def test_everything_prints_every_table(votes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyze", str(votes), "--all"]) == 0
    printed = capsys.readouterr().out
    for heading in ("Win rates", "Pairs", "Agreement among raters", "Raters"):
        assert heading in printed


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        (["{folder}/nothing.csv"], "there is no file"),
        (["{folder}"], "there is no study.yaml here"),
        (["{votes}", "--cluster", "people"], "--cluster must be both, rater, item or none"),
        (["{votes}", "--criterion", "speed"], "no criterion 'speed'; there are preference"),
        (["{votes}", "--confidence", "95"], "confidence must lie between 0 and 1"),
    ],
)
def test_mistakes_are_sentences(
    votes: Path, capsys: pytest.CaptureFixture[str], argument: list[str], said: str
) -> None:
    filled = [each.format(votes=votes, folder=votes.parent) for each in argument]
    assert run(["analyze", *filled]) == 1
    printed = capsys.readouterr()
    assert said in printed.err
    assert "Traceback" not in printed.err
    assert printed.out == ""


def test_names_are_no_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES.replace("new", "[red]new[/]"))
    assert run(["analyze", str(path)]) == 0
    assert "[red]new[/] and old are not told apart" in " ".join(capsys.readouterr().out.split())


def test_nothing_heavy_is_imported(votes: Path) -> None:
    # The verb itself: what the parser of command lines imports is another matter.
    code = (
        "import sys\n"
        "from jurybox.cli.analyze import analyze\n"
        f"analyze([{str(votes)!r}])\n"
        f"sys.stderr.write(' '.join(m for m in {HEAVY!r} if m in sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "new" in done.stdout
