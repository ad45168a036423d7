"""People and a judge together, in sentences and one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jurybox.analysis.context import Context, between, bounds, interval_column
from jurybox.analysis.finding import CellKind, Chapter, Column, Finding, Table
from jurybox.analysis.measure.judge_biases import JudgeFacts
from jurybox.analysis.measure.prediction_powered import combined_estimates
from jurybox.formats import format_confidence
from jurybox.results import format_count, format_number
from jurybox.stats.judges.prediction_powered import CombinedEstimate, CombinedEstimates
from jurybox.tally.judge_replies import JudgeReplies

__all__ = ["combined_chapter"]

CAPTION = (
    "What people would say of all that the judge answered (prediction-powered). People alone: on "
    "the part that they rated. Judge alone: its own verdicts, whose interval knows nothing of how "
    "far it is off. λ: how much of the judge's correction is taken. Worth: as many items rated by "
    "these people would be as precise, raters apart."
)


def combined_chapter(
    context: Context,
    replies: JudgeReplies,
    criterion: str,
    facts: JudgeFacts,
    *,
    firsts: JudgeReplies | None = None,
) -> Chapter:
    """People and each judge together, where a judge answered more than people did.

    ``firsts``: of rankings, whose votes are the replies, which outputs are first.
    """
    share = facts.people_share
    if share is None and replies.answered.all():
        return Chapter()
    found = combined_estimates(
        replies, criterion, context.options, share=share, tuned=facts.tuned, firsts=firsts
    )
    if found.undefined is not None:
        return Chapter(warnings=(f"People and judges are not combined: {found.undefined}",))
    # What people alone say stands elsewhere, and a sentence has the reason.
    is_any = any(row.estimate is not None for row in found.rows)
    ranked = firsts is not None
    return Chapter(
        findings=tuple(_findings(found, criterion, ranked=ranked)),
        tables=(_table(context, criterion, found.rows, ranked=ranked),) if is_any else (),
    )


def _findings(found: CombinedEstimates, criterion: str, *, ranked: bool) -> Iterator[Finding]:
    """A sentence per judge on the first contrast, or on the mean of the only system."""
    for judge in dict.fromkeys(row.judge for row in found.rows):
        own = [row for row in found.rows if row.judge == judge]
        row = next((row for row in own if row.other is not None), own[0])
        yield Finding(
            id=f"combined/{criterion}/{judge}",
            sentence=f"{_sentence(row, ranked=ranked)}.",
            result=row,
            standing="judge",
            told=row.estimate is not None,
            criterion=criterion,
        )


def _sentence(row: CombinedEstimate, *, ranked: bool) -> str:
    head = f"{row.judge} and people are not combined on {row.criterion}"
    if row.estimate is None:
        return f"{head}: {row.undefined}"
    alone = (
        f"people alone give {_ends(row, row.people, row.people_low, row.people_high)}, {row.judge} "
        f"alone {_ends(row, row.judge_alone, row.judge_low, row.judge_high)}"
    )
    return (
        f"From {format_count(row.n_items or 0, 'item')} that people rated and "
        f"{row.n_judged_items or 0:,} that {row.judge} did, {_about(row, ranked=ranked)} is "
        f"{row.format(row.estimate)} {_interval(row)}; {alone}{_worth(row)}"
    )


def _about(row: CombinedEstimate, *, ranked: bool) -> str:
    on = f" on {row.criterion}"
    if row.target == "ranked first":
        return f"how often {row.system} is ranked first{on}"
    if row.target == "taken for real":
        return f"how often {row.system} is taken for real{on}"
    if ranked:
        return f"how often {row.system} is ranked above {row.other}{on}"
    if row.target == "win rate":
        return f"the win rate of {row.system} over {row.other}{on}"
    if row.target == "difference":
        return f"the difference of {row.system} and {row.other}{on}"
    return f"the mean of {row.system}{on}"


def _interval(row: CombinedEstimate) -> str:
    if row.interval is None:
        return f"(no interval: {row.undefined})"
    percent = format_confidence(row.interval.confidence)
    return f"({percent} interval {row.ends(row.interval)})"


def _ends(row: CombinedEstimate, value: float | None, low: float | None, high: float | None) -> str:
    shown = row.format(value)
    if low is None or high is None:
        return shown
    scale, digits = (100, 1) if row.as_percent else (1, row.digits)
    return (
        f"{shown} ({format_number(scale * low, digits)} to {format_number(scale * high, digits)})"
    )


def _worth(row: CombinedEstimate) -> str:
    if row.worth is None or row.worth_low is None or row.worth_high is None:
        return ""
    low, high = (format_number(end, 0) for end in (row.worth_low, row.worth_high))
    return f". Both together are worth {row.worth:,.0f} human-rated items ({low} to {high})"


def _table(
    context: Context, criterion: str, rows: Sequence[CombinedEstimate], *, ranked: bool
) -> Table:
    """Every target of every judge: both together, and each alone."""
    kind: CellKind = "percent" if all(row.as_percent for row in rows) else "number"
    return Table(
        id=f"combined/{criterion}",
        title=f"People and judges together: {criterion}",
        columns=(
            Column(name="judge", heading="Judge"),
            Column(name="about", heading="About"),
            Column(name="combined", heading="Together", kind=kind),
            interval_column(context, "combined_interval"),
            Column(name="people", heading="People alone", kind=kind),
            interval_column(context, "people_interval"),
            Column(name="judge_alone", heading="Judge alone", kind=kind),
            interval_column(context, "judge_interval"),
            Column(name="weight", heading="λ", kind="number"),
            Column(name="worth", heading="Worth items", kind="count"),
            interval_column(context, "worth_interval"),
            Column(name="undefined", heading="Not combined because"),
        ),
        rows=tuple(tuple(_cells(row, ranked=ranked)) for row in rows),
        caption=CAPTION,
    )


def _cells(row: CombinedEstimate, *, ranked: bool) -> Iterator[object]:
    yield row.judge
    target = "ranked above" if ranked and row.target == "win rate" else row.target
    yield f"{target}, {row.system}" + ("" if row.other is None else f" and {row.other}")
    yield row.estimate
    yield bounds(row.interval)
    yield row.people
    yield between(row.people_low, row.people_high)
    yield row.judge_alone
    yield between(row.judge_low, row.judge_high)
    yield row.weight
    yield None if row.worth is None else round(row.worth)
    yield between(row.worth_low, row.worth_high)
    yield row.undefined or ""
