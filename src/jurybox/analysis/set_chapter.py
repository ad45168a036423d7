"""The set beside the results: what its checks found, as findings, and all of them as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jurybox.analysis.finding import Analysis, Chapter, Column, Finding, Table
from jurybox.design.set_checks import SetCheck
from jurybox.results import Result

__all__ = ["add_set", "set_chapter"]

NO_INTERVAL = "the figure describes this set and estimates nothing beyond it"


def add_set(analysis: Analysis, checks: Sequence[SetCheck]) -> Analysis:
    """The analysis with what was found of the study's set."""
    chapter = set_chapter(checks)
    return replace(
        analysis,
        findings=(*analysis.findings, *chapter.findings),
        tables=(*analysis.tables, *chapter.tables),
    )


def set_chapter(checks: Sequence[SetCheck]) -> Chapter:
    """A finding for each check that warns, and a table of every check."""
    return Chapter(
        findings=tuple(_finding(check) for check in checks if check.warns), tables=(_table(checks),)
    )


def _finding(check: SetCheck) -> Finding:
    return Finding(
        id=f"set/{check.id}",
        sentence=f"{check.sentence} {check.bias}",
        result=Result(
            estimate=check.figure, p=check.p, n_items=check.n_items, undefined=NO_INTERVAL
        ),
        standing="set",
        systems=check.systems,
    )


def _table(checks: Sequence[SetCheck]) -> Table:
    return Table(
        id="set",
        title="What was checked",
        columns=(
            Column(name="check", heading="Check"),
            Column(name="verdict", heading="Verdict"),
            Column(name="found", heading="Found"),
        ),
        rows=tuple(
            (check.about, _verdict(check), check.undefined or check.shown) for check in checks
        ),
    )


def _verdict(check: SetCheck) -> str:
    if check.figure is None:
        return "not checked"
    return "warning" if check.warns else "fine"
