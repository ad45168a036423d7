"""From tables to charts: which columns can be drawn, and how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jurybox.analysis.finding import Column, Table, format_rows
from jurybox.report.blocks import Block, Shown
from jurybox.report.charts import Distribution, DotChart, DotRow
from jurybox.report.panels import Panel, Scatter

__all__ = [
    "OF_MATRIX",
    "categories_of",
    "distribution_of",
    "dots_of",
    "drawn_above",
    "matrix_of",
    "reliability_of",
]

OF_MATRIX = "matrix"
"""The kind of table that has a system in every row and in every column."""
DRAWN = 40
"""Rows up to which a table is drawn as a whole."""
MOST_SYSTEMS = 12
"""Systems up to which a matrix is readable."""
MOST_CATEGORIES = 6
"""Categories of errors that have a column of their own."""


def _place(columns: tuple[Column, ...], name: str) -> int | None:
    return next((i for i, c in enumerate(columns) if c.name == name), None)


def _estimate(columns: tuple[Column, ...]) -> int | None:
    """Where the first number stands that has an interval to its right."""
    for index, column in enumerate(columns[:-1]):
        if column.kind in ("number", "percent", "points") and columns[index + 1].kind == "interval":
            return index
    return None


def drawn_above(table: Table, systems: tuple[str, ...]) -> list[Block]:
    """A table with its chart right above, which narrow together; alone where it is too long."""
    dots = dots_of(table, systems) if len(table.rows) <= DRAWN else None
    return [Shown(table=table)] if dots is None else [dots, Shown(table=table, drawn=True)]


def dots_of(table: Table, systems: tuple[str, ...]) -> DotChart | None:
    """Draw a table of systems, or of pairs of systems, that gives a number with its interval."""
    estimate = _estimate(table.columns)
    if estimate is None or all(row[estimate] is None for row in table.rows):
        return None
    if table.id.startswith("robustness/") and not any(row[estimate] for row in table.rows):
        # Nobody has given the worst value: lines from 0 to what chance allows tell nothing.
        return None
    places = _claimed_intervals(table.columns, estimate)
    column, interval = table.columns[estimate], table.columns[places[0]]
    system, other = (_place(table.columns, name) for name in ("system", "other"))
    # Of raters; "group" beside "system" is one of systems that were never compared with the others.
    group = _place(table.columns, "group") if system is None and other is None else None
    # A difference between two groups needs both names and a line at zero: it stays a table.
    if group is not None and column.name == "estimate":
        system = _place(table.columns, "of")
    if system is None:
        return None
    even = column.kind == "percent" and "win" in column.name
    reference = 0.5 if even else None
    labels = [str(row[system]) for row in table.rows]
    names = list(labels)
    groups: list[str] = []
    category, kind = (_place(table.columns, name) for name in ("category", "rater_kind"))
    if category is not None:
        labels = [f"{row[category]}: {row[system]}" for row in table.rows]
        groups = [str(row[category]) for row in table.rows]
    if kind is not None:
        labels = [f"{row[system]}, by {row[kind]}" for row in table.rows]
        groups = names
    if group is not None:
        labels = [f"{row[system]}, {row[group]}" for row in table.rows]
        groups = names
    if other is not None:
        # A share of a pair's votes, as of those that call both bad, is no difference.
        is_share = column.kind == "percent"
        sign = "against" if even else "and" if is_share else "−"
        labels = names = [f"{row[system]} {sign} {row[other]}" for row in table.rows]
        reference = 0.5 if even else None if is_share else 0.0
    colors = [systems.index(name) if name in systems else None for name in names]
    apart = [bool(groups) and groups[k] != groups[max(k - 1, 0)] for k in range(len(table.rows))]
    is_bounded = any(row[k] is not None for row in table.rows for k in places)
    return DotChart(
        title=table.title,
        axis=f"{column.heading}, {interval.heading}" if is_bounded else column.heading,
        rows=tuple(
            _row(
                _figures(table, (row[estimate], row[shown]), column),
                (cells[estimate], cells[shown]),
                label,
                color,
                is_apart,
            )
            for row, cells, label, color, is_apart in zip(
                table.rows, format_rows(table), labels, colors, apart, strict=True
            )
            for shown in [next((k for k in places if row[k] is not None), places[0])]
        ),
        as_percent=column.kind == "percent",
        reference=reference,
    )


def _claimed_intervals(columns: tuple[Column, ...], estimate: int) -> list[int]:
    """Where the interval stands that decides: that of the whole family, where a row has one."""
    behind = estimate + 2
    joint = behind < len(columns) and columns[behind].name == "simultaneous"
    return [behind] * joint + [estimate + 1]


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
    stated, right = (_place(table.columns, name) for name in ("stated", "right"))
    if table.id.split("/")[0] != "reliability" or stated is None or right is None:
        return None
    rows = [row for row in table.rows if row[right] is not None and row[stated] is not None]
    if not rows:
        return None
    return Scatter(
        title=table.title,
        axis=f"{table.columns[right].heading.lower()}; horizontal: stated probability",
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


def matrix_of(table: Table, best: Sequence[str] = ()) -> Table | None:
    """The win rates of a table of pairs, with a row and a column for each system.

    They stand in the order of ``best``, as in the other tables.
    """
    system, other, rate = (_place(table.columns, n) for n in ("system", "other", "win_rate"))
    if table.id.split("/")[0] != "pairs" or system is None or other is None or rate is None:
        return None
    found: dict[tuple[str, str], float] = {}
    for row in table.rows:
        if row[rate] is not None:
            found[row[system], row[other]] = row[rate]
            found[row[other], row[system]] = 1 - row[rate]
    names = list(dict.fromkeys(name for row in table.rows for name in (row[system], row[other])))
    if not 3 <= len(names) <= MOST_SYSTEMS:
        return None
    # The one that wins most on average stands first where no other table has an order.
    means = {a: [found[a, b] for b in names if (a, b) in found] for a in names}
    names.sort(key=lambda name: -sum(means[name]) / max(len(means[name]), 1))
    names.sort(key=lambda name: best.index(name) if name in best else len(best))
    return Table(
        id=f"{OF_MATRIX}/{table.id.partition('/')[2]}",
        title=f"How often the system of the row wins against that of the column: "
        f"{table.id.partition('/')[2]}",
        columns=(
            Column(name="system", heading="System"),
            *(Column(name=f"against_{name}", heading=name, kind="percent") for name in names),
        ),
        rows=tuple((a, *(found.get((a, b)) for b in names)) for a in names),
        caption="Two cells across the diagonal add up to 100%; the intervals are below.",
    )


def categories_of(table: Table) -> Table | None:
    """Where each system's error points come from: a row for each, a column for each category.

    Of ``accuracy/omission`` the category is ``accuracy``; the system with the fewest points stands
    first, and the category with the most.
    """
    system, category, points = (_place(table.columns, n) for n in ("system", "category", "points"))
    if table.id.split("/")[0] != "spans" or system is None or category is None or points is None:
        return None
    found: dict[str, dict[str, float]] = {}
    totals: dict[str, float] = {}
    for row in table.rows:
        errors = found.setdefault(row[system], {})
        kind = str(row[category]).partition("/")[0] or str(row[category])
        for each in (errors, totals):
            each[kind] = each.get(kind, 0.0) + (row[points] or 0.0)
    if len(totals) < 2:
        return None
    shown = sorted(totals, key=lambda kind: -totals[kind])[:MOST_CATEGORIES]
    rest = [Column(name="others", heading="Others", kind="number")] * (len(totals) > len(shown))
    about = table.id.partition("/")[2]
    return Table(
        id=f"span_categories/{about}",
        title=f"Error points per output by category: {about}",
        columns=(
            Column(name="system", heading="System"),
            *(Column(name=name, heading=name, kind="number") for name in shown),
            *rest,
            Column(name="all", heading="All", kind="number"),
        ),
        rows=tuple(
            (
                name,
                *(errors.get(kind, 0.0) for kind in shown),
                *(sum(n for kind, n in errors.items() if kind not in shown) for _ in rest),
                sum(errors.values()),
            )
            for name, errors in sorted(found.items(), key=lambda pair: sum(pair[1].values()))
        ),
        caption="What was marked, counted: the intervals of all points together stand above. A "
        "system without any mark has no row.",
    )


def _row(
    figures: tuple[Any, Any], cells: tuple[str, str], label: str, color: int | None, apart: bool
) -> DotRow:
    value, bounds = figures
    shown = "undefined" if value is None else cells[0]
    if value is not None and bounds is not None:
        shown += f" ({cells[1]})"
    low, high = bounds or (None, None)
    return DotRow(
        label=label, estimate=value, low=low, high=high, value=shown, color=color, apart=apart
    )


def distribution_of(table: Table) -> Distribution | None:
    """Draw a table that gives, per system, the share of each value (columns ``share_…``)."""
    system = _place(table.columns, "system")
    shares = [i for i, c in enumerate(table.columns) if c.name.startswith("share_")]
    if system is None or len(shares) < 2 or not table.rows:
        return None
    return Distribution(
        title=table.title,
        values=tuple(table.columns[i].heading for i in shares),
        rows=tuple((str(row[system]), tuple(row[i] for i in shares)) for row in table.rows),
    )
