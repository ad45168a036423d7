"""From tables to charts: which columns can be drawn, and how."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from jurybox.analysis.detection_tables import FOOLING
from jurybox.analysis.finding import Analysis, Column, Table, format_rows
from jurybox.report.blocks import Block, Shown
from jurybox.report.charts.values import Distribution, DotChart, DotRow, Panel, Scatter

__all__ = [
    "WHOLE",
    "answer_dots",
    "colored",
    "distribution_of",
    "dots_of",
    "drawn_above",
    "reliability_of",
]

WHOLE = 40
"""Rows up to which a table is drawn whose chart would say little if it were cut."""


def _estimate(table: Table) -> int | None:
    """Where the first number stands that has an interval to its right."""
    for index, (column, right) in enumerate(pairwise(table.columns)):
        if column.kind in ("number", "percent", "points") and right.kind == "interval":
            return index
    return None


def colored(analysis: Analysis) -> tuple[str, ...]:
    """The systems that have a color, in its order: real outputs are the ink of the page.

    One table has a row of all real outputs together, another a row of each of their origins; ink
    is what both of them are drawn with.
    """
    fooling = analysis.table(FOOLING)
    if fooling is None:
        return analysis.systems
    generated = {row[0] for row in fooling.rows}
    return tuple(system for system in analysis.systems if system in generated)


def drawn_above(table: Table, systems: tuple[str, ...], *, most: int | None = None) -> list[Block]:
    """A table with its chart right above; alone where it cannot be drawn, or has too many rows."""
    dots = dots_of(table, systems) if most is None or len(table.rows) <= most else None
    return [Shown(table=table)] if dots is None else [dots, Shown(table=table, drawn=True)]


def dots_of(table: Table, systems: tuple[str, ...]) -> DotChart | None:
    """Draw a table of systems, or of pairs of systems, that gives a number with its interval."""
    estimate = _estimate(table)
    if estimate is None or all(row[estimate] is None for row in table.rows):
        return None
    if table.kind == "robustness" and not any(row[estimate] for row in table.rows):
        # Nobody has given the worst value: lines from 0 to what chance allows tell nothing.
        return None
    column = table.columns[estimate]
    lines = _lines(table, column)
    if lines is None:
        return None
    claimed, bounds = _claimed(table, estimate)
    return DotChart(
        title=table.title,
        axis=f"{column.heading}, {bounds}" if bounds else column.heading,
        rows=tuple(
            _row(
                _figures(table, (row[estimate], row[interval]), column),
                (cells[estimate], cells[interval]),
                line,
                systems,
            )
            for row, cells, line, interval in zip(
                table.rows, format_rows(table), lines, claimed, strict=True
            )
        ),
        as_percent=column.kind == "percent",
        reference=_reference(table, column),
    )


def answer_dots(lead: Table, analysis: Analysis) -> DotChart | None:
    """The chart of the answer: the systems, and first the two that it is about.

    How often one of them comes out above the other cannot be seen from what each does against all.
    """
    systems = colored(analysis)
    made, headline = dots_of(lead, systems), analysis.headline
    pairs = analysis.table(f"pairs/{lead.about}")
    if made is None or headline is None or pairs is None or len(lead.rows) < 3:
        return made
    asked = [row for row in pairs.rows if set(row[:2]) == set(headline.systems)]
    first = dots_of(replace(pairs, rows=tuple(asked)), systems) if asked else None
    if first is None:
        return made
    what, _, bounds = made.axis.partition(", ")
    of_pair, _, own = first.axis.partition(", ")
    unlike = [of_pair.lower()] * (of_pair != what) + ["simultaneous"] * (own not in ("", bounds))
    return replace(
        made,
        axis=made.axis + (f" (pair: {', '.join(unlike)})" if unlike else ""),
        rows=(*first.rows, replace(made.rows[0], apart=True), *made.rows[1:]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """What a line of a chart is called, whose color it has, and whether it begins a group."""

    label: str
    of: str
    apart: bool


def _lines(table: Table, column: Column) -> list[_Line] | None:
    """The line of every row; ``None`` where the rows are of no systems."""
    system, other, category, kind = map(table.place, ("system", "other", "category", "rater_kind"))
    # A group of raters, unless "system" stands beside it: that is one of systems, which were never
    # compared with the others.
    group = table.place("group") if system is None and other is None else None
    # A difference between two groups needs both names and a line at zero: it stays a table.
    if group is not None and column.name == "estimate":
        system = table.place("of")
    if system is None:
        return None
    names = labels = groups = [str(row[system]) for row in table.rows]
    if group is not None:
        labels = [f"{row[system]}, {row[group]}" for row in table.rows]
    elif kind is not None:
        labels = [f"{row[system]}, by {row[kind]}" for row in table.rows]
    elif category is not None:
        labels = [f"{row[category]}: {row[system]}" for row in table.rows]
        groups = [str(row[category]) for row in table.rows]
    else:
        groups = [""] * len(names)
    if other is not None:
        sign = "against" if _is_even(column) else "and" if column.kind == "percent" else "−"
        sign = "over" if column.name == "grade" else sign
        labels = names = [f"{row[system]} {sign} {row[other]}" for row in table.rows]
    return [
        _Line(label=label, of=name, apart=before != now)
        for label, name, (before, now) in zip(
            labels, names, pairwise([*groups[:1], *groups]), strict=True
        )
    ]


def _is_even(column: Column) -> bool:
    """Whether it holds win rates, of which one half is no difference."""
    return column.kind == "percent" and "win" in column.name


def _reference(table: Table, column: Column) -> float | None:
    """Where there is no difference: a share of a pair's votes, as of both bad ones, is none."""
    if _is_even(column):
        return 0.5
    return None if table.place("other") is None or column.kind == "percent" else 0.0


def _claimed(table: Table, estimate: int) -> tuple[list[int], str]:
    """The place of the interval that decides, row by row, and the heading of these intervals.

    Where a row has an interval that holds for its whole family, that one decides.
    """
    behind = estimate + 2
    joint = behind < len(table.columns) and table.columns[behind].name == "simultaneous"
    places = [behind] * joint + [estimate + 1]
    found = [next((k for k in places if row[k] is not None), None) for row in table.rows]
    claimed = [places[0] if k is None else k for k in found]
    known = {k for k in found if k is not None}
    if not known:
        return claimed, ""
    if len(known) > 1:
        # It is tested alone.
        return (
            claimed,
            f"{table.columns[places[1]].heading} (simultaneous but for the primary pair)",
        )
    return claimed, table.columns[known.pop()].heading


def _figures(table: Table, figures: tuple[Any, Any], column: Column) -> tuple[Any, Any]:
    """An estimate and its interval in the unit of the axis, within the limits of the table."""
    value, bounds = figures
    if column.kind == "points":
        value = None if value is None else 100 * value
        bounds = None if bounds is None else (100 * bounds[0], 100 * bounds[1])
    if table.limits is not None and bounds is not None:
        low, high = table.limits
        bounds = (max(bounds[0], low), min(bounds[1], high))
    return value, bounds


def reliability_of(table: Table) -> Scatter | None:
    """Draw a table of stated confidence beside the share that was right, in a square."""
    stated, right = map(table.place, ("stated", "right"))
    if table.kind != "reliability" or stated is None or right is None:
        return None
    rows = [row for row in table.rows if row[right] is not None and row[stated] is not None]
    if not rows:
        return None
    return Scatter(
        title=table.title,
        axis=f"{table.columns[right].heading.lower()}, {table.columns[right + 1].heading}; "
        "horizontal: stated probability",
        systems=(),
        panels=(
            Panel(
                title="",
                said="On the diagonal raters are right as often as they say.",
                points=tuple((row[stated], row[right], None) for row in rows),
                bars=tuple(row[right + 1] for row in rows),
            ),
        ),
        square=True,
    )


def _row(
    figures: tuple[Any, Any], cells: tuple[str, str], line: _Line, systems: tuple[str, ...]
) -> DotRow:
    value, bounds = figures
    shown = "undefined" if value is None else cells[0]
    if value is not None and bounds is not None:
        shown += f" ({cells[1]})"
    low, high = bounds or (None, None)
    return DotRow(
        label=line.label,
        estimate=value,
        low=low,
        high=high,
        value=shown,
        color=systems.index(line.of) if line.of in systems else None,
        apart=line.apart,
    )


def distribution_of(table: Table) -> Distribution | None:
    """Draw a table that gives, per system, the share of each value (columns ``share_…``)."""
    system = next((k for k in map(table.place, ("system", "pair")) if k is not None), None)
    shares = [i for i, c in enumerate(table.columns) if c.name.startswith("share_")]
    if system is None or len(shares) < 2 or not table.rows:
        return None
    return Distribution(
        title=table.title,
        values=tuple(table.columns[i].heading for i in shares),
        rows=tuple((str(row[system]), tuple(row[i] for i in shares)) for row in table.rows),
    )
