"""What may be claimed: both intervals of few raters with what each speaks for, or why no number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from jurybox.analysis.context import bounds
from jurybox.analysis.finding import Column, Finding, Table
from jurybox.analysis.sentences import called, counted
from jurybox.analysis.strengths import sentence_of
from jurybox.results import Result, claims_of, listed

__all__ = ["unless_undefined", "with_claims", "without_interval"]


def with_claims(table: Table, of: Mapping[str, Sequence[Result | None]]) -> Table:
    """The table with a caption that says what its intervals speak for.

    Two to four raters give two intervals, one for raters like these and a narrower one for these
    raters: the second stands beside the first. ``of``: by the name of a column of intervals, the
    results that its rows are made of.
    """
    claims = tuple(dict.fromkeys(_claims(table, of)))
    caption = table.caption
    new = []
    for claim in claims:
        # A caption may have told how the intervals were made, and what they hold for with it.
        claimed = _claimed(claim)
        wide = claimed.partition(", or for ")[0].rstrip(".") + "."
        if wide in caption:
            caption = caption.replace(wide, claimed)
        elif claimed not in caption:
            new.append(claim)
    named = [(row.name, row) for rows in of.values() for row in rows if row is not None]
    said = " ".join(filter(None, [caption, *new, *without_interval(named)]))
    table = replace(table, claims=claims, caption=said)
    for name, rows in of.items():
        table = _with_these_raters(table, name, rows)
    return table


def _claims(table: Table, of: Mapping[str, Sequence[Result | None]]) -> Iterator[str]:
    """The claims of the first intervals, and those of others that claim something else."""
    headings = {
        interval.name: column.heading
        for column, interval in zip(table.columns, table.columns[1:], strict=False)
    }
    first: tuple[str, ...] | None = None
    for name, rows in of.items():
        found = claims_of([row for row in rows if row is not None])
        if first is None:
            first = found
            yield from map(sentence_of, found)
        elif not set(found) <= set(first):
            yield from (sentence_of(f"{headings[name]}: {claim}") for claim in found)


def without_interval(rows: Iterable[tuple[str, Result]]) -> Iterator[str]:
    """Why a number stands without an interval, once for each reason; each row with its name."""
    reasons: dict[str, list[str]] = {}
    for name, row in rows:
        if row.estimate is not None and row.interval is None and row.undefined is not None:
            names = reasons.setdefault(row.undefined.rstrip("."), [])
            names += [name] * (name not in names)
    for reason, names in reasons.items():
        yield f"No interval of {listed(names)}: {called(reason)}."


def _with_these_raters(table: Table, name: str, rows: Sequence[Result | None]) -> Table:
    """The table with the narrower intervals, if there are any, beside the column of this name."""
    narrow = [None if row is None else row.these_raters for row in rows]
    if not any(narrow):
        return table
    place = 1 + table.names.index(name)
    column = Column(
        name=name.replace("interval", "these_raters"),
        heading=called("These raters"),
        kind="interval",
    )
    return replace(
        table,
        columns=(*table.columns[:place], column, *table.columns[place:]),
        rows=tuple(
            (*cells[:place], bounds(ends), *cells[place:])
            for cells, ends in zip(table.rows, narrow, strict=True)
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
    return claim[max(claim.find("hold for "), 0) :]
