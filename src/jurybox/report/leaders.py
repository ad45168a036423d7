"""Pairs of systems in the order that matters: those of the best systems first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from jurybox.analysis.finding import Analysis, Finding, Table, headline_of
from jurybox.report.criteria import criterion_of

__all__ = ["best_not_compared", "is_of_pairs", "leaders_first"]

PAIR = ("system", "other")
Places = dict[str | None, dict[str, int]]
"""Per criterion the place of every system, from the best on."""


def leaders_first(analysis: Analysis) -> Analysis:
    """The analysis with its pairs, in tables and sentences, by the places of their systems.

    A pair that has no number comes after all that have one.
    """
    places = _places(analysis)
    return replace(
        analysis,
        tables=tuple(
            _sorted(table, places.get(criterion_of(table, analysis))) for table in analysis.tables
        ),
        findings=_pairs_sorted(analysis.findings, places),
    )


def best_not_compared(analysis: Analysis) -> str:
    """That the answer is about others than the two best systems, where nothing compares these."""
    answer = analysis.headline
    if answer is None or answer.standing == "primary" or answer.result.estimate is None:
        return ""
    best = list(_places(analysis).get(answer.criterion, {}))[:2]
    kind = answer.id.partition("/")[0]
    for finding in analysis.findings:
        is_alike = finding.id.partition("/")[0] == kind and finding.criterion == answer.criterion
        if is_alike and set(finding.systems) == set(best) and finding.result.estimate is None:
            why = str(finding.result.undefined).rstrip(".")
            return (
                f"{' and '.join(best)} stand highest and cannot be compared: {why}. Of those that "
                f"can, {' and '.join(answer.systems)} stand highest."
            )
    return ""


def is_of_pairs(table: Table) -> bool:
    """Whether each row is about two systems."""
    return tuple(column.name for column in table.columns[:2]) == PAIR


def _places(analysis: Analysis) -> Places:
    """By the first table of a criterion that has a row for each system, the best first."""
    found: Places = {}
    for table in analysis.tables:
        is_of_systems = table.columns[0].name == "system" and not is_of_pairs(table)
        names = [row[0] for row in table.rows]
        if is_of_systems and len(set(names)) == len(names) > 1:
            about = criterion_of(table, analysis)
            found.setdefault(about, {name: k for k, name in enumerate(names)})
    return found


def _sorted(table: Table, place: dict[str, int] | None) -> Table:
    if place is None or not is_of_pairs(table):
        return table
    rows = sorted(table.rows, key=lambda row: (row[2] is None, *_place(row[:2], place)))
    return replace(table, rows=tuple(rows))


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
            groups.setdefault((finding.id.partition("/")[0], finding.criterion), []).append(k)
    made = list(kept)
    for (_, criterion), where in groups.items():
        place = places[criterion]
        best = sorted(where, key=lambda k: _place(kept[k].systems, place))
        for to, come in zip(where, best, strict=True):
            made[to] = kept[come]
    return tuple(made)
