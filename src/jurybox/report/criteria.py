"""Which criterion a table is about, whatever stands in the criterion's name."""

from __future__ import annotations

from jurybox.analysis.finding import Analysis, Table

__all__ = ["criterion_of"]


def criterion_of(table: Table, analysis: Analysis) -> str | None:
    """The criterion in a table's id: ``means/fidelity`` is about fidelity.

    A name may hold a slash itself, as ``cost/benefit`` does, and more may follow it: the longest
    name that a finding is about and that the id goes on with, else what stands before a slash.
    """
    _, slash, rest = table.id.partition("/")
    if not slash:
        return None
    names = {finding.criterion for finding in analysis.findings if finding.criterion}
    fitting = [name for name in names if f"{rest}/".startswith(f"{name}/")]
    return max(fitting, key=len, default=rest.partition("/")[0])
