"""Graded votes: how far one of two systems is preferred on average, and how the grades lie."""

from __future__ import annotations

from collections.abc import Sequence

from jurybox.analysis import measure
from jurybox.analysis.claims import with_claims
from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Column, Finding, Table
from jurybox.analysis.sentences import evidence
from jurybox.formats import format_number
from jurybox.stats.means import MeanScore
from jurybox.stats.shares import Share
from jurybox.tally.responses import Responses

__all__ = ["graded_votes"]

CMOS = (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)
"""The seven grades whose mean has a name."""


def graded_votes(
    context: Context, part: Responses, criterion: str, pairs: Sequence[Share]
) -> tuple[list[Finding], list[Table]]:
    """The mean grade of every pair, seen as its win rate is, and the share of each grade."""
    given = measure.grades_given(part)
    if not given:
        return [], []
    ends = max(abs(grade) for counts in given.values() for grade in counts)
    found = measure.mean_grades(part, context.options, criterion=criterion, most=ends)
    asked = [(str(row.system), str(row.other)) for row in pairs]
    # Against a baseline some pairs are not compared.
    rows = [(pair, found[pair]) for pair in asked if pair in found]
    grades = sorted({0.0, *(s * abs(g) for c in given.values() for g in c for s in (-1, 1))})
    return (
        [_finding(criterion, pair, row, ends) for pair, row in rows],
        [
            _means(context, criterion, rows, tuple(grades) == CMOS),
            _distribution(criterion, [(pair, given[pair]) for pair, _ in rows], grades),
        ],
    )


def _finding(criterion: str, pair: tuple[str, str], row: MeanScore, ends: float) -> Finding:
    one, two = pair
    by = "by an amount that has no number" if row.estimate is None else f"by {_shown(row)}"
    most = format_number(ends, 0) if ends.is_integer() else format_number(ends)
    return Finding(
        id=f"grade/{criterion}/{one}/{two}",
        sentence=f"On average {one} is preferred to {two} {by}, where {most} is the most and a tie "
        f"is 0 {evidence(row, noun='vote')}.",
        result=row,
        criterion=criterion,
        systems=pair,
        figure="mean grade",
    )


def _shown(row: MeanScore) -> str:
    return row.format(row.estimate)


def _means(
    context: Context,
    criterion: str,
    rows: Sequence[tuple[tuple[str, str], MeanScore]],
    is_cmos: bool,
) -> Table:
    name = "This is the comparison mean opinion score (CMOS). " if is_cmos else ""
    made = Table(
        id=f"grades/{criterion}",
        title=f"How far one is preferred: {criterion}",
        columns=(
            Column(name="system", heading="System"),
            Column(name="other", heading="Over"),
            Column(name="grade", heading="Mean grade", kind="number"),
            interval_column(context),
            Column(name="votes", heading="Votes", kind="count"),
        ),
        rows=tuple(
            (*pair, row.estimate, bounds(row.interval), row.n_responses) for pair, row in rows
        ),
        caption="A vote counts with its grade: above 0 the first of the two is preferred, and a "
        f"tie is 0. {name}Each interval is for one pair.",
    )
    return with_claims(made, {"interval": [row for _, row in rows]})


def _distribution(
    criterion: str,
    rows: Sequence[tuple[tuple[str, str], dict[float, int]]],
    grades: Sequence[float],
) -> Table:
    return Table(
        id=f"grade_shares/{criterion}",
        title=f"Distribution of grades: {criterion}",
        columns=(
            Column(name="pair", heading="Pair"),
            *(
                Column(name=f"share_{k}", heading=format(g, "g").replace("-", "−"), kind="percent")
                for k, g in enumerate(grades)
            ),
        ),
        rows=tuple(
            (" over ".join(pair), *(counts.get(g, 0) / sum(counts.values()) for g in grades))
            for pair, counts in rows
        ),
        caption="The share of a pair's votes at each grade; above 0 the first is preferred.",
    )
