"""Which Python makes the environment, and what is said when none can."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_venv.sh"


@pytest.fixture
def bin(tmp_path: Path) -> Path:
    """Give the only folder on the PATH; on it, we are not root."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command(folder / "id", "echo 1000")
    return folder


def command(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def make_venv(bin: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(bin)}
    return subprocess.run(
        ["/bin/sh", SCRIPT], cwd=bin.parent, env=environment, capture_output=True, text=True
    )


def test_the_newest_python_that_starts_is_taken(bin: Path) -> None:
    command(bin / "python3.13", "exit 127")  # a shim for a version that is not installed
    command(bin / "python3.12", 'test "$1" = -c || echo 3.12 "$@"')
    command(bin / "python3.11", 'test "$1" = -c || echo 3.11 "$@"')
    assert make_venv(bin).stdout == "3.12 -m venv --clear .venv\n"


def test_an_older_python_that_can_make_environments_is_preferred_to_one_that_cannot(
    bin: Path,
) -> None:
    command(bin / "python3.12", 'case "$2" in *ensurepip*) exit 1;; esac')
    command(bin / "python3.11", 'test "$1" = -c || echo 3.11 "$@"')
    assert make_venv(bin).stdout == "3.11 -m venv --clear .venv\n"


def test_an_environment_that_works_is_kept(bin: Path) -> None:
    own = bin.parent / ".venv" / "bin"
    own.mkdir(parents=True)
    command(own / "python", "exit 0")
    done = make_venv(bin)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_without_a_python_the_sentence_says_what_to_install(bin: Path) -> None:
    command(bin / "python3", "exit 1")  # too old
    done = make_venv(bin)
    assert done.returncode == 1
    assert done.stderr.startswith("jurybox needs Python 3.11 or later and found none: install")


def test_without_the_venv_module_the_sentence_names_its_package(bin: Path) -> None:
    fake = 'case "$2" in *ensurepip*) exit 1;; *print*) echo python3.11-venv;; esac'
    command(bin / "python3", fake)
    done = make_venv(bin)
    assert done.returncode == 1
    assert "sudo apt-get install python3.11-venv" in done.stderr
