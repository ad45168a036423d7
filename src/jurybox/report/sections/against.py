"""What moved since another round, as a section of the report."""

from __future__ import annotations

from jurybox.analysis.finding import Analysis
from jurybox.report.blocks import Block, Points, Section, Shown, Words
from jurybox.results import format_count

__all__ = ["OF_ROUNDS", "against_section"]

OF_ROUNDS = "against"
"""The kind of tables, and the standing of findings, that compare two rounds."""


def against_section(analysis: Analysis) -> Section | None:
    """What moved, then how much of all that was compared did not."""
    found = [f for f in analysis.findings if f.standing == OF_ROUNDS]
    tables = [t for t in analysis.tables if t.kind == OF_ROUNDS]
    if not found:
        return None
    told = tuple(f.sentence for f in found if f.told)
    blocks: list[Block] = [Points(items=told)] if told else []
    undefined = tuple(f.sentence for f in found if f.result.estimate is None)
    rest = len(found) - len(told) - len(undefined)
    if rest:
        many = format_count(rest, "statistic was", "statistics were")
        said = f"Nothing is shown to have moved; {many} compared."
        if told:
            what = format_count(rest, "other statistic is", "other statistics are")
            said = (
                f"{what} not shown to have moved; the tables have {'it' if rest == 1 else 'them'}."
            )
        blocks.append(Words(text=said))
    if undefined:
        blocks.append(Points(items=undefined))
    blocks += [Shown(table=table) for table in tables]
    return Section(id="against", title="Compared with another round", blocks=tuple(blocks))
