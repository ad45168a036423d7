"""The section of results: the charts and tables of each criterion, and what they do not say."""

from __future__ import annotations

from collections.abc import Iterable, Set

from jurybox.analysis.finding import Analysis, Finding, Table
from jurybox.report.blocks import Block, Heading, Points, Section, Shown, Words
from jurybox.report.charts.pictures import colored, distribution_of, drawn_above, reliability_of
from jurybox.report.said.criteria import criteria_of, criterion_of
from jurybox.report.said.crossed import categories_of, matrix_of
from jurybox.report.said.together import said_below
from jurybox.report.said.words import is_answered, told_apart
from jurybox.report.sections.metrics import is_of_metrics
from jurybox.report.sections.raters import is_of_quality

__all__ = ["results_section"]

MARGIN = "equivalence"
"""The kind of table and of finding that hold systems against the margin of the study."""
BAD = "both_bad"
"""The kind of finding that says how often votes call both bad."""
OUTCOMES = "outcomes"
"""The kind of table that gives the shares of ties and of both bad their intervals."""
FIRST = ("win_rates", "rankings")
"""The kinds of tables with a row for each system, in the order of a table of pairs."""
MORE_DATA = "more_data"
"""The kind of finding that says what a larger study would show."""
FEW = 3
"""So many differences that are told stand as sentences, too; more of them, in their table alone."""
BESIDE = ("against", "judge", "set")
"""The standings of findings that have a section of their own."""


def results_section(
    analysis: Analysis, tables: tuple[Table, ...], above: Set[str]
) -> Section | None:
    """Criterion by criterion what was found, but for what stands ``above``; tables are given."""
    if analysis.n_responses == 0:
        return None
    apart = told_apart(analysis)
    found = [
        f
        for f in analysis.findings
        if not is_of_quality(f)
        and not is_of_metrics(f)
        and not is_answered(f, apart)
        and f.standing not in BESIDE
    ]
    known = criteria_of(analysis)
    shown, every = _by_criterion(tables, known), _by_criterion(analysis.tables, known)
    claims: dict[str | None, list[Finding]] = {}
    for finding in found:
        claims.setdefault(finding.criterion, []).append(finding)
    criteria = dict.fromkeys([*claims, *shown])
    systems = colored(analysis)
    blocks: list[Block] = []
    for criterion in criteria:
        if criterion is not None and len(criteria) - (None in criteria) > 1:
            blocks.append(Heading(text=criterion))
        own = every.get(criterion, ())
        worth = [
            f
            for f in claims.get(criterion, ())
            if _worth_a_line(f, own, analysis) or _is_alike(f, analysis)
        ]
        sentences = said_below(worth, analysis, above)
        if sentences:
            blocks.append(Points(items=sentences))
        for table in shown.get(criterion, ()):
            blocks += _drawn(table, analysis, systems)
    if not blocks:
        told = "Everything there is to show stands above."
        nothing = "There is nothing to show: no statistic could be computed."
        blocks.append(Words(text=told if analysis.tables else nothing))
    return Section(id="results", title="Results", blocks=tuple(blocks))


def _by_criterion(tables: Iterable[Table], known: Set[str]) -> dict[str | None, list[Table]]:
    found: dict[str | None, list[Table]] = {}
    for table in tables:
        found.setdefault(criterion_of(table, known), []).append(table)
    return found


def _worth_a_line(finding: Finding, own: Iterable[Table], analysis: Analysis) -> bool:
    """Whether it says what its criterion's tables do not: what is open, why a number is missing."""
    if finding.kind == BAD:
        # Tables have every system's share and every pair's interval; the worst comes first.
        alike = (f for f in analysis.findings if f.kind == BAD)
        return finding is next(f for f in alike if f.criterion == finding.criterion)
    if not finding.told:
        return True
    why = finding.result.undefined
    if why is not None:
        return not any(why.rstrip(".") in table.caption for table in own)
    if finding.kind == MORE_DATA:
        return True
    if len(finding.systems) == 2:
        told = [
            (f.kind, f.criterion, f.told) == (finding.kind, finding.criterion, True)
            for f in analysis.findings
        ]
        return sum(told) <= FEW or not any("other" in table.names for table in own)
    return len(finding.systems) != 1


def _is_alike(finding: Finding, analysis: Analysis) -> bool:
    """Whether it says what passes within the margin, which no table of win or fooling rates does.

    Of a system that is shown to pass for real as often as real outputs that is its fooling rate,
    too, which has a word then.
    """
    kind = finding.kind
    if kind == "fooling":
        return any(
            f.told and f.systems == finding.systems and f.criterion == finding.criterion
            for f in analysis.findings
            if f.kind == MARGIN
        )
    if kind != MARGIN or not finding.told:
        return False
    return analysis.table(f"{MARGIN}/{finding.criterion}") is None


def _drawn(table: Table, analysis: Analysis, systems: tuple[str, ...]) -> list[Block]:
    of_pairs = table.kind == "pairs"
    first = (analysis.table(f"{kind}/{table.about}") for kind in FIRST) if of_pairs else ()
    rates = next((known for known in first if known is not None), None)
    if table.kind == OUTCOMES:
        # The first table has the shares; here are their intervals, for who looks them up.
        return [Shown(table=table, folded=True)]
    matrix = matrix_of(table, () if rates is None else [row[0] for row in rates.rows])
    if matrix is not None:
        return [Shown(table=matrix), *drawn_above(table, systems)]
    categories = categories_of(table)
    if categories is not None:
        return [Shown(table=categories), Shown(table=table)]
    chart = distribution_of(table) or reliability_of(table)
    if chart is not None:
        return [chart, Shown(table=table, drawn=True)]
    return drawn_above(table, systems)
