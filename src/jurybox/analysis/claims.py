"""What may be claimed: both intervals of few raters with what each speaks for, or why no number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jurybox.analysis.context import bounds
from jurybox.analysis.finding import Column, Finding, Table
from jurybox.analysis.sentences import called, counted
from jurybox.analysis.strengths import sentence_of
from jurybox.results import Result, claims_of

__all__ = ["unless_undefined", "with_claims"]


def with_claims(table: Table, rows: Sequence[Result]) -> Table:
    """A table that says what its first intervals speak for; ``rows``: what its rows are made of.

    Two to four raters give two intervals, one for raters like these and a narrower one for these
    raters: the second stands beside the first.
    """
    claims = tuple(sentence_of(claim) for claim in claims_of(rows))
    # A caption may have told how the intervals were made, and what they hold for with it.
    new = [claim for claim in claims if _claimed(claim) not in table.caption]
    table = replace(table, claims=claims, caption=" ".join([table.caption, *new]).strip())
    if not any(row.these_raters for row in rows):
        return table
    place = 1 + next(k for k, column in enumerate(table.columns) if column.name == "interval")
    narrow = Column(name="these_raters", heading=called("These raters"), kind="interval")
    return replace(
        table,
        columns=(*table.columns[:place], narrow, *table.columns[place:]),
        rows=tuple(
            (*cells[:place], bounds(row.these_raters), *cells[place:])
            for cells, row in zip(table.rows, rows, strict=True)
        ),
    )


def unless_undefined(finding: Finding, what: str, *, noun: str) -> Finding:
    """The finding; where its result has no number, that ``what`` has none, why, and of how many."""
    row = finding.result
    if row.estimate is not None:
        return finding
    said = f"{what} is undefined: {row.undefined} ({counted(row, noun)})."
    return replace(finding, sentence=said, told=False)


def _claimed(claim: str) -> str:
    return f"hold for {claim.partition(' hold for ')[2]}"
