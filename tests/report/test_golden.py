"""Two reports, whole: of a table of votes and of a study, in Markdown, LaTeX and JSON."""

from __future__ import annotations

import pytest

from tests.report.golden_reports import GOLDEN, made_in

NAMES = ("votes.md", "votes.json", "votes.tex", "study.md")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return made_in(tmp_path_factory.mktemp("golden"))


def test_every_report_that_is_kept_is_made(made: dict[str, str]) -> None:
    assert set(made) == set(NAMES) == {path.name for path in GOLDEN.iterdir()}


@pytest.mark.parametrize("name", NAMES)
def test_a_report_is_as_it_was(made: dict[str, str], name: str) -> None:
    kept = (GOLDEN / name).read_text(encoding="utf-8")
    anew = "a wanted change? python -m tests.report.golden_reports, and read what git diff shows"
    assert made[name] == kept, anew
