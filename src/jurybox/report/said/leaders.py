"""Systems and pairs of them in one order, which is the one that matters: the best first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, groupby
from typing import Any

from jurybox.analysis.finding import Analysis, Finding, Table, headline_of
from jurybox.report.said.criteria import criteria_of, criterion_of

__all__ = ["best_not_compared", "is_of_pairs", "leaders_first"]

PAIR = ("system", "other")
Places = dict[str | None, dict[str, int]]
"""Per criterion the place of every system, from the best on."""


def leaders_first(analysis: Analysis) -> Analysis:
    """The analysis with its systems, and pairs in tables and sentences, by the systems' places.

    A pair that has no number comes after all that have one; real outputs after all systems.
    """
    places = _places(analysis)
    systems = set(analysis.systems)
    about = _about(analysis)
    return replace(
        analysis,
        tables=tuple(
            _sorted(table, places, criterion, systems)
            for table, criterion in zip(analysis.tables, about, strict=True)
        ),
        findings=_pairs_sorted(analysis.findings, places),
    )


def best_not_compared(analysis: Analysis) -> str:
    """That the answer is about others than the two best systems, where nothing compares these."""
    answer = analysis.headline
    if answer is None or answer.standing == "primary" or answer.result.estimate is None:
        return ""
    best = list(_places(analysis).get(answer.criterion, {}))[:2]
    kind = answer.kind
    for finding in analysis.findings:
        is_alike = finding.kind == kind and finding.criterion == answer.criterion
        if is_alike and set(finding.systems) == set(best) and finding.result.estimate is None:
            why = str(finding.result.undefined).rstrip(".")
            return (
                f"{' and '.join(best)} stand highest and cannot be compared: {why}. Of those that "
                f"can, {' and '.join(answer.systems)} stand highest."
            )
    return ""


def is_of_pairs(table: Table) -> bool:
    """Whether each row is about two systems."""
    return table.names[:2] == PAIR


def _places(analysis: Analysis) -> Places:
    """By the first table of a criterion that has a row for each system, the best first."""
    found: Places = {}
    for table, about in zip(analysis.tables, _about(analysis), strict=True):
        is_of_systems = table.columns[0].name == "system" and not is_of_pairs(table)
        names = [row[0] for row in table.rows]
        if is_of_systems and len(set(names)) == len(names) > 1:
            found.setdefault(about, {name: k for k, name in enumerate(names)})
    return found


def _about(analysis: Analysis) -> list[str | None]:
    """The criterion of every table."""
    criteria = criteria_of(analysis)
    return [criterion_of(table, criteria) for table in analysis.tables]


def _sorted(table: Table, places: Places, criterion: str | None, systems: set[str]) -> Table:
    place = _place_of(criterion, places)
    if not is_of_pairs(table):
        return _by_system(table, place, places, systems)
    if place is None:
        return table
    rows = sorted(table.rows, key=lambda row: (row[2] is None, *_place(row[:2], place)))
    return replace(table, rows=tuple(rows))


def _place_of(criterion: str | None, places: Places) -> dict[str, int] | None:
    """The places of a criterion; a study of one question names it in some of its tables only."""
    return places.get(criterion) or (next(iter(places.values())) if len(places) == 1 else None)


def _by_system(
    table: Table, place: dict[str, int] | None, places: Places, systems: set[str]
) -> Table:
    """The rows of systems, each within its part; what is of no system stays where it is."""
    names = table.names
    column = _of_systems(table)
    if column is None:
        return table
    parts = [list(rows) for _, rows in groupby(table.rows, key=lambda row: row[:column])]
    if len(parts) > len({rows[0][:column] for rows in parts}):
        # What stands before the system goes with it, as the ends of which each has its own.
        parts = [list(table.rows)]
    for rows in parts:
        about = rows[0][names.index("criterion")] if "criterion" in names[:column] else None
        own = place if about is None else _place_of(about, places)
        where = [k for k, row in enumerate(rows) if row[column] in systems]
        ordered = sorted(
            (rows[k] for k in where), key=lambda row: _place((row[column],), own or {})
        )
        for k, row in zip(where, ordered, strict=True):
            rows[k] = row
    return replace(table, rows=tuple(chain.from_iterable(parts)))


def _of_systems(table: Table) -> int | None:
    """Where a table names its systems; a column may hold these or what else a figure is of."""
    for k, column in enumerate(table.columns):
        if column.name == "system" or (column.name, column.heading) == ("of", "System"):
            return k
    return None


def _place(systems: Iterable[Any], place: dict[str, int]) -> list[int]:
    return sorted(place.get(name, len(place)) for name in systems)


def _pairs_sorted(findings: Iterable[Finding], places: Places) -> tuple[Finding, ...]:
    """The findings, those on two systems of one kind and criterion sorted among themselves."""
    kept = list(findings)
    answer = headline_of(kept)
    groups: dict[tuple[str, str | None], list[int]] = {}
    for k, finding in enumerate(kept):
        # The answer stays where it is, before all others.
        if finding is answer:
            continue
        if len(finding.systems) == 2 and finding.criterion in places:
            groups.setdefault((finding.kind, finding.criterion), []).append(k)
    made = list(kept)
    for (_, criterion), where in groups.items():
        place = places[criterion]
        best = sorted(where, key=lambda k: _place(kept[k].systems, place))
        for to, come in zip(where, best, strict=True):
            made[to] = kept[come]
    return tuple(made)
