"""How far raters agree, in numbers and in the words of named scales."""

from __future__ import annotations

from dataclasses import replace

from jurybox.analysis import measure
from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Chapter, Column, Finding, Table
from jurybox.analysis.sentences import ALPHA_WORDS, between_words, evidence
from jurybox.results import format_number, format_percent
from jurybox.stats.agreement import Agreement, Level
from jurybox.tally.ratings import are_numbers
from jurybox.tally.responses import Responses

__all__ = ["agreement_chapter", "level_of"]


def level_of(context: Context, part: Responses, criterion: str) -> tuple[Level, str | None]:
    """The level of measurement of a criterion, and the sentence where it had to be assumed."""
    asked = context.asked.criterion(criterion).level
    if part.shape.name != "ratings":
        return "nominal", None
    if not are_numbers(part):
        return "nominal", f"{criterion}: the answers are words and taken as nominal"
    if asked is not None:
        return asked, None
    if criterion in context.asked.derived:
        return "ordinal", None
    return "ordinal", f"{criterion}: the level is not stated; numbers are taken as ordinal"


def agreement_chapter(context: Context, responses: Responses) -> Chapter:
    """Alpha and percent agreement of every criterion, pooled and within systems."""
    shape = responses.shape.name
    if shape in ("rankings", "spans"):
        return Chapter()
    if not responses.has_item:
        return Chapter(
            warnings=("without a column 'item' no two responses share a unit: no agreement",)
        )
    findings: list[Finding] = []
    took: list[str] = []
    rows: list[tuple[object, ...]] = []
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        level, assumed = level_of(context, part, criterion)
        took += [assumed] if assumed else []
        alpha = measure.agreement(part, context.options, "alpha", level=level)
        percent = measure.agreement(part, context.options, "percent")
        within = _within(context, part, level) if shape == "ratings" else []
        alpha = replace(alpha, criterion=criterion)
        findings.append(_finding(alpha, percent, within, criterion))
        rows.append(_row(criterion, "all systems", alpha, percent))
        rows += [_row(criterion, each.system or "", each, None) for each in within]
    table = Table(
        id=f"agreement/{shape}",
        title="Agreement among raters",
        columns=(
            Column(name="criterion", heading="Criterion"),
            Column(name="system", heading="System"),
            Column(name="alpha", heading="Alpha", kind="number"),
            interval_column(context),
            Column(name="level", heading="Level"),
            Column(name="percent", heading="Same answer", kind="percent"),
            Column(name="units", heading="Units", kind="count"),
        ),
        rows=tuple(rows),
        caption="Krippendorff's alpha. “All systems” includes the differences between systems, "
        "which raise it.",
    )
    return Chapter(findings=tuple(findings), tables=(table,), took=tuple(took))


def _row(
    criterion: str, system: str, alpha: Agreement, percent: Agreement | None
) -> tuple[object, ...]:
    same = None if percent is None else percent.estimate
    return (
        criterion, system, alpha.estimate, bounds(alpha.interval), alpha.level, same, alpha.n_units,
    )  # fmt: skip


def _within(context: Context, part: Responses, level: Level) -> list[Agreement]:
    """Alpha within each system, where there are several."""
    systems = part.systems
    if len(systems) < 2:
        return []
    return [
        replace(
            measure.agreement(part.of_system(system), context.options, "alpha", level=level),
            system=system,
        )
        for system in systems
    ]


def _finding(
    alpha: Agreement, percent: Agreement, within: list[Agreement], criterion: str
) -> Finding:
    if alpha.estimate is None:
        sentence = f"Agreement on {criterion} is undefined: {alpha.undefined}."
        return Finding(
            id=f"agreement/{criterion}",
            sentence=sentence,
            result=alpha,
            standing="quality",
            told=False,
            criterion=criterion,
        )
    words = between_words(alpha, ALPHA_WORDS)
    value = format_number(alpha.estimate)
    sentence = (
        f"Agreement on {criterion} is {words} (Krippendorff's words): α = {value} "
        f"{evidence(alpha, noun='response')}; two raters give the same answer in "
        f"{format_percent(percent.estimate)} of cases."
    )
    known = [each.estimate for each in within if each.estimate is not None]
    if known:
        mean = format_number(sum(known) / len(known), 2)
        sentence += f" Within systems α is {mean} on average."
    if (percent.estimate or 0) >= 0.8 and alpha.estimate < 0.4:
        sentence += " The low α beside many equal answers is prevalence: one answer is very common."
    return Finding(
        id=f"agreement/{criterion}",
        sentence=sentence,
        result=alpha,
        standing="quality",
        criterion=criterion,
    )
