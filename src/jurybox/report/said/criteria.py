"""Which criterion a table is about, whatever stands in the criterion's name."""

from __future__ import annotations

from collections.abc import Set

from jurybox.analysis.finding import Analysis, Table

__all__ = ["criteria_of", "criterion_of"]


def criteria_of(analysis: Analysis) -> frozenset[str]:
    """The criteria that findings are about, looked up once: there may be thousands of each."""
    return frozenset(finding.criterion for finding in analysis.findings if finding.criterion)


def criterion_of(table: Table, criteria: Set[str]) -> str | None:
    """The criterion in a table's id: ``means/fidelity`` is about fidelity.

    A name may hold a slash itself, as ``cost/benefit`` does, and more may follow it: the longest
    name that a finding is about and that the id goes on with, else what stands before a slash.
    """
    if table.id == table.kind:
        return None
    parts = table.about.split("/")
    starts = ("/".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((start for start in starts if start in criteria), parts[0])
