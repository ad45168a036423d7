"""``jurybox gate`` through the real command line: every exit code, and every wrong usage."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from jurybox.cli.app import run
from jurybox.cli.conditions import TAKES
from jurybox.study import Study
from tests.cli.test_startup import HEAVY

HEAD = "item,system_a,system_b,rater,winner\n"


def write_votes(path: Path, *, wins: int = 3, new: str = "new", raters: int = 10) -> Path:
    """`new` wins `wins` of 4 votes, in turn."""
    rows = [
        f"i{i},{new},old,r{r},{'a' if (7 * i + 3 * r) % 4 < wins else 'b'}"
        for i in range(20)
        for r in range(raters)
    ]
    path.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    return write_votes(tmp_path / "votes.csv")


def gate(*words: object) -> int:
    return run(["gate", *map(str, words)])


@pytest.mark.parametrize("parsed", [(), ("--json",), ("--confidence", "0.95")], ids=str)
@pytest.mark.parametrize(("wins", "code"), [(3, 0), (1, 1), (2, 3)])
def test_the_verdict_stands_also_where_nobody_reads_it_to_the_end(
    tmp_path: Path, wins: int, code: int, parsed: tuple[str, ...]
) -> None:
    votes = write_votes(tmp_path / "votes.csv", wins=wins)
    program = "import sys; from jurybox.cli.app import run; sys.exit(run(sys.argv[1:]))"
    asked = ["gate", str(votes), "--win-rate", "new", "old", "--above", "0.5", *parsed]
    ran = subprocess.Popen(
        [sys.executable, "-c", program, *asked], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert ran.stdout is not None
    ran.stdout.close()  # as `| grep -q` does, before anything is printed
    assert ran.stderr is not None
    with ran.stderr as said:
        assert said.read() == b""
    assert ran.wait() == code


def test_exit_codes_say_shown_false_and_undecided(
    votes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate(votes, "--win-rate", "new", "old", "--above", "0.5") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("• Shown: the win rate of new against old is above 50.0% (75.0%; at")
    assert said.endswith("with 95% confidence, one-sided; 200 votes, 10 raters, 20 items).")
    assert gate(votes, "--win-rate", "old", "new", "--above", "0.5") == 1
    assert "Shown false: the win rate of old against new is not" in capsys.readouterr().out
    even = write_votes(tmp_path / "even.csv", wins=2)
    assert gate(even, "--win-rate", "new", "old", "--above", "0.5") == 3
    assert "Undecided: whether the win rate of new against old" in capsys.readouterr().out


def test_the_process_ends_with_the_code_and_imports_nothing_heavy(votes: Path) -> None:
    code = (
        "import sys\n"
        "from jurybox.cli.app import run\n"
        f"code = run(['gate', {str(votes)!r}, '--win-rate', 'old', 'new', '--above', '0.5'])\n"
        f"sys.stderr.write(' '.join(name for name in {HEAVY!r} if name in sys.modules))\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")


def test_no_error_says_shown_false(
    votes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_text(HEAD)
    win = ("--win-rate", "new", "old")
    for words, message in (
        ((votes, *win), "must be followed by its threshold"),
        ((votes, *win, "--json", "--above", "0.5"), "must be followed by its threshold"),
        ((votes, *win, "--above"), "--above takes a number, and nothing follows it"),
        ((votes, *win, "--above", "half"), "--above takes a number; got 'half'"),
        ((votes, *win, "--above", "nan"), "--above takes a finite number"),
        ((votes, *win, "--above", "1e999"), "--above takes a finite number"),
        ((votes, *win, "--above", "50"), "a number between 0 and 1"),
        ((votes, "--above", "0.5", *win), "says something of the condition before it"),
        ((votes, "--win-rate", "new", "--above", "0.5"), "--win-rate takes SYSTEM OTHER"),
        ((votes, "--win-rate", "new", "nix", "--above", "0.5"), "there are new, old"),
        ((votes, "--mean", "new", "truth", "--above", "3"), "errors, and there are votes"),
        ((votes,), "a gate needs a condition"),
        ((tmp_path / "none.csv", *win, "--above", "0.5"), "none.csv"),
        ((empty, *win, "--above", "0.5"), "has no rows"),
        ((votes, *win, "--above", "0.5", "--cluster", "both ways"), "--cluster must be"),
        ((votes, *win, "--above", "0.5", "--generalize", "all"), "--generalize must be"),
        ((votes, *win, "--above", "0.5", "--confidence", "0.3"), "above 0.5"),
        ((votes, *win, "--above", "0.5", "--nix"), "--nix"),
    ):
        assert gate(*words) == 2, words
        shown = capsys.readouterr()
        assert message in shown.err, words
        assert "Traceback" not in shown.err
        assert not shown.out


def test_several_conditions_keep_their_order_and_their_thresholds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ratings.csv"
    rows = [
        f"i{i},{s},r{r},{c},{3 + (s == 'new') + ((i + 2 * r) % 3 == 0)}"
        for i in range(20)
        for r in range(10)
        for s in ("new", "old")
        for c in ("truth", "style")
    ]
    path.write_text("item,system,rater,criterion,score\n" + "\n".join(rows) + "\n")
    words = [
        *("--difference", "new", "old", "style", "--above", "0.5"),
        *("--mean", "new", "truth", "--above=4"),
        *("--mean", "old", "truth", "--below", "4", "--json"),
        *("--difference", "new", "old", "truth", "--non-inferior", "0.2"),
    ]
    # The difference is 1 within every item and by every rater: it has no interval.
    assert gate(path, *words) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["exit_code"] == 3
    assert found["confidence_each"] == pytest.approx(1 - 0.05 / 4)
    judged = found["conditions"]
    assert [(c["condition"], c["side"], c["threshold"], c["verdict"]) for c in judged] == [
        ("difference", "above", 0.5, "undefined"),
        ("mean", "above", 4, "shown"),
        ("mean", "below", 4, "shown"),
        ("difference", "non-inferior", 0.2, "undefined"),
    ]


def test_reading_options_are_those_of_analyze(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "forms.csv"
    rows = [
        f"q{i},x,y,p{r},{'left' if (i + r) % 4 else 'right'}" for i in range(20) for r in range(9)
    ]
    path.write_text("q,l,r,who,choice\n" + "\n".join(rows) + "\n")
    options = ["--map", "item=q", "--map", "system_a=l", "--map", "system_b=r", "--map"]
    options += ["rater=who", "--map", "winner=choice", "--values", "winner:left=a,right=b"]
    assert gate(path, "--win-rate", "x", "y", "--above", "0.5", *options) == 0
    assert "180 votes, 9 raters, 20 items" in " ".join(capsys.readouterr().out.split())


def test_a_study_is_judged_by_its_store_and_open_before_it_has_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = [f"i{k},{s},text {k}" for k in range(20) for s in ("new", "old")]
    (tmp_path / "outputs.csv").write_text("\n".join(["item,system,answer", *outputs]) + "\n")
    Study(
        title="Which",
        protocol="compare",
        outputs="outputs.csv",
        show={"answer": "text"},
        design={"overlap": 10},
    ).save(tmp_path)
    asked = ("--win-rate", "new", "old", "--above", "0.5")
    assert gate(tmp_path, *asked) == 3
    assert "no responses yet" in capsys.readouterr().err
    assert run(["plan", str(tmp_path)]) == 0
    assert gate(tmp_path, *asked) == 3
    assert "no answered trials yet" in capsys.readouterr().err
    write_votes(tmp_path / "votes.csv")
    assert run(["import", str(tmp_path), str(tmp_path / "votes.csv")]) == 0
    capsys.readouterr()
    assert gate(tmp_path / "study.yaml", *asked) == 0
    assert "200 votes" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "name", ['\x1b[31m"red"', "new'; DROP TABLE answered", "[1] — 模型", "a|b", "--json", "{r}"]
)
def test_hostile_names_are_names(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    path = write_votes(tmp_path / "votes.csv", new=quoted)
    assert gate(path, "--win-rate", name, "old", "--above", "0.5") == 0
    assert "\x1b" not in capsys.readouterr().out
    assert gate(path, "--json", "--win-rate", name, "old", "--above", "0.5") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["conditions"][0]["verdict"] == "shown"


def test_help_shows_every_condition_and_threshold(capsys: pytest.CaptureFixture[str]) -> None:
    assert gate("--help") == 0
    shown = capsys.readouterr().out
    for option in (*TAKES, "--above", "--below", "--non-inferior"):
        assert option in shown
    assert "1 one shown false" in " ".join(shown.split())
