"""Every rater beside the others: one table of the raters, and one for each criterion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.agreement import level_of
from jurybox.analysis.claims import unless_undefined
from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Chapter, Column, Excluded, Finding, Table
from jurybox.analysis.measure.raters import Known
from jurybox.analysis.rating_tables import YES_NO
from jurybox.analysis.sentences import evidence
from jurybox.results import format_count, format_number, format_percent
from jurybox.stats.raters import RaterQuality, Retest, flags_of_rater, looked_for
from jurybox.tally.raters import rater_tallies
from jurybox.tally.responses import Responses

__all__ = ["HIGHER", "MORE_OFTEN", "rater_chapter"]

MOST = 2000
"""More raters than this are a crowd: only those left out or worth a look have rows."""
NAMED = 20
"""Raters up to which each is named who has no leniency."""
COUNTED = {
    "ratings": "Ratings",
    "votes": "Votes",
    "rankings": "Rankings",
    "detections": "Detections",
    "spans": "Marked outputs",
}
"""What the answers of a rater are called."""
BESIDE = (
    "; noise: the standard deviation of those distances; agreement with the others in units of "
    "alpha."
)
HIGHER = "how much higher than the mean of the other raters on the same outputs"
MORE_OFTEN = (
    "how much more often the rater answers “{}” than the others on the same outputs, "
    "in percentage points"
)


def rater_chapter(
    context: Context, responses: Responses, known: Known, excluded: Sequence[Excluded]
) -> Chapter:
    """What each rater did; nothing where the table does not name them."""
    if not responses.has_rater:
        return Chapter()
    quality: dict[str, list[RaterQuality]] = {}
    findings = []
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        level, _ = level_of(context, part, criterion)
        asked = context.asked.criterion(criterion)
        marks = part if part.shape.name == "spans" else None
        if marks is not None:
            part = measure.span_points(part, asked.severities, asked.weights)
        quality[criterion] = measure.rater_qualities(
            part,
            context.options,
            criterion=criterion,
            level=level,
            known=known,
            yes_no=asked.values == YES_NO,
            marks=marks,
        )
        again = measure.retest(part, context.options, criterion=criterion)
        ranked = part.shape.name == "rankings"
        findings += [] if again is None else [_retest_finding(again, ranked=ranked)]
    flags = _flags(quality)
    tables = [_table(context, responses, known, excluded, quality, flags)]
    shape = responses.shape.name
    tables += [
        _criterion_table(context, name, rows, shape) for name, rows in quality.items() if rows
    ]
    gone = {each.rater for each in excluded}
    if len(tables[0].rows) > MOST:
        tables = [_only_told(table, {*gone, *flags}) for table in tables]
    return Chapter(findings=tuple(findings), tables=tuple(tables))


def _flags(quality: dict[str, list[RaterQuality]]) -> dict[str, str]:
    """What is worth a look of each rater, with the criterion where there are several."""
    found: dict[str, list[str]] = {}
    for criterion, rows in quality.items():
        where = f"{criterion}: " if len(quality) > 1 else ""
        for row in rows:
            for flag in row.flags:
                said = flag if flag in flags_of_rater(row) else where + flag
                if said not in found.setdefault(row.rater, []):
                    found[row.rater].append(said)
    return {rater: "; ".join(said) for rater, said in found.items() if said}


def _table(
    context: Context,
    responses: Responses,
    known: Known,
    excluded: Sequence[Excluded],
    quality: dict[str, list[RaterQuality]],
    flags: dict[str, str],
) -> Table:
    left_out = {each.rater: ", ".join(each.rules) for each in excluded}
    first = {row.rater: row for rows in reversed(quality.values()) for row in rows}
    # Of one criterion, its own rows say it already.
    tallies = rater_tallies(responses) if len(quality) > 1 else tuple(first.values())
    has_time = any(tally.seconds is not None for tally in tallies)
    has_gold = any(row.gold is not None for row in first.values())
    columns = [
        Column(name="rater", heading="Rater"),
        Column(name="responses", heading=COUNTED[responses.shape.name], kind="count"),
    ]
    if has_time:
        of = "others" if known.expected is None else "expected"
        columns.append(Column(name="seconds", heading="Median s", kind="seconds"))
        columns.append(Column(name="pace", heading=f"Time / {of}", kind="number"))
    if has_gold:
        columns.append(Column(name="gold", heading="Gold right", kind="percent"))
        columns.append(interval_column(context, "gold_interval"))
        columns.append(Column(name="gold_trials", heading="Gold trials", kind="count"))
    columns.append(Column(name="look", heading="Worth a look"))
    columns.append(Column(name="flag", heading="Left out by"))
    rows = []
    for tally in tallies:
        row = first.get(tally.rater)
        cells: list[Any] = [tally.rater, tally.n_responses]
        if has_time:
            cells += [tally.seconds, None if row is None else row.pace]
        if has_gold:
            gold = None if row is None else row.gold
            shown: tuple[Any, ...] = (None, None, 0)
            if gold is not None:
                shown = (gold.estimate, bounds(gold.interval), gold.n_responses)
            cells += shown
        rows.append((*cells, flags.get(tally.rater, ""), left_out.get(tally.rater, "")))
    return Table(
        id="raters",
        title="Raters",
        columns=tuple(columns),
        rows=tuple(rows),
        caption=looked_for(row for own in quality.values() for row in own),
    )


def _criterion_table(
    context: Context, criterion: str, rows: Sequence[RaterQuality], shape: str
) -> Table:
    """What of a rater is on the scale of one criterion; a column that nobody fills is left out."""
    agreed = "Tau with others" if shape == "rankings" else "Agreement"
    on_scale = _points if shape == "detections" else _number
    # Who gives more error points is not the milder one.
    is_better = shape != "spans" and context.asked.criterion(criterion).higher
    name = "Leniency" if is_better else "Severity"
    made: list[tuple[Column, list[Any]]] = [
        (Column(name="rater", heading="Rater"), [row.rater for row in rows]),
        (on_scale("leniency", name), [row.estimate for row in rows]),
        (interval_column(context), [bounds(row.interval) for row in rows]),
        (on_scale("noise", "Noise"), [row.noise for row in rows]),
        (_number("agreement", agreed), [row.agreement for row in rows]),
        (
            Column(name="most_used_share", heading="Most used answer", kind="percent"),
            [row.most_used_share for row in rows],
        ),
        (
            Column(name="longest_run", heading="Longest run", kind="count"),
            [row.longest_run for row in rows],
        ),
        (
            Column(name="first_shown", heading="Chose first shown", kind="percent"),
            [_estimate(row.first_shown) for row in rows],
        ),
        (
            interval_column(context, "first_shown_interval"),
            [None if row.first_shown is None else bounds(row.first_shown.interval) for row in rows],
        ),
        (Column(name="ties", heading="Ties", kind="percent"), [row.tie_rate for row in rows]),
        (on_scale("drift", "Drift"), [_estimate(row.drift) for row in rows]),
        (
            interval_column(context, "drift_interval"),
            [None if row.drift is None else bounds(row.drift.interval) for row in rows],
        ),
        (
            Column(name="retest", heading="Same answer again", kind="percent"),
            [_estimate(row.retest) for row in rows],
        ),
        (
            Column(name="retests", heading="Asked again", kind="count"),
            [None if row.retest is None else row.retest.n_responses for row in rows],
        ),
        (
            Column(name="responses", heading=COUNTED[shape], kind="count"),
            [row.n_responses for row in rows],
        ),
    ]
    filled = [(column, cells) for column, cells in made if any(c is not None for c in cells)]
    apart = MORE_OFTEN.format("real") if shape == "detections" else HIGHER
    less = "" if is_better else ", where less is better"
    said = [f"{name}: {apart}{less}{BESIDE}", *_reasons(rows)]
    if all(row.estimate is None for row in rows):
        said = [f"There is no {name.lower()}: {rows[0].undefined}."]
    return Table(
        id=f"raters/{criterion}",
        title=f"Raters: {criterion}",
        columns=tuple(column for column, _ in filled),
        rows=tuple(zip(*(cells for _, cells in filled), strict=True)),
        caption=" ".join(said),
    )


def _reasons(rows: Sequence[RaterQuality]) -> list[str]:
    """Why some raters have no leniency, unless the reason is everybody's; of many, how many."""
    if len({row.undefined for row in rows}) < 2:
        return []
    without = [row for row in rows if row.undefined]
    if len(without) <= NAMED:
        return [f"{row.rater}: {row.undefined}." for row in without]
    counted = Counter(row.undefined for row in without)
    return [f"{format_count(n, 'rater')}: {reason}." for reason, n in counted.items()]


def _number(name: str, heading: str) -> Column:
    return Column(name=name, heading=heading, kind="number")


def _points(name: str, heading: str) -> Column:
    return Column(name=name, heading=f"{heading}, points", kind="points")


def _estimate(result: Any) -> float | None:
    return None if result is None else result.estimate


def _only_told(table: Table, raters: set[str]) -> Table:
    kept = tuple(row for row in table.rows if row[0] in raters)
    n = format_count(len(table.rows) - len(kept), "other rater")
    return replace(table, rows=kept, caption=f"{n} without a mark have no row. {table.caption}")


def _retest_finding(row: Retest, *, ranked: bool) -> Finding:
    share, noun = format_percent(row.estimate), "rank" if ranked else "answer"
    same = f"an output the same rank by {row.criterion}"
    same = same if ranked else f"the same answer to {row.criterion}"
    sentence = f"Asked again, raters give {same} in {share} of cases "
    sentence += evidence(row, noun=f"repeated {noun}")
    if row.kappa is not None:
        sentence += f"; κ = {format_number(row.kappa)}"
    if row.distance is not None:
        sentence += f"; the two {noun}s are {format_number(row.distance, 2)} apart on average"
    made = Finding(
        id=f"retest/{row.criterion}",
        sentence=sentence + ".",
        result=row,
        standing="quality",
        criterion=row.criterion,
    )
    what = f"How often raters repeat their {noun} to {row.criterion}"
    return unless_undefined(made, what, noun=f"repeated {noun}")
