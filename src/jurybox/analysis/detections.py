"""What detections say: who passes for real, and whether raters can tell."""

from __future__ import annotations

from dataclasses import replace

from jurybox.analysis import measure
from jurybox.analysis.calibration import calibration_part
from jurybox.analysis.claims import unless_undefined
from jurybox.analysis.context import Context, lead
from jurybox.analysis.detection_tables import detection_tables
from jurybox.analysis.differences import more_data_finding
from jurybox.analysis.finding import Chapter, Finding
from jurybox.analysis.sentences import (
    between_words,
    claimed_p,
    does,
    evidence,
    points,
    told_apart,
)
from jurybox.formats import format_confidence
from jurybox.results import format_interval, format_number, format_p, format_percent
from jurybox.stats.detection.acceptance import AcceptanceEquivalence
from jurybox.stats.detection.turing import Sensitivity, TuringTest
from jurybox.stats.shares import Share, ShareDifference
from jurybox.tally.detections import NOT_ASKED
from jurybox.tally.responses import Responses

__all__ = ["detection_chapter"]

WORDS = (
    (0.15, "poor"),
    (0.30, "moderate"),
    (0.45, "good"),
    (float("inf"), "nearly indistinguishable"),
)
"""Words for a fooling rate, said only where it is shown equivalent to that of real outputs."""


def detection_chapter(context: Context, responses: Responses) -> Chapter:
    """Fooling and false-rejection rates, the test of equal acceptance, d′, area, calibration."""
    names = responses.criteria
    if len(names) < 2:
        return _one(context, responses)
    return Chapter.joined(
        [_named(_one(context, responses.of_criterion(name)), name) for name in names]
    )


def _named(chapter: Chapter, criterion: str) -> Chapter:
    """The chapter of one of several criteria."""
    return replace(
        chapter,
        findings=tuple(
            replace(f, id=f"{f.id}/{criterion}", criterion=criterion) for f in chapter.findings
        ),
        tables=tuple(
            replace(t, id=f"{t.id.split('/')[0]}/{criterion}", title=f"{t.title}: {criterion}")
            for t in chapter.tables
        ),
        warnings=tuple(f"{criterion}: {warning}" for warning in chapter.warnings),
    )


def _one(context: Context, responses: Responses) -> Chapter:
    test = _best_first(measure.turing(responses, context.options, margin=_margin(context)))
    findings = [_gap_finding(context, gap, test) for gap in test.differences]
    findings += [_equivalence_finding(context, found) for found in test.equivalences]
    alike = {
        found.system
        for found in test.equivalences
        if found.verdict(context.confidence) == "equivalent"
    }
    findings += [_rate_finding(row, test, alike=row.system in alike) for row in test.rows]
    if test.false_rejection is not None:
        findings.append(_rejection_finding(test.false_rejection))
    if test.balanced_accuracy is not None:
        findings.append(_accuracy_finding(test.balanced_accuracy))
    findings += [*_sensitivity_finding(test), *_area_finding(test)]
    findings += [_more(more) for gap in test.differences[:1] if (more := more_data_finding(gap))]
    calibrated = calibration_part(context, responses)
    return Chapter(
        findings=lead([*findings, *calibrated.findings], findings[0] if findings else None),
        tables=(*detection_tables(context, test), *calibrated.tables),
        warnings=(*_warnings(context, test), *calibrated.warnings),
    )


def _best_first(test: TuringTest) -> TuringTest:
    """The same with every system where its fooling rate stands: the highest first."""
    best = {row.system: k for k, row in enumerate(test.rows)}

    def place(found: ShareDifference | AcceptanceEquivalence | Sensitivity) -> int:
        return best.get(found.system, len(best))

    return replace(
        test,
        differences=tuple(sorted(test.differences, key=place)),
        equivalences=tuple(sorted(test.equivalences, key=place)),
        sensitivities=tuple(sorted(test.sensitivities, key=place)),
    )


def _more(found: Finding) -> Finding:
    """Real outputs are no system of their own."""
    system = found.systems[0]
    return replace(found, id=f"more_data/{system}", systems=(system,))


def _margin(context: Context) -> float | None:
    """The study's margin, if it is a share."""
    margin = context.asked.margin
    return margin if margin is not None and margin < 1 else None


def _warnings(context: Context, test: TuringTest) -> list[str]:
    said = list(test.notes)
    if test.false_rejection is None:
        said.append("no real output was shown, so nothing can be said about telling them apart")
    if not test.rows:
        said.append("no generated output was shown, so there is no fooling rate")
    margin = context.asked.margin
    if margin is not None and margin >= 1:
        said.append(
            f"a margin of {margin:g} is no difference of shares (0.1 is ten points), so "
            "equivalence is not tested"
        )
    return said


def _gap_finding(context: Context, gap: ShareDifference, test: TuringTest) -> Finding:
    p, adjusted = claimed_p(gap)
    told = told_apart(gap, null=0.0, p=p, confidence=context.confidence)
    fooling: Share = test[gap.system]
    real = 1 - ((test.false_rejection.estimate if test.false_rejection else None) or 0.0)
    shares = (
        f"its outputs pass for real in {format_percent(fooling.estimate)} of answers, real ones in "
        f"{format_percent(real)}"
    )
    joint = adjusted or gap.simultaneous is not None
    said = evidence(gap, noun="answer", p=p, adjusted=joint)
    size = points(gap.estimate or 0.0)
    if told and (gap.estimate or 0.0) > 0:
        # To "tell" would say that raters find what is generated, and they find the opposite.
        sentence = (
            f"Raters take {gap.system} for real more often than real outputs: {shares}, a "
            f"difference of {size} {said}."
        )
    elif told:
        sentence = f"Raters tell {gap.system} from real: {shares}, a difference of {size} {said}."
    else:
        sentence = (
            f"It is open whether raters tell {gap.system} from real: "
            f"{shares}, a difference of {size} {said}."
        )
    made = Finding(
        id=f"acceptance/{gap.system}",
        sentence=sentence,
        result=gap,
        told=told,
        systems=(gap.system,),
    )
    return unless_undefined(made, f"Whether raters tell {gap.system} from real", noun="answer")


def _equivalence_finding(context: Context, found: AcceptanceEquivalence) -> Finding:
    """Whether a system passes for real as often as real outputs, within the study's margin."""
    told = found.verdict(context.confidence) == "equivalent"
    margin = f"{format_number(100 * found.margin, 1)} points"
    if told:
        claim = f"{does(found.system, 'passes')} for real as often as real outputs, within {margin}"
    else:
        claim = f"It is not shown that {found.system} passes for real as often as real outputs, "
        claim += f"within {margin}"
    if found.interval is None or found.wider is None:
        said = f"(no interval: {found.undefined})"
    else:
        parts = [
            f"{format_confidence(each.confidence)} interval " + format_interval(each, percent=True)
            for each in (found.interval, found.wider)
        ]
        p = found.claimed_p
        rule = "" if found.p_adjusted is None else " by Holm"
        said = f"({'; '.join(parts)}; two one-sided tests {format_p(p)}{rule})"
    return Finding(
        id=f"equivalence/{found.system}",
        sentence=f"{claim} {said}.",
        result=found,
        told=told,
        systems=(found.system,),
    )


def _rate_finding(row: Share, test: TuringTest, *, alike: bool) -> Finding:
    share = format_percent(row.estimate)
    sentence = f"{does(row.system or '', 'has')} a fooling rate of {share} "
    sentence += evidence(row, noun="answer")
    if test.false_rejection is not None and test.false_rejection.estimate is not None:
        beside = f"beside a false-rejection rate of {format_percent(test.false_rejection.estimate)}"
        # A rater who calls everything real is fooled by everything: the words mean something only
        # where real outputs are shown to pass as often.
        sentence += f": {between_words(row, WORDS)}, {beside}" if alike else f", {beside}"
    made = Finding(
        id=f"fooling/{row.system}",
        sentence=sentence + ".",
        result=row,
        systems=(row.system or "",),
    )
    return unless_undefined(made, f"The fooling rate of {row.system}", noun="answer")


def _rejection_finding(row: Share) -> Finding:
    made = Finding(
        id="false_rejection",
        sentence=f"Real outputs are called generated in {format_percent(row.estimate)} of answers "
        f"{evidence(row, noun='answer')}.",
        result=row,
    )
    return unless_undefined(made, "The false-rejection rate", noun="answer")


def _accuracy_finding(row: Share) -> Finding:
    made = Finding(
        id="balanced_accuracy",
        sentence=f"Raters have a balanced accuracy of {format_percent(row.estimate)} "
        f"{evidence(row, noun='answer', p=row.p)}.",
        result=row,
    )
    return unless_undefined(made, "The balanced accuracy of raters", noun="answer")


def _sensitivity_finding(test: TuringTest) -> list[Finding]:
    """The raters' d′, which is about them and no system, and so bears on everything else."""
    row = test.sensitivity
    if row is None:
        return []
    if row.estimate is None:
        sentence = f"There is no mean d′ of the raters: {row.undefined}"
        if row.pooled is not None:
            sentence += "; pooled over all answers, without an interval, d′ is "
            sentence += format_number(row.pooled)
        sentence += "."
    else:
        value = row.format(row.estimate)
        said = evidence(row, noun=None, p=row.p)
        # Of a reader who has d′ above 0 in mind the sign alone says too little.
        if row.interval is not None and row.interval.high < 0:
            said += ", below 0: they call generated outputs real more often than real ones"
        sentence = f"The raters' mean d′ is {value} {said}; {_bias(row)}."
    return [
        Finding(
            id="d_prime",
            sentence=sentence,
            result=row,
            standing="quality",
            told=row.estimate is not None,
        )
    ]


def _bias(row: Sensitivity) -> str:
    """The raters' mean c, and which answer they tend to where its interval says so."""
    said = f"their bias c is {format_number(row.bias)}"
    interval = row.bias_interval
    if interval is None:
        return f"{said}, without an interval"
    percent = format_confidence(interval.confidence)
    said += f" ({percent} interval {format_interval(interval)})"
    if interval.low > 0 or interval.high < 0:
        return f"{said}: they tend to answer “{'real' if interval.low > 0 else 'generated'}”"
    return f"{said}: that they tend to either answer is not shown"


def _area_finding(test: TuringTest) -> list[Finding]:
    """Only where confidence was asked."""
    row = test.area
    if row is None or row.undefined in NOT_ASKED:
        return []
    if row.estimate is None:
        sentence = f"There is no area under the curve: {row.undefined}."
    else:
        sentence = (
            f"By their confidence, raters place a generated output above a real one in "
            f"{format_percent(row.estimate)} of pairs: the area under the curve is "
            f"{row.format(row.estimate)} {evidence(row, noun='answer', p=row.p)}."
        )
    return [Finding(id="area", sentence=sentence, result=row, told=row.estimate is not None)]
