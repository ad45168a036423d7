"""The tables of a Turing test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jurybox.analysis.claims import with_claims
from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.differences import p_heading
from jurybox.analysis.finding import Column, Table
from jurybox.analysis.measure.turn import mirror
from jurybox.analysis.sentences import claimed_p
from jurybox.results import Result
from jurybox.stats.detection.turing import OriginShare, TuringTest

__all__ = ["ALL_REAL", "FOOLING", "detection_tables"]

FOOLING = "fooling"
"""The id of the table with every generated system, and all real outputs in one row."""
REAL = "real outputs"
ALL_REAL = "all real"
"""How the row of real outputs is called where answers are counted."""


def detection_tables(context: Context, test: TuringTest) -> list[Table]:
    """Rates, answers, d′ per system where there are several, and raters."""
    tables = [*([_fooling(context, test)] if test.rows else []), _answers(test)]
    if len(test.rows) > 1 and test.false_rejection is not None:
        tables.append(_systems(context, test))
    if test.raters:
        tables.append(_raters(test))
    return tables


def _fooling(context: Context, test: TuringTest) -> Table:
    gaps = {gap.system: gap for gap in test.differences}
    joint = any(gap.simultaneous is not None for gap in test.differences)
    # A fooling rate says something only beside what real outputs reach.
    shares = [*test.rows, *([] if test.false_rejection is None else [_real(test.false_rejection)])]
    rows = []
    for row in shares:
        gap = gaps.get(row.name)
        rows.append(
            (
                row.name,
                row.estimate,
                bounds(row.interval),
                None if gap is None else gap.estimate,
                None if gap is None else bounds(gap.claimed),
                None if gap is None else claimed_p(gap)[0],
                row.n_responses,
            )
        )
    caption = "Of generated outputs this share is the fooling rate."
    if test.differences:
        caption += " The difference is zero if raters cannot tell."
    by = next((gap.adjusted_by for gap in test.differences if gap.adjusted_by), None)
    if by is not None:
        caption += f" Its p{' and interval' if joint else ''}: {by}."
    made = Table(
        id=FOOLING,
        title="Taken for real",
        columns=(
            Column(name="system", heading="System"),
            Column(name="fooling_rate", heading="Taken for real", kind="percent"),
            interval_column(context),
            Column(name="difference", heading="Minus real, points", kind="points"),
            interval_column(context, "difference_interval", joint=joint),
            Column(name="p", heading=p_heading(test.differences), kind="p"),
            Column(name="answers", heading="Answers", kind="count"),
        ),
        rows=tuple(rows),
        caption=caption,
    )
    of: dict[str, Sequence[Result | None]] = {"interval": shares}
    if not joint:
        # An interval that holds for the whole family is not computed for these raters.
        of["difference_interval"] = [gaps.get(row.name) for row in shares]
    return with_claims(made, of)


def _real(rejected: OriginShare) -> OriginShare:
    """The share of real outputs taken for real, from the share that was not."""
    return replace(
        rejected,
        system=REAL,
        estimate=None if rejected.estimate is None else 1 - rejected.estimate,
        interval=mirror(rejected.interval, 0.5),
        these_raters=mirror(rejected.these_raters, 0.5),
    )


def _answers(test: TuringTest) -> Table:
    """How often each kind of output was called what."""
    counted = [(f"{row.system} (generated)", row) for row in test.rows]
    if len(test.rows) > 1 and test.fooling is not None:
        counted.append(("all generated", test.fooling))
    if test.false_rejection is not None:
        counted.append((ALL_REAL, test.false_rejection))
    return Table(
        id="called",
        title="What outputs were called",
        columns=(
            Column(name="outputs", heading="Outputs"),
            Column(name="called_real", heading="Called real", kind="count"),
            Column(name="called_generated", heading="Called generated", kind="count"),
        ),
        rows=tuple((name, row.called_real, row.called_generated) for name, row in counted),
    )


def _systems(context: Context, test: TuringTest) -> Table:
    """d′ and area of every system against the same real outputs."""
    areas = {area.system: area for area in test.areas}
    columns = [
        Column(name="system", heading="System"),
        Column(name="d_prime", heading="Mean d′", kind="number"),
        interval_column(context),
        Column(name="bias", heading="c", kind="number"),
        interval_column(context, "bias_interval"),
        Column(name="pooled", heading="Pooled d′", kind="number"),
    ]
    if areas:
        columns.append(Column(name="area", heading="Area under the curve", kind="number"))
        columns.append(interval_column(context, "area_interval"))
    rows = []
    for row in test.sensitivities:
        cells: list[object] = [row.system, row.estimate, bounds(row.interval)]
        cells += [row.bias, bounds(row.bias_interval), row.pooled]
        if areas:
            area = areas.get(row.system)
            cells += [None, None] if area is None else [area.estimate, bounds(area.interval)]
        rows.append(tuple(cells))
    own = "the raters' own d′, of those with ten real outputs and ten of the system"
    known = [row for row in test.sensitivities if row.estimate is not None]
    reasons = dict.fromkeys(row.undefined for row in test.sensitivities if row.undefined)
    return Table(
        id="d_prime",
        title="How well raters tell each system from real",
        columns=tuple(columns),
        rows=tuple(rows),
        caption=(
            f"The mean of {own}; c above 0: they tend to answer “real”. "
            if known
            else f"No mean d′ of the raters: {'; '.join(reasons)}. "
        )
        + "Pooled: d′ of all answers as if one rater's, without an interval.",
    )


def _raters(test: TuringTest) -> Table:
    columns = [
        Column(name="rater", heading="Rater"),
        Column(name="d_prime", heading="d′", kind="number"),
        Column(name="bias", heading="c", kind="number"),
        Column(name="fooling_rate", heading="Fooled", kind="percent"),
        Column(name="false_rejection", heading="False rejection", kind="percent"),
        Column(name="balanced_accuracy", heading="Balanced accuracy", kind="percent"),
        Column(name="answers", heading="Answers", kind="count"),
    ]
    asked = any(rater.area is not None for rater in test.raters)
    if asked:
        columns.insert(-1, Column(name="area", heading="Area under the curve", kind="number"))
    rows = []
    for r in test.raters:
        cells: list[object] = [r.rater, r.estimate, r.bias, r.fooling_rate, r.false_rejection]
        cells += [r.balanced_accuracy, *([r.area] if asked else []), r.n_responses]
        rows.append(tuple(cells))
    return Table(
        id="rater_detections",
        title="How well each rater tells real from generated",
        columns=tuple(columns),
        rows=tuple(rows),
        caption="d′ only with ten real and ten generated outputs. No interval is "
        "computed for one rater's figures.",
    )
