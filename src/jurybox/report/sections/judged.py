"""The section on judges: each beside people, as a chart, in sentences and in tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jurybox.analysis.finding import Analysis, Finding, Table, format_cells
from jurybox.report.blocks import Block, Heading, Points, Section, Shown
from jurybox.report.charts.pictures import WHOLE, colored, drawn_above
from jurybox.report.charts.values import DotChart, DotRow
from jurybox.report.said.criteria import criteria_of, criterion_of
from jurybox.report.said.together import said_together

__all__ = ["is_of_judges", "judge_section"]

BY_KIND = "by_rater_kind"
"""The kind of table that shows systems as people and as judges see them."""
PARTED = "judge_strata"
"""The kind of table that looks at parts of the units."""
OF_PARTS = ("judge_strata", "judge_length")
"""The kinds of findings on parts that stand out."""
BIASES = "judge_biases"
WHY = "undefined"
"""The column of a table of biases that says why there is no number."""
BESIDE = "judges"
"""The kind of table that sets judges beside people; the first of a criterion is drawn."""
PEOPLE = 6
"""The gray of the palette: what judges are measured by stays behind them."""
MANY = 3
"""Biases that are not shown, from which on they are one sentence."""
PARTS = (
    ((), (BY_KIND,)),
    (("judge", "judge_strata", "judge_length"), (BESIDE, "judge_strata", "confusion")),
    (("alternative_annotator",), ("alternative_annotator",)),
    (("judge_bias",), (BIASES,)),
    (("combined",), ("combined",)),
)
"""The kinds of findings and of the tables that stand below them."""


def is_of_judges(table: Table) -> bool:
    """Whether the table is about judges."""
    return any(table.kind in tables for _, tables in PARTS)


def judge_section(analysis: Analysis) -> Section | None:
    """How far each judge may be trusted, criterion by criterion; ``None`` without judges."""
    found = [finding for finding in analysis.findings if finding.standing == "judge"]
    if not found:
        return None
    tables = [table for table in analysis.tables if is_of_judges(table)]
    known = criteria_of(analysis)
    criteria = list(dict.fromkeys(finding.criterion or "" for finding in found))
    blocks: list[Block] = []
    for criterion in criteria:
        if len(criteria) > 1:
            blocks.append(Heading(text=criterion))
        own = [_with_numbers(table) for table in tables if criterion_of(table, known) == criterion]
        own = [table for table in own if table.rows]
        said = [finding for finding in found if (finding.criterion or "") == criterion]
        for findings, below in PARTS:
            shown = [table for table in own if table.kind in below]
            chart = judge_dots(shown[0], criterion) if shown else None
            blocks += [chart] if chart is not None else []
            sentences = _said([f for f in said if f.kind in findings])
            blocks += [Points(items=sentences)] if sentences else []
            for table in shown:
                if table.kind == BY_KIND:
                    blocks += drawn_above(table, colored(analysis), most=WHOLE)
                else:
                    # Where no part of the units stands out its rows are for who looks them up.
                    quiet = table.kind == PARTED and not any(f.kind in OF_PARTS for f in said)
                    blocks.append(Shown(table=table, folded=quiet))
    return Section(id="judges", title="Judges beside people", blocks=tuple(blocks))


def _with_numbers(table: Table) -> Table:
    """The table; of biases those that have a number, for a sentence says why others have none."""
    if table.kind != BIASES:
        return table
    numbers = [table.names.index(name) for name in ("estimate", "observed")]
    rows = [row for row in table.rows if any(row[k] is not None for k in numbers)]
    why = table.names.index(WHY)
    return replace(
        table,
        columns=(*table.columns[:why], *table.columns[why + 1 :]),
        rows=tuple((*row[:why], *row[why + 1 :]) for row in rows),
    )


def _said(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Every sentence; what is not known of several judges alike is said of them together.

    Many biases that are not shown are one sentence: the table has their numbers.
    """
    quiet = [f.id for f in findings if f.kind == "judge_bias" and not _is_clear(f)]
    n = sum(f.result.p is not None for f in findings if f.id in quiet)
    left = [f for f in findings if n < MANY or f.id not in quiet]
    said = [each.text for each in said_together(f for f in left if f.together is None)]
    if n >= MANY:
        more = "more " if n < sum(f.result.p is not None for f in findings) else ""
        said.append(
            f"{n} {more}biases were looked for, and none of them is told from chance; the table "
            "below has their intervals."
        )
    unknown = said_together(f for f in left if f.together is not None)
    return (*said, *(each.text for each in unknown))


def _is_clear(finding: Finding) -> bool:
    """Whether a bias is more than chance gives, or has no number."""
    return finding.result.estimate is None or finding.result.is_beyond_chance


def judge_dots(table: Table, criterion: str) -> DotChart | None:
    """Every judge's agreement with a person, and two people's on the same units."""
    names = table.names
    if table.kind != BESIDE:
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
        id=table.id,
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
