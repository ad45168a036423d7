"""The reports that are kept whole: what somebody gets who types the command.

``python -m tests.report.golden_reports`` writes them anew; ``git diff`` then shows what readers
will see otherwise, line by line.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jurybox.cli.app import run

GOLDEN = Path(__file__).parent / "golden"
ROOT = Path(__file__).parents[2]
DIGITS = 6
"""So many of a number are compared; the last ones are the machine's."""
VERSION = re.compile(
    r"^(\| |- )(Python|jurybox|numpy|scipy|duckdb)( \| |: ).*?( \|)?$", re.MULTILINE
)
"""A line that says which version of what it was made with, in a table or in a list."""


def votes(folder: Path) -> Iterator[tuple[str, str]]:
    """The table that the README analyzes, in every format that is text."""
    shutil.copy(ROOT / "examples" / "votes.csv", folder)
    _typed("report", folder / "votes.csv", "--format", "md,json,latex")
    made = folder / "votes-report"
    yield "votes.md", _read(made / "report.md")
    found = json.loads(_read(made / "findings.json"))
    del found["made_with"]
    yield "votes.json", json.dumps(_rounded(found), ensure_ascii=False, indent=1) + "\n"
    latex = made / "latex"
    yield (
        "votes.tex",
        "".join(
            f"% {path.relative_to(latex).as_posix()}\n{_read(path)}\n"
            for path in sorted(latex.rglob("*.tex"))
        ),
    )


def study(folder: Path) -> Iterator[tuple[str, str]]:
    """A study on simulated raters: what was asked and planned, and the datasheet, too."""
    place = folder / "study"
    _typed("new", place, "--template", "text-coherence")
    _typed("simulate", place, "--out", folder / "rehearsal", "--seed", "7")
    _typed("report", place, "--database", folder / "rehearsal" / "study.db", "--format", "md")
    yield "study.md", _read(place / "report" / "report.md")


def made_in(folder: Path) -> dict[str, str]:
    """Every report that is kept, by the name of its file."""
    return {name: text for make in (votes, study) for name, text in make(folder)}


def _read(path: Path) -> str:
    """A report's text without the versions of the packages that made it."""
    return VERSION.sub(r"\1\2\3…\4", path.read_text(encoding="utf-8"))


def _typed(*words: object) -> None:
    code = run([str(word) for word in words])
    if code:
        raise SystemExit(code)


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        for name, text in made_in(Path(place)).items():
            (GOLDEN / name).write_text(text, encoding="utf-8", newline="")
            sys.stdout.write(f"{GOLDEN / name}\n")
