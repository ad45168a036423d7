"""House rules that no other tool checks."""

from __future__ import annotations

import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
DOCUMENTS = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md"]

# A clone works wherever it lies and whatever registry it is given. In two halves each, because this
# file is searched too.
FOREIGN = re.compile("|".join([
    r"pypi\." "org", r"pythonhosted\." "org", r"npmjs\." "org",
    r"(?<![\w.])/" "root/", r"(?<![\w.])/" "work/",
]))  # fmt: skip


def run(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


@cache
def makefile() -> str:
    return (ROOT / "Makefile").read_text()


def test_no_file_names_a_registry_or_a_folder_of_one_machine() -> None:
    found = []
    # All that git does not ignore, so that a file is looked at before it is committed;
    # "safe.directory" because a build server may run under another account than the clone's.
    files = run(*"git -c safe.directory=* ls-files -z -co --exclude-standard".split())
    for name in files.split("\0"):
        path = ROOT / name
        if not path.is_file():
            continue
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            if match := FOREIGN.search(line.decode("utf-8", "replace")):
                found.append(f"{name}:{number}: {match[0]}")
    assert not found


def test_no_test_waits_for_some_time_in_a_browser() -> None:
    """Whatever the time, some machine is slower; `wait_until` alone looks now and then."""
    waits = re.compile(r"\.wait_for_" r"timeout\(")
    found = [path for path in (ROOT / "tests").rglob("*.py") if waits.search(path.read_text())]
    assert [path.relative_to(ROOT).as_posix() for path in found] == ["tests/web/walking.py"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_documents_are_there(name: str) -> None:
    assert (ROOT / name).read_text().strip()


def test_every_dependency_is_pinned_to_a_version_it_allows() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    pins = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if not line.startswith("#"):
            assert re.fullmatch(r"[\w.-]+==[\w.]+", line)
            package, version = line.split("==")
            pins[canonicalize_name(package)] = version
    extras = project["project"]["optional-dependencies"].values()
    for text in [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(text for extra in extras for text in extra),
    ]:
        requirement = Requirement(text)
        if requirement.name != project["project"]["name"]:
            name = canonicalize_name(requirement.name)
            assert name in pins, f"{text} is not in constraints.txt: run 'make constraints'"
            assert requirement.specifier.contains(pins[name]), f"{text} forbids {pins[name]}"


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name.endswith(".md")])
def test_every_verb_that_a_document_names_exists(name: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", makefile(), re.MULTILINE))
    code = re.findall(r"`[^`]+`|```.+?```|^    .+$", (ROOT / name).read_text(), re.M | re.S)
    named = set(re.findall(r"\bmake ([a-z][a-z-]*)", "\n".join(code)))
    assert named <= targets


def test_help_lists_every_verb() -> None:
    listed = set(re.findall(r"^make ([a-z-]+)", run("make", "help"), re.MULTILINE))
    assert listed == {
        *("help", "setup", "demo", "serve", "test", "test-full", "check"),
        *("bench", "coverage", "docs", "screenshots", "catalogues", "constraints"),
    }


def test_pre_commit_runs_the_commands_of_make_check() -> None:
    hooks = re.findall(r"entry: (.+)", (ROOT / ".pre-commit-config.yaml").read_text())
    recipe = re.search(r"^check:.*\n((?:\t.+\n)+)", makefile(), re.MULTILINE)
    assert recipe is not None
    assert [f"\t{hook}".replace(".venv/bin", "$(BIN)") for hook in hooks] == recipe[1].splitlines()
