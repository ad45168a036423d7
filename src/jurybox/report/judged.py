"""The section on judges: each beside people, as a chart, in sentences and in tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jurybox.analysis.finding import Analysis, Finding, Table, format_cells
from jurybox.report import words
from jurybox.report.blocks import Block, Heading, Points, Section, Shown
from jurybox.report.charts import DotChart, DotRow
from jurybox.report.criteria import criterion_of
from jurybox.report.methods import joined
from jurybox.report.pictures import drawn_above

__all__ = ["is_of_judges", "judge_section"]

BY_KIND = "by_rater_kind"
"""The kind of table that shows systems as people and as judges see them."""
BESIDE = "judges"
"""The kind of table that sets judges beside people; the first of a criterion is drawn."""
PEOPLE = 6
"""The gray of the palette: what judges are measured by stays behind them."""
PARTS = (
    ((), (BY_KIND,)),
    (("judge", "judge_strata", "judge_length"), (BESIDE, "judge_strata", "confusion")),
    (("alternative_annotator",), ("alternative_annotator",)),
    (("judge_bias",), ("judge_biases",)),
    (("combined",), ("combined",)),
)
"""The kinds of findings and of the tables that stand below them."""


def is_of_judges(table: Table) -> bool:
    """Whether the table is about judges."""
    return any(_kind(table.id) in tables for _, tables in PARTS)


def _kind(id: str) -> str:
    return id.partition("/")[0]


def judge_section(analysis: Analysis) -> Section | None:
    """How far each judge may be trusted, criterion by criterion; ``None`` without judges."""
    found = [finding for finding in analysis.findings if finding.standing == "judge"]
    if not found:
        return None
    tables = [table for table in analysis.tables if is_of_judges(table)]
    criteria = list(dict.fromkeys(finding.criterion or "" for finding in found))
    blocks: list[Block] = []
    for criterion in criteria:
        if len(criteria) > 1:
            blocks.append(Heading(text=criterion))
        own = [table for table in tables if criterion_of(table, analysis) == criterion]
        said = [finding for finding in found if (finding.criterion or "") == criterion]
        for findings, below in PARTS:
            shown = [table for table in own if _kind(table.id) in below]
            chart = judge_dots(shown[0], criterion) if shown else None
            blocks += [chart] if chart is not None else []
            sentences = _said([f for f in said if _kind(f.id) in findings])
            blocks += [Points(items=sentences)] if sentences else []
            for table in shown:
                is_drawn = _kind(table.id) == BY_KIND
                blocks += drawn_above(table, analysis.systems) if is_drawn else [Shown(table=table)]
    return Section(id="judges", title="Judges beside people", blocks=tuple(blocks))


def _said(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Every sentence; what is not known of several judges alike is said of them together."""
    said: list[str] = []
    judges: dict[str, list[str]] = {}
    for finding in findings:
        sentence, judge = words.with_reason(finding), getattr(finding.result, "judge", "")
        start = f"Not known of {judge} on "
        if sentence.startswith(start):
            judges.setdefault(sentence.removeprefix(start), []).append(judge)
        else:
            said.append(sentence)
    unknown = (f"Not known of {joined(names)} on {rest}" for rest, names in judges.items())
    return (*said, *unknown)


def judge_dots(table: Table, criterion: str) -> DotChart | None:
    """Every judge's agreement with a person, and two people's on the same units."""
    names = [column.name for column in table.columns]
    if _kind(table.id) != BESIDE:
        return None
    judge, own, ceiling = (names.index(name) for name in ("judge", "agreement", "ceiling"))
    against = names.index("against") if "against" in names else None
    rows = [row for row in table.rows if against is None or row[against] == "each person"]
    rows = [row for row in rows if row[own] is not None]
    if not rows:
        return None
    known = {row[ceiling] for row in rows}
    shared = next(iter(known)) if len(known) == 1 else None
    drawn: list[DotRow] = []
    if shared is not None:
        drawn.append(_dot(table, rows[0], ceiling, "two people", PEOPLE))
    for row in rows:
        drawn.append(_dot(table, row, own, str(row[judge])))
        if shared is None and row[ceiling] is not None:
            drawn.append(_dot(table, row, ceiling, "two people, same units", PEOPLE))
    column, interval = table.columns[own], table.columns[own + 1]
    return DotChart(
        title=f"Agreement of judges with a person, beside that of two people: {criterion}",
        axis=f"{_statistic(table)}, {interval.heading}",
        rows=tuple(drawn),
        as_percent=column.kind == "percent",
        reference=shared,
    )


def _statistic(table: Table) -> str:
    """The statistic, which ends the table's title."""
    name = table.title.rsplit(", ", 1)[-1]
    return name[:1].upper() + name[1:]


def _dot(
    table: Table, row: Sequence[Any], place: int, label: str, color: int | None = None
) -> DotRow:
    cells, bounds = format_cells(table, tuple(row)), row[place + 1]
    shown = cells[place] + (f" ({cells[place + 1]})" if bounds is not None else "")
    low, high = bounds or (None, None)
    return DotRow(label=label, estimate=row[place], low=low, high=high, value=shown, color=color)
