"""The built wheel works alone: in an empty environment, outside the repository.

One module, so that one worker builds and installs once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
Run = Callable[..., str]


def execute(*command: str | Path, cwd: Path) -> str:
    # Nothing of the environment that runs the tests may help the one under test.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL"))}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    if done.returncode:
        pytest.fail(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}", pytrace=False)
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel; the pinned hatchling of this environment does it."""
    folder = tmp_path_factory.mktemp("wheel")
    execute(
        *(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT),
        cwd=folder,
    )
    [wheel] = folder.glob("*.whl")
    return wheel


def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "src/jurybox"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    package = {line.removeprefix("src/") for line in listed.stdout.splitlines()}
    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == package


@pytest.fixture(scope="module")
def environment(wheel: Path) -> Path:
    """Give the ``bin`` folder of an environment that has the wheel and its dependencies only."""
    folder = wheel.parent
    venv.create(folder / "environment", with_pip=True)
    bin = folder / "environment" / "bin"
    execute(
        *(bin / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--constraint", ROOT / "constraints.txt", wheel),
        cwd=folder,
    )
    return bin


@pytest.fixture
def jurybox(environment: Path, tmp_path: Path) -> Run:
    """Run the installed command in an empty folder and give what it prints."""
    return lambda *arguments: execute(environment / "jurybox", *arguments, cwd=tmp_path)


@pytest.mark.full
def test_the_wheel_is_what_runs(environment: Path, tmp_path: Path) -> None:
    file = execute(
        environment / "python", "-c", "import jurybox; print(jurybox.__file__)", cwd=tmp_path
    )
    assert Path(file).is_relative_to(environment.parent)


@pytest.mark.full
def test_the_demo_reports(jurybox: Run, tmp_path: Path) -> None:
    assert jurybox("demo", "--no-serve")
    assert list(tmp_path.rglob("*.html"))


# One process for all: to start as many as there are templates takes a minute.
COMMANDS = """
import sys
from jurybox.cli.app import run
sys.exit(any(run(line.split()) for line in sys.argv[1:]))
"""


@pytest.mark.full
def test_every_template_makes_a_study_that_passes_check(
    environment: Path, jurybox: Run, tmp_path: Path
) -> None:
    names = [template["name"] for template in json.loads(jurybox("new", "--list", "--json"))]
    assert names
    lines = [line for name in names for line in (f"new {name} --template {name}", f"check {name}")]
    printed = execute(environment / "python", "-c", COMMANDS, *lines, cwd=tmp_path)
    assert printed.count("OK: ") == len(names)
