"""Results by rater group: exploratory looks beside what is pooled over all raters."""

from __future__ import annotations

from dataclasses import dataclass

from jurybox.analysis.agreement import level_of
from jurybox.analysis.context import Context, bounds, interval_column, kind_of_words
from jurybox.analysis.finding import Chapter, Column, Finding, Table
from jurybox.analysis.looks import looked_for, seen
from jurybox.analysis.measure.groups import (
    AGREED,
    Figure,
    between,
    figure_of,
    group_differences,
    group_figures,
    within,
)
from jurybox.analysis.rating_tables import beyond_scale
from jurybox.formats import joined
from jurybox.results import Result, format_count, format_number
from jurybox.stats.agreement.between_groups import BetweenGroups
from jurybox.stats.agreement.patterns import Agreement
from jurybox.stats.clusters import THESE_RATERS
from jurybox.stats.groups import GroupDifference
from jurybox.stats.scale_ends import FROM_NOTHING
from jurybox.tally.groups import Grouped, grouped
from jurybox.tally.ratings import are_numbers, first_scores
from jurybox.tally.responses import Responses

__all__ = ["group_chapter"]

MOST_GROUPS = 20
"""Groups up to which every two are compared."""


def group_chapter(context: Context, responses: Responses) -> Chapter:
    """Figures by group, every two groups compared, and agreement within and between them."""
    known = grouped(responses)
    if known is None:
        return Chapter()
    said = _why_not(known, responses)
    if said is not None:
        return Chapter(took=(said,))
    parts: list[_Part] = []
    took = [_pooled(known)]
    for criterion in responses.criteria:
        part, sentence = _part(context, responses.of_criterion(criterion), criterion)
        took += [sentence] if sentence else []
        parts += [part] if part is not None else []
    rows = looked_for([row for part in parts for row in part.differences], "comparisons of groups")
    for part in parts:
        part.differences, rows = rows[: len(part.differences)], rows[len(part.differences) :]
    return Chapter(
        findings=tuple(f for part in parts for f in _findings(part, responses.shape.noun)),
        tables=tuple(table for part in parts for table in _tables(context, part)),
        took=tuple(took),
        warnings=tuple(_warnings(known)),
        rater_groups=tuple(sorted(known.raters.items())),
    )


@dataclass(slots=True, kw_only=True)
class _Part:
    """What one criterion says of the groups."""

    criterion: str
    figure: Figure | None
    figures: Table | None
    differences: list[GroupDifference]
    within: dict[str, Agreement]
    between: list[BetweenGroups]


def _why_not(known: Grouped, responses: Responses) -> str | None:
    if known.n_several:
        raters = format_count(known.n_several, "rater")
        return f"no results by group: {raters} answered in several groups, and a rater is of one"
    if not responses.has_item:
        return "no results by group: the table names no items that groups could share"
    if len(known.names) < 2:
        return f"every rater with a group is of {known.names[0]}, so groups are not compared"
    if len(known.names) > MOST_GROUPS:
        return f"no results by group: {len(known.names)} groups are too many to compare"
    return None


def _pooled(known: Grouped) -> str:
    counts = [f"{name} ({format_count(n, 'rater')})" for name, n in sorted(known.raters.items())]
    return (
        f"rater groups: {joined(counts)}; the headline and all other results are "
        "pooled over all raters, and results by group are exploratory"
    )


def _warnings(known: Grouped) -> list[str]:
    said = [
        f"{name} has one rater only: what it says holds for this rater"
        for name, n in sorted(known.raters.items())
        if n == 1
    ]
    if known.n_without:
        raters = format_count(known.n_without, "rater")
        said.append(f"{raters} without a group count in no result by group")
    return said


def _part(context: Context, part: Responses, criterion: str) -> tuple[_Part | None, str | None]:
    shape = part.shape.name
    said: str | None = None
    figure: Figure | None = None
    if shape == "ratings" and not are_numbers(part):
        kind = kind_of_words(context, criterion)
        said = f"{criterion}: the answers are {kind}, so groups have no mean scores"
    else:
        part = first_scores(part) if shape == "ratings" else part
        asked = context.asked
        figure = figure_of(part, asked.criterion(criterion), asked.ends(criterion))
    level, _ = level_of(context, part, criterion)
    agreed = shape in AGREED
    differences = (
        []
        if figure is None
        else group_differences(part, context.options, figure, criterion=criterion)
    )
    made = _Part(
        criterion=criterion,
        figure=figure,
        figures=None if figure is None else _figure_table(context, part, figure, criterion),
        differences=differences,
        within=within(part, context.options, level=level) if agreed else {},
        between=between(part, context.options, level=level, criterion=criterion) if agreed else [],
    )
    return made, said


def _findings(part: _Part, noun: str) -> list[Finding]:
    # Described, never claimed: an exploratory look has no sentence of its own conclusion.
    found = []
    for row in part.differences:
        place = f"{part.criterion}/{row.of}/{row.group}/{row.other}"
        about = f"{row.what} of {row.of} on {part.criterion}"
        if row.estimate is None or row.means is None:
            sentence = (
                f"The difference between {row.group} and {row.other} in the {about} is "
                f"undefined: {row.undefined}."
            )
        else:
            one, two = (row.format(value) for value in row.means)
            sentence = (
                f"By rater group, the {about} is {one} with {row.group} and {two} with {row.other} "
                f"on the items that both judged, a difference of {_apart(row)} "
                f"{seen(row, noun=noun)}."
            )
        found.append(
            Finding(
                id=f"groups/{place}",
                sentence=sentence,
                result=row,
                standing="exploratory",
                criterion=part.criterion,
                systems=(row.of,),
            )
        )
    return found + [_between_finding(part, row) for row in part.between]


def _apart(row: GroupDifference) -> str:
    if row.as_percent:
        return f"{format_number(100 * (row.estimate or 0.0), 1)} percentage points"
    return row.format(row.estimate)


def _between_finding(part: _Part, row: BetweenGroups) -> Finding:
    who = f"{row.group} and {row.other}"
    if row.estimate is None:
        sentence = f"How far {who} agree on {part.criterion} is undefined: {row.undefined}."
    else:
        own = [
            f"{name} {found.format(found.estimate)}"
            for name, found in part.within.items()
            if name in (row.group, row.other) and found.estimate is not None
        ]
        beside = f"; within the groups alpha is {joined(own)}" if own else ""
        sentence = (
            f"Raters of {who} agree with each other to {row.format(row.estimate)} on "
            f"{part.criterion} {seen(row, noun='response')}{beside}."
        )
    return Finding(
        id=f"groups/agreement/{part.criterion}/{row.group}/{row.other}",
        sentence=sentence,
        result=row,
        standing="exploratory",
        criterion=part.criterion,
        systems=(row.group,),
    )


def _figure_table(context: Context, part: Responses, figure: Figure, criterion: str) -> Table:
    figures = group_figures(part, context.options, figure)
    said = ["Each group's own raters and all items that they judged."]
    if not figure.is_share and figure.ends not in (None, FROM_NOTHING):
        said += beyond_scale([bounds(each.result.interval) for each in figures], figure.ends)
    return Table(
        id=f"groups/{criterion}",
        title=f"By rater group: {criterion}",
        columns=(
            Column(name="of", heading=figure.about),
            Column(name="group", heading="Group"),
            Column(
                name="estimate",
                heading=figure.what.capitalize(),
                kind="percent" if figure.is_share else "number",
            ),
            interval_column(context),
            Column(name="raters", heading="Raters", kind="count"),
            Column(name="responses", heading="Answers", kind="count"),
        ),
        rows=tuple(
            (
                each.of,
                each.group,
                each.result.estimate,
                bounds(each.result.interval),
                each.result.n_raters,
                each.result.n_responses,
            )
            for each in figures
        ),
        caption=" ".join(said),
    )


def _tables(context: Context, part: _Part) -> list[Table]:
    tables = [] if part.figures is None else [part.figures]
    if part.differences:
        tables.append(_difference_table(context, part))
    if part.between:
        tables.append(_agreement_table(context, part))
    return tables


def _difference_table(context: Context, part: _Part) -> Table:
    share = part.figure is not None and part.figure.is_share
    about = "" if part.figure is None else part.figure.about
    heading = "Difference, points" if share else "Difference"
    return Table(
        id=f"group_differences/{part.criterion}",
        title=f"Between rater groups: {part.criterion}",
        columns=(
            Column(name="of", heading=about),
            Column(name="group", heading="Group"),
            Column(name="versus", heading="minus"),
            Column(name="difference", heading=heading, kind="points" if share else "number"),
            interval_column(context),
            Column(name="p", heading="p", kind="p"),
            Column(name="p_adjusted", heading="p (adjusted)", kind="p"),
            Column(name="items", heading="Items", kind="count"),
        ),
        rows=tuple(
            (
                row.of,
                row.group,
                row.other,
                row.estimate,
                bounds(row.interval),
                row.p,
                row.p_adjusted,
                row.n_items,
            )
            for row in part.differences
        ),
        caption="On the items that both groups judged; their raters are two independent sets. "
        "Exploratory: p is adjusted by Benjamini and Hochberg.",
    )


def _agreement_table(context: Context, part: _Part) -> Table:
    listed: list[tuple[str, str, Result]] = [
        (f"within {name}", "Krippendorff's alpha", found) for name, found in part.within.items()
    ]
    listed += [(row.name, "cross-replication kappa", row) for row in part.between]
    said = [
        "Between groups an answer of one is set beside an answer of the other to the same output; "
        "the interval holds for these raters."
    ]
    few = [
        name
        for name, found in part.within.items()
        if found.interval is not None and found.interval.generalizes_to == THESE_RATERS
    ]
    said += [f"So does that within {joined(few)}, who are fewer than five raters."] if few else []
    return Table(
        id=f"group_agreement/{part.criterion}",
        title=f"Agreement within and between rater groups: {part.criterion}",
        columns=(
            Column(name="who", heading="Groups"),
            Column(name="statistic", heading="Statistic"),
            Column(name="estimate", heading="Agreement", kind="number"),
            interval_column(context),
            Column(name="raters", heading="Raters", kind="count"),
            Column(name="items", heading="Items", kind="count"),
        ),
        rows=tuple(
            (who, what, row.estimate, bounds(row.interval), row.n_raters, row.n_items)
            for who, what, row in listed
        ),
        caption=" ".join(said),
    )
