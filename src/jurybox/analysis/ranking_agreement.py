"""How far raters rank alike, in numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Chapter, Column, Finding, Table
from jurybox.analysis.measure.agreement import concordance
from jurybox.analysis.sentences import said_of
from jurybox.tally.responses import Responses

if TYPE_CHECKING:
    from jurybox.stats.agreement.concordance import Concordance

__all__ = ["ranking_agreement"]


def ranking_agreement(
    context: Context, responses: Responses, everybody: Responses | None
) -> Chapter:
    """Kendall's W of every criterion, that of ``everybody`` first where raters were left out."""
    if not responses.has_rater:
        return Chapter(warnings=("without a column 'rater' no rankings can be compared",))
    findings, rows = [], []
    for criterion in responses.criteria:
        if everybody is not None:
            before = concordance(everybody.of_criterion(criterion), context.options)
            findings.append(_finding(before, criterion, "agreement_before", "Before exclusion, "))
        found = concordance(responses.of_criterion(criterion), context.options)
        lead = "Without the excluded raters, " if everybody is not None else ""
        findings.append(_finding(found, criterion, "agreement", lead))
        rows.append(
            (
                criterion,
                found.estimate,
                bounds(found.interval),
                found.tau,
                found.spearman,
                found.p,
                found.n_units,
            )
        )
    table = Table(
        id="agreement/rankings",
        title="Agreement among raters",
        columns=(
            Column(name="criterion", heading="Criterion"),
            Column(name="w", heading="Kendall's W", kind="number"),
            interval_column(context),
            Column(name="tau", heading="Mean tau", kind="number"),
            Column(name="spearman", heading="Mean Spearman", kind="number"),
            Column(name="p", heading="p", kind="p"),
            Column(name="units", heading="Units", kind="count"),
        ),
        rows=tuple(rows),
        caption="A unit is an item's outputs that two raters or more ranked together. W is the "
        "mean over units; it depends on the number of raters, the mean correlations of two raters "
        "do not.",
    )
    return Chapter(findings=tuple(findings), tables=(table,))


def _finding(found: Concordance, criterion: str, kind: str, lead: str) -> Finding:
    found = replace(found, criterion=criterion)
    if found.estimate is None:
        start = f"{lead}agreement on {criterion}"
        sentence = f"{start[0].upper()}{start[1:]} is undefined: {found.undefined}"
    else:
        sentence = f"{lead}Kendall's W on {criterion} is {found.format(found.estimate)} "
        sentence += said_of(found, noun="ranking", p=found.p)
        if found.tau is not None:
            sentence += f"; two raters' rankings have a mean tau of {found.format(found.tau)}"
    return Finding(
        id=f"{kind}/{criterion}",
        sentence=f"{sentence}.",
        result=found,
        standing="quality",
        told=found.estimate is not None,
        criterion=criterion,
    )
