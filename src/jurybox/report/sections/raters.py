"""The section on raters: who answered how much, how far they can be trusted, who was left out."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING

from jurybox.analysis.finding import Analysis, Column, Finding, Table
from jurybox.report.blocks import Block, Heading, Points, Section, Shown, Words
from jurybox.report.fieldwork.breaks import say_breaks
from jurybox.report.fieldwork.survey import survey_table
from jurybox.report.said import words
from jurybox.report.said.together import said_below
from jurybox.report.sections.metrics import is_of_metrics
from jurybox.study.model import Study

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork

__all__ = ["is_of_quality", "is_of_raters", "raters_section"]

OF_RATERS = (
    "agreement", "checks", "exclusions", "order", "pace", "rater_pairs", "skips", "with_and_without"
)  # fmt: skip
"""The kinds of tables that say how far the answers can be trusted."""
OF_EXCLUSION = ("exclusions", "excluded", "with_and_without")
"""The tables of who was left out, by which rule, and what that changes, in this order."""
BESIDE_RESULTS = ("both_bad", "circle", "fit", "more_data", "without_both_bad")
"""The kinds of findings that stand among the results, though they are of quality."""


def is_of_quality(finding: Finding) -> bool:
    """Whether it says how far the data can be trusted, rather than what they say of a system."""
    if finding.kind in BESIDE_RESULTS:
        return False
    return finding.standing == "quality" or (
        finding.standing == "exploratory" and not finding.systems and not is_of_metrics(finding)
    )


def is_of_raters(table: Table) -> bool:
    """Whether it is of raters, or says how far their answers can be trusted."""
    return "rater" in table.names or table.kind in OF_RATERS


def raters_section(
    analysis: Analysis,
    tables: tuple[Table, ...],
    study: Study | None,
    fieldwork: Fieldwork | None,
    above: Set[str],
) -> Section:
    """Counts, what ``above`` does not say, the given tables, and everybody who was left out."""
    counted = [words.raters(analysis)]
    if study is not None and fieldwork is not None and fieldwork.breaks is not None:
        counted.append(say_breaks(fieldwork.breaks, study))
    counted += words.groups(analysis)
    blocks: list[Block] = [Words(text=" ".join(counted))]
    said = said_below((f for f in analysis.findings if is_of_quality(f)), analysis, above)
    if said:
        blocks.append(Points(items=said))
    others = [table for table in tables if table.id not in OF_EXCLUSION]
    blocks += [Shown(table=table, folded=_is_looked_up(table)) for table in others]
    told = survey_table(analysis, study, fieldwork.survey) if study and fieldwork else None
    blocks += [] if told is None else [Shown(table=told)]
    rules = () if study is None else words.rules(study)
    if rules:
        fixed = ", fixed before the data" if words.is_fixed(analysis) else ""
        blocks += [Heading(text=f"Exclusion rules{fixed}"), Points(items=rules)]
    left_out = {table.id: Shown(table=table) for table in tables if table.id in OF_EXCLUSION}
    if analysis.excluded:
        left_out["excluded"] = Shown(table=_excluded(analysis))
        blocks += [left_out[id] for id in OF_EXCLUSION if id in left_out]
    elif analysis.n_responses:
        none = "" if study is None or rules else "The study states no exclusion rule. "
        blocks.append(Words(text=f"{none}Nobody was left out."))
    return Section(id="raters", title=f"{analysis.rater_noun.title()}s", blocks=tuple(blocks))


def _is_looked_up(table: Table) -> bool:
    """Whether it is of single raters on one criterion; who needs a look stands above them all."""
    return table.kind in ("rater_pairs", "raters") and "/" in table.id


def _excluded(analysis: Analysis) -> Table:
    return Table(
        id="excluded",
        title="Raters left out",
        columns=(
            Column(name="rater", heading="Rater"),
            Column(name="rule", heading="Rule"),
            Column(name="sentence", heading="What was seen"),
            Column(name="n_responses", heading="Responses", kind="count"),
        ),
        rows=tuple(
            (e.rater, ", ".join(e.rules), e.sentence.removeprefix(f"{e.rater}: "), e.n_responses)
            for e in analysis.excluded
        ),
    )
