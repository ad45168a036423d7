"""Exit code 2 for an option with a value that it takes with no data, of every command."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jurybox.cli.app import GROUPS, program, run

VOTES = Path(__file__).parents[2] / "examples" / "votes.csv"
WRONG = {"float": "nan", "int": "-1"}
"""What a number cannot be; every other option is given ``NONSENSE``."""
NONSENSE = "?;"
RIGHT = {
    "new": "new --template mos",
    "demo": "demo --no-serve",
    "check": "study",
    "plan": "study --detect 0.5",
    "preregister": "study",
    "simulate": "study",
    "guidelines": "study",
    "sample": "votes.csv --rate 0.5 --id item --output winner",
    "serve": "study",
    "sheets write": "study --raters 1",
    "sheets read": "study sheet.csv",
    "judge": "study",
    "metrics": "study",
    "analyze": "votes.csv",
    "report": "votes.csv",
    "gate": "votes.csv --win-rate aurora birch --above 0.5",
    "import": "study votes.csv",
    "export": "study",
    "backup": "study",
    "size win-rate": "--rate 0.6",
    "size proportions": "--first 0.5 --second 0.6",
    "size means": "--sd 1 --difference 0.3",
    "size mcnemar": "--gains 0.2 --losses 0.1",
    "size equivalence": "--sd 1 --margin 0.3",
    "size noninferiority": "--sd 1 --margin 0.3",
    "size agreement": "--alpha 0.6 --level ordinal --raters 3 --half-width 0.1",
    "size fooling": "--rate 0.4 --half-width 0.05",
    "size with-judge": "--correlation 0.7 --sd 1 --judged 900 --raters 5 --half-width 0.1",
}
"""Arguments that serve, to which one wrong option is added."""
COLUMNS = ("--raters", "--judges", "--scores", "--systems")
NAMES = {
    "sample": ("--id", "--drop", "--system", "--salt", "--output"),
    "sheets write": ("--group",),
    "serve": ("--host",),
    "judge": ("--only",),
    "plan": ("--criterion", "--judge"),
    "metrics": ("--reference", "--field"),
    "analyze": ("--baseline", "--by", "--category", "--criterion", "--metrics", *COLUMNS),
    "report": ("--baseline", "--by", "--category", "--criterion", "--metrics", *COLUMNS),
    "gate": ("--criterion", *COLUMNS),
}
"""Options that name what study, table or machine may have: only these know which are wrong."""


def _options(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    below = getattr(command, "commands", None)
    if below is None:
        taken = (each for each in command.params if each.param_type_name == "option")
        yield from ((name, each) for each in taken if not each.is_flag and each.name != "help")
        return
    for verb, each in below.items():
        yield from _options(each, f"{name} {verb}".strip())


def _cases() -> Iterator[tuple[str, str, str]]:
    for verb, option in _options(program([verb for group in GROUPS.values() for verb in group])):
        name, kind = option.opts[0], option.bare_type()
        if name != "--database" and "Path" not in kind and name not in NAMES.get(verb, ()):
            yield verb, name, WRONG.get(kind, NONSENSE)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("usage")
    assert run(["new", str(made / "study"), "--template", "mos"]) == 0
    shutil.copy(VOTES, made)
    return made


@pytest.mark.parametrize(("verb", "option", "wrong"), list(_cases()))
def test_a_value_that_no_data_could_make_right_is_wrong_usage(
    verb: str,
    option: str,
    wrong: str,
    place: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(place)
    arguments = RIGHT[verb].split()
    if option in arguments:
        at = arguments.index(option)
        del arguments[at : at + 2]
    assert run([*verb.split(), *arguments, option, wrong]) == 2
    said = capsys.readouterr()
    assert said.err
    assert "Traceback" not in said.err
    assert said.out == ""


def test_what_the_data_lack_is_no_wrong_usage(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    assert run(["analyze", "votes.csv", "--criterion", "fluency"]) == 1
    assert run(["analyze", "no.csv"]) == 1
    assert "there is no criterion 'fluency'" in capsys.readouterr().err


def test_a_report_in_no_known_format_is_refused_before_anything_is_read(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    assert run(["report", "no.csv", "--format", "html,doc"]) == 2
    assert "must be among html, md, json, csv, latex, pdf, svg, png, got doc" in (
        capsys.readouterr().err
    )
