"""``jurybox analyze`` of a small table starts without what it does not need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jurybox.cli import app, main

HEAVY = (
    "scipy.stats",
    "scipy.optimize",
    "sqlglot",
    "sqlalchemy",
    "pydantic",
    "pandas",
    "pyarrow",
    "statsmodels",
    "altair",
    "rich",
    "fastapi",
    "jinja2",
    "PIL",
    "typer",
    # Imported by a bare np.unique, and slower than all queries of a small table.
    "numpy.ma",
    # Statistics of other shapes.
    "jurybox.stats.strengths.plackett_luce",
    "jurybox.stats.detection.turing",
    "jurybox.stats.spans",
)
SYSTEMS = ("new", "old", "base")
CODE = """
import sys
from jurybox.cli.app import run
code = run(["analyze", sys.argv[1]])
sys.stderr.write(" ".join(name for name in sys.argv[2:] if name in sys.modules))
sys.exit(code)
"""


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    rows = [
        f"q{i // 10},{SYSTEMS[i % 3]},{SYSTEMS[(i + 1) % 3]},r{i % 10},{'aab'[i * 7 % 3]}"
        for i in range(200)
    ]
    path.write_text("item,system_a,system_b,rater,winner\n" + "\n".join(rows) + "\n")
    return path


def test_the_whole_process_imports_nothing_heavy(votes: Path) -> None:
    command = [sys.executable, "-c", CODE, str(votes), *HEAVY]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "new" in done.stdout


def test_the_help_imports_no_verb_s_own_rooms() -> None:
    listed = CODE.replace('["analyze", sys.argv[1]]', '["--help"]').replace("argv[2:]", "argv[1:]")
    rooms = ("numpy", "pydantic", "jurybox.design", "jurybox.store", "jurybox.study")
    command = [sys.executable, "-c", listed, *rooms]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "analyze" in done.stdout


def test_python_runs_it_by_its_name(votes: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "jurybox"]
    done = subprocess.run(
        [*command, "analyze", str(votes)], capture_output=True, text=True, check=True
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "jurybox.cli.app" in imported
    assert not imported & {*HEAVY}
    assert "new" in done.stdout
    wrong = subprocess.run([*command[:1], "-m", "jurybox", "chek"], capture_output=True, text=True)
    assert (wrong.returncode, wrong.stderr.split(";")[1].strip()) == (2, "did you mean 'check'?")


@pytest.mark.parametrize(("asked", "given"), [(None, "1"), ("3", "3")])
def test_matrices_have_one_thread_unless_somebody_asks_for_more(
    asked: str | None, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "run", lambda arguments: 0)
    # Set first, so that what it was comes back afterwards.
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", asked or "")
    if asked is None:
        del os.environ["OPENBLAS_NUM_THREADS"]
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0
    assert os.environ["OPENBLAS_NUM_THREADS"] == given
