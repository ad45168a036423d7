"""What detections say: who passes for real, and whether raters can tell."""

from __future__ import annotations

from jurybox.analysis import measure
from jurybox.analysis.context import Context, bounds, interval_column, lead
from jurybox.analysis.finding import Chapter, Column, Finding, Table
from jurybox.analysis.sentences import (
    between_words,
    claimed_p,
    evidence,
    points,
    told_apart,
)
from jurybox.results import format_number, format_percent
from jurybox.stats.detection import TuringTest
from jurybox.stats.shares import Share, ShareDifference
from jurybox.tally.responses import Responses

__all__ = ["detection_chapter", "detection_headline"]

WORDS = (
    (0.15, "poor"),
    (0.30, "moderate"),
    (0.45, "good"),
    (float("inf"), "nearly indistinguishable"),
)
"""Words for a fooling rate, read only beside the false-rejection rate."""


def detection_chapter(context: Context, responses: Responses) -> Chapter:
    """Fooling and false-rejection rates, the test of equal acceptance, and d′."""
    test = measure.turing(responses, context.options)
    gaps = [_gap_finding(context, gap, test) for gap in test.differences]
    findings = [*gaps, *(_rate_finding(row, test) for row in test.rows)]
    warnings = []
    if test.false_rejection is not None:
        findings.append(_rejection_finding(test.false_rejection))
    else:
        warnings.append("no real output was shown, so nothing can be said about telling them apart")
    if not test.rows:
        warnings.append("no generated output was shown, so there is no fooling rate")
    if test.balanced_accuracy is not None:
        findings.append(_accuracy_finding(test.balanced_accuracy))
    findings += _sensitivity_finding(test)
    return Chapter(
        findings=lead(findings, findings[0] if findings else None),
        tables=(_table(context, test),),
        warnings=tuple(warnings),
    )


def detection_headline(context: Context, responses: Responses) -> Finding | None:
    """The first generated system against the real outputs."""
    test = measure.turing(responses, context.options)
    if test.differences:
        return _gap_finding(context, test.differences[0], test)
    return next((_rate_finding(row, test) for row in test.rows), None)


def _gap_finding(context: Context, gap: ShareDifference, test: TuringTest) -> Finding:
    p, adjusted = claimed_p(gap)
    told = told_apart(gap, null=0.0, p=p, confidence=context.confidence)
    fooling: Share = test[gap.system]
    real = 1 - ((test.false_rejection.estimate if test.false_rejection else None) or 0.0)
    shares = (
        f"its outputs pass for real in {format_percent(fooling.estimate)} of answers, real ones in "
        f"{format_percent(real)}"
    )
    said = evidence(gap, noun="answer", p=p, adjusted=adjusted)
    size = points(gap.estimate or 0.0)
    if told:
        sentence = f"Raters tell {gap.system} from real: {shares}, a difference of {size} {said}."
    else:
        sentence = (
            f"It is not shown that raters tell {gap.system} from real, nor that they cannot: "
            f"{shares}, a difference of {size} {said}."
        )
    return Finding(
        id=f"acceptance/{gap.system}",
        sentence=sentence,
        result=gap,
        told=told,
        systems=(gap.system,),
    )


def _rate_finding(row: Share, test: TuringTest) -> Finding:
    share = format_percent(row.estimate)
    sentence = f"{row.system} has a fooling rate of {share} {evidence(row, noun='answer')}"
    if test.false_rejection is not None:
        # The words mean nothing alone: a rater who calls everything real is fooled by everything.
        beside = format_percent(test.false_rejection.estimate)
        sentence += f": {between_words(row, WORDS)}, beside a false-rejection rate of {beside}"
    return Finding(
        id=f"fooling/{row.system}",
        sentence=sentence + ".",
        result=row,
        systems=(row.system or "",),
    )


def _rejection_finding(row: Share) -> Finding:
    return Finding(
        id="false_rejection",
        sentence=f"Real outputs are called generated in {format_percent(row.estimate)} of answers "
        f"{evidence(row, noun='answer')}.",
        result=row,
    )


def _accuracy_finding(row: Share) -> Finding:
    return Finding(
        id="balanced_accuracy",
        sentence=f"Raters have a balanced accuracy of {format_percent(row.estimate)} "
        f"{evidence(row, noun='answer', p=row.p)}.",
        result=row,
    )


def _sensitivity_finding(test: TuringTest) -> list[Finding]:
    row = test.sensitivity
    if row is None:
        return []
    if row.estimate is None:
        sentence = f"There is no d′: {row.undefined}."
    else:
        value, bias = format_number(row.estimate), format_number(row.bias)
        sentence = (
            f"The raters' mean d′ is {value} {evidence(row, noun=None, p=row.p)}; their bias c is "
            f"{bias} (above 0: they tend to answer “real”)."
        )
    return [Finding(id="d_prime", sentence=sentence, result=row, told=row.estimate is not None)]


def _table(context: Context, test: TuringTest) -> Table:
    gaps = {gap.system: gap for gap in test.differences}
    rows = []
    for row in test.rows:
        gap = gaps.get(row.name)
        rows.append(
            (
                row.name,
                row.estimate,
                bounds(row.interval),
                None if gap is None else gap.estimate,
                None if gap is None else bounds(gap.interval),
                None if gap is None else claimed_p(gap)[0],
                row.n_responses,
            )
        )
    caption = "A fooling rate says something only beside the share of real outputs called generated"
    if test.false_rejection is not None:
        rate = format_percent(test.false_rejection.estimate)
        caption += f": here {rate} {evidence(test.false_rejection, noun='answer')}"
    return Table(
        id="fooling",
        title="Taken for real",
        columns=(
            Column(name="system", heading="System"),
            Column(name="fooling_rate", heading="Fooling rate", kind="percent"),
            interval_column(context),
            Column(name="difference", heading="Minus real", kind="percent"),
            interval_column(context, "difference_interval"),
            Column(name="p", heading="p", kind="p"),
            Column(name="answers", heading="Answers", kind="count"),
        ),
        rows=tuple(rows),
        caption=caption + ".",
    )
