"""The tables of ratings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jurybox.analysis.asked import AskedCriterion
from jurybox.analysis.claims import with_claims
from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Column, Table
from jurybox.analysis.sentences import called
from jurybox.formats import joined
from jurybox.results import Result, format_number
from jurybox.stats.clusters import HOLDS_FOR
from jurybox.stats.means import MeanScore
from jurybox.stats.shares import Share
from jurybox.tally.ratings import word_counts
from jurybox.tally.responses import Responses

__all__ = [
    "YES",
    "YES_NO",
    "beyond_scale",
    "distribution_tables",
    "mean_table",
    "robustness_tables",
    "word_table",
]

YES = "Share of yes"
"""The heading of what is the mean of a scale of yes and no."""
YES_NO = (0.0, 1.0)
"""The values of a scale whose means are shares."""
MOST_VALUES = 11
"""With more distinct values than this, shares of single values say nothing."""


def mean_table(
    context: Context,
    criterion: str,
    rows: Sequence[MeanScore],
    shares: dict[str, Share],
    asked: AskedCriterion,
) -> Table:
    """Means, medians and pass rates, a row per system; where answers are yes or no, shares."""
    if asked.values == YES_NO and asked.pass_mark is None and shares:
        return _yes_table(context, criterion, [shares[row.system] for row in rows])
    heading = asked.mean_name.capitalize()
    columns = [
        Column(name="system", heading="System"),
        Column(name="mean", heading=heading, kind="number"),
        interval_column(context),
        Column(name="median", heading="Median", kind="number"),
        Column(name="sd", heading="SD", kind="number"),
    ]
    if shares:
        name = YES if asked.pass_mark is None else "Pass rate"
        columns.append(Column(name="pass_rate", heading=name, kind="percent"))
        columns.append(interval_column(context, "pass_interval"))
    columns.append(Column(name="responses", heading="Ratings", kind="count"))
    cells = []
    for row in rows:
        cell: list[Any] = [row.system, row.estimate, bounds(row.interval), row.median, row.sd]
        if shares:
            share = shares[row.system]
            cell += [share.estimate, bounds(share.interval)]
        cells.append((*cell, row.n_responses))
    notes = dict.fromkeys(note for row in rows for note in row.notes)
    made = Table(
        id=f"mean_scores/{criterion}",
        title=f"{heading}: {criterion}",
        columns=tuple(columns),
        rows=tuple(cells),
        caption=_not_under_test(context, [row.system for row in rows])
        + _passing(asked)
        + _caption(rows, notes, context.asked.ends(criterion)),
        limits=context.asked.ends(criterion),
    )
    of: dict[str, Sequence[Result]] = {"interval": rows}
    if shares:
        of["pass_interval"] = [shares[row.system] for row in rows]
    return with_claims(made, of)


def _not_under_test(context: Context, systems: Sequence[str]) -> str:
    """Which systems are there to be heard beside the others."""
    asked = context.asked
    if asked.is_blind:
        return ""
    said = [
        (asked.hidden_references, "is the hidden reference", "are hidden references"),
        (asked.anchors, "is an anchor", "are anchors"),
    ]
    told = []
    for names, one, many in said:
        there = [name for name in names if name in systems]
        if there:
            told.append(f"{joined(there)} {one if len(there) == 1 else many}")
    return f"{', '.join(told)}. " if told else ""


def _passing(asked: AskedCriterion) -> str:
    """Which scores pass, where the study says so."""
    if asked.pass_mark is None:
        return ""
    mark = f"{asked.pass_mark:g}".replace("-", "−")
    return f"Scores of {mark} or {'more' if asked.higher else 'less'} pass. "


def _yes_table(context: Context, criterion: str, rows: Sequence[Share]) -> Table:
    made = Table(
        id=f"mean_scores/{criterion}",
        title=f"Share of yes: {criterion}",
        columns=(
            Column(name="system", heading="System"),
            Column(name="pass_rate", heading=YES, kind="percent"),
            interval_column(context),
            Column(name="responses", heading="Ratings", kind="count"),
        ),
        rows=tuple(
            (row.system, row.estimate, bounds(row.interval), row.n_responses) for row in rows
        ),
        caption=called(" ".join(_how_made(rows))),
    )
    return with_claims(made, {"interval": rows})


def _how_made(shares: Iterable[Share]) -> list[str]:
    """How the intervals of shares are made, and whom they hold for."""
    made = [row.interval for row in shares if row.interval is not None]
    if not made:
        return []
    ways = list(dict.fromkeys(each.method for each in made))
    if len(ways) > 1:
        # Degrees of freedom may differ from system to system.
        ways = list(dict.fromkeys(way.partition(", t(")[0] for way in ways))
    return [f"Intervals: {', or '.join(ways)}; they hold for {made[0].generalizes_to}."]


def _caption(
    rows: Sequence[MeanScore], notes: dict[str, None], ends: tuple[float, float] | None
) -> str:
    methods = dict.fromkeys(
        f"Intervals {row.interval.way}; they hold for {row.interval.generalizes_to}."
        for row in rows
        if row.interval is not None
    )
    # What they hold for is said by the method.
    told = [note for note in notes if not (methods and note.startswith(HOLDS_FOR))]
    said = [note[0].upper() + note[1:] + "." for note in told]
    intervals = [bounds(row.interval) for row in rows]
    return called(" ".join([*list(methods)[:1], *beyond_scale(intervals, ends), *said]))


def beyond_scale(
    intervals: Sequence[tuple[float, float] | None], ends: tuple[float, float] | None
) -> list[str]:
    """That a mean lies on the scale, where an interval ends with it."""
    if ends is None:
        return []
    low, high = ends
    if not any(each[0] == low or each[1] == high for each in intervals if each is not None):
        return []
    return [
        f"No interval leaves the scale, as no mean can: it ends at {low:g} or {high:g}.".replace(
            "-", "−"
        )
    ]


def robustness_tables(
    context: Context, criterion: str, rows: Sequence[MeanScore], asked: AskedCriterion
) -> list[Table]:
    """How bad a system's bad outputs are, beside its mean."""
    shares = {row.system: row.at_worst for row in rows if row.at_worst is not None}
    columns = [Column(name="system", heading="System")]
    if shares:
        value = next(iter(shares.values())).what.removeprefix("share at ").replace("-", "−")
        columns.append(Column(name="at_worst", heading=f"Share at {value}", kind="percent"))
        columns.append(interval_column(context))
    tenth = "10th percentile" if asked.higher else "90th percentile"
    columns.append(Column(name="worst_tenth", heading=tenth, kind="number"))
    columns.append(Column(name="item_sd", heading="SD of item means", kind="number"))
    cells = []
    for row in rows:
        cell: list[Any] = [row.system]
        if shares:
            share = shares.get(row.system)
            cell += [None, None] if share is None else [share.estimate, bounds(share.interval)]
        cells.append((*cell, row.worst_tenth, row.item_sd))
    worst = "lowest" if asked.higher else "highest"
    which = "value of the scale" if asked.values else "value that anybody gave"
    if asked.ends is not None and not asked.values:
        which = "fifth of the scale"
    said = [f"At the {worst} {which}, by single ratings."] if shares else []
    said += map(called, _how_made(shares.values()))
    if any(row.item_sd is not None for row in rows):
        said.append("The SD of item means contains what raters add to each mean.")
    return [
        Table(
            id=f"robustness/{criterion}",
            title=f"Robustness: {criterion}",
            columns=tuple(columns),
            rows=tuple(cells),
            caption=" ".join(said),
        )
    ]


def distribution_tables(
    criterion: str, asked: AskedCriterion, means: Sequence[MeanScore]
) -> list[Table]:
    """The share of each value, per system; nothing where scores hardly repeat."""
    if not all(row.histogram for row in means):
        return []
    # A value of the scale that nobody gave is a finding too.
    values = sorted({v for row in means for v, _ in row.histogram} | set(asked.values or ()))
    if not 2 <= len(values) <= MOST_VALUES:
        return []
    columns = [Column(name="system", heading="System")]
    for value in values:
        name = str(int(value)) if value.is_integer() else repr(value)
        heading = name.replace("-", "\N{MINUS SIGN}")
        # A value that is a mean of several answers has more digits than anybody reads.
        if len(name.partition(".")[2]) > 3:
            heading = format_number(value)
        columns.append(Column(name=f"share_{name}", heading=heading, kind="percent"))
    rows = []
    for row in means:
        counts = dict(row.histogram)
        given = [counts.get(value, 0) for value in values]
        rows.append((row.system, *(n / sum(given) for n in given)))
    return [
        Table(
            id=f"distribution/{criterion}",
            title=f"Distribution of scores: {criterion}",
            columns=tuple(columns),
            rows=tuple(rows),
            caption="The share of a system's ratings at each value.",
        )
    ]


def word_table(part: Responses, criterion: str) -> Table:
    """How often each word was given, where answers are words."""
    return Table(
        id=f"answers/{criterion}",
        title=f"Answers: {criterion}",
        columns=(
            Column(name="system", heading="System"),
            Column(name="answer", heading="Answer"),
            Column(name="responses", heading="Ratings", kind="count"),
        ),
        rows=word_counts(part),
    )
