"""Two rounds compared: what moved per system and criterion, in sentences and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.counted import Counted, counted
from jurybox.analysis.finding import Analysis, Chapter, Column, Finding, Table
from jurybox.analysis.measure.rounds import Rounds, measured
from jurybox.analysis.of_judges import retold
from jurybox.analysis.sentences import told_of
from jurybox.results import format_count, format_number, format_p, format_percent
from jurybox.stats.multiple import in_family
from jurybox.stats.rounds import INDEPENDENT, Moved, MovedShare
from jurybox.tally.round_sums import Shared, shared_clusters

__all__ = ["AGAINST", "add_against", "against_chapter"]

AGAINST = "against"
"""The standing of the findings, and the first part of the tables' ids."""


def add_against(
    analysis: Analysis,
    old: Any,
    new: Any,
    *,
    name: str,
    database: str | None = None,
) -> Analysis:
    """The analysis of the new round with what moved since the old one, which is called ``name``."""
    settings: dict[str, Any] = {"confidence": analysis.confidence, "seed": analysis.seed}
    with counted(old, **settings) as before, counted(new, database=database, **settings) as after:
        noun = before.rater_noun if before.rater_noun == after.rater_noun else "rater"
        with told_of(noun):
            chapter = against_chapter(before, after, name=name)
            named = [n for part in after.parts for n in (*part.systems, *part.criteria)]
            chapter = retold(chapter, [name, *named])
    return replace(
        analysis,
        findings=(*analysis.findings, *chapter.findings),
        tables=(*analysis.tables, *chapter.tables),
        took=(*analysis.took, *chapter.took),
        warnings=(*analysis.warnings, *chapter.warnings),
    )


def against_chapter(before: Counted, after: Counted, *, name: str) -> Chapter:
    """Everything that both rounds measured, new minus old, with Holm over all of it."""
    context = after.context
    rows: list[Moved] = []
    took: list[str] = []
    warnings: list[str] = []
    found = {part.shape.name: part for part in before.parts}
    for new in after.parts:
        old = found.get(new.shape.name)
        if old is None:
            warnings.append(f"{name} has no {new.shape.name}, so nothing of them is compared")
            continue
        shared = shared_clusters(old, new)
        took.append(_say_shared(shared, name, new.shape.noun))
        warnings += _apart(old.systems, new.systems, name, "system")
        warnings += _apart(old.criteria, new.criteria, name, "criterion")
        for criterion in (each for each in new.criteria if each in old.criteria):
            rounds = Rounds(
                context=context,
                old=old.of_criterion(criterion),
                new=new.of_criterion(criterion),
                criterion=criterion,
                shared=shared,
            )
            rows += [replace(row, criterion=criterion) for row in measured(rounds, warnings)]
    rows = _as_family(rows)
    return Chapter(
        findings=tuple(_finding(context, row, name) for row in rows),
        tables=_tables(context, rows, name, " ".join(dict.fromkeys(took))),
        took=tuple(dict.fromkeys(took)),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _apart(old: Sequence[str], new: Sequence[str], name: str, noun: str) -> list[str]:
    said = []
    for mine, others, where in ((new, old, "only here"), (old, new, f"only in {name}")):
        alone = [each for each in mine if each not in others]
        if alone:
            said.append(f"{noun} {', '.join(alone)}: {where}, so there is nothing to compare")
    return said


def _say_shared(shared: Shared, name: str, noun: str) -> str:
    """What the two rounds have in common, by name, and what follows from it."""
    parts = []
    for kind, (old, new, both) in shared.items():
        what = f"{both:,} of {old:,} and {new:,} {kind}s are in both rounds"
        parts.append(f"{what} ({'paired' if both else 'independent'})")
    if not parts:
        return (
            f"The {noun}s here and in {name} name neither items nor raters: taken as independent."
        )
    return f"Compared with {name}, by name: {'; '.join(parts)}."


def _as_family(rows: Sequence[Moved]) -> list[Moved]:
    """All that has a p judged as one family."""
    found = in_family([row.p for row in rows])
    n = sum(p is not None for p in found)
    by = f"Holm over {n} comparisons of the rounds"
    return [
        replace(row, p_adjusted=p, adjusted_by=None if p is None else by)
        for row, p in zip(rows, found, strict=True)
    ]


def _finding(context: Context, row: Moved, name: str) -> Finding:
    on = "" if row.criterion is None else f" on {row.criterion}"
    p = row.p if row.p_adjusted is None else row.p_adjusted
    interval = row.interval
    told = interval is not None and not interval.low <= 0 <= interval.high
    told = told and (p is None or p < 1 - context.confidence)
    subject = row.name[:1].upper() + row.name[1:] + on
    was = f"{_value(row, row.old)} in {name}, {_value(row, row.new)} now"
    if row.estimate is None:
        sentence = f"{subject} cannot be compared with {name}: {row.undefined}."
    else:
        verb = ("rose" if row.estimate > 0 else "fell") + f" by {row.format(abs(row.estimate))}"
        claim = verb if told else f"is not shown to have moved ({row.format(row.estimate)})"
        sentence = f"{subject} {claim}: {was} {_evidence(row, p)}."
    systems = tuple(each for each in (row.system, row.other) if each is not None)
    about = "/".join([row.what, row.criterion or "", *systems])
    return Finding(
        id=f"{AGAINST}/{about}",
        sentence=sentence,
        result=row,
        standing="against",
        told=told,
        criterion=row.criterion,
        systems=systems,
    )


def _is_joined(row: Moved) -> bool:
    return row.interval is not None and row.interval.method == INDEPENDENT


def _value(row: Moved, value: float | None) -> str:
    if isinstance(row, MovedShare):
        return format_percent(value)
    return format_number(value, row.digits)


def _evidence(row: Moved, p: float | None) -> str:
    if row.interval is None:
        return f"(no interval of the difference: {row.undefined})"
    percent = format_number(100 * row.interval.confidence, 0)
    shown = row.ends(row.interval)
    said = f"{percent}% interval of the difference {shown}"
    if p is not None:
        said += f"; {format_p(p)}" + (" by Holm" if row.p_adjusted is not None else "")
    return f"({said})"


def _without_interval(rows: Sequence[Moved]) -> str:
    """Why differences have no interval, each reason once: a dash alone would not say it."""
    counts = Counter(
        row.undefined or "a round has no interval"
        for row in rows
        if row.estimate is not None and row.interval is None
    )
    return "".join(
        f" {format_count(n, 'difference has', 'differences have')} no interval: {why}."
        for why, n in counts.items()
    )


def _tables(context: Context, rows: Sequence[Moved], name: str, shared: str) -> tuple[Table, ...]:
    parts = [
        (shares, [r for r in rows if isinstance(r, MovedShare) == shares])
        for shares in (False, True)
    ]
    return tuple(
        _table(context, part, name, shared, shares=shares) for shares, part in parts if part
    )


def _table(
    context: Context, rows: Sequence[Moved], name: str, shared: str, *, shares: bool
) -> Table:
    """The rows of one unit: shares in percent and their differences in points, or numbers."""
    adjusted = any(row.p_adjusted is not None for row in rows)
    columns = (
        Column(name="criterion", heading="Criterion"),
        Column(name="what", heading="Statistic"),
        Column(name="system", heading="System"),
        Column(name="other", heading="Against"),
        Column(name="old", heading=f"In {name}", kind="percent" if shares else "number"),
        Column(name="new", heading="Now", kind="percent" if shares else "number"),
        Column(name="difference", heading="New − old", kind="points" if shares else "number"),
        interval_column(context),
        Column(name="p", heading="p (Holm)" if adjusted else "p", kind="p"),
    )
    made = [
        (
            *(row.criterion, row.what, row.system, row.other, row.old, row.new, row.estimate),
            bounds(row.interval),
            row.p if row.p_adjusted is None else row.p_adjusted,
        )
        for row in rows
    ]
    caption = f"{shared} The interval is of the difference, clustered by rater and item over both "
    caption += "rounds; differences are in points." if shares else "rounds."
    joined = list(dict.fromkeys(row.what for row in rows if _is_joined(row)))
    if joined:
        caption += (
            f" That of {' and '.join(joined)} is put together from the intervals of the two rounds "
            "as if these were independent: wider than need be where they share raters or items."
        )
    caption += _without_interval(rows)
    return Table(
        id=f"{AGAINST}/{'shares' if shares else 'numbers'}",
        title=f"What moved since {name}: {'shares' if shares else 'scores and agreement'}",
        columns=columns,
        rows=tuple(made),
        caption=caption,
    )
